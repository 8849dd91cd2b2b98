//! How long commands take with a run of a million points, and how much memory:
//!
//!     cargo bench --bench million [-- COMMAND...]
//!
//! Two runs are generated in a temporary folder, their times made up by a law with noise and their origin `mock`; the
//! program that was built goes through them. Each command is to take at most 5 seconds and 1 GB on two cores.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use apbench::family::Request;
use apbench::family::branching::FAMILY;
use apbench::parameter::ParameterSet;
use apbench::properties::Properties;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const SCENARIO: &str = r#"title = "A million points"
family = "branching"
variants = ["divergent", "static_reordering"]

[grid]
width = { from = 64, to = 1600, step = 64 }
work = { from = 1, to = 625, step = 1 }
branches = { from = 1, to = 32, step = 1 }

[[fit]]
law = "branches"

[[fit]]
law = "slowdown"
reference = "divergent"

[[chart]]
name = "every-line"
x = "branches"

[[chart]]
name = "every-point"
x = "work"
series = ["variant"]

[[chart]]
name = "some"
x = "branches"
series = ["variant", "work"]
only = { width = 1024, work = [8, 16, 32] }
"#;

const POINTS: usize = 2 * 25 * 625 * 32;
const MOST_S: f64 = 5.0;
const MOST_MB: f64 = 1000.0;

fn main() -> ExitCode {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [base, other] = ["base", "other"].map(|name| folder.path().join(name));
    generate(&base, 1, 1.0);
    generate(&other, 2, 1.01);
    let [base, other] = [base, other].map(|path| path.display().to_string());
    let report = folder.path().join("report.html").display().to_string();
    let commands: [&[&str]; 4] =
        [&["fit", &base], &["plot", &base], &["compare", &base, &other], &["report", &base, "--out", &report]];
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    println!("{:8} {:>8} {:>8}   of at most {MOST_S} s, {MOST_MB} MB; {POINTS} points", "", "s", "MB");
    let mut missed = false;
    for arguments in commands.iter().filter(|command| wanted.is_empty() || wanted.iter().any(|name| name == command[0]))
    {
        let (status, seconds, megabytes) = run(arguments);
        println!("{:8} {seconds:8.2} {megabytes:8.0}   status {status}", arguments[0]);
        missed |= status != 0 || seconds > MOST_S || megabytes > MOST_MB;
    }
    if missed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs the program; gives its status, its wall time in seconds and the most memory that it had, in MB.
fn run(arguments: &[&str]) -> (i32, f64, f64) {
    let begin = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_apbench"))
        .args(arguments)
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut most = 0.0_f64;
    loop {
        most = most.max(resident_mb(child.id()).unwrap_or(0.0));
        if let Some(status) = child.try_wait().expect("the program can be waited for") {
            return (status.code().unwrap_or(-1), begin.elapsed().as_secs_f64(), most);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The most memory that a process has had so far, where the system tells.
fn resident_mb(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}

/// Writes a run whose times are `factor` times what a law says, give or take 0.2 %.
fn generate(folder: &Path, seed: u64, factor: f64) {
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/nvidia-h200/branching");
    fs::create_dir_all(folder).expect("the folder");
    let read = |name: &str| fs::read_to_string(reference.join(name)).expect("the reference run");
    let mut metadata: serde_json::Value = serde_json::from_str(&read("run.json")).expect("its metadata");
    metadata["scenario"] = "million".into();
    metadata["points"] = POINTS.into();
    metadata["device"]["origin"] = "mock".into();
    let device: Properties = serde_json::from_value(metadata["device"].clone()).expect("a device");
    fs::write(folder.join("run.json"), metadata.to_string()).expect("run.json");
    fs::write(folder.join("scenario.toml"), SCENARIO).expect("scenario.toml");
    let points = read("points.csv");
    let mut text = format!("{}\n", points.lines().next().expect("a header"));
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut point = 0;
    for (variant, slope) in [("divergent", 1.0), ("static_reordering", 0.7)] {
        for width in (64..=1600).step_by(64) {
            let predictors: Vec<String> =
                (1..=32).map(|branches| predictors(&device, variant, width, branches)).collect();
            for work in 1..=625 {
                for (branches, followed) in (1..=32).zip(&predictors) {
                    let noise = 1.0 + 0.004 * (f64::from(random.next_u32()) / f64::from(u32::MAX) - 0.5);
                    let size = f64::from(width) / 1024.0;
                    let time_us = factor * noise * (5.0 + size * size * f64::from(work) * slope * f64::from(branches));
                    let (low, high) = (time_us * 0.999, time_us * 1.001);
                    let elements = width * width;
                    let _ = writeln!(
                        text,
                        "{point},{variant},{branches},compute,integer,{work},equal,even,1,{width},256,ok,,mock,{time_us:.3},\
                         {low:.3},{high:.3},320,{},{:.3},{},{:.3},1980,precise,cold,5,,,,,{followed}",
                        elements * 12,
                        f64::from(elements * 12) / time_us / 1e3,
                        elements * 512,
                        f64::from(elements) * 512.0 / time_us / 1e3,
                    );
                    point += 1;
                }
            }
        }
    }
    fs::write(folder.join("points.csv"), text).expect("points.csv");
}

/// The cells of a point's predictors.
fn predictors(device: &Properties, variant: &str, width: i32, branches: i32) -> String {
    let mut parameters = ParameterSet::defaults(FAMILY.parameters, device);
    for (name, value) in [("width", width), ("branches", branches)] {
        parameters.set(name, i64::from(value)).expect("a parameter of the family");
    }
    let request = Request { variant, parameters: &parameters, device, seed: 1 };
    let predictors = FAMILY.predictors(&request).expect("the predictors of a point");
    predictors.iter().map(|(_, value)| format!("{value:.6}")).collect::<Vec<_>>().join(",")
}
