//! Which points belong together, in one pass over them.

use std::borrow::Cow;
use std::collections::HashMap;

use ecow::EcoString;
use foldhash::fast::RandomState;
use rayon::prelude::*;

use super::Key;
use crate::family::Family;
use crate::record::{Column, PointRecord};

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

    fn values<'b>(&'b self, point: &'b PointRecord) -> impl Iterator<Item = (&'static str, Cow<'b, str>)> + 'b {
        let own = self.grouping.iter().filter(|name| !self.family.ignores(&point.variant, name));
        own.map(|&name| (name, point.value(name).unwrap_or_default()))
    }

    /// What gives each point's group a key of numbers.
    pub(super) fn columns(&self) -> Columns<'a> {
        let names: Vec<&str> = std::iter::once("variant").chain(self.grouping.iter().copied()).collect();
        Columns::new(self.family, &names)
    }

    /// The group's key.
    pub(super) fn of(&self, point: &PointRecord) -> Key {
        let values = self.values(point).map(|(name, value)| (name.to_owned(), value.into_owned()));
        std::iter::once(("variant".to_owned(), point.variant.to_string())).chain(values).collect()
    }
}

/// The texts of several columns as numbers, point after point; what a point's variant does not depend on counts for nothing.
pub(super) struct Columns<'a> {
    family: &'a Family,
    each: Vec<Column<'a>>,
    names: Vec<&'a str>,
    /// The last point's variant, and whether it ignores each of the columns.
    last: Option<(EcoString, Vec<bool>)>,
}

/// The key of a point that has no text in a column.
const NOTHING: u32 = u32::MAX;

/// A key of numbers, of up to four columns without a place of its own in memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Numbers {
    Few([u32; 4]),
    Many(Box<[u32]>),
}

impl<'a> Columns<'a> {
    /// These, in this order. A column `variant` is never ignored.
    pub(super) fn new(family: &'a Family, names: &[&'a str]) -> Self {
        let each = names.iter().map(|name| Column::new(name)).collect();
        Self { family, each, names: names.to_vec(), last: None }
    }

    /// The key of a point.
    pub(super) fn key(&mut self, point: &PointRecord) -> Numbers {
        if self.last.as_ref().is_none_or(|(variant, _)| *variant != point.variant) {
            let ignored = self.names.iter().map(|name| self.family.ignores(&point.variant, name)).collect();
            self.last = Some((point.variant.clone(), ignored));
        }
        let ignored = self.last.as_ref().map_or(&[][..], |(_, ignored)| ignored);
        let cells = self.each.iter_mut().zip(ignored);
        Numbers::of(cells.map(|(column, ignored)| if *ignored { None } else { column.word(point) }))
    }
}

impl Numbers {
    /// Of these cells.
    pub(crate) fn of(cells: impl ExactSizeIterator<Item = Option<u32>>) -> Self {
        let cells = cells.map(|cell| cell.unwrap_or(NOTHING));
        let mut few = [NOTHING; 4];
        if cells.len() > few.len() {
            return Self::Many(cells.collect());
        }
        few.iter_mut().zip(cells).for_each(|(own, cell)| *own = cell);
        Self::Few(few)
    }
}

/// What belongs to each key, in the order in which the keys come first. `numbers` gives an item's key as numbers; `key`
/// gives it in full, which is asked for once for each group.
pub(super) fn gathered<T>(
    items: impl Iterator<Item = T>,
    mut numbers: impl FnMut(&T) -> Numbers,
    key: impl Fn(&T) -> Key,
) -> Vec<(Key, Vec<T>)> {
    let mut places: HashMap<Numbers, usize, RandomState> = HashMap::default();
    let mut groups: Vec<(Key, Vec<T>)> = Vec::new();
    for item in items {
        let place = *places.entry(numbers(&item)).or_insert(groups.len());
        if place == groups.len() {
            groups.push((key(&item), Vec::new()));
        }
        groups[place].1.push(item);
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

/// Points that one thread looks at, at a time.
const POINTS_AT_ONCE: usize = 1 << 16;

/// Whether the points that depend on this parameter, or on the variant, differ in it.
pub fn varies(family: &Family, parameter: &str, points: &[&PointRecord]) -> bool {
    let Some(first) = points.iter().find(|point| !family.ignores(&point.variant, parameter)) else { return false };
    let differs = |points: &[&PointRecord]| {
        let mut column = Column::new(parameter);
        let first = column.word(first);
        let mut last: Option<(&str, bool)> = None;
        points.iter().any(|point| {
            let ignores = match last {
                Some((variant, ignores)) if variant == point.variant => ignores,
                _ => family.ignores(&point.variant, parameter),
            };
            last = Some((&point.variant, ignores));
            !ignores && column.word(point) != first
        })
    };
    points.par_chunks(POINTS_AT_ONCE).any(differs)
}
