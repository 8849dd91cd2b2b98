//! Loops as a compiler unrolls them: two or four turns, or all of them, with one test and one step of the counter.
//!
//! ptxas unrolls a loop of one counter that `.pragma "nounroll"` does not keep as it is. What it does was read from the machine code
//! of loops that were made for this, with ptxas 13.0 (`tests/gpu/unrolling/limits.py`): four turns while four more
//! are to come, two more then, and a last one. A kernel computes the same either way.

mod budget;
mod counted;
mod registers;
#[cfg(test)]
mod tests;
mod turns;
mod words;

use std::collections::HashMap;

use super::expand::expanded;
use counted::CountedLoop;
use ptx_syntax::module::{Function, Item, Module, Statement};
use registers::Types;

/// The module with the loops of this kernel unrolled; `None` where none are.
pub(crate) fn with_loops_unrolled(module: &Module, kernel: &str) -> Option<Module> {
    let module = expanded(module);
    let is_kernel = |item: &Item| matches!(item, Item::Function(own) if own.entry && own.name == kernel);
    let place = module.items.iter().position(|item| is_kernel(item) && body_of(item).is_some())?;
    let body = with_turns(body_of(&module.items[place])?)?;
    let mut module = module.into_owned();
    if let Item::Function(function) = &mut module.items[place] {
        function.body = Some(body);
    }
    Some(module)
}

fn body_of(item: &Item) -> Option<&[Statement]> {
    match item {
        Item::Function(Function { body, .. }) => body.as_deref(),
        Item::Variable(_) => None,
    }
}

/// The statements with loops unrolled; `None` where none are.
fn with_turns(statements: &[Statement]) -> Option<Vec<Statement>> {
    let labels: HashMap<&str, usize> = statements
        .iter()
        .enumerate()
        .filter_map(|(place, statement)| match statement {
            Statement::Label(name) => Some((name.as_str(), place)),
            _ => None,
        })
        .collect();
    let types = Types::of(statements);
    let mut result = Vec::new();
    let mut written = 0;
    for end in 0..statements.len() {
        let Some(head) = words::branch_back(&statements[end], &labels).filter(|head| *head < end && *head >= written)
        else {
            continue;
        };
        let Some(own) = CountedLoop::of(statements, head, end) else { continue };
        let Some(unrolling) = budget::unrolling(&own) else { continue };
        result.extend_from_slice(&statements[written..=head]);
        result.extend(turns::emit(&own, end, unrolling, &types));
        written = end + 1;
    }
    if written == 0 {
        return None;
    }
    result.extend_from_slice(&statements[written..]);
    Some(result)
}
