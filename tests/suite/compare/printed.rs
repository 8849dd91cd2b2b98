//! Printed tables and published figures.

use super::*;

#[test]
fn table_4_1_has_a_column_for_every_gpu() {
    let shown = stdout(&compare(&["--table", "4.1"]).assert().code(0));
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    for words in ["GeForce 8500 GT", "GeForce GTX 280", "NVIDIA H200", "published", "measured", "5.5 ±0.5", "1.905"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn runs_without_the_variants_have_dashes_and_a_reason() {
    let shown = stdout(&compare(&["--table", "4.1", "results/nvidia-h200/global-stride"]).assert().code(0));
    assert!(shown.contains("no point of variant"), "{shown}");
    let shown = stdout(&compare(&["--table", "7.1"]).assert().code(0));
    assert!(shown.contains("runs have no throughput"), "{shown}");
    let assert = compare(&["--table", "9.9"]).assert().code(2);
    assert!(
        stderr(&assert).contains("no such table") && stderr(&assert).contains("4.1, 4.2, 4.3"),
        "{}",
        stderr(&assert)
    );
}

#[test]
fn every_table_of_the_thesis_fits_a_terminal() {
    for table in ["4.1", "4.2", "4.3", "5.2", "7.1", "7.5"] {
        let shown = stdout(&compare(&["--table", table]).assert().code(0));
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
        let markdown = stdout(&compare(&["--table", table, "--markdown"]).assert().code(0));
        assert!(markdown.starts_with("## Cornelis 2010"), "{markdown}");
    }
}

#[test]
fn published_figures_stand_beside_a_run() {
    let arguments = ["results/published:GTX 280", "results/nvidia-h200/global-access", "--json"];
    let json: serde_json::Value = serde_json::from_str(&stdout(&compare(&arguments).assert().code(0))).unwrap();
    let [reference, reads, ..] = &json[0]["rows"].as_array().unwrap()[..] else { panic!("{json}") };
    assert_eq!(reference["cells"][1]["value"], 1.0);
    let (printed, own) = (reads["cells"][0]["value"].as_f64().unwrap(), reads["cells"][1]["value"].as_f64().unwrap());
    let ratio = reads["cells"][1]["ratio"]["ratio"].as_f64().unwrap();
    assert!((printed - 4.0).abs() < 1e-12 && (ratio - own / printed).abs() < 1e-12, "{reads}");
    let assert = compare(&["results/published", "results/nvidia-h200/global-access"]).assert().code(2);
    assert!(stderr(&assert).contains("GeForce 8500 GT, GeForce GTX 280"), "{}", stderr(&assert));
    let assert = compare(&["results/published:H100", "results/nvidia-h200/global-access"]).assert().code(2);
    assert!(stderr(&assert).contains("no published figures of this family are of `H100`"), "{}", stderr(&assert));
    let assert = compare(&["results/published:GTX 280", "results/nvidia-h200/branching"]).assert().code(2);
    assert!(stderr(&assert).contains("has no figures of branching"), "{}", stderr(&assert));
}

#[test]
fn a_file_of_figures_that_is_wrong_is_named_with_its_line() {
    let workspace = Workspace::new();
    fs::write(workspace.path("own.csv"), "source,table\n").unwrap();
    let assert = workspace.apbench(&["compare", "--table", "4.1", "own.csv"]).assert().code(1);
    assert!(stderr(&assert).contains("own.csv:1: is not a file of published figures"), "{}", stderr(&assert));
}

/// The factors of the table are those that `fit` finds, which it reckons by other code.
#[test]
fn factors_are_the_slowdowns_that_fit_finds() {
    let table = stdout(&compare(&["--table", "4.1", "--csv", "results/nvidia-h200/global-access"]).assert().code(0));
    let rows = |text: &str, names: [&str; 4]| -> Vec<[String; 4]> {
        let columns = names.map(|name| column(text, name));
        (0..columns[0].len()).map(|row| std::array::from_fn(|index| columns[index][row].clone())).collect()
    };
    let own: Vec<[String; 4]> = rows(&table, ["figure", "value", "low", "high"]);
    let runs = column(&table, "run");
    let fits = fs::read_to_string(stored("global-access").join("fits.csv")).unwrap();
    let parameters = column(&fits, "parameter");
    let found = rows(&fits, ["variant", "estimate", "low", "high"]);
    let mut held = 0;
    for ([figure, value, low, high], _) in own.iter().zip(&runs).filter(|(_, run)| !run.is_empty()).skip(1) {
        let variant = figure.replace(['=', ' '], "_");
        let fit =
            found.iter().zip(&parameters).find(|([own, ..], parameter)| **own == variant && *parameter == "slowdown");
        let ([_, estimate, fit_low, fit_high], _) = fit.unwrap();
        for (own, fitted) in [(value, estimate), (low, fit_low), (high, fit_high)] {
            let (own, fitted): (f64, f64) = (own.parse().unwrap(), fitted.parse().unwrap());
            // The interval of the fit knows that points of the reference are in several pairs; here each is in one.
            assert!((own / fitted - 1.0).abs() < 1e-5, "{figure}: {own}, not {fitted}");
        }
        held += 1;
    }
    assert_eq!(held, 3);
}
