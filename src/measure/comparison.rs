//! An output held against what is expected of it, element by element, and what is wrong in a sentence.

use super::check::CheckError;
use crate::device::Checkable;
use crate::workload::{Buffer, Contents, Expected, POISON, Tolerance};
use located_toml::words::count;

/// The variants of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct Between<'a> {
    /// The one whose outputs are compared.
    pub own: &'a str,
    /// The one whose outputs are expected.
    pub reference: &'a str,
}

/// What an output holds against what it must, part by part.
pub(super) struct Comparison<'a> {
    buffer: &'a Buffer,
    expected: &'a Expected,
    /// Whether elements count that are as they were before the launches.
    all_count: bool,
    pub(super) any_written: bool,
    /// The first that is wrong, and how many are.
    first: Option<(usize, u32)>,
    wrong: usize,
    /// How many of those no thread wrote: they hold what the buffer was filled with to tell.
    unwritten: usize,
    /// The first that is wrong of those that the reference did not write, and how many these are.
    first_missing: Option<(usize, u32)>,
    missing: usize,
    /// The variants, where the outputs of one are expected.
    pub(super) between: Option<Between<'a>>,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(buffer: &'a Buffer, expected: &'a Expected, all_count: bool) -> Self {
        Self {
            buffer,
            expected,
            all_count,
            any_written: false,
            first: None,
            wrong: 0,
            unwritten: 0,
            first_missing: None,
            missing: 0,
            between: None,
        }
    }

    pub(super) fn check_length(&self, found: usize) -> Result<(), CheckError> {
        let (name, expected) = (self.buffer.name, self.expected.len());
        if expected == found {
            return Ok(());
        }
        Err(CheckError::Wrong(format!("{name} has {found} elements, {expected} were expected")))
    }

    fn is_written(&self, index: usize, word: u32) -> bool {
        let before = match &self.buffer.contents {
            Contents::Words(words) | Contents::HostWords(words) => words.get(index).copied(),
            Contents::Poison { .. } | Contents::HostPoison { .. } => Some(POISON),
        };
        before != Some(word)
    }

    /// Whether the launch is to leave anything else than it found. Of what is only told in other ways than words it is taken to.
    fn is_to_be_written(&self) -> bool {
        let differs = |words: &[u32]| words.iter().enumerate().any(|(index, word)| self.is_written(index, *word));
        self.expected.words().is_none_or(differs)
    }

    /// Compares the elements from the one numbered `first` on.
    pub(super) fn add(&mut self, first: usize, found: &[u32]) {
        let numbered = (first..).zip(found);
        if !self.any_written {
            self.any_written = numbered.clone().any(|(index, word)| self.is_written(index, *word));
        }
        if self.expected.words().is_some_and(|words| words.get(first..first + found.len()) == Some(found)) {
            return;
        }
        // Of an element that another variant did not write nothing is known.
        let is_known = |index| match self.expected {
            Expected::Near(near) => near.words.get(index).is_some_and(|word| self.is_written(index, *word)),
            _ => true,
        };
        let counts = |index, word| self.all_count || (self.is_written(index, word) && is_known(index));
        let accepts = |index| self.expected.accepts(found, first, index);
        let is_wrong = |(index, word): &(usize, &u32)| counts(*index, **word) && !accepts(*index);
        let is_missing = |index: usize| {
            let expected = self.expected.words().and_then(|words| words.get(index));
            self.between.is_some() && expected.is_some_and(|word| self.is_unwritten(*word))
        };
        let (mut first_wrong, mut wrong, mut unwritten) = (None, 0, 0);
        let (mut first_missing, mut missing) = (None, 0);
        for (index, word) in numbered.filter(is_wrong) {
            // Of elements that are smaller than a word each is counted, of those that are larger each word.
            let elements = match self.expected {
                Expected::Near(near) => near.wrong_elements(found, first, index),
                _ => 1,
            };
            first_wrong = first_wrong.or(Some((index, *word)));
            wrong += elements;
            unwritten += if self.is_unwritten(*word) { elements } else { 0 };
            if is_missing(index) {
                first_missing = first_missing.or(Some((index, *word)));
                missing += elements;
            }
        }
        self.first = self.first.or(first_wrong);
        self.wrong += wrong;
        self.unwritten += unwritten;
        self.first_missing = self.first_missing.or(first_missing);
        self.missing += missing;
    }

    pub(super) fn outcome(self) -> Result<(), CheckError> {
        let name = self.buffer.name;
        if !self.all_count && !self.any_written && self.is_to_be_written() {
            return Err(CheckError::Wrong(format!("the executed blocks did not write to {name}")));
        }
        let is_poisoned = matches!(self.buffer.contents, Contents::Poison { .. });
        if matches!(self.expected, Expected::Agreement(_)) && is_poisoned && !self.any_written {
            return Err(CheckError::Wrong(format!("no element of {name} was written")));
        }
        let Some((first, word)) = self.first else { return Ok(()) };
        let words_of_element = self.element_bytes().div_ceil(size_of::<u32>());
        let (wrong, unwritten) = (self.wrong / words_of_element, self.unwritten / words_of_element);
        let all = self.index(self.expected.len());
        if let Some((missing, between)) = self.first_missing.zip(self.between) {
            return Err(CheckError::Wrong(self.missing_text(missing, between)));
        }
        let place = self.first_wrong_place(first, word);
        let (index, expected) = (self.index(first) + place, self.expected_text(first, place));
        if self.unwritten == self.wrong {
            let were = if unwritten == 1 { "was" } else { "were" };
            return Err(CheckError::Wrong(format!(
                "{unwritten} of {} of {name} {were} not written by any thread; the first is element {index}, where {expected}",
                count(all, "element"),
            )));
        }
        let some = if unwritten > 0 { format!(", {unwritten} of which no thread wrote") } else { String::new() };
        let found = if self.is_unwritten(word) {
            "not written by any thread".to_owned()
        } else if self.is_written(first, word) {
            found_text(self.expected, word, place)
        } else {
            format!("{}, as before the launch", found_text(self.expected, word, place))
        };
        Err(CheckError::Wrong(format!(
            "{name} has {wrong} wrong of {}{some}; the first is element {index}: {found}, {expected}{}",
            count(all, "element"),
            self.apart(first, word).unwrap_or_default(),
        )))
    }

    /// That the reference left elements unwritten which the other variant wrote: nobody knows then which of them is right.
    fn missing_text(&self, (first, word): (usize, u32), Between { own, reference }: Between<'_>) -> String {
        let words_of_element = self.element_bytes().div_ceil(size_of::<u32>());
        let (wrong, missing) = (self.wrong / words_of_element, self.missing / words_of_element);
        let (all, index) = (count(self.index(self.expected.len()), "element"), self.index(first));
        let further = match wrong - missing {
            0 => String::new(),
            others => format!("; {others} of the others differ"),
        };
        format!(
            "`{reference}`, the reference of \"variants agree\", did not write {missing} of {all} of {}; the first is element {index}, which \
             `{own}` wrote: {}{further}",
            self.buffer.name,
            found_text(self.expected, word, 0),
        )
    }

    /// Which of the elements that a word holds is the first wrong one.
    fn first_wrong_place(&self, index: usize, word: u32) -> usize {
        match self.expected {
            Expected::Near(near) if near.element.bytes() < 4 && !self.is_unwritten(word) => {
                near.wrong_places(&[word], index, index).first().copied().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// By how much a float is off, beside what is allowed; where none is, only if rounding may be why. `None` of what was not written.
    fn apart(&self, index: usize, word: u32) -> Option<String> {
        let Expected::Near(near) = self.expected else { return None };
        let Tolerance { relative, absolute } = near.tolerance;
        if near.element.bytes() != 4 || self.is_unwritten(word) {
            return None;
        }
        let found = near.element.number(&word.to_le_bytes());
        let expected = near.element.number(&near.bytes(&near.words, 0, index));
        let apart = (found - expected).abs();
        let told = |value: f64| format!("{value:.1e}");
        if relative.max(absolute) <= 0.0 {
            let is_rounding = near.element.is_float() && apart <= ROUNDED_MOST * expected.abs();
            let allowed = f64::max(1e-6, 10.0_f64.powf((10.0 * apart / expected.abs()).log10().ceil()));
            return is_rounding.then(|| {
                format!(
                    " (off by {} of it, as by another order of additions; `relative = {allowed:e}` in [buffers] would allow that)",
                    told(apart / expected.abs())
                )
            });
        }
        (apart.is_finite() && expected != 0.0).then(|| {
            let allowed = told(relative + absolute / expected.abs());
            format!(" (off by {} of it, {allowed} is allowed)", told(apart / expected.abs()))
        })
    }

    /// Whether a word of the buffer is what it was filled with so that it is noticed where no thread writes.
    fn is_unwritten(&self, word: u32) -> bool {
        let is_poisoned = matches!(self.buffer.contents, Contents::Poison { .. } | Contents::HostPoison { .. });
        is_poisoned && word == POISON
    }

    /// Bytes of an element. Words are compared; elements of a kernel of the user's may be of another size.
    fn element_bytes(&self) -> usize {
        match self.expected {
            Expected::Near(near) => near.element.bytes() as usize,
            Expected::Words(_) | Expected::Sums(_) | Expected::Agreement(_) => size_of::<u32>(),
        }
    }

    /// The element that a word is of, or begins.
    fn index(&self, word: usize) -> usize {
        word * size_of::<u32>() / self.element_bytes()
    }

    /// What was expected of a word, in a clause.
    fn expected_text(&self, index: usize, place: usize) -> String {
        match self.between {
            Some(Between { reference, .. }) => {
                format!("{} was expected by the variant {reference}", expected_text(self.expected, index, place))
            }
            None => format!("{} was expected", expected_text(self.expected, index, place)),
        }
    }
}

/// The part of what is expected that a float may be off by rounding: some hundred steps of a float of 32 bits, our choice.
const ROUNDED_MOST: f64 = 1e-5;

/// Compares the whole of an output.
pub(super) fn compare(
    buffer: &Buffer,
    expected: &Expected,
    found: &[u32],
    checkable: Checkable,
) -> Result<(), CheckError> {
    let mut comparison = Comparison::new(buffer, expected, checkable == Checkable::Everything);
    comparison.check_length(found.len())?;
    comparison.add(0, found);
    comparison.outcome()
}

fn found_text(expected: &Expected, word: u32, place: usize) -> String {
    match expected {
        Expected::Sums(_) if word != POISON => f32::from_bits(word).to_string(),
        Expected::Near(near) if word != POISON => {
            near.number_in(word, place).map_or_else(|| format!("{word:#010x}"), |number| number.to_string())
        }
        _ => format!("{word:#010x}"),
    }
}

fn expected_text(expected: &Expected, index: usize, place: usize) -> String {
    match expected {
        Expected::Near(near) if near.element.bytes() <= 4 => {
            let number = near.words.get(index).and_then(|word| near.number_in(*word, place));
            number.map(|number| number.to_string()).unwrap_or_default()
        }
        Expected::Words(_) | Expected::Near(_) => {
            expected.words().and_then(|words| words.get(index)).map(|word| format!("{word:#010x}")).unwrap_or_default()
        }
        Expected::Agreement(_) => String::new(),
        Expected::Sums(sums) => {
            sums.get(index).map(|sum| format!("{} ± {:.3e}", sum.value, sum.error_bound)).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Element, Near, Sum};

    fn output() -> Buffer {
        Buffer { name: "output", contents: Contents::Poison { words: 3 }, expected: None }
    }

    #[test]
    fn blocks_of_a_part_need_not_write_what_no_block_is_to_write() {
        let flags = Buffer { name: "flags", contents: Contents::Words(vec![7, 7].into()), expected: None };
        let told = |expected: Vec<u32>| compare(&flags, &expected.into(), &[7, 7], Checkable::ExecutedBlocks);
        assert!(told(vec![7, 7]).is_ok());
        let error = told(vec![7, 8]).unwrap_err().to_string();
        assert!(error.contains("the executed blocks did not write to flags"), "{error}");
    }

    #[test]
    fn equal_words_pass_and_any_difference_does_not() {
        let expected = Expected::from(vec![1, 2, 3]);
        assert!(compare(&output(), &expected, &[1, 2, 3], Checkable::Everything).is_ok());
        let message = compare(&output(), &expected, &[1, 9, POISON], Checkable::Everything).unwrap_err().to_string();
        assert_eq!(
            message,
            "output has 2 wrong of 3 elements, 1 of which no thread wrote; the first is element 1: 0x00000009, 0x00000002 was expected"
        );
        let message = compare(&output(), &expected, &[1, 2, POISON], Checkable::Everything).unwrap_err().to_string();
        assert_eq!(
            message,
            "1 of 3 elements of output was not written by any thread; the first is element 2, where 0x00000003 was expected"
        );
        let message =
            compare(&output(), &expected, &[POISON, 9, POISON], Checkable::Everything).unwrap_err().to_string();
        assert_eq!(
            message,
            "output has 3 wrong of 3 elements, 2 of which no thread wrote; the first is element 0: not written by any thread, \
             0x00000001 was expected"
        );
        let filled = Buffer { contents: Contents::Words(vec![0; 3].into()), ..output() };
        let message = compare(&filled, &expected, &[1, 0, 3], Checkable::Everything).unwrap_err().to_string();
        assert!(message.ends_with("element 1: 0x00000000, as before the launch, 0x00000002 was expected"), "{message}");
        assert!(compare(&output(), &expected, &[1, 2], Checkable::Everything).is_err());
    }

    #[test]
    fn floats_that_are_off_by_rounding_are_told_what_would_allow_it() {
        let told = |found: f32| {
            let tolerance = Tolerance { relative: 0.0, absolute: 0.0 };
            let words = vec![3.0_f32.to_bits()].into();
            let expected = Expected::Near(Near { element: Element::Float(32), words, tolerance });
            let buffer = Buffer { contents: Contents::Words(vec![0].into()), ..output() };
            compare(&buffer, &expected, &[found.to_bits()], Checkable::Everything).unwrap_err().to_string()
        };
        let rounded = told(3.000_001);
        assert!(
            rounded.ends_with("(off by 3.2e-7 of it, as by another order of additions; `relative = 1e-5` in [buffers] would allow that)"),
            "{rounded}"
        );
        assert!(told(3.01).ends_with("3 was expected"), "{}", told(3.01));
    }

    #[test]
    fn elements_of_every_size_are_counted() {
        let tolerance = Tolerance { relative: 0.0, absolute: 0.0 };
        for (element, right, wrong, expected) in [
            (
                Element::Unsigned(8),
                vec![0x0403_0201, 5],
                vec![0x0403_0901, POISON],
                "5 wrong of 8 elements, 4 of which no thread wrote",
            ),
            (Element::Unsigned(64), vec![1, 0, 2, 0], vec![1, 0, 3, 0], "1 wrong of 2 elements"),
            (
                Element::Unsigned(8),
                vec![0x0403_0201, 5],
                vec![0x0403_0201, POISON],
                "4 of 8 elements of output were not written",
            ),
            (
                Element::Unsigned(64),
                vec![1, 0, 2, 0],
                vec![1, 0, POISON, POISON],
                "1 of 2 elements of output was not written",
            ),
        ] {
            let near = Expected::Near(Near { element, words: right.into(), tolerance });
            let message = compare(&output(), &near, &wrong, Checkable::Everything).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn a_wrong_byte_is_told_as_a_byte_at_its_own_place() {
        let tolerance = Tolerance { relative: 0.0, absolute: 0.0 };
        let near = |element, words: Vec<u32>| Expected::Near(Near { element, words: words.into(), tolerance });
        let told = |expected: &Expected, found: &[u32]| {
            compare(&output(), expected, found, Checkable::Everything).unwrap_err().to_string()
        };
        let bytes = told(&near(Element::Unsigned(8), vec![5, 0x0403_0201]), &[5, 0x04ff_0201]);
        assert_eq!(bytes, "output has 1 wrong of 8 elements; the first is element 6: 255, 3 was expected");
        let halves = told(&near(Element::Signed(16), vec![0x0001_0002]), &[0xffff_0002]);
        assert_eq!(halves, "output has 1 wrong of 2 elements; the first is element 1: -1, 1 was expected");
    }

    #[test]
    fn a_sum_beyond_its_bound_is_told_with_the_bound() {
        let expected = Expected::from(vec![Sum { value: 2.5, error_bound: 0.25 }]);
        assert!(compare(&output(), &expected, &[2.75_f32.to_bits()], Checkable::Everything).is_ok());
        let message = |word| compare(&output(), &expected, &[word], Checkable::Everything).unwrap_err().to_string();
        assert_eq!(
            message(3.0_f32.to_bits()),
            "output has 1 wrong of 1 element; the first is element 0: 3, 2.5 ± 2.500e-1 was expected"
        );
        assert!(message(POISON).ends_with("element 0, where 2.5 ± 2.500e-1 was expected"), "{}", message(POISON));
    }
}
