//! The mock keeps to its settings.

#![allow(clippy::float_cmp, reason = "the very digits are meant")]

use super::*;
use crate::kernel::Ptx;
use crate::workload::Submission;

/// A workload of nothing: 32,768 operations, as its predictor says in 2 branches.
fn workload() -> Workload {
    Workload {
        ptx: Ptx::Text(""),
        buffers: Vec::new(),
        steps: Vec::new(),
        submission: Submission::Stream,
        bytes: 0,
        operations: 32_768,
        predictors: vec![("branches_per_warp", 2.0)],
    }
}

fn mock(settings: &str) -> Mock {
    Mock::new(settings.parse().unwrap())
}

/// The cold times of a mock's first workload.
fn times(settings: &str, count: usize) -> Vec<f64> {
    let (mock, workload) = (mock(settings), workload());
    let mut prepared = mock.prepare(&workload).unwrap();
    (0..count).map(|_| prepared.cold_sample(Flush::Clean).unwrap().time_us).collect()
}

#[test]
fn settings_that_are_none_are_refused() {
    for text in ["speed=1", "slope_us", "slope_us=fast", "slope_us=nan", "fail=-1", "throttle=yes"] {
        assert!(text.parse::<MockSettings>().is_err(), "{text}");
    }
    assert_eq!("".parse(), Ok(MockSettings::default()));
    assert_eq!("speed=1".parse::<MockSettings>().unwrap_err(), "the mock has no setting `speed`");
}

#[test]
fn times_are_the_formula_s() {
    assert_eq!(times("outside_us=10,slope_us=20", 3), [50.0; 3]);
    assert_eq!(times("outside_us=0,slope_us=0,mop_us=1000", 1), [32.768]);
    assert_eq!(times("noise_pct=2", 5), [50.0, 51.0, 49.0, 50.5, 49.5]);
    assert_eq!(times("drift_pct=100", 3), [50.0, 50.05, 50.1]);
}

#[test]
fn jitter_is_normal_and_seeded() {
    let jitter = times("jitter_pct=1", 4000);
    let mean = jitter.iter().sum::<f64>() / 4000.0;
    let deviation = (jitter.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / 3999.0).sqrt();
    // Standard errors: 0.5 / sqrt(4000) = 0.008 and 0.5 / sqrt(8000) = 0.006.
    assert!((mean - 50.0).abs() < 0.04, "{mean}");
    assert!((deviation - 0.5).abs() < 0.03, "{deviation}");
    assert_eq!(times("jitter_pct=1", 9), jitter[..9]);
    assert_ne!(times("jitter_pct=1,seed=2", 9), jitter[..9]);
}

#[test]
fn hot_samples_are_a_part_of_cold_ones_or_none() {
    let workload = workload();
    let hot = |settings: &str| mock(settings).prepare(&workload).unwrap().hot_sample().unwrap();
    assert_eq!(hot("hot_pct=50").map(|sample| (sample.time_us, sample.repeats)), Some((25.0, HOT_REPEATS)));
    assert_eq!(hot("hot_pct=0"), None);
}

#[test]
fn clocks_gates_and_sensors_do_as_they_are_told() {
    let (mock, workload) = (mock("clock_drop=2,ungated=1,throttle=1,null_us=2.5"), workload());
    let mut prepared = mock.prepare(&workload).unwrap();
    let samples: Vec<Sample> = (0..3).map(|_| prepared.cold_sample(Flush::Clean).unwrap()).collect();
    assert_eq!(samples.iter().map(|sample| sample.clock_mhz).collect::<Vec<_>>(), [1000.0, 1000.0, 800.0].map(Some));
    assert_eq!(samples.iter().map(|sample| sample.gated).collect::<Vec<_>>(), [false, true, true]);
    assert_eq!(mock.telemetry().unwrap().throttle_reasons.unwrap(), ["power_cap"]);
    assert_eq!(mock.null_cost_us().unwrap(), Some(2.5));
}

#[test]
fn points_fail_by_their_number_or_their_last_predictor() {
    let workload = workload();
    let second_runs = |settings: &str| {
        let mock = mock(settings);
        mock.prepare(&workload).unwrap();
        mock.prepare(&workload).unwrap().run().is_ok()
    };
    assert!(second_runs("fail=0") && second_runs("fail=2") && !second_runs("fail=1"));
    assert!(second_runs("fail_at=1") && !second_runs("fail_at=2"));
}

#[test]
fn a_point_is_counted_once_and_nothing_of_it_is_measured_after_that() {
    let (mut mock, workload) = (mock("outside_us=10,slope_us=20"), workload());
    assert!(mock.counter_columns().is_empty());
    mock.measure_energy();
    assert_eq!(mock.prepare(&workload).unwrap().count().unwrap(), None);
    assert_eq!(mock.count_by_hardware().unwrap(), "the mock");
    assert_eq!(mock.counter_columns(), COUNTERS);
    let mut prepared = mock.prepare(&workload).unwrap();
    for _ in 0..3 {
        prepared.cold_sample(Flush::Clean).unwrap();
    }
    assert!(prepared.hot_sample().is_ok() && prepared.energy().is_ok());
    let expected = [("warp_instructions", "2000".to_owned()), ("hw_l2_read_sectors", "4".to_owned())];
    assert_eq!(prepared.count().unwrap(), Some(expected.to_vec()));
    let mut told = String::new();
    told += &format!("{}\n", prepared.cold_sample(Flush::Clean).unwrap_err());
    told += &format!("{}\n", prepared.hot_sample().unwrap_err());
    told += &format!("{}\n", prepared.energy().unwrap_err());
    told += &format!("{}\n", prepared.count().unwrap_err());
    let counted = "the mock's hardware has counted this point, and then";
    assert_eq!(
        told,
        format!(
            "{counted} a cold time was taken\n{counted} a hot time was taken\n{counted} its energy was measured\n\
             {counted} counted it again\n"
        )
    );
    assert!(Mock::new("counters=0".parse().unwrap()).count_by_hardware().is_err());
}
