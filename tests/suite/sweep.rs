//! A sweep on the mock device, as a user sees it: files, columns, exit statuses, and what survives a kill.

use std::fs;
use std::io::Read as _;

use crate::common::{SCENARIO, Workspace, column, ended, files_below, send, stderr, stdout, unwrapped, wait_until};

#[test]
fn a_sweep_leaves_a_whole_run_directory() {
    let workspace = Workspace::new();
    let assert = workspace.sweep("", &[]).code(0);
    let names: Vec<String> = files_below(&workspace.path("run"))
        .iter()
        .map(|path| path.strip_prefix(workspace.path("run")).unwrap().display().to_string())
        .collect();
    let expected = [
        "charts/runtime.png",
        "charts/runtime.svg",
        "fits.csv",
        "points.csv",
        "report.html",
        "rounds.csv",
        "run.json",
        "samples.csv",
        "scenario.toml",
    ];
    assert_eq!(names, expected);
    assert!(stdout(&assert).contains("8 of 8 points: 8 ok"), "{}", stdout(&assert));
    assert!(stdout(&assert).contains("mock device (mock), mock"), "the origin is named");
}

/// People's scripts read these columns: none may be renamed, moved or dropped.
#[test]
fn columns_are_the_documented_ones() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    let header = |file: &str| workspace.read(file).lines().next().unwrap().to_owned();
    assert_eq!(
        header("run/points.csv"),
        "point,variant,branches,operation,arithmetic,work,work_per_branch,frequency,weights,width,block,status,reason,\
         origin,time_us,time_us_low,time_us_high,samples,bytes,gb_per_s,operations,gop_per_s,clock_mhz,stopped_by,\
         cache,rounds,hot_us,hot_us_low,hot_us_high,flags,transfer_in_us,kernel_us,\
         transfer_out_us,host_us,kernel_hidden_us,total_us,branches_per_warp,followed_work"
    );
    assert_eq!(header("run/samples.csv"), "point,round,sample,time_us,clock_mhz,flags,cache,order,repeats,host_us");
    assert_eq!(
        header("run/rounds.csv"),
        "point,cache,round,samples,time_us,trimmed_us,clock_mhz,temperature_c,power_w,sm_clock_mhz,memory_clock_mhz,\
         throttle_reasons,flags"
    );
    assert_eq!(
        header("run/fits.csv"),
        "fit,model,variant,operation,parameter,estimate,low,high,unit,r2,error_pct,n,verdict,predictor,interval_method,lack_of_fit_p,runners_up"
    );
}

#[test]
fn rows_are_in_the_grid_s_order_with_exact_figures() {
    let workspace = Workspace::new();
    workspace.sweep("outside_us=10,slope_us=20", &[]).code(0);
    let points = workspace.read("run/points.csv");
    assert_eq!(column(&points, "point"), ["0", "1", "2", "3", "4", "5", "6", "7"]);
    let (compute, convolution) = ("compute", "convolution");
    assert_eq!(
        column(&points, "operation"),
        [compute, compute, compute, compute, convolution, convolution, convolution, convolution]
    );
    assert_eq!(column(&points, "branches"), ["1", "2", "4", "8", "1", "2", "4", "8"]);
    assert_eq!(column(&points, "time_us"), ["30", "50", "90", "170", "30", "50", "90", "170"]);
    // 3 matrices of 64 by 64 words; 2 steps of 16 multiply-adds, or of 9, an element.
    assert_eq!(column(&points, "bytes"), vec!["49152"; 8]);
    let operations = column(&points, "operations");
    assert_eq!(operations[0], (64 * 64 * 2 * 16 * 2).to_string());
    assert_eq!(operations[4], (64 * 64 * 2 * 9 * 2).to_string());
    assert_eq!(column(&points, "gb_per_s")[0], "1.638");
    assert_eq!(column(&points, "origin"), vec!["mock"; 8]);
    let samples = workspace.read("run/samples.csv");
    assert_eq!(
        column(&samples, "point").len(),
        column(&points, "samples").iter().map(|n| n.parse::<usize>().unwrap()).sum::<usize>()
    );
}

/// The mock's times take five values in turn, the formula's in the middle.
#[test]
fn medians_and_their_intervals_are_those_of_the_samples() {
    let workspace = Workspace::new();
    let scenario = workspace.read("small.toml") + "[measure]\nsamples_max = 10\nprecision_pct = 1\n";
    fs::write(workspace.path("small.toml"), scenario).unwrap();
    workspace.sweep("outside_us=10,slope_us=20,noise_pct=0.8", &[]).code(0);
    let points = workspace.read("run/points.csv");
    let first = |name: &str| column(&points, name)[0].clone();
    assert_eq!(first("stopped_by"), "precise", "no time is 1 % from another's");
    assert_eq!(first("samples"), "10");

    let samples = workspace.read("run/samples.csv");
    let of_first = |name: &str| column(&samples, name)[..10].to_vec();
    assert_eq!(column(&samples, "point").iter().filter(|point| *point == "0").count(), 10);
    assert_eq!(of_first("point"), vec!["0"; 10], "the samples of a point are together");
    assert_eq!(of_first("sample"), (0..10).map(|index| index.to_string()).collect::<Vec<_>>());
    assert_eq!(of_first("clock_mhz"), vec!["1000"; 10]);
    assert_eq!(of_first("flags"), vec![""; 10]);
    let mut rounds = of_first("round");
    rounds.dedup();
    assert_eq!(rounds, (0..rounds.len()).map(|index| index.to_string()).collect::<Vec<_>>());
    assert_eq!(first("rounds"), rounds.len().to_string());
    let mut times: Vec<f64> = of_first("time_us").iter().map(|time| time.parse().unwrap()).collect();
    times.sort_by(f64::total_cmp);
    assert!(times.iter().all(|time| [29.76, 29.88, 30.0, 30.12, 30.24].contains(time)), "{times:?}");
    let number = |name: &str| first(name).parse::<f64>().unwrap();
    assert!((number("time_us") - f64::midpoint(times[4], times[5])).abs() < 1e-9, "{times:?}");
    // Of 10 independent samples the second from either end, of fewer the first.
    assert!(times[..2].contains(&number("time_us_low")), "{} of {times:?}", number("time_us_low"));
    assert!(times[8..].contains(&number("time_us_high")), "{} of {times:?}", number("time_us_high"));
}

#[test]
fn the_law_of_the_mock_is_found_again() {
    let workspace = Workspace::new();
    let assert = workspace.sweep("outside_us=12.5,slope_us=3.75", &[]).code(0);
    let fits = workspace.read("run/fits.csv");
    assert_eq!(column(&fits, "parameter"), ["t_outside", "t_branch", "t_outside", "t_branch"]);
    for (index, wanted) in [12.5, 3.75, 12.5, 3.75].into_iter().enumerate() {
        for name in ["estimate", "low", "high"] {
            let found: f64 = column(&fits, name)[index].parse().unwrap();
            assert!((found - wanted).abs() < 1e-4, "{name} is {found}, not {wanted}");
        }
    }
    assert_eq!(column(&fits, "verdict"), vec!["holds exactly"; 4]);
    assert_eq!(column(&fits, "n"), vec!["4"; 4]);
    assert!(stdout(&assert).contains("3.750 µs"), "{}", stdout(&assert));
}

#[test]
fn unequal_and_weighted_branches_follow_their_sums() {
    let workspace = Workspace::new();
    let scenario = r#"
        family = "branching"
        variants = ["divergent"]
        [grid]
        work_per_branch = "ascending"
        branches = [1, 2, 3, 4]
        width = 64
        work = 1
        [[fit]]
        law = "branch_sum"
    "#;
    fs::write(workspace.path("small.toml"), scenario).unwrap();
    workspace.sweep("outside_us=5,slope_us=2", &[]).code(0);
    let points = workspace.read("run/points.csv");
    assert_eq!(column(&points, "followed_work"), ["1", "3", "6", "10"]);
    assert_eq!(column(&points, "time_us"), ["7", "11", "17", "25"]);
    let fits = workspace.read("run/fits.csv");
    assert_eq!(column(&fits, "parameter"), ["t_outside", "t_first_branch"]);
    assert_eq!(column(&fits, "verdict"), ["holds exactly", "holds exactly"]);
}

#[test]
fn a_wrong_result_is_a_row_and_status_4_and_the_sweep_goes_on() {
    let workspace = Workspace::new();
    let assert = workspace.sweep("wrong=2", &[]).code(4);
    let points = workspace.read("run/points.csv");
    let status = column(&points, "status");
    assert_eq!(status.len(), 8);
    assert_eq!(status[2], "wrong");
    assert_eq!(status.iter().filter(|status| *status == "ok").count(), 7);
    assert_eq!(column(&points, "time_us")[2], "", "a wrong result has no time");
    assert!(column(&points, "reason")[2].contains("output has 1 wrong of 4096 elements"));
    let told = unwrapped(&stdout(&assert));
    let cause = "1 of 8 points of `divergent` gave wrong results, branches = 4; operation = compute: output has 1 wrong of 4096 elements";
    assert!(told.contains(cause), "{told}");
}

#[test]
fn a_failed_launch_is_a_row_and_status_4() {
    let workspace = Workspace::new();
    workspace.sweep("fail_at=1", &["--set", "operation=compute"]).code(4);
    let points = workspace.read("run/points.csv");
    assert_eq!(column(&points, "status"), ["failed", "ok", "ok", "ok"]);
}

#[test]
fn a_run_without_a_good_point_has_its_rows_and_status_4_but_no_chart() {
    let workspace = Workspace::new();
    let assert = workspace.sweep("fail=0", &["--set", "branches=1", "--set", "operation=compute"]).code(4);
    assert_eq!(column(&workspace.read("run/points.csv"), "status"), ["failed"]);
    assert!(stderr(&assert).contains("note: chart runtime is not drawn"), "{}", stderr(&assert));
    assert!(!workspace.path("run/charts").exists());
}

#[test]
fn too_little_memory_is_a_row_that_says_the_need_and_no_failure() {
    let workspace = Workspace::new();
    let told = unwrapped(&stdout(&workspace.sweep("memory_mib=1", &["--set", "width=64,512"]).code(0)));
    assert!(
        told.contains("were skipped, branches = 1 to 8; width = 512: needs 3 MiB of device memory, 1 MiB are free"),
        "{told}"
    );
    let points = workspace.read("run/points.csv");
    let of_size: Vec<_> = column(&points, "width").into_iter().zip(column(&points, "status")).collect();
    assert!(of_size.contains(&("64".to_owned(), "ok".to_owned())));
    assert!(of_size.contains(&("512".to_owned(), "skipped".to_owned())));
    assert!(column(&points, "reason").contains(&"needs 3 MiB of device memory, 1 MiB are free".to_owned()));
}

/// Building the largest matrix takes gigabytes and many seconds on the host: what cannot fit is not built, so that
/// nothing is known of its workload.
#[test]
fn too_little_memory_is_foreseen_before_anything_is_built() {
    let workspace = Workspace::new();
    let arguments = ["sweep", "small.toml", "--device", "mock:memory_mib=64", "--out", "run", "--set", "width=16384"];
    workspace.apbench(&arguments).assert().code(4);
    let points = workspace.read("run/points.csv");
    assert_eq!(column(&points, "status"), vec!["skipped"; 8]);
    for unknown in ["followed_work", "bytes", "operations", "time_us"] {
        assert_eq!(column(&points, unknown), vec![""; 8], "{unknown}");
    }
    workspace.apbench(&["fit", "run"]).assert().code(0);
}

#[test]
fn two_sweeps_into_one_directory_do_not_mix() {
    let workspace = Workspace::new();
    let sweep = |mock: &str| workspace.start(&["sweep", "small.toml", "--out", "run", "--device", mock]);
    let mut children = ["mock:slope_us=1,delay_ms=20", "mock:slope_us=2,delay_ms=20"].map(sweep);
    let mut codes = children.each_mut().map(|child| child.wait().unwrap().code());
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(2)]);
    assert_eq!(column(&workspace.read("run/points.csv"), "point"), ["0", "1", "2", "3", "4", "5", "6", "7"]);
}

#[test]
fn a_run_never_overwrites_another() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    let before = workspace.read("run/points.csv");
    let assert = workspace.sweep("slope_us=99", &[]).code(2);
    assert!(stderr(&assert).contains("run: is not empty"), "{}", stderr(&assert));
    assert_eq!(workspace.read("run/points.csv"), before);
}

#[test]
fn without_out_each_run_gets_a_new_directory() {
    let workspace = Workspace::new();
    for _ in 0..2 {
        workspace.apbench(&["sweep", "small.toml", "--device", "mock"]).assert().code(0);
    }
    let runs: Vec<_> = fs::read_dir(workspace.path("results")).unwrap().collect();
    assert_eq!(runs.len(), 2);
    let name = runs[0].as_ref().unwrap().file_name().into_string().unwrap();
    assert!(name.starts_with("small-mock-device-"), "{name}");
}

/// The last of five points never ends, so that four are done whenever the kill comes.
#[test]
fn a_killed_sweep_leaves_points_that_fit_and_plot_use() {
    let workspace = Workspace::new();
    let grid = ["--set", "operation=compute", "--set", "branches=1,2,4,8,16"];
    let arguments = ["sweep", "small.toml", "--device", "mock:hang_at=16", "--out", "run"];
    let mut child = workspace.start(&[&arguments[..], &grid].concat());
    wait_until("four rows", || workspace.rows("run") == 4);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(workspace.rows("run"), 4);
    assert!(workspace.read("run/run.json").contains("\"status\": \"running\""));

    let fit = workspace.apbench(&["fit", "run"]).assert().code(0);
    assert!(stdout(&fit).contains("4 of 5 points: 4 ok"), "{}", stdout(&fit));
    assert_eq!(column(&workspace.read("run/fits.csv"), "n")[0], "4");
    workspace.apbench(&["plot", "run"]).assert().code(0);
    assert!(workspace.path("run/charts/runtime.png").is_file());
}

/// All points take so long together that the interrupt comes between them.
#[cfg(unix)]
#[test]
fn an_interrupt_finishes_the_point_and_ends_with_130() {
    let workspace = Workspace::new();
    let text = SCENARIO.replace("[1, 2, 4, 8]", "{ from = 1, to = 30, step = 1 }");
    fs::write(workspace.path("small.toml"), text).unwrap();
    let child = workspace.start(&["sweep", "small.toml", "--device", "mock:delay_ms=300", "--out", "run"]);
    wait_until("a row", || workspace.rows("run") > 0);
    let before = workspace.rows("run");
    send("-INT", &child);
    let (status, errors) = ended(child);
    assert_eq!(status.code(), Some(130), "{errors}");
    assert!(workspace.read("run/run.json").contains("\"status\": \"interrupted\""));
    assert!(errors.contains("the points measured so far are in run"), "{errors}");
    let finished = column(&workspace.read("run/points.csv"), "status");
    assert!(before <= finished.len() && finished.len() < 60, "{} points", finished.len());
    assert_eq!(finished, vec!["ok"; finished.len()]);
}

#[cfg(unix)]
#[test]
fn a_second_interrupt_stops_at_once_with_130() {
    let workspace = Workspace::new();
    let mut child = workspace.start(&["sweep", "small.toml", "--device", "mock:delay_ms=600000", "--out", "run"]);
    wait_until("the run's begin", || workspace.path("run/run.json").exists());
    send("-INT", &child);
    let mut told = [0; 11];
    child.stderr.as_mut().unwrap().read_exact(&mut told).unwrap();
    assert_eq!(&told, b"interrupted");
    send("-INT", &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(workspace.read("run/points.csv").lines().count(), 1, "the header alone");
}

#[test]
fn a_row_that_is_cut_off_is_left_aside_with_a_note() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    let whole = workspace.read("run/points.csv");
    fs::write(workspace.path("run/points.csv"), &whole[..whole.len() - 9]).unwrap();
    let fit = workspace.apbench(&["fit", "run"]).assert().code(0);
    assert!(stdout(&fit).contains("7 of 8 points: 7 ok"), "{}", stdout(&fit));
    assert!(stderr(&fit).contains("points.csv:9: the last row is cut off"), "{}", stderr(&fit));
}

#[test]
fn fit_and_plot_give_what_the_sweep_gave() {
    let workspace = Workspace::new();
    workspace.sweep("noise_pct=0.5", &[]).code(0);
    let files = ["run/fits.csv", "run/charts/runtime.svg"];
    let before = files.map(|file| workspace.read(file));
    fs::remove_file(workspace.path("run/fits.csv")).unwrap();
    fs::remove_dir_all(workspace.path("run/charts")).unwrap();
    workspace.apbench(&["fit", "run"]).assert().code(0);
    workspace.apbench(&["plot", "run"]).assert().code(0);
    assert_eq!(before, files.map(|file| workspace.read(file)));
}
