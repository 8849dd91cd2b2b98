//! The words and their histogram, on the host.

use super::Input;
use crate::family::inputs::drawn_words;
use crate::family::shared::shared;
use crate::workload::Words;

/// Words are below two to this power.
pub(super) const WORD_BITS: u32 = 16;
const MASK: u32 = (1 << WORD_BITS) - 1;

/// The words of an input: uniform ones, or others that are drawn from the same seed.
pub(super) fn words(input: Input, count: usize, seed: u64) -> Words {
    let kind = match input {
        Input::Uniform => 0,
        Input::FourValues => 1,
        Input::OneValue => 2,
    };
    shared("words of a histogram", &[count as u64, kind, seed], count, || {
        let mut words = drawn_words(count, seed);
        let first = words.first().copied().unwrap_or_default();
        for word in &mut words {
            *word = match input {
                Input::Uniform => *word,
                // A quarter of the range apart.
                Input::FourValues => first.wrapping_add((*word >> 30) << (WORD_BITS - 2)),
                Input::OneValue => first,
            } & MASK;
        }
        words
    })
}

/// How many words are in each bin.
pub(super) fn histogram(words: &[u32], bins: u32) -> Vec<u32> {
    let mut histogram = vec![0; bins as usize];
    for word in words {
        histogram[(word >> shift(bins)) as usize] += 1;
    }
    histogram
}

/// By how much a word is shifted right to be its bin, of a power of two of bins.
pub(super) const fn shift(bins: u32) -> u32 {
    WORD_BITS - bins.ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::Named;

    #[test]
    fn words_are_counted_in_bins_of_equal_width() {
        assert_eq!(histogram(&[0, 1, 0x3FFF, 0x4000, 0xFFFF], 4), [3, 1, 0, 1]);
        assert_eq!(histogram(&[0x7FFF, 0x8000], 2), [1, 1]);
    }

    #[test]
    fn inputs_have_the_values_that_their_names_say() {
        for &input in Input::ALL {
            let words = words(input, 4000, 7);
            let filled = histogram(&words, 256).iter().filter(|count| **count > 0).count();
            let expected = match input {
                Input::Uniform => 256,
                Input::FourValues => 4,
                Input::OneValue => 1,
            };
            assert_eq!(filled, expected, "{}", input.name());
            assert!(words.iter().all(|word| *word <= MASK));
        }
    }
}
