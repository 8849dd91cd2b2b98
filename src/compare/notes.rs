//! What readers of a comparison must know, in words.

use rayon::prelude::*;

use super::build::{RUN_TO_RUN_HOST_PCT, RUN_TO_RUN_PCT, RUN_TO_RUN_SHORT_PCT};
use super::key::Values;
use super::matching::Matched;
use super::side::Side;
use super::side_by_side::{Basis, Judged, Other, Relation, Row};
use located_toml::words::{and_list, quote};

pub(super) fn notes(
    sides: &[Side],
    relations: &[Relation],
    others: &[Other],
    rows: &[Row],
    matched: &Matched,
    values: &Values,
) -> Vec<String> {
    let mut notes = Vec::new();
    let Some((base, rest)) = sides.split_first() else { return notes };
    for (other, relation) in rest.iter().zip(relations) {
        let name = &other.facts.name;
        match relation {
            Relation::SimulatedAgainstMeasured | Relation::MeasuredAgainstSimulated => {
                let simulated = if *relation == Relation::SimulatedAgainstMeasured { name } else { &base.facts.name };
                notes.push(format!(
                    "{simulated} is simulated and the other measured: TOO FAST and TOO SLOW are errors of the simulation, not differences of devices"
                ));
            }
            Relation::DifferentDevices => notes.push(format!("{name}: another device: a verdict shows which device is faster")),
            Relation::SimulatedDevices if base.device.spec == other.device.spec => notes.push(format!(
                "{name}: the same simulated GPU, but another version of its timing model or of its profile made the times: a difference may be \
                 the simulator's"
            )),
            Relation::SimulatedDevices => {
                notes.push(format!(
                    "{name}: another simulated GPU: both times are simulated, so a verdict compares simulated times, not two real GPUs"
                ));
            }
            Relation::SameModel => notes.push(format!("{name}: another device of the same model")),
            Relation::SameDevice | Relation::SameSimulated => {}
        }
        if other.measure.flush != base.measure.flush || other.measure.sampling != base.measure.sampling {
            notes.push(format!("{name} was measured with another --sampling or --flush than {}", base.facts.name));
        }
        if other.ptx_sha256 != base.ptx_sha256 {
            let of_base = &base.facts.name;
            notes.push(if other.target == base.target {
                format!("{name}: the PTX of the kernels differs from that of {of_base}, so a difference may come from the program")
            } else {
                format!(
                    "{name}: the PTX of the kernels differs from that of {of_base}, since it was compiled for {}, there for {}, so a difference may come from the \
                     program; `target` in [kernel] compiles for one on both devices",
                    other.target, base.target
                )
            });
        }
        let differing = other
            .own_files
            .iter()
            .filter(|file| base.own_files.iter().any(|own| own.name == file.name && own.sha256 != file.sha256));
        let differing: Vec<&str> = differing.map(|file| file.name.as_str()).collect();
        if !differing.is_empty() {
            notes.push(format!(
                "{name}: {} is not what it was for {}, so a difference may come from the data",
                and_list(&differing),
                base.facts.name
            ));
        }
        let of_base = |buffer: &String| base.contents.iter().find(|(own, _)| own == buffer).map(|(_, fill)| fill);
        let changed = other.contents.iter().filter_map(|(buffer, fill)| {
            let was = of_base(buffer).filter(|was| *was != fill)?;
            Some(format!("{} holds {}, and {} in {}", quote(buffer), quote(fill), quote(was), base.facts.name))
        });
        let changed: Vec<String> = changed.collect();
        if !changed.is_empty() {
            notes.push(format!("{name}: {}, so a difference may come from the data", changed.join("; ")));
        }
    }
    for ignored in &matched.ignored {
        let of =
            ignored.values.iter().zip(sides).map(|(value, side)| {
                format!("{} in {}", value.as_deref().unwrap_or("without effect"), side.facts.name)
            });
        notes.push(format!("matched across {}: {}", ignored.parameter, of.collect::<Vec<_>>().join(", ")));
    }
    for (other, shown) in rest.iter().zip(others) {
        if shown.summary.compared + shown.summary.failed == 0 {
            notes.push(nothing_in_common(base, other, values));
        }
    }
    notes.extend(about_intervals(rows));
    notes
}

/// What the intervals of some comparisons rest on.
#[derive(Debug, Clone, Copy, Default)]
struct Intervals {
    /// How many rest on rounds, on medians and on nothing.
    rounds: usize,
    medians: usize,
    none: usize,
    /// The widest allowance for other processes, in percent.
    widest: f64,
    /// Whether one allows for short points, and one for the host's part.
    short: bool,
    host: bool,
}

impl Intervals {
    fn with(self, judged: &Judged) -> Self {
        let is = |basis| usize::from(judged.basis == basis);
        let allowance = judged.allowance_pct;
        Self {
            rounds: self.rounds + is(Basis::Rounds),
            medians: self.medians + is(Basis::Medians),
            none: self.none + is(Basis::None),
            widest: if judged.basis == Basis::Exact { self.widest } else { self.widest.max(allowance) },
            short: self.short || (RUN_TO_RUN_SHORT_PCT..RUN_TO_RUN_HOST_PCT).contains(&allowance),
            host: self.host || allowance >= RUN_TO_RUN_HOST_PCT,
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            rounds: self.rounds + other.rounds,
            medians: self.medians + other.medians,
            none: self.none + other.none,
            widest: self.widest.max(other.widest),
            short: self.short || other.short,
            host: self.host || other.host,
        }
    }
}

/// What intervals rest on, and what they do not know.
fn about_intervals(rows: &[Row]) -> Vec<String> {
    let judged = rows.par_iter().flat_map_iter(|row| &row.others).filter_map(|cell| cell.judged.as_ref());
    let Intervals { rounds, medians, none, widest, short, host } =
        judged.fold(Intervals::default, Intervals::with).reduce(Intervals::default, Intervals::and);
    let mut notes = Vec::new();
    if rounds + medians > 0 {
        let more: Vec<String> = [
            short.then(|| format!("{RUN_TO_RUN_SHORT_PCT} % for points flagged short")),
            host.then(|| format!("{RUN_TO_RUN_HOST_PCT} % for points with transfers or work of the host")),
        ]
        .into_iter()
        .flatten()
        .collect();
        let by = if more.is_empty() {
            format!("{widest:.1} %")
        } else {
            format!("{RUN_TO_RUN_PCT} % ({})", more.join(", "))
        };
        notes.push(format!(
            "intervals are widened by {by} at each end, because two runs of the same kernels on one GPU differ by up to that; \
             two GPUs of the same kind may differ by more"
        ));
    }
    if medians > 0 {
        notes.push(format!(
            "{medians} comparisons use the intervals of the medians, because a run has no rounds.csv or repeats exactly"
        ));
    }
    if none > 0 {
        notes.push(format!("{none} comparisons have no interval, because a time has too few samples"));
    }
    notes
}

/// How two sides differ in a parameter of which they have no value in common.
struct Apart {
    parameter: &'static str,
    /// The value of each, where each has one.
    single: Option<[String; 2]>,
    /// The values of each, as far as they can be listed.
    values: [Option<String>; 2],
}

/// Values of a parameter that are listed in a command, at most.
const VALUES_MOST: usize = 12;

/// Why no point of two sides is in both, and what to do about it.
fn nothing_in_common(base: &Side, other: &Side, values: &Values) -> String {
    let names = base.family.parameters.iter().map(|parameter| parameter.name).enumerate();
    let apart = names.filter_map(|(index, parameter)| {
        let (own, others) = (base.keys.distinct(index + 1), other.keys.distinct(index + 1));
        let have_values = !own.is_empty() && !others.is_empty();
        let is_apart = have_values && own.iter().all(|value| !others.contains(value));
        let single = || match (&own[..], &others[..]) {
            ([one], [two]) => Some([one, two].map(|value| values.text(*value).to_owned())),
            _ => None,
        };
        let listed = |own: &[_]| {
            let all: Vec<&str> = own.iter().map(|value| values.text(*value)).collect();
            (all.len() <= VALUES_MOST).then(|| all.join(","))
        };
        let values = [listed(&own), listed(&others)];
        is_apart.then(|| Apart { parameter, single: single(), values })
    });
    let apart: Vec<Apart> = apart.collect();
    let (sizes, of_sizes) = (base.sizes, base.sizes != other.sizes && base.facts.scenario == other.facts.scenario);
    let (name, base) = (&other.facts.name, &base.facts.name);
    if apart.is_empty() {
        return format!("{name} has no point in common with {base}: neither times nor laws are compared");
    }
    let words = apart.iter().map(|Apart { parameter, single, values }| match (single, values) {
        (Some([own, others]), _) => format!("{parameter} is {own} in the base and {others} here"),
        (None, [Some(own), Some(others)]) => format!("{parameter} is one of {own} in the base and of {others} here"),
        _ => format!("no value of {parameter} is in both"),
    });
    let set = apart.iter().filter_map(|Apart { parameter, values: [own, _], .. }| {
        own.as_ref().map(|own| format!("--set {parameter}={own}"))
    });
    let unlisted: Vec<&str> = apart.iter().filter(|own| own.values[0].is_none()).map(|own| own.parameter).collect();
    let set = set.collect::<Vec<_>>().join(" ");
    // A parameter can be ignored if each run has one value of it.
    let again = match (set.is_empty(), unlisted.is_empty()) {
        (_, true) if apart.iter().all(|own| own.single.is_some()) => {
            let parameters: Vec<&str> = apart.iter().map(|own| own.parameter).collect();
            format!("{set}, or match points that differ with --ignore {}", parameters.join(","))
        }
        (_, true) => set,
        (true, false) => format!("the base's values of {}", and_list(&unlisted)),
        (false, false) => format!("{set} and the base's values of {}", and_list(&unlisted)),
    };
    let words = words.collect::<Vec<_>>().join(", ");
    let again = if of_sizes { format!("--sizes {}, or with {again}", sizes.name()) } else { again };
    format!(
        "{name} has no point in common with {base}: {words}. Neither times nor laws are compared. Sweep it again with {again}"
    )
}
