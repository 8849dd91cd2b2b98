//! `apbench verify` executes every block of a large launch, and says so where that is too much work.

use std::fs;

use crate::common::{Workspace, stdout};

/// Each block of 32 threads goes round a loop and leaves 1; the block with the number `wrong` leaves 7, and the one with the number `beyond` stores far
/// behind the buffer's end.
const FILL: &str = ".version 7.0
.target sm_70
.address_size 64
.visible .entry fill(.param .u64 out, .param .u32 turns, .param .u32 wrong, .param .u32 beyond)
{
    .reg .pred %p<4>;
    .reg .b32 %r<10>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [turns];
    ld.param.u32 %r2, [wrong];
    ld.param.u32 %r3, [beyond];
    mov.u32 %r4, %ctaid.x;
    mov.u32 %r5, %tid.x;
    mov.u32 %r6, 0;
TURN:
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p1, %r6, %r1;
    @%p1 bra TURN;
    mov.u32 %r7, 1;
    setp.eq.u32 %p2, %r4, %r2;
    @%p2 mov.u32 %r7, 7;
    mad.lo.u32 %r8, %r4, 32, %r5;
    setp.eq.u32 %p3, %r4, %r3;
    @%p3 add.u32 %r8, %r8, 1000000;
    mul.wide.u32 %rd2, %r8, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r7;
    ret;
}
";

const SCENARIO: &str = r#"
[kernel]
source = "fill.ptx"
variants = { fill = "fill" }
launch = { grid = "blocks", block = 32 }
arguments = ["out", "turns", "wrong", "beyond"]
[parameters]
blocks = { default = 4000, from = 1, to = 1000000 }
turns = { default = 2000, from = 1, to = 1000000 }
wrong = { default = 1000000, from = 0, to = 1000000 }
beyond = { default = 1000000, from = 0, to = 1000000 }
[buffers]
out = { type = "u32", length = "32 * blocks", check = "1" }
[grid]
"#;

/// What `verify` prints of a point behind its first line, and its exit status.
fn verified(grid: &str, code: i32) -> String {
    let workspace = Workspace::new();
    fs::write(workspace.path("fill.ptx"), FILL).unwrap();
    fs::write(workspace.path("fill.toml"), format!("{SCENARIO}{grid}\n")).unwrap();
    let mut verify = workspace.apbench(&["verify", "fill.toml", "--device", "sim:h200"]);
    let told = stdout(&verify.env("COLUMNS", "300").assert().code(code));
    told.split_once('\n').unwrap().1.to_owned()
}

/// A launch of 24 million warp instructions, of which a sweep executes a part.
#[test]
fn a_wrong_block_amid_a_large_launch_is_found() {
    let told = verified("wrong = 1777", 4);
    let wrong = "out has 32 wrong of 128000 elements; the first is element 56864: 7, 1 was expected\n";
    assert!(told.contains(wrong), "{told}");
    assert!(told.contains("\n0 passed, 1 failed; "), "{told}");
}

#[test]
fn a_fault_of_a_block_amid_a_large_launch_is_found() {
    let told = verified("beyond = 1777", 4);
    assert!(told.contains("fill.ptx:28: writes 4 bytes"), "{told}");
    assert!(told.contains("element 1056864 of `out`") && told.contains("block (1777, 0, 0)"), "{told}");
}

#[test]
fn a_large_launch_that_is_right_passes_though_races_are_looked_for_in_a_part_of_it() {
    let told = verified("turns = 2000", 0);
    assert!(told.starts_with("ok     fill/fill blocks=4000 turns=2000"), "{told}");
    assert!(told.contains(" of 4000 blocks were watched\n1 passed, 0 failed; "), "{told}");
}

/// 2400 million warp instructions.
#[test]
fn too_much_work_is_told() {
    let told = verified("turns = 200000", 0);
    assert!(told.starts_with("partly fill/fill blocks=4000 turns=200000"), "{told}");
    let behind =
        told.split_once(": outputs of ").and_then(|(_, behind)| behind.split_once(" of 4000 blocks were checked\n"));
    let executed: u32 = behind.and_then(|(number, _)| number.parse().ok()).unwrap_or_else(|| panic!("{told}"));
    assert!((1..4000).contains(&executed), "{told}");
    assert!(told.contains("\n0 passed, 0 failed, 1 checked in part; "), "{told}");
}
