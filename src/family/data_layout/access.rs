//! Which words the lanes of a warp access, and what comes of it by a device's rules.

use super::Variant;
use crate::family::traffic::{GlobalTraffic, SharedTraffic};
use gpu_simulator::hardware::lanes::LANES;
use gpu_simulator::hardware::{Banks, Rules};

const WORD_BYTES: u64 = 4;

/// A shift after which no structure is left: nothing is padded.
const NO_PADDING: u32 = 31;

/// The structures of a point, and how they lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// How they lie and are moved.
    pub(super) variant: Variant,
    /// Fields of a structure.
    pub(super) fields: u64,
    /// Fields that are read and written.
    pub(super) used: u64,
    /// Structures.
    pub(super) elements: u64,
}

impl Layout {
    /// What the launch reads from and writes to global memory.
    ///
    /// 32 structures begin at a multiple of 128 bytes in every layout, so all full warps do the same.
    pub(super) fn global_traffic(&self, rules: Rules) -> (GlobalTraffic, GlobalTraffic) {
        let (mut reads, mut writes) = (GlobalTraffic::default(), GlobalTraffic::default());
        let lanes = LANES as u64;
        for (warps, structures) in [(self.elements / lanes, lanes), (1, self.elements % lanes)] {
            if self.is_staged() {
                // Neighbouring words: as many requests as a structure has fields, whatever the block.
                for request in 0..self.fields {
                    let word = |lane: usize| {
                        Some(request * lanes + lane as u64).filter(|word| *word < structures * self.fields)
                    };
                    reads.add(rules, warps, WORD_BYTES as u32, |lane| word(lane).map(|word| WORD_BYTES * word));
                    let is_used = |word: &u64| word % self.fields < self.used;
                    writes.add(rules, warps, WORD_BYTES as u32, |lane| {
                        word(lane).filter(is_used).map(|word| WORD_BYTES * word)
                    });
                }
            } else {
                for field in 0..self.used {
                    let (pitch, first) = if self.variant == Variant::StructureOfArrays {
                        // Every array begins at a multiple of 128 bytes.
                        (1, 0)
                    } else {
                        (self.fields, field)
                    };
                    let address = |lane: usize| {
                        let element = Some(lane as u64).filter(|element| *element < structures);
                        element.map(|element| WORD_BYTES * (element * pitch + first))
                    };
                    reads.add(rules, warps, WORD_BYTES as u32, address);
                    writes.add(rules, warps, WORD_BYTES as u32, address);
                }
            }
        }
        (reads, writes)
    }

    /// Passes over the banks in which a warp reads a field of its structures in shared memory; 0 where it does not.
    pub(super) fn conflict_degree(&self, rules: Rules) -> f64 {
        let mut traffic = SharedTraffic::default();
        if self.is_staged() {
            let shift = self.pad_shift(rules.banks);
            traffic.add_load(rules, WORD_BYTES as u32, |lane| {
                WORD_BYTES as u32 * (lane * self.fields as u32 + (lane >> shift))
            });
        }
        traffic.conflict_degree()
    }

    /// Whether shared memory is used.
    pub(super) fn is_staged(&self) -> bool {
        match self.variant {
            Variant::ArrayOfStructures | Variant::StructureOfArrays => false,
            Variant::StagedThroughShared | Variant::StagedPadded => true,
        }
    }

    /// The power of two of structures after which shared memory has a free word. It is the number after which a field is in
    /// the same bank again, so that the next ones are in the neighbouring banks instead. As a multiple of the banks lies
    /// between two free words, words that are neighbours stay without conflicts too.
    pub(super) fn pad_shift(&self, banks: Banks) -> u32 {
        let bank_count_shift = if banks == Banks::HalfWarp16 { 4 } else { 5 };
        let factors_of_two = self.fields.trailing_zeros();
        if self.variant == Variant::StagedPadded { bank_count_shift - factors_of_two } else { NO_PADDING }
    }

    /// Shared memory of a block of so many threads, in bytes.
    pub(super) fn shared_bytes(&self, block: u32, banks: Banks) -> u32 {
        if self.is_staged() {
            WORD_BYTES as u32 * (block * self.fields as u32 + ((block - 1) >> self.pad_shift(banks)))
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(variant: Variant, fields: u64, used: u64) -> Layout {
        Layout { variant, fields, used, elements: 3200 }
    }

    /// By hand: a structure of n words of 4 bytes spreads a field over n times the 4 sectors of 32 lanes, of which there
    /// are 32 at most (capability 9.0); half-warps that read with gaps make 16 transactions (1.1), or as many segments of
    /// 128 bytes as 16 structures touch (1.3).
    #[test]
    fn an_array_of_structures_moves_more_the_larger_they_are() {
        for (capability, fields, expected) in [
            ((9, 0), 1, 4.0),
            ((9, 0), 3, 12.0),
            ((9, 0), 8, 32.0),
            ((1, 3), 1, 1.0),
            ((1, 3), 2, 1.0),
            ((1, 3), 8, 4.0),
            ((1, 1), 1, 1.0),
            ((1, 1), 2, 16.0),
        ] {
            let (reads, writes) =
                layout(Variant::ArrayOfStructures, fields, 1).global_traffic(Rules::of_capability(capability));
            let found = reads.transactions_per_request();
            assert!((found - expected).abs() < 1e-12, "{capability:?}, {fields} fields: {found}");
            assert_eq!(reads, writes);
        }
    }

    #[test]
    fn arrays_and_staged_structures_are_read_by_neighbouring_words() {
        for variant in [Variant::StructureOfArrays, Variant::StagedThroughShared, Variant::StagedPadded] {
            for fields in 1..=8 {
                let (reads, writes) = layout(variant, fields, fields).global_traffic(Rules::default());
                assert_eq!((reads.requests, reads.transactions), (100 * fields, 400 * fields), "{variant:?}");
                assert_eq!(reads, writes);
            }
        }
        // One field of eight: an array of its own, or in every sector of all.
        assert_eq!(layout(Variant::StructureOfArrays, 8, 1).global_traffic(Rules::default()).0.bytes_moved, 12_800);
        assert_eq!(layout(Variant::StagedThroughShared, 8, 1).global_traffic(Rules::default()).1.bytes_moved, 102_400);
    }

    #[test]
    fn even_structures_conflict_unless_they_are_padded() {
        for (fields, on_32_banks, on_16_banks) in
            [(1, 1.0, 1.0), (2, 2.0, 2.0), (3, 1.0, 1.0), (6, 2.0, 2.0), (8, 8.0, 8.0)]
        {
            for (capability, expected) in [((9, 0), on_32_banks), ((1, 3), on_16_banks)] {
                let rules = Rules::of_capability(capability);
                let degree = |variant| layout(variant, fields, fields).conflict_degree(rules);
                assert!(
                    (degree(Variant::StagedThroughShared) - expected).abs() < 1e-12,
                    "{capability:?}, {fields} fields"
                );
                assert!((degree(Variant::StagedPadded) - 1.0).abs() < 1e-12, "{capability:?}, {fields} fields");
                assert!(degree(Variant::ArrayOfStructures).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn shared_memory_holds_the_last_structure_of_a_block() {
        for fields in 1..=8 {
            for banks in [Banks::HalfWarp16, Banks::Phases32] {
                let own = layout(Variant::StagedPadded, fields, 1);
                let shift = own.pad_shift(banks);
                let last_word = 255 * fields as u32 + (255 >> shift) + fields as u32 - 1;
                assert_eq!(own.shared_bytes(256, banks), 4 * (last_word + 1), "{fields} fields");
            }
            assert_eq!(
                layout(Variant::StagedThroughShared, fields, 1).shared_bytes(256, Banks::Phases32),
                1024 * fields as u32
            );
        }
        assert_eq!(layout(Variant::StructureOfArrays, 8, 1).shared_bytes(256, Banks::Phases32), 0);
    }
}
