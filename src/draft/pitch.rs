//! Lengths of rows in memory that no index is compared with, as of `data[y * pitch + x]` where `x < width`.

use super::arguments::Given;
use crate::signature::{Expression, Kernel, Local};

/// Parts of names of such lengths.
const NAMES: [&str; 4] = ["pitch", "stride", "leading", "ld"];

/// Makes lengths of rows that nothing says as long as what the rows have, so that rows do not overlap.
pub(super) fn follow(kernels: &[&Kernel], given: &mut [Given]) {
    for place in 0..given.len() {
        let Given::Parameter { name, launched: None } = &given[place] else { continue };
        let width = kernels.iter().find_map(|own| width(own, place, name));
        let width = width.filter(|width| {
            // Nothing is as long as it is itself.
            *width != place && !kernels.iter().any(|own| is_bound(own, place))
        });
        let follows = width.and_then(|width| match given.get(width)? {
            Given::Parameter { name, .. } => Some(name.clone()),
            _ => None,
        });
        if let Some(follows) = follows {
            let name = name.clone();
            given[place] = Given::Follows { name, follows };
        }
    }
}

/// The parameter that is the length of what stands in rows of the length at this place.
fn width(kernel: &Kernel, pitch: usize, name: &str) -> Option<usize> {
    let is_named = NAMES.iter().any(|part| name.split('_').any(|word| word.trim_end_matches(['a', 'b', 'c']) == *part));
    let is_written = |place: usize| kernel.body.uses[place].writes;
    let accesses = kernel
        .body
        .uses
        .iter()
        .enumerate()
        .flat_map(|(place, own)| own.accesses.iter().map(move |access| (place, access)));
    let mut found = accesses.filter(|(place, _)| is_named || is_written(*place)).filter_map(|(_, access)| {
        let ([row @ Expression::Product(..), column] | [column, row @ Expression::Product(..)]) =
            access.index.terms()[..]
        else {
            return None;
        };
        let Expression::Product(one, other) = row else { return None };
        let is_pitch = [one, other].iter().any(|own| ***own == Expression::Parameter(pitch));
        let local = own_local(kernel, column).filter(|own| is_pitch && own.is_of_thread)?;
        let bounds = if local.ends.is_empty() { &local.bounds } else { &local.ends };
        bounds.iter().find_map(|bound| match bound {
            Expression::Parameter(width) => Some(*width),
            _ => None,
        })
    });
    found.next()
}

fn own_local<'k>(kernel: &'k Kernel, expression: &Expression) -> Option<&'k Local> {
    match expression {
        Expression::Local(local) => kernel.body.locals.get(*local),
        _ => None,
    }
}

/// Whether something is compared with the parameter at this place.
fn is_bound(kernel: &Kernel, place: usize) -> bool {
    let is_it = |own: &Expression| *own == Expression::Parameter(place);
    let bounds = kernel.body.locals.iter().flat_map(|own| own.bounds.iter().chain(&own.ends));
    let mut all = bounds.chain(kernel.body.guards.iter().map(|(_, bound)| bound));
    all.any(|bound| bound.any(&is_it))
}
