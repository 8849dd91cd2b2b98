//! No text is a panic where it is walked and its errors are told.

#![no_main]

use libfuzzer_sys::fuzz_target;
use located_toml::problem::{Place, Source};
use located_toml::report::Sources;
use located_toml::section::Section;
use located_toml::{ReportStyle, walk};

fuzz_target!(|text: &str| {
    let ((), problems) = walk(text, |table, problems| {
        let root = Section::new(table, Place::new(Source::File, 0..0));
        root.deny_unknown("the document", &["name", "numbers"], problems, |_| None);
        for field in &root.fields {
            field.line("\"mine\"", problems);
            field.number(0.0, 1.0, problems);
            field.integer(0, 9, problems);
            field.texts("[\"red\"]", problems);
            field.tables(problems);
        }
    });
    if !problems.is_empty() {
        let errors = Sources::new("fuzz.toml", text, &[]).errors(problems);
        for (style, width) in [(ReportStyle::Plain, 40), (ReportStyle::Colour, 100)] {
            assert!(!errors.report(style, width).is_empty());
        }
    }
});
