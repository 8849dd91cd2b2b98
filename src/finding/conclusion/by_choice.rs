//! The figures of many groups by the choice, such as a scope, that they depend on most.

use crate::family::Family;
use crate::model::group::Key;
use crate::parameter::Kind;

/// Values of a choice that are told apart, at most.
const VALUES_MOST: usize = 3;

/// From how many times as much as with another value on a choice is told.
const CHOICE_MATTERS: f64 = 3.0;

/// The smallest and the largest figure with each value of the choice that makes the largest difference, the value of the smallest ones first; `None`
/// where none makes much of one, where what is usual with one value occurs with all, or where there are many values. Each group has its smallest and
/// its largest figure.
pub(super) fn by_choice(family: &Family, groups: &[(&Key, [f64; 2])]) -> Option<Vec<(String, [f64; 2])>> {
    let choices = family.parameters.iter().filter(|own| matches!(own.kind, Kind::Choice(_)));
    let of_choice = choices.filter_map(|parameter| {
        let mut each: Vec<(String, Vec<[f64; 2]>)> = Vec::new();
        for (key, figures) in groups {
            let (_, value) = key.iter().find(|(name, _)| name == parameter.name)?;
            let label = format!("{}={value}", parameter.name);
            match each.iter_mut().find(|(own, _)| *own == label) {
                Some((_, own)) => own.push(*figures),
                None => each.push((label, vec![*figures])),
            }
        }
        (2..=VALUES_MOST).contains(&each.len()).then_some(each)
    });
    let mean = |own: &[[f64; 2]]| {
        let all = own.iter().flatten().map(|figure| figure.ln());
        (all.sum::<f64>() / (2 * own.len()) as f64).exp()
    };
    let spread = |each: &[(String, Vec<[f64; 2]>)]| {
        let means = || each.iter().map(|(_, own)| mean(own));
        means().fold(0.0, f64::max) / means().fold(f64::INFINITY, f64::min)
    };
    let told = of_choice.map(|each| (spread(&each), each)).filter(|(spread, _)| *spread >= CHOICE_MATTERS);
    let (_, mut each) = told.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    each.sort_by(|(_, one), (_, other)| mean(one).total_cmp(&mean(other)));
    let range = |own: &[[f64; 2]]| {
        [
            own.iter().map(|[low, _]| *low).fold(f64::INFINITY, f64::min),
            own.iter().map(|[_, high]| *high).fold(0.0, f64::max),
        ]
    };
    let told: Vec<(String, [f64; 2])> = each.into_iter().map(|(label, own)| (label, range(&own))).collect();
    let ([_, most], [least, _]) = (told.first()?.1, told.last()?.1);
    (most < least).then_some(told)
}

/// How many times as much as with the value of the smallest figures those with the largest ones are at least.
pub(super) fn spread(each: &[(String, [f64; 2])]) -> f64 {
    each.first().zip(each.last()).map_or(1.0, |((_, [_, most]), (_, [least, _]))| least / most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(scope: &str, place: &str) -> Key {
        [("scope", scope), ("place", place)].map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
    }

    #[test]
    fn the_choice_that_matters_most_is_told() {
        let family = Family::find("fences").expect("a family");
        let keys = [key("device", "global"), key("device", "shared"), key("block", "global"), key("block", "shared")];
        let figures = [[150.0, 280.0], [150.0, 180.0], [20.0, 30.0], [21.0, 25.0]];
        let groups: Vec<(&Key, [f64; 2])> = keys.iter().zip(figures).collect();
        let told = [("scope=block".to_owned(), [20.0, 30.0]), ("scope=device".to_owned(), [150.0, 280.0])];
        assert_eq!(by_choice(family, &groups).as_deref(), Some(&told[..]));
        let mixed = [[150.0, 280.0], [150.0, 180.0], [20.0, 30.0], [21.0, 155.0]];
        let mixed: Vec<(&Key, [f64; 2])> = keys.iter().zip(mixed).collect();
        assert_eq!(by_choice(family, &mixed), None, "155 occurs with both");
        assert_eq!(by_choice(family, &groups[..2]), None, "no choice makes much of a difference");
    }
}
