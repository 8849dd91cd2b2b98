//! How a launch fills the GPU: places for warps and blocks that stay empty, and what the launches would take if they did not.

use std::collections::BTreeMap;

use super::Fact;
use super::candidate::IDLE_PART;
use super::words::counts;
use crate::device::occupancy::KernelOccupancy;
use crate::device::sim::{KernelLines, Sim, WithoutIn};
use crate::device::{Device, DeviceError};
use crate::workload::Workload;
use gpu_simulator::hardware::lanes::LANES;
use gpu_simulator::hardware::occupancy::{Limit, Residency};
use gpu_simulator::{Pattern, Without};

/// The part of a multiprocessor's warps below which occupancy is mentioned, also where more would gain nothing.
const FEW_WARPS: f64 = 0.5;

/// Places that a kernel leaves empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Emptiness {
    /// Its word: `occupancy`, `few_blocks` or `tail`.
    pub(super) name: &'static str,
    /// What is empty, in a sentence without its end.
    pub(super) sentence: String,
    /// What would fill them, as the beginning of a sentence that goes on with a time.
    pub(super) filled: String,
    /// Whether it is told where filling them gains nothing.
    pub(super) is_told_anyway: bool,
    pattern: Pattern,
}

/// Places of a kernel that are empty, and what that costs.
#[derive(Debug, Clone)]
pub(super) struct Filled {
    pub(super) kernel: &'static str,
    pub(super) emptiness: Emptiness,
    /// What all launches would take if they were filled; `None` where that is not known.
    pub(super) without_us: Option<f64>,
    /// What they take.
    pub(super) time_us: f64,
}

impl Filled {
    /// Those of a kernel, where launches that take `time_us` would take `without_us`.
    pub(super) fn of(kernel: &'static str, emptiness: Emptiness, without_us: Option<f64>, time_us: f64) -> Self {
        Self { kernel, emptiness, without_us, time_us }
    }

    /// What is told of it, if anything is.
    pub(super) fn fact(&self) -> Option<Fact> {
        let Emptiness { name, sentence, filled, is_told_anyway, .. } = &self.emptiness;
        let fact = Fact { name, sentence: sentence.clone(), filled: Some(filled.clone()), without_us: self.without_us };
        Some(fact).filter(|fact| *is_told_anyway || fact.pays(self.time_us))
    }
}

impl Emptiness {
    /// What is simulated to price it.
    pub(super) fn without(&self, kernel: &'static str, of_kernels: &BTreeMap<&'static str, KernelLines>) -> WithoutIn {
        let lines =
            of_kernels.get(kernel).map_or_else(Vec::new, |(lines, _)| lines.iter().map(|own| own.line).collect());
        WithoutIn { kernel, without: Without { pattern: self.pattern, lines } }
    }

    /// All of a kernel on a GPU of so many multiprocessors with so many places for warps.
    pub(super) fn of(own: &KernelOccupancy, multiprocessors: u64, warps_most: u32) -> Vec<Self> {
        let Ok(residency) = &own.residency else { return Vec::new() };
        let places = u64::from(own.resident_blocks()) * multiprocessors;
        let low = occupancy(residency, (own.grid_blocks(), multiprocessors), warps_most);
        low.into_iter().chain(blocks(own.grid_blocks(), places, multiprocessors)).collect()
    }
}

/// The places that each kernel leaves empty, by its first launch.
pub(super) fn empty_places(sim: &Sim, workload: &Workload) -> Result<Vec<(&'static str, Emptiness)>, DeviceError> {
    let warps_most = sim.properties().threads_per_sm / LANES as u32;
    let multiprocessors = u64::from(sim.properties().sm_count);
    let mut all: Vec<(&'static str, Emptiness)> = Vec::new();
    for own in sim.occupancy(workload)? {
        let kernel = workload.launches().map(|launch| launch.entry).find(|entry| *entry == own.kernel);
        if let Some(kernel) = kernel.filter(|kernel| all.iter().all(|(known, _)| known != kernel)) {
            all.extend(Emptiness::of(&own, multiprocessors, warps_most).into_iter().map(|empty| (kernel, empty)));
        }
    }
    Ok(all)
}

/// Warps that a multiprocessor has no room for, where the grid has blocks for them.
fn occupancy(residency: &Residency, (blocks, multiprocessors): (u64, u64), warps_most: u32) -> Option<Emptiness> {
    let [by_threads, ..] = residency.allowed;
    let (resident, most) = (residency.warps(), by_threads.unwrap_or_default() * residency.taken.warps);
    let would_come = blocks.div_ceil(multiprocessors.max(1)) > u64::from(residency.blocks);
    if resident >= most {
        return None;
    }
    let room = match residency.limited_by {
        Limit::Registers => "fewer registers for each thread (fewer values alive at once, `__launch_bounds__`)",
        Limit::SharedMemory => "less shared memory for each block",
        Limit::Blocks | Limit::Threads => "larger blocks",
    };
    let limit = residency.limited_by.name();
    Some(Emptiness {
        name: "occupancy",
        sentence: format!("A multiprocessor holds {resident} of {warps_most} warps, limited by {limit}"),
        filled: format!("With {most}, by {room}"),
        is_told_anyway: f64::from(resident) < FEW_WARPS * f64::from(warps_most),
        pattern: Pattern::LowOccupancy,
    })
    .filter(|own| would_come || own.is_told_anyway)
}

/// Places for blocks that stay empty, where they are many.
fn blocks(blocks: u64, places: u64, multiprocessors: u64) -> Option<Emptiness> {
    if blocks == 0 || places == 0 {
        return None;
    }
    let told = |name, sentence, filled: &str| {
        let filled = filled.to_owned();
        Some(Emptiness { name, sentence, filled, is_told_anyway: true, pattern: Pattern::EmptyPlaces })
    };
    let more = "With the same work in more and smaller pieces that fill the GPU";
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
        assert_eq!(blocks(264, 264, 66), None);
        assert_eq!(blocks(528, 264, 66), None);
        let told = |count| blocks(count, 264, 66).map(|own| (own.name, own.sentence)).expect("places are empty");
        let (name, sentence) = told(265);
        assert!(name == "tail" && sentence.contains("last of 2 waves has 1 block where 264 have room"), "{sentence}");
        // 263 of 264 places of the sixth wave are less than a sixth of all.
        assert!(told(1321).1.contains("last of 6 waves has 1 block"));
        assert_eq!(blocks(50 * 264 + 1, 264, 66), None);
        let (name, sentence) = told(66);
        assert!(name == "few_blocks" && sentence.contains("25 %"), "{sentence}");
        let (name, sentence) = told(4);
        assert!(name == "few_blocks" && sentence.starts_with("62 of 66 multiprocessors have no block"), "{sentence}");
        assert_eq!(blocks(1, 0, 66), None);
    }

    #[test]
    fn warps_that_have_no_room_are_told_where_the_grid_has_them() {
        let residency = |blocks| Residency {
            blocks,
            limited_by: Limit::SharedMemory,
            allowed: [Some(8), None, Some(blocks), Some(32)],
            taken: Taken { warps: 8, registers: 0, shared_bytes: 48 << 10 },
        };
        let told = |resident, blocks| occupancy(&residency(resident), (blocks, 132), 64).map(|own| own.sentence);
        let sentence = "A multiprocessor holds 32 of 64 warps, limited by shared memory";
        assert_eq!(told(4, 132 * 4 + 1).as_deref(), Some(sentence));
        assert_eq!(told(4, 132 * 4), None, "the grid has no more blocks");
        assert!(told(3, 132).is_some_and(|sentence| sentence.contains("24 of 64")), "few");
        assert_eq!(told(8, 1 << 20), None);
    }
}
