//! What goes wrong, and how it is told.

use crate::Problem;
use crate::program::{Conduct, Given};
use crate::snippet::Snippet;

/// What the machine says, which must be that the launch failed or cannot be.
fn failed(snippet: &Snippet) -> String {
    snippet.launch().expect_err("it should fail").to_string()
}

#[test]
fn an_access_beyond_an_allocation_is_told_with_place_and_distance() {
    let body = "mov.u32 %r5, %ctaid.x;\nsetp.ne.u32 %p1, %r5, 2;\n@%p1 bra E;\nst.global.u32 [%rd1+200], 1;\nE:";
    let told = failed(&Snippet::new(body).blocks(4));
    // 64 words: thread 14 is the first beyond the end.
    assert!(
        told.starts_with("k, block (2, 0, 0), thread (14, 0, 0), line 5 of the PTX: writes 4 bytes at 0x"),
        "{told}"
    );
    assert!(told.ends_with("element 64 of `out`, which has 64 elements of 4 bytes (at 0x11000000000)"), "{told}");
    let told = failed(&Snippet::new("ld.global.u32 %r1, [%rd0+-8];"));
    assert!(
        told.contains("thread (0, 0, 0)")
            && told.ends_with("element -2 of `out`, which has 64 elements of 4 bytes (at 0x11000000000)"),
        "{told}"
    );
    let told = failed(&Snippet::new("ld.global.u32 %r1, [%rd0+1000];"));
    assert!(told.contains("reads 4 bytes") && told.contains("element 250 of `out`"), "{told}");
    let told = failed(&Snippet::new("ld.global.u64 %rd2, [%rd0+264];").words(vec![0; 65]));
    assert!(
        told.ends_with("reads 8 bytes at 0x11000000108, 4 bytes beyond the end of `out` (260 bytes at 0x11000000000)"),
        "{told}"
    );
    let told = failed(&Snippet::new("mov.u64 %rd2, 0;\nld.global.u32 %r1, [%rd2];"));
    assert!(
        told.ends_with("reads 4 bytes at 0x0, 1168231104512 bytes before `out` (256 bytes at 0x11000000000)"),
        "{told}"
    );
}

/// However far it leads: what is found there is not what the address is of.
#[test]
fn an_access_that_leads_into_another_buffer_is_told() {
    let mut snippet = Snippet::new("");
    snippet.bytes_behind = 16 << 20;
    // 64 words, 64 KiB that nobody has, and the other buffer.
    for (offset, element) in [(65_792_i64, 16_448_i64), (1 << 20, 1 << 18), (1 << 30, 1 << 28), (-4096, -1024)] {
        let offset = format!("add.s64 %rd2, %rd0, {offset};\n");
        for access in ["ld.global.u32 %r1, [%rd2];", "st.global.u32 [%rd2], 1;", "atom.global.add.u32 %r1, [%rd2], 1;"]
        {
            snippet.text = Snippet::new(&format!("{offset}{access}")).text;
            let told = failed(&snippet);
            assert!(told.contains(&format!("element {element} of `out`, which has 64 elements")), "{access}: {told}");
        }
    }
    let told =
        failed(&Snippet::new("mov.u64 %rd2, 0x7f0000000000;\nadd.s64 %rd2, %rd0, %rd2;\nld.global.u32 %r1, [%rd2];"));
    assert!(told.contains("bytes beyond the end of `out`"), "{told}");
}

#[test]
fn an_access_across_the_end_is_told() {
    let snippet = Snippet::new("ld.global.u64 %rd2, [%rd0+256];").words(vec![0; 65]);
    let told = failed(&snippet);
    assert!(told.contains("of which 4 are beyond the end of `out`"), "{told}");
}

#[test]
fn misaligned_accesses_are_told() {
    for (body, bytes) in [
        ("ld.global.u32 %r1, [%rd0+2];", 4),
        ("st.global.u64 [%rd0+4], %rd0;", 8),
        ("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0+8];", 16),
        ("ld.shared.u32 %r1, [1];", 4),
        ("atom.global.add.u32 %r1, [%rd0+1], 1;", 4),
        ("atom.shared.add.u32 %r1, [2], 1;", 4),
        ("ld.param.u32 %r1, [out+2];", 4),
    ] {
        let mut snippet = Snippet::new(body);
        snippet.shared_bytes = 64;
        let told = failed(&snippet);
        assert!(
            told.contains("line 2") && told.contains(&format!("which is no multiple of {bytes}")),
            "{body}: {told}"
        );
    }
}

#[test]
fn accesses_beyond_other_memories_are_told() {
    let constants = ".const .b32 c[2];";
    for (module, body, expected) in [
        ("", "st.shared.u32 [64], 1;", "beyond the 64 bytes of the block's shared memory"),
        ("", "ld.shared.u32 %r1, [4294967292];", "beyond the 64 bytes of the block's shared memory"),
        ("", "atom.shared.add.u32 %r1, [64], 1;", "beyond the 64 bytes of the block's shared memory"),
        ("", "mov.u64 %rd2, 17179869180;\nld.shared.u32 %r1, [%rd2];", "of the block's shared memory"),
        (
            "",
            ".local .b32 l[2];\nmov.u64 %rd2, l;\nld.local.u32 %r1, [%rd2+8];",
            "beyond the 8 bytes of the thread's local memory",
        ),
        (
            "",
            ".local .b32 l[2];\nst.local.u64 [l+17179869184], %rd0;",
            "beyond the 8 bytes of the thread's local memory",
        ),
        ("", "mov.u64 %rd2, 18446744073709551600;\nld.local.v2.u64 {%rd3, %rd4}, [%rd2];", "the thread's local memory"),
        (constants, "ld.const.u32 %r1, [c+8];", "beyond the 8 bytes of constant memory"),
        (
            constants,
            "mov.u64 %rd2, c;\ncvta.const.u64 %rd2, %rd2;\nst.u32 [%rd2], 1;",
            "in memory that kernels cannot write",
        ),
        (
            constants,
            "mov.u64 %rd2, c;\ncvta.const.u64 %rd2, %rd2;\natom.add.u32 %r1, [%rd2], 1;",
            "in neither global nor shared memory",
        ),
        ("", "ld.param.u32 %r1, [out+8];", "beyond the 8 bytes of the kernel's parameters"),
        ("", "mov.u64 %rd2, 18446744073709551600;\nld.global.v2.u64 {%rd3, %rd4}, [%rd2];", "beyond the end of `out`"),
        ("", "ld.global.u32 %r1, [0];", "bytes before `out`"),
        ("", "ld.u32 %r1, [%rd3];", "bytes before `out`"),
        ("", "cp.async.ca.shared.global [%r40], [%rd3], 16;", "bytes before `out`"),
        ("", "cp.async.ca.shared.global [64], [%rd0], 16;", "beyond the 64 bytes of the block's shared memory"),
    ] {
        let mut snippet = Snippet::with(module, body);
        snippet.shared_bytes = 64;
        let told = failed(&snippet);
        assert!(told.contains(expected) && told.contains("thread (0, 0, 0)"), "{body}: {told}");
    }
}

#[test]
fn an_asynchronous_copy_of_nothing_reads_nothing() {
    let body =
        "cp.async.ca.shared.global [%r40], [%rd3], 16, 0;\nld.shared.u32 %r1, [%r40];\nst.global.u32 [%rd1], %r1;";
    let mut snippet = Snippet::new(body);
    snippet.shared_bytes = 64;
    assert_eq!(snippet.launch().expect("it runs").0[0], 0);
}

#[test]
fn kernels_end_themselves() {
    let told = failed(&Snippet::new("setp.eq.u32 %p1, %r0, 5;\n@%p1 trap;"));
    assert!(told.starts_with("k, block (0, 0, 0), thread (5, 0, 0), line 3") && told.contains("trap"), "{told}");
    let module = ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e); \
                  .global .b8 text[6] = {120, 32, 60, 32, 51}; .global .b8 file[5] = {97, 46, 99, 117};";
    let body = "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\nmov.u64 %rd2, text;\n\
                st.param.b64 [a], %rd2;\nmov.u64 %rd2, file;\nst.param.b64 [b], %rd2;\nst.param.b32 [c], 12;\n\
                setp.eq.u32 %p1, %r0, 3;\n@%p1 call __assertfail, (a, b, c, d, e); }";
    let told = failed(&Snippet::with(module, body));
    assert!(
        told.contains("thread (3, 0, 0), line 9") && told.ends_with("assertion failed: x < 3 (a.cu, line 12)"),
        "{told}"
    );
}

#[test]
fn recursion_without_an_end_is_told() {
    for frame in ["", ".local .b8 l[100]; .reg .b64 %a<2>; mov.u64 %a0, l;"] {
        let module = format!(".func f (); .func f () {{ {frame} call f, (); ret; }}");
        let told = failed(&Snippet::with(&module, "call f, ();"));
        assert!(told.contains("more than 65536 bytes of local memory") && told.contains("recursion"), "{told}");
    }
}

#[test]
fn a_kernel_with_much_local_memory_can_call() {
    let module = ".func (.param .b32 r) f () { st.param.b32 [r], 5; ret; }";
    let body = ".local .b8 big[200000];\n{ .param .b32 r;\ncall (r), f, ();\nld.param.b32 %r1, [r]; }\nst.local.u8 [big+199999], %r1;\n\
                ld.local.u8 %r2, [big+199999];\nst.global.u32 [%rd1], %r2;";
    assert_eq!(Snippet::with(module, body).run().unwrap_or_else(|fault| panic!("{fault}")).words[..32], [5; 32]);
}

#[test]
fn calls_and_branches_to_nowhere_are_told() {
    for address in ["0", "1234", "%rd0"] {
        let body = format!("mov.u64 %rd2, {address};\np: .callprototype ()_ ();\ncall %rd2, (), p;");
        let told = failed(&Snippet::new(&body));
        assert!(
            told.contains("thread (0, 0, 0), line 4") && told.contains("is not a place that it can go to"),
            "{told}"
        );
    }
    let told = failed(&Snippet::new("T: .branchtargets A, B;\nbrx.idx %r0, T;\nA:\nB:"));
    assert!(told.contains("thread (2, 0, 0), line 3") && told.contains("0x2 is not a place"), "{told}");
}

#[test]
fn barriers_have_numbers_below_16() {
    let told = failed(&Snippet::new("mov.u32 %r1, 16;\nbar.sync %r1;"));
    assert!(told.contains("line 3") && told.ends_with("there is no barrier 16, only 0 to 15"), "{told}");
}

#[test]
fn a_warp_without_an_end_is_told_with_where_it_is() {
    let body = "setp.lt.u32 %p1, %r0, 4;\n@%p1 bra L;\nst.global.u32 [%rd1], 1;\nret;\nL:\nbra L;";
    let told = failed(&Snippet::new(body).step_limit(1000));
    assert!(told.contains("instructions of one warp (the profile's step_limit)"), "{told}");
    assert!(told.contains("warp 0: lanes 4 to 31 at line 4, lanes 0 to 3 at line 7"), "{told}");
    assert!(told.contains("line 7 of the PTX"), "{told}");
}

#[test]
fn warps_that_wait_for_each_other_without_an_end_are_told() {
    let told = failed(&Snippet::new("L:\nbar.sync 0;\nbra L;").threads(64).step_limit(1000));
    assert!(told.contains("no end after") && told.contains("all lanes"), "{told}");
}

#[test]
fn a_loop_without_an_end_is_told_long_before_the_step_limit() {
    let sum = "L:\nadd.f32 %f1, %f1, 0f3F800000;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 bra L;\n\
               st.global.f32 [%rd1], %f1;\nst.global.u32 [%rd1], %r2;";
    let halved = "mov.u32 %r1, 1024;\nL:\nbar.sync 0;\nshr.u32 %r1, %r1, 1;\nadd.u32 %r2, %r2, %r1;\n\
                  setp.ge.u32 %p1, %r1, 0;\n@%p1 bra L;\nst.global.u32 [%rd1], %r2;";
    let lanes = "setp.gt.u32 %p2, %r0, 40;\nL:\nadd.u32 %r2, %r2, 1;\n@%p2 bra L;\nst.global.u32 [%rd1], %r2;";
    for body in [sum, halved, lanes] {
        let told = failed(&Snippet::new(body).threads(256).blocks(4).step_limit(1 << 60));
        assert!(told.contains("a loop without an end"), "{told}");
    }
    let told = failed(&Snippet::new(lanes).threads(64).step_limit(1 << 60));
    assert!(told.contains("same values: warp 1: lanes 0 to 8") && told.contains("lanes 9 to 31 at line"), "{told}");
}

/// Memory is never as it was.
#[test]
fn a_loop_that_no_way_leads_out_of_is_told_long_before_the_limits_though_it_changes_memory() {
    let counts =
        "L:\nld.volatile.global.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, 1;\nst.volatile.global.u32 [%rd1], %r1;\nbra L;";
    let adds = "setp.lt.u32 %p1, %r0, 7;\n@%p1 ret;\nL:\natom.global.add.u32 %r1, [%rd1], 1;\nst.global.u32 [%rd1], %r1;\nbra L;";
    for body in [counts, adds] {
        let told = failed(&Snippet::new(body).threads(64).blocks(3).step_limit(1 << 40));
        assert!(told.contains("a loop without an end: no way leads out of it: warp"), "{told}");
    }
}

#[test]
fn loops_that_only_memory_can_end_have_the_limit_of_one_warp_together() {
    let counts = "L:\n.pragma \"nounroll\";\nld.volatile.global.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, 1;\nst.volatile.global.u32 [%rd1], %r1;\n\
                  setp.ne.u32 %p1, %r1, -1;\n@%p1 bra L;";
    let adds = "L:\natom.global.add.u32 %r1, [%rd1], 1;\nsetp.ne.u32 %p1, %r1, -1;\n@%p1 bra L;";
    // Of three instructions one is an atomic, whose 32 lanes count.
    for (body, expected) in [(counts, 2_000_000), (adds, 2_000_000 * 3 / 35)] {
        let fault = Snippet::new(body)
            .words(vec![0; 256])
            .threads(256)
            .blocks(4)
            .step_limit(2_000_000)
            .run()
            .expect_err("it has no end");
        let Problem::MemoryLimit { steps, .. } = fault.problem else { panic!("{fault}") };
        assert!((expected..expected + 200_000).contains(&steps), "{fault}");
    }
}

/// Each has far more instructions than the limit of one warp.
#[test]
fn long_loops_of_many_warps_are_no_fault() {
    let counter = "mov.u32 %r2, 0;\nL:\n.pragma \"nounroll\";\natom.global.add.u32 %r1, [%rd1], 1;\nadd.u32 %r2, %r2, 1;\n\
                   setp.lt.u32 %p1, %r2, 20000;\n@%p1 bra L;";
    let queue = "L:\n.pragma \"nounroll\";\natom.global.add.u32 %r1, [%rd0], 1;\nsetp.ge.u32 %p1, %r1, 4000000;\n@%p1 ret;\n\
                 and.b32 %r2, %r1, 63;\nmul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd2, %rd0, %rd2;\nst.global.u32 [%rd2+8], %r1;\n\
                 bra L;";
    let rounds = "L:\n.pragma \"nounroll\";\nbar.sync 0;\nld.volatile.global.u32 %r1, [%rd1];\nbar.sync 0;\nadd.u32 %r2, %r1, 1;\n\
                  st.volatile.global.u32 [%rd1], %r2;\nsetp.lt.u32 %p1, %r1, 20000;\n@%p1 bra L;";
    for body in [counter, queue, rounds] {
        let ran = Snippet::new(body).words(vec![0; 256]).threads(256).blocks(2).step_limit(300_000).run();
        assert!(ran.is_ok(), "{:?}", ran.err());
    }
}

#[test]
fn loops_that_end_late_or_that_memory_ends_are_no_fault() {
    let late =
        "mov.u32 %r1, 0;\nL:\n.pragma \"nounroll\";\nadd.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 3000000;\n@%p1 bra L;";
    let by_memory = "L:\n.pragma \"nounroll\";\nld.global.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd1], %r1;\n\
                     setp.lt.u32 %p1, %r1, 600000;\n@%p1 bra L;";
    for body in [late, by_memory] {
        let ran = Snippet::new(body).run();
        assert!(ran.is_ok(), "{:?}", ran.err());
    }
}

#[test]
fn a_step_limit_that_is_just_reached_is_no_fault() {
    let snippet =
        Snippet::new("L:\n.pragma \"nounroll\";\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 2000;\n@%p1 bra L;")
            .step_limit(6004);
    assert!(snippet.run().is_ok() && snippet.launch().is_ok());
    assert!(snippet.step_limit(5900).launch().is_err());
}

#[test]
fn limits_of_a_launch_are_told() {
    let body = ".shared .b8 s[40000];\nst.shared.u8 [s], 1;";
    let told = failed(&Snippet::new(body).on("gtx280"));
    assert!(told.contains("shared memory"), "{told}");
    let told = failed(&Snippet::new("").threads(1025));
    assert!(told.contains("1025 threads"), "{told}");
    let told = failed(&Snippet::new("").threads(0));
    assert!(told.contains("no threads"), "{told}");
    let told = failed(&Snippet::new("").blocks(0));
    assert!(told.contains("no blocks"), "{told}");
    let mut snippet = Snippet::new("");
    snippet.text =
        snippet.text.replace(".visible .entry k(.param .u64 out)", ".visible .entry k(.param .u64 out) .maxntid 16");
    assert!(failed(&snippet).contains("its .maxntid allows 16"));
}

#[test]
fn instructions_that_a_gpu_does_not_have_are_all_told() {
    let body = "shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;\natom.shared.add.u32 %r1, [0], 1;\nvote.sync.ballot.b32 %r1, 1, -1;\n\
                ld.u32 %r1, [%rd0];\nshfl.sync.idx.b32 %r1, %r0, 0, 31, -1;";
    let told = failed(&Snippet::new(body).on("8500gt"));
    for expected in [
        "line 2: a shuffle needs compute capability 3.0",
        "line 3: an atomic on shared memory needs compute capability 1.2",
        "line 4: a ballot needs compute capability 2.0",
        "line 5: a generic address needs compute capability 2.0",
    ] {
        assert!(told.contains(expected), "{told}");
    }
    assert!(!told.contains("line 6"), "each kind once: {told}");
}

#[test]
fn nothing_is_written_by_a_launch_that_fails() {
    // All blocks but the last store, the last goes wrong; they cannot see each other.
    let body = "mov.u32 %r5, %ctaid.x;\nst.global.u32 [%rd1], 7;\nsetp.eq.u32 %p1, %r5, 9;\n@%p1 trap;";
    let text = Snippet::new(body).blocks(10);
    let program = crate::snippet::program(&text.text);
    let given = Given { parameters: &[0; 8], grid: [10, 1, 1], block: [32, 1, 1] };
    assert!(!Conduct::of(&program, &given).communicates);
    assert!(text.words_after_fault().iter().all(|word| *word == 0));
}
