//! What `cuda/partition.cu` must compute, on the host: the same constants and the same arithmetic.

use rayon::prelude::*;

use super::Arithmetic;
use crate::family::inputs::{drawn_words, random_words};
use crate::family::multiply_add::MultiplyAdds;
use crate::family::shared::shared;
use crate::workload::Words;

/// Distinct elements of an input. Enough that a misplaced result is noticed, few enough that the host can compute them all.
const DISTINCT_ELEMENTS: usize = 1024;

/// An input and the output that belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Elements {
    pub(super) input: Words,
    pub(super) output: Words,
}

/// `count` elements, drawn from few distinct ones, after `operations` multiply-adds.
pub(super) fn elements(arithmetic: Arithmetic, count: usize, operations: u64, seed: u64) -> Elements {
    let (values, multiply_adds): (_, fn(u32, u64) -> u32) = match arithmetic {
        Arithmetic::Float => (distinct_floats().into(), multiply_adds_float),
        Arithmetic::Integer => (random_words(DISTINCT_ELEMENTS, seed), multiply_adds_integer),
    };
    let results: Vec<u32> = values.par_iter().map(|&value| multiply_adds(value, operations)).collect();
    let look_up = |what, operations, table: &[u32]| {
        let numbers = [arithmetic as u64, count as u64, operations, seed];
        shared(what, &numbers, count, || {
            let mut words = drawn_words(count, !seed);
            words.par_iter_mut().for_each(|word| *word = table[*word as usize % DISTINCT_ELEMENTS]);
            words
        })
    };
    Elements {
        input: look_up("elements", 0, &values),
        output: look_up("elements after multiply-adds", operations, &results),
    }
}

/// Floats from 1 up to 2.
fn distinct_floats() -> Vec<u32> {
    (0..DISTINCT_ELEMENTS).map(|index| (1.0 + index as f32 / DISTINCT_ELEMENTS as f32).to_bits()).collect()
}

fn multiply_adds_integer(value: u32, operations: u64) -> u32 {
    MultiplyAdds::new(operations).apply(value)
}

/// On the bits of floats.
fn multiply_adds_float(value: u32, operations: u64) -> u32 {
    let factor = 1.0 - 1.0 / 1024.0;
    let term = 3.0 / 1024.0;
    (0..operations).fold(f32::from_bits(value), |value, _| value.mul_add(factor, term)).to_bits()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// The generator of Numerical Recipes (`1664525 x + 1013904223`), whose first values from 0 are published
    /// (Press et al., section 7.1).
    #[test]
    fn integers_are_those_of_a_known_generator() {
        for (operations, published) in [0, 0x3C6E_F35F_u32, 0x4750_2932, 0xD1CC_F6E9, 0xAAF9_5334].iter().enumerate() {
            assert_eq!(multiply_adds_integer(0, operations as u64), *published);
        }
    }

    /// By hand: 1 * 1023/1024 + 3/1024 = 1026/1024, then 1026/1024 * 1023/1024 + 3/1024 = 1052670/2^20, both exact; and the
    /// fixed point is 3.
    #[test]
    fn floats_are_those_of_a_calculation_by_hand() {
        let after = |value: f32, operations| f32::from_bits(multiply_adds_float(value.to_bits(), operations));
        assert_eq!(after(1.0, 0).to_bits(), 1.0_f32.to_bits());
        assert_eq!(after(1.0, 1).to_bits(), (1026.0_f32 / 1024.0).to_bits());
        assert_eq!(after(1.0, 2).to_bits(), (1_052_670.0_f32 / 1_048_576.0).to_bits());
        assert_eq!(after(3.0, 4096).to_bits(), 3.0_f32.to_bits());
    }

    #[test]
    fn results_tell_elements_and_operations_apart() {
        for arithmetic in [Arithmetic::Integer, Arithmetic::Float] {
            for operations in [0, 1, 16, 256, 4096] {
                let results: HashSet<u32> =
                    elements(arithmetic, 1 << 16, operations, 1).output.iter().copied().collect();
                assert!(results.len() > DISTINCT_ELEMENTS * 9 / 10, "{} after {operations}", results.len());
                let more = elements(arithmetic, 1 << 10, operations + 1, 1);
                let fewer = elements(arithmetic, 1 << 10, operations, 1);
                assert_eq!(more.input, fewer.input);
                assert!(more.output.iter().zip(fewer.output.iter()).all(|(more, fewer)| more != fewer));
            }
        }
    }

    #[test]
    fn outputs_belong_to_their_inputs() {
        for (arithmetic, multiply_adds) in [
            (Arithmetic::Integer, multiply_adds_integer as fn(u32, u64) -> u32),
            (Arithmetic::Float, multiply_adds_float),
        ] {
            let Elements { input, output } = elements(arithmetic, 1001, 5, 7);
            assert_eq!((input.len(), output.len()), (1001, 1001));
            assert!(input.iter().zip(output.iter()).all(|(&value, result)| multiply_adds(value, 5) == *result));
        }
        assert_ne!(elements(Arithmetic::Integer, 1001, 5, 7), elements(Arithmetic::Integer, 1001, 5, 8));
    }
}
