//! The keys of `[[chart]]`, each with the kinds of chart that have it.

use super::super::fit::OF;
use super::super::only::ONLY;
use super::Scale;
use crate::scenario::keys::{Allowed, DescribedKey, Key};

/// What a scenario calls the kinds of charts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Lines,
    Bars,
    Heat,
    Residuals,
    Ladder,
}

impl Kind {
    pub(super) const ALL: [(&'static str, Self); 5] = [
        ("lines", Self::Lines),
        ("bars", Self::Bars),
        ("heat", Self::Heat),
        ("residuals", Self::Residuals),
        ("ladder", Self::Ladder),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// A key of `[[chart]]`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChartKey {
    pub(super) key: Key,
    /// The kinds of chart that have it.
    pub(super) kinds: &'static [Kind],
}

/// What scales are called.
pub(super) const SCALES: [(&str, Scale); 2] = [("linear", Scale::Linear), ("log", Scale::Log)];

/// The least and the most pixels of a picture, either way.
pub(super) const SIZES: (i64, i64) = (300, 4000);

/// What `y` can be beside columns of `points.csv`.
pub(super) const NAMED_VALUES: [&str; 6] = ["time", "gb_per_s", "gop_per_s", "slowdown", "energy_mj", "power_w"];

const ALL: &[Kind] = &[Kind::Lines, Kind::Bars, Kind::Heat, Kind::Residuals, Kind::Ladder];
const WITH_VALUES: &[Kind] = &[Kind::Lines, Kind::Bars, Kind::Heat];
const WITH_Y: &[Kind] = &[Kind::Lines, Kind::Bars, Kind::Heat, Kind::Ladder];

const fn of(
    kinds: &'static [Kind],
    name: &'static str,
    allowed: Allowed,
    default: &'static str,
    meaning: &'static str,
) -> ChartKey {
    ChartKey { key: Key::new(name, allowed, default, meaning), kinds }
}

fn scale_names() -> Vec<&'static str> {
    SCALES.map(|(name, _)| name).to_vec()
}

/// The keys of `[[chart]]`.
pub(super) const CHART_KEYS: [ChartKey; 16] = [
    of(
        ALL,
        "kind",
        Allowed::OneOf(|| Kind::ALL.map(|(name, _)| name).to_vec()),
        "`\"lines\"`",
        "`lines`: values against `x`, with intervals, laws and crossovers; `bars`: the geometric mean for each value of `x`, with its \
         range and its 95 % interval; `heat`: a colour for each pair of `x` and `rows`; `residuals`: time less law, in percent of the \
         time; `ladder`: a bar for each rung, in order",
    ),
    of(
        ALL,
        "name",
        Allowed::FileName,
        "`\"runtime\"`",
        "names the files of the chart; no two charts have the same name",
    ),
    of(ALL, "title", Allowed::Text, "the scenario's title", "stands above the chart"),
    of(
        &[Kind::Lines, Kind::Bars, Kind::Heat, Kind::Residuals],
        "x",
        Allowed::Other("a parameter or a predictor; for `bars` and `heat` also text and `\"variant\"`"),
        "required for `lines` and `heat`; `bars`: `\"variant\"`; `residuals`: the predictor of the law",
        "horizontal axis",
    ),
    of(
        &[Kind::Lines, Kind::Residuals],
        "x_scale",
        Allowed::OneOf(scale_names),
        "`\"linear\"`",
        "scale of the horizontal axis",
    ),
    of(
        WITH_Y,
        "y",
        Allowed::Other(
            "`\"time\"`, `\"gb_per_s\"`, `\"gop_per_s\"`, `\"slowdown\"`, `\"energy_mj\"`, `\"power_w\"`, a phase such as `\"kernel_us\"`, a predictor, or a counter of simulated \
             GPUs; for `ladder`: `\"time\"` or `\"speedup\"`",
        ),
        "`\"time\"`",
        "what the chart shows",
    ),
    of(
        WITH_Y,
        "y_scale",
        Allowed::OneOf(scale_names),
        "`\"linear\"`; `ladder`: `\"log\"`",
        "scale of the vertical axis, or of the colours of a heat map",
    ),
    of(
        WITH_VALUES,
        "normalise",
        Allowed::Other("a variant"),
        "none",
        "shows each time over the time of this variant at the same parameters",
    ),
    of(
        WITH_VALUES,
        "reference",
        Allowed::Other("a variant"),
        "none",
        "with `y = \"slowdown\"`: the same as `normalise`",
    ),
    of(
        &[Kind::Lines, Kind::Bars],
        "series",
        Allowed::Other("a list of parameters and `\"variant\"`"),
        "`lines`: the variant and all parameters that vary beside `x`; `bars`: parameters that are text and vary",
        "what tells lines, or the bars of one `x`, apart",
    ),
    of(
        &[Kind::Heat],
        "rows",
        Allowed::Other("a parameter, a predictor or `\"variant\"`"),
        "required",
        "rows of the heat map",
    ),
    of(
        &[Kind::Residuals],
        "fit",
        Allowed::Other("the name of a `[[fit]]` that is a law"),
        "all laws",
        "law that the residuals belong to",
    ),
    of(
        &[Kind::Lines],
        "facets",
        Allowed::Other("a parameter or `\"variant\"`"),
        "none",
        "draws a panel for each of its values",
    ),
    ChartKey { key: ONLY, kinds: ALL },
    ChartKey { key: OF, kinds: &[Kind::Lines] },
    of(
        ALL,
        "size",
        Allowed::Other("a list of width and height, whole numbers from 300 to 4000"),
        "880 wide, as high as needed",
        "size of the picture in pixels",
    ),
];

/// The keys that charts of this kind do not have; none where there is no such kind.
pub(in crate::scenario) fn keys_of_others(kind: &str) -> Vec<&'static str> {
    let Some((_, kind)) = Kind::ALL.into_iter().find(|(name, _)| *name == kind) else { return Vec::new() };
    CHART_KEYS.iter().filter(|own| !own.kinds.contains(&kind)).map(|own| own.key.name).collect()
}

/// What the reference says of the keys.
pub(in crate::scenario) fn described_chart_keys() -> Vec<DescribedKey> {
    let described = CHART_KEYS.iter().map(|own| {
        let kinds = own.kinds.iter().map(|kind| format!("`{}`", kind.name())).collect::<Vec<_>>().join(", ");
        let kinds = if own.kinds.len() == Kind::ALL.len() { String::new() } else { kinds };
        DescribedKey { kinds, ..own.key.described() }
    });
    described.collect()
}
