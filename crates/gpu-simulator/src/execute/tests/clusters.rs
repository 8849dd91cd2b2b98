//! What programs for clusters do where a cluster is one block.

use crate::snippet::{Snippet, errors, kernel};

#[test]
fn one_lane_of_those_that_take_part_is_elected() {
    let body = "mov.u32 %r5, 0;\nsetp.lt.u32 %p1, %r0, 3;\n@%p1 bra D;\nelect.sync %r6|%p2, 0xfffffff8;\n\
                selp.u32 %r5, 100, 200, %p2;\nadd.u32 %r5, %r5, %r6;\nD:\nst.global.u32 [%rd1], %r5;";
    let words = Snippet::new(body).run().unwrap_or_else(|fault| panic!("{fault}")).words;
    assert_eq!(words[..5], [0, 0, 0, 103, 203]);
}

#[test]
fn a_cluster_is_one_block() {
    let body = "{ .shared .align 4 .b8 s[256]; mov.u32 %r9, s; }\nmad.lo.u32 %r1, %r0, 4, %r9;\nst.shared.u32 [%r1], %r0;\n\
                barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n\
                mov.u32 %r2, %cluster_ctarank;\nmapa.shared::cluster.u32 %r3, %r9, %r2;\nxor.b32 %r4, %r0, 32;\n\
                mad.lo.u32 %r3, %r4, 4, %r3;\nld.shared::cluster.u32 %r5, [%r3];\nmov.u32 %r6, %cluster_nctaid.x;\n\
                mad.lo.u32 %r5, %r6, 1000, %r5;\nst.global.u32 [%rd1], %r5;";
    let words = Snippet::new(body).threads(64).run().unwrap_or_else(|fault| panic!("{fault}")).words;
    assert_eq!(words, (0..64).map(|thread| 1000 + (thread ^ 32)).collect::<Vec<u32>>());
    let several = kernel("", "").replace("(.param .u64 out) {", "(.param .u64 out) .reqnctapercluster 2, 1, 1 {");
    assert!(errors(&several).contains("clusters of several blocks are not simulated"));
}

#[test]
fn a_cache_policy_changes_nothing_about_what_is_loaded_and_stored() {
    let body = "createpolicy.fractional.L2::evict_first.b64 %rd5, 1.0;\n\
                ld.global.L1::evict_first.L2::cache_hint.v2.u32 {%r1, %r2}, [%rd0], %rd5;\nadd.u32 %r1, %r1, %r2;\n\
                st.global.L2::cache_hint.u32 [%rd1+128], %r1, %rd5;";
    let words = Snippet::new(body).words((1..65).collect()).run().unwrap_or_else(|fault| panic!("{fault}")).words;
    assert!(words[32..].iter().all(|word| *word == 3), "{words:?}");
}
