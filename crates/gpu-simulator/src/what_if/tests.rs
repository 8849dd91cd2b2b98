//! Launches without patterns whose times are known from launches that never had them.

use super::Pattern;
use crate::Grid;
use crate::lines::tests::{Case, DIVERGENT};
use crate::profile::Profile;

/// A thread loads its word of a tile `turns` times on one of two ways: lanes whose number has the bit `way` on the first, the others on
/// the second. `PLACE` is an instruction that makes the thread's place in the tile from its number.
const ON_A_TILE: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry tiled(.param .u64 out, .param .u32 way, .param .u32 turns)
{ .reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .pred %p<3>; .shared .align 4 .b8 tile[1024];
ld.param.u64 %rd0, [out]; ld.param.u32 %r7, [way]; ld.param.u32 %r8, [turns];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1; mov.u32 %r3, 0; mov.u32 %r5, tile; mov.u32 %r4, 0;
PLACE
shl.b32 %r6, %r9, 2; add.u32 %r6, %r6, %r5; st.shared.u32 [%r6], %r1; bar.sync 0;
and.b32 %r2, %r1, %r7; setp.eq.u32 %p0, %r2, 0;
@%p0 bra EVEN;
ODD: ld.shared.u32 %r10, [%r6]; mad.lo.u32 %r4, %r4, 5, %r10; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r8; .pragma \"nounroll\";
@%p1 bra ODD;
bra END;
EVEN: ld.shared.u32 %r10, [%r6]; mad.lo.u32 %r4, %r4, 7, %r10; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r8; .pragma \"nounroll\";
@%p1 bra EVEN;
END: st.global.u32 [%rd2], %r4; ret; }";
const BRANCH: u32 = 9;

/// Every thread counts to a hundred times one of 32 numbers, which are in the order of the threads or mixed up.
const COUNTING: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry counting(.param .u64 out, .param .u32 factor)
{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<3>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r7, [factor];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1; mov.u32 %r3, 0; mov.u32 %r4, 1;
mul.lo.u32 %r2, %r1, %r7; shr.u32 %r2, %r2, 3; and.b32 %r2, %r2, 31; mul.lo.u32 %r2, %r2, 100;
TURN: mad.lo.u32 %r4, %r4, 5, 1; mul.hi.u32 %r4, %r4, 77777; add.u32 %r3, %r3, 1; setp.le.u32 %p1, %r3, %r2; .pragma \"nounroll\";
@%p1 bra TURN;
st.global.u32 [%rd2], %r4; ret; }";

fn assert_alike(time_us: f64, other_us: f64, what: &str) {
    assert!((time_us / other_us - 1.0).abs() < 0.05, "{time_us} us, {other_us} us: {what}");
}

#[test]
fn sorted_threads_take_as_long_as_threads_that_are_in_order() {
    let case = |way: u32| Case::new(DIVERGENT, "parted", Grid::linear(264, 256), &[1024], &[way]);
    let (mut parted, mut whole) = (case(1), case(128));
    let in_order = whole.time_us(&[]);
    assert_alike(parted.without(Pattern::DivergenceWithinBlocks, 7), in_order, "half of the warps go each way");
    assert_alike(whole.without(Pattern::DivergenceWithinBlocks, 7), in_order, "the warps only change places");
    let mut one_warp = Case::new(DIVERGENT, "parted", Grid::linear(264, 32), &[1024], &[1]);
    let as_written = one_warp.time_us(&[]);
    assert_eq!(one_warp.without(Pattern::DivergenceWithinBlocks, 7).to_bits(), as_written.to_bits(), "one warp");
}

#[test]
fn sorted_threads_keep_their_words_of_shared_memory() {
    let times = |place: &str, way: u32| {
        let text = ON_A_TILE.replace("PLACE", place);
        let mut case = Case::new(&text, "tiled", Grid::linear(1056, 256), &[1024], &[way, 300]);
        (case.time_us(&[]), case.without(Pattern::DivergenceWithinBlocks, BRANCH))
    };
    let in_order = "mov.u32 %r9, %r1;";
    // Even lanes of two warps have every other word: two of them in each bank.
    let (_, sorted) = times(in_order, 1);
    // The same words in the same warps, written so: of the lanes whose seventh bit is set, and of the others, every other word.
    let (twofold, _) =
        times("shl.b32 %r9, %r1, 1; shr.u32 %r10, %r1, 7; add.u32 %r9, %r9, %r10; and.b32 %r9, %r9, 255;", 128);
    assert_alike(sorted, twofold, "two words in a bank");
    let (free, _) = times(in_order, 128);
    assert!(twofold > 1.2 * free, "{twofold} {free}");
}

#[test]
fn threads_are_sorted_by_the_turns_of_their_loops() {
    // So many blocks that the turns of all warps count, not those of the longest alone.
    let case = |factor: u32| Case::new(COUNTING, "counting", Grid::linear(1056, 256), &[1024], &[factor]);
    let (mut mixed, mut in_order) = (case(8 * 5), case(1));
    let (as_written, sorted) = (mixed.time_us(&[]), mixed.without(Pattern::DivergenceWithinBlocks, 7));
    assert!(sorted < 0.95 * as_written, "{sorted} {as_written}");
    assert_alike(sorted, in_order.time_us(&[]), "eight threads of each length are neighbours");
}

#[test]
fn threads_that_tell_each_other_something_stay_where_they_are() {
    let votes = DIVERGENT.replace("END:", "END: vote.sync.any.pred %p0, %p0, 0xffffffff;");
    // What the branch itself takes where lanes part is not a part of the ways.
    let mut profile = Profile::load("h200").unwrap();
    profile.warps.divergence_cycles = 0.0;
    let mut parted = Case::on(profile, &votes, "parted", Grid::linear(264, 256), &[1024], &[1]);
    let (as_written, sorted) = (parted.time_us(&[]), parted.without(Pattern::DivergenceWithinBlocks, 7));
    // Eight warps with 1 + 1 / 8 ways each, in place of two.
    let launch_us = 5.0;
    assert_alike((sorted - launch_us) / (as_written - launch_us), 1.125 / 2.0, "an estimate of the ways of a warp");
}

/// Every thread writes, `FENCE`, and again.
const FENCED: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry fenced(.param .u64 out)
{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<3>;
ld.param.u64 %rd0, [out];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1; mov.u32 %r3, 0;
TURN: st.global.u32 [%rd2], %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 64; .pragma \"nounroll\";
FENCE
@%p1 bra TURN;
ret; }";

#[test]
fn a_launch_without_its_fences_takes_as_long_as_one_that_has_none() {
    let case = |fence: &str| Case::new(&FENCED.replace("FENCE", fence), "fenced", Grid::linear(132, 256), &[1024], &[]);
    let (mut fenced, mut free) = (case("membar.gl;"), case(""));
    let (as_written, without, free) = (fenced.time_us(&[]), fenced.without(Pattern::Fences, 7), free.time_us(&[]));
    assert!(as_written > 1.5 * free, "{as_written} {free}");
    assert_alike(without, free, "no fences");
    assert_eq!(fenced.without(Pattern::Fences, 8).to_bits(), as_written.to_bits(), "there is none on that line");
}

/// Every thread adds words of its local memory.
const LOCAL: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry spilled(.param .u64 out)
{ .reg .b32 %r<9>; .reg .b64 %rd<6>; .reg .pred %p<3>; .local .align 4 .b8 own[1024];
ld.param.u64 %rd0, [out];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1; mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u64 %rd3, own;
TURN: and.b32 %r5, %r3, 255; mul.wide.u32 %rd4, %r5, 4; add.u64 %rd4, %rd4, %rd3;
LOAD
add.u32 %r4, %r4, %r6; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 512; .pragma \"nounroll\";
@%p1 bra TURN;
st.global.u32 [%rd2], %r4; ret; }";

#[test]
fn a_launch_without_local_memory_takes_as_long_as_one_that_has_none() {
    let case = |load: &str| Case::new(&LOCAL.replace("LOAD", load), "spilled", Grid::linear(1056, 256), &[1024], &[]);
    let (mut spilled, mut free) = (case("ld.local.u32 %r6, [%rd4];"), case("cvt.u32.u64 %r6, %rd4;"));
    let (as_written, without) = (spilled.time_us(&[]), spilled.without(Pattern::LocalMemory, 7));
    let free = free.time_us(&[]);
    assert!(as_written > 1.5 * free, "{as_written} {free}");
    assert!((without / free - 1.0).abs() < 0.15, "{without} without, {free} where there is none");
}

/// Threads whose number is below `bound` store a word after a hundred multiplications; the others return at once.
const BOUNDED: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry bounded(.param .u64 out, .param .u32 bound)
{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<2>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [bound];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mov.u32 %r5, 0;
setp.ge.u32 %p0, %r4, %r0;
@%p0 bra END;
TURN: mad.lo.u32 %r6, %r6, 5, %r4; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 100; .pragma \"nounroll\"; @%p1 bra TURN;
mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd0, %rd2; st.global.u32 [%rd3], %r4;
END: ret; }";
const GUARD: u32 = 7;

#[test]
fn a_launch_without_idle_blocks_takes_as_long_as_one_that_has_none() {
    for (blocks, bound) in [(4000_u32, 256_000), (20_000, 256_000), (300_000, 256_000), (2000, 2)] {
        let mut case = Case::new(BOUNDED, "bounded", Grid::linear(blocks, 256), &[4 * 256_000], &[bound]);
        let needed = bound.div_ceil(256);
        let mut fitting = Case::new(BOUNDED, "bounded", Grid::linear(needed, 256), &[4 * 256_000], &[bound]);
        let (as_written, without) = (case.time_us(&[]), case.without(Pattern::IdleThreads, GUARD));
        let what = format!("{needed} of {blocks} blocks, {as_written} us as written");
        assert!((without / fitting.time_us(&[]) - 1.0).abs() < 0.02, "{without} {}: {what}", fitting.time_us(&[]));
        assert!(without < as_written, "{what}");
    }
}

#[test]
fn idle_warps_of_busy_blocks_execute_for_nothing() {
    let times = |bound: u32| {
        let mut case = Case::new(BOUNDED, "bounded", Grid::linear(1, 1024), &[4096], &[bound]);
        (case.time_us(&[]), case.without(Pattern::IdleThreads, GUARD), case.without(Pattern::IdleThreads, GUARD + 1))
    };
    let (as_written, without, elsewhere) = times(32);
    assert!(without < as_written, "{without} {as_written}");
    assert_eq!(elsewhere.to_bits(), as_written.to_bits(), "no warp leaves there");
    let (as_written, without, _) = times(1024);
    assert_eq!(without.to_bits(), as_written.to_bits(), "none is idle");
}

/// Every thread counts its turns in words of its own remainder by `divisor`, `REST` from its place and the turn.
const DIVIDING: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry dividing(.param .u64 out, .param .u32 divisor)
{ .reg .b32 %r<12>; .reg .b64 %rd<9>; .reg .pred %p<2>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [divisor]; sub.u32 %r7, %r0, 1; cvt.u64.u32 %rd3, %r0; cvt.u64.u32 %rd4, %r7;
mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1; mov.u32 %r3, 0; mov.u32 %r4, 0;
TURN: mad.lo.u32 %r5, %r3, 77, %r1; cvt.u64.u32 %rd5, %r5;
REST
add.u32 %r4, %r4, %r6; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 200; .pragma \"nounroll\";
@%p1 bra TURN;
st.global.u32 [%rd2], %r4; ret; }";
const REST: u32 = 7;

#[test]
fn a_launch_without_divisions_takes_as_long_as_one_that_masks() {
    let case =
        |rest: &str| Case::new(&DIVIDING.replace("REST", rest), "dividing", Grid::linear(1056, 256), &[1024], &[64]);
    for (divided, masked) in [
        ("rem.u32 %r6, %r5, %r0;", "and.b32 %r6, %r5, %r7;"),
        ("rem.u64 %rd6, %rd5, %rd3; cvt.u32.u64 %r6, %rd6;", "and.b64 %rd6, %rd5, %rd4; cvt.u32.u64 %r6, %rd6;"),
    ] {
        let (mut dividing, mut masking) = (case(divided), case(masked));
        let (as_written, without) = (dividing.time_us(&[]), dividing.without(Pattern::Divisions, REST));
        assert!(as_written > 1.5 * without, "{as_written} {without}");
        assert_alike(without, masking.time_us(&[]), masked);
        assert_eq!(dividing.without(Pattern::Divisions, REST + 1).to_bits(), as_written.to_bits(), "not on that line");
        let as_written = masking.time_us(&[]);
        assert_eq!(masking.without(Pattern::Divisions, REST).to_bits(), as_written.to_bits(), "it divides nothing");
    }
    let mut constant = case("rem.u32 %r6, %r5, 48;");
    let as_written = constant.time_us(&[]);
    assert_eq!(constant.without(Pattern::Divisions, REST).to_bits(), as_written.to_bits(), "a constant is known");
}

/// All threads together read `count` words, each those that are as far apart as there are threads, and compute `TURNS` with each.
const SUMMING: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry summing(.param .u64 out, .param .u64 in, .param .u32 count)
{ .reg .b32 %r<12>; .reg .b64 %rd<6>; .reg .pred %p<3>; .shared .align 4 .b8 tile[SHARED];
ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in]; ld.param.u32 %r7, [count];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
mov.u32 %r4, %nctaid.x; mul.lo.u32 %r4, %r4, %r2; mov.u32 %r5, 0; mov.u32 %r6, %r1;
NEXT: mul.wide.u32 %rd2, %r6, 4; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r8, [%rd3]; mov.u32 %r9, 0;
TURN: mad.lo.u32 %r5, %r5, 5, %r8; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, TURNS; .pragma \"nounroll\";
@%p1 bra TURN;
add.u32 %r6, %r6, %r4; setp.lt.u32 %p0, %r6, %r7; .pragma \"nounroll\";
@%p0 bra NEXT;
mul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd0, %rd4; st.global.u32 [%rd5], %r5; ret; }";

/// So many words, summed by so many blocks of 256 threads with so many turns for each, and bytes of shared memory.
fn summing(words: u32, blocks: u32, turns: u32, shared_bytes: u32) -> Case {
    let text = SUMMING.replace("TURNS", &turns.to_string()).replace("SHARED", &shared_bytes.to_string());
    let bytes = [blocks as usize * 1024, words as usize * 4];
    Case::new(&text, "summing", Grid::linear(blocks, 256), &bytes, &[words])
}

/// An H200 holds eight blocks of 256 threads on each of its 132 multiprocessors.
const FULL: u32 = 8 * 132;

#[test]
fn a_grid_of_few_blocks_takes_filled_what_one_takes_that_fills_the_gpu() {
    let words = FULL * 256 * 32;
    for turns in [1, 16] {
        let fastest = [FULL, 4 * FULL].map(|blocks| summing(words, blocks, turns, 4).time_us(&[]));
        let fastest = fastest.into_iter().fold(f64::INFINITY, f64::min);
        for blocks in [16, 132, 264, FULL + 1] {
            let mut few = summing(words, blocks, turns, 4);
            let (as_written, filled) = (few.time_us(&[]), few.without(Pattern::EmptyPlaces, 4));
            assert!(as_written > 1.15 * filled, "{blocks} blocks: {as_written} us, {filled} us filled");
            assert!(
                (filled / fastest - 1.0).abs() < 0.1,
                "{blocks} blocks: {filled} us filled, {fastest} us written so"
            );
        }
    }
}

#[test]
fn a_launch_whose_blocks_take_little_takes_what_a_multiprocessor_full_of_them_does() {
    let words = FULL * 256 * 32;
    let mut large = summing(words, FULL, 4, 40 * 1024);
    let (as_written, without) = (large.time_us(&[]), large.without(Pattern::LowOccupancy, 4));
    let small = summing(words, FULL, 4, 4).time_us(&[]);
    assert!(as_written > 1.5 * small, "{as_written} {small}");
    assert_eq!(without.to_bits(), small.to_bits(), "the same but for shared memory");
    assert_eq!(summing(words, FULL, 4, 4).without(Pattern::LowOccupancy, 4).to_bits(), small.to_bits(), "it is full");
}

#[test]
fn a_launch_that_loads_words_takes_wide_what_one_takes_that_loads_four_at_once() {
    // The same sums of four words at once.
    let wide = SUMMING
        .replace("mul.wide.u32 %rd2, %r6, 4;", "mul.wide.u32 %rd2, %r6, 16;")
        .replace("ld.global.u32 %r8, [%rd3];", "ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%rd3]; add.u32 %r8, %r8, %r9; add.u32 %r8, %r8, %r10; add.u32 %r8, %r8, %r11;");
    let words = FULL * 256 * 64;
    // What each turn waits for a parameter is four times as much where there are four times as many turns.
    let mut profile = Profile::load("h200").unwrap();
    profile.warps.parameter_cycles = 0.0;
    for blocks in [264, 528, FULL] {
        let bytes = [blocks as usize * 1024, words as usize * 4];
        let case = |text: &str, words| {
            let text = text.replace("TURNS", "1").replace("SHARED", "4");
            Case::on(profile.clone(), &text, "summing", Grid::linear(blocks, 256), &bytes, &[words])
        };
        let mut narrow = case(SUMMING, words);
        let wide = case(&wide, words / 4).time_us(&[]);
        let (as_written, widened) = (narrow.time_us(&[]), narrow.without(Pattern::NarrowLoads, 7));
        assert!(as_written > 1.5 * wide, "{blocks} blocks: {as_written} us, {wide} us where four words are loaded");
        // The turns of the loop are as many as before.
        let error = widened / wide - 1.0;
        assert!((-0.05..0.2).contains(&error), "{blocks} blocks: {widened} us widened, {wide} us written so");
    }
}
