//! Buffers, launch and expected output of fences beside independent work.

use super::kernels::entry;
use super::{PTX, Parameters, Place, Predictors, Variant};
use crate::family::inputs::drawn_words;
use crate::family::multiply_add::MultiplyAdds;
use crate::parameter::Named;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::hardware::lanes::LANES;

const WORD_BYTES: u64 = 4;
/// What flags hold at first.
const FLAG: u32 = 1;
/// Places that rounds go to in turn, as in `cuda/fences.cu`.
const PLACES: u32 = 64;
/// Words between places at least: a piece of memory that is in one half of L2 as a whole.
const PIECE_WORDS: u64 = 1024;
/// Words of all places at most, so that L2 has them. Where more were needed, all rounds have the same lines: those of many threads are at many places.
const PLACES_WORDS_MAX: u64 = 4 << 20;

fn threads(parameters: &Parameters) -> u64 {
    u64::from(parameters.block) * u64::from(parameters.launched_blocks)
}

/// Words from one place to the next; 0 where all rounds have the same.
fn words_apart(parameters: &Parameters) -> u64 {
    let most = parameters.stores.max(parameters.loads).max(1);
    let apart = (threads(parameters) * u64::from(most)).next_multiple_of(PIECE_WORDS);
    if apart * u64::from(PLACES) > PLACES_WORDS_MAX { 0 } else { apart }
}

/// Words of a buffer with so many accesses of every thread in a round, in all places; one where there are none, as no buffer is empty.
fn words(parameters: &Parameters, accesses: u32) -> u64 {
    if accesses == 0 {
        return 1;
    }
    words_apart(parameters) * u64::from(PLACES - 1) + threads(parameters) * u64::from(accesses)
}

/// The words of lines that are stored to: in shared memory each round has the same.
fn stored_words(parameters: &Parameters) -> u64 {
    match parameters.place {
        Place::Global => words(parameters, parameters.stores),
        Place::Shared => (threads(parameters) * u64::from(parameters.stores)).max(1),
    }
}

fn flag_words(parameters: &Parameters, variant: Variant) -> u64 {
    words(parameters, u32::from(variant.stores_flag() || variant.loads_flag()))
}

/// Flags, lines that are stored to, lines that are loaded from, sums, and the cycles of the loop; of the variant that needs most.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    let of_variant = |variant: &Variant| {
        let own = &parameters.of(*variant);
        flag_words(own, *variant) + stored_words(own) + words(own, own.loads) + threads(own) + 1
    };
    WORD_BYTES * Variant::ALL.iter().map(of_variant).max().unwrap_or(0)
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters) -> Predictors {
    Predictors { accesses_per_wait: f64::from(parameters.stores + parameters.loads) }
}

/// The rounds that go to a place.
fn rounds(place: u32, waits: u32) -> impl Iterator<Item = u32> {
    (place..=waits).step_by(PLACES as usize).filter(|number| *number > 0)
}

/// A buffer of so many words, `count` of them at each place, where the last round of the place has stored its number.
fn stored_by_rounds(parameters: &Parameters, words: u64, count: u64, first: u32) -> Vec<u32> {
    let apart = words_apart(parameters);
    if apart == 0 {
        return vec![parameters.waits; words as usize];
    }
    let mut all = vec![first; words as usize];
    for place in 0..PLACES {
        if let Some(last) = rounds(place, parameters.waits).last() {
            let begin = (u64::from(place) * apart) as usize;
            all[begin..begin + count as usize].fill(last);
        }
    }
    all
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, seed: u64) -> Workload<Predictors> {
    let own = &parameters.of(variant);
    let Parameters { place, stores, work, waits, block, launched_blocks, .. } = *own;
    let threads = threads(own);
    let input = drawn_words(words(own, own.loads) as usize, seed);
    let sums = sums(own, variant, &input);
    let flag_words = flag_words(own, variant);
    let flags = vec![FLAG; flag_words as usize];
    let flags_after =
        if variant.stores_flag() { stored_by_rounds(own, flag_words, threads, FLAG) } else { flags.clone() };
    let stored = stored_words(own);
    let lines = (stores > 0).then(|| match place {
        Place::Global => stored_by_rounds(own, stored, threads * u64::from(stores), 0),
        Place::Shared => vec![waits; stored as usize],
    });
    let shared_bytes = match place {
        Place::Global => 0,
        Place::Shared => WORD_BYTES as u32 * stores * block,
    };
    let numbers = [waits, work, words_apart(own) as u32];
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry: entry(own, variant),
            grid: [launched_blocks, 1, 1],
            block: [block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes,
            arguments: (0..5).map(Argument::Buffer).chain(numbers.map(Argument::Word)).collect(),
        })],
        submission: Submission::Stream,
        bytes: WORD_BYTES * threads * (2 + u64::from(stores)),
        operations: u64::from(waits) * u64::from(work) * threads,
        predictors: predictors(parameters),
        buffers: vec![
            Buffer { name: "flags", contents: Contents::Words(flags.into()), expected: Some(flags_after.into()) },
            Buffer {
                name: "lines",
                contents: Contents::Words(vec![0; stored as usize].into()),
                expected: lines.map(Into::into),
            },
            Buffer { name: "input", contents: Contents::Words(input.into()), expected: None },
            Buffer {
                name: "sums",
                contents: Contents::Poison { words: threads as usize },
                expected: Some(sums.into()),
            },
            Buffer::of_cycles(),
        ],
    }
}

/// What each thread's multiply-adds and loads come to.
fn sums(parameters: &Parameters, variant: Variant, input: &[u32]) -> Vec<u32> {
    let Parameters { loads, work, waits, .. } = *parameters;
    let loads = loads as usize;
    let apart = words_apart(parameters) as usize;
    let multiply_adds = MultiplyAdds::new(u64::from(waits) * u64::from(work));
    let visits: Vec<u32> = (0..PLACES).map(|place| rounds(place, waits).count() as u32).collect();
    let of_thread = |thread: usize| {
        let first = thread / LANES * LANES * loads + thread % LANES;
        let of_place = |place: usize| {
            (0..loads).fold(0_u32, |sum, number| sum.wrapping_add(input[place * apart + first + number * LANES]))
        };
        let loaded = visits
            .iter()
            .enumerate()
            .fold(0_u32, |sum, (place, visits)| sum.wrapping_add(of_place(place).wrapping_mul(*visits)));
        let flags = if variant.loads_flag() { FLAG.wrapping_mul(waits) } else { 0 };
        multiply_adds.apply(thread as u32).wrapping_add(loaded).wrapping_add(flags)
    };
    (0..threads(parameters) as usize).map(of_thread).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, defaults, workload};
    use crate::workload::Expected;

    fn expected(workload: &Workload<Predictors>, buffer: usize) -> Option<Vec<u32>> {
        workload.buffers[buffer].expected.as_ref().and_then(Expected::words).map(<[u32]>::to_vec)
    }

    /// Two blocks of two warps: four lines a warp, 512 words a place, places 1024 words apart.
    #[test]
    fn lines_and_flags_hold_the_number_of_the_last_round_of_their_place() {
        let point = Parameters { waits: 66, block: 64, launched_blocks: 2, ..defaults() };
        for (variant, of_places) in [(Variant::ReleaseStore, [64, 65, 66, 3, 63]), (Variant::SequentialFence, [1; 5])] {
            let workload = workload(variant, &point);
            let flags = expected(&workload, 0).unwrap();
            if variant.stores_flag() {
                for (place, number) in [0, 1, 2, 3, 63].into_iter().zip(of_places) {
                    assert_eq!(flags[place * 1024..][..128], [number; 128], "{place}");
                }
                assert_eq!((flags[128], flags.len()), (FLAG, 63 * 1024 + 128));
            } else {
                assert_eq!(flags, [FLAG]);
            }
            let lines = expected(&workload, 1).unwrap();
            assert_eq!((lines[511], lines[512], lines[1024], lines.len()), (64, 0, 65, 63 * 1024 + 512));
            assert_eq!(expected(&workload, 3).unwrap()[..3], [0, 1, 2]);
            assert!(bytes_of_buffers(&workload) <= device_bytes(&point));
        }
        let flagged = workload(Variant::ReleaseStore, &point);
        assert_eq!(bytes_of_buffers(&flagged), device_bytes(&point));
    }

    #[test]
    fn places_that_no_round_came_to_keep_what_they_had() {
        let point = Parameters { waits: 2, ..defaults() };
        let workload = workload(Variant::ReleaseStore, &point);
        let [flags, lines] = [0, 1].map(|buffer| expected(&workload, buffer).unwrap());
        assert_eq!([0, 1, 2, 3].map(|place| flags[place * 1024]), [FLAG, 1, 2, FLAG]);
        assert_eq!([0, 1, 2, 3].map(|place| lines[place * 1024]), [0, 1, 2, 0]);
    }

    /// 2112 warps with 4 lines each have 1 MiB at each of the places: 64 of these do not fit in 16 MiB.
    #[test]
    fn rounds_of_many_threads_have_the_same_lines() {
        let many = Parameters { waits: 5, launched_blocks: 2112, ..defaults() };
        let workload = workload(Variant::FenceAndStore, &many);
        assert_eq!(expected(&workload, 0), Some(vec![5; 2112 * 32]));
        assert_eq!(expected(&workload, 1), Some(vec![5; 2112 * 128]));
        assert_eq!(words_apart(&Parameters { launched_blocks: 512, ..many.clone() }), 512 * 128);
    }

    #[test]
    fn shared_lines_are_those_of_every_round() {
        let shared = Parameters { waits: 5, block: 64, place: Place::Shared, ..defaults() };
        let workload = workload(Variant::None, &shared);
        assert_eq!(workload.launches().next().unwrap().shared_bytes, 4 * 4 * 64);
        assert_eq!(expected(&workload, 1), Some(vec![5; 4 * 64]));
    }

    #[test]
    fn a_thread_sums_up_its_word_of_each_line_and_its_flag() {
        let point = Parameters { waits: 65, work: 8, stores: 0, loads: 4, block: 64, ..defaults() };
        let input: Vec<u32> = (0..64 * 1024).collect();
        let of = |variant, thread: usize| {
            let multiply_adds = MultiplyAdds::new(65 * 8);
            sums(&point.of(variant), variant, &input)[thread].wrapping_sub(multiply_adds.apply(thread as u32))
        };
        // Thread 33 has words 128 + 1, 160 + 1, 192 + 1 and 224 + 1 of each place; place 1 has two rounds, the others have one.
        let at_first = 129 + 161 + 193 + 225;
        let places: u32 = (0..64).map(|place| at_first + 4 * 1024 * place).sum();
        assert_eq!(of(Variant::AcquireReleaseFence, 33), places + at_first + 4 * 1024);
        assert_eq!(of(Variant::AcquireLoad, 33), 65);
        assert_eq!(of(Variant::ReleaseStore, 33), 0);
        assert_eq!(predictors(&point).accesses_per_wait, 4.0);
    }
}
