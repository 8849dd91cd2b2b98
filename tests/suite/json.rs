//! What `sweep`, `fit` and `verify` print as JSON: one document that says what the screen says.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use crate::common::{SCENARIO, Workspace, send, stderr, stdout, wait_until};
use crate::reference::{committed, keys, names_below};
use crate::user_kernels::{COUNT, COUNTING};

/// The whole of standard output, which is one document.
fn document(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn list<'a>(value: &'a Json, key: &str) -> &'a [Json] {
    value[key].as_array().unwrap_or_else(|| panic!("no list {key}: {value}"))
}

/// A text without its line breaks.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cells of a row of `fits.csv`.
fn cells(fits: &str, variant: &str, operation: &str, parameter: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(fits.as_bytes());
    let header = reader.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|own| own == name).unwrap();
    let wanted = [("variant", variant), ("operation", operation), ("parameter", parameter)];
    let mut rows = reader.records().map(Result::unwrap);
    let row = rows.find(|row| wanted.iter().all(|(name, value)| &row[place(name)] == *value)).expect("a row");
    ["estimate", "low", "high", "unit", "verdict"].map(|name| row[place(name)].to_owned()).to_vec()
}

#[test]
fn a_sweep_is_one_document_with_what_the_screen_and_the_files_say() {
    let workspace = Workspace::new();
    let told = document(&stdout(&workspace.sweep("outside_us=10,slope_us=20,noise_pct=1", &["--json"]).code(0)));
    let [run] = list(&told, "runs") else { panic!("{told}") };
    assert_eq!((&told["interrupted"], list(&told, "not_done").len()), (&Json::Bool(false), 0));
    assert_eq!((&run["run"], &run["scenario"], &run["origin"]), (&"run".into(), &"small".into(), &"mock".into()));
    assert_eq!((&run["status"], &run["points"]["ok"]), (&"complete".into(), &8.into()));
    assert_eq!(run["page"], "run/report.html");
    for chart in list(run, "charts") {
        assert!(workspace.path(chart.as_str().unwrap()).is_file(), "{chart}");
    }
    // The conclusion is that of the screen, and the laws are those of fits.csv.
    let screen = joined(&stdout(
        &workspace
            .apbench(&[
                "sweep",
                "small.toml",
                "--device",
                "mock:outside_us=10,slope_us=20,noise_pct=1",
                "--out",
                "again",
            ])
            .assert()
            .code(0),
    ));
    assert!(!list(run, "conclusion").is_empty(), "{run}");
    for sentence in list(run, "conclusion").iter().chain(list(run, "untold")) {
        assert!(screen.contains(sentence.as_str().unwrap()), "{sentence}: {screen}");
    }
    let fits = workspace.read("run/fits.csv");
    let mut held = 0;
    for fit in list(run, "fits") {
        let [variant, operation] = ["variant", "operation"].map(|name| fit["group"][name].as_str().unwrap());
        for own in list(&fit["law"], "coefficients") {
            let written = cells(&fits, variant, operation, own["name"].as_str().unwrap());
            for (key, written) in ["estimate", "low", "high"].iter().zip(&written) {
                let (told, written): (f64, f64) = (own[key].as_f64().unwrap(), written.parse().unwrap());
                assert!((told - written).abs() <= 1e-5 * written.abs(), "{key}: {told}, not {written}");
            }
            assert_eq!(own["unit"], written[3]);
            assert_eq!(fit["sentence"], written[4]);
            held += 1;
        }
    }
    assert_eq!(held, 4, "two laws of two coefficients: {run}");
}

#[test]
fn a_fit_has_the_same_document_and_writes_its_file() {
    let workspace = Workspace::new();
    let swept = document(&stdout(&workspace.sweep("noise_pct=1", &["--json"]).code(0)));
    fs::remove_file(workspace.path("run/fits.csv")).unwrap();
    let fitted = document(&stdout(&workspace.apbench(&["fit", "run", "--json"]).assert().code(0)));
    assert_eq!(fitted["written"], "run/fits.csv");
    assert!(workspace.path("run/fits.csv").is_file());
    for key in ["scenario", "device", "points", "conclusion", "untold", "doubts", "findings", "fits"] {
        assert_eq!(fitted[key], swept["runs"][0][key], "{key}");
    }
    let other = ["fit", "run", "--json", "--predictor", "branches_per_warp", "--holdout", "25%"];
    let other = document(&stdout(&workspace.apbench(&other).assert().code(0)));
    assert_eq!(other["written"], Json::Null);
    let runners_up = |fit: &Json| !list(&fit["law"], "runners_up").is_empty();
    assert!(list(&other, "fits").iter().all(runners_up), "{other}");
    let problem = |test: &Json| test["problem"].as_str().is_some_and(|problem| problem.contains("too few"));
    let tested = list(&other, "holdout");
    assert!(tested.len() == 2 && tested.iter().all(|test| test["held_out"].is_u64() || problem(test)), "{other}");
}

#[test]
fn failed_points_and_failed_runs_are_in_the_document() {
    let workspace = Workspace::new();
    let sweep = workspace.sweep("fail_at=2", &["--json"]).code(4);
    let told = document(&stdout(&sweep));
    let run = &told["runs"][0];
    assert_eq!((&run["points"]["ok"], &run["points"]["failed"]), (&6.into(), &2.into()));
    assert_eq!(list(run, "causes").len(), 1, "{run}");
    // The same directory again is refused before there is anything to tell.
    let assert = workspace.sweep("", &["--json"]).code(2);
    let told = document(&stdout(&assert));
    let [not_done] = list(&told, "not_done") else { panic!("{told}") };
    assert_eq!(not_done["scenario"], "small");
    assert!(not_done["error"].as_str().unwrap().contains("run: is not empty"), "{told}");
    assert!(stderr(&assert).contains("run: is not empty") && list(&told, "runs").is_empty(), "{told}");
}

#[test]
fn several_devices_and_scenarios_are_in_their_order() {
    let workspace = Workspace::new();
    fs::write(workspace.path("other.toml"), SCENARIO).unwrap();
    let devices = ["--device", "mock:delay_ms=20", "--device", "mock:slope_us=1"];
    let arguments: Vec<&str> = ["sweep", "small.toml", "other.toml", "--json"].into_iter().chain(devices).collect();
    let told = document(&stdout(&workspace.apbench(&arguments).assert().code(0)));
    let names: Vec<&str> = list(&told, "runs").iter().filter_map(|run| run["scenario"].as_str()).collect();
    assert_eq!(names, ["small", "other", "small", "other"]);
    let directories: BTreeSet<&str> = list(&told, "runs").iter().filter_map(|run| run["run"].as_str()).collect();
    assert_eq!(directories.len(), 4);
}

#[cfg(unix)]
#[test]
fn an_interrupted_sweep_ends_its_document() {
    let workspace = Workspace::new();
    let sweep = Command::new(env!("CARGO_BIN_EXE_apbench"))
        .current_dir(workspace.path(""))
        .args(["sweep", "small.toml", "small.toml", "--device", "mock:delay_ms=300", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let run = || fs::read_dir(workspace.path("results")).ok()?.next()?.ok().map(|entry| entry.path());
    let rows =
        || run().and_then(|run| fs::read_to_string(run.join("points.csv")).ok()).map_or(0, |text| text.lines().count());
    wait_until("a row", || rows() > 1);
    send("-INT", &sweep);
    let output = sweep.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let told = document(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(told["interrupted"], true);
    assert_eq!(told["runs"][0]["status"], "interrupted");
    assert!(told["runs"][0]["continue"].as_str().unwrap().contains("--resume"), "{told}");
    assert_eq!(told["not_done"][0]["error"], "interrupted before it began");
}

#[test]
fn checks_have_their_verdicts() {
    let workspace = Workspace::new();
    let verify = ["verify", "--family", "block_sum", "--json", "--device"];
    let good = document(&stdout(&workspace.apbench(&[&verify[..], &["mock"]].concat()).assert().code(0)));
    let verdicts: BTreeSet<&str> = list(&good, "checks").iter().filter_map(|check| check["verdict"].as_str()).collect();
    assert_eq!((verdicts, &good["is_right"]), (BTreeSet::from(["passed"]), &Json::Bool(true)));
    assert_eq!(good["counts"]["passed"], list(&good, "checks").len());
    let bad = document(&stdout(&workspace.apbench(&[&verify[..], &["mock:wrong=4"]].concat()).assert().code(4)));
    let failed: Vec<&Json> = list(&bad, "checks").iter().filter(|check| check["verdict"] == "failed").collect();
    assert_eq!((failed.len(), &bad["counts"]["failed"], &bad["is_right"]), (1, &1.into(), &Json::Bool(false)));
    assert!(failed[0]["problem"].as_str().unwrap().contains("expected"), "{}", failed[0]);
    assert!(failed[0]["parameters"]["block"].is_string(), "{}", failed[0]);
}

#[test]
fn races_have_their_lines() {
    let workspace = Workspace::new();
    fs::write(workspace.path("count.ptx"), COUNT).unwrap();
    fs::write(workspace.path("count.toml"), COUNTING).unwrap();
    let assert = workspace.apbench(&["verify", "count.toml", "--device", "sim:h200", "--json"]).assert().code(4);
    let told = document(&stdout(&assert));
    let races: Vec<&Json> = list(&told, "checks").iter().flat_map(|check| list(check, "races")).collect();
    assert!(
        races.iter().any(|race| race["is_certain"] == true) && races.iter().any(|race| race["is_certain"] == false)
    );
    for race in races {
        assert!(list(race, "lines").iter().all(|line| line["place"].as_str().unwrap().starts_with("count.ptx:")));
        assert!(!race["what"].as_str().unwrap().is_empty() && !race["remedy"].as_str().unwrap().is_empty());
    }
    assert!(told["accesses_checked_for_races"].as_u64().unwrap() > 0);
}

/// Keys of a document whose values go by names of parameters, without these names.
fn keys_of(value: &Json) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    keys("", value, &mut found);
    let without_names = |key: String| {
        let objects = ["fits[].group.", "holdout[].group.", "checks[].parameters."];
        let end = objects.iter().find_map(|object| Some(key.find(object)? + object.len() - 1));
        end.map_or(key.clone(), |end| key[..end].to_owned())
    };
    found.into_iter().map(without_names).collect()
}

#[test]
fn the_reference_lists_the_keys() {
    let page = committed("columns.md");
    let workspace = Workspace::new();
    fs::write(workspace.path("count.ptx"), COUNT).unwrap();
    fs::write(workspace.path("count.toml"), COUNTING).unwrap();
    fs::write(
        workspace.path("pair.toml"),
        SCENARIO
            .replace("[[chart]]", "[[fit]]\nlaw = \"slowdown\"\nreference = \"divergent\"\n\n[[fit]]\nlaw = \"auto\"\npredictor = \"branches_per_warp\"\n\n[[chart]]")
            .replace("[\"divergent\"]", "[\"divergent\", \"static_reordering\"]"),
    )
    .unwrap();
    let swept = document(&stdout(
        &workspace
            .apbench(&["sweep", "pair.toml", "--device", "mock:noise_pct=1", "--out", "run", "--json"])
            .assert()
            .code(0),
    ));
    let auto = document(&stdout(
        &workspace
            .apbench(&["fit", "run", "--json", "--predictor", "branches_per_warp", "--holdout", "25%"])
            .assert()
            .code(0),
    ));
    let fitted = document(&stdout(&workspace.apbench(&["fit", "run", "--json"]).assert().code(0)));
    let refused = document(&stdout(&workspace.sweep("", &["--json"]).code(2)));
    let verified = document(&stdout(
        &workspace.apbench(&["verify", "count.toml", "--device", "sim:h200", "--json"]).assert().code(4),
    ));
    let of_run = names_below(&page, "`apbench fit --json`");
    let of_sweep: BTreeSet<String> = names_below(&page, "`apbench sweep --json`").into_iter().collect();
    // Runs of a sweep have the keys of a fit but for those that only it has.
    let in_runs =
        of_run.iter().filter(|key| !key.starts_with("holdout") && *key != "written").map(|key| format!("runs[].{key}"));
    let of_sweep: BTreeSet<String> = of_sweep.into_iter().chain(in_runs).collect();
    let of_verify = names_below(&page, "`apbench verify --json`");
    for (listed, documents) in
        [(&of_run, vec![&auto, &fitted]), (&of_sweep, vec![&swept, &refused]), (&of_verify, vec![&verified])]
    {
        let written: BTreeSet<String> = documents.iter().flat_map(|document| keys_of(document)).collect();
        let unlisted: Vec<_> = written.difference(listed).filter(|key| **key != "runs").collect();
        assert!(unlisted.is_empty(), "keys that the reference does not list: {unlisted:?}");
        // Keys of lists whose only document here is empty, or is whole, are not asked for.
        let unwritten: Vec<_> = listed.difference(&written).filter(|key| !is_container(key, &written)).collect();
        assert!(unwritten.is_empty(), "the reference lists keys that no document has: {unwritten:?}");
    }
}

/// Whether a key is of an object or a list whose own keys are listed, too.
fn is_container(key: &str, written: &BTreeSet<String>) -> bool {
    written.iter().any(|other| other.starts_with(&format!("{key}.")) || other.starts_with(&format!("{key}[].")))
}

#[test]
fn a_law_of_what_costs_nothing_has_a_verdict_of_its_own() {
    let workspace = Workspace::new();
    let told = document(&stdout(&workspace.sweep("outside_us=10,slope_us=0", &["--json"]).code(0)));
    let run = &list(&told, "runs")[0];
    let verdicts = ["fits", "findings"].map(|key| list(run, key).iter().map(|own| &own["verdict"]).collect::<Vec<_>>());
    assert_eq!(verdicts, [["no cost"; 2], ["no cost"; 2]]);
    let sentence = run["fits"][0]["sentence"].as_str().unwrap();
    assert_eq!(sentence, "no measurable cost: from n = 1 to 8 all times are the same");
}
