//! Buffers, launch and expected output of fences beside independent work.

use super::kernels::entry;
use super::{PTX, Parameters, Place, Predictors, Variant};
use crate::family::inputs::drawn_words;
use crate::family::multiply_add::MultiplyAdds;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::lanes::LANES;

const WORD_BYTES: u64 = 4;
/// What flags hold at first.
const FLAG: u32 = 1;

fn threads(parameters: &Parameters) -> u64 {
    u64::from(parameters.block) * u64::from(parameters.launched_blocks)
}

/// Words of so many accesses of every thread; one where there are none, as no buffer is empty.
fn words(parameters: &Parameters, accesses: u32) -> u64 {
    (threads(parameters) * u64::from(accesses)).max(1)
}

/// Flags, lines that are stored to, lines that are loaded from, sums, and the cycles of the loop.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    let lines = words(parameters, parameters.stores) + words(parameters, parameters.loads);
    WORD_BYTES * (2 * threads(parameters) + lines + 1)
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters) -> Predictors {
    Predictors { accesses_per_wait: f64::from(parameters.stores + parameters.loads) }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, seed: u64) -> Workload<Predictors> {
    let own = &parameters.of(variant);
    let Parameters { place, stores, work, waits, block, launched_blocks, .. } = *own;
    let threads = threads(parameters) as usize;
    let input = drawn_words(words(parameters, parameters.loads) as usize, seed);
    let sums = sums(own, variant, &input);
    let flag = if variant.stores_flag() { waits } else { FLAG };
    let stored = words(parameters, parameters.stores) as usize;
    let lines = (stores > 0).then(|| vec![waits; stored].into());
    let shared_bytes = match place {
        Place::Global => 0,
        Place::Shared => WORD_BYTES as u32 * stores * block,
    };
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: entry(own, variant),
            grid: [launched_blocks, 1, 1],
            block: [block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes,
            arguments: (0..5).map(Argument::Buffer).chain([waits, work].map(Argument::Word)).collect(),
        })],
        submission: Submission::Stream,
        bytes: WORD_BYTES * (2 * threads as u64 + stored as u64),
        operations: u64::from(waits) * u64::from(work) * threads as u64,
        predictors: predictors(parameters),
        buffers: vec![
            Buffer {
                name: "flags",
                contents: Contents::Words(vec![FLAG; threads].into()),
                expected: Some(vec![flag; threads].into()),
            },
            Buffer { name: "lines", contents: Contents::Poison { words: stored }, expected: lines },
            Buffer { name: "input", contents: Contents::Words(input.into()), expected: None },
            Buffer { name: "sums", contents: Contents::Poison { words: threads }, expected: Some(sums.into()) },
            Buffer::of_cycles(),
        ],
    }
}

/// What each thread's multiply-adds and loads come to.
fn sums(parameters: &Parameters, variant: Variant, input: &[u32]) -> Vec<u32> {
    let Parameters { loads, work, waits, .. } = *parameters;
    let loads = loads as usize;
    let multiply_adds = MultiplyAdds::new(u64::from(waits) * u64::from(work));
    let of_thread = |thread: usize| {
        let first = thread / LANES * LANES * loads + thread % LANES;
        let loaded = (0..loads).fold(0_u32, |sum, number| sum.wrapping_add(input[first + number * LANES]));
        let loaded = loaded.wrapping_add(if variant.loads_flag() { FLAG } else { 0 });
        multiply_adds.apply(thread as u32).wrapping_add(loaded.wrapping_mul(waits))
    };
    (0..threads(parameters) as usize).map(of_thread).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, defaults, workload};
    use crate::workload::Expected;

    fn expected(workload: &Workload<Predictors>, buffer: usize) -> Option<Vec<u32>> {
        workload.buffers[buffer].expected.as_ref().and_then(Expected::words).map(<[u32]>::to_vec)
    }

    #[test]
    fn lines_and_flags_hold_the_number_of_the_last_round() {
        let point = Parameters { waits: 5, block: 64, launched_blocks: 2, ..defaults() };
        for (variant, flag) in [(Variant::ReleaseStore, 5), (Variant::SequentialFence, 1)] {
            let workload = workload(variant, &point);
            assert_eq!(expected(&workload, 0), Some(vec![flag; 128]));
            assert_eq!(expected(&workload, 1), Some(vec![5; 512]));
            assert_eq!(expected(&workload, 3).unwrap()[..3], [0, 1, 2]);
            assert_eq!(bytes_of_buffers(&workload), device_bytes(&point));
        }
        let shared = Parameters { place: Place::Shared, ..point };
        assert_eq!(workload(Variant::None, &shared).launches().next().unwrap().shared_bytes, 4 * 4 * 64);
    }

    #[test]
    fn a_thread_sums_up_its_word_of_each_line_and_its_flag() {
        let point = Parameters { waits: 3, work: 8, stores: 0, loads: 4, block: 64, ..defaults() };
        let input: Vec<u32> = (0..256).collect();
        let of = |variant, thread: usize| {
            sums(&point.of(variant), variant, &input)[thread].wrapping_sub(MultiplyAdds::new(24).apply(thread as u32))
        };
        // Thread 33 has words 128 + 1, 160 + 1, 192 + 1 and 224 + 1.
        assert_eq!(of(Variant::AcquireReleaseFence, 33), 3 * (129 + 161 + 193 + 225));
        assert_eq!(of(Variant::AcquireLoad, 33), 3);
        assert_eq!(of(Variant::ReleaseStore, 33), 0);
        assert_eq!(predictors(&point).accesses_per_wait, 4.0);
    }
}
