//! What to do where a compiler does not take a source: other compilers, and the wheels that have what it misses.

use super::host_code::{self, MISSING_HEADER};

/// The wheels for a file with code for the host: nvcc, and what it calls and includes.
pub(super) const NVCC_WHEELS: &str =
    "pip install nvidia-cuda-nvcc nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl nvidia-nvvm";

/// Functions for launches that depend on others: nvcc has them in every file, NVRTC in none without their header.
const OF_DEVICE_RUNTIME: [(&str, &str); 2] = [
    ("cudaGridDependencySynchronize", "griddepcontrol.wait;"),
    ("cudaTriggerProgrammaticLaunchCompletion", "griddepcontrol.launch_dependents;"),
];
/// The header that has them; `cuda_runtime.h` includes it for nvcc alone.
const DEVICE_RUNTIME: &str = "#include <cuda_device_runtime_api.h>";

/// Why nvcc may take a source that NVRTC does not, in words behind the name of the file.
pub(super) fn beyond_nvrtc(log: &str, nvrtc: &str) -> Option<String> {
    let for_host = || host_code::found(log).map(|what| format!("has {what}, which {nvrtc} does not take"));
    let header = || missing_header(log).map(|header| format!("includes {header}, which {nvrtc} does not find"));
    let function = || {
        let (name, _) = undefined(log).next()?;
        Some(format!("calls {name}, which {nvrtc} has only behind {DEVICE_RUNTIME}"))
    };
    for_host().or_else(header).or_else(function)
}

/// What to do about what NVRTC says, where nvcc cannot be asked.
pub(super) fn of_nvrtc(log: &str) -> Option<String> {
    if let Some(what) = host_code::found(log) {
        return Some(host_code::help(&what));
    }
    let functions: Vec<(&str, &str)> = undefined(log).collect();
    if functions.is_empty() {
        return of_headers(log);
    }
    let written: Vec<String> =
        functions.iter().map(|(name, ptx)| format!("`asm volatile(\"{ptx}\" ::: \"memory\")` is {name}")).collect();
    Some(format!(
        "  write `{DEVICE_RUNTIME}`: nvcc includes that header by itself, NVRTC does not, not even by cuda_runtime.h; {}",
        written.join(", ")
    ))
}

/// What to do about what nvcc says where a part of it is missing.
pub(super) fn of_nvcc(log: &str) -> Option<String> {
    // As a shell says it of the program that nvcc calls.
    let lacks_cicc = log.lines().any(|line| line.contains("cicc: ") && line.ends_with("not found"));
    let cicc =
        "  cicc comes with the CUDA toolkit, or with `pip install nvidia-nvvm` in the same Python environment as nvcc";
    if lacks_cicc { Some(cicc.to_owned()) } else { of_headers(log) }
}

/// The wheel of the header of CUDA that a compiler does not find.
fn of_headers(log: &str) -> Option<String> {
    let header = missing_header(log)?;
    let wheel = wheel(header)?;
    Some(format!(
        "  {header} comes with the CUDA toolkit, or with `pip install {wheel}` in the same Python environment as the compiler"
    ))
}

/// The first header that a compiler does not find.
fn missing_header(log: &str) -> Option<&str> {
    /// What compilers of the host say.
    const MISSING_FOR_HOST: (&str, &str) = ("fatal error: ", ": No such file or directory");
    log.lines().find_map(|line| match line.split_once(MISSING_HEADER) {
        Some((_, header)) => header.split_once('"').map(|(header, _)| header),
        None => line.split_once(MISSING_FOR_HOST.0)?.1.strip_suffix(MISSING_FOR_HOST.1),
    })
}

/// The wheel that has a header of CUDA; none for other headers.
fn wheel(header: &str) -> Option<&'static str> {
    /// Headers of the runtime's wheel whose name does not begin with `cuda`.
    const OF_RUNTIME: [&str; 6] = [
        "cooperative_groups",
        "mma.h",
        "math_constants.h",
        "vector_types.h",
        "device_launch_parameters.h",
        "driver_types.h",
    ];
    let is_in = |folders: &[&str]| folders.iter().any(|folder| header.starts_with(folder));
    if is_in(&["cuda/", "cub/", "thrust/", "nv/"]) {
        Some("nvidia-cuda-cccl")
    } else if header.starts_with("crt/") {
        Some("nvidia-cuda-crt")
    } else {
        let is_of_runtime = is_in(&OF_RUNTIME) || (header.starts_with("cuda") && !header.contains('/'));
        is_of_runtime.then_some("nvidia-cuda-runtime")
    }
}

/// The functions of the device's runtime that a compiler does not know, each with the PTX that it is.
fn undefined(log: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    OF_DEVICE_RUNTIME.into_iter().filter(|(name, _)| log.contains(&format!("identifier \"{name}\" is undefined")))
}

/// What to get where there is no compiler for a source.
pub(super) fn to_get_one(source: &str) -> String {
    match host_code::in_source(source) {
        Some(what) => format!(
            "install the CUDA toolkit, or `{NVCC_WHEELS}` in the active Python environment, as the file has {what}, which NVRTC alone does not take; or name \
             an nvcc with APBENCH_NVCC=/path/nvcc"
        ),
        None => "install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc` in the active Python environment, or name one with \
                 APBENCH_NVRTC=/path/libnvrtc.so or APBENCH_NVCC=/path/nvcc"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(header: &str) -> String {
        format!("k.cu(1): catastrophic error: cannot open source file \"{header}\"\n  #include <{header}>")
    }

    #[test]
    fn a_header_that_is_missing_is_told_with_its_wheel() {
        for (header, wheel) in [
            ("cuda/std/type_traits", "nvidia-cuda-cccl"),
            ("cub/cub.cuh", "nvidia-cuda-cccl"),
            ("crt/host_defines.h", "nvidia-cuda-crt"),
            ("cooperative_groups/reduce.h", "nvidia-cuda-runtime"),
            ("cuda_fp16.h", "nvidia-cuda-runtime"),
        ] {
            let help = of_nvrtc(&missing(header)).unwrap();
            assert!(help.contains(&format!("{header} comes with")) && help.contains(&format!("`pip install {wheel}`")));
        }
        assert_eq!(of_nvrtc(&missing("helper.h")), None, "a header of the user's is in no wheel");
        let of_host = "k.cu:1:10: fatal error: crt/host_config.h: No such file or directory";
        assert!(of_nvcc(of_host).unwrap().contains("nvidia-cuda-crt"));
        assert!(of_nvcc("sh: 1: bin/../nvvm/bin/cicc: not found").unwrap().contains("nvidia-nvvm"));
        assert_eq!(of_nvcc("k.cu(2): error: x"), None);
    }

    #[test]
    fn nvcc_is_asked_for_what_nvrtc_does_not_find_or_take() {
        let reason = |log: &str| beyond_nvrtc(log, "NVRTC 13.0");
        assert_eq!(
            reason(&missing("stdio.h")).unwrap(),
            "has #include <stdio.h> (line 1), which NVRTC 13.0 does not take"
        );
        let header = "includes cuda/std/type_traits, which NVRTC 13.0 does not find";
        assert_eq!(reason(&missing("cuda/std/type_traits")).unwrap(), header);
        assert_eq!(reason("k.cu(2): error: identifier \"x\" is undefined"), None);
    }

    /// What NVRTC 13.5 says.
    #[test]
    fn functions_of_dependent_launches_are_told_with_their_header() {
        let log = "k.cu(1): error: identifier \"cudaGridDependencySynchronize\" is undefined";
        let help = of_nvrtc(log).unwrap();
        assert!(help.contains("#include <cuda_device_runtime_api.h>") && help.contains("griddepcontrol.wait;"));
        assert!(!help.contains("launch_dependents"), "{help}");
        let reason = beyond_nvrtc(log, "NVRTC 13.0").unwrap();
        assert!(reason.starts_with("calls cudaGridDependencySynchronize, which NVRTC 13.0 has only"), "{reason}");
    }

    #[test]
    fn a_file_with_code_for_the_host_needs_nvcc_from_the_start() {
        let kernel = "__global__ void k(int* x) { x[threadIdx.x] = 1; }\n";
        assert!(to_get_one(kernel).contains("nvidia-cuda-nvrtc"));
        let told = to_get_one(&format!("{kernel}int main() {{ k<<<1, 32>>>(nullptr); }}\n"));
        assert!(told.contains("nvidia-cuda-nvcc") && !told.contains("nvidia-cuda-nvrtc"), "{told}");
        assert!(told.contains("the file has `main` (line 2)"), "{told}");
    }
}
