//! A workload examined rather than measured: what each line of its kernels does, and how long its launches take without a pattern.

use std::collections::{BTreeMap, BTreeSet};

use gpu_simulator::{Bound, Examined as OfLaunch, Foreseen, Idle, LineCounts, Report, Variation, Without};

use super::Sim;
use super::prepared::{PreparedSim, grid};
use super::submission::{cold_l2, step_us};
use super::told::told;
use crate::device::DeviceError;
use crate::workload::{Step, Submission, Workload};

/// What the launches of a workload came to.
#[derive(Debug, Clone)]
pub struct Examined {
    /// From the first launch to the end of the last, as a measured time is.
    pub time_us: f64,
    /// Each launch in order: its kernel and what it came to.
    pub launches: Vec<(&'static str, Report)>,
    /// The part of `time_us` of each launch: launches of a stream begin sooner than one on its own.
    pub parts_us: Vec<f64>,
    /// How much of each of these it takes to launch, beside launches before.
    pub launching_us: Vec<f64>,
    /// What each line of each kernel does, all launches of the kernel together.
    pub of_kernels: BTreeMap<&'static str, KernelLines>,
    /// The buffers that lines access, by the places in memory that [`gpu_simulator::Accesses`] tell.
    pub buffers: BTreeMap<u64, &'static str>,
}

/// What each line of a kernel does, in ascending order of the lines, and which threads do nothing.
pub type KernelLines = (Vec<LineCounts>, Idle);

/// How a kernel behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behaviour {
    /// Whether it has a loop that waits for what others write: what such loops take depends on when those run.
    pub spins: bool,
    /// Whether its threads may change places in their block.
    pub threads_are_alike: bool,
    /// Whether it asks how many blocks the grid has, as a loop over the grid does.
    pub asks_for_grid: bool,
    /// Warp instructions of its first launch if all blocks do what the first one does; `None` where blocks may wait for each other.
    pub instructions: Option<u64>,
    /// Lines of its PTX with loads and stores at addresses that memory decides.
    pub lines_of_gathers: BTreeSet<u32>,
}

/// A pattern to take away from the launches of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithoutIn {
    /// The kernel's name in its PTX.
    pub kernel: &'static str,
    /// The pattern and its lines.
    pub without: Without,
}

/// The launches of a workload as they would be without patterns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lessened {
    /// From the first launch to the end of the last.
    pub time_us: f64,
    /// What bounds the longest launch.
    pub bound: Bound,
}

/// Variations that are simulated at once: each counts for itself what blocks do together.
pub const AT_ONCE: usize = 16;

impl Sim {
    /// Runs the launches of a workload and counts what each line of each kernel does.
    ///
    /// # Errors
    /// What is wrong with a launch, or what a thread did wrong; and that a workload is more than launches.
    pub fn examine(&self, workload: &Workload) -> Result<Examined, DeviceError> {
        let mut prepared = self.prepared_launches(workload)?;
        let mut l2 = cold_l2(self.profile(), workload, &prepared.addresses);
        let (mut time_us, mut launches, mut parts_us) = (0.0, Vec::new(), Vec::new());
        let mut all: BTreeMap<&'static str, (BTreeMap<u32, LineCounts>, Idle)> = BTreeMap::new();
        let kernels = prepared.kernels.clone();
        for (index, (launch, loaded)) in workload.launches().zip(&kernels).enumerate() {
            let (part, arguments) = (prepared.part()?, prepared.arguments(launch));
            let (machine, memory) = (&self.machine, &mut prepared.memory);
            let examined = machine.examine(&loaded.kernel, grid(launch), &arguments, memory, &mut l2, part.extent());
            let OfLaunch { report, lines, idle } = examined.map_err(|error| told(error, workload.ptx))?;
            let own_us = report.time_us - self.sooner_us(workload, index);
            time_us += own_us;
            parts_us.push(own_us);
            launches.push((launch.entry, report));
            let (of_kernel, all_idle) = all.entry(launch.entry).or_default();
            all_idle.add(&idle);
            for line in lines {
                of_kernel.entry(line.line).or_default().add(&line);
            }
        }
        let own = |(lines, idle): (BTreeMap<u32, LineCounts>, Idle)| (lines.into_values().collect(), idle);
        let of_kernels: BTreeMap<&'static str, KernelLines> =
            all.into_iter().map(|(kernel, examined)| (kernel, own(examined))).collect();
        let lines = of_kernels.values().flat_map(|(lines, _): &KernelLines| lines);
        let named = |place: u64| {
            let (name, _) = prepared.memory.name_at(place)?;
            Some((place, workload.buffers.iter().find(|buffer| buffer.name == name)?.name))
        };
        let buffers = lines.filter_map(|line| line.global.address).filter_map(named).collect();
        let step_us = |index| step_us(self.profile(), workload.submission, index);
        let launching_us = (0..launches.len()).map(step_us).collect();
        Ok(Examined { time_us, launches, parts_us, launching_us, of_kernels, buffers })
    }

    /// How long the launches of a workload would take without each of these sets of patterns. They are executed once for many of them.
    ///
    /// # Errors
    /// As of [`Self::examine`].
    pub fn lessened(&self, workload: &Workload, without: &[Vec<WithoutIn>]) -> Result<Vec<Lessened>, DeviceError> {
        let of_some = |own: &[Vec<WithoutIn>]| self.lessened_at_once(workload, own);
        let all = without.chunks(AT_ONCE).map(of_some).collect::<Result<Vec<_>, DeviceError>>()?;
        Ok(all.into_iter().flatten().collect())
    }

    fn lessened_at_once(&self, workload: &Workload, without: &[Vec<WithoutIn>]) -> Result<Vec<Lessened>, DeviceError> {
        let mut prepared = self.prepared_launches(workload)?;
        let mut l2 = vec![cold_l2(self.profile(), workload, &prepared.addresses); without.len()];
        let mut all = vec![Lessened { time_us: 0.0, bound: Bound::Launch }; without.len()];
        let mut longest_us = vec![0.0; without.len()];
        let kernels = prepared.kernels.clone();
        for (index, (launch, loaded)) in workload.launches().zip(&kernels).enumerate() {
            let (part, arguments) = (prepared.part()?, prepared.arguments(launch));
            let of_kernel = |own: &Vec<WithoutIn>| -> Vec<Without> {
                let here = own.iter().filter(|own| own.kernel == launch.entry);
                here.map(|own| own.without.clone()).collect()
            };
            let here: Vec<Vec<Without>> = without.iter().map(of_kernel).collect();
            let asked = here.iter().zip(&mut l2).map(|(without, l2)| Variation { without, l2 });
            let mut asked: Vec<Variation<'_>> = asked.collect();
            let (machine, memory) = (&self.machine, &mut prepared.memory);
            let timed =
                machine.time_variations(&loaded.kernel, grid(launch), &arguments, memory, &mut asked, part.extent());
            for (place, timed) in timed.map_err(|error| told(error, workload.ptx))?.into_iter().enumerate() {
                all[place].time_us += timed.time_us - self.sooner_us(workload, index);
                if timed.time_us >= longest_us[place] {
                    (longest_us[place], all[place].bound) = (timed.time_us, timed.bound);
                }
            }
        }
        Ok(all)
    }

    /// By how much sooner a launch of a workload begins than one on its own.
    fn sooner_us(&self, workload: &Workload, launch: usize) -> f64 {
        self.profile().launch_us - step_us(self.profile(), workload.submission, launch)
    }

    /// How each kernel behaves; of several launches of a kernel the first.
    ///
    /// # Errors
    /// As of [`Self::examine`].
    pub fn behaviour(&self, workload: &Workload) -> Result<BTreeMap<&'static str, Behaviour>, DeviceError> {
        let mut prepared = self.prepared_launches(workload)?;
        let kernels = prepared.kernels.clone();
        let mut all = BTreeMap::new();
        for (launch, loaded) in workload.launches().zip(&kernels) {
            if all.contains_key(launch.entry) {
                continue;
            }
            let arguments = prepared.arguments(launch);
            let (kernel, memory) = (&loaded.kernel, &mut prepared.memory);
            let foreseen = self.machine.foresee(kernel, grid(launch), &arguments, memory);
            let Foreseen { spins, instructions, .. } = foreseen.map_err(|error| told(error, workload.ptx))?;
            let gathers = self.machine.lines_of_gathers(kernel, grid(launch), &arguments, memory);
            let lines_of_gathers = gathers.map_err(|error| told(error, workload.ptx))?;
            let (threads_are_alike, asks_for_grid) = (kernel.threads_are_alike(), kernel.asks_for_grid());
            let own = Behaviour { spins, threads_are_alike, asks_for_grid, instructions, lines_of_gathers };
            all.insert(launch.entry, own);
        }
        Ok(all)
    }

    fn prepared_launches<'device>(
        &'device self,
        workload: &'device Workload,
    ) -> Result<PreparedSim<'device>, DeviceError> {
        let prepared = self.prepared(workload)?;
        if matches!(workload.submission, Submission::While { .. }) {
            return Err(DeviceError::Unsupported("the device repeats its launch".to_owned()));
        }
        if workload.has_phases() || workload.steps.iter().any(|step| !matches!(step, Step::Launch(_))) {
            return Err(DeviceError::Unsupported(
                "it has transfers, copies or work of the host beside its launches".to_owned(),
            ));
        }
        Ok(prepared)
    }
}
