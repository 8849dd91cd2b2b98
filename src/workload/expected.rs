//! What a buffer must hold after a workload has run.

use super::{Element, Words};

/// What a buffer must hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// These very words.
    Words(Words),
    /// A 32-bit float in every word, each near a sum of this value.
    Sums(Vec<Sum>),
    /// Elements near these.
    Near(Near),
    /// What the first variant leaves there.
    Agreement(Agreement),
}

/// By how much an element may differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// In parts of what is expected.
    pub relative: f64,
    /// In the unit of the elements; what is allowed is the sum of both.
    pub absolute: f64,
}

/// Elements of a type, and by how much they may differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    /// Their type.
    pub element: Element,
    /// What is expected. Behind the last element there may be bytes that are none.
    pub words: Words,
    /// By how much each may differ.
    pub tolerance: Tolerance,
}

/// Elements that are what the first variant at the same parameters leaves there: known once that has run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The type of the elements.
    pub element: Element,
    /// How many words they take.
    pub words: usize,
    /// By how much each may differ.
    pub tolerance: Tolerance,
}

impl Near {
    /// The bytes of the element that the word of this index is of, or begins, in words of which `first` is the first.
    pub fn bytes(&self, words: &[u32], first: usize, index: usize) -> Vec<u8> {
        let of_element = (self.element.bytes() as usize).div_ceil(4);
        let begin = (index / of_element * of_element).saturating_sub(first);
        words.iter().skip(begin).take(of_element).flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Whether the elements of the word of this index are near what is expected; `found` are words from the one numbered `first` on.
    fn accepts(&self, found: &[u32], first: usize, index: usize) -> bool {
        let Some((word, expected)) = found.get(index - first).zip(self.words.get(index)) else { return false };
        if word == expected && self.element.bytes() <= 4 {
            return true;
        }
        self.wrong_elements(found, first, index) == 0
    }

    /// How many of the elements that a word holds, or is of, are not near what is expected.
    pub fn wrong_elements(&self, found: &[u32], first: usize, index: usize) -> usize {
        self.wrong_places(found, first, index).len()
    }

    /// Which of the elements that a word holds, or is of, are not near what is expected.
    pub fn wrong_places(&self, found: &[u32], first: usize, index: usize) -> Vec<usize> {
        let (found, expected) = (self.bytes(found, first, index), self.bytes(&self.words, 0, index));
        let size = self.element.bytes() as usize;
        let is_wrong = |(_, (found, expected)): &(usize, (&[u8], &[u8]))| {
            let (one, other) = (self.element.number(found), self.element.number(expected));
            let allowed = self.tolerance.absolute + self.tolerance.relative * other.abs();
            found != expected && !((one - other).abs() <= allowed && allowed > 0.0)
        };
        let elements = found.chunks(size).zip(expected.chunks(size)).enumerate();
        elements.filter(is_wrong).map(|(place, _)| place).collect()
    }

    /// The element at this place of a word that holds several, or the word itself; `None` of elements that take several words.
    pub fn number_in(&self, word: u32, place: usize) -> Option<f64> {
        let bytes = word.to_le_bytes();
        let own = bytes.chunks(self.element.bytes() as usize).nth(place)?;
        (self.element.bytes() <= 4).then(|| self.element.number(own))
    }
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
            Self::Near(near) => near.words.len(),
            Self::Agreement(agreement) => agreement.words,
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
            Self::Near(near) => near.words.to_vec(),
            Self::Agreement(agreement) => vec![0; agreement.words],
        }
    }

    /// The words, where these very words are expected.
    pub fn words(&self) -> Option<&[u32]> {
        match self {
            Self::Words(words) => Some(words),
            Self::Near(near) => Some(&near.words),
            Self::Sums(_) | Self::Agreement(_) => None,
        }
    }

    /// The sums, where these are expected.
    pub fn sums(&self) -> Option<&[Sum]> {
        match self {
            Self::Words(_) | Self::Near(_) | Self::Agreement(_) => None,
            Self::Sums(sums) => Some(sums),
        }
    }

    /// Whether the word of this index is right, as far as the host can tell; not where there is none. `found` are the words from the one
    /// numbered `first` on, the first one of an element.
    pub fn accepts(&self, found: &[u32], first: usize, index: usize) -> bool {
        let Some(&word) = index.checked_sub(first).and_then(|place| found.get(place)) else { return false };
        match self {
            Self::Words(words) => words.get(index) == Some(&word),
            Self::Sums(sums) => sums.get(index).is_some_and(|sum| sum.accepts(word)),
            Self::Near(near) => near.accepts(found, first, index),
            Self::Agreement(agreement) => index < agreement.words,
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
        assert!(words.accepts(&[1, 2], 0, 1) && !words.accepts(&[1, 3], 0, 1) && !words.accepts(&[1, 2, 0], 0, 2));
        assert!(words.accepts(&[2], 1, 1) && !words.accepts(&[2], 1, 0));
        let sums = Expected::from(vec![Sum { value: 10.0, error_bound: 0.5 }]);
        let accepts = |float: f32| sums.accepts(&[float.to_bits()], 0, 0);
        assert!(accepts(10.0) && accepts(10.5) && accepts(9.5));
        assert!(!accepts(10.501) && !accepts(f32::NAN) && !accepts(f32::INFINITY));
        assert_eq!(sums.example(), [10.0_f32.to_bits()]);
    }

    #[test]
    fn poison_is_no_sum() {
        assert!(!Sum { value: 0.0, error_bound: f64::MAX }.accepts(crate::workload::POISON));
    }

    #[test]
    fn elements_of_every_width_are_near_within_their_tolerance() {
        let tolerance = Tolerance { relative: 0.01, absolute: 0.0 };
        for element in [Element::Float(64), Element::Float(32), Element::Float(16)] {
            let words = |numbers: [f64; 4]| {
                let mut bytes = Vec::new();
                numbers.iter().for_each(|number| element.put(*number, &mut bytes));
                bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect::<Vec<u32>>()
            };
            let near = Expected::Near(Near { element, words: words([1.0, 2.0, 4.0, 8.0]).into(), tolerance });
            let right = |found: &[u32]| (0..found.len()).filter(|index| near.accepts(found, 0, *index)).count();
            let all = near.len();
            assert_eq!(right(&words([1.0, 2.0, 4.0, 8.0])), all, "{element:?}");
            assert_eq!(right(&words([1.005, 1.99, 4.0, 8.0])), all, "{element:?}");
            assert_eq!(
                right(&words([1.0, 2.0, 4.0, 8.5])),
                all - if element == Element::Float(64) { 2 } else { 1 },
                "{element:?}"
            );
            assert_eq!(
                right(&words([1.0, f64::NAN, 4.0, 8.0])),
                all - if element == Element::Float(64) { 2 } else { 1 },
                "{element:?}"
            );
        }
    }
}
