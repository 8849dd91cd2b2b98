//! Laws from outside: `fit` with its options, and `predict`.

use std::fs;

use super::common::{Workspace, column, stderr, stdout};

/// A run of the mock, whose times are a line exactly.
fn run() -> Workspace {
    let workspace = Workspace::new();
    workspace.sweep("outside_us=12.5,slope_us=3.75", &["--set", "branches={ from = 1, to = 8, step = 1 }"]).code(0);
    workspace
}

fn told(workspace: &Workspace, arguments: &[&str]) -> String {
    stdout(&workspace.apbench(arguments).assert().code(0))
}

fn refused(workspace: &Workspace, arguments: &[&str]) -> String {
    stderr(&workspace.apbench(arguments).assert().code(2))
}

#[test]
fn a_law_predicts_within_and_beyond_its_range() {
    let workspace = run();
    let output = told(&workspace, &["predict", "run", "--set", "branches=2,16,48", "--set", "operation=compute"]);
    assert!(output.contains("t = 12.5 µs + 3.75 µs · n (branches), variant=divergent operation=compute"), "{output}");
    let row =
        |name: &str| output.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_default().to_owned();
    assert!(row("branches=2 ").contains("20.00 µs  20.00 µs to 20.00 µs"), "{output}");
    assert!(!row("branches=2 ").contains("extrapolated"), "{output}");
    assert!(
        row("branches=16").contains("72.50 µs") && row("branches=16").contains("extrapolated: fitted from 1 to 8"),
        "{output}"
    );
    assert!(row("branches=48").contains("192.5 µs"), "{output}");
    assert!(output.contains("no kernel has branches = 48, only a whole number from 1 to 32"), "{output}");
    assert!(!output.contains("convolution"), "{output}");
}

/// What can be predicted, and how, is in the refusal.
#[test]
fn a_refused_prediction_says_what_can_be_predicted() {
    let workspace = Workspace::new();
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/results/nvidia-h200/launch-overlap");
    let told = refused(&workspace, &["predict", run, "--set", "preamble_multiply_adds=3000"]);
    insta::assert_snapshot!(told.replace(run, "RUN"));
}

#[test]
fn predictions_are_json_too() {
    let workspace = run();
    let output = told(&workspace, &["predict", "run", "--set", "branches=3", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&output).unwrap();
    let predictions = json["predictions"].as_array().unwrap();
    assert_eq!((predictions.len(), &json["origin"]), (2, &serde_json::json!("mock")));
    for (prediction, operation) in predictions.iter().zip(["compute", "convolution"]) {
        assert_eq!(prediction["group"]["operation"], operation);
        assert_eq!(
            (&prediction["x"], &prediction["set"]["branches"]),
            (&serde_json::json!(3.0), &serde_json::json!("3"))
        );
        for name in ["time_us", "time_us_low", "time_us_high"] {
            assert!((prediction[name].as_f64().unwrap() - 23.75).abs() < 1e-6, "{prediction}");
        }
        assert_eq!(
            (&prediction["extrapolated"], &prediction["holds"]),
            (&serde_json::json!(false), &serde_json::json!(true))
        );
        assert_eq!(prediction["verdict"], "holds exactly");
    }
}

#[test]
fn no_time_below_zero_is_predicted() {
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/results/nvidia-h200/transpose");
    let workspace = Workspace::new();
    let told = told(&workspace, &["predict", run, "--set", "width=64"]);
    let below: Vec<&str> = told.lines().filter(|line| line.contains("below zero")).collect();
    assert!(below.len() == 3 && below.iter().all(|line| line.contains("  none  ")), "{told}");
    let json: serde_json::Value =
        serde_json::from_str(&self::told(&workspace, &["predict", run, "--set", "width=64", "--json"])).unwrap();
    let times = json["predictions"].as_array().unwrap().iter().map(|own| own["time_us"].as_f64());
    assert_eq!(times.clone().filter(Option::is_none).count(), 3, "{json}");
    assert!(times.flatten().all(|time_us| time_us > 0.0), "{json}");
}

#[test]
fn predictors_follow_from_parameters_that_no_point_has() {
    let workspace = Workspace::new();
    let scenario = "family = \"branching\"\nvariants = [\"divergent\"]\n[grid]\nwork_per_branch = \"ascending\"\n\
                    branches = [1, 2, 4, 6, 8]\nwidth = 64\nwork = 1\n[[fit]]\nlaw = \"branch_sum\"\n";
    fs::write(workspace.path("small.toml"), scenario).unwrap();
    workspace.sweep("outside_us=5,slope_us=2", &[]).code(0);
    let output = told(&workspace, &["predict", "run", "--set", "branches=5"]);
    // 1 + 2 + 3 + 4 + 5 times the work of the first branch.
    assert!(output.contains("branches=5  15") && output.contains("35.00 µs"), "{output}");
    let beyond = refused(&workspace, &["predict", "run", "--set", "branches=48"]);
    assert!(beyond.contains("the value of followed_work is not known"), "{beyond}");
    let some = workspace.apbench(&["predict", "run", "--set", "branches=5,48"]).assert().code(0);
    assert!(stdout(&some).contains("35.00 µs") && stderr(&some).contains("no kernel has branches = 48"));
}

#[test]
fn what_cannot_be_predicted_is_refused_in_words() {
    let workspace = run();
    let refused = |arguments: &[&str]| {
        let all: Vec<&str> = ["predict", "run"].iter().chain(arguments).copied().collect();
        refused(&workspace, &all)
    };
    assert!(refused(&["--set", "width=128"]).contains("width is 64 at every point of the run"));
    assert!(refused(&["--set", "operation=compute"]).contains("give it with --set branches=..."));
    assert!(refused(&["--set", "branchs=3"]).contains("branchs"));
    assert!(
        refused(&["--set", "branches=3", "--variant", "sorted"]).contains("`sorted` is not a variant of `branching`")
    );
    assert!(refused(&["--set", "branches=3", "--set", "branches=99"]).contains("more than once"));
    let none = refused(&["--set", "branches=3", "--law", "slowdown", "--reference", "divergent"]);
    assert!(none.contains("the run has no fit of a law to predict from, only of ratios"), "{none}");
}

#[test]
fn held_out_points_of_an_exact_law_are_predicted() {
    let workspace = run();
    let before = workspace.read("run/fits.csv");
    let output = told(&workspace, &["fit", "run", "--holdout", "25%"]);
    assert!(output.contains("25.0 % of each group's points held out (seed 1)"), "{output}");
    assert!(output.contains("4 of 4 held-out points are within their 95 % prediction intervals"), "{output}");
    assert_eq!(output, told(&workspace, &["fit", "run", "--holdout", "0.25", "--seed", "1"]));
    // However many are asked for, a law keeps what it needs.
    let most = told(&workspace, &["fit", "run", "--holdout", "90%", "--seed", "2"]);
    assert!(most.contains("8 of 8 held-out points"), "{most}");
    assert_eq!(before, workspace.read("run/fits.csv"));
    for share in ["0", "1", "25", "100%", "-1%", "NaN", "x"] {
        let share = format!("--holdout={share}");
        assert!(refused(&workspace, &["fit", "run", &share]).contains("such as 25% or 0.25"), "{share}");
    }
}

#[test]
fn laws_that_the_scenario_does_not_ask_for_are_printed_and_not_kept() {
    let workspace = run();
    let before = workspace.read("run/fits.csv");
    let auto = told(&workspace, &["fit", "run", "--predictor", "branches"]);
    assert!(auto.contains("(affine), variant=divergent operation=compute") && auto.contains("chosen from"), "{auto}");
    let power = told(&workspace, &["fit", "run", "--law", "power", "--predictor", "branches", "--robust"]);
    assert!(power.contains("exponent") && power.contains("(robust)"), "{power}");
    assert!(power.contains("fits.csv is unchanged"), "{power}");
    let speedup = told(&workspace, &["fit", "run", "--law", "speedup", "--predictor", "branches"]);
    assert!(speedup.contains("    2         0.8125   0.8125 to 0.8125  slower\n"), "{speedup}");
    assert_eq!(before, workspace.read("run/fits.csv"));
    assert!(refused(&workspace, &["fit", "run", "--law", "conflict"]).contains("`conflict` is not a law"));
    assert!(refused(&workspace, &["fit", "run", "--law", "power"]).contains("add --predictor NAME"));
}

#[test]
fn a_scenario_s_choice_is_kept_with_its_runners_up() {
    let workspace = Workspace::new();
    let scenario = fs::read_to_string(workspace.path("small.toml")).unwrap();
    let auto = "law = \"auto\"\npredictor = \"branches\"\nonly = { operation = \"compute\" }";
    fs::write(workspace.path("small.toml"), scenario.replace("law = \"branches\"", auto)).unwrap();
    workspace.sweep("outside_us=12.5,slope_us=3.75", &["--set", "branches={ from = 1, to = 8, step = 1 }"]).code(0);
    let fits = workspace.read("run/fits.csv");
    assert_eq!(column(&fits, "fit"), ["auto", "auto"]);
    assert_eq!(column(&fits, "model"), ["affine", "affine"]);
    assert_eq!(column(&fits, "parameter"), ["t_fixed", "t_each"]);
    assert_eq!(column(&fits, "predictor"), ["branches", "branches"]);
    assert!(column(&fits, "runners_up").iter().all(|cell| cell.contains("power +")), "{fits}");
}

#[test]
fn many_groups_are_told_in_sum() {
    let workspace = Workspace::new();
    let many = ["--set", "work={ from = 1, to = 15, step = 1 }", "--set", "branches=1,2,3,4", "-v"];
    let output = stdout(&workspace.sweep("outside_us=12.5,slope_us=3.75", &many).code(0));
    assert!(output.contains("branches: 30 groups: 30 hold"), "{output}");
    assert!(output.contains("t_branch   3.750 µs to 3.750 µs"), "{output}");
    assert!(output.contains("fits.csv has all of them") && output.matches("holds").count() < 5, "{output}");
}

#[test]
fn a_sweep_ends_with_its_conclusion_on_a_screen() {
    let workspace = Workspace::new();
    let told = stdout(&workspace.sweep("outside_us=12.5,slope_us=3.75", &[]).code(0));
    assert!(told.lines().count() <= 12 && told.lines().all(|line| line.chars().count() <= 80), "{told}");
    assert!(told.contains("  divergent: every further branch costs as much as the first: 3.750 µs"), "{told}");
    assert!(told.ends_with("more: report.html there, or: apbench fit -v run\n"), "{told}");
}

#[test]
fn a_verbose_sweep_tells_each_point_as_it_ends() {
    let workspace = Workspace::new();
    let assert = workspace.sweep("outside_us=12.5,slope_us=3.75", &["-v", "--set", "branches=1,16"]).code(0);
    let told = stderr(&assert);
    let rows: Vec<&str> = told.lines().filter(|line| !line.starts_with("note")).collect();
    insta::assert_snapshot!(rows.join("\n"));
}

#[test]
fn a_quiet_sweep_says_nothing_but_errors() {
    let workspace = Workspace::new();
    let quiet = workspace.sweep("outside_us=12.5,slope_us=3.75", &["--quiet"]).code(0);
    assert_eq!((stdout(&quiet), stderr(&quiet)), (String::new(), String::new()));
    let none = Workspace::new();
    let failed = none.sweep("fail=0", &["-q", "--set", "branches=1", "--set", "operation=compute"]).code(4);
    assert_eq!(
        (stdout(&failed), stderr(&failed)),
        (String::new(), "error: no point of small has a time; run says why\n".to_owned())
    );
    let again = workspace.apbench(&["sweep", "small.toml", "--device", "mock", "--out", "run", "-q"]).assert().code(2);
    assert!(stderr(&again).starts_with("error: "), "{}", stderr(&again));
}

#[test]
fn a_better_law_is_named_beside_one_that_holds() {
    let workspace = Workspace::new();
    let branches = ["--set", "branches={ from = 1, to = 32, step = 1 }", "--set", "operation=compute"];
    workspace.sweep("outside_us=0,slope_us=10,noise_pct=0.1", &branches).code(0);
    // What a line of 10 us a branch takes becomes 10 x^0.9, with the same noise.
    let text = workspace.read("run/points.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let place = |name| header.iter().position(|column| column == name).unwrap();
    let times = ["time_us", "time_us_low", "time_us_high"].map(place);
    let rates = ["gb_per_s", "gop_per_s"].map(place);
    let mut writer = csv::Writer::from_path(workspace.path("run/points.csv")).unwrap();
    writer.write_record(&header).unwrap();
    for row in reader.records().map(Result::unwrap) {
        let factor = row[place("branches")].parse::<f64>().unwrap().powf(-0.1);
        let bent = |(place, cell): (usize, &str)| match cell.parse::<f64>() {
            Ok(time_us) if times.contains(&place) => (time_us * factor).to_string(),
            Ok(_) if rates.contains(&place) => String::new(),
            _ => cell.to_owned(),
        };
        writer.write_record(row.iter().enumerate().map(bent)).unwrap();
    }
    writer.flush().unwrap();
    drop(writer);
    for arguments in [&["fit", "run", "-v"][..], &["predict", "run", "--set", "branches=4"]] {
        let output = told(&workspace, arguments);
        let line = output.lines().find(|line| line.contains("holds")).unwrap_or_default();
        assert!(
            line.contains(", but with the law `power` the error is ") && line.contains(" times smaller"),
            "{output}"
        );
    }
}

/// The axis that the user set, not the bytes that follow from it.
#[test]
fn places_are_told_by_the_parameter_that_was_set() {
    let workspace = Workspace::new();
    let run = |name: &str| format!("{}/results/nvidia-h200/{name}", env!("CARGO_MANIFEST_DIR"));
    let output = told(&workspace, &["predict", &run("transpose"), "--set", "width=512"]);
    let output = output.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(output.contains("holds from width = 2048 on"), "{output}");
    assert!(output.contains("the law does not hold below width = 2048"), "{output}");
    assert!(output.contains("extrapolated: fitted from width = 1024 to 16384"), "{output}");
    let fitted = told(&workspace, &["fit", &run("global-access"), "-v"]);
    assert!(fitted.contains("largest error 20.5 % at width = 1040") && !fitted.contains("bytes_moved = "), "{fitted}");
}

#[test]
fn intervals_of_one_run_say_so() {
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/results/nvidia-h200/branching");
    let workspace = Workspace::new();
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence =
        "ntervals are of the rounds of this run on this one GPU: another run on the same GPU may be further off";
    for arguments in
        [&["fit", run, "--law", "affine", "--predictor", "branches"][..], &["predict", run, "--set", "branches=4"]]
    {
        let output = words(told(&workspace, arguments));
        assert!(output.contains(sentence), "{output}");
    }
    let output = told(&workspace, &["predict", run, "--set", "branches=4", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&output).unwrap();
    assert!(document["notes"][0].as_str().unwrap().contains(sentence), "{output}");
}
