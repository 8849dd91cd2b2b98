//! The TOML of a profile, whose constants are read and replaced one by one.

use gpu_simulator::profile::{CONSTANTS, Embedded, embedded};
use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::found::{Found, number};
use crate::properties::Properties;

/// What stands above the constants.
#[derive(Debug, Clone)]
pub struct Heading {
    /// The GPU's name.
    pub title: String,
    /// How far the times of the profile have been held against the GPU.
    pub validation: String,
    /// What the file is, in lines of a comment.
    pub comment: Vec<String>,
}

/// The profile that comes with the program and is of the nearest compute capability: that with the same first number, else the newest that is not
/// newer, else the oldest.
pub fn nearest(gpu: &Properties) -> Embedded {
    let own = gpu.capability();
    let capability = |profile: &Embedded| {
        let document = Document::parse(profile.text).ok();
        let text = document.and_then(|own| own.value("compute_capability").and_then(Value::as_str).map(str::to_owned));
        let parts = text.as_deref().and_then(|text| text.split_once('.')).map(|(a, b)| (a.to_owned(), b.to_owned()));
        parts
            .and_then(|(major, minor)| Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?)))
            .unwrap_or((0, 0))
    };
    let all = embedded();
    let same = all.iter().find(|profile| capability(profile).0 == own.0);
    let older = || all.iter().filter(|profile| capability(profile) <= own).max_by_key(|profile| capability(profile));
    *same.or_else(older).unwrap_or(&all[all.len() - 1])
}

/// A profile's TOML.
#[derive(Debug, Clone)]
pub(super) struct Document {
    toml: DocumentMut,
}

impl Document {
    /// Reads a profile that was validated before.
    ///
    /// # Errors
    /// What is wrong with the TOML.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        Ok(Self { toml: text.parse().map_err(|error: toml_edit::TomlError| error.to_string())? })
    }

    fn item(&self, key: &str) -> Option<&Item> {
        let mut item: &Item = self.toml.as_item();
        for part in key.split('.') {
            item = item.as_table_like()?.get(part)?;
        }
        Some(item)
    }

    fn constant(&self, key: &str) -> Option<&dyn TableLike> {
        self.item(key)?.as_table_like().filter(|own| own.contains_key("value"))
    }

    /// The value of a constant; `None` where the profile does not have it.
    pub(super) fn value(&self, key: &str) -> Option<&Value> {
        self.constant(key)?.get("value")?.as_value()
    }

    /// The same as a number.
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        number(self.value(key)?)
    }

    /// Where its value is from.
    pub(super) fn source(&self, key: &str) -> Option<&str> {
        self.constant(key)?.get("source")?.as_str()
    }

    /// Replaces the value of a constant that the profile has.
    pub(super) fn set(&mut self, key: &str, value: Value) {
        let mut item: &mut Item = self.toml.as_item_mut();
        for part in key.split('.') {
            let Some(next) = item.as_table_like_mut().and_then(|table| table.get_mut(part)) else { return };
            item = next;
        }
        if let Some(own) = item.as_table_like_mut().and_then(|table| table.get_mut("value")) {
            *own = Item::Value(value);
        }
    }

    /// Adds a constant that the profile leaves out, with where its value is from.
    pub(super) fn add(&mut self, key: &str, value: Value, source: &str) {
        let (within, name) = key.rsplit_once('.').unwrap_or(("", key));
        let mut constant = InlineTable::new();
        constant.insert("value", value);
        constant.insert("source", Value::from(source));
        if let Some(table) = self.table(within) {
            table.insert(name, Item::Value(Value::InlineTable(constant)));
        }
    }

    /// A table, which is made where it is not there.
    fn table(&mut self, path: &str) -> Option<&mut dyn TableLike> {
        let mut table: &mut dyn TableLike = self.toml.as_table_mut();
        for part in path.split('.').filter(|part| !part.is_empty()) {
            table = table.entry(part).or_insert(Item::Table(Table::new())).as_table_like_mut()?;
        }
        Some(table)
    }

    /// Takes over the constants that only another profile has, with the tables that they are in, and gives their keys.
    pub(super) fn complete(&mut self, other: &Self) -> Vec<&'static str> {
        let missing: Vec<&'static str> = other.keys().filter(|key| self.constant(key).is_none()).collect();
        for key in &missing {
            let Some(constant) = other.item(key) else { continue };
            let (within, name) = key.rsplit_once('.').unwrap_or(("", key));
            if let Some(table) = self.table(within) {
                table.insert(name, constant.clone());
            }
        }
        missing
    }

    /// The text.
    pub(super) fn text(&self) -> String {
        self.toml.to_string()
    }

    /// The keys of the constants that it has, in the order of the reference.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'static str> {
        CONSTANTS.iter().map(|constant| constant.key).filter(|key| self.constant(key).is_some())
    }
}

/// The text of a profile with these constants, which are in the order of the reference.
pub(super) fn profile(heading: &Heading, constants: &[Found]) -> String {
    let mut text: String = heading.comment.iter().map(|line| format!("# {line}\n")).collect();
    let mut top = Table::new();
    for (key, value) in [("title", &heading.title), ("validation", &heading.validation)] {
        top.insert(key, toml_edit::value(value.as_str()));
    }
    text.push_str(&format!("\n{top}"));
    let mut table = "";
    for own in constants {
        let (within, key) = own.key.rsplit_once('.').unwrap_or(("", &own.key));
        if within != table {
            text.push_str(&format!("\n[{within}]\n"));
            table = within;
        }
        let mut constant = InlineTable::new();
        constant.insert("value", own.value.clone().decorated("", ""));
        constant.insert("source", Value::from(own.source.as_str()));
        constant.fmt();
        text.push_str(&format!("{key} = {}\n", constant.to_string().trim()));
    }
    text
}
