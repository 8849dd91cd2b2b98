//! Which points belong together, in one pass over them.

use std::collections::HashMap;

use super::Key;
use crate::family::Family;
use crate::record::PointRecord;

/// What tells groups of points apart: the variant, and the parameters that vary and that nothing else stands for.
pub(super) struct Keys<'a> {
    family: &'a Family,
    grouping: Vec<&'static str>,
}

impl<'a> Keys<'a> {
    /// Of these points; `explained` are the parameters that do not tell groups apart.
    pub(super) fn new(family: &'a Family, points: &[&PointRecord], explained: &[&str]) -> Self {
        let names = family.parameters.iter().map(|parameter| parameter.name);
        let grouping = names.filter(|name| !explained.contains(name) && varies(family, name, points)).collect();
        Self { family, grouping }
    }

    fn values<'b>(&'b self, point: &'b PointRecord) -> impl Iterator<Item = (&'static str, String)> + 'b {
        let own = self.grouping.iter().filter(|name| !self.family.ignores(&point.variant, name));
        own.map(|&name| (name, String::from(point.value(name).unwrap_or_default())))
    }

    /// The group's key as text that no other group has.
    pub(super) fn write(&self, point: &PointRecord, text: &mut String) {
        text.push_str(&point.variant);
        for (_, value) in self.values(point) {
            text.push('\0');
            text.push_str(&value);
        }
    }

    /// The group's key.
    pub(super) fn of(&self, point: &PointRecord) -> Key {
        let values = self.values(point).map(|(name, value)| (name.to_owned(), value));
        std::iter::once(("variant".to_owned(), point.variant.to_string())).chain(values).collect()
    }
}

/// What belongs to each key, in the order in which the keys come first. `write` writes an item's key as text; `key` gives
/// it in full, which is asked for once for each group.
pub(super) fn gathered<T>(
    items: impl Iterator<Item = T>,
    write: impl Fn(&T, &mut String),
    key: impl Fn(&T) -> Key,
) -> Vec<(Key, Vec<T>)> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<(Key, Vec<T>)> = Vec::new();
    let mut text = String::new();
    for item in items {
        text.clear();
        write(&item, &mut text);
        if let Some(place) = places.get(text.as_str()) {
            groups[*place].1.push(item);
        } else {
            places.insert(text.clone(), groups.len());
            groups.push((key(&item), vec![item]));
        }
    }
    groups
}

/// The parameters that are the same at all points that depend on them, as `name=value` pairs.
pub fn fixed_parameters(family: &Family, points: &[&PointRecord]) -> String {
    let names = family.parameters.iter().map(|parameter| parameter.name);
    let pairs = names.filter(|name| !varies(family, name, points)).filter_map(|name| {
        let value = points.iter().find(|point| !family.ignores(&point.variant, name))?.value(name)?;
        Some(format!("{name}={value}"))
    });
    pairs.collect::<Vec<_>>().join(" ")
}

/// Whether the points that depend on this parameter, or on the variant, differ in it.
pub fn varies(family: &Family, parameter: &str, points: &[&PointRecord]) -> bool {
    let mut depending = points.iter().filter(|point| !family.ignores(&point.variant, parameter));
    let first = depending.next().map(|point| point.value(parameter));
    depending.any(|point| Some(point.value(parameter)) != first)
}
