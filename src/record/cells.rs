//! Cells of a row by the names of their columns, as small as a million rows need them: rows that were read together share
//! a block of cells, and a text that many cells have is kept once.

use std::collections::HashMap;
use std::sync::Arc;

use ecow::EcoString;
use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

/// The names of columns, which the rows of a table share.
pub type Names = Arc<[EcoString]>;

/// Texts, each once and with a number.
#[derive(Debug, Clone, Default)]
pub struct Words {
    texts: Vec<EcoString>,
    numbers: HashMap<EcoString, u32, RandomState>,
}

impl Words {
    /// The number of a text.
    pub fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        let text = EcoString::from(text);
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        number
    }

    /// The texts in the order of their numbers.
    pub fn into_texts(self) -> Arc<[EcoString]> {
        self.texts.into()
    }

    /// The number here of each text of others, by the number that it has there.
    pub fn numbers_of(&mut self, others: &Self) -> Vec<u32> {
        others.texts.iter().map(|text| self.number(text)).collect()
    }
}

/// Numbers of some cells of a row, each with its column's name.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(EcoString, Option<f64>)>", into = "Vec<(EcoString, Option<f64>)>")]
pub struct Numbers(Cells<Option<f64>>);

/// Texts of some cells of a row, each with its column's name.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(EcoString, EcoString)>", into = "Vec<(EcoString, EcoString)>")]
pub struct Texts(Cells<u32>);

/// One row of a block.
#[derive(Debug, Clone)]
struct Cells<T> {
    block: Option<Arc<Block<T>>>,
    row: u32,
}

/// Rows that were read together.
#[derive(Debug)]
pub struct Block<T> {
    names: Names,
    /// The cells of all rows, one row after another.
    values: Box<[T]>,
    /// What the cells are numbers of, where they are of texts.
    texts: Arc<[EcoString]>,
}

impl<T> Block<T> {
    /// Rows with these names, one after another; of texts, where the values are their numbers.
    pub fn new(names: &Names, values: Vec<T>, texts: &Arc<[EcoString]>) -> Arc<Self> {
        Arc::new(Self { names: Arc::clone(names), values: values.into(), texts: Arc::clone(texts) })
    }
}

impl<T> Default for Cells<T> {
    fn default() -> Self {
        Self { block: None, row: 0 }
    }
}

impl<T> Cells<T> {
    fn of(block: &Arc<Block<T>>, row: usize) -> Self {
        Self { block: Some(Arc::clone(block)), row: row as u32 }
    }

    fn alone(names: Vec<EcoString>, values: Vec<T>, texts: Vec<EcoString>) -> Self {
        Self::of(&Block::new(&names.into(), values, &texts.into()), 0)
    }

    fn names(&self) -> &[EcoString] {
        self.block.as_ref().map_or(&[], |block| &block.names)
    }

    fn values(&self) -> &[T] {
        let Some(block) = &self.block else { return &[] };
        let count = block.names.len();
        block.values.get(self.row as usize * count..(self.row as usize + 1) * count).unwrap_or_default()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.names().iter().position(|own| own == name)
    }

    /// Whether both rows are of one block; rows without any are, too.
    fn is_beside(&self, other: &Self) -> bool {
        match (&self.block, &other.block) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        }
    }

    fn at(&self, place: usize) -> Option<&T> {
        let block = self.block.as_ref()?;
        block.values.get(self.row as usize * block.names.len() + place)
    }
}

impl Numbers {
    /// A row of a block.
    pub fn of(block: &Arc<Block<Option<f64>>>, row: usize) -> Self {
        Self(Cells::of(block, row))
    }

    /// The cell of a column; `None` where it is empty, or there is no such column.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.at(self.0.place(name)?)
    }

    /// Each cell with its column's name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<f64>)> {
        self.0.names().iter().map(EcoString::as_str).zip(self.0.values().iter().copied())
    }

    pub(super) fn is_beside(&self, other: &Self) -> bool {
        self.0.is_beside(&other.0)
    }

    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.0.place(name)
    }

    pub(super) fn at(&self, place: usize) -> Option<f64> {
        self.0.at(place).copied().flatten()
    }

    pub(super) fn names(&self) -> Option<&Names> {
        self.0.block.as_ref().map(|block| &block.names)
    }
}

impl Texts {
    /// A row of a block.
    pub fn of(block: &Arc<Block<u32>>, row: usize) -> Self {
        Self(Cells::of(block, row))
    }

    /// The cell of a column.
    pub fn get(&self, name: &str) -> Option<&EcoString> {
        self.text(*self.0.at(self.0.place(name)?)?)
    }

    /// Each cell with its column's name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &EcoString)> {
        let texts = self.0.values().iter().filter_map(|number| self.text(*number));
        self.0.names().iter().map(EcoString::as_str).zip(texts)
    }

    fn text(&self, number: u32) -> Option<&EcoString> {
        self.0.block.as_ref()?.texts.get(number as usize)
    }

    pub(super) fn is_beside(&self, other: &Self) -> bool {
        self.0.is_beside(&other.0)
    }

    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.0.place(name)
    }

    /// The number that a cell's text has among [`Self::texts`].
    pub(super) fn number_at(&self, place: usize) -> Option<u32> {
        self.0.at(place).copied()
    }

    pub(super) fn names(&self) -> Option<&Names> {
        self.0.block.as_ref().map(|block| &block.names)
    }

    pub(super) fn texts(&self) -> Option<&Arc<[EcoString]>> {
        self.0.block.as_ref().map(|block| &block.texts)
    }
}

impl PartialEq for Numbers {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl PartialEq for Texts {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<N: Into<EcoString>> FromIterator<(N, Option<f64>)> for Numbers {
    fn from_iter<I: IntoIterator<Item = (N, Option<f64>)>>(pairs: I) -> Self {
        let (names, values) = pairs.into_iter().map(|(name, value)| (name.into(), value)).unzip();
        Self(Cells::alone(names, values, Vec::new()))
    }
}

impl<N: Into<EcoString>> FromIterator<(N, EcoString)> for Texts {
    fn from_iter<I: IntoIterator<Item = (N, EcoString)>>(pairs: I) -> Self {
        let (names, texts): (Vec<EcoString>, Vec<EcoString>) =
            pairs.into_iter().map(|(name, text)| (name.into(), text)).unzip();
        Self(Cells::alone(names, (0..texts.len() as u32).collect(), texts))
    }
}

impl From<Vec<(EcoString, Option<f64>)>> for Numbers {
    fn from(pairs: Vec<(EcoString, Option<f64>)>) -> Self {
        pairs.into_iter().collect()
    }
}

impl From<Numbers> for Vec<(EcoString, Option<f64>)> {
    fn from(numbers: Numbers) -> Self {
        numbers.iter().map(|(name, value)| (name.into(), value)).collect()
    }
}

impl From<Vec<(EcoString, EcoString)>> for Texts {
    fn from(pairs: Vec<(EcoString, EcoString)>) -> Self {
        pairs.into_iter().collect()
    }
}

impl From<Texts> for Vec<(EcoString, EcoString)> {
    fn from(texts: Texts) -> Self {
        texts.iter().map(|(name, text)| (name.into(), text.clone())).collect()
    }
}
