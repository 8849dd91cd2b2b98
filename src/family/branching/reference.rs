//! What `cuda/branching.cu` must compute, on the host: the same constants and the same arithmetic.

use rayon::prelude::*;

use super::map::BranchPlan;

/// Multiply-adds of one step of the compute operation.
pub(super) const MULTIPLY_ADDS_PER_STEP: u64 = 16;
/// Taps of the convolution's filter: 3 by 3, row by row.
pub(super) const FILTER_TAPS: usize = 9;

/// The integer compute operation of `case`.
pub(super) fn compute_integer(case: usize, value: u32, steps: u64) -> u32 {
    let factor = 1_664_525 + 8 * case as u32;
    let term = 1_013_904_223 + 2 * case as u32;
    (0..steps * MULTIPLY_ADDS_PER_STEP).fold(value, |value, _| value.wrapping_mul(factor).wrapping_add(term))
}

/// The float compute operation of `case`, on the bits of floats.
pub(super) fn compute_float(case: usize, value: u32, steps: u64) -> u32 {
    let factor = 1.0 + (case + 1) as f32 / 64.0;
    let inverse = 1.0 / factor;
    let term = (case + 1) as f32 / 1024.0;
    let result = (0..steps * MULTIPLY_ADDS_PER_STEP / 2)
        .fold(f32::from_bits(value), |value, _| value.mul_add(factor, term).mul_add(inverse, term));
    result.to_bits()
}

/// The weight of one tap of the filter of `case`.
pub(super) fn filter_weight(case: usize, tap: usize) -> u32 {
    2 * (((case * FILTER_TAPS + tap) as u32).wrapping_mul(40503) & 0xFFFF) + 1
}

/// A compute operation applied to a whole matrix. `drawn` are indices into `values`, modulo how many these are: with few distinct
/// operands the results of every case can be looked up, which keeps checking fast at full size.
pub(super) fn compute_matrix(
    plan: &BranchPlan,
    operation: fn(usize, u32, u64) -> u32,
    values: &[u32],
    drawn: &[u32],
    map: &[u32],
    work: u64,
) -> Vec<u32> {
    let results: Vec<Vec<u32>> = (0..plan.cases())
        .into_par_iter()
        .map(|case| {
            let steps = work * plan.relative_work(case);
            values.par_iter().map(|&value| operation(case, value, steps)).collect()
        })
        .collect();
    drawn
        .par_iter()
        .zip(map)
        .map(|(&drawn, &case)| results[case as usize][(drawn % values.len() as u32) as usize])
        .collect()
}

/// The convolution applied to a whole matrix of `width` columns, zero outside.
///
/// A pass maps `sum` to `w0 * sum + f`, where `f` is the filtered neighbourhood, whose taps do not change; so
/// `s` passes from zero give `f * (1 + w0 + ... + w0^(s - 1))`, exactly, modulo 2^32.
pub(super) fn convolve_matrix(plan: &BranchPlan, operands: &[u32], map: &[u32], width: usize, work: u64) -> Vec<u32> {
    let filters: Vec<([u32; FILTER_TAPS], u32)> = (0..plan.cases())
        .map(|case| {
            let mut weights = [1; FILTER_TAPS];
            (1..FILTER_TAPS).for_each(|tap| weights[tap] = filter_weight(case, tap));
            let passes = work * plan.relative_work(case);
            let first = filter_weight(case, 0);
            (weights, (0..passes).fold(0_u32, |series, _| series.wrapping_mul(first).wrapping_add(1)))
        })
        .collect();
    let mut output = vec![0; operands.len()];
    output.par_chunks_mut(width).enumerate().for_each(|(row, results)| {
        for (column, result) in results.iter_mut().enumerate() {
            let (weights, series) = &filters[map[row * width + column] as usize];
            let neighbours = neighbourhood(operands, width, row, column);
            let filtered = weights
                .iter()
                .zip(neighbours)
                .fold(0_u32, |sum, (&weight, operand)| sum.wrapping_add(weight.wrapping_mul(operand)));
            *result = filtered.wrapping_mul(*series);
        }
    });
    output
}

/// An element of a square matrix and its eight neighbours, row by row, zero outside.
fn neighbourhood(operands: &[u32], width: usize, row: usize, column: usize) -> [u32; FILTER_TAPS] {
    let mut neighbours = [0; FILTER_TAPS];
    for (tap, neighbour) in neighbours.iter_mut().enumerate() {
        let (row, column) = (row + tap / 3, column + tap % 3);
        if (1..=width).contains(&row) && (1..=width).contains(&column) {
            *neighbour = operands[(row - 1) * width + column - 1];
        }
    }
    neighbours
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::branching::tests::small;
    use crate::family::branching::{Parameters, WorkPerBranch};

    /// The convolution of `case` over an element's neighbourhood, pass by pass as the kernel does it.
    fn convolve(case: usize, neighbourhood: &[u32; FILTER_TAPS], steps: u64) -> u32 {
        (0..steps).fold(0, |sum: u32, _| {
            let first = sum.wrapping_mul(filter_weight(case, 0)).wrapping_add(neighbourhood[0]);
            (1..FILTER_TAPS)
                .fold(first, |sum, tap| sum.wrapping_add(filter_weight(case, tap).wrapping_mul(neighbourhood[tap])))
        })
    }

    /// Sixteen steps of the generator of Numerical Recipes (`1664525 x + 1013904223`), whose first values from
    /// 0 are 1013904223, 1196435762, 3519870697, 2868466484, ... (Press et al., section 7.1).
    #[test]
    fn case_0_is_a_known_generator() {
        let published = [0x3C6E_F35F_u32, 0x4750_2932, 0xD1CC_F6E9, 0xAAF9_5334];
        let mut value = 0_u32;
        for wanted in published {
            value = value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            assert_eq!(value, wanted);
        }
        (4..16).for_each(|_| value = value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        assert_eq!(compute_integer(0, 0, 1), value);
    }

    /// `numpy` with exact products in double precision:
    /// `x=f4(1.5); a=f4(1+1/64); i=f4(1)/a; t=f4(1/1024)`, then 8 times `x=f4(f8(x)*a+t); x=f4(f8(x)*i+t)`.
    #[test]
    fn float_case_0_agrees_with_numpy() {
        assert_eq!(f32::from_bits(compute_float(0, 1.5_f32.to_bits(), 1)).to_bits(), 0x3FC1_FC10);
    }

    #[test]
    fn results_depend_on_case_operand_and_steps() {
        for operation in [compute_integer, compute_float] {
            let of = |case, value: f32, steps| operation(case, value.to_bits(), steps);
            assert_ne!(of(0, 1.25, 4), of(1, 1.25, 4));
            assert_ne!(of(3, 1.25, 4), of(3, 1.5, 4));
            assert_ne!(of(3, 1.25, 4), of(3, 1.25, 5));
        }
    }

    #[test]
    fn the_series_equals_pass_by_pass_convolution() {
        let width = 37;
        let point = Parameters { branches: 7, width: 37, work_per_branch: WorkPerBranch::Ascending, ..small() };
        let plan = BranchPlan::new(&point);
        let operands: Vec<u32> = (0..(width * width) as u32).map(|index| index.wrapping_mul(2_654_435_761)).collect();
        let map = plan.map(1);
        let fast = convolve_matrix(&plan, &operands, &map, width, 3);
        for row in 0..width {
            for column in 0..width {
                let case = map[row * width + column] as usize;
                let slow = convolve(case, &neighbourhood(&operands, width, row, column), 3 * plan.relative_work(case));
                assert_eq!(fast[row * width + column], slow, "row {row}, column {column}");
            }
        }
    }

    #[test]
    fn neighbourhoods_end_at_the_border() {
        let operands = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_eq!(neighbourhood(&operands, 3, 1, 1), operands);
        assert_eq!(neighbourhood(&operands, 3, 0, 2), [0, 0, 0, 2, 3, 0, 5, 6, 0]);
    }
}
