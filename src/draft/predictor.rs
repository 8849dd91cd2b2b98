//! What the grid of a draft varies, and what its law is fitted against.

use super::amount::{Amount, mentions};
use super::names::Names;
use super::parameters::{EXTENT, Parameter};
use super::setting::Setting;
use super::sizes::{Sized, default, value};
use super::steps;
use super::variants::Buffer;

/// Values that a law takes at least.
const FEW_VALUES: usize = 3;

/// A parameter with the values that the grid has of it.
pub(super) type Varied = (String, Vec<i64>);
/// A predictor with its name.
pub(super) type Predictor = (String, Amount);

/// What is varied, and what times follow from.
pub(super) fn chosen(
    sized: &Sized<'_, '_>,
    buffers: &[Buffer],
    parameters: &[Parameter],
    extents: &[&str],
    names: &mut Names,
) -> (Option<Varied>, Option<Predictor>) {
    let settings = sized.settings;
    // What bounds threads is how much there is to do.
    let is_of_threads = |own: &Parameter| settings.iter().any(|setting| bounds_threads(setting, &own.name));
    let extents_of_kernel: Vec<&Parameter> = parameters.iter().filter(|own| own.what == EXTENT).collect();
    let of_threads: Vec<&Parameter> = extents_of_kernel.iter().copied().filter(|own| is_of_threads(own)).collect();
    let has = |length: &Amount, own: &Parameter| mentions(&length.to_string(), &own.name);
    let lengths = || buffers.iter().map(|own| &own.length);
    let is_of_any = |length: &&Amount| of_threads.iter().any(|own| has(length, own));
    let largest =
        |all: Vec<&Amount>| all.into_iter().rev().max_by(|one, other| one.size().total_cmp(&other.size())).cloned();
    let largest = largest(lengths().filter(is_of_any).collect()).or_else(|| largest(lengths().collect()));
    let varied = largest.as_ref().and_then(|largest| extents_of_kernel.iter().copied().find(|own| has(largest, own)));
    let values = |own: &Parameter| {
        let most = own.default? * sized.room(parameters, &own.name);
        Some((own.name.clone(), values(most, |value| has_blocks(settings, parameters, own, value))))
    };
    let varied = varied.and_then(values);
    let largest = largest.filter(|_| varied.is_some());
    let is_alone = varied.as_ref().is_some_and(|(name, values)| {
        let mut at_most = parameters.to_vec();
        at_most.iter_mut().filter(|own| own.name == *name).for_each(|own| own.default = values.last().copied());
        sized.is_one_warp_each(&at_most)
    });
    let of_loop = varied.as_ref().filter(|_| is_alone).and_then(|(name, _)| of_loop(settings, extents, name));
    if let Some(steps) = of_loop {
        return (varied, Some((names.take("steps"), steps)));
    }
    (varied, predictor(settings, largest, extents, names))
}

/// Values of a size, up to the largest: parts of it that have blocks, or else multiples.
fn values(most: i64, has_blocks: impl Fn(i64) -> bool) -> Vec<i64> {
    let mut values = [8, 4, 2, 1].map(|part| (most / part).max(1)).to_vec();
    values.dedup();
    let few = values.len().min(FEW_VALUES);
    values.retain(|value| has_blocks(*value));
    let more = (2..=FEW_VALUES as i64).map(|times| most.saturating_mul(times)).filter(|value| has_blocks(*value));
    values.extend(more.take(few.saturating_sub(values.len())));
    if values.is_empty() { vec![most] } else { values }
}

/// Whether all kernels have blocks where a size has this value: where it is too small for one, the source's number of blocks may be 0.
fn has_blocks(settings: &[Setting<'_>], parameters: &[Parameter], own: &Parameter, size: i64) -> bool {
    let of = |name: &str| if name == own.name { Some(size) } else { default(parameters, name) };
    let mut grids = settings.iter().flat_map(|setting| setting.grid.iter().flatten());
    grids.all(|grid| value(grid, of).is_none_or(|blocks| blocks >= 1.0))
}

/// How often the longest loop of each thread is gone through, where that follows from what is varied: all that a time follows from where threads do
/// not wait for each other.
fn of_loop(settings: &[Setting<'_>], extents: &[&str], name: &str) -> Option<Amount> {
    let loops = settings.iter().map(|own| steps::of_thread(own, extents));
    let own = loops.reduce(|one, other| one.filter(|one| other.as_ref() == Some(one))).flatten();
    own.filter(|own| mentions(&own.to_string(), name))
}

/// Whether the index of a thread or a block is below an amount with this name.
fn bounds_threads(setting: &Setting<'_>, name: &str) -> bool {
    let body = &setting.kernel.body;
    let has = |own: &Amount| mentions(&own.to_string(), name);
    let locals = body.locals.iter().filter(|own| own.is_of_thread);
    let mut bounds = locals.flat_map(|own| own.bounds.iter().chain(&own.ends));
    setting.grid.iter().flatten().any(has) || bounds.any(|bound| setting.exact(bound, 0).is_some_and(|own| has(&own)))
}

/// What times follow from, with its name: the steps of the threads' loops where they are more than the elements of the largest buffer, or else these.
fn predictor(
    settings: &[Setting<'_>],
    largest: Option<Amount>,
    extents: &[&str],
    names: &mut Names,
) -> Option<(String, Amount)> {
    let largest = largest?;
    let steps = settings.iter().map(|own| steps::steps(own, extents));
    // A law is of all variants.
    let steps = steps.reduce(|one, other| one.filter(|one| other.as_ref() == Some(one))).flatten();
    Some(match steps.filter(|own| own.degree_in(extents) > largest.degree_in(extents)) {
        Some(steps) => (names.take("steps"), steps),
        // A parameter of that name is a predictor itself.
        None if largest == Amount::symbol("elements") => ("elements".to_owned(), largest),
        None => (names.take("elements"), largest),
    })
}
