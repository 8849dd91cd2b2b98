//! The text of a source, and what is wrong with it.

use std::path::Path;

use ptx_syntax::{PtxError, PtxErrors};

/// The text of a file, without the byte order mark that some editors write at its beginning; `None` where it is not UTF-8.
pub fn source_text(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

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
    fn a_byte_order_mark_is_no_text() {
        let text = |bytes: &[u8]| source_text(bytes.to_vec());
        assert_eq!(text(b"\xef\xbb\xbfint i;").as_deref(), Some("int i;"));
        assert_eq!(text(b"int i;").as_deref(), Some("int i;"));
        assert_eq!(text(b"\xff\xfeint"), None);
    }

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
