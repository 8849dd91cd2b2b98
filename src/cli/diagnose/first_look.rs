//! A kernel's file without a scenario: one is made of the options.

use std::path::Path;

use super::super::failure::Failure;
use super::POINTS_MAX;
use crate::scenario::Scenario;

/// Options of `diagnose` for a kernel's file.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options for a kernel's file in place of a scenario")]
pub(super) struct FirstLook {
    /// The kernel, as the source calls it; an instance of a template such as 'sum<256>'
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Blocks: X, X,Y or X,Y,Z
    #[arg(long, value_name = "BLOCKS")]
    grid: Option<String>,
    /// Threads of a block: X, X,Y or X,Y,Z
    #[arg(long, value_name = "THREADS")]
    block: Option<String>,
    /// Dynamic shared memory of a block, in bytes
    #[arg(long, value_name = "BYTES")]
    shared: Option<u32>,
    /// The kernel's arguments in order: f32[1048576] is a buffer of random elements, i32[1024]=iota or =zeros or ='i % 7' has others, 1024 or 0.5 is a number
    #[arg(long = "arg", value_name = "ARGUMENT", allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl FirstLook {
    /// The first of the options that was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        [
            ("--entry", self.entry.is_some()),
            ("--grid", self.grid.is_some()),
            ("--block", self.block.is_some()),
            ("--shared", self.shared.is_some()),
            ("--arg", !self.arguments.is_empty()),
        ]
        .iter()
        .find(|(_, given)| *given)
        .map(|(name, _)| *name)
    }

    /// The scenario of a kernel's file.
    pub(super) fn scenario(&self, path: &Path, overrides: &[String]) -> Result<Scenario, Failure> {
        let missing = |option: &str, example: &str| {
            Failure::Usage(format!(
                "a kernel's file needs {option}, such as {example}; or write a scenario of it: apbench new {}",
                path.display()
            ))
        };
        let (Some(grid), Some(block)) = (&self.grid, &self.block) else {
            return Err(missing("--grid and --block", "--grid 1024 --block 256"));
        };
        let entry = self.entry.as_ref().ok_or_else(|| missing("--entry", "--entry transpose"))?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let (grid, block) = (extents("--grid", grid)?, extents("--block", block)?);
        let text = |text: &str| toml_edit::Value::from(text).to_string().trim().to_owned();
        let mut buffers = String::new();
        let mut arguments = Vec::new();
        for (index, argument) in self.arguments.iter().enumerate() {
            match Buffer::read(argument) {
                Some(Buffer { element, length, fill }) => {
                    let name = format!("argument_{index}");
                    let (element, length, fill) = (text(element), text(length), text(fill));
                    buffers += &format!("{name} = {{ type = {element}, length = {length}, fill = {fill} }}\n");
                    arguments.push(text(&name));
                }
                None => arguments.push(text(argument)),
            }
        }
        let shared = self.shared.map(|bytes| format!(", shared_bytes = {bytes}")).unwrap_or_default();
        let scenario = format!(
            "[kernel]\nsource = {}\nvariants = {{ kernel = {} }}\nlaunch = {{ grid = {grid}, block = {block}{shared} }}\narguments = [{}]\n[buffers]\n{buffers}",
            text(&name),
            text(entry),
            arguments.join(", "),
        );
        let mut scenario = Scenario::parse(&format!("the options for {name}"), &scenario, overrides, POINTS_MAX)?;
        scenario.directory = path.parent().map(Path::to_owned).unwrap_or_default();
        Ok(scenario)
    }
}

/// `f32[1024]=zeros`
struct Buffer<'a> {
    element: &'a str,
    length: &'a str,
    fill: &'a str,
}

impl<'a> Buffer<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (element, rest) = text.split_once('[')?;
        let (length, rest) = rest.split_once(']')?;
        let fill = match rest.trim() {
            "" => "uniform",
            rest => rest.strip_prefix('=')?.trim(),
        };
        Some(Self { element: element.trim(), length: length.trim(), fill })
    }
}

/// `4`, `4,2` or `4,2,1` as a list of TOML.
fn extents(option: &str, given: &str) -> Result<String, Failure> {
    let all: Result<Vec<u32>, _> = given.split([',', 'x']).map(|extent| extent.trim().parse::<u32>()).collect();
    match all {
        Ok(all) if all.len() <= 3 && all.iter().all(|extent| *extent > 0) => Ok(format!("{all:?}")),
        _ => Err(Failure::Usage(format!("{option} `{given}` is not X, X,Y or X,Y,Z, whole numbers from 1 on"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_have_a_type_a_length_and_contents() {
        let read = |text| Buffer::read(text).map(|own| (own.element, own.length, own.fill));
        assert_eq!(read("f32[1024]"), Some(("f32", "1024", "uniform")));
        assert_eq!(read("i32[64]=iota"), Some(("i32", "64", "iota")));
        assert_eq!(read("u32[2^20]='i % 7'"), Some(("u32", "2^20", "'i % 7'")));
        for number in ["1024", "-0.5", "f32[12", "a]b", "f32[4]x"] {
            assert_eq!(read(number), None, "{number}");
        }
    }

    #[test]
    fn extents_are_up_to_three_numbers() {
        assert_eq!(extents("--grid", "4,2").ok().as_deref(), Some("[4, 2]"));
        assert_eq!(extents("--grid", "32x8").ok().as_deref(), Some("[32, 8]"));
        for wrong in ["", "0", "1,2,3,4", "-1", "a"] {
            assert!(extents("--grid", wrong).is_err(), "{wrong}");
        }
    }
}
