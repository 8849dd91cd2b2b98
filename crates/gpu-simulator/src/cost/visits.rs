//! Blocks that come to the same memory one after the other, what part of it is each one's, and what came between.

use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};

/// What a visit to memory is a share of, as a number that shares of it are whole parts of: 1 to 16 visits divide it.
const WHOLE: u64 = 720_720;

/// The blocks of a sample all of whose neighbours are in it, so that it shows with whom they share what.
#[derive(Debug, Clone, Default)]
pub(crate) struct Enclosed(Option<Arc<HashSet<u64>>>);

impl Enclosed {
    /// Those with these numbers.
    pub(crate) fn only(blocks: impl IntoIterator<Item = u64>) -> Self {
        let mut enclosed = HashSet::new();
        enclosed.extend(blocks);
        Self(Some(Arc::new(enclosed)))
    }

    pub(crate) fn has(&self, block: u64) -> bool {
        self.0.as_ref().is_none_or(|enclosed| enclosed.contains(&block))
    }
}

/// What all blocks of a grid did of something before a moment, where some of them are executed: those between are taken to do as much as these in the mean.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Clock {
    now: u64,
    /// What executed blocks did, how many they are, and the first and the furthest of them.
    own: u64,
    blocks: u64,
    first: u64,
    furthest: u64,
}

impl Clock {
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// What follows is of this block.
    pub(super) fn block_runs(&mut self, number: u64) {
        if self.blocks == 0 {
            (self.blocks, self.first, self.furthest) = (1, number, number);
        } else if number > self.furthest {
            self.now += self.done_by(number - self.furthest - 1);
            (self.blocks, self.furthest) = (self.blocks + 1, number);
        }
    }

    /// The block that runs did so much.
    pub(super) fn advance(&mut self, more: u64) {
        self.now += more;
        self.own += more;
    }

    /// Adds that of blocks behind these, and gives the moment at which they begin.
    pub(super) fn append(&mut self, behind: &Self) -> u64 {
        if self.blocks == 0 {
            *self = *behind;
            return 0;
        }
        let skipped = behind.first.saturating_sub(self.furthest + 1);
        self.own += behind.own;
        self.blocks += behind.blocks;
        let begin = self.now + self.done_by(skipped);
        self.now = begin + behind.now;
        self.furthest = self.furthest.max(behind.furthest);
        begin
    }

    fn done_by(&self, skipped: u64) -> u64 {
        (u128::from(skipped) * u128::from(self.own) / u128::from(self.blocks.max(1))) as u64
    }
}

/// The block that runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Visitor {
    pub(super) block: u64,
    pub(super) is_enclosed: bool,
}

impl Visitor {
    pub(super) fn new(block: u64, enclosed: &Enclosed) -> Self {
        Self { block, is_enclosed: enclosed.has(block) }
    }
}

/// Visits to the same memory while it is in L2.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Visits {
    last_block: u64,
    count: u64,
    enclosed: u64,
}

impl Visits {
    /// None, but a block was there that does not count.
    pub(super) fn none_after(visitor: Visitor) -> Self {
        Self { last_block: visitor.block, count: 0, enclosed: 0 }
    }

    pub(super) fn first(visitor: Visitor) -> Self {
        Self { last_block: visitor.block, count: 1, enclosed: u64::from(visitor.is_enclosed) }
    }

    /// Adds those that come later. A block that was the last one there does not come anew.
    pub(super) fn add(&mut self, later: Self) {
        let is_same = self.last_block == later.last_block && later.count == 1;
        if !is_same {
            self.count += later.count;
            self.enclosed += later.enclosed;
        }
        self.last_block = later.last_block;
    }

    /// The block that came last.
    pub(super) fn last_block(&self) -> u64 {
        self.last_block
    }

    /// Those of enclosed blocks.
    pub(super) fn enclosed(&self) -> u64 {
        self.enclosed
    }
}

/// How many visits of enclosed blocks there were, and how much of what was visited is theirs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shares {
    visits: u64,
    shares: u64,
}

impl Shares {
    /// Adds visits to what one of them had to bring, or none.
    pub(super) fn add(&mut self, visits: &Visits, is_brought: bool) {
        self.visits += visits.enclosed;
        if is_brought && visits.count > 0 {
            self.shares += visits.enclosed * WHOLE / visits.count;
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.visits += other.visits;
        self.shares += other.shares;
    }

    /// Visits to what is brought once, in the mean; 1 where nothing is.
    pub(super) fn visits_each(&self) -> f64 {
        if self.shares == 0 { 1.0 } else { (self.visits as f64 * WHOLE as f64 / self.shares as f64).max(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visits(blocks: &[u64], enclosed: &Enclosed) -> Visits {
        let mut visits = blocks.iter().map(|block| Visits::first(Visitor::new(*block, enclosed)));
        let mut all = visits.next().unwrap();
        visits.for_each(|later| all.add(later));
        all
    }

    fn each(blocks: &[&[u64]], enclosed: &Enclosed) -> f64 {
        let mut shares = Shares::default();
        blocks.iter().for_each(|own| shares.add(&visits(own, enclosed), true));
        shares.visits_each()
    }

    #[test]
    fn each_of_several_blocks_has_its_part() {
        let all = Enclosed::default();
        assert!((each(&[&[1], &[2]], &all) - 1.0).abs() < 1e-9);
        assert!((each(&[&[1, 2, 3]], &all) - 3.0).abs() < 1e-9);
        assert!((each(&[&[1, 1, 2, 2]], &all) - 2.0).abs() < 1e-9, "a block that was there last");
        assert!((each(&[&[1, 2, 1]], &all) - 3.0).abs() < 1e-9);
        // Three visits to two units.
        assert!((each(&[&[1, 2], &[3]], &all) - 1.5).abs() < 1e-9);
        assert!((each(&[], &all) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn blocks_that_are_left_out_do_as_much_as_the_others() {
        let run = |blocks: &[u64]| {
            let mut clock = Clock::default();
            for block in blocks {
                clock.block_runs(*block);
                clock.block_runs(*block);
                clock.advance(10);
            }
            clock
        };
        assert_eq!(run(&[0, 1, 2]).now(), 30);
        assert_eq!(run(&[4, 5, 9]).now(), 60, "from the first one on");
        assert_eq!(run(&[2, 1, 0]).now(), 30);
        let mut first = run(&[0, 1, 5]);
        assert_eq!(first.append(&run(&[8, 9])), 60 + 20);
        assert_eq!(first.now(), 100);
        let mut none = Clock::default();
        assert_eq!((none.append(&run(&[3, 4])), none.now()), (0, 20));
    }

    #[test]
    fn blocks_at_the_edge_of_a_sample_tell_nothing() {
        // Rows of blocks that share a unit with each neighbour: of blocks 0 to 3 the outer ones have neighbours that nobody saw.
        let rows: &[&[u64]] = &[&[0], &[0, 1], &[1, 2], &[2, 3], &[3]];
        assert!((each(rows, &Enclosed::default()) - 8.0 / 5.0).abs() < 1e-9);
        assert!((each(rows, &Enclosed::only([1, 2])) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn what_was_there_already_nobody_brings() {
        let all = Enclosed::default();
        let mut stored = Visits::none_after(Visitor::new(7, &all));
        stored.add(Visits::first(Visitor::new(7, &all)));
        assert_eq!((stored.count, stored.enclosed()), (0, 0), "by the block that stored it");
        stored.add(Visits::first(Visitor::new(8, &all)));
        let mut shares = Shares::default();
        shares.add(&stored, false);
        shares.add(&visits(&[1, 2], &all), true);
        assert!((shares.visits_each() - 3.0).abs() < 1e-9);
    }
}
