//! Buffers, launch and expected output of a point.

use rayon::prelude::*;

use super::reference::{MODULUS, block_sums};
use super::tree::{divergent_warp_steps, load_passes, warp_steps};
use super::{PTX, SCATTERED};
use crate::family::Request;
use crate::family::inputs::random_words;
use crate::parameter::ParameterSet;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

const WORD_BYTES: u64 = 4;

fn blocks(parameters: &ParameterSet) -> u64 {
    parameters.integer("elements").div_ceil(parameters.integer("block"))
}

/// Elements and sums, in bytes.
pub(super) fn device_bytes(parameters: &ParameterSet) -> u64 {
    WORD_BYTES * (parameters.integer("elements") + blocks(parameters))
}

/// Builds a point's workload.
pub(super) fn build(request: &Request<'_>) -> Workload {
    let parameters = request.parameters;
    let (block, elements) = (parameters.integer("block"), parameters.integer("elements"));
    let repetitions = parameters.integer("repetitions");
    let blocks = blocks(parameters);

    let mut operands = random_words(elements as usize, request.seed);
    operands.par_iter_mut().for_each(|word| *word %= MODULUS);
    let expected = block_sums(&operands, block as usize, repetitions as u32);
    let launch = Launch {
        entry: if request.variant == SCATTERED { "block_sum_scattered_threads" } else { "block_sum_leading_threads" },
        grid: [blocks as u32, 1, 1],
        block: [block as u32, 1, 1],
        shared_bytes: (block * WORD_BYTES) as u32,
        cooperative: false,
        arguments: vec![
            Argument::Buffer(0),
            Argument::Buffer(1),
            Argument::Long(elements),
            Argument::Word(repetitions as u32),
        ],
    };
    let of_block = |count: fn(&str, u64) -> u64| count(request.variant, block) as f64;
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(launch)],
        submission: Submission::Stream,
        bytes: device_bytes(parameters),
        operations: repetitions * blocks * (block - 1),
        predictors: vec![
            ("warp_steps", of_block(warp_steps)),
            ("divergent_warp_steps", of_block(divergent_warp_steps)),
            ("load_passes", load_passes(request.variant, block, request.device.rules.banks) as f64),
        ],
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
    use super::super::tests::{parameters, properties};
    use super::super::{LEADING, SCATTERED};
    use super::*;

    fn workload(variant: &str, parameters: &ParameterSet) -> Workload {
        build(&Request { variant, parameters, device: &properties(), seed: 1 })
    }

    #[test]
    fn every_block_has_a_sum_and_every_element_a_thread() {
        for (elements, block, blocks) in [(1, 32, 1), (1000, 256, 4), (1024, 256, 4), (1025, 256, 5)] {
            let point = parameters().with("elements", elements).with("block", block);
            let workload = workload(SCATTERED, &point);
            let launch = workload.launches().next().unwrap();
            assert_eq!((launch.grid, launch.block), ([blocks, 1, 1], [block as u32, 1, 1]));
            assert_eq!(u64::from(launch.shared_bytes), 4 * block as u64);
            assert_eq!(device_bytes(&point), workload.buffers.iter().map(Buffer::bytes).sum::<u64>());
            assert_eq!(workload.buffers[1].expected.as_ref().unwrap().len(), blocks as usize);
        }
    }

    #[test]
    fn variants_differ_in_their_kernel_alone() {
        let [scattered, leading] = [SCATTERED, LEADING].map(|variant| workload(variant, &parameters()));
        assert_eq!(scattered.buffers[1].expected, leading.buffers[1].expected);
        let entries = [&scattered, &leading].map(|workload| workload.launches().next().unwrap().entry);
        assert_eq!(entries, ["block_sum_scattered_threads", "block_sum_leading_threads"]);
        assert!(entries.iter().all(|entry| PTX.contains(&format!(".entry {entry}("))));
    }

    #[test]
    fn operands_are_below_the_modulus() {
        let workload = workload(SCATTERED, &parameters());
        let Contents::Words(words) = &workload.buffers[0].contents else { panic!("operands are given") };
        assert!(words.iter().all(|&word| word < MODULUS) && words.iter().any(|&word| word > MODULUS / 2));
    }
}
