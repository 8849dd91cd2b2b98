//! The workflow files that users copy, `docs/ci/*.yml`: each step that calls the program does what its page says.

use std::fs;

use yaml_rust2::{Yaml, YamlLoader};

use super::examples::{SMALL_SWEEP, scratch, shell};
use super::markdown::{root, text};
use crate::common::files_below;

/// The shell commands of a workflow's steps, in their order.
fn steps(workflow: &Yaml) -> Vec<String> {
    let jobs = workflow["jobs"].as_hash().expect("jobs");
    let steps = jobs.values().flat_map(|job| job["steps"].as_vec().expect("steps").clone());
    steps.filter_map(|step| step["run"].as_str().map(str::to_owned)).collect()
}

/// A step as the test runs it: without its device, and a sweep small and on the mock.
fn quickened(step: &str) -> String {
    let line = |line: &str| {
        let line = line.replace(" --device sim:h200", "").replace(" --device cuda:0", "");
        if line.contains("apbench sweep ") { line + SMALL_SWEEP } else { line }
    };
    step.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn workflows_sweep_and_their_gates_stop_what_became_slower() {
    let files = files_below(&root().join("docs/ci"));
    assert_eq!(files.len(), 2, "{files:?}");
    for file in files {
        let name = file.strip_prefix(root()).unwrap().display().to_string();
        let page = text("docs/src/how-to/continuous-integration.md");
        assert!(page.contains(&format!("{{{{#include ../../{}}}}}", name.strip_prefix("docs/").unwrap())), "{name}");
        let documents = YamlLoader::load_from_str(&fs::read_to_string(&file).unwrap());
        let documents = documents.unwrap_or_else(|error| panic!("{name}: {error}"));
        let steps = steps(&documents[0]);
        // Without an environment of its own, pip refuses on many distributions.
        let install = steps.iter().find(|step| step.contains("pip install")).expect("a step that installs apbench");
        assert!(install.contains("python3 -m venv"), "{name}: {install}");
        let folder = scratch("");
        let base = quickened("apbench sweep scenarios/branching.toml --device sim:h200 --out base");
        assert!(shell(&base, folder.path()).status.success());
        let own: Vec<String> =
            steps.iter().filter(|step| !step.contains("pip install")).map(|step| quickened(step)).collect();
        assert!(own.iter().any(|step| step.contains("--fail-on")), "{name} has no gate");
        let run = |step: &str| shell(&format!("export GITHUB_STEP_SUMMARY=summary.md; {step}"), folder.path());
        for step in &own {
            let output = run(step);
            assert!(output.status.success(), "{name}: {step}\n{}", String::from_utf8_lossy(&output.stderr));
        }
        assert!(fs::read_to_string(folder.path().join("summary.md")).unwrap().contains("SAME"), "{name}");
        // The same with a run that takes twice as long.
        fs::remove_dir_all(folder.path().join("run")).unwrap();
        let outcome: Vec<bool> = own
            .iter()
            .map(|step| run(&step.replace("--device mock", "--device mock:slope_us=40")).status.success())
            .collect();
        let is_gate = |step: &String| step.contains("--fail-on");
        let expected: Vec<bool> = own.iter().map(|step| !is_gate(step)).collect();
        assert_eq!(outcome, expected, "{name}");
    }
}
