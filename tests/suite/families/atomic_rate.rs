#![allow(clippy::float_cmp, reason = "counts are exact")]

use std::collections::BTreeMap;
use std::path::Path;

use apbench::family::atomic_rate::{FAMILY, PTX};
use apbench::parameter::{Kind, Value};
use apbench::record::PointRecord;
use apbench::run::reader::Run;
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

#[test]
fn loops_have_sixteen_additions() {
    for memory in ["global", "shared"] {
        for element in ["u32", "u64", "f32", "f64"] {
            for suffix in ["", "_used"] {
                let name = format!("atomic_rate_{memory}_{element}{suffix}");
                let instructions = entry(PTX, &name);
                let loops = loops(&instructions);
                let addition = format!("atom.{memory}.add.{element}");
                assert!(loops.iter().any(|own| count(own, &addition) == 16), "{name}: {loops:#?}");
            }
        }
    }
}

/// What each further addition takes, in cycles, on a simulated H200 with one block.
fn cycles_of_addition(variant: &str, element: &str, answer: &str, addresses: i64, block: i64) -> f64 {
    let time_us = |additions: i64| {
        let parameters = [
            ("additions", additions.into()),
            ("element", element.into()),
            ("answer", answer.into()),
            ("addresses", addresses.into()),
            ("block", block.into()),
        ];
        Simulated::run("h200", &FAMILY, variant, &parameters).time_us
    };
    (time_us(768) - time_us(256)) / 512.0 * Profile::load("h200").unwrap().sm_clock_mhz
}

#[test]
fn an_addition_that_waits_takes_the_latency() {
    let latency = Profile::load("h200").unwrap().atomics.latency_cycles.unwrap();
    let waits = cycles_of_addition("global", "u32", "used", 32, 32);
    assert!((waits / latency - 1.0).abs() < 0.1, "{waits} cycles, not {latency}");
    let goes_on = cycles_of_addition("global", "u32", "unused", 32, 32);
    assert!(goes_on < 0.1 * waits, "{goes_on} and {waits} cycles");
}

#[test]
fn lanes_that_add_to_one_word_take_turns_and_floats_longer_than_whole_numbers() {
    let profile = Profile::load("h200").unwrap();
    let of = |element| cycles_of_addition("global", element, "unused", 1, 256);
    // Eight warps of 32 lanes each.
    let each = [of("u32"), of("f32")].map(|cycles| cycles / 256.0);
    assert!((each[0] / profile.atomics.same_address_integer_cycles - 1.0).abs() < 0.1, "{each:?}");
    assert!((each[1] / profile.atomics.same_address_cycles - 1.0).abs() < 0.1, "{each:?}");
    let own = cycles_of_addition("shared", "u32", "unused", 32, 256);
    let one = cycles_of_addition("shared", "u32", "unused", 1, 256);
    assert!(one > 8.0 * own, "{one} and {own} cycles");
}

/// A measured point of 512 additions, beside the same simulated, in microseconds.
fn simulated_us(profile: &str, measured: &PointRecord) -> f64 {
    let names = ["element", "addresses", "answer", "block", "additions", "launched_blocks"];
    let parameters = names.map(|name| {
        let text = measured.value(name).unwrap();
        let kind = &FAMILY.parameter(name).unwrap().kind;
        let value: Value =
            if matches!(kind, Kind::Integer { .. }) { text.parse::<i64>().unwrap().into() } else { (&*text).into() };
        (name, value)
    });
    Simulated::run(profile, &FAMILY, &measured.variant, &parameters).time_us
}

/// An H100 calibrated by other points of additions, against an H100. The bounds are what the errors are now: 10.8 % in the mean and 55 % at most, for
/// additions of u64 by eight warps to words of shared memory of their own.
#[test]
fn a_calibrated_h100_adds_about_as_fast_as_an_h100_and_orders_additions_as_it_does() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/nvidia-h100");
    let profile = results.join("calibration/h100.toml").display().to_string();
    let run = Run::read(&results.join("atomic-rate")).unwrap();
    let mut of_element: BTreeMap<String, Vec<[f64; 2]>> = BTreeMap::new();
    for point in run.points.iter().filter(|point| point.value("additions").as_deref() == Some("512")) {
        let measured_us = point.timing.as_ref().unwrap().median.time_us;
        let key = format!("{} {}", point.variant, point.value("element").unwrap());
        of_element.entry(key).or_default().push([measured_us, simulated_us(&profile, point)]);
    }
    let mut errors_pct = Vec::new();
    for (element, times) in &of_element {
        errors_pct.extend(times.iter().map(|[measured, simulated]| (simulated / measured - 1.0).abs() * 100.0));
        for [one, one_simulated] in times {
            // Times that are nearer to each other than the errors may come in either order.
            for [other, other_simulated] in times.iter().filter(|[other, _]| *other > 1.5 * one) {
                assert!(
                    other_simulated > one_simulated,
                    "{element}: {one} and {other} µs, simulated {one_simulated} and {other_simulated}"
                );
            }
        }
    }
    let (mean, most) =
        (errors_pct.iter().sum::<f64>() / errors_pct.len() as f64, errors_pct.iter().copied().fold(0.0, f64::max));
    assert_eq!((of_element.len(), errors_pct.len()), (8, 96));
    assert!(mean < 12.0 && most < 57.0, "{mean} % in the mean, {most} % at most");
}
