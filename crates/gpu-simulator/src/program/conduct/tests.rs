use super::super::{Program, decode};
use super::{Conduct, Given};

fn program(body: &str) -> Program {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 to, .param .u32 mode) {{\n\
         .reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n.reg .pred %p<4>;\n{body}\nret;\n}}\n"
    );
    decode(&ptx_syntax::parse(&text).expect("it parses"), "k").expect("it decodes")
}

/// What a launch of 4 blocks of 64 threads whose argument `mode` is this may do: whether it communicates and follows data.
fn conduct(body: &str, mode: u32) -> (bool, bool) {
    let parameters: Vec<u8> = 0x1000_u64.to_le_bytes().into_iter().chain(mode.to_le_bytes()).collect();
    let given = Given { parameters: &parameters, grid: [4, 1, 1], block: [64, 1, 1] };
    let Conduct { communicates, follows_data, .. } = Conduct::of(&program(body), &given);
    (communicates, follows_data)
}

#[test]
fn who_only_adds_to_what_others_add_to_sees_nothing() {
    let given = Given { parameters: &[0; 12], grid: [4, 1, 1], block: [64, 1, 1] };
    let address = "ld.global.u32 %r1, [%rd0];\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd2, %rd1;\n";
    for (body, sees) in [
        ("red.global.add.u32 [%rd2], 1;", false),
        ("atom.global.add.u32 %r2, [%rd2], 1;", false),
        ("atom.global.add.u32 %r2, [%rd2], 1;\nst.global.u32 [%rd1], %r2;", true),
        ("red.global.add.u32 [%rd2], 1;\nld.volatile.global.u32 %r2, [%rd1];\nst.global.u32 [%rd1], %r2;", true),
        ("L:\natom.global.cas.b32 %r2, [%rd2], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;", true),
    ] {
        let conduct = Conduct::of(&program(&format!("{address}{body}")), &given);
        assert!(conduct.communicates && conduct.follows_data, "{body}");
        assert_eq!((conduct.sees_others, conduct.waits()), (sees, sees), "{body}");
    }
}

#[test]
fn loops_that_data_end_are_told_from_those_that_arguments_end() {
    let follows = |body: &str| {
        let parameters: Vec<u8> = 0x1000_u64.to_le_bytes().into_iter().chain(3_u32.to_le_bytes()).collect();
        let given = Given { parameters: &parameters, grid: [4, 1, 1], block: [64, 1, 1] };
        Conduct::of(&program(body), &given).length_follows_data
    };
    let loop_until = |bound: &str| {
        let turn = "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r2;\n@%p1 bra L;";
        format!("{bound}\nL:\n{turn}\nst.global.u32 [%rd1], %r3;\nE:")
    };
    let data = "ld.global.u32 %r4, [%rd1];\nsetp.eq.u32 %p2, %r4, 0;";
    assert!(follows(&loop_until("ld.global.u32 %r2, [%rd1];")));
    assert!(!follows(&loop_until("ld.param.u32 %r2, [mode];")));
    assert!(!follows(&loop_until("mov.u32 %r2, %ctaid.x;")));
    // A way out in the middle, and lanes that are done.
    let with_inner = |inside: &str| {
        let inner = format!("M:\n{inside}\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p3, %r3, %r2;\n@%p3 bra M;");
        loop_until(&format!("ld.param.u32 %r2, [mode];\n{data}\n{inner}"))
    };
    assert!(follows(&with_inner("@%p2 bra E;")));
    assert!(follows(&with_inner("@%p2 exit;")));
    // What data choose inside of a loop, and whether there is a loop.
    assert!(!follows(&with_inner("@%p2 bra C;\nadd.u32 %r3, %r3, 1;\nC:")));
    assert!(!follows(&format!("{data}\n@%p2 bra E;\n{}", loop_until("ld.param.u32 %r2, [mode];"))));
    // A gather in a loop, and a branch on data without one.
    let gather =
        "ld.global.u32 %r4, [%rd1];\nmul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd2, %rd2, %rd1;\nld.global.u32 %r5, [%rd2];";
    assert!(!follows(&loop_until(&format!("{gather}\nld.param.u32 %r2, [mode];"))));
    assert!(!follows(
        "ld.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\nst.global.u32 [%rd1], %r2;\nL:"
    ));
}

#[test]
fn kernels_that_can_tell_when_others_write_are_known() {
    let decides = "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%rd1], 1;";
    for (body, expected) in [
        ("st.global.u32 [%rd1], 1;", false),
        ("atom.shared.add.u32 %r1, [%r0], 1;", false),
        ("atom.global.add.u32 %r1, [%rd0], 1;", true),
        ("red.add.u32 [%rd0], 1;", true),
        ("ld.volatile.global.u32 %r1, [%rd0];", false),
        (&format!("ld.volatile.global.u32 %r1, [%rd0];\n{decides}"), true),
        ("ld.volatile.shared.u32 %r1, [%r0];", false),
        ("st.release.gpu.global.u32 [%rd0], 1;", false),
        (&format!("st.release.gpu.global.u32 [%rd0], 1;\nld.global.u32 %r1, [%rd0];\n{decides}"), true),
        ("ld.global.cg.u32 %r1, [%rd0];", false),
        ("L:\nld.global.cv.u32 %r1, [%rd0];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;", true),
        ("L:\nld.global.cg.u32 %r1, [%rd0];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;", true),
        ("L:\nld.global.u32 %r1, [%rd0];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;", false),
    ] {
        assert_eq!(conduct(body, 0).0, expected, "{body}");
    }
}

#[test]
fn what_memory_holds_decides_through_branches_guards_and_addresses_only() {
    let loaded = "ld.global.u32 %r1, [%rd0];\n";
    for (body, expected) in [
        ("add.u32 %r1, %r1, 1;\nst.global.u32 [%rd1], %r1;", false),
        ("mov.u32 %r2, %tid.x;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 st.global.u32 [%rd1], %r1;", false),
        ("setp.eq.u32 %p1, %r1, 0;\nselp.u32 %r2, 1, 2, %p1;\nst.global.u32 [%rd1], %r2;", false),
        ("shfl.sync.down.b32 %r2, %r1, 1, 31, -1;\nst.global.u32 [%rd1], %r2;", false),
        ("st.shared.u32 [0], %r1;\nld.shared.u32 %r2, [4];\nst.global.u32 [%rd1], %r2;", false),
        ("setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%rd1], %r1;", true),
        ("cvt.u64.u32 %rd2, %r1;\nadd.u64 %rd2, %rd2, %rd1;\nst.global.u32 [%rd2], 1;", true),
        ("ld.shared.u32 %r2, [4];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\nadd.u32 %r3, %r3, 1;\nL:", true),
        ("mov.u32 %r2, 0;\nL:\nadd.u32 %r2, %r2, %r1;\nsetp.lt.u32 %p1, %r2, 9;\n@%p1 bra L;", true),
        ("mov.u32 %r2, %clock;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 st.global.u32 [%rd1], %r1;", true),
        ("atom.shared.add.u32 %r2, [%r0], 1;\nst.global.u32 [%rd1], %r2;", false),
        ("atom.shared.add.u32 %r2, [%r1], 1;", true),
        ("red.global.add.u32 [%rd0], %r1;", false),
    ] {
        assert_eq!(conduct(&format!("{loaded}{body}"), 0).1, expected, "{body}");
    }
}

#[test]
fn a_value_that_goes_round_a_loop_before_it_decides_is_found() {
    let body = "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\nL:\nsetp.eq.u32 %p1, %r1, 5;\n@%p1 st.global.u32 [%rd1], 1;\n\
                mov.u32 %r1, %r2;\nld.global.u32 %r2, [%rd0];\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 9;\n@%p2 bra L;";
    assert_eq!(conduct(body, 0), (false, true));
}

#[test]
fn arguments_decide_which_code_is_reached() {
    let body = "ld.param.u32 %r1, [mode];\nsetp.ne.s32 %p1, %r1, 2;\n@%p1 bra DONE;\n\
                atom.global.add.u32 %r2, [%rd0], 1;\nsetp.ne.u32 %p2, %r2, 3;\n@%p2 bra DONE;\nst.global.u32 [%rd1], 1;\nDONE:";
    assert_eq!(conduct(body, 2), (true, true));
    assert_eq!(conduct(body, 0), (false, false));
    // The same by the size of a block, by a guard, and with logic on the way.
    let by_extent = "mov.u32 %r1, %ntid.x;\nsetp.eq.u32 %p1, %r1, 32;\n@%p1 red.add.u32 [%rd0], 1;";
    assert_eq!(conduct(by_extent, 0), (false, false));
    let either = "ld.param.u32 %r1, [mode];\nand.b32 %r1, %r1, 3;\nsetp.eq.u32 %p1, %r1, 1;\nmov.u32 %r2, %tid.x;\n\
                  setp.eq.u32 %p2, %r2, 0;\nand.pred %p3, %p1, %p2;\n@%p3 red.add.u32 [%rd0], 1;";
    assert_eq!((conduct(either, 4), conduct(either, 5)), ((false, false), (true, false)));
}

#[test]
fn a_count_that_a_loop_changes_is_not_taken_for_known() {
    let body = "mov.u32 %r1, 0;\nL:\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 red.add.u32 [%rd0], 1;\nadd.u32 %r1, %r1, 1;\n\
                setp.lt.u32 %p2, %r1, 2;\n@%p2 bra L;";
    assert_eq!(conduct(body, 0), (true, false));
}
