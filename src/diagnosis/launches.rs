//! Which launches of a point are simulated where there are many: a loop over launches does much the same each time.

use std::collections::BTreeMap;

use crate::device::sim::Behaviour;
use crate::workload::{Step, Workload};

/// Launches of which all are simulated, however long they take.
const FEW: usize = 8;
/// Warp instructions of all launches together up to which all are simulated: some seconds'.
const INSTRUCTIONS_MOST: f64 = 60e6;
/// Launches of each kernel that are simulated at least.
const LEAST_OF_A_KERNEL: usize = 2;

/// The point with some of its launches, evenly apart; `None` where all are simulated.
pub(super) fn some(workload: &Workload, behaviour: &BTreeMap<&'static str, Behaviour>) -> Option<Workload> {
    let entries: Vec<&'static str> = workload.launches().map(|launch| launch.entry).collect();
    let instructions = |entry: &&'static str| {
        let own = behaviour.get(entry).and_then(|own| own.instructions);
        own.map_or(f64::INFINITY, |own| own as f64)
    };
    let all: f64 = entries.iter().map(instructions).sum();
    if entries.len() <= FEW || all <= INSTRUCTIONS_MOST {
        return None;
    }
    let few = few(all / entries.len() as f64);
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    entries.iter().for_each(|entry| *counts.entry(entry).or_default() += 1);
    let most = (few / counts.len().max(1)).max(LEAST_OF_A_KERNEL);
    let mut seen: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut is_chosen = |entry: &'static str| {
        let place = seen.entry(entry).or_default();
        *place += 1;
        is_one_of(*place - 1, counts.get(entry).copied().unwrap_or(0), most)
    };
    let steps = workload.steps.iter().filter(|step| match step {
        Step::Launch(launch) => is_chosen(launch.entry),
        _ => true,
    });
    Some(Workload { steps: steps.cloned().collect(), ..workload.clone() })
}

/// How many launches are simulated of those that execute so many warp instructions each: fewer where these take long.
fn few(instructions: f64) -> usize {
    ((INSTRUCTIONS_MOST / instructions.max(1.0)) as usize).clamp(FEW / 2, FEW)
}

/// Whether a place among so many is one of `most` that are evenly apart, the first and the last among them.
fn is_one_of(place: usize, count: usize, most: usize) -> bool {
    count <= most || (0..most).any(|index| index * (count - 1) / (most - 1).max(1) == place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_are_simulated_where_each_takes_long() {
        assert_eq!([1e4, 7.5e6, 1e7, 1e9, f64::INFINITY].map(few), [8, 8, 6, 4, 4]);
    }

    #[test]
    fn some_of_many_are_evenly_apart() {
        let chosen = |count, most| (0..count).filter(|place| is_one_of(*place, count, most)).collect::<Vec<usize>>();
        assert_eq!(chosen(3, 8), [0, 1, 2]);
        assert_eq!(chosen(9, 8), [0, 1, 2, 3, 4, 5, 6, 8]);
        assert_eq!(chosen(2048, 4), [0, 682, 1364, 2047]);
        assert_eq!(chosen(5, 2), [0, 4]);
    }
}
