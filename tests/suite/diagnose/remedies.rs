//! What is said to do about a pattern, of kernels that look alike and need different remedies.

use std::fs;

use serde_json::Value;

use super::json;
use crate::common::Workspace;

/// What kernels begin with: `%rd0` is their buffer, `%r1` the thread in x, `%r2` the thread's number in the grid's x.
const HEAD: &str = "(.param .u64 data, .param .u32 n)
{ .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>; .reg .f32 %f<4>; .shared .align 4 .b32 word;
ld.param.u64 %rd0, [data]; ld.param.u32 %r0, [n];
mov.u32 %r1, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r2, %r3, %r4, %r1;";

/// Launches a kernel of one buffer and a number, whose lines of the source are those of `.loc`.
fn diagnosed(body: &str, [grid, block]: [&str; 2], words: u32, number: u32) -> Value {
    let workspace = Workspace::new();
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k{HEAD}\n{body}\nret; }}\n.file 1 \"k.cu\"\n"
    );
    fs::write(workspace.path("k.ptx"), text).unwrap();
    let (buffer, number) = (format!("f32[{words}]"), number.to_string());
    let launch = ["--entry", "k", "--grid", grid, "--block", block, "--arg", &buffer, "--arg", &number];
    json(&workspace, &[&["diagnose", "k.ptx"][..], &launch, &["--device", "sim:h200", "--json"]].concat())
}

fn of_line<'a>(told: &'a Value, pattern: &str, line: u32) -> &'a Value {
    let findings = told["variants"][0]["findings"].as_array().unwrap();
    let is_own = |own: &&Value| own["pattern"] == pattern && own["line"] == line;
    findings.iter().find(is_own).unwrap_or_else(|| panic!("no {pattern} in line {line}: {told}"))
}

fn remedy<'a>(told: &'a Value, pattern: &str, line: u32) -> &'a str {
    of_line(told, pattern, line)["remedy"].as_str().unwrap()
}

/// The first thread of each block adds up what the others have written, or each second thread of all warps does something like it.
fn alone(test: &str) -> String {
    format!(
        "mul.wide.u32 %rd1, %r2, 4; add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r2; mov.u32 %r6, 0; mov.u32 %r7, 0;
.loc 1 7 0
{test}
@%p0 bra $end;
.loc 1 8 0
$turn: ld.global.u32 %r8, [%rd2]; add.u32 %r6, %r6, %r8; add.u32 %r7, %r7, 1;
setp.lt.u32 %p1, %r7, %r0; .pragma \"nounroll\";
@%p1 bra $turn;
st.global.u32 [%rd2], %r6;
$end:"
    )
}

#[test]
fn one_warp_of_a_block_is_not_to_be_sorted() {
    let told = |test: &str| diagnosed(&alone(test), ["64", "256"], 64 * 256, 100);
    let one = told("setp.ne.u32 %p0, %r1, 0;");
    assert!(
        remedy(&one, "divergence", 7)
            .contains("let a whole warp, or all threads of the block, share what it does there"),
        "{one}"
    );
    assert!(of_line(&one, "divergence", 7)["time_remedied_us"].is_null(), "{one}");
    let times = &one["variants"][0]["time_without_us"];
    assert!(times["divergence"].is_f64() && times["divergence_sorted_within_blocks"].is_null(), "{times}");
    let all = told("and.b32 %r5, %r1, 1; setp.ne.u32 %p0, %r5, 0;");
    assert!(remedy(&all, "divergence", 7).contains("sort the work"), "{all}");
    assert!(of_line(&all, "divergence", 7)["time_remedied_us"].is_f64(), "{all}");
}

/// Each thread adds up elements, each as far behind the one before as `step` says.
fn sums(step: &str) -> String {
    format!(
        "{step} mov.u32 %r6, %r2; mov.f32 %f1, 0f00000000; mov.u32 %r7, 0;
.loc 1 9 0
$turn: mul.wide.u32 %rd1, %r6, 4; add.u64 %rd2, %rd0, %rd1; ld.global.f32 %f2, [%rd2]; add.f32 %f1, %f1, %f2;
add.u32 %r6, %r6, %r5; add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, 64; .pragma \"nounroll\";
@%p0 bra $turn;
mul.wide.u32 %rd1, %r2, 4; add.u64 %rd2, %rd0, %rd1; st.global.f32 [%rd2], %f1;"
    )
}

#[test]
fn only_elements_that_lie_side_by_side_are_loaded_wider() {
    let told = |step: &str| diagnosed(&sums(step), ["256", "128"], 64 * 256 * 128, 256 * 128);
    let fact = |told: &Value| told["variants"][0]["kernels"][0]["facts"]["narrow_loads"].clone();
    let over_grid = told("mov.u32 %r5, %nctaid.x; mul.lo.u32 %r5, %r5, %r4;");
    assert!(fact(&over_grid).is_string(), "{over_grid}");
    let columns = told("mov.u32 %r5, %r0;");
    assert!(fact(&columns).is_null(), "the next element of a column is in another row: {columns}");
    assert!(!columns.to_string().contains("16 bytes"), "{columns}");
}

#[test]
fn a_way_out_of_a_loop_is_told_as_its_end() {
    let body = "mul.lo.u32 %r6, %r2, 747796405; shr.u32 %r6, %r6, 26; mov.u32 %r7, 0; mov.u32 %r8, 0; mov.u32 %r9, 1;
$turn:
.loc 1 12 0
setp.eq.u32 %p0, %r7, %r6;
@%p0 bra $found;
.loc 1 13 0
mad.lo.u32 %r9, %r9, 5, %r7; mul.hi.u32 %r9, %r9, 77777; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, %r0; .pragma \"nounroll\";
@%p1 bra $turn;
bra $end;
$found: mov.u32 %r8, %r9;
$end: mul.wide.u32 %rd1, %r2, 4; add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r8;";
    let told = diagnosed(body, ["528", "256"], 528 * 256, 64);
    assert!(remedy(&told, "divergence", 12).contains("need more turns of this loop than others"), "{told}");
}

/// Each thread of a block of two dimensions reads an element.
fn tile(index: &str) -> String {
    format!(
        "mov.u32 %r5, %tid.y; mov.u32 %r6, %ctaid.y; mov.u32 %r7, %ntid.y; mad.lo.u32 %r8, %r6, %r7, %r5;
.loc 1 14 0
{index}
mul.wide.u32 %rd1, %r9, 4; add.u64 %rd2, %rd0, %rd1; ld.global.f32 %f1, [%rd2];
.loc 1 15 0
mad.lo.u32 %r10, %r8, 1024, %r2; mul.wide.u32 %rd1, %r10, 4; add.u64 %rd2, %rd0, %rd1; st.global.f32 [%rd2+4194336], %f1;"
    )
}

#[test]
fn blocks_that_are_narrower_than_a_warp_are_to_be_wider() {
    let told = |index: &str| diagnosed(&tile(index), ["64,64", "16,16"], 2 * 1024 * 1024 + 8, 5);
    let amid = told("mad.lo.u32 %r9, %r8, 1024, %r2; add.u32 %r9, %r9, %r0;");
    let expected = "a warp has rows of 16 threads of its block, each of which begins amid a sector";
    assert!(remedy(&amid, "uncoalesced", 14).starts_with(expected), "{amid}");
    let columns = told("shl.b32 %r9, %r2, 10; add.u32 %r9, %r9, %r8;");
    assert!(remedy(&columns, "uncoalesced", 14).contains("by exchanging the roles of indices"), "{columns}");
    // Of two loads of a line it is said what the worse one needs.
    let both = told(
        "mul.wide.u32 %rd3, %r8, 4096; add.u64 %rd3, %rd0, %rd3; ld.global.f32 %f2, [%rd3];
setp.eq.f32 %p0, %f2, 0f7F800000; @%p0 st.global.f32 [%rd3], %f2; shl.b32 %r9, %r2, 10; add.u32 %r9, %r9, %r8;",
    );
    assert!(remedy(&both, "uncoalesced", 14).contains("by exchanging the roles of indices"), "{both}");
    let same = told("mad.lo.u32 %r9, %r8, 1024, %r0;");
    let of_same = remedy(&same, "uncoalesced", 14);
    assert!(of_same.ends_with("make blocks 32 threads wide or more") && !of_same.contains("roles"), "{same}");
}

#[test]
fn places_that_warps_take_at_once_are_to_be_taken_by_blocks() {
    let body = ".loc 1 16 0
atom.global.add.u32 %r5, [%rd0], 1;
.loc 1 17 0
and.b32 %r5, %r5, 65535; mul.wide.u32 %rd1, %r5, 4; add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2+64], %r2;";
    let told = diagnosed(body, ["256", "256"], 65536 + 64, 0);
    let finding = of_line(&told, "atomic_contention", 16);
    assert!(finding["counted"].as_str().unwrap().contains("97 % of all were added up"), "{finding}");
    let told = finding["remedy"].as_str().unwrap();
    assert!(told.contains("let one thread of the block take all places at once"), "{finding}");
}

#[test]
fn a_run_of_elements_for_each_thread_is_to_be_a_loop_over_the_grid() {
    let body = "mul.lo.u32 %r6, %r2, %r0; add.u32 %r7, %r6, %r0;
.loc 1 18 0
$turn: mul.wide.u32 %rd1, %r6, 4; add.u64 %rd2, %rd0, %rd1; ld.global.f32 %f1, [%rd2]; add.f32 %f1, %f1, %f1;
st.global.f32 [%rd2], %f1;
add.u32 %r6, %r6, 1; setp.lt.u32 %p0, %r6, %r7; .pragma \"nounroll\";
@%p0 bra $turn;";
    let told = diagnosed(body, ["264", "256"], 264 * 256 * 32, 32);
    let told = remedy(&told, "uncoalesced", 18);
    assert!(told.contains("every gridDim.x * blockDim.x-th element") && !told.contains("roles"), "{told}");
}
