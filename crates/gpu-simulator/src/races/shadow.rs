//! What was done last to a place of memory, as far as a later access may race with it.

/// What an access does, and whether it may meet others: two *strong* ones never race (PTX ISA, "Data Races"). Atomics are strong, and
/// accesses that are volatile or ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Read,
    StrongRead,
    Write,
    StrongWrite,
}

impl Class {
    fn is_strong(self) -> bool {
        matches!(self, Self::StrongRead | Self::StrongWrite)
    }

    pub(super) fn writes(self) -> bool {
        matches!(self, Self::Write | Self::StrongWrite)
    }
}

/// An access to a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    /// The number of the instruction among all that were watched.
    pub(super) time: u64,
    /// What it writes.
    pub(super) value: u64,
    pub(super) pc: u32,
    /// The block's number in the grid.
    pub(super) block: u32,
    /// The thread's number in the block.
    pub(super) thread: u32,
    pub(super) class: Class,
    /// Whether `value` is known.
    pub(super) is_known: bool,
    /// Whether it writes what the same thread has read.
    pub(super) is_update: bool,
}

impl Record {
    pub(super) fn is_of_thread(&self, other: &Self) -> bool {
        self.block == other.block && self.thread == other.thread
    }

    pub(super) fn warp(&self) -> u32 {
        self.thread / 32
    }

    /// Whether two accesses by threads that nothing orders are in each other's way. Stores of the same value are not.
    pub(super) fn conflicts(&self, other: &Self) -> bool {
        if !(self.class.writes() || other.class.writes()) || self.class.is_strong() && other.class.is_strong() {
            return false;
        }
        let both_store = self.class == Class::Write && other.class == Class::Write;
        !(both_store && (self.value == other.value || !(self.is_known && other.is_known)))
    }

    /// Whether whatever races with an earlier access of the same thread, or one that is ordered before, races with this one too.
    fn stands_for(&self, earlier: &Self) -> bool {
        self.class == earlier.class || self.class == Class::Write && earlier.class == Class::Read
    }
}

/// Accesses of each class that are kept of a place: those of other threads than one, and in other warps or blocks.
const KEPT: usize = 3;

/// The accesses to a place that later ones are held against.
#[derive(Debug, Default)]
pub(super) enum Cell {
    #[default]
    Untouched,
    One(Record),
    Many(Vec<Record>),
}

impl Cell {
    pub(super) fn records(&self) -> &[Record] {
        match self {
            Self::Untouched => &[],
            Self::One(record) => std::slice::from_ref(record),
            Self::Many(records) => records,
        }
    }

    /// Notes an access. `is_past` tells of an earlier one whether it is ordered before all that follow in the block; where `for_others`, blocks
    /// that nothing orders may still race with those.
    pub(super) fn note(&mut self, new: Record, is_past: impl Fn(&Record) -> bool, for_others: bool) {
        let is_obsolete = |old: &Record| {
            if is_past(old) && !for_others {
                return true;
            }
            let is_replaced = old.is_of_thread(&new) || old.block == new.block && is_past(old);
            is_replaced && new.stands_for(old)
        };
        match self {
            Self::Untouched => *self = Self::One(new),
            Self::One(old) if is_obsolete(old) => *old = new,
            Self::One(old) => *self = Self::Many(vec![*old, new]),
            Self::Many(records) => {
                records.retain(|old| !is_obsolete(old));
                if records.iter().filter(|old| old.class == new.class).count() >= KEPT {
                    let place = superfluous(records, &new);
                    records.remove(place);
                }
                records.push(new);
            }
        }
    }
}

/// Which of the records of the new one's class tells least: of two from other blocks the later, else one of the new one's warp, else the last.
fn superfluous(records: &[Record], new: &Record) -> usize {
    let same_class = || (0..records.len()).filter(|place| records[*place].class == new.class);
    let others: Vec<usize> = same_class().filter(|place| records[*place].block != new.block).collect();
    if let [_, .., last] = others[..] {
        return last;
    }
    let own = |place: &usize| records[*place].block == new.block;
    let of_warp = same_class().filter(own).find(|place| records[*place].warp() == new.warp());
    of_warp.or(same_class().rfind(own)).or(same_class().next_back()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(class: Class, block: u32, thread: u32, time: u64) -> Record {
        Record { time, value: time, pc: 0, block, thread, class, is_known: true, is_update: false }
    }

    #[test]
    fn what_conflicts_is_what_is_not_all_strong_and_not_the_same_value() {
        let all = [Class::Read, Class::StrongRead, Class::Write, Class::StrongWrite];
        let table = all.map(|first| {
            all.map(|second| u8::from(record(first, 0, 0, 1).conflicts(&record(second, 0, 1, 2)))).to_vec()
        });
        assert_eq!(table, [vec![0, 0, 1, 1], vec![0, 0, 1, 0], vec![1, 1, 1, 1], vec![1, 0, 1, 0]]);
        assert!(!record(Class::Write, 0, 0, 1).conflicts(&record(Class::Write, 0, 1, 1)), "the same value");
    }

    #[test]
    fn a_few_records_stand_for_all() {
        let mut cell = Cell::default();
        // A thread's own accesses stand for each other.
        for time in 1..10 {
            cell.note(record(Class::Read, 0, 0, time), |_| false, true);
        }
        cell.note(record(Class::Write, 0, 0, 10), |_| false, true);
        assert_eq!(cell.records(), [record(Class::Write, 0, 0, 10)]);
        // Other blocks and other warps are kept.
        for block in 1..5 {
            for thread in (0..128).step_by(16) {
                cell.note(record(Class::Write, block, thread, 11), |_| false, true);
            }
        }
        let kept: Vec<(u32, u32)> = cell.records().iter().map(|own| (own.block, own.warp())).collect();
        assert_eq!(kept.len(), KEPT);
        assert!(kept.iter().any(|(block, _)| *block == 0), "{kept:?}");
        assert!(kept.iter().filter(|(block, _)| *block == 4).count() == 2 && kept[1].1 != kept[2].1, "{kept:?}");
        // Behind a barrier nothing is left where other blocks cannot come.
        cell.note(record(Class::Read, 4, 9, 12), |old| old.time < 12, false);
        assert_eq!(cell.records(), [record(Class::Read, 4, 9, 12)]);
    }
}
