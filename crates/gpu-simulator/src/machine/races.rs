//! Launches watched for data races.

use super::{Argument, Checked, Extent, Grid, Kernel, LaunchError, Machine, extent};
use crate::execute::{Memory, run_all, run_apart, run_watched, steps_of};
use crate::races::{Races, Unchecked, Watch, WrittenLines};

impl Machine {
    /// Executes a launch and tells which accesses race: see [`Races`]. Where `extent` lets a part of the blocks stand for all, only that part is
    /// executed and watched, and `memory` holds what that part wrote.
    ///
    /// # Errors
    /// What is wrong with the launch, or what a thread did wrong.
    pub fn races(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument],
        memory: &mut Memory,
        extent: Extent,
    ) -> Result<Races, LaunchError> {
        let Checked { launch, resident, .. } = &self.check(kernel, grid, arguments, memory)?;
        let program = &kernel.program;
        if launch.cluster_blocks() > 1 {
            let blocks = launch.blocks();
            let which: Vec<u64> = (0..blocks).collect();
            run_all(program, launch, memory, &which, *resident, || ())?;
            let unchecked = vec![Unchecked::InClusters];
            return Ok(Races { found: Vec::new(), blocks, blocks_watched: blocks, accesses: 0, unchecked });
        }
        let mut which: Vec<u64> = if launch.conduct.waits() {
            (0..launch.blocks()).collect()
        } else {
            let steps = steps_of(program, launch, memory, 0)?;
            extent::samples(launch, steps as f64, extent).into_iter().flat_map(|own| own.executed).collect()
        };
        which.sort_unstable();
        let written = if launch.conduct.communicates {
            run_all(program, launch, &mut memory.clone(), &which, *resident, WrittenLines::default)?
        } else {
            run_apart(program, launch, memory, &which, WrittenLines::default)?.observers
        };
        let (lines, is_cut) = WrittenLines::merged(written);
        let watch = Watch::new(program, launch, lines);
        let watch = run_watched(program, launch, memory, &which, *resident, watch)?;
        Ok(watch.into_races(memory, which.len() as u64, is_cut))
    }
}
