//! What is true of a kernel as a whole: how it fills the GPU, and what is not on a line.

use std::collections::BTreeMap;

use super::Place;
use super::SMALL_PART;
use super::busiest::BusiestLines;
use super::candidate::{IDLE_BLOCKS_PART, IDLE_PART, leaves_idle};
use super::constants;
use super::price::bound_of;
use super::shortage::PricedShortage;
use super::words::{counts, gain};
use crate::device::occupancy::{KernelOccupancy, Spilled};
use crate::device::sim::{Examined, KernelLines, Sim};
use crate::device::{Device, DeviceError};
use crate::kernel::Sourced;
use crate::unit;
use crate::workload::Workload;
use gpu_simulator::hardware::lanes::LANES;
use gpu_simulator::hardware::occupancy::Residency;
use gpu_simulator::{Awaited, LineCounts};

/// A kernel's launches.
#[derive(Debug, Clone)]
pub struct KernelFacts {
    /// Its name in the PTX.
    pub kernel: &'static str,
    /// How often it is launched.
    pub launches: usize,
    /// Their part of the simulated time of all launches.
    pub time_us: f64,
    /// Blocks of its first launch in x, y and z.
    pub grid: [u32; 3],
    /// Whether other launches have other grids.
    pub grids_differ: bool,
    /// Blocks of that launch that were executed and counted; the others are taken to do the same.
    pub blocks_counted: u64,
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Warps that a multiprocessor holds, and the most that it can.
    pub resident_warps: (u32, u32),
    /// The line that its first instruction comes from.
    pub place: Place,
    /// How bad it is in each of [`DEGREES`], in percent; nothing of a kernel that takes hardly any of the time.
    pub degrees_percent: BTreeMap<&'static str, f64>,
    /// What else is worth knowing, in sentences; nothing of a kernel that takes hardly any of the time.
    pub facts: Vec<Fact>,
}

/// Something that is not on a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Its word in JSON.
    pub name: &'static str,
    /// A sentence, without its end where there is too little of something.
    pub sentence: String,
    /// What would be more of that.
    pub with_more: Option<String>,
    /// What all launches would take then; `None` where that is not told.
    pub without_us: Option<f64>,
}

impl Fact {
    fn of(name: &'static str, sentence: String) -> Self {
        Self { name, sentence, with_more: None, without_us: None }
    }

    /// Whether the launches, which take so long, would take so much less that it is told.
    pub fn pays(&self, time_us: f64) -> bool {
        self.without_us.is_some_and(|us| us < time_us * (1.0 - SMALL_PART))
    }

    /// It in words, of launches that take `time_us` in simulation and `scale` times that where they were measured.
    pub fn told(&self, time_us: f64, scale: f64) -> String {
        let Self { sentence, with_more, without_us, .. } = self;
        match (with_more, without_us) {
            (Some(with_more), Some(us)) if self.pays(time_us) => {
                format!("{sentence}. {with_more}: {}, {}.", unit::time_us_to(us * scale, 3), gain(time_us, *us))
            }
            (Some(_), Some(_)) => format!("{sentence}; more blocks would gain nothing here."),
            (Some(_), None) => format!("{sentence}."),
            (None, _) => sentence.clone(),
        }
    }
}

/// What is told of a kernel as a whole in percent: the word, and of what.
pub const DEGREES: [(&str, &str); 6] = [
    ("occupancy", "percent of a multiprocessor's places for warps that stay empty"),
    ("idle_lanes", "percent of the lanes of a block's warps that have no thread"),
    ("active_lanes", "percent of the lanes that are not active, on average"),
    ("few_blocks", "percent of the GPU's places for blocks that stay empty"),
    ("tail", "percent of the last wave's places for blocks that stay empty"),
    ("launches", "percent of the time that launching takes"),
];

/// The part of idle threads that lines have from which on they are not told of the kernel, too.
const IDLE_ON_LINES: f64 = 0.9;
/// The part of the time that launching takes from which on it is mentioned.
pub(super) const LAUNCHING_PART: f64 = 0.3;

/// The part of the places for blocks that stay empty: of all, or of the last wave where there are several.
fn empty(blocks: u64, places: u64) -> Option<(&'static str, f64)> {
    if blocks == 0 || places == 0 {
        return None;
    }
    if blocks < places {
        return Some(("few_blocks", 1.0 - blocks as f64 / places as f64));
    }
    let last = blocks - (blocks.div_ceil(places) - 1) * places;
    Some(("tail", 1.0 - last as f64 / places as f64))
}

/// How many lanes are without a thread in a block of so many.
fn idle_lanes(threads: u32) -> String {
    let lanes = threads.next_multiple_of(LANES as u32) - threads;
    let threads = counts(f64::from(threads), "thread");
    format!("{lanes} lanes of each block's last warp do nothing: a block of {threads} is no multiple of 32.")
}

/// Threads that do nothing, where they are many or whole blocks of them are; nothing where lines have most of them.
fn idle_threads((lines, idle): &KernelLines, threads_per_block: u32) -> Option<String> {
    let on_lines: f64 = lines.iter().filter(|line| leaves_idle(line, idle)).map(|line| line.idle_threads).sum();
    if on_lines > IDLE_ON_LINES * idle.idle_threads {
        return None;
    }
    let blocks = idle.threads / f64::from(threads_per_block.max(1));
    let (part, part_of_blocks) = (idle.idle_threads / idle.threads.max(1.0), idle.idle_blocks / blocks.max(1.0));
    if part <= IDLE_PART && part_of_blocks <= IDLE_BLOCKS_PART {
        return None;
    }
    let whole = if idle.idle_blocks >= 1.0 {
        format!(", {} among them", counts(idle.idle_blocks.round(), "whole block"))
    } else {
        String::new()
    };
    let part = if part > 0.99 && part < 1.0 { "more than 99".to_owned() } else { format!("{:.0}", 1e2 * part) };
    Some(format!(
        "{part} % of {} access no memory{whole}: a launch with as many threads as there is work has none of them.",
        counts(idle.threads.round(), "thread")
    ))
}

/// That a compiler spills, as a bound makes it.
fn spills(own: &KernelOccupancy) -> Option<String> {
    let has = own.resources.registers_per_thread;
    Some(match own.spilled? {
        Spilled::Registers(spilled) => format!(
            "It is bound to {has} registers a thread and needs about {}, by an estimate: the rest is spilled to local memory, which is not simulated, \
             so on a GPU it takes longer. `ptxas -v` counts the bytes.",
            has + spilled
        ),
        Spilled::Bytes { stores, loads } => format!(
            "It has {} a thread and needs more, by ptxas: a thread stores {} and loads {} that are spilled to local memory, which is not simulated, so on a \
             GPU it takes longer.",
            counts(f64::from(has), "register"),
            counts(stores as f64, "byte"),
            counts(loads as f64, "byte")
        ),
    })
}

/// What was counted by line.
pub(super) struct Lines<'a> {
    /// The PTX, with the source that it was made of.
    pub(super) source: &'a Sourced,
    /// The busiest lines of each kernel.
    pub(super) busiest: &'a [BusiestLines],
    /// Each kernel's lines, and its threads that do nothing.
    pub(super) of_kernels: &'a BTreeMap<&'static str, KernelLines>,
}

/// Whether a line stores to global memory, or has an atomic on it.
fn writes(line: &LineCounts) -> bool {
    line.global.stores && line.global.requests > 0.0
}

/// What warps mostly wait for, and what would hide it.
fn waiting_for(awaited: Option<Awaited>, can_load_wider: bool) -> &'static str {
    match awaited {
        Some(Awaited::Arithmetic) => {
            "Warps mostly wait for results of arithmetic: several independent chains of it in each thread, or more resident warps would hide that."
        }
        Some(Awaited::SharedLoads) => {
            "Warps mostly wait for loads from shared memory: more independent loads in each thread, values kept in registers, or more resident warps would hide that."
        }
        Some(Awaited::GlobalLoads) if !can_load_wider => {
            "Warps mostly wait for loads from global memory: more independent loads in each thread, or more resident warps would hide that."
        }
        Some(Awaited::GlobalLoads) => {
            "Warps mostly wait for loads from global memory: more independent loads in each thread, wider ones, or more resident warps would hide that."
        }
        Some(Awaited::ConstantLoads) => {
            "Warps mostly wait for loads from constant memory: lanes that read one place, values kept in registers, or more resident warps would hide that."
        }
        Some(Awaited::Blocks) | None => {
            "Warps mostly wait for results: more independent work in each thread, or more resident warps would hide that."
        }
    }
}

/// The line of the PTX with a kernel's first instruction.
fn first_line(of_kernel: Option<&KernelLines>) -> u32 {
    of_kernel.and_then(|(lines, _)| lines.iter().map(|line| line.line).min()).unwrap_or(1)
}

pub(super) fn facts(
    sim: &Sim,
    workload: &Workload,
    examined: &Examined,
    counted: &Lines<'_>,
    shortages: &[PricedShortage],
) -> Result<Vec<KernelFacts>, DeviceError> {
    let mut all: Vec<KernelFacts> = Vec::new();
    let warps_most = sim.properties().threads_per_sm / LANES as u32;
    let multiprocessors = sim.properties().sm_count;
    for own in sim.occupancy(workload)? {
        let Some(kernel) = workload.launches().map(|launch| launch.entry).find(|entry| *entry == own.kernel) else {
            continue;
        };
        let reports: Vec<_> = examined.launches.iter().filter(|(entry, _)| *entry == kernel).collect();
        let parts = examined.launches.iter().zip(&examined.parts_us).filter(|((entry, _), _)| *entry == kernel);
        let time_us: f64 = parts.map(|(_, part_us)| part_us).sum();
        let longest = reports.iter().max_by(|(_, one), (_, other)| one.time_us.total_cmp(&other.time_us));
        let Some((_, longest)) = longest else { continue };
        if all.iter().any(|known| known.kernel == kernel) {
            continue;
        }
        let residency = own.residency.as_ref().ok();
        let resident = residency.map_or(0, Residency::warps);
        let here: Vec<&PricedShortage> = shortages.iter().filter(|own| own.kernel == kernel).collect();
        let of_shortages = here.iter().filter(|own| own.gains_beside(&here)).filter_map(|own| own.fact());
        let mut facts: Vec<Fact> = of_shortages.collect();
        let mut fact = |name, sentence| facts.push(Fact::of(name, sentence));
        if let Some(sentence) = spills(&own) {
            fact("spills", sentence);
        }
        let threads = own.resources.threads_per_block;
        let idle = 1.0 - f64::from(threads) / f64::from(threads.next_multiple_of(LANES as u32));
        if idle > 0.0 {
            fact("idle_lanes", idle_lanes(threads));
        }
        if let Some(sentence) = counted.of_kernels.get(kernel).and_then(|of_kernel| idle_threads(of_kernel, threads)) {
            fact("idle_threads", sentence);
        }
        if let Some((lines, _)) = counted.of_kernels.get(kernel).filter(|(lines, _)| !lines.iter().any(writes)) {
            let reads = lines.iter().any(|line| line.global.requests > 0.0);
            let only = if reads { "Threads only read global memory" } else { "No thread accesses global memory" };
            fact("no_stores", format!("{only}: with these arguments and contents the kernel does nothing that shows."));
        }
        let of_constants = |(lines, _): &KernelLines| constants::not_simulated(lines, counted.source, sim.profile());
        if let Some(sentence) = counted.of_kernels.get(kernel).and_then(of_constants) {
            fact("constants", sentence);
        }
        let active = longest.counter("active_lanes").unwrap_or(f64::from(LANES as u32));
        let missing = 1.0 - active / LANES as f64;
        if missing > IDLE_PART + idle {
            fact("active_lanes", format!("Of the 32 lanes of a warp {active:.1} are active on average."));
        }
        let places = own.blocks_at_once(multiprocessors);
        let of_launches = examined.launches.iter().zip(&examined.launching_us);
        let launching: f64 = of_launches.filter(|((entry, _), _)| *entry == kernel).map(|(_, us)| us).sum();
        if launching > LAUNCHING_PART * time_us && time_us > 0.0 {
            let part = 1e2 * (launching / time_us).min(1.0);
            fact(
                "launches",
                format!(
                    "Launching takes {part:.0} % of the time: give a launch more to do, or put several launches into a graph."
                ),
            );
        }
        let busiest = counted.busiest.iter().find(|own| own.kernel == kernel);
        match bound_of(longest) {
            "block starts" => {
                let told = "Blocks end sooner than new ones begin: let each thread do more, in fewer blocks or with fewer warps in each.";
                fact("block_starts", told.to_owned());
            }
            "issue" => busiest.and_then(BusiestLines::issuing).into_iter().for_each(|told| fact("issue", told)),
            "latency" => {
                let can_load_wider = busiest.is_none_or(BusiestLines::can_load_wider);
                fact("latency", waiting_for(longest.awaited, can_load_wider).to_owned());
                let is_priced = shortages.iter().any(|own| own.kernel == kernel && own.is_of_loads());
                let loading = busiest.filter(|_| longest.awaited == Some(Awaited::GlobalLoads));
                loading.and_then(|own| own.loading(is_priced)).into_iter().for_each(|told| fact("loads", told));
            }
            _ => {}
        }
        let launching = (launching / time_us.max(f64::MIN_POSITIVE)).min(1.0);
        let of_warps = 1.0 - f64::from(resident) / f64::from(warps_most.max(1));
        let degrees =
            [("occupancy", of_warps), ("idle_lanes", idle), ("active_lanes", missing), ("launches", launching)];
        let degrees = degrees.into_iter().chain(empty(own.grid_blocks(), places));
        let mut degrees_percent: BTreeMap<&'static str, f64> =
            degrees.map(|(name, part)| (name, 1e2 * part.max(0.0))).collect();
        if time_us < SMALL_PART * examined.time_us {
            facts.clear();
            degrees_percent.clear();
        }
        all.push(KernelFacts {
            kernel,
            launches: reports.len(),
            time_us,
            grid: own.grid,
            grids_differ: workload.launches().any(|launch| launch.entry == kernel && launch.grid != own.grid),
            blocks_counted: longest.blocks_executed,
            block: own.block,
            resident_warps: (resident, warps_most),
            place: Place::of(counted.source, first_line(counted.of_kernels.get(kernel))),
            degrees_percent,
            facts,
        });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_simulator::Idle;

    #[test]
    fn threads_that_do_nothing_are_told_where_they_are_many() {
        let of = |threads: f64, blocks: f64| {
            let idle = Idle { threads: 128_000.0, idle_threads: threads, blocks: 1000.0, idle_blocks: blocks };
            idle_threads(&(Vec::new(), idle), 128)
        };
        assert_eq!(of(0.0, 0.0), None);
        assert_eq!(of(1280.0, 10.0), None, "a hundredth");
        assert!(of(2560.0, 20.0).is_some_and(|told| {
            told.starts_with("2 % of 128,000 threads access no memory, 20 whole blocks among them")
        }));
        assert!(
            of(64_000.0, 0.0)
                .is_some_and(|told| told.starts_with("50 % of 128,000 threads access no memory: a launch"))
        );
    }

    #[test]
    fn a_fact_says_what_filling_the_gpu_would_gain() {
        let fact = |without_us| Fact {
            name: "few_blocks",
            sentence: "116 of 132 multiprocessors have no block".to_owned(),
            with_more: Some("With more blocks".to_owned()),
            without_us,
        };
        let told = |without_us| fact(without_us).told(60.0, 1.0);
        assert_eq!(
            told(Some(5.0)),
            "116 of 132 multiprocessors have no block. With more blocks: 5.00 µs, 12 times as fast."
        );
        assert_eq!(told(Some(59.5)), "116 of 132 multiprocessors have no block; more blocks would gain nothing here.");
        assert_eq!(told(None), "116 of 132 multiprocessors have no block.");
        assert!(fact(Some(5.0)).pays(60.0) && !fact(Some(59.5)).pays(60.0));
        assert!(fact(Some(5.0)).told(60.0, 2.0).contains("10.0 µs, 12 times"), "as a GPU is slower");
        assert_eq!((empty(66, 264), empty(265, 264)), (Some(("few_blocks", 0.75)), Some(("tail", 263.0 / 264.0))));
        assert_eq!((empty(528, 264), empty(1, 0)), (Some(("tail", 0.0)), None));
    }

    #[test]
    fn idle_threads_of_lines_are_told_there() {
        let idle = Idle { threads: 128_000.0, idle_threads: 64_000.0, blocks: 1000.0, idle_blocks: 500.0 };
        let line = LineCounts { line: 7, idle_threads: 64_000.0, idle_blocks: 500.0, ..LineCounts::default() };
        assert_eq!(idle_threads(&(vec![line.clone()], idle), 128), None);
        let half = LineCounts { idle_threads: 32_000.0, ..line };
        assert!(idle_threads(&(vec![half], idle), 128).is_some());
    }
}
