//! Ratios of times on different devices, as if both had the same clock, as many multiprocessors, or the same bandwidth.

use serde::Serialize;

use super::ratio::Ratio;
use super::summary::mean_ratio;
use crate::properties::Properties;

/// Factors nearer to one than this are left out.
const SAME_FACTOR: f64 = 5e-4;

/// What is taken out of a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The clock of the multiprocessors: what is left are cycles.
    Clock,
    /// The number of multiprocessors: what is left is the time of one.
    Multiprocessors,
    /// The peak bandwidth of the device memory: what is left is how well it is used.
    Bandwidth,
}

impl By {
    /// How it is labelled wherever it is shown.
    pub fn label(self) -> &'static str {
        match self {
            Self::Clock => "per clock",
            Self::Multiprocessors => "per multiprocessor",
            Self::Bandwidth => "per peak bandwidth",
        }
    }
}

/// A geometric mean of ratios, with one difference of the devices taken out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Normalised {
    /// What is taken out.
    pub by: By,
    /// How it is labelled.
    pub label: &'static str,
    /// What the base has of it, with its unit.
    pub base: String,
    /// What the other has of it.
    pub other: String,
    /// The other's over the base's: ratios of times are multiplied by it. Of clocks the geometric mean over points.
    pub factor: f64,
    /// The geometric mean of the ratios after the multiplication.
    pub mean: Ratio,
}

/// The mean ratio of times with each difference of the devices taken out. `clocks` are those of the compared points, the base's and the
/// other's; points that do not tell have the device's.
pub(super) fn normalised(
    mean: Option<Ratio>,
    base: &Properties,
    other: &Properties,
    clocks: &[(f64, f64)],
) -> Vec<Normalised> {
    let Some(mean) = mean else { return Vec::new() };
    let clock = mean_ratio(clocks.iter().map(|(base, other)| (other / base).ln()));
    let typical = |side: fn(&(f64, f64)) -> f64| {
        mean_ratio(clocks.iter().map(|pair| side(pair).ln())).map_or(String::new(), |clock| format!("{clock:.0} MHz"))
    };
    let number = |count: u32| (count > 0).then_some(f64::from(count));
    let shown = |value: Option<f64>, unit: &str| value.map_or(String::new(), |value| format!("{value:.0}{unit}"));
    let (base_sms, other_sms) = (number(base.sm_count), number(other.sm_count));
    let (base_peak, other_peak) = (base.peak_gb_per_s(), other.peak_gb_per_s());
    let over = |base: Option<f64>, other: Option<f64>| Some(other? / base?);
    let all = [
        (By::Clock, clock, typical(|pair| pair.0), typical(|pair| pair.1)),
        (By::Multiprocessors, over(base_sms, other_sms), shown(base_sms, ""), shown(other_sms, "")),
        (By::Bandwidth, over(base_peak, other_peak), shown(base_peak, " GB/s"), shown(other_peak, " GB/s")),
    ];
    let known = all.into_iter().filter_map(|(by, factor, base, other)| {
        let factor = factor.filter(|factor| factor.is_finite() && *factor > 0.0)?;
        if (factor - 1.0).abs() < SAME_FACTOR {
            return None;
        }
        let interval = mean.interval.map(|(low, high)| (low * factor, high * factor));
        let mean = Ratio { ratio: mean.ratio * factor, interval };
        Some(Normalised { by, label: by.label(), base, other, factor, mean })
    });
    known.collect()
}
