//! Problems that are found in a text, and where.

/// One of the texts that something is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The file.
    File,
    /// The argument of the `--set` with this index.
    Override(usize),
}

/// A stretch of one of the texts, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub source: Source,
    pub start: usize,
    pub end: usize,
}

impl Place {
    pub fn new(source: Source, span: std::ops::Range<usize>) -> Self {
        Self { source, start: span.start, end: span.end.max(span.start) }
    }
}

/// Something wrong, in the words the user will read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub message: String,
    pub help: Option<String>,
    pub labels: Vec<(Place, Option<String>)>,
    /// Something is missing, which a syntax error elsewhere may have swallowed.
    pub absence: bool,
}

impl Problem {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, labels: Vec::new(), absence: false }
    }

    /// Underlines a place.
    pub fn at(mut self, place: Place) -> Self {
        self.labels.push((place, None));
        self
    }

    /// Underlines a place and writes a few words below it.
    pub fn label(mut self, place: Place, words: impl Into<String>) -> Self {
        self.labels.push((place, Some(words.into())));
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Marks the problem as one that a syntax error elsewhere explains.
    pub fn absence(mut self) -> Self {
        self.absence = true;
        self
    }
}

/// Every problem found so far.
#[derive(Debug, Default)]
pub struct Problems {
    pub list: Vec<Problem>,
}

impl Problems {
    pub fn push(&mut self, problem: Problem) {
        self.list.push(problem);
    }

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
    pub fn new(text: &str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1)).collect();
        Self { starts }
    }

    /// The number, from 0, of the line that the byte with this offset is on.
    pub fn of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }
}
