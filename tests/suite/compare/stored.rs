//! How often the command errs, on rounds that an H200 measured.
//!
//! Each point's rounds are split into its first and its last half, as if they were two runs. What that does not show is what differs
//! from one process to the next; for that there are points that two scenarios have in common, each measured by a process of its
//! own, and `tests/gpu/compare.sh`, which sweeps twice.

use super::*;

/// Points whose times may differ by so much have transfers or work of the host in them.
const HOST_PCT: f64 = 40.0;

/// Writes one half of a run's rounds as a run, its times `scale` times as long.
fn half(run: &Path, to: &Path, is_last: bool, scale: f64) {
    copied(run, to);
    edit(&to.join("rounds.csv"), |text| {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().clone();
        let place = |name: &str| header.iter().position(|own| own == name).unwrap();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let of = |row: &csv::StringRecord| (row[place("point")].to_owned(), row[place("cache")].to_owned());
        let mut counts: HashMap<(String, String), usize> = HashMap::new();
        for row in &rows {
            *counts.entry(of(row)).or_default() += 1;
        }
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&header).unwrap();
        for row in &rows {
            let round: usize = row[place("round")].parse().unwrap();
            if (2 * round + 1 > counts[&of(row)]) != is_last {
                continue;
            }
            let of_half = counts[&of(row)].div_ceil(2);
            let cells = row.iter().enumerate().map(|(index, cell)| {
                if index == place("round") {
                    return (round - if is_last { of_half } else { 0 }).to_string();
                }
                let is_time = [place("time_us"), place("trimmed_us")].contains(&index);
                if is_time { format!("{:.4}", cell.parse::<f64>().unwrap() * scale) } else { cell.to_owned() }
            });
            writer.write_record(cells).unwrap();
        }
        String::from_utf8(writer.into_inner().unwrap()).unwrap()
    });
    follow_rounds(to);
}

/// The verdicts of the halves of every stored run, the last half's times `scale` times as long.
fn verdicts(scale: f64) -> Vec<String> {
    let mut verdicts = Vec::new();
    for entry in fs::read_dir(root().join("results/nvidia-h200")).unwrap() {
        let run = entry.unwrap().path();
        if !run.join("rounds.csv").exists() {
            continue;
        }
        let workspace = Workspace::new();
        half(&run, &workspace.path("first"), false, 1.0);
        half(&run, &workspace.path("last"), true, scale);
        let text = stdout(&workspace.apbench(&["compare", "first", "last", "--csv"]).assert().code(0));
        let all = column(&text, "verdict").into_iter().zip(column(&text, "basis")).zip(column(&text, "allowance_pct"));
        for ((verdict, basis), allowance_pct) in all.filter(|((_, basis), _)| basis == "rounds") {
            // What the host has a part in differs from one half of a run to the other: it is allowed to, and never told to differ.
            if allowance_pct.parse::<f64>().unwrap() < HOST_PCT {
                verdicts.push(verdict);
            } else {
                assert!(!["SLOWER", "FASTER"].contains(&verdict.as_str()), "{}: {basis}", run.display());
            }
        }
    }
    verdicts
}

fn count(verdicts: &[String], wanted: &[&str]) -> usize {
    verdicts.iter().filter(|verdict| wanted.contains(&verdict.as_str())).count()
}

#[test]
fn halves_of_the_same_rounds_are_never_different() {
    let verdicts = verdicts(1.0);
    assert!(verdicts.len() >= 1200, "{}", verdicts.len());
    assert_eq!(count(&verdicts, &["SLOWER", "FASTER"]), 0);
    let same = count(&verdicts, &["SAME"]);
    assert!(same * 100 >= verdicts.len() * 85, "{same} of {} SAME", verdicts.len());
}

#[test]
fn three_percent_more_are_found_in_95_of_100() {
    let verdicts = verdicts(1.03);
    let found = count(&verdicts, &["SLOWER"]);
    println!("{found} of {}", verdicts.len());
    assert!(verdicts.len() >= 1200 && found * 100 >= verdicts.len() * 95, "{found} of {}", verdicts.len());
    assert_eq!(count(&verdicts, &["FASTER", "LIKELY_FASTER"]), 0);
}

/// Points that two scenarios share were measured by two processes, minutes apart.
#[test]
fn points_that_two_processes_measured_are_never_different() {
    let mut compared = 0;
    for (base, other) in [
        ("branching", "branching-remedies"),
        ("block-size-2d", "block-size-square"),
        ("data-layout", "data-layout-unused"),
        ("global-access", "partition-camping"),
        ("transpose", "transpose-rows"),
    ] {
        let [base, other] = [base, other].map(|name| stored(name).display().to_string());
        let text = stdout(&compare(&[&base, &other, "--csv"]).assert().code(0));
        let verdicts: Vec<String> =
            column(&text, "verdict").into_iter().filter(|verdict| !verdict.is_empty()).collect();
        assert_eq!(count(&verdicts, &["SLOWER", "FASTER"]), 0, "{base} {other}");
        compared += verdicts.len();
    }
    assert!(compared >= 35, "{compared}");
}

/// The runs that `tests/gpu/compare.sh` left on an H200: the same points by two processes, and by a third with 3.1 % more work.
#[test]
fn processes_on_a_gpu_are_told_apart_by_their_work_alone() {
    let [first, second, longer] =
        ["first", "second", "longer"].map(|name| stored("trust/compare").join(name).display().to_string());
    let verdicts = |arguments: &[&str]| column(&stdout(&compare(arguments).assert().code(0)), "verdict");
    let same = verdicts(&[&first, &second, "--csv"]);
    assert!(same.len() >= 200, "{}", same.len());
    assert_eq!(count(&same, &["SAME"]), same.len());
    let longer = verdicts(&[&first, &longer, "--ignore", "work", "--csv"]);
    assert!(longer.len() >= 200 && count(&longer, &["SLOWER"]) * 100 >= longer.len() * 95, "{longer:?}");
}
