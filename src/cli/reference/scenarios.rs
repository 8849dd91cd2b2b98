//! The page of scenario keys, from the tables that scenarios are read by.

use super::markdown::{Page, code};
use crate::scenario::keys::{DescribedKey, described};

pub(super) fn page() -> Page {
    let mut page = Page::new("Scenario keys");
    page.paragraph(
        "A scenario is a TOML file. An unknown key, or a value that is not allowed, is an error that names its line and what is \
         allowed.",
    );
    for table in described() {
        let title = if table.header.is_empty() { "Top level".to_owned() } else { code(table.header) };
        page.heading(2, &title);
        page.paragraph(table.meaning);
        page.table(["key", "values", "default", "only for charts of kind", "meaning"], table.keys.iter().map(row));
    }
    page
}

fn row(key: &DescribedKey) -> [String; 5] {
    [code(key.name), key.allowed.clone(), key.default.clone(), key.kinds.clone(), key.meaning.to_owned()]
}
