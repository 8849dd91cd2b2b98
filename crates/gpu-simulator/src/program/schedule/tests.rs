//! Where instructions of loops come to stand, against machine code of `ptxas -arch sm_90` (CUDA 13.0).

use crate::program::arranged_at;
use crate::snippet::kernel;
use crate::windows::MODULE_BASE;

/// The first words of the instructions of a loop with this body and a counter, in the order in which they are timed.
fn order(body: &str) -> Vec<String> {
    let body = format!(
        "mov.u32 %r1, 0;\nmov.u32 %r5, %r0;\nL:\n.pragma \"nounroll\";\n{body}\nadd.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 512;\n\
         @%p1 bra L;\nst.global.u32 [%rd1], %r5;"
    );
    let module = ptx_syntax::parse(&kernel("", &body)).expect("it is right");
    let program = arranged_at(&module, "k", MODULE_BASE).expect("it is arranged");
    let end = program.code.iter().position(super::Instruction::is_branch).expect("the loop's branch");
    let super::Operation::Branch { target } = program.code[end].operation else { unreachable!() };
    let word = |own: &super::Instruction| own.row.form.split(['.', '|']).next().unwrap_or_default().to_owned();
    program.code[target as usize..end].iter().map(word).collect()
}

/// `block_barriers` of `tests/gpu/constants/atomics.cu`, and `turns_to_barrier` of `one_lane.cu`.
#[test]
fn the_count_of_a_loop_passes_its_barrier_and_the_comparison_stands_behind_it() {
    assert_eq!(order("bar.sync 0;"), ["add", "bar", "setp"]);
    let exchange = "shfl.sync.bfly.b32 %r2, %r5, 1, 31, -1;\nadd.u32 %r5, %r5, %r2;\nbar.sync 0;";
    assert_eq!(order(exchange), ["shfl", "add", "bar", "setp", "add"]);
}

#[test]
fn a_wait_for_copies_stands_where_a_barrier_does() {
    for (wait, word) in [("cp.async.wait_all;", "cp"), ("cp.async.wait_group 1;", "cp")] {
        assert_eq!(order(wait), ["add", word, "setp"], "{wait}");
    }
}

/// `turns` of `tests/gpu/constants/fence_rounds.cu`: `order=fence` and `order=fence_and_store`.
#[test]
fn a_comparison_stands_before_a_fence_unless_a_store_follows_it() {
    assert_eq!(order("fence.acq_rel.cta;"), ["add", "setp", "fence"]);
    let store = "fence.acq_rel.cta;\nst.relaxed.cta.global.u32 [%rd1], %r1;";
    assert_eq!(order(store), ["fence", "st", "add", "setp"]);
    let other = "fence.acq_rel.cta;\nst.relaxed.cta.global.u32 [%rd1], %r0;";
    assert_eq!(order(other), ["add", "fence", "setp", "st"]);
}

#[test]
fn nothing_passes_what_reads_a_clock_and_accesses_pass_no_barrier() {
    assert_eq!(order("mov.u32 %r3, %clock;"), ["mov", "add", "setp"]);
    let accesses = "st.shared.u32 [%r0], %r5;\nbar.sync 0;\nld.shared.u32 %r5, [%r0+4];";
    let found = order(accesses);
    let place = |word: &str| found.iter().position(|own| own == word).expect("it is there");
    assert!(place("st") < place("bar") && place("bar") < place("ld"), "{found:?}");
}
