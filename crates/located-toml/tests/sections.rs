//! Values read as what they should be, and what is told of those that are not.

use located_toml::problem::{Place, Problems, Source};
use located_toml::section::{Field, Section, deny_duplicates, noun, whole};
use located_toml::walk;

/// What `read` makes of the value of `key`, with the messages and the help of all problems.
fn of<T>(text: &str, read: impl FnOnce(&Field<'_>, &mut Problems) -> T) -> (T, Vec<String>) {
    let (value, problems) = walk(text, |table, problems| {
        let root = Section::new(table, Place::new(Source::File, 0..0));
        read(root.get("key").expect("the key is there"), problems)
    });
    let told = problems.into_iter().map(|own| format!("{} | {}", own.message, own.help.unwrap_or_default()));
    (value, told.collect())
}

fn value<T>(value: &str, read: impl FnOnce(&Field<'_>, &mut Problems) -> T) -> (T, Vec<String>) {
    of(&format!("key = {value}\n"), read)
}

#[test]
fn whole_numbers_have_ends_and_every_radix() {
    let read = |text: &str| value(text, |field, problems| field.integer(-2, 255, problems));
    for (text, number) in [("-2", -2), ("255", 255), ("0xff", 255), ("0b101", 5), ("0o17", 15), ("1_0", 10), ("+7", 7)]
    {
        assert_eq!(read(text), (Some(number), vec![]), "{text}");
    }
    let out = |found: &str| vec![format!("`key`: {found} is out of range | expected a whole number from -2 to 255")];
    for text in ["-3", "256", "99999999999999999999"] {
        assert_eq!(read(text), (None, out(text)), "{text}");
    }
    let wrong = "`key` must be a whole number from -2 to 255, not a decimal number | for example: key = 1";
    assert_eq!(read("1.0"), (None, vec![wrong.to_owned()]));
}

#[test]
fn numbers_may_be_decimal_but_must_be_within() {
    let read = |text: &str| value(text, |field, problems| field.number(0.5, 2.0, problems));
    for (text, number) in [("0.5", 0.5), ("2", 2.0), ("1.5e0", 1.5)] {
        assert_eq!(read(text), (Some(number), vec![]), "{text}");
    }
    for text in ["0.4", "3", "nan", "inf", "-inf"] {
        let told = format!("`key`: {text} is out of range | expected a number from 0.5 to 2");
        assert_eq!(read(text), (None, vec![told]), "{text}");
    }
    let wrong = "`key` must be a number from 0.5 to 2, not true or false | for example: key = 1";
    assert_eq!(read("true"), (None, vec![wrong.to_owned()]));
}

#[test]
fn a_line_of_text_is_one_line_with_something_in_it() {
    let read = |text: &str| value(text, |field, problems| field.line("\"é\"", problems));
    assert_eq!(read("\"Läufe µs\""), (Some("Läufe µs".to_owned()), vec![]));
    for (text, why) in [
        ("\"\"", "not empty"),
        ("\"  \"", "not empty"),
        ("\"a\\nb\"", "without control characters: it has U+000A"),
        ("\"a\\u001bb\"", "without control characters: it has U+001B"),
        ("'''\na\r\nb'''", "without control characters: it has U+000D"),
    ] {
        let told = format!("`key` must be one line of text, {why} | for example: key = \"é\"");
        assert_eq!(read(text), (None, vec![told]), "{text}");
    }
    assert_eq!(read("[1]").1, ["`key` must be text, not a list | for example: key = \"é\""]);
}

#[test]
fn names_of_files_are_lower_case_with_a_proposal() {
    let read = |text: &str| value(text, |field, problems| field.file_name("\"run-1\"", problems));
    assert_eq!(read("\"run-2\""), (Some("run-2".to_owned()), vec![]));
    let proposal = |text: &str| read(text).1[0].rsplit("for example: ").next().map(str::to_owned);
    assert_eq!(proposal("\"My Run: 3\"").as_deref(), Some("key = \"my-run-3\""));
    assert_eq!(proposal("\"../é\"").as_deref(), Some("key = \"run-1\""), "nothing is left of it");
    let long = format!("\"{}\"", "a".repeat(65));
    assert_eq!(proposal(&long), Some(format!("key = \"{}\"", "a".repeat(64))));
    assert_eq!(read(&format!("\"{}\"", "a".repeat(64))).1, Vec::<String>::new());
}

#[test]
fn lists_of_text_tell_each_item_that_is_none() {
    let read = |text: &str| value(text, |field, problems| field.texts("[\"a\"]", problems));
    let (texts, told) = read("[\"a\", 1, \"é\", [true]]");
    let names: Vec<String> = texts.unwrap().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a", "é"]);
    let wrong = |what: &str| format!("`key` must hold text only, not {what} | for example: key = [\"a\"]");
    assert_eq!(told, [wrong("a whole number"), wrong("a list")]);
    assert_eq!(read("[]").1, ["`key` is empty | leave it out, or give names, for example: key = [\"a\"]"]);
    assert_eq!(read("\"a\"").1, ["`key` must be a list of text, not text | for example: key = [\"a\"]"]);
}

#[test]
fn tables_and_lists_of_tables_are_told_apart() {
    let table = |text: &str| of(text, |field, problems| field.table(problems).map(|own| own.fields.len()));
    let tables = |text: &str| {
        of(text, |field, problems| field.tables(problems).iter().map(|own| own.fields.len()).collect::<Vec<_>>())
    };
    assert_eq!(table("[key]\na = 1\nb = 2\n"), (Some(2), vec![]));
    assert_eq!(
        table("[[key]]\na = 1\n"),
        (None, vec!["`key` can be there once only | write [key], not [[key]]".into()])
    );
    let below = "write [key] on a line of its own and its keys below";
    assert_eq!(table("key = 1\n"), (None, vec![format!("`key` must be a table, not a whole number | {below}")]));
    assert_eq!(tables("[[key]]\na = 1\n[[key]]\n"), (vec![1, 0], vec![]));
    let told = vec!["`key` must be a list of tables, not a table | write [[key]], not [key]".to_owned()];
    assert_eq!(tables("[key]\na = 1\n"), (vec![1], told), "its keys can be checked all the same");
    let below = "write [[key]] on a line of its own and its keys below";
    assert_eq!(
        tables("key = 1979-05-27\n").1,
        [format!("`key` must be a list of tables, not a date or time | {below}")]
    );
    let (fields, told) = tables("key = [{ a = 1 }, 2]\n");
    assert_eq!((fields, told), (vec![1], vec![format!("`key` must hold tables only, not a whole number | {below}")]));
}

#[test]
fn unknown_keys_are_told_with_the_name_that_was_meant() {
    let ((), problems) = walk("widht = 1\nwidth = 2\nother = 3\n\"é\" = 4\n", |table, problems| {
        let root = Section::new(table, Place::new(Source::File, 0..0));
        root.deny_unknown("a grid", &["width"], problems, |key| (key == "other").then(|| "not here".to_owned()));
    });
    let told: Vec<_> = problems.iter().map(|own| (own.message.as_str(), own.help.as_deref().unwrap_or(""))).collect();
    assert_eq!(
        told,
        [
            ("`widht` is not a key of a grid", "did you mean `width`? Allowed: width"),
            ("`other` is not a key of a grid", "not here"),
            ("`é` is not a key of a grid", "allowed: width"),
        ]
    );
}

#[test]
fn each_repetition_is_told_with_the_first() {
    let place = |start| Place::new(Source::File, start..start + 1);
    let names = [("a", 0), ("b", 2), ("a", 4), ("a", 6)].map(|(name, start)| (name.to_owned(), place(start)));
    let mut problems = Problems::default();
    deny_duplicates("the fit", &names, "rename it", &mut problems);
    let places: Vec<Vec<usize>> =
        problems.list.iter().map(|own| own.labels.iter().map(|(place, _)| place.start).collect()).collect();
    assert_eq!(places, [[4, 0], [6, 0]]);
    assert_eq!(problems.list[0].message, "the fit `a` is there twice");
    assert!(!problems.is_empty() && Problems::default().is_empty());
}

#[test]
fn values_have_nouns_and_whole_numbers_a_limit() {
    for (text, expected, number) in [
        ("\"1\"", "text", None),
        ("9223372036854775807", "a whole number", Some(i64::MAX)),
        ("9223372036854775808", "a whole number", None),
        ("1.5", "a decimal number", None),
        ("false", "true or false", None),
        ("07:32:00", "a date or time", None),
        ("[]", "a list", None),
        ("{}", "a table", None),
    ] {
        let (found, told) = value(text, |field, _| (noun(field.node.value), whole(field.node.value)));
        assert_eq!((found, told.len()), ((expected, number), 0), "{text}");
    }
}

#[test]
fn lines_of_text_have_an_end() {
    let read =
        |length: usize| value(&format!("\"{}\"", "é".repeat(length)), |field, problems| field.line("\"a\"", problems));
    assert_eq!(read(2000), (Some("é".repeat(2000)), vec![]));
    let words = "`key` has 1000000 characters, and at most 2000 are allowed | shorten it";
    assert_eq!(read(1_000_000), (None, vec![words.to_owned()]));
}
