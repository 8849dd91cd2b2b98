//! What the families' workloads have in common: random words, and sizes that follow the device.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::shared::shared;
use crate::properties::Properties;
use crate::workload::Words;

/// Words that one stream of the generator makes.
const WORDS_OF_STREAM: usize = 1 << 14;
/// Words that are drawn at once.
const WORDS_AT_ONCE: usize = 256;

/// Random words, the same for the same seed, whatever the number of threads that make them.
pub(super) fn random_words(count: usize, seed: u64) -> Words {
    shared("random words", &[count as u64, seed], count, || drawn_words(count, seed))
}

/// The same, for oneself.
pub(crate) fn drawn_words(count: usize, seed: u64) -> Vec<u32> {
    drawn(count, seed, |_, word| word)
}

/// What `of` makes of the place and the random word of each place.
fn drawn(count: usize, seed: u64, of: impl Fn(usize, u32) -> u32 + Sync) -> Vec<u32> {
    let mut words = vec![0; count];
    words.par_chunks_mut(WORDS_OF_STREAM).enumerate().for_each(|(stream, words)| {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(stream as u64);
        let mut bytes = [0; 4 * WORDS_AT_ONCE];
        for (part, words) in words.chunks_mut(WORDS_AT_ONCE).enumerate() {
            let bytes = &mut bytes[..4 * words.len()];
            generator.fill_bytes(bytes);
            let first = stream * WORDS_OF_STREAM + part * WORDS_AT_ONCE;
            for (place, (word, bytes)) in words.iter_mut().zip(bytes.as_chunks::<4>().0).enumerate() {
                *word = of(first + place, u32::from_le_bytes(*bytes));
            }
        }
    });
    words
}

/// Random 32-bit floats from 0 to 1, 1 excluded; as words. They grow along the buffer, the last ones three times as large as the first on average: so the
/// sum of a part that is read twice, in place of another, is not that of all, however many there are. At each place they are spread evenly over
/// half a unit: so a chain of additions rounds up as often as down, until a last place of its sum is more than that.
pub(super) fn random_floats(count: usize, seed: u64) -> Words {
    shared("random floats", &[count as u64, seed], count, || {
        let last = count.max(1) as f32;
        drawn(count, seed, |index, word| {
            let uniform = (word >> 8) as f32 / (1 << 24) as f32;
            (0.5 * (uniform + index as f32 / last)).to_bits()
        })
    })
}

/// The smallest power of two from `least` on at which `bytes_of` is `times` times the L2 cache.
pub(super) fn size_beyond_l2(properties: &Properties, least: u64, times: u64, bytes_of: impl Fn(u64) -> u64) -> u64 {
    let mut size = least;
    while bytes_of(size) < times * properties.l2_bytes {
        size *= 2;
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::device::mock::{Mock, MockSettings};

    #[test]
    fn random_words_follow_the_seed_alone_and_are_all_drawn() {
        let words = random_words(3 * WORDS_OF_STREAM + 5, 1);
        assert_eq!(words, random_words(3 * WORDS_OF_STREAM + 5, 1));
        assert_ne!(words, random_words(3 * WORDS_OF_STREAM + 5, 2));
        assert_ne!(words[..WORDS_OF_STREAM], words[WORDS_OF_STREAM..2 * WORDS_OF_STREAM]);
        let ones: u32 = words.iter().map(|word| word.count_ones()).sum();
        let share = f64::from(ones) / (32.0 * words.len() as f64);
        assert!((share - 0.5).abs() < 0.01, "{share} of the bits are set");
    }

    /// Means of 1/4 and 3/4 at the ends make 3/8 and 5/8 in the halves.
    #[test]
    fn random_floats_are_below_one_and_grow_along_the_buffer() {
        let floats: Vec<f64> = random_floats(100_000, 1).iter().map(|word| f64::from(f32::from_bits(*word))).collect();
        assert!(floats.iter().all(|float| (0.0..1.0).contains(float)));
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        for (part, expected) in [(&floats[..50_000], 3.0 / 8.0), (&floats[50_000..], 5.0 / 8.0)] {
            assert!((mean(part) - expected).abs() < 0.005, "{} is not about {expected}", mean(part));
        }
    }

    #[test]
    fn sizes_are_powers_of_two_that_do_not_fit_in_l2() {
        let mut properties = Mock::new(MockSettings::default()).properties().clone();
        for (l2_mebibytes, size) in [(0, 2048), (6, 2048), (60, 4096), (100, 8192)] {
            properties.l2_bytes = l2_mebibytes << 20;
            assert_eq!(size_beyond_l2(&properties, 2048, 3, |width| 12 * width * width), size, "{l2_mebibytes} MiB");
        }
    }
}
