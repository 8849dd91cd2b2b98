//! Why the driver's library cannot be opened.

use cudarc::get_lib_name_candidates;
use libloading::{Error, Library};

/// Why there is no driver, in words, after its library could not be opened: it is not there, or the loader refuses it.
pub(super) fn problem() -> String {
    // The names that cudarc tries.
    let mut names = ["cuda", "nvcuda"].into_iter().flat_map(get_lib_name_candidates);
    // SAFETY: as when cudarc looks for it: the initialisers of a library that can be loaded are the driver's own.
    let refusal = names.find_map(|name| unsafe { Library::new(&name) }.err().and_then(|error| refusal(&name, &error)));
    refusal.map_or_else(
        || "this machine has no NVIDIA driver (libcuda)".to_owned(),
        |words| format!("the library of the NVIDIA driver (libcuda) is there, but it cannot be opened: {words}"),
    )
}

/// What the loader says of a library that is there; `None` where it is not.
pub(super) fn refusal(name: &str, error: &Error) -> Option<String> {
    let Error::DlOpen { source } = error else { return None };
    told(name, &source.to_string())
}

/// The loader names the file by its path if it found one. The file that is not there may be another one that this needs.
fn told(name: &str, words: &str) -> Option<String> {
    let is_own = words.split([':', ' ']).any(|word| word.rsplit('/').next() == Some(name));
    match (is_own, words.contains("No such file")) {
        (true, true) => None,
        (true, false) => Some(words.to_owned()),
        (false, _) => Some(format!("{name}: {words}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_told_apart_from_what_cannot_be_opened() {
        let absent = "cannot open shared object file: No such file or directory";
        assert_eq!(told("libcuda.so", &format!("libcuda.so: {absent}")), None);
        let short = "/lib/libcuda.so.1: file too short";
        assert_eq!(told("libcuda.so.1", short).as_deref(), Some(short));
        let other = format!("libother.so.2: {absent}");
        assert_eq!(told("libcuda.so.1", &other), Some(format!("libcuda.so.1: {other}")));
    }
}
