//! Breaks of curves that are known.

use super::*;

fn sizes(count: i32) -> Vec<f64> {
    (0..count).map(|power| 2.0_f64.powi(power)).collect()
}

fn curve(x: &[f64], breaks: &[(f64, f64, f64)]) -> Vec<f64> {
    let rise = |x: f64| breaks.iter().map(|(rise, place, sharpness)| rise * risen(x, *place, *sharpness)).sum::<f64>();
    x.iter().map(|x| 40.0 + rise(*x)).collect()
}

#[test]
fn exact_curves_give_their_breaks_back() {
    let x = sizes(20);
    for breaks in [
        &[(100.0, 700.0, 1.0)][..],
        &[(50.0, 20.0, 4.0), (300.0, 5000.0, 1.0)],
        &[(50.0, 20.0, 2.0), (100.0, 700.0, 1.0), (300.0, 50_000.0, 1.0)],
    ] {
        let y = curve(&x, breaks);
        let weights: Vec<f64> = y.iter().map(|y| (40.0 / y).powi(2)).collect();
        let found = plateaus(&x, &y, &weights, breaks.len()).unwrap();
        for (index, (rise, place, sharpness)) in breaks.iter().enumerate() {
            assert!((found.rises[index] / rise - 1.0).abs() < 1e-6, "{found:?}");
            assert!((found.places[index] / place - 1.0).abs() < 1e-6, "{found:?}");
            assert!((found.sharpnesses[index] - sharpness).abs() < 1e-9, "{found:?}");
        }
    }
}

#[test]
fn a_step_between_two_predictors_lies_anywhere_between_them() {
    let x = sizes(12);
    let y: Vec<f64> = x.iter().map(|x| if *x > 40.0 { 300.0 } else { 40.0 }).collect();
    let weights = vec![1.0; 12];
    let found = plateaus(&x, &y, &weights, 1).unwrap();
    assert!(found.places[0] >= 32.0 && found.places[0] <= 64.0, "{found:?}");
    let [[place, sharpness]] = plateau_intervals((&x, &y, &weights), (&found.places, &found.sharpnesses), 1.0)[..]
    else {
        panic!()
    };
    assert!(place.0 <= 33.0 && place.1 > 40.0 && sharpness.1 >= 16.0, "{place:?} {sharpness:?}");
}

#[test]
fn falling_and_few_responses_have_none() {
    let x = sizes(12);
    let falling: Vec<f64> = x.iter().map(|x| 5.0 + 100.0 / x).collect();
    assert_eq!(plateaus(&x, &falling, &[1.0; 12], 1), None);
    assert_eq!(plateaus(&x[..5], &falling[..5], &[1.0; 5], 1), None);
    assert_eq!(plateaus(&x, &falling, &[1.0; 12], 4), None);
}
