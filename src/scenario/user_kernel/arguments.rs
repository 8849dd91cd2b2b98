//! `arguments`: what a kernel of the user's is launched with.

use toml::de::DeValue;

use super::{Subject, expression_of, items};
use crate::user_kernel::{ArgumentDescription, Entry, Expression, Structure};
use crate::workload::Element;
use located_toml::problem::{Problem, Problems};
use located_toml::section::{Field, Node, Section};
use located_toml::words::{instead, quote};

/// The keys of a structure by value.
const STRUCTURE_KEYS: [&str; 3] = ["struct", "align", "bytes"];
/// The keys of an array in a structure.
const ARRAY_KEYS: [&str; 2] = ["array", "length"];

/// The most bytes of a structure: those of all arguments on every GPU.
const STRUCTURE_BYTES_MOST: u64 = 4096;
/// The most levels of structures within structures.
const LEVELS_MOST: usize = 8;

const STRUCTURE_EXAMPLE: &str = "for example: { struct = [\"i32: width\", \"f32: 0.5\", \"input\"] }";

/// Reads a list of arguments.
pub(super) fn list(
    field: &Field<'_>,
    names: &[&'static str],
    subject: &Subject<'_>,
    problems: &mut Problems,
) -> Option<Vec<ArgumentDescription>> {
    let Some(nodes) = items(field.node) else {
        field.wrong_type("a list", "[\"input\", \"output\", \"n\"]", problems);
        return None;
    };
    let mut reader = Reader { key: field.key, names, subject, problems };
    let all: Vec<Option<ArgumentDescription>> = nodes.into_iter().map(|node| reader.argument(node)).collect();
    all.into_iter().collect()
}

/// What arguments are read with.
struct Reader<'a> {
    key: &'a str,
    names: &'a [&'static str],
    subject: &'a Subject<'a>,
    problems: &'a mut Problems,
}

impl Reader<'_> {
    fn argument(&mut self, node: Node<'_>) -> Option<ArgumentDescription> {
        match self.entry(node, 0)? {
            Read::Untyped(number) => Some(ArgumentDescription::Number(number)),
            Read::Entry(Entry::Address { buffer, element }) => Some(ArgumentDescription::Buffer { buffer, element }),
            Read::Entry(Entry::Structure(structure)) => Some(ArgumentDescription::Structure(structure)),
            Read::Entry(number @ Entry::Number(..)) => {
                Some(ArgumentDescription::Structure(Structure::new(vec![number], 1)))
            }
        }
    }

    /// An argument or a member of a structure, so many levels deep.
    fn entry(&mut self, node: Node<'_>, level: usize) -> Option<Read> {
        match node.value {
            DeValue::Table(table) => {
                let section = Section::new(table, node.place);
                let own = if section.get("array").is_some() {
                    self.array(&section, level)
                } else {
                    self.structure(&section, level)
                };
                own.map(|own| Read::Entry(Entry::Structure(own)))
            }
            DeValue::String(text) => self.text(text.trim(), node),
            _ => self.number(node).map(Read::Untyped),
        }
    }

    fn text(&mut self, text: &str, node: Node<'_>) -> Option<Read> {
        let Subject { buffers, declared, .. } = self.subject;
        let place = |name: &str| buffers.iter().position(|(buffer, _)| buffer.name == name);
        if let Some(buffer) = place(text) {
            return Some(Read::Entry(Entry::Address { buffer, element: None }));
        }
        if let Some((name, index)) = text.strip_suffix(']').and_then(|text| text.split_once('['))
            && let Some(buffer) = place(name.trim())
        {
            let element = self.expression(index, node)?;
            return Some(Read::Entry(Entry::Address { buffer, element: Some(element) }));
        }
        if declared.contains(&text.split_once('[').map_or(text, |(name, _)| name.trim())) {
            // What is wrong with the buffer is told where it is.
            return None;
        }
        if let Some((ty, number)) = text.split_once(':') {
            let (ty, number) = (ty.trim(), self.expression(number.trim(), node));
            let Some((_, element)) = Element::ALL.iter().find(|(name, _)| *name == ty) else {
                let types: Vec<&str> = Element::ALL.iter().map(|(name, _)| *name).collect();
                let problem = Problem::new(format!("`{}`: {} is not a type of numbers", self.key, quote(ty)));
                self.problems.push(problem.at(node.place).help(instead(ty, &types)));
                return None;
            };
            return Some(Read::Entry(Entry::Number(*element, number?)));
        }
        let known: Vec<&str> =
            buffers.iter().map(|(buffer, _)| buffer.name).chain(self.names.iter().copied()).collect();
        let is_name = text.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        let is_number = text.chars().next().is_some_and(|letter| letter.is_ascii_digit());
        if is_name && !is_number && !known.contains(&text) {
            let message = format!("`{}`: `{text}` is neither a buffer nor a parameter", self.key);
            self.problems.push(Problem::new(message).at(node.place).help(instead(text, &known)));
            return None;
        }
        self.number(node).map(Read::Untyped)
    }

    /// The part of a text that is an expression.
    fn expression(&mut self, text: &str, node: Node<'_>) -> Option<Expression> {
        let value = DeValue::String(text.to_owned().into());
        self.number(Node { value: &value, place: node.place })
    }

    fn number(&mut self, node: Node<'_>) -> Option<Expression> {
        expression_of(self.key, node, self.names, self.problems)
    }

    /// Whether a table may be so many levels deep.
    fn allow(&mut self, section: &Section<'_>, level: usize) -> bool {
        if level >= LEVELS_MOST {
            let problem = Problem::new(format!("structures are nested more than {LEVELS_MOST} deep"));
            self.problems
                .push(problem.at(section.place).help("write the members of the inner ones one after the other"));
        }
        level < LEVELS_MOST
    }

    /// Whether a structure has no more bytes than arguments have.
    fn allow_bytes(&mut self, section: &Section<'_>, bytes: u64) -> bool {
        if bytes > STRUCTURE_BYTES_MOST {
            let problem = Problem::new(format!("the structure has {bytes} bytes")).at(section.place);
            self.problems.push(problem.help(format!("a kernel's arguments have at most {STRUCTURE_BYTES_MOST}")));
        }
        bytes <= STRUCTURE_BYTES_MOST
    }

    fn array(&mut self, section: &Section<'_>, level: usize) -> Option<Structure> {
        section.deny_unknown("an array", &ARRAY_KEYS, self.problems, |_| None);
        if !self.allow(section, level) {
            return None;
        }
        let length = section.get("length").map(|field| field.integer(1, STRUCTURE_BYTES_MOST as i64, self.problems));
        if length.is_none() {
            let problem = Problem::new("an array has no `length`").at(section.place).absence();
            self.problems.push(problem.help("for example: { array = \"f32: 0.5\", length = 3 }"));
        }
        let names: Vec<&'static str> = self.names.iter().copied().chain(["i"]).collect();
        let mut inner = Reader { key: self.key, names: &names, subject: self.subject, problems: &mut *self.problems };
        let entry = section.get("array").and_then(|field| inner.member(field.node, level + 1));
        let (entry, length) = (entry?, length?? as u64);
        let bytes = Structure::array(entry.clone(), 1).bytes.saturating_mul(length);
        self.allow_bytes(section, bytes).then(|| Structure::array(entry, length))
    }

    fn structure(&mut self, section: &Section<'_>, level: usize) -> Option<Structure> {
        section.deny_unknown("a structure", &STRUCTURE_KEYS, self.problems, |_| None);
        if !self.allow(section, level) {
            return None;
        }
        let Some(field) = section.get("struct") else {
            let problem = Problem::new("a table among the arguments has no `struct`").at(section.place).absence();
            self.problems.push(problem.help(STRUCTURE_EXAMPLE));
            return None;
        };
        let Some(nodes) = items(field.node) else {
            field.wrong_type("a list", "[\"i32: width\", \"f32: 0.5\", \"input\"]", self.problems);
            return None;
        };
        let align = section.get("align").map(|field| (field, field.integer(1, 128, self.problems)));
        let bytes = section.get("bytes").map(|field| (field, field.integer(1, 4096, self.problems)));
        let members: Vec<Option<Entry>> = nodes.into_iter().map(|node| self.member(node, level + 1)).collect();
        let align = match align {
            None => 1,
            Some((field, align)) => {
                let align = align? as u64;
                if !align.is_power_of_two() {
                    let problem = Problem::new(format!("`align` is {align}")).at(field.node.place);
                    self.problems.push(problem.help("an alignment is a power of two, such as 16"));
                    return None;
                }
                align
            }
        };
        let structure = Structure::new(members.into_iter().collect::<Option<_>>()?, align);
        if !self.allow_bytes(section, structure.bytes) {
            return None;
        }
        if let Some((field, bytes)) = bytes {
            let bytes = bytes? as u64;
            if bytes != structure.bytes {
                let message =
                    format!("`bytes` is {bytes}, and the members take {}: {}", structure.bytes, structure.layout());
                let help = "write every member in order; `align` is for structures with __align__";
                self.problems.push(Problem::new(message).at(field.node.place).help(help));
                return None;
            }
        }
        Some(structure)
    }

    fn member(&mut self, node: Node<'_>, level: usize) -> Option<Entry> {
        match self.entry(node, level)? {
            Read::Entry(entry) => Some(entry),
            Read::Untyped(number) => {
                let problem = Problem::new(format!("`{}` in a structure has no type", number.text())).at(node.place);
                self.problems
                    .push(problem.help(format!("write the type before it, such as \"i32: {}\"", number.text())));
                None
            }
        }
    }
}

/// What a value among arguments is.
enum Read {
    Entry(Entry),
    /// A number whose type is that of the kernel's parameter.
    Untyped(Expression),
}
