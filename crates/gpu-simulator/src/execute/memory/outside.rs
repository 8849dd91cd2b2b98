//! Accesses outside of all allocations, in words.

use super::{Allocation, Memory};
use crate::windows::number_of;

/// The largest number of an element: a difference of 32 bits that came out below zero has it.
const NUMBER_MOST: u64 = u32::MAX as u64;

impl Memory {
    /// Where an access is that no allocation holds: by the number of its element where it is of one, as if the allocation had more of that size,
    /// else by its distance.
    pub(super) fn no_allocation(&self, address: u64, bytes: u32) -> String {
        let describe = |allocation: &Allocation, what: String| {
            allocation.element(address, u64::from(bytes)).unwrap_or_else(|| {
                let Allocation { name, address, contents, .. } = allocation;
                format!("{what} `{name}` ({} bytes at {address:#x})", contents.len())
            })
        };
        // Those whose addresses it is among; the nearest ones where it is among none.
        let is_own = |allocation: &&Allocation| number_of(allocation.address) == number_of(address);
        let has_own = self.allocations.iter().any(|allocation| is_own(&allocation));
        let near = || self.allocations.iter().filter(|allocation| !has_own || is_own(allocation));
        let below = near().rev().find(|allocation| allocation.address <= address);
        let above = near().find(|allocation| allocation.address > address);
        match (below, above) {
            (Some(below), above) => {
                let end = below.address + below.contents.len() as u64;
                if address < end {
                    let beyond = address + u64::from(bytes) - end;
                    return describe(below, format!("of which {beyond} are beyond the end of"));
                }
                match above {
                    Some(above) if above.address - address < address - end => {
                        describe(above, format!("{} bytes before", above.address - address))
                    }
                    _ if address == end => describe(below, "right behind the end of".to_owned()),
                    _ => describe(below, format!("{} bytes beyond the end of", address - end)),
                }
            }
            (None, Some(above)) => describe(above, format!("{} bytes before", above.address - address)),
            (None, None) => "and nothing is allocated".to_owned(),
        }
    }
}

impl Allocation {
    /// Which of its elements an access would be of, if it had more; `None` where its elements are of another size, or it is far away.
    fn element(&self, address: u64, bytes: u64) -> Option<String> {
        let (length, distance) = (self.contents.len() as u64, address.abs_diff(self.address));
        let is_element = bytes > 0 && length.is_multiple_of(bytes) && distance.is_multiple_of(bytes);
        let is_before = address < self.address;
        if !is_element || distance / bytes > NUMBER_MOST {
            return None;
        }
        let (sign, of) = (if is_before { "-" } else { "" }, length / bytes);
        let elements = if of == 1 { "element" } else { "elements" };
        let each = if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") };
        let (number, name) = (distance / bytes, &self.name);
        Some(format!(
            "element {sign}{number} of `{name}`, which has {of} {elements} of {each} (at {:#x})",
            self.address
        ))
    }
}
