//! `apbench calibrate`: makes a GPU profile of a GPU by measuring it, or checks one.

mod screen;
mod sweeping;

use std::fs;
use std::path::{Path, PathBuf};

use super::compare::accuracy_table;
use super::failure::{Failure, Status};
use super::output::{fitting_line, line, tell, tell_to_continue};
use super::shell::quoted;
use crate::calibrate::{Calibration, Heading, Measured, calibrate, check, nearest};
use crate::device::DeviceError;
use crate::device::cuda::device_count;
use crate::device::select::{DeviceSpec, profile, profile_file, profiles_folder};
use crate::properties::{Origin, Properties};
use gpu_simulator::profile::{Embedded, embedded};
use sweeping::{Sweeper, Swept};

/// Options of `calibrate`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The GPU to measure: cuda:N
    #[arg(long, value_name = "SPEC", default_value = "cuda:0", value_parser = gpu, conflicts_with = "from")]
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
    /// Write nothing: measure again, and hold the constants of this profile, a file or its name, against what comes out. The exit status is 5 if one differs by more than
    /// 3 % and by more than twice what it is sure to
    #[arg(long, value_name = "FILE.toml", conflicts_with = "out")]
    check: Option<PathBuf>,
}

/// A GPU's specification.
fn gpu(text: &str) -> Result<String, String> {
    match text.parse() {
        Ok(DeviceSpec::Cuda(_)) => Ok(text.to_owned()),
        Ok(_) => Err("calibrate measures a GPU: cuda:N such as cuda:0; --from takes runs that are there".to_owned()),
        Err(problem) => Err(problem),
    }
}

/// A path that ends in `.toml`.
fn file_name(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let stem = path.file_stem().map(|own| own.to_string_lossy().into_owned());
    let is_profile = path.extension().is_some_and(|own| own == "toml");
    match stem.filter(|_| is_profile) {
        None => Err("the name of a profile ends in .toml: my-gpu.toml".to_owned()),
        Some(own) if embedded().iter().any(|profile| profile.name == own) => {
            Err(format!("sim:{own} is a profile that comes with apbench; give it another name"))
        }
        Some(_) if path.parent().is_some_and(|own| own != Path::new("") && !own.is_dir()) => {
            Err("there is no such folder".to_owned())
        }
        Some(_) => Ok(path),
    }
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
    can_be_written(out)?;
    let runs = arguments.from.clone().unwrap_or_else(|| out.with_extension("runs"));
    if arguments.from.is_none() {
        gpu_is_here(&arguments.device)?;
    }
    let sweeper = arguments.from.is_none().then(|| Sweeper::new(&arguments.device, &runs)).transpose()?;
    if let Some(sweeper) = &sweeper
        && sweeper.constants_and_laws()? == Swept::Interrupted
    {
        return Ok(interrupted(arguments));
    }
    let measured = read(&runs)?;
    let gpu = measured.gpu().clone();
    let like = like(arguments, &gpu);
    let calibration = solved(&measured, like)?;
    let text = |off: Option<&str>| calibration.text(&heading(&gpu, &runs, like, off));
    if let Some(sweeper) = &sweeper
        && sweeper.checks(&gpu)? == Swept::Interrupted
    {
        return Ok(interrupted(arguments));
    }
    // The profile is written at the end, when it says how far its times are off. Runs that are somebody's own are left as they are.
    let temporary = temporary()?;
    let scratch = if sweeper.is_some() { runs.as_path() } else { temporary.path() };
    let draft = scratch.join(out.file_name().unwrap_or(out.as_os_str()));
    write(&draft, &text(None))?;
    // What was written is read back: a profile that cannot be read is told now, and not where it is used.
    profile(&draft.to_string_lossy())?;
    screen::print(&calibration, &gpu, out, like)?;
    let checks = runs.join(sweeping::CHECKS_FOLDER);
    let off = if gpu.origin == Origin::Measured && sweeping::are_any(&checks) {
        let simulated = scratch.join(sweeping::SIMULATED_FOLDER);
        if simulate(&draft, (&checks, &simulated), &gpu)? == Swept::Interrupted {
            return Ok(interrupted(arguments));
        }
        line("")?;
        let names = [&draft, out].map(|own| format!("sim:{}", own.display()));
        Some(accuracy_table(&checks, &simulated, (&names[0], &names[1]))?)
    } else {
        tell(match gpu.origin {
            Origin::Measured => {
                format!("note: {} is not there, so the profile is not held against the GPU", checks.display())
            }
            _ => format!("note: the runs are {}, so there is no GPU to hold the profile against", gpu.origin.name()),
        });
        None
    };
    write(out, &text(off.as_deref()))?;
    closing(out, &runs)?;
    Ok(Status::Success)
}

/// Simulates the scenarios that no constant is from, with a new profile.
fn simulate(draft: &Path, (checks, folder): (&Path, &Path), gpu: &Properties) -> Result<Swept, Failure> {
    if folder.exists() {
        // They are of a profile that was made before.
        fs::remove_dir_all(folder)
            .map_err(|error| Failure::Other(format!("removing {}: {error}", folder.display())))?;
    }
    Sweeper::new(&format!("sim:{}", draft.display()), folder)?.simulated_checks(checks, gpu)
}

fn temporary() -> Result<tempfile::TempDir, Failure> {
    tempfile::tempdir().map_err(|error| Failure::Other(format!("making a temporary folder: {error}")))
}

/// Says before anything is measured that there is no GPU to measure, and what goes without one.
fn gpu_is_here(device: &str) -> Result<(), Failure> {
    let problem = match (device_count(), device.parse()) {
        (Err(error), _) => error.to_string(),
        (Ok(count), Ok(DeviceSpec::Cuda(ordinal))) if ordinal >= count => {
            format!("no {device}: the driver finds {count}")
        }
        (Ok(_), _) => return Ok(()),
    };
    Err(Failure::Device(DeviceError::Missing(format!(
        "{problem}; calibrate measures {device}. Without a GPU it takes the runs of a calibration that was made elsewhere: apbench calibrate --from DIR"
    ))))
}

/// The runs of a calibration, and a note of those that are missing.
fn read(runs: &Path) -> Result<Measured, Failure> {
    let measured = Measured::read(runs).map_err(|error| Failure::Usage(error.to_string()))?;
    let missing = measured.missing();
    if !missing.is_empty() {
        tell(format!(
            "note: {} has no run of {}; what they would tell is not measured",
            quoted(&runs.to_string_lossy()),
            missing.join(", ")
        ));
    }
    Ok(measured)
}

fn run_check(arguments: &Arguments, path: &Path) -> Result<Status, Failure> {
    let spec = path.to_string_lossy().into_owned();
    profile(&spec)?;
    let Some(file) = profile_file(&spec) else {
        return Err(Failure::Usage(format!(
            "sim:{spec} comes with apbench, and calibrate did not write it; --check takes a profile of your own: my-gpu.toml"
        )));
    };
    let path = file.as_path();
    let text = fs::read_to_string(path).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
    let temporary = temporary()?;
    let runs = arguments.from.as_deref().unwrap_or(temporary.path());
    if arguments.from.is_none() {
        gpu_is_here(&arguments.device)?;
    }
    if arguments.from.is_none() && Sweeper::new(&arguments.device, runs)?.constants()? == Swept::Interrupted {
        tell("interrupted: nothing was compared");
        return Ok(Status::Interrupted);
    }
    let measured = read(runs)?;
    let gpu = measured.gpu().clone();
    let calibration = solved(&measured, like(arguments, &gpu))?;
    let checked = check(&text, &calibration).map_err(Failure::Other)?;
    screen::print_checked(&checked, &gpu, path)?;
    if arguments.from.is_some() && checked.is_of_the_same_runs() {
        line("")?;
        fitting_line(
            "note: ",
            "every constant comes out as the profile has it, so these are the runs that it was made from, which says nothing of the GPU now; without --from, \
             calibrate --check measures again",
        )?;
    }
    Ok(if checked.agrees() { Status::Success } else { Status::GateCrossed })
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

/// Whether the profile can be written, before minutes are spent on it.
fn can_be_written(out: &Path) -> Result<(), Failure> {
    write(out, "")?;
    fs::remove_file(out).map_err(|error| Failure::Other(format!("removing {}: {error}", out.display())))
}

fn write(out: &Path, text: &str) -> Result<(), Failure> {
    fs::write(out, text).map_err(|error| Failure::Other(format!("writing {}: {error}", out.display())))
}

/// What stands above the constants; `off` is how far the times are off, once that is known.
fn heading(gpu: &Properties, runs: &Path, like: Embedded, off: Option<&str>) -> Heading {
    let today = jiff::Zoned::now().date();
    let driver = gpu.driver_version.as_deref().map_or(String::new(), |driver| format!(", driver {driver}"));
    Heading {
        title: gpu.name.trim_end_matches(" (simulated)").to_owned(),
        validation: match off {
            Some(off) => format!("calibrated on {today}: simulated times are {off} that no constant is from"),
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
    line(format!("wrote {}; use it without the GPU:", quoted(&out.to_string_lossy())))?;
    line(format!("  apbench sweep branching --device {}", quoted(&format!("sim:{spec}"))))?;
    if let Some(own) = profiles_folder() {
        line(format!("by its name in every folder, once it is in {}", quoted(&own.to_string_lossy())))?;
    }
    line("what a ladder's rungs would take by this GPU's laws:")?;
    line(format!(
        "  apbench estimate prefix-sum --laws {} --gpu-profile {}",
        quoted(&runs.to_string_lossy()),
        quoted(&spec)
    ))?;
    Ok(())
}

fn interrupted(arguments: &Arguments) -> Status {
    let out = quoted(&arguments.out.to_string_lossy());
    let from = match &arguments.from {
        Some(runs) => format!("--from {}", quoted(&runs.to_string_lossy())),
        None => format!("--device {}", quoted(&arguments.device)),
    };
    tell_to_continue(&format!("apbench calibrate {from} --out {out}"));
    Status::Interrupted
}
