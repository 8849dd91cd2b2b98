//! Lack of fit, and intervals.

use super::*;

// scipy: q = sum(resid**2/v) = 5.42687194653986; chi2.sf(q, 8) = 0.7111278021139824
#[test]
fn lack_of_fit_from_known_variances_is_a_chi_squared_test() {
    let (x, y, _) = sweep();
    let variances: Vec<f64> = y.iter().map(|y| (0.01 * y) * (0.01 * y)).collect();
    let weights: Vec<f64> = variances.iter().map(|variance| 1.0 / variance).collect();
    let fit = linear(&line(&x), &y, &weights).unwrap();
    let known = LackOfFit::from_variances(&fit, &variances).unwrap();
    near(known.f, 5.426_871_946_539_86 / 8.0, 1e-11);
    near(known.p_value, 0.711_127_802_113_982_4, 1e-10);
    assert!(LackOfFit::from_variances(&fit, &[0.0; 10]).is_err());
}

// scipy: stats.t.ppf(1 - 0.025, 8) = 2.306004135204166, stats.t.ppf(1 - 0.025 / 10, 8) = 3.8325186853443576
#[test]
fn intervals_of_one_of_many_are_wider() {
    let (x, y, _) = sweep();
    let fit = linear(&line(&x), &y, &[1.0; 10]).unwrap();
    let half = |(low, high): (f64, f64)| (high - low) / 2.0 / fit.standard_error(1);
    near(half(fit.interval_among(1, 1)), 2.306_004_135_204_166, 1e-9);
    near(half(fit.interval(1)), half(fit.interval_among(1, 1)), 1e-9);
    near(half(fit.interval_among(1, 10)), 3.832_518_685_344_357_6, 1e-9);
}

// scipy: stats.f.sf(4.0, 2, 10) = 0.052922149401344654; with two degrees of freedom above the tail is (1 + 2 f / n) ^ (-n / 2).
#[test]
fn tails_of_fisher_s_distribution() {
    near(f_tail(4.0, 2, 10), (1.0_f64 + 2.0 * 4.0 / 10.0).powf(-5.0), 1e-12);
    assert_eq!((f_tail(f64::NAN, 2, 10), f_tail(0.0, 2, 10), f_tail(f64::INFINITY, 2, 10)), (1.0, 1.0, 0.0));
}
