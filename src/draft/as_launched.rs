//! What a draft's launch has from the one that the source itself has.

use super::amount::Amount;
use super::clusters;
use super::extents;
use super::launch::BLOCK_NAMES;
use super::setting::Setting;
use crate::signature::Expression;

/// What was followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AsLaunched {
    /// The line of the source's launch, from 1.
    pub(super) line: u32,
    /// Whether the grid is as there, in all dimensions.
    pub(super) grid: bool,
    /// Whether the block is.
    pub(super) block: bool,
}

/// Takes block and grid from the source's launch, as far as its expressions are known. A block that the kernel leaves to its launch stays a parameter,
/// with the source's size as the default, where the guessed grid is the source's for it and no variant before has another default. `guess` guesses the
/// grid for the block at hand.
pub(super) fn follow(
    setting: &mut Setting<'_>,
    dimensions: usize,
    added: &mut Vec<(&'static str, i64)>,
    guess: impl Fn(&mut Setting<'_>),
) -> Option<AsLaunched> {
    let launch = setting.kernel.launch.as_ref()?;
    let block: Vec<Option<Amount>> = (0..dimensions).map(|place| extent(setting, &launch.block, place)).collect();
    let is_block = block.iter().all(Option::is_some);
    if is_block {
        let symbols = setting.block.clone();
        for (own, told) in setting.block.iter_mut().zip(&block) {
            *own = told.clone().unwrap_or(Amount::number(1));
        }
        guess(setting);
        let with_numbers = setting.grid.clone();
        let blocks: Vec<Option<Amount>> = (0..dimensions).map(|place| blocks(setting, &launch.grid, place)).collect();
        let is_same = |place: usize| {
            let told = blocks[place].as_ref();
            // A number of blocks is of no block's size.
            told.is_none_or(|own| own.as_number().is_some()) || told == with_numbers[place].as_ref()
        };
        let names = BLOCK_NAMES[dimensions - 1];
        let default = |place: usize| block[place].as_ref().and_then(Amount::as_number);
        let is_free = |place: usize| symbols[place] == Amount::symbol(names[place]) && default(place).is_some();
        added.clear();
        let others = |place: usize| setting.blocks_of_others.iter().find(|(name, _)| *name == names[place]);
        let is_as_others = |place: usize| others(place).is_none_or(|(_, own)| Some(*own) == default(place));
        if (0..dimensions).all(is_same) && (0..dimensions).filter(|place| is_free(*place)).all(is_as_others) {
            for place in (0..dimensions).filter(|place| is_free(*place)) {
                added.extend(default(place).map(|own| (names[place], own)));
                setting.block[place] = symbols[place].clone();
            }
            if !added.is_empty() {
                setting.grid_of_source = with_numbers;
            }
        }
    }
    guess(setting);
    let mut is_grid = true;
    setting.launched.extend(added.iter().map(|(name, value)| ((*name).to_owned(), *value)));
    for place in 0..dimensions {
        let of_source = blocks(setting, &launch.grid, place);
        // A number of blocks, and what is of no size of the kernel, is what the guess comes to there.
        let guessed = setting.grid[place].as_ref().and_then(|own| setting.launched(own));
        let is_of_none = |own: &&Amount| own.degree_in(&extents::all(setting)) == 0;
        let there = of_source.as_ref().filter(is_of_none).and_then(|own| setting.launched(own));
        if guessed.is_some() && there == guessed {
            continue;
        }
        let of_source = of_source.map(|own| setting.named(own, place));
        let told = of_source.filter(|own| fits(setting, own, place));
        let is_guess = told.as_ref().is_some_and(|own| own.as_number().is_none()) && !added.is_empty();
        is_grid &= told.is_some();
        if let Some(told) = told.filter(|_| !is_guess) {
            setting.grid[place] = Some(told);
        }
    }
    (is_block || is_grid).then_some(AsLaunched { line: launch.line, grid: is_grid, block: is_block })
}

/// Bytes of dynamic shared memory as the source has them. They follow the block where they do there.
pub(super) fn shared_bytes(setting: &Setting<'_>) -> Option<Amount> {
    let launch = setting.kernel.launch.as_ref()?;
    let told =
        setting.exact(launch.shared_bytes.as_ref()?, 0).filter(|own| own.as_number().is_none_or(|own| own > 0))?;
    let by_block = told.as_number().filter(|_| launch.is_shared_by_block).and_then(|bytes| {
        let threads = setting.block.iter().try_fold(Amount::number(1), |all, own| all.times(own))?;
        let launched = setting.launched(&threads).filter(|threads| *threads > 0 && bytes % threads == 0)?;
        threads.times(&Amount::number(bytes / launched))
    });
    Some(by_block.unwrap_or(told))
}

/// An extent of the source's launch: 1 where it has fewer dimensions.
fn extent(setting: &Setting<'_>, extents: &[Expression], place: usize) -> Option<Amount> {
    let Some(own) = extents.get(place) else { return Some(Amount::number(1)) };
    setting.exact(own, 0).filter(|own| own.as_number().is_none_or(|own| own > 0))
}

/// The same of the grid, in whole clusters.
fn blocks(setting: &Setting<'_>, extents: &[Expression], place: usize) -> Option<Amount> {
    extent(setting, extents, place).map(|own| clusters::whole(setting, place, own))
}

impl Setting<'_> {
    /// An amount of the source's host with blocks as they follow from the block, where the host has them for a block of its own.
    pub(super) fn by_block(&self, told: Amount) -> Amount {
        let pairs = || self.grid_of_source.iter().zip(&self.grid);
        let changed = pairs().fold(None, |changed: Option<Amount>, pair| match pair {
            (Some(from), Some(to)) if self.follows_block(to) => {
                changed.as_ref().unwrap_or(&told).with_factor(from, to).or(changed)
            }
            _ => changed,
        });
        let Some(changed) = changed else { return told };
        // A multiple of the block's threads may be one of any block's, or so many elements for each block.
        let threads = self.block.iter().try_fold(Amount::number(1), |all, own| all.times(own));
        let of_threads = threads.and_then(|threads| {
            let launched = self.launched(&threads).filter(|own| *own > 1)?;
            changed.over_exactly(launched)?.times(&threads)
        });
        of_threads.map_or(changed.clone(), |own| own.one_of("max", &changed))
    }

    /// Whether an amount is another one for another block.
    pub(super) fn follows_block(&self, amount: &Amount) -> bool {
        let names: Vec<String> = self.block.iter().filter(|own| own.degree() > 0).map(ToString::to_string).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        amount.degree_in(&names) > 0
    }

    /// A number of blocks as the only size that it is at the source's launch, where the kernel does not say how many blocks there are.
    fn named(&self, told: Amount, place: usize) -> Amount {
        let Some(number) = told.as_number().filter(|own| self.is_by_names[place] && *own > 1) else { return told };
        let mut same =
            self.launched.iter().filter(|(name, value)| *value == number && extents::all(self).contains(&&**name));
        match (same.next(), same.next()) {
            (Some((name, _)), None) => Amount::symbol(name),
            _ => told,
        }
    }
}

/// Whether blocks of the source are blocks for the draft's sizes: a number is one of the source's sizes, unless loops go over the grid or no size is
/// asked for.
fn fits(setting: &Setting<'_>, told: &Amount, place: usize) -> bool {
    let body = &setting.kernel.body;
    told.as_number().is_none()
        || setting.is_by_names[place]
        || (body.asks_for_grid && !body.waits_for_grid)
        || setting.grid[place].as_ref().is_none_or(|own| own.as_number().is_some())
}
