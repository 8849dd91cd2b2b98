//! Bandwidth of shared memory, of the caches and of device memory: warps read a set over and over, with a given number of bytes in flight.
//!
//! What a multiprocessor reads in a time is what it has in flight divided by the latency (Little's law), until something else is the limit: the
//! bandwidth of shared memory or L1, its share of that of L2 or of device memory. Words, loads at once and warps are three ways to have more in flight.

use crate::family::shares::Pieces;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
mod workload;

/// The kernels of `cuda/memory_bandwidth.cu`.
pub static PTX: Ptx = kernel::embedded("memory_bandwidth");

declare_family! {
    /// The family of reading with so many bytes in flight.
    pub static FAMILY = {
        name: "memory_bandwidth",
        summary: "warps read a set over and over, with so many bytes in flight",
        ptx: PTX,
        size: read_bytes ^ 1,
    };

    struct Parameters {
        set_bytes: u64 => thirty_two_kib_each, in 128..=1 << 34,
            "bytes of the set, which the blocks share out: each reads a part of its own over and over; by default 32 KiB for each multiprocessor";
        read_bytes: u64 = 1 << 24, in 1..=1 << 40,
            "bytes that all blocks read together, rounded down to whole batches of warps";
        word_bytes: u32 = 4, in 4..=16, step 4,
            "bytes that a thread loads at a time: 4, 8 or 16";
        loads_in_flight: u32 = 1, in 1..=8,
            "loads of a thread that are under way at once: 1, 2, 4 or 8";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block";
        launched_blocks: u64 => sm_count, in 1..=1 << 16,
            "blocks of the launch; by default one for each multiprocessor";
        data: Data = Data::Random, one of { Random = "random", Zeros = "zeros", Ones = "ones" },
            "what the set holds: random words (the same for the same seed), or words whose bits are all zeros or all ones, which may take less energy";
    }

    enum Variant {
        Global = "global": "loads from global memory; this variant has the pattern";
        GlobalPastL1 = "global_past_l1": "the same past the L1 cache (ld.global.cg)", since (2, 0);
        Shared = "shared": "loads from shared memory, which each block copies its part to before; its set is of one size", since (2, 0), ignores [set_bytes];
    }

    struct Predictors {
        bytes_in_flight:
            "bytes that the loads of a multiprocessor ask for at once: word_bytes * loads_in_flight * resident threads",
            of [word_bytes, loads_in_flight, block, launched_blocks] and registers;
        slice_bytes: "bytes of the part that a block reads over and over", of [set_bytes, word_bytes, loads_in_flight, launched_blocks];
    }
}

/// A block for each multiprocessor.
fn sm_count(properties: &Properties) -> u64 {
    u64::from(properties.sm_count).clamp(1, 1 << 16)
}

/// 32 KiB for each multiprocessor, which L1 holds where there is one, and shared memory.
fn thirty_two_kib_each(properties: &Properties) -> u64 {
    sm_count(properties) << 15
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let Self { word_bytes, loads_in_flight, set_bytes, read_bytes, launched_blocks, .. } = *self;
        if !word_bytes.is_power_of_two() {
            return Err(Conflict {
                parameters: &[Self::NAMES.word_bytes],
                problem: format!("there are no words of {word_bytes} bytes"),
                help: "use 4, 8 or 16".to_owned(),
            });
        }
        if !loads_in_flight.is_power_of_two() {
            return Err(Conflict {
                parameters: &[Self::NAMES.loads_in_flight],
                problem: format!("there is no kernel with {loads_in_flight} loads at once"),
                help: "use 1, 2, 4 or 8".to_owned(),
            });
        }
        let batches = Pieces { names: ["batch", "batches"], bytes: self.chunk_bytes(), launched_blocks };
        let set = const {
            &[Self::NAMES.set_bytes, Self::NAMES.word_bytes, Self::NAMES.loads_in_flight, Self::NAMES.launched_blocks]
        };
        let read = const {
            &[Self::NAMES.read_bytes, Self::NAMES.word_bytes, Self::NAMES.loads_in_flight, Self::NAMES.launched_blocks]
        };
        let counted = const { &[Self::NAMES.read_bytes, Self::NAMES.launched_blocks] };
        batches.check((set_bytes, set), (read_bytes, read), counted)
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, device: &Properties) -> Predictors {
        workload::predictors(self, variant, device)
    }

    fn workload(&self, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, device, seed)
    }

    /// Every word and number of loads; fewer batches than warps, as many chunks as warps, more of them and fewer, sets that are read once, in part and often.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest_block = device.threads_per_block.min(1024);
        let mut points = Vec::new();
        for word_bytes in [4, 8, 16] {
            for loads_in_flight in [1, 2, 4, 8] {
                for (set_bytes, read_bytes, block, launched_blocks) in [
                    (4096, 4097, 32, 1),
                    (12_300, 99_999, 96, 3),
                    (40_000, 30_000, 64, 2),
                    (70_000, 300_001, largest_block, 2),
                ] {
                    let data = Data::Random;
                    points.push(Self {
                        set_bytes,
                        read_bytes,
                        word_bytes,
                        loads_in_flight,
                        block,
                        launched_blocks,
                        data,
                    });
                }
            }
        }
        let last = points.last().cloned();
        points.extend(
            last.into_iter().flat_map(|last| [Data::Zeros, Data::Ones].map(|data| Self { data, ..last.clone() })),
        );
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::defaults;

    #[test]
    fn points_without_a_kernel_or_a_batch_are_refused() {
        let point = Parameters { launched_blocks: 4, ..defaults() };
        assert_eq!(point.check(), Ok(()));
        let refused = |point: Parameters| point.check().unwrap_err();
        assert_eq!(refused(Parameters { word_bytes: 12, ..point }).parameters, ["word_bytes"]);
        assert_eq!(refused(Parameters { loads_in_flight: 3, ..point }).parameters, ["loads_in_flight"]);
        let small = refused(Parameters { set_bytes: 500, ..point });
        assert!(small.problem.contains("no batch of 128 bytes for each of 4 blocks"), "{small:?}");
        assert!(small.help.contains("at least 512 for set_bytes"), "{small:?}");
        assert!(refused(Parameters { read_bytes: 500, ..point }).problem.starts_with("read_bytes = 500"));
        let long = Parameters { read_bytes: 1 << 40, launched_blocks: 1, ..point };
        assert_eq!(refused(long).parameters, ["read_bytes", "launched_blocks"]);
    }
}
