//! No text is a panic as a scenario with a kernel of one's own: neither read, nor held against a kernel, nor built into workloads.

#![no_main]

use apbench::family::Request;
use apbench::properties::Properties;
use apbench::scenario::Scenario;
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
/// Kernels with variables in constant memory.
const PTX_WITH_CONSTANTS: &str = include_str!("../../kernels/uneven.ptx");

/// Workloads that take more memory are not built.
const BYTES_MOST: u64 = 1 << 16;

fuzz_target!(|text: &str| {
    let scenario = match Scenario::parse("fuzz.toml", text, &[], 50) {
        Ok(scenario) => scenario,
        Err(errors) => return assert!(!errors.report(ReportStyle::Plain, 60).is_empty()),
    };
    let Some(kernel) = scenario.kernel else { return };
    let device = Properties::simulated(&Profile::load("h200").expect("an embedded profile"));
    let Ok(points) = scenario.points(&device) else { return };
    let named = || points.iter().map(|point| (point.variant.name, &point.parameters));
    let ptx = if text.contains("[constants]") { PTX_WITH_CONSTANTS } else { PTX };
    let built = |(defines, _)| Built::new(defines, ptx.to_owned());
    let compiled = Compiled {
        compiler: String::new(),
        target: String::new(),
        source_name: String::new(),
        source: String::new(),
        modules: kernel.needs(named()).into_iter().map(built).collect(),
        files: Vec::new(),
    };
    assert!(scenario.load_kernel(&compiled).is_ok());
    let _ = kernel.file_uses(points.iter().map(|point| &point.parameters));
    if scenario.check_kernel(&points, &[]).is_err() {
        return;
    }
    for point in points.iter().take(4) {
        let (variant, parameters) = (point.variant.name, &point.parameters);
        if scenario.family.device_bytes(parameters).is_ok_and(|bytes| bytes <= BYTES_MOST) {
            let _ = scenario.family.workload(&Request { variant, parameters, device: &device, seed: 1 });
        }
    }
});
