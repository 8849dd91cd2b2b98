//! From a run's files to its laws and charts: what `fit` does alone, and `sweep` does at its end.

use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::output::{line, tell, width, wrapped};
use super::pictures::{Format, look, write_pictures};
use crate::chart::figure::Colours;
use crate::chart::{Theme, figure};
use crate::device::{Guard, GuardOutcome};
use crate::finding::{causes, in_part, ok, sentences};
use crate::known_error::{self, known};
use crate::model::group::{GroupFit, fit_points, fixed_parameters};
use crate::record::{PointRecord, Status};
use crate::run::embedded::Embedded;
use crate::run::metadata::RunStatus;
use crate::run::reader::Run;
use crate::run::writer::charts_folder;
use crate::run::{SCENARIO_FILE, check_grid};
use crate::scenario::Scenario;
use located_toml::words::{and_list, count};

/// A run with its scenario and its fits.
pub(super) struct Analysis {
    pub(super) run: Run,
    pub(super) scenario: Scenario,
    pub(super) fits: Vec<GroupFit>,
}

impl Analysis {
    /// The variant that the others are remedies against: the scenario's first.
    pub(super) fn pattern(&self) -> &'static str {
        self.scenario.variants.first().map_or("", |variant| variant.name)
    }
}

/// Reads a run and fits the laws that its scenario asks for.
pub(super) fn analyse(directory: &Path) -> Result<Analysis, Failure> {
    analysis_of(Run::read(directory)?)
}

/// The same for what only reads a run: it may be one that comes with the program, and whoever asks says so ([`tell_embedded`]).
pub(super) fn analyse_or_embedded(directory: &Path) -> Result<Analysis, Failure> {
    analysis_of(Run::read_or_embedded(directory)?)
}

/// Says of runs which ones are not on the disk, but come with the program.
pub(super) fn tell_embedded<'a>(directories: impl IntoIterator<Item = &'a Path>) {
    let mut names: Vec<String> = Vec::new();
    for directory in directories {
        let name = directory.display().to_string();
        if Embedded::meant(directory).is_some() && !names.contains(&name) {
            names.push(name);
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names[..] {
        [] => {}
        [name] => tell(format!("note: {name} is not here; the run is the one that comes with apbench")),
        _ => tell(format!("note: {} are not here; the runs are those that come with apbench", and_list(&names))),
    }
}

/// A run's directory; of one that comes with the program, this is said beside it.
pub(super) fn place(directory: &Path) -> String {
    let own = directory.display();
    match Embedded::meant(directory) {
        Some(_) => format!("{own} (comes with apbench)"),
        None => own.to_string(),
    }
}

fn analysis_of(run: Run) -> Result<Analysis, Failure> {
    for note in &run.notes {
        tell(format!("note: {note}"));
    }
    let file_name = run.directory.join(SCENARIO_FILE).display().to_string();
    let scenario = Scenario::of_run(&run.metadata.scenario, &file_name, &run.scenario)?;
    run.check(scenario.family)?;
    check_grid(&run.directory, &scenario, &run.metadata.device, run.metadata.points, &run.points)?;
    let fits = fit_points(&scenario.fits, scenario.family, &run.points);
    Ok(Analysis { run, scenario, fits })
}

/// Causes of points without a time that are told; every row has its own.
const CAUSES_MAX: usize = 10;

/// Prints why points have no time, so many causes at most: how many lines that takes.
pub(super) fn print_causes(points: &[PointRecord], most: usize) -> Result<(), Failure> {
    cause_lines(points, most).iter().try_for_each(line)?;
    Ok(())
}

/// Why points have no time, in lines: the causes of most points first.
pub(super) fn cause_lines(points: &[PointRecord], most: usize) -> Vec<String> {
    let causes = sentences(&causes(points));
    let beyond = causes.len().saturating_sub(most);
    let more = (beyond > 0).then(|| format!("and {}: see column reason of points.csv", count(beyond, "other cause")));
    let told = causes.into_iter().take(most).chain(more);
    told.flat_map(|sentence| wrapped("  ", &sentence, usize::from(width()))).collect()
}

/// How many points a run has, how they ended, and how the run did.
pub(super) fn endings(analysis: &Analysis) -> String {
    let Analysis { run, scenario, .. } = analysis;
    let device = &run.metadata.device;
    let ended = |status| run.points.iter().filter(|point| point.status == status).count();
    // Of a part, the points that are its own.
    let (points, of_part) = match run.metadata.part {
        Some(part) => {
            let own = scenario.points(device).map_or(run.metadata.points, |points| part.of_points(&points).len());
            (own, format!(" of part {part}"))
        }
        None => (run.metadata.points, String::new()),
    };
    let mut endings = format!("{} of {points} points{of_part}: {}", run.points.len(), ok(&run.points));
    for status in [Status::Wrong, Status::Failed, Status::NotRun, Status::Skipped] {
        if ended(status) > 0 {
            endings += &format!(", {} {}", ended(status), status.name());
        }
    }
    match run.metadata.status {
        RunStatus::Complete => {}
        RunStatus::Interrupted => endings += "; the sweep was interrupted",
        RunStatus::Running => endings += "; the sweep was killed, or is still running",
    }
    endings
}

/// Prints what the run was and how its points ended.
pub(super) fn print_summary(analysis: &Analysis) -> Result<(), Failure> {
    let Analysis { run, scenario, .. } = analysis;
    let device = &run.metadata.device;
    line(format!("{}: {}", run.metadata.scenario, scenario.title))?;
    line(device.label())?;
    line(endings(analysis))?;
    print_causes(&run.points, CAUSES_MAX)?;
    let flagged = run.metadata.guards.iter().filter(|guard| guard.outcome == GuardOutcome::Flagged);
    for Guard { guard, detail, .. } in flagged {
        line(format!("flagged {guard}: {detail}"))?;
    }
    let good: Vec<&PointRecord> = run.points.iter().filter(|point| point.status == Status::Ok).collect();
    if good.is_empty() {
        return Ok(());
    }
    let fixed = fixed_parameters(scenario.family, &good);
    if !fixed.is_empty() {
        line(format!("the same at every point: {fixed}"))?;
    }
    print_known_error(analysis)?;
    let small = known_error::small(&run.for_known_errors(scenario.family));
    small.map(|sentence| wrapped("", &sentence, usize::from(width()))).into_iter().flatten().try_for_each(line)?;
    for sentence in in_part(&good) {
        wrapped("", &sentence, usize::from(width())).into_iter().try_for_each(line)?;
    }
    Ok(())
}

/// Prints how far a simulated run's times are off, as far as that is known.
pub(super) fn print_known_error(analysis: &Analysis) -> Result<(), Failure> {
    let Analysis { run, scenario, .. } = analysis;
    let sentence = known_error::sentence(known(), &run.for_known_errors(scenario.family));
    let lines = sentence.map(|sentence| wrapped("", &sentence, usize::from(width())));
    Ok(lines.into_iter().flatten().try_for_each(line)?)
}

/// Draws every chart of the scenario into the run's directory, or into `folder`; returns the files.
pub(super) fn draw_charts(analysis: &Analysis, folder: Option<&Path>) -> Result<Vec<PathBuf>, Failure> {
    let Analysis { run, scenario, fits } = analysis;
    let folder = folder.map_or_else(|| charts_folder(&run.directory), |folder| Ok(folder.to_owned()))?;
    let mut files = Vec::new();
    let mut colours = Colours::default();
    for request in &scenario.charts {
        let mut pictures = figure::charts(request, scenario.family, analysis.pattern(), run, fits);
        colours.keep(&mut pictures);
        files.extend(write_pictures(&pictures, &look(request, Theme::Light), &[Format::Svg, Format::Png], &folder)?);
    }
    Ok(files)
}
