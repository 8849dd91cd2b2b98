//! `apbench new`: what it writes for kernels of different kinds, that it runs, and what it refuses.

mod blocks;
mod by_value;
mod counters;
mod headers;
mod instances;
mod launched;
mod runtime;
mod sizes;

use std::fs;
use std::path::Path;

use crate::common::{Workspace, column, stderr, stdout};

/// The drafted scenario of a file of `tests/kernels/`, and what was printed.
fn drafted(file: &str, arguments: &[&str]) -> (Workspace, String, String) {
    let workspace = Workspace::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels").join(file);
    let name = source.file_name().unwrap().to_str().unwrap().to_owned();
    fs::copy(&source, workspace.path(&name)).unwrap();
    let all: Vec<&str> = ["new", &name].into_iter().chain(arguments.iter().copied()).collect();
    let told = stdout(&workspace.apbench(&all).assert().code(0));
    let text = workspace.read(&format!("{}.toml", name.rsplit_once('.').unwrap().0));
    (workspace, text, told)
}

/// Asserts that a text has each of these parts.
fn assert_has(text: &str, all: &[&str]) {
    for own in all {
        assert!(text.contains(own), "there is no `{own}` in:\n{text}");
    }
}

/// The same of a text, as `own.cu`.
fn drafted_from(source: &str, arguments: &[&str]) -> (Workspace, String, String) {
    let workspace = Workspace::new();
    fs::write(workspace.path("own.cu"), source).unwrap();
    let all: Vec<&str> = ["new", "own.cu"].into_iter().chain(arguments.iter().copied()).collect();
    let told = stdout(&workspace.apbench(&all).assert().code(0));
    assert_reads(&workspace, "own.toml");
    let text = workspace.read("own.toml");
    (workspace, text, told)
}

/// Every draft is a scenario: only its kernel may be missing.
fn assert_reads(workspace: &Workspace, name: &str) {
    workspace.apbench(&["sweep", name, "--dry-run", "--device", "sim:h200"]).assert().code(0);
}

#[test]
fn kernels_of_many_kinds_are_drafted() {
    for file in [
        "transposition.cu",
        "drafts/saxpy.cu",
        "drafts/reduction.cu",
        "drafts/histogram.cu",
        "drafts/multiplication.cu",
        "drafts/stencil.cu",
        "drafts/by_value.cu",
        "drafts/structures.cu",
        "drafts/sparse.cu",
        "drafts/refused.cu",
        "drafts/convolution.cu",
        "drafts/softmax.cu",
        "drafts/constants.cu",
        "drafts/partial_sums.cu",
        "drafts/enumerations.cu",
        "warp_rows.cu",
        "blur.cu",
        "drafts/pairs.cu",
        "drafts/guards.cu",
        "drafts/counted.cu",
        "drafts/sparse_structure.cu",
        "drafts/roles.cu",
        "drafts/tiles.cu",
        "drafts/instances.cu",
    ] {
        let (workspace, text, _) = drafted(file, &[]);
        let stem = Path::new(file).file_stem().unwrap().to_str().unwrap();
        insta::assert_snapshot!(format!("draft_{stem}"), text);
        let scenario = apbench::scenario::Scenario::parse("draft.toml", &text, &[], 1000);
        assert!(scenario.is_ok(), "{file}: {scenario:?}\n{text}");
        drop(workspace);
    }
    let (_, of_loop, _) = drafted("drafts/counted.cu", &["--entry", "repeat"]);
    assert!(of_loop.contains("steps = { type = \"i32\", length = 1, fill = \"1 + i % 32\" }"), "{of_loop}");
}

#[test]
fn ptx_is_drafted_and_the_draft_runs() {
    let (workspace, text, told) = drafted("transposition.ptx", &[]);
    insta::assert_snapshot!("draft_transposition_ptx", text);
    insta::assert_snapshot!("told_transposition_ptx", told);
    assert_reads(&workspace, "transposition.toml");
    let sweep = ["sweep", "transposition.toml", "--device", "sim:h200", "--set", "width=64,96", "--out", "run"];
    let swept = workspace.apbench(&sweep).assert().code(0);
    assert!(stdout(&swept).contains("6 of 6 points: 6 ok"), "{}", stdout(&swept));
}

/// The source's own launch is followed, whichever instance or kernel is asked for.
#[test]
fn instances_and_launches_of_the_source_are_drafted() {
    let (_, of_doubles, _) = drafted("drafts/instances.cu", &["--entry", "stencil<double,3>"]);
    assert!(of_doubles.contains("stencil_double_3 = \"stencil<double, 3>\""), "{of_doubles}");
    assert!(of_doubles.contains("in = { type = \"f64\""), "{of_doubles}");
    let (_, of_template, told) = drafted("drafts/instances.cu", &["--entry", "stencil"]);
    assert!(of_template.contains("stencil<float, 3>") && of_template.contains("stencil<float, 5>"), "{of_template}");
    assert!(!told.contains("launch:"), "what the source says is no guess: {told}");
    let (_, transpose, _) = drafted("drafts/instances.cu", &["--entry", "transpose"]);
    let launch = "launch = { grid = [\"ceil(width / 64)\", \"ceil(height / 64)\"], block = [64, 16] }";
    assert!(
        transpose.contains(&format!(
            "# Blocks and threads are as line 27 launches them. Expressions may have the parameters below.\n{launch}"
        )),
        "{transpose}"
    );
}

/// As it is drafted, with what a compiler made of the source in its place: rows begin within the entries, which lead within the vector.
#[test]
fn a_draft_of_a_sparse_product_runs_as_it_is() {
    let (workspace, text, summary) = drafted("warp_rows.cu", &[]);
    assert!(summary.contains("contents, which decide what is counted: `row_ptr` and `col_idx`"), "{summary}");
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    let hash = apbench::kernel::sha256(&fs::read(kernels.join("warp_rows.cu")).unwrap());
    let ptx = fs::read_to_string(kernels.join("warp_rows.ptx")).unwrap();
    assert!(ptx.lines().next().is_some_and(|first| first.ends_with(&hash)), "warp_rows.ptx is of another source");
    fs::write(workspace.path("warp_rows.ptx"), ptx).unwrap();
    fs::write(workspace.path("warp_rows.toml"), text.replace("warp_rows.cu", "warp_rows.ptx")).unwrap();
    let verify = ["verify", "warp_rows.toml", "--device", "sim:h200", "--set", "num_rows=1000", "--set", "nnz=7000"];
    let told = stdout(&workspace.apbench(&verify).assert().code(0));
    let diagnose =
        ["diagnose", "warp_rows.toml", "--device", "sim:h200", "--set", "num_rows=1000", "--set", "nnz=7000"];
    let diagnosed = stdout(&workspace.apbench(&diagnose).env("COLUMNS", "400").assert().code(0));
    let said = "`row_ptr` and `col_idx` hold was made up by `apbench new`: counts that depend on it are of these contents. Put yours in place of them; where they are right as they are, delete the line with CHECK above them.";
    assert_eq!(diagnosed.matches(said).count(), 1, "{diagnosed}");
    let checked = workspace.read("warp_rows.toml").replace("# CHECK: ", "# ");
    fs::write(workspace.path("warp_rows.toml"), checked).unwrap();
    let diagnosed = stdout(&workspace.apbench(&diagnose).assert().code(0));
    assert!(!diagnosed.contains("made up"), "{diagnosed}");
    // Each row has 7 columns, values and elements of the vector, two ends for each of its 32 lanes, and a result.
    assert!(told.contains(&format!("1 passed, 0 failed; {} accesses", 1000 * (3 * 7 + 2 * 32 + 1))), "{told}");
}

/// `y = a x + y`, as a compiler writes a function with C's names.
const SAXPY: &str = r"
.version 7.0
.target sm_70
.address_size 64

.visible .entry saxpy(
    .param .u32 saxpy_param_0,
    .param .f32 saxpy_param_1,
    .param .u64 saxpy_param_2,
    .param .u64 saxpy_param_3
)
{
    .reg .pred %p<2>;
    .reg .f32 %f<5>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<8>;
    ld.param.u32 %r2, [saxpy_param_0];
    ld.param.f32 %f1, [saxpy_param_1];
    ld.param.u64 %rd1, [saxpy_param_2];
    ld.param.u64 %rd2, [saxpy_param_3];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.s32 %r1, %r3, %r4, %r5;
    setp.ge.s32 %p1, %r1, %r2;
    @%p1 bra $end;
    cvta.to.global.u64 %rd3, %rd1;
    mul.wide.s32 %rd4, %r1, 4;
    add.s64 %rd5, %rd3, %rd4;
    ld.global.f32 %f2, [%rd5];
    cvta.to.global.u64 %rd6, %rd2;
    add.s64 %rd7, %rd6, %rd4;
    ld.global.f32 %f3, [%rd7];
    fma.rn.f32 %f4, %f2, %f1, %f3;
    st.global.f32 [%rd7], %f4;
$end:
    ret;
}
";

#[test]
fn ptx_without_types_is_drafted_by_what_it_does() {
    let workspace = Workspace::new();
    fs::write(workspace.path("saxpy.ptx"), SAXPY).unwrap();
    workspace.apbench(&["new", "saxpy.ptx"]).assert().code(0);
    insta::assert_snapshot!("draft_saxpy_ptx", workspace.read("saxpy.toml"));
    let sweep = ["sweep", "saxpy.toml", "--device", "sim:h200", "--set", "n=1000,2000,3000", "--out", "run"];
    workspace.apbench(&sweep).assert().code(0);
    assert_eq!(column(&workspace.read("run/points.csv"), "status"), ["ok", "ok", "ok"]);
}

const TWO: &str = "__global__ void scale(float* data, int n) { data[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
#define NOTHING(x)
NOTHING(int a)
/* __global__ void commented(float* data) {} */
__global__ void add(const float* one, const float* other, float* sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; // __global__ void this_too() {}
    if (i < n) sum[i] = one[i] + other[i];
}
";

#[test]
fn kernels_with_other_arguments_are_named_and_can_be_asked_for() {
    let workspace = Workspace::new();
    fs::create_dir(workspace.path("a folder")).unwrap();
    fs::write(workspace.path("a folder/two.cu"), TWO).unwrap();
    let told = stdout(&workspace.apbench(&["new", "a folder/two.cu"]).assert().code(0));
    insta::assert_snapshot!("told_two", told);
    let text = workspace.read("a folder/two.toml");
    assert!(text.contains("source = \"two.cu\"") && text.contains("--entry 'add'"), "{text}");
    let other = ["new", "a folder/two.cu", "--entry", "add", "--out", "add.toml"];
    workspace.apbench(&other).assert().code(0);
    let text = workspace.read("add.toml");
    assert!(text.contains("source = \"a folder/two.cu\"") && text.contains("add = \"add\""), "{text}");
    assert_reads(&workspace, "add.toml");
}

#[test]
fn what_cannot_be_drafted_is_told() {
    let workspace = Workspace::new();
    let told = |arguments: &[&str]| {
        let all: Vec<&str> = ["new"].into_iter().chain(arguments.iter().copied()).collect();
        stderr(&workspace.apbench(&all).assert().code(2))
    };
    let of = |text: &[u8]| {
        fs::write(workspace.path("kernel.cu"), text).unwrap();
        told(&["kernel.cu"])
    };
    let mut all = String::new();
    all += &of(b"");
    all += &of(b"int main() { return 0; }");
    all += &of(b"\x7fELF\0\0");
    all += &of(&[0xff, 0xfe]);
    all += &of(b"__global__ void f(float* x) {\n  if (x) {\n}\n");
    all += &of(b"__global__ void f(float* x) { }\n}\n");
    all += &of(b"__global__ void f(float* x) { /* \n }\n");
    all += &of(b"namespace a {\n__global__ void f(float* x) { }\n");
    all += &told(&["absent.cu"]);
    all += &told(&["-"]);
    all += &told(&["."]);
    fs::write(workspace.path("broken.ptx"), ".version 7.0\n.target sm_70\n.visible .entry f(").unwrap();
    all += &told(&["broken.ptx"]);
    fs::write(workspace.path("two.cu"), TWO).unwrap();
    all += &told(&["two.cu", "--entry", "ad"]);
    all += &told(&["two.cu", "--entry", "add", "--entry", "scale"]);
    all += &told(&["two.cu", "--out", "no/such/folder.toml"]);
    fs::write(workspace.path("two.toml"), "mine").unwrap();
    all += &told(&["two.cu"]);
    insta::assert_snapshot!("refusals", all);
    assert_eq!(workspace.read("two.toml"), "mine");
    assert!(!workspace.path("kernel.toml").exists());
}

/// Nobody can make a file in `/proc`, whoever asks.
#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_takes_no_files_is_not_said_to_be_missing() {
    let workspace = Workspace::new();
    fs::write(
        workspace.path("kernel.cu"),
        "\u{feff}__global__ void kernel(float* data, int n) { data[threadIdx.x] = n; }",
    )
    .unwrap();
    let told = workspace.apbench(&["new", "kernel.cu", "--out", "/proc/kernel.toml"]).assert().code(2);
    assert!(stderr(&told).contains("/proc/kernel.toml: no file can be written to that directory"), "{}", stderr(&told));
    // A mark at the beginning is no part of the kernel.
    workspace.apbench(&["new", "kernel.cu"]).assert().code(0);
}
