//! What tells the rungs apart: their kernels, and what a block takes and does.

use crate::parameter::ParameterSet;
use gpu_simulator::hardware::Banks;

/// The shapes of a tile of `single_pass`: threads and elements of a thread.
pub(super) const TILES: &[&str] = &["256x16", "256x24", "256x32", "256x40", "256x48", "512x32", "1024x32"];
/// The fastest of them on an H200 as a whole, from 2^24 to 2^30 elements.
pub(super) const DEFAULT_TILE: &str = "256x48";
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
}

/// A variant's kernel at one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rung {
    /// The kernel that scans tiles.
    pub(super) entry: &'static str,
    /// Threads of a block.
    pub(super) threads: u32,
    /// Elements of a thread, in a tile.
    pub(super) elements_per_thread: u32,
    /// Dynamic shared memory of a block.
    pub(super) shared_words: u32,
    /// How the block finds the sums.
    pub(super) method: Method,
    /// Whether the tree is in global memory.
    pub(super) is_in_global_memory: bool,
}

impl Rung {
    /// The rung of this name; `None` for what the host does.
    pub(super) fn of(variant: &str, parameters: &ParameterSet, banks: Banks) -> Option<Self> {
        let block = parameters.integer("block") as u32;
        let tree = |entry, elements_per_thread, method| Self {
            entry,
            threads: block,
            elements_per_thread,
            shared_words: block * elements_per_thread,
            method,
            is_in_global_memory: false,
        };
        let unpadded = Method::LeadingTree { padding: None };
        let rung = match variant {
            "naive" => Self {
                shared_words: 0,
                is_in_global_memory: true,
                ..tree("prefix_sum_naive", 1, Method::ScatteredTree)
            },
            "shared_memory" => tree("prefix_sum_shared_memory", 1, Method::ScatteredTree),
            "static_thread_reordering" => tree("prefix_sum_static_thread_reordering", 1, unpadded),
            "two_elements_per_thread" => tree("prefix_sum_two_elements_per_thread", 2, unpadded),
            "shifts" => tree("prefix_sum_shifts", 2, unpadded),
            "no_bank_conflicts" => {
                let (entry, padding) = match banks {
                    Banks::HalfWarp16 => ("prefix_sum_no_bank_conflicts_16", 16),
                    Banks::Warp32 | Banks::Warp32Wide | Banks::Phases32 => ("prefix_sum_no_bank_conflicts_32", 32),
                };
                let unpadded = tree(entry, 2, Method::LeadingTree { padding: Some(padding) });
                Self { shared_words: unpadded.shared_words + unpadded.tile() as u32 / padding, ..unpadded }
            }
            "warp_shuffle" => Self { shared_words: 0, ..tree("prefix_sum_warp_shuffle", 2, Method::Shuffles) },
            "register_blocked" => {
                Self { shared_words: 0, ..tree("prefix_sum_register_blocked", REGISTER_BLOCKED, Method::Shuffles) }
            }
            "single_pass" => {
                let (entry, threads, elements_per_thread) = single_pass(parameters.text("tile"));
                Self { entry, threads, elements_per_thread, shared_words: 0, ..tree("", 1, Method::LookBack) }
            }
            _ => return None,
        };
        Some(rung)
    }

    /// Elements that a block scans.
    pub(super) fn tile(&self) -> u64 {
        u64::from(self.threads) * u64::from(self.elements_per_thread)
    }
}

/// The kernel, threads and elements of a thread of a shape.
fn single_pass(tile: &str) -> (&'static str, u32, u32) {
    match tile {
        "256x16" => ("prefix_sum_single_pass_256x16", 256, 16),
        "256x24" => ("prefix_sum_single_pass_256x24", 256, 24),
        "256x32" => ("prefix_sum_single_pass_256x32", 256, 32),
        "256x40" => ("prefix_sum_single_pass_256x40", 256, 40),
        "512x32" => ("prefix_sum_single_pass_512x32", 512, 32),
        "1024x32" => ("prefix_sum_single_pass_1024x32", 1024, 32),
        _ => ("prefix_sum_single_pass_256x48", 256, 48),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::parameters;
    use super::super::{FAMILY, PTX};
    use super::*;

    #[test]
    fn every_rung_has_a_kernel_and_the_host_none() {
        for variant in FAMILY.variants {
            for banks in [Banks::HalfWarp16, Banks::Warp32, Banks::Phases32] {
                let rung = Rung::of(variant.name, &parameters(), banks);
                assert_eq!(rung.is_none(), variant.is_host, "{}", variant.name);
                if let Some(rung) = rung {
                    assert!(PTX.contains(&format!(".entry {}(", rung.entry)), "{}", rung.entry);
                }
            }
        }
    }

    #[test]
    fn the_shape_says_what_the_kernel_has() {
        for shape in TILES {
            let (entry, threads, elements) = single_pass(shape);
            assert_eq!(*shape, format!("{threads}x{elements}"));
            assert!(entry.ends_with(&format!("_{shape}")) && PTX.contains(&format!(".entry {entry}(")), "{shape}");
        }
    }

    #[test]
    fn padding_follows_the_banks() {
        let words = |banks| Rung::of("no_bank_conflicts", &parameters(), banks).unwrap().shared_words;
        // Table 7.5: a tile of 512, and a place more after every 16; the source counts one fewer, as the last stays unused.
        assert_eq!((words(Banks::HalfWarp16), words(Banks::Phases32)), (512 + 32, 512 + 16));
    }
}
