//! A run as one HTML page that opens offline: its findings, its charts, its tables and its data, with nothing to fetch.
//!
//! The page is whole without scripts: static pictures and tables. Its scripts replace line charts by interactive ones and
//! make tables sort. Nothing here touches a file.

use located_toml::words::is_control;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::chart::Chart;
use crate::compare::SideBySide;
use crate::diagnosis::Document;
use crate::finding::Findings;
use crate::ladder::Ladder;
use crate::run::reader::Run;
use crate::scenario::Scenario;

mod comparison;
mod data;
pub mod diagnosis;
mod facts;
mod figure;
mod interactive;
mod ladder;
mod points;
mod summary;
mod table;
mod thin;

pub use points::Points;

/// The colours of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PageTheme {
    /// As the reader's system has them.
    #[default]
    Auto,
    /// Dark ink on white.
    Light,
    /// Light ink on a dark ground; on paper it is the other way round all the same.
    Dark,
}

impl PageTheme {
    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Everything that a page is made of.
#[derive(Debug)]
pub struct Report<'a> {
    /// The run.
    pub run: &'a Run,
    /// Its scenario.
    pub scenario: &'a Scenario,
    /// The findings in words.
    pub findings: Findings,
    /// Its charts, each with the name of its files.
    pub charts: Vec<(String, Chart)>,
    /// The text of `points.csv`, as far as the page has it.
    pub points: Points,
    /// The header and the rows of `fits.csv`.
    pub fits: Vec<Vec<String>>,
    /// The same as the file has them.
    pub fits_text: String,
    /// Its rungs, where its family is a ladder.
    pub ladder: Option<Ladder>,
    /// What was found in its kernel.
    pub diagnosis: Option<Document>,
    /// Other runs beside it.
    pub comparison: Option<Comparison>,
    /// The colours.
    pub theme: PageTheme,
}

/// Other runs beside the page's own, which is the base.
#[derive(Debug)]
pub struct Comparison {
    /// Points and laws.
    pub side_by_side: SideBySide,
    /// The run's charts with the points of all, each with a name that no other chart of the page has.
    pub charts: Vec<(String, Chart)>,
}

/// Style sheets, in their order.
const STYLES: [&str; 2] = [include_str!("assets/uplot/uPlot.min.css"), include_str!("assets/report.css")];

/// The library, and then our own scripts in their order, each with one purpose.
const LIBRARY: &str = include_str!("assets/uplot/uPlot.iife.min.js");
const SCRIPTS: [&str; 7] = [
    include_str!("assets/format.js"),
    include_str!("assets/data.js"),
    include_str!("assets/table.js"),
    include_str!("assets/marks.js"),
    include_str!("assets/chart.js"),
    include_str!("assets/picture.js"),
    include_str!("assets/start.js"),
];

/// The page.
///
/// # Errors
/// When the data cannot be written as JSON, which does not happen.
pub fn page(report: &Report<'_>) -> serde_json::Result<String> {
    let script = format!("{LIBRARY}\n(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.concat());
    let compared = report.comparison.iter().flat_map(|comparison| &comparison.charts);
    let figures = figure::Figures::new(&report.charts.iter().chain(compared).collect::<Vec<_>>());
    let data = data::embedded(report, &figures)?;
    let title = format!("{}: {}", report.scenario.title, report.run.metadata.device.label());
    let page = html! {
        (DOCTYPE)
        html lang="en" data-theme=(report.theme.name()) {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy(&script));
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content=(match report.theme { PageTheme::Auto => "light dark", other => other.name() });
                meta name="generator" content=(format!("apbench {}", env!("CARGO_PKG_VERSION")));
                title { (title) }
                // An empty picture, or browsers ask for one.
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLES.concat())) }
            }
            body {
                a.skip href="#findings" { "Skip to the findings" }
                (summary::header(report))
                // A diagnosis or a comparison comes before the charts.
                main class=[(report.diagnosis.is_none() && report.comparison.is_none()).then_some("beside")] {
                    (summary::findings(report))
                    @if let Some(document) = &report.diagnosis { (diagnosis::section(document)) }
                    (comparison::section(report, &figures))
                    (figure::section(report, &figures))
                    (ladder::section(report))
                    (summary::laws(report))
                    (tables(report))
                    (facts::device(report.run))
                    (facts::provenance(report.run, report.scenario))
                    (downloads(report))
                }
                (footer(report))
                script type="application/json" id="run-data" { (PreEscaped(data)) }
                script { (PreEscaped(script)) }
            }
        }
    };
    Ok(seen(page.into_string()))
}

/// The page with replacement characters for what turns the direction of the text behind it, or controls a terminal that shows the file: names
/// and titles come from files of others.
fn seen(page: String) -> String {
    let is_hidden = |letter: char| is_control(letter) && !matches!(letter, '\n' | '\t');
    if page.contains(is_hidden) { page.replace(is_hidden, "\u{fffd}") } else { page }
}

/// A sentence in which names stand in backquotes.
fn with_code(sentence: &str) -> Markup {
    html! { @for (place, part) in sentence.split('`').enumerate() { @if place % 2 == 0 { (part) } @else { code { (part) } } } }
}

/// Nothing is loaded from anywhere, and of scripts only this one runs, whatever a run's texts hold.
fn policy(script: &str) -> String {
    let hash = base64(&Sha256::digest(script.as_bytes()));
    format!(
        "default-src 'none'; script-src 'sha256-{hash}'; style-src 'unsafe-inline'; img-src data: blob:; \
         base-uri 'none'; form-action 'none'"
    )
}

/// Bytes in base 64 (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = char::from(DIGITS[(word >> (18 - 6 * place) & 63) as usize]);
            text.push(if place > chunk.len() { '=' } else { digit });
        }
    }
    text
}

fn tables(report: &Report<'_>) -> Markup {
    html! {
        section #tables aria-labelledby="tables-heading" {
            h2 #tables-heading { "Tables" }
            @for table in table::of_fits(&report.fits) { (table) }
            (report.points.table())
        }
    }
}

fn downloads(report: &Report<'_>) -> Markup {
    let name = &report.run.metadata.scenario;
    let points = if report.points.is_whole() { "points" } else { "points-first" };
    html! {
        section #data aria-labelledby="data-heading" {
            h2 #data-heading { "Data" }
            p { (report.points.about()) }
            p.downloads {
                button type="button" data-download="points" data-file=(format!("{name}-{points}.csv")) hidden { "Save points.csv" }
                button type="button" data-download="fits" data-file=(format!("{name}-fits.csv")) hidden { "Save fits.csv" }
                button type="button" data-download="scenario" data-file=(format!("{name}.toml")) hidden { "Save scenario.toml" }
            }
            details { summary { "The scenario as it ran" } pre tabindex="0" { code { (report.run.scenario) } } }
        }
    }
}

fn footer(report: &Report<'_>) -> Markup {
    html! {
        footer {
            p {
                "Made by apbench " (env!("CARGO_PKG_VERSION")) " from " code { (report.run.directory.display()) }
                ". Nothing on this page is loaded from anywhere. Interactive charts by uPlot 1.6.32 (MIT licence, © 2022 Leon Sorokin)."
            }
        }
    }
}

#[cfg(test)]
mod tests;
