//! What a scenario still says of its draft: which contents of buffers nobody has checked.

/// How the first line of a draft begins.
pub(super) const DRAFTED: &str = "# Drafted by `apbench new`";

/// Stands before what a draft made up, at the end of the line that says so.
const MADE_UP: &str = " Made up: ";

/// The line above a buffer that says what it holds; `fill` is the draft's.
pub(super) fn marked(says: &str, fill: Option<&str>) -> String {
    let made_up = fill.map(|fill| format!("{MADE_UP}{fill}")).unwrap_or_default();
    format!("# CHECK: {says}{made_up}")
}

/// What a line with CHECK says of a variable in constant memory.
pub(super) fn says_of_constant(name: &str) -> String {
    format!("constant memory `{name}` holds what the source's host copies there.")
}

/// The buffers and variables of a scenario's text whose contents decide what is counted, and are those of the draft that it was: a line with CHECK stands
/// above them that says what they are, and they are filled as it has it.
pub fn made_up(text: &str) -> Vec<&str> {
    if !text.lines().next().is_some_and(|first| first.starts_with(DRAFTED)) {
        return Vec::new();
    }
    let mut names = Vec::new();
    // What the buffer below is filled with in the draft.
    let mut marked: Option<&str> = None;
    for line in text.lines() {
        if line.starts_with('#') {
            let fill = || line.split_once(MADE_UP).map_or("fill = ", |(_, fill)| fill);
            marked = marked.or_else(|| is_of_contents(line).then(fill));
            continue;
        }
        let own = line.split_once(" = ").filter(|(_, value)| marked.is_some_and(|fill| value.contains(fill)));
        names.extend(own.map(|(name, _)| name));
        marked = None;
    }
    names
}

/// Whether a line says what a buffer holds, as [`super::fill::Fill::says`] does.
fn is_of_contents(line: &str) -> bool {
    let said = line.strip_prefix("# CHECK: ").unwrap_or_default();
    said.starts_with("floats in `")
        || said.starts_with("constant memory `")
        || said.starts_with('`') && said.contains("` says ")
}

#[cfg(test)]
mod tests {
    use super::super::amount::Amount;
    use super::super::fill::Fill;
    use super::super::rows::Delimiters;
    use super::*;
    use crate::workload::Element;

    #[test]
    fn every_guess_of_contents_is_found_again() {
        let delimiters =
            Delimiters { fill: "4 * i".to_owned(), says: "where the elements of each row begin".to_owned() };
        let n = || Amount::symbol("n");
        for fill in [
            Fill::Places(n()),
            Fill::Parts(n(), n()),
            Fill::Delimiters(delimiters),
            Fill::Count(n()),
            Fill::Words("zeros".to_owned(), false),
            Fill::Words("zeros".to_owned(), true),
            Fill::Steps(Element::Signed(32)),
            Fill::Steps(Element::Float(32)),
            Fill::Roots,
            Fill::Compared(None),
            Fill::Compared(Some(n())),
            Fill::Slots(-1, false),
            Fill::Chains(n(), -1),
            Fill::Slots(7, true),
            Fill::Farthest(7),
            Fill::Uniform,
            Fill::Scattered(32),
            Fill::Zeros,
            Fill::Nothing,
        ] {
            let written = fill.written().map(|fill| format!("fill = \"{fill}\""));
            let line = fill.says("own").map(|says| marked(&says, written.as_deref()));
            assert_eq!(line.is_some_and(|line| is_of_contents(&line)), fill.is_guessed(), "{fill:?}");
        }
        assert!(is_of_contents(&marked(&says_of_constant("filter"), None)));
    }

    #[test]
    fn contents_are_the_draft_s_as_long_as_the_mark_stands() {
        let text = "# Drafted by `apbench new` from the text of the kernel.\n[buffers]\n# CHECK: the length of `a`, which the indices do not say.\n\
                    a = { type = \"f32\", fill = \"uniform\" }\n# CHECK: `b` says which elements are touched, or how many.\n# Nothing checks `b`.\n\
                    b = { type = \"u32\", fill = \"i % n\" }\nc = { type = \"u32\", fill = \"zeros\" }\n";
        assert_eq!(made_up(text), ["b"]);
        assert_eq!(made_up(&text.replace("# CHECK: `b` says", "# `b` says")), Vec::<&str>::new());
        assert_eq!(made_up(&text.replace("Drafted", "Written")), Vec::<&str>::new());
        let with_fill = text.replace("touched, or how many.", "touched, or how many. Made up: fill = \"i % n\"");
        assert_eq!(made_up(&with_fill), ["b"]);
        assert_eq!(
            made_up(&with_fill.replace("\"u32\", fill = \"i % n\"", "\"u32\", fill = \"rows.npy\"")),
            Vec::<&str>::new()
        );
    }
}
