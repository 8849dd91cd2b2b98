use apbench::family::shared_access::{FAMILY, PTX};

use super::{Simulated, count, entry, loops};

const COPIES: [&str; 4] = [
    "read_unconflicted_write_unconflicted",
    "read_conflicted_write_unconflicted",
    "read_unconflicted_write_conflicted",
    "read_conflicted_write_conflicted",
];

#[test]
fn each_copy_is_a_rolled_loop_of_a_load_and_a_store() {
    for copy in COPIES {
        let loops = loops(&entry(PTX, &format!("shared_access_{copy}")));
        let [body] = &loops[..] else { panic!("{copy} has {} loops", loops.len()) };
        assert_eq!(count(body, "ld.volatile.shared.u32"), 1, "{body:#?}");
        assert_eq!(count(body, "st.volatile.shared.u32"), 1, "{body:#?}");
        // The load and the store, a count, a comparison, a branch that ends the slice and a label that begins it.
        assert!(body.len() <= 6, "bookkeeping beyond that of the source: {body:#?}");
    }
}

#[test]
fn reads_are_eight_loads_from_registers_and_their_sums() {
    for (bytes, load, sums) in
        [(4, "ld.volatile.shared.u32", 8), (8, "ld.volatile.shared.v2.u32", 16), (16, "ld.volatile.shared.v4.u32", 32)]
    {
        let loops = loops(&entry(PTX, &format!("shared_access_read_{bytes}")));
        let pattern: Vec<_> = loops.into_iter().filter(|body| count(body, "ld.volatile.shared") > 0).collect();
        let [body] = &pattern[..] else { panic!("{} loops read, {bytes} bytes", pattern.len()) };
        assert_eq!(count(body, load), 8, "{body:#?}");
        // Sums of words, and the count of the repetitions.
        assert_eq!(count(body, "add.s32"), sums + 1, "{body:#?}");
        let other = ["mul", "mad", "shl", "xor", "cvt", "bar", "st.", "ld.global"];
        assert!(other.iter().all(|opcode| count(body, opcode) == 0), "{body:#?}");
        let mut addresses: Vec<&str> = body.iter().filter_map(|line| line.split(['[', ']']).nth(1)).collect();
        addresses.dedup();
        assert_eq!(addresses.len(), 8, "{body:#?}");
    }
}

/// Warps of the blocks that `width` needs, of which each has 8.
fn warps(width: i64) -> f64 {
    8.0 * (width as f64 / 16.0).ceil().powi(2)
}

#[test]
fn reads_take_the_passes_of_their_conflict_degree() {
    let width = 33;
    // Words of 16 bytes need more shared memory than compute capability 1 has.
    for (device, word_bytes, requests, fewest) in [
        ("h200", 4, 1.0, 1.0),
        ("h200", 8, 1.0, 2.0),
        ("h200", 16, 1.0, 4.0),
        ("gtx280", 4, 2.0, 2.0),
        ("gtx280", 8, 4.0, 4.0),
        ("8500gt", 4, 2.0, 2.0),
    ] {
        for variant in ["strided", "padded", "swizzled", "broadcast"] {
            for stride in [1_i64, 6, 16, 32] {
                let run = Simulated::run(
                    device,
                    &FAMILY,
                    variant,
                    &[
                        ("stride", stride.into()),
                        ("word_bytes", i64::from(word_bytes).into()),
                        ("repetitions", 3.into()),
                        ("width", width.into()),
                    ],
                );
                let reads = warps(width) * 3.0 * 8.0;
                let label = format!("{device} {variant} stride {stride}, {word_bytes} bytes");
                assert!((run.counter("shared_load_requests") - requests * reads).abs() < 0.5, "{label}");
                // Two phases of wide words go together where lanes share them.
                let together = if device == "h200" && variant == "broadcast" && word_bytes > 4 { 2.0 } else { 1.0 };
                let passes = reads * fewest / together * run.predictor("conflict_degree");
                assert!((run.counter("shared_load_passes") - passes).abs() < 0.5, "{label}: {passes} passes predicted");
            }
        }
    }
}

#[test]
fn copies_take_the_passes_of_their_conflict_degree() {
    for (device, fewest) in [("h200", 1.0), ("gtx280", 2.0), ("8500gt", 2.0)] {
        for copy in COPIES {
            let run = Simulated::run(device, &FAMILY, copy, &[("repetitions", 7.into()), ("width", 48.into())]);
            let passes = run.counter("shared_load_passes") + run.counter("shared_store_passes");
            // The tile is also filled and emptied once, without conflicts.
            let predicted = warps(48) * fewest * 2.0 * (7.0 * run.predictor("conflict_degree") + 1.0);
            assert!((passes - predicted).abs() < 0.5, "{device} {copy}: {passes} passes, {predicted} predicted");
        }
    }
}

#[test]
fn conflicts_cost_simulated_time_in_proportion_and_remedies_none() {
    let time_us = |variant, stride: i64| {
        let parameters = [("stride", stride.into()), ("repetitions", 100.into()), ("width", 256.into())];
        Simulated::run("h200", &FAMILY, variant, &parameters).time_us
    };
    let [one, eight, thirty_two] = [1, 8, 32].map(|stride| time_us("strided", stride));
    let slope = (thirty_two - eight) / 24.0;
    assert!(((eight - one) / 7.0 / slope - 1.0).abs() < 0.1, "{one}, {eight} and {thirty_two} us");
    for remedy in ["padded", "swizzled", "broadcast"] {
        assert!((time_us(remedy, 32) / one - 1.0).abs() < 0.05, "{remedy}");
    }
}
