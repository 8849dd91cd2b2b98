//! Lengths of rows in memory that no index is compared with, as of `data[y * pitch + x]` where `x < width`.

use super::arguments::Given;
use crate::signature::{Class, Expression, Kernel, Local};

/// Words in the names of such lengths.
const NAMES: [&str; 6] = ["pitch", "leading", "ld", "lda", "ldb", "ldc"];
/// The same, which may be of windows that overlap.
const STRIDE: &str = "stride";

impl Given {
    /// The length of rows, if it is one that follows their width.
    pub(super) fn length_of_rows(&self) -> Option<String> {
        match self {
            Self::Follows { width, times: 1, .. } => Some(width.clone()),
            Self::Follows { width, times, .. } => Some(format!("{times} * {width}")),
            _ => None,
        }
    }
}

/// Makes lengths of rows that nothing says as long as what the rows have, so that rows do not overlap.
pub(super) fn follow(kernels: &[&Kernel], given: &mut [Given]) {
    for place in 0..given.len() {
        let Given::Parameter { name, launched: None } = &given[place] else { continue };
        let is_repeated = |own: &Kernel| own.launch.as_ref().is_some_and(|own| own.is_repeated(place));
        if kernels.iter().any(|own| is_bound(own, place) || is_repeated(own)) {
            continue;
        }
        let found = kernels.iter().find_map(|own| width(own, place, name).or_else(|| width_of_bytes(own, place)));
        let follows = found.filter(|(width, _)| *width != place).and_then(|(width, times)| match given.get(width)? {
            Given::Parameter { name: width, .. } => {
                Some(Given::Follows { name: name.clone(), width: width.clone(), times })
            }
            _ => None,
        });
        if let Some(follows) = follows {
            given[place] = follows;
        }
    }
}

/// The parameter that is the length of what stands in rows of the length at this place.
fn width(kernel: &Kernel, pitch: usize, name: &str) -> Option<(usize, i64)> {
    let has_name = |names: &[&str]| name.split('_').any(|word| names.contains(&word));
    let (is_named, is_stride) = (has_name(&NAMES), has_name(&[STRIDE]));
    let accesses = kernel.body.uses.iter().flat_map(|own| own.accesses.iter().map(|access| (own.writes, access)));
    let mut found = accesses.filter_map(|(is_written, access)| {
        let (rows, others): (Vec<&Expression>, Vec<&Expression>) =
            access.index.terms().into_iter().partition(|own| matches!(own, Expression::Product(..)));
        let ([first, more @ ..], [column]) = (&rows[..], &others[..]) else { return None };
        let is_pitch = |row: &&Expression| row.operands().contains(&&Expression::Parameter(pitch));
        // Of several products one is of rows, and others of what has many rows.
        let is_row = rows.iter().any(is_pitch) && (is_named || (more.is_empty() && is_pitch(first)));
        let column = local(kernel, column).filter(|_| is_row)?;
        let is_column = is_named || (column.is_of_thread && (is_written || is_stride));
        bound(column).filter(|_| is_column).map(|width| (width, 1))
    });
    found.next()
}

/// The same of rows whose length is in bytes, with the bytes of an element: the only parameter that something besides rows is below of.
fn width_of_bytes(kernel: &Kernel, pitch: usize) -> Option<(usize, i64)> {
    let own = kernel.body.byte_rows.iter().find(|own| own.pitch == pitch)?;
    let Class::Pointer { element: Some((element, parts)), .. } = kernel.parameters.get(own.data)?.class else {
        return None;
    };
    let rows = local(kernel, &own.row).and_then(bound);
    let columns = kernel.body.locals.iter().filter(|own| own.is_of_thread).filter_map(bound);
    let mut columns = columns.filter(|width| Some(*width) != rows);
    let width = columns.next()?;
    columns.all(|other| other == width).then_some((width, element.bytes() as i64 * i64::from(parts)))
}

fn local<'k>(kernel: &'k Kernel, expression: &Expression) -> Option<&'k Local> {
    match expression {
        Expression::Local(local) => kernel.body.locals.get(*local),
        _ => None,
    }
}

/// The parameter that a variable is below of.
fn bound(local: &Local) -> Option<usize> {
    let bounds = if local.ends.is_empty() { &local.bounds } else { &local.ends };
    bounds.iter().find_map(|bound| match bound {
        Expression::Parameter(place) => Some(*place),
        _ => None,
    })
}

/// Whether something is compared with the parameter at this place.
fn is_bound(kernel: &Kernel, place: usize) -> bool {
    let is_it = |own: &Expression| *own == Expression::Parameter(place);
    let bounds = kernel.body.locals.iter().flat_map(|own| own.bounds.iter().chain(&own.ends));
    let mut all = bounds.chain(kernel.body.guards.iter().map(|(_, bound)| bound));
    all.any(|bound| bound.any(&is_it))
}
