//! Kernels with and without races, on which both are known.

use super::{Action, Place, RaceKind, Races, Unchecked};
use crate::snippet::kernel;
use crate::{Extent, Grid, Machine, Memory, Profile};

use RaceKind::{BetweenBlocks, BetweenWarps, Unfinished, WithinInstruction, WithinWarp};

/// A launch of a snippet, which begins in line 2, on a buffer of 256 zeros.
fn races_on(profile: &str, body: &str, blocks: u32, threads: u32) -> Races {
    let text = kernel(".shared .align 16 .b8 tile[1024];", body);
    let module = ptx_syntax::parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
    let machine = Machine::new(Profile::load(profile).expect("it is there"));
    let mut memory = Memory::default();
    let out = memory.add("out", vec![0; 1024]);
    let kernel = machine.load_for(&mut memory, &module, "k").unwrap_or_else(|error| panic!("{error}"));
    let launched = machine.races(&kernel, Grid::linear(blocks, threads), &[out.into()], &mut memory, Extent::AllBlocks);
    launched.unwrap_or_else(|error| panic!("{error}"))
}

fn races(body: &str, blocks: u32, threads: u32) -> Races {
    races_on("h200", body, blocks, threads)
}

/// Kind, lines and count of each.
fn found(races: &Races) -> Vec<(RaceKind, [u32; 2], u64)> {
    races.found.iter().map(|own| (own.kind, own.accesses.map(|own| own.line), own.count)).collect()
}

/// Each thread stores its word of `tile` in line 4 and loads that of the thread on the other side in line 6; `between` is line 5.
fn reversal(between: &str) -> String {
    format!(
        "mov.u32 %r1, tile; shl.b32 %r2, %r0, 2; mov.u32 %r5, %ntid.x;\n\
         add.u32 %r3, %r1, %r2; sub.u32 %r4, %r5, %r0; sub.u32 %r4, %r4, 1; shl.b32 %r4, %r4, 2; add.u32 %r4, %r1, %r4;\n\
         st.shared.u32 [%r3], %r0;\n{between}\nld.shared.u32 %r6, [%r4];\nst.global.u32 [%rd1], %r6;"
    )
}

#[test]
fn what_crosses_a_tile_needs_a_barrier() {
    let without = races(&reversal(""), 2, 128);
    // Each word but those that no other thread has is read by a thread of another warp.
    assert_eq!(found(&without), [(BetweenWarps, [6, 4], 256)]);
    let [race] = &without.found[..] else { panic!("{without:?}") };
    assert_eq!(race.place, Place::Shared { variable: Some("tile".to_owned()), byte: 256 });
    assert_eq!(race.accesses.map(|own| own.action), [Action::Reads, Action::Writes]);
    assert_eq!(
        race.to_string(),
        "line 6 of the PTX reads byte 256 of tile, which line 4 of the PTX writes, in threads with no barrier between: \
         block (0, 0, 0), threads (63, 0, 0) and (64, 0, 0); 256 times"
    );
    assert_eq!(found(&races(&reversal("bar.warp.sync -1;"), 2, 128)).len(), 1);
    assert_eq!(found(&races(&reversal("bar.sync 0;"), 2, 128)), []);
    assert_eq!(races(&reversal("bar.sync 0;"), 2, 128).accesses, 2 * 128 * 3);
}

#[test]
fn counters_set_to_zero_need_a_barrier_before_they_count() {
    let counted =
        |between: &str| reversal(between).replace("ld.shared.u32 %r6, [%r4]", "atom.shared.add.u32 %r6, [%r4], 1");
    let without = races(&counted(""), 1, 128);
    let [race] = &without.found[..] else { panic!("{without:?}") };
    assert_eq!(race.accesses.map(|own| own.action), [Action::Writes, Action::Changes]);
    assert_eq!(race.remedy(), "put __syncthreads() between them");
    assert_eq!(found(&races(&counted("bar.sync 0;"), 1, 128)), []);
}

/// CUDA C++ Programming Guide, "Atomic Functions": `old = *address; do { assumed = old; old = atomicCAS(address, assumed, ...); } ...`
#[test]
fn a_load_that_guesses_what_a_compare_and_swap_finds_races_with_none() {
    // The largest index of a thread, at one address for all.
    let of = |first: &str| {
        let body = format!(
            "{first};\nL: setp.le.s32 %p1, %r0, %r2; @%p1 bra E;\natom.global.cas.b32 %r3, [%rd0], %r2, %r0;\n\
             setp.eq.s32 %p2, %r3, %r2; mov.u32 %r2, %r3; @!%p2 bra L;\nE:"
        );
        found(&races(&body, 2, 128)).len()
    };
    assert_eq!(of("ld.global.u32 %r2, [%rd0]"), 0);
    assert_ne!(of("ld.global.u32 %r2, [%rd0+4]; st.global.u32 [%rd0+4], %r0"), 0, "it is of another place");
}

#[test]
fn a_load_before_each_turn_of_a_compare_and_swap_races_with_none() {
    let body = "L: ld.global.u32 %r4, [%rd0]; add.u32 %r5, %r4, 1;\natom.global.cas.b32 %r3, [%rd0], %r4, %r5;\n\
                setp.ne.u32 %p1, %r3, %r4; @%p1 bra L;";
    assert_eq!(found(&races(body, 2, 64)), []);
    // Tried once, it is an access as any other.
    let once = body.replace("setp.ne.u32 %p1, %r3, %r4; @%p1 bra L;", "st.global.u32 [%rd1+512], %r3;");
    assert_ne!(found(&races(&once, 2, 64)), []);
}

/// Its loop waits for nobody, so that it orders nothing.
#[test]
fn a_compare_and_swap_that_is_tried_again_hides_no_race() {
    let adds = |first: &str, load: &str| {
        format!(
            "{first}\n{load};\nL: mov.u32 %r4, %r3; add.u32 %r5, %r4, 1;\natom.global.cas.b32 %r3, [%rd0], %r4, %r5;\n\
             setp.ne.u32 %p1, %r3, %r4; @%p1 bra L;"
        )
    };
    let guess = "ld.global.u32 %r3, [%rd0]";
    assert_eq!(found(&races(&adds("", guess), 2, 64)), []);
    let set = "setp.eq.u32 %p2, %r0, 0; @%p2 st.global.u32 [%rd0], 7;";
    assert_ne!(found(&races(&adds(set, guess), 2, 64)), [], "thread 0 of each block sets it");
}

/// The load has the address of the variable, the atomic a register to which that was moved.
#[test]
fn a_guess_in_shared_memory_races_with_none() {
    let body = "mov.u32 %r9, tile; setp.eq.u32 %p3, %r0, 0; @%p3 st.shared.u32 [tile], 0; bar.sync 0;\nld.shared.u32 %r3, [tile];\n\
                L: mov.u32 %r4, %r3; add.u32 %r5, %r4, 1;\natom.shared.cas.b32 %r3, [%r9], %r4, %r5;\n\
                setp.ne.u32 %p1, %r3, %r4; @%p1 bra L;";
    assert_eq!(found(&races(body, 1, 128)), []);
}

#[test]
fn a_tile_that_is_used_again_needs_a_second_barrier() {
    let again = |behind: &str| {
        let body = reversal("bar.sync 0;");
        let (first, rest) = body.split_once("st.shared").expect("it stores");
        format!(
            "{first} mov.u32 %r9, 0; L: st.shared{rest}\n{behind}\nadd.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra L;"
        )
    };
    // The lines are those of `reversal`, where the store comes first.
    assert_eq!(found(&races(&again(""), 1, 64)), [(BetweenWarps, [6, 4], 2 * 64)]);
    assert_eq!(found(&races(&again("bar.sync 0;"), 1, 64)), []);
}

/// A sum of 64 words by halves: the loads are in lines 6 and 7, the store in line 8, `barrier` is line 9. `kind` is what is behind the
/// points of loads and stores.
fn tree(kind: &str, barrier: &str) -> String {
    format!(
        "mov.u32 %r1, tile; shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2; st{kind}.shared.u32 [%r3], %r0; mov.u32 %r9, 32;\n\
         bar.sync 0;\n\
         L: setp.ge.u32 %p1, %r0, %r9; @%p1 bra N;\n\
         shl.b32 %r4, %r9, 2; add.u32 %r4, %r4, %r3;\n\
         ld{kind}.shared.u32 %r5, [%r4];\n\
         ld{kind}.shared.u32 %r6, [%r3];\n\
         add.u32 %r6, %r5, %r6; st{kind}.shared.u32 [%r3], %r6;\n\
         N: {barrier}\n\
         shr.u32 %r9, %r9, 1; setp.gt.u32 %p2, %r9, 0; @%p2 bra L;"
    )
}

#[test]
fn a_tree_needs_barriers_at_each_step() {
    assert_eq!(found(&races(&tree("", "bar.sync 0;"), 1, 64)), []);
    assert_eq!(found(&races(&tree("", "bar.warp.sync -1;"), 1, 64)), [], "one warp has all behind the first barrier");
    // Lanes of one warp, in 16 + 8 + 4 + 2 + 1 sums of what another lane has stored, and as many stores of what one has read.
    let in_step = races(&tree("", ""), 1, 64);
    assert!(found(&in_step).iter().all(|(kind, lines, _)| *kind == WithinWarp && *lines == [6, 8]), "{in_step:?}");
    assert_eq!(in_step.found.len(), 1);
    assert!(!in_step.found[0].kind.is_certain());
    assert_eq!(found(&races_on("gtx280", &tree("", ""), 1, 64)), [], "its lanes are in step");
    assert_eq!(found(&races(&tree(".volatile", ""), 1, 64)), found(&in_step), "volatile orders no lanes");
    assert_eq!(found(&races(&tree(".relaxed.cta", ""), 1, 64)), [], "strong accesses do not race");
}

#[test]
fn a_tree_over_warps_needs_barriers_of_the_block() {
    let wide = |barrier: &str| tree("", barrier).replace("%r9, 32;", "%r9, 64;");
    assert_eq!(found(&races(&wide("bar.sync 0;"), 1, 128)), []);
    let without = races(&wide("bar.warp.sync -1;"), 1, 128);
    assert_eq!(found(&without)[0].0, BetweenWarps);
    assert_eq!(found(&without)[0].1, [6, 8]);
}

/// Counts numbers modulo 4, by `count` at `[%rd3]`.
fn histogram(count: &str) -> String {
    format!("and.b32 %r1, %r0, 3;\nmad.wide.u32 %rd3, %r1, 4, %rd0;\n{count}")
}

#[test]
fn a_histogram_needs_atomics() {
    let plain = "ld.global.u32 %r2, [%rd3];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%rd3], %r2;";
    let wrong = races(&histogram(plain), 3, 64);
    let kinds: Vec<RaceKind> = wrong.found.iter().map(|own| own.kind).collect();
    assert_eq!(kinds, [BetweenBlocks, BetweenWarps, BetweenBlocks, BetweenWarps, WithinWarp], "{wrong:?}");
    assert!(found(&wrong).iter().all(|(_, lines, _)| *lines == [4, 6] || *lines == [6, 6]), "{wrong:?}");
    assert!(matches!(&wrong.found[0].place, Place::Global { name, element: 0..4 } if name == "out"), "{wrong:?}");
    let right = races(&histogram("red.global.add.u32 [%rd3], 1;"), 3, 64);
    assert_eq!((found(&right), &right.unchecked[..]), (vec![], &[][..]));
    // An atomic does not help what is read beside it.
    let mixed = races(&histogram("red.global.add.u32 [%rd3], 1;\nld.global.u32 %r2, [%rd0];"), 2, 32);
    assert_eq!(found(&mixed).iter().map(|own| own.0).collect::<Vec<_>>(), [BetweenBlocks, WithinWarp], "{mixed:?}");
    assert_eq!(mixed.found[0].accesses.map(|own| own.action), [Action::Reads, Action::Changes]);
}

#[test]
fn stores_of_one_value_are_no_race_and_of_different_ones_are() {
    assert_eq!(found(&races("st.global.u32 [%rd0], 7;", 4, 128)), []);
    assert_eq!(found(&races("st.global.u32 [%rd0], %r0;", 1, 32)), [(WithinInstruction, [2, 2], 31)]);
    assert_eq!(found(&races("and.b32 %r1, %r0, 31;\nst.global.u32 [%rd0], %r1;", 1, 1)), []);
    let wide = races("st.global.v2.u32 [%rd0], {%r0, 7};", 1, 2);
    assert_eq!(found(&wide), [(WithinInstruction, [2, 2], 1)]);
}

#[test]
fn neighbouring_bytes_are_apart() {
    let body = "cvt.u64.u32 %rd3, %r0; add.u64 %rd3, %rd3, %rd0;\nst.global.u8 [%rd3], %r0;\nld.global.u8 %r1, [%rd3];";
    assert_eq!(found(&races(body, 1, 128)), []);
    let shifted = body.replace("ld.global.u8 %r1, [%rd3]", "ld.global.u8 %r1, [%rd3+1]");
    let races = races(&shifted, 1, 64);
    assert_eq!(
        found(&races).iter().map(|own| (own.0, own.2)).collect::<Vec<_>>(),
        [(BetweenWarps, 1), (WithinWarp, 62)]
    );
}

#[test]
fn lanes_that_part_race_and_barriers_of_the_warp_and_shuffles_order_them() {
    let body = |between: &str| {
        format!(
            "mov.u32 %r1, tile; setp.eq.u32 %p1, %r0, 3;\n@%p1 st.shared.u32 [%r1], %r0;\n{between}\nld.shared.u32 %r2, [%r1];"
        )
    };
    assert_eq!(found(&races(&body(""), 1, 32)), [(WithinWarp, [5, 3], 31)]);
    for between in ["bar.warp.sync -1;", "shfl.sync.idx.b32 %r3, %r0, 0, 31, -1;", "vote.sync.any.pred %p2, 1, -1;"] {
        assert_eq!(found(&races(&body(between), 1, 32)), [], "{between}");
    }
}

#[test]
fn what_fences_and_flags_order_is_no_race() {
    // The last block of all adds what the others have stored.
    let last = "mov.u32 %r1, %ctaid.x; mad.wide.u32 %rd3, %r1, 4, %rd0;\nst.global.u32 [%rd3+16], %r1;\nmembar.gl;\n\
                atom.global.inc.u32 %r2, [%rd0], 3;\nsetp.ne.u32 %p1, %r2, 3; @%p1 bra E;\nld.global.u32 %r3, [%rd0+16];\n\
                ld.global.u32 %r4, [%rd0+28];\nE:";
    let races_of = races(last, 4, 1);
    assert_eq!((found(&races_of), &races_of.unchecked[..]), (vec![], &[Unchecked::BetweenBlocks][..]));
    // Without the fence nothing orders them.
    let without = races(&last.replace("membar.gl;", ""), 4, 1);
    assert!(!without.found.is_empty() && without.unchecked.is_empty(), "{without:?}");
    // A warp waits for a flag of another one.
    let flag = "mov.u32 %r1, tile; setp.ge.u32 %p1, %r0, 32; @%p1 bra W;\nst.shared.u32 [%r1+128], 9; membar.cta;\n\
                st.volatile.shared.u32 [%r1], 1; bra E;\nW: ld.volatile.shared.u32 %r2, [%r1];\nsetp.eq.u32 %p2, %r2, 0; @%p2 bra W;\n\
                membar.cta; ld.shared.u32 %r3, [%r1+128];\nE:";
    assert_eq!(found(&races(flag, 1, 64)), []);
}

#[test]
fn barriers_of_a_part_of_the_block_order_it() {
    // The first warp stores and arrives, the second waits and loads.
    let body = "mov.u32 %r1, tile; shl.b32 %r2, %r0, 2; setp.ge.u32 %p1, %r0, 32; @%p1 bra W;\nadd.u32 %r2, %r2, %r1;\n\
                st.shared.u32 [%r2], %r0;\nbar.arrive 1, 64; bra E;\nW: bar.sync 1, 64;\nadd.u32 %r2, %r2, %r1;\n\
                ld.shared.u32 %r3, [%r2+-128];\nE:";
    assert_eq!(found(&races(body, 1, 64)), []);
    let without = body.replace("bar.arrive 1, 64;", "").replace("bar.sync 1, 64;", "");
    assert_eq!(found(&races(&without, 1, 64)), [(BetweenWarps, [8, 4], 32)]);
}

#[test]
fn a_launch_that_is_large_is_watched_in_part() {
    let text = kernel("", "mov.u32 %r1, %ctaid.x; st.global.u32 [%rd1], %r1;");
    let module = ptx_syntax::parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
    let machine = Machine::new(Profile::load("h200").expect("it is there"));
    let mut memory = Memory::default();
    let out = memory.add("out", vec![0; 1024]);
    let kernel = machine.load_for(&mut memory, &module, "k").unwrap_or_else(|error| panic!("{error}"));
    let races = machine
        .races(&kernel, Grid::linear(4000, 32), &[out.into()], &mut memory, Extent::UpTo(1000))
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(races.blocks, 4000);
    assert!((64..200).contains(&races.blocks_watched), "{races:?}");
    assert_eq!(races.found.len(), 1);
    assert_eq!(races.found[0].kind, BetweenBlocks);
}

/// The same as [`reversal`], where the word is copied there from global memory.
fn copied(between: &str) -> String {
    reversal(between).replace("st.shared.u32 [%r3], %r0", "cp.async.ca.shared.global [%r3], [%rd1], 4")
}

#[test]
fn what_a_copy_brings_must_be_waited_for_before_the_barrier() {
    let of = |between: &str| races(&copied(between), 1, 128);
    for right in [
        "cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;",
        "cp.async.wait_all; bar.sync 0;",
        // A later group may be under way.
        "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1; bar.sync 0;",
    ] {
        assert_eq!(found(&of(right)), [], "{right}");
    }
    for wrong in [
        "bar.sync 0;",
        "cp.async.commit_group; bar.sync 0;",
        "cp.async.commit_group; cp.async.wait_group 1; bar.sync 0;",
        // It is in no group.
        "cp.async.wait_group 0; bar.sync 0;",
    ] {
        assert_eq!(found(&of(wrong)), [(Unfinished, [6, 4], 128)], "{wrong}");
    }
    let races_of = of("cp.async.commit_group; bar.sync 0;");
    let [race] = &races_of.found[..] else { panic!("{races_of:?}") };
    assert_eq!(race.place, Place::Shared { variable: Some("tile".to_owned()), byte: 124 });
    assert_eq!(race.accesses.map(|own| own.action), [Action::Reads, Action::Copies]);
    assert_eq!(
        race.to_string(),
        "line 6 of the PTX reads byte 124 of tile, which line 4 of the PTX copies to, before the copying thread has waited for it: \
         block (0, 0, 0), threads (96, 0, 0) and (31, 0, 0); 128 times"
    );
    assert!(race.remedy().contains("cp.async.wait_group") && race.kind.is_certain(), "{race:?}");
}

#[test]
fn a_wait_behind_the_barrier_is_too_late_for_others() {
    // The first warps read what others have not waited for yet, the last what others have, with no barrier between.
    let late = races(&copied("cp.async.commit_group; bar.sync 0; cp.async.wait_group 0;"), 1, 128);
    assert_eq!(found(&late), [(Unfinished, [6, 4], 64), (BetweenWarps, [6, 4], 64)]);
    assert!(late.found[1].remedy().contains("behind the wait for the copy"), "{late:?}");
}

/// Each turn, a warp may be so far ahead that it copies to what another one still reads.
#[test]
fn a_copy_to_what_is_still_read_needs_a_barrier() {
    let body = |between: &str| {
        let turn = "cp.async.ca.shared.global [%r3], [%rd1], 4; cp.async.wait_all; bar.sync 0;";
        format!("{}\n{turn}", copied("cp.async.wait_all; bar.sync 0;").replace("st.global.u32 [%rd1], %r6;", between))
    };
    assert_eq!(found(&races(&body("bar.sync 0;"), 1, 128)), []);
    let wrong = races(&body(""), 1, 128);
    assert_eq!(found(&wrong), [(BetweenWarps, [6, 8], 128)]);
    assert!(wrong.found[0].remedy().contains("before a copy that comes later"), "{wrong:?}");
}

#[test]
fn a_thread_waits_for_what_it_accesses_itself() {
    let own = |between: &str| copied(between).replace("[%r4];", "[%r3];");
    assert_eq!(found(&races(&own("cp.async.commit_group; cp.async.wait_group 0;"), 1, 128)), []);
    assert_eq!(found(&races(&own("cp.async.commit_group;"), 1, 128)), [(Unfinished, [6, 4], 128)]);
    let stored = own("cp.async.commit_group;").replace("ld.shared.u32 %r6, [%r3]", "st.shared.u32 [%r3], %r0");
    assert_eq!(found(&races(&stored, 1, 128)), [(Unfinished, [6, 4], 128)]);
}

#[test]
fn a_ring_of_copies_waits_for_one_stage_at_a_time() {
    // Two stages of a word for each thread: line 8 copies, line 12 reads what the thread on the other side has copied.
    let ring = |wait: &str| {
        format!(
            "mov.u32 %r1, tile; shl.b32 %r2, %r0, 2; mov.u32 %r5, %ntid.x; sub.u32 %r4, %r5, %r0; sub.u32 %r4, %r4, 1;\n\
             shl.b32 %r4, %r4, 2; add.u32 %r3, %r1, %r2; add.u32 %r4, %r4, %r1; mov.u32 %r7, 0;\n\
             cp.async.ca.shared.global [%r3], [%rd1], 4;\ncp.async.commit_group;\n\
             L: add.u32 %r7, %r7, 1; and.b32 %r8, %r7, 1; shl.b32 %r8, %r8, 8; add.u32 %r9, %r3, %r8;\nsetp.ge.u32 %p1, %r7, 4;\n\
             @!%p1 cp.async.ca.shared.global [%r9], [%rd1], 4;\ncp.async.commit_group;\n{wait}\n\
             xor.b32 %r8, %r8, 256; add.u32 %r9, %r4, %r8;\nld.shared.u32 %r6, [%r9]; bar.sync 0; setp.lt.u32 %p2, %r7, 4; @%p2 bra L;"
        )
    };
    assert_eq!(found(&races(&ring("cp.async.wait_group 1; bar.sync 0;"), 1, 64)), []);
    let early = races(&ring("cp.async.wait_group 2; bar.sync 0;"), 1, 64);
    assert!(!early.found.is_empty() && early.found.iter().all(|own| own.kind == Unfinished), "{early:?}");
}

#[test]
fn a_barrier_in_memory_waits_for_copies_too() {
    let body = |wait: &str| {
        let set = "{ .shared .align 8 .b64 s; mov.u32 %r8, s; } setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r8], 128; bar.sync 0; ";
        format!("{set}{}", copied(wait))
    };
    let arrives = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r8];";
    let waits = "W: mbarrier.test_wait.parity.shared.b64 %p2, [%r8], 0; @!%p2 bra W;";
    assert_eq!(found(&races(&body(&format!("{arrives} {waits}")), 1, 128)), []);
    // The arrival of a thread that does not wait for its copies says nothing of them.
    let of_thread = arrives.replace("cp.async.mbarrier.arrive.noinc.shared.b64", "mbarrier.arrive.shared.b64 _,");
    let wrong = races(&body(&format!("{of_thread} {waits}")), 1, 128);
    assert_eq!(found(&wrong), [(Unfinished, [6, 4], 128)]);
    let waited = races(&body(&format!("cp.async.wait_all; {of_thread} {waits}")), 1, 128);
    assert_eq!(found(&waited), []);
}

#[test]
fn bulk_copies_are_said_not_to_be_looked_at() {
    let bulk = "{ .shared .align 16 .b64 s; mov.u32 %r8, s; mov.u32 %r9, tile; }\nsetp.ne.u32 %p1, %r0, 0; @%p1 bra E;\n\
                mbarrier.init.shared.b64 [%r8], 1;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 32;\n\
                cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd0], 32, [%r8];\nE:";
    assert_eq!(races(bulk, 1, 32).unchecked, [Unchecked::BulkCopies]);
}
