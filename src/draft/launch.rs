//! How a kernel is launched: guessed from the indices that its body computes and what it compares them with.

use super::amount::Amount;
use super::as_launched::{self, AsLaunched};
use super::blocks;
use super::clusters;
use super::extents;
use super::setting::Setting;
use super::tiles;
use crate::signature::{Axis, Expression, Kernel, Local, SourceLaunch};

/// A guess of how a kernel is launched.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Launch {
    pub(super) grid: Vec<Amount>,
    pub(super) block: Vec<Amount>,
    pub(super) shared_bytes: Option<Amount>,
    pub(super) cooperative: bool,
    /// Parameters that the launch needs besides the kernel's, with their defaults.
    pub(super) added: Vec<(&'static str, i64)>,
    /// Whether its loops go over the grid, so that fewer blocks would do, too.
    pub(super) strides_over_grid: bool,
    /// Whether nothing that indices are compared with says how many blocks there are.
    pub(super) is_by_names: bool,
    /// Whether its shared memory is the source's own launch's.
    pub(super) has_shared_of_source: bool,
    /// Whether the block is one warp since the kernel is written for that.
    pub(super) is_one_warp: bool,
    /// Blocks of a cluster along each axis, where the kernel has clusters of several.
    pub(super) cluster: Vec<i64>,
    /// Whether the source's own launch has clusters by an attribute, which this one has not.
    pub(super) has_lost_clusters: bool,
    /// What it has from the source's own launch.
    pub(super) as_launched: Option<AsLaunched>,
}

/// The most threads of a block.
const THREADS_MOST: i64 = 1024;
/// Threads of a warp.
const WARP: i64 = 32;
/// Blocks of a loop over the grid.
const BLOCKS_OF_LOOP: i64 = 1024;

/// What the parameters for the extents of a block are called.
pub(super) const BLOCK_NAMES: [[&str; 3]; 3] =
    [["block", "", ""], ["block_width", "block_height", ""], ["block_width", "block_height", "block_depth"]];

/// How many dimensions the blocks and the grid of a kernel have.
pub fn dimensions(kernel: &Kernel) -> usize {
    let asked = kernel.body.axes.iter().chain(&kernel.body.block_extents).map(|axis| *axis as usize + 1).max();
    let launched = kernel.launch.as_ref().map_or(1, SourceLaunch::dimensions);
    asked.unwrap_or(1).max(launched).min(Axis::ALL.len())
}

/// Guesses the launch; the setting has its block and grid afterwards. `is_free` says whether a name of a block's extent can be used.
pub(super) fn guess(setting: &mut Setting<'_>) -> Launch {
    let dimensions = dimensions(setting.kernel);
    let mut added = Vec::new();
    block(setting, dimensions, &mut added);
    let body = &setting.kernel.body;
    let strides_over_grid = body.asks_for_grid && !body.waits_for_grid;
    let mut is_by_names = grid(setting, dimensions, strides_over_grid);
    let as_launched = as_launched::follow(setting, dimensions, &mut added, |own| {
        grid(own, dimensions, strides_over_grid);
    });
    is_by_names &= !as_launched.is_some_and(|own| own.grid);
    let threads = setting.block.iter().try_fold(Amount::number(1), |all, own| all.times(own));
    let dynamic = body_shared(setting.kernel);
    let of_source = dynamic.and_then(|_| as_launched::shared_bytes(setting));
    let has_shared_of_source = of_source.is_some();
    let shared_bytes = of_source.or_else(|| threads?.times(&Amount::number(dynamic?)));
    let used = |all: &[Amount]| all[..dimensions].to_vec();
    let grid: Vec<Amount> = setting.grid.iter().map(|own| own.clone().unwrap_or(Amount::number(1))).collect();
    let cooperative = setting.kernel.body.waits_for_grid;
    Launch {
        grid: used(&grid),
        block: used(&setting.block),
        shared_bytes,
        cooperative,
        added,
        strides_over_grid,
        is_by_names,
        has_shared_of_source,
        is_one_warp: is_one_warp(setting, dimensions) && !as_launched.is_some_and(|own| own.block),
        cluster: clusters::extents(setting),
        has_lost_clusters: setting.kernel.lost_clusters().is_some(),
        as_launched,
    }
}

/// Guesses the grid for the block that the setting has. Whether nothing but names says how many blocks there are.
fn grid(setting: &mut Setting<'_>, dimensions: usize, strides_over_grid: bool) -> bool {
    let mut is_by_names = false;
    for axis in &Axis::ALL[..dimensions] {
        let told = guarded(setting, *axis).or_else(|| blocks::along_rows(setting, *axis));
        setting.is_by_names[*axis as usize] = told.is_none() && setting.kernel.body.axes.contains(axis);
        is_by_names |= setting.is_by_names[*axis as usize];
        let blocks = told.unwrap_or_else(|| by_names(setting, *axis, dimensions));
        let mut blocks = clusters::whole(setting, *axis as usize, blocks);
        if strides_over_grid && *axis == Axis::X && setting.kernel.body.axes.contains(axis) {
            let most = clusters::at_most(setting, BLOCKS_OF_LOOP);
            blocks = Amount::symbol(format!("min({most}, {blocks})"));
        }
        setting.grid[*axis as usize] = Some(blocks);
    }
    is_by_names
}

/// Bytes of an element of the array whose size the launch says; none where there is no such array.
fn body_shared(kernel: &Kernel) -> Option<i64> {
    let dynamic = kernel.body.shared.iter().find(|own| own.extents.is_empty())?;
    Some(dynamic.element_bytes.filter(|bytes| *bytes > 1).map_or(4, |bytes| bytes as i64))
}

fn block(setting: &mut Setting<'_>, dimensions: usize, added: &mut Vec<(&'static str, i64)>) {
    // Expressions of `blockIdx` in which the extent of a block does not occur say how large a block is made for.
    let names = BLOCK_NAMES[dimensions - 1];
    for (extent, name) in setting.block.iter_mut().zip(names).take(dimensions) {
        *extent = Amount::symbol(name);
    }
    let kernel = setting.kernel;
    let mut fixed: [Option<Amount>; 3] = [None, None, None];
    if is_one_warp(setting, dimensions) {
        fixed[0] = Some(Amount::number(WARP));
    }
    for axis in &Axis::ALL[..dimensions] {
        let place = *axis as usize;
        if fixed[place].is_some() {
            continue;
        }
        if !kernel.body.threads.contains(axis) {
            if !kernel.body.block_extents.contains(axis) {
                fixed[place] = Some(Amount::number(1));
            }
            continue;
        }
        if kernel.body.block_extents.contains(axis) {
            continue;
        }
        let written = kernel.body.locals.iter().filter_map(|local| setting.per_block(&local.value, *axis, 0));
        let seen = kernel.body.per_block.iter().filter(|(own, _)| own == axis).map(|(_, count)| Amount::number(*count));
        let found = written.chain(seen).find(|own| own.as_number() != Some(1));
        let tiles = tiles::along(setting, *axis);
        let Some(found) = found else {
            let step = tiles::steps(setting).find(|own| place == 0 && is_block(own));
            fixed[place] = tiles.into_iter().find(is_block).or(step);
            continue;
        };
        // Loops over a tile in steps of a few rows are for blocks of as many.
        let steps = kernel.body.steps.iter().filter(|(_, end)| setting.exact(end, 0).as_ref() == Some(&found));
        let step =
            steps.filter_map(|(step, _)| setting.exact(step, 0)).find(|step| place == 1 && step.as_number() != Some(1));
        // A block that has several elements for each thread has an element in the array for each.
        let least = tiles
            .iter()
            .filter(|own| is_block(own) && own.size() < found.size())
            .min_by(|one, other| one.size().total_cmp(&other.size()));
        fixed[place] = Some(step.or(least.cloned()).or_else(|| tiles::apart(setting, &found)).unwrap_or(found));
    }
    // A block that computes a tile without its margins loads all of it.
    if let (Some(square), [Some(one), Some(other), _]) = (tiles::square(setting), &fixed)
        && [one, other].into_iter().all(|own| square.size() > own.size())
        && square.as_number().is_none_or(|own| own * own <= THREADS_MOST)
    {
        (fixed[0], fixed[1]) = (Some(square.clone()), Some(square));
    }
    let free: Vec<usize> = (0..dimensions).filter(|place| fixed[*place].is_none()).collect();
    let taken: i64 = fixed.iter().flatten().filter_map(Amount::as_number).product();
    let sizes = sizes(setting, &free);
    for place in 0..dimensions {
        setting.block[place] = match (&fixed[place], sizes.get(place).cloned().flatten()) {
            (Some(own), _) => own.as_number().map_or(own.clone(), |number| {
                Amount::number(if taken > THREADS_MOST && place > 0 {
                    number.min((THREADS_MOST * number / taken).max(1))
                } else {
                    number
                })
            }),
            (None, Some(own)) => match own.as_number() {
                Some(_) if is_named(setting, Axis::ALL[place], &own) => own,
                Some(number) => {
                    added.push((names[place], number));
                    Amount::symbol(names[place])
                }
                None => own,
            },
            (None, None) => Amount::symbol(names[place]),
        };
    }
}

/// Whether a kernel is written for blocks of one warp, and does not ask how large they are.
fn is_one_warp(setting: &Setting<'_>, dimensions: usize) -> bool {
    let body = &setting.kernel.body;
    dimensions == 1 && body.waits.is_one_warp() && body.threads.contains(&Axis::X) && body.block_extents.is_empty()
}

/// Whether an amount can be the extent of a block.
fn is_block(amount: &Amount) -> bool {
    amount.as_number().is_none_or(|number| (2..=THREADS_MOST).contains(&number))
}

/// Whether an array that the block fills has this extent by a constant of the source, so that another block needs another source.
fn is_named(setting: &Setting<'_>, axis: Axis, extent: &Amount) -> bool {
    let is_constant = setting.kernel.constants.iter().any(|own| Some(own.value) == extent.as_number());
    is_constant && tiles::along(setting, axis).contains(extent)
}

/// Extents of blocks that the kernel leaves to its launch: as its arrays in shared memory are, or as is usual.
fn sizes(setting: &Setting<'_>, free: &[usize]) -> Vec<Option<Amount>> {
    let kernel = setting.kernel;
    let mut sizes: Vec<Option<Amount>> = vec![None; 3];
    let fixed = kernel
        .body
        .shared
        .iter()
        .map(|array| array.extents.iter().map(|extent| setting.exact(extent, 0)).collect::<Option<Vec<Amount>>>());
    let arrays: Vec<Vec<Amount>> = fixed.flatten().collect();
    let usual: [&[i64]; 4] = [&[], &[256], &[32, 8], &[32, 4, 2]];
    for (order, place) in free.iter().enumerate() {
        sizes[*place] = Some(Amount::number(usual[free.len()][order]));
    }
    let most = kernel.threads_most.filter(|most| (1..=THREADS_MOST).contains(most));
    match free {
        [only] => {
            let is_wide = |own: &Amount| is_block(own) && own.as_number().is_none_or(|own| own >= 8);
            let own = arrays.iter().filter_map(|own| own.last()).find(|own| is_wide(own)).cloned();
            sizes[*only] = most.map(Amount::number).or(own).or(sizes[*only].take());
        }
        [one, other] => {
            let squares = arrays
                .iter()
                .filter(|own| own.len() == 2 && is_block(&own[0]) && own[0].as_number().is_none_or(|own| own <= 32));
            if let Some(square) = squares.map(|own| own[0].clone()).next() {
                sizes[*one] = Some(square.clone());
                sizes[*other] = Some(square);
            }
        }
        _ => {}
    }
    sizes
}

/// Expressions of the block in a dimension, with the variable that they are of and how many values a block has.
fn indices<'k>(setting: &Setting<'k>, axis: Axis) -> Vec<(usize, &'k Local, Amount)> {
    let places = setting.kernel.body.locals.iter().enumerate();
    places.filter_map(|(place, local)| Some((place, local, setting.per_block(&local.value, axis, 0)?))).collect()
}

/// Blocks in a dimension: as many as it takes for what the index of a thread is compared with.
fn guarded(setting: &Setting<'_>, axis: Axis) -> Option<Amount> {
    let mut guards = setting.kernel.body.guards.iter();
    if let Some((_, bound)) = guards.find(|(guarded, _)| *guarded == Expression::Block(axis)) {
        return setting.exact(bound, 0);
    }
    let is_extent = |own: &Expression| setting.is_extent(own);
    indices(setting, axis).into_iter().find_map(|(place, local, per_block)| {
        let bounds = setting.bounds(place);
        let bounds = bounds.iter().filter(|bound| setting.any(bound, &is_extent, 0));
        let bounds = bounds.filter_map(|bound| setting.upper(bound, 0));
        // The widest of several guards.
        let bound = bounds.reduce(Amount::or_wider)?;
        // Threads that have one row together.
        let threads = setting.sharing(&local.value, 0).and_then(|sharing| bound.times(&sharing));
        Some(threads.unwrap_or(bound).in_parts_of(&per_block))
    })
}

/// Blocks in a dimension in which nothing is compared: as many as it takes for the extent that is named like it.
fn by_names(setting: &Setting<'_>, axis: Axis, dimensions: usize) -> Amount {
    let body = &setting.kernel.body;
    let seen = body.per_block.iter().find(|(own, _)| *own == axis).map(|(_, count)| Amount::number(*count));
    let direct =
        body.uses.iter().flat_map(|own| &own.accesses).find_map(|access| setting.per_block(&access.index, axis, 0));
    let per_block = indices(setting, axis).into_iter().next().map(|(.., own)| own).or(seen).or(direct);
    let per_block = per_block.unwrap_or_else(|| setting.block[axis as usize].clone());
    // A block that has as many elements as an extent says has a row of them.
    let is_row = per_block.degree_in(&extents::all(setting)) > 0;
    let per_block = if is_row { Amount::number(1) } else { per_block };
    if !body.axes.contains(&axis) {
        return Amount::number(1);
    }
    match blocks::left_over(setting).or_else(|| extents::along(setting, axis, dimensions)) {
        Some(extent) => extent.in_parts_of(&per_block),
        None => Amount::number(1),
    }
}
