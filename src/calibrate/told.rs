//! What the driver tells of a GPU, as constants of a profile.

use toml_edit::Value;

use crate::properties::Properties;

/// The constants that the driver tells, with their values. A 0 is what it does not tell.
pub(super) fn told(gpu: &Properties) -> Vec<(&'static str, Value)> {
    let counts: [(&'static str, u64); 14] = [
        ("sm_count", gpu.sm_count.into()),
        ("schedulers_per_sm", gpu.schedulers_per_sm.into()),
        ("occupancy.threads_per_sm", gpu.threads_per_sm.into()),
        ("occupancy.blocks_per_sm", gpu.blocks_per_sm.into()),
        ("occupancy.threads_per_block", gpu.threads_per_block.into()),
        ("occupancy.registers_per_sm", gpu.registers_per_sm.into()),
        ("occupancy.registers_per_thread", gpu.registers_per_thread.into()),
        ("shared.bytes_per_sm", gpu.shared_bytes_per_sm),
        ("shared.bytes_per_block", gpu.shared_bytes_per_block.into()),
        ("shared.bytes_per_block_opt_in", gpu.shared_bytes_per_block_opt_in),
        ("shared.reserved_bytes_per_block", gpu.reserved_shared_bytes_per_block),
        ("global.bytes", gpu.memory_bytes),
        ("global.l2.bytes", gpu.l2_bytes),
        ("sm_clock_mhz", gpu.sm_clock_mhz as u64),
    ];
    let told = counts.into_iter().filter(|(_, value)| *value > 0);
    let told = told.filter_map(|(key, value)| Some((key, Value::from(i64::try_from(value).ok()?))));
    std::iter::once(("compute_capability", Value::from(gpu.compute_capability.as_str()))).chain(told).collect()
}
