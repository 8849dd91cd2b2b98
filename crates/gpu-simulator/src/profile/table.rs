//! Tables of constants, each written as `{ value = ..., source = "..." }`.

use toml::de::DeValue;

use super::constants::CONSTANTS;
use located_toml::problem::{Place, Problem, Problems};
use located_toml::section::{Field, Section, noun};
use located_toml::words::{and_list, instead, nearest, quote};

/// What stands for a source in examples.
const SOURCE: &str = "\"estimate\"";

/// What a source is for.
const WHY: &str = "every constant says where it is from, or that it is an estimate";

/// Most examples in one message.
const EXAMPLES_MAX: usize = 4;

/// Whether a table is there.
enum State<'doc> {
    There(Section<'doc>),
    /// It is not, and nobody has said so yet. The place is that of the table it belongs into.
    Missing(Place),
    /// It is not, and that has been told, or will be with the table that it belongs into.
    Told,
}

/// A table of a profile. It is asked for its keys one by one, and tells at last which it lacks and which are unknown.
pub(super) struct Table<'doc> {
    /// How it is called: `the profile`, `[occupancy]`.
    name: String,
    /// Its keys' prefix, such as `units.`.
    path: String,
    state: State<'doc>,
    /// The keys that it may have, as far as they have been asked for.
    keys: Vec<&'static str>,
    /// The keys that it should have and has not, with an example of each.
    missing: Vec<(&'static str, String)>,
    problems: Vec<Problem>,
}

impl<'doc> Table<'doc> {
    /// The profile itself.
    pub(super) fn root(section: Section<'doc>) -> Self {
        Self::new("the profile".to_owned(), String::new(), State::There(section))
    }

    fn new(name: String, path: String, state: State<'doc>) -> Self {
        Self { name, path, state, keys: Vec::new(), missing: Vec::new(), problems: Vec::new() }
    }

    fn get(&self, key: &str) -> Option<Field<'doc>> {
        match &self.state {
            State::There(section) => section.get(key).copied(),
            State::Missing(_) | State::Told => None,
        }
    }

    /// The place for what it lacks.
    fn own_place(&self) -> Option<Place> {
        match &self.state {
            State::There(section) if self.path.is_empty() => {
                Some(section.fields.first().map_or(section.place, |field| field.key_place))
            }
            State::There(section) => Some(section.place),
            State::Missing(_) | State::Told => None,
        }
    }

    /// The value's place, where there is one.
    pub(super) fn place(&self, key: &str) -> Option<Place> {
        let field = self.get(key)?;
        match field.node.value {
            DeValue::Table(table) => Some(Section::new(table, field.node.place).get("value")?.node.place),
            _ => Some(field.node.place),
        }
    }

    /// A table that must be there.
    pub(super) fn table(&mut self, key: &'static str) -> Self {
        self.keys.push(key);
        let path = format!("{}{key}", self.path);
        let state = match (self.get(key), self.own_place()) {
            (Some(field), _) => self.section(field),
            (None, Some(place)) => State::Missing(place),
            (None, None) => State::Told,
        };
        Self::new(format!("[{path}]"), format!("{path}."), state)
    }

    /// A table that may be left out.
    pub(super) fn optional_table(&mut self, key: &'static str) -> Option<Self> {
        if self.get(key).is_some() {
            return Some(self.table(key));
        }
        self.keys.push(key);
        None
    }

    fn section(&mut self, field: Field<'doc>) -> State<'doc> {
        let mut problems = Problems::default();
        let section = field.table(&mut problems);
        self.problems.append(&mut problems.list);
        section.map_or(State::Told, State::There)
    }

    /// One line of text that needs no source.
    pub(super) fn line(&mut self, key: &'static str, example: &str) -> Option<String> {
        self.keys.push(key);
        let Some(field) = self.get(key) else {
            self.missing.push((key, format!("{key} = {example}")));
            return None;
        };
        self.with_problems(|problems| field.line(example, problems))
    }

    /// Whether a constant is there that may be left out.
    pub(super) fn optional(&mut self, key: &'static str) -> bool {
        let there = self.get(key).is_some();
        if !there {
            self.keys.push(key);
        }
        there
    }

    /// A whole number that needs no source and may be left out.
    pub(super) fn optional_integer(&mut self, key: &'static str, min: i64, max: i64) -> Option<i64> {
        self.keys.push(key);
        let field = self.get(key)?;
        self.with_problems(|problems| field.integer(min, max, problems))
    }

    /// A constant that is a whole number.
    pub(super) fn integer(&mut self, key: &'static str, example: i64, min: i64, max: i64) -> Option<i64> {
        let field = self.constant(key, &example.to_string())?;
        if !field.node.value.is_integer() {
            return self.wrong_type(&field, &format!("a whole number from {min} to {max}"), &example.to_string());
        }
        self.with_problems(|problems| field.integer(min, max, problems))
    }

    /// A constant that is a number, whole or decimal.
    pub(super) fn number(&mut self, key: &'static str, example: f64, min: f64, max: f64) -> Option<f64> {
        let field = self.constant(key, &example.to_string())?;
        if !field.node.value.is_integer() && !field.node.value.is_float() {
            return self.wrong_type(&field, &format!("a number from {min} to {max}"), &example.to_string());
        }
        self.with_problems(|problems| field.number(min, max, problems))
    }

    /// A constant that is true or false.
    pub(super) fn boolean(&mut self, key: &'static str) -> Option<bool> {
        let field = self.constant(key, "true")?;
        match field.node.value {
            DeValue::Boolean(value) => Some(*value),
            _ => self.wrong_type(&field, "true or false", "true"),
        }
    }

    /// A constant that is one of these names.
    pub(super) fn choice<T: Copy>(&mut self, key: &'static str, choices: &[(&'static str, T)]) -> Option<T> {
        let example = format!("\"{}\"", choices.first().map_or("", |(name, _)| name));
        let field = self.constant(key, &example)?;
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let DeValue::String(text) = field.node.value else {
            return self.wrong_type(&field, &format!("one of {}, in quotes", names.join(", ")), &example);
        };
        let found = choices.iter().find(|(name, _)| name == text).map(|(_, choice)| *choice);
        if found.is_none() {
            let message = format!("{} is no value of `{}`", quote(text), field.key);
            self.problems.push(Problem::new(message).at(field.node.place).help(instead(text, &names)));
        }
        found
    }

    /// A constant that is a compute capability: `"9.0"`.
    pub(super) fn version(&mut self, key: &'static str) -> Option<(u32, u32)> {
        const EXPECTED: &str = "major and minor number in quotes, from \"1.0\" to \"99.9\"";
        let field = self.constant(key, "\"9.0\"")?;
        let DeValue::String(text) = field.node.value else {
            return self.wrong_type(&field, EXPECTED, "\"9.0\"");
        };
        let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        let version = text.split_once('.').and_then(|(major, minor)| Some((number(major)?, number(minor)?)));
        let version = version.filter(|(major, minor)| (1..=99).contains(major) && *minor <= 9);
        if version.is_none() {
            let message = format!("`{}`: {} is no compute capability", field.key, quote(text));
            self.problems.push(Problem::new(message).at(field.node.place).help(format!("expected {EXPECTED}")));
        }
        version
    }

    /// A constant that is a text, with its place.
    pub(super) fn text(&mut self, key: &'static str, example: &str) -> Option<(String, Place)> {
        let example = format!("\"{example}\"");
        let field = self.constant(key, &example)?;
        match field.node.value {
            DeValue::String(text) => Some((text.to_string(), field.node.place)),
            _ => self.wrong_type(&field, "text in quotes", &example),
        }
    }

    /// Reports a problem of the table.
    pub(super) fn push(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Hands over all problems, those of keys that are missing or unknown among them.
    pub(super) fn finish(self, problems: &mut Problems) {
        let own_place = self.own_place();
        problems.list.extend(self.problems);
        let is_misspelt = |key: &str| match &self.state {
            State::There(section) => section
                .fields
                .iter()
                .any(|field| !self.keys.contains(&field.key) && nearest(field.key, &self.keys) == Some(key)),
            State::Missing(_) | State::Told => false,
        };
        // A key that is there under a wrong name is told as such.
        let missing: Vec<&(&str, String)> = self.missing.iter().filter(|(key, _)| !is_misspelt(key)).collect();
        let mut examples: Vec<&str> = missing.iter().map(|(_, example)| example.as_str()).collect();
        let missing: Vec<&str> = missing.iter().map(|(key, _)| *key).collect();
        let more = if examples.len() > EXAMPLES_MAX { "; ..." } else { "" };
        examples.truncate(EXAMPLES_MAX);
        let examples = format!("for example: {}{more}", examples.join("; "));
        match self.state {
            State::Told => {}
            State::Missing(place) => {
                let help = match missing.as_slice() {
                    [] => format!("it holds the tables {}", and_list(&self.keys)),
                    keys => format!("it has the keys {}; {examples}", and_list(keys)),
                };
                let problem = Problem::new(format!("the profile has no {}", self.name));
                problems.push(problem.at(place).help(help).absence());
            }
            State::There(section) => {
                section.deny_unknown(&self.name, &self.keys, problems, |_| None);
                if !missing.is_empty() {
                    let message = format!("{} has no {}", self.name, and_list(&missing));
                    let place = own_place.unwrap_or(section.place);
                    problems.push(Problem::new(message).at(place).help(examples).absence());
                }
            }
        }
    }

    /// A constant's key behind those of its tables, as errors call it: `global.latency_cycles`.
    pub(super) fn full_key(&self, key: &'static str) -> &'static str {
        let is_own = |own: &&str| own.strip_suffix(key) == Some(self.path.as_str());
        CONSTANTS.iter().map(|constant| constant.key).find(is_own).unwrap_or(key)
    }

    /// The value of a constant, under the constant's full key, its source checked.
    fn constant(&mut self, key: &'static str, example: &str) -> Option<Field<'doc>> {
        self.keys.push(key);
        let written = format!("{key} = {{ value = {example}, source = {SOURCE} }}");
        let Some(field) = self.get(key) else {
            self.missing.push((key, written));
            return None;
        };
        let name = self.full_key(key);
        let DeValue::Table(table) = field.node.value else {
            self.problems.push(
                Problem::new(format!("`{name}` has no source")).at(field.node.place).help(format!("{WHY}: {written}")),
            );
            return Some(Field { key: name, ..field });
        };
        let constant = Section::new(table, field.node.place);
        let mut problems = Problems::default();
        constant.deny_unknown(&format!("the constant `{name}`"), &["value", "source"], &mut problems, |_| None);
        match constant.get("source") {
            Some(source) if source.line(SOURCE, &mut Problems::default()).is_none() => {
                let found = match source.node.value {
                    DeValue::String(text) if text.trim().is_empty() => "empty",
                    DeValue::String(_) => "several",
                    other => noun(other),
                };
                problems.push(
                    Problem::new(format!("the source of `{name}` must be one line of text, not {found}"))
                        .at(source.node.place)
                        .help(format!("for example: source = {SOURCE}")),
                );
            }
            Some(_) => {}
            None => problems.push(
                Problem::new(format!("`{name}` has no source"))
                    .at(field.node.place)
                    .help(format!("{WHY}: source = {SOURCE}"))
                    .absence(),
            ),
        }
        if constant.get("value").is_none() {
            let problem = Problem::new(format!("`{name}` has no value")).at(field.node.place);
            problems.push(problem.help(format!("for example: {written}")).absence());
        }
        self.problems.append(&mut problems.list);
        let value = constant.get("value")?;
        Some(Field { key: name, key_place: field.key_place, node: value.node })
    }

    fn wrong_type<T>(&mut self, field: &Field<'_>, expected: &str, example: &str) -> Option<T> {
        let message = format!("`{}` must be {expected}, not {}", field.key, noun(field.node.value));
        // Below the header of its table it is written without the table's name.
        let key = field.key.strip_prefix(&self.path).unwrap_or(field.key);
        let help = format!("for example: {key} = {{ value = {example}, source = {SOURCE} }}");
        self.problems.push(Problem::new(message).at(field.node.place).help(help));
        None
    }

    fn with_problems<T>(&mut self, read: impl FnOnce(&mut Problems) -> T) -> T {
        let mut problems = Problems::default();
        let result = read(&mut problems);
        self.problems.append(&mut problems.list);
        result
    }
}
