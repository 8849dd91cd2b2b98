//! Buffers, launch and expected sums of a point of hot sets beside streams.

use super::reference;
use super::{CHUNK_BYTES, PTX, Parameters, Predictors, Variant};
use crate::family::inputs::random_words;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Words, Workload};
use gpu_simulator::hardware::lanes::LANES;

const WORD_BYTES: u64 = 4;
/// The buffer of the hot set.
const HOT: usize = 0;

impl Parameters {
    /// Chunks of each block of so many bytes.
    fn chunks(&self, bytes: u64) -> u64 {
        bytes / CHUNK_BYTES / self.launched_blocks
    }

    /// Bytes that all blocks read of so many.
    fn read_bytes(&self, bytes: u64) -> u64 {
        self.chunks(bytes) * self.launched_blocks * CHUNK_BYTES
    }

    fn footprint_bytes(&self) -> u64 {
        self.read_bytes(self.hot_bytes) + self.read_bytes(self.stream_bytes)
    }

    fn threads(&self) -> u64 {
        u64::from(self.block) * self.launched_blocks
    }

    /// Bytes of the stream's buffer, which no device has without any.
    fn stream_buffer_bytes(&self) -> u64 {
        self.read_bytes(self.stream_bytes).max(CHUNK_BYTES)
    }
}

/// The hot set, the stream, and a sum for each thread.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    parameters.read_bytes(parameters.hot_bytes) + parameters.stream_buffer_bytes() + WORD_BYTES * parameters.threads()
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters) -> Predictors {
    Predictors { footprint_bytes: parameters.footprint_bytes() as f64 }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, seed: u64) -> Workload<Predictors> {
    let Parameters { hot_bytes, stream_bytes, passes, kept_pct, block, launched_blocks } = *parameters;
    let words = |bytes: u64, seed| random_words((bytes / WORD_BYTES) as usize, seed);
    let hot = words(parameters.read_bytes(hot_bytes), seed);
    let stream = words(parameters.stream_buffer_bytes(), seed.wrapping_add(1));
    let chunks = [hot_bytes, stream_bytes].map(|bytes| parameters.chunks(bytes));
    let sums_of = |words: &Words, chunks| {
        reference::sums(words, chunks as usize, launched_blocks as usize, block as usize / LANES)
    };
    let sums: Vec<u32> = sums_of(&hot, chunks[0])
        .into_iter()
        .zip(sums_of(&stream, chunks[1]))
        .map(|(hot, stream)| hot.wrapping_add(stream).wrapping_mul(passes))
        .collect();
    let numbers = chunks.map(|count| Argument::Word(count as u32)).into_iter().chain([Argument::Word(passes)]);
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: match variant {
                Variant::Plain | Variant::PersistingWindow => "l2_residency_plain",
                Variant::EvictHints => "l2_residency_evict_hints",
                Variant::StreamingLoads => "l2_residency_streaming_loads",
                Variant::EvictFirstStream => "l2_residency_evict_first_stream",
            },
            grid: [launched_blocks as u32, 1, 1],
            block: [block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes: 0,
            arguments: (0..3).map(Argument::Buffer).chain(numbers).collect(),
        })],
        submission: match variant {
            Variant::PersistingWindow => Submission::Persisting { buffer: HOT, kept_pct },
            Variant::Plain | Variant::EvictHints | Variant::StreamingLoads | Variant::EvictFirstStream => {
                Submission::Stream
            }
        },
        bytes: u64::from(passes) * parameters.footprint_bytes(),
        operations: 0,
        predictors: predictors(parameters),
        buffers: vec![
            Buffer { name: "hot set", contents: Contents::Words(hot), expected: None },
            Buffer { name: "stream", contents: Contents::Words(stream), expected: None },
            Buffer { name: "sums", contents: Contents::Poison { words: sums.len() }, expected: Some(sums.into()) },
        ],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, workload};
    use crate::parameter::Named;

    fn point() -> Parameters {
        Parameters { hot_bytes: 13_000, stream_bytes: 21_000, passes: 3, kept_pct: 60, block: 64, launched_blocks: 2 }
    }

    #[test]
    fn sums_are_the_same_in_every_variant_and_grow_with_the_passes() {
        let sums = |variant, passes| {
            let own = workload(variant, &Parameters { passes, ..point() });
            own.buffers[2].expected.clone().unwrap().words().unwrap().to_vec()
        };
        let first = sums(Variant::Plain, 1);
        let thrice: Vec<u32> = first.iter().map(|sum| sum.wrapping_mul(3)).collect();
        assert!(Variant::ALL.iter().all(|variant| sums(*variant, 3) == thrice));
        assert_eq!(first.len(), 128);
        assert_ne!(first[..64], first[64..]);
    }

    #[test]
    fn both_are_rounded_down_to_chunks_of_each_block() {
        let own = workload(Variant::Plain, &point());
        let launch = own.launches().next().unwrap();
        assert_eq!(launch.arguments[3..], [Argument::Word(3), Argument::Word(5), Argument::Word(3)]);
        assert_eq!(own.predictors.footprint_bytes, 16.0 * 2048.0);
        assert_eq!(own.bytes, 3 * 16 * 2048);
        assert_eq!(bytes_of_buffers(&own), device_bytes(&point()));
        let alone = workload(Variant::Plain, &Parameters { stream_bytes: 0, ..point() });
        assert_eq!((alone.predictors.footprint_bytes, alone.buffers[1].words()), (6.0 * 2048.0, 512));
    }

    #[test]
    fn only_the_window_persists() {
        let submission = |variant| workload(variant, &point()).submission;
        assert_eq!(submission(Variant::PersistingWindow), Submission::Persisting { buffer: 0, kept_pct: 60 });
        assert_eq!(submission(Variant::EvictHints), Submission::Stream);
        let entry = |variant| workload(variant, &point()).launches().next().unwrap().entry;
        assert_eq!(entry(Variant::PersistingWindow), entry(Variant::Plain));
        assert_ne!(entry(Variant::StreamingLoads), entry(Variant::EvictHints));
    }
}
