//! How the lanes' addresses in global memory become transactions.
//!
//! The rules are those of the CUDA C Programming Guide 4, appendix F: F.3.2.1 (compute capability 1.0 and 1.1), F.3.2.2
//! (1.2 and 1.3), F.4.2 and F.5.2 (2 and 3). From compute capability 5 on, a warp's instruction is one request for
//! 32-byte sectors of 128-byte lines.

use std::ops::Deref;

use super::Coalescing;
use super::distinct::Distinct;
use super::width_exponent;
use crate::hardware::lanes::{ALL_LANES, LANES, Mask, lanes_of};

/// Bytes of a line, which a cache has one tag for.
pub const LINE_BYTES: u32 = 128;

/// Bytes of a sector, the least that is moved.
pub const SECTOR_BYTES: u32 = 32;

/// Lanes of a half-warp.
const HALF: usize = LANES / 2;

/// An aligned segment of global memory that is moved at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Transaction {
    /// Its first byte: a multiple of `bytes`.
    pub address: u64,
    /// Its length: 32, 64 or 128.
    pub bytes: u32,
}

/// The transactions of an instruction: no more than a warp has lanes, under every rule.
#[derive(Debug, Clone)]
pub struct Transactions {
    buffer: [Transaction; LANES],
    length: usize,
}

impl Transactions {
    fn push(&mut self, address: u64, bytes: u32) {
        self.buffer[self.length] = Transaction { address, bytes };
        self.length += 1;
    }
}

impl Deref for Transactions {
    type Target = [Transaction];

    fn deref(&self) -> &[Transaction] {
        &self.buffer[..self.length]
    }
}

impl PartialEq for Transactions {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

/// What a warp's instruction asks of global memory.
#[derive(Debug, Clone, PartialEq)]
pub struct GlobalAccess {
    /// Requests that the instruction is split into: half-warps or quarter-warps without active lanes make none.
    pub requests: u32,
    /// Different 128-byte lines of each request, summed over the requests.
    pub lines: u32,
    /// What is moved.
    pub transactions: Transactions,
    /// Bytes of the transactions.
    pub bytes_moved: u64,
    /// Bytes that active lanes asked for, shared ones as often as they were asked for.
    pub bytes_asked: u64,
    /// Cycles that the load-store unit is busy: one for each transaction on compute capability 1, else one for each line
    /// or each four sectors, whichever is more. An estimate.
    pub pipeline_cycles: u32,
}

impl GlobalAccess {
    /// An access of no lane.
    pub fn new() -> Self {
        let transactions = Transactions { buffer: [Transaction::default(); LANES], length: 0 };
        Self { requests: 0, lines: 0, transactions, bytes_moved: 0, bytes_asked: 0, pipeline_cycles: 0 }
    }

    /// Where a word is that is all it asks for: the address of its sector.
    pub(crate) fn lone_sector(&self) -> Option<u64> {
        let is_word = self.transactions.len() == 1 && self.bytes_asked <= 8;
        self.transactions.first().filter(|_| is_word).map(|own| own.address / u64::from(SECTOR_BYTES))
    }

    fn clear(&mut self) {
        self.requests = 0;
        self.lines = 0;
        self.transactions.length = 0;
        self.bytes_moved = 0;
        self.bytes_asked = 0;
        self.pipeline_cycles = 0;
    }
}

impl Default for GlobalAccess {
    fn default() -> Self {
        Self::new()
    }
}

/// What kind of access the lanes make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Cached,
    Uncached,
    Atomic,
}

/// The transactions of loads or stores of `bytes_per_lane` (1, 2, 4, 8 or 16) at the active lanes' `addresses`, in
/// place of what is in `out`. Without active lanes there are none.
pub fn coalesce(rule: Coalescing, addresses: &[u64; LANES], mask: Mask, bytes_per_lane: u32, out: &mut GlobalAccess) {
    access(rule, Kind::Cached, addresses, mask, bytes_per_lane, out);
}

/// The same of accesses that L1 does not hold: `Lines` then moves 32-byte segments (F.4.2); the others do not care.
pub fn coalesce_uncached(
    rule: Coalescing,
    addresses: &[u64; LANES],
    mask: Mask,
    bytes_per_lane: u32,
    out: &mut GlobalAccess,
) {
    access(rule, Kind::Uncached, addresses, mask, bytes_per_lane, out);
}

/// The same of atomics, which L1 does not hold either: lanes that hit the same bytes go into further transactions, so
/// that a segment is moved as often as its most wanted word is.
pub fn coalesce_atomic(
    rule: Coalescing,
    addresses: &[u64; LANES],
    mask: Mask,
    bytes_per_lane: u32,
    out: &mut GlobalAccess,
) {
    access(rule, Kind::Atomic, addresses, mask, bytes_per_lane, out);
}

fn access(
    rule: Coalescing,
    kind: Kind,
    addresses: &[u64; LANES],
    mask: Mask,
    bytes_per_lane: u32,
    out: &mut GlobalAccess,
) {
    out.clear();
    if mask == 0 {
        return;
    }
    let exponent = width_exponent(bytes_per_lane);
    let done = kind != Kind::Atomic && rule == Coalescing::Sectors && regular(addresses, mask, exponent, out);
    if !done {
        irregular(rule, kind, addresses, mask, exponent, out);
    }
    out.bytes_asked = u64::from(mask.count_ones()) << exponent;
    out.bytes_moved = out.transactions.iter().map(|transaction| u64::from(transaction.bytes)).sum();
    out.pipeline_cycles = match rule {
        Coalescing::HalfWarpInOrder | Coalescing::HalfWarpSegments => out.transactions.len() as u32,
        Coalescing::Lines | Coalescing::Sectors => {
            out.lines.max(out.bytes_moved.div_ceil(u64::from(LINE_BYTES)) as u32)
        }
    };
}

/// The fast way of `Sectors` where lane *k* accesses word *k* of an array or all lanes one sector. False if they do not.
fn regular(addresses: &[u64; LANES], mask: Mask, exponent: u32, out: &mut GlobalAccess) -> bool {
    let first = mask.trailing_zeros();
    let start = addresses[first as usize];
    let base = start.wrapping_sub(u64::from(first) << exponent);
    let (mut off_line, mut off_start) = (0, 0);
    let off = |lane: usize, address: u64| (address.wrapping_sub(base) ^ ((lane as u64) << exponent), address ^ start);
    if mask == ALL_LANES {
        for (lane, &address) in addresses.iter().enumerate() {
            let own = off(lane, address);
            (off_line, off_start) = (off_line | own.0, off_start | own.1);
        }
    } else {
        for lane in lanes_of(mask) {
            let own = off(lane, addresses[lane]);
            (off_line, off_start) = (off_line | own.0, off_start | own.1);
        }
    }
    if off_start < u64::from(SECTOR_BYTES) {
        out.requests = 1;
        out.lines = 1;
        out.transactions.push(start & !u64::from(SECTOR_BYTES - 1), SECTOR_BYTES);
        return true;
    }
    if off_line != 0 || base & ((1 << exponent) - 1) != 0 {
        return false;
    }
    // Bit k of `lanes` is now the k-th word from the beginning of the first sector.
    let lanes_of_sector = SECTOR_BYTES >> exponent;
    let sector_mask = (1_u64 << lanes_of_sector) - 1;
    let mut lanes = u64::from(mask) << ((base & u64::from(SECTOR_BYTES - 1)) >> exponent);
    let mut sector = base & !u64::from(SECTOR_BYTES - 1);
    let mut last_line = None;
    while lanes != 0 {
        if lanes & sector_mask != 0 {
            out.transactions.push(sector, SECTOR_BYTES);
            let line = sector / u64::from(LINE_BYTES);
            out.lines += u32::from(last_line != Some(line));
            last_line = Some(line);
        }
        lanes >>= lanes_of_sector;
        sector = sector.wrapping_add(u64::from(SECTOR_BYTES));
    }
    out.requests = 1;
    true
}

/// Every rule, whatever the addresses.
fn irregular(
    rule: Coalescing,
    kind: Kind,
    addresses: &[u64; LANES],
    mask: Mask,
    exponent: u32,
    out: &mut GlobalAccess,
) {
    let lanes_of_request = match rule {
        Coalescing::HalfWarpInOrder | Coalescing::HalfWarpSegments => HALF,
        // Words of 8 bytes go by half-warps and words of 16 bytes by quarter-warps.
        Coalescing::Lines => LANES >> exponent.saturating_sub(2),
        Coalescing::Sectors => LANES,
    };
    for first in (0..LANES).step_by(lanes_of_request) {
        let part = mask & ((Mask::MAX >> (LANES - lanes_of_request)) << first);
        if part == 0 {
            continue;
        }
        out.requests += 1;
        match rule {
            Coalescing::HalfWarpInOrder => in_order(addresses, part, first, exponent, out),
            Coalescing::HalfWarpSegments => segments(addresses, part, exponent, kind == Kind::Atomic, out),
            Coalescing::Lines => lines(addresses, part, exponent, kind, kind == Kind::Cached, out),
            Coalescing::Sectors => lines(addresses, part, exponent, kind, false, out),
        }
    }
}

/// F.3.2.1. Lane *k* has to access word *k*: one transaction of 64 bytes for words of 4 bytes, one of 128 bytes for words
/// of 8 bytes, two of 128 bytes for words of 16 bytes. Else, and for shorter words, there is a transaction of 32 bytes for each
/// element that is requested (CUDA C Best Practices Guide 4.2, coalesced access to global memory): 16 if all lanes are active.
fn in_order(addresses: &[u64; LANES], part: Mask, first: usize, exponent: u32, out: &mut GlobalAccess) {
    let word_of = |lane: usize| ((lane - first) as u64) << exponent;
    let lowest = part.trailing_zeros() as usize;
    let base = addresses[lowest].wrapping_sub(word_of(lowest));
    let segment_bytes: u32 = if exponent == 2 { 64 } else { 128 };
    let coalesced = exponent >= 2
        && base.is_multiple_of(u64::from(segment_bytes))
        && lanes_of(part).all(|lane| addresses[lane].wrapping_sub(base) == word_of(lane));
    if coalesced {
        for segment in 0..if exponent == 4 { 2 } else { 1 } {
            out.transactions.push(base.wrapping_add(segment * u64::from(segment_bytes)), segment_bytes);
            out.lines += 1;
        }
        return;
    }
    let mut lines = Distinct::new();
    for lane in lanes_of(part) {
        lines.insert(addresses[lane] / u64::from(LINE_BYTES));
    }
    out.lines += lines.keys().len() as u32;
    for lane in lanes_of(part) {
        out.transactions.push(addresses[lane] & !u64::from(SECTOR_BYTES - 1), SECTOR_BYTES);
    }
}

/// F.3.2.2. The lowest lane yet unserved picks a segment of 32 bytes for words of 1 byte, 64 for 2, 128 for longer; every
/// lane within it is served; a half that nobody uses is cut off, down to 32 bytes.
fn segments(addresses: &[u64; LANES], part: Mask, exponent: u32, atomic: bool, out: &mut GlobalAccess) {
    let widest = SECTOR_BYTES << exponent.min(2);
    let mut lines = Distinct::new();
    let mut rest = part;
    while rest != 0 {
        let picked = addresses[rest.trailing_zeros() as usize];
        let (mut low, mut high, mut served) = (u64::MAX, 0, 0);
        for lane in lanes_of(rest) {
            let address = addresses[lane];
            if (address ^ picked) < u64::from(widest) {
                served |= 1 << lane;
                low = low.min(address);
                high = high.max(address);
            }
        }
        rest &= !served;
        let mut bytes = widest;
        while bytes > SECTOR_BYTES && (low ^ high) < u64::from(bytes / 2) {
            bytes /= 2;
        }
        lines.insert(low / u64::from(LINE_BYTES));
        for _ in 0..if atomic { most_wanted(addresses, served, exponent) } else { 1 } {
            out.transactions.push(low & !u64::from(bytes - 1), bytes);
        }
    }
    out.lines += lines.keys().len() as u32;
}

/// How many lanes want the word that most of them want.
fn most_wanted(addresses: &[u64; LANES], lanes: Mask, exponent: u32) -> u32 {
    let mut words = Distinct::new();
    let mut wanted = [0; LANES];
    for lane in lanes_of(lanes) {
        wanted[words.insert(addresses[lane] >> exponent).0] += 1;
    }
    wanted.into_iter().max().unwrap_or(0)
}

/// One request of `Lines` or `Sectors`: whole lines, or the sectors in use of each line in the order in which the lanes
/// name the lines, ascending within one.
fn lines(addresses: &[u64; LANES], part: Mask, exponent: u32, kind: Kind, whole_lines: bool, out: &mut GlobalAccess) {
    const SECTORS: usize = (LINE_BYTES / SECTOR_BYTES) as usize;
    let mut lines = Distinct::new();
    // How often each sector of each line is moved.
    let mut times = [[0_u8; SECTORS]; LANES];
    let mut last = (u64::MAX, 0);
    for lane in lanes_of(part) {
        let line = addresses[lane] / u64::from(LINE_BYTES);
        if last.0 != line {
            last = (line, lines.insert(line).0);
        }
        times[last.1][sector_of(addresses[lane])] = 1;
    }
    if kind == Kind::Atomic {
        let mut words = Distinct::new();
        let mut wanted = [0_u8; LANES];
        for lane in lanes_of(part) {
            let word = words.insert(addresses[lane] >> exponent).0;
            wanted[word] += 1;
            let line = lines.insert(addresses[lane] / u64::from(LINE_BYTES)).0;
            let sector = &mut times[line][sector_of(addresses[lane])];
            *sector = wanted[word].max(*sector);
        }
    }
    out.lines += lines.keys().len() as u32;
    for (line, times) in lines.keys().iter().zip(times) {
        let address = line * u64::from(LINE_BYTES);
        if whole_lines {
            out.transactions.push(address, LINE_BYTES);
            continue;
        }
        for (sector, times) in times.into_iter().enumerate() {
            for _ in 0..times {
                out.transactions.push(address + sector as u64 * u64::from(SECTOR_BYTES), SECTOR_BYTES);
            }
        }
    }
}

fn sector_of(address: u64) -> usize {
    (address % u64::from(LINE_BYTES) / u64::from(SECTOR_BYTES)) as usize
}

/// The address of a lane's byte of local memory, where words of the lanes of a warp lie side by side.
pub(crate) fn interleaved(offset: u32, lane: usize) -> u64 {
    let word = u64::from(offset / 4) * LANES as u64 + lane as u64;
    4 * word + u64::from(offset % 4)
}

#[cfg(test)]
mod tests;
