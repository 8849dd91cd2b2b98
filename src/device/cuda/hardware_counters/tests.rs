//! Counting over a stand-in for CUPTI: what is asked of it, in which order, and what becomes of what it refuses.

use super::*;
use stand_in::{ORDINAL, context, cupti, script};

/// Functions that are called to open a profiler, and to count with it.
const OPENING: [&str; 7] = [
    "initialize",
    "chip_name",
    "availability",
    "host_initialize",
    "host_add_metrics",
    "host_config_size",
    "host_config",
];
const COUNTING: [&str; 10] = [
    "range_enable",
    "range_data_size",
    "range_data_initialize",
    "range_configure",
    "range_start",
    "range_push",
    "range_pop",
    "range_stop",
    "range_decode",
    "host_evaluate",
];

/// Values of all metrics: their places from 1 on.
fn all_metrics() -> Vec<(&'static str, f64)> {
    let mut names: Vec<&str> = metric::METRICS.iter().flat_map(|own| own.names.iter().copied()).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().zip((1..).map(f64::from)).collect()
}

fn open(metrics: &[(&str, f64)]) -> HardwareCounters {
    HardwareCounters::by(cupti(metrics), context(), ORDINAL).unwrap()
}

/// Counts a workload that does nothing but be noted.
fn count(counters: &HardwareCounters) -> Result<Vec<(&'static str, String)>, DeviceError> {
    let note = |what| {
        move || {
            script(|script| script.calls.push(what));
            Ok(())
        }
    };
    counters.count(note("(prepare)"), note("(workload)"))
}

fn cell<'a>(row: &'a [(&'static str, String)], wanted: &str) -> &'a str {
    row.iter().find(|(name, _)| *name == wanted).map(|(_, cell)| cell.as_str()).unwrap()
}

/// Asserts that every call was as CUPTI wants it.
fn assert_understood() {
    assert_eq!(script(|script| std::mem::take(&mut script.problems)), Vec::<String>::new());
}

#[test]
fn a_workload_is_counted_between_the_beginning_and_the_end_of_a_range() {
    let counters = open(&all_metrics());
    let calls = script(|script| std::mem::take(&mut script.calls));
    assert_eq!(calls.iter().filter(|name| **name == "host_add_metrics").count(), 26);
    let mut calls: Vec<&str> = calls;
    calls.dedup();
    assert_eq!(calls, OPENING);
    let row = count(&counters).unwrap();
    let calls = script(|script| script.calls.join(" "));
    insta::assert_snapshot!(calls.replace(" (", "\n(").replace(") ", ")\n"), @r"
    range_enable range_data_size range_data_initialize range_configure
    (prepare)
    range_start range_push
    (workload)
    range_pop range_stop range_decode host_evaluate range_disable
    ");
    assert_eq!(row.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names());
    let value = |wanted: &str| all_metrics().iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value).unwrap();
    assert_eq!(cell(&row, "warp_instructions"), value("smsp__inst_executed.sum").to_string());
    let atomics = value("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum")
        + value("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum");
    assert_eq!(cell(&row, "global_atomic_requests"), atomics.to_string());
    // Again, with everything from the beginning.
    assert_eq!(count(&counters).unwrap(), row);
    drop(counters);
    assert!(script(|script| script.open.is_empty() && script.calls.last() == Some(&"host_deinitialize")));
    assert_understood();
}

#[test]
fn what_a_gpu_does_not_have_is_left_out_and_named() {
    let lacks = ["dram__bytes_read.sum", "smsp__inst_executed.sum"];
    let some: Vec<_> = all_metrics().into_iter().filter(|(name, _)| !lacks.contains(name)).collect();
    let counters = open(&some);
    insta::assert_snapshot!(
        counters.library(),
        @"CUPTI 13.0 (stand-in), without dram__bytes_read.sum (CUPTI_ERROR_INVALID_PARAMETER), smsp__inst_executed.sum (CUPTI_ERROR_INVALID_PARAMETER),"
    );
    // Each host object that has refused a metric makes way for another.
    let calls = script(|script| script.calls.join(" "));
    assert_eq!((calls.matches("host_initialize").count(), calls.matches("host_deinitialize").count()), (3, 2));
    let row = count(&counters).unwrap();
    let empty: Vec<&str> = row.iter().filter(|(_, cell)| cell.is_empty()).map(|(name, _)| *name).collect();
    assert_eq!(empty, ["warp_instructions", "hw_dram_read_bytes", "active_lanes"]);
    let value = |wanted: &str| some.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.to_string());
    assert_eq!(Some(cell(&row, "hw_dram_write_bytes").to_owned()), value("dram__bytes_write.sum"));
    assert_understood();
    drop(counters);
    assert!(script(|script| script.open.is_empty()));
    assert_eq!(open(&all_metrics()).library(), "CUPTI 13.0 (stand-in)");
}

#[test]
fn a_gpu_without_any_of_the_metrics_has_no_counters() {
    let refused = HardwareCounters::by(cupti(&[("sm__other.sum", 1.0)]), context(), ORDINAL).err().unwrap();
    insta::assert_snapshot!(
        refused,
        @"CUPTI has none of the 26 metrics for this GPU, the first of them dram__bytes_read.sum (CUPTI_ERROR_INVALID_PARAMETER)"
    );
    assert!(script(|script| script.open.is_empty() && !script.calls.contains(&"host_config_size")));
    assert_understood();
}

#[test]
fn versions_are_those_of_toolkits() {
    let counters = open(&all_metrics());
    let told = [24, 25, 26, 27, 28, 130_001, 130_202].map(|version| {
        script(|script| script.version = version);
        counters.profiler.cupti.version()
    });
    insta::assert_snapshot!(told.join("\n"), @r"
    CUPTI 12.6
    CUPTI with interface 25
    CUPTI 12.8
    CUPTI 12.9
    CUPTI 12.9
    CUPTI 13.0
    CUPTI 13.2
    ");
}

#[test]
fn a_workload_runs_once_for_each_pass() {
    let counters = open(&all_metrics());
    script(|script| {
        script.passes = 3;
        script.calls.clear();
    });
    let row = count(&counters).unwrap();
    let calls = script(|script| script.calls.join(" "));
    let pass = "(prepare) range_start range_push (workload) range_pop range_stop ";
    assert!(calls.contains(&format!("range_configure {}range_decode host_evaluate", pass.repeat(3))), "{calls}");
    assert_eq!(calls.matches("(workload)").count(), 3);
    assert_eq!(cell(&row, "hw_dram_read_bytes"), "1");
    assert_understood();
}

#[test]
fn passes_without_an_end_are_given_up() {
    let counters = open(&all_metrics());
    for (passes, expected) in [(64, None), (65, Some("counting does not come to an end within 64 passes"))] {
        script(|script| {
            script.passes = passes;
            script.calls.clear();
        });
        let told = count(&counters).err().map(|error| error.to_string());
        assert_eq!(told.as_deref(), expected);
        assert_eq!(script(|script| script.calls.iter().filter(|call| **call == "(workload)").count()), 64);
        assert!(script(|script| script.open.iter().eq(["host"].iter())));
    }
    assert_understood();
}

#[test]
fn sizes_are_those_that_cupti_asks_for() {
    for (config_bytes, data_bytes) in [(1, 1), (4099, 65_537)] {
        let cupti = cupti(&all_metrics());
        script(|script| (script.config_bytes, script.data_bytes) = (config_bytes, data_bytes));
        count(&HardwareCounters::by(cupti, context(), ORDINAL).unwrap()).unwrap();
        assert_understood();
    }
}

#[test]
fn what_is_no_number_is_an_empty_cell() {
    let mut metrics = all_metrics();
    for (name, value) in &mut metrics {
        *value = match *name {
            "smsp__inst_executed.sum" => f64::NAN,
            "sm__cycles_elapsed.max" => f64::INFINITY,
            _ => *value,
        };
    }
    let row = count(&open(&metrics)).unwrap();
    let empty: Vec<&str> = row.iter().filter(|(_, cell)| cell.is_empty()).map(|(name, _)| *name).collect();
    assert_eq!(empty, ["warp_instructions", "hw_elapsed_cycles", "active_lanes"]);
    assert_understood();
}

#[test]
fn whatever_refuses_while_opening_is_told_and_what_was_opened_is_closed() {
    let mut told = String::new();
    for function in OPENING.into_iter().filter(|name| *name != "host_add_metrics") {
        let cupti = cupti(&all_metrics());
        script(|script| script.refusals.insert(function, 15));
        let refused = HardwareCounters::by(cupti, context(), ORDINAL).err().unwrap();
        told += &format!("{refused}\n");
        assert!(script(|script| script.open.is_empty()), "{function}: {:?}", script(|script| script.open.clone()));
        let opened = script(|script| script.calls.contains(&"host_add_metrics"));
        assert_eq!(opened, script(|script| script.calls.contains(&"host_deinitialize")), "{function}");
        assert_understood();
    }
    insta::assert_snapshot!(told, @r"
    CUPTI refuses: cuptiProfilerInitialize: CUPTI_ERROR_NOT_INITIALIZED
    CUPTI refuses: cuptiDeviceGetChipName: CUPTI_ERROR_NOT_INITIALIZED
    CUPTI refuses: cuptiProfilerGetCounterAvailability: CUPTI_ERROR_NOT_INITIALIZED
    CUPTI does not find libnvperf_host.so: it belongs beside libcupti, or into the loader's folders (LD_LIBRARY_PATH) (CUPTI_ERROR_NOT_INITIALIZED)
    CUPTI refuses: cuptiProfilerHostGetConfigImageSize: CUPTI_ERROR_NOT_INITIALIZED
    CUPTI refuses: cuptiProfilerHostGetConfigImage: CUPTI_ERROR_NOT_INITIALIZED
    ");
}

#[test]
fn whatever_refuses_while_counting_is_told_and_the_gpu_is_left_as_it_was() {
    let mut told = String::new();
    for function in COUNTING {
        let counters = open(&all_metrics());
        script(|script| script.refusals.insert(function, 15));
        told += &format!("{}\n", count(&counters).unwrap_err());
        let calls = script(|script| script.calls.join(" "));
        assert!(script(|script| script.open.iter().eq(["host"].iter())), "{function}: {calls}");
        assert_eq!(calls.contains("range_disable"), function != "range_enable", "{calls}");
        // A pass that was begun is ended, too, whatever refused within it.
        let begun = ["range_push", "range_pop", "range_stop", "range_decode", "host_evaluate"].contains(&function);
        assert_eq!(calls.contains("range_stop"), begun, "{calls}");
        assert_understood();
        // The next point can be counted.
        script(|script| script.refusals.clear());
        assert!(count(&counters).is_ok(), "{function}");
        assert_understood();
    }
    insta::assert_snapshot!(told, @r"
    counting: CUPTI refuses: cuptiRangeProfilerEnable: CUPTI_ERROR_NOT_INITIALIZED
    counting: CUPTI refuses: cuptiRangeProfilerGetCounterDataSize: CUPTI_ERROR_NOT_INITIALIZED
    counting: CUPTI refuses: cuptiRangeProfilerCounterDataImageInitialize: CUPTI_ERROR_NOT_INITIALIZED
    counting: CUPTI refuses: cuptiRangeProfilerSetConfig: CUPTI_ERROR_NOT_INITIALIZED
    counting: CUPTI refuses: cuptiRangeProfilerStart: CUPTI_ERROR_NOT_INITIALIZED
    counting: CUPTI refuses: cuptiRangeProfilerPushRange: CUPTI_ERROR_NOT_INITIALIZED
    counting: CUPTI refuses: cuptiRangeProfilerPopRange: CUPTI_ERROR_NOT_INITIALIZED
    counting: CUPTI refuses: cuptiRangeProfilerStop: CUPTI_ERROR_NOT_INITIALIZED
    counting: CUPTI refuses: cuptiRangeProfilerDecodeData: CUPTI_ERROR_NOT_INITIALIZED
    counting: CUPTI refuses: cuptiProfilerHostEvaluateToGpuValues: CUPTI_ERROR_NOT_INITIALIZED
    ");
}

#[test]
fn a_workload_s_own_failure_is_told_whatever_cupti_says_then() {
    let failed = || DeviceError::Failed("the kernel failed".to_owned());
    for refusing in [&[][..], &["range_pop"], &["range_stop"], &["range_pop", "range_stop"]] {
        let counters = open(&all_metrics());
        script(|script| {
            script.passes = 2;
            script.refusals = refusing.iter().map(|name| (*name, 15)).collect();
        });
        let told = counters.count(|| Ok(()), || Err(failed())).unwrap_err().to_string();
        assert_eq!(told, "the kernel failed");
        let calls = script(|script| script.calls.join(" "));
        assert!(calls.ends_with("range_start range_push range_pop range_stop range_disable"), "{calls}");
        assert!(script(|script| script.open.iter().eq(["host"].iter())), "{calls}");
        assert_understood();
    }
    let counters = open(&all_metrics());
    let told = counters.count(|| Err(failed()), || panic!("what could not be prepared does not run")).unwrap_err();
    assert_eq!(told.to_string(), "the kernel failed");
    assert!(script(|script| script.calls.ends_with(&["range_configure", "range_disable"])));
}

#[test]
fn refusals_say_what_to_do() {
    let mut told = String::new();
    for result in [35, 26, 14, 27, 33, 40, 41, 43, 1, 4242] {
        let cupti = cupti(&all_metrics());
        script(|script| script.refusals.insert("availability", result));
        let refused = HardwareCounters::by(cupti, context(), ORDINAL).err().unwrap();
        let counters = open(&all_metrics());
        script(|script| script.refusals.insert("range_enable", result));
        let counting = count(&counters).unwrap_err().to_string();
        told += &format!("{refused}\n");
        let of_point = counting.strip_prefix("counting: ").unwrap();
        if refused.starts_with("CUPTI refuses") {
            told += &format!("{of_point}\n");
        } else {
            assert_eq!(of_point, refused);
        }
    }
    insta::assert_snapshot!(told);
}
