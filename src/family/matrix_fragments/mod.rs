//! Fragments of matrices for tensor cores, which warps load from a tile in shared memory over and over.
//!
//! A fragment has 16 by 16 halves, in four registers of each lane. Its matrices of 8 rows of 16 bytes come without bank conflicts where
//! the rows lie in different banks. One after another, rows of 128 bytes all begin in the same bank. Padding moves them apart, and
//! swizzling exchanges their pieces of 16 bytes.
//!
//! `plain` and `ldmatrix` load the same words and ask the banks for the same passes. They differ in the number of instructions.

use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::parameter::Named;
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
mod tile;
mod workload;

/// Fragments that a turn of the kernels' loop loads: all of the longest rows.
const UNROLLED: u32 = 8;
/// Bytes of a fragment's row: 16 halves.
const FRAGMENT_ROW_BYTES: u32 = 32;
/// The longest row of a tile, in bytes.
const ROW_BYTES_MAX: u32 = UNROLLED * FRAGMENT_ROW_BYTES;

/// The kernels of `cuda/matrix_fragments.cu`.
pub static PTX: Ptx = kernel::embedded("matrix_fragments");

declare_family! {
    /// The family of fragments of matrices.
    pub static FAMILY = {
        name: "matrix_fragments",
        summary: "fragments for tensor cores are loaded from a tile in shared memory whose rows begin in the same banks",
        ptx: PTX,
        size: fragments ^ 1,
    };

    struct Parameters {
        layout: Layout = Layout::RowMajor, one of {
            RowMajor = "row_major",
            Padded = "padded",
            Swizzled = "swizzled",
        }, "where the tile's rows lie: one after another, which is the pattern; 16 bytes further apart; or with their pieces of 16 bytes exchanged by exclusive or with the row number";
        row_bytes: u32 = 128, in 32..=ROW_BYTES_MAX as i64, step 32,
            "bytes of each of the tile's 16 rows: 32, 64, 128 or 256";
        fragments: u32 = 4096, in 8..=1 << 20, step 8,
            "fragments that each warp loads, from the tile's first to its last and over again";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block";
        launched_blocks: u64 => sm_count, in 1..=1 << 16,
            "blocks of the launch; by default one for each multiprocessor";
    }

    enum Variant {
        Plain = "plain": "four loads of 32 bits, one for each register of a fragment (ld.shared)";
        Ldmatrix = "ldmatrix": "one instruction for all four registers (ldmatrix.x4)", since (7, 5);
    }

    struct Predictors {
        conflict_degree:
            "passes over the banks for the fragments of a warp, over the fewest possible",
            of [layout, row_bytes];
    }
}

/// A block for each multiprocessor.
fn sm_count(properties: &Properties) -> u64 {
    u64::from(properties.sm_count).clamp(1, 1 << 16)
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        if self.row_bytes.is_power_of_two() {
            return Ok(());
        }
        Err(Conflict {
            parameters: &[Self::NAMES.row_bytes],
            problem: format!("there is no kernel for rows of {} bytes", self.row_bytes),
            help: "use one of 32, 64, 128, 256".to_owned(),
        })
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

    /// Every layout with every length of rows, of one turn of the kernels' loop and of several, in blocks of one warp and of several.
    fn verification(_: &Properties) -> Vec<Self> {
        let mut points = Vec::new();
        for &layout in Layout::ALL {
            for row_bytes in [32, 64, 128, 256] {
                for (fragments, block, launched_blocks) in [(8, 32, 1), (40, 96, 2), (48, 256, 3)] {
                    points.push(Self { layout, row_bytes, fragments, block, launched_blocks });
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
    fn rows_that_are_no_power_of_two_are_refused() {
        for row_bytes in [32, 64, 128, 256] {
            assert_eq!(Parameters { row_bytes, ..defaults() }.check(), Ok(()));
        }
        let refused = Parameters { row_bytes: 96, ..defaults() }.check().unwrap_err();
        assert_eq!(refused.parameters, ["row_bytes"]);
        assert!(refused.problem.contains("96 bytes") && refused.help.contains("128"), "{refused:?}");
    }
}
