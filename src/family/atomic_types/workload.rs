//! Buffer, launch and expected output of additions by type.

use super::{Aggregation, Answer, Memory, PTX, Parameters, Predictors, Scope, Variant};
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

impl Parameters {
    fn threads(&self) -> u64 {
        u64::from(self.block) * u64::from(self.launched_blocks)
    }

    /// Words of all blocks.
    fn words(&self) -> u64 {
        self.threads() / u64::from(self.threads_per_word())
    }
}

/// Words of the longest type.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    u64::from(Variant::F32x4.bytes()) * parameters.words()
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant) -> Workload<Predictors> {
    let Parameters { memory, additions, cluster_blocks, block, launched_blocks, .. } = *parameters;
    let sharers = parameters.threads_per_word();
    // Every thread of so many adds something.
    let every = sharers.div_ceil(variant.counts_to());
    let words = parameters.words() as usize;
    let mut expected = variant.words_of(sharers.div_ceil(every)).repeat(words);
    let bytes = 4 * expected.len() as u64;
    // Room that only longer types need stays as it was.
    expected.resize(device_bytes(parameters) as usize / 4, 0);
    let shared_bytes = match memory {
        Memory::Global => 0,
        Memory::Shared => block / sharers * variant.bytes(),
    };
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: entry(parameters, variant),
            grid: [launched_blocks, 1, 1],
            block: [block, 1, 1],
            cooperative: false,
            cluster_blocks,
            shared_bytes,
            arguments: std::iter::once(Argument::Buffer(0))
                .chain([sharers, every, additions].map(Argument::Word))
                .chain([1, -1].map(|number| Argument::Long(variant.bits_of(number))))
                .collect(),
        })],
        submission: Submission::Stream,
        bytes,
        operations: parameters.threads() * u64::from(additions + 1),
        predictors: Predictors { threads_per_word: f64::from(sharers) },
        buffers: vec![Buffer {
            name: "words",
            contents: Contents::Words(vec![0; expected.len()].into()),
            expected: Some(expected.into()),
        }],
    }
}

/// The kernel of a variant.
fn entry(parameters: &Parameters, variant: Variant) -> &'static str {
    macro_rules! kernels {
        ($name:literal) => {
            [
                concat!("atomic_types_", $name, "_global"),
                concat!("atomic_types_", $name, "_global_used"),
                concat!("atomic_types_", $name, "_global_in_block"),
                concat!("atomic_types_", $name, "_global_in_block_used"),
                concat!("atomic_types_", $name, "_global_in_cluster"),
                concat!("atomic_types_", $name, "_global_in_cluster_used"),
                concat!("atomic_types_", $name, "_global_in_system"),
                concat!("atomic_types_", $name, "_global_in_system_used"),
                concat!("atomic_types_", $name, "_global_by_warp"),
                concat!("atomic_types_", $name, "_global_by_block"),
                concat!("atomic_types_", $name, "_shared"),
                concat!("atomic_types_", $name, "_shared_used"),
                concat!("atomic_types_", $name, "_shared_by_warp"),
                concat!("atomic_types_", $name, "_shared_by_block"),
                concat!("atomic_types_", $name, "_global_by_cluster_atomics"),
                concat!("atomic_types_", $name, "_global_by_cluster_slots"),
            ]
        };
    }
    let kernels = match variant {
        Variant::U32 => kernels!("u32"),
        Variant::U64 => kernels!("u64"),
        Variant::F32 => kernels!("f32"),
        Variant::F64 => kernels!("f64"),
        Variant::F16x2 => kernels!("f16x2"),
        Variant::Bf16x2 => kernels!("bf16x2"),
        Variant::F32x2 => kernels!("f32x2"),
        Variant::F32x4 => kernels!("f32x4"),
        Variant::F16x8 => kernels!("f16x8"),
    };
    let used = usize::from(parameters.answer == Answer::Used);
    kernels[match (parameters.memory, parameters.aggregation, parameters.scope) {
        (Memory::Global, Aggregation::None, Scope::Device) => used,
        (Memory::Global, Aggregation::None, Scope::Block) => 2 + used,
        (Memory::Global, Aggregation::None, Scope::Cluster) => 4 + used,
        (Memory::Global, Aggregation::None, Scope::System) => 6 + used,
        (Memory::Global, Aggregation::Warp, _) => 8,
        (Memory::Global, Aggregation::Block, _) => 9,
        (Memory::Shared, Aggregation::None, _) => 10 + used,
        (Memory::Shared, Aggregation::Warp, _) => 12,
        (Memory::Shared, Aggregation::Block, _) => 13,
        (_, Aggregation::ClusterAtomics | Aggregation::ClusterSlots, _) if parameters.cluster_blocks == 1 => 9,
        (_, Aggregation::ClusterAtomics, _) => 14,
        (_, Aggregation::ClusterSlots, _) => 15,
    }]
}

#[cfg(test)]
mod tests {
    use super::super::Sharers;
    use super::*;
    use crate::family::FamilyPoint as _;
    use crate::family::fixtures::{bytes_of_buffers, defaults, workload};
    use crate::parameter::Named;
    use crate::workload::Expected;

    #[test]
    fn every_kernel_that_is_named_is_there_and_says_what_it_is() {
        let mut names = std::collections::BTreeSet::new();
        for &variant in Variant::ALL {
            for &memory in Memory::ALL {
                for &scope in Scope::ALL {
                    for &aggregation in Aggregation::ALL {
                        for &answer in Answer::ALL {
                            let cluster_blocks = if aggregation.is_of_clusters() { 2 } else { 1 };
                            let own = Parameters {
                                memory,
                                answer,
                                scope,
                                aggregation,
                                cluster_blocks,
                                launched_blocks: cluster_blocks,
                                ..defaults()
                            };
                            if own.check().is_err() {
                                continue;
                            }
                            let entry = entry(&own, variant);
                            let mut name = format!("atomic_types_{}_{}", variant.name(), memory.name());
                            if scope != Scope::Device {
                                name += &format!("_in_{}", scope.name());
                            }
                            if aggregation != Aggregation::None {
                                name += &format!("_by_{}", aggregation.name());
                            }
                            if answer == Answer::Used {
                                name += "_used";
                            }
                            assert_eq!(entry, name);
                            assert!(PTX.text_of(entry, (9, 0)).is_some(), "{entry}");
                            names.insert(entry);
                        }
                    }
                }
            }
        }
        assert_eq!(names.len(), 9 * 16);
    }

    #[test]
    fn clusters_of_one_block_sum_up_as_by_block() {
        for aggregation in [Aggregation::ClusterAtomics, Aggregation::ClusterSlots] {
            let point = Parameters { aggregation, launched_blocks: 4, ..defaults() };
            let [alone, pairs] = [1, 2].map(|cluster_blocks| {
                workload(Variant::F32, &Parameters { cluster_blocks, ..point.clone() })
                    .launches()
                    .next()
                    .unwrap()
                    .clone()
            });
            assert_eq!((alone.entry, alone.cluster_blocks), ("atomic_types_f32_global_by_block", 1));
            assert_eq!((pairs.entry.contains(aggregation.name()), pairs.cluster_blocks), (true, 2));
            assert_eq!(alone.arguments, pairs.arguments);
        }
    }

    /// What the words hold at the end, without the room that only longer types need.
    fn words(variant: Variant, point: &Parameters) -> Vec<u32> {
        let workload = workload(variant, point);
        assert_eq!(bytes_of_buffers(&workload), device_bytes(point));
        let words = workload.buffers[0].expected.as_ref().and_then(Expected::words).unwrap().to_vec();
        let used = words.len() - words.iter().rev().take_while(|word| **word == 0).count();
        words[..used].to_vec()
    }

    #[test]
    fn a_word_is_a_one_of_each_thread_that_adds_something() {
        let point = Parameters { block: 64, launched_blocks: 3, ..defaults() };
        assert_eq!(words(Variant::U32, &point), [192]);
        assert_eq!(words(Variant::U64, &Parameters { memory: Memory::Shared, ..point.clone() }), [64, 0, 64, 0, 64]);
        assert_eq!(words(Variant::U32, &Parameters { sharers: Sharers::Warp, ..point.clone() }), [32; 6]);
        assert_eq!(words(Variant::U32, &Parameters { sharers: Sharers::Thread, ..point.clone() }), [1; 192]);
        assert_eq!(words(Variant::F32x2, &point), [192.0_f32.to_bits(); 2]);
    }

    #[test]
    fn of_more_threads_than_a_half_counts_every_so_many_add_something() {
        let point = Parameters { block: 256, launched_blocks: 9, ..defaults() };
        // 2304 threads: every ninth adds to a bf16, every second one to an f16.
        let bits = |own: f32| u32::from(half::bf16::from_f32(own).to_bits()) * 0x1_0001;
        assert_eq!(words(Variant::Bf16x2, &point), [bits(256.0)]);
        let bits = |own: f32| u32::from(half::f16::from_f32(own).to_bits()) * 0x1_0001;
        assert_eq!(words(Variant::F16x2, &point), [bits(1152.0)]);
        let launch = workload(Variant::F16x2, &point).launches().next().unwrap().clone();
        assert_eq!(launch.arguments[1..4], [2304, 2, 1024].map(Argument::Word));
    }
}
