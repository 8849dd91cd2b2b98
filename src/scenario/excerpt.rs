//! The lines of a source that an error is about, cut to the width of the terminal.
//!
//! miette wraps messages but neither source lines nor labels. This cuts a long line to a window around its first label
//! and breaks the label's words into lines, while line and column numbers stay those of the source.

use miette::{LabeledSpan, MietteError, MietteSpanContents, NamedSource, SourceCode, SourceSpan, SpanContents};

/// Characters kept to the left of the first label of a line that is cut.
const LEFT_CONTEXT: usize = 12;

/// Lines of a source from the first label to the last one.
#[derive(Debug)]
pub(super) struct Excerpt {
    name: String,
    text: String,
    /// The first line's number, from 0.
    first_line: usize,
    /// For every line, how many columns of the source lie left of what is kept (may be negative by the mark's length).
    shifts: Vec<isize>,
    labels: Vec<LabeledSpan>,
}

/// A label on one line, in characters.
struct Mark {
    line: usize,
    start: usize,
    end: usize,
    words: Option<String>,
}

impl Excerpt {
    pub(super) fn new(source: &NamedSource<String>, labels: &[LabeledSpan], width: usize, ascii: bool) -> Self {
        let text = source.inner();
        let marks: Vec<Mark> = labels.iter().map(|label| mark(text, label)).collect();
        let first_line = marks.iter().map(|mark| mark.line).min().unwrap_or(0);
        let last_line = marks.iter().map(|mark| mark.line).max().unwrap_or(0);
        // The gutter: a space, the number, a space, the bar, a space.
        let available = width.saturating_sub((last_line + 1).to_string().len() + 4).max(20);
        let mut excerpt = Self {
            name: source.name().to_owned(),
            text: String::new(),
            first_line,
            shifts: Vec::new(),
            labels: Vec::new(),
        };
        let lines = text.split('\n').skip(first_line).take(last_line - first_line + 1);
        for (index, line) in lines.enumerate() {
            let own: Vec<&Mark> = marks.iter().filter(|mark| mark.line == first_line + index).collect();
            excerpt.push_line(line, &own, available, ascii);
        }
        excerpt
    }

    pub(super) fn labels(&self) -> &[LabeledSpan] {
        &self.labels
    }

    fn push_line(&mut self, line: &str, marks: &[&Mark], available: usize, ascii: bool) {
        let letters: Vec<char> = line.trim_end_matches('\r').chars().map(|letter| printable(letter, ascii)).collect();
        let ellipsis = if ascii { "..." } else { "…" };
        let ellipsis_len = ellipsis.chars().count();
        let needed = marks
            .iter()
            .map(|mark| usize::midpoint(mark.start, mark.end) + mark.words.as_ref().map_or(0, |words| words.len() + 4))
            .max()
            .unwrap_or(0);
        let first = marks.iter().map(|mark| mark.start).min().unwrap_or(0);
        let from = if needed <= available { 0 } else { first.saturating_sub(LEFT_CONTEXT) };
        let from = if from <= ellipsis_len { 0 } else { from };
        let left = if from > 0 { ellipsis_len } else { 0 };
        let to = if letters.len() - from.min(letters.len()) + left <= available {
            letters.len()
        } else {
            from + available - left - ellipsis_len
        };
        if from > 0 {
            self.text.push_str(ellipsis);
        }
        let mut offsets = Vec::with_capacity(to.saturating_sub(from) + 1);
        for letter in letters.get(from..to).unwrap_or_default() {
            offsets.push(self.text.len());
            self.text.push(*letter);
        }
        offsets.push(self.text.len());
        if to < letters.len() {
            self.text.push_str(ellipsis);
        }
        let last = offsets.len() - 1;
        for mark in marks {
            let start = (mark.start.max(from) - from).min(last);
            let end = (mark.end.max(from) - from).clamp(start, last);
            let room = available.saturating_sub(usize::midpoint(start, end) + left + 4).max(16);
            let words = mark.words.as_ref().map(|words| wrap(words, room));
            self.labels.push(LabeledSpan::new(words, offsets[start], offsets[end] - offsets[start]));
        }
        self.text.push('\n');
        self.shifts.push(from.cast_signed() - left.cast_signed());
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.text.read_span(span, before, after)?;
        let head = &self.text[..span.offset().min(self.text.len())];
        let line = head.matches('\n').count();
        let column = head.chars().rev().take_while(|letter| *letter != '\n').count().cast_signed();
        let column = column + self.shifts.get(line).copied().unwrap_or(0);
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            contents.data(),
            *contents.span(),
            contents.line() + self.first_line,
            usize::try_from(column).unwrap_or(0),
            contents.line_count(),
        )))
    }
}

/// Where a label lies; one that runs over several lines ends with its first.
fn mark(text: &str, label: &LabeledSpan) -> Mark {
    let boundary = |offset: usize| {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let mut start = boundary(label.offset());
    // Past the last line's end there is nothing to show: point behind the last line's text instead.
    if start == text.len() {
        start = text.trim_end().len();
    }
    let end = boundary(label.offset() + label.len()).max(start);
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let line_end = line_start + text[line_start..line_end].trim_end_matches('\r').len();
    let column = |offset: usize| text[line_start..offset.clamp(line_start, line_end)].chars().count();
    Mark {
        line: text[..line_start].matches('\n').count(),
        start: column(start),
        end: column(end.min(line_end)),
        words: label.label().map(str::to_owned),
    }
}

/// A character that takes one column and does nothing to a terminal.
fn printable(letter: char, ascii: bool) -> char {
    match letter {
        '\t' => ' ',
        letter if letter.is_control() => {
            if ascii {
                '?'
            } else {
                '\u{fffd}'
            }
        }
        letter => letter,
    }
}

/// Breaks words into lines of at most `width` characters, as far as the words allow.
fn wrap(text: &str, width: usize) -> String {
    let mut wrapped = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            wrapped.push('\n');
            column = 0;
        } else if column > 0 {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += length;
    }
    wrapped
}
