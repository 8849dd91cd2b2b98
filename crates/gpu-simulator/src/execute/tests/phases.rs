//! Barriers in shared memory and bulk copies.

use crate::snippet::Snippet;

fn words(body: &str, threads: u32) -> Vec<u32> {
    Snippet::new(body).threads(threads).run().unwrap_or_else(|fault| panic!("{fault}")).words
}

#[test]
fn threads_wait_for_what_others_of_the_block_wrote_before_they_arrived() {
    // Each of 64 threads writes a word of shared memory, arrives, waits, and reads what the thread opposite wrote.
    let body = "{ .shared .align 8 .b64 barrier; .shared .align 4 .b8 s[256]; mov.u32 %r8, barrier; mov.u32 %r9, s; }\n\
                setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [%r8], 64;\nbar.sync 0;\n\
                mad.lo.u32 %r1, %r0, 4, %r9;\nadd.u32 %r2, %r0, 100;\nst.shared.u32 [%r1], %r2;\n\
                mbarrier.arrive.shared.b64 %rd5, [%r8];\n\
                W:\nmbarrier.test_wait.shared.b64 %p2, [%r8], %rd5;\n@!%p2 bra W;\n\
                xor.b32 %r3, %r0, 63;\nmad.lo.u32 %r3, %r3, 4, %r9;\nld.shared.u32 %r4, [%r3];\nst.global.u32 [%rd1], %r4;";
    assert_eq!(words(body, 64), (0..64).map(|thread| 100 + (63 - thread)).collect::<Vec<u32>>());
}

#[test]
fn a_phase_waits_for_the_bytes_of_a_bulk_copy() {
    // What is told before the copy, and after it: the phase with parity 0 is complete then.
    let body = "{ .shared .align 8 .b64 barrier; .shared .align 16 .b8 s[64]; mov.u32 %r8, barrier; mov.u32 %r9, s; }\n\
                setp.ne.u32 %p1, %r0, 0;\n@%p1 exit;\nst.global.u32 [%rd0+12], 7;\n\
                mbarrier.init.shared.b64 [%r8], 1;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 32;\n\
                mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r8], 0;\nselp.u32 %r1, 1, 2, %p2;\n\
                cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd0], 32, [%r8];\n\
                mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r8], 0;\nselp.u32 %r2, 1, 2, %p2;\n\
                ld.shared.u32 %r3, [%r9+12];\n\
                cp.async.bulk.global.shared::cta.bulk_group [%rd0+64], [%r9], 16;\n\
                cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n\
                st.global.u32 [%rd0], %r1;\nst.global.u32 [%rd0+4], %r2;\nst.global.u32 [%rd0+8], %r3;";
    let told = words(body, 32);
    assert_eq!((&told[..4], told[19]), (&[2, 1, 7, 7][..], 7));
}

#[test]
fn what_is_not_a_barrier_is_told() {
    let told = |body: &str| Snippet::new(body).fault();
    let odd = "{ .shared .align 8 .b64 s; mov.u32 %r8, s; }\nmbarrier.init.shared.b64 [%r8+4], 1;";
    assert!(told(odd).contains("no multiple of 8"), "{}", told(odd));
    let elsewhere = "mbarrier.init.b64 [%rd0], 1;";
    assert!(told(elsewhere).contains("which is not in shared memory"), "{}", told(elsewhere));
    let size = "{ .shared .align 16 .b8 s[64]; mov.u32 %r8, s; }\n\
                cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r8], 24;";
    assert!(told(size).contains("no multiple of 16"), "{}", told(size));
}
