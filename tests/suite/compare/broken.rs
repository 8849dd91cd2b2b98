//! What can be wrong with the files of a run: told with file and line, never a panic.

use super::*;

/// What `compare base other` says where a file of `other` was changed.
#[track_caller]
fn told(file: &str, change: impl FnOnce(String) -> String, status: i32) -> String {
    let workspace = two_runs();
    edit(&workspace.path("other").join(file), change);
    let assert = workspace.apbench(&["compare", "base", "other"]).assert().code(status);
    let (out, errors) = (stdout(&assert), stderr(&assert));
    assert!(!errors.contains("panicked"), "{errors}");
    format!("{errors}{out}")
}

fn with_cell(text: &str, line: usize, column: usize, cell: &str) -> String {
    let changed = text.lines().enumerate().map(|(number, own)| {
        let mut cells: Vec<&str> = own.split(',').collect();
        if number + 1 == line {
            cells[column] = cell;
        }
        cells.join(",") + "\n"
    });
    changed.collect()
}

#[test]
fn files_that_are_cut_off_are_read_up_to_there() {
    let shown = told("points.csv", |text| text[..text.len() - 20].to_owned(), 0);
    assert!(
        shown.contains("other/points.csv:65: the last row is cut off") && shown.contains("63 points compared"),
        "{shown}"
    );
    assert!(shown.contains("REMOVED 1"), "{shown}");
    let shown = told("rounds.csv", |text| text[..text.len() - 5].to_owned(), 0);
    assert!(
        shown.contains("other/rounds.csv: the last row is cut off") && shown.contains("64 points compared"),
        "{shown}"
    );
}

#[test]
fn empty_and_foreign_files_are_named() {
    for (file, text) in [("points.csv", "a,b\n1,2\n"), ("rounds.csv", "a,b\n1,2\n"), ("rounds.csv", "")] {
        let shown = told(file, |_| text.to_owned(), 1);
        assert!(
            shown.contains(&format!("other/{file}:1: the columns are not those of a run")),
            "{file} {text}: {shown}"
        );
    }
    let shown = told("run.json", |_| "{}".to_owned(), 1);
    assert!(shown.contains("other/run.json:1:"), "{shown}");
    let shown = told("scenario.toml", |_| "family = \"none\"".to_owned(), 2);
    assert!(shown.contains("other/scenario.toml"), "{shown}");
}

/// Columns may be added behind those that are known; other orders are those of another program.
#[test]
fn columns_in_another_order_are_refused() {
    let swapped = |text: String| text.replacen("variant,branches", "branches,variant", 1);
    assert!(told("points.csv", swapped, 1).contains("other/points.csv:1: the columns are not those of a run"));
    let swapped = |text: String| text.replacen("time_us,trimmed_us", "trimmed_us,time_us", 1);
    assert!(told("rounds.csv", swapped, 1).contains("other/rounds.csv:1: the columns are not those of a run"));
    let added = |text: String| {
        let own =
            |(number, line): (usize, &str)| if number == 0 { format!("{line},new\n") } else { format!("{line},1\n") };
        text.lines().enumerate().map(own).collect()
    };
    assert!(told("rounds.csv", added, 0).contains("64 points compared"));
}

#[test]
fn rows_that_are_there_twice_are_named() {
    let twice = |text: String| {
        let third = text.lines().nth(2).unwrap().to_owned();
        format!("{text}{third}\n")
    };
    let shown = told("points.csv", twice, 1);
    assert!(shown.contains("other/points.csv:66: point 1 is there more than once, first in line 3"), "{shown}");
    let shown = told("rounds.csv", twice, 1);
    assert!(shown.contains("round 1 of point 0 is there twice"), "{shown}");
}

#[test]
fn times_that_are_no_numbers_are_named() {
    let time = 14;
    for cell in ["NaN", "inf", "-inf", "fast"] {
        let shown = told("points.csv", |text| with_cell(&text, 4, time, cell), 1);
        assert!(shown.contains(&format!("other/points.csv:4: time_us is `{cell}`, expected a number")), "{shown}");
        let shown = told("rounds.csv", |text| with_cell(&text, 4, 5, cell), 1);
        assert!(shown.contains(&format!("other/rounds.csv:4: trimmed_us is `{cell}`, expected a number")), "{shown}");
    }
    for cell in ["0", "-3"] {
        let shown = told("points.csv", |text| with_cell(&text, 4, time, cell), 1);
        assert!(shown.contains("other/points.csv:4: time_us is ") && shown.contains("above zero"), "{cell}: {shown}");
    }
}

#[test]
fn points_that_cannot_be_of_the_run_are_named() {
    let foreign = fs::read_to_string(stored("atomics").join("points.csv")).unwrap();
    let shown = told("points.csv", |_| foreign, 1);
    assert!(shown.contains("other/points.csv:1: has the column addresses, which `branching` has not"), "{shown}");
    let beyond = |text: String| text.replace("\n63,", "\n64,");
    let shown = told("points.csv", beyond, 1);
    assert!(shown.contains("other/points.csv:65: point is 64, and the run has 64 points, from 0 on"), "{shown}");
    let shown = told("points.csv", |text| with_cell(&text, 4, 15, "99999"), 1);
    assert!(shown.contains("other/points.csv:4: time_us is outside of its interval"), "{shown}");
    let shown = told("points.csv", |text| with_cell(&text, 4, 14, ""), 1);
    assert!(shown.contains("other/points.csv:4: status is ok, but there is no time"), "{shown}");
    assert!(told("points.csv", |_| String::new(), 1).contains("other/points.csv:1: is empty"));
}

#[test]
fn rows_that_cannot_be_of_the_scenario_are_named() {
    let column = |name: &str| {
        let text = fs::read_to_string(stored("branching").join("points.csv")).unwrap();
        text.lines().next().unwrap().split(',').position(|own| own == name).unwrap()
    };
    for (name, cell, expected) in [
        ("block", "-inf", "block is `-inf`, expected a multiple of 32 from 32 to 1024"),
        ("branches", "99", "branches is `99`, expected a whole number from 1 to 32"),
        ("operation", "divide", "operation is `divide`, expected one of "),
        ("origin", "mock", "origin is mock, and the times of the run's device are measured"),
        ("time_us_low", "-3", "time_us_low is -3, expected a number of 0 or more"),
        ("time_us_high", "", "the interval of time_us has one end"),
        ("samples", "0", "samples is 0, but there is a time"),
        ("samples", "1000000000", "samples is 1000000000, and no point of this run has more than samples_max, 2000"),
        (
            "stopped_by",
            "me",
            "stopped_by is `me`, expected one of precise, budget, samples_max, rounds_max, repeats_exactly",
        ),
        ("status", "failed", "status is failed, but there is a time"),
        ("status", "wrong", "status is wrong, but there is no reason"),
        ("reason", "too few threads", "status is ok, but there is a reason"),
        ("gb_per_s", "900", "gb_per_s is 900, but bytes over time_us is "),
        ("gop_per_s", "0", "gop_per_s is 0, but operations over time_us is "),
        ("branches_per_warp", "7", "branches_per_warp is 7, and the row's parameters give 3"),
        ("rounds", "1000000", "rounds is 1000000, expected a whole number from 1 to the run's rounds_max, 30"),
        ("rounds", "0", "rounds is 0, expected a whole number from 1 to the run's rounds_max, 30"),
        ("clock_mhz", "-1", "clock_mhz is -1, expected a number above zero"),
        ("hot_us_low", "3", "hot_us_low is 3, but there is no hot_us"),
    ] {
        let shown = told("points.csv", |text| with_cell(&text, 4, column(name), cell), 1);
        assert!(shown.contains(&format!("other/points.csv:4: {expected}")), "{name}: {shown}");
    }
    let twice = |text: String| text.replacen(",work,", ",block,", 1);
    assert!(told("points.csv", twice, 1).contains("other/points.csv:1: the column block is there twice"));
}

#[test]
fn rows_that_are_not_of_the_grid_are_named() {
    let swapped = |text: String| with_cell(&with_cell(&text, 3, 0, "2"), 4, 0, "1");
    let shown = told("points.csv", swapped, 1);
    assert!(shown.contains("other/points.csv:3: branches is 2, and that of point 2 is 3"), "{shown}");
    // A parameter that the grid does not name is the same in all rows.
    let block = fs::read_to_string(stored("branching").join("points.csv")).unwrap();
    let block = block.lines().next().unwrap().split(',').position(|own| own == "block").unwrap();
    let shown = told("points.csv", |text| with_cell(&text, 7, block, "128"), 1);
    assert!(
        shown.contains("other/points.csv:7: block is 128, and that of point 0 is 256: the grid does not vary it"),
        "{shown}"
    );
    let shown =
        told("scenario.toml", |text| text.replace("\"compute\", \"convolution\"", "\"convolution\", \"compute\""), 1);
    assert!(shown.contains("other/points.csv:2: operation is compute, and that of point 0 is convolution"), "{shown}");
}

#[test]
fn rows_are_held_against_their_grid_beside_a_variant_that_the_run_has_not() {
    let added =
        |text: String| text.replace("variants = [\"divergent\"]", "variants = [\"divergent\", \"table_lookup\"]");
    let whole = told("scenario.toml", added, 0);
    assert!(!whole.contains("error"), "{whole}");
    let changed = |text: String| added(text).replace("\"compute\", \"convolution\"", "\"convolution\", \"compute\"");
    let shown = told("scenario.toml", changed, 1);
    assert!(shown.contains("other/points.csv:2: operation is compute, and that of point 0 is convolution"), "{shown}");
}

#[test]
fn points_of_another_grid_are_refused() {
    for points in ["6400", "18446744073709551615"] {
        let shown = told("run.json", |text| text.replacen("\"points\": 64", &format!("\"points\": {points}"), 1), 1);
        let expected = format!("other/run.json: points is {points}, and the grid of scenario.toml has 64");
        assert!(shown.contains(&expected), "{shown}");
    }
    let shown = told("scenario.toml", |text| text.replace("to = 32, step = 1", "to = 16, step = 1"), 1);
    assert!(shown.contains("points is 64, and the grid of scenario.toml has 32"), "{shown}");
    // Variants that ignore a parameter have fewer points than combinations.
    let workspace = two_runs();
    let run = workspace.path("strided");
    copied(&stored("global-stride"), &run);
    workspace.apbench(&["fit", "strided"]).assert().code(0);
    let text = fs::read_to_string(run.join("points.csv")).unwrap();
    let strided = text.lines().enumerate().filter(|(_, line)| line.contains(",strided,"));
    let [one, two]: [(usize, &str); 2] = strided.take(2).collect::<Vec<_>>().try_into().unwrap();
    let number = |line: &str| line.split(',').next().unwrap().to_owned();
    let swapped = with_cell(&with_cell(&text, one.0 + 1, 0, &number(two.1)), two.0 + 1, 0, &number(one.1));
    fs::write(run.join("points.csv"), swapped).unwrap();
    let shown = stderr(&workspace.apbench(&["fit", "strided"]).assert().code(1));
    assert!(shown.contains("word_bytes is 4, and that of point 13 is 8"), "{shown}");
}

#[test]
fn times_that_a_gpu_cannot_have_measured_are_refused() {
    for spec in ["mock", "sim:h200"] {
        let shown =
            told("run.json", |text| text.replacen("\"spec\": \"cuda:0\"", &format!("\"spec\": \"{spec}\""), 1), 1);
        assert!(shown.contains(&format!("run.json says that times of {spec} were measured")), "{shown}");
    }
}

#[test]
fn hot_times_that_cannot_be_are_named() {
    let header = fs::read_to_string(stored("branching").join("points.csv")).unwrap();
    let hot = header.lines().next().unwrap().split(',').position(|own| own == "hot_us").unwrap();
    for (cells, expected) in [
        (["3", "2", ""], "the interval of hot_us has one end, 2, and no other"),
        (["3", "4", "5"], "hot_us is outside of its interval"),
        (["3", "-1", "5"], "hot_us_low is -1, expected a number of 0 or more"),
        (["0", "", ""], "hot_us is 0, expected a number above zero"),
    ] {
        let change = |text: String| (0..3).fold(text, |text, end| with_cell(&text, 4, hot + end, cells[end]));
        let shown = told("points.csv", change, 1);
        assert!(shown.contains(&format!("other/points.csv:4: {expected}")), "{cells:?}: {shown}");
    }
}

#[test]
fn rounds_that_cannot_be_of_their_point_are_named() {
    let (round, time) = (2, 4);
    let of_point_0 =
        |text: String, column: usize, cell: &str| (2..7).fold(text, |text, line| with_cell(&text, line, column, cell));
    let shown = told("rounds.csv", |text| with_cell(&text, 6, round, "7"), 1);
    assert!(shown.contains("other/rounds.csv:6: round is 7, and point 0 has 5 rounds, from 0 on"), "{shown}");
    let without = |text: String| text.replacen(&text.lines().nth(3).map(|line| format!("{line}\n")).unwrap(), "", 1);
    let shown = told("rounds.csv", without, 1);
    assert!(shown.contains("other/points.csv:2: rounds is 5, but rounds.csv has 4 of point 0"), "{shown}");
    let slow = |text: String| of_point_0(of_point_0(text, time, "9999"), time + 1, "9999");
    let shown = told("rounds.csv", slow, 1);
    let expected =
        "other/points.csv:2: time_us is 279.264, but the rounds of point 0 took from 9999 to 9999 in rounds.csv";
    assert!(shown.contains(expected), "{shown}");
    let hot = |text: String| {
        let hot = text.lines().next().unwrap().split(',').position(|own| own == "hot_us").unwrap();
        with_cell(&text, 2, hot, "3")
    };
    let shown = told("points.csv", hot, 1);
    assert!(shown.contains("other/points.csv:2: hot_us is 3, but rounds.csv has no hot round of point 0"), "{shown}");
}

#[test]
fn a_run_without_fits_or_rounds_is_compared_all_the_same() {
    let workspace = two_runs();
    fs::remove_file(workspace.path("other/rounds.csv")).unwrap();
    edit(&workspace.path("other/scenario.toml"), |text| text.replace("[[fit]]\nlaw = \"branches\"\n", ""));
    let shown = stdout(&workspace.apbench(&["compare", "base", "other"]).assert().code(0));
    let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("64 points compared: 64 SAME") && flat.contains("use the intervals of the medians"),
        "{shown}"
    );
    assert!(!shown.contains("laws ["), "{shown}");
}

#[test]
fn points_that_failed_are_shown_as_failed() {
    let shown = told(
        "points.csv",
        |text| {
            let failed = |(number, line): (usize, &str)| {
                if number != 3 {
                    return format!("{line}\n");
                }
                let mut cells: Vec<&str> = line.split(',').collect();
                cells[11] = "failed";
                cells[12] = "the kernel faulted";
                cells[14..30].fill("");
                cells.join(",") + "\n"
            };
            text.lines().enumerate().map(failed).collect()
        },
        0,
    );
    assert!(shown.contains("FAILED 1: branches=3 operation=compute"), "{shown}");
}

#[test]
fn what_is_no_run_and_other_families_are_told() {
    let assert = compare(&["results/nvidia-h200/branching", "results/nowhere"]).assert().code(1);
    assert!(stderr(&assert).contains("results/nowhere: there is no such run directory"), "{}", stderr(&assert));
    for arguments in [
        &["results/nvidia-h200/branching", "results/nowhere", "results/nothing"][..],
        &["results/nowhere", "results/nothing", "--variants", "a,b"],
    ] {
        let told = stderr(&compare(arguments).assert().code(1));
        for name in ["results/nowhere", "results/nothing"] {
            assert!(told.contains(&format!("{name}: there is no such run directory")), "{told}");
        }
    }
    let assert = compare(&["results/nvidia-h200/branching", "results/nvidia-h200/transpose"]).assert().code(2);
    assert!(
        stderr(&assert).contains("measured transpose and results/nvidia-h200/branching measured branching"),
        "{}",
        stderr(&assert)
    );
    let assert = compare(&["results/nvidia-h200/branching"]).assert().code(2);
    assert!(stderr(&assert).contains("give a base and at least one run"), "{}", stderr(&assert));
}
