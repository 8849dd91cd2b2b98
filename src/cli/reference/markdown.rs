//! A small writer of Markdown.

/// A page under construction.
#[derive(Debug)]
pub(super) struct Page {
    text: String,
}

impl Page {
    /// A page with this title, which says that it is generated.
    pub(super) fn new(title: &str) -> Self {
        let command = "cargo run -- reference";
        Self { text: format!("<!-- Generated: `{command}` writes this page. -->\n\n# {}\n", plain(title)) }
    }

    /// Its Markdown.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// A heading below the title's: 2 for a section.
    pub(super) fn heading(&mut self, level: usize, markdown: &str) {
        self.text += &format!("\n{} {markdown}\n", "#".repeat(level));
    }

    /// A paragraph of Markdown; nothing where it is empty.
    pub(super) fn paragraph(&mut self, markdown: &str) {
        if !markdown.is_empty() {
            self.text += &format!("\n{markdown}\n");
        }
    }

    /// Text as it is.
    pub(super) fn verbatim(&mut self, text: &str) {
        let fence = if text.contains("```") { "````" } else { "```" };
        self.text += &format!("\n{fence}text\n{}\n{fence}\n", text.trim_end());
    }

    /// A table whose cells are Markdown; columns that are empty in every row are left out, and nothing is written where there
    /// is no row.
    pub(super) fn table<const N: usize>(&mut self, header: [&str; N], rows: impl IntoIterator<Item = [String; N]>) {
        let rows: Vec<[String; N]> = rows.into_iter().collect();
        if rows.is_empty() {
            return;
        }
        let kept: Vec<usize> = (0..N).filter(|&place| rows.iter().any(|row| !row[place].is_empty())).collect();
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        self.text += "\n";
        self.text += &line(kept.iter().map(|&place| cell(header[place])).collect());
        self.text += &line(kept.iter().map(|_| "---".to_owned()).collect());
        for row in &rows {
            self.text += &line(kept.iter().map(|&place| cell(&row[place])).collect());
        }
    }
}

/// Markdown as the cell of a table: on one line, and without a rule of the table.
fn cell(markdown: &str) -> String {
    markdown.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// Text as code.
pub(super) fn code(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}

/// Names as code, with commas between them.
pub(super) fn codes<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(code).collect::<Vec<_>>().join(", ")
}

/// Text in which nothing but backquotes in pairs is taken for Markdown.
pub(super) fn plain(text: &str) -> String {
    let is_paired = text.matches('`').count().is_multiple_of(2);
    if !is_paired {
        return escaped(text);
    }
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(place, part)| if place % 2 == 0 { escaped(part) } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("`")
}

/// Text in which nothing is taken for Markdown.
fn escaped(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut escaped = String::with_capacity(text.len());
    for (place, &letter) in letters.iter().enumerate() {
        let neighbour = |place: Option<usize>| place.and_then(|place| letters.get(place)).copied();
        let (before, after) = (neighbour(place.checked_sub(1)), neighbour(Some(place + 1)));
        let is = |of: fn(char) -> bool, side: Option<char>| side.is_some_and(of);
        let is_markup = match letter {
            '\\' | '<' | '[' | ']' | '`' => true,
            // Within a word it is a letter.
            '_' => !(is(char::is_alphanumeric, before) && is(char::is_alphanumeric, after)),
            // Between blanks it is a sign.
            '*' => !(is(char::is_whitespace, before) && is(char::is_whitespace, after)),
            _ => false,
        };
        if is_markup {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_not_taken_for_markdown() {
        assert_eq!(plain("__syncthreads() of t_branch"), "\\_\\_syncthreads() of t_branch");
        assert_eq!(plain("a * b, but *c* <d> [e]"), "a * b, but \\*c\\* \\<d> \\[e\\]");
        assert_eq!(plain("`a_*b` and c*"), "`a_*b` and c\\*");
        assert_eq!(plain("an odd ` one"), "an odd \\` one");
    }

    #[test]
    fn a_table_keeps_its_columns_and_leaves_out_empty_ones() {
        let mut page = Page::new("Title");
        page.table(["a", "b", "c"], [["1 | 2".to_owned(), String::new(), "two\n  lines".to_owned()]]);
        page.table(["none"], []);
        let expected = "# Title\n\n| a | c |\n| --- | --- |\n| 1 \\| 2 | two lines |\n";
        assert!(page.text().ends_with(expected), "{}", page.text());
    }

    #[test]
    fn code_and_text_as_it_is_hold_backquotes() {
        assert_eq!((code("a`b"), code("a"), code("")), ("`` a`b ``".to_owned(), "`a`".to_owned(), String::new()));
        let mut page = Page::new("Title");
        page.verbatim("```\n");
        assert!(page.text().ends_with("\n````text\n```\n````\n"), "{}", page.text());
    }
}
