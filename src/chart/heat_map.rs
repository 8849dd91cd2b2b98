//! What a heat map shows, before any decision about its looks.

use super::{Quantity, Scale};

/// A value for each combination of two parameters, as a colour.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeatMap {
    /// What the chart is about, in bold at its top left.
    pub title: String,
    /// The device and the origin of the values, in grey below.
    pub subtitle: String,
    /// What the columns are.
    pub x_label: String,
    /// What the rows are.
    pub y_label: String,
    /// The columns' values, from left to right.
    pub x: Vec<String>,
    /// The rows' values, from the bottom up.
    pub y: Vec<String>,
    /// What the colours are, without a unit.
    pub value_label: String,
    /// What kind of number the values are.
    pub quantity: Quantity,
    /// How values become colours.
    pub scale: Scale,
    /// The cells, row after row: that of column `i` and row `j` is at `j * x.len() + i`. `None` where there is no value.
    pub cells: Vec<Option<Cell>>,
    /// Small print under the plot. The renderer adds what its own marks mean.
    pub notes: Vec<String>,
}

/// A cell of a heat map.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cell {
    /// The value, in the unit of the chart's quantity: a geometric mean where it stands for several points.
    pub value: f64,
    /// Lower end of its 95 % interval; the value where there is none.
    pub low: f64,
    /// Upper end of its 95 % interval; the value where there is none.
    pub high: f64,
    /// The number of the run's point that it is of; `None` where it stands for several.
    pub point: Option<usize>,
}

impl HeatMap {
    /// The cell of a column and a row, both from 0.
    pub fn cell(&self, column: usize, row: usize) -> Option<&Cell> {
        if column >= self.x.len() {
            return None;
        }
        self.cells.get(row * self.x.len() + column)?.as_ref()
    }
}
