//! Code for the host in the file of a kernel: NVRTC compiles code for GPUs alone, nvcc takes both.

use super::advice;

/// What NVRTC says of functions and variables for the host.
const NOT_FOR_GPUS: &str = "not allowed in JIT mode";
/// What stands between the place of an error and the error.
const ERROR: &str = ": error: ";
/// What compilers say of headers that are not there, before the name in quotes.
pub(super) const MISSING_HEADER: &str = "cannot open source file \"";

/// Headers of C; those of C++ have no ending.
const HEADERS_OF_C: [&str; 17] = [
    "assert.h",
    "ctype.h",
    "errno.h",
    "float.h",
    "inttypes.h",
    "limits.h",
    "malloc.h",
    "math.h",
    "signal.h",
    "stdarg.h",
    "stdbool.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "time.h",
    "unistd.h",
];

/// The first thing for the host that a log of NVRTC complains of: in words behind "has".
pub(super) fn found(log: &str) -> Option<String> {
    // A mistake may make something else look like a function for the host: `int x = ;`, or a wrong word before `void`.
    let is_followed = |line: &str| {
        let place = line.split_once(ERROR).map(|(place, _)| place);
        let others = log.lines().filter(|other| !other.contains(NOT_FOR_GPUS));
        place.is_some_and(|place| others.filter_map(|other| other.split_once(ERROR)).any(|(other, _)| other == place))
    };
    let complaint = |line: &str| {
        if line.contains(NOT_FOR_GPUS) && is_followed(line) {
            return None;
        }
        if line.contains(NOT_FOR_GPUS) {
            let what = if line.contains("host variable") { "variable" } else { "function" };
            return Some(format!("a {what} for the host{}", place(line)));
        }
        let (_, header) = line.split_once(MISSING_HEADER)?;
        let (header, _) = header.split_once('"')?;
        is_of_host(header).then(|| format!("#include <{header}>{}", place(line)))
    };
    log.lines().find_map(complaint)
}

/// `k.cu(2): error: ...` to the line, in words.
fn place(line: &str) -> String {
    let number = line.split_once("): ").and_then(|(before, _)| before.rsplit_once('(')).map(|(_, number)| number);
    let is_number = |number: &&str| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    number.filter(is_number).map(|number| format!(" (line {number})")).unwrap_or_default()
}

/// The first thing in a source that only a compiler for the host takes, in words behind "has"; none where the source tells NVRTC what to leave out.
pub(super) fn in_source(source: &str) -> Option<String> {
    if source.contains("__CUDACC_RTC__") {
        return None;
    }
    let of_host = |line: &str| {
        let line = line.split("//").next().unwrap_or_default().trim();
        let header = line.strip_prefix("#include").map(str::trim).and_then(|own| own.strip_prefix('<'));
        if let Some(header) = header.and_then(|own| own.strip_suffix('>')) {
            return is_of_host(header).then(|| format!("#include <{header}>"));
        }
        let is_main = line
            .split_once("main")
            .is_some_and(|(before, behind)| before.trim_end().ends_with("int") && behind.trim_start().starts_with('('));
        is_main.then(|| "`main`".to_owned())
    };
    let mut lines = source.lines().enumerate();
    lines.find_map(|(index, line)| Some(format!("{} (line {})", of_host(line)?, index + 1)))
}

/// Whether a header is of the host's C or C++.
fn is_of_host(header: &str) -> bool {
    HEADERS_OF_C.contains(&header) || header.chars().all(|own| own.is_ascii_alphanumeric() || own == '_')
}

/// What to do where there is no nvcc.
pub(super) fn help(what: &str) -> String {
    format!(
        "  the file has {what}, and NVRTC compiles code for the GPU alone: put the kernel into a file of its own, write \
         `#ifndef __CUDACC_RTC__` before the code for the host and `#endif` behind it, or install nvcc, which takes both \
         (the CUDA toolkit, or `{}`)",
        advice::NVCC_WHEELS
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The logs are those of NVRTC 13.0.
    #[test]
    fn code_for_the_host_is_known_by_what_nvrtc_says() {
        let unmarked = "host.cu(2): error: A function without execution space annotations (__host__/__device__/__global__) is considered a host \
                        function, and host functions are not allowed in JIT mode. Consider using -default-device flag";
        let marked =
            "k.cu(12): error: A function explicitly marked as a __host__ function is not allowed in JIT mode\n";
        let header =
            |name: &str| format!("a (b).cu(1): catastrophic error: cannot open source file \"{name}\"\n  #include\n");
        let variable = "k.cu(3): error: A namespace scope variable without memory space annotations (__device__/__constant__/__shared__/__managed__) is \
                        considered a host variable, and host variables are not allowed in JIT mode. Consider using -default-device flag";
        for (log, what) in [
            (variable.to_owned(), "a variable for the host (line 3)"),
            (unmarked.to_owned(), "a function for the host (line 2)"),
            (marked.to_owned(), "a function for the host (line 12)"),
            (header("iostream"), "#include <iostream> (line 1)"),
            (header("stdio.h"), "#include <stdio.h> (line 1)"),
        ] {
            assert_eq!(found(&log).as_deref(), Some(what), "{log}");
        }
        let of_a_mistake = format!("host.cu(2): error: expected an expression\n  int x = ;\n          ^\n\n{unmarked}");
        assert_eq!(found(&of_a_mistake), None);
        for log in
            [header("cooperative_groups.h"), header("cub/cub.cuh"), header("helper.h"), "k.cu(2): error: x".to_owned()]
        {
            assert_eq!(found(&log), None, "{log}");
        }
    }
}
