//! Kernels that are wrong or race, beside what they cost.

use std::fs;

use serde_json::Value;

use super::BOUNDED;
use crate::common::{Workspace, stdout};

/// What `--json` prints of a kernel that is wrong.
fn json_of_wrong(workspace: &Workspace, arguments: &[&str]) -> Value {
    let told = workspace.apbench(arguments).assert().code(4);
    serde_json::from_str(&stdout(&told)).unwrap()
}

/// `KERNEL` of `bounded` and of one that writes every other element only.
fn two_writers() -> String {
    let half = BOUNDED
        .replace("bounded", "half")
        .replace("mul.wide.u32 %rd2, %r4, 4", "and.b32 %r5, %r4, -2; mul.wide.u32 %rd2, %r5, 4");
    format!("{BOUNDED}{}", half.split_once("\n.visible").map(|(_, rest)| format!(".visible{rest}")).unwrap())
}

#[test]
fn kernels_with_wrong_outputs_are_told_beside_what_they_cost() {
    let workspace = Workspace::new();
    fs::write(workspace.path("writers.ptx"), two_writers()).unwrap();
    let scenario = r#"title = "Two writers"
[kernel]
source = "writers.ptx"
variants = { all = "bounded", half = "half" }
launch = { grid = ["ceil(n / 256)"], block = [256] }
arguments = ["out", "n"]
[parameters]
n = { default = 1024, from = 1, to = 100_000_000 }
[buffers]
out = { type = "i32", length = "n", check = "variants agree" }
[grid]
n = [1024, 100_000_000]
"#;
    fs::write(workspace.path("writers.toml"), scenario).unwrap();
    let diagnose = ["diagnose", "writers.toml", "--device", "sim:h200", "--set", "n=1024,262144"];
    let told = stdout(&workspace.apbench(&diagnose).assert().code(4));
    assert!(
        told.lines().nth(3).unwrap().starts_with("NOT TO BE TRUSTED: half (races, wrong outputs): what a wrong kernel"),
        "{told}"
    );
    assert!(told.contains("OUTPUTS DIFFER of half and all at n=1024: "), "{told}");
    assert!(!told.contains("OUTPUTS DIFFER of all"), "{told}");
    let told = json_of_wrong(&workspace, &[&diagnose[..], &["--json"]].concat());
    let sarif = [&diagnose[..], &["--sarif", "wrong.sarif"]].concat();
    workspace.apbench(&sarif).assert().code(4);
    let sarif: Value = serde_json::from_str(&workspace.read("wrong.sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let outputs = results.iter().filter(|own| own["ruleId"] == "wrong_outputs").collect::<Vec<_>>();
    assert!(outputs.len() == 1 && outputs[0]["message"]["text"].as_str().unwrap().starts_with("half: "), "{outputs:?}");
    let wrong = |place: usize| told["variants"][place]["wrong_outputs"].as_str();
    assert!(wrong(0).is_none() && wrong(1).unwrap().starts_with("n=1024: "), "{told}");
    let only = [&diagnose[..4], &["--set", "n=262144", "--variant", "all"]].concat();
    assert!(!stdout(&workspace.apbench(&only).assert().code(0)).contains("OUTPUTS"), "the other one is not asked for");
    let swapped = scenario.replace("all = \"bounded\", half = \"half\"", "half = \"half\", all = \"bounded\"");
    fs::write(workspace.path("writers.toml"), swapped).unwrap();
    let told = json_of_wrong(&workspace, &[&diagnose[..], &["--json"]].concat());
    let expected = "n=1024: `half`, the reference of \"variants agree\", did not write 512 of 1024 elements of out; the first is element 1, which `all` wrote: 1; ";
    let wrong = told["variants"][1]["wrong_outputs"].as_str().unwrap();
    assert!(wrong.starts_with(expected.trim_end_matches("; ")), "{wrong}");
    fs::write(workspace.path("writers.toml"), scenario).unwrap();
    let large = [&diagnose[..4], &["--set", "n=16777216", "--variant", "all"]].concat();
    let told = stdout(&workspace.apbench(&large).assert().code(0));
    assert!(told.contains("outputs are not checked at so large a size"), "{told}");
}

/// The second half of a block adds to what the first half wrote, with no barrier between.
const RACING: &str = ".version 8.0\n.target sm_80\n.address_size 64
.visible .entry racing(.param .u64 out)
{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .shared .align 4 .b8 tile[1024];
ld.param.u64 %rd0, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, tile;
shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; st.shared.u32 [%r4], %r1;
xor.b32 %r5, %r3, 512; add.u32 %r5, %r2, %r5;
ld.shared.u32 %r6, [%r5];
mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r6; ret; }
";

#[test]
fn races_are_told_beside_what_a_kernel_costs_and_at_their_line() {
    let workspace = Workspace::new();
    fs::write(workspace.path("racing.ptx"), RACING).unwrap();
    let scenario = r#"title = "A race"
[kernel]
source = "racing.ptx"
variants = { racing = "racing" }
launch = { grid = 1, block = 256 }
arguments = ["out"]
[parameters]
n = { default = 256, from = 256, to = 1024 }
[buffers]
out = { type = "i32", length = "n" }
[grid]
n = [256, 1024]
"#;
    fs::write(workspace.path("racing.toml"), scenario).unwrap();
    let diagnose = ["diagnose", "racing.toml", "--device", "sim:h200", "--sarif", "found.sarif"];
    let told = stdout(&workspace.apbench(&diagnose).assert().code(4));
    let headline = "NOT TO BE TRUSTED: racing (races): what a wrong kernel costs says little of one";
    assert_eq!(told.lines().nth(3), Some(headline), "{told}");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("RACES of racing at n=256: racing.ptx:9 reads byte"), "{told}");
    assert!(told.contains("remedy: put __syncthreads() between them"), "{told}");
    let verify = "Races and bad accesses at all sizes: apbench verify racing.toml";
    assert_eq!(told.matches(verify).count(), 1, "{told}");
    let sarif: Value = serde_json::from_str(&workspace.read("found.sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let race = results.iter().find(|own| own["ruleId"] == "race").unwrap_or_else(|| panic!("{results:?}"));
    let place = &race["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"racing.ptx".into(), &9.into()));
    let told = json_of_wrong(&workspace, &[&diagnose[..4], &["--json"]].concat());
    assert!(told["variants"][0]["races"][0].as_str().unwrap().starts_with("racing.ptx:9 reads"), "{told}");
}
