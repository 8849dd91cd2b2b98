//! No text is a panic as the options of `apbench diagnose` for a kernel's file: blocks and threads on the first two lines, an argument on each
//! of the others.

#![no_main]

use std::path::Path;

use apbench::family::Request;
use apbench::properties::Properties;
use apbench::scenario::{KernelFile, Scenario};
use apbench::user_kernel::{Built, Compiled};
use gpu_simulator::profile::Profile;
use libfuzzer_sys::fuzz_target;
use located_toml::ReportStyle;

/// Families of kernels live as long as the program, which leak detection would take for a mistake.
#[unsafe(no_mangle)]
extern "C" fn __asan_default_options() -> *const std::ffi::c_char {
    c"detect_leaks=0".as_ptr()
}

/// A kernel with a structure, a half, numbers of 8 and 16 bits, and an address.
const PTX: &str = include_str!("../../kernels/structures.ptx");

/// Workloads that take more memory are not built.
const BYTES_MOST: u64 = 1 << 16;

fuzz_target!(|text: &str| {
    let mut lines = text.lines();
    let (grid, block) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let arguments: Vec<String> = lines.map(str::to_owned).collect();
    let path = Path::new("structures.ptx");
    let file = KernelFile { path, entry: "scale", grid, block, shared_bytes: None, arguments: &arguments, names: &[] };
    let scenario = match Scenario::of_kernel_file(&file, &[], 1) {
        Ok(scenario) => scenario,
        Err(wrong) => return assert!(!wrong.errors.report(ReportStyle::Plain, 60).is_empty()),
    };
    let kernel = scenario.kernel.expect("a kernel's file is a kernel");
    let device = Properties::simulated(&Profile::load("h200").expect("an embedded profile"));
    let points = match scenario.points(&device) {
        Ok(points) => points,
        Err(errors) => return assert!(!errors.report(ReportStyle::Plain, 60).is_empty()),
    };
    let named = points.iter().map(|point| (point.variant.name, &point.parameters));
    let built = |(defines, _)| Built::new(defines, PTX.to_owned());
    let compiled = Compiled {
        compiler: String::new(),
        target: String::new(),
        source_name: "structures.ptx".to_owned(),
        source: PTX.to_owned(),
        modules: kernel.needs(named).into_iter().map(built).collect(),
        files: Vec::new(),
    };
    assert!(scenario.load_kernel(&compiled).is_ok());
    if let Err(errors) = scenario.check_kernel(&points, &[]) {
        return assert!(!errors.report(ReportStyle::Plain, 60).is_empty());
    }
    for point in &points {
        let bytes = scenario.family.device_bytes(&point.parameters).expect("the point was checked");
        if bytes <= BYTES_MOST {
            let request = Request { variant: point.variant.name, parameters: &point.parameters, device: &device, seed: 1 };
            let _ = scenario.family.workload(&request);
        }
    }
});
