//! Buffers, launch and expected sums of a point of loads in steps.

use super::{PTX, Parameters, Predictors, Variant};
use crate::family::inputs::random_words;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::coalescing::SECTOR_BYTES;
use gpu_simulator::hardware::lanes::LANES;
use rayon::prelude::*;

const WORD_BYTES: usize = 4;
/// Bytes of the cycles.
const CYCLES_BYTES: u64 = 4;

impl Parameters {
    fn warps(&self) -> u64 {
        u64::from(self.block) / LANES as u64 * self.launched_blocks
    }

    /// Places of all warps.
    fn places(&self) -> u64 {
        self.warps() * u64::from(self.accesses)
    }
}

/// Bytes that the places of a warp are spread over.
pub(super) fn part_bytes(parameters: &Parameters) -> u64 {
    u64::from(parameters.accesses) * u64::from(parameters.stride_bytes)
}

/// Bytes that the places of all warps are spread over.
pub(super) fn set_bytes(parameters: &Parameters) -> u64 {
    parameters.warps() * part_bytes(parameters)
}

/// The set, a sum for each warp, and the cycles.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    set_bytes(parameters) + WORD_BYTES as u64 * parameters.warps() + CYCLES_BYTES
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant) -> Predictors {
    let asked_bytes = match variant {
        Variant::Plain | Variant::Prefetch => SECTOR_BYTES,
        Variant::Promoted64 => 64,
        Variant::Promoted128 => 128,
        Variant::Promoted256 => 256,
    };
    Predictors { asked_pieces_per_load: (f64::from(parameters.stride_bytes) / f64::from(asked_bytes)).min(1.0) }
}

/// The places with where each leads and what it adds, and the sum of each warp.
fn chains(parameters: &Parameters, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let Parameters { stride_bytes, accesses, .. } = *parameters;
    let (stride_words, part_words) = (stride_bytes as usize / WORD_BYTES, part_bytes(parameters) as usize / WORD_BYTES);
    let added = random_words(parameters.places() as usize, seed);
    let mut set = vec![0_u32; part_words * parameters.warps() as usize];
    let mut sums = vec![0_u32; parameters.warps() as usize];
    let of_warps = added.par_chunks(accesses as usize);
    set.par_chunks_mut(part_words).zip(sums.par_iter_mut()).zip(of_warps).for_each(|((part, sum), added)| {
        for (number, (place, own)) in part.chunks_mut(stride_words).zip(added).enumerate() {
            (place[0], place[1]) = ((number as u32 + 1) * stride_bytes, *own);
            *sum = sum.wrapping_add(*own);
        }
        // Where the last place leads.
        *sum = sum.wrapping_add(accesses * stride_bytes);
    });
    (set, sums)
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, seed: u64) -> Workload<Predictors> {
    let Parameters { stride_bytes, accesses, prefetch_distance, block, launched_blocks } = *parameters;
    let (set, sums) = chains(parameters, seed);
    let distance_bytes = match variant {
        Variant::Prefetch => prefetch_distance * stride_bytes,
        _ => 0,
    };
    let numbers = [accesses, stride_bytes, distance_bytes].map(Argument::Word);
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: match variant {
                Variant::Plain => "l2_sectors_plain",
                Variant::Promoted64 => "l2_sectors_promoted_64",
                Variant::Promoted128 => "l2_sectors_promoted_128",
                Variant::Promoted256 => "l2_sectors_promoted_256",
                Variant::Prefetch => "l2_sectors_prefetch",
            },
            grid: [launched_blocks as u32, 1, 1],
            block: [block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes: 0,
            arguments: (0..3).map(Argument::Buffer).chain(numbers).collect(),
        })],
        submission: Submission::Stream,
        bytes: parameters.places() * 2 * WORD_BYTES as u64,
        operations: 0,
        predictors: predictors(parameters, variant),
        buffers: vec![
            Buffer { name: "places", contents: Contents::Words(set.into()), expected: None },
            Buffer { name: "sums", contents: Contents::Poison { words: sums.len() }, expected: Some(sums.into()) },
            Buffer::of_cycles(),
        ],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, workload};
    use crate::parameter::Named;

    fn point() -> Parameters {
        Parameters { stride_bytes: 24, accesses: 16, prefetch_distance: 3, block: 64, launched_blocks: 2 }
    }

    #[test]
    fn chains_lead_from_place_to_place_and_their_sums_are_those_of_the_loop() {
        let own = workload(Variant::Plain, &point());
        let Contents::Words(set) = &own.buffers[0].contents else { panic!("no words") };
        let sums = own.buffers[1].expected.as_ref().unwrap().words().unwrap().to_vec();
        assert_eq!((set.len(), sums.len()), (4 * 16 * 6, 4));
        for (warp, expected) in sums.iter().enumerate() {
            let (mut place, mut sum) = (0, 0_u32);
            for _ in 0..16 {
                let at = warp * 16 * 6 + place as usize / 4;
                (place, sum) = (set[at], sum.wrapping_add(set[at + 1]));
            }
            assert_eq!(sum.wrapping_add(place), *expected, "warp {warp}");
        }
        assert!(Variant::ALL.iter().all(|variant| {
            workload(*variant, &point()).buffers[1].expected.as_ref().unwrap().words().unwrap().to_vec() == sums
        }));
    }

    #[test]
    fn only_prefetches_look_ahead() {
        let distance = |variant| workload(variant, &point()).launches().next().unwrap().arguments[5].clone();
        assert_eq!(distance(Variant::Prefetch), Argument::Word(72));
        assert_eq!(distance(Variant::Promoted128), Argument::Word(0));
    }

    #[test]
    fn pieces_are_as_large_as_what_is_asked_for() {
        let pieces =
            |variant, stride_bytes| predictors(&Parameters { stride_bytes, ..point() }, variant).asked_pieces_per_load;
        assert_eq!([8, 32, 256].map(|stride| pieces(Variant::Plain, stride)), [0.25, 1.0, 1.0]);
        assert_eq!([8, 32, 256].map(|stride| pieces(Variant::Promoted256, stride)), [0.03125, 0.125, 1.0]);
    }

    #[test]
    fn bytes_are_those_of_the_buffers() {
        let own = workload(Variant::Prefetch, &point());
        assert_eq!((bytes_of_buffers(&own), device_bytes(&point())), (4 * 16 * 24 + 4 * 4 + 4, 4 * 16 * 24 + 20));
        assert_eq!(own.bytes, 4 * 16 * 8);
    }
}
