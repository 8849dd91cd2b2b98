//! Global memory as a chunk of blocks sees it.

use std::sync::Arc;

use super::contents::{PAGE_BYTES, PageBytes, Span, parts};
use super::{GlobalMemory, Memory, extent, gather_each, gather_from, scatter_to};
use crate::hardware::lanes::{Longs, Mask, lanes_of};

/// A page that was written to: its contents, and which bytes are new.
#[derive(Debug)]
struct Page {
    allocation: usize,
    number: usize,
    bytes: Box<PageBytes>,
    written: [u64; PAGE_BYTES / 64],
}

/// Global memory as the blocks of one chunk see it: the memory as it was, and what they wrote. Chunks run side by side
/// and are then committed in their order, so that the outcome does not depend on the number of threads, whatever a
/// kernel's blocks do to each other.
#[derive(Debug)]
pub(crate) struct Overlay<'memory> {
    base: &'memory Memory,
    /// For each allocation and page, 1 + the index of its copy.
    tables: Vec<Vec<u32>>,
    pages: Vec<Page>,
}

/// What a chunk wrote.
#[derive(Debug)]
pub(crate) struct Written {
    pages: Vec<Page>,
}

impl<'memory> Overlay<'memory> {
    /// A view on `base` to which nothing is written yet.
    pub(crate) fn new(base: &'memory Memory) -> Self {
        Self { base, tables: vec![Vec::new(); base.allocations.len()], pages: Vec::new() }
    }

    /// What was written.
    pub(crate) fn finish(self) -> Written {
        Written { pages: self.pages }
    }

    fn page(&self, allocation: usize, number: usize) -> Option<&Page> {
        match self.tables[allocation].get(number) {
            None | Some(0) => None,
            Some(index) => Some(&self.pages[*index as usize - 1]),
        }
    }

    fn page_to_write(&mut self, allocation: usize, number: usize) -> (&mut PageBytes, &mut [u64; PAGE_BYTES / 64]) {
        let table = &mut self.tables[allocation];
        let contents = &self.base.allocations[allocation].contents;
        if table.is_empty() {
            *table = vec![0; contents.len().div_ceil(PAGE_BYTES)];
        }
        if table[number] == 0 {
            let bytes = Box::new(contents.copy_of_page(number));
            self.pages.push(Page { allocation, number, bytes, written: [0; PAGE_BYTES / 64] });
            table[number] = self.pages.len() as u32;
        }
        let page = &mut self.pages[table[number] as usize - 1];
        (&mut page.bytes, &mut page.written)
    }
}

impl Written {
    /// Writes it to the memory itself.
    pub(crate) fn commit(self, memory: &mut Memory) {
        for page in self.pages {
            let contents = &mut memory.allocations[page.allocation].contents;
            // What was not written is as it was, unless another has committed to the page since.
            let is_all = page.written.iter().all(|bits| *bits == u64::MAX);
            if is_all || !contents.is_page_written(page.number) {
                contents.set_page(page.number, Arc::from(page.bytes));
                continue;
            }
            let target = contents.page_mut(page.number);
            for (word, bits) in page.written.iter().enumerate() {
                let start = word * 64;
                let mut rest = *bits;
                if rest == u64::MAX {
                    target[start..start + 64].copy_from_slice(&page.bytes[start..start + 64]);
                    continue;
                }
                while rest != 0 {
                    let byte = start + rest.trailing_zeros() as usize;
                    target[byte] = page.bytes[byte];
                    rest &= rest - 1;
                }
            }
        }
    }
}

impl GlobalMemory for Overlay<'_> {
    fn locate(&self, address: u64, bytes: u32) -> Result<(usize, usize), String> {
        self.base.locate(address, bytes)
    }

    fn read(&self, (allocation, offset): (usize, usize), bytes: u32) -> u64 {
        match self.page(allocation, offset / PAGE_BYTES) {
            None => self.base.read((allocation, offset), bytes),
            Some(page) => Span::Bytes(&page.bytes[..]).number(offset % PAGE_BYTES, bytes),
        }
    }

    fn write(&mut self, (allocation, offset): (usize, usize), bytes: u32, value: u64) {
        let (page, written) = self.page_to_write(allocation, offset / PAGE_BYTES);
        let start = offset % PAGE_BYTES;
        page[start..][..bytes as usize].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
        mark(written, start, bytes);
    }

    fn read_into(&self, (allocation, offset): (usize, usize), target: &mut [u8]) {
        if self.tables[allocation].is_empty() {
            return self.base.read_into((allocation, offset), target);
        }
        for part in parts(offset, target.len()) {
            let target = &mut target[part.start - offset..part.end - offset];
            match self.page(allocation, part.start / PAGE_BYTES) {
                Some(page) => target.copy_from_slice(&page.bytes[part.start % PAGE_BYTES..][..part.len()]),
                None => self.base.read_into((allocation, part.start), target),
            }
        }
    }

    fn gather(&self, addresses: &Longs, mask: Mask, size: u32, values: &mut [Longs]) -> bool {
        let Some((low, length)) = extent(addresses, mask, size * values.len() as u32) else { return false };
        let Some((allocation, offset)) = self.base.find(low, length as u64) else { return false };
        let span = if self.tables[allocation].is_empty() {
            self.base.allocations[allocation].contents.span(offset, length)
        } else {
            let (first, last) = (offset / PAGE_BYTES, (offset + length - 1) / PAGE_BYTES);
            match self.page(allocation, first) {
                _ if first != last => None,
                Some(page) => Some(Span::Bytes(&page.bytes[offset % PAGE_BYTES..])),
                None => self.base.allocations[allocation].contents.span(offset, length),
            }
        };
        match span {
            Some(span) => gather_from(span, low, addresses, mask, size, values),
            None => gather_each(self, (allocation, offset), low, addresses, mask, size, values),
        }
        true
    }

    fn scatter(&mut self, addresses: &Longs, mask: Mask, size: u32, values: &[Longs]) -> bool {
        let Some((low, length)) = extent(addresses, mask, size * values.len() as u32) else { return false };
        let Some((allocation, offset)) = self.base.find(low, length as u64) else { return false };
        let (page, start) = (offset / PAGE_BYTES, offset % PAGE_BYTES);
        if start + length > PAGE_BYTES {
            for lane in lanes_of(mask) {
                let place = offset + (addresses[lane] - low) as usize;
                for (index, value) in values.iter().enumerate() {
                    self.write((allocation, place + index * size as usize), size, value[lane]);
                }
            }
            return true;
        }
        let (page, written) = self.page_to_write(allocation, page);
        scatter_to(page, (low, start), addresses, mask, size, values, |place, _| mark(written, place, size));
        true
    }
}

/// Notes bytes of a page as written. Accesses are aligned, so that none crosses from one word of bits to the next.
fn mark(written: &mut [u64; PAGE_BYTES / 64], start: usize, bytes: u32) {
    written[start / 64] |= ((1_u64 << bytes) - 1) << (start % 64);
}
