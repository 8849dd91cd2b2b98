#![allow(clippy::float_cmp, reason = "counts are exact")]

use apbench::family::atomic_rate::{FAMILY, PTX};
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
