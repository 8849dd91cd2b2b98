//! Along which parameter the places where one variant is faster are told in the fewest words.

use std::collections::BTreeMap;

use super::{Compared, Outcome, Question, Stand, numeric, stands};
use crate::model::group::Key;

/// Stretches of an axis that are named; of more the number of values is told.
const MOST_STRETCHES: usize = 3;

/// Pairs that agree in all but the axis, in its rising order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group {
    /// What they agree in, of what varies.
    pub(super) key: Key,
    /// The pairs.
    pub(super) stands: Vec<Stand>,
}

impl Group {
    /// In words where each outcome is.
    pub(super) fn places(&self, axis: Option<&str>) -> Vec<(Outcome, String)> {
        let outcomes = [Outcome::Faster, Outcome::Slower, Outcome::Equal, Outcome::Untold];
        outcomes.into_iter().filter_map(|outcome| Some((outcome, self.place(axis, outcome)?))).collect()
    }

    /// Where this outcome is: `from width = 1024 on`; empty without an axis, `None` where it is nowhere.
    fn place(&self, axis: Option<&str>, outcome: Outcome) -> Option<String> {
        let is: Vec<bool> = self.stands.iter().map(|stand| stand.outcome == outcome).collect();
        let count = is.iter().filter(|is| **is).count();
        if count == 0 {
            return None;
        }
        let Some(axis) = axis else { return Some(String::new()) };
        let x = |index: usize| self.stands[index].x;
        let last = is.len() - 1;
        if count == is.len() {
            let place = format!("everywhere, from {axis} = {} to {}", x(0), x(last));
            return Some(if last == 0 { format!("at {axis} = {}", x(0)) } else { place });
        }
        let mut stretches: Vec<(usize, usize)> = Vec::new();
        for index in (0..is.len()).filter(|index| is[*index]) {
            match stretches.last_mut() {
                Some((_, end)) if *end + 1 == index => *end = index,
                _ => stretches.push((index, index)),
            }
        }
        if stretches.len() > MOST_STRETCHES {
            return Some(format!("at {count} of {} values of {axis}", is.len()));
        }
        let words = stretches.iter().map(|(from, to)| match (*from, *to) {
            (from, to) if from == to => format!("at {axis} = {}", x(from)),
            (0, to) => format!("up to {axis} = {}", x(to)),
            (from, to) if to == last => format!("from {axis} = {} on", x(from)),
            (from, to) => format!("from {axis} = {} to {}", x(from), x(to)),
        });
        Some(words.collect::<Vec<_>>().join(" and "))
    }
}

/// The axis along which groups differ least in their places, with the groups; of several such axes the preferred one, or
/// the one with the longest lines.
pub(super) fn grouped(
    question: &Question<'_>,
    columns: &[&'static str],
    compared: &[Compared<'_>],
) -> (Option<&'static str>, Vec<Group>) {
    let axes = numeric(question, columns, compared);
    let of_axis = |axis: &'static str| (Some(axis), groups(question, columns, compared, Some(axis)));
    let kinds = |(axis, groups): &(Option<&str>, Vec<Group>)| {
        let mut kinds: Vec<Vec<(Outcome, String)>> = groups.iter().map(|group| group.places(*axis)).collect();
        kinds.sort_by(|one, other| format!("{one:?}").cmp(&format!("{other:?}")));
        kinds.dedup();
        (kinds.len(), *axis != question.preferred_axis, groups.len())
    };
    let best = axes.into_iter().map(of_axis).min_by_key(kinds);
    best.unwrap_or_else(|| (None, groups(question, columns, compared, None)))
}

fn groups(
    question: &Question<'_>,
    columns: &[&'static str],
    compared: &[Compared<'_>],
    axis: Option<&str>,
) -> Vec<Group> {
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    let mut found: Vec<(Key, Vec<(usize, f64)>)> = Vec::new();
    for (place, own) in compared.iter().enumerate() {
        let others = columns.iter().filter(|name| Some(**name) != axis);
        let value = |name: &&str| Some(((*name).to_owned(), own.pair.value(question.family, name)?));
        let key: Key = others.filter_map(value).collect();
        let x = axis.and_then(|axis| own.number(question.family, axis)).unwrap_or(0.0);
        let group = *places.entry(key.clone()).or_insert_with(|| {
            found.push((key, Vec::new()));
            found.len() - 1
        });
        found[group].1.push((place, x));
    }
    let group = |(key, mut members): (Key, Vec<(usize, f64)>)| {
        members.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        Group { key, stands: stands(&members, compared) }
    };
    found.into_iter().map(group).collect()
}
