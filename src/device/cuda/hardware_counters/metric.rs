//! What is counted: columns of `points.csv`, and the metrics that they are taken from.

use std::sync::LazyLock;

use crate::csv_column::Described;

/// A column and the metrics that it is the sum of.
pub(super) struct Metric {
    pub(super) column: &'static str,
    unit: &'static str,
    meaning: &'static str,
    /// Names of CUPTI's and Nsight Compute's. Of what a launch does these are sums or parts of a peak.
    pub(super) names: &'static [&'static str],
}

const fn of(column: &'static str, unit: &'static str, meaning: &'static str, names: &'static [&'static str]) -> Metric {
    Metric { column, unit, meaning, names }
}

/// The columns. Those without `hw_` are counted by simulated devices, too, and mean the same there.
pub(super) static METRICS: [Metric; 24] = [
    of(
        "warp_instructions",
        "warp instructions",
        "machine instructions that warps executed",
        &["smsp__inst_executed.sum"],
    ),
    of(
        "thread_instructions",
        "thread instructions",
        "the same, counted once for every active lane",
        &["smsp__thread_inst_executed.sum"],
    ),
    of(
        "global_load_requests",
        "requests",
        "loads of global memory",
        &["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
    ),
    of(
        "global_load_transactions",
        "sectors",
        "sectors of 32 bytes that these loads ask for",
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    ),
    of(
        "global_store_requests",
        "requests",
        "stores to global memory",
        &["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"],
    ),
    of(
        "global_store_transactions",
        "sectors",
        "sectors of 32 bytes that these stores write",
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
    ),
    of(
        "global_atomic_requests",
        "requests",
        "atomics on global memory, with and without a result",
        &["l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"],
    ),
    of(
        "global_atomic_transactions",
        "sectors",
        "sectors of 32 bytes that these atomics touch",
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"],
    ),
    of(
        "hw_shared_load_wavefronts",
        "wavefronts",
        "parts in which loads of shared memory are served, arbitration included",
        &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    ),
    of(
        "hw_shared_store_wavefronts",
        "wavefronts",
        "parts in which stores to shared memory are served, arbitration included",
        &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
    ),
    of(
        "hw_bank_conflicts",
        "wavefronts",
        "wavefronts of shared memory beyond the fewest, arbitration included",
        &["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"],
    ),
    of(
        "hw_branch_targets",
        "branches",
        "branches that warps executed, uniform ones included",
        &["smsp__sass_branch_targets.sum"],
    ),
    of(
        "hw_divergent_branch_targets",
        "branches",
        "branches after which lanes of a warp were apart",
        &["smsp__sass_branch_targets_threads_divergent.sum"],
    ),
    of(
        "hw_l1_load_hit_sectors",
        "sectors",
        "sectors of loads of global memory that L1 had",
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"],
    ),
    of("hw_l2_read_sectors", "sectors", "sectors of 32 bytes that were read from L2", &["lts__t_sectors_op_read.sum"]),
    of("hw_l2_read_hit_sectors", "sectors", "those of them that L2 had", &["lts__t_sectors_op_read_lookup_hit.sum"]),
    of(
        "hw_l2_write_sectors",
        "sectors",
        "sectors of 32 bytes that were written to L2",
        &["lts__t_sectors_op_write.sum"],
    ),
    of("hw_dram_read_bytes", "bytes", "bytes that were read from device memory", &["dram__bytes_read.sum"]),
    of("hw_dram_write_bytes", "bytes", "bytes that were written to device memory", &["dram__bytes_write.sum"]),
    of(
        "hw_elapsed_cycles",
        "cycles",
        "cycles of the multiprocessors from the first launch's start to the last one's end",
        &["sm__cycles_elapsed.max"],
    ),
    of(
        "hw_active_warps_pct",
        "%",
        "warps that were resident, of those that a multiprocessor has room for, while it was active",
        &["sm__warps_active.avg.pct_of_peak_sustained_active"],
    ),
    of(
        "hw_issue_pct",
        "%",
        "cycles in which schedulers issued an instruction, of those in which they had warps",
        &["smsp__issue_active.avg.pct_of_peak_sustained_active"],
    ),
    of("hw_l2_pct", "%", "throughput of L2, of its peak", &["lts__throughput.avg.pct_of_peak_sustained_elapsed"]),
    of(
        "hw_dram_pct",
        "%",
        "throughput of device memory, of its peak",
        &["dram__throughput.avg.pct_of_peak_sustained_elapsed"],
    ),
];

/// The column that is made of two others.
pub(super) const ACTIVE_LANES: Described = Described {
    name: "active_lanes",
    unit: "lanes",
    meaning: "active lanes of a warp instruction, on average: 32 without divergence",
};

/// All columns, in their order, with the metrics that they are taken from.
pub fn columns() -> impl Iterator<Item = (Described, Vec<&'static str>)> {
    let own = METRICS
        .iter()
        .map(|own| (Described { name: own.column, unit: own.unit, meaning: own.meaning }, own.names.to_vec()));
    let lanes = (ACTIVE_LANES, vec!["smsp__thread_inst_executed.sum", "smsp__inst_executed.sum"]);
    own.chain([lanes])
}

/// Their names.
pub fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| columns().map(|(column, _)| column.name).collect());
    &NAMES
}

/// The cells of the columns from the value of each metric; empty where a GPU does not have the metric.
pub(super) fn cells(value: impl Fn(&str) -> Option<f64>) -> Vec<(&'static str, String)> {
    let sum = |own: &Metric| own.names.iter().map(|name| value(name)).sum::<Option<f64>>();
    let own = METRICS.iter().map(|own| (own.column, sum(own).map(text).unwrap_or_default()));
    let lanes = value("smsp__thread_inst_executed.sum").zip(value("smsp__inst_executed.sum"));
    let lanes = lanes.filter(|(_, warps)| *warps > 0.0).map(|(threads, warps)| format!("{:.3}", threads / warps));
    own.chain([(ACTIVE_LANES.name, lanes.unwrap_or_default())]).collect()
}

/// Counts are whole numbers, shares have three decimals.
fn text(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 9e15 { format!("{value:.0}") } else { format!("{value:.3}") }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_column_has_a_name_of_its_own_words_and_metrics() {
        let known: HashSet<&str> = columns().map(|(column, _)| column.name).collect();
        assert_eq!(known.len(), columns().count());
        for (column, metrics) in columns() {
            assert!(!column.meaning.is_empty() && !column.unit.is_empty() && !metrics.is_empty(), "{}", column.name);
            let is_shared = crate::device::sim::columns().any(|own| own.name == column.name);
            assert_eq!(column.name.starts_with("hw_"), !is_shared, "{}", column.name);
        }
    }

    #[test]
    fn cells_are_sums_of_metrics_and_empty_where_one_is_missing() {
        let value = |name: &str| match name {
            "smsp__inst_executed.sum" => Some(1000.0),
            "smsp__thread_inst_executed.sum" => Some(17_075.0),
            "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum" => Some(2.0),
            "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum" => Some(3.0),
            "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum" => Some(4.0),
            "smsp__issue_active.avg.pct_of_peak_sustained_active" => Some(12.345_67),
            _ => None,
        };
        let cells = cells(value);
        assert_eq!(cells.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names());
        let cell = |wanted: &str| cells.iter().find(|(name, _)| *name == wanted).map(|(_, cell)| cell.as_str());
        assert_eq!(
            (cell("warp_instructions"), cell("active_lanes"), cell("global_atomic_requests"), cell("hw_issue_pct")),
            (Some("1000"), Some("17.075"), Some("5"), Some("12.346"))
        );
        assert_eq!((cell("global_atomic_transactions"), cell("hw_dram_pct")), (Some(""), Some("")));
    }
}
