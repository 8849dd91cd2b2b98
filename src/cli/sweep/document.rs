//! What a sweep came to, as JSON.

use std::path::PathBuf;

use serde::Serialize;

use super::super::analysis::Analysis;
use super::super::conclusion::document;
use super::super::failure::Failure;
use crate::csv_column::Described;
use crate::finding::RunDocument;
use crate::run::REPORT_FILE;

/// All runs of a sweep, in the order of devices and scenarios.
#[derive(Debug, Default, Serialize)]
pub(super) struct SweepDocument {
    pub(super) runs: Vec<SweptRun>,
    pub(super) not_done: Vec<NotDone>,
    pub(super) interrupted: bool,
}

/// A run, whole or not.
#[derive(Debug, Serialize)]
pub(super) struct SweptRun {
    #[serde(flatten)]
    run: RunDocument,
    page: Option<String>,
    charts: Vec<String>,
    #[serde(rename = "continue")]
    go_on: Option<String>,
}

/// A run that did not come to its end, or did not begin.
#[derive(Debug, Serialize)]
pub(super) struct NotDone {
    pub(super) scenario: String,
    pub(super) device: String,
    pub(super) error: String,
    #[serde(rename = "continue")]
    pub(super) go_on: Option<String>,
}

impl SweptRun {
    /// Of a run with its charts, and the command that goes on where it is not complete.
    pub(super) fn of(analysis: &Analysis, charts: &[PathBuf], go_on: Option<String>) -> Result<Self, Failure> {
        let page = analysis.run.directory.join(REPORT_FILE);
        Ok(Self {
            run: document(analysis)?,
            page: page.is_file().then(|| page.display().to_string()),
            charts: charts.iter().map(|chart| chart.display().to_string()).collect(),
            go_on,
        })
    }
}

/// The keys of the document besides those of a run, for the reference.
pub(in crate::cli) static KEYS: &[Described] = &[
    Described::new("runs[].page", "text", "the run's page; `null` where it has none"),
    Described::new("runs[].charts", "list of text", "files of the charts"),
    Described::new("runs[].continue", "text", "the command that goes on; `null` where the run is complete"),
    Described::new("not_done[].scenario", "text", "of a run that failed or was not begun: name of its scenario"),
    Described::new("not_done[].device", "text", "its device"),
    Described::new("not_done[].error", "text", "why"),
    Described::new("not_done[].continue", "text", "the command that goes on; `null` where there is no run"),
    Described::new("not_done", "list", "empty where every run came to its end"),
    Described::new("interrupted", "true or false", "whether the sweep was interrupted"),
];
