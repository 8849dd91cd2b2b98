//! Inputs that fuzzing begins with: each is read, whole, cut off and with other bytes, as its target does it.

use std::fs;
use std::path::Path;

use apbench::diagnosis::{Document, Gate};
use apbench::report::diagnosis::section;
use apbench::scenario::{KernelFile, Scenario};
use located_toml::ReportStyle;

/// Bytes that stand in place of others.
const OTHERS: [char; 6] = ['0', '-', '[', '"', 'e', 'é'];
/// Texts that are made of one seed at most.
const TEXTS_MOST: usize = 400;

/// The seeds of a target, and what is made of each.
fn texts(target: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds").join(target);
    let mut all = Vec::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        for place in places.iter().step_by(places.len().div_ceil(TEXTS_MOST / 2)) {
            let other = OTHERS[place % OTHERS.len()];
            let behind = text[*place..].chars().skip(1).collect::<String>();
            all.extend([text[..*place].to_owned(), format!("{}{other}{behind}", &text[..*place])]);
        }
        all.push(text);
    }
    assert!(!all.is_empty(), "{target} has no seeds");
    all
}

#[test]
fn options_of_a_kernel_s_file_are_read_or_refused_in_words() {
    let mut read = 0;
    for text in texts("kernel_file") {
        let mut lines = text.lines();
        let (grid, block) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        let arguments: Vec<String> = lines.map(str::to_owned).collect();
        let path = Path::new("kernel.ptx");
        let file =
            KernelFile { path, entry: "scale", grid, block, shared_bytes: None, arguments: &arguments, names: &[] };
        match Scenario::of_kernel_file(&file, &[], 1) {
            Ok(_) => read += 1,
            Err(wrong) => assert!(wrong.errors.report(ReportStyle::Plain, 60).contains("kernel.ptx"), "{text}"),
        }
    }
    assert!(read > 10, "{read} were read");
}

#[test]
fn conditions_are_read_or_refused_in_words() {
    let all = texts("fail_on");
    let (read, refused): (Vec<_>, Vec<_>) = all.iter().map(|text| text.parse::<Gate>()).partition(Result::is_ok);
    assert!(read.len() > 3 && refused.len() > 10, "{} were read, {} refused", read.len(), refused.len());
    for problem in refused.into_iter().filter_map(Result::err) {
        assert!(problem.contains("for example") || problem.contains("llowed"), "{problem}");
    }
}

#[test]
fn a_diagnosis_that_is_read_is_shown() {
    let documents: Vec<Document> = texts("diagnosis").iter().filter_map(|text| Document::parse(text).ok()).collect();
    assert!(documents.len() > 3, "{} were read", documents.len());
    assert!(documents.iter().all(|own| section(own).into_string().contains("Diagnosis")));
}
