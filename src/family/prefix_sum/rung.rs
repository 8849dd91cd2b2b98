//! What tells the rungs apart: their kernels, and what a block takes and does.

use super::{Parameters, Tile, Variant};
use gpu_simulator::hardware::Banks;

/// Elements of a thread of `register_blocked`.
const REGISTER_BLOCKED: u32 = 8;

/// How a block finds the sums that precede its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// A tree whose steps concern the threads in whose places the sums are.
    ScatteredTree,
    /// A tree whose steps concern the first threads; a place is left empty after so many, or none is.
    LeadingTree {
        /// Places after which one is left empty.
        padding: Option<u32>,
    },
    /// Shuffles.
    Shuffles,
    /// Shuffles, and looking back at the tiles before.
    LookBack,
    /// Shuffles in resident blocks that take tiles in turn; each looks back at the tiles since its last one.
    InTurn {
        /// Whether all warps of a block work on one tile, and wait for each other.
        together: bool,
    },
}

/// A variant's kernel at one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rung {
    /// The kernel that scans tiles.
    pub(super) entry: &'static str,
    /// Threads of a block.
    pub(super) threads: u32,
    /// Threads that scan a tile; the others of a block have other things to do.
    pub(super) scanning_threads: u32,
    /// Elements of a thread that scans, in a tile.
    pub(super) elements_per_thread: u32,
    /// Dynamic shared memory of a block.
    pub(super) shared_words: u32,
    /// How the block finds the sums.
    pub(super) method: Method,
    /// Whether the tree is in global memory.
    pub(super) is_in_global_memory: bool,
}

/// How the host scans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnHost {
    Serial,
    MultiThreaded,
}

impl Rung {
    /// How a variant scans: by a kernel for a device whose banks follow this rule, or on the host.
    pub(super) fn of(variant: Variant, parameters: &Parameters, banks: Banks) -> Result<Self, OnHost> {
        let Parameters { block, tile, .. } = *parameters;
        let tree = |entry, elements_per_thread, method| Self {
            entry,
            threads: block,
            scanning_threads: block,
            elements_per_thread,
            shared_words: block * elements_per_thread,
            method,
            is_in_global_memory: false,
        };
        let without_shared_memory = |rung: Self| Self { shared_words: 0, ..rung };
        let unpadded = Method::LeadingTree { padding: None };
        let rung = match variant {
            Variant::Naive => Self {
                is_in_global_memory: true,
                ..without_shared_memory(tree("prefix_sum_naive", 1, Method::ScatteredTree))
            },
            Variant::SharedMemory => tree("prefix_sum_shared_memory", 1, Method::ScatteredTree),
            Variant::StaticThreadReordering => tree("prefix_sum_static_thread_reordering", 1, unpadded),
            Variant::TwoElementsPerThread => tree("prefix_sum_two_elements_per_thread", 2, unpadded),
            Variant::Shifts => tree("prefix_sum_shifts", 2, unpadded),
            Variant::NoBankConflicts => {
                let (entry, padding) = match banks {
                    Banks::HalfWarp16 => ("prefix_sum_no_bank_conflicts_16", 16),
                    Banks::Warp32 | Banks::Warp32Wide | Banks::Phases32 => ("prefix_sum_no_bank_conflicts_32", 32),
                };
                let unpadded = tree(entry, 2, Method::LeadingTree { padding: Some(padding) });
                Self { shared_words: unpadded.shared_words + unpadded.tile() as u32 / padding, ..unpadded }
            }
            Variant::WarpShuffle => without_shared_memory(tree("prefix_sum_warp_shuffle", 2, Method::Shuffles)),
            Variant::RegisterBlocked => {
                without_shared_memory(tree("prefix_sum_register_blocked", REGISTER_BLOCKED, Method::Shuffles))
            }
            Variant::SinglePass => {
                let (entry, threads, elements_per_thread) = single_pass(tile);
                Self {
                    threads,
                    scanning_threads: threads,
                    ..without_shared_memory(tree(entry, elements_per_thread, Method::LookBack))
                }
            }
            Variant::ResidentBlocks => {
                in_turn("prefix_sum_resident_blocks", Scanning { threads: 256, elements: 48 }, 0, 0)
            }
            Variant::BulkCopies => in_turn("prefix_sum_bulk_copies", Scanning { threads: 512, elements: 16 }, 0, 3),
            Variant::SpecialisedWarps => {
                in_turn("prefix_sum_specialised_warps", Scanning { threads: 384, elements: 16 }, 160, 9)
            }
            Variant::Serial => return Err(OnHost::Serial),
            Variant::MultiThreaded => return Err(OnHost::MultiThreaded),
        };
        Ok(rung)
    }

    /// Elements that a block scans.
    pub(super) fn tile(&self) -> u64 {
        u64::from(self.scanning_threads) * u64::from(self.elements_per_thread)
    }
}

/// Threads of a block that scan, and elements of each.
#[derive(Debug, Clone, Copy)]
struct Scanning {
    threads: u32,
    elements: u32,
}

/// Resident blocks with a ring of so many tiles in shared memory, and so many threads beside those that scan.
fn in_turn(entry: &'static str, scanning: Scanning, other_threads: u32, stages: u32) -> Rung {
    Rung {
        entry,
        threads: scanning.threads + other_threads,
        scanning_threads: scanning.threads,
        elements_per_thread: scanning.elements,
        shared_words: stages * scanning.threads * scanning.elements,
        method: Method::InTurn { together: other_threads == 0 },
        is_in_global_memory: false,
    }
}

/// The kernel, threads and elements of a thread of a shape.
fn single_pass(tile: Tile) -> (&'static str, u32, u32) {
    match tile {
        Tile::Threads256Elements16 => ("prefix_sum_single_pass_256x16", 256, 16),
        Tile::Threads256Elements24 => ("prefix_sum_single_pass_256x24", 256, 24),
        Tile::Threads256Elements32 => ("prefix_sum_single_pass_256x32", 256, 32),
        Tile::Threads256Elements40 => ("prefix_sum_single_pass_256x40", 256, 40),
        Tile::Threads256Elements48 => ("prefix_sum_single_pass_256x48", 256, 48),
        Tile::Threads512Elements32 => ("prefix_sum_single_pass_512x32", 512, 32),
        Tile::Threads1024Elements32 => ("prefix_sum_single_pass_1024x32", 1024, 32),
    }
}

#[cfg(test)]
mod tests {
    use super::super::PTX;
    use super::super::tests::small;
    use super::*;
    use crate::parameter::Named;

    #[test]
    fn every_rung_has_a_kernel_for_every_rule_of_banks() {
        for variant in Variant::ALL {
            for banks in [Banks::HalfWarp16, Banks::Warp32, Banks::Phases32] {
                if let Ok(rung) = Rung::of(*variant, &small(), banks) {
                    assert!(PTX.text_of(rung.entry, (9, 0)).is_some(), "{}", rung.entry);
                }
            }
        }
    }

    #[test]
    fn the_shape_says_what_the_kernel_has() {
        for tile in Tile::ALL {
            let (entry, threads, elements) = single_pass(*tile);
            let shape = tile.name();
            assert_eq!(shape, format!("{threads}x{elements}"));
            assert!(entry.ends_with(&format!("_{shape}")) && PTX.text_of(entry, (9, 0)).is_some(), "{shape}");
        }
    }

    #[test]
    fn padding_follows_the_banks() {
        let words = |banks| Rung::of(Variant::NoBankConflicts, &small(), banks).unwrap().shared_words;
        // Table 7.5: a tile of 512, and a place more after every 16; the source counts one fewer, as the last stays unused.
        assert_eq!((words(Banks::HalfWarp16), words(Banks::Phases32)), (512 + 32, 512 + 16));
    }
}
