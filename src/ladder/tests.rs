//! Ladders of made-up points against what can be worked out by hand, and the published ones beside them.

#![allow(clippy::float_cmp, reason = "the ratios are exact")]

use std::path::Path;

use super::fixtures::{FAMILY, phased, point, skipped, variants};
use super::*;
use crate::device::mock::{Mock, MockSettings};
use crate::device::{Device, Phases};
use crate::published::parse_published;

fn device() -> Properties {
    let mut properties = Mock::new(MockSettings::default()).properties().clone();
    // 2 transfers x 1000 MHz x 64 bytes: 128 GB/s.
    (properties.memory_clock_mhz, properties.memory_bus_bits) = (Some(1000.0), Some(512));
    properties
}

fn figures(rows: &str) -> Vec<Figure> {
    let header = "source,table,device,family,variant,params,metric,value,plus_minus,unit\n";
    parse_published(Path::new("published.csv"), &format!("{header}{rows}")).unwrap()
}

fn of(points: &[PointRecord], figures: &[Figure]) -> Ladder {
    ladder(&FAMILY, &variants(), &device(), points, figures, &[]).unwrap()
}

fn points() -> Vec<PointRecord> {
    vec![
        // Not in the family's order, in which they must come out.
        point("no_bank_conflicts", 1_000_000, 256, 100.0),
        point("naive", 1_000_000, 256, 1000.0),
        point("shared_memory", 1_000_000, 256, 400.0),
        point("shifts", 1_000_000, 256, 500.0),
        skipped("single_pass", 1_000_000, 256, "needs compute capability 7.0"),
        point("serial", 1_000_000, 256, 3000.0),
    ]
}

#[test]
fn rungs_stand_in_the_familys_order_with_their_speedups() {
    let ladder = of(&points(), &[]);
    let [table] = &ladder.tables[..] else { panic!("{:?}", ladder.tables) };
    let rows: Vec<(&str, Option<f64>, Option<f64>)> = table
        .rungs
        .iter()
        .map(|rung| (rung.variant, rung.step.map(|own| own.ratio), rung.cumulative.map(|own| own.ratio)))
        .collect();
    let expected = [
        ("naive", None, None),
        ("shared_memory", Some(2.5), Some(2.5)),
        // Slower than the rung before, and shown as that.
        ("shifts", Some(0.8), Some(2.0)),
        ("no_bank_conflicts", Some(5.0), Some(10.0)),
        ("single_pass", None, None),
    ];
    assert_eq!(rows, expected);
    assert_eq!(table.rungs[4].reason, "skipped: needs compute capability 7.0");
    assert_eq!(table.hosts.iter().map(|host| host.variant).collect::<Vec<_>>(), ["serial"]);
    assert_eq!(table.best().unwrap().variant, "no_bank_conflicts");
}

#[test]
fn the_interval_of_a_step_follows_from_those_of_both_times() {
    let ladder = of(&points(), &[]);
    let (low, high) = ladder.tables[0].rungs[1].step.unwrap().interval.unwrap();
    // Two times known to 1 %: their ratio to the square root of 2 %.
    assert!((low / 2.5 - 0.986).abs() < 5e-4 && (high / 2.5 - 1.0142).abs() < 5e-4, "{low} {high}");
}

#[test]
fn the_limit_is_the_bytes_at_the_memorys_peak_bandwidth() {
    let ladder = of(&points(), &[]);
    let table = &ladder.tables[0];
    // 8 MB at 128 GB/s are 62.5 µs, 62.5 % of the best rung's 100 µs.
    assert_eq!((ladder.peak_gb_per_s, table.bytes), (Some(128.0), 8_000_000));
    assert!((table.limit_us.unwrap() - 62.5).abs() < 1e-9);
    assert!((table.share_of_peak().unwrap() - 0.625).abs() < 1e-9);
    let unknown = Properties { memory_clock_mhz: None, ..device() };
    let ladder = super::ladder(&FAMILY, &variants(), &unknown, &points(), &[], &[]).unwrap();
    assert_eq!((ladder.peak_gb_per_s, ladder.tables[0].limit_us), (None, None));
}

#[test]
fn of_a_simulated_device_the_limit_is_its_profiles_bandwidth() {
    let mut simulated = Properties { memory_clock_mhz: None, ..device() };
    (simulated.origin, simulated.spec) = (Origin::Simulated, "sim:gtx280".to_owned());
    let own = ladder(&FAMILY, &variants(), &simulated, &points(), &[], &[]).unwrap();
    // `gb_per_s` of gtx280.toml.
    assert_eq!((own.peak_gb_per_s, own.peak_name), (Some(120.0), "bandwidth of the profile's memory"));
    simulated.spec = "sim:my-own.toml".to_owned();
    let own = ladder(&FAMILY, &variants(), &simulated, &points(), &[], &[]).unwrap();
    assert_eq!(own.peak_gb_per_s, None);
}

#[test]
fn a_step_over_a_rung_without_a_time_is_over_the_one_before_that() {
    let mut points = points();
    points.retain(|point| point.variant != "shifts");
    let ladder = of(&points, &[]);
    let rungs = &ladder.tables[0].rungs;
    assert_eq!((rungs[2].time_us, rungs[2].reason.as_str()), (None, "not measured"));
    assert_eq!(rungs[3].step.unwrap().ratio, 4.0);
    // Nor is the first rung the base where it has no time.
    points.retain(|point| point.variant != "naive");
    let ladder = of(&points, &[]);
    assert_eq!(ladder.tables[0].rungs[3].cumulative.unwrap().ratio, 4.0);
}

#[test]
fn each_combination_of_other_parameters_is_a_table_and_hosts_stand_in_all_that_they_do_not_depend_on() {
    let mut points = Vec::new();
    for (elements, block, time_us) in [(1000, 128, 10.0), (1000, 256, 20.0), (2000, 128, 30.0)] {
        points.push(point("naive", elements, block, time_us));
        points.push(point("shifts", elements, block, time_us / 2.0));
    }
    points.push(point("serial", 1000, 256, 7.0));
    points.push(point("serial", 2000, 256, 14.0));
    let ladder = of(&points, &[]);
    let labels: Vec<String> = ladder.tables.iter().map(LadderTable::label).collect();
    assert_eq!(labels, ["block=128 elements=1000", "block=256 elements=1000", "block=128 elements=2000"]);
    let hosts: Vec<Option<f64>> = ladder.tables.iter().map(|table| table.hosts[0].time_us).collect();
    assert_eq!(hosts, [Some(7.0), Some(7.0), Some(14.0)]);
    assert!(ladder.tables.iter().all(|table| table.rungs[2].step.unwrap().ratio == 2.0));
}

#[test]
fn variants_that_the_scenario_does_not_measure_are_no_rungs_of_its_ladder() {
    let two: Vec<&Variant> = variants().into_iter().take(2).collect();
    let ladder = ladder(&FAMILY, &two, &device(), &points(), &[], &[]).unwrap();
    assert_eq!(ladder.tables[0].rungs.iter().map(|rung| rung.variant).collect::<Vec<_>>(), ["naive", "shared_memory"]);
    assert!(ladder.tables[0].hosts.is_empty());
}

#[test]
fn families_without_rungs_are_no_ladders() {
    let family = Family::find("block_sum").unwrap();
    assert!(ladder(family, &[], &device(), &[], &[], &[]).is_none());
}

#[test]
fn estimates_are_of_the_points_that_have_their_parameters() {
    let estimate = |variant: &str, elements: &str, time_us| StepEstimate {
        variant: variant.to_owned(),
        parameters: vec![("elements".to_owned(), elements.to_owned())],
        time_us,
    };
    let estimates = [
        estimate("naive", "1000000", 900.0),
        estimate("shared_memory", "7", 1.0),
        estimate("shifts", "1000000", 450.0),
        estimate("no_bank_conflicts", "1000000", f64::NAN),
    ];
    let ladder = ladder(&FAMILY, &variants(), &device(), &points(), &[], &estimates).unwrap();
    let told: Vec<_> = ladder.tables[0].rungs.iter().map(|rung| (rung.estimate_us, rung.estimate_step)).collect();
    assert_eq!(told[..4], [(Some(900.0), None), (None, None), (Some(450.0), Some(2.0)), (None, None)]);
}

#[test]
fn of_workloads_with_transfers_the_limit_is_one_of_the_kernels() {
    let phases = |kernel_us, total_us| Phases { kernel_us, total_us, transfer_in_us: 800.0, ..Phases::default() };
    let points = [
        phased(point("naive", 1_000_000, 256, 1.0), phases(250.0, 1000.0)),
        phased(point("shifts", 1_000_000, 256, 1.0), phases(125.0, 1100.0)),
    ];
    let ladder = of(&points, &[]);
    let table = &ladder.tables[0];
    assert_eq!(table.best().unwrap().variant, "naive");
    assert_eq!(table.best_kernel().unwrap().variant, "shifts");
    assert_eq!(table.share_of_peak(), Some(0.5));
}

const PRINTED: &str = "\
S,7.1,GeForce 8500 GT,prefix_sum,naive,elements=8388608,time,500,,ms
S,7.2,GeForce 8500 GT,prefix_sum,shared_memory,elements=8388608,time,480,,ms
S,7.1,Fast Card,prefix_sum,naive,elements=16515072,time,46,,ms
S,7.1,Fast Card,prefix_sum,naive,elements=16515072,throughput,2.87,,GB/s
S,7.2,Fast Card,prefix_sum,shared_memory,elements=16515072,time,46,,ms
S,7.5,Fast Card,prefix_sum,no_bank_conflicts,elements=16515072,time,11.5,,ms
S,7.5,Fast Card,prefix_sum,no_bank_conflicts,elements=16515072,speedup over the same with shifts,2,,ratio
S,7,host CPU,prefix_sum,serial,elements=1000,time,4,,s
T,1,Fast Card,prefix_sum,naive,elements=5,total time,9,,ms
S,7.1,Fast Card,reduction,naive,elements=16515072,time,46,,ms
";

#[test]
fn published_rungs_are_gathered_by_source_and_device() {
    let ladders = published_ladders(&FAMILY, &device(), &figures(PRINTED));
    let told: Vec<(&str, &str, Whole, usize)> =
        ladders.iter().map(|own| (own.device.as_str(), own.metric.as_str(), own.whole, own.rungs.len())).collect();
    let expected = [
        ("Fast Card", "time", Whole::Time, 4),
        ("GeForce 8500 GT", "time", Whole::Time, 2),
        ("Fast Card", "total time", Whole::Everything, 1),
    ];
    assert_eq!(told, expected);
    assert_eq!(ladders[0].places, ["7.1", "7.2", "7.5"]);
    assert_eq!(ladders[0].hosts, [PublishedHost { device: "host CPU".to_owned(), variant: "serial", time_us: 4e6 }]);
    // The time of shifts follows from the speedup over it.
    let rung = |variant, time_us, is_derived, step, cumulative| PublishedRung {
        variant,
        time_us,
        is_derived,
        step,
        cumulative,
    };
    let expected = [
        rung("naive", 46e3, false, None, 1.0),
        rung("shared_memory", 46e3, false, Some(1.0), 1.0),
        rung("shifts", 23e3, true, Some(2.0), 2.0),
        rung("no_bank_conflicts", 11.5e3, false, Some(2.0), 4.0),
    ];
    assert_eq!(ladders[0].rungs, expected);
}

#[test]
fn the_runs_own_device_comes_first_whether_it_is_real_or_simulated() {
    for name in ["NVIDIA GeForce 8500 GT", "GeForce 8500 GT", "NVIDIA GeForce 8500 GT (simulated)"] {
        let device = Properties { name: name.to_owned(), ..device() };
        let ladders = published_ladders(&FAMILY, &device, &figures(PRINTED));
        assert_eq!(ladders.iter().map(|own| own.is_own_device).collect::<Vec<_>>(), [true, false, false], "{name}");
        assert_eq!(ladders[0].device, "GeForce 8500 GT");
    }
}

#[test]
fn published_steps_stand_beside_those_here_over_the_same_rungs() {
    let mut points = points();
    let ladder = of(&points, &figures(PRINTED));
    let own = beside(&ladder.published[0], &ladder.tables[0]).unwrap();
    let here: Vec<_> = own.rungs.iter().map(|(_, step, all)| (*step, *all)).collect();
    assert_eq!(here, [(None, Some(1.0)), (Some(2.5), Some(2.5)), (Some(0.8), Some(2.0)), (Some(5.0), Some(10.0))]);
    // Published, shifts are faster than shared memory.
    assert_eq!(own.order, Order::Differs(vec![("shifts", "shared_memory")]));
    points[3] = point("shifts", 1_000_000, 256, 399.0);
    let ladder = of(&points, &figures(PRINTED));
    assert_eq!(beside(&ladder.published[0], &ladder.tables[0]).unwrap().order, Order::Same);
    // A time with transfers is nothing to hold one without against.
    assert_eq!(beside(&ladder.published[2], &ladder.tables[0]), None);
}

#[test]
fn the_table_of_the_nearest_size_stands_beside_published_rungs() {
    let points: Vec<PointRecord> =
        [1 << 20, 1 << 24, 1 << 28].map(|elements| point("naive", elements, 256, 1.0)).into_iter().collect();
    let ladder = of(&points, &figures(PRINTED));
    assert_eq!(ladder.nearest(&ladder.published[0]).unwrap().label(), "elements=16777216");
}

#[test]
fn the_table_that_stands_for_all_is_of_the_largest_size_and_the_fastest() {
    let mut points = Vec::new();
    for (elements, block, time_us) in [(1000, 128, 1.0), (2000, 128, 30.0), (2000, 256, 20.0), (2000, 512, 25.0)] {
        points.push(point("naive", elements, block, 2.0 * time_us));
        points.push(point("shifts", elements, block, time_us));
    }
    assert_eq!(of(&points, &[]).chief().unwrap().label(), "block=256 elements=2000");
    assert_eq!(of(&[], &[]).chief(), None);
}

#[test]
fn a_source_of_other_sizes_is_told_from_one_of_the_same() {
    let figures = figures("source,1,GPU,prefix_sum,naive,elements=1000000 threads=64,time,2,,ms\n");
    let same = of(&points(), &figures);
    let other = of(&points().into_iter().map(|own| point(&own.variant, 2000, 256, 1.0)).collect::<Vec<_>>(), &figures);
    assert_eq!(same.other_values(&same.published[0], &same.tables[0]), []);
    assert_eq!(other.other_values(&other.published[0], &other.tables[0]), [("elements", "2000", "1000000")]);
}
