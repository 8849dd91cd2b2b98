//! The gate behind which a sample is queued, so that the device finds all of it there when it begins.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, LaunchConfig, PushKernelArg};

use super::failed;
use super::mapped::Mapped;
use crate::device::DeviceError;

/// A gate that the host did not open after this long opens by itself.
const LIMIT_NS: u64 = 2_000_000_000;
/// How many launches fit behind a gate: the driver's queue takes 1024 (seen on an H200 with driver 580), and the host
/// waits for room in it, which a shut gate never makes.
pub(super) const LAUNCHES_MAX: usize = 900;

/// Which words are what.
const OPEN: usize = 0;
const TIMED_OUT: usize = 1;

/// One thread that spins until the host says go.
pub(super) struct Gate {
    kernel: CudaFunction,
    words: Mapped,
}

/// A gate that holds the stream back. Dropped, it opens, so that no error leaves the device spinning.
pub(super) struct ShutGate<'gate>(&'gate Gate);

impl Gate {
    pub(super) fn new(context: &Arc<CudaContext>, kernel: CudaFunction) -> Result<Self, DeviceError> {
        Ok(Self { kernel, words: Mapped::new(context, 2)? })
    }

    /// Holds back everything that is queued from now on. The stream must be idle or behind an open gate.
    pub(super) fn shut<'gate>(&'gate self, stream: &Arc<CudaStream>) -> Result<ShutGate<'gate>, DeviceError> {
        self.words.clear();
        let (open, timed_out) = (self.words.address(OPEN), self.words.address(TIMED_OUT));
        let shut = ShutGate(self);
        let shape = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
        let mut launch = stream.launch_builder(&self.kernel);
        launch.arg(&open).arg(&timed_out).arg(&LIMIT_NS);
        // SAFETY: the kernel takes two pointers to words of the host's memory, which outlive it, and a 64-bit number.
        unsafe { launch.launch(shape) }.map_err(failed("launching gate"))?;
        Ok(shut)
    }

    /// Whether the gate that was shut last opened by itself. To be asked once the stream is idle.
    pub(super) fn timed_out(&self) -> bool {
        self.words.word(TIMED_OUT).load(Ordering::Acquire) != 0
    }
}

impl ShutGate<'_> {
    /// Lets the stream go on.
    pub(super) fn open(&self) {
        self.0.words.word(OPEN).store(1, Ordering::Release);
    }
}

impl Drop for ShutGate<'_> {
    fn drop(&mut self) {
        self.open();
    }
}
