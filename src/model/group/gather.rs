//! Which points belong together, in one pass over them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

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
        let grouping = varying(family, names.filter(|name| !explained.contains(name)), points);
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
    // Of each group the numbers, and the group whose item came after its last: a grid goes through groups in the same order again and again.
    let mut next: Vec<(Numbers, usize)> = Vec::new();
    let mut last = 0;
    for item in items {
        let own = numbers(&item);
        let guess = next.get(last).map(|(_, guess)| *guess);
        let place = guess.filter(|guess| next.get(*guess).is_some_and(|(numbers, _)| *numbers == own));
        let place = place.unwrap_or_else(|| *places.entry(own.clone()).or_insert(groups.len()));
        if place == groups.len() {
            groups.push((key(&item), Vec::new()));
            next.push((own, place));
        }
        if let Some((_, after)) = next.get_mut(last) {
            *after = place;
        }
        groups[place].1.push(item);
        last = place;
    }
    groups
}

/// The parameters that are the same at all points that depend on them, as `name=value` pairs.
pub fn fixed_parameters(family: &Family, points: &[&PointRecord]) -> String {
    let names = family.parameters.iter().map(|parameter| parameter.name);
    let pairs = names.filter(|name| !varies(family, name, points)).filter_map(|name| {
        let value = points.iter().find(|point| !family.ignores(&point.variant, name))?.value(name)?;
        // Figures of many points have no value of what these differ in.
        (!value.is_empty()).then(|| format!("{name}={value}"))
    });
    pairs.collect::<Vec<_>>().join(" ")
}

/// Points that one thread looks at, at a time.
const POINTS_AT_ONCE: usize = 1 << 16;

/// Whether the points that depend on this parameter, or on the variant, differ in it.
pub fn varies(family: &Family, parameter: &str, points: &[&PointRecord]) -> bool {
    !varying(family, std::iter::once(parameter), points).is_empty()
}

/// Those of these parameters in which the points that depend on them differ, in one pass over the points: they are read
/// from memory once, and not once for each parameter.
pub fn varying<'n>(family: &Family, names: impl Iterator<Item = &'n str>, points: &[&PointRecord]) -> Vec<&'n str> {
    let depending = |name: &'n str| {
        let first = points.iter().find(|point| !family.ignores(&point.variant, name))?;
        Some(Watched { name, first, found: AtomicBool::new(false) })
    };
    let watched: Vec<Watched<'_, 'n>> = names.filter_map(depending).collect();
    points.par_chunks(POINTS_AT_ONCE).for_each(|points| watch(family, &watched, points));
    watched.into_iter().filter(|own| own.found.load(Ordering::Relaxed)).map(|own| own.name).collect()
}

/// A parameter of which it is to be found out whether it varies.
struct Watched<'a, 'n> {
    name: &'n str,
    /// The first point that depends on it: the others are held against this one.
    first: &'a PointRecord,
    found: AtomicBool,
}

/// The same while one thread goes through its points.
struct Open<'w, 'a, 'n> {
    watched: &'w Watched<'a, 'n>,
    column: Column<'n>,
    /// The cell of the first point.
    first: Option<u32>,
    /// Whether the variant of the point at hand ignores it.
    is_ignored: bool,
}

impl<'w, 'a, 'n> Open<'w, 'a, 'n> {
    fn of(watched: &'w Watched<'a, 'n>) -> Self {
        let mut column = Column::new(watched.name);
        let first = column.word(watched.first);
        Self { watched, column, first, is_ignored: false }
    }

    /// Whether this point differs from the first, which is marked.
    fn is_found_by(&mut self, point: &PointRecord) -> bool {
        let differs = !self.is_ignored && self.column.word(point) != self.first;
        if differs {
            self.watched.found.store(true, Ordering::Relaxed);
        }
        differs
    }
}

/// Marks the parameters in which one of these points differs from the first.
fn watch(family: &Family, watched: &[Watched<'_, '_>], points: &[&PointRecord]) {
    let mut open: Vec<Open<'_, '_, '_>> =
        watched.iter().filter(|own| !own.found.load(Ordering::Relaxed)).map(Open::of).collect();
    let mut variant: Option<&str> = None;
    for point in points {
        if variant != Some(point.variant.as_str()) {
            variant = Some(&point.variant);
            open.iter_mut().for_each(|own| own.is_ignored = family.ignores(&point.variant, own.watched.name));
        }
        open.retain_mut(|own| !own.is_found_by(point));
        if open.is_empty() {
            return;
        }
    }
}
