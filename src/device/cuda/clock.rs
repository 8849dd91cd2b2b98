//! The multiprocessors' clock around a sample, from stamps that a tiny kernel takes before and after it.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, LaunchConfig, PushKernelArg};

use super::failed;
use super::mapped::Mapped;
use crate::device::DeviceError;

/// Multiprocessors that stamps are kept of; more than any GPU has.
const SLOTS: usize = 512;
/// A span of this many steps of the device's nanosecond timer tells the clock within a percent.
const STEPS_LEAST: u64 = 200;
/// What happened longer ago says nothing about the clock around a sample.
const SPAN_MOST_NS: u64 = 50_000_000;

/// Stamps before and after a sample.
pub(super) struct ClockProbe {
    stamp: CudaFunction,
    /// Blocks of a stamp. One for each multiprocessor reaches all of them where nothing else runs.
    blocks: u32,
    /// The shortest span that the clock is told from.
    span_least_ns: u64,
    before: Mapped,
    after: Mapped,
    /// The stamps behind the sample before.
    earlier: Vec<u64>,
}

impl ClockProbe {
    pub(super) fn new(
        context: &Arc<CudaContext>,
        stamp: CudaFunction,
        sm_count: u32,
        timer_step_ns: u64,
    ) -> Result<Self, DeviceError> {
        let stamps = || Mapped::new(context, 2 * SLOTS);
        Ok(Self {
            stamp,
            blocks: 2 * sm_count,
            span_least_ns: STEPS_LEAST * timer_step_ns,
            before: stamps()?,
            after: stamps()?,
            earlier: Vec::new(),
        })
    }

    /// Forgets the stamps of the sample before. The stream must be idle.
    pub(super) fn clear(&self) {
        self.before.clear();
        self.after.clear();
    }

    /// Queues the stamps before a sample.
    pub(super) fn start(&self, stream: &Arc<CudaStream>) -> Result<(), DeviceError> {
        self.queue(&self.before, stream)
    }

    /// Queues the stamps after a sample.
    pub(super) fn stop(&self, stream: &Arc<CudaStream>) -> Result<(), DeviceError> {
        self.queue(&self.after, stream)
    }

    /// The median clock over the multiprocessors that were stamped both times, once the stream is idle. Around a sample
    /// that is too short to tell it, that since the sample before.
    pub(super) fn clock_mhz(&mut self) -> Option<f64> {
        let (before, after) = (self.before.snapshot(), self.after.snapshot());
        let clock_mhz = median_clock_mhz(&before, &after, self.span_least_ns)
            .or_else(|| median_clock_mhz(&self.earlier, &after, self.span_least_ns));
        self.earlier = after;
        clock_mhz
    }

    fn queue(&self, stamps: &Mapped, stream: &Arc<CudaStream>) -> Result<(), DeviceError> {
        let (address, slots) = (stamps.address(0), SLOTS as u32);
        let shape = LaunchConfig { grid_dim: (self.blocks, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
        let mut launch = stream.launch_builder(&self.stamp);
        launch.arg(&address).arg(&slots);
        // SAFETY: the kernel takes a pointer and a 32-bit count, and writes at most two words for each slot, to memory
        // that outlives it.
        unsafe { launch.launch(shape) }.map_err(failed("launching clock_stamp"))?;
        Ok(())
    }
}

/// `before` and `after` hold {cycles, nanoseconds} for each multiprocessor, zeros where it took no stamp.
fn median_clock_mhz(before: &[u64], after: &[u64], span_least_ns: u64) -> Option<f64> {
    let span = |before: u64, after: u64| after.checked_sub(before).filter(|_| before > 0);
    let mut clocks: Vec<f64> = before
        .chunks_exact(2)
        .zip(after.chunks_exact(2))
        .filter_map(|(before, after)| Some((span(before[0], after[0])?, span(before[1], after[1])?)))
        .filter(|(cycles, span_ns)| *cycles > 0 && (span_least_ns.max(1)..=SPAN_MOST_NS).contains(span_ns))
        .map(|(cycles, span_ns)| cycles as f64 / span_ns as f64 * 1000.0)
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
        assert_eq!(median_clock_mhz(&before, &after, 6_400), Some(1980.0));
    }

    #[test]
    fn clock_is_unknown_without_stamps_and_over_spans_too_short_or_too_long() {
        assert_eq!(median_clock_mhz(&[0, 0], &[5, 5], 1), None);
        assert_eq!(median_clock_mhz(&[1, 1_000], &[1_000, 7_399], 6_400), None);
        assert_eq!(median_clock_mhz(&[1, 1_000], &[12_673, 7_400], 6_400), Some(1980.0));
        assert_eq!(median_clock_mhz(&[1, 1_000], &[99_000_001, 50_001_001], 6_400), None);
        assert_eq!(median_clock_mhz(&[9, 9], &[5, 5], 1), None, "backwards");
        assert_eq!(median_clock_mhz(&[], &[], 1), None);
    }
}
