//! What tests need of Markdown: fenced blocks, links and anchors.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The text of a file of the repository.
pub(super) fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A fenced block of a page.
pub(super) struct Block<'a> {
    /// What follows the fence, such as `sh`.
    pub(super) language: &'a str,
    pub(super) lines: Vec<&'a str>,
    /// Why its commands are not run: `<!-- not run: REASON -->` in the line before it.
    pub(super) not_run: Option<&'a str>,
}

/// The fenced blocks of a page, in their order.
pub(super) fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut before = "";
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let not_run = before.strip_prefix("<!-- not run: ").and_then(|rest| rest.strip_suffix(" -->"));
            let lines = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(Block { language, lines, not_run });
        }
        before = line;
    }
    blocks
}

/// A page without its fenced blocks.
pub(super) fn prose(page: &str) -> String {
    let mut is_code = false;
    let mut prose = String::new();
    for line in page.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    prose
}

/// The pieces of code within the prose of a page, each on one line.
pub(super) fn code_spans(page: &str) -> Vec<String> {
    let words = |span: &str| span.split_whitespace().collect::<Vec<_>>().join(" ");
    prose(page)
        .split("\n\n")
        .flat_map(|part| part.split('`').skip(1).step_by(2).map(words).collect::<Vec<_>>())
        .collect()
}

/// The links of a page to files of the repository, with their anchors.
pub(super) fn links(page: &str) -> Vec<&str> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|link| !link.contains("://")).collect()
}

/// The anchors of a page's headings, as mdBook and forges make them.
pub(super) fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let anchor = |heading: &str| {
        let kept = heading.chars().filter(|character| character.is_alphanumeric() || " -_".contains(*character));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    headings.map(anchor).collect()
}
