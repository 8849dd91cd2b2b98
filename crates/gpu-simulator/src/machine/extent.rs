//! Which blocks of a launch are executed.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::cost::visits::Enclosed;
use crate::execute::Launch;

/// Fewest blocks that are executed where not all are.
const FEWEST_BLOCKS: u64 = 64;
/// Neighbouring blocks that are executed together, so that what neighbours share is seen.
const NEIGHBOURS: u64 = 8;
/// The same along the first and the second axis of a grid, whose blocks may share something with those next to them on either.
const PATCH: [u64; 2] = [8, 4];
/// Blocks that are executed of those at one edge of the grid, where the edge has more.
const BLOCKS_OF_AN_EDGE: u64 = 16;
/// Where data say how often loops go on, so that one block of thousands may do most of the work, so many times the instructions are executed
/// before blocks are left out.
const MORE_WHERE_LENGTHS_DIFFER: f64 = 8.0;
/// Of a launch of which only a part is executed, one in so many of the instructions that it may have.
const PART: f64 = 8.0;

/// Which blocks of a launch are executed. Blocks that may wait for each other are executed all together, whatever is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of them: the memory is as the GPU would leave it.
    AllBlocks,
    /// All, unless the launch is of more than so many warp instructions. Then at least 64, in groups that are spread over the grid:
    /// what the others would write is not written, and what they are counted for is scaled to all.
    UpTo(u64),
}

/// Blocks that are taken to do alike, and those of them that are executed, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) blocks: u64,
    pub(super) executed: Vec<u64>,
}

impl Sample {
    /// The blocks whose neighbours on both axes of the grid are executed, or along the first axis where none has both; all, where no block is left out.
    pub(super) fn enclosed(&self, grid: [u64; 3]) -> Enclosed {
        let executed: BTreeSet<u64> = self.executed.iter().copied().collect();
        if executed.len() as u64 == self.blocks {
            return Enclosed::default();
        }
        let beside = |block: u64| {
            let x = block % grid[0];
            (x == 0 || executed.contains(&(block - 1))) && (x + 1 == grid[0] || executed.contains(&(block + 1)))
        };
        let above_and_below = |block: u64| {
            let y = block / grid[0] % grid[1];
            (y == 0 || executed.contains(&(block - grid[0])))
                && (y + 1 == grid[1] || executed.contains(&(block + grid[0])))
        };
        let along: Vec<u64> = self.executed.iter().copied().filter(|block| beside(*block)).collect();
        let both: Vec<u64> = along.iter().copied().filter(|block| above_and_below(*block)).collect();
        Enclosed::only(if both.is_empty() { along } else { both })
    }
}

/// All blocks, or some of them where all would take too long. Blocks at the edges of the grid may do less or more than others, so each of
/// its corners, edges, sides is a sample of its own. The largest sample comes first; its blocks are executed in patches of the grid, if it has one
/// layer.
pub(super) fn samples(launch: &Launch, instructions_per_block: f64, extent: Extent) -> Vec<Sample> {
    let blocks = launch.blocks();
    let all = || vec![Sample { blocks, executed: (0..blocks).collect() }];
    let Extent::UpTo(most) = extent else { return all() };
    let more = if launch.conduct.length_follows_data { MORE_WHERE_LENGTHS_DIFFER } else { 1.0 };
    let most = most as f64;
    if instructions_per_block * blocks as f64 <= more * most || launch.conduct.waits() || launch.cluster_blocks() > 1 {
        return all();
    }
    let count = (most / PART / instructions_per_block.max(1.0)) as u64;
    let samples = samples_of(launch.grid.map(u64::from), count.max(FEWEST_BLOCKS));
    let is_all = samples.iter().all(|sample| sample.executed.len() as u64 == sample.blocks);
    if is_all { all() } else { samples }
}

/// Samples of a grid, `count` blocks of the largest one.
fn samples_of(grid: [u64; 3], count: u64) -> Vec<Sample> {
    let [columns, rows, layers] = grid.map(|extent| {
        let ends = [0..1, extent.saturating_sub(1).max(1)..extent];
        let inner = 1..extent.saturating_sub(1).max(1);
        [inner].into_iter().chain(ends).filter(|range| !range.is_empty()).collect::<Vec<Range<u64>>>()
    });
    let mut samples = Vec::new();
    for z in &layers {
        for y in &rows {
            for x in &columns {
                samples.push([x, y, z].map(Range::clone));
            }
        }
    }
    let blocks = |ranges: &[Range<u64>; 3]| ranges.iter().map(|range| range.end - range.start).product::<u64>();
    samples.sort_by_key(|ranges| Reverse(blocks(ranges)));
    let of_one = |(place, ranges): (usize, [Range<u64>; 3])| {
        let blocks = blocks(&ranges);
        let [width, height] = [0, 1].map(|axis| ranges[axis].end - ranges[axis].start);
        let number = |index: u64| {
            let [x, y, z] = [index % width, index / width % height, index / width / height];
            let at = [ranges[0].start + x, ranges[1].start + y, ranges[2].start + z];
            at[0] + grid[0] * (at[1] + grid[1] * at[2])
        };
        let which = match place {
            0 if blocks == width * height => spread_patches([width, height], count),
            0 => spread_blocks(blocks, count),
            _ => spread_blocks(blocks, BLOCKS_OF_AN_EDGE),
        };
        Sample { blocks, executed: which.into_iter().map(number).collect() }
    };
    samples.into_iter().enumerate().map(of_one).collect()
}

/// So many blocks that `instructions_most` warp instructions are not exceeded by much, of which each block has `instructions`.
pub(super) fn counted_blocks(
    launch: &Launch,
    is_cooperative: bool,
    instructions: f64,
    instructions_most: u64,
) -> Vec<u64> {
    let blocks = launch.blocks();
    let most = (instructions_most as f64 / instructions.max(1.0)) as u64;
    if blocks <= most.max(FEWEST_BLOCKS) || is_cooperative || launch.cluster_blocks() > 1 {
        (0..blocks).collect()
    } else if launch.conduct.waits() {
        // Blocks wait for those before them.
        (0..most.max(FEWEST_BLOCKS)).collect()
    } else {
        (0..FEWEST_BLOCKS).map(|index| index * (blocks - 1) / (FEWEST_BLOCKS - 1)).collect()
    }
}

/// About `count` of so many blocks in groups of neighbours, evenly apart, the first and the last block among them.
fn spread_blocks(blocks: u64, count: u64) -> Vec<u64> {
    let groups = count.div_ceil(NEIGHBOURS).max(2);
    if groups * NEIGHBOURS >= blocks {
        return (0..blocks).collect();
    }
    let first = |group: u64| group * (blocks - NEIGHBOURS) / (groups - 1);
    (0..groups).flat_map(|group| first(group)..first(group) + NEIGHBOURS).collect()
}

/// About `count` blocks of a grid of one layer in patches, evenly apart, in ascending order; groups of neighbours where patches would lie over each other.
fn spread_patches(grid: [u64; 2], count: u64) -> Vec<u64> {
    let [width, height] = grid;
    let patches = count.div_ceil(PATCH[0] * PATCH[1]).max(2);
    if width < PATCH[0] || height < PATCH[1] {
        return spread_blocks(width * height, count);
    }
    let [corners_across, corners_down] = [width - PATCH[0] + 1, height - PATCH[1] + 1];
    // One below the other they need as many rows, side by side as many columns.
    if corners_down < PATCH[1] || patches > corners_across * corners_down / (PATCH[0] * PATCH[1]) {
        return spread_blocks(width * height, count);
    }
    let of_patch = |patch: u64| {
        let corner = patch * (corners_across * corners_down - 1) / (patches - 1);
        let (first, top) = (corner % corners_across, corner / corners_across);
        (top..top + PATCH[1]).flat_map(move |y| (first..first + PATCH[0]).map(move |x| x + y * width))
    };
    (0..patches).flat_map(of_patch).collect::<BTreeSet<u64>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_edge_of_a_grid_is_a_sample_of_its_own() {
        for (grid, samples) in [
            ([1000, 1, 1], 3),
            ([2, 500, 1], 6),
            ([1, 700, 1], 3),
            ([40, 30, 1], 9),
            ([40, 2, 30], 18),
            ([12, 11, 10], 27),
        ] {
            let found = samples_of(grid, 64);
            assert_eq!(found.len(), samples, "{grid:?}");
            assert_eq!(found.iter().map(|own| own.blocks).sum::<u64>(), grid.iter().product::<u64>(), "{grid:?}");
            let mut all: Vec<u64> = found.iter().flat_map(|own| own.executed.clone()).collect();
            all.sort_unstable();
            assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{grid:?}: none is there twice");
            for own in &found {
                assert!(own.executed.windows(2).all(|pair| pair[0] < pair[1]), "{grid:?}: {own:?}");
                let sides = |number: u64| {
                    let at = [number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1]];
                    [0, 1, 2].map(|axis| (at[axis] == 0, at[axis] + 1 == grid[axis]))
                };
                let first = sides(own.executed[0]);
                assert!(own.executed.iter().all(|number| sides(*number) == first), "{grid:?}: {own:?}");
            }
        }
    }

    #[test]
    fn blocks_of_a_patch_are_next_to_each_other_on_both_axes() {
        let [first, .., last] = &samples_of([130, 128, 1], 64)[0].executed[..] else { panic!("blocks") };
        // The sample is of what is within the edges.
        assert_eq!((*first, *last), (130 + 1, 126 * 130 + 128));
        let which = spread_patches([128, 126], 64);
        assert_eq!(which.len(), 64);
        let below = which.iter().filter(|block| which.contains(&(*block + 128))).count();
        let beside = which.iter().filter(|block| *block % 128 != 127 && which.contains(&(*block + 1))).count();
        assert_eq!((below, beside), (2 * 8 * 3, 2 * 7 * 4));
        // Too narrow for a patch.
        assert_eq!(spread_patches([1000, 6], 64), spread_blocks(6000, 64));
        assert_eq!(spread_patches([1000, 9], 8000), spread_blocks(9000, 8000));
        let layers = samples_of([40, 30, 10], 64);
        let first = layers[0].executed.iter().take(NEIGHBOURS as usize).copied().collect::<Vec<u64>>();
        assert_eq!(first, (0..NEIGHBOURS).map(|x| 1 + x + 40 * (1 + 30)).collect::<Vec<u64>>());
    }

    #[test]
    fn blocks_at_the_edges_of_a_patch_are_not_enclosed() {
        let grid = [130, 128, 1];
        let sample = &samples_of(grid, 64)[0];
        let enclosed = sample.enclosed(grid);
        let inner = sample.executed.iter().filter(|block| enclosed.has(**block)).count();
        assert_eq!(inner, 2 * 6 * 2);
        // In groups of neighbours, those within a group.
        let groups = &samples_of([1000, 1, 1], 64)[0];
        let enclosed = groups.enclosed([1000, 1, 1]);
        assert_eq!(groups.executed.iter().filter(|block| enclosed.has(**block)).count(), 8 * 6);
        let all = Sample { blocks: 64, executed: (0..64).collect() };
        assert!((0..64).all(|block| all.enclosed([8, 8, 1]).has(block)));
    }

    #[test]
    fn blocks_are_spread_in_groups_and_none_is_there_twice() {
        for (blocks, count) in [(1000, 64), (65, 64), (100_000, 4096), (129, 64), (64, 64), (7, 64)] {
            let which = spread_blocks(blocks, count);
            assert!(which.windows(2).all(|pair| pair[0] < pair[1]), "{blocks} blocks: {which:?}");
            assert_eq!((which.first(), which.last()), (Some(&0), Some(&(blocks - 1))));
            assert!(which.len() as u64 >= count.min(blocks));
        }
        assert_eq!(spread_blocks(1 << 20, 64).len(), 64);
    }
}
