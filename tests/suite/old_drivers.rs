//! Drivers that lack functions, by a stand-in for the driver's library that is compiled here: what it lacks is off, with a word, and
//! everything else works.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use apbench::device::cuda::{FUNCTIONS, Feature};

use crate::common::{Workspace, files_below, stderr, stdout};

/// Every optional function there is.
const COMPLETE: &[&str] = &[
    "WITH_GRAPHS",
    "WITH_COOPERATIVE",
    "WITH_DEPENDENT",
    "WITH_CONDITIONAL",
    "WITH_TENSOR_MAPS",
    "WITH_POOLS",
    "WITH_OTHERS",
    "VERSION=12040",
];

const SCENARIO: &str = r#"
title = "Three ways to wait for the grid"
family = "global_sync"
variants = ["relaunch", "cooperative", "graph"]

[grid]
elements = 1000
multiply_adds = 8
interval = [4, 8]
block = 64

[measure]
sampling = "both"
"#;

fn sources() -> Vec<PathBuf> {
    files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shim"))
}

/// A folder with the stand-in, compiled with these parts; `None` where there is no C compiler.
pub(crate) struct StandIn {
    pub(crate) workspace: Workspace,
}

impl StandIn {
    pub(crate) fn new(parts: &[&str]) -> Option<Self> {
        let workspace = Workspace::new();
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden"]);
        compiler.args(parts.iter().map(|part| format!("-D{part}")));
        compiler.args(sources().iter().filter(|path| path.extension().is_some_and(|extension| extension == "c")));
        compiler.arg("-o").arg(workspace.path("libcuda.so"));
        let Ok(output) = compiler.output() else {
            eprintln!("skipped: there is no C compiler (cc)");
            return None;
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::write(workspace.path("sync.toml"), SCENARIO).unwrap();
        Some(Self { workspace })
    }

    fn apbench(&self, arguments: &[&str]) -> assert_cmd::assert::Assert {
        let mut command = self.workspace.apbench(arguments);
        let assert = command.env("LD_LIBRARY_PATH", self.workspace.path("")).assert();
        let (told, errors) = (stdout(&assert), stderr(&assert));
        assert!(!errors.contains("panicked") && !errors.contains("Missing symbol"), "{told}{errors}");
        assert
    }

    /// Variant, status and reason of each point of the run.
    fn points(&self) -> Vec<[String; 3]> {
        let mut reader = csv::Reader::from_path(self.workspace.path("run/points.csv")).unwrap();
        let headers = reader.headers().unwrap().clone();
        let column = |name: &str| headers.iter().position(|header| header == name).unwrap();
        let columns = ["variant", "status", "reason"].map(column);
        reader.records().map(|row| columns.map(|column| row.as_ref().unwrap()[column].to_owned())).collect()
    }
}

/// What messages about a driver say beside its version: on a machine with a GPU, they have the version of its own driver, too.
fn after_the_driver(message: &str) -> &str {
    message.split_once(") ").map_or(message, |(_, rest)| rest)
}

#[test]
fn with_all_functions_everything_works() {
    let Some(stand_in) = StandIn::new(COMPLETE) else { return };
    let listed = stdout(&stand_in.apbench(&["devices", "--device", "cuda:0"]).code(0));
    assert!(listed.contains("Stand-in"), "{listed}");
    let assert = stand_in.apbench(&["sweep", "sync.toml", "--device", "cuda:0", "--out", "run"]).code(0);
    assert!(stdout(&assert).contains("6 of 6 points: 6 ok"), "{}{}", stdout(&assert), stderr(&assert));
    let run = stand_in.workspace.read("run/run.json");
    assert!(run.contains("has all functions that are used"), "{run}");
}

/// Neither what is read nor what is written takes the place of a line that persists.
#[test]
fn lines_that_persist_are_reset_whatever_makes_caches_cold() {
    let Some(stand_in) = StandIn::new(COMPLETE) else { return };
    for flush in ["clean", "memset"] {
        let resets = stand_in.workspace.path(&format!("resets-{flush}"));
        let arguments = ["sweep", "sync.toml", "--device", "cuda:0", "--out", flush, "--flush", flush];
        let mut command = stand_in.workspace.apbench(&arguments);
        let assert = command.env("LD_LIBRARY_PATH", stand_in.workspace.path("")).env("SHIM_RESETS", &resets).assert();
        assert!(stdout(&assert.code(0)).contains("6 of 6 points: 6 ok"));
        let count = fs::metadata(&resets).map_or(0, |own| own.len());
        assert!(count >= 6, "{flush}: {count} resets of 6 points");
    }
}

#[test]
fn without_graphs_and_cooperative_launches_their_variants_are_skipped() {
    let Some(stand_in) = StandIn::new(&[]) else { return };
    let listed = stdout(&stand_in.apbench(&["devices"]).code(0));
    assert!(listed.contains("Stand-in"), "{listed}");
    let assert = stand_in.apbench(&["sweep", "sync.toml", "--device", "cuda:0", "--out", "run"]).code(0);
    assert!(stdout(&assert).contains("6 of 6 points: 2 ok, 4 skipped"), "{}{}", stdout(&assert), stderr(&assert));
    for [variant, status, reason] in stand_in.points() {
        let (expected, words) = match variant.as_str() {
            "graph" => (
                "skipped",
                "lacks cuGraphInstantiateWithFlags and 6 other functions; CUDA graphs need driver 470.42 (CUDA 11.4) or newer",
            ),
            "cooperative" => (
                "skipped",
                "lacks cuLaunchCooperativeKernel; cooperative launches need it, and NVIDIA's drivers have it since CUDA 9.0",
            ),
            _ => ("ok", ""),
        };
        assert_eq!((status.as_str(), after_the_driver(&reason)), (expected, words), "{variant}: {reason}");
    }
    let run = stand_in.workspace.read("run/run.json");
    for feature in Feature::ALL {
        assert!(run.contains(&format!("{} (cu", feature.name())), "{}: {run}", feature.name());
    }
}

/// The stand-in is of a lower compute capability than such launches need, and that is told first.
#[test]
fn dependent_launches_are_skipped_where_the_gpu_has_none() {
    let Some(stand_in) = StandIn::new(COMPLETE) else { return };
    let told = stdout(&stand_in.apbench(&["verify", "--family", "launch_rate", "--device", "cuda:0"]).code(4));
    assert!(told.contains("dependent") && told.contains("compute capability 9.0"), "{told}");
}

/// Transfers, streams side by side, and what the driver says of kernels. The stand-in's kernels do nothing there, so the sums are wrong.
#[test]
fn no_function_is_called_that_is_not_looked_for() {
    let Some(stand_in) = StandIn::new(&[]) else { return };
    for family in ["select_sum", "transpose", "global_access"] {
        let told = stand_in.apbench(&["verify", "--family", family, "--device", "cuda:0"]).code(4);
        let said = format!("{}{}", stdout(&told), stderr(&told));
        assert!(said.contains("wrong") || said.contains("written"), "{said}");
    }
    let told =
        stdout(&stand_in.apbench(&["occupancy", "global_sync", "--variant", "graph", "--device", "cuda:0"]).code(0));
    assert!(told.contains("registers      16 per thread (driver)") && !told.contains("as above"), "{told}");
}

#[test]
fn without_a_function_that_everything_needs_there_is_no_device() {
    let Some(stand_in) = StandIn::new(&["WITHOUT_EVENTS"]) else { return };
    let words = "lacks cuEventElapsedTime; apbench needs it, and NVIDIA's drivers have it since CUDA 2.0";
    let sweep = ["sweep", "sync.toml", "--device", "cuda:0", "--out", "run"];
    let errors = stderr(&stand_in.apbench(&sweep).code(3));
    assert!(errors.contains("no CUDA device: the driver") && errors.contains(words), "{errors}");
    let listed = stdout(&stand_in.apbench(&["devices"]).code(0));
    assert!(listed.contains(words), "{listed}");
    let none = StandIn::new(&["PROMISES_POOLS"]).unwrap();
    let errors = stderr(&none.apbench(&sweep).code(3));
    assert!(errors.contains("it is said to have memory pools, but the driver"), "{errors}");
    let old = StandIn::new(&["VERSION=11000"]).unwrap();
    let errors = stderr(&old.apbench(&sweep).code(3));
    assert!(errors.contains("is too old; apbench needs driver 460.27 (CUDA 11.2) or newer"), "{errors}");
}

/// As in containers, where the file that the host's library should cover is empty.
#[test]
fn a_library_that_is_there_and_cannot_be_opened_is_told_with_its_path() {
    for content in [String::new(), "no library at all. ".repeat(100)] {
        let workspace = Workspace::new();
        for name in ["libcuda.so", "libcuda.so.1"] {
            fs::write(workspace.path(name), &content).unwrap();
        }
        fs::write(workspace.path("sync.toml"), SCENARIO).unwrap();
        let stand_in = StandIn { workspace };
        let path = stand_in.workspace.path("libcuda.so");
        let words = if content.is_empty() { "file too short" } else { "invalid ELF header" };
        let expected = format!("(libcuda) is there, but it cannot be opened: {}: {words}", path.display());
        let told = |assert: &assert_cmd::assert::Assert| {
            let said = stdout(assert) + &stderr(assert);
            assert!(said.contains(&expected) && !said.contains("has no NVIDIA driver"), "{expected}\n{said}");
        };
        told(&stand_in.apbench(&["sweep", "sync.toml", "--device", "cuda:0", "--out", "run"]).code(3));
        told(&stand_in.apbench(&["devices"]).code(0));
    }
}

/// Whether this is a name as the driver gives its functions.
fn is_function(name: &str) -> bool {
    name.strip_prefix("cu").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// The names between each of these marks and the parenthesis behind it.
fn names_after(mark: &str, files: &[PathBuf]) -> BTreeSet<String> {
    let texts = files.iter().map(|path| fs::read_to_string(path).unwrap());
    let names = |text: String| -> Vec<String> {
        let after = text.split(mark).skip(1).filter_map(|after| after.split_once('('));
        after.map(|(name, _)| name.to_owned()).filter(|name| is_function(name)).collect()
    };
    texts.flat_map(names).collect()
}

#[test]
fn the_table_has_every_function_that_is_called_and_the_stand_in_has_no_other() {
    let table: BTreeSet<String> = FUNCTIONS.iter().map(|function| function.name.to_owned()).collect();
    assert_eq!(table.len(), FUNCTIONS.len(), "a function stands twice in the table");
    assert_eq!(names_after("EXPORT ", &sources()), table);
    let called = names_after("sys::", &files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/device/cuda")));
    assert!(called.len() > 5 && called.is_subset(&table), "{:?}", called.difference(&table));
}
