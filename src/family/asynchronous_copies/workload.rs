//! Buffers, launch and expected sums of a point of bringing in tiles.

use super::reference::Reading;
use super::{PIECE_BYTES, PTX, Parameters, Predictors, Variant};
use crate::family::inputs::random_words;
use crate::kernel::registers_per_thread;
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::occupancy::{Resources, resident_blocks};

const WORD_BYTES: u32 = 4;
/// Registers of a thread, where they are not known.
const REGISTERS: u32 = 32;
/// Bytes of a kernel's arguments.
const ARGUMENT_BYTES: u64 = 32;
/// Loads of a thread under way at once where they go to registers.
const LOADS: u32 = 8;
/// Barriers in shared memory of a kernel with bulk copies: two for each place of the deepest ring, of 8 bytes.
const BARRIER_BYTES: u32 = 2 * 8 * 8;

impl Parameters {
    fn reading(&self) -> Reading {
        let each = |bytes: u64| (bytes / u64::from(self.tile_bytes) / self.launched_blocks) as usize;
        Reading {
            tile_words: (self.tile_bytes / WORD_BYTES) as usize,
            slice: each(self.set_bytes),
            tiles: each(self.read_bytes),
            blocks: self.launched_blocks as usize,
        }
    }

    /// Places in the ring.
    fn places(&self, variant: Variant) -> u32 {
        if variant == Variant::Loads { 1 } else { self.stages }
    }

    /// Shared memory of a block that it asks for as it is launched: the ring, in which the threads leave their sums at the end.
    fn shared_bytes(&self, variant: Variant) -> u32 {
        (self.places(variant) * self.tile_bytes).max(WORD_BYTES * self.block)
    }

    /// Bytes that a block has under way at once.
    fn block_bytes_in_flight(&self, variant: Variant) -> u32 {
        match variant {
            Variant::Loads => self.tile_bytes.min(LOADS * PIECE_BYTES * self.block),
            Variant::AsyncCopies | Variant::BulkCopies | Variant::BulkSpecialised => self.stages * self.tile_bytes,
        }
    }

    /// Blocks of the launch that a multiprocessor holds at once.
    fn resident_blocks(&self, variant: Variant, device: &Properties) -> u32 {
        let barriers = match variant {
            Variant::Loads | Variant::AsyncCopies => 0,
            Variant::BulkCopies | Variant::BulkSpecialised => BARRIER_BYTES,
        };
        let resources = Resources {
            threads_per_block: self.block,
            registers_per_thread: registers_per_thread(entry(variant, self), device.capability()).unwrap_or(REGISTERS),
            shared_bytes_per_block: (self.shared_bytes(variant) + barriers).into(),
            argument_bytes: ARGUMENT_BYTES,
        };
        let resident = resident_blocks(&device.limits(), &resources).map_or(0, |residency| residency.blocks);
        let given = (self.launched_blocks as u32).div_ceil(device.sm_count.max(1));
        resident.min(given)
    }
}

/// The set, and a sum for each block.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    let word_bytes = u64::from(WORD_BYTES);
    parameters.set_bytes / word_bytes * word_bytes + word_bytes * parameters.launched_blocks
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let of_block = parameters.block_bytes_in_flight(variant);
    Predictors {
        tiles: parameters.reading().tiles as f64,
        bytes_in_flight: f64::from(of_block) * f64::from(parameters.resident_blocks(variant, device)),
    }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let reading = parameters.reading();
    let set = random_words((parameters.set_bytes / u64::from(WORD_BYTES)) as usize, seed);
    let sums = reading.sums(&set);
    let mut arguments = vec![
        Argument::Buffer(0),
        Argument::Buffer(1),
        Argument::Word(reading.slice as u32),
        Argument::Word(reading.tiles as u32),
        Argument::Word(parameters.tile_bytes),
    ];
    if matches!(variant, Variant::BulkCopies | Variant::BulkSpecialised) {
        arguments.push(Argument::Word(parameters.stages));
    }
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: entry(variant, parameters),
            grid: [parameters.launched_blocks as u32, 1, 1],
            block: [parameters.block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes: parameters.shared_bytes(variant),
            arguments,
        })],
        submission: Submission::Stream,
        bytes: reading.tiles as u64 * parameters.launched_blocks * u64::from(parameters.tile_bytes),
        operations: 0,
        predictors: predictors(parameters, variant, device),
        buffers: vec![
            Buffer { name: "set", contents: Contents::Words(set), expected: None },
            Buffer { name: "sums", contents: Contents::Poison { words: sums.len() }, expected: Some(sums.into()) },
        ],
    }
}

/// The kernel of a variant. How many groups of copies may be under way is a number in the instruction, so there is one for each depth.
fn entry(variant: Variant, parameters: &Parameters) -> &'static str {
    match (variant, parameters.stages) {
        (Variant::Loads, _) => "asynchronous_copies_loads",
        (Variant::AsyncCopies, 1) => "asynchronous_copies_async_copies_1_stages",
        (Variant::AsyncCopies, 2) => "asynchronous_copies_async_copies_2_stages",
        (Variant::AsyncCopies, 3) => "asynchronous_copies_async_copies_3_stages",
        (Variant::AsyncCopies, 4) => "asynchronous_copies_async_copies_4_stages",
        (Variant::AsyncCopies, 5) => "asynchronous_copies_async_copies_5_stages",
        (Variant::AsyncCopies, 6) => "asynchronous_copies_async_copies_6_stages",
        (Variant::AsyncCopies, 7) => "asynchronous_copies_async_copies_7_stages",
        (Variant::AsyncCopies, _) => "asynchronous_copies_async_copies_8_stages",
        (Variant::BulkCopies, _) => "asynchronous_copies_bulk_copies",
        (Variant::BulkSpecialised, _) => "asynchronous_copies_bulk_specialised",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, defaults, properties, workload};
    use crate::parameter::Named;

    fn point(tile_bytes: u32, stages: u32) -> Parameters {
        Parameters { tile_bytes, stages, set_bytes: 40_000, read_bytes: 100_000, launched_blocks: 3, ..defaults() }
    }

    #[test]
    fn every_kernel_that_is_named_is_there() {
        for (&variant, stages) in Variant::ALL.iter().flat_map(|variant| (1..=8).map(move |stages| (variant, stages))) {
            let entry = entry(variant, &point(1024, stages));
            assert!(PTX.text_of(entry, (9, 0)).is_some(), "{entry}");
            assert!(entry.starts_with(&format!("asynchronous_copies_{}", variant.name())), "{entry}");
            assert!(variant != Variant::AsyncCopies || entry.ends_with(&format!("_{stages}_stages")), "{entry}");
        }
    }

    #[test]
    fn sets_and_reads_are_shared_out_in_whole_tiles_and_every_variant_has_the_same_sums() {
        let point = point(1024, 3);
        let of = |variant| workload(variant, &point);
        let loads = of(Variant::Loads);
        assert_eq!(loads.launches().next().unwrap().arguments[2..], [13, 32, 1024].map(Argument::Word));
        assert_eq!((loads.bytes, loads.predictors.tiles), (3 * 32 * 1024, 32.0));
        assert_eq!(bytes_of_buffers(&loads), device_bytes(&point));
        let bulk = of(Variant::BulkCopies);
        assert_eq!(bulk.launches().next().unwrap().arguments[2..], [13, 32, 1024, 3].map(Argument::Word));
        for &variant in Variant::ALL {
            assert_eq!(of(variant).buffers[1].expected, loads.buffers[1].expected, "{variant:?}");
        }
    }

    #[test]
    fn a_block_has_its_ring_in_shared_memory_and_room_for_the_sums_of_its_threads() {
        let shared_bytes = |variant, point: &Parameters| point.shared_bytes(variant);
        let own = point(2048, 3);
        assert_eq!(
            Variant::ALL.iter().map(|&variant| shared_bytes(variant, &own)).collect::<Vec<_>>(),
            [2048, 6144, 6144, 6144]
        );
        let many_threads = Parameters { block: 1024, ..point(1024, 1) };
        assert_eq!(shared_bytes(Variant::BulkCopies, &many_threads), 4096);
    }

    #[test]
    fn bytes_in_flight_are_those_of_the_blocks_that_are_resident() {
        let device = Properties { sm_count: 2, ..properties() };
        let in_flight = |variant, launched_blocks, block| {
            predictors(&Parameters { block, launched_blocks, ..point(4096, 4) }, variant, &device).bytes_in_flight
        };
        assert_eq!(
            [1, 2, 3, 4].map(|blocks| in_flight(Variant::AsyncCopies, blocks, 128)),
            [16384.0, 16384.0, 32768.0, 32768.0]
        );
        // Eight loads of 16 bytes of each of 64 threads are more than the tile; of a longer one they are a part.
        assert_eq!(in_flight(Variant::Loads, 2, 64), 4096.0);
        let long = Parameters { launched_blocks: 2, block: 64, ..point(32768, 4) };
        assert_eq!(predictors(&long, Variant::Loads, &device).bytes_in_flight, 8192.0);
    }
}
