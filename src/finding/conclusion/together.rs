//! Groups of a value that is another one in machine code: where both cost the same they are told together.

use crate::known_error::{SAME_CODE, SameCode};
use crate::model::group::{GroupFit, Outcome};

/// Figures that differ by no more than this, as a share, are the same.
const SAME: f64 = 0.005;
/// Stands between the values of groups that are told together.
const OR: &str = " or ";

/// The groups of fits, those of a cluster's scope with those of the device's where all figures of both agree: `scope=cluster or device`, with the
/// device's figures.
pub(super) fn together(fits: &[GroupFit]) -> Vec<GroupFit> {
    fits.chunk_by(|one, other| one.name == other.name).flat_map(of_fit).collect()
}

fn of_fit(groups: &[GroupFit]) -> Vec<GroupFit> {
    let (own, others): (Vec<&GroupFit>, Vec<&GroupFit>) =
        groups.iter().partition(|group| value(group) == Some(SAME_CODE.value));
    let other = |group: &GroupFit| {
        let wanted = with_value(group, SAME_CODE.other);
        others.iter().copied().find(|other| other.group == wanted.group)
    };
    let is_alike = |group: &&GroupFit| other(group).is_some_and(|other| agree(&group.outcome, &other.outcome));
    if own.is_empty() || !own.iter().all(is_alike) {
        return groups.to_vec();
    }
    let both = format!("{}{OR}{}", SAME_CODE.value, SAME_CODE.other);
    let told = groups.iter().filter(|group| value(group) != Some(SAME_CODE.value)).map(|group| {
        let is_other = value(group) == Some(SAME_CODE.other);
        let one = with_value(group, SAME_CODE.value);
        match own.iter().find(|own| is_other && own.group == one.group) {
            Some(own) if !is_success(group) && is_success(own) => with_value(own, &both),
            Some(_) => with_value(group, &both),
            None => group.clone(),
        }
    });
    told.collect()
}

/// The value with whose points a group's points are found, where it is of two that are told together.
pub(in crate::finding) fn one_of<'v>(name: &str, value: &'v str) -> &'v str {
    let SameCode { parameter, value: own, other } = SAME_CODE;
    let of_both = value.strip_prefix(own).and_then(|rest| rest.strip_prefix(OR)).filter(|rest| *rest == other);
    of_both.filter(|_| name == parameter).unwrap_or(value)
}

fn value(group: &GroupFit) -> Option<&str> {
    group.group.iter().find(|(name, _)| name == SAME_CODE.parameter).map(|(_, value)| value.as_str())
}

fn with_value(group: &GroupFit, value: &str) -> GroupFit {
    let mut own = group.clone();
    for (name, old) in &mut own.group {
        if name == SAME_CODE.parameter {
            value.clone_into(old);
        }
    }
    own
}

fn is_success(group: &GroupFit) -> bool {
    group.outcome.law().is_some_and(|fit| fit.verdict.is_success())
}

/// Whether two outcomes have the same figures.
fn agree(one: &Outcome, other: &Outcome) -> bool {
    let is_same = |one: f64, other: f64| (one - other).abs() <= SAME * one.abs().max(other.abs());
    match (one, other) {
        (Outcome::Law(one), Outcome::Law(other)) => {
            let cost = one.law.cost.place;
            let estimates = one.estimates.get(cost).zip(other.estimates.get(cost));
            one.law == other.law && estimates.is_some_and(|(one, other)| is_same(one.estimate, other.estimate))
        }
        (Outcome::Slowdown(one), Outcome::Slowdown(other)) => {
            is_same(one.ratio, other.ratio)
                && is_same(one.smallest, other.smallest)
                && is_same(one.largest, other.largest)
        }
        (Outcome::Speedup(one), Outcome::Speedup(other)) => is_same(one.ratio, other.ratio),
        (Outcome::NotFitted(one), Outcome::NotFitted(other)) => one == other,
        _ => false,
    }
}
