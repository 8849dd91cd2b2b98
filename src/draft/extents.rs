//! Which of a kernel's numbers are extents, what they are when nothing is known, and how long buffers are.

use std::cmp::Ordering;

use super::amount::Amount;
use super::rows;
use super::setting::Setting;
use crate::signature::{Access, Axis, Use};

/// Names of extents along each dimension, as people call them.
const ALONG: [&[&str]; 3] = [
    &["width", "w", "cols", "columns", "nx", "num_cols", "n", "dim_x", "size_x", "size", "length", "count"],
    &["height", "h", "rows", "ny", "num_rows", "m", "dim_y", "size_y"],
    &["depth", "d", "nz", "slices", "batch", "dim_z", "size_z"],
];

/// Numbers that are no extents, with what they are when nothing is known.
const OTHERS: [(&str, i64); 15] = [
    ("mask", 255),
    ("iter", 10),
    ("step", 10),
    ("repeat", 10),
    ("repetition", 10),
    ("bin", 256),
    ("bucket", 256),
    ("radius", 4),
    ("stride", 1),
    ("offset", 0),
    ("shift", 1),
    ("seed", 1),
    ("pad", 1),
    ("unroll", 4),
    ("flag", 0),
];

/// What a number is when nothing is known, where its name says that it is no extent.
pub(super) fn other_default(name: &str) -> Option<i64> {
    OTHERS.iter().find(|(part, _)| name.contains(part)).map(|(_, default)| *default)
}

/// Parts of names of buffers that count how often values occur.
const COUNTERS: [&str; 4] = ["count", "hist", "bin", "bucket"];

/// Parts of names of extents.
const PARTS: [&str; 10] = ["num_", "count", "width", "height", "depth", "length", "size", "rows", "cols", "elements"];

/// Whether a number of this name is an extent, by its name alone.
pub(super) fn is_named_extent(name: &str) -> bool {
    let is_known = ALONG.iter().any(|names| names.contains(&name)) || PARTS.iter().any(|part| name.contains(part));
    is_known && other_default(name).is_none()
}

/// Names of the kernel's extents, in order.
pub(super) fn all<'s>(setting: &'s Setting<'_>) -> Vec<&'s str> {
    let names = setting.parameters.iter().flatten().map(String::as_str).filter(|name| other_default(name).is_none());
    let mut all: Vec<&str> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The extent along a dimension: by its name, or the only one.
pub(super) fn along(setting: &Setting<'_>, axis: Axis, dimensions: usize) -> Option<Amount> {
    let all = all(setting);
    let named = ALONG[axis as usize].iter().find(|name| all.contains(name));
    let by_order = match (dimensions, axis) {
        (1, _) => all.first(),
        (_, axis) => all.get(axis as usize).or(all.first()),
    };
    named.or(by_order).map(|name| Amount::symbol(*name))
}

/// How many elements a buffer has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) amount: Amount,
    /// The line of the source whose index asks for so many; `None` where no index says.
    pub(super) line: Option<u32>,
    /// The line of the source that allocates so many, where that decides.
    pub(super) allocated: Option<u32>,
    /// Whether it is as many as there are values of the data's type, of which there may be fewer.
    pub(super) is_of_type: bool,
}

impl Length {
    /// What is usual.
    pub(super) fn usual(amount: Amount) -> Self {
        Self { amount, line: None, allocated: None, is_of_type: false }
    }

    /// The longer of two, of which one that indices ask for counts more.
    pub(super) fn longer(self, other: Self) -> Self {
        let rank = |own: &Self| (own.allocated.is_some(), own.line.is_some() && !own.is_of_type, own.amount.size());
        match rank(&other).partial_cmp(&rank(&self)) {
            Some(Ordering::Greater) => other,
            // Names of which nobody knows which is the larger.
            Some(Ordering::Equal) => Self { amount: self.amount.or_wider(other.amount), ..self },
            _ => self,
        }
    }
}

/// How many elements a buffer has.
fn length(setting: &Setting<'_>, used: &Use, place: usize, dimensions: usize) -> Length {
    let by_data = used.accesses.iter().any(|access| access.by.is_some());
    let name = setting.kernel.parameters.get(place).and_then(|own| own.name.as_ref()).map(|own| own.to_lowercase());
    let has_name = || name.is_some_and(|name| COUNTERS.iter().any(|part| name.contains(part)));
    let is_counter = by_data && (used.is_atomic || (used.writes && has_name()));
    let mut names = setting.parameters.iter().flatten();
    let bins = names.find(|name| is_counter && (name.contains("bin") || name.contains("bucket")));
    let seen = by_indices(setting, used);
    let is_of_type = is_counter && seen.as_ref().is_some_and(|own| own.amount.as_number().is_some());
    if let Some(found) = seen.filter(|_| !is_of_type || bins.is_none()) {
        return Length { is_of_type, ..found };
    }
    if let Some(of_rows) = rows::length(setting, used) {
        return Length::usual(of_rows);
    }
    if let Some(of_steps) = by_steps(setting, used) {
        return Length::usual(of_steps);
    }
    if is_counter {
        return Length::usual(bins.map_or(Amount::number(256), Amount::symbol));
    }
    Length::usual(usual(setting, dimensions))
}

/// How many elements the source allocates for the buffer at this place.
pub(super) fn allocated(setting: &Setting<'_>, place: usize) -> Option<Length> {
    let own = setting.kernel.launch.as_ref()?.buffers.get(place)?.as_ref()?;
    let of_launched = own.element_bytes.and_then(|own| i64::try_from(own).ok());
    let element_bytes = of_launched.or_else(|| setting.element_bytes(place))?;
    let amount = setting.by_block(setting.exact(&own.bytes, 0)?.over_exactly(element_bytes)?);
    let is_any = amount.as_number().is_none_or(|own| own > 0);
    is_any.then_some(Length { allocated: Some(own.line), ..Length::usual(amount) })
}

/// The same of the buffer at this place: what the source allocates, where that says more than the indices do.
pub(super) fn length_as_launched(setting: &Setting<'_>, used: &Use, place: usize, dimensions: usize) -> Length {
    let usual = length(setting, used, place, dimensions);
    let Some(allocated) = allocated(setting, place) else { return usual };
    let Some(number) = allocated.amount.as_number() else {
        let there = setting.launched(&allocated.amount);
        let is_same = there.is_some() && there == setting.launched(&usual.amount);
        // Numbers of the host may stand for its block.
        let is_by_block = is_same && usual.line.is_some() && setting.follows_block(&usual.amount);
        return if is_by_block { Length { allocated: allocated.allocated, ..usual } } else { allocated };
    };
    // A number is one of the source's sizes: what comes to it there, or fits in there, is for all sizes.
    match setting.launched(&usual.amount) {
        Some(own) if own <= number && usual.line.is_some() => usual,
        Some(own) if own == number => Length { allocated: allocated.allocated, ..usual },
        None if usual.line.is_some() && used.accesses.iter().all(|own| own.by.is_none()) => usual,
        _ => allocated,
    }
}

/// How many elements the indices of a buffer ask for, where they say so.
pub(super) fn by_indices(setting: &Setting<'_>, used: &Use) -> Option<Length> {
    let of =
        |access: &Access| Some(Length { line: Some(access.line), ..Length::usual(setting.length(&access.index)?) });
    let lengths = used.accesses.iter().filter_map(of);
    let found = lengths.filter(|own| own.amount.as_number().is_none_or(|number| number > 0)).reduce(Length::longer)?;
    Some(Length { amount: found.amount.rounded_up(), ..found })
}

/// How many elements the indices ask for where other elements say how often loops run, as drafts fill these.
fn by_steps(setting: &Setting<'_>, used: &Use) -> Option<Amount> {
    if used.accesses.iter().any(|access| access.by.is_some()) {
        return None;
    }
    setting.has_steps.set(true);
    let found = by_indices(setting, used);
    setting.has_steps.set(false);
    found.map(|own| own.amount)
}

/// The length of a buffer whose indices say nothing.
fn usual(setting: &Setting<'_>, dimensions: usize) -> Amount {
    let along = Axis::ALL[..dimensions].iter().filter_map(|axis| along(setting, *axis, dimensions));
    // A loop goes along the third dimension.
    let depth =
        ALONG[2].iter().find(|name| dimensions == 2 && all(setting).contains(name)).map(|name| Amount::symbol(*name));
    let product = along.chain(depth).try_fold(Amount::number(1), |all, own| all.times(&own));
    match product {
        Some(product) if product.degree() > 0 => product,
        _ => {
            let threads = setting.block.iter().zip(&setting.grid).try_fold(Amount::number(1), |all, (block, grid)| {
                all.times(block)?.times(grid.as_ref().unwrap_or(&Amount::number(1)))
            });
            threads.unwrap_or_else(|| Amount::number(1 << 20))
        }
    }
}

/// Whether elements are at places that other elements say.
pub(super) fn decided_by(used: &Use, parameter: usize) -> bool {
    used.accesses.iter().any(|access| access.by == Some(parameter))
}
