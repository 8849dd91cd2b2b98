//! What compilers say, in terms of the user's files: of the entries that a scenario asks for, which stand in no file of the user's, and of the others.

use std::path::Path;

use crate::kernel::Language;
use crate::signature::{self, Kernel};
use located_toml::words::{count, instead};

/// Where NVRTC has the instances of templates that it was asked for.
const NAMES_OF_NVRTC: &str = "__nv_name_map";
/// What stands before an instance in NVRTC's text, and behind it.
const ASKED_OF_NVRTC: (&str, &str) = ("#pragma nv_mangled_name ", "");
/// What stands before an instance in what nvcc compiles, and behind it.
pub(super) const ASKED_OF_NVCC: (&str, &str) = ("__attribute__((used)) static auto apbench_", ";");
/// How compilers end: with the number of errors and the file, which is no file of the user's where there are instances.
const LAST: &str = "detected in the compilation of";

/// A log in which `written`, a file of ours if there is one, is not named, and in which each entry that is not there is told once, with what is.
pub(super) fn of_user(log: &str, path: &Path, source: &str, written: Option<&Path>) -> String {
    let written = written.map(|path| path.display().to_string());
    let is_asked = |line: &str| {
        let files = [Some(NAMES_OF_NVRTC), written.as_deref()];
        files.into_iter().flatten().any(|file| line.strip_prefix(file).is_some_and(|rest| rest.starts_with('(')))
    };
    let mut told: Vec<String> = Vec::new();
    let mut all: Vec<String> = Vec::new();
    let mut lines = log.lines().peekable();
    while let Some(line) = lines.next() {
        if !is_asked(line) {
            all.push(line.to_owned());
            continue;
        }
        let message = line.split_once("): ").map_or(line, |(_, message)| message);
        let message = message.trim_start_matches("catastrophic ").trim_start_matches("error: ");
        let mut entry = None;
        // The line that it stands in, and marks below.
        while let Some(below) = lines.next_if(|below| below.starts_with(' ') || below.is_empty()) {
            entry = entry.or_else(|| asked(below.trim()));
            if below.is_empty() {
                break;
            }
        }
        let Some(entry) = entry.filter(|entry| !told.contains(entry)) else { continue };
        // nvcc's word for what it finds no function for.
        let message = if message.contains("cannot deduce \"auto\"") {
            "there is no such instance of a template"
        } else {
            message
        };
        all.push(format!("{}: error: entry `{entry}`: {message}", path.display()));
        all.push(format!("  {}", help(source, &entry)));
        all.push(String::new());
        told.push(entry);
    }
    if !told.is_empty() {
        all.retain(|line| !line.contains(LAST));
    }
    let mut text = all.join("\n").trim_end().to_owned();
    if let Some(written) = written {
        text = text.replace(&written, &path.display().to_string());
    }
    // nvcc is given the whole path.
    match path.canonicalize() {
        Ok(whole) => text.replace(&whole.display().to_string(), &path.display().to_string()),
        Err(_) => text,
    }
}

/// The entry that a line of ours or of NVRTC's asks for.
fn asked(line: &str) -> Option<String> {
    let of = |(before, behind): (&str, &str)| line.strip_prefix(before)?.strip_suffix(behind).map(str::to_owned);
    let of_nvcc = || of(ASKED_OF_NVCC)?.split_once('&').map(|(_, entry)| entry.to_owned());
    of(ASKED_OF_NVRTC).or_else(of_nvcc)
}

/// What can be written for an entry that is not there.
fn help(source: &str, entry: &str) -> String {
    let kernels = signature::kernels(source, Language::Cuda).unwrap_or_default();
    let base = entry.split('<').next().unwrap_or(entry).trim();
    let known = kernels.iter().find(|own| own.name == base || own.name.rsplit("::").next() == Some(base));
    let Some(Kernel { name, templates, .. }) = known else {
        let names: Vec<&str> = kernels.iter().map(|own| own.name.as_str()).collect();
        return if names.is_empty() { "the source has no kernel".to_owned() } else { instead(base, &names) };
    };
    if templates.is_empty() {
        return format!("`{name}` is no template: write entry = \"{name}\"");
    }
    let names: Vec<&str> = templates.iter().map(|own| own.name.as_str()).collect();
    format!("the template of `{name}` has {}: {}", count(names.len(), "argument"), names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str =
        "template <typename T, int N> __global__ void sample(T* x) { }\n__global__ void plain(float* x) { }";

    /// The logs are those of NVRTC 13.0 and nvcc 13.0.
    #[test]
    fn entries_that_are_not_there_are_told_once_with_what_is_there() {
        let nvrtc = "__nv_name_map(2): error: identifier \"sampel\" is undefined\n  #pragma nv_mangled_name sampel<int, 9>\n                          ^\n\n\
                     __nv_name_map(2): error: type name is not allowed\n  #pragma nv_mangled_name sampel<int, 9>\n                                 ^\n\n\
                     __nv_name_map(3): error: cannot determine which instance of function template \"sample\" is intended\n  #pragma nv_mangled_name \
                     sample<4>\n                          ^\n\nk.cu(4): error: static assertion failed\n  here\n  ^\n\n4 errors detected in the compilation of \
                     \"k.cu\".";
        let nvcc = "/tmp/.tmpK/instances.cu(2): error: cannot deduce \"auto\" type\n  __attribute__((used)) static auto apbench_0 = &plain<4>;\n                 \
                    ^\n\nk.cu(7): note: at line 3 of \"/tmp/.tmpK/instances.cu\"\n\n1 error detected in the compilation of \"/tmp/.tmpK/instances.cu\".";
        let of = |log: &str, written: Option<&str>| of_user(log, Path::new("k.cu"), SOURCE, written.map(Path::new));
        insta::assert_snapshot!([of(nvrtc, None), of(nvcc, Some("/tmp/.tmpK/instances.cu"))].join("\n---\n"));
    }

    #[test]
    fn other_logs_stay_as_they_are() {
        let log = "k.cu(2): error: expected an expression\n  int i = ;\n          ^\n\n1 error detected in the compilation of \"k.cu\".";
        assert_eq!(of_user(log, Path::new("k.cu"), SOURCE, None), log);
    }
}
