//! What the driver tells of a device.

use cudarc::driver::CudaContext;
use cudarc::driver::result::DriverError;
use cudarc::driver::sys::CUdevice_attribute;

use super::symbols::{Driver, Feature, cuda, supported_version};
use crate::properties::{Origin, Properties};
use gpu_simulator::hardware::Rules;

pub(super) fn read_properties(
    context: &CudaContext,
    ordinal: usize,
    driver: &Driver,
) -> Result<Properties, DriverError> {
    let attribute = |attribute| context.attribute(attribute);
    let known = |attribute| context.attribute(attribute).ok().filter(|value| *value > 0);
    let (major, minor) = context.compute_capability()?;
    let kilohertz = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?;
    let count = |attribute| context.attribute(attribute).map(|value| value.max(0) as u32);
    let bytes = |attribute| context.attribute(attribute).map(|value| value.max(0) as u64);
    let uuid = driver.has(Feature::Identity).then(|| context.uuid().ok()).flatten();
    let capability = (major as u32, minor as u32);
    Ok(Properties {
        spec: format!("cuda:{ordinal}"),
        name: context.name()?,
        origin: Origin::Measured,
        uuid: uuid.map(|uuid| format_uuid(uuid.bytes.map(|byte| byte as u8))),
        driver_version: kernel_driver_version(),
        cuda_version: supported_version().map(cuda),
        compute_capability: format!("{major}.{minor}"),
        sm_count: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32,
        sm_clock_mhz: f64::from(kilohertz) / 1000.0,
        memory_clock_mhz: known(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)
            .map(|kilohertz| f64::from(kilohertz) / 1000.0),
        memory_bus_bits: known(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH).map(|bits| bits as u32),
        memory_bytes: context.total_mem()? as u64,
        l2_bytes: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)? as u64,
        threads_per_sm: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)? as u32,
        shared_bytes_per_block: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)? as u32,
        ecc: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_ECC_ENABLED).ok().map(|enabled| enabled != 0),
        // The driver does not tell. CUDA C++ Programming Guide, compute capabilities: four since 3.0, but for 6.0.
        schedulers_per_sm: if capability == (6, 0) { 2 } else { 4 },
        blocks_per_sm: count(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
        registers_per_sm: count(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
        registers_per_thread: 255,
        shared_bytes_per_sm: bytes(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        shared_bytes_per_block_opt_in: bytes(
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        )?,
        reserved_shared_bytes_per_block: bytes(
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
        )?,
        rules: Rules::of_capability(capability),
        profile: None,
        threads_per_block: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)? as u32,
    })
}

/// The identifier as nvidia-smi prints it.
fn format_uuid(bytes: [u8; 16]) -> String {
    let mut text = "GPU-".to_owned();
    for (index, byte) in bytes.into_iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text += &format!("{byte:02x}");
    }
    text
}

/// The version of the kernel's driver, where Linux tells it.
pub(super) fn kernel_driver_version() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let is_version =
        |word: &&str| word.split('.').count() >= 2 && word.split('.').all(|part| part.parse::<u32>().is_ok());
    text.lines().next()?.split_whitespace().find(is_version).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_read_as_nvidia_smi_prints_them() {
        let bytes = std::array::from_fn(|index| index as u8 * 0x11);
        assert_eq!(format_uuid(bytes), "GPU-00112233-4455-6677-8899-aabbccddeeff");
    }
}
