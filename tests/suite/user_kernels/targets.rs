//! Which virtual architecture a kernel is compiled for: that of the device, unless the scenario names one. By stand-ins for nvcc.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use super::{SCENARIO, workspace};
use crate::common::{Workspace, stderr, stdout};

/// An nvcc that has compiled already: it writes `add.ptx`, and behind it what it was asked to compile for.
const NVCC: &str = r#"#!/bin/sh
case "$1" in
    --version) echo 'release 13.0, V13.0.88'; exit;;
    --list-gpu-arch) cat "$(dirname "$0")/targets"; exit;;
esac
for argument; do case "$argument" in -arch=*) target=${argument#-arch=};; esac; done
if grep -q __cluster_dims__ "$(dirname "$0")/add.cu" && [ "$target" != compute_90 ]; then
    echo "add.cu(1): error: __cluster_dims__ is not supported for this GPU architecture" >&2; exit 1
fi
while [ $# -gt 0 ]; do
    if [ "$1" = -o ]; then { cat "$(dirname "$0")/add.ptx"; echo "// for $target"; } > "$2"; fi
    shift
done
"#;

/// A scenario of CUDA C++, with that nvcc, which knows these targets.
fn compiled(source: &str, targets: &str) -> Workspace {
    let workspace = workspace("3F800000");
    fs::write(workspace.path("add.cu"), source).unwrap();
    fs::write(workspace.path("targets"), targets).unwrap();
    fs::write(workspace.path("add.toml"), SCENARIO.replace("add.ptx", "add.cu")).unwrap();
    fs::write(workspace.path("nvcc"), NVCC).unwrap();
    fs::set_permissions(workspace.path("nvcc"), fs::Permissions::from_mode(0o755)).unwrap();
    workspace
}

const PLAIN: &str = "#include <cuda_pipeline.h>\n__global__ void add_one(float* data, int n) {}";
const TARGETS: &str = "compute_75\ncompute_80\ncompute_90\ncompute_103\n";

/// What a command prints and tells that succeeds.
fn told(workspace: &Workspace, arguments: &[&str]) -> (String, String) {
    let mut command = workspace.apbench(arguments);
    let assert = command.env("APBENCH_NVCC", workspace.path("nvcc")).assert().code(0);
    (stdout(&assert), stderr(&assert))
}

fn sweep(workspace: &Workspace, device: &str, out: &str) -> String {
    told(workspace, &["sweep", "add.toml", "--set", "n=1000", "--device", device, "--out", out]).1
}

/// What a run says that its kernels were compiled for.
fn target(workspace: &Workspace, run: &str) -> String {
    let metadata: Value = serde_json::from_str(&workspace.read(&format!("{run}/run.json"))).unwrap();
    metadata["kernels"]["target"].as_str().unwrap().to_owned()
}

fn name_target(workspace: &Workspace, target: &str) {
    let scenario = workspace.read("add.toml").replace("[kernel]", &format!("[kernel]\ntarget = \"{target}\""));
    fs::write(workspace.path("add.toml"), scenario).unwrap();
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_target_is_that_of_the_device_and_a_comparison_says_so() {
    let workspace = compiled(PLAIN, TARGETS);
    for (device, expected) in [("sim:h200", "compute_90"), ("sim:gtx280", "compute_75")] {
        let run = expected;
        let notes = sweep(&workspace, device, run);
        assert_eq!(target(&workspace, run), expected, "{device}");
        assert!(workspace.read(&format!("{run}/kernel.json")).contains(&format!("// for {expected}")), "{device}");
        assert!(!notes.contains("add.cu is compiled for"), "{notes}");
    }
    let compared = words(&told(&workspace, &["compare", "compute_90", "compute_75"]).0);
    let note = "compute_75: the PTX of the kernels differs from that of compute_90, since it was compiled for compute_75, there for compute_90, so a difference \
                may come from the program; `target` in [kernel] compiles for one on both devices";
    assert!(compared.contains(note), "{compared}");
    // Two devices in one sweep have each their own.
    let both = ["sweep", "add.toml", "--set", "n=1000", "--device", "sim:h200", "--device", "sim:gtx280"];
    told(&workspace, &both);
    let mut targets: Vec<String> = fs::read_dir(workspace.path("results"))
        .unwrap()
        .map(|run| target(&workspace, &format!("results/{}", run.unwrap().file_name().to_string_lossy())))
        .collect();
    targets.sort();
    assert_eq!(targets, ["compute_75", "compute_90"]);
}

#[test]
fn a_target_that_the_scenario_names_wins_and_a_lower_one_is_told_once() {
    let workspace = compiled(PLAIN, TARGETS);
    name_target(&workspace, "compute_80");
    let notes = sweep(&workspace, "sim:h200", "run");
    assert_eq!(target(&workspace, "run"), "compute_80");
    insta::assert_snapshot!(
        "lower_target",
        notes.lines().find(|line| line.contains("add.cu is compiled for")).unwrap_or_default()
    );
    assert_eq!(notes.matches("add.cu is compiled for").count(), 1, "{notes}");
    assert!(!sweep(&workspace, "sim:gtx280", "older").contains("add.cu is compiled for"), "it is no lower there");
    // Where no header and nothing else asks for the target, its code is the same.
    let plain = PLAIN.replace("#include <cuda_pipeline.h>\n", "");
    fs::write(workspace.path("add.cu"), plain).unwrap();
    assert!(!sweep(&workspace, "sim:h200", "plain").contains("add.cu is compiled for"));
}

/// As runs of earlier versions were, and runs whose compiler is another by now.
#[test]
fn a_run_that_is_gone_on_with_keeps_its_target() {
    let workspace = compiled(PLAIN, "");
    sweep(&workspace, "sim:h200", "run");
    assert_eq!(target(&workspace, "run"), "compute_75", "a compiler that does not say what it has");
    fs::write(workspace.path("targets"), TARGETS).unwrap();
    let go_on = ["sweep", "add.toml", "--set", "n=1000", "--device", "sim:h200", "--out", "run", "--resume"];
    told(&workspace, &go_on);
    assert_eq!(target(&workspace, "run"), "compute_75");
}

#[test]
fn clusters_say_what_they_need() {
    let source = "__global__ void __cluster_dims__(4, 1, 1) add_one(float* data, int n) {}";
    let workspace = compiled(source, TARGETS);
    sweep(&workspace, "sim:h200", "run");
    let refused = |workspace: &Workspace, device: &str| {
        let mut command = workspace.apbench(&["sweep", "add.toml", "--device", device]);
        stderr(&command.env("APBENCH_NVCC", workspace.path("nvcc")).assert().code(2))
    };
    let of_old_device = refused(&workspace, "sim:gtx280");
    name_target(&workspace, "compute_80");
    insta::assert_snapshot!("clusters_refused", [of_old_device, refused(&workspace, "sim:h200")].join("---\n"));
}

#[test]
fn names_of_other_tools_for_the_target_are_told_which_key_it_is() {
    let workspace = compiled(PLAIN, TARGETS);
    let scenario = workspace.read("add.toml").replace("[kernel]", "[kernel]\narch = \"sm_90\"");
    fs::write(workspace.path("add.toml"), scenario).unwrap();
    let refused = workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200"]).assert().code(2);
    insta::assert_snapshot!("arch", stderr(&refused));
}
