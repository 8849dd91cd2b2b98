//! What to do about a pattern, in a sentence that says which stride or padding.

use super::{Counted, Kind};
use gpu_simulator::hardware::Rules;
use gpu_simulator::hardware::banks::passes;
use gpu_simulator::hardware::lanes::{LANES, Mask};

/// Bytes of a sector of global memory.
const SECTOR: i64 = 32;
/// Bytes of a bank's word.
const WORD: i64 = 4;
/// Banks of shared memory.
const BANKS: i64 = 32;
/// What is told where no padding is known to help.
const ANOTHER_BANK: &str =
    "let the lanes of a warp access words of different banks: the bank is the word's index modulo 32";
/// A stride explains as many passes as it makes by itself, and so many times that.
const STRIDE_EXPLAINS: f64 = 1.2;
/// Words between neighbouring lanes below which these are no rows.
const ROW_LEAST: i64 = 8;
/// Words by which rows may be padded, tried in this order.
const PADDING_MOST: i64 = 8;
/// The part of the lanes of atomics that meet within their warp below which these are few.
const FEW_MEET: f64 = 0.05;
/// Lanes on the narrowest way, on average, below which one lane goes it alone.
const FEW_LANES: f64 = 1.5;
/// The longest stride, in elements, that looks like that of a structure's field.
const FIELDS_MOST: i64 = 16;

/// What to do about a pattern.
pub fn remedy(kind: Kind, counted: &Counted) -> String {
    match kind {
        Kind::UncoalescedLoad => uncoalesced("read", counted),
        Kind::UncoalescedStore => uncoalesced("write", counted),
        Kind::BankConflictLoad | Kind::BankConflictStore => bank_conflict(counted),
        Kind::Divergence => divergence(counted).to_owned(),
        Kind::BarrierWait => "let fewer warps wait: fewer barriers, several results between two of them, __syncwarp() where one warp's data is \
                              enough, or smaller blocks of which more are resident"
            .to_owned(),
        Kind::UnevenWork => "share what that warp does out among all warps of the block, or let warps that have nothing to do go on without waiting"
            .to_owned(),
        Kind::AtomicContention => atomics(counted).to_owned(),
        Kind::Fence => "write all that others need first and fence once, or end the launch there: the next one sees everything".to_owned(),
        Kind::LocalMemory if counted.is_printing => {
            "leave printf out of what is to be fast: it keeps what it prints in local memory".to_owned()
        }
        Kind::LocalMemory => "keep arrays in registers (indices known to the compiler, loops unrolled), or, where data decides the index, in shared \
                              memory with neighbouring threads' elements side by side; or let a thread need fewer registers"
            .to_owned(),
        Kind::Division => "count an index up in place of taking it apart; x & (n - 1) for x % n and a shift for x / n where n is a power of two; or let \
                           the compiler know n: a constant or a template parameter"
            .to_owned(),
        Kind::ConstantPlaces => "a table whose index differs from lane to lane does not belong in constant memory: let each block copy it from global to \
                                 shared memory, or read it through a pointer of global memory that is const __restrict__"
            .to_owned(),
        Kind::IdleThreads => "launch as many threads as there is work for: fewer blocks (the work divided by a block's, rounded up), or smaller ones"
            .to_owned(),
    }
}

/// Whether the lanes of an instruction have addresses of their own, so that adding up within a warp would gain nothing.
pub(super) fn meets_other_warps_only(counted: &Counted) -> bool {
    let (all, met) = counted.atomics;
    met < FEW_MEET * all
}

/// Whether one lane goes another way than the rest of its warp, where lanes part.
pub(super) fn goes_alone(counted: &Counted) -> bool {
    counted.lanes_of_narrow_ways < FEW_LANES * counted.affected
}

/// Lanes that swap values cannot be added up; and what is in shared memory already cannot be added up there first. A counter that gives out places has
/// no copies.
fn atomics(counted: &Counted) -> &'static str {
    if counted.are_answered && !counted.swaps {
        return if meets_other_warps_only(counted) {
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
            "add up within a warp first (__reduce_add_sync, __shfl_down_sync; __match_any_sync finds lanes with the same counter), or give each warp \
             a copy of the counters"
        }
        (false, false, true) => {
            "let fewer atomics come to an address: give each block more elements before it adds its sum, or use several copies of the counters"
        }
        (false, false, false) => {
            "add up within a warp (__shfl_down_sync, __reduce_add_sync) or in shared memory first, and let one thread of a block add to global memory"
        }
    }
}

/// Whether lanes part mostly since some need more turns of a loop than others.
fn is_of_loops(counted: &Counted) -> bool {
    counted.at_loops > 0.5 * counted.affected
}

fn divergence(counted: &Counted) -> &'static str {
    if is_of_loops(counted) {
        "some lanes of a warp need more turns of this loop than others, which wait: give the lanes of a warp work of the same length (sort it by its \
         length, or split what is long), or let the warp share the turns of one after the other"
    } else if goes_alone(counted) && counted.has_atomics {
        "one lane does here what the others need not: as it should be where it speaks for its warp or block; let it do little, and put the rest \
         where all lanes take part"
    } else if goes_alone(counted) {
        "where lanes part one of them goes a way of its own: share its work among the lanes of the warp (a sum by __shfl_down_sync), or let all do the same"
    } else if counted.threads_are_alike {
        "let all lanes of a warp go the same way: branch on the warp's or the block's index, or sort the work so that neighbouring threads do the same"
    } else {
        "let all lanes of a warp go the same way: branch on the warp's or the block's index, or give the lanes of a warp the same number of steps, \
         for example by filling a tile in the order of its elements and not row by row"
    }
}

fn uncoalesced(verb: &str, counted: &Counted) -> String {
    let bytes = i64::from(counted.accesses.bytes_per_lane.max(1));
    let row_bytes = counted.row_threads.map(|threads| i64::from(threads) * bytes);
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
        // A row of the block does not fill a sector, however rows of the array begin.
        Some(stride) if stride == bytes && row_bytes.is_some_and(|row| row < SECTOR) => format!(
            "a warp has rows of {} threads of its block, which {verb} {} bytes each, less than a sector of 32: make blocks {LANES} threads wide or more",
            counted.row_threads.unwrap_or_default(),
            row_bytes.unwrap_or_default()
        ),
        // A warp that begins amid a sector needs one more.
        Some(stride)
            if stride == bytes && counted.accesses.parts > counted.accesses.least + counted.accesses.requests =>
        {
            format!(
                "only some lanes of a warp {verb} here, with others between them: let neighbouring lanes have these elements, so that all of a warp's are at \
             work",
            )
        }
        Some(stride) if stride == bytes => {
            "let each warp begin at a multiple of 32 bytes: pad rows to such a multiple, or shift the index".to_owned()
        }
        Some(stride) if stride > 0 && stride <= FIELDS_MOST * bytes => format!(
            "neighbouring lanes are {stride} bytes apart: let them {verb} neighbouring elements: an array for each field, where these are fields of \
             structures (structure of arrays); else each lane every 32nd element in place of several in a row, or a tile in shared memory"
        ),
        Some(stride) if stride > 0 => format!(
            "neighbouring lanes are {stride} bytes apart: let them {verb} neighbouring elements, by exchanging the roles of indices or through \
             a tile in shared memory"
        ),
        _ => format!(
            "let neighbouring lanes {verb} neighbouring elements: exchange the roles of indices, or go through a tile in shared memory"
        ),
    }
}

fn bank_conflict(counted: &Counted) -> String {
    // A compiler joins accesses only where the padding leaves them aligned, which none needs.
    let bytes = counted.accesses.written_bytes_per_lane.max(1);
    let Some(stride) = counted.stride_bytes.map(i64::abs).filter(|stride| *stride > 0 && stride % WORD == 0) else {
        return ANOTHER_BANK.to_owned();
    };
    let words = stride / WORD;
    // Where requests conflict more than this stride does, many of their lanes are apart in another way, which padding need not mend.
    let of_stride = passes_of(stride, counted.accesses.bytes_per_lane.max(bytes));
    if counted.accesses.per_request() > STRIDE_EXPLAINS * of_stride {
        return ANOTHER_BANK.to_owned();
    }
    let padding = (1..=PADDING_MOST).find(|padding| is_free(stride + padding * WORD, bytes));
    // Rows may outnumber columns: the remainder keeps the column within its row.
    let rows = BANKS * WORD / i64::from(bytes).max(1);
    let swizzle = if words % BANKS == 0 && i64::from(bytes) >= WORD {
        format!(", or swizzle the column: column ^ (row % {rows})")
    } else {
        String::new()
    };
    match padding {
        Some(padding) => {
            let unit = if padding == 1 { "word" } else { "words" };
            if words > BANKS && words % BANKS == 0 {
                let free = words + padding;
                // Rows may be shorter than what is between two lanes, such as every other one of 32 words.
                format!(
                    "neighbouring lanes are {words} words apart, {free} would do: pad what is between them by {padding} {unit}{swizzle}"
                )
            } else if words < ROW_LEAST {
                let free = words + padding;
                format!(
                    "neighbouring lanes are {words} words apart: where each lane has these to itself, {free} would do; else let neighbouring \
                     lanes access neighbouring words"
                )
            } else {
                format!("pad rows of {words} words by {padding} {unit}{swizzle}")
            }
        }
        None => format!("neighbouring lanes are {words} words apart: let them access neighbouring words{swizzle}"),
    }
}

/// The passes of a request whose lanes are so many bytes apart.
fn passes_of(stride: i64, bytes: u32) -> f64 {
    let offsets = std::array::from_fn(|lane| (lane as i64 * stride) as u32);
    f64::from(passes(Rules::default().banks, &offsets, Mask::MAX, bytes, false).passes)
}

/// Whether lanes so many bytes apart have no conflicts.
fn is_free(stride: i64, bytes: u32) -> bool {
    let aligned = stride % i64::from(bytes) == 0;
    let offsets = std::array::from_fn(|lane| (lane as i64 * stride) as u32);
    aligned && passes(Rules::default().banks, &offsets, Mask::MAX, bytes, false).conflicts == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_simulator::Accesses;

    fn told(kind: Kind, stride_bytes: Option<i64>, bytes_per_lane: u32) -> String {
        let accesses = Accesses { bytes_per_lane, written_bytes_per_lane: bytes_per_lane, ..Accesses::default() };
        remedy(kind, &Counted { accesses, stride_bytes, ..Counted::default() })
    }

    #[test]
    fn the_padding_that_is_told_has_no_conflicts() {
        for (words, expected) in [
            (32, "pad rows of 32 words by 1 word, or swizzle the column: column ^ (row % 32)"),
            (
                2,
                "neighbouring lanes are 2 words apart: where each lane has these to itself, 3 would do; else let neighbouring lanes access \
                 neighbouring words",
            ),
            (
                64,
                "neighbouring lanes are 64 words apart, 65 would do: pad what is between them by 1 word, or swizzle the column: column ^ (row % 32)",
            ),
            (33 + 3, "pad rows of 36 words by 1 word"),
        ] {
            assert_eq!(told(Kind::BankConflictLoad, Some(words * 4), 4), expected);
        }
        let wide = told(Kind::BankConflictStore, Some(32 * 4), 16);
        assert_eq!(wide, "pad rows of 32 words by 4 words, or swizzle the column: column ^ (row % 8)");
        assert!(told(Kind::BankConflictLoad, None, 4).contains("modulo 32"));
    }

    #[test]
    fn the_remedy_of_divergence_follows_from_what_ties_the_lanes() {
        let told = |lanes_of_narrow_ways, threads_are_alike| {
            let counted = Counted { affected: 10.0, lanes_of_narrow_ways, threads_are_alike, ..Counted::default() };
            remedy(Kind::Divergence, &counted)
        };
        assert!(told(160.0, true).contains("sort the work"));
        assert!(told(160.0, false).contains("the same number of steps"), "lanes tell each other something");
        assert!(told(10.0, true).contains("one of them goes a way of its own"));
        let printing = Counted { is_printing: true, ..Counted::default() };
        assert!(remedy(Kind::LocalMemory, &printing).contains("printf"));
    }

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
        let of = |parts| {
            let accesses = Accesses { bytes_per_lane: 4, requests: 10.0, least: 20.0, parts, ..Accesses::default() };
            remedy(Kind::UncoalescedLoad, &Counted { stride_bytes: Some(4), accesses, ..Counted::default() })
        };
        assert!(of(30.0).contains("pad rows to such a multiple"), "a sector more for each request");
        assert!(of(40.0).contains("only some lanes of a warp read here"), "every second lane");
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
}
