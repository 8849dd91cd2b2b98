//! When the registers of a warp are there, and what they wait for.

use super::bound::Cause;
use crate::program::{Kind, Register};

/// One kind of registers.
#[derive(Debug, Clone, Default)]
struct Bank {
    ready: Vec<(f64, Cause)>,
    /// The same had what counts turns of loops come as early as it could; of predicates, when they can guard.
    early: Vec<f64>,
    /// Until when memory instructions read them that were issued.
    read_until: Vec<f64>,
}

/// The registers of a warp that are written by instructions which have not ended.
#[derive(Debug, Clone, Default)]
pub(super) struct Scoreboard {
    banks: [Bank; 3],
}

fn bank(kind: Kind) -> usize {
    match kind {
        Kind::Word => 0,
        Kind::Long => 1,
        Kind::Predicate => 2,
    }
}

impl Scoreboard {
    /// The cycle from which all these registers of a frame are there, and what the last of them waits for.
    pub(super) fn ready(&self, bases: [u32; 3], registers: &[Register]) -> (f64, Cause) {
        registers.iter().fold((0.0, Cause::Issue), |latest, register| {
            let bank_index = bank(register.kind);
            let place = (bases[bank_index] + register.slot) as usize;
            match self.banks[bank_index].ready.get(place) {
                Some(ready) if ready.0 > latest.0 => *ready,
                _ => latest,
            }
        })
    }

    /// The cycle from which all these registers of a frame would be there, had what counts turns of loops come as early as it could; of predicates, could guard.
    pub(super) fn early(&self, bases: [u32; 3], registers: &[Register]) -> f64 {
        registers.iter().fold(0.0, |latest, register| {
            let bank_index = bank(register.kind);
            let place = (bases[bank_index] + register.slot) as usize;
            self.banks[bank_index].early.get(place).map_or(latest, |own| own.max(latest))
        })
    }

    /// Says so of registers that were just written. Predicates guard so many cycles later.
    pub(super) fn set_early(&mut self, bases: [u32; 3], registers: &[Register], cycle: f64, guard_cycles: f64) {
        for register in registers {
            let bank_index = bank(register.kind);
            let cycle = if register.kind == Kind::Predicate { cycle + guard_cycles } else { cycle };
            let place = (bases[bank_index] + register.slot) as usize;
            if let Some(early) = self.banks[bank_index].early.get_mut(place) {
                *early = cycle;
            }
        }
    }

    /// The cycle from which all these registers of a frame can be written, and what the last of them waits for.
    pub(super) fn writable(&self, bases: [u32; 3], registers: &[Register]) -> (f64, Cause) {
        registers.iter().fold(self.ready(bases, registers), |latest, register| {
            let bank_index = bank(register.kind);
            let place = (bases[bank_index] + register.slot) as usize;
            match self.banks[bank_index].read_until.get(place) {
                Some(&until) if until > latest.0 => (until, Cause::Issue),
                _ => latest,
            }
        })
    }

    /// A memory instruction reads these registers of a frame until `cycle`; `None` where it has at once.
    pub(super) fn read(&mut self, bases: [u32; 3], registers: &[Register], cycle: Option<f64>) {
        let Some(cycle) = cycle else { return };
        for register in registers {
            let bank_index = bank(register.kind);
            let place = (bases[bank_index] + register.slot) as usize;
            let read_until = &mut self.banks[bank_index].read_until;
            if place >= read_until.len() {
                read_until.resize(place + 1, 0.0);
            }
            read_until[place] = cycle;
        }
    }

    /// These registers of a frame are there from `cycle` on.
    pub(super) fn write(&mut self, bases: [u32; 3], registers: &[Register], cycle: f64, cause: Cause) {
        for register in registers {
            let bank_index = bank(register.kind);
            let place = (bases[bank_index] + register.slot) as usize;
            let ready = &mut self.banks[bank_index].ready;
            if place >= ready.len() {
                ready.resize(place + 1, (0.0, Cause::Issue));
            }
            ready[place] = (cycle, cause);
            let early = &mut self.banks[bank_index].early;
            if place >= early.len() {
                early.resize(place + 1, 0.0);
            }
            early[place] = cycle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_register_can_be_read_before_it_can_be_written() {
        let word = |slot| Register { kind: Kind::Word, slot };
        let (mut scoreboard, bases) = (Scoreboard::default(), [10, 0, 0]);
        scoreboard.write(bases, &[word(0)], 5.0, Cause::SharedLoad);
        scoreboard.read(bases, &[word(0), word(3)], Some(8.0));
        assert_eq!(scoreboard.ready(bases, &[word(0)]), (5.0, Cause::SharedLoad));
        assert_eq!(scoreboard.writable(bases, &[word(0)]), (8.0, Cause::Issue));
        assert_eq!(scoreboard.writable(bases, &[word(3)]), (8.0, Cause::Issue));
        // Those of another frame, and those that are written later than they were read.
        assert_eq!(scoreboard.writable([0, 0, 0], &[word(3)]), (0.0, Cause::Issue));
        scoreboard.write(bases, &[word(0)], 9.0, Cause::GlobalLoad);
        assert_eq!(scoreboard.writable(bases, &[word(0)]), (9.0, Cause::GlobalLoad));
    }
}
