//! The timing model: one multiprocessor, event by event, with its share of what all multiprocessors have.
//!
//! Blocks that a multiprocessor gets are executed in the order in which its schedulers would issue their
//! instructions: greedy, then oldest. An instruction waits for the registers it reads (a scoreboard), for its unit, for
//! the load-store unit, for barriers. Where a multiprocessor gets more blocks than a few waves, the rest takes as long
//! for each block as the waves in the middle did. The waves that are timed are spread over the grid, unless blocks wait for
//! those before them. What the whole grid does corrects it: blocks that do more than others end later on the multiprocessor that
//! gets most of them, and atomics of all multiprocessors meet at addresses and in slices of L2.
//!
//! What it does not model: instruction fetch, register banks, the difference between PTX and machine code beyond the
//! weights of instructions, and when multiprocessors do different things.

mod behind;
mod bound;
mod camping;
mod constant_unit;
mod copies;
mod dealt;
mod filled;
mod load_store;
mod moved;
mod multiprocessor;
mod neighbours;
mod overlap;
mod peers;
mod scheduler;
mod scoreboard;
mod share;
#[cfg(test)]
mod tests;
mod uneven;
mod waits;
mod waves;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub use bound::{Awaited, Bound};

use super::cost::cache::Cache;
use super::cost::together::Together;
use super::cost::window::PersistingWindow;
use super::execute::{Fault, Launch, Memory, Overlay};
use super::profile::{Barriers, Profile};
use super::program::Program;
use super::what_if::{Alterations, Busy, Pattern, SharedOut, Sorted};
use super::windows::place_of;
use camping::Camping;
pub(crate) use dealt::Dealt;
use filled::Filled;
pub use moved::LineTraffic;
use multiprocessor::Multiprocessor;
use neighbours::{Neighbours, Turn};
pub use overlap::Overlap;
use share::Share;
pub(crate) use uneven::{Executed, Uneven};
pub use waits::BarrierWait;
use waves::Waves;

/// Waves of blocks that are timed at least, if there are as many: the first is a beginning, and two more tell how alike they are.
const WAVES_MIN: u64 = 3;
/// Waves that are timed where latencies differ by chance, if they have no more instructions than these.
const WAVES_BY_CHANCE: u64 = 12;
/// Warp instructions that are timed for that on one multiprocessor at most: our choice, a tenth of a second on the host.
const INSTRUCTIONS_OF_WAVES: u64 = 200_000;
/// Blocks that are timed at least, if there are as many: where few are resident, two waves say little.
const BLOCKS_MIN: u64 = 12;

/// How long a launch takes, and what bounds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    /// From the launch to its end.
    pub time_us: f64,
    /// Standard error of the time, in microseconds, that comes of timing only some waves of blocks: by how much those that were timed
    /// differ. `None` where too few were timed to tell, or where blocks that were not executed may do far more.
    pub sampling_error_us: Option<f64>,
    /// What kept it from ending sooner.
    pub bound: Bound,
    /// What its warps mostly waited for, where no resource was busy all the time.
    pub awaited: Option<Awaited>,
    /// Blocks that were timed.
    pub blocks_timed: u64,
    /// Blocks of the busiest multiprocessor in units of those that it can hold at once; below 1 it is not full.
    pub waves: f64,
    /// Warp instructions that were timed, of the PTX as it is timed: with predicates in place of short branches.
    pub instructions_timed: u64,
    /// For how long warps waited at barriers, in the order of the lines.
    pub barrier_waits: Vec<BarrierWait>,
    /// What accesses to global memory moved, in the order of the lines.
    pub moved: Vec<LineTraffic>,
    /// How it overlaps the launches before and after it, where it lets the next one begin before its end.
    pub overlap: Option<Overlap>,
}

impl Timed {
    /// The time of a launch whose atomics of all multiprocessors take so many cycles where most of them meet: at an address, or in a
    /// slice of L2.
    #[must_use]
    pub(crate) fn at_least_atomics(self, cycles: f64, profile: &Profile) -> Self {
        let time_us = profile.launch_us + cycles / profile.sm_clock_mhz;
        if time_us > self.time_us { Self { time_us, bound: Bound::Atomics, awaited: None, ..self } } else { self }
    }
}

/// What launches leave in L2 for those that follow. The default is an L2 that holds nothing, and never will where launches touch
/// more than it has room for.
#[derive(Debug, Clone, Default)]
pub struct KeptL2 {
    cache: Option<Cache>,
    /// Bytes of global memory that the launches may touch, and whether they fit in L2.
    bytes: u64,
    all_fits: bool,
    /// The memory that the launches ask it to keep.
    window: Option<PersistingWindow>,
}

impl KeptL2 {
    /// Nothing yet, for launches that touch at most so many bytes of global memory all together.
    pub fn cold(profile: &Profile, bytes: u64) -> Self {
        Self { cache: None, bytes, all_fits: bytes <= profile.global.l2_bytes, window: None }
    }

    /// The same for launches that ask it to keep a part of memory.
    #[must_use]
    pub fn keeping(self, window: PersistingWindow) -> Self {
        let address = place_of(window.address);
        Self { window: Some(PersistingWindow { address, ..window }), ..self }
    }

    /// Whether the next launch finds nothing.
    pub fn is_empty(&self) -> bool {
        self.cache.is_none()
    }
}

/// What is known of a launch before it is timed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known<'a> {
    /// Blocks that a multiprocessor holds.
    pub resident: u32,
    /// What the blocks of the grid do to memory together.
    pub together: Together,
    /// Warp instructions of a block; 0 where that is not known.
    pub instructions_per_block: u64,
    /// Warp instructions of each block of the grid; none where they are not known of all.
    pub steps: &'a [u64],
    /// What the blocks do where a few of them do far more than the others.
    pub uneven: Option<Uneven<'a>>,
    /// Whether no block that was not executed may do far more than those that were.
    pub all_lengths_are_told: bool,
    /// Which blocks do something, where the launch has only those.
    pub busy: Option<&'a Busy>,
}

impl Known<'_> {
    /// Nothing but how many blocks a multiprocessor holds.
    pub(crate) fn nothing(resident: u32) -> Self {
        Self {
            resident,
            together: Together::default(),
            instructions_per_block: 0,
            steps: &[],
            uneven: None,
            all_lengths_are_told: true,
            busy: None,
        }
    }

    /// Waves that are timed at least: more where they are short, as blocks end later or earlier by chance where loads do.
    fn waves_min(&self, resident_blocks: u64, profile: &Profile) -> u64 {
        let instructions = self.instructions_per_block * resident_blocks;
        if instructions == 0 || profile.global.writes.is_none_or(|writes| writes.latency_spread_cycles <= 0.0) {
            return WAVES_MIN;
        }
        (INSTRUCTIONS_OF_WAVES / instructions).clamp(WAVES_MIN, WAVES_BY_CHANCE)
    }

    /// How many times as long as the timed multiprocessor the one takes that got the most to do: a launch ends when that one ends. Both
    /// by what blocks execute, of which the timed ones are `timed` and all of their multiprocessor `own`.
    fn longer(&self, timed: &[u64], own: u64, profile: &Profile) -> f64 {
        if self.steps.is_empty() || profile.global.slices.is_none() {
            return 1.0;
        }
        let of_timed: u64 = timed.iter().map(|number| self.steps[*number as usize]).sum();
        let of_own = of_timed as f64 / timed.len() as f64 * own as f64;
        let of_busy = self.busy.map(|busy| busy.steps(self.steps));
        let steps = of_busy.as_deref().unwrap_or(self.steps);
        busiest_steps(steps, profile.sm_count as usize, self.resident.max(1) as usize) / of_own.max(1.0)
    }

    /// How many times as much as the timed blocks those of the grid do on average.
    fn more_on_average(&self, timed: &[u64]) -> f64 {
        let of_busy = self.busy.map(|busy| busy.steps(self.steps));
        let steps = of_busy.as_deref().unwrap_or(self.steps);
        let mean = |sum: u64, count: usize| sum as f64 / count.max(1) as f64;
        let of_timed = mean(timed.iter().filter_map(|number| self.steps.get(*number as usize)).sum(), timed.len());
        if of_timed > 0.0 { mean(steps.iter().sum(), steps.len()) / of_timed } else { 1.0 }
    }
}

/// Times a launch that finds in L2 what those before left there, without changing the memory; what `alterations` take away costs nothing.
///
/// The timed multiprocessor's part of L2 is handed on where all its blocks were timed, or where everything fits in L2. If
/// neither, the blocks that were not timed would have taken the place of what was kept, so the next launch finds nothing.
///
/// # Errors
/// What a timed block did wrong.
pub(crate) fn time_launch_after(
    program: &Program,
    launch: &Launch,
    profile: &Profile,
    known: Known<'_>,
    memory: &Memory,
    kept: &mut KeptL2,
    alterations: &Alterations,
) -> Result<Timed, Fault> {
    let (dealt, multiprocessors) = (Dealt::of(launch, profile), u64::from(profile.sm_count));
    let Known { resident, together, busy, .. } = known;
    let of_busy = |blocks: u64| busy.map_or(blocks, |busy| busy.of_blocks(blocks));
    let (blocks, own) = (of_busy(launch.blocks()), of_busy(dealt.own()));
    let is_filled = alterations.has_any(Pattern::EmptyPlaces) && !launch.conduct.waits();
    let resident_blocks = if is_filled { u64::from(resident.max(1)) } else { u64::from(resident).min(own) };
    let waves = BLOCKS_MIN.div_ceil(resident_blocks).max(known.waves_min(resident_blocks, profile));
    let filled = is_filled.then(|| Filled::of(blocks, waves * resident_blocks));
    let active = if is_filled { multiprocessors } else { multiprocessors.min(blocks) };
    let own = filled.map_or(own, Filled::timed);
    // Whole waves are left out, so that what is timed ends as the whole would.
    let timed = own.min(waves * resident_blocks + own % resident_blocks);
    let dealt_number = |place: u64| filled.map_or_else(|| dealt.number(launch, place), |filled| filled.number(place));
    let number = |place: u64| busy.map_or_else(|| dealt_number(place), |busy| busy.number(place, own));
    let part_of_l2 = if kept.all_fits || launch.conduct.waits() {
        1.0
    } else {
        // What the resident blocks are at is in L2, however small a part of all blocks they are.
        let at_work = kept.bytes as f64 / blocks as f64 * (resident_blocks * active) as f64;
        (timed as f64 / own as f64).max(at_work / profile.global.l2_bytes.max(1) as f64).min(1.0)
    };
    let spread: Vec<u64> = spread(own, timed).map(number).collect();
    let uneven = known.uneven.filter(|_| !is_filled && busy.is_none() && !launch.conduct.waits());
    let longer = match uneven {
        Some(uneven) => uneven.more_on_average(launch, memory, &spread)?,
        None if is_filled => known.more_on_average(&spread),
        None => known.longer(&spread, own, profile),
    };
    let camping = match profile.global.partitions.filter(|_| dealt.is_of_every_one()) {
        Some(partitions) => Camping::of(program, launch, profile, partitions, memory, (&spread, resident_blocks))?,
        None => Camping::even(profile.global.partitions),
    };
    let sorted = Sorted::of(program, launch, memory, alterations, &spread)?;
    let shared_out = SharedOut::of((program, profile.compute_capability), launch, memory, alterations, &spread)?;
    let l2 = (kept.cache.take(), kept.window);
    let multiprocessor = |numbers: Vec<u64>, l2| {
        let resident = resident_blocks as usize;
        let (sorted, shared_out) = (sorted.as_ref(), shared_out.as_ref());
        let camping = &camping;
        let shared_bytes = resident_blocks * shared_bytes_of_block(program, launch, profile);
        let active = active as u32;
        let share =
            Share { active, shared_bytes, l2, part_of_l2, together, camping, alterations, sorted, shared_out, busy };
        Multiprocessor::new(program, launch, profile, numbers, resident, share)
    };
    let sm = if launch.conduct.waits() {
        // Runs it until it comes to an end, or a block is missing; of its `kept` first blocks the others have none.
        let runs = |sm: &mut Multiprocessor<'_>, kept: u64| {
            let mut copy = memory.clone();
            let size = u64::from(launch.cluster_blocks());
            let resident = (resident_blocks * active).saturating_sub(resident_blocks * size);
            let mut others = Neighbours::new(dealt.abreast(), resident, kept, timed < kept);
            sm.run(&mut copy, |memory, timed| others.advance(program, launch, memory, timed))
        };
        let mut sm = multiprocessor(spread, l2.clone());
        if !runs(&mut sm, own)? {
            sm = multiprocessor((0..timed).map(number).collect(), l2);
            runs(&mut sm, timed)?;
        }
        sm
    } else {
        let mut sm = multiprocessor(spread, l2);
        sm.run(&mut Overlay::new(memory), |_, _| Ok(Turn::Stuck))?;
        sm
    };
    let ends = sm.block_end_cycles();
    let rest = (own - timed) as f64;
    let waves = Waves::of(ends, resident_blocks as usize, waves as usize);
    let cycles = if is_filled {
        // Its part of the blocks, at the rate of a multiprocessor that is full.
        sm.end_cycle() / timed as f64 * (blocks as f64 / multiprocessors as f64)
    } else {
        sm.end_cycle() + rest * waves.cycles_per_block
    };
    let (us_per_cycle, at_once) = (longer / profile.sm_clock_mhz, multiprocessors * resident_blocks);
    let kernel_us = cycles * us_per_cycle;
    let alone = heaviest_alone(uneven, |numbers| multiprocessor(numbers, (None, kept.window)), memory)?;
    let instructions_timed = sm.instructions() + alone.as_ref().map_or(0, |(_, alone)| alone.instructions());
    let end = alone.as_ref().map(|(uneven, alone)| {
        let begins_us = uneven.part_before(at_once) * kernel_us;
        (begins_us + alone.end_cycle() / profile.sm_clock_mhz, alone)
    });
    let (kernel_us, slowest) = end.filter(|(end_us, _)| *end_us > kernel_us).unwrap_or((kernel_us, &sm));
    let (bound, awaited) = if profile.launch_us > kernel_us { (Bound::Launch, None) } else { slowest.bound() };
    let outcome = Timed {
        time_us: profile.launch_us + kernel_us,
        sampling_error_us: if !known.all_lengths_are_told {
            None
        } else if rest > 0.0 {
            waves.standard_error_cycles.map(|cycles| rest * cycles * us_per_cycle)
        } else {
            Some(0.0)
        },
        bound,
        awaited,
        blocks_timed: timed,
        waves: own as f64 / f64::from(resident.max(1)),
        instructions_timed,
        barrier_waits: sm.waits().of_lines(program, profile.sm_clock_mhz),
        moved: sm.moved().of_lines(program),
        overlap: sm.overlap(us_per_cycle),
    };
    kept.cache = sm.into_l2().filter(|_| (timed == own && !is_filled) || kept.all_fits);
    Ok(outcome)
}

/// The heaviest block of a grid in which a few do far more than the others, timed on a multiprocessor that it has to itself.
///
/// # Errors
/// What it did wrong.
fn heaviest_alone<'uneven, 'launch>(
    uneven: Option<Uneven<'uneven>>,
    multiprocessor: impl Fn(Vec<u64>) -> Multiprocessor<'launch>,
    memory: &Memory,
) -> Result<Option<(Uneven<'uneven>, Multiprocessor<'launch>)>, Fault> {
    let Some(uneven) = uneven else { return Ok(None) };
    let mut alone = multiprocessor(vec![uneven.heaviest()]);
    alone.run(&mut Overlay::new(memory), |_, _| Ok(Turn::Stuck))?;
    Ok(Some((uneven, alone)))
}

/// The cycles that the first block of a launch takes which has a multiprocessor to itself, with cold caches and barriers that
/// cost nothing beside the waiting for each other, and the instructions of its PTX that its warps execute.
///
/// # Errors
/// What the block did wrong.
pub(crate) fn time_alone(
    program: &Program,
    launch: &Launch,
    profile: &Profile,
    memory: &Memory,
) -> Result<(f64, f64), Fault> {
    let mut profile = profile.clone();
    profile.barriers = Barriers::NOTHING;
    let camping = Camping::default();
    let mut sm = Multiprocessor::new(program, launch, &profile, vec![0], 1, Share::whole(&camping));
    let mut overlay = Overlay::new(memory);
    sm.run(&mut overlay, |_, _| Ok(Turn::Stuck))?;
    Ok((sm.end_cycle(), sm.instructions() as f64))
}

/// Shared memory that a resident block takes.
fn shared_bytes_of_block(program: &Program, launch: &Launch, profile: &Profile) -> u64 {
    u64::from(program.shared_bytes) + u64::from(launch.dynamic_shared_bytes) + profile.shared.reserved_bytes_per_block
}

/// Instructions of the multiprocessor that gets the most of them: first each gets blocks in turn, as many as it holds, then whoever
/// has had the least gets the next.
fn busiest_steps(steps: &[u64], multiprocessors: usize, resident: usize) -> f64 {
    let (first, rest) = steps.split_at(steps.len().min(multiprocessors * resident));
    let mut sums = vec![0_u64; multiprocessors];
    for (block, own) in first.iter().enumerate() {
        sums[block % multiprocessors] += own;
    }
    let mut queue: BinaryHeap<Reverse<(u64, usize)>> =
        sums.iter().enumerate().map(|(index, sum)| Reverse((*sum, index))).collect();
    for own in rest {
        if let Some(Reverse((sum, index))) = queue.pop() {
            queue.push(Reverse((sum + own, index)));
        }
    }
    queue.into_iter().map(|Reverse((sum, _))| sum).max().unwrap_or(0) as f64
}

/// `count` of the numbers below `all`, evenly spread, the first and the last among them.
fn spread(all: u64, count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |index| if count < 2 { 0 } else { index * (all - 1) / (count - 1) })
}
