//! What to do about a pattern, in a sentence that says which stride or padding.

mod atomics;
mod divergence;
mod uncoalesced;

use super::{Counted, Kind};
use atomics::atomics;
pub(super) use atomics::meets_other_warps_only;
use divergence::divergence;
pub(super) use divergence::{goes_alone, is_of_loops, is_sorting_of_use};
use gpu_simulator::hardware::Rules;
use gpu_simulator::hardware::banks::passes;
use gpu_simulator::hardware::lanes::Mask;
use uncoalesced::uncoalesced;

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
    fn local_memory_of_printf_goes_with_it() {
        let printing = Counted { is_printing: true, ..Counted::default() };
        assert!(remedy(Kind::LocalMemory, &printing).contains("printf"));
    }
}
