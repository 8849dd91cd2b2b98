//! Which points of several sides belong together.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;
use rayon::prelude::*;
use serde::Serialize;

use super::key::{Keys, Values};
use super::side::Side;
use located_toml::words::{instead, meant};

/// Why sides cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// One of them is of another family.
    #[error(
        "{name} measured {family} and {base_name} measured {base_family}: only runs of the same family can be compared"
    )]
    Families {
        /// The other side.
        name: String,
        /// Its family.
        family: String,
        /// The base.
        base_name: String,
        /// The base's family.
        base_family: String,
    },
    /// The family has no parameter of the name to ignore.
    #[error("--ignore {name}: {family} has no such parameter; {allowed}")]
    NoParameter {
        /// What was given.
        name: String,
        /// The family.
        family: String,
        /// What is allowed, in words.
        allowed: String,
    },
    /// The parameter to ignore has several values in one side.
    #[error(
        "--ignore {parameter}: {name} has the values {values}, but a parameter can be ignored only if each run has one value of it"
    )]
    SeveralValues {
        /// The parameter.
        parameter: String,
        /// The side.
        name: String,
        /// Its values.
        values: String,
    },
    /// Two points of a side with the same variant and parameters.
    #[error("{name}: rows {first} and {second} of its points are the same point")]
    Twice {
        /// The side.
        name: String,
        /// Which of the sides it is, from 0.
        side: usize,
        /// The place of the one among the points of the side, from 0.
        first: usize,
        /// The place of the other.
        second: usize,
    },
}

/// A parameter that points are matched across.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ignored {
    /// Its name.
    pub parameter: String,
    /// Its value in each side, the base's first; none where no point depends on it.
    pub values: Vec<Option<String>>,
}

/// Points that belong together, in the order of the base, followed by the points that the base does not have.
#[derive(Debug)]
pub struct Matched {
    /// The keys, those of ignored parameters blank.
    pub keys: Keys,
    /// For each key the place of the point in each side, one after another.
    places: Vec<Option<u32>>,
    sides: usize,
    /// What was ignored.
    pub ignored: Vec<Ignored>,
}

/// Matches the points of sides, the base first.
///
/// # Errors
/// Where the sides have nothing in common, something cannot be ignored, or a side has a point twice.
pub fn match_points(sides: &[Side], ignore: &[String], values: &Values) -> Result<Matched, MatchError> {
    let Some(base) = sides.first() else {
        return Ok(Matched { keys: Keys::default(), places: Vec::new(), sides: 0, ignored: Vec::new() });
    };
    if let Some(other) = sides.iter().find(|side| side.family.name != base.family.name) {
        return Err(MatchError::Families {
            name: other.facts.name.clone(),
            family: other.family.name.to_owned(),
            base_name: base.facts.name.clone(),
            base_family: base.family.name.to_owned(),
        });
    }
    let columns = base.family.parameters.len() + 1;
    let mut blank = Vec::new();
    let mut ignored = Vec::new();
    let parameters: Vec<&str> = base.family.parameters.iter().map(|parameter| parameter.name).collect();
    for name in ignore {
        let name = meant(name, &parameters).ok_or_else(|| no_parameter(base, name))?;
        let column = parameters.iter().take_while(|own| **own != name).count() + 1;
        let of_sides = sides.iter().map(|side| single_value(side, name, column, values));
        if !blank.contains(&column) {
            ignored.push(Ignored { parameter: name.to_owned(), values: of_sides.collect::<Result<_, _>>()? });
            blank.push(column);
        }
    }
    let hasher = RandomState::default();
    if are_alike(sides, &blank, &hasher) {
        // Runs of a scenario mostly have the same points in the same order.
        let place = |row: usize| std::iter::repeat_n(Some(row as u32), sides.len());
        let places = (0..base.keys.len()).flat_map(place).collect();
        return Ok(Matched { keys: base.keys.without(&blank), places, sides: sides.len(), ignored });
    }
    // The last row of each hash, and before each row the one of the same hash before it: keys are not kept once more.
    let mut last: HashMap<u64, usize, RandomState> =
        HashMap::with_capacity_and_hasher(base.keys.len(), RandomState::default());
    let mut before: Vec<Option<u32>> = Vec::with_capacity(base.keys.len());
    let mut keys = Keys::new(columns);
    let mut places: Vec<Option<u32>> = Vec::with_capacity(base.keys.len() * sides.len());
    let mut key: Vec<u32> = Vec::with_capacity(columns);
    for (number, side) in sides.iter().enumerate() {
        for (place, cells) in side.keys.iter().enumerate() {
            key.clear();
            key.extend_from_slice(cells);
            for column in &blank {
                key[*column] = super::key::NOTHING;
            }
            // Where some points are missing, those before them are in the same places.
            let same_place = Some(place).filter(|place| number > 0 && keys.get(*place) == key);
            let row = same_place.unwrap_or_else(|| {
                let hash = hasher.hash_one(&key);
                let newest = last.get(&hash).copied();
                let mut like = std::iter::successors(newest, |row| before[*row].map(|row| row as usize));
                if let Some(row) = like.find(|row| keys.get(*row) == key) {
                    return row;
                }
                keys.push(key.iter().copied());
                places.extend(std::iter::repeat_n(None, sides.len()));
                before.push(newest.map(|row| row as u32));
                last.insert(hash, keys.len() - 1);
                keys.len() - 1
            });
            if let Some(first) = places[row * sides.len() + number].replace(place as u32) {
                let name = side.facts.name.clone();
                return Err(MatchError::Twice { name, side: number, first: first as usize, second: place });
            }
        }
    }
    Ok(Matched { keys, places, sides: sides.len(), ignored })
}

/// Whether all sides have the same keys in the same order, and none of them twice.
fn are_alike(sides: &[Side], blank: &[usize], seed: &RandomState) -> bool {
    let Some((base, others)) = sides.split_first() else { return true };
    let is_same = |(one, other): (&[u32], &[u32])| {
        one.iter().zip(other).enumerate().all(|(column, (one, other))| one == other || blank.contains(&column))
    };
    let is_alike =
        |side: &Side| side.keys.len() == base.keys.len() && side.keys.par_iter().zip(base.keys.par_iter()).all(is_same);
    if !others.iter().all(is_alike) {
        return false;
    }
    let hash = |key: &[u32]| {
        let cells = key.iter().enumerate().filter(|(column, _)| !blank.contains(column));
        let mut hash = seed.build_hasher();
        cells.for_each(|(_, cell)| hash.write_u32(*cell));
        hash.finish()
    };
    let mut hashes: Vec<u64> = base.keys.par_iter().map(hash).collect();
    hashes.par_sort_unstable();
    hashes.par_windows(2).all(|pair| pair[0] != pair[1])
}

impl Matched {
    /// The places of a key's points in each side; `None` where a side has none.
    pub fn places(&self, row: usize) -> &[Option<u32>] {
        self.places.get(row * self.sides..(row + 1) * self.sides).unwrap_or_default()
    }
}

fn no_parameter(base: &Side, name: &str) -> MatchError {
    let names: Vec<&str> = base.family.parameters.iter().map(|parameter| parameter.name).collect();
    MatchError::NoParameter {
        name: name.to_owned(),
        family: base.family.name.to_owned(),
        allowed: instead(name, &names),
    }
}

fn single_value(side: &Side, parameter: &str, column: usize, values: &Values) -> Result<Option<String>, MatchError> {
    let found = side.keys.distinct(column);
    if found.len() > 1 {
        let mut texts: Vec<&str> = found.iter().take(5).map(|value| values.text(*value)).collect();
        if found.len() > texts.len() {
            texts.push("...");
        }
        return Err(MatchError::SeveralValues {
            parameter: parameter.to_owned(),
            name: side.facts.name.clone(),
            values: texts.join(", "),
        });
    }
    Ok(found.first().map(|value| values.text(*value).to_owned()))
}
