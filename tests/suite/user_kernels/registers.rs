//! Registers of kernels of the user's on simulated devices: by the ptxas beside nvcc, else by an estimate.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use super::{SCENARIO, workspace};
use crate::common::{Workspace, column, stderr, stdout};

/// An nvcc that has compiled already: it writes `add.ptx`.
const NVCC: &str = r#"
if [ "$1" = --version ]; then echo 'release 13.0, V13.0.88'; exit; fi
while [ $# -gt 0 ]; do if [ "$1" = -o ]; then cp "$(dirname "$0")/add.ptx" "$2"; fi; shift; done
"#;

fn script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A ptxas that gives every kernel so many registers, and spills.
fn ptxas(registers: u32) -> String {
    let kernel = |name: &str| {
        format!(
            "echo \"ptxas info    : Compiling entry function '{name}' for 'sm_90'\"\n\
             echo 'ptxas info    : Function properties for {name}'\n\
             echo '    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads'\n\
             echo 'ptxas info    : Used {registers} registers, used 0 barriers'\n"
        )
    };
    let version = "if [ \"$1\" = --version ]; then echo 'release 13.0, V13.0.88'; exit; fi\n";
    [version, &kernel("add_one"), &kernel("add_two")].concat()
}

/// A scenario of CUDA C++, with an nvcc.
fn compiled() -> Workspace {
    let workspace = workspace("3F800000");
    fs::write(workspace.path("add.cu"), "__global__ void add_one(float* data, int n) {}").unwrap();
    fs::write(workspace.path("add.toml"), SCENARIO.replace("add.ptx", "add.cu")).unwrap();
    script(&workspace.path("nvcc"), NVCC);
    workspace
}

/// Runs a command on a simulated device with that nvcc; returns what it prints.
fn told(workspace: &Workspace, device: &str, command: &[&str]) -> String {
    let mut command = workspace.apbench(&[command, &["--device", device]].concat());
    stdout(&command.env("APBENCH_NVCC", workspace.path("nvcc")).assert().code(0))
}

fn occupancy(workspace: &Workspace, device: &str) -> Value {
    let text = told(workspace, device, &["occupancy", "add.toml", "--set", "n=5000", "--json"]);
    let answer: Value = serde_json::from_str(&text).unwrap();
    answer["points"][0]["kernels"][0].clone()
}

#[test]
fn they_are_those_of_ptxas_where_it_is_beside_nvcc() {
    let workspace = compiled();
    let estimated = occupancy(&workspace, "sim:h200");
    assert_eq!((estimated["registers_from"].as_str(), &estimated["local_bytes"]), (Some("estimate"), &Value::Null));
    script(&workspace.path("ptxas"), &ptxas(200));
    let own = occupancy(&workspace, "sim:h200");
    assert_eq!((own["registers_from"].as_str(), own["registers_per_thread"].as_u64()), (Some("ptxas"), Some(200)));
    assert_eq!((own["local_bytes"].as_u64(), own["limited_by"].as_str()), (Some(16), Some("registers")));
    let diagnosis = told(&workspace, "sim:h200", &["diagnose", "add.toml", "--set", "n=300000"]);
    let words = diagnosis.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in
        ["limited by registers (200 a thread by ptxas)", "a thread stores 8 bytes and loads 12 bytes that are spilled"]
    {
        assert!(words.contains(part), "no {part} in:\n{diagnosis}");
    }
}

/// A kernel that spills looks faster than it is, beside one that does not.
#[test]
fn a_sweep_says_what_is_spilled() {
    let workspace = compiled();
    script(&workspace.path("ptxas"), &ptxas(200));
    let mut command = workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200", "--out", "run"]);
    let told = stderr(&command.env("APBENCH_NVCC", workspace.path("nvcc")).assert().code(0));
    for kernel in ["add_one", "add_two"] {
        let sentence = format!(
            "note: add.cu: ptxas spills registers of {kernel}: a thread stores 8 and loads 12 bytes of local memory for them, which is not simulated"
        );
        assert_eq!(told.matches(&sentence).count(), 1, "{told}");
    }
}

#[test]
fn where_ptxas_fails_they_are_estimated() {
    let workspace = compiled();
    let estimated = occupancy(&workspace, "sim:h200");
    for broken in ["exit 1", &format!("{}\nexit 1", ptxas(200)), "echo V13.0.88"] {
        script(&workspace.path("ptxas"), broken);
        assert_eq!(occupancy(&workspace, "sim:h200"), estimated, "{broken}");
    }
}

#[test]
fn a_run_that_is_gone_on_with_keeps_its_own() {
    let workspace = compiled();
    script(&workspace.path("ptxas"), &ptxas(200));
    let sweep = ["sweep", "add.toml", "--out", "run"];
    told(&workspace, "sim:h200", &sweep);
    let (kernel, points) = (workspace.read("run/kernel.json"), workspace.read("run/points.csv"));
    assert!(kernel.contains("\"registers\": 200"), "{kernel}");
    let metadata: Value = serde_json::from_str(&workspace.read("run/run.json")).unwrap();
    assert_eq!(metadata["kernels"]["assembler"], "ptxas 13.0.88 for sm_90");
    let begun: String = points.lines().take(3).map(|line| format!("{line}\n")).collect();
    for other in [Some(ptxas(24)), None] {
        fs::write(workspace.path("run/points.csv"), &begun).unwrap();
        match other {
            Some(other) => script(&workspace.path("ptxas"), &other),
            None => fs::remove_file(workspace.path("ptxas")).unwrap(),
        }
        told(&workspace, "sim:h200", &[&sweep[..], &["--resume"]].concat());
        assert_eq!(workspace.read("run/kernel.json"), kernel);
        let again = workspace.read("run/points.csv");
        assert_eq!(column(&again, "time_us"), column(&points, "time_us"));
    }
    // A run that began without them goes on without them.
    told(&workspace, "sim:h200", &["sweep", "add.toml", "--out", "estimated"]);
    let estimated = workspace.read("estimated/kernel.json");
    assert!(!estimated.contains("assembled"), "{estimated}");
    script(&workspace.path("ptxas"), &ptxas(200));
    told(&workspace, "sim:h200", &["sweep", "add.toml", "--out", "estimated", "--resume"]);
    assert_eq!(workspace.read("estimated/kernel.json"), estimated);
}

#[test]
fn parts_with_registers_from_other_places_are_not_merged() {
    let workspace = compiled();
    script(&workspace.path("ptxas"), &ptxas(24));
    told(&workspace, "sim:h200", &["sweep", "add.toml", "--part", "0/2", "--out", "first"]);
    fs::remove_file(workspace.path("ptxas")).unwrap();
    told(&workspace, "sim:h200", &["sweep", "add.toml", "--part", "1/2", "--out", "second"]);
    let refused = workspace.apbench(&["merge", "first", "second", "--out", "whole"]).assert().failure();
    assert!(stderr(&refused).contains("kernels.assembler: ptxas 13.0.88 for sm_90"), "{}", stderr(&refused));
}

/// With NVIDIA's own tools, where `APBENCH_NVCC` names an nvcc with a ptxas beside it.
#[test]
fn nvidia_s_ptxas_says_them() {
    let Some(nvcc) = std::env::var_os("APBENCH_NVCC").filter(|nvcc| Path::new(nvcc).with_file_name("ptxas").is_file())
    else {
        println!("nothing is assembled: APBENCH_NVCC names no nvcc with a ptxas beside it");
        return;
    };
    let workspace = compiled();
    let source = "extern \"C\" __global__ void __launch_bounds__(1024, 2) add_one(float* data, int n) {\n\
                  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) data[i] += 1; }\n\
                  extern \"C\" __global__ void add_two(float* data, int n) {\n\
                  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) data[i] += 1; }\n";
    fs::write(workspace.path("add.cu"), source).unwrap();
    let ask = |device: &str| {
        let mut command =
            workspace.apbench(&["occupancy", "add.toml", "--set", "n=5000", "--json", "--device", device]);
        let text = stdout(&command.env("APBENCH_NVCC", &nvcc).assert().code(0));
        let answer: Value = serde_json::from_str(&text).unwrap();
        answer["points"][0]["kernels"][0].clone()
    };
    let own = ask("sim:h200");
    assert_eq!((own["registers_from"].as_str(), own["local_bytes"].as_u64()), (Some("ptxas"), Some(0)));
    assert!(own["registers_per_thread"].as_u64().is_some_and(|registers| (6..=16).contains(&registers)), "{own}");
    // No ptxas of today knows a GPU of 2008.
    assert_eq!(ask("sim:gtx280")["registers_from"].as_str(), Some("estimate"));
}
