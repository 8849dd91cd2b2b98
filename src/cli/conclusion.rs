//! What `sweep` ends with and `fit` tells: the conclusion in a screen, or all findings.

use std::path::{Path, PathBuf};

use located_toml::words::count;

use super::analysis::{Analysis, cause_lines, endings, print_causes, print_summary};
use super::failure::Failure;
use super::findings::print_findings;
use super::ladder::{ladder_of, print_ladder};
use super::output::{fitting_line, is_verbose, line, width, wrapped};
use super::run_directory::{LAST, run_name};
use super::shell::quoted;
use crate::compare::counters::is_count;
use crate::finding::{
    Conclusion, RunDocument, conclusion, is_of_variants, left_out, measured_run, of_own_kernel, of_simulated_points,
    reasons,
};
use crate::known_error::{self, known};
use crate::properties::Origin;
use crate::record::{PointRecord, Status};
use crate::run::REPORT_FILE;
use crate::run::reader::Run;

/// Lines that a conclusion has at most, where no point failed.
const MOST_LINES: usize = 12;
/// Lines that findings have at least, whatever else there is to say.
const LEAST_FINDINGS: usize = 3;
/// Causes of points without a time; `-v` has more.
const MOST_CAUSES: usize = 3;

/// Stands between the parts of a sentence.
const PART_END: &str = "; ";

/// Prints the results of a run.
pub(super) fn print_run(analysis: &Analysis, charts: &[PathBuf]) -> Result<(), Failure> {
    if !is_verbose() {
        let mut made = measured_beside_times(&analysis.run);
        made.push(("run:  ", analysis.run.directory.display().to_string()));
        return print_conclusion(analysis, &made);
    }
    print_summary(analysis)?;
    print_sentences(analysis)?;
    // Of a ladder, the rungs are what there is to find.
    if !(analysis.scenario.family.is_ladder() && analysis.scenario.fits.is_empty()) {
        print_findings(analysis, true)?;
    }
    print_ladder(analysis)?;
    line("")?;
    for chart in charts {
        line(format!("chart: {}", chart.display()))?;
    }
    measured_beside_times(&analysis.run).into_iter().try_for_each(|(first, text)| line(format!("{first}{text}")))?;
    let page = analysis.run.directory.join(REPORT_FILE);
    if page.is_file() {
        line(format!("page:  {}", page.display()))?;
    }
    line(format!("run:   {}", analysis.run.directory.display()))?;
    Ok(())
}

/// What a GPU was asked for beside times and told, with the columns where it is. What it did not tell, it said when the sweep began.
fn measured_beside_times(run: &Run) -> Vec<(&'static str, String)> {
    if run.metadata.device.origin != Origin::Measured {
        return Vec::new();
    }
    let of = |points: usize| format!("of {points} of {}", count(run.points.len(), "point"));
    let energies = run.points.iter().filter(|point| point.energy().is_some()).count();
    let mut told = Vec::new();
    if energies > 0 {
        told.push(("energy: ", format!("{}, in columns energy_mj, power_w and others of points.csv", of(energies))));
    }
    let names = |point: &PointRecord| {
        let own = point.counters.iter().filter(|(name, value)| is_count(name) && !value.is_empty());
        own.map(|(name, _)| name.to_owned()).collect::<Vec<String>>()
    };
    let counted: Vec<Vec<String>> = run.points.iter().map(names).filter(|own| !own.is_empty()).collect();
    if let Some([first, .., last]) = counted.iter().max_by_key(|own| own.len()).map(Vec::as_slice) {
        told.push(("counters: ", format!("{}, in columns {first} to {last} of points.csv", of(counted.len()))));
    }
    told
}

/// A run as JSON, with all of its conclusion.
pub(super) fn document(analysis: &Analysis) -> Result<RunDocument, Failure> {
    let Analysis { run, scenario, fits } = analysis;
    let of_ladder = ladder_of(analysis, &[])?.map(|ladder| ladder.conclusion()).unwrap_or_default();
    Ok(RunDocument::of(run, scenario, fits, of_ladder))
}

/// Prints what the run was, what follows from it, what has no time, what `made` says of files, and where the rest is.
pub(super) fn print_conclusion(analysis: &Analysis, made: &[(&str, String)]) -> Result<(), Failure> {
    let Analysis { run, scenario, fits } = analysis;
    let columns = usize::from(width());
    let head = head(analysis);
    let doubts = doubts(analysis);
    let measured = measured_run(run, scenario);
    let mut rest =
        measured.map_or_else(Vec::new, |own| wrapped(&format!("measured on {}: ", own.gpu), &own.command, columns));
    rest.extend(made.iter().flat_map(|(first, text)| wrapped(first, text, columns)));
    let taken = head.len() + doubts.len() + rest.len() + 1;

    let Conclusion { shown, untold, is_mostly_untold } = conclusion(run, scenario, fits);
    let of_ladder = ladder_of(analysis, &[])?.map(|ladder| ladder.conclusion()).unwrap_or_default();
    let has_findings = !(of_ladder.is_empty() && shown.is_empty() && untold.is_empty());
    let least = if has_findings { LEAST_FINDINGS } else { 0 };
    let causes = causes_within(&run.points, MOST_LINES.saturating_sub(taken + least));
    // What was found before what could not be told: each sentence that there is room for.
    let mut room = MOST_LINES.saturating_sub(taken + causes.len()).max(least);
    // That most laws do not hold has a line in any case.
    let mut reserved = usize::from(is_mostly_untold && room > 1);
    let mut left = 0;
    let mut left_untold = Vec::new();
    head.iter().try_for_each(line)?;
    let found = of_ladder.iter().chain(&shown).map(|own| (own, false));
    for (sentence, is_untold) in found.chain(untold.iter().map(|own| (own, true))) {
        let is_reserved = is_untold && std::mem::take(&mut reserved) > 0;
        let (mut own, mut is_cut) = in_room(sentence, room - reserved, columns);
        if is_reserved && own.is_empty() {
            (own, is_cut) = (wrapped("  ", &format!("{}.", without_details(sentence)), columns), true);
        }
        room = room.saturating_sub(own.len());
        if is_untold && own.is_empty() {
            left_untold.push(without_details(sentence));
        } else {
            left += usize::from(is_cut);
        }
        own.iter().try_for_each(line)?;
    }
    rest.extend(wrapped("more: ", &more(analysis, &left_untold, left), columns));
    causes.iter().chain(&doubts).chain(&rest).try_for_each(line)?;
    Ok(())
}

/// Why points have no time, in so many lines: as many causes as there is room for. What failed is told in any case.
fn causes_within(points: &[PointRecord], room: usize) -> Vec<String> {
    let told = (1..=MOST_CAUSES).rev().map(|most| cause_lines(points, most));
    let shortest = || {
        let all_skipped = points.iter().all(|point| matches!(point.status, Status::Ok | Status::Skipped));
        if all_skipped { reason_lines(points) } else { cause_lines(points, MOST_CAUSES) }
    };
    told.into_iter().find(|lines| lines.len() <= room).unwrap_or_else(shortest)
}

/// The different reasons of points without a time, a line each, as far as it has room; `-v` tells them in full.
fn reason_lines(points: &[PointRecord]) -> Vec<String> {
    let columns = usize::from(width());
    let all = reasons(points);
    let beyond = all.len().saturating_sub(MOST_CAUSES);
    let more = (beyond > 0).then(|| format!("and {}: see column reason of points.csv", count(beyond, "other reason")));
    let line = |told: String| {
        let told = format!("  {told}");
        if told.chars().count() <= columns {
            return told;
        }
        told.chars().take(columns.saturating_sub(3)).chain("...".chars()).collect()
    };
    all.into_iter().take(MOST_CAUSES).chain(more).map(line).collect()
}

/// Prints all sentences of a conclusion, for which [`print_conclusion`] may have had no room.
pub(super) fn print_sentences(analysis: &Analysis) -> Result<(), Failure> {
    let Conclusion { shown, untold, .. } = conclusion(&analysis.run, &analysis.scenario, &analysis.fits);
    let of_ladder = ladder_of(analysis, &[])?.map(|ladder| ladder.conclusion()).unwrap_or_default();
    let all: Vec<&String> = of_ladder.iter().chain(&shown).chain(&untold).collect();
    if !all.is_empty() {
        line("")?;
    }
    Ok(all.into_iter().try_for_each(|sentence| fitting_line("  ", sentence))?)
}

/// Prints what a run was, how its points ended, and why some have no time.
pub(super) fn print_head(analysis: &Analysis) -> Result<(), Failure> {
    head(analysis).iter().try_for_each(line)?;
    print_causes(&analysis.run.points, MOST_CAUSES)
}

/// What a run was and how its points ended.
fn head(analysis: &Analysis) -> Vec<String> {
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
    head
}

/// The lines that say how far the times of a run may be off.
pub(super) fn doubts(Analysis { run, scenario, .. }: &Analysis) -> Vec<String> {
    let points = run.for_known_errors(scenario.family);
    let doubts = [known_error::short(known(), &points), known_error::small_in_short(&points)];
    let doubts = doubts.into_iter().flatten().chain(of_simulated_points(run, scenario));
    let doubts = of_own_kernel(run, scenario).into_iter().chain(doubts);
    doubts.flat_map(|doubt| wrapped("", &doubt, usize::from(width()))).collect()
}

/// Where the rest is: the page, and the command that tells all of a run (of a ladder without laws, its rungs are what there is to tell); and
/// what had no room.
fn more(Analysis { run, scenario, .. }: &Analysis, untold: &[&str], left: usize) -> String {
    let name = short_name(&run.directory);
    let command = if scenario.family.is_ladder() && scenario.fits.is_empty() {
        format!("apbench ladder {name}")
    } else {
        format!("apbench fit -v {name}")
    };
    let page =
        if run.directory.join(REPORT_FILE).is_file() { format!("{REPORT_FILE} there, or: ") } else { String::new() };
    format!("{page}{command}{}", of_left(untold, left))
}

/// What had no room: which laws could not be told, and how many other sentences.
fn of_left(untold: &[&str], left: usize) -> String {
    let others = (left > 0).then(|| format!("{} more", count(left, "sentence")));
    let told: Vec<&str> = untold.iter().copied().chain(others.as_deref()).collect();
    if told.is_empty() { String::new() } else { format!(" ({})", told.join(PART_END).replacen("No ", "no ", 1)) }
}

/// A sentence as far as its first parenthesis, colon or end: `2 of 62 laws do not hold`.
fn without_details(sentence: &str) -> &str {
    let end = [" (", ": ", PART_END].iter().filter_map(|mark| sentence.find(mark)).min();
    end.and_then(|end| sentence.get(..end)).unwrap_or(sentence).trim_end_matches('.')
}

/// The shortest name that means the run on the command line.
fn short_name(directory: &Path) -> String {
    let is_newest = run_name(LAST).is_ok_and(|newest| Path::new(&newest) == directory);
    if is_newest { LAST.to_owned() } else { quoted(&directory.display().to_string()) }
}

/// A sentence in so many lines at most, and whether something of it is left out: of one that has no room those of its parts that have. Variants whose
/// part is left out are named; where there is no room for that, they are counted.
fn in_room(sentence: &str, room: usize, columns: usize) -> (Vec<String>, bool) {
    let parts: Vec<&str> = sentence.split(PART_END).collect();
    let is_of_variants = is_of_variants(sentence);
    let kept_and_rest = || (1..parts.len()).rev().map(|kept| parts.split_at(kept));
    let shorter: Vec<String> = if is_of_variants {
        let named =
            kept_and_rest().map(|(kept, rest)| format!("{}{PART_END}also {}.", kept.join(PART_END), names(rest)));
        let counted = kept_and_rest().filter(|(_, rest)| rest.len() > 1);
        let counted = counted.map(|(kept, rest)| {
            format!("{}{PART_END}and {}.", kept.join(PART_END), count(variants(rest), "more variant"))
        });
        named.chain(counted).collect()
    } else {
        kept_and_rest().map(|(kept, _)| format!("{}.", kept.join(PART_END))).collect()
    };
    let told = std::iter::once(sentence).chain(shorter.iter().map(String::as_str));
    let mut told = told.map(|own| wrapped("  ", own, columns)).enumerate();
    told.find(|(_, own)| own.len() <= room).map_or((Vec::new(), true), |(left, own)| (own, left > 0 && !is_of_variants))
}

/// What the parts are about that a sentence has no room for: a variant each, or how many variants it is that the sentence itself leaves out.
fn names(parts: &[&str]) -> String {
    let name = |part: &&str| match left_out(part) {
        Some(_) => (*part).to_owned(),
        None => part.split(' ').next().unwrap_or_default().trim_end_matches('.').to_owned(),
    };
    parts.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// How many variants these parts are about.
fn variants(parts: &[&str]) -> usize {
    parts.iter().map(|part| left_out(part).unwrap_or(1)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_is_counted() {
        let left = [of_left(&[], 0), of_left(&[], 1), of_left(&["No law holds"], 0), of_left(&["No law holds"], 2)];
        assert_eq!(left, ["", " (1 sentence more)", " (no law holds)", " (no law holds; 2 sentences more)"]);
        let untold = "2 of 62 laws do not hold (global); global, for one: the time at n = 2 is 18 % off.";
        assert_eq!(without_details(untold), "2 of 62 laws do not hold");
        assert_eq!(without_details("No law is fitted."), "No law is fitted");
        let sentence = "Faster than a: b 2.0 times as fast; c 1.5 with m = 8; d 1.2 with m = 2.";
        let lines = |text: &str, is_cut| (vec![text.to_owned()], is_cut);
        assert_eq!(in_room(sentence, 2, 80), lines(&format!("  {sentence}"), false));
        let named = "  Faster than a: b 2.0 times as fast; also c, d.";
        assert_eq!(in_room(sentence, 1, named.len()), lines(named, false));
        let more = sentence.replace("; d", "; 2 more in between; d");
        let named = "  Faster than a: b 2.0 times as fast; also c, 2 more in between, d.";
        assert_eq!(in_room(&more, 1, named.len()), lines(named, false));
        let counted = "  Faster than a: b 2.0 times as fast; and 4 more variants.";
        assert_eq!(in_room(&more, 1, counted.len()), lines(counted, false));
        let two = "Faster than a: b 2.0 times as fast with all of its orders; c 1.5 with m = 8.";
        let named = "  Faster than a: b 2.0 times as fast with all of its orders; also c.";
        assert_eq!(in_room(two, 1, named.len()), lines(named, false));
        assert_eq!(in_room(two, 1, named.len() - 1), (Vec::new(), true), "one alone is not left out");
        assert_eq!(in_room(sentence, 0, 80), (Vec::new(), true));
        let of_laws = "2 of 9 laws do not hold (a); a, for one: the time at n = 2 is 18 % off.";
        assert_eq!(in_room(of_laws, 1, 40), lines("  2 of 9 laws do not hold (a).", true));
    }
}
