//! Reads the runs of the pattern scenarios, and counts what points ask of the device.

use std::path::{Path, PathBuf};

use super::super::analysis::{Analysis, analyse_or_embedded, tell_embedded};
use super::super::failure::Failure;
use super::super::output::tell;
use crate::device::DeviceError;
use crate::device::sim::Sim;
use crate::estimate::{Evidence, Observed, PATTERNS, Pattern, Wanted};
use crate::family::{Family, Request};
use crate::parameter::{Mismatch, ParameterSet, Typed};
use crate::properties::Properties;
use crate::record::Status;
use crate::run::METADATA_FILE;
use crate::run::embedded::Embedded;
use crate::scenario::Point;
use gpu_simulator::LaunchCensus;

/// Device memory of a point that is counted at its own size; larger ones are counted with fewer elements.
pub(super) const BYTES_MOST: u64 = 16 << 20;
/// The same for points of pattern scenarios, whose blocks all do the same.
const PATTERN_BYTES_MOST: u64 = 8 << 20;
/// Warp instructions of a launch of which all blocks are executed.
const INSTRUCTIONS_MOST: u64 = 2_000_000;

/// What counts are made with: the simulated device of the laws' GPU, and the properties of that GPU.
pub(super) struct Counter<'a> {
    pub(super) sim: &'a Sim,
    pub(super) device: &'a Properties,
    pub(super) seed: u64,
}

impl Counter<'_> {
    /// Counts what a point's launches ask.
    pub(super) fn count(
        &self,
        family: &Family,
        point: &Point,
        bytes_most: u64,
    ) -> Result<Vec<LaunchCensus>, DeviceError> {
        let mismatch = |mismatch: Mismatch| DeviceError::Failed(mismatch.to_string());
        let (parameters, reduced) = reduce(family, &point.parameters, bytes_most).map_err(mismatch)?;
        let need_bytes = family.device_bytes(&parameters).map_err(mismatch)?;
        if need_bytes > 4 * bytes_most {
            return Err(DeviceError::OutOfMemory { need_bytes, free_bytes: 4 * bytes_most });
        }
        let request =
            Request { variant: point.variant.name, parameters: &parameters, device: self.device, seed: self.seed };
        let launches = self.sim.census(&family.workload(&request).map_err(mismatch)?, INSTRUCTIONS_MOST)?;
        Ok(launches.into_iter().map(|launch| launch.scaled(reduced)).collect())
    }
}

/// The same parameters with so few elements that the point needs no more memory, and how many times as many it has.
fn reduce(family: &Family, parameters: &ParameterSet, bytes_most: u64) -> Result<(ParameterSet, f64), Mismatch> {
    let (mut own, mut factor) = (parameters.clone(), 1.0);
    let Some(size) = family.size else { return Ok((own, factor)) };
    while family.device_bytes(&own)? > bytes_most {
        let elements: u64 = own.read(size.parameter)?;
        let mut half = own.clone();
        half.set(size.parameter, (elements / 2).value())?;
        let is_allowed = half.get(size.parameter).is_some_and(|half| family.allows(size.parameter, half));
        if elements < 2 || !is_allowed || family.check(&half).is_err() {
            break;
        }
        factor *= (elements as f64 / (elements / 2) as f64).powi(size.power);
        own = half;
    }
    Ok((own, factor))
}

/// Reads a run and checks that its device is that of the others.
pub(super) fn read_run(directory: &Path, device: Option<&Properties>) -> Result<Analysis, Failure> {
    let analysis = analyse_or_embedded(directory)?;
    let own = &analysis.run.metadata.device;
    match device {
        Some(device) if device.name != own.name || device.origin != own.origin => Err(Failure::Usage(format!(
            "{}: measured on {}, but the other runs on {}; laws hold only for the device that they were measured on",
            directory.display(),
            own.label(),
            device.label()
        ))),
        _ => Ok(analysis),
    }
}

/// Whether a directory is a run, or means one that comes with the program.
pub(super) fn is_run(directory: &Path) -> bool {
    directory.join(METADATA_FILE).exists() || Embedded::meant(directory).is_some()
}

/// The runs of pattern scenarios in a directory.
pub(in crate::cli) struct Laws {
    analyses: Vec<(Wanted, Analysis)>,
}

impl Laws {
    /// Reads those that are there.
    pub(in crate::cli) fn read(directory: &Path) -> Result<Self, Failure> {
        let (mut analyses, mut paths): (Vec<(Wanted, Analysis)>, Vec<PathBuf>) = (Vec::new(), Vec::new());
        for wanted in PATTERNS {
            let path = directory.join(wanted.scenario);
            if is_run(&path) {
                paths.push(path.clone());
                let device = analyses.first().map(|(_, first)| &first.run.metadata.device);
                analyses.push((wanted, read_run(&path, device)?));
            }
        }
        if analyses.is_empty() {
            if !directory.is_dir() && Embedded::meant(directory).is_none() {
                return Err(Failure::Usage(format!(
                    "{}: no such folder; expected one with the runs of a calibration, or a folder of results",
                    directory.display()
                )));
            }
            let names: Vec<&str> = PATTERNS.iter().map(|wanted| wanted.scenario).collect();
            return Err(Failure::Usage(format!(
                "{}: has no run to take laws from; expected run directories such as {}",
                directory.display(),
                names.join(", ")
            )));
        }
        let is_embedded = |path: &&PathBuf| Embedded::meant(path).is_some();
        match paths.iter().filter(is_embedded).count() {
            all if all == paths.len() => {
                tell(format!("note: {} is not here; its runs are those that come with apbench", directory.display()));
            }
            _ => tell_embedded(paths.iter().map(PathBuf::as_path)),
        }
        Ok(Self { analyses })
    }

    /// The scenarios whose runs come with the program, and whether these are all.
    pub(super) fn embedded(&self) -> (Vec<&'static str>, bool) {
        let is_embedded = |analysis: &Analysis| Embedded::meant(&analysis.run.directory).is_some();
        let own = self.analyses.iter().filter(|(_, analysis)| is_embedded(analysis));
        let names: Vec<_> = own.map(|(wanted, _)| wanted.scenario).collect();
        let are_all = names.len() == self.analyses.len();
        (names, are_all)
    }

    /// The device that all of them ran on.
    pub(super) fn device(&self) -> &Properties {
        &self.analyses[0].1.run.metadata.device
    }

    /// What the runs tell, with what the wanted points ask counted.
    pub(in crate::cli) fn evidence(&self, sim: &Sim) -> Result<Evidence, Failure> {
        let device = self.device();
        let patterns = self.analyses.iter().map(|(wanted, analysis)| pattern(*wanted, analysis, sim));
        Ok(Evidence {
            patterns: patterns.collect::<Result<_, _>>()?,
            sm_count: device.sm_count,
            cycles_per_us: sim.profile().sm_clock_mhz,
            l2_bytes: device.l2_bytes,
        })
    }
}

fn pattern(wanted: Wanted, analysis: &Analysis, sim: &Sim) -> Result<Pattern, Failure> {
    let Analysis { run, scenario, fits } = analysis;
    let device = &run.metadata.device;
    let counter = Counter { sim, device, seed: run.metadata.measure.seed };
    let points = scenario.points(device)?;
    let mut observed = Vec::new();
    for record in run.points.iter().filter(|point| point.status == Status::Ok && (wanted.is_wanted)(point)) {
        let Some(time_us) = record.timing.as_ref().map(|timing| timing.median.time_us) else { continue };
        let point = points.iter().find(|point| point.is_of(record));
        let launches = match point.filter(|_| wanted.is_counted) {
            Some(point) => counter.count(scenario.family, point, PATTERN_BYTES_MOST)?,
            None => Vec::new(),
        };
        observed.push(Observed { point: record.clone(), time_us, launches });
    }
    Ok(Pattern { scenario: wanted.scenario, fits: fits.clone(), observed })
}

#[cfg(test)]
mod tests {
    #![allow(dead_code, unreachable_pub, reason = "what a family declares is for the whole program")]

    use super::*;
    use crate::device::Device as _;
    use crate::device::mock::{Mock, MockSettings};
    use crate::family::{Declared as _, FamilyPoint, declare_family};
    use crate::kernel::Ptx;
    use crate::workload::{Submission, Workload};

    declare_family! {
        /// A family whose size has a name that no other has.
        static PLANKS = {
            name: "planks",
            summary: "a square of planks",
            ptx: Ptx::Text(""),
            size: planks ^ 2,
        };

        struct Parameters {
            planks: u64 = 4096, in 1..=1 << 20, "planks of a row";
        }

        enum Variant {
            Sawn = "sawn": "each plank is sawn";
        }

        struct Predictors {
            cuts: "cuts of the saw", of [planks];
        }
    }

    impl FamilyPoint for Parameters {
        fn device_bytes(&self) -> u64 {
            4 * self.planks.pow(2)
        }

        fn predictors(&self, _: Variant, _: &Properties) -> Predictors {
            Predictors::default()
        }

        fn workload(&self, variant: Variant, _: &Properties, _: u64) -> Workload<Predictors> {
            let Variant::Sawn = variant;
            Workload {
                ptx: PLANKS.ptx,
                buffers: Vec::new(),
                steps: Vec::new(),
                submission: Submission::Stream,
                bytes: self.device_bytes(),
                operations: 0,
                predictors: Predictors::default(),
            }
        }

        fn verification(device: &Properties) -> Vec<Self> {
            vec![Self::defaults(device)]
        }
    }

    #[test]
    fn a_family_says_itself_what_makes_its_points_smaller() {
        let whole = Parameters::defaults(Mock::new(MockSettings::default()).properties()).values();
        let (reduced, factor) = reduce(&PLANKS, &whole, 8 << 20).unwrap();
        assert_eq!(reduced.read::<u64>("planks"), Ok(1024));
        assert_eq!(factor.to_bits(), 16.0_f64.to_bits(), "elements for each that is left");
        assert_eq!(reduce(&PLANKS, &whole, 64 << 20).unwrap().0, whole);
    }
}
