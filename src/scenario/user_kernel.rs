//! `[kernel]`, `[parameters]`, `[buffers]` and `[predictors]`: a kernel of the user's in place of a family.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use toml::de::DeValue;

use super::keys::{Allowed, Key, names};
use crate::family::Predictor;
use crate::parameter::Parameter;
use crate::record::{LEADING_COLUMNS, RESULT_COLUMNS};
use crate::user_kernel::{
    BufferDescription, Description, Expression, STEP, Unreadable, UserKernel, VariantDescription, interned,
};
use located_toml::problem::{Place, Problem, Problems};
use located_toml::section::{Field, Node, Section};
use located_toml::words::{quote, slug};

mod arguments;
mod buffers;
mod constants;
mod launches;
mod parameters;

pub(super) use buffers::KEYS as BUFFER_KEYS;
pub(super) use buffers::file_places;
pub(super) use constants::KEYS as CONSTANT_KEYS;
pub(super) use launches::KEYS as LAUNCH_KEYS;
pub(super) use parameters::KEYS as PARAMETER_KEYS;

/// The keys of `[kernel]`.
pub(super) const KERNEL_KEYS: [Key; 9] = [
    Key::new(
        "source",
        Allowed::Other(
            "the name of a file beside the scenario: `.ptx` is taken as it is, any other is compiled as CUDA C++",
        ),
        "required",
        "the kernel's source",
    ),
    Key::new(
        "name",
        Allowed::Other("text of the characters a-z, 0-9, _ and -"),
        "the name of the source",
        "what the family is called",
    ),
    Key::new(
        "variants",
        Allowed::Other(
            "a table: names of variants with the name of a function, or with a table of `entry`, `defines`, `ignores`, `launch` and `arguments`",
        ),
        "required",
        "variants, the first being what others are compared with. `entry` may be an instance of a template; `defines` are names with texts or \
         numbers, defined for the compiler; `ignores` are parameters that the variant does not depend on; `launch` and `arguments` are in place of those below. `{name}` in `entry` \
         stands for the value of a parameter",
    ),
    Key::new(
        "launch",
        Allowed::Other("a table, or a list of them: see below"),
        "required",
        "how the kernel is launched",
    ),
    Key::new(
        "arguments",
        Allowed::Other(
            "a list of buffers, elements of buffers (`input[width]`), expressions and numbers, numbers with their type (`\"f16: 0.5\"`), and structures by value",
        ),
        "required",
        "the kernel's arguments, in order. A structure is a table: `struct` lists its members in order, each a buffer, an element of one, a number with its \
         type, a structure, or an array: `{ array = \"f32: i\", length = 9 }`, `i` being the index of its element; they are laid out as in C. `align` is \
         its alignment where it has more (`__align__`), `bytes` its size, which is checked",
    ),
    Key::new("bytes", Allowed::Other("an expression"), "not known", "bytes that must move through device memory"),
    Key::new(
        "operations",
        Allowed::Other("an expression"),
        "not known",
        "arithmetic operations that the result needs; a multiply-add counts as two",
    ),
    Key::new(
        "target",
        Allowed::Other("text"),
        "that of the device",
        "the virtual architecture that the compiler compiles for, such as `\"compute_90\"`; without it the highest that the compiler has and the device runs, for simulated GPUs below compute capability 7.5 `compute_75`",
    ),
    Key::new(
        "options",
        Allowed::Other("a list of text"),
        "none",
        "further options of the compiler, such as `--use_fast_math`",
    ),
];

/// What compilers and build tools call the target.
const TARGET_ALIKE: [&str; 9] = [
    "arch",
    "architecture",
    "architectures",
    "gencode",
    "gpu_arch",
    "gpu_architecture",
    "gpu-architecture",
    "compute_capability",
    "sm",
];

const VARIANT_KEYS: [&str; 5] = ["entry", "defines", "ignores", "launch", "arguments"];

/// The tables of a scenario that describe a kernel.
pub(super) const TABLES: [&str; 4] = ["parameters", "buffers", "predictors", "constants"];

/// Reads the tables; `None` where something that a kernel must have is missing or wrong.
pub(super) fn read(root: &Section<'_>, kernel: &Section<'_>, problems: &mut Problems) -> Option<&'static UserKernel> {
    let before = problems.list.len();
    kernel.deny_unknown("[kernel]", &names(&KERNEL_KEYS), problems, |key| {
        TARGET_ALIKE.contains(&key).then(|| {
            "the virtual architecture to compile for is `target`: target = \"compute_90\"; without it, it is that of the device".to_owned()
        })
    });
    let mut table = |key: &str| root.get(key).and_then(|field| field.table(problems));
    let [parameters, buffers, predictors, constants] = TABLES.map(&mut table);
    let parameters = parameters.map(|section| parameters::read(&section, problems)).unwrap_or_default();
    let numbers = parameters.numbers.clone();
    let constants = constants.map(|section| constants::read(&section, problems)).unwrap_or_default();
    let declared: Vec<&str> = buffers.iter().flat_map(|section| &section.fields).map(|field| field.key).collect();
    let buffers = buffers.map(|section| buffers::read(&section, &numbers, problems)).unwrap_or_default();
    let mut taken: HashMap<&str, Place> = HashMap::new();
    let all_names = parameters.places.iter().map(|(name, place)| (*name, *place));
    for (name, place) in all_names.chain(buffers.iter().map(|(buffer, place)| (buffer.name, *place))) {
        if let Some(first) = taken.insert(name, place) {
            let problem = Problem::new(format!("`{name}` is a parameter and a buffer"));
            problems.push(problem.label(place, "here").label(first, "and here").help("give one of them another name"));
        }
    }
    let source = source(kernel, problems);
    let subject =
        Subject { kernel, parameters: &parameters.all, numbers: &numbers, buffers: &buffers, declared: &declared };
    let variants = variants(&subject, problems);
    let predictors =
        predictors.map(|section| self::predictors(&section, &parameters.all, &numbers, problems)).unwrap_or_default();
    let mut of_point = |key: &str| kernel.get(key).and_then(|field| expression(field, &numbers, problems));
    let (bytes, operations) = (of_point("bytes"), of_point("operations"));
    let name = match kernel.get("name") {
        Some(field) => family_name(field, problems),
        None => source.as_ref().map(|source| slug(source.rsplit_once('.').map_or(source.as_str(), |(stem, _)| stem))),
    };
    let target = kernel.get("target").and_then(|field| target(field, problems));
    let options = kernel.get("options").and_then(|field| field.texts("[\"--use_fast_math\"]", problems));
    let options = options.unwrap_or_default().into_iter().map(|(text, _)| text).collect();
    if problems.list.len() > before {
        return None;
    }
    let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| "kernel".to_owned());
    Some(UserKernel::new(Description {
        name: interned(&name),
        source: source?,
        target,
        options,
        variants,
        parameters: parameters.all,
        defined: parameters.defined,
        buffers: buffers.into_iter().map(|(buffer, _)| buffer).collect(),
        bytes,
        operations,
        predictors,
        constants,
    }))
}

fn source(kernel: &Section<'_>, problems: &mut Problems) -> Option<String> {
    let Some(field) = kernel.get("source") else {
        let problem = Problem::new("[kernel] has no `source`").at(kernel.place).absence();
        problems.push(problem.help("name the file of the kernel, beside the scenario: source = \"transpose.cu\""));
        return None;
    };
    field.line("\"transpose.cu\"", problems)
}

/// What the family is called: as a family of the program, or as a file.
fn family_name(field: &Field<'_>, problems: &mut Problems) -> Option<String> {
    let text = field.line("\"transpose\"", problems)?;
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "_-".contains(letter);
    let is_right = text.len() <= NAME_LONGEST && text.chars().all(is_letter);
    if !is_right {
        let problem = Problem::new(format!("{} cannot be the name of a kernel", quote(&text))).at(field.node.place);
        problems.push(problem.help(format!("a name has 1 to {NAME_LONGEST} of the characters a-z, 0-9, _ and -")));
    }
    is_right.then_some(text)
}

fn target(field: &Field<'_>, problems: &mut Problems) -> Option<String> {
    let text = field.line("\"compute_90\"", problems)?;
    let digits = text.strip_prefix("compute_").unwrap_or_default();
    let is_right = digits.len() >= 2
        && digits.trim_end_matches(['a', 'f']).bytes().all(|byte| byte.is_ascii_digit())
        && digits.as_bytes()[0].is_ascii_digit();
    if !is_right {
        let problem = Problem::new(format!("{} is not a virtual architecture", quote(&text))).at(field.node.place);
        problems.push(problem.help("for example: target = \"compute_90\""));
    }
    is_right.then_some(text)
}

/// What a variant is read with.
struct Subject<'a> {
    kernel: &'a Section<'a>,
    parameters: &'a [Parameter],
    numbers: &'a [&'static str],
    buffers: &'a [(BufferDescription, Place)],
    /// The names of all buffers, wrong ones among them.
    declared: &'a [&'a str],
}

fn variants(subject: &Subject<'_>, problems: &mut Problems) -> Vec<VariantDescription> {
    let kernel = subject.kernel;
    let help = "for example: variants = { naive = \"transpose_naive\", padded = { entry = \"transpose<TILE>\", defines = { PAD = 1 } } }";
    let Some(field) = kernel.get("variants") else {
        problems.push(Problem::new("[kernel] has no `variants`").at(kernel.place).help(help).absence());
        return Vec::new();
    };
    let Some(section) = field.table(problems) else { return Vec::new() };
    if section.fields.is_empty() {
        problems.push(Problem::new("`variants` is empty").at(section.place).help(help));
    }
    let before = problems.list.len();
    let all = section.fields.iter().filter_map(|field| variant(field, subject, problems)).collect();
    // What is wrong with the kernel's own launch is wrong for each variant.
    let mut told = HashSet::new();
    let mut index = 0;
    problems.list.retain(|problem| {
        index += 1;
        index <= before || told.insert(format!("{problem:?}"))
    });
    all
}

fn variant(field: &Field<'_>, subject: &Subject<'_>, problems: &mut Problems) -> Option<VariantDescription> {
    let Subject { kernel, parameters, .. } = subject;
    let name = identifier(field, "a variant", problems)?;
    if let DeValue::String(_) = field.node.value {
        let entry = field.line("\"transpose_naive\"", problems)?;
        let launches = launches::read(kernel, None, field.node.place, subject, problems)?;
        return Some(VariantDescription { name, entry, defines: Vec::new(), ignores: Vec::new(), launches });
    }
    let section = field.table(problems)?;
    section.deny_unknown("a variant", &VARIANT_KEYS, problems, |_| None);
    let Some(entry) = section.get("entry") else {
        let problem = Problem::new(format!("the variant `{name}` has no `entry`")).at(section.place).absence();
        problems.push(problem.help("name the kernel's function: entry = \"transpose_naive\""));
        return None;
    };
    let entry_place = entry.node.place;
    let entry = entry.line("\"transpose_naive\"", problems)?;
    let mut defines = Vec::new();
    if let Some(given) = section.get("defines").and_then(|field| field.table(problems)) {
        for field in &given.fields {
            let (Some(own), Some(text)) = (c_identifier(field, problems), define(field, problems)) else { continue };
            defines.push((own, text));
        }
    }
    let mut ignores = Vec::new();
    for (text, place) in
        section.get("ignores").and_then(|field| field.texts("[\"tile\"]", problems)).unwrap_or_default()
    {
        if let Some(parameter) = parameters.iter().find(|own| own.name == text) {
            ignores.push(parameter.name);
        } else {
            let known: Vec<&str> = parameters.iter().map(|own| own.name).collect();
            let problem = Problem::new(format!("{} is not a parameter", quote(&text))).at(place);
            problems.push(problem.help(located_toml::words::instead(&text, &known)));
        }
    }
    let launches = launches::read(kernel, Some(&section), entry_place, subject, problems)?;
    Some(VariantDescription { name, entry, defines, ignores, launches })
}

/// The text that a name is defined as.
fn define(field: &Field<'_>, problems: &mut Problems) -> Option<String> {
    match field.node.value {
        DeValue::Integer(_) | DeValue::Float(_) => number_text(field.node),
        DeValue::Boolean(flag) => Some(i32::from(*flag).to_string()),
        _ => field.line("1", problems),
    }
}

/// A number as it is written.
fn number_text(node: Node<'_>) -> Option<String> {
    match node.value {
        DeValue::Integer(_) => located_toml::section::whole(node.value).map(|number| number.to_string()),
        DeValue::Float(float) => Some(float.as_str().to_owned()),
        _ => None,
    }
}

/// A name of the C preprocessor.
fn c_identifier(field: &Field<'_>, problems: &mut Problems) -> Option<String> {
    c_identifier_of(field.key, field.key_place, problems)
}

fn c_identifier_of(text: &str, place: Place, problems: &mut Problems) -> Option<String> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_right = !text.is_empty() && text.chars().all(is_letter) && !text.as_bytes()[0].is_ascii_digit();
    if !is_right {
        let problem = Problem::new(format!("{} cannot be a name of the source", quote(text))).at(place);
        problems.push(problem.help("a name has letters, digits and _, and begins with no digit"));
    }
    is_right.then(|| text.to_owned())
}

/// The most letters of a name that becomes a column.
const NAME_LONGEST: usize = 40;

/// A name that becomes a column or a cell of the run's files.
fn identifier(field: &Field<'_>, what: &str, problems: &mut Problems) -> Option<&'static str> {
    let text = field.key;
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let begins = text.as_bytes().first().is_some_and(u8::is_ascii_lowercase);
    let reserved = LEADING_COLUMNS.iter().chain(&RESULT_COLUMNS).chain(&[STEP, "i"]).any(|own| *own == text);
    if begins && text.len() <= NAME_LONGEST && text.chars().all(is_letter) && !reserved {
        return Some(interned(text));
    }
    let (message, help) = if reserved {
        (format!("{} cannot be {what}: the name is taken", quote(text)), "give it another name".to_owned())
    } else {
        let help = format!("a name has 1 to {NAME_LONGEST} of the characters a-z, 0-9 and _, and begins with a letter");
        (format!("{} cannot be {what}", quote(text)), help)
    };
    problems.push(Problem::new(message).at(field.key_place).help(help));
    None
}

fn predictors(
    section: &Section<'_>,
    parameters: &[Parameter],
    numbers: &[&'static str],
    problems: &mut Problems,
) -> Vec<(Predictor, Expression)> {
    let mut all = Vec::new();
    for field in &section.fields {
        let (name, value) = (identifier(field, "a predictor", problems), expression(field, numbers, problems));
        let (Some(name), Some(value)) = (name, value) else { continue };
        if parameters.iter().any(|own| own.name == name) {
            let problem = Problem::new(format!("`{name}` is a parameter already")).at(field.key_place);
            problems.push(problem.help("give the predictor another name"));
            continue;
        }
        let follows: Vec<&'static str> =
            parameters.iter().map(|own| own.name).filter(|own| value.names().iter().any(|name| name == own)).collect();
        let summary = interned(&format!("{} of the scenario", value.text()));
        all.push((Predictor { name, summary, parameters: follows.leak(), rests_on_registers: false }, value));
    }
    all
}

/// The place of a part of a text, where the file has the text as it is between quotes.
fn within(node: Node<'_>, text: &str, part: Range<usize>) -> Option<Place> {
    let Place { source, start, end } = node.place;
    let is_plain = matches!(node.value, DeValue::String(_)) && end - start == text.len() + 2;
    is_plain.then(|| Place::new(source, start + 1 + part.start..start + 1 + part.end))
}

/// The values of a list; `None` where it is none.
fn items<'doc>(node: Node<'doc>) -> Option<Vec<Node<'doc>>> {
    let DeValue::Array(items) = node.value else { return None };
    let item = |item: &'doc toml::Spanned<DeValue<'doc>>| Node {
        value: item.get_ref(),
        place: Place::new(node.place.source, item.span()),
    };
    Some(items.iter().map(item).collect())
}

/// The expression that a value is: text or a number.
fn expression(field: &Field<'_>, names: &[&'static str], problems: &mut Problems) -> Option<Expression> {
    expression_of(field.key, field.node, names, problems)
}

fn expression_of(key: &str, node: Node<'_>, names: &[&'static str], problems: &mut Problems) -> Option<Expression> {
    let text = match node.value {
        DeValue::String(text) => Some(text.to_string()),
        _ => number_text(node),
    };
    let Some(text) = text else {
        let found = located_toml::section::noun(node.value);
        let problem = Problem::new(format!("{} must be an expression, not {found}", quote(key)));
        problems.push(problem.at(node.place).help("for example: \"ceil(width / 32)\" or 32"));
        return None;
    };
    match Expression::parse(&text, names) {
        Ok(expression) => Some(expression.at(node.place)),
        Err(Unreadable { problem, help, place }) => {
            let place = place.and_then(|place| within(node, &text, place)).unwrap_or(node.place);
            problems.push(Problem::new(format!("{}: {problem}", quote(key))).at(place).help(help));
            None
        }
    }
}
