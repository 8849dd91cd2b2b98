//! Names inside a function: registers, variables, labels and lists, each known in the braces that declare it.

use std::collections::HashMap;

use super::layout::Place;
use super::operand::Kind;
use ptx_syntax::module::{Statement, Type};

/// The name of a function's carry, which no text can write.
pub(super) const CARRY: &str = "the carry";

/// A register before slots are given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VirtualRegister {
    pub(super) kind: Kind,
    pub(super) number: u32,
    /// Its declared width.
    pub(super) bits: u8,
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entity {
    Register(VirtualRegister),
    Place(Place),
    /// A label, by its number in the function.
    Label(usize),
    /// The labels of `.branchtargets`.
    BranchTargets(Vec<String>),
    /// `.callprototype` or `.calltargets`, which say nothing that a call does not.
    CallList,
}

/// `name<count>`
#[derive(Debug, Clone, Copy)]
struct Range {
    count: u32,
    first: VirtualRegister,
}

#[derive(Debug, Default)]
struct Level {
    names: HashMap<String, Entity>,
    ranges: HashMap<String, Range>,
}

/// The names that are known at a place of a function.
#[derive(Debug, Default)]
pub(super) struct Scope {
    levels: Vec<Level>,
    next: [u32; 3],
    labels: usize,
}

fn kind_of(ty: Type) -> Option<Kind> {
    match ty {
        Type::Predicate => Some(Kind::Predicate),
        Type::Opaque(_) => None,
        Type::Bits(bits) | Type::Unsigned(bits) | Type::Signed(bits) | Type::Float(bits) => match bits {
            8 | 16 | 32 => Some(Kind::Word),
            64 => Some(Kind::Long),
            _ => None,
        },
    }
}

impl Scope {
    /// Opens braces: labels may be used before they come, so those of `statements` are known at once.
    pub(super) fn open(&mut self, statements: &[Statement]) -> Result<(), String> {
        self.levels.push(Level::default());
        for statement in statements {
            match statement {
                Statement::Label(name) => {
                    let number = self.labels;
                    self.labels += 1;
                    self.declare(name, Entity::Label(number))?;
                }
                Statement::BranchTargets { label, targets } => {
                    self.declare(label, Entity::BranchTargets(targets.clone()))?;
                }
                Statement::CallTargets { label, .. } | Statement::CallPrototype { label, .. } => {
                    self.declare(label, Entity::CallList)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Closes braces.
    pub(super) fn close(&mut self) {
        self.levels.pop();
    }

    /// How many labels were declared.
    pub(super) fn labels(&self) -> usize {
        self.labels
    }

    pub(super) fn declare(&mut self, name: &str, entity: Entity) -> Result<(), String> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        match level.names.insert(name.to_owned(), entity) {
            None => Ok(()),
            Some(_) => Err(format!("{name} is declared twice")),
        }
    }

    /// A new register without a name.
    pub(super) fn fresh(&mut self, kind: Kind, bits: u8, count: u32) -> Result<VirtualRegister, String> {
        let next = &mut self.next[kind as usize];
        let number = *next;
        *next = next.checked_add(count).ok_or("too many registers")?;
        Ok(VirtualRegister { kind, number, bits })
    }

    /// `.reg ty name` or `.reg ty name<count>`
    pub(super) fn declare_registers(&mut self, ty: Type, name: &str, count: Option<u32>) -> Result<(), String> {
        let kind = kind_of(ty).ok_or_else(|| format!("registers of {} bits are not supported", ty.bits()))?;
        let first = self.fresh(kind, ty.bits(), count.unwrap_or(1))?;
        let Some(count) = count else { return self.declare(name, Entity::Register(first)) };
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        match level.ranges.insert(name.to_owned(), Range { count, first }) {
            None => Ok(()),
            Some(_) => Err(format!("{name}<...> is declared twice")),
        }
    }

    /// What the name stands for in the innermost braces that know it.
    pub(super) fn find(&self, name: &str) -> Option<Entity> {
        let digits = name.len() - name.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
        self.levels.iter().rev().find_map(|level| {
            if let Some(entity) = level.names.get(name) {
                return Some(entity.clone());
            }
            // A range's own name may end in digits, so every place to split is tried.
            (name.len() - digits..name.len()).find_map(|split| {
                let range = level.ranges.get(&name[..split])?;
                let text = &name[split..];
                let index: u32 = text.parse().ok().filter(|_| text == "0" || !text.starts_with('0'))?;
                let number = range.first.number.checked_add(index).filter(|_| index < range.count)?;
                Some(Entity::Register(VirtualRegister { number, ..range.first }))
            })
        })
    }
}
