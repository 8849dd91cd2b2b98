//! How the lanes' addresses in shared memory become passes over the banks.
//!
//! The rules are those of the CUDA C Programming Guide 4, appendix F: F.3.3 (compute capability 1), F.4.3 (2), F.5.3 (3).
//! From compute capability 5 on, there are 32 banks of 32 bits, a word goes to any number of lanes at once, and words of
//! 8 and 16 bytes are served by half-warps and quarter-warps; two of them at once where every lane loads what its neighbour does
//! (measured: results/nvidia-h200/constants/mixes.csv).

use super::Banks;
use super::distinct::Distinct;
use super::width_exponent;
use crate::hardware::lanes::{LANES, Mask, lanes_of};

/// Lanes of a half-warp.
const HALF: usize = LANES / 2;

/// What a warp's instruction asks of shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SharedAccess {
    /// Requests that the instruction is split into. Compute capability 1: one for each 32 bits of each half-warp; 2 and
    /// 3: as many as the width needs; 5 and above: one.
    pub requests: u32,
    /// Passes over the banks in all.
    pub passes: u32,
    /// Passes beyond the fewest that an access of this width by these half-warps or quarter-warps needs.
    pub conflicts: u32,
}

/// The passes of loads (or, with `store`, stores) of `bytes_per_lane` (1, 2, 4, 8 or 16) at the active lanes'
/// `addresses`, in bytes from the beginning of shared memory. Without active lanes there are none.
pub fn passes(rule: Banks, addresses: &[u32; LANES], mask: Mask, bytes_per_lane: u32, store: bool) -> SharedAccess {
    let exponent = width_exponent(bytes_per_lane);
    let best = fewest(rule, mask, exponent);
    if is_regular(rule, addresses, mask, exponent, store) {
        best
    } else {
        irregular(rule, addresses, mask, exponent, store)
    }
}

/// The passes of atomics: a bank serves one lane after the other, whether they want the same word or not.
pub fn atomic_passes(rule: Banks, addresses: &[u32; LANES], mask: Mask, bytes_per_lane: u32) -> SharedAccess {
    let exponent = width_exponent(bytes_per_lane);
    let best = fewest(rule, mask, exponent);
    let bank_count = if rule == Banks::HalfWarp16 { 16 } else { 32 };
    let pieces = if rule == Banks::HalfWarp16 { pieces(exponent) } else { 1 };
    let mut passes = 0;
    for part in parts(mask, lanes_of_part(rule, exponent)) {
        let mut lanes_of_bank = [0; LANES];
        for lane in lanes_of(part) {
            // Of a wide word, the first bank tells for all.
            lanes_of_bank[(addresses[lane] >> exponent << exponent >> 2) as usize % bank_count] += 1;
        }
        passes += pieces * lanes_of_bank.into_iter().max().unwrap_or(0);
    }
    let passes = passes.max(best.passes);
    SharedAccess { passes, conflicts: passes - best.passes, ..best }
}

/// Lanes that are served together.
fn lanes_of_part(rule: Banks, exponent: u32) -> usize {
    match rule {
        Banks::HalfWarp16 => HALF,
        // 128-bit words: see `irregular`.
        Banks::Warp32 => LANES >> exponent.saturating_sub(2).min(1),
        Banks::Warp32Wide => LANES >> exponent.saturating_sub(3),
        Banks::Phases32 => LANES >> exponent.saturating_sub(2),
    }
}

/// The parts of a mask that have an active lane.
fn parts(mask: Mask, lanes_of_part: usize) -> impl Iterator<Item = Mask> {
    let part = Mask::MAX >> (LANES - lanes_of_part);
    (0..LANES).step_by(lanes_of_part).map(move |first| mask & (part << first)).filter(|&part| part != 0)
}

/// Accesses of 32 bits at most that compute capability 1 splits a wider one into.
fn pieces(exponent: u32) -> u32 {
    1 << exponent.saturating_sub(2)
}

/// What the access would cost without conflicts.
fn fewest(rule: Banks, mask: Mask, exponent: u32) -> SharedAccess {
    let parts = parts(mask, lanes_of_part(rule, exponent)).count() as u32;
    let (requests, passes) = match rule {
        Banks::HalfWarp16 => (parts * pieces(exponent), parts * pieces(exponent)),
        Banks::Warp32 if exponent == 4 => (parts, 2 * parts),
        Banks::Warp32 | Banks::Warp32Wide => (parts, parts),
        Banks::Phases32 => (parts.min(1), parts),
    };
    SharedAccess { requests, passes, conflicts: 0 }
}

/// Whether lane *k* accesses word *k* of an array, or all lanes the same one, and the rule has no conflicts then and no part of the
/// warp goes with another.
fn is_regular(rule: Banks, addresses: &[u32; LANES], mask: Mask, exponent: u32, store: bool) -> bool {
    if mask == 0 {
        return true;
    }
    let first = mask.trailing_zeros();
    let start = addresses[first as usize];
    let base = start.wrapping_sub(first << exponent);
    let (mut off_line, mut off_start) = (0, 0);
    for (lane, &address) in addresses.iter().enumerate() {
        let active = 0_u32.wrapping_sub(mask >> lane & 1);
        off_line |= (address.wrapping_sub(base) ^ ((lane as u32) << exponent)) & active;
        off_start |= (address ^ start) & active;
    }
    let consecutive_is_free = match rule {
        Banks::HalfWarp16 => exponent == 2,
        // Words of 8 bytes that begin within a segment of 64 words get into the way of those in the next.
        Banks::Warp32Wide => exponent <= 2,
        Banks::Warp32 | Banks::Phases32 => true,
    };
    let one_for_all_is_best = rule != Banks::Phases32 || exponent <= 2 || store;
    (off_start == 0 && one_for_all_is_best)
        || (off_line == 0 && consecutive_is_free && base.trailing_zeros() >= exponent)
}

/// Every rule, whatever the addresses.
fn irregular(rule: Banks, addresses: &[u32; LANES], mask: Mask, exponent: u32, store: bool) -> SharedAccess {
    let best = fewest(rule, mask, exponent);
    if rule == Banks::Phases32 && exponent > 2 && !store {
        let phases = lanes_of_part(rule, exponent);
        let together = if neighbours_share(addresses, mask) { 2 * phases } else { phases };
        let passes = parts(mask, together).map(|part| most_rows(addresses, part, exponent, 5)).sum::<u32>();
        return SharedAccess { passes, conflicts: passes.saturating_sub(best.passes), ..best };
    }
    let passes = parts(mask, lanes_of_part(rule, exponent))
        .map(|part| match rule {
            Banks::HalfWarp16 => (0..pieces(exponent))
                .map(|piece| {
                    if store {
                        half_warp_store(addresses, part, exponent, piece)
                    } else {
                        half_warp_load(addresses, part, exponent, piece)
                    }
                })
                .sum(),
            // F.4.3: one more than the most lanes of a quarter-warp that want different addresses of a bank. We read this
            // as said of half-warps, so that 512 bytes take four passes.
            Banks::Warp32 if exponent == 4 => {
                1 + parts(part, LANES / 4).map(|quarter| most_rows(addresses, quarter, exponent, 5)).max().unwrap_or(0)
            }
            Banks::Warp32 | Banks::Phases32 => most_rows(addresses, part, exponent, 5),
            // F.5.3, mode of 32-bit words (the default): words i and i + 32 of an aligned segment of 64 do not conflict.
            Banks::Warp32Wide => most_rows(addresses, part, exponent, 6),
        })
        .sum();
    SharedAccess { passes, conflicts: passes - best.passes, ..best }
}

/// Whether lanes 2i and 2i + 1 load the same word for every i, or lanes i and i + 2 of every four: then two phases go together.
fn neighbours_share(addresses: &[u32; LANES], mask: Mask) -> bool {
    let share = |distance: usize| {
        lanes_of(mask).all(|lane| mask >> (lane ^ distance) & 1 == 0 || addresses[lane] == addresses[lane ^ distance])
    };
    share(1) || share(2)
}

/// The most different rows of `1 << row_exponent` 32-bit words that any of 32 banks is asked for. A wide word takes its
/// neighbouring banks together.
fn most_rows(addresses: &[u32; LANES], part: Mask, exponent: u32, row_exponent: u32) -> u32 {
    let wide = exponent.saturating_sub(2);
    let place = |lane: usize| {
        let word = addresses[lane] >> 2;
        ((word % 32) >> wide, word >> row_exponent)
    };
    let mut row_of_bank = [0; 32];
    let mut taken = 0_u32;
    let conflict = lanes_of(part).any(|lane| {
        let (bank, row) = place(lane);
        let other = taken >> bank & 1 == 1 && row_of_bank[bank as usize] != row;
        taken |= 1 << bank;
        row_of_bank[bank as usize] = row;
        other
    });
    if !conflict {
        return 1;
    }
    let mut seen = Distinct::new();
    let mut counts = [0; 32];
    for lane in lanes_of(part) {
        let (bank, row) = place(lane);
        counts[bank as usize] += u32::from(seen.insert(u64::from(row) << 5 | u64::from(bank)).1);
    }
    counts.into_iter().max().unwrap_or(0)
}

/// The `piece`-th 32-bit word of what lane `lane` accesses.
fn word_of(addresses: &[u32; LANES], lane: usize, exponent: u32, piece: u32) -> u32 {
    (addresses[lane] >> exponent << exponent >> 2).wrapping_add(piece)
}

/// F.3.3.2: each step serves every lane that wants the broadcast word and one lane of each other bank. Which word and
/// which lanes is left open; we take the lowest lanes' each.
fn half_warp_load(addresses: &[u32; LANES], part: Mask, exponent: u32, piece: u32) -> u32 {
    let mut rest = part;
    let mut steps = 0;
    while rest != 0 {
        let broadcast = word_of(addresses, rest.trailing_zeros() as usize, exponent, piece);
        let mut taken = 1_u32 << (broadcast % 16);
        for lane in lanes_of(rest) {
            let word = word_of(addresses, lane, exponent, piece);
            let free = taken >> (word % 16) & 1 == 0;
            if free || word == broadcast {
                taken |= 1 << (word % 16);
                rest &= !(1 << lane);
            }
        }
        steps += 1;
    }
    steps
}

/// F.3.3: of the lanes that write the same location one wins, so only different ones take a step each, also those within
/// one 32-bit word (F.3.3.3).
fn half_warp_store(addresses: &[u32; LANES], part: Mask, exponent: u32, piece: u32) -> u32 {
    let mut seen = Distinct::new();
    let mut steps_of_bank = [0; 16];
    for lane in lanes_of(part) {
        if seen.insert(u64::from(addresses[lane] >> exponent)).1 {
            steps_of_bank[word_of(addresses, lane, exponent, piece) as usize % 16] += 1;
        }
    }
    steps_of_bank.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
