//! Gains that were measured: patterns and remedies of the program's own kernels on a GPU, beside what is predicted of them.

use std::sync::LazyLock;

use serde::Deserialize;

use super::remedy::{goes_alone, is_of_loops, is_sorting_of_use, meets_other_warps_only};
use super::{Counted, Finding, Kind, PointDiagnosis, SMALL_PART};

/// The measured gains: `tests/gpu/diagnosis/pairs.py` writes the file.
const PAIRS: &str = include_str!("../../results/measured-gains.csv");
/// The GPU that they were measured on.
pub const MEASURED_ON: &str = "an NVIDIA H200";

/// A pattern and its remedy at a point.
#[derive(Debug, Clone, Deserialize)]
struct Pair {
    scenario: String,
    pattern_variant: String,
    pattern: String,
    measured_gain: f64,
    predicted_gain: f64,
}

static ALL: LazyLock<Vec<Pair>> =
    LazyLock::new(|| csv::Reader::from_reader(PAIRS.as_bytes()).deserialize().filter_map(Result::ok).collect());

/// Patterns and remedies that were measured, at all points.
pub(super) fn measured_gains() -> usize {
    ALL.len()
}

/// By which part predicted gains of this pattern are off in the median; `None` where none was measured.
fn median_error(kind: Kind) -> Option<f64> {
    let of_pattern = ALL.iter().filter(|own| own.pattern == kind.name());
    let mut errors: Vec<f64> = of_pattern.map(|own| (own.predicted_gain / own.measured_gain - 1.0).abs()).collect();
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied()
}

/// How many times the gain that is predicted another kernel's may be that is told beside it.
const BORROWED_MOST: f64 = 3.0;

/// What such a remedy gained of the program's own kernels, where that says anything of this one: the scenario, and how many times as fast it was. It
/// does not beside a cost that may be none, or is shared out, nor where the remedy gains nothing here.
pub fn measured_gain(finding: &Finding, point: &PointDiagnosis) -> Option<(&'static str, f64)> {
    let price = finding.price?;
    let is_sure = finding.price_range(point).is_some_and(|(from, _)| from > 0.0);
    let gains = price.remedied_us.is_none_or(|us| us < point.time_us * (1.0 - SMALL_PART));
    let most = BORROWED_MOST * point.time_us / price.without_us;
    usual_gain(finding.kind, &finding.counted).filter(|(_, gain)| is_sure && gains && *gain < most)
}

/// What the remedy of this pattern gained in the scenario in which it gained most: its name, and how many times as fast it is in the median.
/// `None` where another remedy is told than was measured, or where atomics do not meet as those did: at one address.
fn usual_gain(kind: Kind, counted: &Counted) -> Option<(&'static str, f64)> {
    let at_one_address = 2.0 * counted.atomics_at_one_address > counted.atomics.0;
    let is_other = counted.swaps
        || counted.are_answered
        || counted.is_shared
        || meets_other_warps_only(counted)
        || !at_one_address;
    if kind == Kind::AtomicContention && is_other {
        return None;
    }
    if counted.is_gather {
        return None;
    }
    // What was measured sorts lanes that go different ways, and no loops of different lengths.
    let is_sorted =
        counted.threads_are_alike && !goes_alone(counted) && !is_of_loops(counted) && is_sorting_of_use(counted);
    if kind == Kind::Divergence && !is_sorted {
        return None;
    }
    let is_own = |own: &&Pair| {
        // Copies that differ in their stores alone have the pattern in the store.
        let stores = own.scenario == "transpose" || own.pattern_variant.ends_with("write_uncoalesced");
        own.pattern == kind.name()
            && match kind {
                Kind::UncoalescedStore => stores,
                Kind::UncoalescedLoad => !stores,
                _ => true,
            }
    };
    let largest = ALL.iter().filter(is_own).max_by(|one, other| one.measured_gain.total_cmp(&other.measured_gain));
    let scenario = largest?.scenario.as_str();
    let mut gains: Vec<f64> =
        ALL.iter().filter(|own| is_own(own) && own.scenario == scenario).map(|own| own.measured_gain).collect();
    gains.sort_by(f64::total_cmp);
    gains.get(gains.len() / 2).map(|gain| (scenario, *gain)).filter(|(_, gain)| *gain <= gain_most(kind, counted))
}

/// How many times as fast a kernel is at most without the pattern, by what was counted of it: an access that needs five sectors for four is no more
/// than 1.25 times as fast with four.
fn gain_most(kind: Kind, counted: &Counted) -> f64 {
    match kind {
        Kind::UncoalescedLoad | Kind::UncoalescedStore | Kind::BankConflictLoad | Kind::BankConflictStore => {
            counted.accesses.parts / counted.accesses.least.max(f64::MIN_POSITIVE)
        }
        _ => f64::INFINITY,
    }
}

/// What the range of a price says, in a sentence.
pub fn meaning_of_range() -> String {
    format!(
        "Expect a cost within its range half of the time: so it was with {} gains of the program's own kernels that were measured on {MEASURED_ON}.",
        measured_gains()
    )
}

/// The same in a line.
pub fn meaning_of_range_in_short() -> String {
    format!("Half of such costs are within their ranges: so it was of {} measured gains.", measured_gains())
}

/// A price with the median error of the predicted gain: from, to.
pub(super) fn price_range(kind: Kind, time_us: f64, without_us: f64) -> Option<(f64, f64)> {
    let error = median_error(kind)?;
    let price = |factor: f64| (time_us - without_us * factor).clamp(0.0, time_us);
    Some((price(1.0 + error), price(1.0 - error)))
}

#[cfg(test)]
mod tests {
    use super::super::Price;
    use super::*;

    #[test]
    fn gains_are_read_from_the_file_of_the_runs() {
        assert_eq!(measured_gains(), PAIRS.lines().count() - 1);
        let counted = Counted { atomics: (64.0, 32.0), atomics_at_one_address: 64.0, ..Counted::default() };
        assert_eq!(usual_gain(Kind::AtomicContention, &counted).map(|own| own.0), Some("trapezoid"));
        let swaps = Counted { swaps: true, ..counted.clone() };
        assert!(usual_gain(Kind::AtomicContention, &swaps).is_none(), "what is swapped cannot be added up");
        let apart = Counted { atomics: (64.0, 0.0), ..Counted::default() };
        assert!(usual_gain(Kind::AtomicContention, &apart).is_none(), "warps have nothing to add up");
        let many = Counted { atomics_at_one_address: 2.0, ..counted.clone() };
        assert!(usual_gain(Kind::AtomicContention, &many).is_none(), "many addresses");
        let of_sectors = |parts| {
            let accesses = gpu_simulator::Accesses { parts, least: 4.0, ..gpu_simulator::Accesses::default() };
            usual_gain(Kind::UncoalescedStore, &Counted { accesses, ..counted.clone() })
        };
        assert!(of_sectors(5.0).is_none(), "five sectors for four gain 1.25 times at most");
        let (scenario, gain) = of_sectors(32.0).unwrap();
        assert_eq!((scenario, format!("{gain:.1}")), ("transpose", "6.8".to_owned()));
        let parted =
            Counted { affected: 2.0, lanes_of_narrow_ways: 32.0, threads_are_alike: true, ..Counted::default() };
        assert_eq!(usual_gain(Kind::Divergence, &parted).map(|own| own.0), Some("branching"));
        let alone = Counted { lanes_of_narrow_ways: 2.0, ..parted.clone() };
        assert!(usual_gain(Kind::Divergence, &alone).is_none(), "one lane goes alone");
        let turns = Counted { at_loops: 2.0, ..parted.clone() };
        assert!(usual_gain(Kind::Divergence, &turns).is_none(), "no loop was measured");
        let of_one_warp = Counted { executions: 8.0, warps: 8.0, blocks: 2.0, ..parted.clone() };
        assert!(usual_gain(Kind::Divergence, &of_one_warp).is_none(), "sorting gains nothing");
        let tied = Counted { threads_are_alike: false, ..parted };
        assert!(usual_gain(Kind::Divergence, &tied).is_none(), "threads cannot be sorted");
        assert!(usual_gain(Kind::Fence, &counted).is_none(), "none was measured");
        let gather = Counted { is_gather: true, ..counted.clone() };
        assert!(usual_gain(Kind::UncoalescedStore, &gather).is_none(), "memory decides where");
        assert!(median_error(Kind::BankConflictLoad).is_some_and(|error| error < 0.1));
    }

    #[test]
    fn a_range_is_that_of_the_gain() {
        let error = median_error(Kind::BankConflictLoad).unwrap();
        let (from, to) = price_range(Kind::BankConflictLoad, 10.0, 5.0).unwrap();
        assert!((5.0 - from - 5.0 * error).abs() < 1e-9 && (to - 5.0 - 5.0 * error).abs() < 1e-9);
        assert_eq!(price_range(Kind::BankConflictLoad, 10.0, 10.0).map(|own| own.0), Some(0.0));
    }

    #[test]
    fn no_gain_is_told_beside_a_remedy_that_has_none_here() {
        let time_us = 30.0;
        let mut point = PointDiagnosis::of_time(time_us, "latency");
        let told = |remedied_us: f64, point: &PointDiagnosis| {
            let (bound_without, is_shared) = ("memory", false);
            let price = Price { us: 20.0, without_us: 10.0, is_shared, bound_without, remedied_us: Some(remedied_us) };
            measured_gain(&Finding { price: Some(price), ..point.findings[0].clone() }, point)
        };
        point.findings.push(Finding {
            kernel: "k",
            kind: Kind::Divergence,
            place: super::super::Place { file: "a.cu".to_owned(), line: 1, text: String::new() },
            ptx_lines: Vec::new(),
            counted: Counted {
                affected: 2.0,
                lanes_of_narrow_ways: 32.0,
                threads_are_alike: true,
                ..Counted::default()
            },
            price: None,
            by_laws_us: None,
            remedy: String::new(),
        });
        assert_eq!(told(15.0, &point).map(|own| own.0), Some("branching"));
        assert!(told(29.9, &point).is_none() && told(33.0, &point).is_none());
    }
}
