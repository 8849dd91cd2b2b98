//! The statements of an unrolled loop.

use std::collections::HashSet;

use ptx_syntax::module::{Guard, Operand, Statement, Type};

use super::budget::Unrolling;
use super::counted::{Comparison, CountedLoop};
use super::registers::Types;
use super::words::{rename, writes};
use crate::program::expand::instruction;

/// What stands in a loop's place behind its label.
pub(super) fn emit(own: &CountedLoop<'_>, number: usize, unrolling: Unrolling, types: &Types<'_>) -> Vec<Statement> {
    let mut writer = Writer { own, types, statements: Vec::new(), number, copies: 0 };
    match unrolling {
        Unrolling::Exactly(turns) => {
            let head = writer.label("all");
            writer.put(Statement::Label(head.clone()));
            writer.turns(turns);
            writer.test();
            if own.turns != Some(turns) {
                writer.branch(&head, own.guard);
            }
        }
        Unrolling::ByFour => writer.by_four(),
    }
    writer.statements
}

struct Writer<'own, 'module> {
    own: &'own CountedLoop<'module>,
    types: &'own Types<'module>,
    statements: Vec<Statement>,
    /// What tells this loop's names from those of others.
    number: usize,
    copies: u32,
}

impl Writer<'_, '_> {
    fn put(&mut self, statement: Statement) {
        self.statements.push(statement);
    }

    /// A name that no text can write.
    fn label(&self, of: &str) -> String {
        format!("{of} turns of loop {}", self.number)
    }

    fn branch(&mut self, to: &str, guard: &Guard) {
        self.put(instruction("bra", vec![Operand::Name(to.to_owned())], Some(guard), self.own.line));
    }

    /// Lanes that have made their turns by four meet the others before those by two.
    fn by_four(&mut self) {
        let [four, two, rest, one, end] = ["four", "two", "rest", "one", "behind"].map(|name| self.label(name));
        let more_than_three = self.bound_before(3);
        let more_than_one = self.bound_before(1);
        let is_first = self.register("whether no turn was made", Type::Predicate);
        self.set(&is_first, true);
        let leave = self.has_more(&more_than_three, 3, true);
        self.branch(&two, &leave);
        self.put(Statement::Label(four.clone()));
        self.turns(4);
        let again = self.has_more(&more_than_three, 3, false);
        self.branch(&four, &again);
        self.set(&is_first, false);
        self.put(Statement::Label(two));
        let leave = self.has_more(&more_than_one, 1, true);
        self.branch(&rest, &leave);
        self.turns(2);
        self.set(&is_first, false);
        self.put(Statement::Label(rest));
        // The first turn is made without a test.
        self.test();
        let go_on = self.register("whether a turn is left", Type::Predicate);
        let left = Operand::Name(go_on.clone());
        let mut passed = Operand::Name(self.own.guard.register.clone());
        if self.own.guard.negated {
            self.compute("not.pred", vec![left.clone(), passed]);
            passed = left.clone();
        }
        self.compute("or.pred", vec![left, passed, Operand::Name(is_first)]);
        self.branch(&end, &Guard { register: go_on, negated: true });
        self.put(Statement::Label(one.clone()));
        self.turns(1);
        self.test();
        self.branch(&one, self.own.guard);
        self.put(Statement::Label(end));
    }

    fn set(&mut self, predicate: &str, value: bool) {
        let value = Operand::Integer(if value { u64::MAX } else { 0 });
        self.compute("mov.pred", vec![Operand::Name(predicate.to_owned()), value]);
    }

    /// The comparison as it was written.
    fn test(&mut self) {
        self.put(self.own.body[self.own.test].clone());
    }

    /// A register of this type that no text can name.
    fn register(&mut self, what: &str, ty: Type) -> String {
        let name = format!("{what} of loop {}", self.number);
        self.put(Statement::Registers { vector: 1, ty, names: vec![(name.clone(), None)] });
        name
    }

    fn compute(&mut self, words: &str, operands: Vec<Operand>) {
        self.put(instruction(words, operands, None, self.own.line));
    }

    /// With what the counter is compared to know that `turns` tests will pass after this one's turn.
    fn bound_before(&mut self, turns: u64) -> Operand {
        let way = self.own.step.unsigned_abs() * turns;
        let (ty, bits) = (self.own.ty, self.own.bits());
        let (least, greatest) = self.own.range();
        let (limit, words, back) = match self.own.comparison {
            Comparison::Unequal => return self.own.bound.clone(),
            Comparison::Less => (least + i128::from(way), "max", "sub"),
            Comparison::Greater => (greatest - i128::from(way), "min", "add"),
        };
        let register = Operand::Name(self.register(&format!("bound {turns} turns before the end"), Type::Bits(bits)));
        let operands = vec![register.clone(), self.own.bound.clone(), Operand::Integer(limit as u64)];
        self.compute(&format!("{words}.{ty}"), operands);
        self.compute(&format!("{back}.{ty}"), vec![register.clone(), register.clone(), Operand::Integer(way)]);
        register
    }

    /// Compares whether `turns` tests will pass after this one's turn; the guard of what is done then, or where it is not so.
    fn has_more(&mut self, bound: &Operand, turns: u64, negated: bool) -> Guard {
        self.copies += 1;
        let predicate =
            self.register(&format!("test {} whether {turns} more turns come", self.copies), Type::Predicate);
        let counter = Operand::Name(self.own.counter.to_owned());
        let result = Operand::Name(predicate.clone());
        let ty = self.own.ty;
        match self.own.comparison {
            Comparison::Less => self.compute(&format!("setp.lt.{ty}"), vec![result, counter, bound.clone()]),
            Comparison::Greater => self.compute(&format!("setp.gt.{ty}"), vec![result, counter, bound.clone()]),
            Comparison::Unequal => {
                let bits = self.own.bits();
                let (from, to) = if self.own.step > 0 { (bound.clone(), counter) } else { (counter, bound.clone()) };
                let distance = if to == Operand::Integer(0) {
                    from
                } else {
                    let way = self.register(&format!("way {} to the end", self.copies), Type::Bits(bits));
                    self.compute(&format!("sub.s{bits}"), vec![Operand::Name(way.clone()), from, to]);
                    Operand::Name(way)
                };
                let least = self.own.step.unsigned_abs() * (turns + 1);
                self.compute(&format!("setp.ge.u{bits}"), vec![result, distance, Operand::Integer(least)]);
            }
        }
        Guard { register: predicate, negated }
    }

    /// So many turns without a test; steps that fold come at their end.
    fn turns(&mut self, turns: u64) {
        for turn in 0..turns {
            self.turn(turn, turn + 1 == turns);
        }
        let mut folding: Vec<_> = self.own.inductions.values().filter(|own| own.folds).map(|own| own.place).collect();
        folding.sort_unstable();
        for place in folding {
            let Statement::Instruction(step) = &self.own.body[place] else { continue };
            let mut step = step.clone();
            if let Some(Operand::Integer(by)) = step.operands.get_mut(2) {
                *by = by.wrapping_mul(turns);
            }
            self.put(Statement::Instruction(step));
        }
    }

    /// One turn. All but the last have registers of their own, so that they overlap.
    fn turn(&mut self, turn: u64, is_last: bool) {
        self.copies += 1;
        let own = self.own;
        let suffix = format!(" of turn {} of loop {}", self.copies, self.number);
        let mut declared = HashSet::new();
        for (place, statement) in own.body.iter().enumerate() {
            match statement {
                Statement::Label(name) => self.put(Statement::Label(name.clone() + &suffix)),
                Statement::Instruction(_) if place == own.test => {}
                Statement::Instruction(one) => {
                    let steps = writes(one);
                    if steps.iter().any(|name| own.inductions.get(name).is_some_and(|step| step.folds)) {
                        continue;
                    }
                    let mut one = one.clone();
                    one.operands.iter_mut().for_each(|operand| self.shift(operand, place, turn));
                    let other = |name: &str| -> Option<String> {
                        let is_renamed = own.labels.contains(name)
                            || (!is_last && own.locals.contains(name) && self.types.find(name).is_some());
                        is_renamed.then(|| name.to_owned() + &suffix)
                    };
                    one.operands.iter_mut().for_each(|operand| rename(operand, &other));
                    if let Some(guard) = &mut one.guard
                        && let Some(name) = other(&guard.register)
                    {
                        guard.register = name;
                    }
                    for name in steps {
                        if let (Some(name), Some(ty)) = (other(&name), self.types.find(&name))
                            && declared.insert(name.clone())
                        {
                            self.put(Statement::Registers { vector: 1, ty, names: vec![(name, None)] });
                        }
                    }
                    self.put(Statement::Instruction(one));
                }
                other => self.put(other.clone()),
            }
        }
    }

    /// Moves an address by the steps that folded before it.
    fn shift(&self, operand: &mut Operand, place: usize, turn: u64) {
        if let Operand::Address { base: Some(base), offset } = operand
            && let Some(step) = self.own.inductions.get(base).filter(|own| own.folds)
        {
            let steps = turn as i64 + i64::from(place > step.place);
            *offset += step.step * steps;
        }
    }
}
