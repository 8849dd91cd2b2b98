//! Buffers, launch and expected output of a point.

use rayon::prelude::*;

use super::reference::{MODULUS, block_sums};
use super::tree::{divergent_warp_steps, load_passes, warp_steps};
use super::{PTX, Parameters, Predictors, Variant};
use crate::family::inputs::drawn_words;
use crate::family::shared::shared;
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

const WORD_BYTES: u64 = 4;

fn blocks(parameters: &Parameters) -> u64 {
    parameters.elements.div_ceil(u64::from(parameters.block))
}

/// Elements and sums, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    WORD_BYTES * (parameters.elements + blocks(parameters))
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let block = u64::from(parameters.block);
    Predictors {
        warp_steps: warp_steps(variant, block) as f64,
        divergent_warp_steps: divergent_warp_steps(variant, block) as f64,
        load_passes: load_passes(variant, block, device.rules.banks) as f64,
    }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let Parameters { block, repetitions, elements } = *parameters;
    let blocks = blocks(parameters);

    let operands = shared("operands of sums", &[elements, seed], elements as usize, || {
        let mut operands = drawn_words(elements as usize, seed);
        operands.par_iter_mut().for_each(|word| *word %= MODULUS);
        operands
    });
    let expected = block_sums(&operands, block as usize, repetitions);
    let launch = Launch {
        entry: match variant {
            Variant::ScatteredThreads => "block_sum_scattered_threads",
            Variant::LeadingThreads => "block_sum_leading_threads",
        },
        grid: [blocks as u32, 1, 1],
        block: [block, 1, 1],
        shared_bytes: block * WORD_BYTES as u32,
        cooperative: false,
        cluster_blocks: 1,
        arguments: vec![
            Argument::Buffer(0),
            Argument::Buffer(1),
            Argument::Long(elements),
            Argument::Word(repetitions),
        ],
    };
    let block = u64::from(block);
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(launch)],
        submission: Submission::Stream,
        bytes: device_bytes(parameters),
        operations: u64::from(repetitions) * blocks * (block - 1),
        predictors: predictors(parameters, variant, device),
        buffers: vec![
            Buffer { name: "operands", contents: Contents::Words(operands), expected: None },
            Buffer {
                name: "sums",
                contents: Contents::Poison { words: blocks as usize },
                expected: Some(expected.into()),
            },
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::small;
    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, workload};

    #[test]
    fn every_block_has_a_sum_and_every_element_a_thread() {
        for (elements, block, blocks) in [(1, 32, 1), (1000, 256, 4), (1024, 256, 4), (1025, 256, 5)] {
            let point = Parameters { block, elements, ..small() };
            let workload = workload(Variant::ScatteredThreads, &point);
            let launch = workload.launches().next().unwrap();
            assert_eq!((launch.grid, launch.block), ([blocks, 1, 1], [block, 1, 1]));
            assert_eq!(launch.shared_bytes, 4 * block);
            assert_eq!(device_bytes(&point), bytes_of_buffers(&workload));
            assert_eq!(workload.buffers[1].expected.as_ref().unwrap().len(), blocks as usize);
        }
    }

    #[test]
    fn variants_differ_in_their_kernel_alone() {
        let variants = [Variant::ScatteredThreads, Variant::LeadingThreads];
        let [scattered, leading] = variants.map(|variant| workload(variant, &small()));
        assert_eq!(scattered.buffers[1].expected, leading.buffers[1].expected);
        let entries = [&scattered, &leading].map(|workload| workload.launches().next().unwrap().entry);
        assert_eq!(entries, ["block_sum_scattered_threads", "block_sum_leading_threads"]);
    }

    #[test]
    fn operands_are_below_the_modulus() {
        let workload = workload(Variant::ScatteredThreads, &small());
        let Contents::Words(words) = &workload.buffers[0].contents else { panic!("operands are given") };
        assert!(words.iter().all(|&word| word < MODULUS) && words.iter().any(|&word| word > MODULUS / 2));
    }
}
