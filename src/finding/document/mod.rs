//! A run as JSON: what `sweep --json` and `fit --json` print.

mod fits;
mod keys;

use serde::Serialize;

use super::{Finding, Findings, Mark, causes, conclusion, in_part, summary};
use crate::device::GuardOutcome;
use crate::known_error::{self, known};
use crate::model::group::{GroupFit, fixed_parameters};
use crate::record::{PointRecord, Status};
use crate::run::metadata::RunStatus;
use crate::run::reader::Run;
use crate::scenario::Scenario;
use fits::FitDocument;
pub use keys::KEYS;

/// What a run was and what it shows.
#[derive(Debug, Serialize)]
pub struct RunDocument {
    run: String,
    scenario: String,
    title: String,
    device: String,
    origin: &'static str,
    status: RunStatus,
    part: Option<String>,
    points: PointCounts,
    causes: Vec<String>,
    flagged: Vec<String>,
    fixed_parameters: String,
    conclusion: Vec<String>,
    untold: Vec<String>,
    doubts: Vec<String>,
    findings: Vec<FindingDocument>,
    fits: Vec<FitDocument>,
}

/// How many points there are, and how they ended.
#[derive(Debug, Serialize)]
struct PointCounts {
    grid: usize,
    rows: usize,
    ok: usize,
    wrong: usize,
    failed: usize,
    not_run: usize,
    skipped: usize,
}

/// A finding with what it rests on.
#[derive(Debug, Serialize)]
struct FindingDocument {
    heading: String,
    verdict: &'static str,
    sentence: String,
    details: Vec<String>,
}

impl RunDocument {
    /// Of a run, with its fits and what there is to conclude of it as a ladder.
    pub fn of(run: &Run, scenario: &Scenario, fits: &[GroupFit], of_ladder: Vec<String>) -> Self {
        let metadata = &run.metadata;
        let super::Conclusion { shown, untold, .. } = conclusion(run, scenario, fits);
        let Findings { doubts: of_fits, each, .. } = summary(run, scenario, fits);
        let good: Vec<&PointRecord> = run.points.iter().filter(|point| point.status == Status::Ok).collect();
        let points = run.for_known_errors(scenario.family);
        let of_errors = [known_error::sentence(known(), &points), known_error::small(&points)];
        let flagged = metadata.guards.iter().filter(|guard| guard.outcome == GuardOutcome::Flagged);
        Self {
            run: run.directory.display().to_string(),
            scenario: metadata.scenario.clone(),
            title: scenario.title.clone(),
            device: metadata.device.label(),
            origin: metadata.device.origin.name(),
            status: metadata.status,
            part: metadata.part.map(|part| part.to_string()),
            points: PointCounts::of(metadata.points, &run.points),
            causes: super::sentences(&causes(&run.points)),
            flagged: flagged.map(|guard| format!("{}: {}", guard.guard, guard.detail)).collect(),
            fixed_parameters: fixed_parameters(scenario.family, &good),
            conclusion: of_ladder.into_iter().chain(shown).collect(),
            untold,
            doubts: of_errors.into_iter().flatten().chain(in_part(&good)).chain(of_fits).collect(),
            findings: each.into_iter().map(FindingDocument::from).collect(),
            fits: fits.iter().map(FitDocument::of).collect(),
        }
    }
}

impl PointCounts {
    fn of(grid: usize, points: &[PointRecord]) -> Self {
        let ended = |status| points.iter().filter(|point| point.status == status).count();
        let [ok, wrong, failed, not_run, skipped] = Status::ALL.map(ended);
        Self { grid, rows: points.len(), ok, wrong, failed, not_run, skipped }
    }
}

impl From<Finding> for FindingDocument {
    fn from(finding: Finding) -> Self {
        let Finding { heading, sentence, details, mark } = finding;
        Self { heading, verdict: mark.word(), sentence, details }
    }
}

impl Mark {
    /// Its word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::NoCost => "no cost",
            Self::Fails => "fails",
            Self::Undecided => "undecided",
            Self::NotFitted => "not fitted",
            Self::Compared => "compared",
        }
    }
}
