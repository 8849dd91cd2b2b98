//! A diagnosis on a terminal: each variant, its findings with the costliest first.

use std::collections::BTreeMap;

use super::super::output::is_verbose;
use super::super::output::{width, wrapped};
use super::outputs::{Checked, Wrong};
use super::{Told, Variant, closing};
use crate::diagnosis::{
    Finding, KernelFacts, Kind, MEASURED_ON, PointDiagnosis, SMALL_PART, bound, counts, disagreement, gain, hidden,
    is_remedy_told, measured_gain, named, nothing_pays, only_together, some_launches, source_name, title,
};
use crate::known_error::{self, Points};
use crate::properties::Properties;
use crate::scenario::{Scenario, Sizes};
use crate::unit;

/// The part of the time that is left without all patterns from which on none is said to cost anything.
const TOGETHER_LITTLE: f64 = 0.9;
/// Columns up to which a source line is shown.
const SOURCE_WIDTH: usize = 64;
/// Columns that a source line has beside its place at least.
const SOURCE_WIDTH_LEAST: usize = 20;
/// What stands for what is cut off.
const CUT: &str = " ...";
/// The part of a time from which on the error of its sampling is told.
const SAMPLING_TOLD: f64 = 0.005;
/// Letters from which on a remedy is told once.
const LONG_REMEDY: usize = 80;
/// Patterns that cost nothing and are named all the same.
const HIDDEN_MOST: usize = 4;

/// What is known of simulated times of this kernel, and the same in a line.
pub(super) fn known_error(scenario: &Scenario, device: &Properties) -> (Option<String>, Option<String>) {
    let points = Points { scenario: &scenario.name, family: scenario.family, device, points: &[], asked: Sizes::Gpu };
    let known = known_error::known();
    (known_error::sentence(known, &points), known_error::in_a_line(known, &points))
}

/// The lines that are printed.
pub(super) fn text(told: &Told) -> Vec<String> {
    let width = usize::from(width()).max(40);
    let mut lines = wrapped("", &format!("{}: {}", told.scenario, told.title), width);
    let device = match &told.measured {
        Some(gpu) => format!("times of {}, parts of them by {}", gpu.label(), told.simulated.label()),
        None => told.simulated.label(),
    };
    lines.extend(wrapped("", &device, width));
    if told.size.of > 1 {
        lines.extend(wrapped("", &format!("{}; --set asks for another", told.size), width));
    }
    lines.extend(wrong_outputs(told, width));
    lines.extend(told.made_up.iter().flat_map(|made_up| wrapped("", made_up, width)));
    let mut told_remedies = ToldRemedies::new();
    for variant in &told.variants {
        lines.push(String::new());
        lines.extend(of_variant(variant, &mut told_remedies, width));
    }
    lines.extend(closing::lines(told, is_verbose()));
    lines
}

/// Which variants compute something else than the scenario says: what they cost says little then.
fn wrong_outputs(told: &Told, width: usize) -> Vec<String> {
    let Checked { wrong, racing, is_too_large, .. } = &told.outputs;
    let (mut lines, at) = (Vec::new(), told.outputs.at());
    if told.outputs.is_wrong() {
        let mut reasons: Vec<String> = Vec::new();
        for name in told.variants.iter().map(|variant| variant.name) {
            let races = racing.iter().any(|(variant, _)| *variant == name).then_some("races");
            let outputs = wrong.iter().any(|own| own.variant == name).then_some("wrong outputs");
            let why: Vec<&str> = races.into_iter().chain(outputs).collect();
            reasons.extend((!why.is_empty()).then(|| format!("{name} ({})", why.join(", "))));
        }
        let more = told.verifiable.as_ref().map(|own| format!("; apbench verify {own} tells more"));
        let note = "what a wrong kernel costs says little of one that is right";
        let headline = format!("NOT TO BE TRUSTED: {}: {note}{}", reasons.join(", "), more.unwrap_or_default());
        lines.extend(wrapped("", &headline, width));
    }
    for (variant, races) in racing {
        let more = if races.len() > 1 { format!(", and {} more", races.len() - 1) } else { String::new() };
        let first = races.first().map(|race| format!("{}; remedy: {}", race.what, race.remedy)).unwrap_or_default();
        lines.extend(wrapped("", &format!("RACES of {variant}{at}: {first}{more}"), width));
    }
    if *is_too_large {
        let note = "outputs are not checked at so large a size: apbench verify does with --set of a smaller one";
        lines.extend(wrapped("", note, width));
        return lines;
    }
    for Wrong { variant, problem, differs_from } in wrong {
        let told = match differs_from {
            Some(first) => format!("OUTPUTS DIFFER of {variant} and {first}{at}: {problem}"),
            None => format!("WRONG OUTPUTS of {variant}{at}: {problem}"),
        };
        lines.extend(wrapped("", &told, width));
    }
    lines
}

/// Where each long remedy was told first.
type ToldRemedies = BTreeMap<String, String>;

/// A remedy, or where it stands already.
fn told_once(finding: &Finding, told: &mut ToldRemedies) -> String {
    if finding.remedy.len() < LONG_REMEDY {
        return finding.remedy.clone();
    }
    if let Some(first) = told.get(&finding.remedy) {
        return format!("as for {first} above");
    }
    told.insert(finding.remedy.clone(), format!("{}:{}", finding.place.file, finding.place.line));
    finding.remedy.clone()
}

fn of_variant(variant: &Variant, told_remedies: &mut ToldRemedies, width: usize) -> Vec<String> {
    let point = match &variant.outcome {
        Ok(point) => point,
        Err(error) => return wrapped("", &format!("{}: not diagnosed: {error}", variant.name), width),
    };
    let scale = scale(variant, point);
    let mut lines = wrapped("", &headline(variant, point, scale), width);
    lines.extend(point.launches.into_iter().flat_map(|(some, all)| wrapped("  ", &some_launches(some, all), width)));
    for kernel in &point.kernels {
        lines.extend(of_kernel(kernel, point, scale, width));
    }
    let is_small = |finding: &&Finding| finding.price.is_some_and(|price| price.us < SMALL_PART * point.time_us);
    let (small, large): (Vec<&Finding>, Vec<&Finding>) = point.findings.iter().partition(is_small);
    // Where none has a price, all are told as findings.
    let is_left = |finding: &&Finding| finding.price.is_none() && point.without_all_us.is_some();
    let (left, large): (Vec<&Finding>, Vec<&Finding>) = large.into_iter().partition(is_left);
    for finding in &large {
        lines.push(String::new());
        lines.extend(of_finding(finding, point, told_remedies, scale, width));
    }
    lines.extend(together(point, scale, width));
    let costs_nothing = point.without_all_us.is_none_or(|us| us >= point.time_us * TOGETHER_LITTLE);
    let pays_filled = point.kernels.iter().flat_map(|own| &own.facts).any(|fact| fact.pays(point.time_us));
    if large.is_empty() && point.unpriced.is_none() && costs_nothing && !pays_filled {
        lines.extend(wrapped("  ", &nothing_pays(point), width));
    }
    if !small.is_empty() {
        lines.push(String::new());
        for finding in small.iter().take(HIDDEN_MOST) {
            let place = format!("{}:{}", finding.place.file, finding.place.line);
            lines.extend(wrapped("  ", &format!("{place} {}: {}", title(finding), hidden(finding, point)), width));
        }
        if small.len() > HIDDEN_MOST {
            let more = small.len() - HIDDEN_MOST;
            lines.extend(wrapped("  ", &format!("and {more} more that cost less than 2 %: --json has them"), width));
        }
    }
    if let Some(problem) = &point.unpriced {
        lines.push(String::new());
        lines.extend(wrapped("  ", problem, width));
        for finding in left.iter().take(HIDDEN_MOST) {
            let place = format!("{}:{}", finding.place.file, finding.place.line);
            lines.extend(wrapped("  ", &format!("{place} {}", title(finding)), width));
        }
        if left.len() > HIDDEN_MOST {
            let more = left.len() - HIDDEN_MOST;
            lines.extend(wrapped("  ", &format!("and {more} more without a price: --json has them"), width));
        }
    }
    lines
}

/// Measured microseconds for a simulated one.
fn scale(variant: &Variant, point: &PointDiagnosis) -> f64 {
    variant.measured.map_or(1.0, |measured| measured.median_us / point.time_us)
}

fn headline(variant: &Variant, point: &PointDiagnosis, scale: f64) -> String {
    let time = unit::time_us_to(point.time_us * scale, 3);
    match &variant.measured {
        Some(measured) => format!(
            "{}: {time} measured ({} to {}, {} samples), {} simulated, bound by {}",
            variant.name,
            unit::time_us_to(measured.smallest_us, 3),
            unit::time_us_to(measured.largest_us, 3),
            measured.samples,
            unit::time_us_to(point.time_us, 3),
            bound(point)
        ),
        None => format!("{}: {time}{}, bound by {}", variant.name, sampling(point), bound(point)),
    }
}

fn of_kernel(kernel: &KernelFacts, point: &PointDiagnosis, scale: f64, width: usize) -> Vec<String> {
    let extents = |all: [u32; 3]| {
        let used = all.iter().rposition(|extent| *extent > 1).map_or(1, |last| last + 1);
        all[..used].iter().map(u32::to_string).collect::<Vec<_>>().join(" x ")
    };
    let times = match kernel.launches {
        ..=1 => String::new(),
        several if kernel.grids_differ => format!(" in the first of {several} launches"),
        several => format!(", launched {several} times"),
    };
    let part = if point.kernels.len() > 1 {
        format!(", {:.0} % of the time", 1e2 * kernel.time_us / point.time_us)
    } else {
        String::new()
    };
    let blocks: u64 = kernel.grid.iter().map(|extent| u64::from(*extent)).product();
    let counted = if kernel.blocks_counted < blocks {
        format!("; {} were counted", counts(kernel.blocks_counted as f64, "block"))
    } else {
        String::new()
    };
    let many = |all: [u32; 3]| if all.iter().all(|extent| *extent == 1) { "" } else { "s" };
    let launch = format!(
        "{}: {} block{} of {} thread{}{times}{part}{counted}",
        source_name(kernel.kernel),
        extents(kernel.grid),
        many(kernel.grid),
        extents(kernel.block),
        many(kernel.block)
    );
    let mut lines = wrapped("  ", &launch, width);
    for fact in &kernel.facts {
        lines.extend(wrapped("    ", &fact.told(point.time_us, scale), width));
    }
    lines
}

fn of_finding(
    finding: &Finding,
    point: &PointDiagnosis,
    told_remedies: &mut ToldRemedies,
    scale: f64,
    width: usize,
) -> Vec<String> {
    let place = &finding.place;
    let mut lines = source_line(&format!("  {}:{}   ", place.file, place.line), &place.text, width);
    let title = title(finding);
    let Some(price) = finding.price else {
        lines.extend(wrapped("    ", &title, width));
        lines.extend(wrapped("    remedy: ", &told_once(finding, told_remedies), width));
        return lines;
    };
    let (time, part) = (|us: f64| unit::time_us_to(us * scale, 3), 1e2 * price.us / point.time_us);
    let times_as_fast = |us: f64| gain(point.time_us, us);
    let range = finding.price_range(point);
    let from_to = range.map(|(from, to)| format!(", {} to {}", time(from), time(to))).unwrap_or_default();
    let cost = format!("{title}: costs {} of {} ({part:.0} %{from_to})", time(price.us), time(point.time_us));
    let shared = if price.is_shared { ", its share of what several patterns cost together" } else { "" };
    lines.extend(wrapped("    ", &format!("{cost}{shared}"), width));
    if let Some(by_laws_us) = finding.by_laws_us {
        let (by_laws, why) =
            (by_laws(by_laws_us, price.us * scale), disagreement(finding, by_laws_us, price.us * scale, point));
        lines.extend(wrapped(
            "    ",
            &format!("{by_laws}{}", why.map(|why| format!("; {why}")).unwrap_or_default()),
            width,
        ));
    }
    let measured = measured_gain(finding, point).map(|(scenario, gain)| {
        let times = unit::significant(gain, 2);
        format!("; such a remedy made the program's own `{scenario}` {times} times as fast on {MEASURED_ON}")
    });
    let remedy = format!("{}{}", told_once(finding, told_remedies), measured.unwrap_or_default());
    lines.extend(wrapped("    remedy: ", &remedy, width));
    if let Some(remedied_us) = price.remedied_us.filter(|us| is_remedy_told(*us, price.without_us)) {
        let what = finding.kind.partial_remedy();
        let gains = remedied_us < point.time_us * (1.0 - SMALL_PART);
        let gain = if gains { times_as_fast(remedied_us) } else { "no gain".to_owned() };
        lines.extend(wrapped("    ", &format!("with a remedy, {what}: {}, {gain}", time(remedied_us)), width));
    }
    let is_partial = price.remedied_us.is_some_and(|us| is_remedy_told(us, price.without_us));
    let without = if is_partial { "without it altogether" } else { "without it" };
    let (gain, bound) = (times_as_fast(price.without_us), price.bound_without);
    if price.is_shared && price.without_us > point.time_us * (1.0 - SMALL_PART) {
        let alone = "without it alone: no gain, since other patterns then hide what that saves";
        lines.extend(wrapped("    ", alone, width));
        return lines;
    }
    let left = format!("{without}: {}, {gain}, bound by {bound}", time(price.without_us));
    lines.extend(wrapped("    ", &left, width));
    lines
}

/// A place with what stands there, which is cut to the width; below the place where it has no room beside.
fn source_line(place: &str, text: &str, width: usize) -> Vec<String> {
    let used = place.chars().count();
    let (mut lines, first) = if used + SOURCE_WIDTH_LEAST > width && !text.is_empty() {
        (vec![place.trim_end().to_owned()], "      ")
    } else {
        (Vec::new(), place)
    };
    let most = SOURCE_WIDTH.min(width.saturating_sub(first.chars().count()));
    let is_cut = text.chars().count() > most;
    let kept: String = text.chars().take(if is_cut { most.saturating_sub(CUT.len()) } else { most }).collect();
    lines.push(format!("{first}{kept}{}", if is_cut { CUT } else { "" }).trim_end().to_owned());
    lines
}

/// The price by the laws of a GPU, and how far it is from that of the simulation. Laws do not know what overlaps.
fn by_laws(by_laws_us: f64, price_us: f64) -> String {
    let time = unit::time_us_to(by_laws_us, 3);
    if price_us <= 0.0 {
        return format!("by the laws of the GPU it costs {time} if nothing hides it");
    }
    let times = unit::significant(by_laws_us / price_us, 2);
    format!("by the laws of the GPU it costs {time} if nothing hides it, {times} times the simulated cost")
}

/// What is left without all patterns, and what pays once the costliest is gone.
fn together(point: &PointDiagnosis, scale: f64, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let time = |us: f64| unit::time_us_to(us * scale, 3);
    let first = point.findings.iter().find_map(|finding| finding.price);
    if let Some((finding, (saved_us, first))) =
        point.next.and_then(|(place, us)| Some((&point.findings[place], (us, first?))))
    {
        let place = format!("{}:{}", finding.place.file, finding.place.line);
        let (kind, saved, of) = (named(finding), time(saved_us), time(first.without_us));
        lines.extend(wrapped(
            "  ",
            &format!("next, once that is gone: {place}, {kind}, would save {saved} of the {of} that are left then"),
            width,
        ));
    }
    let best_us = first.map_or(point.time_us, |first| first.without_us).min(point.time_us);
    if let Some(without_us) = point.without_all_us.filter(|us| *us < best_us * (1.0 - SMALL_PART)) {
        let found = point.findings.iter().map(|own| own.kind);
        let mut kinds: Vec<Kind> = found.filter(|kind| kind.is_taken_away_in_part()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let titles: Vec<&str> = kinds.into_iter().map(Kind::title).collect();
        let limit = if titles.is_empty() {
            String::new()
        } else {
            format!("; expect less, as remedies take away only a part of {}", titles.join(" and of "))
        };
        let several = point.of_several_us().map(|us| format!("; {}", only_together(&time(us)))).unwrap_or_default();
        let left =
            format!("without all of them: {}, {}{several}{limit}", time(without_us), gain(point.time_us, without_us));
        lines.extend(wrapped("  ", &left, width));
    }
    let facts_us = point.kernels.iter().flat_map(|own| &own.facts).filter_map(|fact| fact.without_us);
    let least_us = facts_us.chain(point.without_all_us).fold(best_us, f64::min);
    if let Some((us, mores)) = point.with_more.as_ref().filter(|(us, _)| *us < least_us * (1.0 - SMALL_PART)) {
        let mut mores = mores.clone();
        mores.sort_unstable();
        mores.dedup();
        let (all, mores) =
            (if first.is_some() { "without all of them, and with " } else { "with " }, mores.join(" and "));
        lines.extend(wrapped("  ", &format!("{all}{mores}: {}, {}", time(*us), gain(point.time_us, *us)), width));
    }
    if !lines.is_empty() {
        lines.insert(0, String::new());
    }
    lines
}

/// That only a part of the blocks was timed, where that may be seen in the time.
fn sampling(point: &PointDiagnosis) -> String {
    let error_us = point.sampling_error_us.filter(|us| *us > SAMPLING_TOLD * point.time_us);
    error_us.map(|us| format!(" (± {}, timed from some of its blocks)", unit::time_us_to(us, 2))).unwrap_or_default()
}
