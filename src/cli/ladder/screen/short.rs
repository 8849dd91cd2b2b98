//! A ladder in a screen: the table that stands for all, a sentence for each source, and where the rest is.

use std::path::Path;

use comfy_table::Table;

use super::{Page, limit_row, rung_row, share_of_peak, time, times};
use crate::ladder::{Ladder, LadderTable, Order, PublishedLadder, Rung, beside};
use located_toml::words::count;

impl Page {
    /// What is shown unless more is asked for. `directory` is that of the run.
    pub(super) fn short(ladder: &Ladder, directory: &Path, width: u16) -> Self {
        let mut page = Self { width, is_short: true, lines: vec![String::new()] };
        let directory = directory.display();
        let Some(own) = ladder.chief().filter(|own| own.best().is_some()) else {
            let why = match ladder.tables.iter().flat_map(|own| &own.rungs).find(|rung| rung.point.is_some()) {
                Some(rung) => format!("no rung has a time ({}: {})", rung.variant, rung.reason),
                None => "no rung was measured".to_owned(),
            };
            page.paragraph("", &format!("no ladder: {why}; apbench fit {directory} tells of all points"));
            return page;
        };
        page.rungs(ladder, own);
        if own.rungs.iter().filter(|rung| rung.time_us.is_some()).count() == 1 {
            page.paragraph("", &format!("one rung has no step: apbench fit {directory} compares its points"));
        }
        page.line("");
        let mut has_published = false;
        for published in &ladder.published {
            if let Some(told) = of_source(ladder, published) {
                page.paragraph("", &told);
                has_published = true;
            }
        }
        let has_estimates = own.rungs.iter().any(|rung| rung.estimate_us.is_some());
        let of_rest = [("phases", own.has_phases()), ("estimates", has_estimates), ("published times", has_published)];
        let rest: Vec<&str> = of_rest.iter().filter(|(_, is_there)| *is_there).map(|(what, _)| *what).collect();
        let rest = if rest.is_empty() { String::new() } else { format!(" ({})", rest.join(", ")) };
        page.paragraph("more: ", &format!("apbench ladder {directory} -v{rest}"));
        if ladder.tables.len() > 1 {
            let others = count(ladder.tables.len() - 1, "other table");
            page.paragraph("all:  ", &format!("apbench ladder {directory} --all ({others})"));
        }
        page
    }

    /// The rungs that have a time, a line for each where there is room, and those that have none below.
    pub(super) fn short_rungs(&mut self, ladder: &Ladder, own: &LadderTable) {
        let timed = || own.rungs.iter().filter(|rung| rung.time_us.is_some());
        let has_rates = timed().any(|rung| rung.gb_per_s.is_some());
        let head = ["rung", "time", "GB/s", "step", "all", "removes"].map(str::to_owned);
        // The line below says whose bandwidth it is.
        let limit = limit_row(ladder, own).map(|[cells @ .., _]| {
            let [name, time, rate, step, all] = cells;
            [name, time, rate, step, all, "at peak bandwidth".to_owned()]
        });
        let rows = [head].into_iter().chain(timed().map(rung_row)).chain(limit);
        let mut table = super::table(&[]);
        for cells in rows {
            table.add_row(
                cells.into_iter().enumerate().filter(|(column, _)| *column != 2 || has_rates).map(|(_, cell)| cell),
            );
        }
        let numbers = if has_rates { 4 } else { 3 };
        narrow(&mut table, numbers);
        self.table(table, numbers);
        if let Some(share) = share_of_peak(ladder, own) {
            self.paragraph("", &share);
        }
        let hosts = own.hosts.iter().filter_map(|host| Some(format!("{} {}", host.variant, time(Some(host.time_us?)))));
        let hosts: Vec<String> = hosts.collect();
        if !hosts.is_empty() {
            self.paragraph("on the host: ", &hosts.join(", "));
        }
        self.without_times(own.rungs.iter().filter(|rung| rung.time_us.is_none()));
    }

    /// Names rungs that have no time, those with the same reason together.
    pub(super) fn without_times<'a>(&mut self, rungs: impl Iterator<Item = &'a Rung>) {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for rung in rungs {
            match reasons.iter_mut().find(|(reason, _)| *reason == rung.reason) {
                Some((_, names)) => names.push(rung.variant),
                None => reasons.push((&rung.reason, vec![rung.variant])),
            }
        }
        let first = if self.is_short { "no time: " } else { "  -: " };
        for (reason, names) in reasons {
            self.paragraph(first, &format!("{}: {reason}", names.join(", ")));
        }
    }
}

/// Columns one blank apart, but for the words after the numbers.
fn narrow(table: &mut Table, numbers: usize) {
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((u16::from(index > numbers), 1));
    }
}

/// A source in a sentence: whether its rungs have their order here, and what they gain there and here.
fn of_source(ladder: &Ladder, published: &PublishedLadder) -> Option<String> {
    let own = ladder.nearest(published)?;
    let beside = beside(published, own)?;
    let (from, to) = (beside.common.first()?, beside.common.last()?);
    let (first, last) = (from.0, to.0);
    let source = format!("published, {} ({})", published.device, published.source);
    let order = match &beside.order {
        Order::Unknown => return Some(format!("{source}: no other of its rungs than {first} is in this run")),
        Order::Same => "the same order".to_owned(),
        Order::Differs(pairs) => {
            let (before, faster) = pairs.first()?;
            let others = pairs.len() - 1;
            let others =
                if others > 0 { format!(", and so in {}", count(others, "other pair")) } else { String::new() };
            format!("another order (here {faster} is faster than {before}{others})")
        }
    };
    let (there, here) = (times(from.1 / to.1), times(from.2 / to.2));
    let values = ladder.other_sizes(published, own).map_or(String::new(), |told| format!("; {told}"));
    Some(format!("{source}: {order}; from {first} to {last} {there} there, {here} here{values}"))
}
