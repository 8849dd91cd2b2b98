//! PTX of the user's with the source that it was made of, so that what goes wrong is told with the line that the user wrote.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use ptx_syntax::{SourceLines, SourcePlace};

use super::Assembled;

/// The most characters of a line that are shown.
const TEXT_MOST: usize = 100;

/// A PTX text and its source.
#[derive(Debug)]
pub struct Sourced {
    /// The PTX.
    pub ptx: &'static str,
    /// The source's file, as the scenario calls it.
    name: String,
    /// The source; the PTX itself where that is what the user wrote.
    source: String,
    lines: SourceLines,
    /// What ptxas makes of it, where that was asked.
    pub assembled: Option<Assembled>,
}

/// A line of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// File and line, such as `transposition.cu:14`.
    pub place: String,
    /// What stands there, without the blanks around it, as far as the file is at hand.
    pub text: Option<String>,
    /// The line of the PTX, in words, where it is another one.
    pub ptx: Option<String>,
}

impl Sourced {
    /// The PTX that a compiler made of a source, or that the source is.
    pub fn new(ptx: &'static str, name: &str, source: &str) -> Self {
        let (name, source) = (name.to_owned(), source.to_owned());
        Self { ptx, name, source, lines: SourceLines::of(ptx), assembled: None }
    }

    /// The same with what ptxas makes of it.
    #[must_use]
    pub fn with_assembled(self, assembled: Option<Assembled>) -> Self {
        Self { assembled, ..self }
    }

    /// Where the line is from; of the code of a header, such as that of `atomicAdd`, where the source calls it.
    fn found(&self, ptx_line: u32) -> Option<SourcePlace<'_>> {
        let found = self.lines.place(ptx_line)?;
        if is_file(found.file, &self.name) {
            return Some(found);
        }
        let ending = |file: &str| Path::new(file).extension().map(OsStr::to_ascii_lowercase);
        let is_of_header = ending(found.file).is_some_and(|own| own == "h" || own == "hpp");
        let calls = self.lines.calls(ptx_line);
        let own = calls.iter().find(|call| is_file(call.file, &self.name));
        Some(own.or(calls.first().filter(|_| is_of_header)).copied().unwrap_or(found))
    }

    /// File and line that a line of the PTX comes from, and what stands there; the PTX itself where no compiler says.
    pub fn place(&self, ptx_line: u32) -> (String, u32, String) {
        match self.found(ptx_line) {
            Some(found) if is_file(found.file, &self.name) => {
                (self.name.clone(), found.line, text_of(&self.source, found.line).unwrap_or_default())
            }
            Some(found) => (found.file.to_owned(), found.line, String::new()),
            None => {
                let name = Path::new(&self.name).with_extension("ptx").display().to_string();
                (name, ptx_line, text_of(self.ptx, ptx_line).unwrap_or_default())
            }
        }
    }

    /// The line of the source that a line of the PTX comes from: of the PTX itself where no compiler says.
    pub fn line(&self, ptx_line: u32) -> SourceLine {
        let is_ptx = Path::new(&self.name).extension().is_some_and(|ending| ending == "ptx");
        let ptx = if is_ptx { format!("{}:{ptx_line}", self.name) } else { format!("line {ptx_line} of its PTX") };
        match self.found(ptx_line) {
            Some(found) => {
                let is_own = is_file(found.file, &self.name);
                let file = if is_own { &self.name } else { found.file };
                let text = if is_own { text_of(&self.source, found.line) } else { None };
                SourceLine { place: format!("{file}:{}", found.line), text, ptx: Some(ptx) }
            }
            None if is_ptx => SourceLine { place: ptx, text: text_of(self.ptx, ptx_line), ptx: None },
            None => SourceLine { place: format!("line {ptx_line} of the PTX of {}", self.name), text: None, ptx: None },
        }
    }
}

/// Whether the file that a compiler names is the one that the scenario calls by this name.
fn is_file(path: &str, name: &str) -> bool {
    let from_folder: PathBuf =
        Path::new(name).components().filter(|part| !matches!(part, Component::CurDir | Component::ParentDir)).collect();
    Path::new(path).ends_with(from_folder)
}

fn text_of(text: &str, line: u32) -> Option<String> {
    let line = text.lines().nth(line.checked_sub(1)? as usize)?.trim();
    if line.chars().count() <= TEXT_MOST {
        return Some(line.to_owned()).filter(|line| !line.is_empty());
    }
    Some(line.chars().take(TEXT_MOST - 3).chain("...".chars()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "\
.visible .entry k()
 {
\t.loc 1 2 5
\tst.global.u32 [%rd1], 1;
\t.loc 2 7 1
\tret;
 }
.visible .entry other()
 {
\tret;
 }
\t.file 1 \"/home/me/kernels/mine.cu\"
\t.file 2 \"/usr/include/tools.cuh\"
";

    #[test]
    fn lines_are_those_of_the_source_as_the_scenario_calls_it() {
        for name in ["mine.cu", "../kernels/mine.cu", "./mine.cu"] {
            let line = Sourced::new(PTX, name, "__global__ void k() {\n    *out = 1; \n}").line(4);
            assert_eq!(line.place, format!("{name}:2"));
            assert_eq!(line.text.as_deref(), Some("*out = 1;"));
            assert_eq!(line.ptx.as_deref(), Some("line 4 of its PTX"));
        }
        let sourced = Sourced::new(PTX, "mine.cu", "");
        assert_eq!((sourced.line(4).text, sourced.line(6).place), (None, "/usr/include/tools.cuh:7".to_owned()));
        assert_eq!(sourced.line(10).place, "line 10 of the PTX of mine.cu");
    }

    #[test]
    fn lines_of_ptx_are_its_own_unless_it_names_others() {
        let line = |number| Sourced::new(PTX, "k.ptx", PTX).line(number);
        assert_eq!(line(10), SourceLine { place: "k.ptx:10".to_owned(), text: Some("ret;".to_owned()), ptx: None });
        assert_eq!(line(4).place, "/home/me/kernels/mine.cu:2");
        assert_eq!(line(4).ptx.as_deref(), Some("k.ptx:4"));
    }

    #[test]
    fn code_of_a_header_is_where_it_is_called() {
        let called = PTX.replace(".loc 2 7 1", ".loc 2 7 1, function_name $L__info_string0, inlined_at 1 5 9");
        let sourced = Sourced::new(Box::leak(called.into_boxed_str()), "mine.cu", "1\n2\n3\n4\natomicAdd(a, 1);");
        assert_eq!(sourced.line(6).place, "mine.cu:5");
        assert_eq!(sourced.place(6), ("mine.cu".to_owned(), 5, "atomicAdd(a, 1);".to_owned()));
        assert_eq!(sourced.place(10), ("mine.ptx".to_owned(), 10, "ret;".to_owned()));
        // A header's function that another one of it calls.
        let nested = ".loc 2 9 1, function_name a, inlined_at 1 5 9\n\t.loc 2 7 1, function_name b, inlined_at 2 9 1";
        let nested = PTX.replace(".loc 2 7 1", nested).replace("tools.cuh", "tools.h");
        assert_eq!(Sourced::new(Box::leak(nested.into_boxed_str()), "mine.cu", "").line(7).place, "mine.cu:5");
    }

    #[test]
    fn long_lines_are_cut() {
        let long = "x".repeat(200);
        assert_eq!(text_of(&long, 1).map(|text| text.len()), Some(TEXT_MOST));
    }
}
