//! The scenario's text with the overrides applied, comments kept.

use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::choice::Kept;
use super::options::MeasureOption;
use super::overrides::Override;
use super::sizes::Sizes;
use crate::family::Variant;

/// Applies the overrides. `None` where the text is not what the validated scenario was read from.
pub(super) fn apply(text: &str, overrides: &[Override], options: &[MeasureOption]) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    for given in overrides {
        let name = given.column.parameter;
        let value: Value = given.toml.parse().ok()?;
        if !replace_in_zip(&mut document, name, &value) {
            let grid = document.entry("grid").or_insert_with(toml_edit::table);
            set(grid.as_table_like_mut()?, name, value.clone());
        }
        // [simulated] would replace the override again.
        if let Some(simulated) = document.get_mut("simulated").and_then(Item::as_table_like_mut)
            && simulated.contains_key(name)
        {
            set(simulated, name, value);
        }
    }
    for option in options {
        let measure = document.entry("measure").or_insert_with(toml_edit::table);
        set(measure.as_table_like_mut()?, option.key, option.toml.parse().ok()?);
    }
    Some(document.to_string())
}

/// The text with these variants alone, and with what of its fits and charts can be made of them.
pub(super) fn with_variants(text: &str, variants: &[&Variant], kept: &Kept) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let names: toml_edit::Array = variants.iter().map(|variant| variant.name).collect();
    document.insert("variants", Item::Value(Value::Array(names)));
    keep(&mut document, "fit", &kept.fit_places);
    keep(&mut document, "chart", &kept.chart_places);
    Some(document.to_string())
}

/// Keeps those of the tables of a list that have these places.
fn keep(document: &mut DocumentMut, key: &str, places: &[usize]) {
    let mut next = 0..;
    let mut is_kept = || next.next().is_some_and(|place| places.contains(&place));
    match document.get_mut(key) {
        Some(Item::ArrayOfTables(tables)) => tables.retain(|_| is_kept()),
        Some(Item::Value(Value::Array(array))) => array.retain(|_| is_kept()),
        Some(_) if !is_kept() => drop(document.remove(key)),
        _ => {}
    }
}

/// The text without `[simulated]`, whose values take the place of those of `[grid]` if `sizes` says so. `None` where there is no
/// such table.
pub(super) fn resolve(text: &str, sizes: Sizes) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let mut simulated = document.remove("simulated")?;
    if sizes == Sizes::Simulated {
        let simulated = simulated.as_table_like_mut()?;
        flatten(simulated);
        let grid = document.entry("grid").or_insert_with(toml_edit::table).as_table_like_mut()?;
        for (name, value) in simulated.iter() {
            set(grid, name, value.as_value()?.clone());
        }
    }
    Some(document.to_string())
}

/// The text with these `[[fit]]` in place of its own, and without charts, which may be of fits.
pub(super) fn with_fits(text: &str, fits: &str) -> Option<String> {
    Some(format!("{}\n{fits}", without(text, &["fit", "chart"])?))
}

/// The text without these keys and tables.
pub(super) fn without(text: &str, keys: &[&str]) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    for key in keys {
        document.remove(key);
    }
    Some(document.to_string())
}

/// Replaces the parameter in the zip group that has it, if one has.
fn replace_in_zip(document: &mut DocumentMut, name: &str, value: &Value) -> bool {
    let Some(zip) = document.get_mut("zip") else { return false };
    let mut tables: Vec<&mut dyn TableLike> = match zip {
        Item::ArrayOfTables(tables) => tables.iter_mut().map(|table| table as &mut dyn TableLike).collect(),
        Item::Value(Value::Array(array)) => {
            array.iter_mut().filter_map(Value::as_inline_table_mut).map(|table| table as &mut dyn TableLike).collect()
        }
        _ => return false,
    };
    match tables.iter_mut().find(|table| table.contains_key(name)) {
        Some(table) => {
            set(*table, name, value.clone());
            true
        }
        None => false,
    }
}

/// Sets a parameter in place, or at the end.
fn set(table: &mut dyn TableLike, name: &str, mut value: Value) {
    flatten(table);
    match table.get_mut(name) {
        Some(Item::Value(old)) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        Some(other) => *other = Item::Value(value),
        None => {
            table.insert(name, Item::Value(value));
        }
    }
}

/// Turns axes that are written as tables (`[grid.branches]`, `branches.from = 1`) into inline ones: among values, a
/// table is printed last whatever its place, and the order of the axes would change.
fn flatten(table: &mut dyn TableLike) {
    let is_table =
        |item: &Item| item.is_table() || item.as_inline_table().is_some_and(toml_edit::InlineTable::is_dotted);
    if !table.iter().any(|(_, item)| is_table(item)) {
        return;
    }
    for (mut key, item) in table.iter_mut() {
        if !is_table(item) {
            continue;
        }
        key.fmt();
        if let Some(inner) = item.as_table_like_mut() {
            flatten(inner);
        }
        let taken = std::mem::take(item);
        if let Ok(mut value) = taken.into_value() {
            if let Some(inline) = value.as_inline_table_mut() {
                inline.set_dotted(false);
                inline.fmt();
            }
            *item = Item::Value(value);
        }
    }
}
