//! Whether simulated times are in the order of measured ones.

use std::collections::HashMap;

use serde::Serialize;

use super::{APART_FROM, IN_ORDER_FROM, Pair, shared};
use crate::family::Family;
use crate::record::PointRecord;

/// Pairs of variants at the same parameters whose measured times differ by at least [`IN_ORDER_FROM`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Order {
    /// All of them.
    pub pairs: usize,
    /// Those whose simulated times are in the same order.
    pub right: usize,
    /// Those of all whose measured times differ by at least [`APART_FROM`].
    pub pairs_apart: usize,
    /// Those of them whose simulated times are in the same order.
    pub right_apart: usize,
    /// Groups of points that differ in their variant alone.
    pub groups: usize,
    /// Those in which what is simulated as the fastest is measured as the fastest, or takes less than [`IN_ORDER_FROM`] longer.
    pub fastest_right: usize,
}

/// Counts the pairs.
pub(super) fn of(family: &Family, records: &[&PointRecord], times: &[Pair]) -> Order {
    let mut variants: Vec<&str> = Vec::new();
    for record in records {
        if !variants.contains(&record.variant.as_str()) {
            variants.push(&record.variant);
        }
    }
    let mut order = Order::default();
    order.add_groups(family, records, times);
    for (index, one) in variants.iter().enumerate() {
        for other in &variants[index + 1..] {
            let mut by_parameters: HashMap<String, Vec<usize>> = HashMap::new();
            for (place, record) in places(records, one) {
                by_parameters.entry(shared(family, [one, other], record)).or_default().push(place);
            }
            for (place, record) in places(records, other) {
                let partners = by_parameters.get(&shared(family, [one, other], record)).map_or(&[][..], Vec::as_slice);
                partners.iter().for_each(|partner| order.add(times[*partner], times[place]));
            }
        }
    }
    order
}

/// The points of a variant with their places.
fn places<'r>(records: &'r [&'r PointRecord], variant: &'r str) -> impl Iterator<Item = (usize, &'r PointRecord)> {
    records.iter().copied().enumerate().filter(move |(_, own)| own.variant == variant)
}

impl Order {
    fn add_groups(&mut self, family: &Family, records: &[&PointRecord], times: &[Pair]) {
        let mut groups: HashMap<String, Vec<Pair>> = HashMap::new();
        for (record, pair) in records.iter().zip(times) {
            groups.entry(shared(family, [&record.variant, &record.variant], record)).or_default().push(*pair);
        }
        for group in groups.values().filter(|group| group.len() > 1) {
            let fastest = group.iter().map(|pair| pair.measured).fold(f64::INFINITY, f64::min);
            let by_simulated = group.iter().min_by(|one, other| one.simulated.total_cmp(&other.simulated));
            self.groups += 1;
            self.fastest_right +=
                usize::from(by_simulated.is_some_and(|pair| pair.measured < fastest * (1.0 + IN_ORDER_FROM)));
        }
    }

    fn add(&mut self, one: Pair, other: Pair) {
        let [measured, simulated] = [other.measured / one.measured, other.simulated / one.simulated];
        let times = measured.max(1.0 / measured);
        let is_right = (measured > 1.0) == (simulated > 1.0) && (simulated - 1.0).abs() > f64::EPSILON;
        if times >= 1.0 + IN_ORDER_FROM {
            self.pairs += 1;
            self.right += usize::from(is_right);
        }
        if times >= 1.0 + APART_FROM {
            self.pairs_apart += 1;
            self.right_apart += usize::from(is_right);
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            pairs: self.pairs + other.pairs,
            right: self.right + other.right,
            pairs_apart: self.pairs_apart + other.pairs_apart,
            right_apart: self.right_apart + other.right_apart,
            groups: self.groups + other.groups,
            fastest_right: self.fastest_right + other.fastest_right,
        }
    }
}

/// Spearman's rank correlation of the measured and the simulated numbers, equal ones with their mean rank; `None` of fewer than three
/// pairs, or where one side is all the same.
pub fn rank_correlation(pairs: &[Pair]) -> Option<f64> {
    if pairs.len() < 3 {
        return None;
    }
    let measured = ranks(pairs.iter().map(|pair| pair.measured));
    let simulated = ranks(pairs.iter().map(|pair| pair.simulated));
    let mean = f64::midpoint(pairs.len() as f64, 1.0);
    let product = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).map(|(one, other)| (one - mean) * (other - mean)).sum()
    };
    let scale = (product(&measured, &measured) * product(&simulated, &simulated)).sqrt();
    (scale > 0.0).then(|| product(&measured, &simulated) / scale)
}

/// The rank of each number from 1, in their order.
fn ranks(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let numbers: Vec<f64> = numbers.collect();
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|one, other| numbers[*one].total_cmp(&numbers[*other]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut first = 0;
    for group in order.chunk_by(|one, other| numbers[*one].total_cmp(&numbers[*other]).is_eq()) {
        let rank = first as f64 + f64::midpoint(group.len() as f64, 1.0);
        group.iter().for_each(|place| ranks[*place] = rank);
        first += group.len();
    }
    ranks
}
