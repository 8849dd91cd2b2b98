//! Walking a TOML document by hand: tables, their keys and the values that these may have.
//!
//! serde with `deny_unknown_fields` stops at the first error and loses the place of many (flattened and untagged values
//! point at the table or nowhere). The errors of a text are all told at once, each with its place, so this walks the
//! spanned table that the parser gives, even when the parser had to recover from syntax errors.

use std::collections::{HashMap, HashSet};

use toml::de::{DeTable, DeValue};

use super::problem::{Lines, Place, Problem, Problems, Source};
use super::words::{LINE_MAX, NAME_MAX, instead, multiplied, quote, shorten, slug};

/// A value and its place.
#[derive(Debug, Clone, Copy)]
pub struct Node<'doc> {
    /// What the parser made of it.
    pub value: &'doc DeValue<'doc>,
    /// Where it is written.
    pub place: Place,
}

/// A key of a table with its value.
#[derive(Debug, Clone, Copy)]
pub struct Field<'doc> {
    /// The key.
    pub key: &'doc str,
    /// Where the key is written.
    pub key_place: Place,
    /// The value.
    pub node: Node<'doc>,
}

/// A table with its keys in the order of the file.
#[derive(Debug, Clone)]
pub struct Section<'doc> {
    /// The table's header, or the inline table.
    pub place: Place,
    /// Its keys, in the order of the file.
    pub fields: Vec<Field<'doc>>,
}

impl<'doc> Section<'doc> {
    /// The table that is written at `place`.
    pub fn new(table: &'doc DeTable<'doc>, place: Place) -> Self {
        let mut fields: Vec<Field<'doc>> = table
            .iter()
            .map(|(key, value)| Field {
                key: key.get_ref(),
                key_place: Place::new(place.source, key.span()),
                node: Node { value: value.get_ref(), place: Place::new(place.source, value.span()) },
            })
            .collect();
        fields.sort_by_key(|field| field.key_place);
        Self { place, fields }
    }

    /// The key with this name, if it is there.
    pub fn get(&self, key: &str) -> Option<&Field<'doc>> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// Reports every key that is not one of these. `hint` may know better what was meant.
    pub fn deny_unknown(
        &self,
        what: &str,
        allowed: &[&str],
        problems: &mut Problems,
        hint: impl Fn(&str) -> Option<String>,
    ) {
        for field in self.fields.iter().filter(|field| !allowed.contains(&field.key)) {
            let help = hint(field.key).unwrap_or_else(|| instead(field.key, allowed));
            problems.push(
                Problem::new(format!("{} is not a key of {what}", quote(field.key))).at(field.key_place).help(help),
            );
        }
    }
}

/// What a TOML value is, as a noun.
pub fn noun(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a decimal number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// A whole number of TOML that fits 64 bits.
pub fn whole(value: &DeValue<'_>) -> Option<i64> {
    value.as_integer().and_then(|integer| i64::from_str_radix(integer.as_str(), integer.radix()).ok())
}

impl<'doc> Field<'doc> {
    /// Reports that the value is of the wrong type.
    pub fn wrong_type(&self, expected: &str, example: &str, problems: &mut Problems) {
        let found = noun(self.node.value);
        problems.push(
            Problem::new(format!("{} must be {expected}, not {found}", quote(self.key)))
                .at(self.node.place)
                .help(format!("for example: {} = {example}", shorten(self.key, 60))),
        );
    }

    /// One line of text.
    pub fn line(&self, example: &str, problems: &mut Problems) -> Option<String> {
        let DeValue::String(text) = self.node.value else {
            self.wrong_type("text", example, problems);
            return None;
        };
        let control = text.chars().find(|letter| letter.is_control());
        if text.trim().is_empty() || control.is_some() {
            let why = control.map_or("not empty".to_owned(), |letter| {
                format!("without control characters: it has U+{:04X}", u32::from(letter))
            });
            let message = format!("{} must be one line of text, {why}", quote(self.key));
            problems
                .push(Problem::new(message).at(self.node.place).help(format!("for example: {} = {example}", self.key)));
            return None;
        }
        let length = text.chars().count();
        if length > LINE_MAX {
            let message = format!("{} has {length} characters, and at most {LINE_MAX} are allowed", quote(self.key));
            problems.push(Problem::new(message).at(self.node.place).help("shorten it"));
            return None;
        }
        Some(text.to_string())
    }

    /// A name that a file or directory can have.
    pub fn file_name(&self, example: &str, problems: &mut Problems) -> Option<String> {
        let DeValue::String(text) = self.node.value else {
            self.wrong_type("text", example, problems);
            return None;
        };
        let fits = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if !fits || text.is_empty() || text.len() > NAME_MAX {
            let proposal = slug(text);
            let proposal = if proposal.is_empty() { example.to_owned() } else { format!("\"{proposal}\"") };
            problems.push(
                Problem::new(format!("{} cannot be a {}: it names files", quote(text), self.key))
                    .at(self.node.place)
                    .help(format!(
                        "use 1 to {} of the characters a-z, 0-9 and -, for example: {} = {proposal}",
                        NAME_MAX, self.key
                    )),
            );
            return None;
        }
        Some(text.to_string())
    }

    /// `true` or `false`.
    pub fn flag(&self, problems: &mut Problems) -> Option<bool> {
        let DeValue::Boolean(flag) = self.node.value else {
            self.wrong_type("true or false", "true", problems);
            return None;
        };
        Some(*flag)
    }

    /// A finite number, whole or decimal, from `min` to `max`.
    pub fn number(&self, min: f64, max: f64, problems: &mut Problems) -> Option<f64> {
        let number = match self.node.value {
            DeValue::Integer(_) => whole(self.node.value).map(|number| number as f64),
            DeValue::Float(float) => float.as_str().parse().ok(),
            _ => {
                self.wrong_type(&format!("a number from {min} to {max}"), &max.min(1.0).to_string(), problems);
                return None;
            }
        };
        match number {
            Some(number) if number >= min && number <= max => Some(number),
            _ => {
                self.out_of_range(&format!("a number from {min} to {max}"), problems);
                None
            }
        }
    }

    /// A whole number from `min` to `max`.
    pub fn integer(&self, min: i64, max: i64, problems: &mut Problems) -> Option<i64> {
        let expected = format!("a whole number from {min} to {max}");
        if !self.node.value.is_integer() {
            self.wrong_type(&expected, &min.max(1).to_string(), problems);
            return None;
        }
        let number = whole(self.node.value).filter(|number| (min..=max).contains(number));
        if number.is_none() {
            self.out_of_range(&expected, problems);
        }
        number
    }

    fn out_of_range(&self, expected: &str, problems: &mut Problems) {
        let found = match self.node.value {
            DeValue::Integer(integer) => integer.to_string(),
            DeValue::Float(float) => float.as_str().to_owned(),
            other => noun(other).to_owned(),
        };
        problems.push(
            Problem::new(format!("{}: {} is out of range", quote(self.key), shorten(&found, 40)))
                .at(self.node.place)
                .help(format!("expected {expected}")),
        );
    }

    /// A list that is not empty, of text.
    pub fn texts(&self, example: &str, problems: &mut Problems) -> Option<Vec<(String, Place)>> {
        let DeValue::Array(items) = self.node.value else {
            self.wrong_type("a list of text", example, problems);
            return None;
        };
        if items.is_empty() {
            problems.push(
                Problem::new(format!("{} is empty", quote(self.key)))
                    .at(self.node.place)
                    .help(format!("leave it out, or give names, for example: {} = {example}", self.key))
                    .absence(),
            );
            return None;
        }
        let mut texts = Vec::new();
        for item in items {
            let place = Place::new(self.node.place.source, item.span());
            match item.get_ref() {
                DeValue::String(text) => texts.push((text.to_string(), place)),
                other => problems.push(
                    Problem::new(format!("{} must hold text only, not {}", quote(self.key), noun(other)))
                        .at(place)
                        .help(format!("for example: {} = {example}", self.key)),
                ),
            }
        }
        Some(texts)
    }

    /// A table: `[key]`.
    pub fn table(&self, problems: &mut Problems) -> Option<Section<'doc>> {
        match self.node.value {
            DeValue::Table(table) => Some(Section::new(table, self.node.place)),
            DeValue::Array(items) if items.iter().all(|item| item.get_ref().is_table()) && !items.is_empty() => {
                problems.push(
                    Problem::new(format!("`{}` can be there once only", self.key))
                        .at(self.key_place)
                        .help(format!("write [{0}], not [[{0}]]", self.key)),
                );
                None
            }
            other => {
                problems.push(
                    Problem::new(format!("`{}` must be a table, not {}", self.key, noun(other)))
                        .at(self.node.place)
                        .help(format!("write [{}] on a line of its own and its keys below", self.key)),
                );
                None
            }
        }
    }

    /// A list of tables: `[[key]]`, any number of times.
    pub fn tables(&self, problems: &mut Problems) -> Vec<Section<'doc>> {
        let help = format!("write [[{}]] on a line of its own and its keys below", self.key);
        match self.node.value {
            DeValue::Array(items) => {
                let mut sections = Vec::new();
                for item in items {
                    let place = Place::new(self.node.place.source, item.span());
                    match item.get_ref() {
                        DeValue::Table(table) => sections.push(Section::new(table, place)),
                        other => problems.push(
                            Problem::new(format!("`{}` must hold tables only, not {}", self.key, noun(other)))
                                .at(place)
                                .help(help.clone()),
                        ),
                    }
                }
                sections
            }
            DeValue::Table(table) => {
                problems.push(
                    Problem::new(format!("`{}` must be a list of tables, not a table", self.key))
                        .at(self.key_place)
                        .help(format!("write [[{0}]], not [{0}]", self.key)),
                );
                // What is inside can be checked all the same.
                vec![Section::new(table, self.node.place)]
            }
            other => {
                problems.push(
                    Problem::new(format!("`{}` must be a list of tables, not {}", self.key, noun(other)))
                        .at(self.node.place)
                        .help(help),
                );
                Vec::new()
            }
        }
    }
}

/// Reports every name that is there twice; `remedy` says what to do.
pub fn deny_duplicates(what: &str, names: &[(String, Place)], remedy: &str, problems: &mut Problems) {
    let mut seen = HashMap::new();
    for (name, place) in names {
        let first = *seen.entry(name).or_insert(*place);
        if first != *place {
            problems.push(
                Problem::new(format!("{what} {} is there twice", quote(name)))
                    .label(*place, "again")
                    .label(first, "first")
                    .help(remedy),
            );
        }
    }
}

/// Parses a text as far as it can be parsed, reporting the first syntax error of each line. Tells the lines that cannot
/// be relied upon.
pub fn parse<'doc>(
    text: &'doc str,
    source: Source,
    problems: &mut Problems,
) -> (toml::Spanned<DeTable<'doc>>, HashSet<usize>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let lines = Lines::new(text);
    let mut broken = HashSet::new();
    let mut list_is_open = false;
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        if !broken.insert(lines.of(span.start)) {
            continue;
        }
        // A list that is not closed takes in everything below it, and complains at every line.
        let is_of_list = error.message().contains("array");
        if is_of_list && list_is_open {
            continue;
        }
        list_is_open |= is_of_list;
        let written = text.get(span.clone()).unwrap_or_default();
        let mut problem = Problem::new(format!("not valid TOML: {}", error.message())).at(Place::new(source, span));
        if let Some(help) = syntax_help(error.message(), written) {
            problem = problem.help(help);
        }
        problems.push(problem);
    }
    if !broken.is_empty() {
        // The keys below a broken header end up in the table above.
        let mut below_broken_header = false;
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with('[') {
                below_broken_header = broken.contains(&number);
            } else if below_broken_header {
                broken.insert(number);
            }
        }
    }
    (table, broken)
}

/// What usually leads to a syntax error. `written` is the text that it is about.
fn syntax_help(message: &str, written: &str) -> Option<String> {
    let help = if message.contains("string values must be quoted") {
        match multiplied(written) {
            Some(number) => return Some(format!("write {number}: a number has no unit")),
            None => "text needs quotes: \"...\"",
        }
    } else if message.contains("duplicate key") {
        "a key can be there once in a table; put all values in one list"
    } else if message.contains("array elements") || message.contains("unclosed array") {
        "a comma is missing here, or the `]` of the list above"
    } else if message.contains("string, expected") {
        "the text does not end: its closing quote is missing"
    } else if message.contains("unclosed table") {
        "the header lacks its `]`"
    } else {
        return None;
    };
    Some(help.to_owned())
}
