//! Loops of one counter, and what is known of their registers.

use std::collections::{HashMap, HashSet};

use ptx_syntax::module::{Guard, Instruction, Operand, Statement};

use super::words::{is_known, reads, target, writes};

/// The most that a counter may move in one turn.
const STEP_MAX: i64 = 1 << 20;

/// How the counter is compared with the bound for another turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    Greater,
    Unequal,
}

/// A register that every turn moves by the same number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Induction {
    /// Where, among the statements of the body.
    pub(super) place: usize,
    /// By how much.
    pub(super) step: i64,
    /// Whether it is an address or the counter and nothing else, so that its steps may become one.
    pub(super) folds: bool,
}

/// A loop that is left where a counter meets a bound.
pub(super) struct CountedLoop<'module> {
    /// What is done in a turn, without the branch back.
    pub(super) body: &'module [Statement],
    /// The line of the branch back.
    pub(super) line: u32,
    /// What leads to another turn.
    pub(super) guard: &'module Guard,
    /// The place of the comparison in the body.
    pub(super) test: usize,
    pub(super) comparison: Comparison,
    /// The type that is compared, such as `s32`.
    pub(super) ty: &'module str,
    pub(super) counter: &'module str,
    pub(super) step: i64,
    pub(super) bound: &'module Operand,
    /// All turns, where they are known.
    pub(super) turns: Option<u64>,
    pub(super) inductions: HashMap<String, Induction>,
    /// The registers that a turn writes.
    pub(super) written: HashSet<String>,
    /// Registers whose values do not live from one turn to the next.
    pub(super) locals: HashSet<String>,
    /// Labels inside.
    pub(super) labels: HashSet<&'module str>,
}

/// An instruction of a body that every lane executes in every turn, or not.
struct Placed<'module> {
    place: usize,
    instruction: &'module Instruction,
    always: bool,
}

impl<'module> CountedLoop<'module> {
    /// The loop between a label and a branch back to it; `None` where it is none of one counter, or is to stay as it is.
    pub(super) fn of(statements: &'module [Statement], head: usize, end: usize) -> Option<Self> {
        let body = &statements[head + 1..end];
        let Statement::Instruction(branch) = &statements[end] else { return None };
        let guard = branch.guard.as_ref()?;
        let (labels, placed) = placed(statements, head, end)?;
        let mut writers: HashMap<String, Vec<&Placed>> = HashMap::new();
        for own in &placed {
            writes(own.instruction).into_iter().for_each(|name| writers.entry(name).or_default().push(own));
        }
        let [test] = writers.get(&guard.register)?.as_slice() else { return None };
        let is_read_inside = placed.iter().any(|own| reads(own.instruction).contains(&guard.register));
        if !test.always || is_read_inside {
            return None;
        }
        let (comparison, ty) = comparison(test.instruction, guard)?;
        let [_, Operand::Name(counter), bound] = test.instruction.operands.as_slice() else { return None };
        let inductions = inductions(&placed, &writers, test.place);
        let Induction { place, step, .. } = *inductions.get(counter)?;
        let is_invariant = match bound {
            Operand::Name(name) => !writers.contains_key(name),
            Operand::Integer(_) => true,
            _ => false,
        };
        let leads_there = match comparison {
            Comparison::Less => step > 0,
            Comparison::Greater => step < 0,
            Comparison::Unequal => true,
        };
        if !is_invariant || !leads_there || place > test.place {
            return None;
        }
        let locals = locals(&placed, &writers);
        let own = Self {
            body,
            line: branch.line,
            guard,
            test: test.place,
            comparison,
            ty,
            counter,
            step,
            bound,
            turns: None,
            inductions,
            written: writers.into_keys().collect(),
            locals,
            labels,
        };
        let turns = match bound {
            Operand::Integer(bound) => {
                first_value(statements, head, counter).and_then(|first| own.turns_from(first, *bound as i64))
            }
            _ => None,
        };
        Some(Self { turns, ..own })
    }

    /// Whether numbers are compared with their sign.
    pub(super) fn is_signed(&self) -> bool {
        self.ty.starts_with('s')
    }

    /// The bits of the counter.
    pub(super) fn bits(&self) -> u8 {
        if self.ty.ends_with("64") { 64 } else { 32 }
    }

    /// The least and the greatest value of the type that is compared.
    pub(super) fn range(&self) -> (i128, i128) {
        match (self.bits(), self.is_signed()) {
            (32, true) => (i128::from(i32::MIN), i128::from(i32::MAX)),
            (32, false) => (0, i128::from(u32::MAX)),
            (_, true) => (i128::from(i64::MIN), i128::from(i64::MAX)),
            (_, false) => (0, i128::from(u64::MAX)),
        }
    }

    /// The turns from `first` to `bound`; `None` where the counter does not meet it, or goes beyond the type's range.
    fn turns_from(&self, first: i64, bound: i64) -> Option<u64> {
        // Of the width and the sign that are compared.
        let value = |number: i64| match (self.bits(), self.is_signed()) {
            (32, true) => i128::from(number as i32),
            (32, false) => i128::from(number as u32),
            (_, true) => i128::from(number),
            (_, false) => i128::from(number as u64),
        };
        let (first, bound, step) = (value(first), value(bound), i128::from(self.step));
        let (distance, way) = ((bound - first) * step.signum(), step.abs());
        if distance <= 0 || (self.comparison == Comparison::Unequal && distance % way != 0) {
            return None;
        }
        let turns = (distance + way - 1) / way;
        let (least, greatest) = self.range();
        let is_within = (least..=greatest).contains(&(first + turns * step));
        u64::try_from(turns).ok().filter(|_| is_within)
    }
}

/// The labels and instructions of a body, if it is one that a compiler unrolls.
fn placed(statements: &[Statement], head: usize, end: usize) -> Option<(HashSet<&str>, Vec<Placed<'_>>)> {
    let body = &statements[head + 1..end];
    let mut labels: HashMap<&str, usize> = HashMap::new();
    for (place, statement) in body.iter().enumerate() {
        match statement {
            Statement::Label(name) => drop(labels.insert(name, place)),
            Statement::Instruction(own) if is_known(own) => {}
            Statement::Location(_) => {}
            Statement::Pragma(text) if !text.contains("nounroll") => {}
            _ => return None,
        }
    }
    let is_from_outside =
        |own: &Instruction| own.opcode == "bra" && target(own).is_some_and(|to| labels.contains_key(to));
    // Without a label inside there is nothing that other branches could lead to.
    let outside = statements[..head].iter().chain(&statements[end + 1..]).take_while(|_| !labels.is_empty());
    for statement in outside {
        match statement {
            Statement::Instruction(own) if is_from_outside(own) => return None,
            Statement::BranchTargets { targets, .. } if targets.iter().any(|to| labels.contains_key(to.as_str())) => {
                return None;
            }
            // What stands in braces of its own is not looked at.
            Statement::Block(_) => return None,
            _ => {}
        }
    }
    let mut all = Vec::new();
    // Up to where some lanes may have gone elsewhere.
    let mut parted_until = 0;
    for (place, statement) in body.iter().enumerate() {
        let Statement::Instruction(instruction) = statement else { continue };
        if instruction.opcode == "bra" {
            let to = *labels.get(target(instruction)?)?;
            if to <= place {
                return None;
            }
            parted_until = parted_until.max(to);
        }
        let always = place >= parted_until && instruction.guard.is_none();
        all.push(Placed { place, instruction, always });
    }
    Some((labels.into_keys().collect(), all))
}

/// What a `setp` compares for another turn, with the type.
fn comparison<'module>(test: &'module Instruction, guard: &Guard) -> Option<(Comparison, &'module str)> {
    let [words, ty] = test.modifiers.as_slice() else { return None };
    let is_integer = ["s32", "u32", "s64", "u64", "b32", "b64"].contains(&ty.as_str());
    if test.opcode != "setp" || !is_integer {
        return None;
    }
    let comparison = match (words.as_str(), guard.negated) {
        ("lt", false) | ("ge", true) => Comparison::Less,
        ("gt", false) | ("le", true) => Comparison::Greater,
        ("ne", false) | ("eq", true) => Comparison::Unequal,
        _ => return None,
    };
    Some((comparison, ty))
}

/// The registers that every turn moves by a number.
fn inductions(
    placed: &[Placed<'_>],
    writers: &HashMap<String, Vec<&Placed<'_>>>,
    test: usize,
) -> HashMap<String, Induction> {
    let step_of = |name: &String, own: &Placed<'_>| -> Option<i64> {
        let [Operand::Name(_), Operand::Name(from), Operand::Integer(step)] = own.instruction.operands.as_slice()
        else {
            return None;
        };
        let wide = match own.instruction.modifiers.as_slice() {
            [ty] if ["s32", "u32", "b32"].contains(&ty.as_str()) => false,
            [ty] if ["s64", "u64", "b64"].contains(&ty.as_str()) => true,
            _ => return None,
        };
        let step = if wide { *step as i64 } else { i64::from(*step as i32) };
        let step = match own.instruction.opcode.as_str() {
            "add" => step,
            "sub" => step.checked_neg()?,
            _ => return None,
        };
        (own.always && from == name && step != 0 && step.abs() <= STEP_MAX).then_some(step)
    };
    let found = writers.iter().filter_map(|(name, all)| {
        let [own] = all.as_slice() else { return None };
        let step = step_of(name, own)?;
        let folds = placed.iter().filter(|other| other.place != own.place && other.place != test).all(|other| {
            let is_base =
                |operand: &Operand| matches!(operand, Operand::Address { base: Some(base), .. } if base == name);
            let bases = other.instruction.operands.iter().filter(|operand| is_base(operand)).count();
            reads(other.instruction).iter().filter(|read| *read == name).count() == bases
        });
        Some((name.clone(), Induction { place: own.place, step, folds }))
    });
    found.collect()
}

/// The registers that each turn writes before it reads them.
fn locals(placed: &[Placed<'_>], writers: &HashMap<String, Vec<&Placed<'_>>>) -> HashSet<String> {
    let is_first = |name: &String, own: &Placed<'_>| {
        own.always
            && !placed
                .iter()
                .take_while(|other| other.place <= own.place)
                .any(|other| reads(other.instruction).contains(name))
    };
    writers.iter().filter(|(name, all)| is_first(name, all[0])).map(|(name, _)| name.clone()).collect()
}

/// The number with which a counter begins, if a move sets it right before the loop and nothing else leads there.
fn first_value(statements: &[Statement], head: usize, counter: &str) -> Option<i64> {
    let Statement::Label(label) = &statements[head] else { return None };
    let leads_there = |statement: &&Statement| match statement {
        Statement::Instruction(own) => own.opcode == "bra" && target(own) == Some(label),
        Statement::BranchTargets { targets, .. } => targets.contains(label),
        // What stands in braces of its own is not looked at.
        Statement::Block(_) => true,
        _ => false,
    };
    if statements.iter().filter(leads_there).count() > 1 {
        return None;
    }
    for statement in statements[..head].iter().rev() {
        match statement {
            Statement::Label(_) => return None,
            Statement::Instruction(own) if !is_known(own) => return None,
            Statement::Instruction(own) if writes(own).iter().any(|name| name == counter) => {
                return match (own.opcode.as_str(), own.operands.as_slice(), &own.guard) {
                    ("mov", [_, Operand::Integer(value)], None) => Some(*value as i64),
                    _ => None,
                };
            }
            _ => {}
        }
    }
    None
}
