//! The answer in a sentence: `padded is 1.8 to 3.2 times as fast as shared from width = 1024 on, but 2 % slower at width = 512`.

use super::places::Group;
use super::{Outcome, Stand};
use crate::model::group::label;
use crate::unit;

/// Kinds of groups that are told each; of more the points are counted.
const MOST_KINDS: usize = 3;
/// Groups that are named of a kind.
const MOST_GROUPS: usize = 4;
/// Ratios below this are told in percent.
const LEAST_TIMES: f64 = 1.1;

/// Groups in which each outcome has the same places.
struct Alike<'a> {
    places: Vec<(Outcome, String)>,
    groups: Vec<&'a Group>,
}

pub(super) fn sentence(first: &str, second: &str, axis: Option<&str>, groups: &[Group]) -> String {
    let mut kinds: Vec<Alike<'_>> = Vec::new();
    for group in groups {
        let places = group.places(axis);
        match kinds.iter_mut().find(|own| own.places == places) {
            Some(own) => own.groups.push(group),
            None => kinds.push(Alike { places, groups: vec![group] }),
        }
    }
    let of = |groups: &[&Group]| -> Vec<Stand> { groups.iter().flat_map(|group| group.stands.clone()).collect() };
    match &kinds[..] {
        [only] => {
            let clause = clause(first, second, &only.places, &of(&only.groups));
            // Names stay as they are written.
            let begins_with_name = clause.starts_with(first);
            format!("{}.", if begins_with_name { clause } else { located_toml::words::capitalised(&clause) })
        }
        several if several.len() <= MOST_KINDS => {
            let told = several.iter().map(|kind| {
                let clause = clause(first, second, &kind.places, &of(&kind.groups));
                format!("{}, {clause}", with(kind, several))
            });
            let all = told.collect::<Vec<_>>().join("; ");
            format!("{}.", located_toml::words::capitalised(&all))
        }
        _ => format!("{}.", counted(first, second, &of(&groups.iter().collect::<Vec<_>>()))),
    }
}

/// The same by the number of points, where places differ from group to group.
fn counted(first: &str, second: &str, stands: &[Stand]) -> String {
    let outcomes = [Outcome::Faster, Outcome::Slower, Outcome::Equal, Outcome::Untold];
    let place = |outcome: Outcome| {
        let count = stands.iter().filter(|stand| stand.outcome == outcome).count();
        (count > 0).then(|| (outcome, format!("at {count} of {} points", stands.len())))
    };
    let places: Vec<(Outcome, String)> = outcomes.into_iter().filter_map(place).collect();
    clause(first, second, &places, stands)
}

/// Which groups a kind has: by one column, if that alone tells the kinds apart.
fn with(kind: &Alike<'_>, all: &[Alike<'_>]) -> String {
    let names = kind.groups.first().map(|group| group.key.iter().map(|(name, _)| name.as_str())).into_iter().flatten();
    let value = |group: &Group, name: &str| group.key.iter().find(|(own, _)| own == name).map(|(_, own)| own.clone());
    let values = |kind: &Alike<'_>, name: &str| -> Vec<Option<String>> {
        let mut values: Vec<Option<String>> = kind.groups.iter().map(|group| value(group, name)).collect();
        values.dedup();
        values
    };
    let tells = |name: &&str| {
        let own: Vec<Vec<Option<String>>> = all.iter().map(|kind| values(kind, name)).collect();
        let is_apart = |(index, one): (usize, &Vec<Option<String>>)| {
            own[index + 1..].iter().all(|other| one.iter().all(|value| !other.contains(value)))
        };
        own.iter().enumerate().all(is_apart)
    };
    let mut told: Vec<String> = match names.into_iter().find(tells) {
        Some(name) => values(kind, name).into_iter().flatten().map(|value| format!("{name}={value}")).collect(),
        None => kind.groups.iter().map(|group| label(&group.key)).collect(),
    };
    told.dedup();
    let more = told.len().saturating_sub(MOST_GROUPS);
    told.truncate(MOST_GROUPS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("with {}{more}", told.join(", "))
}

/// Who is faster where, by how much, and where that cannot be told.
fn clause(first: &str, second: &str, places: &[(Outcome, String)], stands: &[Stand]) -> String {
    let place = |wanted: Outcome| places.iter().find(|(outcome, _)| *outcome == wanted).map(|(_, place)| place);
    let at = |place: &str| if place.is_empty() { String::new() } else { format!(" {place}") };
    let count = |wanted: Outcome| stands.iter().filter(|stand| stand.outcome == wanted).count();
    let told = |outcome: Outcome| Some((ratios(outcome, stands)?, at(place(outcome)?)));
    let (main, other) = match (told(Outcome::Faster), told(Outcome::Slower)) {
        (Some(fast), Some(slow)) if count(Outcome::Slower) > count(Outcome::Faster) => (Some(slow), Some(fast)),
        (None, slow) => (slow, None),
        both => both,
    };
    let mut parts: Vec<String> = Vec::new();
    if let Some((main, place)) = main {
        let than = if main.is_percent { "than" } else { "as" };
        let but = other.map_or_else(String::new, |(own, place)| {
            let verb = if own.verb == "is" && main.verb == "is" { String::new() } else { format!("{} ", own.verb) };
            format!(", but {verb}{}{place}", own.words)
        });
        parts.push(format!("{first} {} {} {than} {second}{place}{but}", main.verb, main.words));
    }
    if let Some(place) = place(Outcome::Equal) {
        let who = if parts.is_empty() { format!("{first} and {second}") } else { "they".to_owned() };
        parts.push(format!("{who} differ by less than 1 %{}", at(place)));
    }
    if let Some(place) = place(Outcome::Untold) {
        let who = if parts.is_empty() {
            format!("whether {first} or {second} is faster")
        } else {
            "which one is faster".to_owned()
        };
        parts.push(format!("{who} cannot be told{}", at(place)));
    }
    parts.join("; ")
}

/// How much faster or slower, in words.
struct Told {
    verb: &'static str,
    words: String,
    is_percent: bool,
}

/// From the least to the most: `1.8 to 3.2 times as fast`, `2 % slower`.
fn ratios(outcome: Outcome, stands: &[Stand]) -> Option<Told> {
    let is_faster = outcome == Outcome::Faster;
    let own = stands.iter().filter(|stand| stand.outcome == outcome);
    let own = own.map(|stand| if is_faster { stand.times_as_fast } else { 1.0 / stand.times_as_fast });
    let (least, most) = own.fold((f64::INFINITY, 0.0_f64), |(least, most), own| (least.min(own), most.max(own)));
    if most <= 0.0 {
        return None;
    }
    let is_percent = most < LEAST_TIMES;
    let figure = |ratio: f64| {
        if is_percent { unit::significant((ratio - 1.0) * 100.0, 2) } else { unit::significant(ratio, 3) }
    };
    let (least, most) = (figure(least), figure(most));
    let range = if least == most { least } else { format!("{least} to {most}") };
    let words = match (is_percent, is_faster) {
        (true, true) => format!("{range} % faster"),
        (true, false) => format!("{range} % slower"),
        (false, true) => format!("{range} times as fast"),
        (false, false) => format!("{range} times as long"),
    };
    let verb = if is_percent || is_faster { "is" } else { "takes" };
    Some(Told { verb, words, is_percent })
}
