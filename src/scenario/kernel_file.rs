//! A kernel's file without a scenario: one is made of options.

use std::path::Path;
use std::str::FromStr as _;

use super::{Scenario, ScenarioErrors};
use crate::user_kernel::Expression;
use located_toml::problem::{Place, Problem, Source};
use located_toml::report::{OptionPlace, Sources};

/// A kernel's file, and how one of its kernels is launched, as options say it.
#[derive(Debug, Clone, Copy)]
pub struct KernelFile<'a> {
    /// The file.
    pub path: &'a Path,
    /// The kernel.
    pub entry: &'a str,
    /// Blocks: `4`, `4,2` or `4,2,1`.
    pub grid: &'a str,
    /// Threads of a block.
    pub block: &'a str,
    /// Dynamic shared memory of a block.
    pub shared_bytes: Option<u32>,
    /// The arguments: `f32[1024]=zeros`, `1024`, `f16: 0.5`.
    pub arguments: &'a [String],
    /// What the source calls its parameters, as names of a scenario; a buffer without one is `argument_1`.
    pub names: &'a [Option<String>],
}

/// What is allowed for an argument.
pub(super) const ARGUMENTS: &str = "a buffer is TYPE[LENGTH] or TYPE[LENGTH]=CONTENTS, such as f32[1024], i32[64]=zeros or 'u32[64]=i % 7'; a number is 1024, 0.5 or \
     f16:0.5; a structure is { struct = [\"i32: 1\", \"f32: 0.5\"] }";

/// Options that are wrong.
#[derive(Debug)]
pub struct WrongOptions {
    /// What is wrong with them.
    pub errors: ScenarioErrors,
    /// The scenario with something right in place of each, so that the rest can be held against the kernel; `None` where there is none.
    pub rest: Option<Box<Scenario>>,
    /// The wrong ones, as errors call them.
    pub options: Vec<String>,
}

/// What stands for a wrong argument: every parameter but a structure takes it.
const ANY_ARGUMENT: &str = "0";

impl WrongOptions {
    fn of(errors: ScenarioErrors, file: &KernelFile<'_>, overrides: &[String], max_points: usize) -> Self {
        let named = errors.errors().iter().filter_map(|error| error.text_name());
        let options: Vec<String> = named.map(str::to_owned).collect();
        let is_wrong = |option: &str| options.iter().any(|own| own == option);
        let argument = |(index, given): (usize, &String)| {
            if is_wrong(&format!("--arg {}", index + 1)) { ANY_ARGUMENT.to_owned() } else { given.clone() }
        };
        let arguments: Vec<String> = file.arguments.iter().enumerate().map(argument).collect();
        let extents = |option, given| if is_wrong(option) { "1" } else { given };
        let (grid, block) = (extents("--grid", file.grid), extents("--block", file.block));
        let right = KernelFile { grid, block, arguments: &arguments, ..*file };
        Self { errors, rest: Scenario::of_options(&right, overrides, max_points).ok().map(Box::new), options }
    }
}

impl Scenario {
    /// The scenario of a kernel's file: one point. Errors name the options.
    ///
    /// # Errors
    /// All that is wrong with the options.
    pub fn of_kernel_file(
        file: &KernelFile<'_>,
        overrides: &[String],
        max_points: usize,
    ) -> Result<Self, Box<WrongOptions>> {
        Self::of_options(file, overrides, max_points)
            .map_err(|errors| Box::new(WrongOptions::of(errors, file, overrides, max_points)))
    }

    fn of_options(file: &KernelFile<'_>, overrides: &[String], max_points: usize) -> Result<Self, ScenarioErrors> {
        let name = file.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut made = Made::default();
        made.put(&format!("[kernel]\nsource = {}\nvariants = {{ kernel = ", quoted(&name)));
        made.option("--entry", file.entry, &quoted(file.entry));
        made.put(" }\nlaunch = { grid = ");
        made.extents("--grid", file.grid);
        made.put(", block = ");
        made.extents("--block", file.block);
        if let Some(bytes) = file.shared_bytes {
            made.put(", shared_bytes = ");
            made.option("--shared", &bytes.to_string(), &bytes.to_string());
        }
        made.put(" }\narguments = ");
        made.arguments(file.arguments, file.names);
        let Made { text, options, problems } = made;
        let title = format!("the options for {name}");
        let own = Sources::new(&title, &text, overrides).of_options(options.clone()).errors(problems);
        let default_name = super::default_name(&name);
        // What is wrong stands for something right there, so that all errors are told.
        let mut scenario = match Self::parse_with(&default_name, &title, &text, overrides, max_points, options) {
            Ok(scenario) if own.errors().is_empty() => scenario,
            Ok(_) => return Err(own),
            Err(more) => return Err(own.followed_by(more)),
        };
        scenario.directory = file.path.parent().map(Path::to_owned).unwrap_or_default();
        Ok(scenario)
    }
}

/// The text of a scenario, and which options it has where.
#[derive(Default)]
struct Made {
    text: String,
    options: Vec<OptionPlace>,
    problems: Vec<Problem>,
}

impl Made {
    fn put(&mut self, toml: &str) {
        self.text += toml;
    }

    /// Puts in what an option stands for.
    fn option(&mut self, option: &str, given: &str, toml: &str) {
        let start = self.text.len();
        self.put(toml);
        self.options.push(OptionPlace {
            option: option.to_owned(),
            given: given.to_owned(),
            place: start..self.text.len(),
        });
    }

    /// That the option which was put in last is wrong.
    fn refuse(&mut self, problem: String, help: &str) {
        let place = self.options.last().map_or(0..0, |own| own.place.clone());
        self.problems.push(Problem::new(problem).at(Place::new(Source::File, place)).help(help));
    }

    /// `4`, `4,2` or `4,2,1` as a list.
    fn extents(&mut self, option: &str, given: &str) {
        let all: Result<Vec<u32>, _> = given.split([',', 'x']).map(|extent| extent.trim().parse::<u32>()).collect();
        match all {
            Ok(all) if all.len() <= 3 && all.iter().all(|extent| *extent > 0) => {
                self.option(option, given, &format!("{all:?}"));
            }
            _ => {
                self.option(option, given, "[1]");
                self.refuse(format!("{option} `{given}` is not X, X,Y or X,Y,Z"), "give whole numbers from 1 on");
            }
        }
    }

    /// The list of arguments, and the buffers that are among them.
    fn arguments(&mut self, arguments: &[String], names: &[Option<String>]) {
        let all: Vec<String> = arguments.iter().map(|argument| format!("--arg {argument}")).collect();
        let (start, mut buffers) = (self.text.len(), Vec::new());
        self.put("[");
        for (index, argument) in arguments.iter().enumerate() {
            let number = index + 1;
            let option = format!("--arg {number}");
            if index > 0 {
                self.put(", ");
            }
            if let Some(buffer) = Buffer::read(argument) {
                let own = names.get(index).cloned().flatten();
                let name = own.unwrap_or_else(|| format!("argument_{number}"));
                self.option(&option, argument, &quoted(&name));
                if buffer.length.is_empty() {
                    let help = format!("write how many elements it has: {}[1024]", buffer.element);
                    self.refuse(format!("`{argument}` has no length"), &help);
                }
                if buffer.fill.is_empty() {
                    self.refuse(format!("`{argument}` has no contents"), ARGUMENTS);
                }
                buffers.push((option, argument, name, buffer.or_another()));
            } else if let Some(structure) = structure(argument) {
                self.option(&option, argument, &structure);
            } else {
                let number = argument.split_once(':').map_or(argument.as_str(), |(_, number)| number);
                match Expression::parse(number.trim(), &[]) {
                    Ok(_) => self.option(&option, argument, &quoted(argument)),
                    Err(unreadable) => {
                        self.option(&option, argument, "0");
                        let why = if argument.contains(['[', '{', '=', '(']) {
                            String::new()
                        } else {
                            format!(": {}", unreadable.problem)
                        };
                        self.refuse(format!("`{argument}` is neither a buffer nor a number{why}"), ARGUMENTS);
                    }
                }
            }
        }
        self.put("]");
        let place = start..self.text.len();
        self.options.push(OptionPlace { option: "--arg".to_owned(), given: all.join(" "), place });
        self.put("\n[buffers]\n");
        for (option, argument, name, Buffer { element, length, fill }) in buffers {
            let (element, length, fill) = (quoted(element), quoted(length), quoted(fill));
            self.option(
                &option,
                argument,
                &format!("{name} = {{ type = {element}, length = {length}, fill = {fill} }}"),
            );
            self.put("\n");
        }
    }
}

/// Text as TOML.
fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string().trim().to_owned()
}

/// A structure by value, which is written as in a scenario.
fn structure(text: &str) -> Option<String> {
    let value = toml_edit::Value::from_str(text.trim()).ok()?;
    value.is_inline_table().then(|| value.to_string().trim().to_owned())
}

/// `f32[1024]=zeros`
struct Buffer<'a> {
    element: &'a str,
    length: &'a str,
    fill: &'a str,
}

impl<'a> Buffer<'a> {
    /// The same, with something in place of what is missing.
    fn or_another(self) -> Self {
        let or = |text: &'a str, other| if text.is_empty() { other } else { text };
        Self { length: or(self.length, "1"), fill: or(self.fill, "zeros"), ..self }
    }

    fn read(text: &'a str) -> Option<Self> {
        let (element, rest) = text.split_once('[')?;
        let (length, rest) = rest.split_once(']')?;
        let fill = match rest.trim() {
            "" => "uniform",
            rest => rest.strip_prefix('=')?.trim(),
        };
        let is_word = element.trim().chars().all(|letter| letter.is_ascii_alphanumeric());
        is_word.then_some(Self { element: element.trim(), length: length.trim(), fill: fill.trim_matches('\'') })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use located_toml::ReportStyle;

    #[test]
    fn buffers_have_a_type_a_length_and_contents() {
        let read = |text| Buffer::read(text).map(|own| (own.element, own.length, own.fill));
        assert_eq!(read("f32[1024]"), Some(("f32", "1024", "uniform")));
        assert_eq!(read("i32[64]=iota"), Some(("i32", "64", "iota")));
        assert_eq!(read("u32[2^20]='i % 7'"), Some(("u32", "2^20", "i % 7")));
        for number in ["1024", "-0.5", "f32[12", "a]b", "f32[4]x", "{ struct = [1] }"] {
            assert_eq!(read(number), None, "{number}");
        }
    }

    fn read(grid: &str, arguments: &[&str]) -> Result<Scenario, String> {
        let arguments: Vec<String> = arguments.iter().map(|own| (*own).to_owned()).collect();
        let path = Path::new("folder/add.ptx");
        let file = KernelFile {
            path,
            entry: "add",
            grid,
            block: "32x8",
            shared_bytes: Some(16),
            arguments: &arguments,
            names: &[Some("data".to_owned()), None],
        };
        Scenario::of_kernel_file(&file, &[], 10).map_err(|wrong| wrong.errors.report(ReportStyle::Plain, 100))
    }

    #[test]
    fn options_make_a_scenario() {
        let own = read("4,2", &["f32[64]", "1024", "f16: 0.5", "{ struct = [\"i32: 1\"] }"]).unwrap();
        assert_eq!((own.name.as_str(), own.directory.as_path()), ("add", Path::new("folder")));
        assert!(own.text.contains("grid = [4, 2], block = [32, 8], shared_bytes = 16"), "{}", own.text);
        let own = read("4", &["f32[64]", "f32[32]"]).unwrap();
        assert!(own.text.contains("arguments = [\"data\", \"argument_2\"]"), "{}", own.text);
        assert!(own.text.contains("data = { type = \"f32\", length = \"64\""), "{}", own.text);
    }

    #[test]
    fn options_that_are_wrong_are_named() {
        let all = ["", "0", "1,2,3,4", "-1", "a"].map(|grid| read(grid, &[]).unwrap_err());
        assert!(all.iter().all(|told| told.contains("is not X, X,Y or X,Y,Z")), "{all:?}");
        let arguments = [
            "f32[12",
            "n",
            "x8[4]",
            "f32[n]",
            "f31: 2",
            "2 +",
            "{ struct = [\"i32\"",
            "f32[4]=j",
            "f32(4096)",
            "f32[]",
            "f32[4]=",
            "f32[4]=zero",
        ];
        let told: Vec<String> = arguments.iter().map(|own| read("1", &["f32[4]", own]).unwrap_err()).collect();
        insta::assert_snapshot!(told.join("\n"));
        insta::assert_snapshot!(
            "all_that_is_wrong",
            read("8x", &["f32[]", "f32[4]=zero", "j32=4", "x8[4]"]).unwrap_err()
        );
    }
}
