//! Where ticks are, and what they say.

use super::*;

fn labels(ticks: &[Tick]) -> Vec<&str> {
    ticks.iter().map(|tick| tick.label.as_str()).collect()
}

fn horizontal(values: &[f64], scale: Scale) -> Axis {
    let span = Span { pixels: 780.0, to_next: None };
    Axis::horizontal(values, &[], scale, span, &|label| Ok(label.chars().count() as f64 * 8.0)).unwrap()
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
fn bytes_are_counted_in_multiples_of_1024_where_that_is_short() {
    let mebibytes =
        |counts: &[u32]| -> Vec<f64> { counts.iter().map(|count| f64::from(*count) * 1_048_576.0).collect() };
    let bytes = horizontal(&mebibytes(&[128, 256, 384, 512]), Scale::Linear);
    assert_eq!(labels(&bytes.ticks), ["128Mi", "256Mi", "384Mi", "512Mi"]);
    let from_zero = horizontal(&mebibytes(&[16, 128]), Scale::Linear);
    assert_eq!(labels(&from_zero.ticks), ["0", "16Mi", "128Mi"]);
    let span = Span { pixels: 440.0, to_next: Some(22.0) };
    let label = |text: &str| Ok(text.chars().count() as f64 * 8.0);
    let panel = Axis::horizontal(&mebibytes(&[128, 256, 384, 512]), &[], Scale::Linear, span, &label).unwrap();
    assert_eq!(labels(&panel.ticks), ["256Mi", "384Mi", "512Mi"], "the first would meet the last of the panel before");
    // What is no short multiple is told in powers of ten.
    assert_eq!(labels(&horizontal(&[1_000_000.0, 3_000_000.0], Scale::Linear).ticks)[0], "1\u{202f}000\u{202f}000");
    assert_eq!(labels(&horizontal(&[1024.0, 4096.0], Scale::Linear).ticks), ["1024", "4096"]);
}

#[test]
fn labels_of_panels_side_by_side_do_not_meet_and_stay_in_the_picture() {
    let label = |text: &str| Ok(text.chars().count() as f64 * 8.0);
    let values = [13_421_773.0, 26_843_546.0, 40_265_318.0, 53_687_091.0];
    for to_next in [Some(22.0), None] {
        let axis = Axis::horizontal(&values, &[], Scale::Linear, Span { pixels: 440.0, to_next }, &label).unwrap();
        let ends = |tick: &Tick| {
            let (center, half) = (axis.fraction(tick.at) * 440.0, label(&tick.label).unwrap() / 2.0);
            (center - half, center + half)
        };
        let (first, last) = (ends(&axis.ticks[0]).0, ends(&axis.ticks[axis.ticks.len() - 1]).1);
        assert!(last <= 440.0 + MARGIN && axis.ticks.len() > 2, "{axis:?}");
        assert!(to_next.is_none_or(|to_next| last + PANEL_LABEL_GAP <= 440.0 + to_next + first), "{axis:?}");
    }
}

#[test]
fn a_logarithmic_axis_has_labels_towards_both_of_its_ends() {
    for (low, high) in [(0.48, 1.81), (0.3, 1.95), (1.1, 9.4), (2.2, 19.0), (0.6, 90.0)] {
        let (axis, _) = Axis::vertical(&[low, high], Scale::Log, Quantity::Time).unwrap();
        let places: Vec<f64> = axis.ticks.iter().map(|tick| axis.fraction(tick.at)).collect();
        let is_bare = |gap: f64| gap > BARE_END;
        assert!(!is_bare(places[0]) && !is_bare(1.0 - places[places.len() - 1]), "{low} to {high}: {axis:?}");
        assert!(axis.ticks.len() <= 9, "{axis:?}");
    }
    let (axis, _) = Axis::vertical(&[0.48, 1.81], Scale::Log, Quantity::Time).unwrap();
    assert_eq!(labels(&axis.ticks), ["500\u{202f}ns", "700\u{202f}ns", "1\u{202f}µs", "1.5\u{202f}µs"]);
}

#[test]
fn labels_of_a_low_logarithmic_axis_do_not_touch() {
    let of = |pixels| Axis::vertical_within(&[0.294, 1.85], Scale::Log, Quantity::Time, pixels).unwrap().0;
    let last = |axis: &Axis| labels(&axis.ticks).iter().any(|label| label.starts_with("900"));
    assert!(last(&of(f64::INFINITY)) && !last(&of(230.0)), "{:?}", of(230.0));
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
fn few_values_between_powers_of_two_have_a_tick_each() {
    let axis = horizontal(&[4096.0, 8192.0, 12288.0, 16384.0, 24576.0, 32768.0], Scale::Log);
    assert_eq!(
        labels(&axis.ticks),
        ["4\u{202f}096", "8\u{202f}192", "12\u{202f}288", "16\u{202f}384", "24\u{202f}576", "32\u{202f}768"]
    );
    let axis = horizontal(&[65536.0, 98304.0, 1_048_576.0], Scale::Log);
    assert_eq!(labels(&axis.ticks), ["64Ki", "96Ki", "1Mi"]);
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
