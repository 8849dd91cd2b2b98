//! One variant against another in a sentence, on the stored reference runs.

use serde_json::Value;

use super::*;

/// The words of what a comparison prints, whatever the breaks of its lines.
fn told(arguments: &[&str]) -> String {
    let shown = stdout(&compare(arguments).env("COLUMNS", "80").assert().code(0));
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn two_variants_of_a_run_are_compared_in_a_sentence() {
    let shown = told(&["results/nvidia-h200/synchronisation-cost", "--variants", "graph,relaunch"]);
    let sentence =
        "graph is 1.15 to 1.53 times as fast as relaunch up to interval = 50, but 4.5 % slower at interval = 100.";
    assert!(shown.contains(sentence), "{shown}");
    let shown = told(&["results/nvidia-h200/bank-conflicts", "--variants", "padded,strided"]);
    assert!(shown.contains("they differ by less than 1 % at stride = 1 and at stride = 3."), "{shown}");
}

#[test]
fn what_differs_from_group_to_group_is_told_of_each() {
    let shown = told(&["results/nvidia-h200/atomics", "--variants", "shared,global"]);
    assert!(shown.contains("With spread=inside_warp, shared is "), "{shown}");
    assert!(shown.contains("; with spread=across_warps, shared is "), "{shown}");
}

/// The names of simulated devices say so, and what is known of their error stands below.
#[test]
fn a_variant_is_compared_on_two_devices() {
    let runs = ["results/nvidia-h200/branching", "results/simulated-h200/branching"];
    let shown = told(&[runs[0], runs[1], "--variants", "divergent,divergent"]);
    for words in [
        "divergent on NVIDIA H200 is 1.2 to 3.6 % slower than divergent on NVIDIA H200 (simulated) up to branches = 6",
        "which one is faster cannot be told",
        "note: Simulated: times ",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn the_document_has_every_point_with_its_ratio() {
    let run = "results/nvidia-h200/synchronisation-cost";
    let arguments = [run, "--variants", "graph,relaunch", "--json"];
    let document: Value = serde_json::from_str(&stdout(&compare(&arguments).assert().code(0))).unwrap();
    assert_eq!((&document["axis"], &document["first"]["variant"]), (&"interval".into(), &"graph".into()));
    let points = document["points"].as_array().unwrap();
    let counts: u64 =
        ["faster", "slower", "equal", "untold"].iter().map(|count| document[*count].as_u64().unwrap()).sum();
    assert_eq!(counts, points.len() as u64);
    for point in points {
        let time = |name: &str| point[name].as_f64().unwrap();
        assert!((time("second_us") / time("first_us") - time("times_as_fast")).abs() < 1e-9, "{point}");
        assert!(point["parameters"]["interval"].is_string(), "{point}");
    }
}

#[test]
fn what_two_processes_differ_by_is_no_difference() {
    let runs = ["results/nvidia-h200/trust/compare/first", "results/nvidia-h200/trust/compare/second"];
    let shown = told(&[runs[0], runs[1], "--variants", "divergent,divergent"]);
    assert!(shown.contains("differ by less than 1 %") && !shown.contains(" slower"), "{shown}");
    let longer = "results/nvidia-h200/trust/compare/longer";
    let shown = told(&[runs[0], longer, "--variants", "divergent,divergent", "--ignore", "work"]);
    assert!(shown.contains(" % faster than divergent of results/nvidia-h200/trust/compare/longer "), "{shown}");
}

#[test]
fn what_cannot_be_compared_is_told() {
    let branching = "results/nvidia-h200/branching";
    for (arguments, words) in [
        (vec![branching, "--variants", "divergent"], "takes two names"),
        (vec![branching, "--variants", "divergent,divergent"], "give two different variants"),
        (vec![branching, "--variants", "divergent,divergant"], "did you mean `divergent`?"),
        (vec![branching, branching, branching, "--variants", "divergent,divergent"], "3 are given"),
        (vec!["--variants", "divergent,divergent"], "0 are given"),
        (
            vec![branching, "results/nvidia-h200/transpose", "--variants", "divergent,naive"],
            "only runs of the same family can be compared",
        ),
        (
            vec![branching, "results/simulated-h200/at-simulated-sizes/branching", "--variants", "divergent,divergent"],
            "width is 4096 in results/nvidia-h200/branching and 192 in",
        ),
        (vec![branching, "--variants", "divergent,divergent", "--markdown"], "cannot be used with"),
    ] {
        let assert = compare(&arguments).assert().code(2);
        assert!(stderr(&assert).contains(words), "{arguments:?}: {}", stderr(&assert));
    }
}
