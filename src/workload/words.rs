//! Words of buffers.

use std::ops::Deref;
use std::sync::Arc;

/// Words of a buffer. Workloads may have them in common, as copies are not copied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words(Arc<Vec<u32>>);

impl Words {
    /// The words with everyone else who has them.
    pub fn shared(&self) -> Arc<Vec<u32>> {
        Arc::clone(&self.0)
    }

    /// The words for oneself, copied where others have them too.
    pub fn into_vec(self) -> Vec<u32> {
        Arc::unwrap_or_clone(self.0)
    }

    /// The words, to be changed; copied before where others have them too.
    pub fn make_mut(&mut self) -> &mut Vec<u32> {
        Arc::make_mut(&mut self.0)
    }
}

impl Deref for Words {
    type Target = Vec<u32>;

    fn deref(&self) -> &Vec<u32> {
        &self.0
    }
}

impl From<Vec<u32>> for Words {
    fn from(words: Vec<u32>) -> Self {
        Self(Arc::new(words))
    }
}

impl FromIterator<u32> for Words {
    fn from_iter<I: IntoIterator<Item = u32>>(words: I) -> Self {
        words.into_iter().collect::<Vec<u32>>().into()
    }
}

/// The words of little-endian bytes. What is left of the last word is as in [`POISON`](super::POISON).
pub fn words_of(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks(size_of::<u32>()).map(|bytes| {
        let mut word = super::POISON.to_le_bytes();
        word[..bytes.len()].copy_from_slice(bytes);
        u32::from_le_bytes(word)
    })
}

/// Puts the little-endian bytes of words at the beginning of `bytes`, as far as there is room.
pub fn put_bytes(words: &[u32], bytes: &mut [u8]) {
    for (bytes, word) in bytes.chunks_exact_mut(size_of::<u32>()).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_copied_only_where_others_have_them() {
        let mut words = Words::from(vec![1, 2]);
        let others = words.clone();
        words.make_mut().push(3);
        assert_eq!((words.as_slice(), others.as_slice()), (&[1, 2, 3][..], &[1, 2][..]));
        let place = words.as_ptr();
        let own = words.into_vec();
        assert_eq!(own.as_ptr(), place);
    }

    #[test]
    fn bytes_of_words_begin_with_the_lowest() {
        let mut bytes = [9; 6];
        put_bytes(&[0x0403_0201, 5], &mut bytes);
        assert_eq!(bytes, [1, 2, 3, 4, 9, 9]);
        assert_eq!(words_of(&[1, 2, 3, 4, 5]).collect::<Vec<u32>>(), [0x0403_0201, 0xFFFF_DE05]);
    }
}
