//! Workloads watched for data races, launch by launch.

use std::collections::HashMap;
use std::sync::Arc;

use gpu_simulator::Extent;
use gpu_simulator::races::{Action, Race, RaceKind, Races};

use super::Sim;
use super::prepared::{PreparedSim, grid};
use super::resources::LoadedKernel;
use super::told::told;
use crate::device::{DeviceError, Finding, RaceReport};
use crate::kernel::{Ptx, variable};
use crate::workload::{Launch, Step, Workload};

/// Warp instructions of a launch up to which all its blocks are watched: about two seconds' on one core.
const INSTRUCTIONS_OF_ONE: u64 = 4_000_000;
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
        let launches = kernels.len();
        let mut kernels = kernels.iter();
        let mut found = Gathered::new(workload.ptx);
        for step in &workload.steps {
            match step {
                Step::Launch(launch) => {
                    let Some(kernel) = kernels.next() else { break };
                    if found.report.accesses > ACCESSES_MOST {
                        let watched = launches - kernels.len() - 1;
                        found.say(format!("only the first {watched} of {launches} launches are looked at"));
                        break;
                    }
                    let is_last = kernels.len() == 0;
                    let races = prepared.races(launch, kernel, is_last)?;
                    found.add(&races);
                }
                Step::Copy { from, to } => drop(prepared.copy(*from, *to)?),
                Step::Upload(_) | Step::Download(_) | Step::Host(_) | Step::Streams(_) => {
                    found.say("launches behind transfers, streams and work of the host are not looked at".to_owned());
                    break;
                }
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
        let races = self.machine.races(kernel, grid, &arguments, &mut memory, extent).map_err(|error| told(error, ptx))?;
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

    fn say(&mut self, sentence: String) {
        if !self.report.unchecked.contains(&sentence) {
            self.report.unchecked.push(sentence);
        }
    }

    fn add(&mut self, races: &Races) {
        self.report.accesses += races.accesses;
        races.unchecked.iter().for_each(|own| self.say(own.to_string()));
        if races.blocks_watched < races.blocks {
            self.say(format!("{} of {} blocks are looked at", races.blocks_watched, races.blocks));
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
            } else if rank(race.kind) < rank(known.kind) {
                *known = race.clone();
            }
        }
    }

    fn finish(self) -> RaceReport {
        let finding = |(lines, race): &(Lines, Race)| Finding {
            what: race.told(&|line| self.line(line), &variable),
            remedy: race.remedy(lines.1.is_none()),
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
        RaceKind::BetweenBlocks => 0,
        RaceKind::BetweenWarps => 1,
        RaceKind::WithinInstruction => 2,
        RaceKind::WithinWarp => 3,
    }
}
