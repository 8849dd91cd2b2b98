use apbench::device::Device;
use apbench::device::sim::Sim;
use apbench::family::l2_residency::{FAMILY, PTX};
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

const MIB: i64 = 1 << 20;

#[test]
fn the_loops_over_hot_set_and_stream_have_four_loads_each_with_what_their_variant_asks_for() {
    const AS_USUAL: &str = "ld.global.cg.v4.u32";
    const WITH_POLICY: &str = "ld.global.cg.L2::cache_hint.v4.u32";
    for (variant, hot, stream) in [
        ("plain", AS_USUAL, AS_USUAL),
        ("evict_hints", WITH_POLICY, WITH_POLICY),
        ("streaming_loads", AS_USUAL, "ld.global.cs.v4.u32"),
        ("evict_first_stream", AS_USUAL, WITH_POLICY),
    ] {
        let instructions = entry(PTX, &format!("l2_residency_{variant}"));
        let inner: Vec<_> = loops(&instructions)
            .into_iter()
            .filter(|own| count(own, "ld.global") > 0 && count(own, "bar.sync") == 0)
            .collect();
        let [of_hot, of_stream] = &inner[..] else { panic!("{variant}: {inner:#?}") };
        assert_eq!([count(of_hot, hot), count(of_stream, stream)], [4, 4], "{variant}");
        assert_eq!([of_hot, of_stream].map(|own| count(own, "ld.")), [4, 4], "{variant}");
        let made = |priority: &str| count(&instructions, &format!("createpolicy.fractional.L2::{priority}.b64"));
        let policies = match variant {
            "evict_hints" => [1, 1],
            "evict_first_stream" => [1, 0],
            _ => [0, 0],
        };
        assert_eq!([made("evict_first"), made("evict_last")], policies, "{variant}");
        if policies[0] > 0 {
            let policy = |own: &[&str]| {
                let load = own.iter().find(|line| line.starts_with(WITH_POLICY)).unwrap();
                load.rsplit(' ').next().unwrap().trim_end_matches(';').to_owned()
            };
            let is_of = |register: &str, priority: &str| {
                instructions.iter().any(|line| line.contains(priority) && line.contains(&format!(" {register};")))
            };
            if policies[1] > 0 {
                assert!(is_of(&policy(of_hot), "evict_last"), "{instructions:#?}");
            }
            assert!(is_of(&policy(of_stream), "evict_first"), "{instructions:#?}");
        }
    }
}

/// Time of a further pass on a simulated GPU, in microseconds.
fn pass_us(variant: &str, hot_bytes: i64, stream_bytes: i64, kept_pct: i64) -> f64 {
    let [few, many] = [2, 4].map(|passes: i64| {
        let parameters = [
            ("hot_bytes", hot_bytes.into()),
            ("stream_bytes", stream_bytes.into()),
            ("passes", passes.into()),
            ("kept_pct", kept_pct.into()),
            ("block", 128.into()),
        ];
        Simulated::run("a100", &FAMILY, variant, &parameters).time_us
    });
    (many - few) / 2.0
}

#[test]
fn remedies_keep_a_hot_set_that_fits_in_what_may_persist_and_none_that_does_not() {
    let plain = pass_us("plain", 16 * MIB, 48 * MIB, 100);
    let alone = pass_us("plain", 16 * MIB, 0, 100);
    let stream = pass_us("plain", MIB, 48 * MIB, 100);
    let large = pass_us("plain", 40 * MIB, 48 * MIB, 100);
    for variant in ["persisting_window", "evict_hints", "evict_first_stream"] {
        let kept = pass_us(variant, 16 * MIB, 48 * MIB, 100);
        assert!(kept < 0.92 * plain, "{variant}: {kept} us, and {plain} us without");
        // The hot set from L2 and the stream from device memory, one after the other.
        assert!((kept / (alone + stream) - 1.0).abs() < 0.05, "{variant}: {kept} us, {alone} us and {stream} us");
        let own = pass_us(variant, 40 * MIB, 48 * MIB, 100);
        if variant == "evict_first_stream" {
            // Lines of the hot set are as usual here, so all of L2 may keep them.
            assert!(own < 0.92 * large, "{variant}: {own} us, and {large} us without");
        } else {
            assert!((own / large - 1.0).abs() < 0.02, "{variant}: {own} us, and {large} us without");
        }
    }
    // A warp waits for the slowest of 16 lines, so what stays of a part of the lines saves little time.
    let part = pass_us("persisting_window", 40 * MIB, 48 * MIB, 60);
    assert!(part < large, "60 % of the lines: {part} us, and {large} us of plain loads");
}

#[test]
fn a_stream_that_fits_beside_the_hot_set_costs_the_same_with_every_remedy() {
    let [plain, window, hints] =
        ["plain", "persisting_window", "evict_hints"].map(|variant| pass_us(variant, 8 * MIB, 8 * MIB, 100));
    assert!((window / plain - 1.0).abs() < 0.01 && (hints / plain - 1.0).abs() < 0.01, "{plain} {window} {hints}");
}

#[test]
fn gpus_without_what_a_remedy_needs_refuse_it_with_the_reason() {
    let refusal = |profile: &str, name: &str| {
        let device = Sim::open(Profile::load(profile).unwrap());
        FAMILY.variants.iter().find(|own| own.name == name).unwrap().refusal(device.properties())
    };
    assert_eq!(
        refusal("gtx280", "persisting_window").unwrap(),
        "persisting_window needs compute capability 8.0 and not 1.3"
    );
    assert_eq!(refusal("gtx280", "plain").unwrap(), "plain needs compute capability 2.0 and not 1.3");
    for variant in FAMILY.variants {
        assert_eq!(refusal("a100", variant.name), None, "{}", variant.name);
    }
}
