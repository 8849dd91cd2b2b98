//! A ladder on the terminal: tables beneath each other, so that each fits into 80 columns.

use std::path::Path;

use comfy_table::{CellAlignment, ColumnConstraint, Table};

use super::super::failure::Failure;
use super::super::fitting::fitted;
use super::super::output::{line, table, width, wrapped};
use crate::device::Phases;
use crate::ladder::{Beside, Ladder, LadderTable, Order, PublishedLadder, Rung, Speedup, beside};
use crate::properties::Origin;
use crate::scenario::Embedded;
use crate::unit;
use located_toml::words::count;

/// Tables of the largest size that are shown unless all are asked for.
const TABLES_MAX: usize = 8;
/// Pairs of rungs in another order than the published one that are named.
const PAIRS_MAX: usize = 3;

/// How much of a ladder is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// The tables of the largest size, and the published rungs beside the table whose sizes are nearest to theirs.
    Largest,
    /// All tables, each with the published rungs of every GPU.
    All,
}

/// Prints the tables of a ladder.
pub(super) fn print(ladder: &Ladder, detail: Detail) -> Result<(), Failure> {
    Ok(Page::of(ladder, detail, width()).lines.into_iter().try_for_each(line)?)
}

/// Prints the table that stands for all, and where the rest is.
pub(super) fn print_short(ladder: &Ladder, directory: &Path) -> Result<(), Failure> {
    Ok(Page::short(ladder, directory, width()).lines.into_iter().try_for_each(line)?)
}

/// What is printed, line by line.
struct Page {
    width: u16,
    /// Whether each rung has one line, and notes are few.
    is_short: bool,
    lines: Vec<String>,
}

impl Page {
    fn of(ladder: &Ladder, detail: Detail, width: u16) -> Self {
        let mut page = Self { width, is_short: false, lines: Vec::new() };
        let all = detail == Detail::All;
        if ladder.tables.is_empty() {
            page.line("");
            page.line("no ladder: no rung was measured");
            return page;
        }
        let most_bytes = ladder.tables.iter().map(|own| own.bytes).max();
        let largest: Vec<&LadderTable> =
            ladder.tables.iter().filter(|own| all || Some(own.bytes) == most_bytes).collect();
        let shown = if all { &largest[..] } else { &largest[..largest.len().min(TABLES_MAX)] };
        for table in shown {
            page.rungs(ladder, table);
            if table.has_phases() {
                page.phases(table);
            }
            if table.rungs.iter().any(|rung| rung.estimate_us.is_some()) {
                page.estimates(table);
            }
            if all {
                ladder.published.iter().for_each(|own| page.published(ladder, own, table));
            }
        }
        if ladder.tables.len() > shown.len() {
            page.line("");
            let others = ladder.tables.len() - shown.len();
            let what = if shown.len() == largest.len() { " of smaller sizes" } else { " more" };
            page.line(&format!("and {}{what}: --all shows every one", count(others, "table")));
        }
        if all {
            return page;
        }
        let own: Vec<&PublishedLadder> = ladder.published.iter().filter(|own| own.is_own_device).collect();
        let chosen = if own.is_empty() { ladder.published.iter().collect() } else { own };
        for published in chosen {
            if let Some(table) = ladder.nearest(published) {
                page.published(ladder, published, table);
            }
        }
        page
    }

    fn line(&mut self, text: &str) {
        self.lines.push(text.trim_end().to_owned());
    }

    fn paragraph(&mut self, first: &str, text: &str) {
        self.lines.extend(wrapped(first, text, usize::from(self.width)));
    }

    /// The columns after the first have numbers, aligned to the right; the columns after these take the rest of the width.
    fn table(&mut self, mut rows: Table, numbers: usize) {
        for (index, column) in rows.column_iter_mut().enumerate() {
            if index <= numbers {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
            if index > 0 && index <= numbers {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        self.lines.extend(fitted(&rows, self.width));
    }

    fn rungs(&mut self, ladder: &Ladder, own: &LadderTable) {
        if !self.is_short {
            self.line("");
        }
        self.paragraph("", &heading(&format!("{}, {} times", ladder.family, ladder.origin.name()), own));
        if self.is_short {
            return self.short_rungs(ladder, own);
        }
        let mut rows = table(&["  rung", "time", "GB/s", "step", "all", "removes"]);
        for rung in &own.rungs {
            rows.add_row(indented(rung_row(rung)));
        }
        if let Some(limit) = limit_row(ladder, own) {
            rows.add_row(indented(limit));
        }
        self.table(rows, 4);
        let best = own.best();
        let (unmeasured, measured): (Vec<&Rung>, Vec<&Rung>) =
            own.hosts.iter().partition(|host| host.time_us.is_none());
        for host in measured {
            let of_best =
                host.time_us.zip(best).and_then(|(own_us, best)| Some((own_us / best.time_us?, best.variant)));
            let beside = of_best.map(|(ratio, best)| format!(", {} the time of {best}", times(ratio)));
            let told = format!("{} {}{}", host.variant, time(host.time_us), beside.unwrap_or_default());
            self.paragraph("  on the host: ", &told);
        }
        self.without_times(own.rungs.iter().filter(|rung| rung.time_us.is_none()));
        // Beside a simulated device the host has no times, whichever the variant.
        if ladder.origin == Origin::Simulated && !unmeasured.is_empty() {
            let names: Vec<&str> = unmeasured.iter().map(|host| host.variant).collect();
            self.paragraph(
                "  -: ",
                &format!("{}: on the host, whose times are compared with those of GPUs only", names.join(", ")),
            );
        } else {
            self.without_times(unmeasured.into_iter());
        }
        if let Some(share) = share_of_peak(ladder, own) {
            self.paragraph("  ", &share);
        }
    }

    fn estimates(&mut self, own: &LadderTable) {
        self.line("");
        let mut rows = table(&["  estimated", "time", "estimate", "error", "step", "estimate"]);
        for rung in &own.rungs {
            let Some(estimate_us) = rung.estimate_us else { continue };
            let error = rung.time_us.map(|time_us| format!("{:+.0} %", (estimate_us / time_us - 1.0) * 100.0));
            rows.add_row([
                format!("  {}", rung.variant),
                time(rung.time_us),
                time(Some(estimate_us)),
                error.unwrap_or_else(none),
                speedup(rung.step),
                rung.estimate_step.map_or_else(none, times),
            ]);
        }
        self.table(rows, 5);
    }

    fn phases(&mut self, own: &LadderTable) {
        self.line("");
        let mut rows = table(&["  phases", "in", "kernel", "out", "host", "total", "hidden"]);
        for rung in own.rungs.iter().chain(&own.hosts) {
            let Some(phases) = rung.phases else { continue };
            rows.add_row([
                format!("  {}", rung.variant),
                time(Some(phases.transfer_in_us)),
                time(Some(phases.kernel_us)),
                time(Some(phases.transfer_out_us)),
                time(phases.host_us),
                time(Some(phases.total_us)),
                hidden(&phases),
            ]);
        }
        if let Some(limit_us) = own.limit_us {
            let nothing = String::new;
            rows.add_row([
                "  limit".to_owned(),
                nothing(),
                time(Some(limit_us)),
                nothing(),
                nothing(),
                nothing(),
                nothing(),
            ]);
        }
        self.table(rows, 6);
        let has_hidden = own.rungs.iter().filter_map(|rung| rung.phases).any(|phases| phases.kernel_hidden_us > 0.0);
        if has_hidden {
            self.paragraph("  ", "hidden: share of the kernels' time that overlaps a transfer");
        }
    }

    fn published(&mut self, ladder: &Ladder, published: &PublishedLadder, own: &LadderTable) {
        let Some(Beside { rungs, common, order }) = beside(published, own) else { return };
        let places = published.places.join(", ");
        let word = match published.places.len() {
            _ if !places.starts_with(|first: char| first.is_ascii_digit()) => "",
            1 => "table ",
            _ => "tables ",
        };
        let parameters: Vec<String> =
            published.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        self.line("");
        self.paragraph(
            "",
            &format!(
                "{}, published: {} ({}, {word}{places}), {}",
                ladder.family,
                published.device,
                published.source,
                parameters.join(" ")
            ),
        );
        let here = match ladder.tables.len() {
            1 => String::new(),
            _ => format!(" at {}", own.label()),
        };
        self.paragraph("", &format!("here: {}, {} times{here}", ladder.device, ladder.origin.name()));
        if let Some(told) = ladder.other_sizes(published, own) {
            self.paragraph("other sizes: ", &told);
        }
        if rungs.iter().skip(1).all(|(_, step, cumulative)| step.is_none() && cumulative.is_none()) {
            let names: Vec<&str> = common.iter().map(|(name, ..)| *name).collect();
            let all = Embedded::named(ladder.family)
                .map_or(String::new(), |own| format!("; apbench sweep {} has all", own.name));
            self.paragraph(
                "  ",
                &format!("no step to compare: of its rungs only {} are in this run{all}", names.join(", ")),
            );
            return;
        }
        let heads = ["  rung", published.metric.as_str(), "step", "here", "all", "here"];
        let mut rows = table(&heads);
        for (index, (rung, step, cumulative)) in rungs.iter().enumerate() {
            let is_first = index == 0;
            rows.add_row([
                format!("  {}", rung.variant),
                format!("{}{}", if rung.is_derived { "~" } else { "" }, time(Some(rung.time_us))),
                rung.step.map_or_else(none, times),
                step.map_or_else(none, times),
                if is_first { "1x".to_owned() } else { times(rung.cumulative) },
                cumulative.map_or_else(none, |ratio| if is_first { "1x".to_owned() } else { times(ratio) }),
            ]);
        }
        self.table(rows, 5);
        if rungs.iter().any(|(rung, ..)| rung.is_derived) {
            self.paragraph("  ", "~: computed from a published speedup; the source does not print this time");
        }
        for host in &published.hosts {
            self.paragraph("  ", &format!("{} on a {}: {}", host.variant, host.device, unit::time_us(host.time_us)));
        }
        match order {
            Order::Unknown => {}
            Order::Same => self.paragraph("  ", "order of these rungs: as published"),
            Order::Differs(pairs) => {
                let told =
                    pairs.iter().take(PAIRS_MAX).map(|(first, second)| format!("{second} is faster than {first}"));
                let told = told.collect::<Vec<_>>().join(", ");
                let more = pairs.len().saturating_sub(PAIRS_MAX);
                let more = if more > 0 { format!(", and so in {}", count(more, "other pair")) } else { String::new() };
                self.paragraph(
                    "  ",
                    &format!("order of these rungs: differs from the published one: here {told}{more}"),
                );
            }
        }
    }
}

/// The cells of a rung: its name, its time, its rate, its speedups, and what it removes.
fn rung_row(rung: &Rung) -> [String; 6] {
    [
        rung.variant.to_owned(),
        time(rung.time_us),
        rung.gb_per_s.map_or_else(none, |rate| unit::significant(rate, 3)),
        speedup(rung.step),
        if rung.step.is_none() && rung.time_us.is_some() { "1x".to_owned() } else { speedup(rung.cumulative) },
        if rung.removes.is_empty() { none() } else { rung.removes.clone() },
    ]
}

/// The same of the limit of the device; `None` where the table has none, or the times have transfers, too.
fn limit_row(ladder: &Ladder, own: &LadderTable) -> Option<[String; 6]> {
    let (limit_us, peak) = own.limit_us.zip(ladder.peak_gb_per_s).filter(|_| !own.has_phases())?;
    let first_us = own.rungs.iter().find_map(|rung| rung.time_us);
    Some([
        "limit".to_owned(),
        time(Some(limit_us)),
        unit::significant(peak, 3),
        String::new(),
        first_us.map_or_else(String::new, |first_us| times(first_us / limit_us)),
        format!("({})", ladder.peak_name),
    ])
}

fn indented([name, rest @ ..]: [String; 6]) -> Vec<String> {
    [format!("  {name}")].into_iter().chain(rest).collect()
}

fn share_of_peak(ladder: &Ladder, own: &LadderTable) -> Option<String> {
    let (share, peak, best) = (own.share_of_peak()?, ladder.peak_gb_per_s?, own.best_kernel()?);
    let what = if own.has_phases() { "the kernels of the best rung" } else { "the best rung" };
    let beyond = if share > 1.0 { "; above 100 %: some of the bytes came from caches" } else { "" };
    Some(format!(
        "{what}, {}: {} % of the {} ({} GB/s){beyond}",
        best.variant,
        unit::significant(share * 100.0, 2),
        ladder.peak_name,
        unit::significant(peak, 4)
    ))
}

fn hidden(phases: &Phases) -> String {
    if phases.kernel_us > 0.0 { format!("{:.0} %", phases.kernel_hidden_us / phases.kernel_us * 100.0) } else { none() }
}

fn heading(words: &str, own: &LadderTable) -> String {
    let label = own.label();
    if label.is_empty() { words.to_owned() } else { format!("{words}, {label}") }
}

fn none() -> String {
    "-".to_owned()
}

fn time(time_us: Option<f64>) -> String {
    time_us.map_or_else(none, unit::time_us)
}

fn speedup(speedup: Option<Speedup>) -> String {
    speedup.map_or_else(none, |own| times(own.ratio))
}

fn times(ratio: f64) -> String {
    format!("{}x", unit::significant(ratio, 3))
}

mod short;
#[cfg(test)]
mod tests;
