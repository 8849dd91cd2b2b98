//! Places in sources: what a line of PTX was compiled from.

use std::path::Path;

use ptx_syntax::SourceLines;

/// A line of a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, as the scenario calls it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// What stands there, without blanks around it; empty where the file is not known.
    pub text: String,
}

/// Places of the lines of a PTX text.
#[derive(Debug, Clone)]
pub struct Places {
    lines: SourceLines,
    source_name: String,
    source: Vec<String>,
    ptx_name: String,
    ptx: Vec<String>,
}

impl Places {
    /// Those of the text `ptx`. `source` is the file it was compiled from, with its name; without it, and where the compiler did not say which line an
    /// instruction is of, places are lines of the PTX, which is called `ptx_name`.
    pub fn new(ptx: &str, ptx_name: &str, source: Option<(&str, &str)>) -> Self {
        let lines = |text: &str| text.lines().map(|line| line.trim().to_owned()).collect();
        Self {
            lines: SourceLines::of(ptx),
            source_name: source.map(|(name, _)| name.to_owned()).unwrap_or_default(),
            source: source.map(|(_, text)| lines(text)).unwrap_or_default(),
            ptx_name: ptx_name.to_owned(),
            ptx: lines(ptx),
        }
    }

    /// Where a line of the PTX comes from.
    pub fn place(&self, ptx_line: u32) -> Place {
        let text = |lines: &[String], line: u32| {
            let line = (line as usize).checked_sub(1).and_then(|index| lines.get(index));
            line.cloned().unwrap_or_default()
        };
        match self.lines.place(ptx_line) {
            Some(place) if self.is_source(place.file) => {
                Place { file: self.source_name.clone(), line: place.line, text: text(&self.source, place.line) }
            }
            Some(place) => Place { file: place.file.to_owned(), line: place.line, text: String::new() },
            None => Place { file: self.ptx_name.clone(), line: ptx_line, text: text(&self.ptx, ptx_line) },
        }
    }

    /// Compilers name files by whole paths.
    fn is_source(&self, file: &str) -> bool {
        let name = |path: &str| Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
        !self.source_name.is_empty() && name(file) == name(&self.source_name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".entry a()\n{\nmov.u32 %r0, 1;\n.loc 1 2 3\nret;\n.loc 2 7 1\nret;\n}\n.file 1 \"/tmp/x/a.cu\"\n.file 2 \"/usr/b.h\"\n";

    #[test]
    fn places_are_of_the_source_of_its_headers_or_of_the_ptx() {
        let places = Places::new(PTX, "a.ptx", Some(("kernels/a.cu", "first\n  second line \n")));
        let told = |line| {
            let Place { file, line, text } = places.place(line);
            format!("{file}:{line} {text}")
        };
        assert_eq!(told(3), "a.ptx:3 mov.u32 %r0, 1;");
        assert_eq!(told(5), "kernels/a.cu:2 second line");
        assert_eq!(told(7), "/usr/b.h:7 ");
        assert_eq!(Places::new("ret;", "a.ptx", None).place(99).text, "", "there is no such line");
        assert_eq!(Places::new(PTX, "a.ptx", None).place(5).file, "/tmp/x/a.cu");
    }
}
