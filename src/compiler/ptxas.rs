//! ptxas, as a process: the registers that it gives the kernels of a module.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::kernel::{Assembled, AssembledKernel};
use crate::user_kernel::Built;

/// How long all modules together may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a process is asked whether it has ended.
const ASKED_EVERY: Duration = Duration::from_millis(2);

/// A ptxas that is here.
pub(super) struct Ptxas {
    path: PathBuf,
    version: String,
}

impl Ptxas {
    /// The one beside this nvcc, or beside the file that it is a link to.
    pub(super) fn beside(nvcc: &Path) -> Option<Self> {
        let search = env::var_os("PATH").unwrap_or_default();
        let is_name_alone = nvcc.parent().is_some_and(|folder| folder.as_os_str().is_empty());
        let found = || env::split_paths(&search).map(|folder| folder.join(nvcc)).find(|path| path.is_file());
        let nvcc = if is_name_alone { found()? } else { nvcc.to_owned() };
        let target = fs::canonicalize(&nvcc).ok();
        let beside = [Some(nvcc), target].into_iter().flatten().map(|path| path.with_file_name("ptxas"));
        beside.filter(|path| path.is_file()).find_map(|path| Self::at(path, Instant::now() + PATIENCE))
    }

    fn at(path: PathBuf, until: Instant) -> Option<Self> {
        let said = said(Command::new(&path).arg("--version"), until)?;
        let version = said.split_whitespace().find_map(|word| word.strip_prefix('V'))?.to_owned();
        Some(Self { path, version })
    }

    /// The modules with the registers of their kernels on a GPU of this compute capability. If ptxas does not take one of them, or takes long, those of
    /// none are known: times of one run have their registers from one place.
    pub(super) fn assemble(&self, modules: Vec<Built>, target: &str, capability: (u32, u32)) -> Vec<Built> {
        let until = Instant::now() + PATIENCE;
        let architecture = architecture(target, capability);
        let all = modules.par_iter().map(|module| self.assembled(&module.ptx, &architecture, capability, until));
        let Some(all) = all.collect::<Option<Vec<Assembled>>>() else { return modules };
        let with = |(module, assembled)| Built { assembled: Some(assembled), ..module };
        modules.into_iter().zip(all).map(with).collect()
    }

    fn assembled(&self, ptx: &str, architecture: &str, capability: (u32, u32), until: Instant) -> Option<Assembled> {
        let folder = tempfile::tempdir().ok()?;
        let [input, output] = ["module.ptx", "module.cubin"].map(|name| folder.path().join(name));
        fs::write(&input, ptx).ok()?;
        let mut command = Command::new(&self.path);
        command.args(["-v", &format!("-arch={architecture}"), "-o"]).arg(output).arg(input);
        let kernels = AssembledKernel::all(&said(&mut command, until)?);
        let name = format!("ptxas {} for {architecture}", self.version);
        (!kernels.is_empty()).then_some(Assembled { assembler: name, capability, kernels })
    }
}

/// The architecture of GPUs of a compute capability, with the features that PTX for a virtual one such as `compute_90a` needs.
fn architecture(target: &str, (major, minor): (u32, u32)) -> String {
    let features = target.strip_prefix(&format!("compute_{major}{minor}"));
    format!("sm_{major}{minor}{}", features.filter(|own| ["a", "f"].contains(own)).unwrap_or_default())
}

/// What a process says; `None` where it fails or has not ended then.
fn said(command: &mut Command, until: Instant) -> Option<String> {
    // Files take whatever it says without anybody reading meanwhile.
    let folder = tempfile::tempdir().ok()?;
    let paths = ["out", "err"].map(|name| folder.path().join(name));
    let [out, err] = [File::create(&paths[0]).ok()?, File::create(&paths[1]).ok()?];
    let mut child = command.stdin(Stdio::null()).stdout(out).stderr(err).spawn().ok()?;
    let status = ended(&mut child, until);
    if status.is_none() {
        // If it has just ended, there is nothing to end.
        let _ = child.kill();
        let _ = child.wait();
    }
    status.filter(ExitStatus::success)?;
    let texts = paths.map(|path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
    Some(texts.into_iter().flatten().collect::<Vec<_>>().join("\n"))
}

fn ended(child: &mut Child, until: Instant) -> Option<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait().ok()? {
            return Some(status);
        }
        if Instant::now() >= until {
            return None;
        }
        thread::sleep(ASKED_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_have_the_features_that_the_target_needs() {
        for (target, capability, expected) in [
            ("compute_75", (9, 0), "sm_90"),
            ("compute_90", (9, 0), "sm_90"),
            ("compute_90a", (9, 0), "sm_90a"),
            ("compute_90a", (10, 0), "sm_100"),
            ("compute_100f", (10, 0), "sm_100f"),
            ("compute_120", (12, 0), "sm_120"),
        ] {
            assert_eq!(architecture(target, capability), expected, "{target}");
        }
    }

    #[cfg(unix)]
    mod stand_ins {
        use std::os::unix::fs::PermissionsExt as _;

        use tempfile::TempDir;

        use super::*;
        use crate::user_kernel::Build;

        /// A folder with an nvcc, and a ptxas of this shell script.
        fn folder(ptxas: &str) -> TempDir {
            let folder = TempDir::new().unwrap();
            fs::write(folder.path().join("nvcc"), "").unwrap();
            let path = folder.path().join("ptxas");
            fs::write(&path, format!("#!/bin/sh\n{ptxas}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            folder
        }

        const VERSION: &str = "if [ \"$1\" = --version ]; then echo 'release 13.0, V13.0.88'; exit; fi";
        const KERNEL: &str = "echo \"Compiling entry function 'k' for 'sm_90'\" >&2; echo 'Used 12 registers' >&2";

        fn registers(ptxas: &str) -> Vec<Option<u32>> {
            let folder = folder(&format!("{VERSION}\n{ptxas}"));
            let own = Ptxas::beside(&folder.path().join("nvcc")).expect("it tells its version");
            let modules = ["first", "second"].map(|ptx| Built::new(Build::new(), ptx.to_owned())).to_vec();
            let all = own.assemble(modules, "compute_75", (9, 0));
            let of = |module: &Built| Some(module.assembled.as_ref()?.kernel("k", (9, 0))?.registers);
            all.iter().map(of).collect()
        }

        #[test]
        fn registers_are_known_of_all_modules_or_of_none() {
            assert_eq!(registers(KERNEL), [Some(12), Some(12)]);
            let fails_once = format!("for last; do :; done\ngrep -q second \"$last\" && exit 1\n{KERNEL}");
            assert_eq!(registers(&fails_once), [None, None]);
            assert_eq!(registers("exit 0"), [None, None]);
        }

        #[test]
        fn what_is_no_ptxas_is_not_asked() {
            let nvcc = |folder: &TempDir| folder.path().join("nvcc");
            let missing = TempDir::new().unwrap();
            fs::write(nvcc(&missing), "").unwrap();
            assert!(Ptxas::beside(&nvcc(&missing)).is_none());
            for other in ["exit 3", "echo hello"] {
                assert!(Ptxas::beside(&nvcc(&folder(other))).is_none(), "{other}");
            }
        }

        #[test]
        fn it_is_found_beside_the_file_that_a_link_names() {
            let toolkit = folder(VERSION);
            let links = TempDir::new().unwrap();
            std::os::unix::fs::symlink(toolkit.path().join("nvcc"), links.path().join("nvcc")).unwrap();
            let own = Ptxas::beside(&links.path().join("nvcc")).expect("it is beside the target");
            assert_eq!(own.version, "13.0.88");
        }

        #[test]
        fn a_process_that_takes_long_is_ended() {
            let begun = Instant::now();
            let mut slow = Command::new("sleep");
            assert_eq!(said(slow.arg("60"), begun + Duration::from_millis(50)), None);
            assert!(begun.elapsed() < Duration::from_secs(30));
        }
    }
}
