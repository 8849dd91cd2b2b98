use std::collections::HashSet;

use super::*;
use crate::snippet::Snippet;

#[test]
fn every_row_has_a_name_of_its_own_a_unit_and_words() {
    let names: HashSet<&str> = COUNTERS.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), COUNTERS.len());
    for row in COUNTERS {
        assert!(row.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{}", row.name);
        assert!(!row.unit.is_empty() && row.counts.len() > 10, "{}", row.name);
    }
}

/// A kernel for whose counters nearly all have values of their own.
fn body() -> &'static str {
    "mov.u32 %r9, s;\nshl.b32 %r2, %r0, 3;\nst.shared.u32 [%r2], %r0;\nbar.sync 0;\nld.shared.u32 %r3, [%r2];\nld.shared.u32 %r4, [%r2+4];\n\
     atom.global.add.u32 %r5, [%rd0], 1;\nsetp.lt.u32 %p1, %r0, 8;\n@%p1 bra A;\nmul.lo.u32 %r3, %r3, %r4;\n\
     A:\nst.global.u32 [%rd1], %r3;"
}

#[test]
fn another_order_of_rows_gives_the_same_values_by_name() {
    let snippet = Snippet::with(".shared .b8 s[1024];", body());
    let ran = snippet.run().expect("it runs");
    let mut turned = COUNTERS.to_vec();
    turned.reverse();
    let turned: &'static [Counter] = turned.leak();
    let straight = Counts::of(&ran.counters, &ran.instructions, (3, 1));
    let reversed = Counts::by(turned, &ran.counters, &ran.instructions, (3, 1));
    for (row, value) in straight.iter() {
        assert_eq!(reversed.get(row.name).map(f64::to_bits), Some(value.to_bits()), "{}", row.name);
    }
    assert_eq!(reversed.iter().next().map(|(row, _)| row.name), Some("atomic_serialisations"));
}

/// What the table gives under a name is the count of that name.
#[test]
fn rows_are_taken_from_what_they_are_named_after() {
    let ran = Snippet::with(".shared .b8 s[1024];", body()).run().expect("it runs");
    let counts = Counts::of(&ran.counters, &ran.instructions, (1, 1));
    for (name, expected) in [
        ("block_barriers", 1.0),
        ("divergent_branches", 1.0),
        ("branch_instructions", 1.0),
        ("multiply_instructions", ran.instructions.by_class[Class::Multiply as usize] as f64),
        ("global_store_requests", 1.0),
        ("global_store_transactions", 4.0),
        ("global_atomic_requests", 1.0),
        ("global_atomic_transactions", 32.0),
        ("atomic_serialisations", 31.0),
        ("shared_load_requests", 2.0),
        ("shared_store_requests", 1.0),
        // Every other word: two lanes in a bank, of a load or a store of a pass without conflicts.
        ("shared_load_passes", 4.0),
        ("shared_store_passes", 2.0),
        ("bank_conflicts", 3.0),
        ("local_requests", 0.0),
    ] {
        assert_eq!(counts.get(name), Some(expected), "{name}");
    }
    assert_eq!(counts.get("bank_conflict"), None);
}

#[test]
fn sums_grow_with_the_blocks_that_were_not_executed_and_means_do_not() {
    let ran = Snippet::with(".shared .b8 s[1024];", body()).run().expect("it runs");
    let one = Counts::of(&ran.counters, &ran.instructions, (1, 1));
    let four = Counts::of(&ran.counters, &ran.instructions, (4, 1));
    let mut twice = one.clone();
    twice.add(&one);
    for (row, value) in one.iter() {
        let factor = if row.name == "active_lanes" { 1.0 } else { 4.0 };
        assert_eq!(four.get(row.name), Some(factor * value), "{}", row.name);
        let factor = if row.name == "active_lanes" { 1.0 } else { 2.0 };
        assert_eq!(twice.get(row.name), Some(factor * value), "{}", row.name);
    }
    let lanes = one.texts().find(|(row, _)| row.name == "active_lanes").map(|(_, text)| text);
    assert_eq!(lanes.as_deref().map(|text| text.split_once('.').map(|(_, decimals)| decimals.len())), Some(Some(3)));
}
