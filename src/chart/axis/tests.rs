//! Where ticks are, and what they say.

use super::*;

fn labels(ticks: &[Tick]) -> Vec<&str> {
    ticks.iter().map(|tick| tick.label.as_str()).collect()
}

fn horizontal(values: &[f64], scale: Scale) -> Axis {
    Axis::horizontal(values, &[], scale, 780.0, &|label| Ok(label.chars().count() as f64 * 8.0)).unwrap()
}

fn range(from: u32, to: u32) -> Vec<f64> {
    (from..=to).map(f64::from).collect()
}

#[test]
fn lanes_are_counted_in_fours_and_blocks_in_powers() {
    assert_eq!(
        labels(&horizontal(&range(1, 32), Scale::Linear).ticks),
        ["0", "4", "8", "12", "16", "20", "24", "28", "32"]
    );
    assert_eq!(labels(&horizontal(&range(1, 30), Scale::Linear).ticks), ["0", "5", "10", "15", "20", "25", "30"]);
    assert_eq!(labels(&horizontal(&range(1, 6), Scale::Linear).ticks), ["0", "1", "2", "3", "4", "5", "6"]);
    let doubling = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
    assert_eq!(labels(&horizontal(&doubling, Scale::Linear).ticks), ["0", "1", "2", "4", "8", "16", "32"]);
    let elements: Vec<f64> = (10..=26).map(|power| 2f64.powi(power)).collect();
    assert_eq!(labels(&horizontal(&elements, Scale::Log).ticks)[..4], ["1Ki", "4Ki", "16Ki", "64Ki"],);
    let logarithmic = |values: &[f64]| -> Vec<String> {
        horizontal(values, Scale::Log).ticks.into_iter().map(|tick| tick.label).collect()
    };
    let powers = |from: i32, to: i32| -> Vec<f64> { (from..=to).map(|power| 2f64.powi(power)).collect() };
    assert_eq!(logarithmic(&powers(0, 6)), ["1", "2", "4", "8", "16", "32", "64"]);
    assert_eq!(logarithmic(&powers(4, 10)), ["16", "32", "64", "128", "256", "512", "1024"]);
    let grouped = ["2048", "4096", "8192", "16384"].map(|text| {
        let (thousands, rest) = text.split_at(text.len() - 3);
        format!("{thousands}\u{202f}{rest}")
    });
    assert_eq!(logarithmic(&powers(11, 14)), grouped);
    // A few that are no powers of two have a tick each, many do not.
    assert_eq!(logarithmic(&[1.0, 3.0, 6.0, 12.0, 48.0]), ["1", "3", "6", "12", "48"]);
    assert_eq!(logarithmic(&range(1, 48)), ["1", "2", "5", "10", "20", "50"]);
}

#[test]
fn numbers_are_readable() {
    assert_eq!(
        labels(&horizontal(&[0.0, 0.3, 1.0], Scale::Linear).ticks)[..4],
        ["0.0", "0.1", "0.2", "0.3"].map(|zero| if zero == "0.0" { "0" } else { zero })
    );
    assert_eq!(number(40_000.0, 10_000.0, 50_000.0), "40\u{202f}000");
    assert_eq!(number(4000.0, 1000.0, 8000.0), "4000");
    assert_eq!(number(30e6, 10e6, 60e6), "30\u{202f}M");
    assert_eq!(number(-1.5e20, 5e19, 2e20), "−1.5×10²⁰");
    assert_eq!(number(2e-9, 1e-9, 9e-9), "2×10⁻⁹");
}

#[test]
fn times_choose_their_unit_and_start_at_zero() {
    let (axis, unit) = Axis::vertical(&[34.5, 754.6], Scale::Linear, Quantity::Time).unwrap();
    assert_eq!((axis.low, unit), (0.0, Some("µs")));
    assert_eq!(labels(&axis.ticks), ["0", "200", "400", "600", "800"]);
    assert_eq!(Axis::vertical(&[0.002, 0.4], Scale::Linear, Quantity::Time).unwrap().1, Some("ns"));
    assert_eq!(Axis::vertical(&[1.0, 4e6], Scale::Linear, Quantity::Time).unwrap().1, Some("s"));
    assert_eq!(Axis::vertical(&[0.0], Scale::Linear, Quantity::Time).unwrap().0.high, 1.0);
    let (axis, unit) = Axis::vertical(&[0.5, 2e5], Scale::Log, Quantity::Time).unwrap();
    assert_eq!(unit, None);
    assert_eq!(labels(&axis.ticks)[..2], ["1\u{202f}µs", "10\u{202f}µs"]);
}

#[test]
fn ticks_are_few_and_inside_whatever_the_values() {
    use proptest::prelude::*;
    let value = prop_oneof![-1e3..1e3, -1e100..1e100, Just(0.0), Just(1e-300), Just(1e15), Just(1e15 + 1.0)];
    proptest!(|(values in prop::collection::vec(value, 1..20))| {
        let positive: Vec<f64> = values.iter().map(|value: &f64| value.abs().max(1e-100)).collect();
        let axes = [
            horizontal(&values, Scale::Linear),
            horizontal(&positive, Scale::Log),
            Axis::vertical(&values, Scale::Linear, Quantity::Time).unwrap().0,
            Axis::vertical(&positive, Scale::Log, Quantity::Time).unwrap().0,
        ];
        for axis in axes {
            prop_assert!(axis.low < axis.high, "{axis:?}");
            prop_assert!(axis.ticks.len() <= 60, "{axis:?}");
            for tick in &axis.ticks {
                prop_assert!((-1e-6..=1.0 + 1e-6).contains(&axis.fraction(tick.at)), "{axis:?}");
            }
            for value in if axis.scale == Scale::Log { &positive } else { &values } {
                prop_assert!((-1e-9..=1.0 + 1e-9).contains(&axis.fraction(*value)), "{axis:?} {value}");
            }
        }
    });
}
