//! Accesses to global memory in more sectors than their bytes need.

use super::super::Counted;
use gpu_simulator::hardware::lanes::LANES;

/// Bytes of a sector of global memory.
const SECTOR: i64 = 32;
/// The longest stride, in elements, that looks like that of a structure's field.
const FIELDS_MOST: i64 = 16;
/// The part of a warp's lanes from which on these are nearly all: those of the last blocks may have no element.
const NEARLY_ALL: f64 = 0.75;

pub(super) fn uncoalesced(verb: &str, counted: &Counted) -> String {
    let bytes = i64::from(counted.accesses.bytes_per_lane.max(1));
    if counted.is_gather && counted.goes_through_row {
        return format!(
            "each lane goes through a row of its own, which begins where memory says: let a warp share a row, so that neighbouring lanes {verb} \
             neighbouring elements"
        );
    }
    if counted.is_gather {
        return format!(
            "what memory holds decides which element each lane {verb}s: sort or renumber, so that neighbouring lanes {verb} neighbouring elements"
        );
    }
    match counted.stride_bytes.map(i64::abs) {
        Some(stride) if stride == bytes => of_neighbours(verb, bytes, counted),
        Some(0) if has_sector_of_each_row(counted) => format!(
            "the threads of a row of the block {verb} one element, and a warp has rows of {} threads of its block: make blocks {LANES} threads wide or more",
            counted.row_threads.unwrap_or_default()
        ),
        Some(stride) if stride > 0 && stride <= FIELDS_MOST * bytes => format!(
            "neighbouring lanes are {stride} bytes apart: let them {verb} neighbouring elements: an array for each field, where these are fields of \
             structures (structure of arrays); else each lane every 32nd element in place of several in a row, or a tile in shared memory"
        ),
        Some(stride) if stride > 0 && counted.is_one_dimensional && counted.goes_through_row => format!(
            "neighbouring lanes are {stride} bytes apart: let them {verb} neighbouring elements, by a loop over the grid (each thread every gridDim.x * \
             blockDim.x-th element in place of several in a row); where a thread needs a whole row, let a warp share the row, or use a tile in shared memory"
        ),
        Some(stride) if stride > 0 && counted.is_one_dimensional => format!(
            "neighbouring lanes are {stride} bytes apart: let them {verb} neighbouring elements, by another order of the elements or through a tile in \
             shared memory"
        ),
        Some(stride) if stride > 0 => format!(
            "neighbouring lanes are {stride} bytes apart: let them {verb} neighbouring elements, by exchanging the roles of indices or through \
             a tile in shared memory"
        ),
        _ if counted.is_one_dimensional => {
            format!("let neighbouring lanes {verb} neighbouring elements, or go through a tile in shared memory")
        }
        _ => format!(
            "let neighbouring lanes {verb} neighbouring elements: exchange the roles of indices, or go through a tile in shared memory"
        ),
    }
}

/// Whether each row of the block that a warp has needs a sector at most.
fn has_sector_of_each_row(counted: &Counted) -> bool {
    let rows = counted.row_threads.map(|threads| LANES.div_ceil(threads.max(1) as usize));
    rows.is_some_and(|rows| counted.accesses.per_request() <= rows as f64)
}

/// Of lanes that access neighbouring elements, in more sectors than their bytes need all the same.
fn of_neighbours(verb: &str, bytes: i64, counted: &Counted) -> String {
    let Counted { accesses, lanes, executions, .. } = counted;
    let are_all = *lanes >= NEARLY_ALL * LANES as f64 * executions;
    if let Some(threads) = counted.row_threads.filter(|_| are_all) {
        let row_bytes = i64::from(threads) * bytes;
        // A row of the block does not fill a sector, however rows of the array begin.
        return if row_bytes < SECTOR {
            format!(
                "a warp has rows of {threads} threads of its block, which {verb} {row_bytes} bytes each, less than a sector of 32: make blocks {LANES} \
                 threads wide or more"
            )
        } else {
            format!(
                "a warp has rows of {threads} threads of its block, each of which begins amid a sector: make blocks {LANES} threads wide or more, and let \
                 rows begin at a multiple of 32 bytes"
            )
        };
    }
    // A warp that begins amid a sector needs one more.
    match accesses.parts > accesses.least + accesses.requests {
        true if are_all => format!(
            "a warp {verb}s several runs of neighbouring elements, each of which begins a sector of its own: let its lanes {verb} one run"
        ),
        true => format!(
            "only some lanes of a warp {verb} here, with others between them: let neighbouring lanes have these elements, so that all of a warp's are at \
             work"
        ),
        false => {
            "let each warp begin at a multiple of 32 bytes: pad rows to such a multiple, or shift the index".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Kind;
    use super::super::remedy;
    use super::*;
    use gpu_simulator::Accesses;

    fn told(kind: Kind, stride_bytes: Option<i64>, bytes_per_lane: u32) -> String {
        let accesses = Accesses { bytes_per_lane, ..Accesses::default() };
        remedy(kind, &Counted { accesses, stride_bytes, ..Counted::default() })
    }

    #[test]
    fn the_remedy_of_an_uncoalesced_access_follows_from_its_stride() {
        let store = |stride| told(Kind::UncoalescedStore, stride, 4);
        assert!(store(Some(4)).contains("multiple of 32 bytes"));
        assert!(store(Some(12)).contains("structure of arrays"));
        assert!(store(Some(8192)).contains("8192 bytes apart: let them write"));
        assert!(store(None).contains("exchange the roles"));
        let gather = Counted { is_gather: true, stride_bytes: Some(12), ..Counted::default() };
        assert!(remedy(Kind::UncoalescedLoad, &gather).contains("which element each lane reads: sort or renumber"));
        let rows = Counted { goes_through_row: true, ..gather };
        assert!(remedy(Kind::UncoalescedLoad, &rows).contains("let a warp share a row"));
        assert!(told(Kind::UncoalescedLoad, None, 4).contains("read neighbouring"));
    }

    #[test]
    fn lanes_that_do_not_access_are_no_misaligned_warps() {
        let of = |parts, lanes, row_threads| {
            let accesses = Accesses { bytes_per_lane: 4, requests: 10.0, least: 20.0, parts, ..Accesses::default() };
            let (stride_bytes, executions) = (Some(4), 10.0);
            let counted = Counted { executions, lanes, accesses, stride_bytes, row_threads, ..Counted::default() };
            remedy(Kind::UncoalescedLoad, &counted)
        };
        assert!(of(30.0, 160.0, None).contains("pad rows to such a multiple"), "a sector more for each request");
        for row_threads in [None, Some(16)] {
            assert!(of(40.0, 160.0, row_threads).contains("only some lanes of a warp read here"), "every second lane");
        }
        let all = of(40.0, 320.0, None);
        assert!(all.starts_with("a warp reads several runs of neighbouring elements"), "{all}");
    }

    #[test]
    fn blocks_whose_rows_do_not_fill_a_sector_are_to_be_wider() {
        let of = |row_threads, bytes_per_lane| {
            let accesses = Accesses { bytes_per_lane, ..Accesses::default() };
            let stride_bytes = Some(i64::from(bytes_per_lane));
            remedy(Kind::UncoalescedLoad, &Counted { accesses, stride_bytes, row_threads, ..Counted::default() })
        };
        let narrow = of(Some(16), 1);
        assert!(narrow.starts_with("a warp has rows of 16 threads of its block, which read 16 bytes each"), "{narrow}");
        assert!(narrow.ends_with("make blocks 32 threads wide or more"), "{narrow}");
        for (row_threads, bytes) in [(Some(16), 4), (Some(8), 4), (None, 1)] {
            assert!(of(row_threads, bytes).contains("multiple of 32 bytes"), "{row_threads:?} {bytes}");
        }
    }

    #[test]
    fn rows_of_a_block_that_begin_amid_a_sector_are_told_of() {
        let of = |stride_bytes, parts| {
            let accesses = Accesses { bytes_per_lane: 4, requests: 10.0, least: 40.0, parts, ..Accesses::default() };
            let (executions, lanes, row_threads) = (10.0, 320.0, Some(16));
            let counted = Counted { executions, lanes, accesses, stride_bytes, row_threads, ..Counted::default() };
            remedy(Kind::UncoalescedLoad, &counted)
        };
        let amid = of(Some(4), 60.0);
        assert!(amid.starts_with("a warp has rows of 16 threads of its block, each of which begins amid"), "{amid}");
        assert!(amid.contains("make blocks 32 threads wide or more"), "{amid}");
        assert!(of(Some(0), 90.0).contains("the roles of indices"), "another access of the line needs more");
        let same = of(Some(0), 20.0);
        assert!(
            same.starts_with("the threads of a row of the block read one element, and a warp has rows of 16"),
            "{same}"
        );
        assert!(same.ends_with("make blocks 32 threads wide or more") && !same.contains("roles"), "{same}");
    }

    #[test]
    fn where_there_is_one_dimension_no_indices_have_roles_to_exchange() {
        let of = |stride_bytes, is_one_dimensional, goes_through_row| {
            let accesses = Accesses { bytes_per_lane: 4, ..Accesses::default() };
            let counted =
                Counted { accesses, stride_bytes, is_one_dimensional, goes_through_row, ..Counted::default() };
            remedy(Kind::UncoalescedStore, &counted)
        };
        for (stride, goes_through_row) in [(Some(128), true), (Some(128), false), (None, false)] {
            assert!(of(stride, false, goes_through_row).contains("the roles of indices"));
            assert!(!of(stride, true, goes_through_row).contains("roles"));
        }
        assert!(of(Some(128), true, true).contains("each thread every gridDim.x * blockDim.x-th element"));
        assert!(!of(Some(128), true, false).contains("in a row"), "it accesses one");
    }
}
