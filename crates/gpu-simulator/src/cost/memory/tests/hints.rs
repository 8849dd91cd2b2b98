//! What copies and hints ask of L2.

use super::*;

/// L2 has all lines; the last one of 1000 is as late as those before it are on their way.
#[test]
fn copies_have_the_rate_and_the_distances_that_the_profile_says() {
    let mut profile = hopper();
    profile.global.slices = None;
    let last = |profile: &Profile, in_bulk: bool| {
        let mut memory = MemoryShare::new(profile, 4);
        let mut all = |from: f64| {
            let line = |index: u64| words(profile, index * 128, 4);
            let ask = |index| {
                if in_bulk { memory.load_in_bulk(from, &line(index)) } else { memory.load_past_l1(from, &line(index)) }
            };
            (0..1000).map(ask).fold(0.0, f64::max) - from
        };
        all(0.0);
        all(1e6)
    };
    let loads = last(&profile, false);
    close(last(&profile, true), loads);
    let latency_cycles = profile.global.l2_latency_cycles;
    profile.bulk_copies.bytes_per_cycle = Some(2.0 * profile.global.l2_bytes_per_cycle_per_sm);
    close(last(&profile, false), loads);
    close(last(&profile, true) - latency_cycles, (loads - latency_cycles) / 2.0);
    profile.bulk_copies.bytes_per_cycle = None;
    profile.bulk_copies.half_distance_cycles = Some(20.0);
    close(last(&profile, false), loads);
    assert!((last(&profile, true) - loads - 20.0).abs() < 20.0);
    assert!((last(&profile, true) - loads).abs() > 0.1);
}

/// Loads one word, with what the instruction says of its line.
fn load_word(memory: &mut MemoryShare, profile: &Profile, address: u64, hint: CacheHint) -> f64 {
    let mut access = GlobalAccess::new();
    coalesce(profile.global.coalescing, &[address; LANES], ALL_LANES, 4, &mut access);
    memory.treats(hint);
    memory.load_past_l1(0.0, &access)
}

#[test]
fn what_a_load_asks_for_comes_into_l2_with_it() {
    let profile = hopper();
    // Sectors of 512 bytes that L2 has after one word of the fourth sector was loaded.
    let there = |fetched_bytes: u32| {
        let mut memory = MemoryShare::new(&profile, 4);
        load_word(&mut memory, &profile, 96, CacheHint { fetched_bytes, ..CacheHint::default() });
        let read_bytes = memory.traffic().dram_bytes;
        let is_there = |sector: &u64| {
            let mut own = memory.clone();
            let before = own.traffic().l2_hit_sectors;
            load_word(&mut own, &profile, sector * 32, CacheHint::default());
            own.traffic().l2_hit_sectors > before
        };
        ((0..16).filter(is_there).collect::<Vec<u64>>(), read_bytes)
    };
    assert_eq!(there(0), (vec![3], 32));
    assert_eq!(there(64), (vec![2, 3], 64));
    assert_eq!(there(128), ((0..4).collect(), 128));
    assert_eq!(there(256), ((0..8).collect(), 256));
}

/// What the neighbouring line is read for takes the bandwidths of device memory and of L2, which takes it in; whoever comes later waits.
#[test]
fn what_comes_with_a_load_takes_its_time() {
    let profile = shared_l2();
    let behind = |fetched_bytes: u32| {
        let mut memory = MemoryShare::new(&profile, 4);
        let loaded = load_word(&mut memory, &profile, 96, CacheHint { fetched_bytes, ..CacheHint::default() });
        memory.treats(CacheHint::default());
        let stored = memory.clone().store(0.0, 0.0, &words(&profile, 1 << 16, 4));
        [loaded, memory.load(0.0, &words(&profile, 1 << 17, 4)), stored]
    };
    // Device memory gives 16 bytes a cycle, L2 takes in 32.
    for (fetched_bytes, cycles) in [(128, [600.0, 608.0, 8.0]), (256, [600.0, 616.0, 12.0])] {
        behind(fetched_bytes).into_iter().zip(cycles).for_each(|(own, expected)| close(own, expected));
    }
}

#[test]
fn a_prefetch_brings_a_sector_into_l2_and_not_into_l1() {
    let profile = hopper();
    let mut memory = MemoryShare::new(&profile, 4);
    let mut access = GlobalAccess::new();
    coalesce(profile.global.coalescing, &[4096; LANES], ALL_LANES, 1, &mut access);
    memory.prefetch(0.0, &access);
    assert_eq!((memory.traffic().dram_bytes, memory.traffic().l1_sectors), (32, 0));
    let from_l2 = memory.load(10_000.0, &access) - 10_000.0;
    assert_eq!(memory.traffic().dram_bytes, 32);
    assert!(from_l2 > profile.global.l1_latency_cycles && from_l2 < profile.global.latency_cycles, "{from_l2}");
}
