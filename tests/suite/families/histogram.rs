use apbench::family::histogram::{FAMILY, PTX};
use apbench::parameter::Value;

use super::{Simulated, count, entry, loops};

/// The largest loop with an addition to these bins.
fn counting_loop<'a>(kernel: &str, atomic: &str) -> Vec<&'a str> {
    let instructions = entry(PTX, kernel);
    let pattern = loops(&instructions).into_iter().filter(|body| count(body, atomic) > 0);
    pattern.max_by_key(|body| count(body, atomic)).unwrap_or_else(|| panic!("{kernel} has no loop with {atomic}"))
}

#[test]
fn every_word_is_one_addition_of_the_kind_that_the_variant_names() {
    for (kernel, atomic, additions, load) in [
        ("histogram_global_atomics", "red.global.add.u32", 1, "ld.global.u32"),
        ("histogram_shared_atomics", "red.shared.add.u32", 1, "ld.global.u32"),
        ("histogram_vectorised", "red.shared.add.u32", 16, "ld.global.cs.v4.u32"),
        ("histogram_warp_copies", "red.shared.add.u32", 16, "ld.global.cs.v4.u32"),
        ("histogram_lane_copies", "red.shared.add.u32", 16, "ld.global.cs.v4.u32"),
    ] {
        let body = counting_loop(kernel, atomic);
        // Vectors of a tile that is not whole come one by one, in a loop of their own within this one.
        let rest = if additions > 1 { 4 } else { 0 };
        assert_eq!(count(&body, atomic), additions + rest, "{kernel}: {body:#?}");
        assert_eq!(count(&body, load), additions.div_ceil(4), "{kernel}: {body:#?}");
    }
    let instructions = entry(PTX, "histogram_warp_aggregated");
    let place = |opcode| instructions.iter().position(|line| line.starts_with(opcode)).expect(opcode);
    assert!(place("match.any.sync.b32") < place("red.shared.add.u32"));
}

fn point(input: &str, elements: i64) -> [(&'static str, Value); 4] {
    [("input", input.into()), ("elements", elements.into()), ("bins", 256.into()), ("block", 256.into())]
}

#[test]
fn blocks_add_their_bins_to_global_memory_and_nothing_else() {
    let (elements, block, bins, warp) = (40_000_i64, 256.0, 256.0, 32.0);
    for device in ["h200", "gtx280"] {
        for input in ["uniform", "four_values", "one_value"] {
            let run = |variant| Simulated::run(device, &FAMILY, variant, &point(input, elements));
            let requests_of_warp = if device == "h200" { 1.0 } else { 2.0 };
            let global = run("global_atomics").counter("global_atomic_requests");
            assert!((global - requests_of_warp * elements as f64 / warp).abs() < 0.5, "{device} {input}: {global}");
            for variant in ["shared_atomics", "vectorised", "warp_copies", "lane_copies"] {
                let run = run(variant);
                // Bins without a word are not added.
                let most = requests_of_warp * run.predictor("counting_blocks") * bins / warp;
                let added = run.counter("global_atomic_requests");
                assert!(added > 0.0 && added <= most, "{device} {variant} {input}: {added} of {most}");
                assert_eq!(added > most / 2.0, input == "uniform", "{device} {variant} {input}: {added} of {most}");
                assert!(
                    run.predictor("counting_blocks") <= (elements as f64 / block).ceil(),
                    "{device} {variant} {input}"
                );
            }
        }
    }
}

#[test]
fn lanes_wait_for_each_other_in_global_memory_but_not_where_shared_memory_counts_them_at_once() {
    let elements = 32_768_i64;
    let waiting = |device, variant, input| {
        let run = Simulated::run(device, &FAMILY, variant, &point(input, elements));
        run.counter("atomic_serialisations") / elements as f64
    };
    // All but one lane of a warp; all but four; of 256 bins, hardly any.
    for (input, least, most) in [("one_value", 0.968, 0.969), ("four_values", 0.87, 0.88), ("uniform", 0.01, 0.1)] {
        let found = waiting("h200", "global_atomics", input);
        assert!((least..=most).contains(&found), "{input}: {found}");
        for variant in ["shared_atomics", "vectorised", "warp_copies", "lane_copies", "warp_aggregated"] {
            let found = waiting("h200", variant, input);
            assert!(found.abs() < 1e-9, "{variant} {input}: {found}");
        }
    }
    // A GTX 280 has no such instruction: copies keep lanes from waiting.
    let [shared, copies] = ["shared_atomics", "lane_copies"].map(|variant| waiting("gtx280", variant, "one_value"));
    assert!(copies < shared && shared > 0.9, "{copies} and {shared}");
}
