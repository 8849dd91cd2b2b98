//! What `cuda/launch_overlap.cu` must compute, on the host: the same constants.

use crate::family::multiply_add::MultiplyAdds;

const FACTOR: u32 = 3;

/// What a chain of launches does to each word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chain {
    pub(super) launches: u32,
    pub(super) preamble: u32,
    pub(super) operations: u32,
}

impl Chain {
    /// The words after all launches.
    pub(super) fn after(self, input: &[u32]) -> Vec<u32> {
        let preamble = MultiplyAdds::new(self.preamble.into());
        let operations = MultiplyAdds::new(self.operations.into());
        let prepared: Vec<u32> = (0..input.len()).map(|own| preamble.apply(own as u32)).collect();
        let mut words = input.to_vec();
        for number in 0..self.launches {
            let Some(first) = words.first().copied() else { break };
            let last = words.len() - 1;
            for own in 0..=last {
                let next = if own == last { first } else { words[own + 1] };
                let sum = next.wrapping_mul(FACTOR).wrapping_add(number).wrapping_add(prepared[own]);
                words[own] = operations.apply(sum);
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_launch_takes_the_next_word_and_adds_its_number_and_what_the_thread_prepared() {
        let after = |launches, input: &[u32]| Chain { launches, preamble: 0, operations: 0 }.after(input);
        assert_eq!(after(0, &[4, 5]), [4, 5]);
        assert_eq!(after(1, &[1, 10, 100]), [30, 301, 5]);
        assert_eq!(after(2, &[1, 10, 100]), [904, 17, 93]);
        assert_eq!(after(3, &[5]), [(15 * 3 + 1) * 3 + 2]);
    }

    #[test]
    fn multiply_adds_come_before_the_neighbour_is_read_and_after() {
        let mad = |value: u32| value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let after = |preamble, operations| Chain { launches: 1, preamble, operations }.after(&[7, 8]);
        assert_eq!(after(1, 0), [24_u32.wrapping_add(mad(0)), 21_u32.wrapping_add(mad(1))]);
        assert_eq!(after(0, 2), [mad(mad(24)), mad(mad(22))]);
    }
}
