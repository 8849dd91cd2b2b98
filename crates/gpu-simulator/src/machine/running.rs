//! Running a launch: its blocks are executed once, and it is timed as often as it is asked about.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::counting::{Counted, Counting};
use super::extent::{self, Sample};
use super::{Argument, Checked, Extent, Grid, Kernel, LaunchError, Machine, Report};
use crate::counters::{Counters, Counts, Meetings};
use crate::execute::{Apart, Memory, Observer, run_all, run_apart, steps_of};
use crate::lines::{Idle, LineCounts, Lines};
use crate::timing::{Dealt, Executed, KeptL2, Known, Timed, Uneven};
use crate::what_if::{Alterations, Busy, Pattern, Without};

/// A launch as it would be.
#[derive(Debug)]
pub struct Variation<'a> {
    /// The patterns that it would not have; none of the launch as it is.
    pub without: &'a [Without],
    /// What it finds in L2, and what it leaves there.
    pub l2: &'a mut KeptL2,
}

/// A launch that was examined: what it came to, what each line of its PTX does, in ascending order of the lines, and which threads do nothing.
/// Lines that no warp executed are left out.
#[derive(Debug)]
pub struct Examined {
    /// As [`Machine::run`] reports it.
    pub report: Report,
    /// See [`Examined`].
    pub lines: Vec<LineCounts>,
    /// See [`Examined`].
    pub idle: Idle,
}

/// What running a launch came to.
struct Ran<O> {
    /// Each variation's times.
    timed: Vec<Timed>,
    /// What was counted of the first.
    counts: Counts,
    blocks_executed: u64,
    /// Who else watched: blocks of each sample, those of them that were executed, and who watched them.
    watched: Vec<(u64, u64, Vec<O>)>,
}

impl Machine {
    /// Executes and times a launch of a loaded kernel that finds in L2 what `l2` says, and leaves there what the next one finds.
    ///
    /// # Errors
    /// What is wrong with the launch, or what a thread did wrong.
    pub fn run(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument],
        memory: &mut Memory,
        l2: &mut KeptL2,
        extent: Extent,
    ) -> Result<Report, LaunchError> {
        let checked = self.check(kernel, grid, arguments, memory)?;
        let mut asked = [Variation { without: &[], l2 }];
        let ran = self.ran(kernel, &checked, memory, &mut asked, extent, &|| ())?;
        Ok(ran.report(&checked))
    }

    /// Executes and times a launch as [`Self::run`] does, and counts what each line does.
    ///
    /// # Errors
    /// As of [`Self::run`].
    pub fn examine(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument],
        memory: &mut Memory,
        l2: &mut KeptL2,
        extent: Extent,
    ) -> Result<Examined, LaunchError> {
        let checked = self.check(kernel, grid, arguments, memory)?;
        let (program, waits) = (self.counted(kernel), checked.launch.conduct.waits());
        let mut asked = [Variation { without: &[], l2 }];
        let watching = || Lines::new(program, &self.profile);
        let ran = self.ran(kernel, &checked, memory, &mut asked, extent, &watching)?;
        let (mut lines, mut idle) = (BTreeMap::new(), Idle::default());
        for (blocks, executed, watched) in &ran.watched {
            let mut all = watching();
            watched.iter().for_each(|own| all.merge(own));
            let scale = *blocks as f64 / (*executed).max(1) as f64;
            all.add_to(program, &mut lines, scale);
            if !waits {
                all.add_idle_to(program, &mut lines, scale);
            }
            idle.add(&all.idle(checked.launch.threads(), *executed, *blocks));
        }
        Ok(Examined { report: ran.report(&checked), lines: lines.into_values().collect(), idle })
    }

    /// Executes a launch once and tells how long each variation of it would take. What it writes is what it writes as it is.
    ///
    /// # Errors
    /// As of [`Self::run`].
    pub fn time_variations(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument],
        memory: &mut Memory,
        asked: &mut [Variation<'_>],
        extent: Extent,
    ) -> Result<Vec<Timed>, LaunchError> {
        let checked = self.check(kernel, grid, arguments, memory)?;
        Ok(self.ran(kernel, &checked, memory, asked, extent, &|| ())?.timed)
    }

    fn ran<O: Observer + Send>(
        &self,
        kernel: &Kernel,
        checked: &Checked,
        memory: &mut Memory,
        asked: &mut [Variation<'_>],
        extent: Extent,
        watching: &(impl Fn() -> O + Sync),
    ) -> Result<Ran<O>, LaunchError> {
        let Checked { launch, blocks_per_sm, resident, .. } = checked;
        let (program, blocks) = (self.counted(kernel), launch.blocks());
        let counting = Counting::of(program, asked);
        let mut known = Known::nothing(*blocks_per_sm);
        if launch.conduct.waits() {
            // What is timed must find what the blocks found that were executed, not what these left.
            let found = memory.clone();
            let which: Vec<u64> = (0..blocks).collect();
            let observe =
                || (counting.observer(Counters::new(program, &self.profile), program, &self.profile), watching());
            let observers = run_all(program, launch, memory, &which, *resident, observe)?;
            let (observers, watched): (Vec<_>, Vec<O>) = observers.into_iter().unzip();
            let counted = counting.merged(Counters::new(program, &self.profile), &observers);
            let timed = self.timed_each(kernel, checked, &found, asked, (&counting, &counted), (known, 1.0))?;
            let counts = Counts::of(&counted.counters, &counted.counters.instructions(program), (blocks, blocks));
            return Ok(Ran { timed, counts, blocks_executed: blocks, watched: vec![(blocks, blocks, watched)] });
        }
        // What the blocks do together is known before one multiprocessor is timed, and written after that.
        let steps = steps_of(program, launch, memory, 0)?;
        let samples = extent::samples(launch, steps as f64, extent);
        let mut counts = Counts::default();
        let (mut ran, mut watched) = (Vec::with_capacity(samples.len()), Vec::with_capacity(samples.len()));
        for sample in &samples {
            let Sample { blocks, executed } = sample;
            let enclosed = sample.enclosed(launch.grid.map(u64::from));
            let own = || Counters::new(program, &self.profile).of_sample(&enclosed, &self.profile);
            let observe = || (counting.observer(own(), program, &self.profile), watching());
            let mut apart = if launch.conduct.communicates {
                Apart::committed(run_all(program, launch, memory, executed, *resident, observe)?)
            } else {
                run_apart(program, launch, memory, executed, observe)?
            };
            let Apart { observers, .. } = &mut apart;
            let (observers, own_watched): (Vec<_>, Vec<O>) = std::mem::take(observers).into_iter().unzip();
            watched.push((*blocks, executed.len() as u64, own_watched));
            let counted = counting.merged(own(), &observers);
            let of_executed = (*blocks, executed.len() as u64);
            counts.add(&Counts::of(&counted.counters, &counted.counters.instructions(program), of_executed));
            ran.push((apart, counted));
        }
        let executed: usize = samples.iter().map(|sample| sample.executed.len()).sum();
        // The first sample is the largest one, and tells what blocks do together.
        let (apart, counted) = &ran[0];
        known.instructions_per_block = steps;
        // Of a cluster the timed block is the first, which may do more than the others.
        let is_alone = launch.cluster_blocks() == 1;
        known.steps = if samples.len() == 1 && is_alone { &apart.steps } else { &[] };
        let executed_blocks: Vec<Executed<'_>> = samples
            .iter()
            .zip(&ran)
            .map(|(sample, (apart, _))| Executed {
                blocks: sample.blocks,
                numbers: &sample.executed,
                steps: &apart.steps,
            })
            .collect();
        known.uneven = Uneven::of(program, &executed_blocks).filter(|_| is_alone);
        known.all_lengths_are_told =
            executed as u64 == blocks || !launch.conduct.length_follows_data && known.uneven.is_none();
        let all_of_first = blocks as f64 / samples[0].executed.len().max(1) as f64;
        let timed = self.timed_each(kernel, checked, memory, asked, (&counting, counted), (known, all_of_first))?;
        ran.into_iter().for_each(|(apart, _)| drop(apart.commit(memory)));
        Ok(Ran { timed, counts, blocks_executed: executed as u64, watched })
    }

    /// Times each variation, of whose blocks one in `part` was counted.
    fn timed_each(
        &self,
        kernel: &Kernel,
        checked: &Checked,
        memory: &Memory,
        asked: &mut [Variation<'_>],
        (counting, counted): (&Counting, &Counted),
        (known, part): (Known<'_>, f64),
    ) -> Result<Vec<Timed>, LaunchError> {
        let program = kernel.timed(self.profile.compute_capability);
        let (dealt, launch) = (Dealt::of(&checked.launch, &self.profile), &checked.launch);
        let busy = |own: &Variation<'_>| {
            let watched = self.counted(kernel);
            let numbers = (dealt.own(), |index| dealt.number(launch, index));
            Busy::of(watched, launch, memory, &Alterations::of(watched, own.without), numbers)
        };
        let each = |(own, meetings): (&mut Variation<'_>, &Meetings)| {
            let alterations = Alterations::of(program, own.without);
            let busy = busy(own)?;
            let resident = if alterations.has_any(Pattern::LowOccupancy) {
                checked.blocks_by_threads
            } else {
                checked.blocks_per_sm
            };
            let known = Known { resident, together: meetings.together(), busy: busy.as_ref(), ..known };
            let timed = self.timed(kernel, checked, memory, (&mut *own.l2, &alterations), known)?;
            Ok(timed.at_least_atomics(meetings.atomics_cycles(&self.profile) * part, &self.profile))
        };
        let of_each: Vec<&Meetings> = counting.of_each(counted).collect();
        let outcomes: Vec<Result<Timed, LaunchError>> = asked.par_iter_mut().zip(of_each).map(each).collect();
        outcomes.into_iter().collect()
    }
}

impl<O> Ran<O> {
    /// What the first variation came to.
    fn report(&self, checked: &Checked) -> Report {
        let blocks = (checked.launch.blocks(), self.blocks_executed);
        Report::new(&self.timed[0], blocks, checked.blocks_per_sm, self.counts.clone())
    }
}
