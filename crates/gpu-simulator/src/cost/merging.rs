//! Stores that become one on their way to L2.

use std::collections::VecDeque;

use super::cache::SectorMask;

/// Lines on their way out of a multiprocessor. A store to a sector of a line that has not left becomes one with those before it.
#[derive(Debug, Clone)]
pub(super) struct Merging {
    /// Cycles of the load-store unit that a line stays, since it was written last.
    stays_cycles: f64,
    lines: VecDeque<Leaving>,
}

#[derive(Debug, Clone, Copy)]
struct Leaving {
    line: u64,
    sectors: SectorMask,
    cycle: f64,
}

impl Merging {
    /// Nothing on its way.
    pub(super) fn new(stays_cycles: f64) -> Self {
        Self { stays_cycles, lines: VecDeque::new() }
    }

    /// Those of the `written` sectors of a line that do not become one with what is on its way, at a cycle of the load-store unit. Cycles
    /// never go back.
    pub(super) fn sent(&mut self, cycle: f64, line: u64, written: SectorMask) -> SectorMask {
        while self.lines.front().is_some_and(|first| first.cycle + self.stays_cycles < cycle) {
            self.lines.pop_front();
        }
        let before = self.lines.iter().position(|own| own.line == line).and_then(|place| self.lines.remove(place));
        let before = before.map_or(0, |own| own.sectors);
        if self.stays_cycles > 0.0 {
            self.lines.push_back(Leaving { line, sectors: before | written, cycle });
        }
        written & !before
    }
}

#[cfg(test)]
mod tests {
    use super::Merging;

    #[test]
    fn a_store_to_what_is_on_its_way_is_not_sent_again() {
        let mut merging = Merging::new(28.0);
        assert_eq!(merging.sent(0.0, 7, 0b0011), 0b0011);
        // Another sector of that line is, and keeps the line.
        assert_eq!(merging.sent(20.0, 7, 0b0110), 0b0100);
        assert_eq!(merging.sent(48.0, 7, 0b0111), 0);
        assert_eq!(merging.sent(50.0, 8, 0b1111), 0b1111);
        assert_eq!(merging.sent(77.0, 7, 0b0111), 0b0111);
    }

    #[test]
    fn without_a_stay_nothing_becomes_one() {
        let mut merging = Merging::new(0.0);
        assert_eq!([merging.sent(5.0, 7, 1), merging.sent(5.0, 7, 1)], [1, 1]);
    }
}
