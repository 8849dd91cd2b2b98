//! What `sweep` ends with and `fit` tells: the conclusion in a screen, or all findings.

use std::path::PathBuf;

use super::analysis::{Analysis, endings, print_causes, print_summary};
use super::failure::Failure;
use super::findings::print_findings;
use super::ladder::{ladder_of, print_ladder};
use super::output::{is_verbose, line, width, wrapped};
use crate::finding::{Conclusion, RunDocument, conclusion, measured_run, of_own_kernel};
use crate::known_error::{self, known};
use crate::run::REPORT_FILE;

/// Lines that a conclusion has at most, where every point has a time.
const MOST_LINES: usize = 12;
/// Causes of points without a time; `-v` has more.
const MOST_CAUSES: usize = 3;

/// Stands between the parts of a sentence.
const PART_END: &str = "; ";

/// Prints the results of a run.
pub(super) fn print_run(analysis: &Analysis, charts: &[PathBuf]) -> Result<(), Failure> {
    if !is_verbose() {
        let run = format!("{}, with {REPORT_FILE} to read", analysis.run.directory.display());
        return print_conclusion(analysis, &[("run:  ", run)]);
    }
    print_summary(analysis)?;
    // Of a ladder, the rungs are what there is to find.
    if !(analysis.scenario.family.is_ladder() && analysis.scenario.fits.is_empty()) {
        print_findings(analysis, true)?;
    }
    print_ladder(analysis)?;
    line("")?;
    for chart in charts {
        line(format!("chart: {}", chart.display()))?;
    }
    let page = analysis.run.directory.join(REPORT_FILE);
    if page.is_file() {
        line(format!("page:  {}", page.display()))?;
    }
    line(format!("run:   {}", analysis.run.directory.display()))?;
    Ok(())
}

/// A run as JSON, with all of its conclusion.
pub(super) fn document(analysis: &Analysis) -> Result<RunDocument, Failure> {
    let Analysis { run, scenario, fits } = analysis;
    let of_ladder = ladder_of(analysis, &[])?.map(|ladder| ladder.conclusion()).unwrap_or_default();
    Ok(RunDocument::of(run, scenario, fits, of_ladder))
}

/// Prints what the run was, what follows from it, what `made` says of files, and where the rest is.
pub(super) fn print_conclusion(analysis: &Analysis, made: &[(&str, String)]) -> Result<(), Failure> {
    let Analysis { run, scenario, fits } = analysis;
    let columns = usize::from(width());
    let head = print_head(analysis)?;
    let doubts = doubts(analysis);
    let measured = measured_run(run, scenario);
    let mut rest =
        measured.map_or_else(Vec::new, |own| wrapped(&format!("measured on {}: ", own.gpu), &own.command, columns));
    rest.extend(made.iter().flat_map(|(first, text)| wrapped(first, text, columns)));
    rest.extend(wrapped("more: ", &more(analysis), columns));

    let Conclusion { shown, untold } = conclusion(run, scenario, fits);
    // What was found before what could not be told: each sentence that there is room for.
    let mut room = MOST_LINES.saturating_sub(head + doubts.len() + rest.len());
    let of_ladder = ladder_of(analysis, &[])?.map(|ladder| ladder.conclusion()).unwrap_or_default();
    for sentence in of_ladder.iter().chain(&shown).chain(&untold) {
        let own = in_room(sentence, room, columns);
        room -= own.len();
        own.iter().try_for_each(line)?;
    }
    doubts.iter().chain(&rest).try_for_each(line)?;
    Ok(())
}

/// Prints what a run was and how its points ended: how many lines that takes.
pub(super) fn print_head(analysis: &Analysis) -> Result<usize, Failure> {
    let Analysis { run, scenario, .. } = analysis;
    let columns = usize::from(width());
    let mut head = wrapped("", &format!("{}: {}", run.metadata.scenario, scenario.title), columns);
    let (device, endings) = (run.metadata.device.label(), endings(analysis));
    let of_run = format!("{device}; {endings}");
    if of_run.chars().count() <= columns {
        head.push(of_run);
    } else {
        head.extend([device, endings].iter().flat_map(|own| wrapped("", own, columns)));
    }
    head.iter().try_for_each(line)?;
    Ok(head.len() + print_causes(&run.points, MOST_CAUSES)?)
}

/// The lines that say how far the times of a run may be off.
pub(super) fn doubts(Analysis { run, scenario, .. }: &Analysis) -> Vec<String> {
    let points = run.for_known_errors(scenario.family);
    let doubts = [known_error::short(known(), &points), known_error::small_in_short(&points)];
    let doubts = of_own_kernel(run, scenario).into_iter().chain(doubts.into_iter().flatten());
    doubts.flat_map(|doubt| wrapped("", &doubt, usize::from(width()))).collect()
}

/// The command that tells all of a run: of a ladder without laws, its rungs are what there is to tell.
fn more(Analysis { run, scenario, .. }: &Analysis) -> String {
    let directory = run.directory.display();
    if scenario.family.is_ladder() && scenario.fits.is_empty() {
        format!("apbench ladder {directory}")
    } else {
        format!("apbench fit {directory} -v")
    }
}

/// A sentence in so many lines at most: of one that has no room those of its parts that have, and how many more there are.
fn in_room(sentence: &str, room: usize, columns: usize) -> Vec<String> {
    let parts: Vec<&str> = sentence.split(PART_END).collect();
    let told = (1..=parts.len()).rev().map(|count| match parts.len() - count {
        0 => sentence.to_owned(),
        left => format!("{}{PART_END}{left} more with -v.", parts.get(..count).unwrap_or_default().join(PART_END)),
    });
    told.map(|own| wrapped("  ", &own, columns)).find(|own| own.len() <= room).unwrap_or_default()
}
