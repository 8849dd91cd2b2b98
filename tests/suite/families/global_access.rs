use apbench::family::global_access::{FAMILY, PTX};
use apbench::parameter::Value;

use super::{Simulated, count, entry, loops};

const TILES: [&str; 4] = [
    "read_coalesced_write_coalesced",
    "read_uncoalesced_write_coalesced",
    "read_coalesced_write_uncoalesced",
    "read_uncoalesced_write_uncoalesced",
];

#[test]
fn a_thread_loads_one_word_and_stores_one() {
    let linear = ["straight", "crossed", "offset", "strided", "permuted"].into_iter().flat_map(|variant| {
        [(4, ".u32"), (8, ".v2.u32"), (16, ".v4.u32")].map(|(bytes, ty)| (format!("{variant}_{bytes}"), ty))
    });
    for (kernel, ty) in TILES.into_iter().map(|variant| (variant.to_owned(), ".u32")).chain(linear) {
        let instructions = entry(PTX, &format!("global_access_{kernel}"));
        assert_eq!(count(&instructions, "ld.global"), 1, "{kernel}");
        assert_eq!(count(&instructions, "st.global"), 1, "{kernel}");
        assert_eq!(count(&instructions, &format!("ld.global{ty}")), 1, "{kernel}");
        assert_eq!(count(&instructions, &format!("st.global{ty}")), 1, "{kernel}");
        assert!(instructions.len() < 50, "bookkeeping drowns the pattern in {kernel}: {instructions:#?}");
        let bodies = loops(&instructions);
        assert_eq!(bodies.len(), usize::from(kernel.starts_with("permuted")), "{kernel}");
        assert!(
            bodies.iter().all(|body| count(body, "ld.global") == 0),
            "the loop of {kernel} looks for a number alone"
        );
    }
}

/// A point, and that its counters are what its predictors say.
#[track_caller]
fn assert_counted(profile: &str, variant: &str, parameters: &[(&str, i64)]) {
    let parameters: Vec<(&str, Value)> = parameters.iter().map(|&(name, value)| (name, value.into())).collect();
    let run = Simulated::run(profile, &FAMILY, variant, &parameters);
    let ratio = |transactions, requests| run.counter(transactions) / run.counter(requests);
    let (read, written) = (
        ratio("global_load_transactions", "global_load_requests"),
        ratio("global_store_transactions", "global_store_requests"),
    );
    for (predictor, counted) in [
        ("read_sectors_per_request", read),
        ("write_sectors_per_request", written),
        ("sectors_per_request", f64::midpoint(read, written)),
        ("bytes_moved", run.counter("global_bytes_moved")),
    ] {
        let predicted = run.predictor(predictor);
        assert!(
            (predicted / counted - 1.0).abs() < 1e-12,
            "{predictor} of {variant} {parameters:?} on {profile} is {predicted}, and {counted} was counted"
        );
    }
}

#[test]
fn tiles_move_what_is_predicted() {
    for profile in ["h200", "gtx280", "8500gt"] {
        for variant in TILES {
            for width in [64, 77, 129] {
                assert_counted(profile, variant, &[("width", width)]);
            }
        }
    }
}

#[test]
fn one_dimensional_copies_move_what_is_predicted() {
    for profile in ["h200", "gtx280", "8500gt"] {
        for variant in ["straight", "crossed", "permuted"] {
            for (width, word_bytes, block) in [(64, 4, 256), (77, 8, 96), (99, 16, 512)] {
                assert_counted(profile, variant, &[("width", width), ("word_bytes", word_bytes), ("block", block)]);
            }
        }
        for word_bytes in [4, 8, 16] {
            for offset in [1, 16, 31] {
                assert_counted(profile, "offset", &[("width", 64), ("word_bytes", word_bytes), ("offset", offset)]);
            }
            for stride in [1, 2, 5, 32, 64] {
                assert_counted(profile, "strided", &[("width", 70), ("word_bytes", word_bytes), ("stride", stride)]);
            }
        }
    }
}

/// Section 4.2 of the thesis: the older card serves lanes that take each other's words one by one, the newer one does not
/// care.
#[test]
fn crossed_copies_tell_the_compute_capabilities_apart() {
    let time_us = |profile, variant| Simulated::run(profile, &FAMILY, variant, &[("width", 512.into())]).time_us;
    let slowdown = |profile| time_us(profile, "crossed") / time_us(profile, "straight");
    assert!(slowdown("8500gt") > 2.5, "{}", slowdown("8500gt"));
    assert!(slowdown("gtx280") < 1.2, "{}", slowdown("gtx280"));
}

#[test]
fn the_driver_copies_what_the_straight_copy_copies() {
    for profile in ["h200", "8500gt"] {
        let run = Simulated::run(profile, &FAMILY, "driver_copy", &[("width", 77.into())]);
        assert!(run.time_us > 0.0);
        assert!(run.counter("warp_instructions").abs() + run.counter("atomic_serialisations").abs() < 0.5);
        assert!(run.predictor("bytes_moved") >= 2.0 * 4.0 * 77.0 * 77.0);
    }
}
