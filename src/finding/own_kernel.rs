//! What times of a user's own kernel rest on, and nobody has looked at.

use located_toml::words::and_list;

use crate::device::HAND_OVER;
use crate::draft::made_up;
use crate::properties::Properties;
use crate::record::PointRecord;
use crate::run::reader::Run;
use crate::scenario::Scenario;
use crate::unit::significant;

/// That contents were made up, that no output was compared, that handing values from block to block has no time, and that `bytes` are too many; nothing of a family's kernels.
pub fn of_own_kernel(run: &Run, scenario: &Scenario) -> Vec<String> {
    let Some(kernel) = scenario.kernel else { return Vec::new() };
    let contents = made_up(&run.scenario);
    let hold = if contents.len() == 1 { "holds" } else { "hold" };
    let made_up = (!contents.is_empty()).then(|| {
        format!(
            "What {} {hold} was made up by `apbench new`: times of your contents may be others.",
            and_list(&contents)
        )
    });
    let unchecked = (!kernel.is_compared())
        .then(|| "No buffer has a `check`, so no output was compared; `apbench verify` looks for races.".to_owned());
    let guards = &run.metadata.guards;
    let handed = guards.iter().find(|own| own.guard == HAND_OVER).map(|own| own.detail.clone());
    made_up.into_iter().chain(unchecked).chain(handed).chain(above_peak(&run.metadata.device, &run.points)).collect()
}

/// That `bytes` are more than the device memory can have moved. What the L2 cache holds is left out: it may stay there.
fn above_peak(device: &Properties, points: &[PointRecord]) -> Option<String> {
    let peak = device.peak_gb_per_s()?;
    let rate = |point: &PointRecord| {
        let bytes = point.bytes.filter(|bytes| *bytes > device.l2_bytes)?;
        Some(bytes as f64 / point.timing.as_ref()?.median.time_us / 1e3)
    };
    let fastest = points.iter().filter_map(rate).fold(0.0, f64::max);
    (fastest > peak).then(|| {
        let [fastest, peak] = [fastest, peak].map(|rate| significant(rate, 4));
        format!("`bytes` over the time is up to {fastest} GB/s, and the device memory has a peak of {peak}: `bytes` counts more than moves.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::point;
    use crate::run::fixtures::metadata;

    #[test]
    fn bytes_that_no_memory_moves_are_told() {
        let (memory_clock_mhz, memory_bus_bits, l2_bytes) = (Some(1000.0), Some(4000), 50 << 20);
        let device = Properties { memory_clock_mhz, memory_bus_bits, l2_bytes, ..metadata("").device };
        let told = |bytes: u64, time_us: f64| {
            let own = PointRecord { bytes: Some(bytes), ..point("divergent", 1, "compute", time_us, 0.1) };
            above_peak(&device, &[own])
        };
        assert_eq!(told(1_000_000_000, 1001.0), None);
        assert_eq!(
            told(1_000_000_000, 500.0).unwrap(),
            "`bytes` over the time is up to 2000 GB/s, and the device memory has a peak of 1000: `bytes` counts more than moves."
        );
        // So few may be in the cache.
        assert_eq!(told(1_000_000, 0.1), None);
    }
}
