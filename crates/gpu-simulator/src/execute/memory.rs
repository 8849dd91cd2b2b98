//! Global memory: allocations, and a view on them that keeps what is written to itself.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

mod contents;
mod outside;
mod overlay;

use contents::{Contents, PAGE_BYTES, Span};
pub(crate) use overlay::{Overlay, Written};

use super::print::Printed;
use crate::hardware::lanes::{ALL_LANES, LANES, Longs, Mask, lanes_of};
use crate::program::ModuleVariables;
use crate::windows::{ALLOCATION_BASE, MODULE_BASE, number_behind, numbered};

/// An allocation with its contents.
#[derive(Debug, Clone)]
pub(super) struct Allocation {
    /// What it is to people.
    pub name: String,
    /// Its address.
    pub address: u64,
    /// Where it is in memory: the same for variables of modules.
    place: u64,
    /// Its number, which its addresses have above those of places; 0 for variables of modules.
    number: u64,
    /// Its contents.
    contents: Contents,
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

    /// Reads bytes that lie side by side from a place that was located.
    fn read_into(&self, place: (usize, usize), target: &mut [u8]);

    /// Writes the lower `bytes` bytes of a value at a place that was located.
    fn write(&mut self, place: (usize, usize), bytes: u32, value: u64);

    /// Reads elements of `size` bytes, neighbours at each lane's address, where one look tells where all of them are.
    /// False where it does not; then nothing is read.
    fn gather(&self, _addresses: &Longs, _mask: Mask, _size: u32, _values: &mut [Longs]) -> bool {
        false
    }

    /// Writes elements of `size` bytes, neighbours at each lane's address, where one look tells where all of them are: the lowest
    /// lane's first. False where it does not; then nothing is written.
    fn scatter(&mut self, _addresses: &Longs, _mask: Mask, _size: u32, _values: &[Longs]) -> bool {
        false
    }

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
/// Free places between allocations.
const GAP: u64 = 1 << 16;
/// Memory that `malloc` inside kernels can have, in all.
const HEAP_BYTES: u64 = 8 << 20;
/// What messages call it.
const HEAP_NAME: &str = "memory from malloc";
/// What each piece of it takes besides: an estimate.
const HEAP_OVERHEAD_BYTES: u64 = 64;

/// The lowest address of the lanes, and the bytes from there to the end of the highest lane's.
fn extent(addresses: &Longs, mask: Mask, bytes: u32) -> Option<(u64, usize)> {
    let (mut low, mut high) = (u64::MAX, 0);
    if mask == ALL_LANES {
        for address in addresses {
            low = low.min(*address);
            high = high.max(*address);
        }
    } else {
        for lane in lanes_of(mask) {
            low = low.min(addresses[lane]);
            high = high.max(addresses[lane]);
        }
    }
    let length = high.checked_sub(low)?.checked_add(u64::from(bytes))?;
    Some((low, usize::try_from(length).ok()?))
}

/// Reads elements of the lanes from bytes that begin at the address `low`.
#[inline]
fn gather_from(span: Span<'_>, low: u64, addresses: &Longs, mask: Mask, size: u32, values: &mut [Longs]) {
    for (index, value) in values.iter_mut().enumerate() {
        let offset = index * size as usize;
        // What loads do most often.
        if let (Span::Words(words, 0), 4) = (span, size) {
            for lane in lanes_of(mask) {
                value[lane] = u64::from(words[((addresses[lane] - low) as usize + offset) / 4]);
            }
        } else if mask == ALL_LANES {
            for lane in 0..LANES {
                value[lane] = span.number((addresses[lane] - low) as usize + offset, size);
            }
        } else {
            for lane in lanes_of(mask) {
                value[lane] = span.number((addresses[lane] - low) as usize + offset, size);
            }
        }
    }
}

/// Reads elements of the lanes from an allocation, in which the address `low` is at `offset`, lane by lane.
fn gather_each(
    memory: &impl GlobalMemory,
    (allocation, offset): (usize, usize),
    low: u64,
    addresses: &Longs,
    mask: Mask,
    size: u32,
    values: &mut [Longs],
) {
    for lane in lanes_of(mask) {
        let place = offset + (addresses[lane] - low) as usize;
        for (index, value) in values.iter_mut().enumerate() {
            value[lane] = memory.read((allocation, place + index * size as usize), size);
        }
    }
}

/// Writes elements of the lanes to a page, in which the address `low` is at `start`; `written` is told of each.
#[inline]
fn scatter_to(
    page: &mut [u8; PAGE_BYTES],
    (low, start): (u64, usize),
    addresses: &Longs,
    mask: Mask,
    size: u32,
    values: &[Longs],
    mut written: impl FnMut(usize, bool),
) {
    for lane in lanes_of(mask) {
        for (index, value) in values.iter().enumerate() {
            let place = (addresses[lane] - low) as usize + start + index * size as usize;
            let (target, value) = (&mut page[place..][..size as usize], value[lane].to_le_bytes());
            if let (4, Some(target)) = (size, target.first_chunk_mut::<4>()) {
                let value = [value[0], value[1], value[2], value[3]];
                written(place, *target != value);
                *target = value;
            } else {
                let value = &value[..size as usize];
                written(place, target != value);
                target.copy_from_slice(value);
            }
        }
    }
}

impl Memory {
    /// Allocates a buffer behind all others and fills it; its address. `name` is what errors call it.
    pub fn add(&mut self, name: &str, bytes: Vec<u8>) -> u64 {
        self.add_contents(name, Contents::of_bytes(bytes))
    }

    /// The same with words that others may have too: they are copied where they are written to, a page at a time.
    pub fn add_words(&mut self, name: &str, words: Arc<Vec<u32>>) -> u64 {
        self.add_contents(name, Contents::of_words(words))
    }

    /// The same with one word over and over, which takes memory where it is written to only.
    pub fn add_repeated(&mut self, name: &str, word: u32, words: usize) -> u64 {
        self.add_contents(name, Contents::repeated(word, words))
    }

    fn add_contents(&mut self, name: &str, contents: Contents) -> u64 {
        let number = number_behind(self.allocations.last().map_or(0, |last| last.number));
        self.add_numbered(name, contents, number)
    }

    fn add_numbered(&mut self, name: &str, contents: Contents, number: u64) -> u64 {
        let end = self.allocations.last().map_or(0, |last| last.place + last.contents.len() as u64 + GAP);
        let place = end.max(ALLOCATION_BASE).next_multiple_of(ALIGNMENT);
        let address = numbered(place, number);
        self.allocations.push(Allocation { name: name.to_owned(), address, place, number, contents });
        address
    }

    fn allocation(&self, address: u64) -> Option<&Allocation> {
        let index = self.allocations.binary_search_by_key(&address, |allocation| allocation.address).ok()?;
        self.allocations.get(index)
    }

    fn allocation_mut(&mut self, address: u64) -> Option<&mut Allocation> {
        let index = self.allocations.binary_search_by_key(&address, |allocation| allocation.address).ok()?;
        self.allocations.get_mut(index)
    }

    /// What the buffer at this address holds; `None` where none begins there.
    pub fn bytes(&self, address: u64) -> Option<Cow<'_, [u8]>> {
        Some(self.allocation(address)?.contents.bytes())
    }

    /// The same, to be changed.
    pub fn bytes_mut(&mut self, address: u64) -> Option<&mut [u8]> {
        Some(self.allocation_mut(address)?.contents.bytes_mut())
    }

    /// Bytes of the buffer at this address; `None` where none begins there.
    pub fn length(&self, address: u64) -> Option<usize> {
        Some(self.allocation(address)?.contents.len())
    }

    /// Fills `words` with those of the buffer at this address from the one numbered `first` on. `None` where not all are there.
    pub fn read_words(&self, address: u64, first: usize, words: &mut [u32]) -> Option<()> {
        let contents = &self.allocation(address)?.contents;
        let end = first.checked_add(words.len())?.checked_mul(size_of::<u32>())?;
        (end <= contents.len()).then(|| contents.read_words(first, words))
    }

    /// Puts words in the place of all that the buffer at this address holds. `None` where it has another length.
    pub fn set_words(&mut self, address: u64, words: Arc<Vec<u32>>) -> Option<()> {
        let (allocation, contents) = (self.allocation_mut(address)?, Contents::of_words(words));
        (allocation.contents.len() == contents.len()).then(|| allocation.contents = contents.refilled())
    }

    /// Puts what the buffer at one address holds in the place of what that at another does. `None` where they differ in length.
    pub fn copy(&mut self, from: u64, to: u64) -> Option<()> {
        let contents = self.allocation(from)?.contents.clone();
        let target = self.allocation_mut(to)?;
        (target.contents.len() == contents.len()).then(|| target.contents = contents.refilled())
    }

    /// Whether these words of the buffer at this address are in pages that are as they were when it was allocated.
    pub fn is_as_allocated(&self, address: u64, words: Range<usize>) -> bool {
        self.allocation(address).is_some_and(|allocation| allocation.contents.is_as_allocated(words))
    }

    /// The name of the allocation that is at this place in memory, and the offset in it.
    pub fn name_at(&self, place: u64) -> Option<(&str, u64)> {
        let index = self.allocations.partition_point(|allocation| allocation.place <= place).wrapping_sub(1);
        let allocation = self.allocations.get(index)?;
        let offset = place - allocation.place;
        (offset < allocation.contents.len() as u64).then_some((&*allocation.name, offset))
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
            let allocation = Allocation {
                name: image.name.clone(),
                address: image.address,
                place: image.address,
                number: 0,
                contents: Contents::of_bytes(image.bytes.clone()),
            };
            self.allocations.insert(place, allocation);
        }
        self.modules.push(Placed { fingerprint, base, end });
        Ok(())
    }

    /// The allocation that holds all of this, and the offset in it.
    #[inline]
    fn find(&self, address: u64, bytes: u64) -> Option<(usize, usize)> {
        let index = self.allocations.partition_point(|allocation| allocation.address <= address).wrapping_sub(1);
        let allocation = self.allocations.get(index)?;
        let offset = address - allocation.address;
        (offset.checked_add(bytes)? <= allocation.contents.len() as u64).then_some((index, offset as usize))
    }
}

impl GlobalMemory for Memory {
    fn locate(&self, address: u64, bytes: u32) -> Result<(usize, usize), String> {
        self.find(address, u64::from(bytes)).ok_or_else(|| self.no_allocation(address, bytes))
    }

    #[inline]
    fn read(&self, (allocation, offset): (usize, usize), bytes: u32) -> u64 {
        self.allocations[allocation].contents.number(offset, bytes)
    }

    fn read_into(&self, (allocation, offset): (usize, usize), target: &mut [u8]) {
        self.allocations[allocation].contents.read_into(offset, target);
    }

    fn write(&mut self, (allocation, offset): (usize, usize), bytes: u32, value: u64) {
        let (page, start) = (offset / PAGE_BYTES, offset % PAGE_BYTES);
        let contents = &mut self.allocations[allocation].contents;
        if contents.number(offset, bytes) != value & u64::MAX >> (64 - 8 * bytes) {
            self.changes += 1;
            contents.page_mut(page)[start..][..bytes as usize].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
        }
    }

    fn gather(&self, addresses: &Longs, mask: Mask, size: u32, values: &mut [Longs]) -> bool {
        let Some((low, length)) = extent(addresses, mask, size * values.len() as u32) else { return false };
        let Some((allocation, offset)) = self.find(low, length as u64) else { return false };
        match self.allocations[allocation].contents.span(offset, length) {
            Some(span) => gather_from(span, low, addresses, mask, size, values),
            None => gather_each(self, (allocation, offset), low, addresses, mask, size, values),
        }
        true
    }

    fn scatter(&mut self, addresses: &Longs, mask: Mask, size: u32, values: &[Longs]) -> bool {
        let Some((low, length)) = extent(addresses, mask, size * values.len() as u32) else { return false };
        let Some((allocation, offset)) = self.find(low, length as u64) else { return false };
        let (page, start) = (offset / PAGE_BYTES, offset % PAGE_BYTES);
        if start + length > PAGE_BYTES {
            return false;
        }
        let Self { allocations, changes, .. } = self;
        let page = allocations[allocation].contents.page_mut(page);
        scatter_to(page, (low, start), addresses, mask, size, values, |_, changed| *changes += u64::from(changed));
        true
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
        // Pieces may be many: those that follow each other have one number.
        let last = self.allocations.last().map_or(0, |last| last.number);
        let is_next = self.allocations.last().is_some_and(|last| last.name == HEAP_NAME);
        let number = if is_next { last } else { number_behind(last) };
        self.add_numbered(HEAP_NAME, Contents::of_bytes(vec![0; bytes as usize]), number)
    }
}
