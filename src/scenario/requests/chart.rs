//! `[[chart]]`: what to draw.

use crate::model::OfFit;
use crate::record::Only;

mod keys;
mod names;
mod read;

pub(in crate::scenario) use keys::{described_chart_keys, keys_of_others};
pub(in crate::scenario) use read::charts;

/// How an axis places its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal differences are equally far apart; the vertical axis starts at zero.
    #[default]
    Linear,
    /// Equal ratios are equally far apart; ticks at powers of two if the integers x begin and end at such, else of ten.
    Log,
}

/// What kind of chart it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ChartKind {
    /// Values against a parameter or predictor.
    #[default]
    Lines,
    /// A bar for each value of x, the geometric mean over everything else.
    Bars,
    /// A colour for each combination of x and this parameter.
    Heat {
        /// The parameter, or `variant`, that the rows are of.
        rows: String,
    },
    /// A bar for each rung of a ladder, in the family's order, whatever their values.
    Ladder {
        /// Whether the bars are cumulative speedups, with those that sources print beside them; else times.
        is_speedup: bool,
    },
    /// How far times are from a law, in percent.
    Residuals {
        /// The name of the `[[fit]]` whose residuals are drawn; `None` for all that are laws.
        fit: Option<String>,
    },
}

/// What a chart shows of its points.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Vertical {
    /// The median time.
    #[default]
    Time,
    /// What must move through device memory, in 10^9 bytes a second.
    Throughput,
    /// The arithmetic that the result needs, in 10^9 operations a second.
    Operations,
    /// The energy of one time through the launches, where it was measured.
    Energy,
    /// The mean power of the board meanwhile.
    Power,
    /// The time as a multiple of another variant's.
    Slowdown {
        /// The variant that times are divided by.
        reference: String,
    },
    /// A predictor, or what simulated devices count: a column of `points.csv`.
    Column(String),
}

/// A chart to draw.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChartRequest {
    /// What kind of chart it is.
    pub kind: ChartKind,
    /// The chart's name, unique in the scenario, and that of its files.
    pub name: String,
    /// The words above it.
    pub title: String,
    /// The parameter or predictor along the horizontal axis; of bars and heat maps it may be text, or `variant`. Empty for
    /// residuals against the law's own predictor.
    pub x: String,
    /// How the horizontal axis is scaled.
    pub x_scale: Scale,
    /// What it shows.
    pub y: Vertical,
    /// How the vertical axis is scaled, and the colours of a heat map.
    pub y_scale: Scale,
    /// The parameters, or `variant`, that tell its lines apart, or the bars of one x; `None` leaves the choice to the chart.
    pub series: Option<Vec<String>>,
    /// The parameter, or `variant`, whose values get a panel each.
    pub facets: Option<String>,
    /// The points it shows.
    pub only: Only,
    /// What it shows in place of times.
    pub of: Option<OfFit>,
    /// The size of the picture in pixels; `None` leaves it to the chart.
    pub size: Option<(u32, u32)>,
}
