//! What `cuda/cluster_exchange.cu` must compute, on the host: the same sets and factors.

/// Words of a set, and those from one to the next: behind a set is its number.
pub(super) const SET_WORDS: usize = 2048;
pub(super) const PITCH_WORDS: usize = SET_WORDS + 4;
/// Words of a piece.
const PIECE_WORDS: usize = 4;

/// The sets of so many blocks: each the same chain, which comes back to word 0 after all others, and behind it the number of the block.
pub(super) fn sets(blocks: u32, order: &[u32]) -> Vec<u32> {
    let mut chain = vec![0; SET_WORDS];
    for (index, place) in order.iter().enumerate() {
        chain[*place as usize] = order[(index + 1) % order.len()];
    }
    let set = |number: u32| {
        let mut own = chain.clone();
        own.extend([number; PITCH_WORDS - SET_WORDS]);
        own
    };
    (0..blocks).flat_map(set).collect()
}

/// What a block comes to that reads the set of the block with this number: where the chain leads.
pub(super) fn followed(chain: &[u32], loads: u32, owner: u32) -> u32 {
    let place = (0..loads % SET_WORDS as u32).fold(0, |place: u32, _| chain[place as usize]);
    place.wrapping_add(owner << 16)
}

/// The same of each thread of a block, which sums pieces up.
pub(super) fn summed(chain: &[u32], loads: u32, block: u32, owner: u32) -> Vec<u32> {
    let pieces = SET_WORDS / PIECE_WORDS;
    let sums: Vec<u32> = chain[..SET_WORDS]
        .chunks_exact(PIECE_WORDS)
        .map(|piece| {
            [1_u32, 3, 5, 7].iter().zip(piece).fold(0, |sum: u32, (factor, word)| sum.wrapping_add(factor * word))
        })
        .collect();
    let of_thread = |thread: u32| {
        let piece = |load: u32| (thread as usize + load as usize * block as usize) % pieces;
        let sum = (0..loads).fold(0_u32, |sum, load| sum.wrapping_add(sums[piece(load)]));
        sum.wrapping_add(owner << 16)
    };
    (0..block).map(of_thread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain() -> Vec<u32> {
        // Word 0, then the others from the last to the first.
        let order: Vec<u32> = std::iter::once(0).chain((1..SET_WORDS as u32).rev()).collect();
        sets(3, &order)
    }

    #[test]
    fn a_chain_comes_back_and_tells_whose_it_is() {
        let sets = chain();
        assert_eq!(sets.len(), 3 * PITCH_WORDS);
        assert_eq!(sets[2 * PITCH_WORDS + SET_WORDS..], [2; 4]);
        assert_eq!([0, 1, 2, 2048, 2049].map(|loads| followed(&sets, loads, 0)), [0, 2047, 2046, 0, 2047]);
        assert_eq!(followed(&sets, 1, 5), 2047 + (5 << 16));
    }

    #[test]
    fn threads_sum_up_pieces_side_by_side() {
        let sets = chain();
        // Word 1 leads to 0, which comes last; word 2 to 1, and so on; word 0 to the last.
        let first = 2047 + 3 * 5 + 5 + 7 * 2 - 15;
        let second = 3 + 3 * 4 + 5 * 5 + 7 * 6;
        assert_eq!(summed(&sets, 1, 32, 0)[..2], [first, second]);
        assert_eq!(summed(&sets, 16, 32, 0)[0], summed(&sets, 1, 512, 0).iter().step_by(32).sum::<u32>());
        assert_eq!(summed(&sets, 1, 32, 1)[1], second + (1 << 16));
    }
}
