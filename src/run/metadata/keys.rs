//! The keys of `run.json`, for the reference.

use crate::csv_column::Described;

const fn key(name: &'static str, unit: &'static str, meaning: &'static str) -> Described {
    Described::new(name, unit, meaning)
}

/// The keys of `run.json` in their order, those of inner objects behind a point, of lists behind `[]`.
pub static KEYS: &[Described] = &[
    key("schema_version", "count", "version of the run directory's layout"),
    key("apbench_version", "text", "version of apbench"),
    key("scenario", "text", "name of the scenario"),
    key("command_line", "list of text", "the command as it was given"),
    key("started_at", "time", "start, with the time zone (RFC 3339)"),
    key("ended_at", "time", "end; `null` while the run goes on, or when it was killed"),
    key("status", "text", "`running` (also of a run that was killed), `complete` or `interrupted`"),
    key(
        "sizes",
        "text",
        "sizes of the points: those of `[grid]` (`gpu`), or those of `[simulated]` where it has them (`simulated`)",
    ),
    key("points", "count", "points of the grid, also where the run has a part of it"),
    key("host.name", "text", "network name of the machine; `null` where it has none"),
    key("host.system", "text", "operating system and processor architecture"),
    key("host.cores", "count", "processor cores that the run could use"),
    key("device.spec", "text", "what selects the device: `cuda:0`, `sim:h200`"),
    key("device.name", "text", "its name, as the driver gives it; of a simulated GPU, as the GPU profile does"),
    key("device.origin", "text", "where times are from: `measured`, `simulated` or `mock`"),
    key(
        "device.uuid",
        "text",
        "its unique identifier; `null` where the device does not say, as for other keys of the device",
    ),
    key("device.driver_version", "text", "version of the driver"),
    key("device.cuda_version", "text", "newest CUDA version that the driver supports"),
    key("device.compute_capability", "text", "compute capability: `9.0`"),
    key("device.sm_count", "count", "streaming multiprocessors"),
    key("device.sm_clock_mhz", "MHz", "highest clock of the multiprocessors"),
    key("device.memory_clock_mhz", "MHz", "highest clock of the memory"),
    key("device.memory_bus_bits", "bits", "width of the memory bus"),
    key("device.memory_bytes", "bytes", "device memory"),
    key("device.l2_bytes", "bytes", "L2 cache"),
    key("device.threads_per_sm", "count", "most resident threads of a multiprocessor"),
    key("device.threads_per_block", "count", "most threads of a block"),
    key("device.shared_bytes_per_block", "bytes", "most shared memory of a block without opt-in"),
    key("device.ecc", "true or false", "whether error correction of the memory is on"),
    key("device.schedulers_per_sm", "count", "warp schedulers of a multiprocessor"),
    key("device.blocks_per_sm", "count", "most resident blocks of a multiprocessor"),
    key("device.registers_per_sm", "count", "32-bit registers of a multiprocessor"),
    key("device.registers_per_thread", "count", "most registers of a thread"),
    key("device.shared_bytes_per_sm", "bytes", "shared memory of a multiprocessor"),
    key("device.shared_bytes_per_block_opt_in", "bytes", "most shared memory of a block that opts in to more"),
    key("device.reserved_shared_bytes_per_block", "bytes", "shared memory that the system reserves in every block"),
    key("device.rules.coalescing", "text", "rule by which accesses to global memory become transactions"),
    key("device.rules.banks", "text", "rule by which accesses to shared memory become passes over the banks"),
    key("device.profile.sha256", "text", "SHA-256 of the GPU profile's text; simulated GPUs only"),
    key("device.profile.validation", "text", "how far the GPU profile's times were compared with the real GPU"),
    key(
        "device.profile.timing_model",
        "count",
        "version of the simulator's timing model; absent in runs of before it was told",
    ),
    key("kernels.compiler", "text", "compiler of the kernels and its version"),
    key("kernels.target", "text", "virtual architecture that they are compiled for"),
    key("kernels.ptx_sha256", "text", "SHA-256 of the family's PTX"),
    key(
        "kernels.assembler",
        "text",
        "what says the registers of a kernel of your own on a simulated device; absent where they are estimated",
    ),
    key("own_predictors", "list of texts", "predictors of a kernel of your own, in the order of their columns"),
    key("own_files[].name", "text", "a file that a buffer of your kernel is filled with or compared with"),
    key("own_files[].bytes", "bytes", "its size"),
    key("own_files[].sha256", "text", "its SHA-256"),
    key("measure", "object", "how points were measured: the keys of `[measure]` in a scenario"),
    key("lock_clocks_mhz", "MHz", "what `--lock-clocks` locked the clock of the multiprocessors at; absent without it"),
    key(
        "energy.update_period_ms",
        "ms",
        "how long the counter of energy stands still between two updates; absent where no energies were measured",
    ),
    key("energy.idle_w", "W", "power of the idle device before the first point, by that counter"),
    key("part.index", "count", "with `--part K/N`: K, from 0"),
    key("part.of", "count", "with `--part K/N`: N"),
    key("guards[].guard", "text", "something that could spoil measurements, and was looked at"),
    key("guards[].outcome", "text", "`ok`, `flagged` or `unknown`"),
    key("guards[].detail", "text", "the outcome in words, with figures"),
    key(
        "noise_floor.floor_pct",
        "%",
        "95 % of comparisons of a kernel with itself differ by no more; from `apbench selfcheck`",
    ),
    key("noise_floor.comparisons", "count", "comparisons that this rests on"),
    key("noise_floor.measured_at", "time", "when it was measured"),
    key("time_spent.opening_s", "s", "opening the device and looking at its guards"),
    key("time_spent.building_s", "s", "waiting for the host to compute inputs and expected outputs"),
    key("time_spent.loading_s", "s", "loading kernels, allocating buffers and filling them"),
    key("time_spent.checking_s", "s", "running each point once and comparing its outputs with the host's"),
    key("time_spent.warming_s", "s", "running until the clocks are steady"),
    key("time_spent.sampling_s", "s", "evicting caches and sampling"),
    key("time_spent.writing_s", "s", "writing the run directory"),
    key("time_spent.total_s", "s", "the whole sweep"),
    key("resumed_at", "list of times", "when `--resume` continued the run"),
    key("merged_from[].directory", "text", "of a run that `apbench merge` made: directory of a part"),
    key("merged_from[].part.index", "count", "which part, from 0"),
    key("merged_from[].part.of", "count", "of how many"),
    key("merged_from[].command_line", "list of text", "the command that measured the part"),
    key("merged_from[].host", "object", "its machine: the keys of `host`"),
    key("merged_from[].device_spec", "text", "what selected its device"),
    key("merged_from[].device_uuid", "text", "the device's unique identifier"),
    key("merged_from[].started_at", "time", "its start"),
    key("merged_from[].resumed_at", "list of times", "when `--resume` continued it"),
    key("merged_from[].ended_at", "time", "its end"),
    key("merged_from[].points", "count", "its points"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::super::{Host, MergedFrom, NoiseFloor, Part};
    use super::*;
    use crate::device::GuardOutcome;
    use crate::device::energy::EnergyCounter;
    use crate::properties::ProfileRecord;
    use crate::run::fixtures;
    use crate::user_kernel::DataFile;

    fn flatten(key: &str, value: &Value, keys: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => members.iter().for_each(|(name, member)| {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                flatten(&key, member, keys);
            }),
            Value::Array(members) if members.iter().any(Value::is_object) => {
                members.iter().for_each(|member| flatten(&format!("{key}[]"), member, keys));
            }
            _ => {
                keys.insert(key.to_owned());
            }
        }
    }

    #[test]
    fn every_key_that_is_written_is_described_and_the_other_way_round() {
        let mut metadata = fixtures::metadata("2026-01-01T00:00:00Z");
        let part = Part { index: 0, of: 2 };
        let host: Host = metadata.host.clone();
        metadata.device.profile =
            Some(ProfileRecord { sha256: String::new(), validation: String::new(), timing_model: 1 });
        metadata.part = Some(part);
        metadata.lock_clocks_mhz = Some(1500);
        metadata.energy = Some(EnergyCounter { update_period_ms: 20.0, idle_w: 80.0 });
        metadata.kernels.assembler = Some(String::new());
        metadata.own_predictors = vec![String::new()];
        metadata.own_files = vec![DataFile { name: String::new(), bytes: 1, sha256: String::new() }];
        metadata.guards = vec![fixtures::guard("clock", GuardOutcome::Ok)];
        metadata.noise_floor = Some(NoiseFloor { floor_pct: 0.1, comparisons: 40, measured_at: String::new() });
        metadata.resumed_at = vec![String::new()];
        metadata.merged_from = vec![MergedFrom {
            directory: String::new(),
            part,
            command_line: Vec::new(),
            host,
            device_spec: String::new(),
            device_uuid: None,
            started_at: String::new(),
            resumed_at: vec![String::new()],
            ended_at: None,
            points: 4,
        }];
        let mut written = BTreeSet::new();
        flatten("", &serde_json::to_value(&metadata).unwrap(), &mut written);
        let covers = |known: &str, own: &str| {
            own.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        for own in &written {
            assert!(KEYS.iter().any(|known| covers(known.name, own)), "{own} is not described");
        }
        for known in KEYS {
            assert!(written.iter().any(|own| covers(known.name, own)), "{} is never written", known.name);
        }
    }
}
