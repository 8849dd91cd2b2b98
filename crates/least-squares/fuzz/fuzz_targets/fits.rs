//! No numbers are a panic where they are fitted, and no fit has a figure that is no number.

#![no_main]

use least_squares::order_statistics::{quantile, shift_interval, summarise, trimmed_mean};
use least_squares::{Matrix, huber, linear};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|rows: Vec<(f64, f64, f64)>| {
    let x: Vec<f64> = rows.iter().map(|row| row.0).collect();
    let y: Vec<f64> = rows.iter().map(|row| row.1).collect();
    let weights: Vec<f64> = rows.iter().map(|row| row.2.abs()).collect();
    let design = Matrix::from_fn(x.len(), 3, |row, column| x[row].powi(column as i32));
    let fits = [linear(&design, &y, &weights), huber(&design, &y, &weights).map(|robust| robust.regression)];
    for fit in fits.into_iter().flatten() {
        assert!(fit.coefficients.iter().chain(&fit.residuals).all(|figure| figure.is_finite()));
        assert!((0.0..=1.0).contains(&fit.r2));
    }
    let _ = (summarise(&y), trimmed_mean(&y), quantile(&y, 0.3), shift_interval(&x, &y));
});
