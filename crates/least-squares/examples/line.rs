//! Fits a line to observations, an `x` and a `y` on each line of the input, and tells how well each coefficient is known:
//!
//!     printf '1 5.1\n2 7.0\n4 10.9\n8 19.1\n' | cargo run -p least-squares --example line

use std::error::Error;
use std::io::read_to_string;

use least_squares::order_statistics::median;
use least_squares::{Matrix, huber, linear};

fn main() -> Result<(), Box<dyn Error>> {
    let input = read_to_string(std::io::stdin())?;
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (index, line) in input.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let numbers: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let &[first, second] = numbers.as_slice() else {
            return Err(format!("line {}: two numbers are expected, not `{line}`", index + 1).into());
        };
        x.push(first);
        y.push(second);
    }
    let design = Matrix::from_fn(x.len(), 2, |row, column| if column == 0 { 1.0 } else { x[row] });
    let weights = vec![1.0; x.len()];
    let fit = linear(&design, &y, &weights)?;
    for (name, index) in [("intercept", 0), ("slope", 1)] {
        let (low, high) = fit.interval(index);
        println!("{name:9} {:12.6}   95 % interval {low:.6} to {high:.6}", fit.coefficients[index]);
    }
    println!("R²        {:12.6}", fit.r2);
    println!(
        "robust    {:12.6}   slope where outliers hardly matter",
        huber(&design, &y, &weights)?.regression.coefficients[1]
    );
    let misses: Vec<f64> = fit.residuals.iter().map(|residual| residual.abs()).collect();
    println!("misses    {:12.6}   median of what the line misses by", median(&misses).unwrap_or_default());
    Ok(())
}
