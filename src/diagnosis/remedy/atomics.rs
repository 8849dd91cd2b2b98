//! Atomics that meet at an address.

use super::super::Counted;

/// The part of the lanes of atomics that meet within their warp below which these are few.
const FEW_MEET: f64 = 0.05;

/// Whether the lanes of an instruction have addresses of their own, so that adding up within a warp would gain nothing.
pub(in crate::diagnosis) fn meets_other_warps_only(counted: &Counted) -> bool {
    let (all, met) = counted.atomics;
    met < FEW_MEET * all
}

/// Whether most of a warp's are added up before memory sees them.
fn are_added_up(counted: &Counted) -> bool {
    counted.atomics_added_up > counted.atomics.0
}

/// Lanes that swap values cannot be added up; and what is in shared memory already cannot be added up there first. A counter that gives out places has
/// no copies.
pub(super) fn atomics(counted: &Counted) -> &'static str {
    if counted.are_answered && !counted.swaps {
        return if are_added_up(counted) && !counted.is_shared {
            "the answers are used, as places or as numbers of work, and a warp's lanes are added up already: count within the block in shared memory, let \
             one thread of the block take all places at once, and give each thread its own from there"
        } else if meets_other_warps_only(counted) {
            "the answers are used, as places or as numbers of work: let one atomic take a run of them (add as many as a warp or a block needs next), \
             and count within the run"
        } else {
            "the answers are used, as places or as numbers of work: let one lane add for its warp (__popc of __ballot_sync, or of __match_any_sync where \
             there are several counters), pass the answer on by __shfl_sync, and count the lanes before each"
        };
    }
    match (counted.swaps, counted.is_shared, meets_other_warps_only(counted)) {
        (true, ..) => {
            "an exchange or a compare-and-swap is tried again by all who lose: let one lane of a warp do it for all, use the atomic that does the \
             whole operation (atomicAdd, atomicMax), or give each warp or block a place of its own"
        }
        (false, true, true) => {
            "let fewer atomics come to shared memory: add up in a register what a thread has for the same counter, or give each warp a copy of the \
             counters"
        }
        (false, true, false) => {
            "add up within a warp first (__shfl_down_sync; __match_any_sync finds lanes with the same counter), or give each warp \
             a copy of the counters"
        }
        (false, false, true) => {
            "let fewer atomics come to an address: give each block more elements before it adds its sum, or use several copies of the counters"
        }
        (false, false, false) => {
            "add up within a warp (__shfl_down_sync) or in shared memory first, and let one thread of a block add to global memory"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Kind;
    use super::super::remedy;
    use super::*;

    #[test]
    fn the_remedy_of_atomics_follows_from_what_they_do_and_where() {
        let told = |swaps, is_shared, met| {
            let counted = Counted { atomics: (64.0, met), swaps, is_shared, ..Counted::default() };
            remedy(Kind::AtomicContention, &counted)
        };
        assert!(told(true, false, 62.0).contains("one lane of a warp do it for all"));
        assert!(told(true, true, 0.0).contains("one lane of a warp do it for all"));
        for met in [0.0, 62.0] {
            assert!(!told(false, true, met).contains("in shared memory first"), "they are there");
            assert!(!told(false, true, met).contains("global memory"));
        }
        assert!(told(false, false, 62.0).contains("in shared memory first"));
        assert!(told(false, false, 0.0).contains("more elements before it adds its sum"));
        let gives_out = |met| {
            let counted = Counted { atomics: (64.0, met), are_answered: true, ..Counted::default() };
            remedy(Kind::AtomicContention, &counted)
        };
        assert!(gives_out(0.0).contains("take a run of them"), "places have no copies");
        assert!(gives_out(62.0).contains("one lane add for its warp"));
        let added_up =
            Counted { atomics: (64.0, 0.0), atomics_added_up: 960.0, are_answered: true, ..Counted::default() };
        assert!(remedy(Kind::AtomicContention, &added_up).contains("one thread of the block take all places at once"));
    }
}
