//! How often a loop is unrolled.

use ptx_syntax::module::{Instruction, Operand, Statement};

use super::counted::CountedLoop;
use super::words::{reads, writes};

/// What becomes of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unrolling {
    /// Four turns at a time, then two, then one.
    ByFour,
    /// So many turns at a time, of which all turns are a multiple.
    Exactly(u64),
}

/// A loop that loads nothing is unrolled up to this cost of a turn. This and the next three are of `tests/gpu/unrolling/limits.csv`.
const COST_MAX: u32 = 18;
/// One that loads from global memory.
const COST_MAX_WITH_LOADS: u32 = 46;
/// What each load from shared memory adds to the first.
const COST_FOR_SHARED_LOAD: u32 = 5;
/// The most to which they add up.
const COST_MAX_WITH_SHARED_LOADS: u32 = 96;
/// About what the turns that are unrolled cost together at most where the number of all is known: of `tests/gpu/unrolling/known.csv`.
const COST_OF_KNOWN_TURNS: u32 = 320;
/// Turns at a time at most where their number is known. A compiler takes more; a turn's part of the test is small by then.
const KNOWN_TURNS_MAX: u64 = 16;

/// How a loop is unrolled; `None` of one that stays as it is.
pub(super) fn unrolling(own: &CountedLoop<'_>) -> Option<Unrolling> {
    let mut turn = Turn::default();
    own.body.iter().enumerate().for_each(|(place, statement)| turn.add(own, place, statement));
    let most = KNOWN_TURNS_MAX.min(u64::from(COST_OF_KNOWN_TURNS / turn.cost.max(1)));
    if let Some(turns) = own.turns {
        if let Some(some) = (4..=most).rev().find(|some| turns.is_multiple_of(*some)) {
            return Some(Unrolling::Exactly(some));
        }
        if (2..4).contains(&turns) && turns <= most {
            return Some(Unrolling::Exactly(turns));
        }
    }
    let may_be_by_four = turn.cost <= turn.most() || (own.turns.is_some() && most >= 4);
    may_be_by_four.then_some(Unrolling::ByFour)
}

/// What a turn costs, as the compiler's limits weigh it.
#[derive(Debug, Default)]
struct Turn {
    cost: u32,
    global_loads: u32,
    shared_loads: u32,
    /// Results of products that are twice as wide.
    wide: Vec<String>,
}

impl Turn {
    fn most(&self) -> u32 {
        let with_shared = (COST_MAX + COST_FOR_SHARED_LOAD * self.shared_loads).min(COST_MAX_WITH_SHARED_LOADS);
        if self.global_loads > 0 { with_shared.max(COST_MAX_WITH_LOADS) } else { with_shared }
    }

    fn add(&mut self, own: &CountedLoop<'_>, place: usize, statement: &Statement) {
        let Statement::Instruction(instruction) = statement else { return };
        if place == own.test {
            return;
        }
        let has = |word: &str| instruction.modifiers.iter().any(|own| own == word);
        if instruction.opcode == "ld" {
            let is_global = has("global") || !["shared", "param", "const", "local"].iter().any(|word| has(word));
            self.global_loads += u32::from(is_global);
            self.shared_loads += u32::from(has("shared"));
        }
        if matches!(instruction.opcode.as_str(), "mul" | "mad") && has("wide") {
            self.wide.extend(writes(instruction));
        }
        self.cost += if self.is_part_of_an_address(instruction) || moves_along(own, instruction) {
            0
        } else {
            cost(instruction)
        };
    }

    /// Whether it adds to a wide product, with which it is one instruction.
    fn is_part_of_an_address(&self, instruction: &Instruction) -> bool {
        instruction.opcode == "add" && reads(instruction).iter().any(|name| self.wide.contains(name))
    }
}

/// Whether it moves a register by what does not change, as pointers and counters are.
fn moves_along(own: &CountedLoop<'_>, instruction: &Instruction) -> bool {
    let is_integer = instruction.modifiers.iter().all(|word| !word.starts_with('f') && word != "rn");
    match (instruction.opcode.as_str(), instruction.operands.as_slice()) {
        ("add" | "sub", [Operand::Name(to), Operand::Name(from), by]) => {
            let is_constant = match by {
                Operand::Name(by) => !own.written.contains(by),
                _ => true,
            };
            is_integer && to == from && is_constant
        }
        _ => false,
    }
}

/// What an instruction costs: read from the greatest loops of its kind that ptxas unrolls.
fn cost(instruction: &Instruction) -> u32 {
    let has = |word: &str| instruction.modifiers.iter().any(|own| own == word);
    let is_integer = instruction.modifiers.iter().all(|word| !word.starts_with('f'));
    match instruction.opcode.as_str() {
        "mov" | "cvta" => 0,
        "ld" | "st" => 2,
        "atom" | "red" => 11,
        "div" | "rem" if is_integer => 19,
        "div" | "sqrt" | "rcp" if has("rn") => 19,
        "sqrt" | "rsqrt" | "rcp" | "ex2" | "lg2" | "div" if !has("ftz") => 6,
        _ => 1,
    }
}
