//! Times that are the device's own: of a kernel that does nothing, of launching one after the other, of a copy.

use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};

use super::gate::LAUNCHES_MAX;
use super::stopwatch::Timed;
use super::{Cuda, failed};
use crate::device::{DeviceError, Flush};

/// Samples that each of these times is the median of.
const SAMPLES: usize = 31;
/// The copied memory, in sizes of the L2 cache, but no less than this.
const COPY_CACHES: u64 = 16;
const COPY_BYTES_LEAST: u64 = 256 << 20;
const THREADS: u32 = 256;
const VECTOR_BYTES: u64 = 16;

/// The times of an empty kernel, cold as a workload's are: smallest first.
pub(super) fn null_times_us(device: &Cuda) -> Result<Vec<f64>, DeviceError> {
    launch_nothing(device, &device.instruments.nothing)?;
    device.stream.synchronize().map_err(failed("running nothing"))?;
    let sample = || {
        device.instruments.eviction.borrow_mut().queue(Flush::Clean, &device.stream)?;
        time(device, || launch_nothing(device, &device.instruments.nothing))
    };
    sorted_times_us(sample)
}

/// What a cold sample of an empty kernel takes.
pub(super) fn null_cost_us(device: &Cuda) -> Result<f64, DeviceError> {
    null_times_us(device).map(|times_us| times_us[times_us.len() / 2])
}

/// What each of many empty kernels adds that are queued one after the other.
pub(super) fn launch_cost_us(device: &Cuda) -> Result<f64, DeviceError> {
    let sample = |launches: usize| {
        let sample =
            || time(device, || (0..launches).try_for_each(|_| launch_nothing(device, &device.instruments.nothing)));
        sorted_times_us(sample).map(|times_us| times_us[times_us.len() / 2])
    };
    let few = LAUNCHES_MAX / 2;
    Ok((sample(2 * few)? - sample(few)?) / few as f64)
}

/// The rate of a copy far larger than the L2 cache, in 10^9 bytes read and written a second.
pub(super) fn copy_gb_per_s(device: &Cuda) -> Result<f64, DeviceError> {
    let free_bytes = device.context.mem_get_info().map_err(failed("asking for free memory"))?.0 as u64;
    let wanted = (COPY_CACHES * device.properties.l2_bytes).max(COPY_BYTES_LEAST);
    let block_bytes = VECTOR_BYTES * u64::from(THREADS);
    let bytes = wanted.min(free_bytes / 4) / block_bytes * block_bytes;
    let allocate = || device.stream.alloc_zeros::<u8>(bytes as usize).map_err(failed("allocating a copy's buffers"));
    let (from, mut to) = (allocate()?, allocate()?);
    let vectors = bytes / VECTOR_BYTES;
    let shape = LaunchConfig {
        grid_dim: ((bytes / block_bytes) as u32, 1, 1),
        block_dim: (THREADS, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut queue = || {
        let mut launch = device.stream.launch_builder(&device.instruments.copy);
        launch.arg(&from).arg(&mut to).arg(&vectors);
        // SAFETY: the kernel takes two pointers and the number of vectors of 16 bytes behind each of them.
        unsafe { launch.launch(shape) }.map_err(failed("launching copy"))?;
        Ok(())
    };
    queue()?;
    device.stream.synchronize().map_err(failed("running copy"))?;
    let times_us = sorted_times_us(|| time(device, &mut queue))?;
    Ok(2.0 * bytes as f64 / times_us[times_us.len() / 2] / 1e3)
}

fn time(device: &Cuda, queue: impl FnOnce() -> Result<(), DeviceError>) -> Result<Timed, DeviceError> {
    device.instruments.stopwatch.borrow_mut().time(&device.stream, |_| queue())
}

fn sorted_times_us(mut sample: impl FnMut() -> Result<Timed, DeviceError>) -> Result<Vec<f64>, DeviceError> {
    let mut times_us = (0..SAMPLES).map(|_| sample().map(|timed| timed.time_us)).collect::<Result<Vec<_>, _>>()?;
    times_us.sort_by(f64::total_cmp);
    Ok(times_us)
}

fn launch_nothing(device: &Cuda, nothing: &CudaFunction) -> Result<(), DeviceError> {
    let shape = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the kernel takes no arguments.
    unsafe { device.stream.launch_builder(nothing).launch(shape) }.map_err(failed("launching nothing"))?;
    Ok(())
}
