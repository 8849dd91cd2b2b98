//! Sessions on the mock, whose times are known.

#![allow(clippy::float_cmp, reason = "the very digits are meant")]

use super::*;
use crate::device::mock::Mock;
use crate::device::occupancy::KernelOccupancy;
use crate::device::{Cache, Prepared};
use crate::family::Declared;
use crate::family::branching::{FAMILY, Parameters};
use crate::record::{Flag, Median};
use crate::workload::Workload;

fn mock(settings: &str) -> Mock {
    Mock::new(settings.parse().unwrap())
}

/// Points with these numbers of branches, which are also their last predictor.
fn points(branches: &[u64]) -> Vec<Point> {
    let properties = mock("").properties().clone();
    let defaults = Parameters { width: 32, work: 1, ..Parameters::defaults(&properties) };
    let point = |(index, &branches): (usize, &u64)| Point {
        index,
        variant: &FAMILY.variants[0],
        parameters: Parameters { branches, ..defaults.clone() }.values(),
    };
    branches.iter().enumerate().map(point).collect()
}

/// Few rounds, and no time to back off in.
const SETTINGS: MeasureSettings = MeasureSettings {
    sampling: Sampling::Cold,
    flush: crate::device::Flush::Clean,
    precision_pct: 0.5,
    budget_s: 0.5,
    rounds_min: 5,
    rounds_max: 12,
    samples_min: 10,
    samples_max: 100,
    seed: 1,
    energy: false,
};

/// What measuring points together came to, and the session's guards.
fn measure(mock_settings: &str, settings: MeasureSettings, points: &[Point]) -> (GroupOutcome, Vec<Guard>) {
    let mock = mock(mock_settings);
    let mut session = Session::open(&mock, &FAMILY, settings);
    let outcome = session.measure(points, None);
    (outcome, session.guards())
}

fn outcome_of(guards: &[Guard], name: &str) -> GuardOutcome {
    guards.iter().find(|guard| guard.guard == name).unwrap_or_else(|| panic!("no guard {name}: {guards:?}")).outcome
}

#[test]
fn points_are_sampled_in_interleaved_rounds_until_they_are_known() {
    let points = points(&[1, 2, 3]);
    let (outcome, _) = measure("outside_us=10,slope_us=20", SETTINGS, &points);
    assert!(outcome.lost.is_empty());
    let times: Vec<f64> =
        outcome.measured.iter().map(|measured| measured.record.timing.as_ref().unwrap().median.time_us).collect();
    assert_eq!(times, [30.0, 50.0, 70.0]);
    for measured in &outcome.measured {
        let timing = measured.record.timing.as_ref().unwrap();
        assert_eq!((timing.rounds, timing.median.samples, timing.stopped_by.as_str()), (5, 100, "precise"));
        assert_eq!((timing.cache, &timing.hot, &timing.flags[..]), (Cache::Cold, &None, &[][..]));
        assert_eq!(timing.clock_mhz, Some(1000.0));
        assert_eq!(measured.samples.len(), 100);
        let rounds: Vec<_> = measured.rounds.iter().map(|round| (round.round, round.samples)).collect();
        assert_eq!(rounds, [(0, 20), (1, 20), (2, 20), (3, 20), (4, 20)]);
        assert!(measured.rounds.iter().all(|round| round.telemetry.is_some()));
    }
    // The order within a round, by the first sample of each point: every second one is the reverse of the one before.
    let order = |round: usize| {
        let first =
            |index: &usize| outcome.measured[*index].samples.iter().find(|sample| sample.round == round).unwrap().order;
        let mut order = vec![0, 1, 2];
        order.sort_by_key(first);
        order
    };
    for round in [0, 2] {
        let mut reversed = order(round + 1);
        reversed.reverse();
        assert_eq!(order(round), reversed);
    }
    // All places of a round are taken once.
    let mut places: Vec<usize> = outcome
        .measured
        .iter()
        .flat_map(|measured| &measured.samples)
        .filter(|sample| sample.round == 3)
        .map(|sample| sample.order)
        .collect();
    places.sort_unstable();
    assert_eq!(places, (0..60).collect::<Vec<_>>());
}

#[test]
fn the_same_seed_gives_the_same_samples_and_another_another_order() {
    let orders = |seed| {
        let settings = MeasureSettings { seed, ..SETTINGS };
        let (outcome, _) = measure("jitter_pct=0.1", settings, &points(&[1, 2, 3, 4]));
        let orders =
            |measured: &Measured| -> Vec<usize> { measured.samples.iter().map(|sample| sample.order).collect() };
        outcome.measured.iter().map(orders).collect::<Vec<_>>()
    };
    assert_eq!(orders(1), orders(1));
    assert_ne!(orders(1), orders(2));
}

#[test]
fn each_group_has_an_order_of_its_own() {
    let mock = mock("");
    let mut session = Session::open(&mock, &FAMILY, SETTINGS);
    let points = points(&[1; 16]);
    let mut order = |group: &[Point]| {
        let outcome = session.measure(group, None);
        let mut order: Vec<usize> = (0..8).collect();
        order.sort_by_key(|index| outcome.measured[*index].samples[0].order);
        order
    };
    assert_ne!(order(&points[..8]), order(&points[8..]));
}

/// The first points are run for 10 000 samples of 30 µs before any counts, later ones for 667, or for 3 334 after a pause.
#[test]
fn later_points_need_less_warming_up() {
    let mock = mock("ungated=8000");
    let mut session = Session::open(&mock, &FAMILY, SETTINGS);
    for flags in [&[][..], &[Flag::Ungated]] {
        let outcome = session.measure(&points(&[1]), None);
        assert!(outcome.measured[0].samples.iter().all(|sample| sample.flags == flags), "not {flags:?}");
    }
}

#[test]
fn where_there_are_no_hot_samples_cold_ones_warm_up() {
    let settings = MeasureSettings { sampling: Sampling::Hot, ..SETTINGS };
    let (outcome, _) = measure("ungated=8000,hot_pct=0", settings, &points(&[1]));
    let samples = &outcome.measured[0].samples;
    assert!(!samples.is_empty() && samples.iter().all(|sample| sample.flags.is_empty()));
}

#[test]
fn of_a_group_each_point_says_whether_it_is_precise() {
    let (outcome, _) = measure("jitter_pct=2", SETTINGS, &points(&[1, 2, 3, 4, 5, 6, 7, 8]));
    let mut reasons = Vec::new();
    for measured in &outcome.measured {
        let timing = measured.record.timing.as_ref().unwrap();
        let Median { time_us, low_us, high_us, .. } = timing.median;
        let half_width_us = (time_us - low_us.unwrap()).max(high_us.unwrap() - time_us);
        assert_eq!(timing.stopped_by == "precise", half_width_us <= time_us * 0.005, "{timing:?}");
        reasons.push(timing.stopped_by.clone());
    }
    assert!(reasons.iter().any(|reason| reason == "precise"), "{reasons:?}");
    assert!(reasons.iter().any(|reason| reason != "precise"), "{reasons:?}");
}

/// A drift that hits all alike leaves the ratio of interleaved points alone: 100 % over each thousand samples would
/// make the second of two points that are measured one after the other half as long again.
#[test]
fn a_drift_meets_all_points_alike() {
    let settings = MeasureSettings { samples_max: 400, rounds_max: 20, ..SETTINGS };
    let (outcome, _) = measure("drift_pct=100", settings, &points(&[2, 2]));
    let trimmed = |index: usize| {
        let rounds: &Vec<_> = &outcome.measured[index].rounds;
        rounds.iter().map(|round| round.trimmed_us).sum::<f64>() / rounds.len() as f64
    };
    assert!((trimmed(0) / trimmed(1) - 1.0).abs() < 0.01, "{} {}", trimmed(0), trimmed(1));
}

#[test]
fn what_is_not_precise_says_what_ended_it() {
    let stopped = |mock: &str, settings: MeasureSettings| {
        let (outcome, _) = measure(mock, settings, &points(&[1]));
        outcome.measured[0].record.timing.clone().unwrap().stopped_by
    };
    assert_eq!(stopped("jitter_pct=20", SETTINGS), "samples_max");
    assert_eq!(stopped("jitter_pct=20", MeasureSettings { samples_max: 100_000, ..SETTINGS }), "rounds_max");
    let forever =
        MeasureSettings { samples_max: 1_000_000, rounds_max: 10_000, budget_s: 0.05, precision_pct: 1e-6, ..SETTINGS };
    assert_eq!(stopped("jitter_pct=50", forever), "budget");
}

#[test]
fn hot_samples_are_taken_beside_cold_ones_or_in_their_place() {
    let timing = |sampling| {
        let (outcome, guards) = measure("hot_pct=50", MeasureSettings { sampling, ..SETTINGS }, &points(&[2]));
        let measured = &outcome.measured[0];
        let rounds = |cache| measured.rounds.iter().filter(|round| round.cache == cache).count();
        assert!(guards.iter().all(|guard| guard.guard != "hot_samples"));
        (measured.record.timing.clone().unwrap(), rounds(Cache::Cold), rounds(Cache::Hot))
    };
    let (hot, cold_rounds, hot_rounds) = timing(Sampling::Hot);
    assert_eq!((hot.median.time_us, hot.cache, hot.hot, cold_rounds, hot_rounds), (25.0, Cache::Hot, None, 0, 5));
    let (both, cold_rounds, hot_rounds) = timing(Sampling::Both);
    assert_eq!((both.median.time_us, both.cache, cold_rounds, hot_rounds), (50.0, Cache::Cold, 5, 5));
    assert_eq!(both.hot.map(|hot| (hot.time_us, hot.samples)), Some((25.0, 100)));
    assert_eq!(timing(Sampling::Cold).0.hot, None);
}

#[test]
fn all_cold_rounds_come_before_the_hot_ones() {
    let (outcome, _) = measure("", MeasureSettings { sampling: Sampling::Both, ..SETTINGS }, &points(&[1, 2]));
    let caches: Vec<Cache> = outcome.measured[1].rounds.iter().map(|round| round.cache).collect();
    assert_eq!(caches, [[Cache::Cold; 5], [Cache::Hot; 5]].concat());
}

#[test]
fn a_device_without_hot_samples_gives_cold_ones_and_a_guard_says_so() {
    for sampling in [Sampling::Hot, Sampling::Both] {
        let (outcome, guards) = measure("hot_pct=0", MeasureSettings { sampling, ..SETTINGS }, &points(&[2, 1]));
        let timing = outcome.measured[0].record.timing.clone().unwrap();
        assert_eq!((timing.median.time_us, timing.cache, timing.hot), (50.0, Cache::Cold, None));
        assert_eq!(outcome_of(&guards, "hot_samples"), GuardOutcome::Flagged);
    }
}

#[test]
fn short_points_are_flagged_and_measured_hot_too() {
    let (outcome, guards) = measure("null_us=4,hot_pct=50", SETTINGS, &points(&[1, 2]));
    let timings: Vec<_> = outcome.measured.iter().map(|measured| measured.record.timing.clone().unwrap()).collect();
    assert_eq!(
        (&timings[0].flags[..], timings[0].hot.as_ref().map(|hot| hot.time_us)),
        (&[Flag::Short][..], Some(15.0))
    );
    assert_eq!((&timings[1].flags[..], &timings[1].hot), (&[][..], &None), "50 µs are more than ten times 4");
    assert_eq!(outcome_of(&guards, "short_kernels"), GuardOutcome::Flagged);
    let (_, guards) = measure("null_us=1", SETTINGS, &points(&[1, 2]));
    assert_eq!(outcome_of(&guards, "short_kernels"), GuardOutcome::Ok);
    let (_, guards) = measure("", SETTINGS, &points(&[1]));
    assert_eq!(outcome_of(&guards, "short_kernels"), GuardOutcome::Unknown);
}

#[test]
fn a_clock_that_drops_is_flagged_and_the_data_kept() {
    // 300 ms of warm-up at 30 µs are 10 000 samples; two rounds of 20 later the clock drops.
    let (outcome, guards) = measure("clock_drop=10040", SETTINGS, &points(&[1]));
    let measured = &outcome.measured[0];
    let flags: Vec<bool> = measured.rounds.iter().map(|round| round.flags == [Flag::Clock]).collect();
    assert_eq!(flags, [false, false, true, true, true]);
    let timing = measured.record.timing.as_ref().unwrap();
    assert_eq!((timing.flags.as_slice(), timing.median.samples), (&[Flag::Clock][..], 100));
    assert_eq!(measured.samples.iter().filter(|sample| sample.flags == [Flag::Clock]).count(), 60);
    assert_eq!(outcome_of(&guards, "clock"), GuardOutcome::Flagged);
    assert_eq!(outcome_of(&guards, "warm_up"), GuardOutcome::Ok);
    let (outcome, guards) = measure("", SETTINGS, &points(&[1]));
    assert_eq!(outcome_of(&guards, "clock"), GuardOutcome::Ok);
    assert_eq!(outcome.measured[0].record.timing.as_ref().unwrap().flags, []);
}

#[test]
fn throttling_is_flagged() {
    let (outcome, guards) = measure("throttle=1", SETTINGS, &points(&[1]));
    assert_eq!(outcome.measured[0].record.timing.as_ref().unwrap().flags, [Flag::Throttled]);
    assert_eq!(outcome_of(&guards, "throttling"), GuardOutcome::Flagged);
    assert_eq!(outcome_of(&measure("", SETTINGS, &points(&[1])).1, "throttling"), GuardOutcome::Ok);
}

#[test]
fn ungated_samples_are_flagged_and_do_not_count() {
    let (outcome, guards) = measure("ungated=10050", SETTINGS, &points(&[1]));
    let measured = &outcome.measured[0];
    assert_eq!(measured.samples.len(), 100);
    assert_eq!(measured.record.timing.as_ref().unwrap().median.samples, 50);
    assert_eq!(measured.samples.iter().filter(|sample| sample.flags == [Flag::Ungated]).count(), 50);
    assert_eq!(outcome_of(&guards, "gate"), GuardOutcome::Flagged);
}

#[test]
fn wrong_failed_and_skipped_points_are_records_beside_the_others() {
    let statuses = |mock: &str, points: &[Point]| {
        let (outcome, _) = measure(mock, SETTINGS, points);
        assert!(outcome.lost.is_empty());
        let indexes: Vec<usize> = outcome.measured.iter().map(|measured| measured.record.point).collect();
        assert_eq!(indexes, (0..points.len()).collect::<Vec<_>>());
        outcome.measured.into_iter().map(|measured| measured.record.status).collect::<Vec<_>>()
    };
    let three = points(&[1, 2, 3]);
    assert_eq!(statuses("wrong=1", &three), [Status::Ok, Status::Wrong, Status::Ok]);
    assert_eq!(statuses("fail_at=3", &three), [Status::Ok, Status::Ok, Status::Failed]);
    let mut mixed = points(&[1, 2, 3]);
    mixed[1].parameters.set(Parameters::NAMES.width, 1024).unwrap();
    assert_eq!(statuses("memory_mib=1", &mixed), [Status::Ok, Status::Skipped, Status::Ok]);
}

#[test]
fn a_wrong_point_has_no_samples_but_its_figures() {
    let (outcome, _) = measure("wrong=0", SETTINGS, &points(&[2]));
    let measured = &outcome.measured[0];
    assert!(measured.samples.is_empty() && measured.rounds.is_empty() && measured.record.timing.is_none());
    assert_eq!(measured.record.bytes, Some(3 * 4 * 32 * 32));
    assert_eq!(measured.record.reason.split(';').next(), Some("output has 1 wrong of 1024 elements"));
}

#[test]
fn points_that_do_not_fit_together_are_measured_one_at_a_time() {
    let mut large = points(&[1, 2]);
    for point in &mut large {
        point.parameters.set(Parameters::NAMES.width, 256).unwrap();
    }
    // Each needs 768 KiB.
    for (memory_mib, together) in [(1, false), (2, true)] {
        let (outcome, _) = measure(&format!("memory_mib={memory_mib}"), SETTINGS, &large);
        let places = outcome.measured.iter().flat_map(|measured| &measured.samples).map(|sample| sample.order).max();
        assert_eq!(places, Some(if together { 39 } else { 19 }));
        assert!(outcome.measured.iter().all(|measured| measured.record.status == Status::Ok));
    }
}

/// A device that is no use any more once a launch has failed, as a GPU's context is.
struct Breaking {
    mock: Mock,
    broken: std::cell::Cell<bool>,
}

struct PreparedBreaking<'a>(Box<dyn Prepared + 'a>, &'a std::cell::Cell<bool>);

impl Device for Breaking {
    fn properties(&self) -> &crate::properties::Properties {
        self.mock.properties()
    }

    fn free_bytes(&self) -> Result<u64, DeviceError> {
        self.mock.free_bytes()
    }

    fn null_cost_us(&self) -> Result<Option<f64>, DeviceError> {
        Err(DeviceError::Failed("no empty kernel".to_owned()))
    }

    fn occupancy(&self, workload: &Workload) -> Result<Vec<KernelOccupancy>, DeviceError> {
        self.mock.occupancy(workload)
    }

    fn prepare<'device>(
        &'device self,
        workload: &'device Workload,
    ) -> Result<Box<dyn Prepared + 'device>, DeviceError> {
        Ok(Box::new(PreparedBreaking(self.mock.prepare(workload)?, &self.broken)))
    }
}

impl Prepared for PreparedBreaking<'_> {
    fn run(&mut self) -> Result<(), DeviceError> {
        if self.1.get() {
            return Err(DeviceError::Failed("the context is poisoned".to_owned()));
        }
        self.0.run().inspect_err(|_| self.1.set(true))
    }

    fn read_into(&mut self, buffer: usize, words: &mut Vec<u32>) -> Result<(), DeviceError> {
        self.0.read_into(buffer, words)
    }

    fn cold_sample(&mut self, flush: crate::device::Flush) -> Result<crate::device::Sample, DeviceError> {
        if self.1.get() {
            return Err(DeviceError::Failed("the context is poisoned".to_owned()));
        }
        self.0.cold_sample(flush)
    }
}

#[test]
fn points_that_another_one_broke_the_device_for_are_lost_not_failed() {
    let device = Breaking { mock: mock("fail_at=2"), broken: std::cell::Cell::new(false) };
    let mut session = Session::open(&device, &FAMILY, SETTINGS);
    let outcome = session.measure(&points(&[1, 2, 3]), None);
    let [failed] = &outcome.measured[..] else { panic!("{outcome:?}") };
    assert_eq!((failed.record.point, failed.record.status), (1, Status::Failed));
    assert_eq!(failed.record.reason, "the mock was told to fail here");
    assert_eq!(outcome.lost.iter().map(|point| point.index).collect::<Vec<_>>(), [0, 2]);
    let guards = session.guards();
    let null = guards.iter().find(|guard| guard.guard == "null_cost").unwrap();
    assert_eq!((null.outcome, null.detail.as_str()), (GuardOutcome::Unknown, "no empty kernel"));
}

#[test]
fn what_was_built_ahead_is_what_would_have_been_built() {
    let (first, second) = (points(&[1]), points(&[3, 4]));
    let other = points(&[5]);
    for next in [None, Some(&second[..]), Some(&other[..])] {
        let mock = mock("");
        let mut session = Session::open(&mock, &FAMILY, SETTINGS);
        session.measure(&first, next);
        let outcome = session.measure(&second, None);
        let found: Vec<_> = outcome
            .measured
            .iter()
            .map(|measured| {
                let record = &measured.record;
                (record.value("branches").unwrap(), record.timing.as_ref().unwrap().median.time_us)
            })
            .collect();
        assert_eq!(found, [("3".into(), 70.0), ("4".into(), 90.0)]);
    }
}

#[test]
fn times_spent_are_parts_of_the_whole() {
    let mock = mock("delay_ms=20");
    let mut session = Session::open(&mock, &FAMILY, SETTINGS);
    session.measure(&points(&[1, 2]), None);
    let spent = session.time_spent();
    let parts = spent.opening_s
        + spent.building_s
        + spent.loading_s
        + spent.checking_s
        + spent.warming_s
        + spent.sampling_s
        + spent.writing_s;
    assert!(spent.loading_s >= 0.04, "{spent:?}");
    assert!(parts <= spent.total_s, "{spent:?}");
    assert!(spent.sampling_s > 0.0 && spent.warming_s > 0.0 && spent.building_s > 0.0, "{spent:?}");
}

#[test]
fn a_model_s_times_are_taken_once() {
    let device = crate::device::select::DeviceSpec::Simulated("h200".to_owned()).open(|_| ()).unwrap();
    let mut session = Session::open(&*device, &FAMILY, MeasureSettings { sampling: Sampling::Both, ..SETTINGS });
    let outcome = session.measure(&points(&[1, 2]), None);
    for measured in &outcome.measured {
        let timing = measured.record.timing.as_ref().unwrap();
        assert_eq!((timing.stopped_by.as_str(), timing.cache, timing.rounds), ("repeats_exactly", Cache::Cold, 1));
        assert_eq!((measured.samples.len(), measured.rounds.len(), &timing.hot), (1, 1, &None));
    }
    let guards = session.guards();
    assert_eq!(outcome_of(&guards, "hot_samples"), GuardOutcome::Flagged);
    assert!(guards.iter().all(|guard| guard.guard != "warm_up"), "nothing was warmed up: {guards:?}");
}
