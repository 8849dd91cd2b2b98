//! Known errors in sentences.

use super::{KnownError, Points, SAME_CODE, SameCode, SizesOfPoints, of, of_scenario};
use crate::family::Family;
use crate::properties::{Origin, ProfileRecord, Properties};
use crate::unit::significant;
use gpu_simulator::profile::{Embedded, ForeignError, Profile, embedded, error_of_foreign_kernels};
use located_toml::words::and_list;

/// From how many points on 95 % of them are not all.
const NOT_ALL_FROM: usize = 20;

/// The share of the mean error that the mean with signs must make up for times to be off one way.
const ONE_WAY: f64 = 0.7;

/// How to find out what nobody knows yet.
const HOW_TO_FIND_OUT: &str =
    "to find out, sweep the same points on the GPU, then run `apbench compare MEASURED SIMULATED --accuracy`";

/// What small sizes do.
const SMALL: &str = "The points are small: at these sizes launches and the L2 cache take much of the time, or the blocks leave most of the GPU idle, \
     so a pattern may look cheaper than it is at the sizes of a GPU";

/// What is known of the times of a run on a simulated device, in a sentence; `None` where the device's times are not simulated.
pub fn sentence(known: &[KnownError], run: &Points<'_>) -> Option<String> {
    (run.device.origin == Origin::Simulated).then(|| {
        if run.family.is_user {
            return of_user_kernel(run.device, run.family.name);
        }
        let sizes = SizesOfPoints::of(run);
        let told = of_sizes(known, run.device, run.family.name, run.scenario, sizes);
        let is_known = of_run(known, run).is_some();
        if is_known && SizesOfPoints::has_same_code(run) { format!("{told} {}", same_code()) } else { told }
    })
}

/// That points were not compared themselves, but others that have their machine code and their simulated times.
fn same_code() -> String {
    let SameCode { parameter, value, other } = SAME_CODE;
    format!(
        "No point with {parameter}={value} was compared: it has the machine code and the simulated time of {parameter}={other}, and counts as that."
    )
}

/// What is known of the times of a kernel of the user's: how far those of others' kernels are off.
fn of_user_kernel(device: &Properties, kernel: &str) -> String {
    let foreign = device.spec.strip_prefix("sim:").and_then(error_of_foreign_kernels);
    match foreign {
        Some(own) => format!(
            "How far simulated times of the kernel `{kernel}` are off is not known. Those of kernels that the simulator was not made with are {} ({}); \
             {HOW_TO_FIND_OUT}.",
            own.off, own.of
        ),
        None => format!(
            "How far simulated times of the kernel `{kernel}` on {} are off is not known: nobody compared them with a GPU's; {HOW_TO_FIND_OUT}.",
            device.spec
        ),
    }
}

/// A sentence for points of a simulated device that are so small that patterns look cheap, and how to get others; `None` for others. Simulated GPUs without an L2
/// cache, those of compute capability 1, have small sizes by default.
pub fn small(run: &Points<'_>) -> Option<String> {
    let has_others = run.device.origin == Origin::Simulated && run.device.l2_bytes > 0;
    let long = if SizesOfPoints::are_small_to_be_fast(run) { ", which may take many minutes" } else { "" };
    let others = if SizesOfPoints::has_larger(run) {
        "; `--sizes gpu` simulates those".to_owned()
    } else {
        beyond(run).map_or_else(String::new, |beyond| format!("; {beyond}"))
    };
    let is_small = SizesOfPoints::are_small(run) || SizesOfPoints::leave_gpu_idle(run);
    (has_others && is_small).then(|| format!("{SMALL}{others}{long}."))
}

/// What is known of the times of a run on a simulated device, in one line; `None` where the device's times are not simulated.
pub fn short(known: &[KnownError], run: &Points<'_>) -> Option<String> {
    if run.device.origin != Origin::Simulated {
        return None;
    }
    Some(match (foreign(run), of_run(known, run)) {
        (Some(foreign), _) => {
            format!("Simulated: times of kernels that the simulator was not made with are {}.", foreign.off)
        }
        (None, Some(own)) => {
            let of = if is_of(own, run.scenario) { "" } else { " of this family" };
            let ratios = own
                .slowdown_error_pct
                .map(|pct| format!(", ratios between variants {}", percent(pct)))
                .unwrap_or_default();
            let (off, gpu) = (percent(own.time_error_pct), own.gpu.trim_start_matches("NVIDIA "));
            let SameCode { parameter, value, other } = SAME_CODE;
            let same = if SizesOfPoints::has_same_code(run) {
                format!(" {parameter}={value} counts as {other}: the same machine code.")
            } else {
                String::new()
            };
            format!("Simulated: times{of} {off} off the {gpu}'s on average{}{ratios}.{same}", direction(own))
        }
        (None, None) => calibrated(run.device, run.family.name).unwrap_or_else(|| {
            "Simulated: how far these times are off is not known; `apbench fit -v` says more.".to_owned()
        }),
    })
}

/// How far times of others' kernels are off, where the run is of a kernel of the user's on a device that was held against them.
fn foreign(run: &Points<'_>) -> Option<ForeignError> {
    run.device.spec.strip_prefix("sim:").and_then(error_of_foreign_kernels).filter(|_| run.family.is_user)
}

/// What is known of the times of a diagnosis on a simulated device, in a line that says where there is more; `None` where they are not simulated.
pub fn in_a_line(known: &[KnownError], run: &Points<'_>) -> Option<String> {
    if run.device.origin != Origin::Simulated {
        return None;
    }
    Some(match (foreign(run), of_run(known, run)) {
        (Some(own), _) => format!("Times of such kernels: {} (more: -v).", own.off),
        (None, Some(own)) => {
            let of = if is_of(own, run.scenario) { "" } else { " of this family" };
            format!("Simulated times{of}: {} off on average{} (more: -v).", percent(own.time_error_pct), direction(own))
        }
        (None, None) => calibrated(run.device, run.family.name)
            .unwrap_or_else(|| "How far these simulated times are off is not known (more: -v).".to_owned()),
    })
}

/// The same as [`small`], in one line.
pub fn small_in_short(run: &Points<'_>) -> Option<String> {
    let others =
        if SizesOfPoints::has_larger(run) { Some("`--sizes gpu` has a GPU's sizes".to_owned()) } else { beyond(run) };
    let others = others.map_or_else(String::new, |others| format!("; {others}"));
    small(run).map(|_| format!("Small points hide what patterns cost{others}."))
}

/// Whether it takes a GPU to know what the patterns of a run cost: its simulated points are small, or nobody held such times against a GPU's.
pub fn is_doubtful(known: &[KnownError], run: &Points<'_>) -> bool {
    run.device.origin == Origin::Simulated && (small(run).is_some() || of_run(known, run).is_none())
}

/// How larger points than those of a run are to be had; `None` where its family has none.
fn beyond(run: &Points<'_>) -> Option<String> {
    let at_their_ends = SizesOfPoints::at_their_ends(run);
    match (at_their_ends.as_slice(), run.family.is_user) {
        ([], _) => Some("larger values in [grid] say more".to_owned()),
        ([name], true) => Some(format!("`{name}` is as large as [parameters] allows: a larger `to` there says more")),
        (names, true) => {
            Some(format!("{} are as large as [parameters] allows: a larger `to` there says more", and_list(names)))
        }
        (_, false) => None,
    }
}

/// What the ratios between variants of a run on a simulated device are known to be off by on average, in percent, and whose ratios these are;
/// `None` where that is not known.
pub fn slowdown_error(known: &[KnownError], run: &Points<'_>) -> Option<(f64, &'static str)> {
    let own = of_run(known, run).filter(|_| run.device.origin == Origin::Simulated)?;
    Some((own.slowdown_error_pct?, if is_of(own, run.scenario) { "this scenario" } else { "this family" }))
}

/// Whether what is known is of this scenario alone.
fn is_of(own: &KnownError, scenario: &str) -> bool {
    own.scenario_names == scenario
}

/// What is known of the run's scenario at the run's sizes; where it was not compared, of its family.
fn of_run<'k>(known: &'k [KnownError], run: &Points<'_>) -> Option<&'k KnownError> {
    let sizes = SizesOfPoints::of(run);
    if run.family.is_user || sizes == SizesOfPoints::Other {
        return None;
    }
    of_scenario(known, run.device, run.family.name, run.scenario, sizes)
        .or_else(|| of(known, run.device, run.family.name).into_iter().find(|own| own.sizes == sizes))
}

/// What is known of a scenario's times at these sizes, or of its family's.
pub(super) fn of_sizes(
    known: &[KnownError],
    device: &Properties,
    family: &str,
    scenario: &str,
    sizes: SizesOfPoints,
) -> String {
    if let Some(own) = of_scenario(known, device, family, scenario, sizes).filter(|_| sizes != SizesOfPoints::Other) {
        return format!(
            "Simulated times of the scenario `{scenario}` at {sizes} are {}",
            compared_at(own, &format!("{} points", own.points))
        );
    }
    let rows = of(known, device, family);
    let at = if sizes == SizesOfPoints::Other { "the sizes of this run".to_owned() } else { sizes.to_string() };
    if let Some(own) = rows.iter().find(|own| own.sizes == sizes && sizes != SizesOfPoints::Other) {
        return format!("Simulated times of the family `{family}` at {at} are {}", compared_at(own, &points(own)));
    }
    let Some(first) = rows.first() else {
        if let Some(other) = known.iter().find(|own| own.profile == device.spec && own.family == family) {
            return format!(
                "How far simulated times of the family `{family}` are off in this run is not known: another version of the simulator made them. \
                 The errors that this apbench knows are those of version {} of the timing model; to have them told, sweep again.",
                other.timing_model
            );
        }
        if let Some(told) = calibrated(device, family) {
            return told;
        }
        let whose = if is_built_in(&device.spec) { "" } else { ", a profile of your own," };
        return format!(
            "How far simulated times of the family `{family}` on {}{whose} are off is not known: nobody compared them with a GPU's; \
             {HOW_TO_FIND_OUT}.",
            device.spec
        );
    };
    let elsewhere: Vec<String> =
        rows.iter().map(|own| format!("{} at {} ({})", percent(own.time_error_pct), own.sizes, points(own))).collect();
    format!(
        "How far simulated times of the family `{family}` are off at {at} is not known. Compared with an {}, they are off on average by {}.",
        first.gpu,
        listed(&elsewhere.iter().map(String::as_str).collect::<Vec<_>>())
    )
}

/// How far times are off that these points say it of.
fn compared_at(own: &KnownError, points: &str) -> String {
    let most = if own.points < NOT_ALL_FROM { "all" } else { "95 %" };
    format!(
        "{} off on average{}{}: {points}, compared with an {}; {most} of the times are within {}.",
        percent(own.time_error_pct),
        direction(own),
        ratios(own.slowdown_error_pct),
        own.gpu,
        percent(own.time_error_95_pct),
    )
}

/// Which way times are off, where most of them are off that way.
fn direction(own: &KnownError) -> &'static str {
    let share = own.time_bias_pct / own.time_error_pct;
    match share {
        _ if share <= -ONE_WAY => " (mostly too short)",
        _ if share >= ONE_WAY => " (mostly too long)",
        _ => "",
    }
}

/// How many points were compared, and of which scenarios.
fn points(own: &KnownError) -> String {
    let names: Vec<&str> = own.scenario_names.split_whitespace().collect();
    let noun = if names.len() == 1 { "the scenario" } else { "the scenarios" };
    format!("{} points of {noun} {}", own.points, listed(&names))
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        few => few.concat(),
    }
}

/// What is known of all families together on a simulated GPU, a sentence for each choice of sizes; where nothing is, what its profile
/// says of its validation.
pub fn of_profile(known: &[KnownError], spec: &str, validation: &str) -> Vec<String> {
    let told = compared(known, spec);
    if told.is_empty() { vec![said(spec, validation)] } else { told }
}

/// How far the profile of a simulated device was compared with a GPU, in the words of its file.
pub fn validation(device: &Properties, profile: &ProfileRecord) -> String {
    said(&device.spec, &profile.validation)
}

/// What a profile says of its validation. A file that was copied from a built-in profile still has the words of that one, which are
/// not about the copy.
fn said(spec: &str, validation: &str) -> String {
    if is_built_in(spec) {
        return validation.to_owned();
    }
    if inherited(validation) {
        return format!(
            "not known: a profile of your own, whose `validation` is that of the built-in profile it was copied from; {HOW_TO_FIND_OUT}"
        );
    }
    if validation.starts_with(CALIBRATED) {
        return validation.to_owned();
    }
    format!("not known to apbench; the profile says \"{validation}\"; {HOW_TO_FIND_OUT}")
}

/// What the `validation` of a profile begins with that `apbench calibrate` wrote.
const CALIBRATED: &str = "calibrated on ";

/// What is known of a device whose profile was calibrated: what the calibration told at its end.
fn calibrated(device: &Properties, family: &str) -> Option<String> {
    let told = device.profile.as_ref().filter(|own| own.validation.starts_with(CALIBRATED))?;
    let is_of_constants = Family::find(family).is_some_and(Family::is_of_constants);
    let doubt = if is_of_constants { " Scenarios of constants, as this one, may be further off." } else { "" };
    Some(format!("Simulated by a profile that was {}.{doubt}", told.validation))
}

/// Whether a device follows a profile that comes with the program. Known errors are of these alone.
fn is_built_in(spec: &str) -> bool {
    embedded().iter().any(|own| spec.strip_prefix("sim:") == Some(own.name))
}

/// Whether a built-in profile has these words.
fn inherited(validation: &str) -> bool {
    let of_profile = |own: &Embedded| Profile::load(own.name).is_ok_and(|own| own.validation == validation);
    embedded().iter().any(of_profile)
}

fn compared(known: &[KnownError], spec: &str) -> Vec<String> {
    let is_of_constants = |own: &KnownError| Family::find(&own.family).is_some_and(Family::is_of_constants);
    let rows = |sizes: SizesOfPoints, of_constants: bool| -> Vec<&KnownError> {
        let own = known.iter().filter(|own| own.profile == spec && own.sizes == sizes && own.is_of_family());
        own.filter(|own| is_of_constants(own) == of_constants).collect()
    };
    let told = |(sizes, of_constants): (SizesOfPoints, bool)| {
        let rows = rows(sizes, of_constants);
        let first = rows.first()?;
        let points: usize = rows.iter().map(|own| own.points).sum();
        let scenarios: usize = rows.iter().map(|own| own.scenarios).sum();
        let times = mean(rows.iter().map(|own| (own.points, own.time_error_pct)))?;
        let slowdowns = mean(rows.iter().filter_map(|own| Some((own.slowdowns, own.slowdown_error_pct?))));
        let what = if of_constants { "scenario of constants" } else { "scenario" };
        let plural = if scenarios == 1 { what.to_owned() } else { what.replacen("scenario", "scenarios", 1) };
        Some(format!(
            "at {sizes}: {} off on average{} ({points} points of {scenarios} {plural}, compared with an {})",
            percent(times),
            ratios(slowdowns),
            first.gpu,
        ))
    };
    let sizes = [SizesOfPoints::Gpu, SizesOfPoints::Other, SizesOfPoints::Simulated];
    let all = [false, true].into_iter().flat_map(|of_constants| sizes.map(|sizes| (sizes, of_constants)));
    let foreign = spec.strip_prefix("sim:").and_then(error_of_foreign_kernels);
    all.filter_map(told).chain(foreign.map(|own| format!("kernels of your own: {} ({})", own.off, own.of))).collect()
}

/// The mean of values of which there are so many each; `None` of none.
fn mean(values: impl Iterator<Item = (usize, f64)>) -> Option<f64> {
    let (count, sum) = values.fold((0, 0.0), |(count, sum), (own, value)| (count + own, sum + own as f64 * value));
    (count > 0).then(|| sum / count as f64)
}

fn ratios(error_pct: Option<f64>) -> String {
    error_pct.map_or(String::new(), |error| format!(", ratios between variants {}", percent(error)))
}

fn percent(value: f64) -> String {
    format!("{} %", significant(value, 2))
}
