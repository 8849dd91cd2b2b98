//! nvcc, as a process.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::ptxas::Ptxas;
use super::target::of_target;
use super::{Task, log};
use crate::toolkit;

/// An nvcc that is here.
pub(super) struct Nvcc {
    path: PathBuf,
    version: String,
}

impl Nvcc {
    /// The one that `APBENCH_NVCC` names; `None` where it names none.
    pub(super) fn named() -> Option<Result<Self, String>> {
        let path = PathBuf::from(env::var_os("APBENCH_NVCC")?);
        let missing = || format!("APBENCH_NVCC names {}, which is no nvcc that runs", path.display());
        Some(Self::at(path.clone()).ok_or_else(missing))
    }

    /// The first of the toolkits, of NVIDIA's wheels and of `PATH`.
    pub(super) fn find() -> Option<Self> {
        let folders = toolkit::toolkits().into_iter().chain(toolkit::wheels()).map(|folder| folder.join("bin"));
        let path = env::var_os("PATH").unwrap_or_default();
        let mut all = folders.chain(env::split_paths(&path)).map(|folder| folder.join("nvcc"));
        all.find_map(|nvcc| nvcc.is_file().then_some(nvcc).and_then(Self::at))
    }

    fn at(path: PathBuf) -> Option<Self> {
        let output = Command::new(&path).arg("--version").output().ok().filter(|output| output.status.success())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text.split_whitespace().find_map(|word| word.strip_prefix('V')).unwrap_or("unknown").to_owned();
        Some(Self { path, version })
    }

    pub(super) fn name(&self) -> String {
        format!("nvcc {}", self.version)
    }

    /// The ptxas beside it.
    pub(super) fn ptxas(&self) -> Option<Ptxas> {
        Ptxas::beside(&self.path)
    }

    /// The numbers of the virtual architectures that it compiles for; none before CUDA 11, whose nvcc does not say.
    pub(super) fn targets(&self) -> Vec<u32> {
        let output = Command::new(&self.path).arg("--list-gpu-arch").output().ok();
        let text = output.filter(|output| output.status.success()).map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&text).split_whitespace().filter_map(of_target).collect()
    }

    /// The PTX of a source, or what nvcc says of it.
    pub(super) fn ptx(&self, task: &Task<'_>) -> Result<String, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.path.display());
        let folder = tempfile::tempdir().map_err(failed)?;
        let mut input = fs::canonicalize(task.path).map_err(failed)?;
        if !task.instances.is_empty() {
            // What the source itself does not ask for is asked for behind it.
            let (before, behind) = log::ASKED_OF_NVCC;
            let asked = task.instances.iter().enumerate();
            let asked = asked.map(|(index, entry)| format!("{before}{index} = &{entry}{behind}\n"));
            let text = format!("#include \"{}\"\n{}", input.display(), asked.collect::<String>());
            input = folder.path().join("instances.cu");
            fs::write(&input, text).map_err(failed)?;
        }
        let output = folder.path().join("module.ptx");
        let run = Command::new(&self.path)
            .args(["-ptx", "-lineinfo", &format!("-arch={}", task.target)])
            .arg("-I")
            .arg(task.folder())
            .args(task.defines.iter().map(|(name, value)| format!("-D{name}={value}")))
            .args(task.options)
            .arg("-o")
            .arg(&output)
            .arg(&input)
            .output()
            .map_err(failed)?;
        if !run.status.success() {
            let said = [run.stderr, run.stdout].map(|text| String::from_utf8_lossy(&text).trim().to_owned()).join("\n");
            let written = Some(&*input).filter(|_| !task.instances.is_empty());
            return Err(log::of_user(said.trim(), task.path, task.source, written));
        }
        fs::read_to_string(&output).map_err(failed)
    }
}
