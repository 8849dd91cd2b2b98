//! What is wrong with the text of a source.

use std::path::Path;

use ptx_syntax::{PtxError, PtxErrors};

/// What is wrong with PTX, each on a line of its own.
pub fn unreadable(path: &Path, errors: &PtxErrors) -> String {
    let one = |own: &PtxError| {
        let line = if own.line > 0 { format!(":{}", own.line) } else { String::new() };
        let text = if own.text.is_empty() { String::new() } else { format!(": `{}`", own.text) };
        format!("{}{line}: {}{text}", path.display(), own.message)
    };
    let mut lines: Vec<String> = errors.errors().iter().map(one).collect();
    let more = errors.count() - lines.len();
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines.join("\n  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_of_ptx_has_its_file_and_line() {
        let head = ".version 7.0\n.target sm_70\n.address_size 64\n";
        let errors = ptx_syntax::parse(&format!("{head}.entry k()\n{{\nmov.u32 %r1")).unwrap_err();
        assert_eq!(
            unreadable(Path::new("a/k.ptx"), &errors),
            "a/k.ptx:5: this `{` is not closed: `{`\n  a/k.ptx:6: missing `;` after `%r1`: `mov.u32 %r1`"
        );
    }
}
