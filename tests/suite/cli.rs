//! The command line: exit statuses, errors and what is printed.

use apbench::family::FAMILIES;
use apbench::model::law::LAWS;
use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

use crate::common::{H200, Workspace, stderr, stdout};

#[test]
fn bad_arguments_are_status_2() {
    let workspace = Workspace::new();
    for arguments in [
        &["sweep"][..],
        &["sweep", "small.toml", "--device", "gpu0"],
        &["sweep", "small.toml", "--frobnicate"],
        &["nonsense"],
        &["sweep", "small.toml", "small.toml", "--out", "run", "--device", "mock"],
    ] {
        let assert = workspace.apbench(arguments).assert().code(2);
        assert!(!stderr(&assert).is_empty(), "{arguments:?}");
        assert!(!workspace.path("run").exists());
    }
}

#[test]
fn a_bad_scenario_is_status_2_with_every_error_located() {
    let workspace = Workspace::new();
    let text = "family = \"branching\"\n[grid]\nbranchs = [1, 2]\nwork = \"2Ki\"\nwidth = []\n";
    fs::write(workspace.path("bad.toml"), text).unwrap();
    let assert = workspace.apbench(&["sweep", "bad.toml", "--device", "mock"]).assert().code(2);
    let errors = stderr(&assert);
    for wanted in ["bad.toml:3:1", "branches", "bad.toml:4:8", "2Ki", "bad.toml:5:9"] {
        assert!(errors.contains(wanted), "no {wanted} in:\n{errors}");
    }
    assert!(!workspace.path("results").exists(), "nothing was run");
}

#[test]
fn a_directory_that_cannot_be_made_is_told_with_the_option() {
    let workspace = Workspace::new();
    let assert =
        workspace.apbench(&["sweep", "small.toml", "--device", "mock", "--out", "small.toml/run"]).assert().code(2);
    let told = stderr(&assert);
    assert!(told.contains("small.toml/run: this directory cannot be made: ") && told.contains("to --out"), "{told}");
}

/// A run that is not told where to go says where it goes, and whether anything is measured.
#[test]
fn only_a_gpu_is_measured() {
    let workspace = Workspace::new();
    for (device, expected) in [("mock", "measuring into results/"), ("sim:gtx280", "simulating into results/")] {
        let assert = workspace.apbench(&["sweep", "small.toml", "--device", device]).assert().code(0);
        assert!(stderr(&assert).contains(expected), "{}", stderr(&assert));
    }
}

#[test]
fn a_missing_scenario_is_status_2() {
    let assert = Workspace::new().apbench(&["sweep", "absent.toml", "--device", "mock"]).assert().code(2);
    assert!(stderr(&assert).contains("absent.toml"));
}

#[test]
fn a_device_that_is_not_there_is_status_3() {
    let workspace = Workspace::new();
    for device in ["cuda:99", "sim:nosuch"] {
        let assert = workspace.apbench(&["sweep", "small.toml", "--device", device, "--out", "run"]).assert().code(3);
        assert!(stderr(&assert).contains("device"), "{}", stderr(&assert));
        assert!(!workspace.path("run").exists(), "no run directory for a device that is not there");
        workspace.apbench(&["verify", "--device", device]).assert().code(3);
    }
}

#[test]
fn a_simulated_device_that_is_not_there_is_told_with_those_that_are() {
    let assert = Workspace::new().apbench(&["sweep", "small.toml", "--device", "sim:gtx-280"]).assert().code(3);
    let expected = "error: no device `sim:gtx-280`: did you mean `sim:gtx280`? Simulated devices: sim:h200, sim:a100, \
                    sim:gtx280, sim:8500gt, or a profile of your own: sim:FILE.toml, or sim:NAME for NAME.toml here or in the folder \
                    that apbench devices names\n";
    assert_eq!(stderr(&assert), expected);
}

#[test]
fn a_bad_profile_is_status_2_with_every_error_located() {
    let workspace = Workspace::new();
    let profile = H200.replace("sm_count = { value = 132", "sm_count = { value = 0");
    let profile = profile.replace("sm_clock_mhz = { value = 1980", "sm_clock_mhz = { value = \"fast\"");
    fs::write(workspace.path("bad.toml"), profile).unwrap();
    for arguments in [
        &["sweep", "small.toml", "--device", "sim:bad.toml", "--out", "run"][..],
        &["sweep", "small.toml", "--device", "sim:bad.toml", "--dry-run"],
        &["verify", "--device", "sim:bad.toml"],
        &["devices", "--device", "sim:bad.toml"],
    ] {
        let assert = workspace.apbench(arguments).assert().code(2);
        let errors = stderr(&assert);
        let line = H200.lines().position(|line| line.starts_with("sm_count")).unwrap() + 1;
        for wanted in [
            &format!("bad.toml:{line}:22"),
            "`sm_count`: 0 is out of range",
            "expected a whole number from 1 to 1024",
            "`sm_clock_mhz` must be a number from 300 to 5000, not text",
            "2 errors in bad.toml",
        ] {
            assert!(errors.contains(wanted), "no {wanted} in:\n{errors}");
        }
        assert!(!workspace.path("run").exists());
    }
    fs::write(workspace.path("photograph.toml"), b"\xff\xd8\xff\xe0\x00\x10JFIF").unwrap();
    for (device, wanted) in [
        ("sim:photograph.toml", "photograph.toml is not UTF-8 text"),
        ("sim:absent.toml", "absent.toml cannot be read"),
        ("sim:./", "./ is a directory"),
    ] {
        let assert = workspace.apbench(&["sweep", "small.toml", "--device", device]).assert().code(2);
        assert!(stderr(&assert).contains(wanted), "{}", stderr(&assert));
    }
}

#[test]
fn a_profile_of_the_users_own_is_a_device() {
    let workspace = Workspace::new();
    fs::create_dir(workspace.path("mine")).unwrap();
    let profile =
        H200.replace("NVIDIA H200", "Half an H200").replace("sm_count = { value = 132", "sm_count = { value = 66");
    fs::write(workspace.path("mine/half.toml"), profile).unwrap();
    let device = "sim:mine/half.toml";
    let listed = stdout(&workspace.apbench(&["devices", "--device", device]).assert().code(0));
    assert!(
        listed.contains(device) && listed.contains("Half an H200 (simulated)") && listed.contains(" 66 "),
        "{listed}"
    );
    let grid = stdout(&workspace.apbench(&["sweep", "small.toml", "--device", device, "--dry-run"]).assert().code(0));
    assert!(grid.starts_with("small on Half an H200 (simulated) (sim:mine/half.toml)\n"), "{grid}");
}

#[test]
fn profiles_of_the_current_folder_are_listed_and_meant() {
    let workspace = Workspace::new();
    fs::write(workspace.path("mine.toml"), H200.replace("NVIDIA H200", "My own")).unwrap();
    // A scenario, which is no profile, is there as well.
    let assert = workspace.apbench(&["devices"]).assert().code(0);
    let listed = stdout(&assert);
    assert!(listed.contains("sim:mine") && listed.contains("My own (simulated)"), "{listed}");
    assert!(!listed.contains("sim:small") && !stderr(&assert).contains("small.toml"), "{listed}");
    for (given, meant) in [("mine", Some("sim:mine")), ("h200", Some("sim:h200")), ("other", None)] {
        let told = stderr(&workspace.apbench(&["sweep", "small.toml", "--device", given]).assert().code(2));
        let hint = meant.map(|meant| format!("`{given}` is not a device; did you mean `{meant}`? expected"));
        assert_eq!(told.contains("did you mean"), hint.is_some(), "{told}");
        assert!(hint.is_none_or(|hint| told.contains(&hint)), "{told}");
    }
}

#[test]
fn a_run_that_is_none_is_status_1_with_its_path() {
    let workspace = Workspace::new();
    for command in ["fit", "plot"] {
        let assert = workspace.apbench(&[command, "nowhere"]).assert().code(1);
        assert!(stderr(&assert).contains("nowhere: there is no such run directory"), "{}", stderr(&assert));
    }
}

#[test]
fn malformed_rows_are_named_by_file_and_line() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    let good = workspace.read("run/points.csv");
    let cases = [
        (good.replacen(",ok,", ",fine,", 1), "points.csv:2: status is `fine`"),
        (good.replacen(",mock,30,", ",mock,NaN,", 1), "points.csv:2: time_us is `NaN`"),
        (good.replacen("point,variant", "punkt,variant", 1), "points.csv:1: the columns are not those of a run"),
        (good.replacen("\n1,divergent,", "\n1,divergent,7,", 1), "points.csv:3"),
        (String::new(), "points.csv:1"),
        ("\u{0}\u{1}\u{2}\n".to_owned(), "points.csv:1"),
    ];
    for (text, wanted) in cases {
        fs::write(workspace.path("run/points.csv"), text).unwrap();
        for command in ["fit", "plot"] {
            let assert = workspace.apbench(&[command, "run"]).assert().code(1);
            assert!(stderr(&assert).contains(wanted), "no {wanted:?} in {}", stderr(&assert));
        }
    }
}

#[test]
fn a_closed_pipe_is_a_quiet_success() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_apbench"))
        .args(["verify", "--family", "block_sum", "--device", "mock"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_closed_pipe_does_not_hide_a_wrong_kernel() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_apbench"))
        .args(["verify", "--family", "block_sum", "--device", "mock:wrong=100"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(4));
}

#[test]
fn a_closed_pipe_costs_a_sweep_nothing() {
    let workspace = Workspace::new();
    fs::copy(workspace.path("small.toml"), workspace.path("other.toml")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_apbench"))
        .current_dir(workspace.path("."))
        .args(["sweep", "small.toml", "other.toml", "--device", "mock:wrong=1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(4), "the wrong point is told all the same");
    let runs: Vec<_> = fs::read_dir(workspace.path("results")).unwrap().map(|run| run.unwrap().path()).collect();
    assert_eq!(runs.len(), 2);
    for run in runs {
        assert!(run.join("fits.csv").is_file() && run.join("charts/runtime.svg").is_file(), "{}", run.display());
    }
}

#[test]
fn a_run_keeps_the_name_of_its_scenario() {
    let workspace = Workspace::new();
    fs::write(
        workspace.path("small.toml"),
        "family = \"branching\"\nvariants = [\"divergent\"]\ngrid.width = 32\nchart = [{ x = \"branches\" }]\n",
    )
    .unwrap();
    let assert = workspace.sweep("", &[]).code(0);
    assert!(stdout(&assert).starts_with("small: small\n"), "{}", stdout(&assert));
    assert!(workspace.read("run/charts/runtime.svg").contains("<title>small</title>"), "the chart's title");
}

#[test]
fn verify_ends_with_a_count_and_says_what_failed() {
    let workspace = Workspace::new();
    let verify = ["verify", "-v", "--family", "block_sum", "--device"];
    let good = stdout(&workspace.apbench(&[&verify[..], &["mock"]].concat()).assert().code(0));
    let points = good.lines().filter(|line| line.starts_with("ok ")).count();
    assert!(points > 100);
    assert_eq!(good.lines().last(), Some(format!("{points} passed, 0 failed").as_str()));

    let bad = stdout(&workspace.apbench(&[&verify[..], &["mock:wrong=4"]].concat()).assert().code(4));
    assert_eq!(bad.lines().last(), Some(format!("{} passed, 1 failed", points - 1).as_str()));
    assert_eq!(bad.lines().filter(|line| line.starts_with("FAILED block_sum/")).count(), 1);

    // In short, a line for each variant, and each point that failed.
    let short = ["verify", "--family", "block_sum", "--device", "mock:wrong=4"];
    let told = stdout(&workspace.apbench(&short).assert().code(4));
    assert_eq!(told.lines().last(), bad.lines().last());
    assert_eq!(told.lines().filter(|line| line.starts_with("FAILED block_sum/")).count(), 1);
    let sums: Vec<&str> = told.lines().filter(|line| line.starts_with("ok ")).collect();
    assert!(sums.len() < 20 && sums.iter().all(|line| line.ends_with(" points")), "{told}");
    let passed: usize =
        sums.iter().filter_map(|line| line.split_whitespace().rev().nth(1)?.parse::<usize>().ok()).sum();
    assert_eq!(passed, points - 1, "{told}");
}

#[test]
fn a_dry_run_prints_the_grid_in_order_and_measures_nothing() {
    let workspace = Workspace::new();
    let arguments = ["sweep", "small.toml", "--device", "mock", "--dry-run", "--set", "branches=2,32"];
    let assert = workspace.apbench(&arguments).assert().code(0);
    insta::assert_snapshot!(stdout(&assert));
    assert!(!workspace.path("results").exists());
}

#[test]
fn a_dry_run_needs_no_gpu_and_says_what_stands_in() {
    let workspace = Workspace::new();
    let assert = workspace.apbench(&["sweep", "small.toml", "--dry-run"]).assert().code(0);
    assert!(stdout(&assert).contains("8 points"));
    let json = stdout(&workspace.apbench(&["devices", "--json"]).assert().code(0));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    match json["problem"].as_str() {
        Some(problem) => {
            assert!(problem.starts_with("no CUDA device"), "{problem}");
            let note = format!("note: {problem}; simulating an NVIDIA H200 (sim:h200)\n");
            assert_eq!(stderr(&assert), note);
            assert!(stdout(&assert).starts_with("small on NVIDIA H200 (simulated) (sim:h200)\n"));
        }
        None => assert_eq!(stderr(&assert), ""),
    }
}

#[test]
fn a_dry_run_shows_the_sizes_for_the_device_at_hand() {
    let workspace = Workspace::new();
    let text = fs::read_to_string(workspace.path("small.toml")).unwrap();
    fs::write(workspace.path("small.toml"), text + "\n[simulated]\nwidth = 32\n").unwrap();
    let grid = |device: &str, more: &[&str]| {
        let mut arguments = vec!["sweep", "small.toml", "--dry-run", "--device", device];
        arguments.extend(more);
        stdout(&workspace.apbench(&arguments).assert().code(0))
    };
    assert!(grid("mock", &[]).contains(" width=64 "));
    assert!(grid("sim:gtx280", &[]).contains(" width=32 "));
    assert!(grid("sim:gtx280", &["--set", "width=65"]).contains(" width=65 "));
}

#[test]
fn list_prints_every_parameter_with_what_it_allows() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(stdout(&workspace.apbench(&["list", "branching"]).assert().code(0)));
    let overview = stdout(&workspace.apbench(&["list"]).assert().code(0));
    for family in FAMILIES {
        assert!(overview.contains(&format!("  {} ", family.name)), "{}", family.name);
        assert!(family.variants.iter().all(|variant| overview.contains(variant.name)), "{}", family.name);
    }
    for law in LAWS {
        assert!(overview.contains(law.equation), "{}", law.name);
    }
    workspace.apbench(&["list", "nothing"]).assert().code(2);
    let json = stdout(&workspace.apbench(&["list", "--json"]).assert().code(0));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["families"][0]["name"], "branching");
    assert_eq!(json["laws"].as_array().unwrap().len(), LAWS.len());
    assert_eq!(json["families"].as_array().unwrap().len(), FAMILIES.len());
}

#[test]
fn devices_is_a_success_with_and_without_a_gpu_and_has_the_simulated_ones() {
    let workspace = Workspace::new();
    let text = stdout(&workspace.apbench(&["devices"]).assert().code(0));
    let json = stdout(&workspace.apbench(&["devices", "--json"]).assert().code(0));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let devices = json["devices"].as_array().unwrap();
    let simulated: Vec<&str> = devices
        .iter()
        .filter(|device| device["origin"] == "simulated")
        .map(|device| {
            assert!(device["profile"]["validation"].as_str().is_some_and(|state| !state.is_empty()));
            device["spec"].as_str().unwrap()
        })
        .collect();
    assert_eq!(simulated, ["sim:h200", "sim:a100", "sim:gtx280", "sim:8500gt"]);
    for device in devices {
        assert!(text.contains(device["name"].as_str().unwrap()), "{text}");
        assert_eq!(device["profile"].is_null(), device["origin"] == "measured");
    }
    assert_eq!(json["problem"].is_null(), devices.len() > simulated.len(), "CUDA devices, or why there are none");
}

#[test]
fn simulated_devices_are_listed_with_the_state_of_their_validation() {
    let mut arguments = vec!["devices"];
    for device in ["sim:h200", "sim:a100", "sim:gtx280", "sim:8500gt"] {
        arguments.extend(["--device", device]);
    }
    insta::assert_snapshot!(stdout(&Workspace::new().apbench(&arguments).assert().code(0)));
}

#[test]
fn every_command_has_help() {
    let workspace = Workspace::new();
    for command in ["sweep", "fit", "plot", "list", "devices", "verify", "completions"] {
        let help = stdout(&workspace.apbench(&[command, "--help"]).assert().code(0));
        assert!(help.contains("Usage:"), "{help}");
        assert!(!help.contains("mock"), "the mock is for tests: {help}");
    }
}

/// The options in a command's help, and whether each takes a value.
fn options(help: &str) -> impl Iterator<Item = (&str, bool)> {
    help.lines().filter_map(|line| {
        // With a short form, or in its column without one.
        let short = line.strip_prefix("  -").and_then(|own| own.split_once(", --"));
        let long = short.map(|(_, long)| long).or_else(|| line.strip_prefix("      --"))?;
        let name = long.split([' ', '.']).next()?;
        Some((name, long[name.len()..].starts_with(" <")))
    })
}

/// Else it would be one word for two things.
#[test]
fn an_option_of_several_commands_takes_a_value_in_all_or_in_none() {
    let workspace = Workspace::new();
    let overview = stdout(&workspace.apbench(&["--help"]).assert().code(0));
    let commands = overview.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let mut takes_value = BTreeMap::new();
    let names = commands.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    for command in names.filter(|name| *name != "help") {
        let help = stdout(&workspace.apbench(&[command, "-h"]).assert().success());
        for (option, takes) in options(&help) {
            let (first, known) = takes_value.entry(option.to_owned()).or_insert((command, takes));
            assert_eq!(*known, takes, "--{option} of {first} and of {command}");
        }
    }
    assert!(takes_value.len() > 20, "the options were not found");
}

#[test]
fn every_command_has_a_manual_page() {
    let workspace = Workspace::new();
    let written = stdout(&workspace.apbench(&["man", "pages"]).assert().code(0));
    let commands = |arguments: &[&str]| -> Vec<String> {
        let help = stdout(&workspace.apbench(arguments).assert().code(0));
        let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        let names = lines.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
        names.filter(|name| *name != "help").map(str::to_owned).collect()
    };
    let mut pages: Vec<String> = Vec::new();
    for name in commands(&["--help"]) {
        pages.push(format!("pages/apbench-{name}.1"));
        pages.extend(commands(&[&name, "--help"]).iter().map(|below| format!("pages/apbench-{name}-{below}.1")));
    }
    assert!(pages.contains(&"pages/apbench-baseline-save.1".to_owned()), "{pages:?}");
    pages.push("pages/apbench.1".to_owned());
    assert_eq!(written.lines().collect::<Vec<_>>(), pages);
    assert!(
        workspace.read("pages/apbench-sweep.1").contains("dry\\-run"),
        "{}",
        workspace.read("pages/apbench-sweep.1")
    );
}
