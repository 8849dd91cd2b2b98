//! What a buffer must hold after a workload has run.

use super::Words;

/// What a buffer must hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// These very words.
    Words(Words),
    /// A 32-bit float in every word, each near a sum of this value.
    Sums(Vec<Sum>),
}

/// A sum of floats, which comes out differently with every order of summation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sum {
    /// The sum, as exact as the host can compute it.
    pub value: f64,
    /// By how much the device's may differ.
    pub error_bound: f64,
}

impl Sum {
    /// Whether a word is a float near enough.
    pub fn accepts(&self, word: u32) -> bool {
        (f64::from(f32::from_bits(word)) - self.value).abs() <= self.error_bound
    }
}

impl Expected {
    /// How many words there must be.
    pub fn len(&self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::Sums(sums) => sums.len(),
        }
    }

    /// Whether nothing is expected.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Words that are right: the expected ones, or the floats next to the sums.
    pub fn example(&self) -> Vec<u32> {
        match self {
            Self::Words(words) => words.to_vec(),
            Self::Sums(sums) => sums.iter().map(|sum| (sum.value as f32).to_bits()).collect(),
        }
    }

    /// The words, where these very words are expected.
    pub fn words(&self) -> Option<&[u32]> {
        match self {
            Self::Words(words) => Some(words),
            Self::Sums(_) => None,
        }
    }

    /// The sums, where these are expected.
    pub fn sums(&self) -> Option<&[Sum]> {
        match self {
            Self::Words(_) => None,
            Self::Sums(sums) => Some(sums),
        }
    }

    /// Whether the word of this index is right; not where there is none.
    pub fn accepts(&self, index: usize, word: u32) -> bool {
        match self {
            Self::Words(words) => words.get(index) == Some(&word),
            Self::Sums(sums) => sums.get(index).is_some_and(|sum| sum.accepts(word)),
        }
    }
}

impl From<Vec<u32>> for Expected {
    fn from(words: Vec<u32>) -> Self {
        Self::Words(words.into())
    }
}

impl From<Words> for Expected {
    fn from(words: Words) -> Self {
        Self::Words(words)
    }
}

impl From<Vec<Sum>> for Expected {
    fn from(sums: Vec<Sum>) -> Self {
        Self::Sums(sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_right_to_the_bit_and_sums_within_their_bound() {
        let words = Expected::from(vec![1, 2]);
        assert!(words.accepts(1, 2) && !words.accepts(1, 3) && !words.accepts(2, 0));
        let sums = Expected::from(vec![Sum { value: 10.0, error_bound: 0.5 }]);
        let accepts = |float: f32| sums.accepts(0, float.to_bits());
        assert!(accepts(10.0) && accepts(10.5) && accepts(9.5));
        assert!(!accepts(10.501) && !accepts(f32::NAN) && !accepts(f32::INFINITY));
        assert_eq!(sums.example(), [10.0_f32.to_bits()]);
    }

    #[test]
    fn poison_is_no_sum() {
        assert!(!Sum { value: 0.0, error_bound: f64::MAX }.accepts(crate::workload::POISON));
    }
}
