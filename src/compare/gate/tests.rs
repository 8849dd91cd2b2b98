//! Known answers of statsmodels and scipy.

use super::*;

// statsmodels.stats.multitest.multipletests(p, method="holm")[1]
#[test]
fn corrections_are_those_of_statsmodels() {
    let probabilities = [0.01, 0.04, 0.03, 0.005, 0.5, 0.005];
    let expected = [0.04, 0.09, 0.09, 0.03, 0.5, 0.03];
    for (found, expected) in holm(&probabilities).into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }
    assert!(holm(&[]).is_empty());
    assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
}

// scipy.stats.t.sf((d - threshold - allowance) / error, df), scipy.stats.norm.sf
#[test]
fn probabilities_are_those_of_scipy() {
    let evidence = Evidence { estimate: 0.03, error: 0.001, degrees: 6.3, allowance: 0.003, ranks: [None; 3] };
    let (expected_t, expected_normal) = (8.398_794_258_562_948e-7, 0.022_750_131_948_179_254);
    let found = evidence.beyond(0.01, 1.0);
    assert!((found / expected_t - 1.0).abs() < 1e-6, "{found}, not {expected_t}");
    let known = Evidence { degrees: f64::INFINITY, estimate: 0.015, ..evidence };
    let found = known.beyond(0.01, 1.0);
    assert!((found / expected_normal - 1.0).abs() < 1e-6, "{found}, not {expected_normal}");
    assert!(evidence.beyond(0.01, -1.0) > 0.999_9);
}

#[test]
fn exact_times_are_beyond_a_threshold_or_not() {
    let evidence = Evidence { estimate: 0.02, error: 0.0, degrees: f64::INFINITY, allowance: 0.0, ranks: [None; 3] };
    assert_eq!((evidence.beyond(0.01, 1.0), evidence.beyond(0.03, 1.0), evidence.beyond(0.01, -1.0)), (0.0, 1.0, 1.0));
}

#[test]
fn conditions_are_read_and_shown() {
    for (text, kind, threshold_pct) in [
        ("slower", Kind::Slower, None),
        ("slower:5%", Kind::Slower, Some(5.0)),
        ("faster:2.5", Kind::Faster, Some(2.5)),
        ("different:0%", Kind::Different, Some(0.0)),
        ("missing", Kind::Missing, None),
    ] {
        let condition: Condition = text.parse().unwrap();
        assert_eq!(condition, Condition { kind, threshold_pct }, "{text}");
        assert_eq!(condition.to_string().trim_end_matches('%'), text.trim_end_matches('%'));
    }
    for text in ["", "slow", "slower:", "slower:-1%", "slower:NaN", "slower:five", "missing:1%", "SLOWER"] {
        assert!(text.parse::<Condition>().is_err(), "{text}");
    }
}
