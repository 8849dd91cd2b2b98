//! How a point's elements are mapped to threads and blocks, and how many of the blocks a multiprocessor holds.

use super::{Arithmetic, Ordering, Parameters, Predictors, Variant};
use crate::kernel;
use crate::properties::Properties;
use crate::workload::{Argument, Launch};
use gpu_simulator::hardware::lanes::LANES;
use gpu_simulator::hardware::occupancy::{Limits, Resources, resident_blocks};

/// A kernel for each arithmetic: float, integer.
type Entries = [&'static str; 2];

/// Registers of a thread and the kernels that have as many.
const WITH_REGISTERS: [(u32, Entries); 8] = [
    (32, ["partition_registers_32_float", "partition_registers_32_integer"]),
    (40, ["partition_registers_40_float", "partition_registers_40_integer"]),
    (64, ["partition_registers_64_float", "partition_registers_64_integer"]),
    (80, ["partition_registers_80_float", "partition_registers_80_integer"]),
    (96, ["partition_registers_96_float", "partition_registers_96_integer"]),
    (128, ["partition_registers_128_float", "partition_registers_128_integer"]),
    (168, ["partition_registers_168_float", "partition_registers_168_integer"]),
    (255, ["partition_registers_255_float", "partition_registers_255_integer"]),
];

/// Registers of a thread of the other kernels, where the compiler has not said: it gives them 8 to 13.
const REGISTERS_OTHERWISE: u32 = 16;

/// Buffers of a workload.
const INPUT: Argument = Argument::Buffer(0);
const OUTPUT: Argument = Argument::Buffer(1);

/// Columns of the matrix: the smallest power of two whose square is no less than the elements.
fn columns(elements: u64) -> u64 {
    let root = elements.isqrt();
    (root + u64::from(root * root < elements)).next_power_of_two()
}

/// A point's launch and its resources.
#[derive(Debug, Clone)]
pub(super) struct Mapping {
    pub(super) launch: Launch,
    resources: Resources,
}

impl Mapping {
    /// The mapping of one of the family's variants.
    pub(super) fn new(variant: Variant, parameters: &Parameters, device: &Properties) -> Self {
        let Parameters { elements, multiply_adds, block, elements_per_thread, warp_limit, .. } = *parameters;
        let arithmetic = match parameters.arithmetic {
            Arithmetic::Float => 0,
            Arithmetic::Integer => 1,
        };
        let threads = [block, 1];
        let several_each = |entries: Entries| {
            let tile = block * elements_per_thread;
            (entries[arithmetic], [elements.div_ceil(tile.max(1)), 1], threads)
        };
        let mut further = Vec::new();
        let (entry, grid, block) = match variant {
            Variant::OneElement1d => {
                let entries = ["partition_one_element_1d_float", "partition_one_element_1d_integer"];
                (entries[arithmetic], [elements.div_ceil(block), 1], threads)
            }
            Variant::OneElement2d => {
                let columns = columns(elements);
                further.push(columns);
                let (width, height) = (parameters.block_width, parameters.block_height);
                let grid = [columns.div_ceil(width), elements.div_ceil(columns).div_ceil(height)];
                let entries = ["partition_one_element_2d_float", "partition_one_element_2d_integer"];
                (entries[arithmetic], grid, [width, height])
            }
            Variant::SeveralElements => {
                let (between_threads, between_turns) = match parameters.ordering {
                    Ordering::Blocked => (elements_per_thread, 1),
                    Ordering::Striped => (1, block),
                };
                further.extend([elements_per_thread, between_threads, between_turns]);
                several_each(["partition_several_elements_float", "partition_several_elements_integer"])
            }
            Variant::LimitedByRegisters => {
                further.push(0);
                several_each(with_registers(block as u32, warp_limit, arithmetic, device))
            }
            Variant::GridStride | Variant::LimitedByShared => {
                several_each(["partition_grid_stride_float", "partition_grid_stride_integer"])
            }
        };
        let arguments: Vec<Argument> =
            [elements, multiply_adds].into_iter().chain(further).map(|word| Argument::Word(word as u32)).collect();
        let arguments = [vec![INPUT, OUTPUT], arguments].concat();
        let mut resources = Resources {
            threads_per_block: (block[0] * block[1]) as u32,
            registers_per_thread: registers(entry, device),
            shared_bytes_per_block: 0,
            argument_bytes: arguments.iter().map(Argument::bytes).sum(),
        };
        if variant == Variant::LimitedByShared {
            resources.shared_bytes_per_block = shared_bytes(&device.limits(), &resources, warp_limit);
        }
        let launch = Launch {
            entry,
            grid: [grid[0] as u32, grid[1] as u32, 1],
            block: [block[0] as u32, block[1] as u32, 1],
            shared_bytes: resources.shared_bytes_per_block as u32,
            cooperative: false,
            cluster_blocks: 1,
            arguments,
        };
        Self { launch, resources }
    }

    /// The family's predictors; 0 where they follow from the blocks that are resident and the device cannot hold even one.
    pub(super) fn predictors(&self, device: &Properties) -> Predictors {
        let threads = self.resources.threads_per_block;
        let warps = warps_of(threads);
        let blocks: u64 = self.launch.grid.iter().map(|&extent| u64::from(extent)).product();
        let resident = resident_blocks(&device.limits(), &self.resources).map_or(0, |residency| residency.blocks);
        let of_busiest = blocks.div_ceil(u64::from(device.sm_count.max(1)));
        let waves = if resident == 0 { 0.0 } else { of_busiest as f64 / f64::from(resident) };
        let resident_warps = f64::from(resident * warps);
        let most_warps = (device.threads_per_sm / LANES as u32).max(1);
        Predictors {
            waves,
            resident_warps,
            occupancy: resident_warps / f64::from(most_warps),
            lanes_used: f64::from(threads) / f64::from(warps * LANES as u32),
            grid_blocks: blocks as f64,
        }
    }
}

fn warps_of(threads: u32) -> u32 {
    threads.div_ceil(LANES as u32)
}

/// Registers of a thread of a kernel: as the compiler says, else as its name does.
fn registers(entry: &str, device: &Properties) -> u32 {
    let named = WITH_REGISTERS.iter().find(|(_, entries)| entries.contains(&entry)).map(|(registers, _)| *registers);
    kernel::registers_per_thread(entry, device.capability()).or(named).unwrap_or(REGISTERS_OTHERWISE)
}

/// The kernels of the fewest registers with which the warps that a multiprocessor holds come nearest to the limit.
fn with_registers(threads_per_block: u32, warp_limit: u64, arithmetic: usize, device: &Properties) -> Entries {
    let limits = device.limits();
    let distance = |entries: &Entries| {
        let registers_per_thread = registers(entries[arithmetic], device);
        let resources =
            Resources { threads_per_block, registers_per_thread, shared_bytes_per_block: 0, argument_bytes: 0 };
        let warps = resident_blocks(&limits, &resources).ok()?.blocks * warps_of(threads_per_block);
        (registers_per_thread <= limits.registers_per_thread).then(|| u64::from(warps).abs_diff(warp_limit))
    };
    let possible = WITH_REGISTERS.iter().filter_map(|(_, entries)| Some((distance(entries)?, entries)));
    possible.min_by_key(|(distance, _)| *distance).map_or(WITH_REGISTERS[0].1, |(_, entries)| *entries)
}

/// The least shared memory with which a multiprocessor holds no more warps than the limit, but one block; where no block may
/// have that much, the most that one may have.
fn shared_bytes(limits: &Limits, resources: &Resources, warp_limit: u64) -> u64 {
    let wanted = (warp_limit / u64::from(warps_of(resources.threads_per_block).max(1))).max(1);
    let resident = |shared_bytes_per_block| {
        let resources = Resources { shared_bytes_per_block, ..*resources };
        resident_blocks(limits, &resources).map_or(0, |residency| u64::from(residency.blocks))
    };
    let arguments = if limits.shared_holds_arguments { resources.argument_bytes } else { 0 };
    let (mut too_little, mut enough) = (0, limits.shared_bytes_per_block.saturating_sub(arguments));
    if resident(too_little) <= wanted {
        return 0;
    }
    while enough - too_little > 1 {
        let middle = u64::midpoint(too_little, enough);
        if resident(middle) <= wanted {
            enough = middle;
        } else {
            too_little = middle;
        }
    }
    enough
}

#[cfg(test)]
mod tests;
