//! Cells of a row by the names of their columns, as small as a million rows need them.

use std::sync::Arc;

use ecow::EcoString;
use serde::{Deserialize, Serialize};

/// The names of columns, which the rows of a table share.
pub type Names = Arc<[EcoString]>;

/// Some cells of a row, each with its column's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<(EcoString, T)>", into = "Vec<(EcoString, T)>")]
#[serde(bound(serialize = "T: Serialize + Clone", deserialize = "T: Deserialize<'de>"))]
pub struct Cells<T> {
    names: Names,
    values: Box<[T]>,
}

impl<T> Cells<T> {
    /// Cells with these names, in the same order.
    pub fn new(names: &Names, values: Vec<T>) -> Self {
        Self { names: Arc::clone(names), values: values.into_boxed_slice() }
    }

    /// The cell of a column.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.values.get(self.names.iter().position(|own| own == name)?)
    }

    /// Each cell with its column's name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.names.iter().map(EcoString::as_str).zip(&self.values)
    }
}

impl<T> Default for Cells<T> {
    fn default() -> Self {
        Self { names: Names::default(), values: Box::default() }
    }
}

impl<N: Into<EcoString>, T> FromIterator<(N, T)> for Cells<T> {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(pairs: I) -> Self {
        let (names, values): (Vec<EcoString>, Vec<T>) =
            pairs.into_iter().map(|(name, value)| (name.into(), value)).unzip();
        Self { names: names.into(), values: values.into() }
    }
}

impl<T> From<Vec<(EcoString, T)>> for Cells<T> {
    fn from(pairs: Vec<(EcoString, T)>) -> Self {
        pairs.into_iter().collect()
    }
}

impl<T: Clone> From<Cells<T>> for Vec<(EcoString, T)> {
    fn from(cells: Cells<T>) -> Self {
        cells.names.iter().cloned().zip(cells.values).collect()
    }
}
