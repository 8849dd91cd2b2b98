//! A stencil over time steps: launches exchange what blocks need of each other after every step, or blocks compute several
//! steps at once and their neighbours' cells too (Cornelis 2010, section 5.3).

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
mod workload;

/// The kernels of `cuda/stencil.cu`.
pub static PTX: Ptx = kernel::embedded("stencil");

declare_family! {
    /// The stencil family.
    pub static FAMILY = {
        name: "stencil",
        summary: "blocks need the cells of their neighbours in every step, and exchange them or compute them again",
        ptx: PTX,
        size: width ^ 2,
    };

    struct Parameters {
        steps_per_launch: u64 = 4, in 1..=16,
            "time steps per launch of redundant_halo, and the width of its halo";
        steps: u64 = 48, in 1..=1000,
            "time steps in all; the last launch may compute fewer than the others";
        width: u64 => width_beyond_l2, in 1..=8192,
            "rows and columns of the square sheet, in cells of 4 bytes; opposite edges are joined";
        tile: u64 = 32, in 16..=128, step 16,
            "rows and columns of the tile that a block loads, including the halo";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block; a block is 32 columns wide";
    }

    enum Variant {
        Exchange = "exchange":
            "a launch for every step, with cells exchanged through global memory; this variant has the pattern",
            ignores [steps_per_launch, tile];
        RedundantHalo = "redundant_halo":
            "several steps per launch in shared memory, with a halo that neighbouring blocks compute again";
    }

    struct Predictors {
        launches: "kernels launched", of [steps, steps_per_launch];
        redundancy:
            "cells computed over cells needed",
            of [width, steps, steps_per_launch, tile];
        bytes_asked:
            "bytes that all threads read from and write to global memory",
            of [width, steps, steps_per_launch, tile];
    }
}

/// The smallest power of two, 1024 or more, at which the two sheets together are twice the L2 cache.
fn width_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 1024, 2, |width| 2 * 4 * width * width)
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let Self { tile, steps_per_launch: halo, .. } = *self;
        if tile > 2 * halo {
            return Ok(());
        }
        Err(Conflict {
            parameters: &[Self::NAMES.steps_per_launch, Self::NAMES.tile],
            problem: format!(
                "after {halo} steps nothing is left of a tile of {tile}: it loses one cell on each side in every step"
            ),
            help: format!("give at most {} for steps_per_launch, or a larger tile", (tile - 1) / 2),
        })
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, _: &Properties) -> Predictors {
        workload::predictors(self, variant)
    }

    fn workload(&self, variant: Variant, _: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, seed)
    }

    /// Sheets of one cell, narrower than the halo, of whole tiles and of parts of them; numbers of launches that are odd and even.
    fn verification(device: &Properties) -> Vec<Self> {
        let defaults = Self { tile: 32, ..Self::defaults(device) };
        let largest_block = device.threads_per_block.min(1024);
        let mut points = Vec::new();
        for (width, block) in [(1, 32), (5, 64), (33, 96), (64, 256), (77, largest_block)] {
            for (steps, steps_per_launch) in [(1, 1), (4, 1), (7, 3), (15, 15)] {
                points.push(Self { steps_per_launch, steps, width, block, ..defaults });
            }
        }
        for (tile, steps_per_launch) in [(48, 5), (64, 16)] {
            points.push(Self { width: 100, steps: 17, tile, steps_per_launch, ..defaults });
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::{defaults, properties};

    #[test]
    fn default_width_does_not_fit_in_l2() {
        let mut properties = properties();
        for (l2_mebibytes, width) in [(0, 1024), (6, 2048), (60, 4096), (100, 8192)] {
            properties.l2_bytes = l2_mebibytes << 20;
            assert_eq!(width_beyond_l2(&properties), width, "{l2_mebibytes} MiB");
        }
    }

    #[test]
    fn tiles_that_vanish_are_refused() {
        let point = |steps_per_launch| Parameters { steps_per_launch, tile: 32, ..defaults() };
        assert_eq!(point(15).check(), Ok(()));
        let refused = point(16).check().unwrap_err();
        assert_eq!(refused.parameters, ["steps_per_launch", "tile"]);
        assert!(refused.help.contains("at most 15"), "{refused:?}");
    }
}
