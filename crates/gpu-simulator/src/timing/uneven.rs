//! Grids in which a few blocks do far more than the others: a launch does not end before those have.

use crate::execute::{Fault, Launch, Memory, steps_of};
use crate::program::Program;

/// How many times as much as the mean a block does that is looked at on its own: our choice.
const FAR_MORE: f64 = 4.0;
/// The part of what the heaviest block does from which on others count as heavy as it.
const AS_HEAVY: f64 = 0.9;
/// Warp instructions of a block that is timed on its own at most: our choice, some seconds on the host.
const INSTRUCTIONS_MOST: u64 = 20_000_000;

/// Blocks of a grid that were executed, and how many they stand for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Executed<'a> {
    /// Blocks that they stand for.
    pub blocks: u64,
    /// Their numbers.
    pub numbers: &'a [u64],
    /// Warp instructions of each; none where they are not known.
    pub steps: &'a [u64],
}

/// What blocks of a grid do in which a few do far more than the others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Uneven<'a> {
    /// The program whose instructions were counted.
    program: &'a Program,
    /// Warp instructions of a block in the mean.
    mean_steps: f64,
    /// The number of the last one of the heaviest blocks.
    heaviest: u64,
    blocks: u64,
}

impl<'a> Uneven<'a> {
    /// That of blocks that were executed; `None` where no block does far more than the mean, where not all is known, or where the heaviest one has
    /// too many instructions to time it.
    pub(crate) fn of(program: &'a Program, executed: &[Executed<'_>]) -> Option<Self> {
        if executed.iter().any(|own| own.steps.is_empty() || own.steps.len() != own.numbers.len()) {
            return None;
        }
        let blocks: u64 = executed.iter().map(|own| own.blocks).sum();
        let sum = |own: &Executed<'_>| {
            own.blocks as f64 * own.steps.iter().sum::<u64>() as f64 / own.steps.len().max(1) as f64
        };
        let mean_steps = executed.iter().map(sum).sum::<f64>() / blocks.max(1) as f64;
        let each = || executed.iter().flat_map(|own| own.numbers.iter().zip(own.steps));
        let most = each().map(|(_, steps)| *steps).max()?;
        if most > INSTRUCTIONS_MOST || most as f64 <= FAR_MORE * mean_steps {
            return None;
        }
        let is_heavy = |steps: u64| steps as f64 >= AS_HEAVY * most as f64;
        let heaviest = each().filter(|(_, steps)| is_heavy(**steps)).map(|(number, _)| *number).max()?;
        Some(Self { program, mean_steps, heaviest, blocks })
    }

    /// The block that is timed on its own.
    pub(super) fn heaviest(self) -> u64 {
        self.heaviest
    }

    /// The part of the blocks that have ended before it begins, where so many are on the GPU at once.
    pub(super) fn part_before(self, at_once: u64) -> f64 {
        (self.heaviest + 1).saturating_sub(at_once) as f64 / self.blocks.max(1) as f64
    }

    /// How many times as much as these blocks those of the grid do on average.
    ///
    /// # Errors
    /// What one of them did wrong.
    pub(super) fn more_on_average(self, launch: &Launch, memory: &Memory, timed: &[u64]) -> Result<f64, Fault> {
        let steps = timed.iter().map(|number| steps_of(self.program, launch, memory, *number));
        let sum = steps.sum::<Result<u64, Fault>>()?;
        Ok(self.mean_steps * timed.len() as f64 / sum.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::{Executed, Uneven};
    use crate::program::decode;

    #[test]
    fn the_last_of_the_heaviest_blocks_is_timed_where_it_does_far_more() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\nret;\n}\n";
        let program = decode(&ptx_syntax::parse(text).unwrap(), "k").unwrap();
        let uneven = |blocks: u64, steps: &[u64]| {
            let numbers: Vec<u64> = (0..steps.len() as u64).map(|index| index * blocks / steps.len() as u64).collect();
            let found = Uneven::of(&program, &[Executed { blocks, numbers: &numbers, steps }]);
            found.map(|own| (own.heaviest(), own.part_before(3), own.mean_steps))
        };
        assert_eq!(uneven(8, &[10, 10, 10, 10, 250, 10, 10, 10]), Some((4, 0.25, 40.0)));
        // Of two that are about as heavy the later one.
        let two = [&[10, 250, 10, 10, 240][..], &[10; 11]].concat();
        assert_eq!(uneven(32, &two).map(|own| own.0), Some(8));
        assert_eq!(uneven(8, &[10, 10, 10, 10, 30, 10, 10, 10]), None);
        assert_eq!(uneven(8, &[]), None);
        // Edges of a grid stand for fewer blocks.
        let samples = [
            Executed { blocks: 98, numbers: &[10, 50], steps: &[10, 10] },
            Executed { blocks: 2, numbers: &[0, 99], steps: &[10, 1010] },
        ];
        let found = Uneven::of(&program, &samples).unwrap();
        assert_eq!((found.heaviest(), found.mean_steps), (99, 20.0));
    }
}
