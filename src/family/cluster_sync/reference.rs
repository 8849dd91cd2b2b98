//! What `cuda/cluster_sync.cu` must compute, on the host: the same factors.

/// The words of a ring after so many exchanges, in each of which every word is combined with its two neighbours.
pub(super) fn after(exchanges: u32, ring: &[u32]) -> Vec<u32> {
    let last = ring.len().saturating_sub(1);
    (0..exchanges).fold(ring.to_vec(), |words, _| {
        let left = |index: usize| words[if index == 0 { last } else { index - 1 }];
        let right = |index: usize| words[if index == last { 0 } else { index + 1 }];
        (0..words.len())
            .map(|index| {
                let [left, right] = [left(index).wrapping_mul(3), right(index).wrapping_mul(5)];
                words[index].wrapping_add(left).wrapping_add(right)
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::after;

    #[test]
    fn every_word_is_combined_with_its_neighbours_on_the_ring() {
        assert_eq!(after(0, &[1, 10, 100]), [1, 10, 100]);
        let once = [1 + 3 * 100 + 5 * 10, 10 + 3 + 5 * 100, 100 + 3 * 10 + 5];
        assert_eq!(after(1, &[1, 10, 100]), once);
        assert_eq!(after(2, &[1, 10, 100]), after(1, &once));
        assert_eq!(after(1, &[7]), [9 * 7]);
    }
}
