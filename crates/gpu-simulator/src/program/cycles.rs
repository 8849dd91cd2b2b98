//! Cycles of the control flow: instructions from each of which every other one can be reached. Whoever leaves a cycle does not come back.

use super::control::next_places;
use super::{Instruction, NO_PC};

/// Of each instruction the cycle that it is in.
#[derive(Debug, Clone)]
pub(super) struct Cycles {
    of: Vec<u32>,
    count: usize,
}

/// What Tarjan's algorithm knows of an instruction.
#[derive(Clone, Copy)]
struct Known {
    /// When it was come to first.
    number: u32,
    /// The earliest that can be reached from it and reaches it.
    lowest: u32,
}

impl Cycles {
    /// Those of a program whose calls are left aside.
    ///
    /// Source: Tarjan, Depth-first search and linear graph algorithms (1972). Iterative: code may be long.
    pub(super) fn of(code: &[Instruction]) -> Self {
        let next: Vec<Vec<u32>> = (0..code.len() as u32)
            .map(|pc| next_places(code, pc).into_iter().filter(|next| (*next as usize) < code.len()).collect())
            .collect();
        let mut own = Self { of: vec![NO_PC; code.len()], count: 0 };
        let mut known: Vec<Option<Known>> = vec![None; code.len()];
        let (mut number, mut open, mut is_open) = (0, Vec::new(), vec![false; code.len()]);
        for root in 0..code.len() as u32 {
            if known[root as usize].is_some() {
                continue;
            }
            let mut ways = vec![(root, 0)];
            while let Some((pc, way)) = ways.last_mut() {
                let (pc, place) = (*pc, *pc as usize);
                let here = *known[place].get_or_insert_with(|| {
                    number += 1;
                    open.push(pc);
                    is_open[place] = true;
                    Known { number, lowest: number }
                });
                if let Some(target) = next[place].get(*way).copied() {
                    *way += 1;
                    match known[target as usize] {
                        None => ways.push((target, 0)),
                        Some(other) if is_open[target as usize] => {
                            known[place] = Some(Known { lowest: here.lowest.min(other.number), ..here });
                        }
                        Some(_) => {}
                    }
                    continue;
                }
                ways.pop();
                if let Some((from, _)) = ways.last()
                    && let Some(before) = &mut known[*from as usize]
                {
                    before.lowest = before.lowest.min(here.lowest);
                }
                if here.lowest == here.number {
                    let first = open.iter().rposition(|other| *other == pc).unwrap_or_default();
                    let members = open.split_off(first);
                    members.iter().for_each(|member| is_open[*member as usize] = false);
                    own.add(&members, next[place].contains(&pc));
                }
            }
        }
        own
    }

    /// Takes in instructions that reach each other; one alone is a cycle where it goes to itself.
    fn add(&mut self, members: &[u32], goes_to_itself: bool) {
        if members.len() == 1 && !goes_to_itself {
            return;
        }
        members.iter().for_each(|member| self.of[*member as usize] = self.count as u32);
        self.count += 1;
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The number of the cycle that an instruction is in.
    pub(super) fn at(&self, pc: u32) -> Option<usize> {
        self.of.get(pc as usize).copied().filter(|own| *own != NO_PC).map(|own| own as usize)
    }

    /// Whether two instructions are in the same cycle.
    pub(super) fn are_together(&self, one: u32, other: u32) -> bool {
        self.at(one).is_some_and(|own| self.at(other) == Some(own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snippet::{kernel, program};

    #[test]
    fn loops_are_cycles_and_what_stands_around_them_is_none() {
        let body = "add.u32 %r2, %r2, 1;\nO:\nadd.u32 %r1, %r1, 1;\nI:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 9;\n@%p1 bra I;\n\
                    setp.lt.u32 %p1, %r1, 9;\n@%p1 bra O;\nadd.u32 %r2, %r2, 1;\nL:\nbra L;";
        let program = program(&kernel("", body));
        let cycles = Cycles::of(&program.code);
        assert_eq!(cycles.count(), 2, "the loop with the one inside it, and the last one");
        let branches: Vec<u32> = (0..)
            .zip(&program.code)
            .filter(|(pc, own)| next_places(&program.code, *pc).len() == 2 && own.guard.is_some())
            .map(|(pc, _)| pc)
            .collect();
        let [inner, outer] = branches[..] else { panic!("{branches:?}") };
        assert!(cycles.are_together(inner, outer));
        assert_eq!(cycles.at(outer + 1), None, "what follows is in none");
        let last = program.code.len() as u32 - 1;
        assert!((outer..=last).any(|pc| cycles.at(pc).is_some() && !cycles.are_together(pc, outer)));
    }
}
