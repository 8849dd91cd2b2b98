//! Parameters and results in registers, as the PTX of functions without an ABI has them: they go through memory here.

use std::collections::HashMap;

use super::{instruction, words};
use ptx_syntax::module::{Function, Guard, Instruction, Operand, Space, Statement, Type, Variable};

/// What a function takes and gives.
#[derive(Debug, Clone)]
pub(super) struct Signature {
    parameters: Vec<Variable>,
    results: Vec<Variable>,
}

impl Signature {
    pub(super) fn of(function: &Function) -> Self {
        Self { parameters: function.parameters.clone(), results: function.results.clone() }
    }

    fn is_in_registers(&self) -> bool {
        self.parameters.iter().chain(&self.results).any(is_in_register)
    }
}

/// Whether it is in a register; predicates, which have no place in memory, stay there and are refused.
fn is_in_register(variable: &Variable) -> bool {
    variable.space == Space::Register && variable.ty != Type::Predicate
}

pub(super) fn has_register_parameters(function: &Function) -> bool {
    function.parameters.iter().chain(&function.results).any(is_in_register)
}

/// Registers that were a function's parameters and results.
pub(super) struct Registers {
    parameters: Vec<Variable>,
    results: Vec<Variable>,
}

/// A name that no text can have.
fn in_memory(name: &str) -> String {
    format!("{name} in memory")
}

fn at(name: &str) -> Operand {
    Operand::Address { base: Some(name.to_owned()), offset: 0 }
}

/// Gives the function parameters and results in memory, and tells what was in registers.
pub(super) fn into_memory(function: &mut Function) -> Registers {
    let move_all = |variables: &mut Vec<Variable>| {
        let registers: Vec<Variable> = variables.iter().filter(|variable| is_in_register(variable)).cloned().collect();
        for variable in variables.iter_mut().filter(|variable| is_in_register(variable)) {
            variable.space = Space::Param;
            variable.name = in_memory(&variable.name);
        }
        registers
    };
    Registers { parameters: move_all(&mut function.parameters), results: move_all(&mut function.results) }
}

impl Registers {
    /// The registers by their old names.
    pub(super) fn declarations(&self) -> Vec<Statement> {
        let declared = |variable: &Variable| Statement::Registers {
            vector: variable.vector,
            ty: variable.ty,
            names: vec![(variable.name.clone(), None)],
        };
        self.parameters.iter().chain(&self.results).map(declared).collect()
    }

    /// What a function begins with.
    pub(super) fn loads(&self, line: u32) -> impl Iterator<Item = Statement> {
        self.parameters.iter().map(move |own| {
            let operands = vec![Operand::Name(own.name.clone()), at(&in_memory(&own.name))];
            instruction(&format!("ld.param.{}", words(own)), operands, None, line)
        })
    }

    /// What a function ends with.
    pub(super) fn stores(&self, guard: Option<&Guard>, line: u32) -> impl Iterator<Item = Statement> {
        self.results.iter().map(move |own| {
            let operands = vec![at(&in_memory(&own.name)), Operand::Name(own.name.clone())];
            instruction(&format!("st.param.{}", words(own)), operands, guard, line)
        })
    }
}

/// The statements with the results stored before each `ret`.
pub(super) fn with_results_stored(statements: Vec<Statement>, registers: &Registers) -> Vec<Statement> {
    let mut all = Vec::new();
    for statement in statements {
        match statement {
            Statement::Block(inner) => all.push(Statement::Block(with_results_stored(inner, registers))),
            Statement::Instruction(own) if own.opcode == "ret" => {
                all.extend(registers.stores(own.guard.as_ref(), own.line));
                all.push(Statement::Instruction(own));
            }
            other => all.push(other),
        }
    }
    all
}

/// Adds the prototypes of indirect calls, by their labels.
pub(super) fn note_prototypes(statements: &[Statement], signatures: &mut HashMap<String, Signature>) {
    for statement in statements {
        match statement {
            Statement::Block(inner) => note_prototypes(inner, signatures),
            Statement::CallPrototype { label, results, parameters, .. } => {
                let signature = Signature { parameters: parameters.clone(), results: results.clone() };
                signatures.insert(label.clone(), signature);
            }
            _ => {}
        }
    }
}

/// The statements with a variable for each argument and result of calls that have them in registers.
pub(super) fn with_arguments_stored(
    statements: Vec<Statement>,
    signatures: &HashMap<String, Signature>,
) -> Vec<Statement> {
    let expand = |statement: Statement| match statement {
        Statement::Block(inner) => Statement::Block(with_arguments_stored(inner, signatures)),
        Statement::Instruction(own) if own.opcode == "call" => {
            call(&own, signatures).unwrap_or(Statement::Instruction(own))
        }
        other => other,
    };
    statements.into_iter().map(expand).collect()
}

/// The call in braces with its variables, if its function has some in registers.
fn call(own: &Instruction, signatures: &HashMap<String, Signature>) -> Option<Statement> {
    let named = own.operands.iter().rev().find_map(|operand| match operand {
        Operand::Name(name) => signatures.get(name),
        _ => None,
    });
    let signature = named.filter(|signature| signature.is_in_registers())?;
    let (mut before, mut behind, mut operands) = (Vec::new(), Vec::new(), own.operands.clone());
    let mut is_result = matches!(operands.first(), Some(Operand::List(_)));
    let guard = own.guard.as_ref();
    for operand in &mut operands {
        let Operand::List(given) = operand else { continue };
        let variables = if is_result { &signature.results } else { &signature.parameters };
        for (number, (value, variable)) in given.iter_mut().zip(variables).enumerate() {
            if !is_in_register(variable) {
                continue;
            }
            let name = format!("{} {number} of a call", if is_result { "result" } else { "argument" });
            let held = Variable { space: Space::Param, name: name.clone(), line: own.line, ..variable.clone() };
            let words = words(&held);
            before.insert(0, Statement::Variable(held));
            let value = std::mem::replace(value, Operand::Name(name.clone()));
            if !is_result {
                let operands = vec![at(&name), value];
                before.push(instruction(&format!("st.param.{words}"), operands, guard, own.line));
            } else if value != Operand::Discard {
                let operands = vec![value, at(&name)];
                behind.push(instruction(&format!("ld.param.{words}"), operands, guard, own.line));
            }
        }
        is_result = false;
    }
    before.push(Statement::Instruction(Instruction { operands, ..own.clone() }));
    before.extend(behind);
    Some(Statement::Block(before))
}
