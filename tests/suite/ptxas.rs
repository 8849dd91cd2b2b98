//! NVIDIA's assembler takes every module, of four toolkits, and no module would be taken with a lower header.
//!
//! `tests/ptx/fetch-ptxas.sh` fetches the assemblers into `target/ptxas`; where they are not, nothing is assembled, which the test says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use apbench::family::FAMILIES;
use apbench::kernel::{GENERATIONS, HARNESS, Module, Ptx, TOOLKITS};
use ptx_requirements::Release;
use rayon::prelude::*;
use tempfile::TempDir;

use crate::common::is_exhaustive;

/// The oldest architecture that the assembler of each toolkit knows.
const OLDEST: [u32; 4] = [35, 50, 50, 75];

fn modules() -> Vec<&'static Module> {
    let families = FAMILIES.iter().map(|family| family.ptx);
    families.chain([HARNESS]).flat_map(Ptx::modules).collect()
}

/// The assemblers, or none where one is missing.
fn assemblers() -> Option<Vec<(PathBuf, u32)>> {
    let folder = std::env::var_os("APBENCH_PTXAS_FOLDER")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target/ptxas"), PathBuf::from);
    let path = |version: &str| folder.join(version).join("ptxas");
    let all: Vec<_> = TOOLKITS.map(path).into_iter().zip(OLDEST).collect();
    let missing: Vec<_> = all.iter().filter(|(path, _)| !path.is_file()).collect();
    if missing.is_empty() {
        return Some(all);
    }
    println!("nothing is assembled: {} is not there; tests/ptx/fetch-ptxas.sh fetches it", missing[0].0.display());
    assert!(std::env::var_os("APBENCH_PTXAS_FOLDER").is_none(), "APBENCH_PTXAS_FOLDER is set, so all are expected");
    None
}

/// What the assembler says of a text that it does not take. Nothing is optimised: that takes long and changes no answer.
fn assemble(assembler: &Path, architecture: u32, text: &str) -> Result<(), String> {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("kernels.ptx");
    fs::write(&file, text).unwrap();
    let output = Command::new(assembler)
        .args(["--opt-level", "0", "--gpu-name", &format!("sm_{architecture}"), "--output-file"])
        .arg(folder.path().join("kernels.cubin"))
        .arg(&file)
        .output()
        .unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Whether the assembler of a toolkit knows the module's PTX version.
fn knows(toolkit: &str, module: &Module) -> bool {
    let number = |part: &str| part.parse::<u32>().unwrap();
    let (major, minor) = toolkit.split_once('.').map(|(major, minor)| (number(major), number(minor))).unwrap();
    Release::of_ptx(module.version).is_some_and(|release| release.cuda <= (major, minor))
}

fn target_of(module: &Module) -> u32 {
    module.capability.0 * 10 + module.capability.1
}

#[test]
fn ptxas_of_every_toolkit_takes_every_module() {
    let Some(assemblers) = assemblers() else { return };
    modules().par_iter().for_each(|module| {
        for ((assembler, oldest), toolkit) in assemblers.iter().zip(TOOLKITS) {
            let taken = assemble(assembler, target_of(module).max(*oldest), module.text);
            assert_eq!(
                taken.is_ok(),
                knows(toolkit, module),
                "{} with {}: {taken:?}",
                module.name,
                assembler.display()
            );
        }
    });
}

/// For every compute capability of each generation; those that do not know it refuse it.
#[test]
fn ptxas_assembles_each_generation_s_modules() {
    let Some(assemblers) = assemblers().filter(|_| is_exhaustive()) else { return };
    let capabilities =
        GENERATIONS.iter().flat_map(|own| own.capabilities.iter().map(move |capability| (own, *capability)));
    let cases: Vec<_> =
        capabilities.flat_map(|own| TOOLKITS.iter().zip(&assemblers).map(move |with| (own, with))).collect();
    cases.into_par_iter().for_each(|((generation, capability), (toolkit, (assembler, _)))| {
        let sources = FAMILIES.iter().map(|family| family.ptx).chain([HARNESS]);
        for module in
            sources.flat_map(|ptx| ptx.modules_of(capability)).filter(|module| module.capability <= capability)
        {
            let taken = assemble(assembler, capability.0 * 10 + capability.1, module.text);
            let is_known = generation.assembled_by.contains(toolkit) && knows(toolkit, module);
            assert_eq!(taken.is_ok(), is_known, "{} for {capability:?} with {toolkit}: {taken:?}", module.name);
        }
    });
}

/// A version lower and a target lower, each where the header asks for more than all modules do.
#[test]
fn ptxas_takes_no_module_with_a_lower_header() {
    let Some(assemblers) = assemblers() else { return };
    // An assembler does not know what a function is that the driver has; this one came with CUDA 12.3.
    let is_told = |module: &&&Module| module.kernels != ["launch_overlap_conditional_step"];
    modules().par_iter().filter(is_told).for_each(|module| {
        let known = assemblers.iter().zip(TOOLKITS).find(|(_, toolkit)| knows(toolkit, module));
        let ((assembler, oldest), _) = known.unwrap_or_else(|| panic!("no toolkit knows {}", module.name));
        let (major, minor) = module.version;
        let target = target_of(module);
        let refused = |old: &str, new: &str| {
            let text = module.text.replacen(old, new, 1);
            assert_ne!(text, module.text);
            let refusal = assemble(assembler, target.max(*oldest), &text).expect_err(module.name);
            let is_by_header = refusal.contains("requires") || refusal.contains("does not support .target");
            assert!(is_by_header, "{}: {refusal}", module.name);
        };
        let lower = Release::all().rev().find(|release| release.ptx < module.version);
        let (lower_major, lower_minor) = lower.map_or((4, 0), |release| release.ptx);
        refused(&format!(".version {major}.{minor}"), &format!(".version {lower_major}.{lower_minor}"));
        if module.kernels.iter().any(|kernel| only_here(module, kernel)) && target > 52 {
            let lower = if target > 61 { 61 } else { 52 };
            refused(&format!(".target sm_{target}"), &format!(".target sm_{lower}"));
        }
    });
}

/// Whether no module for older GPUs has the kernel.
fn only_here(module: &Module, kernel: &str) -> bool {
    !modules()
        .iter()
        .any(|own| own.capability < module.capability && own.kernels.contains(&kernel) && !is_fallback(own))
}

fn is_fallback(module: &Module) -> bool {
    module.name.contains(".before_volta.")
}
