//! Known answers of scipy and numpy, and what becomes of points that only one side has.

use std::collections::HashMap;

use super::*;
use crate::compare::verdict::Observation;
use crate::device::Cache;
use crate::model::fixtures::{FAMILY, numbered, point};
use crate::record::{PointRecord, Status};
use crate::run::fixtures::metadata;
use crate::run::metadata::RunStatus;

fn side_of(
    name: &str,
    points: &[PointRecord],
    rounds: HashMap<usize, Vec<(Cache, Observation)>>,
    values: &mut Values,
    change: impl FnOnce(&mut Properties),
) -> Side {
    let mut metadata = metadata("2026-01-01T00:00:00+00:00");
    metadata.status = RunStatus::Complete;
    change(&mut metadata.device);
    Side::new(name, &metadata, &FAMILY, points, rounds, Vec::new(), values)
}

fn rounds_of(times_us: &[f64]) -> HashMap<usize, Vec<(Cache, Observation)>> {
    let round = |(round, time_us): (usize, &f64)| {
        (Cache::Cold, Observation { round, trimmed_us: *time_us, median_us: *time_us })
    };
    HashMap::from([(0, times_us.iter().enumerate().map(round).collect())])
}

fn compared(base: &[PointRecord], other: &[PointRecord], ignore: &[&str]) -> Result<SideBySide, MatchError> {
    let mut values = Values::default();
    let base = side_of("base", base, HashMap::new(), &mut values, |_| {});
    let other = side_of("other", other, HashMap::new(), &mut values, |_| {});
    let ignore: Vec<String> = ignore.iter().map(|name| (*name).to_owned()).collect();
    compare(&[base, other], &ignore, values).map(Option::unwrap)
}

fn judged(compared: &SideBySide, row: usize) -> &Judged {
    compared.rows[row].others[0].judged.as_ref().unwrap()
}

#[track_caller]
fn assert_interval(found: Option<(f64, f64)>, low: f64, high: f64) {
    let (found_low, found_high) = found.unwrap();
    assert!(
        (found_low / low - 1.0).abs() < 1e-8 && (found_high / high - 1.0).abs() < 1e-8,
        "{found_low} to {found_high}"
    );
}

// numpy.exp of scipy.stats.ttest_ind(log b, log a, equal_var=False).confidence_interval(.95), numpy.log1p(.003) wider; the robust one from
// the sixth smallest to the sixth largest of the 35 differences, since qwilcox(0.025, 5, 7) is 6
#[test]
fn rounds_are_compared_by_welch_with_what_processes_differ_by() {
    let mut values = Values::default();
    let (base, other) = (
        numbered([point("divergent", 1, "compute", 10.0, 0.1)]),
        numbered([point("divergent", 1, "compute", 10.3, 0.1)]),
    );
    let base = side_of("base", &base, rounds_of(&[10.00, 10.05, 9.98, 10.02, 10.01]), &mut values, |_| {});
    let other =
        side_of("other", &other, rounds_of(&[10.31, 10.33, 10.30, 10.29, 10.36, 10.27, 10.40]), &mut values, |_| {});
    let compared = compare(&[base, other], &[], values).unwrap().unwrap();
    let judged = judged(&compared, 0);
    assert_interval(judged.interval, WELCH.0, WELCH.1);
    assert_interval(judged.interval_robust, RANKS.0, RANKS.1);
    assert_eq!((judged.basis, judged.verdict, judged.rounds), (Basis::Rounds, Verdict::Slower, 5));
}

// numpy.exp(log(10.5 / 10) -+ (hypot(log(10.1 / 9.9) / 2, log(10.6 / 10.4) / 2) + log1p(.003)))
#[test]
fn medians_are_compared_by_their_intervals() {
    let base = numbered([point("divergent", 1, "compute", 10.0, 0.1)]);
    let other = numbered([point("divergent", 1, "compute", 10.5, 0.1)]);
    let compared = compared(&base, &other, &[]).unwrap();
    let judged = judged(&compared, 0);
    assert_interval(judged.interval, MEDIANS.0, MEDIANS.1);
    assert_eq!((judged.basis, judged.verdict), (Basis::Medians, Verdict::Slower));
}

// numpy: the mean of the logarithms; the root of the summed squares of the half widths over 2, and log1p(.003)
#[test]
fn the_geometric_mean_has_the_interval_of_its_points() {
    let base = numbered([point("divergent", 1, "compute", 10.0, 0.1), point("divergent", 2, "compute", 10.0, 0.1)]);
    let other = numbered([point("divergent", 1, "compute", 10.5, 0.1), point("divergent", 2, "compute", 20.0, 0.4)]);
    let compared = compared(&base, &other, &[]).unwrap();
    let mean = compared.others[0].summary.mean.unwrap();
    assert!((mean.ratio - MEAN.0).abs() < 1e-9, "{mean:?}");
    assert_interval(mean.interval, MEAN.1, MEAN.2);
    assert_eq!(compared.others[0].summary.differ_most, [1, 0]);
}

const WELCH: (f64, f64) = (1.023_378_646_050_874_3, 1.038_764_696_427_577);
const RANKS: (f64, f64) = (1.025_974_025_974_026_2, 1.036);
const MEDIANS: (f64, f64) = (1.032_501_699_020_502_5, 1.067_794_853_069_881);
const MEAN: (f64, f64, f64) = (1.449_137_674_618_944, 1.425_940_156_919_683_5, 1.472_712_574_794_457_6);

#[test]
fn times_that_repeat_exactly_need_no_interval() {
    let exact = |time_us| {
        let mut own = point("divergent", 1, "compute", time_us, 0.0);
        own.timing.as_mut().unwrap().stopped_by = "repeats_exactly".into();
        numbered([own])
    };
    for (time_us, verdict) in [(100.9, Verdict::Same), (101.1, Verdict::Slower), (98.0, Verdict::Faster)] {
        let compared = compared(&exact(100.0), &exact(time_us), &[]).unwrap();
        let judged = judged(&compared, 0);
        assert_eq!((judged.basis, judged.interval, judged.verdict), (Basis::Exact, None, verdict), "{time_us}");
    }
    // A time that has no interval and is not exact is known to nothing.
    let open = numbered([point("divergent", 1, "compute", 100.0, 0.0)]);
    let compared = compared(&exact(100.0), &open, &[]).unwrap();
    assert_eq!((judged(&compared, 0).basis, judged(&compared, 0).verdict), (Basis::None, Verdict::Unsure));
}

#[test]
fn points_are_matched_by_what_their_variant_depends_on() {
    let base = numbered([
        point("divergent", 1, "compute", 10.0, 0.1),
        point("divergent", 2, "compute", 20.0, 0.1),
        point("uniform", 7, "compute", 5.0, 0.1),
    ]);
    // In another order; the branches of `uniform` do not count.
    let other = numbered([
        point("uniform", 3, "compute", 5.0, 0.1),
        point("divergent", 4, "compute", 40.0, 0.1),
        point("divergent", 1, "compute", 10.0, 0.1),
    ]);
    let compared = compared(&base, &other, &[]).unwrap();
    let standings: Vec<Standing> = compared.rows.iter().map(|row| row.others[0].standing).collect();
    assert_eq!(standings, [Standing::Compared, Standing::Removed, Standing::Compared, Standing::Added]);
    assert_eq!(compared.label(3), "variant=divergent branches=4");
    assert_eq!((compared.value(2, "variant"), compared.value(2, "branches")), ("uniform", ""));
    assert_eq!(compared.fixed, [("operation".to_owned(), "compute".to_owned())]);
    let summary = &compared.others[0].summary;
    assert_eq!((summary.compared, summary.added, summary.removed, summary.failed), (2, 1, 1, 0));
}

#[test]
fn a_point_without_a_time_is_failed() {
    let base = numbered([point("divergent", 1, "compute", 10.0, 0.1)]);
    let failed = PointRecord { status: Status::Wrong, ..base[0].clone() };
    let compared = compared(&base, &[failed], &[]).unwrap();
    assert_eq!(compared.rows[0].others[0].standing, Standing::Failed);
    assert!(compared.rows[0].others[0].time.is_none() && compared.others[0].summary.mean.is_none());
}

#[test]
fn a_point_that_is_there_twice_is_refused() {
    let base = numbered([point("divergent", 1, "compute", 10.0, 0.1)]);
    let twice = numbered([base[0].clone(), point("divergent", 2, "compute", 9.0, 0.1), base[0].clone()]);
    let error = compared(&base, &twice, &[]).unwrap_err();
    assert_eq!(error, MatchError::Twice { name: "other".to_owned(), side: 1, first: 0, second: 2 });
}

#[test]
fn cold_times_against_hot_ones_are_unsure() {
    let base = numbered([point("divergent", 1, "compute", 10.0, 0.1)]);
    let mut hot = base.clone();
    hot[0].timing.as_mut().unwrap().cache = Cache::Hot;
    let compared = compared(&base, &hot, &[]).unwrap();
    assert_eq!(
        (judged(&compared, 0).verdict, judged(&compared, 0).reason.as_str()),
        (Verdict::Unsure, "hot times against cold ones")
    );
}

#[test]
fn ratios_on_other_devices_are_normalised_by_what_these_have() {
    let mut values = Values::default();
    let own = |time_us, clock_mhz| {
        let mut own = point("divergent", 1, "compute", time_us, 0.1);
        own.timing.as_mut().unwrap().clock_mhz = Some(clock_mhz);
        numbered([own])
    };
    let base = side_of("base", &own(100.0, 1000.0), HashMap::new(), &mut values, |device| {
        (device.sm_count, device.memory_clock_mhz, device.memory_bus_bits) = (100, Some(1000.0), Some(512));
    });
    let other = side_of("other", &own(50.0, 1500.0), HashMap::new(), &mut values, |device| {
        (device.sm_count, device.memory_clock_mhz, device.memory_bus_bits) = (150, Some(2000.0), Some(1024));
        device.name = "another".to_owned();
    });
    let compared = compare(&[base, other], &[], values).unwrap().unwrap();
    assert_eq!(compared.others[0].relation, Relation::DifferentDevices);
    let found: Vec<(&str, f64, f64)> =
        compared.others[0].normalised.iter().map(|own| (own.label, own.factor, own.mean.ratio)).collect();
    for ((label, factor, ratio), (wanted, wanted_factor, wanted_ratio)) in found.into_iter().zip([
        ("per clock", 1.5, 0.75),
        ("per multiprocessor", 1.5, 0.75),
        ("per peak bandwidth", 4.0, 2.0),
    ]) {
        assert_eq!(label, wanted);
        assert!(
            (factor - wanted_factor).abs() < 1e-12 && (ratio - wanted_ratio).abs() < 1e-12,
            "{label} {factor} {ratio}"
        );
    }
}

#[test]
fn kernels_that_were_compiled_for_another_target_are_told() {
    let points = numbered([point("divergent", 1, "compute", 10.0, 0.1)]);
    let notes = |change: &dyn Fn(&mut Side)| {
        let mut values = Values::default();
        let [base, mut other] =
            ["base", "other"].map(|name| side_of(name, &points, HashMap::new(), &mut values, |_| {}));
        change(&mut other);
        compare(&[base, other], &[], values).unwrap().unwrap().notes
    };
    let of_program =
        |notes: Vec<String>| notes.into_iter().filter(|own| own.contains("the program")).collect::<Vec<_>>();
    assert_eq!(of_program(notes(&|_| {})), Vec::<String>::new());
    let differs = "other: the PTX of the kernels differs from that of base, ";
    assert_eq!(
        of_program(notes(&|own| own.ptx_sha256 = "0".to_owned())),
        [format!("{differs}so a difference may come from the program")]
    );
    let told = of_program(notes(&|own| (own.ptx_sha256, own.target) = ("0".to_owned(), "compute_1".to_owned())));
    assert!(
        told.len() == 1 && told[0].starts_with(&format!("{differs}since it was compiled for compute_1, there for ")),
        "{told:?}"
    );
}
