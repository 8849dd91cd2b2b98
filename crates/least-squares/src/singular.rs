//! Singular values, by Jacobi's method on the columns.
//!
//! Columns are turned in pairs until each is orthogonal to the others; their lengths are the singular values then. After Demmel
//! and Veselić, Jacobi's method is more accurate than QR, SIAM Journal on Matrix Analysis and Applications 13 (1992):
//! small singular values come out as accurately as the columns, once evenly scaled, determine them.

use crate::matrix::{Matrix, dot, norm};

/// Far more sweeps than any matrix takes: each about squares what is left.
const MOST_SWEEPS: usize = 60;

/// `A = U S V'` with what a search along `A` needs of it.
pub(crate) struct Singular {
    /// The singular values, in the order of the columns that were turned into them.
    pub(crate) values: Vec<f64>,
    /// The columns of `U`; zeros where the singular value is zero.
    pub(crate) left: Matrix,
    /// `V`, whose columns are the directions.
    pub(crate) directions: Matrix,
}

impl Singular {
    /// Decomposes a matrix; `None` where its numbers are not finite.
    pub(crate) fn of(mut matrix: Matrix) -> Option<Self> {
        let count = matrix.column_count();
        let mut directions = Matrix::from_fn(count, count, |row, column| if row == column { 1.0 } else { 0.0 });
        for _ in 0..MOST_SWEEPS {
            let mut turned = false;
            for right in 1..count {
                for left in 0..right {
                    turned |= turn(&mut matrix, &mut directions, left, right);
                }
            }
            if !turned {
                break;
            }
        }
        let values: Vec<f64> = (0..count).map(|column| norm(matrix.column(column))).collect();
        for (column, value) in values.iter().enumerate().filter(|(_, value)| **value > 0.0) {
            matrix.column_mut(column).iter_mut().for_each(|entry| *entry /= value);
        }
        let finite = values.iter().chain(directions.entries()).all(|number| number.is_finite());
        finite.then_some(Self { values, left: matrix, directions })
    }
}

/// Turns two columns until they are orthogonal; whether they were not already.
fn turn(matrix: &mut Matrix, directions: &mut Matrix, left: usize, right: usize) -> bool {
    let (first, second) = (matrix.column(left), matrix.column(right));
    let (first_square, second_square, product) = (dot(first, first), dot(second, second), dot(first, second));
    if product.abs() <= f64::EPSILON * (first_square * second_square).sqrt() || !product.is_finite() {
        return false;
    }
    let cotangent = (second_square - first_square) / (2.0 * product);
    let tangent = cotangent.signum() / (cotangent.abs() + cotangent.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = cosine * tangent;
    for table in [matrix, directions] {
        let (first, second) = table.columns_mut(left, right);
        for (one, other) in first.iter_mut().zip(second) {
            (*one, *other) = (cosine * *one - sine * *other, sine * *one + cosine * *other);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn product(singular: &Singular, row: usize, column: usize) -> f64 {
        let terms = singular.values.iter().enumerate();
        terms.map(|(k, value)| singular.left[(row, k)] * value * singular.directions[(column, k)]).sum()
    }

    proptest! {
        #[test]
        fn a_matrix_is_the_product_of_its_parts(entries in prop::collection::vec(-10.0..10.0_f64, 15), scale in -9..0) {
            let factor = [1.0, 10.0_f64.powi(scale), 1.0];
            let matrix = Matrix::from_fn(5, 3, |row, column| entries[3 * row + column] * factor[column]);
            let singular = Singular::of(matrix.clone()).unwrap();
            for row in 0..5 {
                for column in 0..3 {
                    let size = norm(matrix.column(column)).max(1e-300);
                    prop_assert!((product(&singular, row, column) - matrix[(row, column)]).abs() < 1e-13 * 40.0 * size.max(1e-9));
                }
            }
            for left in 0..3 {
                for right in 0..=left {
                    let expected = if left == right { 1.0 } else { 0.0 };
                    let found = dot(singular.directions.column(left), singular.directions.column(right));
                    prop_assert!((found - expected).abs() < 1e-13);
                }
            }
        }
    }

    #[test]
    fn known_singular_values() {
        // Hilbert's matrix of order 3: the eigenvalues as published.
        let hilbert = Matrix::from_fn(3, 3, |row, column| 1.0 / (row + column + 1) as f64);
        let mut values = Singular::of(hilbert).unwrap().values;
        values.sort_by(|a, b| b.total_cmp(a));
        for (value, expected) in
            values.iter().zip([1.408_318_927_123_654, 0.122_327_065_853_906, 0.002_687_340_355_773_5])
        {
            assert!((value / expected - 1.0).abs() < 1e-12, "{value} against {expected}");
        }
        let deficient = Singular::of(Matrix::from_fn(4, 2, |row, _| row as f64)).unwrap();
        assert!(deficient.values.iter().any(|value| *value < 1e-15), "{:?}", deficient.values);
        assert!(Singular::of(Matrix::from_fn(2, 2, |_, _| f64::NAN)).is_none());
    }
}
