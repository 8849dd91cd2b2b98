//! The value at which a function that rises or falls takes another: secants, kept within bounds.

/// Most evaluations.
const STEPS_MOST: usize = 14;
/// How near the function must come, as a share of what is wanted.
const NEAR: f64 = 5e-4;
/// How near it must at least come for the value to count.
const NEAR_ENOUGH: f64 = 0.02;
/// By how much farther a value may be to count as good as the nearest, as a share of what is wanted.
const AS_GOOD: f64 = 0.01;
/// By which share the value changes at first.
const FIRST_CHANGE: f64 = 0.1;
/// How many times as large or small it becomes in a step at most.
const STEP_FACTOR_MOST: f64 = 4.0;
/// By how many percent the function must change with a percent of the value, or the value has nothing to do with it.
const ELASTICITY_LEAST: f64 = 0.05;

/// Values that tell how steep a function is at another: from how far apart on, and up to how far, as shares.
const NEARBY: (f64, f64) = (0.01, 0.5);

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Root {
    /// The value.
    pub(super) value: f64,
    /// By how many percent the function changes there with a percent of the value.
    pub(super) elasticity: f64,
}

/// Why nothing was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NoRoot {
    /// The function hardly depends on the value, and is as wanted.
    Insensitive,
    /// It comes no nearer than this share of what is wanted, which the first value does as well as any.
    Unreached(f64),
    /// From this value on it stays where it is: the first value is farther from what is wanted.
    Limit {
        /// The value.
        value: f64,
        /// How far it is from what is wanted there, as a share.
        apart: f64,
    },
}

/// Finds where `function` is `wanted`, from `start` on, which is above zero. Values stay between the two of `bounds`.
///
/// # Errors
/// What the function says, or why there is no such value.
pub(super) fn root<E>(
    start: f64,
    bounds: (f64, f64),
    wanted: f64,
    mut function: impl FnMut(f64) -> Result<f64, E>,
) -> Result<Result<Root, NoRoot>, E> {
    let within = |value: f64| value.clamp(bounds.0, bounds.1);
    let mut seen: Vec<(f64, f64)> = vec![(start, function(start)?)];
    let mut next = within(start * (1.0 + FIRST_CHANGE));
    if (next - start).abs() < f64::EPSILON * start {
        next = within(start * (1.0 - FIRST_CHANGE));
    }
    while seen.len() < STEPS_MOST {
        seen.push((next, function(next)?));
        seen.sort_by(|one, other| off(*one, wanted).total_cmp(&off(*other, wanted)));
        let elasticity = slope(seen[0], seen[1]) * seen[0].0 / seen[0].1;
        if off(seen[0], wanted) <= NEAR && elasticity.abs() >= ELASTICITY_LEAST {
            break;
        }
        let proposed = propose(&seen, wanted).clamp(seen[0].0 / STEP_FACTOR_MOST, seen[0].0 * STEP_FACTOR_MOST);
        next = within(proposed);
        let is_new = seen.iter().all(|(value, _)| (value - next).abs() > 1e-6 * next.abs());
        if !next.is_finite() || !is_new {
            break;
        }
    }
    let best = seen[0];
    let elasticity = elasticity_at(best, &seen[1..]);
    let nearest = off(best, wanted);
    if nearest <= NEAR_ENOUGH && elasticity >= ELASTICITY_LEAST {
        return Ok(Ok(Root { value: best.0, elasticity }));
    }
    // Of all values that are as good, that which changes least.
    let change = |own: &&(f64, f64)| (own.0 / start).ln().abs();
    let as_good = seen.iter().filter(|own| off(**own, wanted) <= nearest + AS_GOOD);
    let least = as_good.min_by(|one, other| change(one).total_cmp(&change(other))).copied().unwrap_or(best);
    Ok(Err(match least.0 {
        value if (value - start).abs() > f64::EPSILON * start => NoRoot::Limit { value, apart: off(least, wanted) },
        _ if nearest <= NEAR_ENOUGH => NoRoot::Insensitive,
        _ => NoRoot::Unreached(nearest),
    }))
}

/// By how many percent the function changes with a percent of the value at `best`, by what was seen of it elsewhere: at a kink, on the side where
/// it changes. Values that are very near tell nothing, since times are rounded.
fn elasticity_at(best: (f64, f64), others: &[(f64, f64)]) -> f64 {
    let away = |other: &&(f64, f64)| (other.0 / best.0 - 1.0).abs() >= NEARBY.0;
    let near = |other: &&(f64, f64)| (other.0 / best.0 - 1.0).abs() <= NEARBY.1;
    let own = |other: &(f64, f64)| (slope(best, *other) * best.0 / best.1).abs();
    let by_distance =
        |one: &&(f64, f64), other: &&(f64, f64)| (one.0 - best.0).abs().total_cmp(&(other.0 - best.0).abs());
    let nearby = others.iter().filter(away).filter(near).map(own).reduce(f64::max);
    let nearest = || others.iter().filter(away).min_by(by_distance).map(own);
    // A time is the sum of a part that a constant determines and others, so it never changes by a larger share.
    nearby.or_else(nearest).unwrap_or(0.0).min(1.0)
}

fn off((_, value): (f64, f64), wanted: f64) -> f64 {
    (value / wanted - 1.0).abs()
}

fn slope(one: (f64, f64), other: (f64, f64)) -> f64 {
    let between = (other.1 - one.1) / (other.0 - one.0);
    if between.is_finite() { between } else { 0.0 }
}

/// The next value: between the nearest on either side of what is wanted, else where the secant of the two nearest is.
fn propose(seen: &[(f64, f64)], wanted: f64) -> f64 {
    let below = seen.iter().find(|(_, value)| *value < wanted);
    let above = seen.iter().find(|(_, value)| *value >= wanted);
    let (one, other) = below.zip(above).unwrap_or((&seen[0], &seen[1]));
    let own = slope(*one, *other);
    if own.abs() * one.0.max(other.0) < 1e-9 * wanted {
        // Level here: another limit decides. Farther in the direction that changed anything before, or down.
        let lowest = seen.iter().map(|own| own.0).fold(f64::INFINITY, f64::min);
        let highest = seen.iter().map(|own| own.0).fold(0.0, f64::max);
        return if seen.len().is_multiple_of(2) { highest * 2.0 } else { lowest / 2.0 };
    }
    let secant = one.0 + (wanted - one.1) / own;
    // Two that are on either side and far apart on a kinked curve: the middle is safer every third time.
    if seen.len().is_multiple_of(3) && (one.1 - wanted) * (other.1 - wanted) < 0.0 {
        f64::midpoint(one.0, other.0)
    } else {
        secant
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(start: f64, wanted: f64, function: impl Fn(f64) -> f64) -> Result<Root, NoRoot> {
        root(start, (1e-6, 1e6), wanted, |value| Ok::<_, ()>(function(value))).unwrap()
    }

    #[test]
    fn lines_hyperbolas_and_kinks_have_their_roots() {
        let line = of(4.0, 110.0, |value| 10.0 + 20.0 * value).unwrap();
        assert!((line.value - 5.0).abs() < 0.01 && (line.elasticity - 100.0 / 110.0).abs() < 0.05, "{line:?}");
        let rate = of(3000.0, 1.0, |value| 0.1 + 4500.0 / value).unwrap();
        assert!((rate.value - 5000.0).abs() < 10.0 && (rate.elasticity - 0.9).abs() < 0.1, "{rate:?}");
        // The start is where another limit decides.
        let kinked = of(1.0, 60.0, |value: f64| (20.0 * value).max(30.0)).unwrap();
        assert!((kinked.value - 3.0).abs() < 0.01, "{kinked:?}");
        let kinked = of(8000.0, 1.5, |value: f64| (6000.0 / value).max(1.0)).unwrap();
        assert!((kinked.value - 4000.0).abs() < 10.0, "{kinked:?}");
    }

    #[test]
    fn what_has_no_root_has_none() {
        assert_eq!(of(4.0, 100.0, |_| 100.0), Err(NoRoot::Insensitive));
        let bound = of(4.0, 200.0, |value: f64| 10.0 + 20.0 * value.min(8.0));
        let is_limit =
            |own| matches!(own, Err(NoRoot::Limit { value, apart }) if value >= 8.0 && (apart - 0.15).abs() < 0.011);
        assert!(is_limit(bound), "{bound:?}");
        let unreached = of(9.0, 200.0, |value: f64| 10.0 + 20.0 * value.min(8.0));
        assert!(matches!(unreached, Err(NoRoot::Unreached(share)) if (share - 0.15).abs() < 1e-9), "{unreached:?}");
        // Where something else takes as long already, a constant has a most, and not a value.
        let most = of(294.0, 338.0, |value: f64| 340.0_f64.max(250.0 + value));
        assert!(matches!(most, Err(NoRoot::Limit { value, apart }) if value <= 94.0 && apart < 0.016), "{most:?}");
    }

    proptest::proptest! {
        #[test]
        fn roots_of_lines_are_exact(outside in 0.0..100.0_f64, each in 0.1..100.0_f64, own in 0.1..1000.0_f64, start in 0.1..1000.0_f64) {
            let wanted = outside + each * own;
            proptest::prop_assume!(each * own / wanted > 0.2);
            let found = of(start, wanted, |value| outside + each * value).unwrap();
            proptest::prop_assert!((found.value / own - 1.0).abs() < 0.01, "{found:?}");
        }
    }
}
