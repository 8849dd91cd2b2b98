//! Charts that a scenario does not have: its own ones changed, or new ones, from options.

use std::collections::HashSet;

use toml_edit::{DocumentMut, Item, Table, Value};

use super::grid::Grid;
use super::requests::{self, ChartRequest};
use super::{Scenario, ScenarioErrors};
use crate::family::Family;
use located_toml::problem::{Place, Source};
use located_toml::report::Sources;
use located_toml::section::Section;

/// A key of a `[[chart]]` and its value as TOML; nothing, where the key is to go.
pub type ChartOption = (&'static str, String);

/// Values of a grid that a note lists.
const VALUES_MAX: usize = 20;

/// What errors call the text that options become.
const NAME: &str = "the chart that the options describe";

impl Scenario {
    /// The scenario's charts (or the one of this name) with these keys replaced; without a name and with `anew`, a chart of these keys
    /// alone. Options are checked as the keys of a `[[chart]]` are.
    ///
    /// # Errors
    /// A name that no chart has, with the names of the charts; or all that is wrong with the options.
    pub fn charts_with(
        &self,
        name: Option<&str>,
        anew: bool,
        options: &[ChartOption],
    ) -> Result<Vec<ChartRequest>, ScenarioErrors> {
        let names: Vec<&str> = self.charts.iter().map(|chart| chart.name.as_str()).collect();
        if let Some(wanted) = name.filter(|wanted| !names.contains(wanted)) {
            let quoted = located_toml::words::quote(wanted);
            let message = format!("the scenario has no chart {quoted}");
            let help = if names.is_empty() {
                "it has none at all; describe one with --x and the other options".to_owned()
            } else {
                located_toml::words::instead(wanted, &names)
            };
            return Err(ScenarioErrors::of_file("--chart", &message, &help));
        }
        if options.is_empty() {
            let wanted = self.charts.iter().filter(|chart| name.is_none_or(|name| name == chart.name));
            return Ok(wanted.cloned().collect());
        }
        let tables: Vec<Table> = if anew && name.is_none() {
            vec![Table::new()]
        } else {
            let place = |chart: &&ChartRequest| name.is_none_or(|name| name == chart.name);
            let own = self.chart_tables();
            self.charts.iter().zip(own).filter(|(chart, _)| place(chart)).map(|(_, table)| table).collect()
        };
        let mut charts = Vec::new();
        for mut table in tables {
            for (key, value) in options {
                if value.is_empty() {
                    table.remove(key);
                    continue;
                }
                let value = value.parse::<Value>().unwrap_or_else(|_| Value::from(value.as_str()));
                // What the new one replaces by another key goes.
                let replaced: &[&str] = match *key {
                    "normalise" => &["y", "reference"],
                    "y" => &["normalise", "reference"],
                    _ => &[],
                };
                for old in replaced.iter().filter(|old| !options.iter().any(|(key, _)| key == *old)) {
                    table.remove(old);
                }
                if *key == "kind" {
                    leave_to_kind(&mut table, value.as_str().unwrap_or_default(), options);
                }
                table.insert(key, Item::Value(value));
            }
            charts.extend(self.read_chart(&table.to_string())?);
        }
        Ok(charts)
    }

    /// What to know of a chart: that it shows points of values only that the grid does not have.
    pub fn notes_on(&self, chart: &ChartRequest) -> Vec<String> {
        let grids: Vec<&Grid> = std::iter::once(&self.grid).chain(&self.simulated_grid).collect();
        notes_on_only(chart, self.family, &grids)
    }

    /// The `[[chart]]` tables of the scenario's text.
    fn chart_tables(&self) -> Vec<Table> {
        let Ok(document) = self.text.parse::<DocumentMut>() else { return Vec::new() };
        match document.get("chart") {
            Some(Item::ArrayOfTables(tables)) => tables
                .iter()
                .map(|table| {
                    let pairs = table.iter().map(|(key, item)| (key.to_owned(), item.clone()));
                    pairs.collect::<Table>()
                })
                .collect(),
            Some(Item::Value(Value::Array(items))) => {
                items.iter().filter_map(|item| Some(item.as_inline_table()?.clone().into_table())).collect()
            }
            _ => Vec::new(),
        }
    }

    fn read_chart(&self, text: &str) -> Result<Vec<ChartRequest>, ScenarioErrors> {
        let sources = Sources::new(NAME, text, &[]);
        let (charts, problems) = located_toml::walk(text, |table, problems| {
            let section = Section::new(table, Place::new(Source::File, 0..text.trim_end().len()));
            let subject = requests::Subject { family: Some(self.family), variants: &self.variants };
            let laws = requests::law_names(&self.fits);
            requests::charts(&[section], subject, &laws, &self.title, problems)
        });
        if problems.is_empty() { Ok(charts) } else { Err(sources.errors(problems)) }
    }
}

/// What to know of a chart that shows points of values that no grid of the scenario has. Parameters that are in no grid have defaults, which
/// depend on the device.
fn notes_on_only(chart: &ChartRequest, family: &Family, grids: &[&Grid]) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, wanted) in chart.only.conditions.iter().filter(|(name, _)| family.parameter(name).is_some()) {
        let mut values: Vec<String> = Vec::new();
        let mut is_default = false;
        for grid in grids {
            let axes: Vec<_> = grid.axes().iter().filter(|axis| axis.parameters().any(|own| own == name)).collect();
            is_default |= axes.is_empty();
            for axis in axes {
                let rows = (0..axis.len()).flat_map(|step| axis.row(step));
                values.extend(rows.filter(|(own, _)| own == name).map(|(_, value)| value.to_string()));
            }
        }
        let known: HashSet<&String> = values.iter().collect();
        let missing: Vec<&str> = wanted.iter().filter(|value| !known.contains(value)).map(String::as_str).collect();
        if is_default || missing.is_empty() {
            continue;
        }
        let mut distinct: Vec<&str> = Vec::new();
        for value in values.iter().map(String::as_str).filter(|value| missing.iter().all(|own| own != value)) {
            if !distinct.contains(&value) && distinct.len() <= VALUES_MAX {
                distinct.push(value);
            }
        }
        let more = if distinct.len() > VALUES_MAX { ", ..." } else { "" };
        distinct.truncate(VALUES_MAX);
        notes.push(format!(
            "chart {}: `only` asks for {name} = {}, which the grid does not have; it has {}{more}",
            chart.name,
            missing.join(", "),
            distinct.join(", "),
        ));
    }
    notes
}

/// Removes the keys of a chart that one of another kind does not have.
fn leave_to_kind(table: &mut Table, kind: &str, options: &[ChartOption]) {
    for key in requests::keys_of_others(kind) {
        if !options.iter().any(|(own, _)| own == &key) {
            table.remove(key);
        }
    }
}
