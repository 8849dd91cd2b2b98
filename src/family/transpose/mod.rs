//! Transposing a matrix: reads and writes that cannot both be of neighbouring words, unless they go through shared memory
//! (Cornelis 2010, section 4.3.2).

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod access;
mod reference;
mod workload;

/// The kernels of `cuda/transpose.cu`.
pub static PTX: Ptx = kernel::embedded("transpose");

declare_family! {
    /// The family of transpositions.
    pub static FAMILY = {
        name: "transpose",
        summary: "the lanes of a warp write a matrix by columns, or read a tile in shared memory from a single bank",
        ptx: PTX,
        size: width ^ 2,
    };

    struct Parameters {
        width: u64 => width_beyond_l2, in 1..=16_384,
            "rows and columns of the square matrix, in elements of 4 bytes";
        tile: u64 = 32, in 16..=32, step 16,
            "rows and columns of the tile of a block: 16 or 32";
        rows_per_thread: u64 = 4, in 1..=8,
            "elements per thread, in a column of the tile: 1, 2, 4 or 8; a block has tile * tile / rows_per_thread threads";
    }

    enum Variant {
        Naive = "naive":
            "reads rows and writes columns of global memory directly; this variant has the pattern";
        Shared = "shared":
            "through a tile in shared memory, whose columns are in a single bank: half a remedy";
        SharedPadded = "shared_padded":
            "through a tile with a word of padding after every row";
        SharedSwizzled = "shared_swizzled":
            "through a tile without padding, whose rows are permuted";
        // Its tile takes all the shared memory that compute capability 1 has, whose arguments need some too.
        SharedVectorised = "shared_vectorised":
            "through a swizzled tile of 64 rows, with accesses of four words if the rows are aligned",
            since (2, 0), ignores [tile, rows_per_thread];
        WholeSectors = "whole_sectors":
            "through a tile of 64 rows, whose columns are written from where a sector of 32 bytes begins, whatever the width",
            since (2, 0), ignores [tile, rows_per_thread];
        Copy = "copy":
            "copies the same tiles without transposing them: not a remedy, but the limit for one";
    }

    struct Predictors {
        sectors_per_request:
            "sectors or segments of memory that a write request moves, by the rule of the device (mean over requests)",
            of [width, tile];
        bytes_moved:
            "bytes that are moved, read and written, by the rule of the device",
            of [width, tile];
        conflict_degree:
            "passes over the banks per read of a full tile by a warp; 1 is without conflicts, 0 without a tile",
            of [tile];
    }
}

/// The smallest power of two, 2048 or more, at which both matrices together are three times the L2 cache.
fn width_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 2048, 3, |width| 2 * 4 * width * width)
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let rows = self.rows_per_thread;
        if rows.is_power_of_two() {
            return Ok(());
        }
        Err(Conflict {
            parameters: &[Self::NAMES.rows_per_thread],
            problem: format!("a tile cannot be split into parts of {rows} rows"),
            help: "use 1, 2, 4 or 8".to_owned(),
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

    /// One element, less than a tile, tiles, and neither; widths at which rows begin within a sector, and at which they are whole
    /// numbers of four words but not of tiles.
    fn verification(_: &Properties) -> Vec<Self> {
        let mut points = Vec::new();
        for width in [1, 31, 64, 77, 100, 131] {
            for tile in [16, 32] {
                for rows_per_thread in [1, 2, 4, 8] {
                    points.push(Self { width, tile, rows_per_thread });
                }
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::properties;

    #[test]
    fn default_width_does_not_fit_in_l2() {
        let mut properties = properties();
        for (l2_mebibytes, width) in [(0, 2048), (6, 2048), (60, 8192)] {
            properties.l2_bytes = l2_mebibytes << 20;
            assert_eq!(width_beyond_l2(&properties), width, "{l2_mebibytes} MiB");
        }
    }

    #[test]
    fn tiles_are_split_evenly() {
        for rows_per_thread in 1..=8 {
            let point = Parameters { width: 64, tile: 32, rows_per_thread };
            assert_eq!(point.check().is_ok(), [1, 2, 4, 8].contains(&rows_per_thread), "{rows_per_thread}");
        }
    }
}
