//! What is true of a kernel as a whole: how it fills the GPU, and what is not on a line.

use std::collections::BTreeMap;

use super::SMALL_PART;
use super::busiest::BusiestLines;
use super::words::counts;
use crate::device::sim::{Examined, KernelLines, Sim};
use crate::device::{Device, DeviceError};
use crate::workload::Workload;
use gpu_simulator::Idle;
use gpu_simulator::hardware::lanes::LANES;
use gpu_simulator::hardware::occupancy::Residency;

/// A kernel's launches.
#[derive(Debug, Clone)]
pub struct KernelFacts {
    /// Its name in the PTX.
    pub kernel: &'static str,
    /// How often it is launched.
    pub launches: usize,
    /// Their part of the simulated time of all launches.
    pub time_us: f64,
    /// Blocks of its longest launch in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Warps that a multiprocessor holds, and the most that it can.
    pub resident_warps: (u32, u32),
    /// What else is worth knowing, in sentences; nothing of a kernel that takes hardly any of the time.
    pub facts: Vec<Fact>,
}

/// Something that is not on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Its word in JSON.
    pub name: &'static str,
    /// A sentence.
    pub sentence: String,
}

/// The part of a multiprocessor's warps below which occupancy is mentioned.
const FEW_WARPS: f64 = 0.5;
/// The part of lanes that do nothing from which on it is mentioned.
const IDLE_PART: f64 = 0.1;
/// The part of blocks that do nothing from which on it is mentioned.
const IDLE_BLOCKS_PART: f64 = 0.01;
/// The part of the time that launching takes from which on it is mentioned.
pub(super) const LAUNCHING_PART: f64 = 0.3;

/// How so many blocks fill the places that the GPU has for them at once, where they leave many empty.
fn filling(blocks: u64, places: u64) -> Option<(&'static str, String)> {
    if blocks == 0 || places == 0 {
        return None;
    }
    if blocks < places {
        let part = 1e2 * blocks as f64 / places as f64;
        let part = if part < 1.0 { "less than 1".to_owned() } else { format!("{part:.0}") };
        let sentence =
            format!("The grid fills {part} % of what the GPU holds at once: more blocks would take hardly longer.");
        return Some(("few_blocks", sentence));
    }
    let waves = blocks.div_ceil(places);
    let last = blocks - (waves - 1) * places;
    let empty = (places - last) as f64;
    (empty > IDLE_PART * (waves * places) as f64).then(|| {
        let sentence = format!(
            "The last of {waves} waves has {} where {places} have room: a multiple of {places} blocks would leave none of it empty.",
            counts(last as f64, "block")
        );
        ("tail", sentence)
    })
}

/// Threads that do nothing, where they are many or whole blocks of them are.
fn idle_threads(idle: &Idle, threads_per_block: u32) -> Option<String> {
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

/// What was counted by line.
pub(super) struct Lines<'a> {
    /// The busiest lines of each kernel.
    pub(super) busiest: &'a [BusiestLines],
    /// Each kernel's lines, and its threads that do nothing.
    pub(super) of_kernels: &'a BTreeMap<&'static str, KernelLines>,
}

pub(super) fn facts(
    sim: &Sim,
    workload: &Workload,
    examined: &Examined,
    counted: &Lines<'_>,
) -> Result<Vec<KernelFacts>, DeviceError> {
    let mut all: Vec<KernelFacts> = Vec::new();
    let warps_most = sim.properties().threads_per_sm / LANES as u32;
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
        let mut facts = Vec::new();
        let mut fact = |name, sentence| facts.push(Fact { name, sentence });
        let threads = own.resources.threads_per_block;
        let idle = 1.0 - f64::from(threads) / f64::from(threads.next_multiple_of(LANES as u32));
        if idle > 0.0 {
            let lanes = threads.next_multiple_of(LANES as u32) - threads;
            let threads = counts(f64::from(threads), "thread");
            fact(
                "idle_lanes",
                format!(
                    "{lanes} lanes of each block's last warp do nothing: a block of {threads} is no multiple of 32."
                ),
            );
        }
        let idle_of_all = counted.of_kernels.get(kernel).and_then(|(_, idle)| idle_threads(idle, threads));
        if let Some(sentence) = idle_of_all {
            fact("idle_threads", sentence);
        }
        let active = longest.counter("active_lanes").unwrap_or(f64::from(LANES as u32));
        let missing = 1.0 - active / LANES as f64;
        if missing > IDLE_PART + idle {
            fact("active_lanes", format!("Of the 32 lanes of a warp {active:.1} are active on average."));
        }
        if let Some(residency) = residency.filter(|_| f64::from(resident) < FEW_WARPS * f64::from(warps_most)) {
            let limit = residency.limited_by.name();
            fact(
                "occupancy",
                format!(
                    "A multiprocessor holds {resident} of {warps_most} warps, limited by {limit}: fewer can hide what others wait for."
                ),
            );
        }
        let places = u64::from(own.resident_blocks()) * u64::from(sim.properties().sm_count);
        if let Some((name, sentence)) = filling(own.grid_blocks(), places) {
            fact(name, sentence);
        }
        let launching = own.launches as f64 * sim.profile().launch_us;
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
        match longest.bound.name() {
            "issue" => busiest.and_then(BusiestLines::issuing).into_iter().for_each(|told| fact("issue", told)),
            "latency" => {
                let general = "Warps mostly wait for results: more independent loads in each thread, wider ones, or more resident warps would hide that.";
                fact("latency", general.to_owned());
                busiest.and_then(BusiestLines::loading).into_iter().for_each(|told| fact("loads", told));
            }
            _ => {}
        }
        if time_us < SMALL_PART * examined.time_us {
            facts.clear();
        }
        all.push(KernelFacts {
            kernel,
            launches: reports.len(),
            time_us,
            grid: own.grid,
            block: own.block,
            resident_warps: (resident, warps_most),
            facts,
        });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_do_nothing_are_told_where_they_are_many() {
        let of = |threads: f64, blocks: f64| {
            idle_threads(&Idle { threads: 128_000.0, idle_threads: threads, idle_blocks: blocks }, 128)
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
    fn the_last_wave_is_told_where_it_leaves_many_places_empty() {
        assert_eq!(filling(264, 264), None);
        assert_eq!(filling(528, 264), None);
        let (name, sentence) = filling(265, 264).expect("a block stands alone");
        assert!(name == "tail" && sentence.contains("last of 2 waves has 1 block where 264 have room"), "{sentence}");
        // 263 of 264 places of the sixth wave are less than a sixth of all.
        assert!(filling(1321, 264).is_some_and(|(_, sentence)| sentence.contains("last of 6 waves has 1 block")));
        assert_eq!(filling(50 * 264 + 1, 264), None);
        let (name, sentence) = filling(66, 264).expect("most places are empty");
        assert!(name == "few_blocks" && sentence.contains("25 %"), "{sentence}");
        assert_eq!(filling(1, 0), None);
    }
}
