//! CUDA C++ of the user's to PTX: by NVRTC, the driver's neighbour that needs no toolkit, or by nvcc.
//!
//! NVRTC is a library. It is looked for where `APBENCH_NVRTC` says, where the loader finds libraries, in the toolkit, and in NVIDIA's
//! Python wheel `nvidia-cuda-nvrtc` of the environment that is active. nvcc is asked where there is no NVRTC, where the source has code for
//! the host, which NVRTC does not take, or where `APBENCH_NVCC` names one.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ptx_syntax::PtxErrors;
use rayon::prelude::*;

use crate::kernel::{Language, source_text, unreadable};
use crate::user_kernel::{Build, Built, Compiled, UserKernel};
use located_toml::regular_file;
use located_toml::words::count as counted;

mod advice;
mod host_code;
mod log;
mod nvcc;
mod nvrtc;
mod ptxas;
mod target;

pub use target::Purpose;

/// What a compiler is to make.
struct Task<'a> {
    /// The path of the source, as messages call it.
    path: &'a Path,
    source: &'a str,
    /// The virtual architecture.
    target: &'a str,
    options: &'a [String],
    defines: &'a Build,
    /// Instances of templates that nothing in the source asks for.
    instances: Vec<String>,
}

/// Why there are no modules.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The source cannot be read.
    #[error("{}: {problem}", path.display())]
    Source {
        /// The file.
        path: PathBuf,
        /// Why, in words.
        problem: String,
    },
    /// The source is PTX that cannot be read.
    #[error("{}", unreadable(path, errors))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong in which line.
        errors: PtxErrors,
    },
    /// No compiler is there.
    #[error(
        "{} is CUDA C++, and no compiler for it is here: {looked}\n  to get one: {advice};\n  or compile elsewhere with `nvcc --ptx -lineinfo` and give \
         the .ptx as `source`",
        path.display()
    )]
    NoCompiler {
        /// The source.
        path: PathBuf,
        /// What was looked for.
        looked: String,
        /// What to get.
        advice: String,
    },
    /// The compiler refused the source.
    #[error("{}", told(compiler, refusals, help.as_deref()))]
    Refused {
        /// The compiler and its version.
        compiler: String,
        /// What it says, each once.
        refusals: Vec<Refusal>,
        /// What may help.
        help: Option<String>,
    },
}

/// What a compiler said of builds that it refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What was defined in each of them.
    builds: Vec<Build>,
    /// What the compiler says, with file and line.
    log: String,
}

/// The refusals, each once for all builds that have it.
fn gathered(refused: Vec<(Build, String)>) -> Vec<Refusal> {
    let mut refusals: Vec<Refusal> = Vec::new();
    for (build, log) in refused {
        match refusals.iter_mut().find(|own| own.log == log) {
            Some(known) => known.builds.push(build),
            None => refusals.push(Refusal { builds: vec![build], log }),
        }
    }
    refusals
}

/// How the name of that compiler begins.
const NVRTC: &str = "NVRTC";

/// Lines of what a compiler says that are shown.
const LOG_LINES_MOST: usize = 40;
/// Compiling is told of where it takes longer than this: headers such as cuBLAS's and CUB's take minutes.
const PATIENCE: Duration = Duration::from_secs(4);

/// Does some work, and tells something where it takes longer than `patience`.
fn patiently<T>(patience: Duration, told: String, tell: &(impl Fn(String) + Sync), work: impl FnOnce() -> T) -> T {
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if is_done.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
                tell(told);
            }
        });
        let outcome = work();
        drop(done);
        outcome
    })
}

/// What a compiler said, below what it compiled.
fn told(compiler: &str, refusals: &[Refusal], help: Option<&str>) -> String {
    const BUILDS_SHOWN_MOST: usize = 4;
    let build =
        |build: &Build| build.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ");
    let refusal = |own: &Refusal| {
        let mut with: Vec<String> = own.builds.iter().map(build).filter(|with| !with.is_empty()).collect();
        let beyond = with.len().saturating_sub(BUILDS_SHOWN_MOST);
        with.truncate(BUILDS_SHOWN_MOST);
        if beyond > 0 {
            with.push(format!("{beyond} more builds"));
        }
        let with = if with.is_empty() { String::new() } else { format!(" with {}", with.join(", ")) };
        let mut lines: Vec<String> = own.log.lines().map(|line| format!("  {line}").trim_end().to_owned()).collect();
        let beyond = lines.len().saturating_sub(LOG_LINES_MOST);
        if beyond > 0 {
            lines.truncate(LOG_LINES_MOST);
            lines.push(format!("  ... and {beyond} more lines: mend the first errors, of which others often follow"));
        }
        let of_nvrtc = compiler.starts_with(NVRTC);
        lines.extend(if of_nvrtc { advice::of_nvrtc(&own.log) } else { advice::of_nvcc(&own.log) });
        format!("{compiler} does not compile the kernel{with}:\n{}", lines.join("\n"))
    };
    refusals.iter().map(refusal).chain(help.map(str::to_owned)).collect::<Vec<_>>().join("\n")
}

/// Compiles a kernel of a scenario in `directory` for every one of `builds`, each with the kernels that are launched of it, side by side, for the target
/// that the `purpose` says where the scenario names none. PTX is taken as it is. For a simulated device, the ptxas beside nvcc says the registers of the
/// kernels, if there is one. `tell` tells which other compiler was asked where the first did not take the source, and where the target is below the device.
///
/// # Errors
/// When the source cannot be read, no compiler is there, or it refuses the source: what it says of each build that it refuses.
pub fn compile(
    kernel: &UserKernel,
    directory: &Path,
    builds: &[(Build, Vec<String>)],
    purpose: &Purpose,
    tell: impl Fn(String) + Sync,
) -> Result<Compiled, CompileError> {
    let path = kernel.source_path(directory);
    let source = read(&path)?;
    let description = &kernel.description;
    let whole = |compiler: String, target: String, modules: Vec<Built>| Compiled {
        compiler,
        target,
        source_name: description.source.clone(),
        source: source.clone(),
        modules,
        files: Vec::new(),
    };
    let given = purpose.given(description);
    if Language::of(&description.source) == Language::Ptx {
        // The modules are read again where they are loaded; here the file is known.
        let module =
            ptx_syntax::parse(&source).map_err(|errors| CompileError::Unreadable { path: path.clone(), errors })?;
        let target = given.map(str::to_owned).or_else(|| module.target.first().cloned()).unwrap_or_default();
        let module = Built::new(Build::new(), source.clone());
        return Ok(whole("none: the source is PTX".to_owned(), target, vec![module]));
    }
    let compiler = Compiler::find().map_err(|looked| {
        let advice = advice::to_get_one(&source);
        CompileError::NoCompiler { path: path.clone(), looked, advice }
    })?;
    let target_of = |compiler: &Compiler| match given {
        Some(target) => target.to_owned(),
        None => purpose.chosen(&compiler.targets()),
    };
    let make = |compiler: &Compiler, target: &str| {
        let task = |(defines, entries): &(Build, Vec<String>)| {
            let instances = entries.iter().filter(|entry| entry.contains('<')).cloned().collect();
            let task = Task { path: &path, source: &source, target, options: &description.options, defines, instances };
            let refused = |log: String| match description.compiled_in_help(&log, &source, defines) {
                Some(help) => format!("{log}\nhelp: {help}"),
                None => log,
            };
            let built = compiler.ptx(&task).map(|ptx| Built::new(defines.clone(), ptx));
            built.map_err(|log| (defines.clone(), refused(log)))
        };
        let (name, times) = (compiler.name(), counted(builds.len(), "build"));
        let told = format!("compiling {} with {name}, {times} ...", path.display());
        patiently(PATIENCE, told, &tell, || {
            let modules = all_or_refusals(builds.par_iter().map(task).collect());
            modules.map(|modules| compiler.assembled(modules, target, purpose.registers_of()))
        })
    };
    let concluded = |compiler: &Compiler, target: String, result: Result<Vec<Built>, Vec<Refusal>>| match result {
        Ok(modules) => {
            purpose.note(description, &source).into_iter().for_each(&tell);
            Ok(whole(compiler.name(), target, modules))
        }
        Err(refusals) => {
            let help = refusals.iter().find_map(|refusal| purpose.cluster_help(&target, &refusal.log));
            Err(CompileError::Refused { compiler: compiler.name(), refusals, help })
        }
    };
    let target = target_of(&compiler);
    let result = make(&compiler, &target);
    let mut refusals = result.as_ref().err().into_iter().flatten();
    let why = refusals.find_map(|own| advice::beyond_nvrtc(&own.log, &compiler.name()));
    let Some((why, nvcc)) = why.zip(compiler.fallback()) else { return concluded(&compiler, target, result) };
    tell(format!("{} {why}: {} is asked instead", path.display(), nvcc.name()));
    let target = target_of(&nvcc);
    let result = make(&nvcc, &target);
    concluded(&nvcc, target, result)
}

/// The modules if there are all, else what the compiler said.
fn all_or_refusals(results: Vec<Result<Built, (Build, String)>>) -> Result<Vec<Built>, Vec<Refusal>> {
    let (mut modules, mut refused) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(module) => modules.push(module),
            Err(refusal) => refused.push(refusal),
        }
    }
    if refused.is_empty() { Ok(modules) } else { Err(gathered(refused)) }
}

fn read(path: &Path) -> Result<String, CompileError> {
    let wrong = |problem: String| CompileError::Source { path: path.to_owned(), problem };
    let bytes = regular_file::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            wrong("there is no such file; `source` is looked for beside the scenario".to_owned())
        }
        _ => wrong(error.to_string()),
    })?;
    source_text(bytes).ok_or_else(|| wrong("is not UTF-8 text".to_owned()))
}

/// A compiler that is here.
enum Compiler {
    Nvrtc(nvrtc::Nvrtc),
    Nvcc(nvcc::Nvcc),
}

impl Compiler {
    /// The first that is here, or what was looked for.
    fn find() -> Result<Self, String> {
        if let Some(nvcc) = nvcc::Nvcc::named() {
            return nvcc.map(Self::Nvcc);
        }
        let refused = match nvrtc::Nvrtc::open() {
            Ok(nvrtc) => return Ok(Self::Nvrtc(nvrtc)),
            Err(refused) => refused,
        };
        nvcc::Nvcc::find().map(Self::Nvcc).ok_or_else(|| format!("{refused}, and no nvcc was found"))
    }

    /// The compiler for what NVRTC does not take, if one is here.
    fn fallback(&self) -> Option<Self> {
        match self {
            Self::Nvrtc(_) => nvcc::Nvcc::find().map(Self::Nvcc),
            Self::Nvcc(_) => None,
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Nvrtc(nvrtc) => nvrtc.name(),
            Self::Nvcc(nvcc) => nvcc.name(),
        }
    }

    /// The numbers of the virtual architectures that it compiles for; none where it does not say.
    fn targets(&self) -> Vec<u32> {
        match self {
            Self::Nvrtc(nvrtc) => nvrtc.targets(),
            Self::Nvcc(nvcc) => nvcc.targets(),
        }
    }

    /// The modules with the registers that the ptxas beside it gives them; as they are where there is none.
    fn assembled(&self, modules: Vec<Built>, target: &str, simulated: Option<(u32, u32)>) -> Vec<Built> {
        let (Self::Nvcc(nvcc), Some(capability)) = (self, simulated) else { return modules };
        match nvcc.ptxas() {
            Some(ptxas) => ptxas.assemble(modules, target, capability),
            None => modules,
        }
    }

    fn ptx(&self, task: &Task<'_>) -> Result<String, String> {
        match self {
            Self::Nvrtc(nvrtc) => nvrtc.ptx(task).map_err(|log| log::of_user(&log, task.path, task.source, None)),
            Self::Nvcc(nvcc) => nvcc.ptx(task),
        }
    }
}

impl Task<'_> {
    /// The folder of the source, where it may include files from.
    fn folder(&self) -> PathBuf {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_compiler_says_of_several_builds_is_told_once() {
        let build = |tile: u32| vec![("TILE".to_owned(), tile.to_string())];
        let log = "k.cu(3): error: identifier \"x\" is undefined".to_owned();
        let mut refused: Vec<(Build, String)> = (1..=6).map(|tile| (build(tile), log.clone())).collect();
        refused.insert(1, (build(64), "k.cu(5): error: too much shared data".to_owned()));
        insta::assert_snapshot!(told("nvcc 13.0", &gathered(refused), None));
        assert_eq!(told("nvcc 13.0", &gathered(vec![(Build::new(), log)]), None).lines().count(), 2);
    }

    #[test]
    fn code_for_the_host_is_told_with_what_to_do() {
        let log = "k.cu(1): catastrophic error: cannot open source file \"iostream\"".to_owned();
        let lines = |compiler: &str| told(compiler, &gathered(vec![(Build::new(), log.clone())]), None);
        assert!(
            lines("NVRTC 13.0").contains("has #include <iostream> (line 1)")
                && lines("NVRTC 13.0").contains("__CUDACC_RTC__")
        );
        assert!(!lines("nvcc 13.0").contains("__CUDACC_RTC__"));
    }

    #[test]
    fn of_many_errors_the_first_are_told() {
        let log: String = (0..500).map(|line| format!("k.cu({line}): error: x\n")).collect();
        let lines = told("nvcc 13.0", &gathered(vec![(Build::new(), log.clone())]), None);
        assert_eq!(lines.lines().count(), 1 + LOG_LINES_MOST + 1);
        let helped = told("nvcc 13.0", &gathered(vec![(Build::new(), log)]), Some("help: do this"));
        assert_eq!(helped, format!("{lines}\nhelp: do this"), "help stands behind however many");
        assert!(
            lines.ends_with("... and 460 more lines: mend the first errors, of which others often follow"),
            "{lines}"
        );
    }

    #[test]
    fn work_that_takes_long_is_told() {
        let told = |patience, takes| {
            let lines = std::sync::Mutex::new(Vec::new());
            let tell = |line: String| lines.lock().unwrap().push(line);
            let outcome = patiently(patience, "compiling ...".to_owned(), &tell, || {
                thread::sleep(takes);
                7
            });
            assert_eq!(outcome, 7);
            lines.into_inner().unwrap()
        };
        assert_eq!(told(Duration::ZERO, Duration::from_millis(300)), ["compiling ..."]);
        assert!(told(Duration::from_secs(600), Duration::ZERO).is_empty());
    }
}
