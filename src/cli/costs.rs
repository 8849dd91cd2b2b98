//! What one law costs in each of its many groups: a column for each variant, or a line for each group.

use std::io;

use comfy_table::Table;

use super::output::{is_within_width, print_table, table};
use crate::model::Model;
use crate::model::group::{GroupFit, Key, label};
use crate::model::verdict::Verdict;

/// The part of a table of variants that must have a cost: of a table with more holes nobody reads a row.
const LEAST_FILLED: f64 = 0.5;

/// Prints what a law costs in each of its groups, where a screen of so many rows has room for all.
pub(super) fn print_costs(fits: &[GroupFit], most_rows: usize) -> io::Result<()> {
    if !matches!(fits[0].model, Model::Law { .. }) {
        return Ok(());
    }
    match tables(fits, most_rows) {
        Some(tables) => tables.iter().try_for_each(print_table),
        None if fits.len() <= most_rows => print_table(&by_group(fits)),
        None => Ok(()),
    }
}

/// Tables with a column for each variant: those whose groups are told apart by the same parameters are in one, so that none has holes where a
/// variant does not depend on a parameter. `None` where there is one variant, or too many rows.
fn tables(fits: &[GroupFit], most_rows: usize) -> Option<Vec<Table>> {
    let mut alike: Vec<(Vec<&str>, Vec<&GroupFit>)> = Vec::new();
    let mut variants: Vec<&str> = Vec::new();
    for group in fits {
        place(&mut variants, group.group.iter().find(|(name, _)| name == "variant")?.1.as_str());
        let names: Vec<&str> = group.group.iter().map(|(name, _)| name.as_str()).collect();
        match alike.iter_mut().find(|(own, _)| *own == names) {
            Some((_, own)) => own.push(group),
            None => alike.push((names, vec![group])),
        }
    }
    let costs: Vec<Costs<'_>> = alike.iter().map(|(_, own)| Costs::of(own)).collect::<Option<_>>()?;
    let rows: usize = costs.iter().map(|own| own.keys.len()).sum();
    if variants.len() < 2 || rows > most_rows {
        return None;
    }
    let tables = costs.iter().filter(|own| !own.cells.is_empty()).map(Costs::tables).collect::<Option<Vec<_>>>()?;
    Some(tables.into_iter().flatten().collect())
}

/// The cost of a group; it is marked where the law does not hold.
fn cost(group: &GroupFit) -> Option<(&'static str, String)> {
    let fit = group.outcome.law()?;
    let cost = fit.estimates.get(fit.law.cost.place)?;
    let mark = match fit.verdict {
        Verdict::Fails(_) => " (fails)",
        Verdict::Undecided(_) => " (undecided)",
        _ if cost.below_zero().is_some() => " (below zero: no cost)",
        Verdict::Holds { .. } | Verdict::HoldsFrom { .. } | Verdict::NoCost { .. } => "",
    };
    Some((cost.parameter, format!("{}{mark}", cost.told(cost.estimate))))
}

fn by_group(fits: &[GroupFit]) -> Table {
    let mut rows = table(&[]);
    for group in fits {
        let Some((parameter, cost)) = cost(group) else { continue };
        rows.add_row([format!("  {}", group.label()), parameter.to_owned(), cost]);
    }
    rows
}

/// The costs of several variants, with what else tells groups apart.
struct Costs<'a> {
    parameter: &'static str,
    variants: Vec<&'a str>,
    keys: Vec<Key>,
    /// Each with its key's and its variant's place.
    cells: Vec<(usize, usize, String)>,
}

impl<'a> Costs<'a> {
    /// `None` where a table would have many holes. What has no cost has no row or column.
    fn of(fits: &[&'a GroupFit]) -> Option<Self> {
        let (mut variants, mut keys): (Vec<&str>, Vec<Key>) = (Vec::new(), Vec::new());
        let mut cells: Vec<(usize, usize, String)> = Vec::new();
        let mut parameter = "";
        for group in fits {
            let (variant, rest): (Vec<_>, Vec<_>) = group.group.iter().partition(|(name, _)| name == "variant");
            let Some((own, cost)) = cost(group) else { continue };
            let column = place(&mut variants, variant.first()?.1.as_str());
            let row = place(&mut keys, rest.into_iter().cloned().collect());
            parameter = own;
            cells.push((row, column, cost));
        }
        let filled = cells.len() as f64 / (variants.len() * keys.len()).max(1) as f64;
        (cells.is_empty() || filled >= LEAST_FILLED).then_some(Self { parameter, variants, keys, cells })
    }

    /// A table with a column for each variant, or several where a line has no room for all; `None` where it has none for one.
    fn tables(&self) -> Option<Vec<Table>> {
        let all: Vec<usize> = (0..self.variants.len()).collect();
        let tables = |most: usize| all.chunks(most).map(|columns| self.table(columns)).collect::<Vec<Table>>();
        (1..=all.len()).rev().map(tables).find(|tables| tables.iter().all(is_within_width))
    }

    fn table(&self, columns: &[usize]) -> Table {
        let head = format!("  {}", self.parameter);
        let names = columns.iter().map(|column| self.variants[*column]);
        let header: Vec<&str> = [head.as_str()].into_iter().chain(names).collect();
        let mut rows = table(&header);
        for (row, key) in self.keys.iter().enumerate() {
            let cost = |column: &usize| {
                let own = self.cells.iter().find(|(own, of, _)| (*own, *of) == (row, *column));
                own.map(|(.., cost)| cost.clone()).unwrap_or_default()
            };
            let label = format!("  {}", label(key));
            rows.add_row([label].into_iter().chain(columns.iter().map(cost)));
        }
        rows
    }
}

/// The place of a value, which is put behind the others where it is new.
fn place<T: PartialEq>(known: &mut Vec<T>, value: T) -> usize {
    known.iter().position(|own| *own == value).unwrap_or_else(|| {
        known.push(value);
        known.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::group::fit_points;
    use crate::run::reader::Run;
    use crate::scenario::Scenario;
    use std::path::Path;

    /// What does not depend on a parameter has a table of its own, as it would leave holes in that of the others.
    #[test]
    fn tables_of_costs_have_no_holes() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/nvidia-h200/fences");
        let run = Run::read(&directory).expect("a run");
        let scenario = Scenario::of_run(&run.metadata.scenario, "scenario.toml", &run.scenario).expect("a scenario");
        let fits = fit_points(&scenario.fits, scenario.family, &run.points);
        let waits: Vec<GroupFit> = fits.into_iter().filter(|group| group.name == "waits").collect();
        let tables = tables(&waits, 60).expect("tables");
        let told: Vec<String> = tables
            .iter()
            .flat_map(|own| own.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>())
            .collect();
        insta::assert_snapshot!(told.join("\n"));
        let cells = tables.iter().flat_map(Table::row_iter).flat_map(|row| row.cell_iter());
        assert!(cells.clone().count() > 60 && cells.clone().all(|cell| !cell.content().trim().is_empty()));
    }
}
