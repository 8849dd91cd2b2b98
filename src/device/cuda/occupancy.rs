//! What the driver says of kernels: what they take, how many of their blocks a multiprocessor holds, and leave to take more shared
//! memory than is usual.

use cudarc::driver::CudaFunction;
use cudarc::driver::sys::CUfunction_attribute;

use super::symbols::Feature;
use super::{Cuda, failed};
use crate::device::DeviceError;
use crate::device::occupancy::{ClusterOccupancy, KernelOccupancy};
use crate::kernel::{Ptx, RegistersFrom};
use crate::properties::Properties;
use crate::workload::Launch;
use gpu_simulator::hardware::occupancy::{Resources, resident_blocks};

/// Lets a kernel have as much dynamic shared memory as there is, where a launch needs more than is usual. Not just as much as the
/// launch needs: workloads that are prepared side by side may share the kernel. It does not change what else the kernel takes.
pub(super) fn allow_shared_memory(
    function: &CudaFunction,
    launch: &Launch,
    properties: &Properties,
) -> Result<(), DeviceError> {
    if launch.shared_bytes == 0 {
        return Ok(());
    }
    let doing = format!("asking for the shared memory of {}", launch.entry);
    let static_bytes = bytes(function.shared_size_bytes().map_err(failed(&doing))?);
    let asked = static_bytes + u64::from(launch.shared_bytes);
    let most = properties.shared_bytes_per_block_opt_in.max(u64::from(properties.shared_bytes_per_block));
    if asked > most {
        let kernel = launch.entry;
        let problem = format!("a block of {kernel} needs {asked} bytes of shared memory, where {most} are possible");
        return Err(DeviceError::Unsupported(problem));
    }
    if asked <= u64::from(properties.shared_bytes_per_block) {
        return Ok(());
    }
    let dynamic = i32::try_from(most - static_bytes).unwrap_or(i32::MAX);
    let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    function.set_attribute(attribute, dynamic).map_err(failed(&doing))
}

/// What a launch takes of a multiprocessor, and how many of its blocks that holds: by the driver, and by the documented rule.
pub(super) fn of_launch(
    (ptx, function): (Ptx, &CudaFunction),
    (launch, launches): (&Launch, usize),
    device: &Cuda,
) -> Result<KernelOccupancy, DeviceError> {
    let Cuda { properties, driver, .. } = device;
    let doing = format!("asking for what {} takes", launch.entry);
    let registers = function.num_regs().map_err(failed(&doing))?;
    let static_shared_bytes = bytes(function.shared_size_bytes().map_err(failed(&doing))?);
    let local_bytes = bytes(function.local_size_bytes().map_err(failed(&doing))?);
    allow_shared_memory(function, launch, properties)?;
    let count = || {
        let (threads, shared_bytes) = (launch.threads_per_block(), launch.shared_bytes as usize);
        function.occupancy_max_active_blocks_per_multiprocessor(threads, shared_bytes, None)
    };
    let driver_blocks = driver.has(Feature::Occupancy).then(count).transpose().map_err(failed(&doing))?;
    let clusters = if launch.cluster_blocks > 1 {
        let at_once = device.kernel_with_attributes(ptx, launch)?.prepare(launch, properties.shared_bytes_per_block)?;
        at_once.map(|at_once| ClusterOccupancy { blocks: launch.cluster_blocks, at_once: at_once.into() })
    } else {
        None
    };
    let dynamic_shared_bytes = u64::from(launch.shared_bytes);
    let resources = Resources {
        threads_per_block: launch.threads_per_block(),
        registers_per_thread: u32::try_from(registers).unwrap_or(0),
        shared_bytes_per_block: static_shared_bytes + dynamic_shared_bytes,
        argument_bytes: 0,
    };
    Ok(KernelOccupancy {
        kernel: launch.entry.to_owned(),
        launches,
        grid: launch.grid,
        block: launch.block,
        resources,
        static_shared_bytes,
        dynamic_shared_bytes,
        local_bytes: Some(local_bytes),
        registers_from: RegistersFrom::Driver,
        spilled: None,
        residency: resident_blocks(&properties.limits(), &resources),
        driver_blocks,
        clusters,
    })
}

fn bytes(attribute: i32) -> u64 {
    u64::try_from(attribute).unwrap_or(0)
}
