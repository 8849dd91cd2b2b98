//! What a point's rung does, in numbers that follow from its parameters and the device's rules.

use super::Predictors;
use super::plan::{Plan, levels};
use super::rung::{Method, Rung};
use super::tree::Tree;
use gpu_simulator::hardware::Banks;

const WORD_BYTES: f64 = 4.0;

/// The predictors of a rung on a device whose banks follow this rule.
pub(super) fn predictors(rung: &Rung, plan: &Plan, elements: u64, banks: Banks) -> Predictors {
    let tree = Tree::of(rung, banks);
    Predictors {
        launches: plan.steps.len() as f64,
        bytes_per_element: WORD_BYTES * global_words(rung, elements) as f64 / elements as f64,
        barriers_per_tile: barriers_per_tile(rung) as f64,
        warp_steps: tree.warp_steps as f64,
        divergent_warp_steps: tree.divergent_warp_steps as f64,
        load_passes: tree.load_passes as f64,
    }
}

/// Barriers that a block passes while it scans its tile.
fn barriers_per_tile(rung: &Rung) -> u64 {
    match rung.method {
        // Before each step of both sweeps, and after the last.
        Method::ScatteredTree | Method::LeadingTree { .. } => 2 * u64::from(rung.tile().ilog2()) + 1,
        Method::Shuffles => 1,
        // When the tile is drawn, when its warps have their totals, and when what precedes it is known.
        Method::LookBack => 3,
        // When the tile's warps have their totals, and when what precedes it is known.
        Method::InTurn { together: true } => 2,
        Method::InTurn { together: false } => 0,
    }
}

/// Words of global memory that threads read and write, in all launches, without the states of tiles.
fn global_words(rung: &Rung, elements: u64) -> u64 {
    if matches!(rung.method, Method::LookBack | Method::InTurn { .. }) {
        return 2 * elements;
    }
    let tile = rung.tile();
    let levels = levels(elements, tile);
    let last = levels.len() - 1;
    let of_level = |(level, &count): (usize, &u64)| {
        let tiles = count.div_ceil(tile);
        let scanned = if rung.is_in_global_memory {
            // Every place is filled. Going up, a pair is two reads and a write, going down three and two; then the root is
            // read and set to zero. A tile that is not full is copied from where it was scanned.
            count + tiles * (tile + 8 * (tile - 1) + 2) + 2 * (count % tile)
        } else {
            2 * count
        };
        // Every thread that adds reads what precedes its tile.
        let added = if level == last { 0 } else { 2 * count + tiles * u64::from(rung.threads) };
        scanned + tiles + added
    };
    levels.iter().enumerate().map(of_level).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::super::Variant;
    use super::super::tests::small;
    use super::*;

    fn of(variant: Variant, elements: u64) -> Predictors {
        let rung = Rung::of(variant, &small(), Banks::Phases32).unwrap();
        predictors(&rung, &Plan::new(&rung, elements, 1), elements, Banks::Phases32)
    }

    /// Cornelis 2010, section 7.2.1: 17 steps in which a tile of 256 reads and writes global memory.
    #[test]
    fn a_naive_tile_has_the_source_s_steps() {
        assert_eq!(of(Variant::Naive, 256).barriers_per_tile, 17.0);
        assert_eq!(of(Variant::StaticThreadReordering, 256).barriers_per_tile, 17.0);
        assert_eq!(of(Variant::TwoElementsPerThread, 256).barriers_per_tile, 19.0);
    }

    #[test]
    fn one_pass_moves_every_element_twice_and_adding_back_four_times() {
        let single_pass = of(Variant::SinglePass, 1 << 20);
        assert_eq!((single_pass.launches, single_pass.bytes_per_element), (2.0, 8.0));
        for variant in [Variant::ResidentBlocks, Variant::BulkCopies, Variant::SpecialisedWarps] {
            let in_turn = of(variant, 1 << 20);
            assert_eq!((in_turn.launches, in_turn.bytes_per_element), (1.0, 8.0), "{variant:?}");
        }
        let bytes = of(Variant::SharedMemory, 1 << 20).bytes_per_element;
        // Each of 256 threads reads what precedes its tile, and the totals add a two hundred and fifty-sixth.
        assert!((20.0..20.2).contains(&bytes), "{bytes}");
        assert!(of(Variant::Naive, 1 << 20).bytes_per_element > 50.0);
    }
}
