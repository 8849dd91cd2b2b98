//! Stores that become one on their way to L2.

use std::collections::VecDeque;

use super::cache::SectorMask;
use super::spread::Spread;
use crate::hardware::coalescing::SECTOR_BYTES;

/// Lines on their way out of a multiprocessor. A store to a sector of a line that has not left becomes one with those before it.
#[derive(Debug, Clone)]
pub(super) struct Merging {
    /// Cycles of the load-store unit that a line stays since it was written last, in the mean.
    within_cycles: f64,
    /// By how much the cycles between two stores of a warp differ, where those of others come between.
    spread_cycles: f64,
    spread: Spread,
    lines: VecDeque<Leaving>,
}

#[derive(Debug, Clone, Copy)]
struct Leaving {
    line: u64,
    sectors: SectorMask,
    /// Bytes that were written to these sectors.
    bytes: u32,
    cycle: f64,
}

/// What a store adds to what goes to L2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sent {
    pub(super) sectors: SectorMask,
    /// Lines of which parts of sectors are written: one more, or one less where that store completes them.
    pub(super) partial_lines: f64,
}

impl Leaving {
    fn partial_lines(&self) -> f64 {
        if self.bytes < self.sectors.count_ones() * SECTOR_BYTES { 1.0 } else { 0.0 }
    }
}

impl Merging {
    /// Nothing on its way.
    pub(super) fn new(within_cycles: f64, spread_cycles: f64) -> Self {
        Self { within_cycles, spread_cycles, spread: Spread::new(), lines: VecDeque::new() }
    }

    /// What goes to L2 where so many bytes of each of the sectors of a line are written, at a cycle of the load-store unit. Cycles never
    /// go back.
    pub(super) fn sent(&mut self, cycle: f64, line: u64, sectors: SectorMask, bytes_of_each: u32) -> Sent {
        let longest_cycles = self.within_cycles + self.spread_cycles * Spread::LONGEST;
        while self.lines.front().is_some_and(|first| first.cycle + longest_cycles < cycle) {
            self.lines.pop_front();
        }
        let place = self.lines.iter().position(|own| own.line == line);
        let stays_cycles = self.within_cycles + self.spread_cycles * self.spread.two_sided(line ^ cycle.to_bits());
        let before = place
            .and_then(|place| self.lines.remove(place))
            .filter(|own| own.cycle + stays_cycles >= cycle)
            .unwrap_or(Leaving { line, sectors: 0, bytes: 0, cycle });
        let bytes = before.bytes + bytes_of_each * sectors.count_ones();
        let now = Leaving { line, sectors: before.sectors | sectors, bytes, cycle };
        if self.within_cycles > 0.0 {
            self.lines.push_back(now);
        }
        Sent { sectors: sectors & !before.sectors, partial_lines: now.partial_lines() - before.partial_lines() }
    }
}

#[cfg(test)]
mod tests {
    use super::{Merging, Sent};

    #[test]
    fn a_store_to_what_is_on_its_way_is_not_sent_again() {
        let mut merging = Merging::new(28.0, 0.0);
        assert_eq!(merging.sent(0.0, 7, 0b0011, 4), Sent { sectors: 0b0011, partial_lines: 1.0 });
        // Another sector of that line is, and keeps the line.
        assert_eq!(merging.sent(20.0, 7, 0b0110, 4), Sent { sectors: 0b0100, partial_lines: 0.0 });
        assert_eq!(merging.sent(48.0, 7, 0b0111, 4), Sent { sectors: 0, partial_lines: 0.0 });
        assert_eq!(merging.sent(50.0, 8, 0b1111, 32), Sent { sectors: 0b1111, partial_lines: 0.0 });
        assert_eq!(merging.sent(77.0, 7, 0b0111, 4), Sent { sectors: 0b0111, partial_lines: 1.0 });
    }

    #[test]
    fn sectors_that_stores_complete_are_not_written_in_part() {
        let mut merging = Merging::new(28.0, 0.0);
        let partial: Vec<f64> =
            (0..4).map(|store| merging.sent(f64::from(store), 7, 0b1111, 8).partial_lines).collect();
        assert_eq!(partial, [1.0, 0.0, 0.0, -1.0]);
    }

    #[test]
    fn without_a_stay_nothing_becomes_one() {
        let mut merging = Merging::new(0.0, 0.0);
        assert_eq!([5.0, 5.0].map(|cycle| merging.sent(cycle, 7, 1, 4).sectors), [1, 1]);
    }

    #[test]
    fn stores_as_far_apart_as_a_line_stays_become_one_half_of_the_time() {
        let merged = |apart_cycles: u64| {
            let mut merging = Merging::new(28.0, 3.0);
            let sent = |cycle: u64, line| merging.sent(cycle as f64, line, 1, 4).sectors == 0;
            let pairs = (0..2000_u64).flat_map(|line| [(1000 * line, line), (1000 * line + apart_cycles, line)]);
            pairs
                .map({
                    let mut sent = sent;
                    move |(cycle, line)| usize::from(sent(cycle, line))
                })
                .sum::<usize>() as f64
                / 2000.0
        };
        // A distribution whose both sides fall off by a factor of e every 3 cycles.
        for (apart_cycles, expected) in [(19, 0.975), (25, 0.816), (28, 0.5), (31, 0.184), (37, 0.025)] {
            assert!((merged(apart_cycles) - expected).abs() < 0.04, "{apart_cycles}: {}", merged(apart_cycles));
        }
    }
}
