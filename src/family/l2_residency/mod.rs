//! A hot set that is read again and again, between passes over a stream that pushes it out of the L2 cache.
//!
//! L2 holds what was used last. A stream that goes through it takes the place of the hot set, although nothing of the stream is read a second
//! time before all of L2 has been replaced. The remedies tell L2 which of the two to keep: by a window of memory whose lines may persist, by
//! a policy of each load, or by loads that say that they will not come back.

use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
mod workload;

/// The kernels of `cuda/l2_residency.cu`.
pub static PTX: Ptx = kernel::embedded("l2_residency");

/// Bytes that a warp reads at a time: 4 loads of 16 bytes of each of its 32 threads.
const CHUNK_BYTES: u64 = 2048;

declare_family! {
    /// The family of hot sets beside streams.
    pub static FAMILY = {
        name: "l2_residency",
        summary: "a stream pushes a hot set out of the L2 cache, which is read again and again",
        ptx: PTX,
        size: passes ^ 1,
    };

    struct Parameters {
        hot_bytes: u64 = 1 << 24, in 2048..=1 << 32,
            "bytes of the hot set, which the blocks share out; rounded down to 2048 bytes for each block at a time";
        stream_bytes: u64 = 1 << 26, in 0..=1 << 34,
            "bytes of the stream that each pass reads behind the hot set, shared out and rounded down likewise; every pass reads the same stream";
        passes: u32 = 8, in 1..=1 << 20,
            "how often the hot set and the stream are read, one after the other";
        kept_pct: u32 = 100, in 1..=100,
            "part of the hot set's lines that may persist, in percent (the hit ratio of the access policy window)";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block";
        launched_blocks: u64 => sm_count, in 1..=1 << 16,
            "blocks of the launch; by default one for each multiprocessor";
    }

    enum Variant {
        Plain = "plain": "loads past L1 (ld.global.cg); this variant has the pattern", since (2, 0), ignores [kept_pct];
        PersistingWindow = "persisting_window":
            "an access policy window over the hot set, whose lines persist in a part of L2 that is set aside", since (8, 0);
        EvictHints = "evict_hints":
            "a policy of each load: lines of the stream go first, those of the hot set last (createpolicy, L2::cache_hint)", since (8, 0),
            ignores [kept_pct];
        StreamingLoads = "streaming_loads": "the stream is loaded as what is used once (ld.global.cs), which goes through L1", since (2, 0), ignores [kept_pct];
        EvictFirstStream = "evict_first_stream":
            "the stream alone is loaded past L1 with the policy that its lines go first", since (8, 0), ignores [kept_pct];
    }

    struct Predictors {
        footprint_bytes: "bytes that a pass reads, of the hot set and of the stream", of [hot_bytes, stream_bytes, launched_blocks];
    }
}

/// A block for each multiprocessor.
fn sm_count(properties: &Properties) -> u64 {
    u64::from(properties.sm_count).clamp(1, 1 << 16)
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let Self { hot_bytes, stream_bytes, launched_blocks, .. } = *self;
        let least = CHUNK_BYTES * launched_blocks;
        if hot_bytes < least {
            return Err(Conflict {
                parameters: &[Self::NAMES.hot_bytes, Self::NAMES.launched_blocks],
                problem: format!("{hot_bytes} bytes have no {CHUNK_BYTES} bytes for each of {launched_blocks} blocks"),
                help: format!("give at least {least} for hot_bytes, or fewer blocks"),
            });
        }
        if stream_bytes > 0 && stream_bytes < least {
            return Err(Conflict {
                parameters: &[Self::NAMES.stream_bytes, Self::NAMES.launched_blocks],
                problem: format!(
                    "{stream_bytes} bytes have no {CHUNK_BYTES} bytes for each of {launched_blocks} blocks"
                ),
                help: format!("give 0 or at least {least} for stream_bytes, or fewer blocks"),
            });
        }
        Ok(())
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, _: Variant, _: &Properties) -> Predictors {
        workload::predictors(self)
    }

    fn workload(&self, variant: Variant, _: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, seed)
    }

    /// One chunk and several, fewer than warps and more, with a stream and without, one pass and several.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest_block = device.threads_per_block.min(1024);
        [
            (2048, 0, 1, 32, 1),
            (2048, 2048, 2, 64, 1),
            (100_000, 20_480, 3, 96, 2),
            (300_001, 700_000, 2, largest_block, 5),
            (40_960, 1 << 20, 4, 256, 3),
        ]
        .into_iter()
        .map(|(hot_bytes, stream_bytes, passes, block, launched_blocks)| Self {
            hot_bytes,
            stream_bytes,
            passes,
            kept_pct: 60,
            block,
            launched_blocks,
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::defaults;

    #[test]
    fn sets_without_a_chunk_for_each_block_are_refused() {
        let point = Parameters { hot_bytes: 8192, stream_bytes: 8192, launched_blocks: 4, ..defaults() };
        assert_eq!(point.check(), Ok(()));
        assert_eq!(Parameters { stream_bytes: 0, ..point }.check(), Ok(()));
        let refused = |point: Parameters| point.check().unwrap_err();
        let hot = refused(Parameters { hot_bytes: 8191, ..point });
        assert_eq!(hot.parameters, ["hot_bytes", "launched_blocks"]);
        assert!(
            hot.problem.contains("2048 bytes for each of 4 blocks") && hot.help.contains("at least 8192"),
            "{hot:?}"
        );
        assert_eq!(refused(Parameters { stream_bytes: 4096, ..point }).parameters, ["stream_bytes", "launched_blocks"]);
    }
}
