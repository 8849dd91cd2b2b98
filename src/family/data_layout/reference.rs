//! The kernels' function on the host, and its data in each arrangement.

use rayon::prelude::*;

use crate::workload::POISON;

/// Elements of a field's array that a thread of the host arranges at a time.
const CHUNK: usize = 1 << 14;

/// The output as an array of structures: running sums of the first `used` fields, counted from 1. The others are as they
/// were before.
pub(super) fn running_sums(structures: &[u32], fields: usize, used: usize) -> Vec<u32> {
    let mut output = vec![POISON; structures.len()];
    output.par_chunks_mut(fields).zip(structures.par_chunks(fields)).with_min_len(CHUNK).for_each(|(output, input)| {
        let mut sum = 1_u32;
        for (output, input) in output[..used].iter_mut().zip(input) {
            sum = sum.wrapping_add(*input);
            *output = sum;
        }
    });
    output
}

/// Structures as an array for each field, `pitch` words from one to the next, with `filler` in between.
pub(super) fn as_arrays(structures: &[u32], fields: usize, pitch: usize, filler: u32) -> Vec<u32> {
    let mut arrays = vec![filler; fields * pitch];
    arrays.par_chunks_mut(pitch).enumerate().for_each(|(field, array)| {
        array.par_chunks_mut(CHUNK).zip(structures.par_chunks(CHUNK * fields)).for_each(|(array, structures)| {
            for (word, structure) in array.iter_mut().zip(structures.chunks(fields)) {
                *word = structure[field];
            }
        });
    });
    arrays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_run_over_the_used_fields_of_each_structure() {
        let structures = [1, 2, 3, 10, 20, 30, u32::MAX, 5, 6];
        assert_eq!(running_sums(&structures, 3, 3), [2, 4, 7, 11, 31, 61, 0, 5, 11]);
        assert_eq!(running_sums(&structures, 3, 1), [2, POISON, POISON, 11, POISON, POISON, 0, POISON, POISON]);
    }

    #[test]
    fn arrays_hold_a_field_each() {
        assert_eq!(as_arrays(&[1, 2, 3, 4, 5, 6], 2, 4, 9), [1, 3, 5, 9, 2, 4, 6, 9]);
        let many: Vec<u32> = (0..3 * (CHUNK as u32 + 7)).collect();
        let arrays = as_arrays(&many, 3, CHUNK + 64, 0);
        for element in [0, 1, CHUNK - 1, CHUNK, CHUNK + 6] {
            for field in 0..3 {
                assert_eq!(arrays[field * (CHUNK + 64) + element], many[element * 3 + field]);
            }
        }
    }
}
