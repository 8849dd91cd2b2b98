//! Sizes for which a launch has blocks for a whole GPU, and which are simulated in seconds.
//!
//! A simulated GPU counts some blocks of a large launch, about one for each multiprocessor, so what a diagnosis takes follows from the work of
//! one block.

use super::amount::{Amount, mentions, with_values};
use super::extents::other_default;
use super::parameters::{EXTENT, Parameter};
use super::setting::Setting;
use crate::signature::Expression;
use crate::user_kernel::{self, Scope};

/// The multiprocessors of an H200.
pub(super) const MULTIPROCESSORS: f64 = 132.0;
/// Blocks that are enough: two for each of its multiprocessors, more or less.
const BLOCKS: f64 = 256.0;
/// Steps of loops that the warps of a diagnosis take together: a few seconds' worth.
const STEPS: f64 = 1.1e6;
/// The most where less would leave multiprocessors without a block.
const STEPS_MOST: f64 = 2.0 * STEPS;
/// Elements of a buffer, with room for a margin.
const ELEMENTS: f64 = 1.1 * (1_u64 << 24) as f64;
/// The same as of steps.
const ELEMENTS_MOST: f64 = 2.0 * ELEMENTS;
/// The least that extents of which the number of blocks does not follow are made.
const INNER_LEAST: i64 = 16;
/// The largest size that is a guess.
const SIZE_MOST: i64 = 1 << 20;
/// The least threads of a block that is free.
const THREADS_LEAST: i64 = 32;
/// The most threads of a block.
const THREADS_MOST: f64 = 1024.0;
/// The most times that a size is doubled or halved.
const CHANGES_MOST: usize = 100;
/// The most steps of loops of whose ends no size is: one is seldom within all others.
const FIXED_MOST: f64 = 32.0;
const WARP: f64 = 32.0;
/// Warp schedulers of a multiprocessor.
const SCHEDULERS: f64 = 4.0;
/// How many times as large as chosen sizes are in the grid, where that is no more than a simulation takes in seconds.
const GROWN: [i64; 2] = [4, 2];

/// What sizes decide.
pub(super) struct Sized<'s, 'k> {
    pub(super) settings: &'s [Setting<'k>],
    /// The lengths of all buffers.
    pub(super) lengths: Vec<&'s Amount>,
}

/// What a launch comes to at some sizes.
struct Load {
    /// Blocks of the kernel that has fewest.
    blocks: f64,
    /// Steps of loops that are simulated, of the kernel that has most.
    steps: f64,
    /// Elements of the largest buffer.
    elements: f64,
}

impl Load {
    fn is_too_much(&self) -> bool {
        self.steps > STEPS || self.elements > ELEMENTS
    }
}

impl Sized<'_, '_> {
    /// Blocks at these sizes, of the kernel that has fewest; `None` where that is not known.
    pub(super) fn blocks(&self, parameters: &[Parameter]) -> Option<f64> {
        self.load(parameters).map(|own| own.blocks)
    }

    /// Chooses the sizes that are guesses: more where there are few blocks, less where there is much to do.
    pub(super) fn choose(&self, parameters: &mut [Parameter]) {
        for _ in 0..CHANGES_MOST {
            let Some(own) = self.load(parameters) else { return };
            let place = if own.blocks < BLOCKS { self.to_grow(parameters, &own) } else { None };
            let Some(place) = place else { break };
            change(&mut parameters[place], |value| 2 * value);
        }
        for _ in 0..CHANGES_MOST {
            let Some(own) = self.load(parameters).filter(Load::is_too_much) else { return };
            let Some(place) = self.to_shrink(parameters, &own) else { return };
            change(&mut parameters[place], |value| value / 2);
        }
    }

    /// How many times as large as chosen a size that is a guess may become: where the work is small, times of less are those of a launch.
    pub(super) fn room(&self, parameters: &[Parameter], name: &str) -> i64 {
        let Some(place) = parameters.iter().position(|own| own.name == name) else { return 1 };
        let is_little = |times: &i64| {
            let mut larger = parameters.to_vec();
            larger[place].default = larger[place].default.map(|value| times * value);
            let blocks = self.settings.iter().map(|setting| product(setting.block.iter(), &larger));
            let are_blocks = blocks.into_iter().all(|threads| threads.is_none_or(|threads| threads <= THREADS_MOST));
            are_blocks && self.load(&larger).is_some_and(|own| !own.is_too_much())
        };
        let most = free(&parameters[place]).map_or(1, |value| parameters[place].to / value.max(1));
        GROWN.into_iter().filter(|times| *times <= most).find(is_little).unwrap_or(1)
    }

    /// Whether the threads of a launch are no more than a warp for each scheduler, so that more of them take no longer.
    pub(super) fn is_one_warp_each(&self, parameters: &[Parameter]) -> bool {
        self.settings.iter().all(|setting| {
            let blocks = product(setting.grid.iter().flatten(), parameters);
            let threads = product(setting.block.iter(), parameters);
            blocks.zip(threads).is_some_and(|(blocks, threads)| {
                let warps = (threads / WARP).ceil() * (blocks / MULTIPROCESSORS).ceil();
                warps <= SCHEDULERS
            })
        })
    }

    /// The least of the sizes that make more blocks.
    fn to_grow(&self, parameters: &mut [Parameter], own: &Load) -> Option<usize> {
        let mut found: Option<usize> = None;
        for place in 0..parameters.len() {
            let value = free(&parameters[place]).filter(|value| 2 * value <= SIZE_MOST);
            let is_less = |other: usize| value < parameters[other].default;
            if value.is_none() || found.is_some_and(|other| !is_less(other)) {
                continue;
            }
            let load = self.with(parameters, place, |value| 2 * value);
            if load.is_some_and(|load| load.blocks > own.blocks) {
                found = Some(place);
            }
        }
        found
    }

    /// What to make less of: sizes of which the grid has none, then threads of blocks, then what leaves a block for each multiprocessor.
    fn to_shrink(&self, parameters: &mut [Parameter], own: &Load) -> Option<usize> {
        let mut found: Option<(u8, i64, usize)> = None;
        for place in 0..parameters.len() {
            let threads = self.threads(&parameters[place]);
            let Some(value) = free(&parameters[place]).or(threads) else { continue };
            let Some(load) = self.with(parameters, place, |value| value / 2) else { continue };
            let is_less = |one: f64, most: f64, other: f64| other > most && one < other;
            let helps = is_less(load.steps, STEPS, own.steps) || is_less(load.elements, ELEMENTS, own.elements);
            let is_of_grid = self.is_of_grid(&parameters[place].name);
            let order = match threads {
                Some(_) if value / 2 < THREADS_LEAST => continue,
                Some(_) => 1,
                None if !is_of_grid && value <= INNER_LEAST => continue,
                None if !is_of_grid => 0,
                None if load.blocks >= MULTIPROCESSORS => 2,
                None if own.steps > STEPS_MOST || own.elements > ELEMENTS_MOST => 3,
                None => continue,
            };
            // The largest of those that come first.
            if helps && value > 1 && found.is_none_or(|(other, most, _)| (order, -value) < (other, -most)) {
                found = Some((order, value, place));
            }
        }
        found.map(|(.., place)| place)
    }

    /// Whether a number of blocks is computed of what has this name.
    fn is_of_grid(&self, name: &str) -> bool {
        let grids = self.settings.iter().flat_map(|setting| setting.grid.iter().flatten());
        grids.map(ToString::to_string).any(|own| mentions(&own, name))
    }

    /// The threads of a block that the kernel leaves open, where the parameter is these.
    fn threads(&self, own: &Parameter) -> Option<i64> {
        let is_open = |setting: &Setting<'_>| {
            let kernel = setting.kernel;
            kernel.body.shared.is_empty() && kernel.threads_most.is_none()
        };
        let is_alone = own.name == "block" || own.name == "block_width";
        let is_row = |setting: &Setting<'_>| setting.block[1..].iter().all(|own| own.as_number() == Some(1));
        let is_open = self.settings.iter().all(|setting| is_open(setting) && is_row(setting));
        (own.is_of_block() && own.line.is_none() && is_alone && is_open).then_some(own.default).flatten()
    }

    /// What it comes to where one size is another.
    fn with(&self, parameters: &mut [Parameter], place: usize, to: impl Fn(i64) -> i64) -> Option<Load> {
        let before = parameters[place].default;
        parameters[place].default = before.map(to);
        let load = self.load(parameters);
        parameters[place].default = before;
        load
    }

    fn load(&self, parameters: &[Parameter]) -> Option<Load> {
        let mut all = Load { blocks: f64::MAX, steps: 0.0, elements: 0.0 };
        for setting in self.settings {
            let blocks = product(setting.grid.iter().flatten(), parameters)?;
            let threads = product(setting.block.iter(), parameters)?;
            let of_block = (threads / WARP).ceil() * steps(setting, parameters);
            all.blocks = all.blocks.min(blocks);
            all.steps = all.steps.max(of_block * blocks.min(MULTIPROCESSORS));
        }
        let lengths = self.lengths.iter().filter_map(|own| value(own, |name| default(parameters, name)));
        Some(Load { elements: lengths.fold(0.0, f64::max), ..all })
    }
}

/// A size that is a guess.
fn free(own: &Parameter) -> Option<i64> {
    let is_guess = own.line.is_none() && own.define.is_none() && other_default(&own.name).is_none();
    own.default.filter(|_| own.what == EXTENT && is_guess)
}

/// There is room for so many times what is chosen.
const ROOM: i64 = 8;

fn change(own: &mut Parameter, to: impl Fn(i64) -> i64) {
    own.default = own.default.map(to);
    own.to = own.to.max(own.default.unwrap_or(0) * ROOM);
}

fn product<'a>(amounts: impl Iterator<Item = &'a Amount>, parameters: &[Parameter]) -> Option<f64> {
    amounts.map(|own| value(own, |name| default(parameters, name))).try_fold(1.0, |all, own| Some(all * own?))
}

/// What a parameter is where nothing else is said.
pub(super) fn default(parameters: &[Parameter], name: &str) -> Option<i64> {
    parameters.iter().find(|own| own.name == name)?.default
}

/// What an amount comes to where names have these values.
pub(super) fn value(amount: &Amount, of: impl Fn(&str) -> Option<i64>) -> Option<f64> {
    let text = with_values(&amount.to_string(), of);
    user_kernel::Expression::parse(&text, &[]).ok()?.value(&Scope::new([])).ok()
}

/// Steps of a thread, as if each loop were within those that end elsewhere.
fn steps(setting: &Setting<'_>, parameters: &[Parameter]) -> f64 {
    let of_thread = |own: &Expression| matches!(own, Expression::Thread(_) | Expression::Block(_));
    let body = &setting.kernel.body;
    let loops = body.locals.iter().filter(|own| own.grows && !setting.any(&own.value, &of_thread, 0));
    let (mut sized, mut fixed): (Vec<(String, f64)>, f64) = (Vec::new(), 1.0);
    for own in loops {
        let ends = own.bounds.iter().filter_map(|bound| setting.exact(bound, 0));
        let ends = ends.filter_map(|own| Some((value(&own, |name| default(parameters, name))?, own.to_string())));
        let Some((end, text)) = ends.min_by(|one, other| one.0.total_cmp(&other.0)) else { continue };
        // The last value of what doubles is that of a power.
        let end = if own.doubles { end.max(1.0).log2().ceil() } else { end }.max(1.0);
        let has_size = parameters.iter().any(|own| own.what == EXTENT && mentions(&text, &own.name));
        if !has_size {
            fixed *= end;
        } else if sized.iter().all(|(other, _)| *other != text) {
            sized.push((text, end));
        }
    }
    sized.iter().map(|(_, end)| end).product::<f64>() * fixed.min(FIXED_MOST)
}
