//! Which parts of global memory are written: only there races are.

use std::collections::HashSet;

use crate::execute::{AccessKind, Observer};
use crate::hardware::lanes::{Longs, Mask, lanes_of};

/// Bytes of the parts that are told apart.
pub(super) const LINE_BYTES: u64 = 128;
/// Parts at most that are watched.
const LINES_MOST: usize = 1 << 18;

/// The parts that blocks write.
#[derive(Debug, Default)]
pub(crate) struct WrittenLines(HashSet<u64>);

impl WrittenLines {
    /// The parts that several observers saw written, in ascending order; and whether there are more, which are left out.
    pub(crate) fn merged(all: Vec<Self>) -> (Vec<u64>, bool) {
        let all: HashSet<u64> = all.into_iter().flat_map(|own| own.0).collect();
        let mut lines: Vec<u64> = all.into_iter().collect();
        lines.sort_unstable();
        let is_more = lines.len() > LINES_MOST;
        lines.truncate(LINES_MOST);
        (lines, is_more)
    }
}

impl Observer for WrittenLines {
    fn instruction(&mut self, _pc: u32, _active: Mask, _executed: Mask) {}

    fn global(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, _bytes: u32) {
        if kind == AccessKind::Load {
            return;
        }
        let mut last = None;
        for lane in lanes_of(mask) {
            // No access is of more than 16 bytes, which it is aligned to.
            let line = addresses[lane] / LINE_BYTES;
            if last != Some(line) {
                self.0.insert(line);
                last = Some(line);
            }
        }
    }
}
