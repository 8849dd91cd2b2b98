//! Which line of a source each line of a PTX text was compiled from: what `.file` and `.loc` say (PTX ISA, section 11.5, debugging
//! directives). A compiler writes them where it is asked to, nvcc with `-lineinfo`.

/// A place in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourcePlace<'a> {
    /// The file, as the compiler names it.
    pub file: &'a str,
    /// The line, from 1.
    pub line: u32,
}

/// A place by its file's number, and that of the call that was replaced by the function's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    place: (u32, u32),
    call: Option<(u32, u32)>,
}

/// Calls within calls that are followed.
const CALLS_MOST: usize = 32;

/// Places in sources of the lines of a PTX text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceLines {
    files: Vec<(u32, String)>,
    /// Where a place begins to hold, by lines of the PTX; `None` from the beginning of a function to its first place.
    marks: Vec<(u32, Option<Mark>)>,
}

impl SourceLines {
    /// Those of a text. What cannot be read says nothing.
    pub fn of(text: &str) -> Self {
        let mut all = Self::default();
        for (number, line) in (1_u32..).zip(text.lines()) {
            let words = line.split("//").next().unwrap_or_default();
            let mut words = words.split_whitespace();
            match words.next() {
                Some(".file") => {
                    let path = line.split('"').nth(1);
                    if let (Some(Ok(file)), Some(path)) = (words.next().map(str::parse), path) {
                        all.files.push((file, path.to_owned()));
                    }
                }
                Some(".loc") => {
                    let mut next = || words.next().and_then(|word| word.trim_end_matches(',').parse().ok());
                    if let (Some(file), Some(line)) = (next(), next()) {
                        let mut rest = words.skip_while(|word| *word != "inlined_at").skip(1).map(str::parse);
                        let call = match (rest.next(), rest.next()) {
                            (Some(Ok(file)), Some(Ok(line))) => Some((file, line)),
                            _ => None,
                        };
                        // The compiler says line 0 of what belongs to several lines or none: the one before is the best that is known.
                        if line > 0 {
                            all.marks.push((number, Some(Mark { place: (file, line), call })));
                        }
                    }
                }
                Some(first) if [Some(first), words.next()].iter().flatten().any(|own| is_function(own)) => {
                    all.marks.push((number, None));
                }
                _ => {}
            }
        }
        all
    }

    /// Where the line `ptx_line` of the text comes from, as far as the compiler says.
    pub fn place(&self, ptx_line: u32) -> Option<SourcePlace<'_>> {
        self.named(self.mark(ptx_line)?.place)
    }

    /// Where the function is called that the line is of, if its code stands in place of the call; then where the function around that call is called, and
    /// so on. The compiler says where a call is from before what is called.
    pub fn calls(&self, ptx_line: u32) -> Vec<SourcePlace<'_>> {
        let behind = self.marks.partition_point(|(from, _)| *from <= ptx_line);
        let of_function = self.marks[..behind].iter().rev().map_while(|(_, mark)| *mark);
        let mut all = Vec::new();
        let mut place = None;
        for Mark { place: own, call } in of_function {
            if place.is_some_and(|place| place != own) {
                continue;
            }
            let Some(call) = call.filter(|_| all.len() < CALLS_MOST) else { break };
            all.extend(self.named(call));
            place = Some(call);
        }
        all
    }

    fn mark(&self, ptx_line: u32) -> Option<Mark> {
        let behind = self.marks.partition_point(|(from, _)| *from <= ptx_line);
        self.marks.get(behind.checked_sub(1)?)?.1
    }

    fn named(&self, (number, line): (u32, u32)) -> Option<SourcePlace<'_>> {
        let (_, file) = self.files.iter().find(|(own, _)| *own == number)?;
        Some(SourcePlace { file, line })
    }

    /// Whether the compiler said nothing.
    pub fn is_empty(&self) -> bool {
        self.marks.iter().all(|(_, place)| place.is_none())
    }
}

fn is_function(word: &str) -> bool {
    [".entry", ".func"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
.version 9.0
.target sm_75
.visible .entry first()
{
\tmov.u32 %r1, 1;
\t.loc\t1 4 5
\tmov.u32 %r1, 2;
\t.loc\t2 19 0, function_name $L__info_string0, inlined_at 1 20 5
\tmov.u32 %r1, 3;
\t.loc\t1 0 0
\tmov.u32 %r1, 4;
\tret; // .loc 1 99 0
}
.entry second()
{
\tret;
}
\t.file\t1 \"/home/me/a kernel.cu\"
\t.file\t2 \"tools.cuh\", 1700000000, 12
";

    #[test]
    fn lines_come_from_the_place_that_was_said_last() {
        let lines = SourceLines::of(TEXT);
        let place = |line| lines.place(line).map(|own| (own.file, own.line));
        assert_eq!(place(5), None, "nothing was said yet");
        assert_eq!(place(7), Some(("/home/me/a kernel.cu", 4)));
        assert_eq!(place(9), Some(("tools.cuh", 19)));
        let calls = |line| lines.calls(line).iter().map(|own| (own.file, own.line)).collect::<Vec<_>>();
        assert_eq!((calls(9), calls(7)), (vec![("/home/me/a kernel.cu", 20)], vec![]));
        assert_eq!(place(11), Some(("tools.cuh", 19)), "line 0 is that of what stands before");
        assert_eq!(place(16), None, "another function");
        assert!(!lines.is_empty());
    }

    #[test]
    fn calls_within_calls_are_followed_outwards() {
        // As nvcc has it: a function of the header calls another one of it, and the kernel calls it twice.
        let text = ".entry k()\n.loc 1 13 9\n.loc 2 69 9, function_name a, inlined_at 1 13 9\n.loc 2 30 5, function_name b, inlined_at 2 69 9\nret;\n\
                    .loc 1 17 9\n.loc 2 69 9, function_name a, inlined_at 1 17 9\n.loc 1 18 1\n.loc 2 30 5, function_name b, inlined_at 2 69 9\nret;\n\
                    .entry other()\n.loc 2 30 5, function_name b, inlined_at 2 69 9\nret;\n.file 1 \"k.cu\"\n.file 2 \"a.h\"\n";
        let lines = SourceLines::of(text);
        let calls = |line| lines.calls(line).iter().map(|own| (own.file, own.line)).collect::<Vec<_>>();
        assert_eq!(calls(5), [("a.h", 69), ("k.cu", 13)]);
        assert_eq!(calls(10), [("a.h", 69), ("k.cu", 17)]);
        assert_eq!(calls(13), [("a.h", 69)], "another function");
    }

    #[test]
    fn texts_without_places_have_none() {
        for text in ["", ".loc", ".loc 1", ".loc x 2 3\n.file\n.file 1", ".file 1 \"a.cu\"\nret;"] {
            let lines = SourceLines::of(text);
            assert_eq!(lines.place(3), None, "{text}");
            assert!(lines.is_empty(), "{text}");
        }
    }
}
