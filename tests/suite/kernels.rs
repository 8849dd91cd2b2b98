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
    assert!(manifest.compiler.starts_with("nvcc ") && manifest.target.starts_with("compute_"));
}
