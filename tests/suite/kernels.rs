//! The compiled kernels that come with the program are those of the sources.

use std::path::{Path, PathBuf};

use apbench::kernel;

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda")
}

#[test]
fn the_snapshot_is_what_the_sources_compile_to() {
    #[derive(serde::Deserialize)]
    struct Manifest {
        compiler: String,
        target: String,
        source_sha256: std::collections::BTreeMap<String, String>,
        ptx_sha256: std::collections::BTreeMap<String, String>,
        registers_sha256: std::collections::BTreeMap<String, String>,
    }
    let hashes = |folder: &Path, extensions: &[&str]| {
        let mut hashes = std::collections::BTreeMap::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|own| extensions.iter().any(|wanted| own == *wanted)) {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                hashes.insert(name, kernel::sha256(&std::fs::read(&path).unwrap()));
            }
        }
        hashes
    };
    let snapshot = sources().join("ptx");
    let manifest: Manifest = toml::from_str(&std::fs::read_to_string(snapshot.join("manifest.toml")).unwrap()).unwrap();
    let remedy = "rebuild it where there is an nvcc: APBENCH_WRITE_PTX_SNAPSHOT=1 cargo build";
    assert_eq!(manifest.source_sha256, hashes(&sources(), &["cu", "cuh"]), "cuda/ptx is out of date; {remedy}");
    assert_eq!(manifest.ptx_sha256, hashes(&snapshot, &["ptx"]), "cuda/ptx was edited by hand; {remedy}");
    let registers = hashes(&snapshot, &["csv"]);
    assert_eq!(registers.keys().collect::<Vec<_>>(), ["registers.csv"]);
    assert_eq!(manifest.registers_sha256, registers, "registers.csv was edited by hand; {remedy}");
    assert!(manifest.compiler.starts_with("nvcc ") && manifest.target.starts_with("compute_"));
}

#[test]
fn what_ptxas_says_is_there_for_every_kernel() {
    for family in apbench::family::FAMILIES {
        let modules = family.ptx.modules();
        for entry in modules.iter().flat_map(|module| module.kernels) {
            let with_it = modules.iter().filter(|module| module.kernels.contains(entry));
            let since = with_it.map(|module| module.capability).min().unwrap();
            for capability in [(7, 5), (8, 0), (9, 0)] {
                let compiled =
                    kernel::compiled(entry, capability).unwrap_or_else(|| panic!("{entry} is not in the table"));
                assert_eq!(compiled.capability, capability.max(since), "{entry}");
                assert!((1..=255).contains(&compiled.registers), "{entry}: {compiled:?}");
            }
        }
    }
}

#[test]
fn the_program_has_each_module_once() {
    let program = std::fs::read(env!("CARGO_BIN_EXE_apbench")).unwrap();
    let families = apbench::family::FAMILIES.iter().map(|family| family.ptx);
    let modules: Vec<&kernel::Module> = families.chain([kernel::HARNESS]).flat_map(kernel::Ptx::modules).collect();
    // All begin alike, so that one search finds where one may stand.
    let start = &modules[0].text.as_bytes()[..16];
    let starts: Vec<usize> = (0..program.len() - start.len()).filter(|&at| program[at..].starts_with(start)).collect();
    for module in modules {
        let count = starts.iter().filter(|&&at| program[at..].starts_with(module.text.as_bytes())).count();
        assert_eq!(count, 1, "{}", module.name);
    }
}
