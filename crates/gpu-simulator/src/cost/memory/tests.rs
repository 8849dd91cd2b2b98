mod hints;

use super::super::fixtures::{hopper, tesla};
use super::*;
use crate::cost::together::Together;
use crate::hardware::coalescing::{Transaction, coalesce};
use crate::hardware::lanes::{ALL_LANES, LANES};
use crate::profile::{Slices, Writes};

/// A full warp's access of 4-byte words, `stride_bytes` apart.
fn words(profile: &Profile, base: u64, stride_bytes: u64) -> GlobalAccess {
    let addresses: [u64; LANES] = std::array::from_fn(|lane| base + lane as u64 * stride_bytes);
    let mut access = GlobalAccess::new();
    coalesce(profile.global.coalescing, &addresses, ALL_LANES, 4, &mut access);
    access
}

#[track_caller]
fn close(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-6 * expected.abs().max(1.0), "{value} is not {expected}");
}

#[test]
fn an_idle_memory_takes_its_latency_alone() {
    let profile = hopper();
    let mut memory = MemoryShare::new(&profile, 4);
    close(memory.load(1000.0, &words(&profile, 0, 4)), 1600.0);
    close(memory.load(2000.0, &words(&profile, 0, 4)), 2034.0);
    close(memory.load(4000.0, &words(&profile, 1 << 20, 128)), 4600.0);
    close(memory.load(5000.0, &GlobalAccess::new()), 5000.0);
}

#[test]
fn a_load_of_what_is_on_its_way_waits_for_it() {
    let profile = hopper();
    let mut memory = MemoryShare::new(&profile, 4);
    close(memory.load(0.0, &words(&profile, 0, 4)), 600.0);
    close(memory.load(100.0, &words(&profile, 0, 4)), 600.0);
    close(memory.load(590.0, &words(&profile, 0, 4)), 624.0);
}

#[test]
fn device_memory_gives_its_bandwidth_and_no_more() {
    let profile = hopper();
    let mut memory = MemoryShare::new(&profile, 4);
    let count = 10_000_u64;
    let last = (0..count).map(|index| memory.load(0.0, &words(&profile, index * 128, 4))).last();
    // 16 bytes a cycle; the last access waits for all before it.
    close(last.unwrap(), 600.0 + (count - 1) as f64 * 8.0);
    let traffic = memory.traffic();
    assert_eq!((traffic.dram_bytes, traffic.l2_bytes), (count * 128, count * 128));
    close(traffic.dram_busy_cycles, count as f64 * 8.0);
    close(traffic.l2_busy_cycles, count as f64 * 2.0);
    assert_eq!((traffic.l1_sectors, traffic.l1_hit_sectors, traffic.l2_hit_sectors), (count * 4, 0, 0));
}

#[test]
fn alone_a_multiprocessor_has_all_of_device_memory_but_only_its_way_to_l2() {
    let profile = hopper();
    let mut memory = MemoryShare::new(&profile, 1);
    let count = 10_000_u64;
    let last = (0..count).map(|index| memory.load(0.0, &words(&profile, index * 128, 4))).last();
    close(last.unwrap(), 600.0 + (count - 1) as f64 * 2.0);
}

#[test]
fn accesses_below_the_bandwidth_do_not_wait() {
    let profile = hopper();
    let mut memory = MemoryShare::new(&profile, 4);
    for index in 0..1000_u64 {
        let now = index as f64 * 8.0;
        close(memory.load(now, &words(&profile, index * 128, 4)), now + 600.0);
    }
}

#[test]
fn what_l2_has_comes_at_its_bandwidth() {
    let profile = hopper();
    let mut memory = MemoryShare::new(&profile, 4);
    // More than L1, less than this multiprocessor's quarter of L2.
    let lines = (128 << 10) / 128;
    for line in 0..lines {
        memory.load(0.0, &words(&profile, line * 128, 4));
    }
    let before = memory.traffic();
    let last = (0..lines).map(|line| memory.load(1e6, &words(&profile, line * 128, 4))).last();
    close(last.unwrap(), 1e6 + 265.0 + (lines - 1) as f64 * 2.0);
    let after = memory.traffic();
    assert_eq!(after.dram_bytes, before.dram_bytes);
    assert_eq!(after.l2_hit_sectors - before.l2_hit_sectors, lines * 4);
}

#[test]
fn stores_go_through_to_l2_and_are_written_back_when_it_is_full() {
    let profile = hopper();
    let mut memory = MemoryShare::new(&profile, 4);
    close(memory.store(10.0, 10.0, &words(&profile, 0, 4)), 12.0);
    // L1 has not taken it in, L2 has.
    close(memory.load(1000.0, &words(&profile, 0, 4)), 1265.0);
    assert_eq!(memory.traffic().dram_bytes, 0);
    let share_lines = (256 << 10) / 128;
    let count = 20 * share_lines;
    let last = (0..count).map(|line| memory.store(2000.0, 2000.0, &words(&profile, line * 128, 4))).last();
    assert_eq!(memory.traffic().dram_bytes, (count - share_lines) * 128);
    // L2 fills at its own bandwidth, and from then on a line has to go for each that comes.
    close(last.unwrap(), 2000.0 + share_lines as f64 * 2.0 + (count - share_lines) as f64 * 8.0);
}

#[test]
fn an_atomic_is_done_in_l2() {
    let profile = hopper();
    let mut memory = MemoryShare::new(&profile, 4);
    close(memory.atomic(0.0, &words(&profile, 0, 4)), 600.0);
    close(memory.atomic(1000.0, &words(&profile, 0, 4)), 1265.0);
    assert_eq!((memory.traffic().l1_sectors, memory.traffic().dram_bytes), (0, 128));
    let profile = tesla();
    let mut memory = MemoryShare::new(&profile, 4);
    close(memory.atomic(0.0, &words(&profile, 0, 4)), 600.0);
    assert_eq!(memory.traffic().dram_bytes, 256);
}

#[test]
fn without_caches_everything_is_device_memory() {
    let profile = tesla();
    let mut memory = MemoryShare::new(&profile, 4);
    close(memory.load(0.0, &words(&profile, 0, 4)), 600.0);
    close(memory.load(1000.0, &words(&profile, 0, 4)), 1600.0);
    // 128 bytes of one partition, which has 2 bytes a cycle.
    close(memory.store(2000.0, 2000.0, &words(&profile, 0, 4)), 2064.0);
    assert_eq!(memory.traffic(), Traffic { dram_bytes: 384, dram_busy_cycles: 192.0, ..Traffic::default() });
}

#[test]
fn camping_on_one_of_eight_partitions_takes_eight_times_as_long() {
    let profile = tesla();
    let time = |stride_bytes: u64| {
        let mut memory = MemoryShare::new(&profile, 4);
        let last = (0..8000)
            .map(|index| memory.store(0.0, 0.0, &words(&profile, index * stride_bytes, 4)))
            .fold(0.0, f64::max);
        (last, memory.traffic())
    };
    let (spread, spread_traffic) = time(256);
    let (camped, camped_traffic) = time(2048);
    close(spread, 8000.0 * 128.0 / 16.0);
    close(camped, 8.0 * spread);
    close(camped_traffic.dram_busy_cycles, 8.0 * spread_traffic.dram_busy_cycles);
    assert_eq!(camped_traffic.dram_bytes, spread_traffic.dram_bytes);
}

/// Half as much again in that profile. Stores that go on in a line, and longer ones, take what loads do.
#[test]
fn scattered_stores_take_longer_than_loads() {
    let profile = tesla();
    let busy_cycles = |store: bool, stride_bytes: u64, bytes: u32| {
        let mut memory = MemoryShare::new(&profile, 4);
        for index in 0..100 {
            let address = index * stride_bytes;
            let mut access = GlobalAccess::new();
            let lanes: [u64; LANES] = std::array::from_fn(|lane| address + (lane as u64 * 4) % u64::from(bytes));
            coalesce(profile.global.coalescing, &lanes, 0xffff, 4, &mut access);
            if store {
                memory.store(0.0, 0.0, &access);
            } else {
                memory.load(0.0, &access);
            }
        }
        memory.traffic().dram_busy_cycles
    };
    // 100 times 32 bytes of a partition that has 2 bytes a cycle.
    close(busy_cycles(false, 2048, 32), 1600.0);
    close(busy_cycles(true, 2048, 32), 2400.0);
    close(busy_cycles(true, 0, 32), 1600.0 + 8.0);
    close(busy_cycles(true, 2048, 64), 3200.0);
}

#[test]
fn a_profile_without_bandwidths_is_no_panic() {
    let mut profile = hopper();
    profile.global.gb_per_s = 0.0;
    profile.global.l2_bytes_per_cycle_per_sm = 0.0;
    profile.global.l2_bytes = 1;
    let mut memory = MemoryShare::new(&profile, 0);
    close(memory.load(0.0, &words(&profile, 0, 4)), 600.0);
    close(memory.store(0.0, 0.0, &words(&profile, 0, 4)), 0.0);
}

#[test]
fn sectors_of_a_line_go_together_unless_one_is_moved_again() {
    let at = |address, bytes| Transaction { address, bytes };
    let grouped: Vec<_> =
        by_line(&[at(32, 32), at(64, 32), at(128, 64), at(128, 32), at(128, 32), at(0, 128)]).collect();
    assert_eq!(grouped, [(32, 0b0110), (128, 0b0011), (128, 0b0001), (128, 0b0001), (0, 0b1111)]);
}

/// The same GPU with an L2 that all share: 64 bytes a cycle of loads, 32 of stores for each of 4 multiprocessors, no first loads that
/// take longer, and device memory that is read in pieces of 64 bytes.
fn shared_l2() -> Profile {
    let mut profile = hopper();
    profile.global.slices = Some(Slices {
        count: 8,
        interleave_bytes: 256,
        load_bytes_per_cycle: 256.0,
        load_line_cycles: 1.0,
        store_bytes_per_cycle: 128.0,
        partial_line_cycles: 0.25,
        completed_sector_cycles: 0.0,
        merged_within_cycles: 2.0,
        merged_spread_cycles: 0.0,
        acknowledge_cycles: 300.0,
        fill_pct: 100.0,
        half_distance_cycles: 0.0,
        first_load_cycles: 0.0,
        first_load_from_memory_cycles: 0.0,
    });
    profile.global.writes = Some(Writes {
        gb_per_s: 32.0,
        mixed_with_reads_pct: 0.0,
        fetched_bytes: 64,
        incomplete_sectors: None,
        short_piece_bytes: 0.0,
        written_half_piece_bytes: 0.0,
        queue_cycles: 0.0,
        queue_cycles_most: 0.0,
        mixed_queue_pct: 0.0,
        latency_spread_cycles: 0.0,
        latency_spread_cycles_most: 0.0,
    });
    profile
}

#[test]
fn the_first_load_takes_longer_by_where_its_value_is() {
    let mut profile = shared_l2();
    let slices = profile.global.slices.as_mut().unwrap();
    (slices.first_load_cycles, slices.first_load_from_memory_cycles) = (50.0, 700.0);
    let mut memory = MemoryShare::new(&profile, 4);
    close(memory.load(0.0, &words(&profile, 0, 4)), 1300.0);
    // Another one that comes meanwhile waits as well, and for its turn of 8 cycles; a later one does not.
    close(memory.load(100.0, &words(&profile, 1 << 16, 4)), 1308.0);
    close(memory.load(5000.0, &words(&profile, 1 << 17, 4)), 5600.0);
    let mut next = MemoryShare::new(&profile, 4).with_l2(memory.into_l2());
    close(next.load(0.0, &words(&profile, 0, 4)), 50.0 + 265.0);
}

#[test]
fn device_memory_is_read_in_its_pieces() {
    let profile = shared_l2();
    let mut memory = MemoryShare::new(&profile, 4);
    // A word of each line: 64 bytes come, of which L2 has the other sector then.
    memory.load(0.0, &words(&profile, 0, 128));
    assert_eq!(memory.traffic().dram_bytes, 32 * 64);
    memory.load(10_000.0, &words(&profile, 32, 128));
    assert_eq!(memory.traffic().dram_bytes, 32 * 64);
    memory.load(20_000.0, &words(&profile, 64, 128));
    assert_eq!(memory.traffic().dram_bytes, 2 * 32 * 64);
}

#[test]
fn a_line_of_a_load_takes_its_time_however_little_of_it_is_wanted() {
    let profile = shared_l2();
    let busy = |stride: u64| {
        let mut memory = MemoryShare::new(&profile, 4);
        memory.load(0.0, &words(&profile, 0, stride));
        memory.traffic().l2_busy_cycles
    };
    // A whole line comes from device memory at 32 bytes a cycle. 32 lines are 4 cycles each: one for each of 4 multiprocessors.
    close(busy(4), 4.0);
    close(busy(128), 128.0);
}

#[test]
fn stores_of_parts_of_sectors_take_longer_and_neighbours_that_wait_become_one() {
    let profile = shared_l2();
    let mut memory = MemoryShare::new(&profile, 4);
    memory.store(0.0, 0.0, &words(&profile, 0, 4));
    close(memory.traffic().l2_busy_cycles, 4.0);
    // 4 bytes of each of 4 sectors of 8 lines: a cycle more for each line.
    memory.store(0.0, 0.0, &words(&profile, 1 << 16, 32));
    close(memory.traffic().l2_busy_cycles, 4.0 + 8.0 * 5.0);
    // Two lines wait: a store to the same sectors of the last line costs nothing, one to the first of them does.
    let one = |line: u64| {
        let mut access = GlobalAccess::new();
        let addresses = [(1 << 16) + line * 128; LANES];
        coalesce(profile.global.coalescing, &addresses, 1, 4, &mut access);
        access
    };
    memory.store(0.0, 0.0, &one(7));
    close(memory.traffic().l2_busy_cycles, 44.0);
    memory.store(0.0, 0.0, &one(0));
    close(memory.traffic().l2_busy_cycles, 44.0 + 2.0);
}

#[test]
fn of_a_sector_that_was_written_in_part_the_rest_is_read_before_it_goes() {
    let profile = shared_l2();
    let written_back = |stride: u64| {
        let mut memory = MemoryShare::new(&profile, 4);
        let accesses = profile.global.l2_bytes / 4 / 128 * 8;
        for index in 0..accesses {
            memory.store(index as f64 * 1e3, index as f64 * 1e3, &words(&profile, index * 32 * stride, stride));
        }
        memory.traffic().dram_bytes as f64 / (accesses * 32 * stride) as f64
    };
    let whole = written_back(4);
    assert!(whole > 0.8 && whole <= 1.0, "{whole}");
    assert!(written_back(32) > 1.6 && written_back(32) <= 2.0, "{}", written_back(32));
}

#[test]
fn a_line_that_others_load_too_comes_from_device_memory_once() {
    let profile = shared_l2();
    let busy = |readers: f64| {
        let mut memory =
            MemoryShare::new(&profile, 4).with_others(Together { readers_of_a_line: readers, ..Together::default() });
        for index in 0..1000 {
            memory.load(0.0, &words(&profile, index * 128, 4));
        }
        memory.traffic().dram_busy_cycles
    };
    close(busy(4.0), busy(1.0) / 4.0);
    close(busy(0.0), busy(1.0));
}

#[test]
fn of_a_sector_that_others_complete_nothing_is_read_and_each_writes_its_part() {
    let profile = shared_l2();
    let busy = |together: Together| {
        let mut memory = MemoryShare::new(&profile, 4).with_others(together);
        for index in 0..20_000 {
            let cycle = index as f64 * 1e3;
            memory.store(cycle, cycle, &words(&profile, index * 1024, 32));
        }
        memory.traffic().dram_busy_cycles
    };
    let together = |completed_sectors, writers_of_a_sector| Together {
        writers_of_a_sector,
        completed_sectors,
        ..Together::default()
    };
    let [alone, completed, shared] = [together(0.0, 1.0), together(1.0, 1.0), together(1.0, 2.0)].map(busy);
    // As much is read as is written, which takes twice as long.
    close(alone / completed, 1.5);
    close(completed / shared, 2.0);
}

#[test]
fn a_sector_that_two_blocks_complete_at_different_times_takes_longer() {
    let mut profile = shared_l2();
    let mut taken = |completed_sector_cycles: f64, completed_far: f64| {
        profile.global.slices.as_mut().unwrap().completed_sector_cycles = completed_sector_cycles;
        let mut memory = MemoryShare::new(&profile, 4).with_others(Together { completed_far, ..Together::default() });
        memory.store(0.0, 0.0, &words(&profile, 12, 4));
        memory.traffic().l2_busy_cycles
    };
    let none = taken(0.0, 0.4);
    close(taken(3.0, 0.0), none);
    // Two of the five sectors that the store writes to, half of each.
    close(taken(3.0, 0.4) - none, 4.0 * 3.0);
}

#[test]
fn a_load_waits_for_the_latest_of_its_pieces_and_takes_as_long_as_ever_in_the_mean() {
    let mut profile = shared_l2();
    let base = profile.global.latency_cycles;
    let mut mean = |spread_cycles: f64, stride: u64, width: u64| {
        let writes = profile.global.writes.as_mut().unwrap();
        (writes.latency_spread_cycles, writes.latency_spread_cycles_most) = (spread_cycles, 2.0 * spread_cycles);
        let mut memory = MemoryShare::new(&profile, 1);
        let count = 4000;
        let took = |index: u64| {
            let now = index as f64 * 1e4;
            memory.load(now, &words(&profile, index * width, stride)) - now
        };
        (0..count).map(took).sum::<f64>() / count as f64
    };
    let (one, two) = (mean(0.0, 4, 4096), mean(0.0, 16, 4096));
    assert!(one >= base && two >= base, "{one} {two}");
    // A whole line is in one piece of 256 bytes; 32 words 16 bytes apart are in two, of which the later takes 1.5 times the mean.
    assert!((mean(90.0, 4, 4096) - one).abs() < 5.0, "{} {one}", mean(90.0, 4, 4096));
    assert!((mean(90.0, 16, 4096) - two - 45.0).abs() < 5.0, "{} {two}", mean(90.0, 16, 4096));
}

#[test]
fn one_half_of_l2_is_nearer_than_the_other() {
    let mut profile = shared_l2();
    profile.global.slices.as_mut().unwrap().half_distance_cycles = 46.0;
    profile.global.l1_bytes = 0;
    let l2_cycles = profile.global.l2_latency_cycles;
    let mut memory = MemoryShare::new(&profile, 1);
    let mut seen = [0, 0];
    for index in 0..200 {
        let access = words(&profile, index * 4096, 4);
        memory.load(0.0, &access);
        let now = 1e6 + index as f64 * 1e4;
        let took = memory.load(now, &access) - now;
        close((took - l2_cycles).abs(), 46.0);
        seen[usize::from(took > l2_cycles)] += 1;
    }
    assert!(seen[0] > 70 && seen[1] > 70, "{seen:?}");
}

#[test]
fn what_is_stored_takes_the_place_of_what_was_loaded_into_l1() {
    let profile = hopper();
    let lines = profile.global.l1_bytes / 128;
    // Half of L1 is loaded; then as much as all of it is stored, or nothing.
    let hits = |stored_lines: u64| {
        let mut memory = MemoryShare::new(&profile, 4);
        for line in 0..lines / 2 {
            memory.load(0.0, &words(&profile, line * 128, 4));
        }
        let stores = 1 << 24;
        for line in 0..stored_lines {
            memory.store(0.0, 0.0, &words(&profile, stores + line * 128, 4));
        }
        for line in 0..lines / 2 {
            memory.load(1e6, &words(&profile, line * 128, 4));
        }
        memory.traffic().l1_hit_sectors
    };
    assert_eq!(hits(0), lines / 2 * 4);
    assert_eq!(hits(lines), 0);
    // What is stored is not there to be loaded.
    let mut memory = MemoryShare::new(&profile, 4);
    memory.store(0.0, 0.0, &words(&profile, 0, 4));
    memory.load(1e6, &words(&profile, 0, 4));
    assert_eq!(memory.traffic().l1_hit_sectors, 0);
}

#[test]
fn shared_memory_is_taken_from_l1_in_steps() {
    let mut profile = hopper();
    let hits = |profile: &Profile, shared_bytes: u64, lines: u64| {
        let mut memory = MemoryShare::new(profile, 4).with_l1_beside(profile, shared_bytes);
        for _ in 0..2 {
            for line in 0..lines {
                memory.load(0.0, &words(profile, line * 128, 4));
            }
        }
        memory.traffic().l1_hit_sectors / 4
    };
    let all = profile.global.l1_bytes / 128;
    assert_eq!(hits(&profile, 8 << 10, all), all);
    profile.global.l1_shared_step_bytes = 8 << 10;
    assert_eq!(hits(&profile, 0, all), all);
    // Of 64 KiB 8 are taken for the first byte, and 16 from 8 KiB and a byte on.
    assert_eq!(hits(&profile, 1, all - 64), all - 64);
    assert!(hits(&profile, (8 << 10) + 1, all - 64) < all - 64);
    assert_eq!(hits(&profile, (8 << 10) + 1, all - 128), all - 128);
    assert_eq!(hits(&profile, 1 << 20, 8), 0);
}

#[test]
fn lines_of_a_window_stay_while_a_stream_goes_through() {
    let profile = hopper();
    let reads = |memory: &mut MemoryShare, base: u64, bytes: u64| {
        let before = memory.traffic();
        for line in 0..bytes / 128 {
            memory.load_past_l1(0.0, &words(&profile, base + 128 * line, 4));
        }
        let after = memory.traffic();
        (after.l2_hit_sectors - before.l2_hit_sectors) * 32
    };
    let share = MemoryShare::new(&profile, 4);
    let all = share.clone().into_l2().unwrap().bytes();
    let (hot, stream) = (all / 4, 2 * all);
    let again = |window: Option<PersistingWindow>| {
        let mut memory = share.clone().with_window(window);
        reads(&mut memory, 1 << 30, hot);
        reads(&mut memory, 1 << 31, stream);
        reads(&mut memory, 1 << 30, hot)
    };
    assert_eq!(again(None), 0);
    let window = PersistingWindow { address: 1 << 30, bytes: hot, kept_pct: 100 };
    assert_eq!(again(Some(window)), hot);
    let half = again(Some(PersistingWindow { kept_pct: 50, ..window }));
    assert!((half as f64 / hot as f64 - 0.5).abs() < 0.1, "{half} of {hot} bytes");
    assert_eq!(again(Some(PersistingWindow { address: 1 << 29, ..window })), 0);
}
