//! Workloads watched for data races, launch by launch.

use std::collections::HashMap;
use std::sync::Arc;

use gpu_simulator::Extent;
use gpu_simulator::races::{Access, Action, Race, RaceKind, Races, Unchecked};

use super::Sim;
use super::prepared::{PreparedSim, grid};
use super::resources::LoadedKernel;
use super::told::told;
use crate::device::{DeviceError, Finding, RaceReport};
use crate::kernel::{Ptx, variable};
use crate::workload::{Launch, Planned, Step, Workload};

/// Warp instructions of a launch up to which all its blocks are watched: some seconds' on one core.
const INSTRUCTIONS_OF_ONE: u64 = 8_000_000;
/// Accesses of threads after which no further launch of a workload is watched.
const ACCESSES_MOST: u64 = 200_000_000;

impl Sim {
    /// Executes the launches of a workload and tells which accesses race. Of a launch with very many instructions only some blocks are watched.
    ///
    /// # Errors
    /// What a kernel did wrong.
    pub(super) fn watched(&self, workload: &Workload) -> Result<RaceReport, DeviceError> {
        if let Some(problem) = workload.refusal(&self.properties) {
            return Err(DeviceError::Unsupported(problem));
        }
        let kernels = self.kernels(workload)?;
        let mut prepared = PreparedSim::new(&self.machine, workload, kernels.clone())?;
        let launches: Vec<&Launch> = workload.launches().collect();
        let mut watched = 0;
        let mut found = Gathered::new(workload.ptx);
        for planned in workload.plan() {
            let Planned::Step { step, launch, .. } = planned else { continue };
            match (step, launch) {
                (Step::Launch(_), Some(number)) => {
                    let (Some(launch), Some(kernel)) = (launches.get(number), kernels.get(number)) else { continue };
                    if found.report.accesses > ACCESSES_MOST {
                        found.say(format!("only the first {watched} of {} launches are looked at", launches.len()));
                        let left = launches.len().saturating_sub(watched) as u64;
                        found.report.unwatched.add("those before had very many accesses", left);
                        break;
                    }
                    watched += 1;
                    found.add(&prepared.races(launch, kernel, watched == launches.len())?);
                }
                (Step::Copy { from, to }, _) => drop(prepared.copy(*from, *to)?),
                (Step::Upload(copying), _) => prepared.upload(copying)?,
                (Step::Download(copying), _) => prepared.download(copying)?,
                (Step::Host(work), _) => prepared.work(work)?,
                (Step::Launch(_) | Step::Streams(_), _) => {}
            }
        }
        Ok(found.finish())
    }
}

impl PreparedSim<'_> {
    /// Watches a launch. Unless it is the last one, memory holds what all its blocks write afterwards.
    fn races(&mut self, launch: &Launch, loaded: &Arc<LoadedKernel>, is_last: bool) -> Result<Races, DeviceError> {
        let ptx = self.workload.ptx;
        let (grid, arguments) = (grid(launch), self.arguments(launch));
        let (kernel, extent) = (&loaded.kernel, Extent::UpTo(INSTRUCTIONS_OF_ONE));
        let mut memory = self.memory.clone();
        let races =
            self.machine.races(kernel, grid, &arguments, &mut memory, extent).map_err(|error| told(error, ptx))?;
        if races.blocks_watched == races.blocks {
            self.memory = memory;
        } else if !is_last {
            let executed = self.machine.execute(kernel, grid, &arguments, &mut self.memory);
            executed.map_err(|error| told(error, ptx))?;
        }
        Ok(races)
    }
}

/// A pair of lines as the user has them, and what is done there; nothing of that where they are one line.
type Lines = ([String; 2], Option<[Action; 2]>);

/// What the launches came to so far: of each pair of lines what is worst.
struct Gathered {
    ptx: Ptx,
    report: RaceReport,
    races: Vec<(Lines, Race)>,
    places: HashMap<Lines, usize>,
}

impl Gathered {
    fn new(ptx: Ptx) -> Self {
        Self { ptx, report: RaceReport::default(), races: Vec::new(), places: HashMap::new() }
    }

    fn line(&self, ptx_line: u32) -> String {
        match self.ptx.source() {
            Some(source) => source.line(ptx_line).place,
            None => format!("line {ptx_line} of the PTX"),
        }
    }

    /// The lines of both accesses with what stands there, each once.
    fn texts(&self, race: &Race) -> Vec<(String, String)> {
        let line = |access: &Access| {
            let line = self.ptx.source()?.line(access.line);
            Some((line.place, line.text?))
        };
        let mut all: Vec<(String, String)> = race.accesses.iter().filter_map(line).collect();
        all.dedup();
        all
    }

    fn say(&mut self, sentence: String) {
        if !self.report.unchecked.contains(&sentence) {
            self.report.unchecked.push(sentence);
        }
    }

    fn add(&mut self, races: &Races) {
        self.report.accesses += races.accesses;
        let is_watched = !races.unchecked.contains(&Unchecked::InClusters);
        self.report.unwatched.add("their clusters have several blocks", u64::from(!is_watched));
        races.unchecked.iter().for_each(|own| self.say(own.to_string()));
        if races.blocks_watched < races.blocks {
            self.say(format!("{} of {} blocks were watched", races.blocks_watched, races.blocks));
        }
        for race in &races.found {
            let lines = race.accesses.map(|access| self.line(access.line));
            let actions = (lines[0] != lines[1]).then(|| race.accesses.map(|access| access.action));
            let key = (lines, actions);
            let Some(place) = self.places.get(&key) else {
                self.places.insert(key.clone(), self.races.len());
                self.races.push((key, race.clone()));
                continue;
            };
            let known = &mut self.races[*place].1;
            if race.kind == known.kind {
                known.count += race.count;
                known.is_update |= race.is_update;
            } else if rank(race.kind) < rank(known.kind) {
                *known = race.clone();
            }
        }
    }

    fn finish(self) -> RaceReport {
        let finding = |(_, race): &(Lines, Race)| Finding {
            what: race.told(&|line| self.line(line), &variable),
            lines: self.texts(race),
            remedy: race.remedy(),
            is_certain: race.kind.is_certain(),
        };
        let mut found: Vec<Finding> = self.races.iter().map(finding).collect();
        found.sort_by_key(|own| !own.is_certain);
        RaceReport { found, ..self.report }
    }
}

/// The lower, the worse.
fn rank(kind: RaceKind) -> usize {
    match kind {
        RaceKind::Unfinished => 0,
        RaceKind::BetweenBlocks => 1,
        RaceKind::BetweenWarps => 2,
        RaceKind::WithinInstruction => 3,
        RaceKind::WithinWarp => 4,
    }
}
