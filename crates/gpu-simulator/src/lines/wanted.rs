//! Addresses that many atomics come to.

use std::collections::{BTreeMap, HashMap};

/// Atomics of some blocks, by address.
#[derive(Debug, Clone, Default)]
pub(super) struct Addresses(HashMap<u64, OfAddress>);

/// Atomics at an address, of blocks from the first to the last that has one.
#[derive(Debug, Clone, Copy)]
struct OfAddress {
    count: u64,
    first: u64,
    last: u64,
}

/// An address that blocks have atomics at which span less than this part of those that were executed is of these blocks only: others have one of
/// their own.
const SPAN_OF_ALL: f64 = 0.5;

impl Addresses {
    pub(super) fn add(&mut self, address: u64, block: u64) {
        self.add_all(address, OfAddress { count: 1, first: block, last: block });
    }

    fn add_all(&mut self, address: u64, other: OfAddress) {
        let own = self.0.entry(address).or_insert(OfAddress { count: 0, ..other });
        own.count += other.count;
        own.first = own.first.min(other.first);
        own.last = own.last.max(other.last);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        other.0.iter().for_each(|(address, own)| self.add_all(*address, *own));
    }

    /// Those that most come to, where each of the blocks that were executed, from `first` to `last`, stands for `scale`.
    pub(super) fn wanted(&self, (first, last): (u64, u64), scale: f64) -> Wanted {
        let span = last.saturating_sub(first) as f64;
        let of_all = |own: &OfAddress| {
            let is_own = scale > 1.0 && ((own.last - own.first) as f64) < SPAN_OF_ALL * span;
            if is_own { own.count as f64 } else { own.count as f64 * scale }
        };
        Wanted::of(self.0.iter().map(|(address, own)| (*address, of_all(own))).collect())
    }
}

/// Atomics at the addresses of global memory that most of them come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wanted(BTreeMap<u64, f64>);

impl Wanted {
    /// So many addresses are kept of an instruction: what several of them add up to at one is exact where they come to no more.
    pub const MOST: usize = 1024;

    fn of(mut all: Vec<(u64, f64)>) -> Self {
        if all.len() > Self::MOST {
            let heavier = |one: &(u64, f64), other: &(u64, f64)| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0));
            all.select_nth_unstable_by(Self::MOST - 1, heavier);
            all.truncate(Self::MOST);
        }
        Self(all.into_iter().collect())
    }

    /// Adds the atomics of other instructions, address by address.
    pub fn add(&mut self, other: &Self) {
        for (address, count) in &other.0 {
            *self.0.entry(*address).or_default() += count;
        }
    }

    /// The most at one address.
    pub fn most(&self) -> f64 {
        self.0.values().copied().fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn most(own: &Wanted) -> u64 {
        own.most().round() as u64
    }

    #[test]
    fn instructions_add_up_at_an_address_and_not_beyond() {
        let of = |all: &[(u64, f64)]| Wanted::of(all.to_vec());
        let mut own = of(&[(0, 20.0), (4, 6.0)]);
        own.add(&of(&[(8, 18.0)]));
        assert_eq!(most(&own), 20, "other addresses do not count");
        own.add(&of(&[(4, 18.0)]));
        assert_eq!(most(&own), 24);
    }

    #[test]
    fn the_heaviest_are_kept() {
        let own = Wanted::of((0..5000_u64).map(|number| (number * 4, (number % 4999) as f64)).collect());
        assert_eq!((own.0.len(), most(&own)), (Wanted::MOST, 4998));
    }

    #[test]
    fn blocks_that_were_not_executed_have_addresses_of_their_own_where_those_that_were_have() {
        let mut addresses = Addresses::default();
        for block in [0, 1, 500, 501, 998, 999] {
            addresses.add(8 + 8 * block, block);
            addresses.add(0, block);
        }
        let mut others = Addresses::default();
        (0..3).for_each(|_| others.add(8 + 8 * 500, 500));
        assert_eq!(most(&others.wanted((0, 999), 100.0)), 3, "a block's own");
        addresses.merge(&others);
        assert_eq!(most(&addresses.wanted((0, 999), 100.0)), 600, "all blocks'");
        assert_eq!(most(&others.wanted((500, 500), 1.0)), 3);
    }
}
