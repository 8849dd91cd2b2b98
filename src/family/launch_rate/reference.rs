//! What `cuda/launch_rate.cu` must compute, on the host: the same constants.

const FACTOR: u32 = 3;

/// The words after so many launches: each word has come all the way round the ring from the input, one place with each launch.
pub(super) fn after(launches: u32, input: &[u32]) -> Vec<u32> {
    let (factor, term) = (0..launches).fold((1_u32, 0_u32), |(factor, term), number| {
        (factor.wrapping_mul(FACTOR), term.wrapping_mul(FACTOR).wrapping_add(number))
    });
    let (before, from) = input.split_at(launches as usize % input.len());
    from.iter().chain(before).map(|word| word.wrapping_mul(factor).wrapping_add(term)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_launch_takes_the_next_word_and_adds_its_number() {
        assert_eq!(after(1, &[1, 10, 100]), [30, 300, 3]);
        assert_eq!(after(2, &[1, 10, 100]), [901, 10, 91]);
        assert_eq!(after(3, &[5]), [(15 * 3 + 1) * 3 + 2]);
    }

    #[test]
    fn many_launches_are_as_many_one_by_one() {
        let mut words: Vec<u32> = (0..7).map(|index: u32| index.wrapping_mul(2_654_435_761)).collect();
        let input = words.clone();
        for number in 0..50 {
            assert_eq!(after(number, &input), words, "{number} launches");
            words.rotate_left(1);
            words.iter_mut().for_each(|word| *word = word.wrapping_mul(3).wrapping_add(number));
        }
    }
}
