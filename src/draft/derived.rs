//! Sizes of a kernel that the host computes of others: `join<<<grid, block>>>(keys, table, n, 2 * n)`.

use super::amount::Amount;
use super::arguments::Given;
use crate::signature::{Expression, Kernel};

/// Nested operations that are followed.
const DEEPEST: u32 = 8;

/// Makes parameters that the host computes of others what it computes.
pub(super) fn follow(kernels: &[&Kernel], all: &mut [Given]) {
    for place in 0..all.len() {
        let Given::Parameter { launched: Some(launched), .. } = &all[place] else { continue };
        let line = launched.line;
        let mut sources = kernels.iter().filter_map(|own| own.launch.as_ref());
        let Some(first) = sources.next().and_then(|own| own.derived.get(place)?.as_ref()) else { continue };
        if !sources.all(|own| own.derived.get(place).and_then(Option::as_ref) == Some(first)) {
            continue;
        }
        let name = |of: usize| match all.get(of)? {
            Given::Parameter { name, .. } if of != place => Some(name.clone()),
            _ => None,
        };
        if let Some(amount) = amount(first, &name, 0).filter(|own| own.as_number().is_none()) {
            all[place] =
                Given::Number { text: toml_edit::Value::from(amount.to_string()).to_string(), line: Some(line) };
        }
    }
}

/// What an expression of the host comes to in terms of the scenario's parameters.
fn amount(expression: &Expression, name: &dyn Fn(usize) -> Option<String>, depth: u32) -> Option<Amount> {
    if depth > DEEPEST {
        return None;
    }
    let own = |part: &Expression| amount(part, name, depth + 1);
    match expression {
        Expression::Number(number) => Some(Amount::number(*number)),
        Expression::Parameter(place) => name(*place).map(Amount::symbol),
        Expression::Sum(one, other) => own(one)?.plus(&own(other)?),
        Expression::Difference(one, other) => own(one)?.minus(&own(other)?),
        Expression::Product(one, other) => own(one)?.times(&own(other)?),
        Expression::Quotient(one, other) => own(one)?.over(&own(other)?),
        _ => None,
    }
}
