//! Tiles of a matrix that are brought into shared memory and summed there: rows of a tile lie apart in global memory.
//!
//! A bulk copy takes bytes that lie side by side, so it takes one for each row. With a descriptor of the matrix, one takes the whole tile, and may
//! change its pieces of 16 bytes about (a swizzle), so that reading down the columns meets no bank conflict.

use gpu_simulator::tensor_map::Swizzle;

use crate::family::shares::Pieces;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
mod workload;

/// The kernels of `cuda/matrix_tiles.cu`.
pub static PTX: Ptx = kernel::embedded("matrix_tiles");

/// Bytes after which a swizzle begins anew, of which a tile must have a multiple.
const SWIZZLED_BYTES: u32 = 1024;
/// The widest row that a swizzle takes.
const SWIZZLED_ROW_BYTES: u32 = 128;

declare_family! {
    /// The family of tiles of a matrix.
    pub static FAMILY = {
        name: "matrix_tiles",
        summary: "tiles of a matrix, whose rows lie apart, are brought into shared memory and summed along rows or down columns",
        ptx: PTX,
        size: read_bytes ^ 1,
    };

    struct Parameters {
        row_bytes: u32 = 128, in 32..=1024,
            "bytes of a row of a tile, a power of two";
        tile_rows: u32 = 64, in 8..=256,
            "rows of a tile, a power of two";
        stages: u32 = 2, in 1..=4,
            "tiles in a block's ring in shared memory, hence the most that are under way at once";
        layout: Layout = Layout::Rows, one of { Rows = "rows", Swizzled = "swizzled" },
            "how a tile lies in shared memory: row behind row, or with its pieces of 16 bytes in other places within 128 bytes";
        reading: Reading = Reading::Rows, one of { Rows = "rows", Columns = "columns" },
            "how the lanes of a warp read the pieces of a tile: along the rows, or down the columns";
        set_bytes: u64 => one_mib_each, in 1024..=1 << 34,
            "bytes of the matrix, rounded down to whole tiles of blocks: each block has a panel of it, and brings in its tiles over and over; by default 1 MiB for each multiprocessor";
        read_bytes: u64 = 1 << 28, in 1024..=1 << 36,
            "bytes that all blocks bring in together, rounded down to whole tiles of blocks";
        block: u32 = 256, in 64..=1024, step 32,
            "threads per block";
        launched_blocks: u64 => sm_count, in 1..=1 << 16,
            "blocks of the launch; by default one for each multiprocessor";
    }

    enum Variant {
        Loads = "loads": "loads of 16 bytes past L1 into registers (ld.global.cg), which are stored in shared memory; its ring has one tile; this variant has the pattern", since (2, 0), ignores [stages];
        AsyncCopies = "async_copies": "copies of 16 bytes past the registers, by all threads (cp.async)", since (8, 0);
        RowCopies = "row_copies": "a bulk copy for each row of a tile, by threads of all warps (cp.async.bulk); it cannot swizzle", since (9, 0), ignores [layout];
        TileCopies = "tile_copies": "a bulk copy of the whole tile, by one thread and a descriptor of the matrix (cp.async.bulk.tensor)", since (9, 0);
    }

    struct Predictors {
        tiles: "tiles that each block brings in", of [read_bytes, row_bytes, tile_rows, launched_blocks];
        copied_rows: "rows that each block brings in", of [read_bytes, row_bytes, tile_rows, launched_blocks];
        tile_bytes: "bytes of a tile", of [row_bytes, tile_rows];
    }
}

/// A block for each multiprocessor.
fn sm_count(properties: &Properties) -> u64 {
    u64::from(properties.sm_count).clamp(1, 1 << 16)
}

/// 1 MiB for each multiprocessor: more than L2 where that is smaller.
fn one_mib_each(properties: &Properties) -> u64 {
    sm_count(properties) << 20
}

impl Parameters {
    fn bytes_of_tile(&self) -> u32 {
        self.row_bytes * self.tile_rows
    }

    /// How tiles of this width are swizzled.
    fn swizzle(&self) -> Swizzle {
        match (self.layout, self.row_bytes) {
            (Layout::Rows, _) => Swizzle::None,
            (Layout::Swizzled, 32) => Swizzle::Bytes32,
            (Layout::Swizzled, 64) => Swizzle::Bytes64,
            (Layout::Swizzled, _) => Swizzle::Bytes128,
        }
    }

    fn check_shape(&self) -> Result<(), Conflict> {
        let Self { row_bytes, tile_rows, layout, .. } = *self;
        for (name, own) in [(Self::NAMES.row_bytes, row_bytes), (Self::NAMES.tile_rows, tile_rows)] {
            if !own.is_power_of_two() {
                let (below, above) = (own.next_power_of_two() / 2, own.next_power_of_two());
                return Err(Conflict {
                    parameters: if name == Self::NAMES.row_bytes {
                        &[Self::NAMES.row_bytes]
                    } else {
                        &[Self::NAMES.tile_rows]
                    },
                    problem: format!("{name} = {own} is not a power of two"),
                    help: format!("give {below} or {above}"),
                });
            }
        }
        if self.bytes_of_tile() < SWIZZLED_BYTES {
            return Err(Conflict {
                parameters: &[Self::NAMES.row_bytes, Self::NAMES.tile_rows],
                problem: format!("a tile of {tile_rows} rows of {row_bytes} bytes has fewer than {SWIZZLED_BYTES}"),
                help: format!("give at least {} rows, or longer ones", SWIZZLED_BYTES / row_bytes),
            });
        }
        if layout == Layout::Swizzled && row_bytes > SWIZZLED_ROW_BYTES {
            return Err(Conflict {
                parameters: &[Self::NAMES.layout, Self::NAMES.row_bytes],
                problem: format!("rows of {row_bytes} bytes cannot be swizzled"),
                help: format!(
                    "give {} of at most {SWIZZLED_ROW_BYTES}, or {} = {}",
                    Self::NAMES.row_bytes,
                    Self::NAMES.layout,
                    Layout::Rows.name()
                ),
            });
        }
        Ok(())
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        self.check_shape()?;
        let Self { set_bytes, read_bytes, launched_blocks, .. } = *self;
        let tiles = Pieces { names: ["tile", "tiles"], bytes: self.bytes_of_tile().into(), launched_blocks };
        let set = const {
            &[Self::NAMES.set_bytes, Self::NAMES.row_bytes, Self::NAMES.tile_rows, Self::NAMES.launched_blocks]
        };
        let read = const {
            &[Self::NAMES.read_bytes, Self::NAMES.row_bytes, Self::NAMES.tile_rows, Self::NAMES.launched_blocks]
        };
        let counted = const { &[Self::NAMES.read_bytes, Self::NAMES.launched_blocks] };
        tiles.check((set_bytes, set), (read_bytes, read), counted)
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

    /// Every depth of the ring with fewer tiles than it has places and more; narrow and wide rows, each layout, both ways to read; blocks that have
    /// more threads than a tile has pieces, and fewer.
    fn verification(device: &Properties) -> Vec<Self> {
        let largest_block = device.threads_per_block.min(1024);
        let mut points = Vec::new();
        for (stages, row_bytes, tile_rows, launched_blocks, block) in [
            (1, 32, 32, 1, 64),
            (2, 64, 16, 3, 96),
            (3, 128, 64, 2, 256),
            (4, 128, 8, 5, largest_block),
            (2, 256, 16, 2, 64),
            (1, 1024, 8, 1, 128),
        ] {
            let tile = u64::from(row_bytes * tile_rows) * launched_blocks;
            for (layout, reading) in [
                (Layout::Rows, Reading::Rows),
                (Layout::Rows, Reading::Columns),
                (Layout::Swizzled, Reading::Rows),
                (Layout::Swizzled, Reading::Columns),
            ] {
                if layout == Layout::Swizzled && row_bytes > SWIZZLED_ROW_BYTES {
                    continue;
                }
                for (set_bytes, read_bytes) in [(3 * tile + 100, 2 * tile), (tile, 5 * tile + 17), (2 * tile, 7 * tile)]
                {
                    points.push(Self {
                        row_bytes,
                        tile_rows,
                        stages,
                        layout,
                        reading,
                        set_bytes,
                        read_bytes,
                        block,
                        launched_blocks,
                    });
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
    fn shapes_that_cannot_be_are_refused_with_what_can() {
        let point = Parameters { launched_blocks: 4, ..defaults() };
        assert_eq!(point.check(), Ok(()));
        let refused = |point: Parameters| point.check().unwrap_err();
        let odd = refused(Parameters { row_bytes: 96, ..point });
        assert_eq!((odd.parameters, odd.help.as_str()), (&["row_bytes"] as &[_], "give 64 or 128"));
        assert_eq!(refused(Parameters { tile_rows: 65, ..point }).parameters, ["tile_rows"]);
        let small = refused(Parameters { row_bytes: 32, tile_rows: 16, ..point });
        assert!(small.help.contains("at least 32 rows"), "{small:?}");
        let wide = refused(Parameters { row_bytes: 256, layout: Layout::Swizzled, ..point });
        assert_eq!(wide.help, "give row_bytes of at most 128, or layout = rows");
        let few = refused(Parameters { set_bytes: 32_767, ..point });
        assert!(few.problem.contains("no tile of 8192 bytes for each of 4 blocks"), "{few:?}");
        assert!(refused(Parameters { read_bytes: 1024, ..point }).problem.starts_with("read_bytes = 1024"));
    }

    #[test]
    fn each_width_has_its_swizzle() {
        let of = |row_bytes, layout| Parameters { row_bytes, layout, ..defaults() }.swizzle();
        assert_eq!(
            [32, 64, 128].map(|row_bytes| of(row_bytes, Layout::Swizzled)),
            [Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128]
        );
        assert_eq!(of(128, Layout::Rows), Swizzle::None);
    }
}
