//! What a diagnosis ends with.

use super::{BOUNDED, workspace};
use crate::common::{stdout, unwrapped};

/// The lines behind the last empty one.
fn closing(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.trim_end().lines().rev().take_while(|line| !line.is_empty()).collect();
    lines.reverse();
    lines
}

#[test]
fn a_diagnosis_ends_with_a_few_lines_about_this_run_and_verbose_with_all_words() {
    let workspace = workspace(&["histogram", "filling"]);
    for (name, expected) in [
        (
            "histogram",
            &[
                "Half of such costs are within their ranges: so it was of 146 measured gains.",
                "Times of such kernels: 7.0 % off in the median, 10.9 % on average (more: -v).",
                "Races and bad accesses at all sizes: apbench verify histogram.toml",
            ][..],
        ),
        ("filling", &["Times of such kernels: ", "Races and bad accesses at all sizes: apbench verify filling.toml"]),
    ] {
        let diagnose = ["diagnose", &format!("{name}.toml"), "--device", "sim:h200"];
        let told = stdout(&workspace.apbench(&diagnose).env("COLUMNS", "200").assert().code(0));
        let lines = closing(&told);
        assert!(lines.len() <= 4 && lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
        let missing = expected.iter().find(|part| !lines.iter().any(|line| line.starts_with(**part)));
        assert_eq!(missing, None, "{lines:#?}");
        let verbose = unwrapped(&stdout(&workspace.apbench(&diagnose).arg("-v").assert().code(0)));
        for part in [
            format!("`apbench verify {name}.toml` looks for races and accesses outside of buffers at all sizes."),
            format!("How far simulated times of the kernel `{name}` are off is not known."),
        ] {
            assert!(verbose.contains(&part), "no {part} in:\n{verbose}");
        }
    }
}

#[test]
fn a_kernel_of_which_some_blocks_were_counted_is_named() {
    let workspace = workspace(&[]);
    std::fs::write(workspace.path("bounded.ptx"), BOUNDED).unwrap();
    let launch =
        ["--entry", "bounded", "--grid", "400000", "--block", "256", "--arg", "i32[256000]", "--arg", "256000"];
    let mut told = workspace.apbench(&[&["diagnose", "bounded.ptx", "--device", "sim:h200"][..], &launch].concat());
    let told = stdout(&told.assert().code(0));
    let lines = closing(&told);
    let in_part = lines.iter().find(|line| line.starts_with("Counted in part: bounded ("));
    assert!(in_part.is_some_and(|line| line.ends_with(" of 400,000 blocks).")), "{told}");
    assert!(lines.len() <= 4 && lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
}

/// The command would not fit into a line, or would be taken apart by a shell.
#[test]
fn a_long_name_of_a_scenario_does_not_break_the_line_and_one_of_two_words_is_quoted() {
    let workspace = workspace(&["transposition"]);
    let long = format!("{}.toml", "a".repeat(60));
    let scenario = "[kernel]\nsource = \"transposition.ptx\"\nvariants = { naive = \"transpose_naive\" }\nlaunch = { grid = [8, 8], block = [32, 32] }\n\
                    arguments = [\"a\", \"b\", 256]\n[buffers]\na = { type = \"f32\", length = 65536 }\nb = { type = \"f32\", length = 65536 }\n";
    for (name, shown) in [(&*long, "SCENARIO"), ("k 1.toml", "'k 1.toml'")] {
        std::fs::write(workspace.path(name), scenario).unwrap();
        let told = stdout(&workspace.apbench(&["diagnose", name, "--device", "sim:h200"]).assert().code(0));
        let expected = format!("Races and bad accesses at all sizes: apbench verify {shown}");
        assert_eq!(closing(&told).last(), Some(&&*expected), "{told}");
    }
}

/// A variant that the simulated GPU cannot run is skipped, as in a sweep; where it is the only one, nothing was diagnosed.
#[test]
fn a_variant_that_cannot_run_does_not_fail_the_others() {
    let workspace = workspace(&[]);
    let diagnose = ["diagnose", "global-access", "--set", "width=512", "--device", "sim:h200"];
    let told = stdout(&workspace.apbench(&diagnose).assert().code(0));
    assert!(told.contains("driver_copy: not diagnosed: this device cannot run it"), "{told}");
    workspace.apbench(&diagnose).args(["--variant", "driver_copy"]).assert().code(4);
}
