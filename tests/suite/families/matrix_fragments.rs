use apbench::device::Device;
use apbench::device::sim::Sim;
use apbench::family::matrix_fragments::{FAMILY, PTX};
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

const LAYOUTS: [&str; 3] = ["row_major", "padded", "swizzled"];

#[test]
fn each_loop_is_eight_fragments_from_addresses_in_registers_and_their_sums() {
    for (name, load, loads) in
        [("plain", "ld.volatile.shared.u32", 32), ("ldmatrix", "ldmatrix.sync.aligned.m8n8.x4", 8)]
    {
        let loops = loops(&entry(PTX, &format!("matrix_fragments_{name}")));
        let pattern: Vec<_> = loops.into_iter().filter(|body| count(body, load) > 0).collect();
        let [body] = &pattern[..] else { panic!("{} loops load, {name}", pattern.len()) };
        assert_eq!(count(body, load), loads, "{body:#?}");
        // A sum for each register of each fragment, and the count of the turns.
        assert_eq!(count(body, "add.s32"), 32 + 1, "{body:#?}");
        let other = ["mul", "mad", "shl", "xor", "cvt", "bar", "st.", "ld.global"];
        assert!(other.iter().all(|opcode| count(body, opcode) == 0), "{body:#?}");
        let mut addresses: Vec<&str> = body.iter().filter_map(|line| line.split(['[', ']']).nth(1)).collect();
        addresses.sort_unstable();
        addresses.dedup();
        assert_eq!(addresses.len(), loads, "{body:#?}");
    }
}

#[test]
fn fragments_take_the_passes_of_their_conflict_degree() {
    for (device, variant, fewest) in
        [("h200", "plain", 4.0), ("h200", "ldmatrix", 4.0), ("gtx280", "plain", 8.0), ("8500gt", "plain", 8.0)]
    {
        for (layout, row_bytes) in LAYOUTS.iter().flat_map(|layout| [32, 64, 128, 256].map(|bytes| (*layout, bytes))) {
            let parameters = [
                ("layout", layout.into()),
                ("row_bytes", row_bytes.into()),
                ("fragments", 24.into()),
                ("block", 96.into()),
                ("launched_blocks", 2.into()),
            ];
            let run = Simulated::run(device, &FAMILY, variant, &parameters);
            let degree = run.predictor("conflict_degree");
            let passes = 6.0 * 24.0 * fewest * degree;
            let label = format!("{device} {variant} {layout}, rows of {row_bytes} bytes");
            let counted = run.counter("shared_load_passes");
            assert!((counted - passes).abs() < 0.5, "{label}: {counted} passes, {passes} predicted");
            assert_eq!(degree > 1.0, layout == "row_major", "{label}: degree {degree}");
        }
    }
}

#[test]
fn gpus_without_the_instruction_refuse_it_with_the_reason() {
    let refusal = |profile: &str, name: &str| {
        let device = Sim::open(Profile::load(profile).unwrap());
        let variant = FAMILY.variants.iter().find(|own| own.name == name).unwrap();
        variant.refusal(device.properties())
    };
    assert_eq!(refusal("gtx280", "ldmatrix").unwrap(), "ldmatrix needs compute capability 7.5 and not 1.3");
    assert_eq!(refusal("gtx280", "plain"), None);
    assert_eq!(refusal("h200", "ldmatrix"), None);
}

/// Time of a point with a full multiprocessor, in microseconds.
fn time_us(variant: &str, layout: &str, row_bytes: i64, fragments: i64) -> f64 {
    let parameters = [
        ("layout", layout.into()),
        ("row_bytes", row_bytes.into()),
        ("fragments", fragments.into()),
        ("block", 256.into()),
        ("launched_blocks", 1.into()),
    ];
    Simulated::run("h200", &FAMILY, variant, &parameters).time_us
}

#[test]
fn every_further_pass_costs_the_same_with_either_instruction_and_remedies_cost_none() {
    for variant in ["plain", "ldmatrix"] {
        let [two, four, eight] = [32, 64, 128].map(|row_bytes| time_us(variant, "row_major", row_bytes, 512));
        let (first, second) = ((four - two) / 2.0, (eight - four) / 4.0);
        assert!((first / second - 1.0).abs() < 0.05, "{variant}: {two}, {four} and {eight} us");
        let longest = time_us(variant, "row_major", 256, 512);
        assert!((longest / eight - 1.0).abs() < 0.02, "{variant}: {eight} and {longest} us");
        for (layout, row_bytes) in ["padded", "swizzled"].into_iter().flat_map(|own| [(own, 32), (own, 128)]) {
            let own = time_us(variant, layout, row_bytes, 512);
            assert!(own < two - 0.5 * first, "{variant} {layout} {row_bytes}: {own} us, and {two} us row by row");
        }
    }
}
