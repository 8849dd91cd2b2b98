//! What people read: excerpts of the text with marks below, several errors at once, and files that are none.

use std::fs;
use std::path::PathBuf;

use located_toml::file::{FileKind, TEXT_BYTES_MAX};
use located_toml::problem::{Place, Problem, Source};
use located_toml::report::Sources;
use located_toml::words::{count, instead, quote, slug};
use located_toml::{DocumentError, DocumentErrors, ReportStyle};

const KIND: FileKind = FileKind {
    noun: "profile",
    instead_of_directory: "give a file",
    where_missing: "check the path",
    least: "it needs a name",
};

fn at(text: &str, word: &str) -> Place {
    let start = text.find(word).expect("the word is there");
    Place::new(Source::File, start..start + word.len())
}

fn report(text: &str, problems: Vec<Problem>) -> String {
    Sources::new("a.toml", text, &[]).errors(problems).report(ReportStyle::Plain, 80)
}

/// The line below the one that has the source line `number`, from where the source's first column is.
fn marks(report: &str, number: usize) -> String {
    let mut lines = report.lines();
    let gutter = format!("{number} | ");
    let source = lines.find(|line| line.trim_start().starts_with(&gutter)).unwrap_or_else(|| panic!("{report}"));
    let indent = source.chars().count() - source.trim_start().chars().count() + gutter.chars().count();
    lines.next().unwrap_or_default().chars().skip(indent).collect()
}

/// A name of a file that sets a terminal's title, and a key that turns the direction of what follows.
#[test]
fn no_text_of_the_user_s_controls_a_terminal() {
    let text = "turned\u{202e} = 1\nescaped = \"\u{1b}]0;title\u{7}\"";
    let (name, key) = ("p\u{1b}]0;title\u{7}/a.toml", "turned\u{202e}");
    let told = |style| {
        let problems = [Problem::new(format!("{} is no key", quote(key))).at(at(text, key))];
        let problems = problems.into_iter().chain([Problem::new("it is wrong").at(at(text, "\u{1b}]0;title"))]);
        Sources::new(name, text, &["a\u{2066}=1".to_owned()]).errors(problems.collect()).report(style, 80)
    };
    for letter in ['\u{202e}', '\u{7}', '\u{2066}'] {
        assert!(!told(ReportStyle::Colour).contains(letter), "{}", told(ReportStyle::Colour).escape_debug());
    }
    assert!(!told(ReportStyle::Plain).contains('\u{1b}'), "{}", told(ReportStyle::Plain).escape_debug());
    assert!(told(ReportStyle::Plain).contains("a.toml:1:1]"), "{}", told(ReportStyle::Plain));
}

#[test]
fn marks_stand_below_what_they_are_about_in_every_encoding_of_lines() {
    for end in ["\n", "\r\n"] {
        let text = ["a = 1", "µ = \"Größe\"  # wrong", "c = 3"].join(end);
        let told = report(&text, vec![Problem::new("it is wrong").at(at(&text, "\"Größe\"")).help("write it")]);
        assert!(told.contains("a.toml:2:5]"), "line and column in characters: {told}");
        assert!(told.contains("2 | µ = \"Größe\"  # wrong\n"), "{told}");
        assert_eq!(marks(&told, 2), "    ^^^^^^^", "{told}");
        assert!(!told.contains('\r') && !told.contains("a = 1") && !told.contains("c = 3"), "{told}");
        assert!(told.ends_with("\n1 error in a.toml\n"), "{told}");
    }
}

#[test]
fn errors_are_in_the_order_of_the_file_and_those_without_a_place_last() {
    let text = "a = 1\nb = 2\n";
    let overrides = ["b=3".to_owned(), "--seed x".to_owned()];
    let sources = Sources::new("a.toml", text, &overrides);
    let problems = vec![
        Problem::new("without a place"),
        Problem::new("of the option").at(Place::new(Source::Override(1), 7..8)),
        Problem::new("of the override").at(Place::new(Source::Override(0), 2..3)).label(at(text, "2"), "before"),
        Problem::new("second").at(at(text, "2")),
        Problem::new("first").at(at(text, "1")),
    ];
    let errors = sources.errors(problems);
    let told: Vec<String> = errors.errors().iter().map(ToString::to_string).collect();
    assert_eq!(told, ["first", "second", "of the override", "of the option", "without a place"]);
    let report = errors.report(ReportStyle::Plain, 80);
    assert!(report.contains("see also a.toml line 2 (before)"), "{report}");
    assert!(report.ends_with("\n5 errors in a.toml and --set\n"), "{report}");
    assert_eq!(
        errors.to_string(),
        "5 errors in a.toml and --set: first; second; of the override; of the option; without a place"
    );
    let only = sources.errors(vec![Problem::new("x").at(Place::new(Source::Override(0), 0..1))]);
    assert!(only.to_string().starts_with("1 error in --set: x"), "{only}");
}

#[test]
fn long_lines_are_cut_around_the_mark() {
    let text = format!("{}wrong = 1{}", "x".repeat(500), "y".repeat(500));
    let told = report(&text, vec![Problem::new("a name").at(at(&text, "wrong"))]);
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    assert!(told.contains("a.toml:1:501]"), "the column is that of the whole line: {told}");
    let shown = told.lines().find(|line| line.contains("1 | ")).expect("a line");
    assert!(shown.contains("...xxx") && shown.contains("wrong = 1yyy") && shown.ends_with("..."), "{shown}");
    assert!(marks(&told, 1).ends_with("^^^^^") && !marks(&told, 1).trim_start().contains(' '), "{told}");
}

#[test]
fn control_characters_reach_no_terminal() {
    let text = "a\t= \"\u{1b}[31m\"";
    let told = report(text, vec![Problem::new("odd").at(at(text, "\"\u{1b}[31m\""))]);
    assert!(!told.contains('\u{1b}') && !told.contains('\t') && told.contains("a = \"\\u001b[31m\""), "{told}");
    let colour = Sources::new("a.toml", text, &[]).errors(vec![Problem::new("odd").at(at(text, "a"))]);
    assert!(colour.report(ReportStyle::Colour, 80).contains('\u{1b}'), "colours are the report's own");
}

#[test]
fn places_outside_of_a_text_are_shown_at_its_end() {
    for text in ["", "\n", "a = 1", "a = 1\r\n", "é"] {
        for place in [0..0, 1..2, 3..99, 98..99] {
            let told = report(text, vec![Problem::new("odd").at(Place::new(Source::File, place))]);
            assert!(told.contains("odd") && told.ends_with("1 error in a.toml\n"), "{text:?}: {told}");
        }
    }
}

#[test]
fn more_errors_than_help_anybody_are_counted() {
    let problems = (0..53).map(|number| Problem::new(format!("problem {number}."))).collect();
    let told = report("", problems);
    assert!(told.contains("problem 49.") && !told.contains("problem 50."), "{told}");
    assert!(told.ends_with("\nand 3 more errors\n\n53 errors in a.toml\n"), "{told}");
}

#[test]
fn messages_are_cut_where_they_are_too_long() {
    let told = report("", vec![Problem::new("m".repeat(2000)).help("h".repeat(2000))]);
    let letters = |letter: char| told.chars().filter(|own| *own == letter).count();
    assert_eq!((letters('m') - "a.toml".matches('m').count(), letters('h')), (800, 800 + "help".matches('h').count()));
}

/// A file of this test with these bytes.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn files_that_are_no_text_are_told_with_what_to_do() {
    let told = |path: &PathBuf| KIND.read(path).unwrap_err().to_string();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    assert!(told(&folder).ends_with(" is a directory"), "{}", told(&folder));
    let missing = folder.join("there-is-none.toml");
    assert!(told(&missing).contains("there-is-none.toml cannot be read: "), "{}", told(&missing));
    let help = KIND.read(&missing).unwrap_err().report(ReportStyle::Plain, 200);
    assert!(help.contains("check the path"), "{help}");
    let latin = file("latin.toml", b"a = 1\r\nb = \"\xe9\"\n");
    assert!(told(&latin).ends_with(" is not UTF-8 text: line 2 has other bytes"), "{}", told(&latin));
    assert_eq!(KIND.read(&file("windows.toml", b"a = \"\xc3\xa9\"\r\n")).unwrap(), "a = \"é\"\r\n");
    let large = file("large.toml", &vec![0xff; TEXT_BYTES_MAX + 1]);
    assert!(told(&large).ends_with("large.toml is larger than 1 MiB"), "{}", told(&large));
}

#[test]
fn empty_and_large_texts_are_refused() {
    for text in ["", " ", "\n\r\n\t"] {
        let told = KIND.check("a.toml", text).unwrap_err();
        assert_eq!(told.to_string(), "1 error in a.toml: a.toml is empty", "{text:?}");
        assert!(told.report(ReportStyle::Plain, 80).contains("it needs a name"));
    }
    assert!(KIND.check("a.toml", "# é").is_ok());
    assert!(KIND.check("a.toml", &"#".repeat(TEXT_BYTES_MAX)).is_ok());
    let told = KIND.check("a.toml", &"#".repeat(TEXT_BYTES_MAX + 1)).unwrap_err();
    let report = told.report(ReportStyle::Plain, 80);
    assert!(report.contains("a.toml is larger than 1 MiB") && report.contains("a profile is a short text"), "{report}");
}

#[test]
fn an_error_of_a_file_as_a_whole_has_its_words_alone() {
    let errors = DocumentErrors::of_file("a.toml", "a.toml is odd", "write another");
    assert_eq!((errors.errors().len(), errors.to_string()), (1, "1 error in a.toml: a.toml is odd".to_owned()));
    assert_eq!(DocumentError::without_source("odd", "help").to_string(), "odd");
}

#[test]
fn words_quote_count_and_propose() {
    assert_eq!(quote(&"é".repeat(61)), format!("`{}...`", "é".repeat(60)));
    assert_eq!([0, 1, 2].map(|number| count(number, "value")), ["0 values", "1 value", "2 values"]);
    assert_eq!(instead("wdith", &["width", "work"]), "did you mean `width`? Allowed: width, work");
    assert_eq!(instead("zebra", &["width", "work"]), "allowed: width, work");
    assert_eq!([slug("My Run!"), slug("--é--"), slug("a_b")], ["my-run", "", "a-b"]);
}
