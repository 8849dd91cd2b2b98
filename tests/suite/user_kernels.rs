//! Kernels of the user's in scenarios, from outside. No compiler is needed: the kernels are PTX.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::{Workspace, column, stderr, stdout};

mod all_blocks;
mod conclusion;
mod conditions;
mod constants;
mod copies;
mod counters;
mod endless;
mod families;
mod files;
mod not_run;
mod registers;
mod structures;
mod targets;

/// Adds one to each element, one way or another.
const ADD: &str = r"
.version 7.0
.target sm_70
.address_size 64

.visible .entry add_one(.param .u64 data, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<7>;
    .reg .b64 %rd<4>;
    .reg .f32 %f<3>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra $end;
    mul.wide.u32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    add.f32 %f2, %f1, 0f3F800000;
    st.global.f32 [%rd3], %f2;
$end:
    ret;
}
";

const SCENARIO: &str = r#"
title = "Adding one"

[kernel]
source = "add.ptx"
variants = { straight = "add_one", other = "add_two" }
launch = { grid = "ceil(n / block)", block = "block" }
arguments = ["data", "n"]
bytes = "8 * n"

[parameters]
n = { default = 5000, from = 1, to = 1_000_000, summary = "elements" }
block = { default = 128, from = 32, to = 1024, multiple_of = 32 }

[buffers]
data = { type = "f32", length = "n", fill = "iota", check = "variants agree", relative = 1e-6 }

[predictors]
blocks_needed = "ceil(n / block)"

[grid]
n = [1000, 5000, 20_000, 100_000, 300_000]

[[fit]]
law = "affine"
predictor = "blocks_needed"

[[chart]]
x = "n"
series = ["variant"]
"#;

/// A folder with the scenario and its kernel; the second one adds `added`, a float's bits in hexadecimal.
fn workspace(added: &str) -> Workspace {
    let workspace = Workspace::new();
    let second = ADD.lines().skip_while(|line| !line.starts_with(".visible")).collect::<Vec<_>>().join("\n");
    let second = second.replace("add_one", "add_two").replace("3F800000", added);
    fs::write(workspace.path("add.ptx"), format!("{ADD}{second}")).unwrap();
    fs::write(workspace.path("add.toml"), SCENARIO).unwrap();
    workspace
}

#[test]
fn a_kernel_of_one_s_own_is_swept_fitted_charted_and_compared() {
    let workspace = workspace("3F800000");
    let sweep =
        workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200", "--out", "run", "-v"]).assert().code(0);
    let told = stdout(&sweep);
    for part in ["10 of 10 points: 10 ok", "simulated times of the kernel `add` are off is not known", "blocks_needed"]
    {
        assert!(told.contains(part), "no {part} in:\n{told}");
    }
    let points = workspace.read("run/points.csv");
    assert_eq!(column(&points, "blocks_needed"), ["8", "8", "40", "40", "157", "157", "782", "782", "2344", "2344"]);
    assert_eq!(column(&points, "bytes")[0], "8000");
    assert!(workspace.read("run/kernel.json").contains("add_two"));
    assert!(workspace.read("run/report.html").contains("Adding one"));
    let verify = workspace.apbench(&["verify", "add.toml", "--device", "sim:h200"]).assert().code(0);
    assert!(
        stdout(&verify).ends_with("10 passed, 0 failed; 1704000 accesses were checked for races\n"),
        "{}",
        stdout(&verify)
    );
    // The scenario's name, as of a sweep, and not that of the source.
    fs::copy(workspace.path("add.toml"), workspace.path("sums.toml")).unwrap();
    let named = workspace.apbench(&["verify", "sums.toml", "--device", "sim:h200", "--set", "n=100"]).assert().code(0);
    assert!(stdout(&named).contains("\nok     sums/straight n=100"), "{}", stdout(&named));
    let one = ["verify", "add.toml", "--device", "sim:h200", "--set", "n=100"];
    let told = stdout(&workspace.apbench(&one).assert().code(0));
    assert!(told.contains("n=100") && told.contains("2 passed, 0 failed"), "{told}");
    // A run with other contents says so.
    fs::write(workspace.path("zeros.toml"), SCENARIO.replace("\"iota\"", "\"zeros\"")).unwrap();
    workspace.apbench(&["sweep", "zeros.toml", "--device", "sim:h200", "--out", "zeros"]).assert().code(0);
    let compare = workspace.apbench(&["compare", "run", "zeros"]).assert().code(0);
    let note = "zeros: `data` holds `zeros`, and `iota` in run, so a difference may come from the data";
    let told: Vec<String> = stdout(&compare).split_whitespace().map(str::to_owned).collect();
    assert!(told.join(" ").contains(note), "{}", stdout(&compare));
    // The run is read back, whatever becomes of the kernel.
    fs::remove_file(workspace.path("add.ptx")).unwrap();
    let fit = workspace.apbench(&["fit", "run", "-v"]).assert().code(0);
    assert!(stdout(&fit).contains("blocks_needed"), "{}", stdout(&fit));
    workspace.apbench(&["plot", "run"]).assert().code(0);
    let compare = workspace.apbench(&["compare", "run", "run"]).assert().code(0);
    assert!(stdout(&compare).contains("10 SAME"), "{}", stdout(&compare));
}

/// A guard that is never true: all that is checked is right, and nothing was.
#[test]
fn a_kernel_that_accesses_nothing_is_no_kernel_that_is_right() {
    let workspace = workspace("3F800000");
    let never = SCENARIO.replace("\"n\"]", "0]");
    assert_ne!(never, SCENARIO);
    fs::write(workspace.path("add.toml"), never.replace("check = \"variants agree\"", "check = \"none\"")).unwrap();
    let verify = ["verify", "add.toml", "--device", "sim:h200", "--set", "n=100"];
    let told = stdout(&workspace.apbench(&verify).env("COLUMNS", "300").assert().code(4));
    let said = "accessed no element of any buffer: is its guard ever true at these parameters?";
    assert_eq!(told.matches(said).count(), 2, "{told}");
    assert!(told.contains("0 passed, 0 failed, 2 accessed nothing") && told.contains("nothing was checked"), "{told}");
}

#[test]
fn occupancy_predict_and_export_take_a_kernel_of_one_s_own() {
    let workspace = workspace("3F800000");
    let occupancy = ["occupancy", "add.toml", "--device", "sim:h200", "--variant", "other"];
    let told = stdout(&workspace.apbench(&occupancy).assert().code(0));
    insta::assert_snapshot!("occupancy", told);
    let card = stdout(&workspace.apbench(&[&occupancy[..], &["--set", "n=1000"]].concat()).assert().code(0));
    assert!(card.contains("add_two") && card.contains("resident"), "{card}");
    let wrong = ["occupancy", "add.toml", "--device", "sim:h200", "--variant", "othr"];
    assert!(stderr(&workspace.apbench(&wrong).assert().code(2)).contains("did you mean `other`?"));
    workspace
        .apbench(&["export", "add.toml", "--device", "sim:h200", "--point", "0", "--out", "files"])
        .assert()
        .code(0);
    workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200", "--out", "run"]).assert().code(0);
    workspace.apbench(&["report", "run"]).assert().code(0);
    // The predictor is an expression of both parameters, at a point that was not measured.
    let predict = ["predict", "run", "--set", "n=70000", "--variant", "straight", "--json"];
    let told = stdout(&workspace.apbench(&predict).assert().code(0));
    assert!(told.contains("\"x\": 547.0") && told.contains("\"n\": \"70000\""), "{told}");
    let beyond = ["predict", "run", "--set", "n=2000000"];
    assert!(stderr(&workspace.apbench(&beyond).assert().code(2)).contains("no kernel has n = 2000000"));
    let unknown = ["predict", "run", "--set", "m=2"];
    assert!(stderr(&workspace.apbench(&unknown).assert().code(2)).contains("allowed: n, block"));
}

#[test]
fn variants_that_do_not_agree_are_wrong_with_the_first_difference() {
    let workspace = workspace("3F8CCCCD");
    let sweep = workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200", "--out", "run"]).assert().code(4);
    let verify = workspace.apbench(&["verify", "add.toml", "--device", "sim:h200"]).assert().code(4);
    assert!(stdout(&verify).contains("\n5 passed, 5 failed; "), "{}", stdout(&verify));
    let points = workspace.read("run/points.csv");
    let statuses = column(&points, "status");
    assert_eq!(statuses.iter().filter(|status| *status == "wrong").count(), 5, "{}", stdout(&sweep));
    let reason = column(&points, "reason").into_iter().find(|reason| !reason.is_empty()).unwrap();
    assert_eq!(
        reason,
        "data has 1000 wrong of 1000 elements; the first is element 0: 1.100000023841858, 1 was expected by the variant straight (off by 1.0e-1 of it, 1.0e-6 is allowed)"
    );
}

#[test]
fn a_worker_and_a_part_have_the_kernel_too() {
    let workspace = workspace("3F800000");
    for part in ["0/2", "1/2"] {
        let out = format!("part-{}", &part[..1]);
        workspace
            .apbench(&["sweep", "add.toml", "--device", "sim:h200", "--part", part, "--out", &out])
            .assert()
            .code(0);
    }
    workspace.apbench(&["merge", "part-0", "part-1", "--out", "whole"]).assert().code(0);
    assert_eq!(workspace.read("whole/kernel.json"), workspace.read("part-0/kernel.json"));
    let go_on = ["sweep", "add.toml", "--device", "sim:h200", "--out", "again", "--resume"];
    workspace.apbench(&go_on).assert().code(0);
    workspace.apbench(&go_on).assert().code(0);
    fs::write(workspace.path("add.ptx"), workspace.read("add.ptx").replace("0f3F800000", "0f40000000")).unwrap();
    let refused = workspace.apbench(&go_on).assert().code(2);
    assert!(stderr(&refused).contains("ptx_sha256"), "{}", stderr(&refused));
}

#[test]
fn what_does_not_fit_is_told_before_anything_is_measured() {
    let workspace = workspace("3F800000");
    let told = |change: (&str, &str)| {
        fs::write(workspace.path("add.toml"), SCENARIO.replace(change.0, change.1)).unwrap();
        let sweep = workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200", "--out", "none"]).assert().code(2);
        assert!(!workspace.path("none").exists());
        stderr(&sweep)
    };
    insta::assert_snapshot!("no_such_kernel", told(("add_two", "add_too")));
    insta::assert_snapshot!("too_few_arguments", told(("[\"data\", \"n\"]", "[\"data\"]")));
    insta::assert_snapshot!("arguments_of_other_types", told(("[\"data\", \"n\"]", "[\"n\", \"data\"]")));
    insta::assert_snapshot!("no_such_file", told(("add.ptx", "ad.ptx")));
    insta::assert_snapshot!("no_whole_grid", told(("ceil(n / block)\", block", "n / block\", block")));
}

#[test]
fn without_a_compiler_it_is_said_how_to_get_one() {
    let workspace = workspace("3F800000");
    fs::write(workspace.path("add.cu"), "__global__ void add_one(float* data, int n) {}").unwrap();
    fs::write(workspace.path("add.toml"), SCENARIO.replace("add.ptx", "add.cu")).unwrap();
    let mut sweep = workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200"]);
    let refused = sweep.env("APBENCH_NVCC", "/nonexistent/nvcc").assert().code(2);
    insta::assert_snapshot!("no_compiler", stderr(&refused));
}

#[test]
fn a_kernel_that_faults_is_a_failed_point() {
    let workspace = workspace("3F800000");
    fs::write(workspace.path("add.toml"), SCENARIO.replace("length = \"n\"", "length = \"ceil(n / 2)\"")).unwrap();
    workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200", "--out", "run"]).assert().code(4);
    let points = workspace.read("run/points.csv");
    assert!(column(&points, "status").iter().all(|status| status == "failed"));
    insta::assert_snapshot!("out_of_bounds", column(&points, "reason")[0]);
}

/// Each thread adds to one of four elements what the second variant adds atomically.
pub(crate) const COUNT: &str = r"
.version 7.0
.target sm_70
.address_size 64

.visible .entry plain(.param .u64 counts)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [counts];
    mov.u32 %r1, %tid.x;
    and.b32 %r1, %r1, 3;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd2, %rd1, %rd2;
    ld.global.u32 %r2, [%rd2];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%rd2], %r2;
    ret;
}
.visible .entry atomic(.param .u64 counts)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [counts];
    mov.u32 %r1, %tid.x;
    and.b32 %r1, %r1, 3;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd2, %rd1, %rd2;
    red.global.add.u32 [%rd2], 1;
    ret;
}
.visible .entry in_step(.param .u64 counts)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [counts];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    or.b32 %r2, %r1, %r2;
    setp.ne.u32 %p1, %r2, 0;
    @!%p1 st.global.u32 [%rd1], 7;
    mov.u32 %r3, %ctaid.x;
    setp.eq.u32 %p1, %r3, 0;
    @%p1 ld.global.u32 %r3, [%rd1];
    ret;
}
";

pub(crate) const COUNTING: &str = r#"
[kernel]
source = "count.ptx"
variants = { atomic = "atomic", plain = "plain", in_step = "in_step" }
launch = { grid = "blocks", block = 32 }
arguments = ["counts"]
[parameters]
blocks = { default = 2, from = 1, to = 1000 }
[buffers]
counts = { type = "u32", length = 4, fill = "zeros", check = "none" }
[grid]
blocks = [1, 2]
"#;

/// What is left by a variant that does wrong says nothing of others.
#[test]
fn no_variant_is_compared_with_one_that_races_or_faults() {
    let workspace = Workspace::new();
    fs::write(workspace.path("count.ptx"), COUNT).unwrap();
    let agree = COUNTING.replace("check = \"none\"", "check = \"variants agree\"").replace(
        "{ atomic = \"atomic\", plain = \"plain\", in_step = \"in_step\" }",
        "{ plain = \"plain\", atomic = \"atomic\" }",
    );
    let verify = |scenario: &str, columns: &str| {
        fs::write(workspace.path("count.toml"), scenario).unwrap();
        let mut verify = workspace.apbench(&["verify", "count.toml", "--device", "sim:h200"]);
        stdout(&verify.env("COLUMNS", columns).assert().code(4))
    };
    insta::assert_snapshot!("reference_that_races", verify(&agree, "100"));
    // The reference alone writes beyond its buffer.
    let faulty = agree
        .replace("grid = \"blocks\", block = 32", "grid = 1, block = 32")
        .replace("atomic = \"atomic\"", "atomic = { entry = \"in_step\" }");
    let told = verify(&faulty.replace("length = 4", "length = 1"), "60");
    assert!(told.lines().all(|line| line.len() <= 60), "{told}");
    insta::assert_snapshot!("reference_that_faults", told);
}

#[test]
fn races_are_told_with_their_lines_and_fail_the_point() {
    let workspace = Workspace::new();
    fs::write(workspace.path("count.ptx"), COUNT).unwrap();
    fs::write(workspace.path("count.toml"), COUNTING).unwrap();
    let verify = workspace.apbench(&["verify", "count.toml", "--device", "sim:h200"]).assert().code(4);
    insta::assert_snapshot!("races", stdout(&verify));
    // Lanes of a GPU of compute capability 1 are in step.
    let verify = workspace.apbench(&["verify", "count.toml", "--device", "sim:gtx280"]).assert().code(4);
    assert!(!stdout(&verify).contains("warning"), "{}", stdout(&verify));
}

#[test]
fn a_kernel_that_has_no_end_is_told_with_its_lines() {
    let workspace = Workspace::new();
    let end = "st.global.u32 [%rd2], %r2;\n    ret;";
    assert!(COUNT.contains(end));
    fs::write(workspace.path("count.ptx"), COUNT.replacen(end, "bar.sync 1, 64;\n    ret;", 1)).unwrap();
    fs::write(workspace.path("count.toml"), COUNTING).unwrap();
    let verify = workspace.apbench(&["verify", "count.toml", "--device", "sim:h200"]).assert().code(4);
    insta::assert_snapshot!("deadlock", stdout(&verify));
}

/// Families of the program, described in scenarios, do the same at small sizes: every counter is the same.
#[test]
fn families_described_in_scenarios_have_the_same_counters() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, module, sizes) in [
        ("transpose", "transpose", &["width=256,304", "tile=16", "rows_per_thread=1,4"][..]),
        ("data-layout", "data_layout", &["elements=30000"]),
        ("shared-access", "shared_access", &["width=100", "repetitions=25"]),
    ] {
        let workspace = Workspace::new();
        let text = fs::read_to_string(root.join("tests/kernels").join(name).with_extension("toml")).unwrap();
        // The PTX of the snapshot, which needs no compiler.
        let ptx = root.join("cuda/ptx").join(format!("{module}.sm_70.ptx"));
        let source = format!("../../cuda/{module}.cu");
        assert!(text.contains(&source), "{name}: its source is another");
        fs::write(workspace.path("user.toml"), text.replace(&source, &ptx.display().to_string())).unwrap();
        let sweep = |scenario: &str, out: &str| {
            let mut arguments = vec!["sweep", scenario, "--device", "sim:h200", "--sizes", "gpu", "--out", out];
            sizes.iter().for_each(|size| arguments.extend(["--set", size]));
            workspace.apbench(&arguments).assert().code(0);
            counters(&workspace.read(&format!("{out}/points.csv")))
        };
        assert_eq!(sweep("user.toml", "user"), sweep(name, "family"), "{name}");
    }
}

/// Counters of each point by its name. The simulator has the registers of the program's own kernels from ptxas and estimates those of others,
/// so what depends on them is left out.
fn counters(points: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(points.as_bytes());
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let results = header.iter().position(|name| name == "status").unwrap();
    let first = header.iter().position(|name| name == "ptx_instructions").unwrap();
    let row = |cells: csv::StringRecord| {
        let name = cells.iter().take(results).skip(1).collect::<Vec<_>>().join(" ");
        let counters = header.iter().zip(&cells).skip(first).map(|(name, cell)| (name.clone(), cell.to_owned()));
        (name, counters.collect())
    };
    reader.records().map(|cells| row(cells.unwrap())).collect()
}

/// A remedy that changes the data, such as a structure's fields in arrays, has buffers of its own.
#[test]
fn a_variant_without_a_compared_buffer_is_not_compared_there() {
    let workspace = workspace("3F800000");
    let text = workspace.read("add.toml");
    let text = text
        .replace("other = \"add_two\"", "other = { entry = \"add_two\", arguments = [\"copy\", \"n\"] }")
        .replace("[predictors]", "copy = { type = \"f32\", length = \"n\", fill = \"iota\" }\n\n[predictors]");
    fs::write(workspace.path("add.toml"), text).unwrap();
    for command in [&["verify", "add.toml"][..], &["sweep", "add.toml", "--out", "run"]] {
        let run = workspace.apbench(&[command, &["--device", "sim:h200"]].concat()).assert().code(0);
        let told = stderr(&run);
        assert!(told.contains("note: `other` does not take `data`, so nothing is compared there"), "{told}");
    }
    assert_eq!(column(&workspace.read("run/points.csv"), "status"), ["ok"; 10]);
}
