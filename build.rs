//! Turns `cuda/*.cu` into PTX for the library to embed.
//!
//! With nvcc the sources are compiled; without it the committed snapshot in `cuda/ptx/` is taken, so that a
//! Rust toolchain and a C linker are enough to build. Environment:
//!
//! - `APBENCH_NVCC`: path of the compiler, or `none` for the snapshot even where there is one; otherwise it is
//!   looked for in `CUDA_HOME`, `CUDA_PATH` and `PATH`;
//! - `APBENCH_CUDA_TARGET`: the virtual architecture, `compute_75` unless given;
//! - `APBENCH_WRITE_PTX_SNAPSHOT=1`: also writes the snapshot and its manifest (needs nvcc).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use sha2::{Digest, Sha256};

const DEFAULT_TARGET: &str = "compute_75";
const MANIFEST: &str = "manifest.toml";

fn main() {
    for variable in
        ["APBENCH_NVCC", "APBENCH_CUDA_TARGET", "APBENCH_WRITE_PTX_SNAPSHOT", "CUDA_HOME", "CUDA_PATH", "PATH"]
    {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rerun-if-changed=cuda");
    if let Err(problem) = embed_kernels() {
        println!("cargo::error={problem}");
    }
}

fn embed_kernels() -> Result<(), String> {
    let sources = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("cuda");
    let snapshot = sources.join("ptx");
    let output = PathBuf::from(variable("OUT_DIR")?);
    let write_snapshot = env::var("APBENCH_WRITE_PTX_SNAPSHOT").is_ok_and(|value| value == "1");

    let attempt = find_nvcc().map(|nvcc| compile_all(&nvcc, &sources, &output));
    let (compiler, target) = match attempt {
        Some(Ok(provenance)) => {
            if write_snapshot {
                save_snapshot(&provenance, &sources, &output, &snapshot)?;
            }
            provenance
        }
        Some(Err(problem)) if write_snapshot => return Err(problem),
        None if write_snapshot => return Err("writing the PTX snapshot needs nvcc, and none was found".to_owned()),
        not_compiled => {
            if let Some(Err(problem)) = not_compiled {
                let first_lines = problem.lines().take(3).collect::<Vec<_>>().join(" | ");
                println!("cargo::warning=nvcc failed, the kernels are those of cuda/ptx: {first_lines}");
            }
            take_snapshot(&sources, &snapshot, &output)?
        }
    };
    println!("cargo::rustc-env=APBENCH_PTX_COMPILER={compiler}");
    println!("cargo::rustc-env=APBENCH_PTX_TARGET={target}");
    Ok(())
}

fn find_nvcc() -> Option<PathBuf> {
    if let Ok(choice) = env::var("APBENCH_NVCC") {
        return (choice != "none").then(|| PathBuf::from(choice));
    }
    let toolkits =
        ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(|home| Path::new(&home).join("bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = toolkits.chain(env::split_paths(&path)).collect();
    folders
        .into_iter()
        .map(|folder| folder.join(format!("nvcc{}", env::consts::EXE_SUFFIX)))
        .find(|nvcc| nvcc.is_file())
}

/// Compiles every family into `output`; returns the compiler's name with its version, and the target.
fn compile_all(nvcc: &Path, sources: &Path, output: &Path) -> Result<(String, String), String> {
    let target = env::var("APBENCH_CUDA_TARGET").unwrap_or_else(|_| DEFAULT_TARGET.to_owned());
    for source in files_with_extension(sources, &["cu"])? {
        let ptx = output.join(source.with_extension("ptx").file_name().unwrap_or_default());
        let result = Command::new(nvcc)
            .args(["-ptx", "-std=c++17", "-arch", &target, "-o"])
            .arg(&ptx)
            .arg(&source)
            .output()
            .map_err(|error| format!("{} could not be run: {error}", nvcc.display()))?;
        if !result.status.success() {
            return Err(format!("{}: {}", source.display(), String::from_utf8_lossy(&result.stderr)));
        }
    }
    let version = Command::new(nvcc).arg("--version").output().map_err(|error| error.to_string())?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let number =
        version.split(" V").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or("of unknown version");
    Ok((format!("nvcc {number}"), target))
}

fn save_snapshot(
    (compiler, target): &(String, String),
    sources: &Path,
    output: &Path,
    snapshot: &Path,
) -> Result<(), String> {
    fs::create_dir_all(snapshot).map_err(|error| format!("{}: {error}", snapshot.display()))?;
    for stale in files_with_extension(snapshot, &["ptx"])? {
        fs::remove_file(&stale).map_err(|error| format!("{}: {error}", stale.display()))?;
    }
    for source in files_with_extension(sources, &["cu"])? {
        let name = source.with_extension("ptx").file_name().unwrap_or_default().to_owned();
        fs::copy(output.join(&name), snapshot.join(&name))
            .map_err(|error| format!("{}: {error}", snapshot.display()))?;
    }
    let mut manifest = format!(
        "# Written by the build script: APBENCH_WRITE_PTX_SNAPSHOT=1 cargo build\n\
         compiler = \"{compiler}\"\ntarget = \"{target}\"\n"
    );
    let sections = [("source_sha256", hashes(sources, &["cu", "cuh"])?), ("ptx_sha256", hashes(snapshot, &["ptx"])?)];
    for (section, entries) in sections {
        manifest += &format!("\n[{section}]\n");
        for (file, hash) in entries {
            manifest += &format!("\"{file}\" = \"{hash}\"\n");
        }
    }
    fs::write(snapshot.join(MANIFEST), manifest).map_err(|error| format!("{}: {error}", snapshot.display()))
}

/// Copies the snapshot into `output`; returns the compiler and the target it was made with.
fn take_snapshot(sources: &Path, snapshot: &Path, output: &Path) -> Result<(String, String), String> {
    let manifest_path = snapshot.join(MANIFEST);
    let manifest =
        fs::read_to_string(&manifest_path).map_err(|error| format!("{}: {error}", manifest_path.display()))?;
    for (file, hash) in hashes(sources, &["cu", "cuh"])? {
        if !manifest.contains(&format!("\"{file}\" = \"{hash}\"")) {
            println!(
                "cargo::warning=cuda/{file} is not what cuda/ptx was compiled from, and there is no working nvcc: \
                 the kernels are the snapshot's"
            );
        }
    }
    for ptx in files_with_extension(snapshot, &["ptx"])? {
        let copy = output.join(ptx.file_name().unwrap_or_default());
        fs::copy(&ptx, copy).map_err(|error| format!("{}: {error}", ptx.display()))?;
    }
    let value = |key: &str| {
        let start = format!("{key} = \"");
        let line = manifest.lines().find_map(|line| line.strip_prefix(&start));
        line.map(|rest| rest.trim_end_matches('"').to_owned()).ok_or_else(|| format!("{MANIFEST} has no {key}"))
    };
    Ok((value("compiler")?, value("target")?))
}

fn hashes(folder: &Path, extensions: &[&str]) -> Result<BTreeMap<String, String>, String> {
    let mut hashes = BTreeMap::new();
    for path in files_with_extension(folder, extensions)? {
        let contents = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let hash = Sha256::digest(contents).iter().map(|byte| format!("{byte:02x}")).collect();
        hashes.insert(path.file_name().unwrap_or_default().to_string_lossy().into_owned(), hash);
    }
    Ok(hashes)
}

fn files_with_extension(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|own| extensions.iter().any(|wanted| own == *wanted)))
        .collect();
    files.sort();
    Ok(files)
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("cargo did not set {name}"))
}
