//! The part of memory that launches ask L2 to keep.

use super::hash::mixed;
use crate::hardware::caching::Keeping;
use crate::hardware::coalescing::LINE_BYTES;

/// Percent, as a whole.
const ALL_PCT: u64 = 100;

/// Memory that launches ask L2 to keep (an access policy window whose hits persist and whose misses stream).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PersistingWindow {
    /// Its first byte.
    pub address: u64,
    /// How many it has.
    pub bytes: u64,
    /// Which part of its lines is to stay, in percent. The others go before all that is outside.
    pub kept_pct: u32,
}

impl PersistingWindow {
    /// How soon L2 is to let go of the line of this address; `None` outside. The lines that stay are as if drawn at random, but the same at
    /// every access.
    pub(super) fn keeping(&self, address: u64) -> Option<Keeping> {
        (address.wrapping_sub(self.address) < self.bytes).then(|| {
            let drawn = mixed(address / u64::from(LINE_BYTES)) % ALL_PCT;
            if drawn < u64::from(self.kept_pct) { Keeping::Last } else { Keeping::First }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_stays_is_of_lines_and_only_inside() {
        let window = PersistingWindow { address: 4096, bytes: 128 << 10, kept_pct: 25 };
        assert_eq!([4095, 4096 + (128 << 10)].map(|address| window.keeping(address)), [None, None]);
        let kept = (0..1024).filter(|line| window.keeping(4096 + 128 * line) == Some(Keeping::Last)).count();
        assert!((200..312).contains(&kept), "{kept} of 1024 lines");
        assert_eq!(window.keeping(4096), window.keeping(4096 + 127));
        let all = PersistingWindow { kept_pct: 100, ..window };
        assert!((0..1024).all(|line| all.keeping(4096 + 128 * line) == Some(Keeping::Last)));
    }
}
