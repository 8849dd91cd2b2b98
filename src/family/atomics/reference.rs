//! What `cuda/atomics.cu` must compute, on the host.

use rayon::prelude::*;

use super::assignment::Assignment;
use gpu_simulator::hardware::lanes::LANES;

/// The weight of an element, which its warp's other elements have too.
fn weight(element: u64) -> u32 {
    ((element / LANES as u64) as u32).wrapping_mul(2_654_435_761).wrapping_add(1)
}

/// The counters, which began at `start`, after every element was counted once. They wrap around.
pub(super) fn count(start: &[u32], assignment: &Assignment) -> Vec<u32> {
    // Elements whose number agrees in all but these bits go to the same counter.
    let neighbours = 1_u64 << assignment.element_shift;
    start
        .par_iter()
        .enumerate()
        .map(|(counter, &start)| {
            (counter as u64 * neighbours..assignment.elements)
                .step_by((assignment.addresses * neighbours) as usize)
                .flat_map(|first| first..(first + neighbours).min(assignment.elements))
                .fold(start, |sum, element| sum.wrapping_add(weight(element)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_hold_what_elements_one_by_one_add() {
        for (elements, addresses, element_shift) in [(1, 1, 0), (1000, 8, 0), (1000, 64, 0), (1000, 8, 5), (70, 64, 5)]
        {
            let assignment = Assignment { elements, addresses, element_shift, copies: 1 };
            let start: Vec<u32> = (0..addresses as u32).map(|counter| u32::MAX - counter).collect();
            let mut slow = start.clone();
            for element in 0..elements {
                let counter = &mut slow[((element >> element_shift) % addresses) as usize];
                *counter = counter.wrapping_add(weight(element));
            }
            assert_eq!(count(&start, &assignment), slow, "{assignment:?}");
        }
    }

    #[test]
    fn weights_are_those_of_the_kernel() {
        assert_eq!([0, 31, 32, 63, 64].map(weight), [1, 1, 2_654_435_762, 2_654_435_762, 1_013_904_227]);
    }
}
