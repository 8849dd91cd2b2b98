//! `apbench selfcheck`: whether measurements on a device can be trusted.

use std::fs;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};

use super::failure::{Failure, Status};
use super::measure_options::MeasureOptions;
use super::output::{line, print_table, table, tell, unbroken_line};
use crate::device::GuardOutcome;
use crate::device::select::DeviceSpec;
use crate::properties::Origin;
use crate::run::RunError;
use crate::scenario::MeasureSettings;
use crate::selfcheck::noise_floor;
use crate::selfcheck::{COMPARISONS_FOR_FLOOR, SelfCheck, selfcheck};
use crate::unit;

/// Options of `selfcheck`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Device: auto (the first CUDA device, else sim:h200), cuda:N, sim:NAME or sim:FILE.toml
    #[arg(long, value_name = "SPEC", default_value = "auto")]
    device: DeviceSpec,
    /// Number of comparisons of a kernel with itself; half as many compare it with a longer kernel
    #[arg(long, value_name = "COUNT", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pairs: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Also write the JSON to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    measuring: MeasureOptions,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let device = arguments.device.open(tell)?;
    let mut settings = MeasureSettings::default();
    arguments.measuring.apply(&mut settings);
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:20} {pos}/{len} comparisons, {eta} left") {
        bar.set_style(style);
    }
    let check = selfcheck(&*device, settings, arguments.pairs as usize, |done, of| {
        bar.set_length(of as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let check = check?;
    // What is sampled otherwise than by default has a noise of its own.
    let usual = MeasureSettings::default();
    let is_usual = settings.sampling == usual.sampling && settings.flush == usual.flush;
    let is_kept = check.trusted == Some(true) && is_usual;
    let floor = check.noise_floor(jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string());
    let floor = floor.filter(|_| is_kept);
    let kept = floor.as_ref().map(|floor| noise_floor::store(&check.device, floor, tell));
    let json = serde_json::to_string_pretty(&check).map_err(|error| Failure::Other(format!("the JSON: {error}")))?;
    if let Some(path) = &arguments.out {
        fs::write(path, format!("{json}\n")).map_err(RunError::io(path))?;
    }
    if arguments.json {
        unbroken_line(json)?;
    } else {
        print(&check)?;
    }
    match kept {
        Some(Ok(path)) if !arguments.json => {
            line("")?;
            line(format!("noise floor written to {}; comparisons of runs on this device use it", path.display()))?;
        }
        Some(Err(error)) => tell(format!("note: the noise floor could not be kept: {error}")),
        None if !check.repeats_exactly => {
            tell(if check.same.len() < COMPARISONS_FOR_FLOOR {
                format!(
                    "note: the noise floor is not kept: it needs at least {COMPARISONS_FOR_FLOOR} comparisons (--pairs)"
                )
            } else if is_usual {
                "note: the noise floor is not kept: the measurements cannot be trusted".to_owned()
            } else {
                "note: the noise floor is not kept: it was found with a --sampling or --flush that is not the default"
                    .to_owned()
            });
        }
        _ => {}
    }
    Ok(if check.problems.is_empty() { Status::Success } else { Status::PointsFailed })
}

fn print(check: &SelfCheck) -> Result<(), Failure> {
    line(format!("self-check of {}", check.device.label()))?;
    line("")?;
    let mut rows = table(&[]);
    for (name, value) in figures(check) {
        rows.add_row([name.to_owned(), value]);
    }
    print_table(&rows)?;
    line("")?;
    let mut guards = table(&["guard", "outcome", "what was found"]);
    for guard in &check.guards {
        let outcome = match guard.outcome {
            GuardOutcome::Ok => "ok",
            GuardOutcome::Flagged => "FLAGGED",
            GuardOutcome::Unknown => "unknown",
        };
        guards.add_row([guard.guard.as_str(), outcome, guard.detail.as_str()]);
    }
    if !check.guards.is_empty() {
        print_table(&guards)?;
        line("")?;
    }
    conclusion(check).into_iter().try_for_each(line)?;
    Ok(())
}

/// The rows of the table.
fn figures(check: &SelfCheck) -> Vec<(&'static str, String)> {
    let known = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    let mut rows = Vec::new();
    if check.repeats_exactly {
        rows.push(("noise floor", "none: simulated times repeat exactly, there is no noise".to_owned()));
    } else {
        let floor = check
            .noise_floor_pct
            .map(|floor| format!("{floor:.2} %: 95 % of the comparisons of a kernel with itself differ by no more"));
        rows.push(("noise floor", known(floor)));
        let compared = check.same.len();
        rows.push((
            "false verdicts",
            format!("{} of {compared} comparisons of a kernel with itself said SLOWER or FASTER", check.false_verdicts),
        ));
        let by = check.longer_by_pct.map_or("longer".to_owned(), |by| format!("{by:.2} % longer"));
        let sought = check.longer.len();
        rows.push((
            "true difference",
            format!("found in {} of {sought} comparisons with a kernel that took {by}", check.found),
        ));
        let clock = check.clock_mhz.zip(check.lowest_clock_mhz).map(|(reference, lowest)| {
            let spread = (reference - lowest) / reference * 100.0;
            let highest = check.device.sm_clock_mhz;
            format!("{reference:.0} MHz at the start, lowest {lowest:.0} MHz, {:.1} % below; the device's highest is {highest:.0} MHz", spread.max(0.0))
        });
        rows.push(("clock", known(clock)));
    }
    // A model knows no launches.
    if check.device.origin != Origin::Simulated {
        let null = check.null_cost_us.map(|time| {
            let (time, ten) = (unit::time_us(time), unit::time_us(10.0 * time));
            format!("{time} for a kernel that does nothing; times below {ten} are better measured hot")
        });
        rows.push(("null cost", known(null)));
        let launch =
            check.launch_cost_us.map(|time| format!("{} each, of many one after the other", unit::time_us(time)));
        rows.push(("launch cost", known(launch)));
        let copy = check.copy_gb_per_s.map(|copied| {
            let part = check.peak_gb_per_s.filter(|peak| *peak > 0.0);
            let part =
                part.map(|peak| format!(", {:.0} % of the theoretical peak of {peak:.0} GB/s", copied / peak * 100.0));
            format!("{copied:.0} GB/s read and written{}", part.unwrap_or_default())
        });
        rows.push(("copy bandwidth", known(copy)));
    }
    rows
}

/// Whether measurements can be trusted, and what to do where not.
fn conclusion(check: &SelfCheck) -> Vec<String> {
    if check.repeats_exactly && check.advice.is_empty() {
        return vec![
            "These times are computed by a model and repeat exactly.".to_owned(),
            "`apbench devices` says how well they agree with the real GPU.".to_owned(),
        ];
    }
    if check.trusted == Some(true) {
        return vec![
            "Measurements here can be trusted: the noise floor is at most 1 %, no more than 1 verdict in 100 is false, and \
             no guard is flagged."
                .to_owned(),
        ];
    }
    let mut lines = vec!["Measurements here cannot be trusted yet:".to_owned()];
    lines.extend(check.advice.iter().map(|advice| format!("- {advice}")));
    lines
}
