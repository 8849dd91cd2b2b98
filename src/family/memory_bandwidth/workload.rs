//! Buffers, launch and expected sums of a point of reading.

use super::reference::Reading;
use super::{Data, PTX, Parameters, Predictors, Variant};
use crate::family::inputs::random_words;
use crate::kernel::registers_per_thread;
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::lanes::LANES;
use gpu_simulator::hardware::occupancy::{Resources, resident_blocks};

const WORD_BYTES: u64 = 4;
/// Registers of a thread, where they are not known.
const REGISTERS: u32 = 32;
/// Bytes of a kernel's arguments.
const ARGUMENT_BYTES: u64 = 24;

impl Parameters {
    /// Bytes of a batch of a warp, and of a chunk of the set.
    pub(super) fn chunk_bytes(&self) -> u64 {
        LANES as u64 * u64::from(self.word_bytes) * u64::from(self.loads_in_flight)
    }

    fn reading(&self) -> Reading {
        let each = |bytes: u64| (bytes / self.chunk_bytes() / self.launched_blocks) as usize;
        Reading {
            width: self.word_bytes as usize / 4,
            loads: self.loads_in_flight as usize,
            slice: each(self.set_bytes),
            batches: each(self.read_bytes),
            warps: self.block as usize / LANES,
            blocks: self.launched_blocks as usize,
        }
    }

    /// Bytes of the part that a block reads over and over.
    fn slice_bytes(&self) -> u64 {
        self.reading().slice as u64 * self.chunk_bytes()
    }

    /// Shared memory of a block: what of the set it reads there. More than any block has is as good as too much.
    fn shared_bytes(&self, variant: Variant) -> u32 {
        if variant == Variant::Shared { u32::try_from(self.slice_bytes()).unwrap_or(u32::MAX) } else { 0 }
    }

    fn threads(&self) -> u64 {
        u64::from(self.block) * self.launched_blocks
    }

    /// Threads of the launch that a multiprocessor holds at once.
    fn resident_threads(&self, variant: Variant, device: &Properties) -> u32 {
        let entry = entry(variant, self);
        let resources = Resources {
            threads_per_block: self.block,
            registers_per_thread: registers_per_thread(entry, device.capability()).unwrap_or(REGISTERS),
            shared_bytes_per_block: self.shared_bytes(variant).into(),
            argument_bytes: ARGUMENT_BYTES,
        };
        let resident = resident_blocks(&device.limits(), &resources).map_or(0, |residency| residency.blocks);
        let given = (self.launched_blocks as u32).div_ceil(device.sm_count.max(1));
        resident.min(given) * self.block
    }
}

/// The set, and a sum for each thread.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    parameters.set_bytes / WORD_BYTES * WORD_BYTES + WORD_BYTES * parameters.threads()
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let of_thread = f64::from(parameters.word_bytes) * f64::from(parameters.loads_in_flight);
    let threads = parameters.resident_threads(variant, device);
    Predictors { bytes_in_flight: of_thread * f64::from(threads), slice_bytes: parameters.slice_bytes() as f64 }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let reading = parameters.reading();
    let words = (parameters.set_bytes / WORD_BYTES) as usize;
    let set = match parameters.data {
        Data::Random => random_words(words, seed),
        Data::Zeros => vec![0; words].into(),
        Data::Ones => vec![u32::MAX; words].into(),
    };
    let sums = reading.sums(&set);
    let numbers = [reading.slice, reading.batches].map(|number| Argument::Word(number as u32));
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: entry(variant, parameters),
            grid: [parameters.launched_blocks as u32, 1, 1],
            block: [parameters.block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes: parameters.shared_bytes(variant),
            arguments: [Argument::Buffer(0), Argument::Buffer(1)].into_iter().chain(numbers).collect(),
        })],
        submission: Submission::Stream,
        bytes: reading.batches as u64 * parameters.launched_blocks * parameters.chunk_bytes(),
        operations: 0,
        predictors: predictors(parameters, variant, device),
        buffers: vec![
            Buffer { name: "set", contents: Contents::Words(set), expected: None },
            Buffer { name: "sums", contents: Contents::Poison { words: sums.len() }, expected: Some(sums.into()) },
        ],
    }
}

/// The kernel of a variant for words of this width and so many loads at once.
fn entry(variant: Variant, parameters: &Parameters) -> &'static str {
    macro_rules! of_loads {
        ($name:literal, $bytes:literal) => {
            match parameters.loads_in_flight {
                1 => concat!("memory_bandwidth_", $name, "_", $bytes, "_bytes_1_loads"),
                2 => concat!("memory_bandwidth_", $name, "_", $bytes, "_bytes_2_loads"),
                4 => concat!("memory_bandwidth_", $name, "_", $bytes, "_bytes_4_loads"),
                _ => concat!("memory_bandwidth_", $name, "_", $bytes, "_bytes_8_loads"),
            }
        };
    }
    macro_rules! of_width {
        ($name:literal) => {
            match parameters.word_bytes {
                4 => of_loads!($name, "4"),
                8 => of_loads!($name, "8"),
                _ => of_loads!($name, "16"),
            }
        };
    }
    match variant {
        Variant::Global => of_width!("global"),
        Variant::GlobalPastL1 => of_width!("global_past_l1"),
        Variant::Shared => of_width!("shared"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, defaults, properties, workload};
    use crate::parameter::Named;

    fn point(word_bytes: u32, loads_in_flight: u32) -> Parameters {
        Parameters {
            word_bytes,
            loads_in_flight,
            set_bytes: 40_000,
            read_bytes: 100_000,
            launched_blocks: 3,
            ..defaults()
        }
    }

    #[test]
    fn every_kernel_that_is_named_is_there() {
        for &variant in Variant::ALL {
            for (word_bytes, loads) in [4, 8, 16].into_iter().flat_map(|word| [1, 2, 4, 8].map(|loads| (word, loads))) {
                let entry = entry(variant, &point(word_bytes, loads));
                assert_eq!(entry, format!("memory_bandwidth_{}_{word_bytes}_bytes_{loads}_loads", variant.name()));
                assert!(PTX.text_of(entry, (9, 0)).is_some(), "{entry}");
            }
        }
    }

    #[test]
    fn sets_and_reads_are_shared_out_in_whole_batches() {
        let point = point(8, 4);
        let workload = workload(Variant::Global, &point);
        // Batches of 1024 bytes: 13 of the set for each block, and 32 to read.
        assert_eq!(workload.launches().next().unwrap().arguments[2..], [13, 32].map(Argument::Word));
        assert_eq!((workload.bytes, workload.predictors.slice_bytes), (3 * 32 * 1024, 13.0 * 1024.0));
        assert_eq!(bytes_of_buffers(&workload), device_bytes(&point));
    }

    #[test]
    fn a_block_has_its_part_of_the_set_in_shared_memory() {
        let point = point(8, 4);
        let shared_bytes = |variant| workload(variant, &point).launches().next().unwrap().shared_bytes;
        assert_eq!([Variant::Shared, Variant::Global].map(shared_bytes), [13 * 1024, 0]);
        assert_eq!(
            Parameters { set_bytes: 1 << 34, launched_blocks: 1, ..point }.shared_bytes(Variant::Shared),
            u32::MAX
        );
        // A block of 40000 bytes leaves no room for a second one.
        let alone =
            Parameters { set_bytes: 80_000, launched_blocks: 2, block: 64, word_bytes: 4, loads_in_flight: 1, ..point };
        let device = Properties { shared_bytes_per_sm: 48 << 10, ..properties() };
        let in_flight = |variant| predictors(&alone, variant, &device).bytes_in_flight;
        assert_eq!([Variant::Shared, Variant::Global].map(in_flight), [256.0, 512.0]);
    }

    #[test]
    fn words_of_one_value_are_read_where_they_are_asked_for() {
        let set = |data| match &workload(Variant::Global, &Parameters { data, ..point(8, 4) }).buffers[0].contents {
            Contents::Words(words) => words.to_vec(),
            other => panic!("{other:?}"),
        };
        assert!(set(Data::Zeros).iter().all(|word| *word == 0));
        assert!(set(Data::Ones).iter().all(|word| *word == u32::MAX));
        assert!(set(Data::Random).iter().filter(|word| **word == 0).count() < 3);
        assert_eq!(set(Data::Zeros).len(), set(Data::Random).len());
    }

    #[test]
    fn bytes_in_flight_are_those_of_the_blocks_that_are_resident() {
        let device = Properties { sm_count: 2, ..properties() };
        let in_flight = |launched_blocks| {
            predictors(&Parameters { block: 64, launched_blocks, ..point(16, 2) }, Variant::Global, &device)
                .bytes_in_flight
        };
        assert_eq!([1, 2, 3, 4].map(in_flight), [2048.0, 2048.0, 4096.0, 4096.0]);
    }
}
