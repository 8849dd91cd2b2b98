//! What an allocation holds: what it was filled with, which it may have in common with others, and the pages that were written since.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a page: of a matrix that is written by columns, each chunk of blocks copies all pages in which it writes a little.
pub(super) const PAGE_BYTES: usize = 1024;
const WORD_BYTES: usize = size_of::<u32>();

/// A page's bytes.
pub(super) type PageBytes = [u8; PAGE_BYTES];

/// What an allocation was filled with.
#[derive(Debug, Clone)]
enum Filling {
    Bytes(Arc<Vec<u8>>),
    Words(Arc<Vec<u32>>),
    /// The same word all over.
    Repeated(u32),
}

/// Contents of an allocation. Copies have the pages in common until one of them writes.
#[derive(Debug, Clone)]
pub(super) struct Contents {
    length: usize,
    /// Whether it was filled anew since it was allocated.
    is_refilled: bool,
    filling: Filling,
    /// Pages that were written, in place of what they were filled with; none at all, or one for each page.
    pages: Vec<Option<Arc<PageBytes>>>,
}

/// Bytes that lie side by side.
#[derive(Debug, Clone, Copy)]
pub(super) enum Span<'a> {
    Bytes(&'a [u8]),
    /// Words, of whose bytes the first this many do not belong to it.
    Words(&'a [u32], usize),
    Repeated(u32, usize),
}

fn to_number(bytes: &[u8]) -> u64 {
    let mut number = [0; 8];
    number[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(number)
}

fn low_bytes(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

impl Span<'_> {
    /// `bytes` bytes (1 to 8) from `offset` on, as a little-endian number.
    #[inline]
    pub(super) fn number(&self, offset: usize, bytes: u32) -> u64 {
        let of_words = |word: &dyn Fn(usize) -> u32, place: usize| {
            let (first, shift) = (place / WORD_BYTES, 8 * (place % WORD_BYTES));
            let mut number = u128::from(word(first)) >> shift;
            for next in 1..(place % WORD_BYTES + bytes as usize).div_ceil(WORD_BYTES) {
                number |= u128::from(word(first + next)) << (32 * next) >> shift;
            }
            number as u64 & low_bytes(bytes)
        };
        match *self {
            Span::Bytes(all) => {
                let rest = &all[offset..];
                match (bytes, rest.first_chunk::<4>(), rest.first_chunk::<8>()) {
                    (4, Some(word), _) => u64::from(u32::from_le_bytes(*word)),
                    (8, _, Some(long)) => u64::from_le_bytes(*long),
                    _ => to_number(&rest[..bytes as usize]),
                }
            }
            Span::Words(words, skipped) => {
                let place = offset + skipped;
                if bytes == 4 && place.is_multiple_of(WORD_BYTES) {
                    return u64::from(words[place / WORD_BYTES]);
                }
                if let (8, true, Some([low, high])) =
                    (bytes, place.is_multiple_of(WORD_BYTES), words[place / WORD_BYTES..].first_chunk())
                {
                    return u64::from(*low) | u64::from(*high) << 32;
                }
                of_words(&|index| words[index], place)
            }
            Span::Repeated(word, skipped) => of_words(&|_| word, offset + skipped),
        }
    }

    /// The bytes that it begins with, as many as there is room for.
    pub(super) fn copy_to(&self, target: &mut [u8]) {
        match *self {
            Span::Bytes(all) => target.copy_from_slice(&all[..target.len()]),
            Span::Words(words, 0) => fill_with(target, words.iter().copied()),
            Span::Repeated(word, 0) => fill_with(target, std::iter::repeat(word)),
            Span::Words(..) | Span::Repeated(..) => {
                for (offset, byte) in target.iter_mut().enumerate() {
                    *byte = self.number(offset, 1) as u8;
                }
            }
        }
    }
}

/// The parts, of one page each, of so many bytes from `offset` on.
pub(super) fn parts(offset: usize, length: usize) -> impl Iterator<Item = Range<usize>> {
    let (mut start, end) = (offset, offset + length);
    std::iter::from_fn(move || {
        let part = start..end.min((start / PAGE_BYTES + 1) * PAGE_BYTES);
        start = part.end;
        (!part.is_empty()).then_some(part)
    })
}

/// Fills bytes with words; of the last one, as many bytes as there is room for.
fn fill_with(bytes: &mut [u8], mut words: impl Iterator<Item = u32>) {
    let mut whole = bytes.chunks_exact_mut(WORD_BYTES);
    for (target, word) in whole.by_ref().zip(words.by_ref()) {
        target.copy_from_slice(&word.to_le_bytes());
    }
    let rest = whole.into_remainder();
    if let (false, Some(word)) = (rest.is_empty(), words.next()) {
        rest.copy_from_slice(&word.to_le_bytes()[..rest.len()]);
    }
}

impl Contents {
    fn new(length: usize, filling: Filling) -> Self {
        Self { length, is_refilled: false, filling, pages: Vec::new() }
    }

    pub(super) fn of_bytes(bytes: Vec<u8>) -> Self {
        Self::new(bytes.len(), Filling::Bytes(Arc::new(bytes)))
    }

    pub(super) fn of_words(words: Arc<Vec<u32>>) -> Self {
        Self::new(words.len() * WORD_BYTES, Filling::Words(words))
    }

    pub(super) fn repeated(word: u32, words: usize) -> Self {
        Self::new(words * WORD_BYTES, Filling::Repeated(word))
    }

    /// The same in the place of other contents.
    #[must_use]
    pub(super) fn refilled(self) -> Self {
        Self { is_refilled: true, ..self }
    }

    /// How many bytes it has.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    #[inline]
    fn page(&self, number: usize) -> Option<&PageBytes> {
        self.pages.get(number)?.as_deref()
    }

    /// The bytes from `offset` on that lie side by side, as many as `bytes` or more; `None` where they do not.
    #[inline]
    pub(super) fn span(&self, offset: usize, bytes: usize) -> Option<Span<'_>> {
        if !self.pages.is_empty() {
            let (first, last) = (offset / PAGE_BYTES, (offset + bytes - 1) / PAGE_BYTES);
            if first != last {
                return None;
            }
            if let Some(page) = self.page(first) {
                return Some(Span::Bytes(&page[offset % PAGE_BYTES..]));
            }
        }
        Some(self.filled(offset, bytes))
    }

    fn filled(&self, offset: usize, bytes: usize) -> Span<'_> {
        match &self.filling {
            Filling::Bytes(all) => Span::Bytes(&all[offset..offset + bytes]),
            Filling::Words(words) => {
                let end = (offset + bytes).div_ceil(WORD_BYTES);
                Span::Words(&words[offset / WORD_BYTES..end], offset % WORD_BYTES)
            }
            Filling::Repeated(word) => Span::Repeated(*word, offset % WORD_BYTES),
        }
    }

    /// `bytes` bytes (1 to 8) at an offset, as a little-endian number. Accesses are aligned, so that none crosses a page.
    #[inline]
    pub(super) fn number(&self, offset: usize, bytes: u32) -> u64 {
        match self.page(offset / PAGE_BYTES) {
            Some(page) => Span::Bytes(page).number(offset % PAGE_BYTES, bytes),
            None => self.filled(offset, bytes as usize).number(0, bytes),
        }
    }

    /// The bytes from `offset` on, as many as there is room for.
    pub(super) fn read_into(&self, offset: usize, target: &mut [u8]) {
        for part in parts(offset, target.len()) {
            let target = &mut target[part.start - offset..part.end - offset];
            match self.page(part.start / PAGE_BYTES) {
                Some(page) => target.copy_from_slice(&page[part.start % PAGE_BYTES..][..part.len()]),
                None => self.filled(part.start, part.len()).copy_to(target),
            }
        }
    }

    /// A copy of a page; behind the end of the last there are zeros.
    pub(super) fn copy_of_page(&self, number: usize) -> PageBytes {
        if let Some(page) = self.page(number) {
            return *page;
        }
        let (mut bytes, start) = ([0; PAGE_BYTES], number * PAGE_BYTES);
        self.fill(start, &mut bytes[..PAGE_BYTES.min(self.length - start)]);
        bytes
    }

    /// What it was filled with from `start`, a whole number of words, on.
    fn fill(&self, start: usize, bytes: &mut [u8]) {
        match &self.filling {
            Filling::Bytes(all) => bytes.copy_from_slice(&all[start..][..bytes.len()]),
            Filling::Words(words) => fill_with(bytes, words[start / WORD_BYTES..].iter().copied()),
            Filling::Repeated(word) => fill_with(bytes, std::iter::repeat(*word)),
        }
    }

    fn slot(&mut self, number: usize) -> &mut Option<Arc<PageBytes>> {
        if self.pages.is_empty() {
            self.pages.resize(self.length.div_ceil(PAGE_BYTES), None);
        }
        &mut self.pages[number]
    }

    /// A page, to be written.
    #[inline]
    pub(super) fn page_mut(&mut self, number: usize) -> &mut PageBytes {
        if self.page(number).is_none() {
            let page = self.copy_of_page(number);
            *self.slot(number) = Some(Arc::new(page));
        }
        Arc::make_mut(self.slot(number).get_or_insert_with(|| Arc::new([0; PAGE_BYTES])))
    }

    /// Whether a page was written since the allocation was filled.
    pub(super) fn is_page_written(&self, number: usize) -> bool {
        self.page(number).is_some()
    }

    /// Puts a page in the place of another.
    pub(super) fn set_page(&mut self, number: usize, page: Arc<PageBytes>) {
        *self.slot(number) = Some(page);
    }

    /// All bytes.
    pub(super) fn bytes(&self) -> Cow<'_, [u8]> {
        if let (Filling::Bytes(all), []) = (&self.filling, &self.pages[..]) {
            return Cow::Borrowed(all);
        }
        let mut bytes = vec![0; self.length];
        for (number, target) in bytes.chunks_mut(PAGE_BYTES).enumerate() {
            match self.page(number) {
                Some(page) => target.copy_from_slice(&page[..target.len()]),
                None => self.fill(number * PAGE_BYTES, target),
            }
        }
        Cow::Owned(bytes)
    }

    /// All bytes, to be changed.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        if !matches!(self.filling, Filling::Bytes(_)) || !self.pages.is_empty() {
            *self = Self::of_bytes(self.bytes().into_owned());
        }
        self.is_refilled = true;
        match &mut self.filling {
            Filling::Bytes(all) => Arc::make_mut(all).as_mut_slice(),
            Filling::Words(_) | Filling::Repeated(_) => &mut [],
        }
    }

    /// The whole words among its bytes, from the one numbered `first` on; as many as there is room for.
    pub(super) fn read_words(&self, first: usize, words: &mut [u32]) {
        let (mut next, mut rest) = (first, words);
        while !rest.is_empty() {
            let offset = next * WORD_BYTES;
            let (page, within) = (offset / PAGE_BYTES, offset % PAGE_BYTES);
            let count = rest.len().min((PAGE_BYTES - within) / WORD_BYTES);
            let (target, behind) = rest.split_at_mut(count);
            let from_bytes = |target: &mut [u32], bytes: &[u8]| {
                for (word, bytes) in target.iter_mut().zip(bytes.chunks_exact(WORD_BYTES)) {
                    *word = to_number(bytes) as u32;
                }
            };
            match (self.page(page), &self.filling) {
                (Some(bytes), _) => from_bytes(target, &bytes[within..]),
                (None, Filling::Bytes(all)) => from_bytes(target, &all[offset..]),
                (None, Filling::Words(all)) => target.copy_from_slice(&all[next..][..count]),
                (None, Filling::Repeated(word)) => target.fill(*word),
            }
            (next, rest) = (next + count, behind);
        }
    }

    /// Whether the pages of these words, which are there, are as they were when the allocation was made.
    pub(super) fn is_as_allocated(&self, words: Range<usize>) -> bool {
        if self.is_refilled {
            return false;
        }
        if self.pages.is_empty() || words.is_empty() {
            return true;
        }
        let (first, last) = (words.start * WORD_BYTES / PAGE_BYTES, (words.end * WORD_BYTES - 1) / PAGE_BYTES);
        (first..=last).all(|number| self.page(number).is_none())
    }
}
