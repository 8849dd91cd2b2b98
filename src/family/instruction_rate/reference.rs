//! What the chains of `cuda/instruction_rate.cu` come to, on the host: with the same words and the same arithmetic.
//!
//! Only the reciprocal square root is an approximation, which differs between GPUs; all others are exact.

use half::f16;

use super::Instruction;
use crate::workload::Tolerance;
use gpu_simulator::hardware::lanes::LANES;

/// Rows of words of shared memory that a chain of loads goes through.
const ROWS: u32 = 8;
/// What is added to the square of a float.
const TERM: f64 = -1.875;

/// A value of each lane of a warp.
pub(super) type Lanes = [u32; LANES];

/// By how much the last value of a chain of special functions may differ: rsqrt.approx has a relative error of at most 2^-22.4 by any
/// version of the PTX ISA. Each step halves the error before it, so that all together come to less than 2^-21.4; the rest is rounding.
pub(super) const SPECIAL_TOLERANCE: Tolerance = Tolerance { relative: 1.0 / (1 << 21) as f64, absolute: 0.0 };

/// The word of a lane and a chain.
fn word_of(lane: usize, chain: u32) -> u32 {
    (lane as u32 + LANES as u32 * chain).wrapping_mul(2_654_435_761) | 1
}

/// Where a chain of this number ends, in each lane.
pub(super) fn ends(instruction: Instruction, chain: u32, instructions: u32) -> Lanes {
    let own: Lanes = std::array::from_fn(|lane| word_of(lane, chain));
    let next: Lanes = std::array::from_fn(|lane| word_of(lane, chain + 1));
    let each = |end: &dyn Fn(usize) -> u32| std::array::from_fn(end);
    match instruction {
        Instruction::IntegerAdd => each(&|lane| {
            repeated((own[lane], next[lane]), instructions, |(value, before)| (value.wrapping_add(before), value)).0
        }),
        // The word that is added to finds the sum, and the one before is what the atomic returns.
        Instruction::SharedAtomic => each(&|lane| {
            repeated((own[lane], next[lane]), instructions, |(value, word)| (word, word.wrapping_add(value))).0
        }),
        Instruction::IntegerMultiplyAdd => each(&|lane| {
            let factor = next[lane];
            repeated(own[lane], instructions, |value| value.wrapping_mul(factor).wrapping_add(factor))
        }),
        Instruction::FloatMultiplyAdd => each(&|lane| {
            let start = f32::from_bits(0x3f00_0000 | own[lane] >> 9);
            repeated(start, instructions, |value| value.mul_add(value, TERM as f32)).to_bits()
        }),
        Instruction::DoubleMultiplyAdd => each(&|lane| {
            let high = 0x3fe0_0000 | own[lane] >> 12;
            let start = f64::from_bits(u64::from(high) << 32 | u64::from(own[lane]));
            let bits = repeated(start, instructions, |value| value.mul_add(value, TERM)).to_bits();
            (bits >> 32) as u32 ^ bits as u32
        }),
        Instruction::Half2MultiplyAdd => each(&|lane| {
            let both = 0x3800_3800 | (own[lane] & 0x03ff_03ff);
            let end = |bits: u32| u32::from(repeated(f16::from_bits(bits as u16), instructions, half_step).to_bits());
            end(both >> 16) << 16 | end(both)
        }),
        Instruction::SpecialFunction => each(&|lane| {
            let start = f64::from(f32::from_bits(0x3f00_0000 | own[lane] >> 9));
            (repeated(start, instructions, |value| 1.0 / value.sqrt()) as f32).to_bits()
        }),
        Instruction::Conversion => {
            each(&|lane| repeated(own[lane], instructions, |value| (value.cast_signed() as f32).to_bits()))
        }
        Instruction::Shuffle => each(&|lane| own[(lane + instructions as usize) % LANES]),
        Instruction::Vote => repeated(own, instructions, |values| {
            let ballot =
                (0..LANES).filter(|&lane| next[lane] > values[lane]).fold(0, |ballot, lane| ballot | 1 << lane);
            [ballot; LANES]
        }),
        Instruction::PopulationCount => each(&|lane| repeated(own[lane], instructions, u32::count_ones)),
        Instruction::SharedLoad => each(&|lane| (chain + instructions) % ROWS * LANES as u32 + lane as u32),
    }
}

/// Fused, and rounded once: a double holds the square of a half and what is added to it as they are.
fn half_step(value: f16) -> f16 {
    let wide = value.to_f64();
    f16::from_f64(wide.mul_add(wide, TERM))
}

fn repeated<T>(start: T, count: u32, step: impl Fn(T) -> T) -> T {
    (0..count).fold(start, |value, _| step(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::Named;

    #[test]
    fn no_instruction_leaves_the_words_that_chains_begin_with() {
        for &instruction in Instruction::ALL {
            assert_ne!(ends(instruction, 0, 1), ends(instruction, 0, 2), "{instruction:?}");
            assert_ne!(ends(instruction, 0, 3), ends(instruction, 1, 3), "{instruction:?}");
        }
    }

    #[test]
    fn sums_are_a_fibonacci_sequence_in_registers_and_in_shared_memory() {
        let (first, before) = (word_of(5, 2), word_of(5, 3));
        let sum =
            |of_first: u32, of_before: u32| first.wrapping_mul(of_first).wrapping_add(before.wrapping_mul(of_before));
        assert_eq!(ends(Instruction::IntegerAdd, 2, 0)[5], first);
        assert_eq!(ends(Instruction::IntegerAdd, 2, 1)[5], sum(1, 1));
        assert_eq!(ends(Instruction::IntegerAdd, 2, 6)[5], sum(13, 8));
        // An atomic returns what was there: the thread's word at first, then that and the chain's first value.
        assert_eq!(
            [1, 2, 3].map(|count| ends(Instruction::SharedAtomic, 2, count)[5]),
            [sum(0, 1), sum(1, 1), sum(1, 2)]
        );
    }

    #[test]
    fn floats_stay_between_minus_two_and_two_and_do_not_come_to_rest() {
        let last = |count| f32::from_bits(ends(Instruction::FloatMultiplyAdd, 0, count)[7]);
        let mut seen: Vec<f32> = (0..200).map(last).collect();
        assert!(seen.iter().all(|value| value.abs() < 2.0));
        seen.sort_by(f32::total_cmp);
        seen.dedup();
        assert!(seen.len() > 190, "{}", seen.len());
        // 0.75 squared less 1.875.
        assert!((half_step(f16::from_f32(0.75)).to_f32() + 1.3125).abs() < f32::EPSILON);
    }

    #[test]
    fn lanes_take_values_in_turn_and_places_come_round() {
        assert_eq!(ends(Instruction::Shuffle, 1, 33)[31], word_of(0, 1));
        assert_eq!(ends(Instruction::SharedLoad, 3, 6)[4], 32 + 4);
        assert_eq!(ends(Instruction::PopulationCount, 0, 1)[0], 1);
    }
}
