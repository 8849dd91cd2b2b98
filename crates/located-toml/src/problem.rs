//! Problems that are found in a text, and where.

/// One of the texts that something is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// The file.
    File,
    /// The override with this index, from 0: the argument of a `--set` or of another option.
    Override(usize),
}

/// A stretch of one of the texts, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Which text.
    pub source: Source,
    /// Bytes before its beginning.
    pub start: usize,
    /// Bytes before its end.
    pub end: usize,
}

impl Place {
    /// The stretch of a text that a parser calls `span`; one that ends before it begins is empty.
    pub fn new(source: Source, span: std::ops::Range<usize>) -> Self {
        Self { source, start: span.start, end: span.end.max(span.start) }
    }
}

/// Something wrong, in the words the user will read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The places that it is about, the first being the main one, with a few words below each.
    pub labels: Vec<(Place, Option<String>)>,
    /// Something is missing, which a syntax error elsewhere may have swallowed.
    pub absence: bool,
}

impl Problem {
    /// A problem without a place.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, labels: Vec::new(), absence: false }
    }

    /// Underlines a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.labels.push((place, None));
        self
    }

    /// Underlines a place and writes a few words below it.
    #[must_use]
    pub fn label(mut self, place: Place, words: impl Into<String>) -> Self {
        self.labels.push((place, Some(words.into())));
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Marks the problem as one that a syntax error elsewhere explains.
    #[must_use]
    pub fn absence(mut self) -> Self {
        self.absence = true;
        self
    }
}

/// Every problem found so far.
#[derive(Debug, Default)]
pub struct Problems {
    /// They, in the order in which they were found.
    pub list: Vec<Problem>,
}

impl Problems {
    /// Adds a problem.
    pub fn push(&mut self, problem: Problem) {
        self.list.push(problem);
    }

    /// Whether none was found.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// The lines of a text, for telling which line an offset is on.
#[derive(Debug)]
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// The lines of a text.
    pub fn new(text: &str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1)).collect();
        Self { starts }
    }

    /// The number, from 0, of the line that the byte with this offset is on.
    pub fn of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }
}
