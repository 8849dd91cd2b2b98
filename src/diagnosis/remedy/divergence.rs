//! Lanes of a warp that part.

use super::super::Counted;

/// Lanes on the narrowest way, on average, below which one lane goes it alone.
const FEW_LANES: f64 = 1.5;

/// Whether one lane goes another way than the rest of its warp, where lanes part.
pub(in crate::diagnosis) fn goes_alone(counted: &Counted) -> bool {
    counted.lanes_of_narrow_ways < FEW_LANES * counted.affected
}

/// Whether lanes part mostly since some need more turns of a loop than others.
pub(in crate::diagnosis) fn is_of_loops(counted: &Counted) -> bool {
    counted.at_loops > 0.5 * counted.affected
}

/// Whether on average at most one warp of a block parts each time: there are no others whose lanes could go with its own. The turns of a loop are
/// one time together.
fn is_of_one_warp(counted: &Counted) -> bool {
    let Counted { executions, affected, blocks, warps, .. } = counted;
    let most = if is_of_loops(counted) { *blocks } else { executions * blocks / warps.max(1.0) };
    *blocks > 0.0 && *affected <= most
}

/// Whether a block gains anything if it sorts its threads by their way.
pub(in crate::diagnosis) fn is_sorting_of_use(counted: &Counted) -> bool {
    !is_of_one_warp(counted)
}

pub(super) fn divergence(counted: &Counted) -> &'static str {
    // Blocks of one warp each may have neighbours that part as well.
    let is_of_one = is_of_one_warp(counted) && counted.warps > counted.blocks;
    if is_of_loops(counted) && is_of_one {
        "some lanes of a warp need more turns of this loop than others, which wait: split what is long, or let the warp or the block share the turns"
    } else if is_of_loops(counted) {
        "some lanes of a warp need more turns of this loop than others, which wait: give the lanes of a warp work of the same length (sort it by its \
         length, or split what is long), or let the warp share the turns of one after the other"
    } else if goes_alone(counted) && counted.has_atomics {
        "one lane does here what the others need not: as it should be where it speaks for its warp or block; let it do little, and put the rest \
         where all lanes take part"
    } else if goes_alone(counted) && is_of_one {
        "one thread of a block goes a way of its own: let a whole warp, or all threads of the block, share what it does there (a sum by __shfl_down_sync)"
    } else if goes_alone(counted) {
        "where lanes part one of them goes a way of its own: share its work among the lanes of the warp (a sum by __shfl_down_sync), or let all do the same"
    } else if is_of_one {
        "at most one warp of a block parts here, on average: let all its lanes do the same, or share the work among all threads of the block"
    } else if counted.threads_are_alike {
        "let all lanes of a warp go the same way: branch on the warp's or the block's index, or sort the work so that neighbouring threads do the same"
    } else {
        "let all lanes of a warp go the same way: branch on the warp's or the block's index, or give the lanes of a warp the same number of steps, \
         for example by filling a tile in the order of its elements and not row by row"
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Kind;
    use super::super::remedy;
    use super::*;

    #[test]
    fn the_remedy_of_divergence_follows_from_what_ties_the_lanes() {
        let told = |lanes_of_narrow_ways, threads_are_alike| {
            let counted = Counted { affected: 10.0, lanes_of_narrow_ways, threads_are_alike, ..Counted::default() };
            remedy(Kind::Divergence, &counted)
        };
        assert!(told(160.0, true).contains("sort the work"));
        assert!(told(160.0, false).contains("the same number of steps"), "lanes tell each other something");
        assert!(told(10.0, true).contains("one of them goes a way of its own"));
    }

    #[test]
    fn lanes_that_leave_a_loop_sooner_and_a_lane_that_speaks_for_all_go_no_way_of_their_own() {
        let of = |at_loops, has_atomics| {
            let counted =
                Counted { affected: 10.0, lanes_of_narrow_ways: 10.0, at_loops, has_atomics, ..Counted::default() };
            remedy(Kind::Divergence, &counted)
        };
        assert!(of(0.0, false).contains("a sum by __shfl_down_sync"));
        assert!(of(0.0, true).contains("as it should be where it speaks for its warp"));
        assert!(of(8.0, false).contains("work of the same length"));
    }

    #[test]
    fn one_warp_of_a_block_cannot_be_sorted() {
        // Eight warps in each of 1024 blocks.
        let parted = |affected, lanes, at_loops| Counted {
            executions: 8192.0,
            affected,
            lanes_of_narrow_ways: lanes * affected,
            at_loops,
            threads_are_alike: true,
            warps: 8192.0,
            blocks: 1024.0,
            ..Counted::default()
        };
        let alone = parted(1.0, 1.0, 0.0);
        assert!(
            !is_sorting_of_use(&alone)
                && divergence(&alone).contains("let a whole warp, or all threads of the block, share")
        );
        let half = parted(1024.0, 16.0, 0.0);
        assert!(!is_sorting_of_use(&half) && divergence(&half).contains("let all its lanes do the same"));
        let two = parted(2048.0, 16.0, 0.0);
        assert!(is_sorting_of_use(&two) && divergence(&two).contains("sort the work"));
        // A warp whose lanes leave a loop of many turns in two of them parts in few of its executions.
        let turns = Counted { executions: 819_200.0, ..parted(16_384.0, 16.0, 16_384.0) };
        assert!(is_sorting_of_use(&turns) && divergence(&turns).contains("sort it by its"));
        let long = Counted { executions: 819_200.0, ..parted(1000.0, 16.0, 1000.0) };
        assert!(!is_sorting_of_use(&long) && divergence(&long).contains("split what is long"));
        let small = Counted { executions: 8192.0, blocks: 8192.0, ..parted(8192.0, 16.0, 0.0) };
        assert!(
            !is_sorting_of_use(&small) && divergence(&small).contains("sort the work"),
            "with that of other blocks"
        );
    }
}
