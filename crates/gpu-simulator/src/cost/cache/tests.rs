use super::*;

/// Looks for the sectors of `address..address + bytes`, which are in one line.
fn access(cache: &mut Cache, address: u64, bytes: u32) -> Lookup {
    cache.access_sectors(address, sectors(address, bytes))
}

#[test]
fn sectors_are_bits_of_the_line() {
    assert_eq!(sectors(0, 128), 0b1111);
    assert_eq!(sectors(128 + 32, 32), 0b0010);
    assert_eq!(sectors(64, 64), 0b1100);
    assert_eq!(sectors(31, 2), 0b0011);
    assert_eq!(sectors(96, 64), 0b1000);
}

#[test]
fn a_line_is_taken_in_by_sectors() {
    let mut cache = Cache::new(1 << 14, 4).unwrap();
    assert_eq!(cache.bytes(), 1 << 14);
    let cold = access(&mut cache, 4096, 32);
    assert_eq!((cold.hits, cold.misses), (0, 0b0001));
    cache.set_ready(cold.place, 0b0001, 700.0);
    let whole = access(&mut cache, 4096, 128);
    assert_eq!((whole.hits, whole.misses, whole.place), (0b0001, 0b1110, cold.place));
    assert_eq!(whole.ready_cycle.to_bits(), 700.0_f64.to_bits());
    cache.set_ready(whole.place, 0b1110, 900.0);
    assert_eq!(access(&mut cache, 4096, 128).hits, 0b1111);
    assert_eq!(access(&mut cache, 4096, 128).ready_cycle.to_bits(), 900.0_f64.to_bits());
    assert_eq!(access(&mut cache, 4096, 32).ready_cycle.to_bits(), 700.0_f64.to_bits());
}

#[test]
fn what_fits_stays_and_what_does_not_fit_never_hits_when_read_in_turn() {
    for ways in [1, 4, 16] {
        let bytes = 3 << 13;
        let mut cache = Cache::new(bytes, ways).unwrap();
        let mut hits = |bytes: u64| {
            (0..bytes / 128).map(|line| u64::from(access(&mut cache, line * 128, 128).hits.count_ones())).sum::<u64>()
        };
        assert_eq!(hits(bytes), 0);
        assert_eq!(hits(bytes), bytes / 32);
        // Twice as much, in turn: least recently used goes first, so that nothing survives until it is wanted again.
        hits(2 * bytes);
        assert_eq!(hits(2 * bytes), 0);
    }
}

#[test]
fn the_least_recently_used_line_goes() {
    // One set.
    let mut cache = Cache::new(2 * 128, 2).unwrap();
    access(&mut cache, 0, 32);
    access(&mut cache, 128, 32);
    assert_eq!(access(&mut cache, 0, 32).hits, 1);
    access(&mut cache, 256, 32);
    assert_eq!(access(&mut cache, 0, 32).hits, 1);
    assert_eq!(access(&mut cache, 128, 32).hits, 0);
}

#[test]
fn a_stride_of_a_power_of_two_is_spread_over_the_sets() {
    let mut cache = Cache::new(1 << 16, 4).unwrap();
    for round in 0..2 {
        for line in 0..256_u64 {
            assert_eq!(u64::from(access(&mut cache, line << 14, 32).hits), round);
        }
    }
}

#[test]
fn a_line_written_to_is_written_back_when_it_goes() {
    let mut cache = Cache::new(128, 1).unwrap();
    let place = access(&mut cache, 1280, 64).place;
    cache.set_dirty(place, 0b0011, 32);
    cache.set_dirty(place, 0b0110, 8);
    let written_back = WrittenBack { address: 1280, sectors: 3, partial: 0b0100 };
    assert_eq!(access(&mut cache, 0, 32).written_back, Some(written_back));
    assert_eq!(access(&mut cache, 1280, 32).written_back, None);
}

#[test]
fn less_than_a_set_is_no_cache() {
    assert!(Cache::new(0, 4).is_none());
    assert!(Cache::new(511, 4).is_none());
    assert!(Cache::new(512, 4).is_some());
}

#[test]
fn no_size_is_too_much() {
    assert_eq!(Cache::new(u64::MAX, 16).map(|cache| cache.bytes()), Some(MOST_BYTES));
}

#[test]
fn lines_that_go_first_make_room_before_older_ones_and_those_kept_after_newer_ones() {
    // One set of four lines.
    let mut cache = Cache::new(4 * 128, 4).unwrap();
    let mut read = |line: u64, keeping| cache.access_kept(line * 128, 0b0001, keeping).hits == 0b0001;
    for (line, keeping) in [(0, Keeping::Last), (1, Keeping::Normal), (2, Keeping::First), (3, Keeping::Normal)] {
        assert!(!read(line, keeping));
    }
    // The one that goes first, then the oldest that is as usual, and so on: 0 stays.
    assert!(!read(4, Keeping::Normal));
    assert!(read(1, Keeping::Normal) && read(3, Keeping::Normal));
    for line in 5..20 {
        assert!(!read(line, Keeping::Normal));
    }
    assert!(read(0, Keeping::Normal), "an access that asks for nothing changes nothing");
    assert!(read(0, Keeping::First));
    assert!(!read(20, Keeping::Normal) && !read(0, Keeping::Normal));
}

#[test]
fn three_quarters_of_a_set_are_kept_at_most() {
    let mut cache = Cache::new(4 * 128, 4).unwrap();
    let mut read = |line: u64, keeping| cache.access_kept(line * 128, 0b0001, keeping).hits == 0b0001;
    for line in 0..5 {
        assert!(!read(line, Keeping::Last));
    }
    // The fourth place is of others, and of those that are kept the oldest ones went.
    assert!(!read(10, Keeping::Normal) && read(10, Keeping::Normal));
    assert!([2, 3, 4].into_iter().all(|line| read(line, Keeping::Last)));
    assert!(!read(0, Keeping::Last));
}

#[test]
fn of_what_is_read_in_turn_and_goes_first_half_stays_where_a_cache_holds_streams() {
    let hits = |holds_streams: bool, keeping: Keeping| {
        let mut cache = Cache::new(64 << 10, 8).unwrap();
        if holds_streams {
            cache = cache.holding_streams();
        }
        let mut hits = 0;
        for turn in 0..4 {
            for line in 0..1024 {
                let found = cache.access_kept(line * 128, 0b1111, keeping);
                hits += if turn == 3 { found.hits.count_ones() / 4 } else { 0 };
            }
        }
        hits
    };
    // The cache has room for half of the lines.
    assert_eq!(hits(true, Keeping::First), 256);
    assert_eq!([hits(true, Keeping::Normal), hits(false, Keeping::First)], [0, 0]);
}
