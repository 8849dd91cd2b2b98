//! The lines of a source that an error is about, cut to the width of the terminal.
//!
//! miette wraps messages but neither source lines nor labels. This cuts a long line to a window around its first label
//! and breaks the label's words into lines, while line and column numbers stay those of the source.

use miette::{LabeledSpan, MietteError, MietteSpanContents, NamedSource, SourceCode, SourceSpan, SpanContents};

use super::words::{escaped, is_control};

/// Characters kept to the left of the first label of a line that is cut.
const LEFT_CONTEXT: usize = 12;

/// Lines of a source from the first label to the last one.
#[derive(Debug)]
pub(crate) struct Excerpt {
    name: String,
    text: String,
    /// The first line's number, from 0.
    first_line: usize,
    /// The column of the source that each character of each line stands for.
    columns: Vec<Vec<usize>>,
    labels: Vec<LabeledSpan>,
}

/// A label on one line, in characters.
struct Mark {
    line: usize,
    start: usize,
    end: usize,
    words: Option<String>,
    primary: bool,
}

impl Mark {
    /// The column behind the label's words, were they on one line.
    fn words_end(&self) -> usize {
        let words = self.words.as_ref().map_or(0, |words| words.chars().count() + 4);
        usize::midpoint(self.start, self.end) + words
    }

    /// Whether some of it is to be seen in a window of these columns.
    fn is_within(&self, from: usize, to: usize) -> bool {
        self.start <= to && (self.start >= from || self.end > from)
    }
}

/// The columns of a line to show: all, or those around its labels, or around the primary one if not all labels fit.
fn window(len: usize, marks: &[Mark], available: usize, ellipsis_len: usize) -> (usize, usize) {
    let fits = |from: usize| marks.iter().all(|mark| mark.words_end().saturating_sub(from) + ellipsis_len <= available);
    let around = |column: usize| {
        let from = column.saturating_sub(LEFT_CONTEXT);
        if from <= ellipsis_len { 0 } else { from }
    };
    let first = around(marks.iter().map(|mark| mark.start).min().unwrap_or(0));
    let primary = marks.iter().find(|mark| mark.primary).map_or(first, |mark| around(mark.start));
    let from = [0, first].into_iter().find(|from| fits(*from)).unwrap_or(primary).min(len);
    let left = if from > 0 { ellipsis_len } else { 0 };
    let to = if len - from + left <= available { len } else { from + available - left - ellipsis_len };
    (from, to)
}

impl Excerpt {
    pub(crate) fn new(source: &NamedSource<String>, labels: &[LabeledSpan], width: usize, ascii: bool) -> Self {
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
            columns: Vec::new(),
            labels: Vec::new(),
        };
        let lines = text.split('\n').skip(first_line).take(last_line - first_line + 1);
        for (index, line) in lines.enumerate() {
            let own: Vec<&Mark> = marks.iter().filter(|mark| mark.line == first_line + index).collect();
            excerpt.push_line(line, &own, available, if ascii { "..." } else { "…" });
        }
        excerpt
    }

    pub(crate) fn labels(&self) -> &[LabeledSpan] {
        &self.labels
    }

    fn push_line(&mut self, line: &str, marks: &[&Mark], available: usize, ellipsis: &str) {
        let letters = printable(line.trim_end_matches('\r'));
        let shown = |column: usize| letters.partition_point(|(_, own)| *own < column);
        let marks: Vec<Mark> = marks
            .iter()
            .map(|own| Mark { start: shown(own.start), end: shown(own.end), words: own.words.clone(), ..**own })
            .collect();
        let ellipsis_len = ellipsis.chars().count();
        let (from, to) = window(letters.len(), &marks, available, ellipsis_len);
        let left = if from > 0 { ellipsis_len } else { 0 };
        if from > 0 {
            self.text.push_str(ellipsis);
        }
        let mut offsets = Vec::with_capacity(to.saturating_sub(from) + 1);
        let mut columns = vec![letters.get(from).map_or(0, |(_, column)| *column); left];
        for (letter, column) in letters.get(from..to).unwrap_or_default() {
            offsets.push(self.text.len());
            columns.push(*column);
            self.text.push(*letter);
        }
        // Of what stands behind.
        columns.push(
            letters.get(to).or(letters.last()).map_or(0, |(_, column)| column + usize::from(to >= letters.len())),
        );
        offsets.push(self.text.len());
        if to < letters.len() {
            self.text.push_str(ellipsis);
        }
        let last = offsets.len() - 1;
        for mark in marks.iter().filter(|mark| mark.is_within(from, to)) {
            let start = (mark.start.max(from) - from).min(last);
            let end = (mark.end.max(from) - from).clamp(start, last);
            let room = available.saturating_sub(usize::midpoint(start, end) + left + 4).max(16);
            let words = mark.words.as_ref().map(|words| wrap(words, room));
            let span = (offsets[start], offsets[end] - offsets[start]);
            self.labels.push(if mark.primary {
                LabeledSpan::new_primary_with_span(words, span)
            } else {
                LabeledSpan::new_with_span(words, span)
            });
        }
        if letters.is_empty() || marks.iter().any(|mark| mark.start >= to) {
            // miette shows neither a line without characters nor a label behind the last one.
            self.text.push(' ');
        }
        self.text.push('\n');
        self.columns.push(columns);
    }
}

impl SourceCode for Excerpt {
    /// The whole lines of the span: miette's own context would be lines above and below, or the bare span.
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        _before: usize,
        _after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (Some(head), Some(tail)) = (self.text.get(..span.offset()), self.text.get(span.offset() + span.len()..))
        else {
            return Err(MietteError::OutOfBounds);
        };
        let start = head.rfind('\n').map_or(0, |newline| newline + 1);
        let end = tail.find('\n').map_or(self.text.len(), |newline| span.offset() + span.len() + newline);
        let line = head.matches('\n').count();
        let columns = self.columns.get(line).map_or(&[][..], Vec::as_slice);
        let column = columns.get(head[start..].chars().count()).or(columns.last()).copied().unwrap_or(0);
        let lines = &self.text[start..end];
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            lines.as_bytes(),
            (start, end - start).into(),
            line + self.first_line,
            column,
            lines.matches('\n').count() + 1,
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
        primary: label.primary(),
    }
}

/// The characters of a line that are shown, each with the column that it stands for: those that do something to a terminal are escaped.
fn printable(line: &str) -> Vec<(char, usize)> {
    let mut shown = Vec::with_capacity(line.len());
    for (column, letter) in line.chars().enumerate() {
        if letter == '\t' {
            shown.push((' ', column));
        } else if is_control(letter) {
            let escape = escaped(letter.encode_utf8(&mut [0; 4]), is_control).into_owned();
            shown.extend(escape.chars().map(|own| (own, column)));
        } else {
            shown.push((letter, column));
        }
    }
    shown
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
