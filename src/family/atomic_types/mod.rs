//! Atomics by type: threads add to words that they share, as whole numbers, floats, halves, or vectors of these.
//!
//! Sums of floats and halves do not depend on the order of the additions here: no sum is one that the type cannot hold exactly.

use crate::family::shares::check_groups;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::parameter::Named;
use crate::properties::Properties;
use crate::workload::Workload;

mod value;
mod workload;

/// Blocks of the largest cluster.
const CLUSTER_BLOCKS_MAX: u32 = 16;

/// The kernels of `cuda/atomic_types.cu`.
pub static PTX: Ptx = kernel::embedded("atomic_types");

declare_family! {
    /// The family of atomics by type.
    pub static FAMILY = {
        name: "atomic_types",
        summary: "threads add to words that they share, and the variants differ in the type of these",
        ptx: PTX,
        size: additions ^ 1,
    };

    struct Parameters {
        memory: Memory = Memory::Global, one of { Global = "global", Shared = "shared" },
            "where the words are: in global memory, where blocks share them, or in shared memory, where each block has its own";
        sharers: Sharers = Sharers::All, one of { All = "all", Warp = "warp", Thread = "thread" },
            "threads that add to the same word: all, those of a warp, or none beside the thread itself";
        answer: Answer = Answer::Unused, one of { Unused = "unused", Used = "used" },
            "what becomes of the value that was there: nothing (red), or the next addition waits for it (atom)";
        scope: Scope = Scope::Device, one of { Block = "block", Cluster = "cluster", Device = "device", System = "system" },
            "who sees an addition to global memory as one: the block (cta), the cluster of blocks (compute capability 9.0), the device (gpu), or the host and other devices, too (sys)";
        aggregation: Aggregation = Aggregation::None, one of {
            None = "none", Warp = "warp", Block = "block", ClusterAtomics = "cluster_atomics", ClusterSlots = "cluster_slots"
        }, "which threads sum up what they add before one of them adds it: none, those of a warp, by shuffles, those of a block, in shared memory, or those of a cluster, in the shared memory of its first block, where each block adds its sum to one word (cluster_atomics) or stores it in a slot of its own (cluster_slots)";
        cluster_blocks: u32 = 1, in 1..=CLUSTER_BLOCKS_MAX as i64,
            "blocks of a cluster, whose threads sum up together where aggregation is cluster_atomics or cluster_slots, or share words where scope is cluster; one block sums up as by block, and more than 8 are not portable";
        additions: u32 = 1024, in 8..=1 << 16, step 8,
            "additions of each thread, one after another; one more at the end leaves a sum to check";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block";
        launched_blocks: u32 = 1, in 1..=1 << 16,
            "blocks of the launch, a multiple of cluster_blocks";
    }

    enum Variant {
        U32 = "u32": "whole numbers of 32 bits; what the others are compared with", since (1, 1);
        U64 = "u64": "whole numbers of 64 bits", since (1, 2);
        F32 = "f32": "floats", since (2, 0);
        F64 = "f64": "doubles", since (6, 0);
        F16x2 = "f16x2": "two halves side by side", since (6, 0);
        Bf16x2 = "bf16x2": "two bfloat16 side by side", since (9, 0);
        F32x2 = "f32x2": "vectors of two floats; in shared memory one addition for each", since (9, 0);
        F32x4 = "f32x4": "vectors of four floats; in shared memory one addition for each", since (9, 0);
        F16x8 = "f16x8": "vectors of eight halves; in shared memory one addition for every two", since (9, 0);
    }

    struct Predictors {
        threads_per_word: "threads that add to a word", of [memory, sharers, block, launched_blocks];
    }
}

impl Parameters {
    /// Threads that add to a word.
    fn threads_per_word(&self) -> u32 {
        match (self.sharers, self.memory) {
            (Sharers::All, Memory::Global) => self.block * self.launched_blocks,
            (Sharers::All, Memory::Shared) => self.block,
            (Sharers::Warp, _) => gpu_simulator::hardware::lanes::LANES as u32,
            (Sharers::Thread, _) => 1,
        }
    }

    fn check_clusters(&self) -> Result<(), Conflict> {
        let parameters = const { &[Self::NAMES.aggregation, Self::NAMES.cluster_blocks] };
        let (aggregation, size) = (self.aggregation.name(), self.cluster_blocks);
        let names = &Self::NAMES;
        let sums_up = self.aggregation.is_of_clusters();
        if !sums_up && self.scope != Scope::Cluster {
            if size == 1 {
                return Ok(());
            }
            return Err(Conflict {
                parameters,
                problem: format!("no clusters of {size} blocks sum up with {} = \"{aggregation}\"", names.aggregation),
                help: format!(
                    "{} = 1, or {} = \"{}\"",
                    names.cluster_blocks,
                    names.aggregation,
                    Aggregation::ClusterSlots.name()
                ),
            });
        }
        if sums_up && self.memory == Memory::Shared {
            return Err(Conflict {
                parameters: const { &[Self::NAMES.aggregation, Self::NAMES.memory] },
                problem: format!(
                    "\"{aggregation}\" adds to what blocks share, and each has words of its own in shared memory"
                ),
                help: format!("{} = \"{}\"", names.memory, Memory::Global.name()),
            });
        }
        let blocks = const { &[Self::NAMES.launched_blocks, Self::NAMES.cluster_blocks] };
        check_groups("clusters", self.launched_blocks, size, blocks)
    }

    /// That no two threads add to one word of which only one sees the other's additions.
    fn check_scope(&self) -> Result<(), Conflict> {
        let names = &Self::NAMES;
        let (launched_blocks, size) = (self.launched_blocks, self.cluster_blocks);
        let is_wider = match self.scope {
            Scope::Block => launched_blocks > 1,
            Scope::Cluster => launched_blocks > size,
            Scope::Device | Scope::System => false,
        };
        if self.sharers != Sharers::All || !is_wider {
            return Ok(());
        }
        if self.scope == Scope::Block {
            return Err(Conflict {
                parameters: const { &[Self::NAMES.scope, Self::NAMES.launched_blocks, Self::NAMES.sharers] },
                problem:
                    "several blocks add to one word, and additions of the scope of a block are one for this block alone"
                        .to_owned(),
                help: format!("{} = \"device\", or {} = 1", names.scope, names.launched_blocks),
            });
        }
        let who = if size == 1 {
            "several blocks add to one word, each a cluster by itself".to_owned()
        } else {
            format!("{} clusters add to one word", launched_blocks / size)
        };
        let (name, value) = if launched_blocks <= CLUSTER_BLOCKS_MAX {
            (names.cluster_blocks, launched_blocks)
        } else {
            (names.launched_blocks, size)
        };
        Err(Conflict {
            parameters: const {
                &[Self::NAMES.scope, Self::NAMES.launched_blocks, Self::NAMES.cluster_blocks, Self::NAMES.sharers]
            },
            problem: format!("{who}, and additions of the scope of a cluster are one for this cluster alone"),
            help: format!("{} = \"device\", or {name} = {value}", names.scope),
        })
    }
}

impl Aggregation {
    /// Whether clusters sum up.
    fn is_of_clusters(self) -> bool {
        matches!(self, Self::ClusterAtomics | Self::ClusterSlots)
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let conflict = |parameters, problem: &str, help: &str| {
            Err(Conflict { parameters, problem: problem.to_owned(), help: help.to_owned() })
        };
        let names = &Self::NAMES;
        if self.aggregation != Aggregation::None && self.sharers != Sharers::All {
            return conflict(
                const { &[Self::NAMES.sharers, Self::NAMES.aggregation] },
                "threads sum up what they add to one word, and theirs differ",
                &format!("{} = \"all\", or {} = \"none\"", names.sharers, names.aggregation),
            );
        }
        if self.aggregation != Aggregation::None && (self.answer, self.scope) != (Answer::Unused, Scope::Device) {
            return conflict(
                const { &[Self::NAMES.answer, Self::NAMES.scope, Self::NAMES.aggregation] },
                "there are no kernels that sum up first for another scope than the device, or to use what was there",
                &format!(
                    "{} = \"unused\" and {} = \"device\", or {} = \"none\"",
                    names.answer, names.scope, names.aggregation
                ),
            );
        }
        self.check_clusters()?;
        if self.memory == Memory::Shared && self.scope != Scope::Device {
            return conflict(
                const { &[Self::NAMES.scope, Self::NAMES.memory] },
                "only a block has its shared memory, so a scope changes nothing there",
                &format!("{} = \"device\", or {} = \"global\"", names.scope, names.memory),
            );
        }
        self.check_scope()
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, _: Variant, _: &Properties) -> Predictors {
        Predictors { threads_per_word: f64::from(self.threads_per_word()) }
    }

    fn workload(&self, variant: Variant, _: &Properties, _: u64) -> Workload<Predictors> {
        workload::build(self, variant)
    }

    /// Every kernel that the device has; more threads at a word than a half counts, words of few threads, one turn of the loop and several.
    fn verification(device: &Properties) -> Vec<Self> {
        let mut points = Vec::new();
        let capability = device.capability();
        let memories = if capability < (2, 0) { &Memory::ALL[..1] } else { Memory::ALL };
        let aggregations = if capability < (3, 0) { &Aggregation::ALL[..1] } else { Aggregation::ALL };
        let sizes = [(8, 32, 1), (40, 96, 2), (16, 256, 9)];
        let clusters = if capability < (9, 0) {
            &[][..]
        } else {
            &[(16, 64, 3, 1), (8, 32, 2, 2), (40, 96, 12, 4), (16, 256, 16, 8), (24, 64, 16, 16)]
        };
        for &memory in memories {
            for (additions, block, launched_blocks) in sizes {
                let mut add = |sharers, answer, scope, aggregation| {
                    let cluster_blocks = 1;
                    let own = Self {
                        memory,
                        sharers,
                        answer,
                        scope,
                        aggregation,
                        cluster_blocks,
                        additions,
                        block,
                        launched_blocks,
                    };
                    points.extend(own.check().is_ok().then_some(own));
                };
                for &aggregation in &aggregations[1..] {
                    add(Sharers::All, Answer::Unused, Scope::Device, aggregation);
                }
                for (&sharers, &answer) in
                    Sharers::ALL.iter().flat_map(|sharers| Answer::ALL.iter().map(move |answer| (sharers, answer)))
                {
                    let has = |scope: &Scope| match scope {
                        Scope::Device => true,
                        Scope::Block | Scope::System => capability >= (6, 0),
                        Scope::Cluster => capability >= (9, 0),
                    };
                    let scopes = Scope::ALL.iter().filter(|scope| has(scope));
                    scopes.for_each(|scope| add(sharers, answer, *scope, Aggregation::None));
                }
            }
        }
        for &(additions, block, launched_blocks, cluster_blocks) in clusters {
            let of_cluster = Self {
                memory: Memory::Global,
                sharers: Sharers::All,
                answer: Answer::Unused,
                scope: Scope::Device,
                aggregation: Aggregation::None,
                cluster_blocks,
                additions,
                block,
                launched_blocks,
            };
            for aggregation in [Aggregation::ClusterAtomics, Aggregation::ClusterSlots] {
                points.push(Self { aggregation, ..of_cluster.clone() });
            }
            // One cluster shares the word.
            for &answer in Answer::ALL {
                let launched_blocks = cluster_blocks;
                points.push(Self { scope: Scope::Cluster, answer, launched_blocks, ..of_cluster.clone() });
            }
            // And words that fewer share, of several clusters.
            points.push(Self { scope: Scope::Cluster, sharers: Sharers::Warp, ..of_cluster });
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::defaults;

    #[test]
    fn values_that_do_not_go_together_are_refused_with_what_would_do() {
        let default: Parameters = defaults();
        assert_eq!(default.check(), Ok(()));
        let refused = |own: Parameters| {
            let conflict = own.check().unwrap_err();
            format!("{}: {}; {}", conflict.parameters.join(", "), conflict.problem, conflict.help)
        };
        let (warp, slots) = (Aggregation::Warp, Aggregation::ClusterSlots);
        insta::assert_snapshot!(
            [
                refused(Parameters { aggregation: warp, sharers: Sharers::Warp, ..defaults() }),
                refused(Parameters { aggregation: warp, answer: Answer::Used, ..defaults() }),
                refused(Parameters { aggregation: warp, scope: Scope::System, ..defaults() }),
                refused(Parameters { memory: Memory::Shared, scope: Scope::Block, ..defaults() }),
                refused(Parameters { scope: Scope::Block, launched_blocks: 2, ..defaults() }),
                refused(Parameters { scope: Scope::Cluster, launched_blocks: 2, ..defaults() }),
                refused(Parameters { scope: Scope::Cluster, launched_blocks: 32, ..defaults() }),
                refused(Parameters { scope: Scope::Cluster, launched_blocks: 32, cluster_blocks: 8, ..defaults() }),
                refused(Parameters { scope: Scope::Cluster, launched_blocks: 6, cluster_blocks: 4, ..defaults() }),
                refused(Parameters { scope: Scope::Cluster, aggregation: warp, ..defaults() }),
                refused(Parameters { scope: Scope::Cluster, memory: Memory::Shared, ..defaults() }),
                refused(Parameters { scope: Scope::Block, cluster_blocks: 4, launched_blocks: 4, ..defaults() }),
                refused(Parameters { cluster_blocks: 4, ..defaults() }),
                refused(Parameters { aggregation: slots, cluster_blocks: 4, memory: Memory::Shared, ..defaults() }),
                refused(Parameters { aggregation: slots, cluster_blocks: 4, launched_blocks: 6, ..defaults() }),
            ]
            .join("\n")
        );
        for own in [
            Parameters { scope: Scope::Block, launched_blocks: 2, sharers: Sharers::Warp, ..defaults() },
            Parameters { scope: Scope::Cluster, ..defaults() },
            Parameters { scope: Scope::Cluster, launched_blocks: 2, sharers: Sharers::Thread, ..defaults() },
            Parameters { scope: Scope::Cluster, launched_blocks: 16, cluster_blocks: 16, ..defaults() },
            Parameters {
                scope: Scope::Cluster,
                launched_blocks: 8,
                cluster_blocks: 2,
                sharers: Sharers::Warp,
                ..default
            },
        ] {
            assert_eq!(own.check(), Ok(()));
        }
    }
}
