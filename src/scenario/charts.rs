//! Charts that a scenario does not have: its own ones changed, or new ones, from options.

use toml_edit::{DocumentMut, Item, Table, Value};

use super::requests::{self, ChartRequest};
use super::{Scenario, ScenarioErrors};
use crate::document::problem::{Place, Source};
use crate::document::report::Sources;
use crate::document::section::Section;
use crate::document::{self};

/// A key of a `[[chart]]` and its value as TOML; nothing, where the key is to go.
pub type ChartOption = (&'static str, String);

/// What errors call the text that options become.
const NAME: &str = "the chart that the options describe";

impl Scenario {
    /// The scenario's charts (or the one of this name) with these keys replaced; without a name and with `anew`, a chart of these keys
    /// alone. Options are checked as the keys of a `[[chart]]` are.
    ///
    /// # Errors
    /// No chart of this name, with those that there are; or all that is wrong with the options.
    pub fn charts_with(
        &self,
        name: Option<&str>,
        anew: bool,
        options: &[ChartOption],
    ) -> Result<Vec<ChartRequest>, ScenarioErrors> {
        let names: Vec<&str> = self.charts.iter().map(|chart| chart.name.as_str()).collect();
        if let Some(wanted) = name.filter(|wanted| !names.contains(wanted)) {
            let quoted = document::words::quote(wanted);
            let message = format!("the scenario has no chart {quoted}");
            let help = if names.is_empty() {
                "it has none at all; describe one with --x and the other options".to_owned()
            } else {
                document::words::instead(wanted, &names)
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
        let (charts, problems) = document::walk(text, |table, problems| {
            let section = Section::new(table, Place::new(Source::File, 0..text.trim_end().len()));
            let subject = requests::Subject { family: Some(self.family), variants: &self.variants };
            let laws = requests::law_names(&self.fits);
            requests::charts(&[section], subject, &laws, &self.title, problems)
        });
        if problems.is_empty() { Ok(charts) } else { Err(sources.errors(problems)) }
    }
}

/// Removes the keys of a chart that one of another kind does not have.
fn leave_to_kind(table: &mut Table, kind: &str, options: &[ChartOption]) {
    for key in requests::keys_of_others(kind) {
        if !options.iter().any(|(own, _)| own == &key) {
            table.remove(key);
        }
    }
}
