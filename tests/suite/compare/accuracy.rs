//! `apbench compare MEASURED SIMULATED --accuracy`.

use super::*;

const MEASURED: &str = "results/nvidia-h200/at-simulated-sizes";
const SIMULATED: &str = "results/simulated-h200/at-simulated-sizes";
const LATER_MEASURED: &str = "results/nvidia-h200/later-at-simulated-sizes";
const LATER_SIMULATED: &str = "results/simulated-h200/later-at-simulated-sizes";

/// The rows of the table: cells by column.
fn rows() -> Vec<Vec<String>> {
    let told = stdout(&compare(&[MEASURED, SIMULATED, "--accuracy", "--markdown"]).assert().code(0));
    let table =
        told.lines().skip_while(|line| !line.starts_with("| scenario")).take_while(|line| line.starts_with('|'));
    table.map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// The figures of all points were computed again from the files, by another program.
#[test]
fn committed_runs_have_the_figures_that_devices_are_listed_with() {
    let rows = rows();
    let all = rows.last().unwrap();
    assert_eq!(all[..5], ["all", "844", "5.7 %", "-3.8 %", "99.4 %"]);
    let devices = Command::cargo_bin("apbench").unwrap().args(["devices", "--device", "sim:h200"]).assert();
    // These and the patterns of later GPUs together.
    let told = "5.8 % off on average, ratios between variants 6.7 % (4436 points of 40 scenarios,";
    let shown = stdout(&devices).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains(told), "not among the devices: {told}\n{shown}");
}

/// What the program says of simulated times is what the committed runs come to.
#[test]
fn the_known_errors_are_those_of_the_committed_runs() {
    let other = ["results/nvidia-h200/at-other-sizes", "results/simulated-h200/at-other-sizes"];
    let gpu = ["results/nvidia-h200", "results/simulated-h200/at-gpu-sizes"];
    let transfers = ["results/nvidia-h200", "results/simulated-h200/at-gpu-sizes-with-transfers"];
    let constants = ["results/nvidia-h200", "results/simulated-h200/constants-at-gpu-sizes"];
    let small =
        ["results/nvidia-h200/constants-at-simulated-sizes", "results/simulated-h200/constants-at-simulated-sizes"];
    let later = [LATER_MEASURED, LATER_SIMULATED];
    let later_gpu = ["results/nvidia-h200", "results/simulated-h200/later-at-gpu-sizes"];
    let runs = [[MEASURED, SIMULATED], gpu, transfers, other, constants, small, later, later_gpu].concat();
    let command = [&runs[..], &["--accuracy", "--by-family", "--csv"]].concat();
    let computed = stdout(&compare(&command).assert().code(0));
    let committed = fs::read_to_string(root().join("results/known-errors.csv")).unwrap();
    let difference = committed.lines().zip(computed.lines()).find(|(one, other)| one != other);
    assert!(
        committed == computed,
        "results/known-errors.csv is not what the committed runs come to; `results/known-errors.sh target/release/apbench` mends it; first \
         difference: {difference:?}"
    );
}

/// How many pairs of variants the committed runs have in the measured order, of those that differ by 5 and by 20 %.
#[test]
fn variants_are_simulated_in_their_order() {
    let (mut right, mut pairs, mut fastest_right, mut groups) = (0.0, 0.0, 0.0, 0.0);
    for (measured, simulated, least, least_apart) in [
        (MEASURED, SIMULATED, 0.970, 1.0),
        ("results/nvidia-h200", "results/simulated-h200/at-gpu-sizes", 0.985, 0.998),
        ("results/nvidia-h200/at-other-sizes", "results/simulated-h200/at-other-sizes", 0.980, 0.996),
        (LATER_MEASURED, LATER_SIMULATED, 0.978, 0.995),
        ("results/nvidia-h200", "results/simulated-h200/later-at-gpu-sizes", 0.978, 0.99),
    ] {
        let told = stdout(&compare(&[measured, simulated, "--accuracy", "--json"]).assert().code(0));
        let document: serde_json::Value = serde_json::from_str(&told).unwrap();
        let of = |name: &str| document["summary"]["order"][name].as_f64().unwrap();
        let parts = [of("right") / of("pairs"), of("right_apart") / of("pairs_apart")];
        assert!(parts[0] >= least && parts[1] >= least_apart, "{simulated}: {parts:?}");
        right += of("right");
        pairs += of("pairs");
        fastest_right += of("fastest_right");
        groups += of("groups");
    }
    assert!(right / pairs >= 0.978, "{right} of {pairs}");
    assert!(fastest_right / groups >= 0.991, "{fastest_right} of {groups}");
}

#[test]
fn tables_fit_narrow_terminals() {
    for (measured, simulated) in [(MEASURED, SIMULATED), (LATER_MEASURED, LATER_SIMULATED)] {
        let own = stdout(&compare(&[measured, simulated, "--accuracy"]).assert().code(0));
        assert!(own.lines().all(|line| line.chars().count() <= 80), "{own}");
        let mut titles = own.lines().skip_while(|line| !line.starts_with("scenario "));
        let mut words =
            |own: &[&str]| titles.next().is_some_and(|line| line.split_whitespace().eq(own.iter().copied()));
        assert!(words(&["scenario", "points", "times", "bias", "within", "ratios", "rank", "order"]), "{own}");
        assert!(words(&["off", "20", "%", "off", "right"]), "{own}");
    }
    let own = stdout(&compare(&[MEASURED, SIMULATED, "--accuracy"]).assert().code(0));
    assert!(own.contains("\nelements-per-thread "), "names are whole: {own}");
    let by_family = stdout(&compare(&[MEASURED, SIMULATED, "--accuracy", "--by-family"]).assert().code(0));
    assert!(by_family.lines().all(|line| line.chars().count() <= 80), "{by_family}");
}

/// Whatever a reader meets on the screen is explained on it.
#[test]
fn every_word_of_the_tables_is_explained() {
    for (options, words) in [
        (
            &["--accuracy"][..],
            &[
                "error",
                "times off",
                "bias",
                "within 20 %",
                "ratios off",
                "rank",
                "order right",
                "empty cells",
                "(unknown)",
            ][..],
        ),
        (&["--accuracy", "--by-family"], &["error", "sizes", "times off", "bias", "95 % are within", "ratios off"]),
    ] {
        let told = stdout(&compare(&[&[MEASURED, SIMULATED], options].concat()).assert().code(0));
        let markdown = stdout(&compare(&[&[MEASURED, SIMULATED], options, &["--markdown"]].concat()).assert().code(0));
        for word in words {
            assert!(told.lines().any(|line| line.starts_with(&format!("{word}  "))), "{word}: {told}");
            assert!(markdown.contains(&format!("\n- **{word}**: ")), "{word}: {markdown}");
        }
    }
}

#[test]
fn points_that_are_furthest_off_come_with_what_bounds_their_times() {
    let [measured, simulated] = [MEASURED, SIMULATED].map(|folder| format!("{folder}/shared-access"));
    let told = stdout(&compare(&[&measured, &simulated, "--accuracy"]).assert().code(0));
    let lines: Vec<&str> = told
        .lines()
        .skip_while(|line| !line.starts_with("furthest off"))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .collect();
    assert_eq!(lines.len(), 2 * 10, "{told}");
    for [name, times] in lines.as_chunks::<2>().0 {
        let (error, point) = name.trim().split_once(" %  ").unwrap();
        assert!(error.parse::<i32>().is_ok() && point.starts_with("shared-access: "), "{name}");
        let (own, other) = times.trim().split_once("), simulated ").unwrap();
        assert!(own.starts_with("measured ") && own.contains(" \u{b5}s (") && other.ends_with(')'), "{times}");
    }
}

#[test]
fn a_run_of_each_is_enough_and_formats_agree() {
    let [measured, simulated] = [MEASURED, SIMULATED].map(|folder| format!("{folder}/transpose"));
    let of = |format: &[&str]| {
        let arguments = [&[measured.as_str(), simulated.as_str(), "--accuracy"], format].concat();
        stdout(&compare(&arguments).assert().code(0))
    };
    let csv = of(&["--csv"]);
    assert_eq!(column(&csv, "points"), ["54"]);
    let off = column(&csv, "time_error_pct").remove(0);
    assert!(of(&[]).contains(&format!(" {off} % ")), "{off}");
    let document: serde_json::Value = serde_json::from_str(&of(&["--json"])).unwrap();
    let mean = document["summary"]["times"]["mean"].as_f64().unwrap();
    assert_eq!(format!("{:.1}", 100.0 * mean), off);
    assert_eq!(document["scenarios"][0]["points"].as_array().unwrap().len(), 54);
}

#[test]
fn what_cannot_be_held_against_each_other_is_told() {
    let workspace = Workspace::new();
    let empty = workspace.path(".").display().to_string();
    let transpose = format!("{MEASURED}/transpose");
    let other_family = format!("{SIMULATED}/branching");
    for (arguments, told) in [
        (vec![SIMULATED, MEASURED], "the first run must be measured, but"),
        (vec![MEASURED], "--accuracy compares two with each other"),
        (vec![MEASURED, &empty], "have no run of the same name"),
        (vec![MEASURED, "nowhere"], "nowhere is neither a run nor a folder of runs"),
        (vec![&transpose, &other_family], "only runs of the same family can be compared"),
        (
            vec!["results/nvidia-h200/prefix-sum", "results/simulated-h200/prefix-sum"],
            "no point of the runs can be compared",
        ),
    ] {
        let assert = compare(&[&arguments[..], &["--accuracy"]].concat()).assert().code(2);
        assert!(stderr(&assert).contains(told), "{}", stderr(&assert));
    }
}
