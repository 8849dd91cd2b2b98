#![allow(clippy::float_cmp, reason = "counts are exact")]

use apbench::family::l2_sectors::{FAMILY, PTX};

use super::{Simulated, count, entry, loops};

#[test]
fn the_loop_is_eight_loads_each_from_where_the_one_before_it_leads() {
    for (variant, load) in [
        ("plain", "ld.global.cg.v2.u32"),
        ("promoted_64", "ld.global.cg.L2::64B.v2.u32"),
        ("promoted_128", "ld.global.cg.L2::128B.v2.u32"),
        ("promoted_256", "ld.global.cg.L2::256B.v2.u32"),
        ("prefetch", "ld.global.cg.v2.u32"),
    ] {
        let all = loops(&entry(PTX, &format!("l2_sectors_{variant}")));
        let [body] = &all[..] else { panic!("{variant}: {} loops", all.len()) };
        assert_eq!((count(body, load), count(body, "ld.")), (8, 8), "{variant}: {body:#?}");
        let prefetches = if variant == "prefetch" { 8 } else { 0 };
        assert_eq!(count(body, "prefetch.global.L2"), prefetches, "{variant}: {body:#?}");
        assert_eq!(count(body, "st."), 0, "{variant}: {body:#?}");
    }
}

/// Time of a further load of one warp on a simulated H200, in nanoseconds.
fn load_ns(variant: &str, stride_bytes: i64, prefetch_distance: i64) -> f64 {
    let [few, many] = [256, 512].map(|accesses: i64| {
        let parameters = [
            ("stride_bytes", stride_bytes.into()),
            ("accesses", accesses.into()),
            ("prefetch_distance", prefetch_distance.into()),
        ];
        Simulated::run("h200", &FAMILY, variant, &parameters).time_us
    });
    (many - few) * 1e3 / 256.0
}

#[test]
fn a_load_in_a_piece_that_came_with_another_takes_what_l2_takes() {
    // What a load takes from device memory and, with all asked for early enough, from L2.
    let (memory, l2) = (load_ns("plain", 512, 1), load_ns("prefetch", 512, 16));
    assert!(l2 < 0.5 * memory, "{l2} and {memory} ns");
    for (variant, piece_bytes) in [("promoted_64", 64), ("promoted_128", 128), ("promoted_256", 256)] {
        for stride_bytes in [32, 64, 128, 256] {
            let pieces = (f64::from(stride_bytes) / f64::from(piece_bytes)).min(1.0);
            let (own, expected) = (load_ns(variant, stride_bytes.into(), 1), l2 + pieces * (memory - l2));
            assert!((own / expected - 1.0).abs() < 0.04, "{variant}, {stride_bytes}: {own} ns, not {expected}");
        }
    }
}

#[test]
fn prefetches_hide_more_the_earlier_they_come() {
    let [none, next, later] =
        [("plain", 1), ("prefetch", 1), ("prefetch", 8)].map(|(variant, distance)| load_ns(variant, 256, distance));
    assert!(later < next && next < none, "{none} {next} {later} ns");
}

#[test]
fn requests_are_one_for_each_load_and_a_prefetch_is_none() {
    for variant in ["plain", "promoted_256", "prefetch"] {
        let parameters = [("accesses", 64.into()), ("block", 96.into()), ("launched_blocks", 2.into())];
        let run = Simulated::run("h200", &FAMILY, variant, &parameters);
        assert_eq!(run.counter("global_load_requests"), 6.0 * 64.0, "{variant}");
        assert_eq!(run.counter("global_load_transactions"), 6.0 * 64.0, "{variant}");
    }
}
