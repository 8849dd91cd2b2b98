//! What came of the points that were checked: a line for each, and their counts.

use std::collections::HashSet;
use std::io;

use super::super::failure::Failure;
use super::super::output::{is_verbose, json, wrapped_line};
use super::document::{Check, Counts, VerifyDocument};
use super::endless::EndlessVariants;
use super::progress::Progress;
use super::repeats::Repeats;
use crate::device::{DeviceError, Finding, RaceReport, UnwatchedLaunches};
use crate::finding::without_numbers;
use crate::measure::check::CheckError;
use crate::parameter::ParameterSet;
use gpu_simulator::races::Unchecked;
use located_toml::words::count;

/// What came of a point.
pub(super) enum Outcome {
    /// All that is to be checked is right.
    Passed,
    /// What was checked is right, and not all was: why, in a sentence.
    InPart(String),
    /// Nothing was found, but what it was to be compared with is wrong: why, in a sentence.
    NotCompared(String),
    /// Its kernels accessed nothing, so that there was nothing to check.
    Untouched,
    /// The device cannot run it: why.
    Skipped(String),
    /// It was not run: why.
    NotRun(String),
    /// Outputs are wrong, or threads race: how.
    Failed(String),
    /// A kernel did wrong: what.
    Faulted(String),
    /// The kernel is taken to have no end: why.
    Endless(String),
}

impl Outcome {
    /// That of a point that ran, or did not.
    pub(super) fn of(result: Result<(), CheckError>, races: Option<&RaceReport>) -> Self {
        let certain = races.map_or(0, RaceReport::certain);
        match result {
            Err(CheckError::Device(DeviceError::Unsupported(problem))) => Self::Skipped(problem),
            Err(CheckError::Device(DeviceError::NotRun(problem))) => Self::NotRun(problem),
            Err(CheckError::Device(DeviceError::Endless(problem))) => Self::Endless(problem),
            Err(CheckError::Device(error)) => Self::Faulted(error.to_string()),
            Err(CheckError::Wrong(problem)) => Self::Failed(problem),
            Ok(()) if certain > 0 => Self::Failed(count(certain, "race")),
            Ok(()) => Self::Passed,
        }
    }

    /// The same of a point of which not all was checked, where there is such a sentence.
    pub(super) fn only(self, in_part: Option<String>) -> Self {
        match (self, in_part) {
            (Self::Passed, Some(sentence)) => Self::InPart(sentence),
            (outcome, _) => outcome,
        }
    }

    /// The same of a point that could not be compared, where there is such a sentence.
    pub(super) fn unless(self, uncompared: Option<String>) -> Self {
        match (self, uncompared) {
            (Self::Passed | Self::InPart(_), Some(sentence)) => Self::NotCompared(sentence),
            (outcome, _) => outcome,
        }
    }

    /// The same of a point whose kernels were watched and accessed nothing.
    pub(super) fn if_touched(self, races: Option<&RaceReport>) -> Self {
        let is_untouched = races.is_some_and(|own| own.accesses == 0 && own.unchecked.is_empty());
        if is_untouched && matches!(self, Self::Passed | Self::InPart(_)) { Self::Untouched } else { self }
    }

    /// The word before the point.
    fn word(&self) -> &'static str {
        match self {
            Self::Passed => "ok     ",
            Self::InPart(_) => "partly ",
            Self::NotCompared(_) => "not compared ",
            Self::Untouched => "nothing ",
            Self::Skipped(_) => "skip   ",
            Self::NotRun(_) => "not run ",
            Self::Failed(_) | Self::Faulted(_) | Self::Endless(_) => "FAILED ",
        }
    }

    /// The word in JSON.
    pub(super) fn verdict(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::InPart(_) => "passed in part",
            Self::NotCompared(_) => "not compared",
            Self::Untouched => "accessed nothing",
            Self::Skipped(_) => "skipped",
            Self::NotRun(_) => "not run",
            Self::Failed(_) | Self::Faulted(_) | Self::Endless(_) => "failed",
        }
    }

    /// What is wrong, or why not all was checked.
    pub(super) fn problem(&self) -> Option<String> {
        match self {
            Self::Passed => None,
            Self::Untouched => {
                let problem =
                    "the kernel accessed no element of any buffer: is its guard ever true at these parameters?";
                Some(problem.to_owned())
            }
            Self::InPart(problem)
            | Self::NotCompared(problem)
            | Self::Skipped(problem)
            | Self::NotRun(problem)
            | Self::Failed(problem)
            | Self::Faulted(problem)
            | Self::Endless(problem) => Some(problem.clone()),
        }
    }
}

/// What came of the checks so far.
pub(super) struct Tally {
    output: io::Result<()>,
    /// What is printed at the end, where JSON is asked for: then nothing else is.
    document: Option<VerifyDocument>,
    counts: Counts,
    /// Accesses that were checked for races, on a device that checks them.
    accesses: Option<u64>,
    /// Launches of which no access was.
    unwatched: UnwatchedLaunches,
    progress: Progress,
    repeats: Repeats,
    endless: EndlessVariants,
    /// Points that passed and were not told, by variant.
    passed: Vec<(String, usize)>,
    /// Points of a variant that passed which are told each.
    told_each: usize,
    /// The races that were told.
    races: HashSet<String>,
    /// Whether it was told that races are not looked at in clusters.
    has_told_clusters: bool,
}

/// Points of a variant that are told where they passed: of more there is a sum.
const PASSED_TOLD: usize = 4;

/// Races of a point that are shown; what is wrong with a kernel is seen by the first.
const RACES_SHOWN: usize = 10;

/// What tells a race of a variant from its others: its kind and its lines, whatever threads and addresses it had.
fn race_key(variant: &str, race: &Finding) -> String {
    let places: Vec<&str> = race.lines.iter().map(|(place, _)| place.as_str()).collect();
    format!("{variant} {} {} {}", race.is_certain, without_numbers(&race.what), places.join(" "))
}

fn race_word(race: &Finding) -> &'static str {
    if race.is_certain { "  race    " } else { "  warning " }
}

impl Tally {
    /// Nothing yet but a first line, or the document that is printed instead.
    pub(super) fn new(first: &str, document: Option<VerifyDocument>, progress: Progress) -> Self {
        let output = if document.is_none() { progress.suspend(|| wrapped_line("", first)) } else { Ok(()) };
        Self {
            output,
            document,
            counts: Counts::default(),
            accesses: None,
            unwatched: UnwatchedLaunches::default(),
            progress,
            repeats: Repeats::default(),
            endless: EndlessVariants::default(),
            passed: Vec::new(),
            told_each: PASSED_TOLD,
            races: HashSet::new(),
            has_told_clusters: false,
        }
    }

    /// Shows the point of a variant that is checked now, of so much work.
    pub(super) fn begin(&mut self, variant: &str, parameters: &ParameterSet, work: u64) {
        self.progress.begin(variant, parameters, work);
    }

    /// From now on, points that passed are told in sum alone.
    pub(super) fn sum_up(&mut self) {
        self.told_each = 0;
    }

    /// Tells before their points that races of variants are not looked at, since their launches have clusters.
    pub(super) fn tell_of_clusters(&mut self, variants: &[&str]) {
        if variants.is_empty() {
            return;
        }
        self.has_told_clusters = true;
        self.print("", &format!("races: {} ({})", Unchecked::InClusters, variants.join(", ")));
    }

    /// What was not looked at for races and is not told before.
    fn unchecked<'r>(&self, races: &'r RaceReport) -> impl Iterator<Item = &'r String> + use<'r> {
        let told = self.has_told_clusters.then(|| Unchecked::InClusters.to_string());
        races.unchecked.iter().filter(move |own| Some(*own) != told.as_ref())
    }

    /// Whether a point is one of many that passed, of which there is a sum.
    fn is_summed_up(&mut self, variant: &str, outcome: &Outcome, races: Option<&RaceReport>) -> bool {
        let is_plain = races.is_none_or(|own| own.found.is_empty() && self.unchecked(own).next().is_none());
        if is_verbose() || !is_plain || !matches!(outcome, Outcome::Passed) {
            return false;
        }
        let place = self.passed.iter().position(|(own, _)| own == variant).unwrap_or_else(|| {
            self.passed.push((variant.to_owned(), 0));
            self.passed.len() - 1
        });
        let Some((_, passed)) = self.passed.get_mut(place) else { return false };
        *passed += 1;
        *passed > self.told_each
    }

    /// Counts a point of a variant and prints what came of it, and its races below. What the variant had at another point, too, is told by
    /// [`Self::tell_repeats`].
    pub(super) fn add(
        &mut self,
        (variant, parameters): (&str, &ParameterSet),
        outcome: &Outcome,
        races: Option<&RaceReport>,
    ) {
        let counts = &mut self.counts;
        let counted = match outcome {
            Outcome::Passed => &mut counts.passed,
            Outcome::InPart(_) => &mut counts.in_part,
            Outcome::NotCompared(_) => &mut counts.not_compared,
            Outcome::Untouched => &mut counts.untouched,
            Outcome::Skipped(_) => &mut counts.skipped,
            Outcome::NotRun(_) => &mut counts.not_run,
            Outcome::Failed(_) | Outcome::Faulted(_) | Outcome::Endless(_) => &mut counts.failed,
        };
        *counted += 1;
        self.progress.end();
        let point = &parameters.to_string();
        if let Outcome::Endless(_) = outcome {
            self.endless.note(variant, point);
        }
        if let Some(races) = races {
            *self.accesses.get_or_insert(0) += races.accesses;
            self.unwatched.merge(&races.unwatched);
        }
        if let Some(document) = &mut self.document {
            document.checks.push(Check::of(variant, parameters, outcome, races));
            return;
        }
        if self.is_summed_up(variant, outcome, races) {
            return;
        }
        if let Outcome::Skipped(problem) = outcome {
            self.repeats.hold((outcome.word(), variant), point, problem);
            return;
        }
        if let Outcome::Faulted(problem) | Outcome::NotRun(problem) = outcome
            && !self.repeats.is_new((outcome.word(), variant), point, problem)
        {
            return;
        }
        let problem = outcome.problem().map_or(String::new(), |problem| format!(": {problem}"));
        self.print(outcome.word(), &format!("{variant} {point}{problem}"));
        let Some(races) = races else { return };
        let (new, again): (Vec<&Finding>, Vec<&Finding>) =
            races.found.iter().partition(|race| self.races.insert(race_key(variant, race)));
        if let Some(race) = again.first() {
            self.print(race_word(race), &format!("the same as above for {variant}, on the same lines"));
        }
        for race in new.iter().take(RACES_SHOWN) {
            let Finding { what, lines, remedy, .. } = race;
            self.print(race_word(race), what);
            lines.iter().for_each(|(place, text)| self.print("          ", &format!("{place}  {text}")));
            self.print("          ", &format!("remedy: {remedy}"));
        }
        let more = new.len().saturating_sub(RACES_SHOWN);
        if more > 0 {
            self.print("  ", &format!("and {} more", count(more, "race")));
        }
        for sentence in self.unchecked(races) {
            self.print("  races: ", sentence);
        }
    }

    /// Whether a variant did not end at a point before, and counts this one as not run then. [`Self::tell_repeats`] tells which these are.
    pub(super) fn refuses(&mut self, variant: &str, parameters: &ParameterSet) -> bool {
        let refuses = self.endless.refuse(variant, &parameters.to_string());
        if refuses {
            self.counts.not_run += 1;
            self.progress.end();
        }
        if let Some(document) = self.document.as_mut().filter(|_| refuses) {
            document.checks.push(Check::not_run(variant, parameters));
        }
        refuses
    }

    /// Prints how many points of each variant passed, and since this was asked last which faults and reasons came again at which points, and which points were not run.
    pub(super) fn tell_repeats(&mut self) {
        let (is_document, endless) = (self.document.is_some(), self.endless.told());
        if is_document {
            // Each point has its own check there.
            return;
        }
        for (variant, passed) in std::mem::take(&mut self.passed) {
            let told = match (passed.saturating_sub(self.told_each), self.told_each) {
                (0, _) => continue,
                (left, 0) => format!("{variant}: {}", count(left, "point")),
                (left, _) => format!("{variant}: {}", count(left, "more point")),
            };
            self.print(Outcome::Passed.word(), &told);
        }
        for told in endless {
            self.print("not run ", &told);
        }
        for (word, told) in self.repeats.told() {
            self.print(word, &told);
        }
    }

    /// Prints a text, `first` before it; in JSON, it is a note.
    pub(super) fn print(&mut self, first: &str, text: &str) {
        if let Some(document) = &mut self.document {
            document.notes.push(text.to_owned());
        } else if self.output.is_ok() {
            self.output = self.progress.suspend(|| wrapped_line(first, text));
        }
    }

    /// Prints the counts. Tells whether no point failed, and whether someone listened.
    pub(super) fn finish(mut self) -> (bool, Result<(), Failure>) {
        self.progress.finish();
        let Counts { passed, failed, in_part, not_compared, untouched, skipped, not_run } = self.counts;
        let is_nothing = passed + failed + in_part + not_compared == 0 && skipped + untouched + not_run > 0;
        let why = is_nothing.then_some(match (skipped, not_run, untouched) {
            (_, 0, 0) => "every point is skipped",
            (0, _, 0) => "no point was run",
            (0, 0, _) => "no kernel accessed a buffer",
            _ => "no point was run whose kernel accessed a buffer",
        });
        let is_right = failed == 0 && !is_nothing;
        if let Some(mut document) = self.document.take() {
            document.counts = self.counts;
            document.accesses_checked_for_races = self.accesses;
            document.launches_not_checked_for_races = self.accesses.map(|_| self.unwatched.launches());
            document.not_checked_for_races = self.unwatched.told();
            document.nothing_checked = why.map(str::to_owned);
            document.is_right = is_right;
            return (is_right, json(&document));
        }
        let mut line = format!("{passed} passed, {failed} failed");
        for (counted, what) in [
            (in_part, "checked in part"),
            (not_compared, "not compared"),
            (untouched, "accessed nothing"),
            (skipped, "skipped"),
            (not_run, "not run"),
        ] {
            if counted > 0 {
                line += &format!(", {counted} {what}");
            }
        }
        let unwatched = self.unwatched.told();
        if let Some(accesses) = self.accesses.filter(|accesses| *accesses > 0 || unwatched.is_empty()) {
            line += &format!("; {accesses} accesses were checked for races");
        }
        unwatched.iter().for_each(|told| line += &format!("; {told}"));
        self.print("", &line);
        if let Some(why) = why {
            self.print("", &format!("nothing was checked: {why}"));
        }
        (is_right, self.output.map_err(Failure::from))
    }
}
