//! The sweeps of a calibration, each as `apbench sweep` does it, in a process of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::super::failure::Failure;
use super::super::output::{is_quiet, is_verbose, tell, tell_error};
use super::super::shell::quoted;
use crate::calibrate::{CHECKS, SWEEPS, Sweep, step_folders, values_of_pattern};
use crate::device::select::profile;
use crate::estimate::PATTERNS;
use crate::properties::Properties;
use crate::run::reader::Run;
use gpu_simulator::profile::embedded;

/// The folder of what the profile is held against, below the runs.
pub(super) const CHECKS_FOLDER: &str = "checks";
/// The same, simulated with the new profile.
pub(super) const SIMULATED_FOLDER: &str = "checks-simulated";

/// The exit status of a sweep of which points failed.
const POINTS_FAILED: i32 = 4;
/// That of an interrupted one.
const INTERRUPTED: i32 = 130;

/// Whether an interrupt came.
static INTERRUPT: AtomicBool = AtomicBool::new(false);

/// How sweeps ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Swept {
    /// All of them are there.
    Done,
    /// They were interrupted.
    Interrupted,
}

/// Sweeps on a device into a folder. A sweep that is there is not made again.
pub(super) struct Sweeper<'a> {
    program: PathBuf,
    device: &'a str,
    runs: &'a Path,
}

/// A sweep into a folder.
struct Wanted {
    scenario: &'static str,
    folder: PathBuf,
    options: Vec<String>,
}

impl<'a> Sweeper<'a> {
    /// For this device, into this folder.
    pub(super) fn new(device: &'a str, runs: &'a Path) -> Result<Self, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::Other(format!("finding the program for sweeps: {error}")))?;
        // An interrupt is for the sweep that runs: it ends its point, and the calibration ends behind it. One handler is enough.
        let _ = ctrlc::set_handler(|| INTERRUPT.store(true, Ordering::SeqCst));
        Ok(Self { program, device, runs })
    }

    /// Sweeps what constants and the laws of `estimate` come from.
    pub(super) fn constants_and_laws(&self) -> Result<Swept, Failure> {
        let patterns: Vec<&str> = PATTERNS.iter().map(|own| own.scenario).collect();
        self.with_patterns(&patterns)
    }

    /// Sweeps what constants come from.
    pub(super) fn constants(&self) -> Result<Swept, Failure> {
        let patterns: Vec<&str> =
            PATTERNS.iter().map(|own| own.scenario).filter(|own| step_folders().any(|folder| folder == *own)).collect();
        self.with_patterns(&patterns)
    }

    fn with_patterns(&self, patterns: &[&'static str]) -> Result<Swept, Failure> {
        // The first tells of which GPU the others are.
        let (first, rest) = SWEEPS.split_first().ok_or_else(|| Failure::Other("there are no sweeps".to_owned()))?;
        let own = self.runs.join(first.folder);
        let any = Properties::simulated(&profile(embedded()[0].name)?);
        if self.sweep_all(&[wanted(first, &any, own.clone(), "gpu")], "measuring")? == Swept::Interrupted {
            return Ok(Swept::Interrupted);
        }
        let gpu = Run::metadata_of(&own)?.device;
        let ladders = rest
            .iter()
            .filter(|sweep| sweep.runs_on(&gpu))
            .map(|sweep| wanted(sweep, &gpu, self.runs.join(sweep.folder), "gpu"));
        let patterns = patterns.iter().map(|scenario| Wanted {
            scenario,
            folder: self.runs.join(scenario),
            options: ["--sizes", "gpu"]
                .into_iter()
                .map(str::to_owned)
                .chain(set(values_of_pattern(scenario)))
                .collect(),
        });
        let all: Vec<Wanted> = ladders.chain(patterns).collect();
        self.sweep_all(&all, "measuring")
    }

    /// Sweeps what the profile is held against.
    pub(super) fn checks(&self, gpu: &Properties) -> Result<Swept, Failure> {
        self.sweep_all(
            &checks(&self.runs.join(CHECKS_FOLDER), gpu, &["--budget", "0.3"]),
            "measuring what to check with",
        )
    }

    /// Those that were measured, on a simulated GPU.
    pub(super) fn simulated_checks(&self, measured: &Path, gpu: &Properties) -> Result<Swept, Failure> {
        let mut all = checks(self.runs, gpu, &[]);
        all.retain(|own| own.folder.file_name().is_some_and(|name| measured.join(name).is_dir()));
        self.sweep_all(&all, "simulating the same")
    }

    fn sweep_all(&self, all: &[Wanted], what: &str) -> Result<Swept, Failure> {
        let bar = bar(what);
        bar.set_length(all.len() as u64);
        for own in all {
            bar.set_message(own.scenario);
            if bar.is_hidden() {
                tell(format!("{what}: {}", own.scenario));
            }
            if self.sweep(own)? == Swept::Interrupted || INTERRUPT.load(Ordering::SeqCst) {
                bar.finish_and_clear();
                return Ok(Swept::Interrupted);
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(Swept::Done)
    }

    fn sweep(&self, own: &Wanted) -> Result<Swept, Failure> {
        let folder = own.folder.to_string_lossy().into_owned();
        let mut words =
            vec!["sweep".to_owned(), own.scenario.to_owned(), "--device".to_owned(), self.device.to_owned()];
        words.extend(["--out".to_owned(), folder, "--resume".to_owned()]);
        words.extend(own.options.iter().cloned());
        if is_verbose() {
            tell(format!("apbench {}", words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")));
        }
        // What an interrupted sweep says of how to go on is not for a calibration.
        let starting = |error| Failure::Other(format!("starting a sweep: {error}"));
        let mut child = Command::new(&self.program)
            .args(&words)
            .args(["--quiet", "--end-with-input"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(starting)?;
        // Its input ends with this process, also where that is killed, and the sweep with its input. Waiting for it would close it.
        let input = child.stdin.take();
        let output = child.wait_with_output().map_err(starting)?;
        drop(input);
        let status = output.status;
        if !matches!(status.code(), Some(0 | INTERRUPTED)) {
            tell_error(String::from_utf8_lossy(&output.stderr).trim_end());
        }
        match status.code() {
            Some(0) => Ok(Swept::Done),
            Some(POINTS_FAILED) => {
                tell(format!("note: points of {} have no time; {} says why", own.scenario, own.folder.display()));
                Ok(Swept::Done)
            }
            Some(INTERRUPTED) => Ok(Swept::Interrupted),
            Some(code) => Err(Failure::Told(u8::try_from(code).unwrap_or(1))),
            None => Err(Failure::Other(format!("the sweep of {} was killed", own.scenario))),
        }
    }
}

fn wanted(sweep: &Sweep, gpu: &Properties, folder: PathBuf, sizes: &str) -> Wanted {
    let mut options = vec!["--sizes".to_owned(), sizes.to_owned()];
    let values = (sweep.values)(gpu);
    options.extend(set(&values));
    options.extend(sweep.variants.iter().flat_map(|name| ["--variant".to_owned(), (*name).to_owned()]));
    Wanted { scenario: sweep.scenario, folder, options }
}

/// Values as options of a sweep.
fn set<T: AsRef<str>>(values: &[T]) -> impl Iterator<Item = String> + '_ {
    values.iter().flat_map(|value| ["--set".to_owned(), value.as_ref().to_owned()])
}

fn checks(folder: &Path, gpu: &Properties, more: &[&str]) -> Vec<Wanted> {
    let of_sweep = |sweep: &Sweep| {
        let mut own = wanted(sweep, gpu, folder.join(sweep.folder), "simulated");
        own.options.extend(more.iter().map(|&word| word.to_owned()));
        own
    };
    CHECKS.iter().map(of_sweep).collect()
}

/// A bar that says what is done.
pub(super) fn bar(what: &str) -> ProgressBar {
    let bar = ProgressBar::new(1);
    if is_quiet() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template("{bar:20} {pos}/{len} {prefix}  {wide_msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Whether a folder has a run of any scenario that a profile is held against.
pub(super) fn are_any(folder: &Path) -> bool {
    CHECKS.iter().any(|own| folder.join(own.folder).is_dir())
}
