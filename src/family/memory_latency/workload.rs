//! Buffers, launch and expected output of a chain of loads.

use super::chain::Places;
use super::{PTX, Parameters, Predictors, Variant};
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

const WORD_BYTES: u64 = 4;
/// Bytes of a line of the caches.
const LINE_BYTES: u64 = 128;
/// Threads of the block at most, of which one follows the chain.
const THREADS_MAX: u32 = 1024;
/// What is read of a set before the chain begins at most, in units of L2: what lies before that has no room there any more.
const L2_READ: u64 = 2;

impl Parameters {
    fn places(&self) -> Places {
        Places {
            skipped: u64::from(self.offset_bytes),
            set_bytes: self.set_bytes,
            stride_bytes: u64::from(self.stride_bytes),
        }
    }

    /// Places that are read before the chain begins: the last ones, as far as an L2 cache of this size can keep them.
    fn read_before(&self, l2_bytes: u64) -> u64 {
        let place_bytes = u64::from(self.stride_bytes).min(LINE_BYTES);
        self.places().count().min((L2_READ * l2_bytes).div_ceil(place_bytes))
    }
}

/// What is left out, the set, where the chain ends and the cycles that it takes, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    u64::from(parameters.offset_bytes) + parameters.set_bytes + 2 * WORD_BYTES
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters) -> Predictors {
    let places = parameters.places();
    let lines = if places.stride_bytes < LINE_BYTES {
        (places.count() * places.stride_bytes).div_ceil(LINE_BYTES)
    } else {
        places.count()
    };
    Predictors { places: places.count() as f64, cached_bytes: (lines * LINE_BYTES) as f64 }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let Parameters { set_bytes, stride_bytes, ordering, offset_bytes, loads } = *parameters;
    let places = parameters.places();
    let set = places.words(ordering, seed);
    let reached = places.follow(&set, loads);
    let first = places.count() - parameters.read_before(device.l2_bytes);

    let buffers = [0, 1, 2].map(Argument::Buffer);
    let numbers = [offset_bytes, stride_bytes, places.count() as u32].map(Argument::Word);
    let (entry, shared_bytes, rest) = match variant {
        Variant::Global => ("memory_latency_global", 0, vec![first as u32, loads]),
        Variant::GlobalPastL1 => ("memory_latency_global_past_l1", 0, vec![first as u32, loads]),
        Variant::Shared => ("memory_latency_shared", set_bytes as u32, vec![loads]),
    };
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry,
            grid: [1, 1, 1],
            block: [device.threads_per_block.min(THREADS_MAX), 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes,
            arguments: buffers.into_iter().chain(numbers).chain(rest.into_iter().map(Argument::Word)).collect(),
        })],
        submission: Submission::Stream,
        bytes: WORD_BYTES * (places.count().min(loads.into()) + 1),
        operations: 0,
        predictors: predictors(parameters),
        buffers: vec![
            Buffer { name: "set", contents: Contents::Words(set), expected: None },
            Buffer { name: "reached", contents: Contents::Poison { words: 1 }, expected: Some(vec![reached].into()) },
            Buffer::of_cycles(),
        ],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::super::Order;
    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, defaults, properties, workload};
    use crate::parameter::Named;
    use crate::workload::Expected;

    fn point(set_bytes: u64, stride_bytes: u32) -> Parameters {
        Parameters { set_bytes, stride_bytes, loads: 10, ..defaults() }
    }

    #[test]
    fn places_share_lines_or_have_one_each() {
        for (set_bytes, stride_bytes, places, cached_bytes) in [
            (4096, 128, 32.0, 4096.0),
            (4096, 4, 1024.0, 4096.0),
            (100, 12, 8.0, 128.0),
            (8192, 4096, 2.0, 256.0),
            (1000, 300, 3.0, 384.0),
        ] {
            let predictors = predictors(&point(set_bytes, stride_bytes));
            assert_eq!((predictors.places, predictors.cached_bytes), (places, cached_bytes), "{set_bytes}");
        }
    }

    #[test]
    fn all_variants_come_to_the_same_place() {
        let point = Parameters { ordering: Order::Sequential, ..point(4096, 128) };
        for variant in Variant::ALL {
            let workload = workload(*variant, &point);
            assert_eq!(workload.buffers[1].expected.as_ref().and_then(Expected::words), Some(&[1280][..]));
            assert_eq!(bytes_of_buffers(&workload), device_bytes(&point));
        }
    }

    #[test]
    fn the_last_places_are_read_before_as_many_as_two_l2_caches_hold() {
        let first = |parameters: &Parameters, l2_bytes| {
            let device = Properties { l2_bytes, ..properties() };
            let workload = build(parameters, Variant::Global, &device, 1);
            workload.launches().next().unwrap().arguments[6].clone()
        };
        assert_eq!(first(&point(1 << 20, 128), 1 << 20), Argument::Word(0));
        assert_eq!(first(&point(1 << 20, 128), 1 << 18), Argument::Word(1 << 12));
        // A place beyond the line takes a line.
        assert_eq!(first(&point(1 << 20, 1 << 12), 1 << 13), Argument::Word(128));
        // A GPU without caches.
        assert_eq!(first(&point(1 << 20, 128), 0), Argument::Word(1 << 13));
    }

    #[test]
    fn shared_memory_holds_the_whole_set() {
        let launch = |variant| workload(variant, &point(4096, 128)).launches().next().unwrap().clone();
        assert_eq!((launch(Variant::Shared).shared_bytes, launch(Variant::Global).shared_bytes), (4096, 0));
        assert_eq!(launch(Variant::Shared).arguments[3..], [0, 128, 32, 10].map(Argument::Word));
    }
}
