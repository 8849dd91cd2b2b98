//! Branches, calls and the ends of functions.

use super::super::decode::Context;
use super::super::layout::bytes_of;
use super::super::{Call, Callee, Dependence, Operation, Slice, SystemCall};
use super::{Parts, unsupported};
use ptx_syntax::module::{Operand, Variable};

pub(in crate::program) fn branch(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let [Operand::Name(label)] = parts.operands else { return Err(unsupported()) };
    Ok(Operation::Branch { target: context.label(label)? })
}

pub(in crate::program) fn branch_indexed(
    context: &mut Context<'_, '_>,
    parts: &Parts<'_>,
) -> Result<Operation, String> {
    let [index, Operand::Name(list)] = parts.operands else { return Err(unsupported()) };
    let index = context.word(index, "u32")?;
    let targets = context.branch_targets(list)?.into();
    Ok(Operation::BranchIndexed { index, targets })
}

pub(in crate::program) fn end(_: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    parts.expect_operands(0..=0)?;
    Ok(match parts.opcode {
        "ret" => Operation::Return,
        "exit" => Operation::Exit,
        _ => Operation::Trap,
    })
}

pub(in crate::program) fn dependence(_: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    parts.expect_operands(0..=0)?;
    let signals = parts.has("launch_dependents");
    Ok(Operation::Dependence(if signals { Dependence::Signals } else { Dependence::Waits }))
}

pub(in crate::program) fn sleep(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let [duration] = parts.operands else { return Err(unsupported()) };
    context.word(duration, "u32")?;
    Ok(Operation::Sleep)
}

pub(in crate::program) fn call(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let mut operands = parts.operands;
    let results = match operands {
        [Operand::List(results), rest @ ..] => {
            operands = rest;
            slices(context, results)?
        }
        _ => Box::default(),
    };
    let [Operand::Name(name), rest @ ..] = operands else { return Err(unsupported()) };
    let arguments = match rest {
        [Operand::List(arguments), ..] => slices(context, arguments)?,
        _ => Box::default(),
    };
    let system = match name.as_str() {
        "malloc" => Some(SystemCall::Allocate),
        "free" => Some(SystemCall::Free),
        "vprintf" => Some(SystemCall::Print),
        "__assertfail" => Some(SystemCall::AssertFail),
        "cudaGraphSetConditional" => Some(SystemCall::SetConditional),
        _ => None,
    };
    let callee = if let Some(index) = context.layout.function_index(name) {
        let function = context.layout.functions[index];
        agree(name, "arguments", &arguments, &function.parameters)?;
        agree(name, "results", &results, &function.results)?;
        Callee::Function(index as u32)
    } else if let Some(system) = system {
        let (expected_arguments, expected_results) = match system {
            SystemCall::Allocate => (1, 1),
            SystemCall::Free => (1, 0),
            SystemCall::Print => (2, 1),
            SystemCall::AssertFail => (5, 0),
            SystemCall::SetConditional => (2, 0),
        };
        if (arguments.len(), results.len()) != (expected_arguments, expected_results) {
            return Err(format!("{name} takes {expected_arguments} arguments and gives {expected_results} results"));
        }
        Callee::System(system)
    } else if context.register_of(name).is_some() {
        Callee::Address(context.long(&Operand::Name(name.clone()), "u64")?)
    } else {
        return Err(format!("there is no function {name} in the module"));
    };
    Ok(Operation::Call(Box::new(Call { callee, arguments, results })))
}

/// Whether a call gives what a function takes, or takes what it gives.
fn agree(name: &str, what: &str, given: &[Slice], declared: &[Variable]) -> Result<(), String> {
    if given.len() != declared.len() {
        return Err(format!("{name} has {} {what}, not {}", declared.len(), given.len()));
    }
    let differs = given.iter().zip(declared).find(|(slice, variable)| u64::from(slice.bytes) != bytes_of(variable));
    match differs {
        Some((slice, variable)) => {
            Err(format!("{} of {name} has {} bytes, not {}", variable.name, bytes_of(variable), slice.bytes))
        }
        None => Ok(()),
    }
}

/// Arguments and results are variables in `.param` space, hence in the frame.
fn slices(context: &Context<'_, '_>, operands: &[Operand]) -> Result<Box<[Slice]>, String> {
    let slice = |operand: &Operand| {
        context.frame_place(operand).ok_or_else(|| format!("{operand} must be a variable in .param space"))
    };
    operands.iter().map(slice).collect()
}
