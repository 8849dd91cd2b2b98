//! Transactions of an access by the lines that they are in.

use super::cache::{SectorMask, sectors};
use crate::hardware::coalescing::{LINE_BYTES, Transaction};

/// Neighbouring transactions of one line together, as its address and its sectors, but none that moves a sector again.
pub(super) fn by_line(transactions: &[Transaction]) -> impl Iterator<Item = (u64, SectorMask)> {
    let line_of = |transaction: &Transaction| transaction.address / u64::from(LINE_BYTES);
    let mut rest = transactions.iter().peekable();
    std::iter::from_fn(move || {
        let first = rest.next()?;
        let mut wanted = sectors(first.address, first.bytes);
        while let Some(next) =
            rest.next_if(|next| line_of(next) == line_of(first) && sectors(next.address, next.bytes) & wanted == 0)
        {
            wanted |= sectors(next.address, next.bytes);
        }
        Some((first.address, wanted))
    })
}
