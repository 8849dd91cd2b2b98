//! The order in which ways are taken, and where lanes meet.

use crate::execute::paths::{Paths, Wait};
use crate::program::NO_PC;
use crate::snippet::Snippet;

/// Appends `mark` to a list in memory, `%rd0` being its length: once for each way that is on it.
fn mark(mark: u32) -> String {
    // The lowest lane of the way writes, so one mark is one issue.
    format!(
        "{{ .reg .b32 m, l, n; .reg .pred p; .reg .b64 a;\nactivemask.b32 m;\nmov.u32 l, %lanemask_lt;\nand.b32 l, l, m;\n\
         setp.ne.u32 p, l, 0;\n@p bra S;\natom.global.add.u32 n, [%rd0], 1;\nmul.wide.u32 a, n, 8;\nadd.u64 a, a, %rd0;\n\
         st.global.u32 [a+8], {mark};\nst.global.u32 [a+12], m;\nS:\n}}\n"
    )
}

/// The marks and lanes of a snippet in the order in which they came.
fn marks(profile: &str, body: &str) -> Vec<(u32, u32)> {
    let words =
        Snippet::new(body).on(profile).words(vec![0; 256]).run().unwrap_or_else(|fault| panic!("{fault}")).words;
    (0..words[0] as usize).map(|place| (words[2 + 2 * place], words[3 + 2 * place])).collect()
}

const BOTH: [&str; 2] = ["h200", "8500gt"];

#[test]
fn the_taken_way_is_first_and_all_meet_behind() {
    let body = format!("setp.lt.u32 %p1, %r0, 8;\n@%p1 bra A;\n{}bra B;\nA:\n{}B:\n{}", mark(1), mark(2), mark(3));
    for profile in BOTH {
        assert_eq!(marks(profile, &body), [(2, 0xff), (1, 0xffff_ff00), (3, u32::MAX)], "{profile}");
    }
}

#[test]
fn inner_branches_are_done_before_outer_ones() {
    let body = format!(
        "setp.lt.u32 %p1, %r0, 8;\nsetp.lt.u32 %p2, %r0, 2;\n@%p1 bra A;\n{}bra D;\nA:\n@%p2 bra B;\n{}bra C;\nB:\n{}\
         C:\n{}D:\n{}",
        mark(1),
        mark(2),
        mark(3),
        mark(4),
        mark(5)
    );
    for profile in BOTH {
        let expected = [(3, 0b11), (2, 0xfc), (4, 0xff), (1, 0xffff_ff00), (5, u32::MAX)];
        assert_eq!(marks(profile, &body), expected, "{profile}");
    }
}

#[test]
fn a_switch_takes_the_lowest_lanes_way_first() {
    let body = format!(
        "T: .branchtargets A, B, C;\nshr.u32 %r1, %r0, 4;\nxor.b32 %r1, %r1, 2;\nbrx.idx %r1, T;\nA:\n{}bra D;\nB:\n{}bra D;\n\
         C:\n{}D:\n{}",
        mark(1),
        mark(2),
        mark(3),
        mark(4)
    );
    // Lanes 0 to 15 go to C, the others, whose index is 3, nowhere.
    let fault = Snippet::new(&body).words(vec![0; 256]).fault();
    assert!(fault.contains("thread (16, 0, 0)") && fault.contains("0x3 is not a place"), "{fault}");
    let right = body.replace("xor.b32 %r1, %r1, 2", "xor.b32 %r1, %r1, 1");
    for profile in BOTH {
        assert_eq!(marks(profile, &right), [(2, 0xffff), (1, 0xffff_0000), (4, u32::MAX)], "{profile}");
    }
}

#[test]
fn a_guard_holds_lanes_of_a_switch_back() {
    let body = format!(
        "T: .branchtargets A;\nmov.u32 %r1, 0;\nsetp.lt.u32 %p1, %r0, 4;\n@%p1 brx.idx %r1, T;\n{}A:\n{}",
        mark(1),
        mark(2)
    );
    for profile in BOTH {
        assert_eq!(marks(profile, &body), [(1, 0xffff_fff0), (2, u32::MAX)], "{profile}");
    }
}

#[test]
fn lanes_that_end_are_not_waited_for() {
    let body = format!(
        "setp.lt.u32 %p1, %r0, 8;\nsetp.lt.u32 %p2, %r0, 2;\n@%p1 bra A;\n{}bra B;\nA:\n@%p2 exit;\n{}B:\n{}",
        mark(1),
        mark(2),
        mark(3)
    );
    for profile in BOTH {
        assert_eq!(marks(profile, &body), [(2, 0xfc), (1, 0xffff_ff00), (3, 0xffff_fffc)], "{profile}");
    }
}

#[test]
fn the_mask_of_active_lanes_is_that_behind_the_guard() {
    let body = "setp.lt.u32 %p1, %r0, 3;\nmov.u32 %r1, 9;\n@%p1 activemask.b32 %r1;\nst.global.u32 [%rd1], %r1;";
    assert_eq!(Snippet::new(body).run().expect("it runs").words[..4], [7, 7, 7, 9]);
}

#[test]
fn a_divergent_loop_needs_one_join() {
    let mut paths = Paths::new(0xff, 0);
    // Lanes leave a loop at 1, whose post-dominator is 2, one after the other.
    for lane in 0..7_u32 {
        let stay = 0xff << (lane + 1) & 0xff;
        let top = paths.list.len() - 1;
        assert_eq!(paths.list[top].mask, 0xff << lane & 0xff);
        paths.diverge(top, 2, &[(2, 1 << lane), (1, stay)]);
        assert_eq!(paths.joins(), 1, "round {lane}");
        let left = paths.list.iter().position(|path| path.pc == 2).expect("a lane left");
        paths.arrive(left);
    }
    paths.list[0].pc = 2;
    assert_eq!(paths.join_pc(0), 2);
    paths.arrive(0);
    assert_eq!(paths.list.len(), 1);
    assert_eq!((paths.list[0].pc, paths.list[0].mask, paths.joins()), (2, 0xff, 0));
}

#[test]
fn branches_that_never_meet_need_no_join() {
    let mut paths = Paths::new(0b11, 0);
    paths.diverge(0, NO_PC, &[(1, 1), (2, 2)]);
    assert_eq!((paths.list.len(), paths.joins()), (2, 0));
    assert_eq!(paths.join_pc(1), NO_PC);
}

#[test]
fn lanes_that_leave_for_good_complete_a_join() {
    let mut paths = Paths::new(0xf, 0);
    paths.diverge(0, 5, &[(1, 0b1100), (2, 0b0011)]);
    paths.arrive(1);
    paths.exit(0b1100);
    assert_eq!(paths.list.len(), 1);
    assert_eq!((paths.list[0].pc, paths.list[0].mask), (5, 0b0011));
}

#[test]
fn a_return_leaves_the_joins_of_its_function() {
    let mut paths = Paths::new(0xf, 0);
    paths.call(0, 10, 1, 1);
    paths.diverge(0, 15, &[(11, 0b1100), (12, 0b0011)]);
    // Two lanes return from inside; the other two still meet at 15, and then nobody else does.
    paths.leave_function(1);
    assert_eq!(paths.list.len(), 1);
    paths.arrive(0);
    assert_eq!((paths.list[0].pc, paths.list[0].mask, paths.list[0].frame), (15, 0b1100, 1));
    paths.leave_function(0);
    assert_eq!((paths.list[0].pc, paths.list[0].mask, paths.list[0].frame), (1, 0xf, 0));
    assert_eq!((paths.list[0].wait, paths.joins()), (Wait::Ready, 0));
}

/// `f(n)`: returns at once for odd `n` under an inner branch, else adds 100, then 1 for all that are left.
const EARLY: &str = ".func (.param .b32 r) f (.param .b32 n) { .reg .b32 %a<4>; .reg .pred %q<4>;
    ld.param.b32 %a0, [n]; and.b32 %a1, %a0, 1; setp.eq.u32 %q1, %a1, 1; setp.lt.u32 %q2, %a0, 16;
    st.param.b32 [r], %a0;
    @!%q2 bra OUT;
    @%q1 ret;
    add.u32 %a0, %a0, 100;
    OUT: add.u32 %a0, %a0, 1;
    st.param.b32 [r], %a0;
    ret; }";

#[test]
fn guarded_returns_under_divergence_go_back_to_the_call() {
    let body = format!(
        "{{ .param .b32 n; .param .b32 r;\nst.param.b32 [n], %r0;\ncall (r), f, (n);\nld.param.b32 %r1, [r]; }}\n\
         st.global.u32 [%rd1+512], %r1;\n{}",
        mark(1)
    );
    for profile in ["h200", "a100"] {
        let ran = Snippet::with(EARLY, &body).on(profile).words(vec![0; 256]).run().expect("it runs");
        for n in 0..32_u32 {
            let expected = if n >= 16 {
                n + 1
            } else if n % 2 == 1 {
                n
            } else {
                n + 101
            };
            assert_eq!(ran.words[128 + n as usize], expected, "{n}");
        }
        assert_eq!(ran.words[0..4], [1, 0, 1, u32::MAX], "all lanes are together again");
    }
}

#[test]
fn guarded_and_indirect_calls_bring_their_lanes_back() {
    let module = ".func (.param .b32 r) one () { st.param.b32 [r], 1; ret; } \
                  .func (.param .b32 r) two () { st.param.b32 [r], 2; ret; }";
    let body = format!(
        "and.b32 %r2, %r0, 1;\nsetp.eq.u32 %p1, %r2, 0;\nmov.u64 %rd3, one;\nmov.u64 %rd4, two;\n\
         selp.u64 %rd5, %rd3, %rd4, %p1;\nsetp.lt.u32 %p2, %r0, 8;\n{{ .param .b32 r;\nst.param.b32 [r], 9;\n\
         p: .callprototype (.param .b32 _) _ ();\n@%p2 call (r), %rd5, (), p;\nld.param.b32 %r1, [r]; }}\n\
         st.global.u32 [%rd1+512], %r1;\n{}",
        mark(1)
    );
    let ran = Snippet::with(module, &body).words(vec![0; 256]).run().expect("it runs");
    let expected: Vec<u32> = (0..32).map(|lane| if lane >= 8 { 9 } else { 1 + lane % 2 }).collect();
    assert_eq!(ran.words[128..160], expected);
    assert_eq!(ran.words[0..4], [1, 0, 1, u32::MAX]);
}

/// `fib(n)` with calls under divergence.
const FIBONACCI: &str = ".func (.param .b32 r) fib (.param .b32 n);
    .func (.param .b32 r) fib (.param .b32 n) { .reg .b32 %a<8>; .reg .pred %q<2>;
    ld.param.b32 %a0, [n]; mov.u32 %a3, %a0; setp.lt.u32 %q1, %a0, 2;
    @%q1 bra END;
    sub.u32 %a1, %a0, 1;
    { .param .b32 n1; .param .b32 r1; st.param.b32 [n1], %a1; call (r1), fib, (n1); ld.param.b32 %a2, [r1]; }
    sub.u32 %a1, %a0, 2;
    { .param .b32 n1; .param .b32 r1; st.param.b32 [n1], %a1; call (r1), fib, (n1); ld.param.b32 %a4, [r1]; }
    add.u32 %a3, %a2, %a4;
    END: st.param.b32 [r], %a3;
    ret; }";

#[test]
fn recursion_under_divergence_is_right_and_frees_its_frames() {
    let body = "mov.u32 %r9, 0;\nAGAIN:\nand.b32 %r1, %r0, 7;\n{ .param .b32 n; .param .b32 r;\nst.param.b32 [n], %r1;\n\
                call (r), fib, (n);\nld.param.b32 %r2, [r]; }\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, 300;\n\
                @%p1 bra AGAIN;\nst.global.u32 [%rd1], %r2;";
    // 300 calls of the tree of fib(7) would be far more frames than there may be.
    let ran = Snippet::with(FIBONACCI, body).run().unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(ran.words[..8], [0, 1, 1, 2, 3, 5, 8, 13]);
    assert_eq!(ran.words[24..32], [0, 1, 1, 2, 3, 5, 8, 13]);
}
