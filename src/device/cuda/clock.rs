//! The multiprocessors' clock around a sample, from stamps that a tiny kernel takes before and after it.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg};

use super::{failed, load_module};
use crate::device::DeviceError;
use crate::kernel;

/// Multiprocessors that stamps are kept of; more than any GPU has.
const SLOTS: usize = 512;
/// Blocks launched per slot in use, so that every multiprocessor is likely to take one.
const BLOCKS: u32 = 1024;
/// The device's nanosecond timer moves in steps of up to a microsecond; over shorter spans that is
/// more than a percent.
const SHORTEST_SPAN_NS: u64 = 100_000;

/// Stamps before and after a sample.
pub(super) struct ClockProbe {
    stamp: CudaFunction,
    before: CudaSlice<u64>,
    after: CudaSlice<u64>,
}

impl ClockProbe {
    pub(super) fn new(context: &Arc<CudaContext>, stream: &Arc<CudaStream>) -> Result<Self, DeviceError> {
        let stamp = load_module(context, kernel::HARNESS)?
            .load_function("clock_stamp")
            .map_err(failed("finding the kernel clock_stamp"))?;
        let allocate = || stream.alloc_zeros(2 * SLOTS).map_err(failed("allocating the clock's stamps"));
        Ok(Self { stamp, before: allocate()?, after: allocate()? })
    }

    /// Queues the stamps before a sample.
    pub(super) fn start(&mut self, stream: &Arc<CudaStream>) -> Result<(), DeviceError> {
        stamp(&self.stamp, &mut self.before, stream)
    }

    /// Queues the stamps after a sample.
    pub(super) fn stop(&mut self, stream: &Arc<CudaStream>) -> Result<(), DeviceError> {
        stamp(&self.stamp, &mut self.after, stream)
    }

    /// Waits for the stamps; the median clock over the multiprocessors stamped both times.
    pub(super) fn clock_mhz(&self, stream: &Arc<CudaStream>) -> Result<Option<f64>, DeviceError> {
        let read = |stamps| stream.clone_dtoh(stamps).map_err(failed("reading the clock's stamps"));
        Ok(median_clock_mhz(&read(&self.before)?, &read(&self.after)?))
    }
}

fn stamp(function: &CudaFunction, stamps: &mut CudaSlice<u64>, stream: &Arc<CudaStream>) -> Result<(), DeviceError> {
    stream.memset_zeros(stamps).map_err(failed("clearing the clock's stamps"))?;
    let slots = SLOTS as u32;
    let shape = LaunchConfig { grid_dim: (BLOCKS, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
    let mut launch = stream.launch_builder(function);
    launch.arg(stamps).arg(&slots);
    // SAFETY: the kernel takes a pointer and a 32-bit count, and writes at most two words for each slot.
    unsafe { launch.launch(shape) }.map_err(failed("launching clock_stamp"))?;
    Ok(())
}

/// `before` and `after` hold {cycles, nanoseconds} for each multiprocessor, zeros where it took no stamp.
fn median_clock_mhz(before: &[u64], after: &[u64]) -> Option<f64> {
    let mut clocks: Vec<f64> = before
        .chunks_exact(2)
        .zip(after.chunks_exact(2))
        .filter(|(before, after)| before[1] > 0 && after[1] >= before[1] + SHORTEST_SPAN_NS && after[0] > before[0])
        .map(|(before, after)| (after[0] - before[0]) as f64 / (after[1] - before[1]) as f64 * 1000.0)
        .collect();
    clocks.sort_by(f64::total_cmp);
    clocks.get(clocks.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_is_cycles_over_nanoseconds() {
        let before = [1_000, 5_000, 0, 0, 7_000, 5_000];
        let after = [1_981_000, 1_005_000, 9, 9, 1_947_000, 1_005_000];
        assert_eq!(median_clock_mhz(&before, &after), Some(1980.0));
    }

    #[test]
    fn clock_is_unknown_without_stamps_or_over_short_spans() {
        assert_eq!(median_clock_mhz(&[0, 0], &[5, 5]), None);
        assert_eq!(median_clock_mhz(&[1, 1_000], &[1_000, 99_000]), None);
        assert_eq!(median_clock_mhz(&[], &[]), None);
    }
}
