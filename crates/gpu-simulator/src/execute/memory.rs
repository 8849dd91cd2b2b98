//! Global memory: allocations, and a view on them that keeps what is written to itself.

use std::fmt;

use super::print::Printed;
use crate::program::ModuleVariables;
use crate::windows::{ALLOCATION_BASE, MODULE_BASE};

/// An allocation with its contents.
#[derive(Debug, Clone)]
pub(super) struct Allocation {
    /// What it is to people.
    pub name: String,
    /// Its address.
    pub address: u64,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// An access that is not allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryProblem {
    /// Bytes of the access.
    pub bytes: u32,
    /// Its address, in the space that was meant.
    pub address: u64,
    /// Whether it reads, writes or both.
    pub verb: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for MemoryProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, address, verb, reason } = self;
        let noun = if *bytes == 1 { "byte" } else { "bytes" };
        write!(formatter, "{verb} {bytes} {noun} at {address:#x}, {reason}")
    }
}

/// Global memory as a kernel sees it.
pub(crate) trait GlobalMemory {
    /// Where an access is: its allocation and the offset in it.
    ///
    /// # Errors
    /// Why no allocation holds all of it.
    fn locate(&self, address: u64, bytes: u32) -> Result<(usize, usize), String>;

    /// `bytes` bytes (1 to 8) at a place that was located, as a little-endian number.
    fn read(&self, place: (usize, usize), bytes: u32) -> u64;

    /// Writes the lower `bytes` bytes of a value at a place that was located.
    fn write(&mut self, place: (usize, usize), bytes: u32, value: u64);

    /// A kernel prints.
    fn print(&mut self, _text: &str) {}

    /// A new allocation for a kernel's `malloc`; 0 where there is none to be had.
    fn allocate(&mut self, _bytes: u64) -> u64 {
        0
    }
}

/// Global memory of a simulated GPU: buffers, variables of modules, and what kernels have printed. It outlives launches.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// By ascending address.
    allocations: Vec<Allocation>,
    modules: Vec<Placed>,
    printed: Printed,
    /// What `malloc` inside kernels has given out.
    heap_bytes: u64,
    /// Writes of kernels that changed something.
    changes: u64,
}

/// Where a module's variables are.
#[derive(Debug, Clone, Copy)]
struct Placed {
    fingerprint: u64,
    base: u64,
    end: u64,
}

/// Allocations begin at multiples of this, as the driver's do.
const ALIGNMENT: u64 = 256;
/// Free addresses between allocations, so that an access beyond one is not inside the next.
const GAP: u64 = 1 << 16;
/// Memory that `malloc` inside kernels can have, in all.
const HEAP_BYTES: u64 = 8 << 20;
/// What each piece of it takes besides: an estimate.
const HEAP_OVERHEAD_BYTES: u64 = 64;

fn to_number(bytes: &[u8]) -> u64 {
    let mut number = [0; 8];
    number[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(number)
}

impl Memory {
    /// Allocates a buffer behind all others and fills it; its address. `name` is what errors call it.
    pub fn add(&mut self, name: &str, bytes: Vec<u8>) -> u64 {
        let end = self.allocations.last().map_or(0, |last| last.address + last.bytes.len() as u64 + GAP);
        let address = end.max(ALLOCATION_BASE).next_multiple_of(ALIGNMENT);
        self.allocations.push(Allocation { name: name.to_owned(), address, bytes });
        address
    }

    /// What the buffer at this address holds; `None` where none begins there.
    pub fn bytes(&self, address: u64) -> Option<&[u8]> {
        let index = self.allocations.binary_search_by_key(&address, |allocation| allocation.address).ok()?;
        Some(&self.allocations[index].bytes)
    }

    /// The same, to be changed.
    pub fn bytes_mut(&mut self, address: u64) -> Option<&mut [u8]> {
        let index = self.allocations.binary_search_by_key(&address, |allocation| allocation.address).ok()?;
        Some(&mut self.allocations[index].bytes)
    }

    /// How often kernels have changed something that others may wait for.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// What kernels have printed so far: the first 64 KiB, then how many bytes more it was.
    pub fn printed(&self) -> String {
        self.printed.text()
    }

    /// Where the variables of the module with this fingerprint begin, or may begin: behind those of other modules.
    pub(crate) fn module_base(&self, fingerprint: u64) -> u64 {
        let known = self.modules.iter().find(|module| module.fingerprint == fingerprint);
        let free = || self.modules.iter().map(|module| (module.end + GAP).next_multiple_of(ALIGNMENT)).max();
        known.map(|module| module.base).or_else(free).unwrap_or(MODULE_BASE)
    }

    /// Places a module's variables, with their initial values, unless they are there already.
    ///
    /// # Errors
    /// Why they cannot be where the module's kernels expect them.
    pub(crate) fn place(&mut self, variables: &ModuleVariables) -> Result<(), String> {
        let &ModuleVariables { fingerprint, base, ref images } = variables;
        let Some(last) = images.last() else { return Ok(()) };
        if self.modules.iter().any(|module| (module.fingerprint, module.base) == (fingerprint, base)) {
            return Ok(());
        }
        if self.module_base(fingerprint) != base {
            return Err("it was loaded for a memory in which its module's variables begin elsewhere".to_owned());
        }
        let end = last.address + last.bytes.len() as u64;
        if end + GAP > ALLOCATION_BASE {
            return Err("the variables of all modules take more memory than there are addresses for them".to_owned());
        }
        for image in images {
            let place = self.allocations.partition_point(|other| other.address < image.address);
            let allocation =
                Allocation { name: image.name.clone(), address: image.address, bytes: image.bytes.clone() };
            self.allocations.insert(place, allocation);
        }
        self.modules.push(Placed { fingerprint, base, end });
        Ok(())
    }

    fn no_allocation(&self, address: u64, bytes: u32) -> String {
        let describe = |allocation: &Allocation, what: String| {
            let Allocation { name, address, bytes } = allocation;
            format!("{what} `{name}` ({} bytes at {address:#x})", bytes.len())
        };
        let below = self.allocations.iter().rev().find(|allocation| allocation.address <= address);
        let above = self.allocations.iter().find(|allocation| allocation.address > address);
        match (below, above) {
            (Some(below), above) => {
                let end = below.address + below.bytes.len() as u64;
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

impl GlobalMemory for Memory {
    fn locate(&self, address: u64, bytes: u32) -> Result<(usize, usize), String> {
        let index = self.allocations.partition_point(|allocation| allocation.address <= address).wrapping_sub(1);
        if let Some(allocation) = self.allocations.get(index) {
            let offset = address - allocation.address;
            if offset + u64::from(bytes) <= allocation.bytes.len() as u64 {
                return Ok((index, offset as usize));
            }
        }
        Err(self.no_allocation(address, bytes))
    }

    fn read(&self, (allocation, offset): (usize, usize), bytes: u32) -> u64 {
        to_number(&self.allocations[allocation].bytes[offset..][..bytes as usize])
    }

    fn write(&mut self, (allocation, offset): (usize, usize), bytes: u32, value: u64) {
        let value = value.to_le_bytes();
        let place = &mut self.allocations[allocation].bytes[offset..][..bytes as usize];
        if *place != value[..bytes as usize] {
            self.changes += 1;
            place.copy_from_slice(&value[..bytes as usize]);
        }
    }

    fn print(&mut self, text: &str) {
        self.printed.add(text);
    }

    fn allocate(&mut self, bytes: u64) -> u64 {
        // What is given out takes some room besides, as on a GPU, or small pieces would never end.
        let taken = bytes.saturating_add(HEAP_OVERHEAD_BYTES);
        if bytes == 0 || taken > HEAP_BYTES - self.heap_bytes {
            return 0;
        }
        self.heap_bytes += taken;
        self.add("memory from malloc", vec![0; bytes as usize])
    }
}

const PAGE_BYTES: usize = 4096;

/// A page that was written to: its contents, and which bytes are new.
#[derive(Debug)]
struct Page {
    allocation: usize,
    number: usize,
    bytes: Box<[u8]>,
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

    fn page_to_write(&mut self, allocation: usize, number: usize) -> &mut Page {
        let table = &mut self.tables[allocation];
        let all = &self.base.allocations[allocation].bytes;
        if table.is_empty() {
            table.resize(all.len().div_ceil(PAGE_BYTES), 0);
        }
        if table[number] == 0 {
            let bytes = all[number * PAGE_BYTES..].iter().take(PAGE_BYTES).copied().collect();
            self.pages.push(Page { allocation, number, bytes, written: [0; PAGE_BYTES / 64] });
            table[number] = self.pages.len() as u32;
        }
        &mut self.pages[table[number] as usize - 1]
    }
}

impl Written {
    /// Writes it to the memory itself.
    pub(crate) fn commit(self, memory: &mut Memory) {
        for page in self.pages {
            let target = &mut memory.allocations[page.allocation].bytes[page.number * PAGE_BYTES..];
            for (word, bits) in page.written.iter().enumerate() {
                let start = word * 64;
                if *bits == u64::MAX {
                    target[start..start + 64].copy_from_slice(&page.bytes[start..start + 64]);
                } else {
                    let mut rest = *bits;
                    while rest != 0 {
                        let byte = start + rest.trailing_zeros() as usize;
                        target[byte] = page.bytes[byte];
                        rest &= rest - 1;
                    }
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
            Some(page) => to_number(&page.bytes[offset % PAGE_BYTES..][..bytes as usize]),
        }
    }

    fn write(&mut self, (allocation, offset): (usize, usize), bytes: u32, value: u64) {
        let page = self.page_to_write(allocation, offset / PAGE_BYTES);
        let start = offset % PAGE_BYTES;
        page.bytes[start..][..bytes as usize].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
        // Accesses are aligned, so that none crosses from one word of bits to the next.
        page.written[start / 64] |= ((1_u64 << bytes) - 1) << (start % 64);
    }
}
