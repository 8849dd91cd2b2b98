//! Atomics by type and contention: threads that do nothing but add to few words of global or shared memory, over and over.
//!
//! Of one warp whose lanes each wait for what was there, an addition takes its latency. Of many warps, it takes what keeps the unit of atomics
//! busy: longer, the more lanes add to one word.

use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod workload;

/// The kernels of `cuda/atomic_rate.cu`.
pub static PTX: Ptx = kernel::embedded("atomic_rate");

declare_family! {
    /// The family of atomics that are added over and over.
    pub static FAMILY = {
        name: "atomic_rate",
        summary: "threads add to few words, over and over, and do nothing else",
        ptx: PTX,
        size: additions ^ 1,
    };

    struct Parameters {
        element: Element = Element::U32, one of { U32 = "u32", U64 = "u64", F32 = "f32", F64 = "f64", F16x2 = "f16x2" },
            "type of the words";
        addresses: u32 = 1, in 1..=1024,
            "words that the threads of a block add to: thread t to word t % addresses";
        answer: Answer = Answer::Unused, one of { Unused = "unused", Used = "used" },
            "what becomes of the value that was there: nothing, or the next addition waits for it";
        additions: u32 = 1024, in 16..=1 << 16, step 16,
            "additions of each thread, one after another";
        block: u32 = 32, in 32..=1024, step 32,
            "threads per block";
        launched_blocks: u32 = 1, in 1..=1 << 16,
            "blocks of the launch";
    }

    enum Variant {
        Global = "global": "words of global memory, the same for all blocks; this variant has the pattern";
        Shared = "shared": "words of shared memory, of each block its own", since (1, 2);
    }

    struct Predictors {
        lanes_per_address: "lanes of a warp that add to the same word", of [addresses];
        additions_of_warps: "additions of all warps", of [additions, block, launched_blocks];
    }
}

impl Element {
    /// The least compute capability that adds it in global memory, and in shared memory.
    pub fn since(self) -> [(u32, u32); 2] {
        match self {
            Self::U32 => [(1, 1), (1, 2)],
            Self::U64 => [(1, 2), (2, 0)],
            Self::F32 => [(2, 0), (2, 0)],
            Self::F64 | Self::F16x2 => [(6, 0), (6, 0)],
        }
    }

    /// Whether the device adds it in global memory, and in shared memory if it has atomics there at all.
    fn is_added_by(self, device: &Properties) -> bool {
        let [global, shared] = self.since();
        let has_shared = Self::U32.since()[1] <= device.capability();
        global <= device.capability() && (!has_shared || shared <= device.capability())
    }

    /// Bytes of a word.
    pub fn bytes(self) -> u32 {
        match self {
            Self::U32 | Self::F32 | Self::F16x2 => 4,
            Self::U64 | Self::F64 => 8,
        }
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        if self.addresses <= self.block {
            return Ok(());
        }
        Err(Conflict {
            parameters: &[Self::NAMES.addresses, Self::NAMES.block],
            problem: format!("{} threads do not reach {} words", self.block, self.addresses),
            help: "as many threads as words, or more".to_owned(),
        })
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, _: Variant, _: &Properties) -> Predictors {
        workload::predictors(self)
    }

    fn workload(&self, variant: Variant, _: &Properties, _: u64) -> Workload<Predictors> {
        workload::build(self, variant)
    }

    /// Every type that the device adds, one word and several, as many additions as the loop has written out and more.
    fn verification(device: &Properties) -> Vec<Self> {
        use crate::parameter::Named as _;
        let mut points = Vec::new();
        for &element in Element::ALL.iter().filter(|own| own.is_added_by(device)) {
            for answer in [Answer::Unused, Answer::Used] {
                for (addresses, additions, block, launched_blocks) in
                    [(1, 16, 32, 1), (3, 16, 64, 2), (32, 48, 96, 3), (64, 160, 64, 1)]
                {
                    points.push(Self { element, addresses, answer, additions, block, launched_blocks });
                }
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::defaults;

    #[test]
    fn words_that_no_thread_reaches_are_refused() {
        assert_eq!(Parameters { addresses: 32, ..defaults() }.check(), Ok(()));
        let refused = Parameters { addresses: 33, ..defaults() }.check().unwrap_err();
        assert_eq!(refused.parameters, ["addresses", "block"]);
        assert!(refused.problem.contains("32 threads do not reach 33 words"), "{refused:?}");
    }
}
