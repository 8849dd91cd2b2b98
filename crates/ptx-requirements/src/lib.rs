//! What a PTX text needs of a driver and a GPU, and the same kernels as texts that need no more.
//!
//! A compiler writes its own PTX version into what it makes, so that only drivers as new as the compiler load it. What loads is
//! decided by the instructions: [`of_module`] looks each of them up in a table of the PTX ISA, and [`split`] writes kernels
//! into texts whose headers ask for nothing else. [`Release`] says which driver knows which PTX version.
//!
//! ```
//! use ptx_requirements::{Level, Release, split};
//!
//! let text = "\
//! .version 9.0
//! .target sm_75
//! .address_size 64
//! .visible .entry store(.param .u64 to) {
//!     .reg .b64 %to;
//!     ld.param.u64 %to, [to];
//!     st.global.u32 [%to], 1;
//!     ret;
//! }
//! .visible .entry release(.param .u64 to) {
//!     .reg .b64 %to;
//!     ld.param.u64 %to, [to];
//!     st.release.gpu.u32 [%to], 1;
//!     ret;
//! }
//! ";
//! let parts = split(text, Level::new((3, 0), 52))?;
//! assert_eq!((parts[0].level, parts[0].kernels.as_slice()), (Level::new((4, 1), 52), ["store".to_owned()].as_slice()));
//! assert_eq!((parts[1].level, parts[1].kernels.as_slice()), (Level::new((6, 0), 70), ["release".to_owned()].as_slice()));
//! assert_eq!(Release::of_ptx((7, 4)).map(|release| release.driver), Some("470.42"));
//! # Ok::<(), ptx_requirements::RequirementError>(())
//! ```
//!
//! What it does not do: change an instruction. A kernel that needs less when it is written otherwise must be written otherwise.
//! What every GPU since compute capability 3.0 and every driver since PTX 3.0 has is not told apart.
//!
//! Source: the PTX ISA manual 9.0, "PTX ISA Notes" and "Target ISA Notes" of each instruction; its chapter "Release Notes" for
//! versions and drivers.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod release;
mod split;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;

use ptx_syntax::{Function, Instruction, Item, Module, Operand, PtxErrors, Statement};
use thiserror::Error;

pub use release::Release;
pub use split::{Part, join, split, split_some};

/// A PTX version and a target architecture: what a text asks for, or needs at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level {
    /// The PTX version, major and minor.
    pub version: (u32, u32),
    /// The target's number: 70 for `sm_70`, which is compute capability 7.0.
    pub target: u32,
}

impl Level {
    /// Of a version and a target.
    pub const fn new(version: (u32, u32), target: u32) -> Self {
        Self { version, target }
    }

    /// What two things need that stand in the same text.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { version: self.version.max(other.version), target: self.target.max(other.target) }
    }

    /// The compute capability of the target, major and minor.
    pub const fn capability(self) -> (u32, u32) {
        (self.target / 10, self.target % 10)
    }

    /// The level, with the version raised to the one that introduced its target.
    fn with_version_of_target(self) -> Self {
        let known = table::TARGETS.iter().rev().find(|(target, _)| *target <= self.target);
        Self { version: known.map_or(self.version, |(_, version)| self.version.max(*version)), ..self }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX {}.{} for sm_{}", self.version.0, self.version.1, self.target)
    }
}

/// Why it cannot be told what a text needs, or the text cannot be split.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RequirementError {
    /// The text is no PTX.
    #[error(transparent)]
    Ptx(#[from] PtxErrors),
    /// The table has no row for an instruction or a word of it.
    #[error("line {line}: `{instruction}`: the table of requirements has no row for `{word}`")]
    Unknown {
        /// Its line, from 1.
        line: u32,
        /// The instruction as it is written, or the directive.
        instruction: String,
        /// The word that is not known.
        word: String,
    },
    /// Two items begin in the same line, so that the text cannot be cut between them.
    #[error(
        "line {line}: `{name}` begins in a line with something else; each variable and function needs a line of its own"
    )]
    SameLine {
        /// The line, from 1.
        line: u32,
        /// What begins there.
        name: String,
    },
    /// The header's directives or the items are not in lines of their own.
    #[error(
        "the text cannot be cut: `.version`, `.target` and each variable and function must begin a line of their own"
    )]
    Layout,
    /// Kernels of different levels share a variable that kernels may write.
    #[error(
        "the variable `{variable}` is shared by kernels that need {one} and kernels that need {other}: it would exist twice"
    )]
    SharedVariable {
        /// Its name.
        variable: String,
        /// One level.
        one: Level,
        /// Another.
        other: Level,
    },
}

/// What an instruction needs.
///
/// # Errors
/// [`RequirementError::Unknown`] where the table has no row for its opcode or one of its modifiers.
pub fn of_instruction(instruction: &Instruction) -> Result<Level, RequirementError> {
    let modifiers: Vec<&str> = instruction.modifiers.iter().map(String::as_str).collect();
    let of_words = table::of_words(&instruction.opcode, &modifiers).map_err(|word| RequirementError::Unknown {
        line: instruction.line,
        instruction: instruction.to_string(),
        word: word.to_owned(),
    })?;
    let of_called = |operand: &Operand| match operand {
        Operand::Name(name) if instruction.opcode == "call" => table::of_called(name),
        _ => table::BASE,
    };
    let operands = instruction.operands.iter();
    Ok(operands.fold(of_words, |level, operand| level.and(of_operand(operand)).and(of_called(operand))))
}

/// What a module's instructions, directives and special registers need. Its own header is not asked.
///
/// # Errors
/// [`RequirementError::Unknown`] of the first instruction or directive without a row.
pub fn of_module(module: &Module) -> Result<Level, RequirementError> {
    let mut level = table::BASE;
    for item in &module.items {
        if let Item::Function(function) = item {
            level = level.and(of_function(function)?);
        }
    }
    Ok(level.with_version_of_target())
}

/// What a function's body and directives need; nothing of those that it calls, unless drivers give them.
fn of_function(function: &Function) -> Result<Level, RequirementError> {
    let mut level = table::BASE;
    for (directive, _) in &function.directives {
        level = level.and(table::of_directive(directive).ok_or_else(|| RequirementError::Unknown {
            line: function.line,
            instruction: function.name.clone(),
            word: format!(".{directive}"),
        })?);
    }
    of_statements(function.body.as_deref().unwrap_or_default(), level)
}

fn of_statements(statements: &[Statement], mut level: Level) -> Result<Level, RequirementError> {
    for statement in statements {
        level = match statement {
            Statement::Instruction(instruction) => level.and(of_instruction(instruction)?),
            Statement::Block(inner) => of_statements(inner, level)?,
            _ => level,
        };
    }
    Ok(level)
}

/// What the special registers of an operand need.
fn of_operand(operand: &Operand) -> Level {
    match operand {
        Operand::Name(name) | Operand::Not(name) => table::of_register(name),
        Operand::Vector(all) | Operand::List(all) | Operand::Texel(all) => {
            all.iter().fold(table::BASE, |level, inner| level.and(of_operand(inner)))
        }
        Operand::Pair(one, other) => of_operand(one).and(of_operand(other)),
        _ => table::BASE,
    }
}
