use apbench::family::atomics::{FAMILY, PTX};
use apbench::parameter::Value;

use super::{Simulated, count, entry, loops};

/// The loop over a thread's elements.
fn counting_loop<'a>(kernel: &str, atomic: &str) -> Vec<&'a str> {
    let instructions = entry(PTX, kernel);
    let mut pattern = loops(&instructions).into_iter().filter(|body| count(body, atomic) > 0);
    pattern.next().unwrap_or_else(|| panic!("{kernel} has no loop with {atomic}"))
}

#[test]
fn every_element_is_an_atomic_within_a_short_loop() {
    for (kernel, atomic) in [
        ("atomics_global", "red.global.add.u32"),
        ("atomics_shared", "red.shared.add.u32"),
        ("atomics_privatised", "red.global.add.u32"),
    ] {
        let body = counting_loop(kernel, atomic);
        assert_eq!(count(&body, atomic), 1, "{body:#?}");
        assert!(["ld.", "vote", "redux", "match"].iter().all(|opcode| count(&body, opcode) == 0), "{body:#?}");
        assert!(body.len() <= 14, "bookkeeping drowns the atomic: {body:#?}");
    }
}

#[test]
fn lanes_find_each_other_before_one_of_them_adds() {
    let instructions = entry(PTX, "atomics_warp_aggregated");
    let place = |opcode| instructions.iter().position(|line| line.starts_with(opcode)).expect(opcode);
    assert!(place("match.any.sync.b32") < place("red.global.add.u32"));
    let outermost = loops(&instructions).into_iter().max_by_key(Vec::len).unwrap();
    assert_eq!((count(&outermost, "match.any.sync"), count(&outermost, "red.global.add")), (1, 1));
}

fn point(addresses: i64, spread: &str, elements: i64) -> [(&'static str, Value); 3] {
    [("addresses", addresses.into()), ("spread", spread.into()), ("elements", elements.into())]
}

#[test]
fn atomics_wait_for_each_other_as_predicted() {
    for (device, requests_of_warp) in [("h200", 1.0), ("gtx280", 2.0), ("8500gt", 2.0)] {
        for spread in ["inside_warp", "across_warps"] {
            for addresses in [1_i64, 8, 256] {
                let elements = 4096;
                let point = point(addresses, spread, elements);
                let label = format!("{device} {spread} {addresses}");
                let run = |variant| Simulated::run(device, &FAMILY, variant, &point);
                let global = run("global");
                let waiting = elements as f64 * (1.0 - 1.0 / global.predictor("lanes_per_address"));
                assert!((global.counter("atomic_serialisations") - waiting).abs() < 0.5, "{label}");
                let requests = requests_of_warp * global.predictor("global_atomics");
                assert!((global.counter("global_atomic_requests") - requests).abs() < 0.5, "{label}");

                let privatised = run("privatised");
                assert!((privatised.counter("atomic_serialisations") - waiting).abs() < 0.5, "{label}");
                if device == "8500gt" {
                    continue;
                }
                let shared = run("shared");
                // Blocks add their counters side by side, so nobody waits there.
                assert!((shared.counter("atomic_serialisations") - waiting).abs() < 0.5, "{label}");
                if addresses >= 32 || device == "h200" {
                    let requests = requests_of_warp * shared.predictor("global_atomics");
                    assert!((shared.counter("global_atomic_requests") - requests).abs() < 0.5, "{label}");
                }
            }
        }
    }
}

#[test]
fn aggregated_atomics_never_wait() {
    for spread in ["inside_warp", "across_warps"] {
        for (addresses, elements) in [(1, 4096), (8, 4096), (64, 1001)] {
            let run = Simulated::run("h200", &FAMILY, "warp_aggregated", &point(addresses, spread, elements));
            assert!(run.counter("atomic_serialisations") < 0.5);
            assert!((run.counter("global_atomic_requests") - run.predictor("global_atomics")).abs() < 0.5);
        }
    }
}

#[test]
fn variants_need_the_compute_capability_of_their_atomics() {
    let since = |name| FAMILY.variants.iter().find(|variant| variant.name == name).unwrap().since;
    assert_eq!(["global", "shared", "warp_aggregated", "privatised"].map(since), [(1, 1), (1, 2), (7, 0), (1, 1)]);
}
