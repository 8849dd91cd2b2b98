//! One column of many points, without looking for it in each.

use std::collections::HashMap;
use std::sync::Arc;

use ecow::EcoString;
use foldhash::fast::RandomState;

use super::{Numbers, PointRecord, Texts, Words};

/// A parameter, predictor or counter of many points, or the variant: what [`PointRecord::value`] and
/// [`PointRecord::number`] give, faster where points were read together.
#[derive(Debug)]
pub struct Column<'n> {
    name: &'n str,
    found: Option<Found>,
    words: Words,
    /// The number in `words` of each text of the points' own table, where it is known.
    numbers: Vec<Option<u32>>,
    /// The same texts as numbers, where they are read as such.
    values: Vec<Read>,
    by_bits: HashMap<u64, u32, RandomState>,
    variant: Option<(EcoString, u32)>,
}

/// A text that was read as a number, or was none.
#[derive(Debug, Clone, Copy)]
enum Read {
    NotYet,
    As(Option<f64>),
}

/// Where the column is, in points whose cells are like these.
#[derive(Debug)]
struct Found {
    parameters: Texts,
    predictors: Numbers,
    counters: Texts,
    parameter: Option<usize>,
    predictor: Option<usize>,
}

impl Found {
    /// Whether the point was read together with the one that these are of.
    fn is_beside(&self, point: &PointRecord) -> bool {
        self.parameters.is_beside(&point.parameters)
            && self.predictors.is_beside(&point.predictors)
            && self.counters.is_beside(&point.counters)
    }

    /// Whether the point has the same columns and its texts the same numbers.
    fn fits(&self, point: &PointRecord) -> bool {
        same(self.parameters.names(), point.parameters.names())
            && same(self.predictors.names(), point.predictors.names())
            && same(self.counters.names(), point.counters.names())
            && same(self.parameters.texts(), point.parameters.texts())
    }
}

fn same<T: ?Sized>(one: Option<&Arc<T>>, other: Option<&Arc<T>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    }
}

impl<'n> Column<'n> {
    /// The column of this name.
    pub fn new(name: &'n str) -> Self {
        Self {
            name,
            found: None,
            words: Words::default(),
            numbers: Vec::new(),
            values: Vec::new(),
            by_bits: HashMap::default(),
            variant: None,
        }
    }

    /// A number that two points share if they share the text of [`PointRecord::value`]; `None` where there is none.
    pub fn word(&mut self, point: &PointRecord) -> Option<u32> {
        if self.name == "variant" {
            if let Some((variant, number)) = &self.variant
                && *variant == point.variant
            {
                return Some(*number);
            }
            let number = self.words.number(&point.variant);
            self.variant = Some((point.variant.clone(), number));
            return Some(number);
        }
        let (parameter, predictor) = self.find(point);
        if let Some(cell) = parameter.and_then(|place| point.parameters.number_at(place)) {
            if let Some(Some(number)) = self.numbers.get(cell as usize) {
                return Some(*number);
            }
            let number = self.words.number(point.parameters.get(self.name)?);
            *self.numbers.get_mut(cell as usize)? = Some(number);
            return Some(number);
        }
        if let Some(value) = predictor.and_then(|place| point.predictors.at(place)) {
            let words = &mut self.words;
            return Some(*self.by_bits.entry(value.to_bits()).or_insert_with(|| words.number(&value.to_string())));
        }
        point.counters.get(self.name).map(|text| self.words.number(text))
    }

    /// The number that points with this text have.
    pub fn word_of(&mut self, text: &str) -> u32 {
        self.words.number(text)
    }

    /// The cell as a number.
    pub fn number(&mut self, point: &PointRecord) -> Option<f64> {
        let (parameter, predictor) = self.find(point);
        if let Some(value) = predictor.and_then(|place| point.predictors.at(place)) {
            return Some(value);
        }
        let Some(cell) = parameter.and_then(|place| point.parameters.number_at(place)) else {
            return point.number(self.name);
        };
        if let Some(Read::As(value)) = self.values.get(cell as usize) {
            return *value;
        }
        let value = point.number(self.name);
        *self.values.get_mut(cell as usize)? = Read::As(value);
        value
    }

    /// Where the column is among the parameters and the predictors.
    fn find(&mut self, point: &PointRecord) -> (Option<usize>, Option<usize>) {
        if let Some(found) = &self.found
            && found.is_beside(point)
        {
            return (found.parameter, found.predictor);
        }
        if !self.found.as_ref().is_some_and(|found| found.fits(point)) {
            let count = point.parameters.texts().map_or(0, |texts| texts.len());
            self.numbers.clear();
            self.numbers.resize(count, None);
            self.values.clear();
            self.values.resize(count, Read::NotYet);
        }
        let (parameter, predictor) = (point.parameters.place(self.name), point.predictors.place(self.name));
        let (parameters, predictors) = (point.parameters.clone(), point.predictors.clone());
        self.found = Some(Found { parameters, predictors, counters: point.counters.clone(), parameter, predictor });
        (parameter, predictor)
    }
}
