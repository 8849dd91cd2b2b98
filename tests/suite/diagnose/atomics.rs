//! Atomics: how many come to an address, and what the remedy is where they are in shared memory or swap values.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{first, json, workspace};
use crate::common::{Workspace, column};

/// Even threads add to a word and odd ones to another: two instructions of one line of the source, as of a loop that was unrolled.
const BY_CLASS: &str = ".version 8.0\n.target sm_80\n.address_size 64
.visible .entry by_class(.param .u64 sums)
{ .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred %p<3>;
.loc 1 7 0
ld.param.u64 %rd0, [sums]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1;
setp.eq.u32 %p0, %r2, 0; setp.eq.u32 %p1, %r2, 1;
@%p0 red.global.add.f32 [%rd0], 0f3F800000;
@%p1 red.global.add.f32 [%rd0+4], 0f3F800000;
ret; }
.file 1 \"classes.cu\"
";

/// Each thread counts in shared memory; the block's first one swaps the count with what is in `locks`.
const COUNTS: &str = ".version 8.0\n.target sm_80\n.address_size 64
.visible .entry counts(.param .u64 locks)
{ .reg .b32 %r<4>; .reg .b64 %rd<2>; .shared .align 4 .b32 count[8];
ld.param.u64 %rd0, [locks]; mov.u32 %r0, count;
red.shared.add.u32 [%r0], 1;
atom.global.exch.b32 %r1, [%rd0], 1;
ret; }
";

fn diagnosed(name: &str, ptx: &str) -> Value {
    let workspace = Workspace::new();
    fs::write(workspace.path(&format!("{name}.ptx")), ptx).unwrap();
    let file = format!("{name}.ptx");
    let launch = ["--entry", name, "--grid", "64", "--block", "256", "--arg", "f32[64]"];
    json(&workspace, &[&["diagnose", &file][..], &launch, &["--device", "sim:h200", "--json"]].concat())
}

#[test]
fn instructions_of_a_line_add_up_at_an_address_and_not_beyond() {
    let told = diagnosed("by_class", BY_CLASS);
    let finding = first(&told, "kernel");
    assert_eq!((&finding["pattern"], &finding["line"]), (&"atomic_contention".into(), &7.into()), "{finding}");
    let counted = "8,192 atomics at the most wanted address, 16.0 lanes of a warp at the same one";
    assert_eq!(finding["counted"], counted, "16,384 threads add to two words");
    assert!(finding["remedy"].as_str().unwrap().contains("in shared memory first"), "{finding}");
    assert!(finding["time_remedied_us"].as_f64().is_some(), "{finding}");
}

/// `results/nvidia-h200/diagnosis/classes-h100.csv`: ten sums in two sectors, on an H100. Simulated as integers they took half of that.
#[test]
fn sums_of_several_words_of_a_sector_take_what_a_gpu_takes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let measured = fs::read_to_string(root.join("results/nvidia-h200/diagnosis/classes-h100.csv")).unwrap();
    let workspace = workspace(&["classes"]);
    let sweep = ["sweep", "classes.toml", "--device", "sim:h200", "--set", "n=65536", "--out", "run"];
    workspace.apbench(&sweep).assert().code(0);
    let simulated = workspace.read("run/points.csv");
    let times = |points: &str, variant: &str| -> f64 {
        let values = |name| column(points, name);
        let rows = values("variant").into_iter().zip(values("n")).zip(values("time_us"));
        let mut own = rows.filter(|((own, n), _)| own == variant && n == "65536");
        own.next().expect("the point is there").1.parse().unwrap()
    };
    for variant in ["naive", "ballots", "shared"] {
        let (simulated_us, measured_us) = (times(&simulated, variant), times(&measured, variant));
        assert!((simulated_us / measured_us - 1.0).abs() < 0.15, "{variant}: {simulated_us}, {measured_us} measured");
    }
}

#[test]
fn the_remedy_of_atomics_fits_what_they_do_and_where() {
    let told = diagnosed("counts", COUNTS);
    let of_line = |line: u32| {
        let findings = told["variants"][0]["findings"].as_array().unwrap();
        let is_own = |own: &&Value| own["pattern"] == "atomic_contention" && own["line"] == line;
        findings.iter().find(is_own).unwrap_or_else(|| panic!("nothing of line {line}: {told}"))
    };
    let (shared, swap) = (of_line(7), of_line(8));
    let counted =
        "1.0 lanes of a warp at the same address of shared memory (97 % of all were added up on the way there)";
    assert_eq!(shared["counted"], counted);
    assert!(!shared["remedy"].as_str().unwrap().contains("global memory"), "{shared}");
    assert!(swap["remedy"].as_str().unwrap().contains("let one lane of a warp do it for all"), "{swap}");
    assert!(swap["time_remedied_us"].is_null(), "what is swapped cannot be added up: {swap}");
}
