//! Buffers that a scenario describes: how they are filled, and what they must hold afterwards.

use rayon::prelude::*;

use super::file::{FileName, FileReader};
use super::{Expression, Scope, Unfit};
use crate::family::{drawn_words, shared};
use crate::workload::{Agreement, Buffer, Contents, Element, Expected, Near, POISON, Tolerance, Words, words_of};

/// The name that expressions of an element's value have for its index.
pub(super) const INDEX: &str = "i";

/// What a buffer holds before the launches.
#[derive(Debug, Clone)]
pub enum Fill {
    /// A pattern that is no likely result, so that an element which nobody writes is noticed.
    Poison,
    /// Zeros.
    Zeros,
    /// Each element's index.
    Iota,
    /// Random: floats from 0 to 1, 1 excluded; of whole numbers all bits.
    Uniform,
    /// The value of an expression of the parameters and of `i`, the element's index.
    Value(Expression),
    /// The elements of a file.
    File(FileName),
}

impl Fill {
    /// It as a scenario says it; of a file its name.
    pub fn text(&self) -> &str {
        match self {
            Self::Poison => "nothing",
            Self::Zeros => "zeros",
            Self::Iota => "iota",
            Self::Uniform => "uniform",
            Self::Value(expression) => expression.text(),
            Self::File(name) => name.text(),
        }
    }
}

/// What a buffer must hold after the launches.
#[derive(Debug, Clone)]
pub enum Output {
    /// Whatever it will.
    Unchecked,
    /// What the first variant's launches leave there, within the tolerance.
    VariantsAgree(Tolerance),
    /// In each element the value of an expression of the parameters and of `i`, within the tolerance.
    Value(Expression, Tolerance),
    /// The elements of a file, within the tolerance.
    File(FileName, Tolerance),
}

/// A buffer of a scenario.
#[derive(Debug, Clone)]
pub struct BufferDescription {
    /// Its name.
    pub name: &'static str,
    /// The type of its elements.
    pub element: Element,
    /// How many elements it has.
    pub length: Expression,
    /// What it holds before.
    pub fill: Fill,
    /// What it must hold afterwards.
    pub output: Output,
}

/// The most elements of a buffer: 2^40 bytes are beyond any GPU.
const LENGTH_MOST: u64 = 1 << 40;

/// Elements whose values are computed at a time.
const CHUNK: usize = 1 << 12;

impl BufferDescription {
    /// How many elements it has at these values.
    ///
    /// # Errors
    /// Where that is no whole number from 1 on: why.
    pub(super) fn elements(&self, scope: &Scope) -> Result<u64, Unfit> {
        self.length.whole(scope, 1, LENGTH_MOST).map_err(|unfit| unfit.within(&format!("length of `{}`", self.name)))
    }

    /// Its size at these values: whole words of 4 bytes.
    ///
    /// # Errors
    /// As of [`Self::elements`].
    pub(super) fn bytes(&self, scope: &Scope) -> Result<u64, Unfit> {
        self.elements(scope).map(|elements| (elements * self.element.bytes()).next_multiple_of(4))
    }

    /// Evaluates its length, and its first and its last element where an expression says what they are.
    ///
    /// # Errors
    /// Where one of them has no value: why.
    pub(super) fn evaluate(&self, scope: &Scope) -> Result<(), Unfit> {
        self.bytes(scope)?;
        let fill = match &self.fill {
            Fill::Value(value) => Some(("fill", value)),
            _ => None,
        };
        let check = match &self.output {
            Output::Value(value, _) => Some(("check", value)),
            _ => None,
        };
        let last = self.elements(scope)? - 1;
        for (key, value) in fill.into_iter().chain(check) {
            for index in [0, last] {
                let within = |unfit: Unfit| unfit.within(&format!("{key} of element {index} of `{}`", self.name));
                value.value(&scope.with(INDEX, index as f64)).map_err(within)?;
            }
        }
        Ok(())
    }

    /// The buffer at these values; `read` has the contents of files.
    ///
    /// # Errors
    /// Where an expression has no value, or a file was not read: why.
    pub(super) fn buffer(&self, scope: &Scope, seed: u64, read: FileReader<'_>) -> Result<Buffer, String> {
        let elements = self.elements(scope)? as usize;
        let words = self.bytes(scope)? as usize / 4;
        let contents = match &self.fill {
            Fill::Poison => Contents::Poison { words },
            Fill::Zeros => Contents::Words(self.with_poison_behind(vec![0; words], elements).into()),
            Fill::Iota => Contents::Words(self.computed(elements, |index| Ok(index as f64))?.into()),
            Fill::Uniform => Contents::Words(self.uniform(elements, words, seed)),
            Fill::Value(value) => Contents::Words(self.values(value, elements, scope)?.into()),
            Fill::File(name) => Contents::Words(read(name)?),
        };
        let expected = match &self.output {
            Output::Unchecked => None,
            Output::VariantsAgree(tolerance) => {
                Some(Expected::Agreement(Agreement { element: self.element, words, tolerance: *tolerance }))
            }
            Output::Value(value, tolerance) => {
                let words = self.values(value, elements, scope)?.into();
                Some(Expected::Near(Near { element: self.element, words, tolerance: *tolerance }))
            }
            Output::File(name, tolerance) => {
                Some(Expected::Near(Near { element: self.element, words: read(name)?, tolerance: *tolerance }))
            }
        };
        Ok(Buffer { name: self.name, contents, expected })
    }

    fn values(&self, value: &Expression, elements: usize, scope: &Scope) -> Result<Vec<u32>, String> {
        let named = |problem: String| format!("`{}`: {problem}", self.name);
        self.computed(elements, |index| Ok(value.value(&scope.with(INDEX, index as f64))?)).map_err(named)
    }

    /// Words of elements, each computed from its index. What is left of the last word is poison.
    fn computed(
        &self,
        elements: usize,
        value: impl Fn(usize) -> Result<f64, String> + Sync,
    ) -> Result<Vec<u32>, String> {
        let chunk = |chunk: usize| {
            let mut bytes = Vec::new();
            for index in chunk * CHUNK..elements.min((chunk + 1) * CHUNK) {
                self.element.put(value(index)?, &mut bytes);
            }
            Ok(words_of(&bytes).collect::<Vec<u32>>())
        };
        let chunks = (0..elements.div_ceil(CHUNK)).into_par_iter().map(chunk).collect::<Result<Vec<_>, String>>()?;
        Ok(chunks.concat())
    }

    /// Random words, the same for the same seed; other ones for each buffer.
    fn uniform(&self, elements: usize, words: usize, seed: u64) -> Words {
        let place = self.name.bytes().fold(seed, |place, byte| place.wrapping_mul(31).wrapping_add(u64::from(byte)));
        if !self.element.is_float() {
            let drawn = || self.with_poison_behind(drawn_words(words, place), elements);
            return shared("random elements", &[elements as u64 * self.element.bytes(), place], words, drawn);
        }
        let kind = self.element.name();
        shared(kind, &[words as u64, place], words, || {
            let mut drawn = drawn_words(elements, place);
            if self.element.bytes() == 4 {
                drawn.par_iter_mut().for_each(|word| *word = (uniform(*word) as f32).to_bits());
                return drawn;
            }
            let bytes = drawn.iter().fold(Vec::new(), |mut bytes, word| {
                // Few enough digits for every type of floats, so that none is rounded up to 1.
                self.element.put((uniform(*word) * 128.0).floor() / 128.0, &mut bytes);
                bytes
            });
            words_of(&bytes).collect()
        })
    }

    /// The words with poison in what no element has of the last one.
    fn with_poison_behind(&self, mut words: Vec<u32>, elements: usize) -> Vec<u32> {
        let used = elements * self.element.bytes() as usize % size_of::<u32>();
        if used > 0
            && let Some(last) = words.last_mut()
        {
            let behind = u32::MAX << (8 * used);
            *last = (*last & !behind) | (POISON & behind);
        }
        words
    }
}

/// A number from 0 to 1, 1 excluded, with the digits of a 32-bit float.
fn uniform(word: u32) -> f64 {
    f64::from(word >> 8) / f64::from(1 << 24)
}
