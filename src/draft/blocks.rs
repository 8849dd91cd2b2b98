//! How many blocks there are in a dimension in which nothing is compared.

use super::amount::{Amount, mentions};
use super::extents;
use super::setting::Setting;
use crate::signature::{Axis, Expression};

/// As many as it takes for what the index of a thread or a block goes along in the buffers: `column` goes along `width` in
/// `data[row * width + column]`.
pub(super) fn along_rows(setting: &Setting<'_>, axis: Axis) -> Option<Amount> {
    let accesses = setting.kernel.body.uses.iter().flat_map(|own| &own.accesses);
    accesses
        .filter_map(|access| {
            let (extent, own) = row(setting, &access.index, axis)?;
            Some(extent.in_parts_of(&setting.per_block(own, axis, 0)?))
        })
        .reduce(Amount::or_narrower)
}

/// The length of the rows in an index, and what goes along them.
fn row<'e>(setting: &Setting<'_>, index: &'e Expression, axis: Axis) -> Option<(Amount, &'e Expression)> {
    let terms = index.terms();
    let goes_along = |own: &Expression| {
        let is_alone = matches!(own, Expression::Local(_) | Expression::Block(_));
        is_alone && setting.per_block(own, axis, 0).is_some()
    };
    let own = terms.iter().find(|own| goes_along(own));
    let lengths = terms.iter().filter_map(|own| match own {
        Expression::Product(one, other) => match (setting.exact(one, 0), setting.exact(other, 0)) {
            (None, Some(length)) | (Some(length), None) => Some(length),
            _ => None,
        },
        _ => None,
    });
    let length = lengths.filter(|own| own.degree() > 0).reduce(Amount::or_narrower);
    if let (Some(own), Some(length)) = (own, length) {
        return Some((length, own));
    }
    terms.into_iter().find_map(|own| match own {
        Expression::Product(one, other) => row(setting, one, axis).or_else(|| row(setting, other, axis)),
        _ => None,
    })
}

/// The only extent that is neither where something ends nor how long rows are: what the blocks are for.
pub(super) fn left_over(setting: &Setting<'_>) -> Option<Amount> {
    let body = &setting.kernel.body;
    let bounds = body.locals.iter().flat_map(|local| local.bounds.iter().chain(&local.ends));
    let guards = body.guards.iter().map(|(_, bound)| bound);
    let mut taken: Vec<String> =
        bounds.chain(guards).filter_map(|own| setting.exact(own, 0)).map(|own| own.to_string()).collect();
    for access in body.uses.iter().flat_map(|own| &own.accesses) {
        factors(setting, &access.index, &mut taken);
    }
    let all = extents::all(setting);
    let mut left = all.iter().filter(|name| !taken.iter().any(|own| mentions(own, name)));
    let only = left.next()?;
    (all.len() > 1 && left.next().is_none()).then(|| Amount::symbol(*only))
}

/// What is multiplied in an index.
fn factors(setting: &Setting<'_>, index: &Expression, taken: &mut Vec<String>) {
    if let Expression::Product(one, other) = index {
        taken.extend([one, other].into_iter().filter_map(|own| setting.exact(own, 0)).map(|own| own.to_string()));
    }
    index.operands().into_iter().for_each(|own| factors(setting, own, taken));
}
