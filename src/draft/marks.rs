//! What a scenario still says of its draft: which contents of buffers nobody has checked.

/// How the first line of a draft begins.
pub(super) const DRAFTED: &str = "# Drafted by `apbench new`";

/// The buffers of a scenario's text whose contents decide what is counted, and are those of the draft that it was: a line with CHECK stands
/// above them that says what they are.
pub fn made_up(text: &str) -> Vec<&str> {
    if !text.lines().next().is_some_and(|first| first.starts_with(DRAFTED)) {
        return Vec::new();
    }
    let mut names = Vec::new();
    let mut is_marked = false;
    for line in text.lines() {
        if line.starts_with('#') {
            is_marked |= is_of_contents(line);
            continue;
        }
        if is_marked && let Some((name, _)) = line.split_once(" = ").filter(|(_, value)| value.contains("fill = ")) {
            names.push(name);
        }
        is_marked = false;
    }
    names
}

/// Whether a line says what a buffer holds, as [`super::fill::Fill::says`] does.
fn is_of_contents(line: &str) -> bool {
    let said = line.strip_prefix("# CHECK: ").unwrap_or_default();
    said.starts_with("floats in `") || said.starts_with('`') && said.contains("` says ")
}

#[cfg(test)]
mod tests {
    use super::super::amount::Amount;
    use super::super::fill::Fill;
    use super::super::rows::Delimiters;
    use super::*;

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
            Fill::Words("zeros".to_owned()),
            Fill::Uniform,
            Fill::Zeros,
            Fill::Nothing,
        ] {
            let line = fill.says("own").map(|says| format!("# CHECK: {says}"));
            assert_eq!(line.is_some_and(|line| is_of_contents(&line)), fill.is_guessed(), "{fill:?}");
        }
    }

    #[test]
    fn contents_are_the_draft_s_as_long_as_the_mark_stands() {
        let text = "# Drafted by `apbench new` from the text of the kernel.\n[buffers]\n# CHECK: the length of `a`, which the indices do not say.\n\
                    a = { type = \"f32\", fill = \"uniform\" }\n# CHECK: `b` says which elements are touched, or how many.\n# Nothing checks `b`.\n\
                    b = { type = \"u32\", fill = \"i % n\" }\nc = { type = \"u32\", fill = \"zeros\" }\n";
        assert_eq!(made_up(text), ["b"]);
        assert_eq!(made_up(&text.replace("# CHECK: `b` says", "# `b` says")), Vec::<&str>::new());
        assert_eq!(made_up(&text.replace("Drafted", "Written")), Vec::<&str>::new());
    }
}
