//! A text as texts that need no more than their kernels do.

use std::collections::{BTreeMap, BTreeSet};

use ptx_syntax::{Function, Item, Module, Space, Variable, parse};

use super::{Level, RequirementError, of_function, table};

/// A text with some of the kernels of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What its header asks for, and no more than that is needed.
    pub level: Level,
    /// Its kernels, in their order.
    pub kernels: Vec<String>,
    /// The text: the header with the level, then whatever its kernels use, as it was.
    pub text: String,
}

/// Parts a text by what its kernels need, from the least to the most. A part's level is what its kernels need, but for the target at
/// least that of `floor`. Kernels stand together where their targets are the same and their PTX versions are, too, or both at
/// most that of `floor`. A device function or a constant that kernels of several parts use stands in each.
///
/// # Errors
/// A text that is no PTX, an instruction that the table does not know, two items in one line, or a variable that kernels of
/// different parts share and could write.
pub fn split(text: &str, floor: Level) -> Result<Vec<Part>, RequirementError> {
    split_some(text, floor, |_| true)
}

/// As [`split`], of the kernels that are wanted; the others are in no part.
///
/// # Errors
/// As [`split`].
pub fn split_some(
    text: &str,
    floor: Level,
    mut is_wanted: impl FnMut(&str) -> bool,
) -> Result<Vec<Part>, RequirementError> {
    let module = parse(text)?;
    let lines: Vec<&str> = text.lines().collect();
    let items = Items::of(&module, &lines)?;
    let mut parts: BTreeMap<(u32, (u32, u32)), Choice> = BTreeMap::new();
    for (kernel, item) in items.all.iter().enumerate().filter(|(_, item)| item.is_kernel && is_wanted(item.name)) {
        let used = items.used_by(kernel);
        let level = used.iter().fold(table::BASE, |level, index| level.and(items.all[*index].level));
        let level = level.and(Level::new(table::BASE.version, floor.target)).with_version_of_target();
        let part = parts.entry((level.target, level.version.max(floor.version))).or_insert_with(|| Choice {
            level,
            used: BTreeSet::new(),
            kernels: Vec::new(),
        });
        part.level = part.level.and(level);
        part.used.extend(used);
        part.kernels.push(item.name.to_owned());
    }
    let parts: Vec<Choice> = parts.into_values().collect();
    items.check_state(&parts)?;
    parts.into_iter().map(|part| items.write(part)).collect()
}

/// One text with the kernels of several, such as the parts of another: its header asks for the highest version and target of theirs.
/// Of items with the same name the first is taken.
///
/// # Errors
/// A text that is no PTX, or whose items do not begin lines of their own; [`RequirementError::Layout`] without any text.
pub fn join(texts: &[&str]) -> Result<String, RequirementError> {
    let modules = texts.iter().map(|text| Ok(parse(text)?)).collect::<Result<Vec<_>, RequirementError>>()?;
    let lines: Vec<Vec<&str>> = texts.iter().map(|text| text.lines().collect()).collect();
    let target = |module: &Module| module.target.first().and_then(|own| own.strip_prefix("sm_")?.parse().ok());
    let level = modules
        .iter()
        .fold(table::BASE, |level, module| level.and(Level::new(module.version, target(module).unwrap_or_default())));
    let all = modules.iter().zip(&lines).map(|(module, lines)| Items::of(module, lines));
    let mut all = all.collect::<Result<Vec<_>, _>>()?.into_iter();
    let mut joined = all.next().ok_or(RequirementError::Layout)?;
    for item in all.flat_map(|items| items.all) {
        if joined.all.iter().all(|own| own.name != item.name) {
            joined.all.push(item);
        }
    }
    let used = (0..joined.all.len()).collect();
    joined.write(Choice { level, used, kernels: Vec::new() }).map(|part| part.text)
}

/// The items of a part.
struct Choice {
    level: Level,
    used: BTreeSet<usize>,
    kernels: Vec<String>,
}

/// The items of a text, and the lines before them.
struct Items<'a> {
    header: &'a [&'a str],
    all: Vec<Placed<'a>>,
}

/// An item in the lines from its own to that of the next.
struct Placed<'a> {
    name: &'a str,
    lines: &'a [&'a str],
    level: Level,
    is_kernel: bool,
    /// Whether it is memory that keeps what kernels write.
    is_state: bool,
}

impl<'a> Items<'a> {
    fn of(module: &'a Module, lines: &'a [&'a str]) -> Result<Self, RequirementError> {
        let starts: Vec<usize> = module.items.iter().map(|item| (line_of(item) as usize).saturating_sub(1)).collect();
        let mut all = Vec::new();
        for (index, item) in module.items.iter().enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(lines.len());
            let lines = lines.get(starts[index]..end).filter(|own| !own.is_empty());
            let same_line = || RequirementError::SameLine { line: line_of(item), name: name_of(item).to_owned() };
            all.push(Placed {
                name: name_of(item),
                lines: lines.ok_or_else(same_line)?,
                level: if let Item::Function(function) = item { of_function(function)? } else { table::BASE },
                is_kernel: matches!(item, Item::Function(Function { entry: true, body: Some(_), .. })),
                is_state: matches!(item, Item::Variable(Variable { space: Space::Global, .. })),
            });
        }
        let first = starts.first().copied().unwrap_or(lines.len());
        Ok(Self { header: &lines[..first], all })
    }

    /// The items that a kernel names, and those that these name, itself among them.
    fn used_by(&self, kernel: usize) -> BTreeSet<usize> {
        let mut used = BTreeSet::from([kernel]);
        let mut new = vec![kernel];
        while let Some(index) = new.pop() {
            let words: BTreeSet<&str> = self.all[index].lines.iter().flat_map(|line| words(line)).collect();
            for (other, item) in self.all.iter().enumerate() {
                if words.contains(item.name) && !item.is_kernel && used.insert(other) {
                    new.push(other);
                }
            }
        }
        used
    }

    /// That no memory that kernels write stands in two parts.
    fn check_state(&self, parts: &[Choice]) -> Result<(), RequirementError> {
        for (index, item) in self.all.iter().enumerate().filter(|(_, item)| item.is_state) {
            let mut levels = parts.iter().filter(|part| part.used.contains(&index)).map(|part| part.level);
            if let (Some(one), Some(other)) = (levels.next(), levels.next()) {
                return Err(RequirementError::SharedVariable { variable: item.name.to_owned(), one, other });
            }
        }
        Ok(())
    }

    fn write(&self, Choice { level, used, kernels }: Choice) -> Result<Part, RequirementError> {
        let mut text = String::new();
        for line in self.header {
            match line.split_whitespace().next() {
                Some(".version") => text += &format!(".version {}.{}", level.version.0, level.version.1),
                Some(".target") => text += &format!(".target sm_{}", level.target),
                _ => text += line,
            }
            text.push('\n');
        }
        for line in used.iter().flat_map(|index| self.all[*index].lines) {
            text += line;
            text.push('\n');
        }
        // What was cut out reads as it did: the header's words stood in lines of their own, and items did not overlap.
        let read = parse(&text).map_err(|_| RequirementError::Layout)?;
        let is_whole = (read.version, read.items.len()) == (level.version, used.len())
            && used.iter().zip(&read.items).all(|(index, item)| self.all[*index].name == name_of(item));
        if is_whole { Ok(Part { level, kernels, text }) } else { Err(RequirementError::Layout) }
    }
}

fn name_of(item: &Item) -> &str {
    match item {
        Item::Variable(variable) => &variable.name,
        Item::Function(function) => &function.name,
    }
}

fn line_of(item: &Item) -> u32 {
    match item {
        Item::Variable(variable) => variable.line,
        Item::Function(function) => function.line,
    }
}

/// The words of a line that could be names.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'))).filter(|word| !word.is_empty())
}
