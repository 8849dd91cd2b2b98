//! The compiled kernels still contain what they are there to measure, and the snapshot is up to date.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use apbench::kernel;

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda")
}

/// The instructions of one entry point, comments and blank lines left out.
fn entry<'a>(ptx: &'a str, name: &str) -> Vec<&'a str> {
    let start = ptx.find(&format!(".entry {name}(")).unwrap_or_else(|| panic!("no entry {name}"));
    let body = &ptx[start..];
    let end = body.find("\n}").expect("an entry ends");
    body[..end].lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).collect()
}

/// The bodies of loops: from a label to a branch back to it.
fn loops<'a>(instructions: &[&'a str]) -> Vec<Vec<&'a str>> {
    let label_at = |label: &str| instructions.iter().position(|line| *line == format!("{label}:"));
    let mut loops = Vec::new();
    for (end, line) in instructions.iter().enumerate() {
        let target = line.split_whitespace().last().unwrap_or_default().trim_end_matches(';');
        if line.contains("bra")
            && let Some(start) = label_at(target)
            && start < end
        {
            loops.push(instructions[start..end].to_vec());
        }
    }
    loops
}

fn count(instructions: &[&str], opcode: &str) -> usize {
    instructions.iter().filter(|line| line.starts_with(opcode)).count()
}

#[test]
fn each_integer_case_is_a_loop_of_sixteen_multiply_adds_of_its_own() {
    let loops = loops(&entry(kernel::BRANCHING, "branching_compute_integer"));
    assert_eq!(loops.len(), 32);
    let mut constants = HashSet::new();
    for body in &loops {
        assert_eq!(count(body, "mad.lo.u32"), 16, "{body:#?}");
        assert!(body.len() < 16 + 2 * 16 + 8, "bookkeeping drowns the pattern: {body:#?}");
        let of_body: HashSet<&str> = body
            .iter()
            .filter(|line| line.starts_with("mad.lo.u32"))
            .map(|line| line.splitn(3, ',').nth(2).unwrap())
            .collect();
        assert_eq!(of_body.len(), 1, "{body:#?}");
        constants.extend(of_body);
    }
    assert_eq!(constants.len(), 32, "two cases share their constants and may be merged");
}

#[test]
fn each_float_case_is_a_loop_of_sixteen_multiply_adds() {
    let loops = loops(&entry(kernel::BRANCHING, "branching_compute_float"));
    assert_eq!(loops.len(), 32);
    assert!(loops.iter().all(|body| count(body, "fma.rn.f32") == 16));
}

#[test]
fn each_convolution_case_loads_its_neighbourhood_in_every_pass() {
    let instructions = entry(kernel::BRANCHING, "branching_convolution_integer");
    let passes: Vec<_> =
        loops(&instructions).into_iter().filter(|body| count(body, "ld.volatile.shared.u32") > 0).collect();
    assert_eq!(passes.len(), 32);
    assert!(passes.iter().all(|body| count(body, "ld.volatile.shared.u32") == 9));
    let barrier = instructions.iter().position(|line| line.starts_with("bar.sync")).expect("the barrier");
    let first_load = instructions.iter().position(|line| line.starts_with("ld.volatile.shared")).unwrap();
    let last_store = instructions.iter().rposition(|line| line.starts_with("st.shared")).unwrap();
    assert!(last_store < barrier && barrier < first_load, "the tile is complete before it is read");
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
