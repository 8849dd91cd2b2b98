//! Vector registers, and moves of four elements.

use std::collections::HashMap;

use super::pairs::{compared, is_comparison};
use super::{instruction, word};
use ptx_syntax::module::{Instruction, Operand, Statement, Type};

/// The most registers of one declaration that are expanded.
const COUNT_MAX: u32 = 4096;
/// The most vectors of a function that counts declare.
const VECTORS_MAX: usize = 1 << 16;
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];
/// Other names of theirs.
const COLOURS: [&str; 4] = ["r", "g", "b", "a"];
const LOWER: &str = "the lower half";
const UPPER: &str = "the upper half";

/// Whether it moves four elements to or from one register of 64 bits, or elements to elements.
pub(super) fn is_of_four(own: &Instruction) -> bool {
    let is_vector = |operand: &Operand| matches!(operand, Operand::Vector(all) if all.len() == 4);
    own.opcode == "mov"
        && (own.operands.iter().any(is_vector) && own.modifiers == ["b64"]
            || own.modifiers.first().is_some_and(|word| word == "v2" || word == "v4"))
}

/// The vector registers of a function, with the number of their elements.
#[derive(Default)]
pub(super) struct Vectors(HashMap<String, u8>);

impl Vectors {
    pub(super) fn expand(&mut self, statements: Vec<Statement>) -> Vec<Statement> {
        statements.into_iter().map(|statement| self.statement(statement)).collect()
    }

    fn statement(&mut self, statement: Statement) -> Statement {
        match statement {
            Statement::Registers { vector, ty, names } if vector > 1 => self.declared(vector, ty, &names),
            Statement::Block(inner) => Statement::Block(self.expand(inner)),
            Statement::Instruction(mut own) => {
                own.operands.iter_mut().for_each(|operand| self.operand(operand));
                moved(own)
            }
            other => other,
        }
    }

    fn declared(&mut self, vector: u8, ty: Type, names: &[(String, Option<u32>)]) -> Statement {
        let mut all = Vec::new();
        for (name, count) in names {
            let numbered: Vec<String> = match count {
                None => vec![name.clone()],
                Some(_) if self.0.len() >= VECTORS_MAX => Vec::new(),
                Some(count) => (0..(*count).min(COUNT_MAX)).map(|number| format!("{name}{number}")).collect(),
            };
            for name in numbered {
                let components = COMPONENTS.iter().take(usize::from(vector));
                all.extend(components.map(|component| (format!("{name}.{component}"), None)));
                self.0.insert(name, vector);
            }
        }
        Statement::Registers { vector: 1, ty, names: all }
    }

    /// A vector by its name is the list of its elements.
    fn operand(&self, operand: &mut Operand) {
        match operand {
            Operand::Name(name) => {
                if let Some(vector) = self.0.get(name.as_str()) {
                    let components = COMPONENTS.iter().take(usize::from(*vector));
                    *operand = Operand::Vector(components.map(|own| Operand::Name(format!("{name}.{own}"))).collect());
                } else if let Some((base, component)) = name.split_once('.')
                    && self.0.contains_key(base)
                    && let Some(place) = COLOURS.iter().position(|colour| *colour == component)
                {
                    *name = format!("{base}.{}", COMPONENTS[place]);
                }
            }
            Operand::Vector(inner) | Operand::List(inner) => inner.iter_mut().for_each(|own| self.operand(own)),
            _ => {}
        }
    }
}

/// A move of several elements as moves of one or two.
fn moved(own: Instruction) -> Statement {
    if is_comparison(&own) {
        return compared(&own).unwrap_or(Statement::Instruction(own));
    }
    if own.opcode != "mov" {
        return Statement::Instruction(own);
    }
    let (guard, line) = (own.guard.as_ref(), own.line);
    let name = |name: &str| Operand::Name(name.to_owned());
    let mov = |words: &str, to: Operand, from: Operand| instruction(words, vec![to, from], guard, line);
    let halves = Statement::Registers {
        vector: 1,
        ty: Type::Bits(32),
        names: vec![(LOWER.to_owned(), None), (UPPER.to_owned(), None)],
    };
    let both = || Operand::Vector(vec![name(LOWER), name(UPPER)]);
    match (&own.operands[..], &own.modifiers[..]) {
        ([to, Operand::Vector(from)], [ty]) if ty == "b64" && from.len() == 4 => Statement::Block(vec![
            halves,
            mov("mov.b32", name(LOWER), Operand::Vector(from[..2].to_vec())),
            mov("mov.b32", name(UPPER), Operand::Vector(from[2..].to_vec())),
            mov("mov.b64", to.clone(), both()),
        ]),
        ([Operand::Vector(to), from], [ty]) if ty == "b64" && to.len() == 4 => Statement::Block(vec![
            halves,
            mov("mov.b64", both(), from.clone()),
            mov("mov.b32", Operand::Vector(to[..2].to_vec()), name(LOWER)),
            mov("mov.b32", Operand::Vector(to[2..].to_vec()), name(UPPER)),
        ]),
        // An element may be written that another one is to come from, so all are read first.
        ([Operand::Vector(to), Operand::Vector(from)], [vector, ty]) if to.len() == from.len() => {
            let Some(kind) = type_of(ty).filter(|_| *vector == format!("v{}", to.len())) else {
                return Statement::Instruction(own);
            };
            let held = |place: usize| format!("element {place}");
            let names = (0..to.len()).map(|place| (held(place), None)).collect();
            let words = format!("mov.{}", word(kind));
            let mut all = vec![Statement::Registers { vector: 1, ty: kind, names }];
            all.extend(from.iter().enumerate().map(|(place, from)| mov(&words, name(&held(place)), from.clone())));
            all.extend(to.iter().enumerate().map(|(place, to)| mov(&words, to.clone(), name(&held(place)))));
            Statement::Block(all)
        }
        _ => Statement::Instruction(own),
    }
}

/// The type of moves with this word.
fn type_of(word: &str) -> Option<Type> {
    let bits = word.get(1..)?.parse().ok().filter(|bits| matches!(bits, 16 | 32 | 64))?;
    match word.get(..1)? {
        "b" | "u" | "s" | "f" => Some(Type::Bits(bits)),
        _ => None,
    }
}
