//! What a kernel has too little of to keep a GPU busy: blocks, warps, bytes that are loaded at once; and what the launches would take with more.

use std::collections::{BTreeMap, BTreeSet};

use super::candidate::IDLE_PART;
use super::wide::{Shape, narrow_loads};
use super::words::counts;
use super::{Examiner, Fact, Place};
use crate::device::occupancy::{ClusterOccupancy, KernelOccupancy};
use crate::device::sim::{Behaviour, Examined, KernelLines, Sim, WithoutIn};
use crate::device::{Device, DeviceError};
use crate::kernel::{RegistersFrom, Sourced};
use crate::workload::Workload;
use gpu_simulator::hardware::lanes::LANES;
use gpu_simulator::hardware::occupancy::{Limit, Residency};
use gpu_simulator::{LineCounts, Pattern, Without};

/// The part of a multiprocessor's warps below which occupancy is mentioned, also where more would gain nothing.
const FEW_WARPS: f64 = 0.5;

/// The part of a time below which another one is much less.
const MUCH_LESS: f64 = 0.9;

/// What a kernel has too little of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shortage {
    /// Its word: `occupancy`, `few_blocks`, `tail` or `narrow_loads`.
    pub(super) name: &'static str,
    /// What it has, in a sentence without its end.
    pub(super) sentence: String,
    /// What would be more, as the beginning of a sentence that goes on with a time.
    pub(super) with_more: String,
    /// The same in two words.
    pub(super) more: &'static str,
    /// Whether it is told where more gains nothing.
    pub(super) is_told_anyway: bool,
    pub(super) patterns: &'static [Pattern],
    /// Lines of the PTX where that is; all of the kernel where it is of the whole launch.
    pub(super) lines: Option<Vec<u32>>,
}

/// What a kernel has too little of, and what that costs.
#[derive(Debug, Clone)]
pub(super) struct PricedShortage {
    pub(super) kernel: &'static str,
    shortage: Shortage,
    /// What all launches would take with more; `None` where that is not known.
    without_us: Option<f64>,
    /// What they take.
    time_us: f64,
}

impl PricedShortage {
    /// That of a kernel, where launches that take `time_us` would take `without_us` with more.
    pub(super) fn of(kernel: &'static str, shortage: Shortage, without_us: Option<f64>, time_us: f64) -> Self {
        let without_us = without_us.filter(|_| !shortage.patterns.is_empty());
        Self { kernel, shortage, without_us, time_us }
    }

    /// Whether more blocks alone are what it lacks.
    pub(super) fn is_of_blocks(&self) -> bool {
        self.shortage.patterns == [Pattern::EmptyPlaces]
    }

    /// Launches take at least so long.
    pub(super) fn at_least(&mut self, least_us: f64) {
        self.without_us = self.without_us.map(|us| us.max(least_us));
    }

    /// Whether it gains much beside others of the kernel: more warps that need more blocks, too, do not where more blocks alone gain nearly as much.
    pub(super) fn gains_beside(&self, others: &[&Self]) -> bool {
        let of_blocks_us = others.iter().filter(|own| own.is_of_blocks()).filter_map(|own| own.without_us);
        let needs_blocks = self.shortage.patterns.len() > 1;
        !needs_blocks || of_blocks_us.into_iter().all(|us| self.without_us.is_none_or(|own_us| own_us < MUCH_LESS * us))
    }

    /// Whether it is of loads.
    pub(super) fn is_of_loads(&self) -> bool {
        self.shortage.patterns == [Pattern::NarrowLoads]
    }

    /// What is told of it, if anything is.
    pub(super) fn fact(&self) -> Option<Fact> {
        let Shortage { name, sentence, with_more, is_told_anyway, .. } = self.shortage.clone();
        let fact = Fact { name, sentence, with_more: Some(with_more), without_us: self.without_us };
        Some(fact).filter(|fact| is_told_anyway || fact.pays(self.time_us))
    }
}

impl Shortage {
    /// Where registers are the limit, how many there are and who says so: those that nobody counted may be fewer.
    fn with_registers(mut self, residency: &Residency, own: &KernelOccupancy) -> Self {
        let count = own.resources.registers_per_thread;
        if residency.limited_by == Limit::Registers {
            match own.registers_from {
                RegistersFrom::Estimate => {
                    self.sentence +=
                        &format!(" ({count} a thread by an estimate, which may be too high: `ptxas -v` counts them)");
                }
                RegistersFrom::Ptxas => self.sentence += &format!(" ({count} a thread by ptxas)"),
                RegistersFrom::Driver | RegistersFrom::Assumed => {}
            }
        }
        self
    }

    /// What is simulated to price it.
    pub(super) fn without(
        &self,
        kernel: &'static str,
        of_kernels: &BTreeMap<&'static str, KernelLines>,
    ) -> Vec<WithoutIn> {
        let all = || of_kernels.get(kernel).map(|(lines, _)| lines.iter().map(|own| own.line).collect());
        let lines = self.lines.clone().or_else(all).unwrap_or_default();
        let without =
            |pattern: &Pattern| WithoutIn { kernel, without: Without { pattern: *pattern, lines: lines.clone() } };
        self.patterns.iter().map(without).collect()
    }

    /// Whether nothing is told that would be more.
    pub(super) fn is_without_remedy(&self) -> bool {
        self.with_more.is_empty()
    }

    /// Those of blocks and warps of a kernel on a GPU of so many multiprocessors with so many places for warps.
    /// `turns` is the loop of its threads that has most turns, `abreast` how many of its clusters fit with one block on each multiprocessor.
    fn of_places(
        own: &KernelOccupancy,
        (multiprocessors, abreast): (u64, Option<u64>),
        warps_most: u32,
        turns: Option<&Turns>,
    ) -> Vec<Self> {
        let Ok(residency) = &own.residency else { return Vec::new() };
        let places = own.blocks_at_once(multiprocessors as u32);
        let low = occupancy(residency, (own.grid_blocks(), multiprocessors), warps_most);
        let low = low.map(|low| low.with_registers(residency, own));
        let of_blocks = clusters(own.grid_blocks(), own.clusters.zip(abreast), multiprocessors)
            .or_else(|| blocks(own.grid_blocks(), places, multiprocessors, turns));
        low.into_iter().chain(of_blocks).collect()
    }
}

/// What each kernel has too little of, by its first launch.
pub(super) fn shortages(
    Examiner { sim, source, .. }: &Examiner<'_>,
    workload: &Workload,
    of_kernels: &BTreeMap<&'static str, KernelLines>,
    behaviour: &BTreeMap<&'static str, Behaviour>,
) -> Result<Vec<(&'static str, Shortage)>, DeviceError> {
    let warps_most = sim.properties().threads_per_sm / LANES as u32;
    let multiprocessors = u64::from(sim.properties().sm_count);
    let mut all: Vec<(&'static str, Shortage)> = Vec::new();
    let mut seen: BTreeSet<&'static str> = BTreeSet::new();
    for own in sim.occupancy(workload)? {
        let kernel = workload.launches().map(|launch| launch.entry).find(|entry| *entry == own.kernel);
        if let Some(kernel) = kernel.filter(|kernel| seen.insert(kernel)) {
            let lines = of_kernels.get(kernel).map_or(&[][..], |(lines, _)| lines);
            let warps = warps_of(workload, kernel);
            let turns = Turns::of(source, lines, warps);
            // Blocks that would fill the GPU for one launch are too many or too few for another.
            let grids_differ = workload.launches().any(|launch| launch.entry == kernel && launch.grid != own.grid);
            let abreast = abreast(sim, &own);
            let here = Shortage::of_places(&own, (multiprocessors, abreast), warps_most, turns.as_ref()).into_iter();
            let here = here.filter(|own| !grids_differ || !own.patterns.contains(&Pattern::EmptyPlaces));
            let shape = Shape::of(workload, kernel, behaviour.get(kernel));
            let narrow = shape.and_then(|shape| narrow_loads(source, lines, warps, &shape));
            all.extend(here.chain(narrow).map(|shortage| (kernel, shortage)));
        }
    }
    Ok(all)
}

/// What all launches take at least where the blocks of a kernel fill the GPU: no more of the time goes than the part of the places for blocks
/// that stay empty, and launching takes what it takes.
pub(super) fn least_us(sim: &Sim, workload: &Workload, examined: &Examined, kernel: &str) -> Result<f64, DeviceError> {
    let occupancy = sim.occupancy(workload)?;
    let multiprocessors = sim.properties().sm_count;
    let launches = workload.launches().zip(&examined.parts_us).zip(&examined.launching_us);
    let saved = launches.filter(|((launch, _), _)| launch.entry == kernel).map(|((launch, own_us), launching_us)| {
        let is_it = |own: &&KernelOccupancy| own.kernel == kernel && own.grid == launch.grid;
        let places = occupancy.iter().find(is_it).map_or(0, |own| own.blocks_at_once(multiprocessors));
        (own_us - launching_us).max(0.0) * empty_part(launch.blocks(), places)
    });
    Ok(examined.time_us - saved.sum::<f64>())
}

/// The part of the places for blocks that stay empty, in all waves together.
fn empty_part(blocks: u64, places: u64) -> f64 {
    if places == 0 {
        return 0.0;
    }
    1.0 - blocks as f64 / (blocks.div_ceil(places).max(1) * places) as f64
}

/// Warps of all launches of a kernel.
pub(super) fn warps_of(workload: &Workload, kernel: &str) -> f64 {
    let launches = workload.launches().filter(|launch| launch.entry == kernel);
    launches.map(|own| own.blocks() as f64 * f64::from(own.threads_per_block().div_ceil(LANES as u32))).sum()
}

/// Warps that a multiprocessor has no room for. Where the grid has too few blocks to fill the room that there would be, they are more blocks, too.
fn occupancy(residency: &Residency, (blocks, multiprocessors): (u64, u64), warps_most: u32) -> Option<Shortage> {
    let [by_threads, ..] = residency.allowed;
    let (resident, most) = (residency.warps(), by_threads.unwrap_or_default() * residency.taken.warps);
    if resident >= most {
        return None;
    }
    let would_fill = blocks >= u64::from(by_threads.unwrap_or_default()) * multiprocessors;
    let (blocks, patterns): (_, &[Pattern]) = if would_fill {
        ("", &[Pattern::LowOccupancy])
    } else {
        (" and the same work in more blocks", &[Pattern::LowOccupancy, Pattern::EmptyPlaces])
    };
    let room = match residency.limited_by {
        Limit::Registers => "fewer registers for each thread (fewer values alive at once, `__launch_bounds__`)",
        Limit::SharedMemory => "less shared memory for each block",
        Limit::Blocks | Limit::Threads => "larger blocks",
    };
    let limit = residency.limited_by.name();
    Some(Shortage {
        name: "occupancy",
        sentence: format!("A multiprocessor holds {resident} of {warps_most} warps, limited by {limit}"),
        with_more: format!("With {most}, by {room}{blocks}"),
        more: "more warps",
        is_told_anyway: f64::from(resident) < FEW_WARPS * f64::from(warps_most),
        patterns,
        lines: None,
    })
}

/// The line that threads go through most often.
struct Turns(Place);

/// From how many turns on a loop is named as what could be divided among threads.
const TURNS_LEAST: f64 = 8.0;

impl Turns {
    fn of(source: &Sourced, lines: &[LineCounts], warps: f64) -> Option<Self> {
        let most = lines.iter().max_by(|one, other| one.warps.total_cmp(&other.warps))?;
        (most.warps >= TURNS_LEAST * warps.max(1.0)).then(|| Self(Place::of(source, most.line)))
    }
}

/// How many times as many threads are told in percent: below, a digit behind the point says too little.
const FEW_MORE: f64 = 1.1;

/// From how many times as many threads on only work in a loop could be shared out among them.
const MANY_MORE: f64 = 10.0;

/// How many clusters of a kernel fit with one block on each multiprocessor; `None` of one without clusters.
fn abreast(sim: &Sim, own: &KernelOccupancy) -> Option<u64> {
    let profile = sim.profile();
    own.clusters.map(|clusters| profile.clusters.resident(profile.sm_count, 1, clusters.blocks))
}

/// Whether clusters of a kernel share multiprocessors, or wait, though there are no more blocks than multiprocessors.
pub(super) fn shares_multiprocessors(sim: &Sim, own: &KernelOccupancy) -> bool {
    let clusters_of = own.clusters.zip(abreast(sim, own));
    clusters(own.grid_blocks(), clusters_of, u64::from(sim.properties().sm_count)).is_some()
}

/// That clusters are too many for one block on each multiprocessor, though blocks alone would not be: more threads are no remedy there.
fn clusters(blocks: u64, clusters: Option<(ClusterOccupancy, u64)>, multiprocessors: u64) -> Option<Shortage> {
    let (ClusterOccupancy { blocks: size, at_once }, abreast) = clusters?;
    let launched = blocks / u64::from(size.max(1));
    if launched <= abreast || blocks > multiprocessors {
        return None;
    }
    let (fit, rest) = (counts(abreast as f64, "cluster"), launched - abreast);
    let others = match rest {
        _ if launched > at_once => "the rest waits".to_owned(),
        1 => "the blocks of the other one share multiprocessors".to_owned(),
        rest => format!("the blocks of the other {rest} share multiprocessors"),
    };
    let fits = if abreast == 1 { "fits" } else { "fit" };
    let sentence = format!(
        "Only {fit} of {size} blocks {fits} with one block on each of {multiprocessors} multiprocessors; {others}"
    );
    Some(Shortage {
        name: "few_blocks",
        sentence,
        with_more: String::new(),
        more: "fewer clusters",
        is_told_anyway: true,
        patterns: &[],
        lines: None,
    })
}

/// Places for blocks that stay empty, where they are many.
fn blocks(blocks: u64, places: u64, multiprocessors: u64, turns: Option<&Turns>) -> Option<Shortage> {
    if blocks == 0 || places == 0 {
        return None;
    }
    // Threads without a loop have nothing to share out among so many more.
    let is_shared_out = turns.is_some() || (places as f64) < MANY_MORE * blocks as f64;
    let told = |name, sentence, with_more: &str| {
        let (with_more, patterns): (_, &[Pattern]) =
            (with_more.to_owned(), if is_shared_out { &[Pattern::EmptyPlaces] } else { &[] });
        Some(Shortage { name, sentence, with_more, more: "more blocks", is_told_anyway: true, patterns, lines: None })
    };
    // Smaller blocks of the same threads would not fill it: they have as many warps.
    let times = places as f64 / blocks as f64;
    let many = match times {
        few if few < FEW_MORE => format!("{:.0} % more", (1e2 * (few - 1.0)).ceil()),
        few if few < 10.0 => format!("{few:.1} times as many"),
        _ => format!("{times:.0} times as many"),
    };
    let loop_of_thread = turns.map_or(String::new(), |Turns(Place { file, line, .. })| {
        format!(", such as by sharing out the loop around {file}:{line}")
    });
    let more = &format!(
        "With the same work in {many} threads, which fill the GPU{loop_of_thread} (smaller blocks alone gain less)"
    );
    if blocks < multiprocessors {
        let idle = multiprocessors - blocks;
        return told("few_blocks", format!("{idle} of {multiprocessors} multiprocessors have no block"), more);
    }
    if blocks < places {
        let part = 1e2 * blocks as f64 / places as f64;
        let part = if part < 1.0 { "less than 1".to_owned() } else { format!("{part:.0}") };
        return told("few_blocks", format!("The grid fills {part} % of what the GPU holds at once"), more);
    }
    let waves = blocks.div_ceil(places);
    let last = blocks - (waves - 1) * places;
    let empty = (places - last) as f64;
    if empty <= IDLE_PART * (waves * places) as f64 {
        return None;
    }
    let last = counts(last as f64, "block");
    let sentence = format!("The last of {waves} waves has {last} where {places} have room");
    told(
        "tail",
        sentence,
        "With the same work in pieces that fill all waves, such as blocks that go on with what is left",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_simulator::hardware::occupancy::Taken;

    #[test]
    fn the_last_wave_is_told_where_it_leaves_many_places_empty() {
        assert_eq!(blocks(264, 264, 66, None), None);
        assert_eq!(blocks(528, 264, 66, None), None);
        let told = |count| blocks(count, 264, 66, None).map(|own| (own.name, own.sentence)).expect("places are empty");
        let (name, sentence) = told(265);
        assert!(name == "tail" && sentence.contains("last of 2 waves has 1 block where 264 have room"), "{sentence}");
        // 263 of 264 places of the sixth wave are less than a sixth of all.
        assert!(told(1321).1.contains("last of 6 waves has 1 block"));
        assert_eq!(blocks(50 * 264 + 1, 264, 66, None), None);
        let (name, sentence) = told(66);
        assert!(name == "few_blocks" && sentence.contains("25 %"), "{sentence}");
        let (name, sentence) = told(4);
        assert!(name == "few_blocks" && sentence.starts_with("62 of 66 multiprocessors have no block"), "{sentence}");
        assert_eq!(blocks(1, 0, 66, None), None);
        let place = Place { file: "k.cu".to_owned(), line: 7, text: String::new() };
        let few = blocks(4, 264, 66, Some(&Turns(place))).expect("places are empty");
        let expected = "66 times as many threads, which fill the GPU, such as by sharing out the loop around k.cu:7";
        assert!(few.with_more.contains(expected), "{}", few.with_more);
        let alone = blocks(4, 264, 66, None).expect("places are empty");
        assert_eq!(PricedShortage::of("k", alone, Some(1.0), 2.0).without_us, None, "there is nothing to share out");
        let nearly = blocks(262, 264, 66, None).expect("places are empty");
        assert!(nearly.with_more.contains("in 1 % more threads, which fill"), "{}", nearly.with_more);
    }

    #[test]
    fn clusters_that_do_not_fit_side_by_side_are_told() {
        let of = |launched: u64, at_once| {
            let own = ClusterOccupancy { blocks: 4, at_once };
            clusters(4 * launched, Some((own, 30)), 132).map(|own| (own.sentence, own.patterns.len()))
        };
        assert_eq!(of(30, 240), None, "they fit");
        let sentence = |told: &str| {
            Some((format!("Only 30 clusters of 4 blocks fit with one block on each of 132 multiprocessors; {told}"), 0))
        };
        assert_eq!(of(32, 240), sentence("the blocks of the other 2 share multiprocessors"));
        assert_eq!(of(31, 240), sentence("the blocks of the other one share multiprocessors"));
        assert_eq!(of(32, 30), sentence("the rest waits"));
        assert_eq!(of(34, 240), None, "blocks alone would share, too");
        assert_eq!(clusters(128, None, 132), None);
    }

    #[test]
    fn more_blocks_gain_no_more_than_the_places_that_stay_empty() {
        assert!((empty_part(1024, 1056) - 32.0 / 1056.0).abs() < 1e-12);
        assert!((empty_part(1296, 1056) - 816.0 / 2112.0).abs() < 1e-12);
        assert_eq!((empty_part(1056, 1056), empty_part(5, 0)), (0.0, 0.0));
        let nearly = blocks(1024, 1056, 132, None).expect("places are empty");
        let mut priced = PricedShortage::of("k", nearly, Some(3.5), 4.2);
        priced.at_least(4.1);
        assert_eq!(priced.without_us, Some(4.1));
    }

    #[test]
    fn warps_that_gain_little_beside_blocks_are_not_told() {
        let few = blocks(64, 528, 132, None).expect("few");
        let warps = Shortage { patterns: &[Pattern::LowOccupancy, Pattern::EmptyPlaces], ..few.clone() };
        let of_blocks = PricedShortage::of("k", few, Some(23.3), 45.9);
        let gains = |us| PricedShortage::of("k", warps.clone(), Some(us), 45.9).gains_beside(&[&of_blocks]);
        assert!(gains(12.0) && !gains(22.3));
        assert!(of_blocks.gains_beside(&[&of_blocks]));
    }

    #[test]
    fn warps_that_have_no_room_are_told_where_the_grid_has_them() {
        let residency = |blocks| Residency {
            blocks,
            limited_by: Limit::SharedMemory,
            allowed: [Some(8), None, Some(blocks), Some(32)],
            taken: Taken { warps: 8, registers: 0, shared_bytes: 48 << 10 },
        };
        let told = |resident, blocks| occupancy(&residency(resident), (blocks, 132), 64);
        let sentence = "A multiprocessor holds 32 of 64 warps, limited by shared memory";
        let full = told(4, 132 * 8).expect("it has room for half");
        assert_eq!((full.sentence.as_str(), full.patterns), (sentence, &[Pattern::LowOccupancy][..]));
        assert_eq!(full.with_more, "With 64, by less shared memory for each block");
        let few = told(4, 132 * 4).expect("it has room for half");
        assert_eq!(few.patterns, [Pattern::LowOccupancy, Pattern::EmptyPlaces], "the grid has no more blocks");
        assert!(few.with_more.ends_with("and the same work in more blocks"), "{}", few.with_more);
        assert_eq!(told(8, 1 << 20), None);
    }
}
