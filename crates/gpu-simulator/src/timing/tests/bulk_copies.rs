//! What bulk copies take.

use crate::profile::Profile;
use crate::snippet::Snippet;

/// Cycles of a turn of a loop in which so many lanes of a warp have 128 bytes each copied to shared memory, and all wait for them.
fn cycles_of_a_turn(lanes: u32, profile: &Profile) -> f64 {
    let time_us = |turns: u32| {
        let body = format!(
            "{{ .shared .align 128 .b8 s[4224]; mov.u32 %r9, s; }}\nmad.lo.u32 %r3, %r0, 128, %r9;\nadd.u32 %r3, %r3, 128;\n\
             setp.eq.u32 %p2, %r0, 0;\nsetp.lt.u32 %p3, %r0, {lanes};\nmov.u64 %rd3, %rd0;\n\
             @%p2 mbarrier.init.shared.b64 [%r9], 1;\nbar.sync 0;\nmov.u32 %r8, 0;\nL:\n.pragma \"nounroll\";\n\
             and.b32 %r7, %r8, 1;\n@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%r9], {bytes};\n\
             @%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd3], 128, [%r9];\n\
             W:\nmbarrier.try_wait.parity.shared.b64 %p1, [%r9], %r7;\n@!%p1 bra W;\n\
             add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, {turns};\n@%p1 bra L;",
            bytes = 128 * lanes,
        );
        let mut snippet = Snippet::new(&body).blocks(1).threads(32);
        snippet.profile = profile.clone();
        snippet.launch().unwrap_or_else(|error| panic!("{error}")).1.time_us
    };
    (time_us(200) - time_us(100)) / 100.0 * 1980.0
}

fn profile() -> Profile {
    Profile::load("h200").expect("it is built in")
}

#[test]
fn a_bulk_copy_takes_what_the_profile_says_longer_than_a_load() {
    let mut longer = profile();
    longer.bulk_copies.latency_cycles += 100.0;
    let [usual, longer] = [&profile(), &longer].map(|profile| cycles_of_a_turn(1, profile));
    assert!(usual > 200.0 && (longer - usual - 100.0).abs() < 3.0, "{usual} {longer}");
}

/// The last of the lanes begins so much later.
#[test]
fn lanes_begin_their_bulk_copies_one_after_the_other() {
    let profile = profile();
    let [one, nine] = [1, 9].map(|lanes| cycles_of_a_turn(lanes, &profile));
    assert!((nine - one - 8.0 * profile.bulk_copies.issue_cycles).abs() < 20.0, "{one} {nine}");
}

/// Cycles of a turn of a loop of one thread.
fn cycles_of_one_thread(turn: &str, profile: &Profile) -> f64 {
    let time_us = |turns: u32| {
        let body = format!(
            "{{ .shared .align 128 .b8 s[16384]; mov.u32 %r9, s; }}\nmov.u32 %r8, 0;\nL:\n.pragma \"nounroll\";\n{turn}\n\
             add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, {turns};\n@%p1 bra L;"
        );
        let mut snippet = Snippet::new(&body).blocks(1).threads(1).words(vec![0; 4096]);
        snippet.profile = profile.clone();
        snippet.launch().unwrap_or_else(|error| panic!("{error}")).1.time_us
    };
    (time_us(200) - time_us(100)) / 100.0 * 1980.0
}

/// As measured on an H200: 32 bytes a cycle, whether it is waited for until all is read or until all is written.
#[test]
fn bulk_copies_to_global_memory_take_their_lines() {
    let profile = profile();
    let cycles = |bytes: u32, read: &str| {
        let turn = format!(
            "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r9], {bytes};\ncp.async.bulk.commit_group;\n\
             cp.async.bulk.wait_group{read} 0;"
        );
        cycles_of_one_thread(&turn, &profile)
    };
    let [short, long, written] =
        [(4096, ".read"), (16384, ".read"), (16384, "")].map(|(bytes, read)| cycles(bytes, read));
    assert!((long - short - 96.0 * profile.bulk_copies.line_from_shared_cycles).abs() < 10.0, "{short} {long}");
    assert!((written - long).abs() < 10.0, "{long} {written}");
}

#[test]
fn waiting_for_groups_of_copies_takes_what_the_profile_says() {
    let profile = profile();
    let nothing = cycles_of_one_thread("", &profile);
    for wait in ["cp.async.wait_group 0;", "cp.async.bulk.wait_group.read 0;"] {
        let cycles = cycles_of_one_thread(wait, &profile);
        assert!((cycles - nothing - profile.copy_group_cycles).abs() < 3.0, "{wait} {nothing} {cycles}");
    }
}
