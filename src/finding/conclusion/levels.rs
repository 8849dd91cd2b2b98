//! Levels that no law tells: those of a staircase whose law does not hold, and lines in near and far slices of L2.

use super::{listed_in_order, variant_of};
use crate::model::Of;
use crate::model::fit::Estimate;
use crate::model::group::GroupFit;
use crate::model::law::Form;
use crate::model::two_groups::TwoGroups;
use crate::unit;

/// Values that differ by no more than this from the first of them, as a share, are one level.
const LEVEL: f64 = 0.05;
/// Values that make a level, at least.
const LEAST_OF_LEVEL: usize = 3;
/// The parameter that says which line a load reads.
const OF_LINES: &str = "offset_bytes";
/// Lines of L2 are further apart than this only where they are not all in L2.
const MOST_APART: f64 = 1.5;

/// The levels of values of another fit, as its groups have them, where the law of plateaus that was asked for does not hold for the variant.
pub(super) fn of_failed_plateaus(fits: &[GroupFit], variant: &str) -> Vec<String> {
    let failed = fits.iter().filter(|group| variant_of(group) == variant).filter_map(|group| {
        let (fit, of) = (group.outcome.law()?, group.of.as_ref().and_then(Of::fit)?);
        let is_failed = matches!(fit.law.form, Form::Plateaus { .. }) && !fit.verdict.is_success();
        is_failed.then_some((group, fit.predictor, of))
    });
    let told = failed.filter_map(|(group, predictor, of)| {
        let is_of_it = |own: &&GroupFit| own.name == of.fit && group.group.iter().all(|pair| own.group.contains(pair));
        let value = |own: &GroupFit| {
            let x = own.group.iter().find(|(name, _)| name == predictor)?.1.parse::<f64>().ok()?;
            let fit = own.outcome.law().filter(|fit| fit.verdict.is_success())?;
            Some((x, *fit.estimates.iter().find(|estimate| estimate.parameter == of.parameter)?))
        };
        let mut values: Vec<(f64, Estimate)> = fits.iter().filter(is_of_it).filter_map(value).collect();
        values.sort_by(|one, other| one.0.total_cmp(&other.0));
        let levels = levels(&values, predictor);
        let rest: Vec<String> = group
            .group
            .iter()
            .filter(|(name, _)| name != "variant")
            .map(|(name, own)| format!("{name}={own}"))
            .collect();
        let with = if rest.is_empty() { String::new() } else { format!(" with {}", rest.join(" ")) };
        (levels.len() > 1).then(|| {
            let levels = listed_in_order(&levels, ", ");
            format!("{variant}: {} is {levels}{with}, as measured: the law of plateaus does not hold.", of.parameter)
        })
    });
    told.collect()
}

/// The levels in words, and the value at the largest predictor where it is in none.
fn levels(values: &[(f64, Estimate)], predictor: &str) -> Vec<String> {
    let is_level = |first: f64, own: f64| (own / first - 1.0).abs() <= LEVEL;
    let size = |x: f64| {
        if predictor.ends_with("_bytes") { unit::bytes(x.round() as u64) } else { format!("{predictor} = {x}") }
    };
    let mut told = Vec::new();
    let mut from = 0;
    while let Some((x, first)) = values.get(from) {
        let rest = &values[from..];
        let count = rest.iter().take_while(|(_, own)| is_level(first.estimate, own.estimate)).count().max(1);
        let last = rest[count - 1].0;
        if count >= LEAST_OF_LEVEL {
            let mut own: Vec<f64> = rest[..count].iter().map(|(_, own)| own.estimate).collect();
            own.sort_by(f64::total_cmp);
            told.push(format!("{} from {} to {}", first.told(own[count / 2]), size(*x), size(last)));
        } else if from + count == values.len() {
            let (x, own) = &rest[count - 1];
            told.push(format!("{} at {}", own.told(own.estimate), size(*x)));
        }
        from += count;
    }
    told
}

/// The costs of loads of lines at different offsets in two groups, near and far, where a gap parts them. They are in rising order, each with what
/// tells it from the others.
pub(super) fn near_and_far(known: &[(String, Estimate)]) -> Option<String> {
    let is_of_line =
        |rest: &str| rest.strip_prefix(OF_LINES).is_some_and(|own| own.starts_with('=') && !own.contains(' '));
    let values: Vec<f64> = known.iter().map(|(_, own)| own.estimate).collect();
    let (first, last) = (values.first()?, values.last()?);
    if !known.iter().all(|(rest, _)| is_of_line(rest)) || *first <= 0.0 || last / first > MOST_APART {
        return None;
    }
    let groups = TwoGroups::of(&values).ok()?;
    let told = |own: f64| known[0].1.told(own);
    let group = |own: &[f64], kind: &str| {
        let [low, high] = [own[0], own[own.len() - 1]].map(told);
        let range = if low == high { low } else { format!("{low} to {high}") };
        format!("{range} with {} lines in {kind} slices", own.len())
    };
    let (near, far) = values.split_at(groups.counts[0]);
    Some(format!("{} and {}, by {OF_LINES}", group(near, "near"), group(far, "far")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(values: &[f64], name: &str) -> Vec<(String, Estimate)> {
        let own = |(place, value): (usize, &f64)| {
            let estimate = Estimate { parameter: "t_load", estimate: *value, low: *value, high: *value, unit: "us" };
            (format!("{name}={place}"), estimate)
        };
        values.iter().enumerate().map(own).collect()
    }

    #[test]
    fn lines_are_near_and_far_where_a_gap_parts_them() {
        let parted = [0.1348, 0.138, 0.1424, 0.148, 0.149, 0.1515];
        let told = "134.8 ns to 142.4 ns with 3 lines in near slices and 148.0 ns to 151.5 ns with 3 lines in far slices, by offset_bytes";
        assert_eq!(
            near_and_far(&known(&[0.1348, 0.1385, 0.1424, 0.148, 0.149, 0.1515], OF_LINES)),
            None,
            "no clear gap"
        );
        assert_eq!(
            near_and_far(&known(&[0.1348, 0.1371, 0.1394, 0.148, 0.149, 0.1515], OF_LINES)).as_deref(),
            Some(told.replace("142.4", "139.4").as_str())
        );
        assert_eq!(near_and_far(&known(&parted, "set_bytes")), None, "not of lines");
    }

    #[test]
    fn values_that_are_alike_are_a_level_and_the_last_is_told_by_itself() {
        let sizes = [1024.0, 2048.0, 4096.0, 8192.0, 16_384.0, 32_768.0, 65_536.0, 131_072.0];
        let values = known(&[0.02, 0.0201, 0.02, 0.05, 0.14, 0.141, 0.142, 0.3], "set_bytes");
        let values: Vec<(f64, Estimate)> = sizes.into_iter().zip(values).map(|(x, (_, own))| (x, own)).collect();
        let told = ["20.00 ns from 1 KiB to 4 KiB", "141.0 ns from 16 KiB to 64 KiB", "300.0 ns at 128 KiB"];
        assert_eq!(levels(&values, "set_bytes"), told);
    }
}
