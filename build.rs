//! Turns `cuda/*.cu` into PTX for the library to embed, and packs the reference runs (`build/reference_runs.rs`).
//!
//! With nvcc the sources are compiled; without it the committed snapshot in `cuda/ptx/` is taken, so that a
//! Rust toolchain and a C linker are enough to build. Environment:
//!
//! - `APBENCH_NVCC`: path of the compiler, or `none` for the snapshot even where there is one; otherwise it is
//!   looked for in `CUDA_HOME`, `CUDA_PATH` and `PATH`;
//! - `APBENCH_CUDA_TARGET`: the virtual architecture, `compute_75` unless given;
//! - `APBENCH_WRITE_PTX_SNAPSHOT=1`: also writes the snapshot, what ptxas says of its kernels, and its manifest (needs nvcc
//!   with ptxas beside it).
//!
//! nvcc asks for drivers as new as itself and for the target that it was told. What a driver and a GPU must have is decided by the
//! instructions: the kernels of `NAME.cu` are written into modules `NAME.sm_70.ptx`, `NAME.sm_80.ptx` ... with the lowest PTX version and
//! target, from Volta on, that theirs need (crate `ptx-requirements`); where modules of one target differ in the version, those
//! with a higher one are `NAME.ptx_81.sm_90.ptx`, here of PTX 8.1. For older GPUs, whose threads are scheduled otherwise, kernels
//! that need nothing of Volta's are in modules `NAME.sm_52.ptx` ... besides, which are not in the snapshot: they differ in their
//! headers. A source that mentions `BEFORE_VOLTA` is compiled with that macro, too; kernels that need less then are a module
//! `NAME.before_volta.sm_52.ptx`.
//!
//! `registers.csv` is always the snapshot's: it takes ptxas to make, for one architecture after another.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use ptx_requirements::{Level, Part, split, split_some};
use ptx_syntax::Item;
use sha2::{Digest, Sha256};

#[path = "build/reference_runs.rs"]
mod reference_runs;

const DEFAULT_TARGET: &str = "compute_75";
/// The target of kernels that need no other, and the PTX version up to which a kernel needs no module of its own: that of the
/// drivers of 2021.
const FLOOR: Level = Level::new((7, 4), 70);
/// The same for GPUs before Volta.
const OLD_FLOOR: Level = Level::new((7, 4), 52);
/// The macro of sources that have another way for older GPUs.
const FALLBACK: &str = "BEFORE_VOLTA";
const MANIFEST: &str = "manifest.toml";
/// What a thread and a block of every kernel take of a multiprocessor, by architecture.
const REGISTERS: &str = "registers.csv";
const REGISTERS_HEADER: &str = "kernel,architecture,registers,static_shared_bytes,local_bytes,spill_bytes\n";
/// Those among them that ptxas knows are in the table.
const ARCHITECTURES: [&str; 7] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"];

fn main() {
    for variable in
        ["APBENCH_NVCC", "APBENCH_CUDA_TARGET", "APBENCH_WRITE_PTX_SNAPSHOT", "CUDA_HOME", "CUDA_PATH", "PATH"]
    {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rerun-if-changed=cuda");
    for step in [embed_kernels, embed_runs] {
        if let Err(problem) = step() {
            println!("cargo::error={problem}");
        }
    }
}

fn embed_runs() -> Result<(), String> {
    let (repository, output) = (variable("CARGO_MANIFEST_DIR")?, variable("OUT_DIR")?);
    reference_runs::pack(Path::new(&repository), Path::new(&output))
}

fn embed_kernels() -> Result<(), String> {
    let sources = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("cuda");
    let snapshot = sources.join("ptx");
    let output = PathBuf::from(variable("OUT_DIR")?);
    let write_snapshot = env::var("APBENCH_WRITE_PTX_SNAPSHOT").is_ok_and(|value| value == "1");

    let attempt = find_nvcc().map(|nvcc| compile_all(&nvcc, &sources, &output).map(|provenance| (nvcc, provenance)));
    let (compiler, target) = match attempt {
        Some(Ok((nvcc, provenance))) => {
            if write_snapshot {
                save_snapshot(&nvcc, &provenance, &sources, &output)?;
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
    let registers = snapshot.join(REGISTERS);
    let registers = fs::read_to_string(registers).unwrap_or_else(|_| REGISTERS_HEADER.to_owned());
    fs::write(output.join(REGISTERS), registers).map_err(|error| format!("{REGISTERS}: {error}"))?;
    write_old(&output)?;
    list_kernels(&sources, &output)?;
    println!("cargo::rustc-env=APBENCH_PTX_COMPILER={compiler}");
    println!("cargo::rustc-env=APBENCH_PTX_TARGET={target}");
    Ok(())
}

/// Writes the list of all modules in `output`, as a block of Rust: an array of names and arrays, those of `NAME.cu` together. Each array
/// of modules is a `static`, which the program has once; of unnamed values, it has a copy wherever a constant leads to them.
fn list_kernels(sources: &Path, output: &Path) -> Result<(), String> {
    let (mut statics, mut list) = (String::new(), String::new());
    for source in files_with_extension(sources, &["cu"])? {
        let name = name_of(&source);
        let own = name.to_uppercase();
        let modules = modules_of(&name, output)?;
        list += &format!("    (\"{name}\", &{own}),\n");
        statics += &format!("static {own}: [Module; {}] = [\n", modules.len());
        for module in modules {
            let path = module.display();
            let text = fs::read_to_string(&module).map_err(|error| format!("{path}: {error}"))?;
            let read = ptx_syntax::parse(&text).map_err(|errors| format!("{path}: {errors}"))?;
            let number = |target: &String| target.strip_prefix("sm_").and_then(|number| number.parse::<u32>().ok());
            let target = read.target.first().and_then(number).ok_or_else(|| format!("{path}: no target sm_NN"))?;
            let kernels: Vec<_> = read.items.iter().filter_map(kernel_name).collect();
            statics += &format!(
                "    Module {{ name: {:?}, version: {:?}, capability: ({}, {}), kernels: &{kernels:?}, \
                 text: include_str!(concat!(env!(\"OUT_DIR\"), \"/{}\")) }},\n",
                name_of(&module),
                read.version,
                target / 10,
                target % 10,
                file_name(&module)
            );
        }
        statics += "];\n";
    }
    let block = format!("{{\n{statics}&[\n{list}]\n}}\n");
    fs::write(output.join("kernels.rs"), block).map_err(|error| format!("kernels.rs: {error}"))
}

fn kernel_name(item: &Item) -> Option<&str> {
    match item {
        Item::Function(function) if function.entry => Some(&function.name),
        _ => None,
    }
}

/// The modules of `NAME.cu` in a folder.
fn modules_of(name: &str, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let start = format!("{name}.");
    let all = files_with_extension(folder, &["ptx"])?;
    Ok(all.into_iter().filter(|path| file_name(path).starts_with(&start)).collect())
}

fn name_of(source: &Path) -> String {
    source.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
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
    for stale in files_with_extension(output, &["ptx"])? {
        fs::remove_file(&stale).map_err(|error| format!("{}: {error}", stale.display()))?;
    }
    for source in files_with_extension(sources, &["cu"])? {
        let name = name_of(&source);
        let compiled = compile(nvcc, &source, &target, &[], output)?;
        let parted = |error| format!("{}, compiled: {error}", source.display());
        let mut targets = BTreeSet::new();
        for part in &split(&compiled, FLOOR).map_err(parted)? {
            // Of those with one target the first needs the lowest PTX version.
            let (major, minor) = part.level.version;
            let name =
                if targets.insert(part.level.target) { name.clone() } else { format!("{name}.ptx_{major}{minor}") };
            write_part(part, &name, output)?;
        }
        let text = fs::read_to_string(&source).map_err(|error| format!("{}: {error}", source.display()))?;
        if text.contains(FALLBACK) {
            let parts = split(&compiled, OLD_FLOOR).map_err(parted)?;
            let compiled = compile(nvcc, &source, &target, &["-D", FALLBACK], output)?;
            let fallback = split(&compiled, OLD_FLOOR).map_err(parted)?;
            let target = |parts: &[Part], kernel: &str| {
                let has_it = |part: &&Part| part.kernels.iter().any(|own| own == kernel);
                parts.iter().find(has_it).map(|part| part.level.target)
            };
            let needs_less = |kernel: &str| target(&fallback, kernel) < target(&parts, kernel);
            for part in &split_some(&compiled, OLD_FLOOR, needs_less).map_err(parted)? {
                write_part(part, &format!("{name}.before_volta"), output)?;
            }
        }
    }
    let version = Command::new(nvcc).arg("--version").output().map_err(|error| error.to_string())?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let number =
        version.split(" V").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or("of unknown version");
    Ok((format!("nvcc {number}"), target))
}

fn save_snapshot(
    nvcc: &Path,
    (compiler, target): &(String, String),
    sources: &Path,
    output: &Path,
) -> Result<(), String> {
    let snapshot = &sources.join("ptx");
    fs::create_dir_all(snapshot).map_err(|error| format!("{}: {error}", snapshot.display()))?;
    for stale in files_with_extension(snapshot, &["ptx"])? {
        fs::remove_file(&stale).map_err(|error| format!("{}: {error}", stale.display()))?;
    }
    for module in files_with_extension(output, &["ptx"])? {
        fs::copy(&module, snapshot.join(file_name(&module)))
            .map_err(|error| format!("{}: {error}", snapshot.display()))?;
    }
    save_registers(nvcc, snapshot, output)?;
    let mut manifest = format!(
        "# Written by the build script: APBENCH_WRITE_PTX_SNAPSHOT=1 cargo build\n\
         compiler = \"{compiler}\"\ntarget = \"{target}\"\n"
    );
    let sections = [
        ("source_sha256", hashes(sources, &["cu", "cuh"])?),
        ("ptx_sha256", hashes(snapshot, &["ptx"])?),
        ("registers_sha256", hashes(snapshot, &["csv"])?),
    ];
    for (section, entries) in sections {
        manifest += &format!("\n[{section}]\n");
        for (file, hash) in entries {
            manifest += &format!("\"{file}\" = \"{hash}\"\n");
        }
    }
    fs::write(snapshot.join(MANIFEST), manifest).map_err(|error| format!("{}: {error}", snapshot.display()))
}

fn write_part(part: &Part, name: &str, folder: &Path) -> Result<(), String> {
    let path = folder.join(format!("{name}.sm_{}.ptx", part.level.target));
    fs::write(&path, &part.text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes modules for GPUs before Volta beside those in `output`: of the kernels that need nothing of Volta's.
fn write_old(output: &Path) -> Result<(), String> {
    for module in files_with_extension(output, &["ptx"])? {
        let path = module.display();
        let text = fs::read_to_string(&module).map_err(|error| format!("{path}: {error}"))?;
        let name = file_name(&module);
        let parts = split(&text, OLD_FLOOR).map_err(|error| format!("{path}: {error}"))?;
        let is_fallback = name.contains(".before_volta.");
        for part in parts.iter().filter(|part| part.level.target < FLOOR.target && !is_fallback) {
            write_part(part, name.split('.').next().unwrap_or_default(), output)?;
        }
    }
    Ok(())
}

/// Compiles a source to PTX.
fn compile(nvcc: &Path, source: &Path, target: &str, macros: &[&str], output: &Path) -> Result<String, String> {
    let compiled = output.join("compiled.txt");
    let result = Command::new(nvcc)
        .args(["-ptx", "-std=c++17", "-arch", target])
        .args(macros)
        .arg("-o")
        .args([&compiled, source])
        .output()
        .map_err(|error| format!("{} could not be run: {error}", nvcc.display()))?;
    if !result.status.success() {
        return Err(format!("{}: {}", source.display(), String::from_utf8_lossy(&result.stderr)));
    }
    fs::read_to_string(&compiled).map_err(|error| format!("{}: {error}", compiled.display()))
}

/// Writes what ptxas says of the snapshot's kernels, for every architecture of the list that it knows.
fn save_registers(nvcc: &Path, snapshot: &Path, output: &Path) -> Result<(), String> {
    let known = Command::new(nvcc).arg("--list-gpu-code").output().map_err(|error| error.to_string())?;
    let known = String::from_utf8_lossy(&known.stdout).into_owned();
    let ptxas = nvcc.with_file_name(format!("ptxas{}", env::consts::EXE_SUFFIX));
    let mut table = REGISTERS_HEADER.to_owned();
    // What is only for GPUs before Volta is for none of the architectures.
    let modules = files_with_extension(snapshot, &["ptx"])?;
    for ptx in modules.into_iter().filter(|path| !file_name(path).contains(".before_volta.")) {
        let target = file_name(&ptx).rsplit('.').nth(1).map_or(0, architecture_number);
        let is_wanted =
            |own: &&str| architecture_number(own) >= target && known.split_whitespace().any(|word| word == *own);
        for architecture in ARCHITECTURES.into_iter().filter(is_wanted) {
            let result = Command::new(&ptxas)
                .args(["-v", "-arch", architecture, "-o"])
                .arg(output.join("registers.cubin"))
                .arg(&ptx)
                .output()
                .map_err(|error| format!("{} could not be run: {error}", ptxas.display()))?;
            let said = String::from_utf8_lossy(&result.stderr) + String::from_utf8_lossy(&result.stdout);
            if !result.status.success() {
                return Err(format!("{} for {architecture}: {said}", ptx.display()));
            }
            for row in registers_rows(&said, architecture) {
                table += &row;
            }
        }
    }
    fs::write(snapshot.join(REGISTERS), table).map_err(|error| format!("{REGISTERS}: {error}"))
}

/// The number of `sm_NN`; 0 of anything else.
fn architecture_number(name: &str) -> u32 {
    name.strip_prefix("sm_").and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The rows of the kernels that `ptxas -v` speaks of.
fn registers_rows(said: &str, architecture: &str) -> Vec<String> {
    // "0 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads", "Used 32 registers, used 1 barriers, 1024 bytes smem".
    let number = |line: &str, words: &str| {
        let before = line.split(words).next().filter(|_| line.contains(words))?;
        before.split_whitespace().last()?.parse::<u64>().ok()
    };
    let mut rows = Vec::new();
    let (mut kernel, mut about, mut local, mut spilled) = ("", "", 0, 0);
    for line in said.lines() {
        let quoted = line.split('\'').nth(1);
        if let (true, Some(name)) = (line.contains("Compiling entry function"), quoted) {
            (kernel, local, spilled) = (name, 0, 0);
        } else if let Some((_, name)) = line.split_once("Function properties for ") {
            about = name.trim();
        } else if let Some(bytes) = number(line, " bytes stack frame").filter(|_| about == kernel) {
            local = bytes;
            spilled =
                number(line, " bytes spill stores").unwrap_or(0) + number(line, " bytes spill loads").unwrap_or(0);
        } else if let Some(registers) = number(line, " registers").filter(|_| line.contains("Used ")) {
            let shared = number(line, " bytes smem").unwrap_or(0);
            rows.push(format!("{kernel},{architecture},{registers},{shared},{local},{spilled}\n"));
        }
    }
    rows.sort();
    rows
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
    for stale in files_with_extension(output, &["ptx"])? {
        fs::remove_file(&stale).map_err(|error| format!("{}: {error}", stale.display()))?;
    }
    for ptx in files_with_extension(snapshot, &["ptx"])? {
        let copy = output.join(file_name(&ptx));
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
        hashes.insert(file_name(&path), hash);
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

fn folders(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    Ok(folders)
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("cargo did not set {name}"))
}
