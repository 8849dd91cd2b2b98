//! Places: lines, spans of keys and values, and the problems of texts that do not parse.

use located_toml::problem::{Lines, Place, Problem, Problems, Source};
use located_toml::section::{Section, parse};
use located_toml::walk;

fn in_file(start: usize, end: usize) -> Place {
    Place::new(Source::File, start..end)
}

/// The text below a place.
fn below(text: &str, place: Place) -> &str {
    &text[place.start..place.end]
}

/// The messages of a text whose table is read by nobody.
fn messages(text: &str) -> Vec<Problem> {
    walk(text, |_, _| ()).1
}

#[test]
fn lines_begin_behind_line_ends_of_both_kinds() {
    let unix = Lines::new("ab\nc\n\nd");
    assert_eq!([0, 1, 2, 3, 4, 5, 6, 99].map(|offset| unix.of(offset)), [0, 0, 0, 1, 1, 2, 3, 3]);
    let windows = Lines::new("ab\r\nc\r\n");
    assert_eq!([0, 2, 3, 4, 6, 7].map(|offset| windows.of(offset)), [0, 0, 0, 1, 1, 2]);
    let empty = Lines::new("");
    assert_eq!([0, 1].map(|offset| empty.of(offset)), [0, 0]);
    let unicode = Lines::new("µ\né");
    assert_eq!([0, 1, 2, 3].map(|offset| unicode.of(offset)), [0, 0, 0, 1], "offsets are bytes");
}

#[test]
fn a_place_that_ends_before_it_begins_is_empty() {
    #[allow(clippy::reversed_empty_ranges, reason = "a parser's span at the end of a text")]
    let place = Place::new(Source::Override(2), 7..3);
    assert_eq!(place, Place { source: Source::Override(2), start: 7, end: 7 });
}

#[test]
fn keys_and_values_know_their_places_in_the_order_of_the_file() {
    for end in ["\n", "\r\n"] {
        let text = ["zeta = \"µs\"", "alpha = [1, 2]", "[table]", "key = 0x10"].join(end);
        let ((), problems) = walk(&text, |table, _| {
            let root = Section::new(table, in_file(0, 0));
            let keys: Vec<&str> = root.fields.iter().map(|field| field.key).collect();
            assert_eq!(keys, ["zeta", "alpha", "table"]);
            let values: Vec<&str> = root.fields.iter().map(|field| below(&text, field.node.place)).collect();
            assert_eq!(values[..2], ["\"µs\"", "[1, 2]"]);
            for field in &root.fields[..2] {
                assert_eq!(below(&text, field.key_place), field.key);
            }
            let table = root.get("table").and_then(|field| field.table(&mut Problems::default())).expect("a table");
            assert_eq!(below(&text, table.fields[0].node.place), "0x10");
            assert!(root.get("key").is_none() && table.get("key").is_some());
        });
        assert!(problems.is_empty(), "{problems:?}");
    }
}

#[test]
fn a_text_without_keys_is_an_empty_table() {
    for text in ["", "\n", "\r\n", "# a comment", " \t\n# é\r\n"] {
        let (keys, problems) = walk(text, |table, _| Section::new(table, in_file(0, 0)).fields.len());
        assert_eq!((keys, problems.len()), (0, 0), "{text:?}");
    }
}

#[test]
fn each_line_has_its_first_syntax_error_only_with_what_helps() {
    for (text, help) in [
        ("width = 2Ki", "write 2048: a number has no unit"),
        ("width = 3m", "write 3145728: a number has no unit"),
        ("name = branching", "text needs quotes: \"...\""),
        ("a = 1\na = 2", "a key can be there once in a table; put all values in one list"),
        ("a = [1, 2\nb = 3", "a comma is missing here, or the `]` of the list above"),
        ("a = \"x", "the text does not end: its closing quote is missing"),
        ("[table\nb = 3", "the header lacks its `]`"),
    ] {
        let found = messages(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].message.starts_with("not valid TOML: "), "{text}: {found:?}");
        assert_eq!(found[0].help.as_deref(), Some(help), "{text}");
        assert_eq!(found[0].labels.len(), 1, "{text}");
    }
    let several = messages("a = x y\nb = 1\nc = 2k 3k\n");
    let lines = Lines::new("a = x y\nb = 1\nc = 2k 3k\n");
    assert_eq!(several.iter().map(|own| lines.of(own.labels[0].0.start)).collect::<Vec<_>>(), [0, 2]);
}

#[test]
fn lines_below_a_broken_header_cannot_be_relied_upon() {
    let text = "a = 1\n[table\nb = 3\nc = 4\n[other]\nd = 5\n";
    let mut problems = Problems::default();
    let (_, broken) = parse(text, Source::File, &mut problems);
    let mut broken: Vec<usize> = broken.into_iter().collect();
    broken.sort_unstable();
    assert_eq!(broken, [1, 2, 3]);
}

#[test]
fn what_may_follow_from_a_syntax_error_is_not_told() {
    let read = |text: &str| {
        walk(text, |table, problems| {
            let root = Section::new(table, in_file(0, 0));
            problems.push(Problem::new("something is missing").absence());
            if let Some(field) = root.get("b") {
                problems.push(Problem::new("on b").at(field.node.place));
            }
            problems.push(Problem::new("of an override").at(Place::new(Source::Override(0), 0..1)));
        })
    };
    let told = |text: &str| read(text).1.into_iter().map(|problem| problem.message).collect::<Vec<_>>();
    assert_eq!(told("a = 1\nb = 2\n"), ["something is missing", "on b", "of an override"]);
    let broken = told("a = x\nb = 2\n");
    assert_eq!(broken[1..], ["on b", "of an override"], "another line is whole");
    assert!(broken[0].starts_with("not valid TOML"), "{broken:?}");
}
