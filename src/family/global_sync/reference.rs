//! What `cuda/global_sync.cu` must compute, on the host: the same constants and the same arithmetic.

use rayon::prelude::*;

use crate::family::multiply_add::MultiplyAdds;

/// Elements that one task computes.
const CHUNK: usize = 1 << 16;

/// All rounds: `operations` on every element of the ring, in rounds of `interval`; where `exchange`, every round begins with
/// combining each element with its neighbours.
pub(super) fn compute(input: &[u32], operations: u64, interval: u64, exchange: bool) -> Vec<u32> {
    if !exchange {
        let all = MultiplyAdds::new(operations);
        return input.par_iter().map(|&value| all.apply(value)).collect();
    }
    let mut current = input.to_vec();
    let mut next = vec![0; input.len()];
    let mut left = operations;
    while left > 0 {
        let now = left.min(interval);
        round(&current, &mut next, MultiplyAdds::new(now));
        std::mem::swap(&mut current, &mut next);
        left -= now;
    }
    current
}

fn round(current: &[u32], next: &mut [u32], operations: MultiplyAdds) {
    let last = current.len() - 1;
    let of = |left: u32, value: u32, right: u32| operations.apply(combine(left, value, right));
    next.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, results)| {
        let start = chunk * CHUNK;
        let end = start + results.len() - 1;
        // The neighbours of the others are in the chunk, or one beyond it.
        if let Some(inner) = current.get(start.wrapping_sub(1)..=end + 1) {
            results.iter_mut().zip(inner.windows(3)).for_each(|(result, own)| *result = of(own[0], own[1], own[2]));
            return;
        }
        for (index, result) in (start..).zip(results) {
            let left = if index == 0 { last } else { index - 1 };
            let right = if index == last { 0 } else { index + 1 };
            *result = of(current[left], current[index], current[right]);
        }
    });
}

fn combine(left: u32, value: u32, right: u32) -> u32 {
    value.wrapping_add(left.wrapping_mul(3)).wrapping_add(right.wrapping_mul(5))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACTOR: u32 = 1_664_525;
    const TERM: u32 = 1_013_904_223;

    #[test]
    fn a_round_combines_neighbours_on_the_ring_and_operates() {
        let of = |value: u32| value.wrapping_mul(FACTOR).wrapping_add(TERM);
        assert_eq!(compute(&[1, 10, 100], 1, 1, false), [1, 10, 100].map(of));
        let once = [1 + 3 * 100 + 5 * 10, 10 + 3 + 5 * 100, 100 + 3 * 10 + 5];
        assert_eq!(compute(&[1, 10, 100], 1, 1, true), once.map(of));
        assert_eq!(compute(&[1, 10, 100], 2, 2, true), once.map(of).map(of));
        assert_eq!(compute(&[7], 1, 1, true), [of(9 * 7)]);
        assert_eq!(compute(&[1, 2], 1, 1, true), [of(1 + 8 * 2), of(2 + 8)]);
    }

    #[test]
    fn the_last_round_has_the_operations_that_are_left() {
        let input: Vec<u32> = (0..100).collect();
        let step = |values: &[u32], operations| compute(values, operations, operations, true);
        assert_eq!(compute(&input, 7, 3, true), step(&step(&step(&input, 3), 3), 1));
        assert_ne!(compute(&input, 6, 3, true), compute(&input, 6, 2, true));
    }

    #[test]
    fn chunks_join_where_they_meet() {
        for length in [CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 1] {
            let input: Vec<u32> = (0..length as u32).map(|index| index.wrapping_mul(2_654_435_761)).collect();
            let result = compute(&input, 1, 1, true);
            for index in [0, 1, CHUNK - 2, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, length - 1] {
                if index < length {
                    let (left, right) = (input[(index + length - 1) % length], input[(index + 1) % length]);
                    let expected = MultiplyAdds::new(1).apply(combine(left, input[index], right));
                    assert_eq!(result[index], expected, "element {index} of {length}");
                }
            }
        }
    }
}
