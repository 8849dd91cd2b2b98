//! `apbench calibrate`: makes a GPU profile of a GPU by measuring it, or checks one.

mod screen;
mod sweeping;

use std::fs;
use std::path::{Path, PathBuf};

use super::compare::accuracy_table;
use super::failure::{Failure, Status};
use super::output::{line, tell};
use super::shell::quoted;
use crate::calibrate::{CHECKS, Calibration, Heading, Measured, calibrate, check, nearest};
use crate::device::select::profile;
use crate::properties::Properties;
use gpu_simulator::profile::{Embedded, embedded};
use sweeping::{Sweeper, Swept};

/// Options of `calibrate`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The GPU to measure: cuda:N
    #[arg(long, value_name = "SPEC", default_value = "cuda:0", conflicts_with = "from")]
    device: String,
    /// Profile to write; it must not be there yet. Its runs go into the folder of the same name that ends in .runs
    #[arg(long, value_name = "FILE.toml", default_value = "my-gpu.toml", value_parser = file_name)]
    out: PathBuf,
    /// GPU profile whose constants are kept where no benchmark gives one [default: that of the nearest compute capability]
    #[arg(long, value_name = "NAME", value_parser = embedded().iter().map(|own| own.name).collect::<Vec<_>>())]
    like: Option<String>,
    /// Measure nothing: take the runs in this folder, which an earlier calibrate left
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// Write nothing: measure again, and hold the constants of this profile against what comes out. The exit status is 5 if one differs by more than
    /// 3 % and by more than twice what it is sure to
    #[arg(long, value_name = "FILE.toml", conflicts_with = "out")]
    check: Option<PathBuf>,
}

/// A path that ends in `.toml`.
fn file_name(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_profile = path.extension().is_some_and(|own| own == "toml") && path.file_stem().is_some();
    if is_profile { Ok(path) } else { Err("the name of a profile ends in .toml: my-gpu.toml".to_owned()) }
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    match &arguments.check {
        Some(profile) => run_check(arguments, profile),
        None => run_calibration(arguments),
    }
}

fn run_calibration(arguments: &Arguments) -> Result<Status, Failure> {
    let out = &arguments.out;
    if out.exists() {
        let shown = out.display();
        return Err(Failure::Usage(format!(
            "{shown} is there already; give another name with --out, or check it: apbench calibrate --check {}",
            quoted(&shown.to_string())
        )));
    }
    let runs = arguments.from.clone().unwrap_or_else(|| out.with_extension("runs"));
    let sweeper = arguments.from.is_none().then(|| Sweeper::new(&arguments.device, &runs)).transpose()?;
    if let Some(sweeper) = &sweeper
        && sweeper.constants_and_laws()? == Swept::Interrupted
    {
        return Ok(interrupted(arguments));
    }
    let measured = Measured::read(&runs).map_err(|error| Failure::Usage(error.to_string()))?;
    let gpu = measured.gpu().clone();
    let like = like(arguments, &gpu);
    let calibration = solved(&measured, like)?;
    write(out, &calibration.text(&heading(&gpu, &runs, like, None)))?;
    // What was written is read back: a profile that cannot be read is told now, and not where it is used.
    let spec = out.to_string_lossy().into_owned();
    profile(&spec)?;
    screen::print(&calibration, &gpu, out, like)?;
    let checks = Checks { runs: &runs, spec: &spec };
    if let Some(sweeper) = &sweeper
        && sweeper.checks(&gpu)? == Swept::Interrupted
    {
        return Ok(Status::Interrupted);
    }
    if !checks.are_there() {
        tell(format!("note: {} has no runs to hold the profile against", runs.join(sweeping::CHECKS_FOLDER).display()));
        return closing(out, &runs).map(|()| Status::Success);
    }
    if checks.simulate(&gpu)? == Swept::Interrupted {
        return Ok(Status::Interrupted);
    }
    line("")?;
    let off = accuracy_table(&runs.join(sweeping::CHECKS_FOLDER), &runs.join(sweeping::SIMULATED_FOLDER))?;
    write(out, &calibration.text(&heading(&gpu, &runs, like, Some(&off))))?;
    closing(out, &runs)?;
    Ok(Status::Success)
}

/// The scenarios that no constant is from, measured and simulated.
struct Checks<'a> {
    runs: &'a Path,
    spec: &'a str,
}

impl Checks<'_> {
    fn are_there(&self) -> bool {
        CHECKS.iter().any(|own| self.runs.join(sweeping::CHECKS_FOLDER).join(own.folder).is_dir())
    }

    /// Simulates them with the new profile.
    fn simulate(&self, gpu: &Properties) -> Result<Swept, Failure> {
        let simulated = self.runs.join(sweeping::SIMULATED_FOLDER);
        if simulated.exists() {
            // They are of a profile that was made before.
            fs::remove_dir_all(&simulated)
                .map_err(|error| Failure::Other(format!("removing {}: {error}", simulated.display())))?;
        }
        Sweeper::new(&format!("sim:{}", self.spec), self.runs)?.simulated_checks(gpu)
    }
}

fn run_check(arguments: &Arguments, path: &Path) -> Result<Status, Failure> {
    let spec = path.to_string_lossy().into_owned();
    profile(&spec)?;
    let text =
        fs::read_to_string(path).map_err(|error| Failure::Other(format!("reading {}: {error}", path.display())))?;
    let temporary =
        tempfile::tempdir().map_err(|error| Failure::Other(format!("making a temporary folder: {error}")))?;
    let runs = arguments.from.as_deref().unwrap_or(temporary.path());
    if arguments.from.is_none() && Sweeper::new(&arguments.device, runs)?.constants()? == Swept::Interrupted {
        return Ok(Status::Interrupted);
    }
    let measured = Measured::read(runs).map_err(|error| Failure::Usage(error.to_string()))?;
    let gpu = measured.gpu().clone();
    let calibration = solved(&measured, like(arguments, &gpu))?;
    let checked = check(&text, &calibration).map_err(Failure::Other)?;
    screen::print_checked(&checked, &gpu, path)?;
    Ok(if checked.iter().all(crate::calibrate::Checked::agrees) { Status::Success } else { Status::GateCrossed })
}

/// The profile whose constants are kept.
fn like(arguments: &Arguments, gpu: &Properties) -> Embedded {
    let named = arguments.like.as_deref().and_then(|name| embedded().iter().find(|own| own.name == name));
    named.copied().unwrap_or_else(|| nearest(gpu))
}

fn solved(measured: &Measured, like: Embedded) -> Result<Calibration, Failure> {
    let bar = sweeping::bar("finding constants");
    let told = |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let calibration = calibrate(measured, like, told).map_err(Failure::Other);
    bar.finish_and_clear();
    calibration
}

fn write(out: &Path, text: &str) -> Result<(), Failure> {
    fs::write(out, text).map_err(|error| Failure::Other(format!("writing {}: {error}", out.display())))
}

/// What stands above the constants; `off` is how far the times are off, once that is known.
fn heading(gpu: &Properties, runs: &Path, like: Embedded, off: Option<&str>) -> Heading {
    let today = jiff::Zoned::now().date();
    let driver = gpu.driver_version.as_deref().map_or(String::new(), |driver| format!(", driver {driver}"));
    Heading {
        title: gpu.name.clone(),
        validation: match off {
            Some(off) => format!("calibrated on {today}: {off} that no constant is from"),
            None => format!("calibrated on {today}, and not held against the GPU"),
        },
        comment: vec![
            format!("{} as a simulated GPU, written by apbench calibrate on {today}{driver}.", gpu.name),
            "To use it: apbench sweep ... --device sim:NAME in the folder of NAME.toml, or from the folder that apbench devices names.".to_owned(),
            format!("What was measured is in {}. What no benchmark gives is that of the profile {}.", runs.display(), like.name),
        ],
    }
}

fn closing(out: &Path, runs: &Path) -> Result<(), Failure> {
    let name = out.file_stem().unwrap_or_default().to_string_lossy();
    let folder = out.parent().filter(|own| !own.as_os_str().is_empty());
    let spec = folder.map_or_else(|| name.clone().into_owned(), |_| out.to_string_lossy().into_owned());
    line("")?;
    line(format!("wrote {}; use it anywhere, without the GPU:", quoted(&out.to_string_lossy())))?;
    line(format!("  apbench sweep branching --device {}", quoted(&format!("sim:{spec}"))))?;
    line("what a ladder's rungs would take by this GPU's laws:")?;
    line(format!(
        "  apbench estimate prefix-sum --laws {} --gpu-profile {}",
        quoted(&runs.to_string_lossy()),
        quoted(&spec)
    ))?;
    Ok(())
}

fn interrupted(arguments: &Arguments) -> Status {
    tell(format!(
        "interrupted; to continue: apbench calibrate --device {} --out {}",
        quoted(&arguments.device),
        quoted(&arguments.out.to_string_lossy())
    ));
    Status::Interrupted
}
