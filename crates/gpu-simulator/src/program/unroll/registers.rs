//! The declared types of registers.

use std::collections::HashMap;

use ptx_syntax::module::{Statement, Type};

/// The types of the registers that a function declares outside inner braces.
pub(super) struct Types<'module> {
    single: HashMap<&'module str, Type>,
    numbered: HashMap<&'module str, (u32, Type)>,
}

impl<'module> Types<'module> {
    pub(super) fn of(statements: &'module [Statement]) -> Self {
        let (mut single, mut numbered) = (HashMap::new(), HashMap::new());
        for statement in statements {
            if let Statement::Registers { vector: 1, ty, names } = statement {
                for (name, count) in names {
                    match count {
                        None => drop(single.insert(name.as_str(), *ty)),
                        Some(count) => drop(numbered.insert(name.as_str(), (*count, *ty))),
                    }
                }
            }
        }
        Self { single, numbered }
    }

    /// The type of a register, if it is one.
    pub(super) fn find(&self, name: &str) -> Option<Type> {
        self.single.get(name).copied().or_else(|| {
            let (base, number) = name.split_at(name.trim_end_matches(|own: char| own.is_ascii_digit()).len());
            let (count, ty) = self.numbered.get(base)?;
            number.parse::<u32>().is_ok_and(|number| number < *count).then_some(*ty)
        })
    }
}
