//! Prices: the launches of a point simulated again, each time without one of the patterns that were counted.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::busiest::BusiestLines;
use super::candidate::{Candidate, OfKernel, candidates, mean_wait_us, time_sectors};
use super::effort::Effort;
use super::facts::{LAUNCHING_PART, Lines, facts};
use super::ranking::sort;
use super::remedy::{is_sorting_of_use, meets_other_warps_only};
use super::shared_out::prices;
use super::shortage::{PricedShortage, least_us, shares_multiprocessors, shortages, warps_of};
use super::unpriced::unpriced;
use super::wide::Shape;
use super::{Examiner, Finding, Kind, PointDiagnosis, by_laws, launches, remedy};
use crate::device::sim::{AT_ONCE, Examined, Lessened, WithoutIn};
use crate::device::{Device, DeviceError};
use crate::workload::{Buffer, Launch, Workload};
use gpu_simulator::{Awaited, Bound, Pattern, Report, Without};

/// What a pattern on a line costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// What it adds to the time; 0 where something else hides it. Prices of a point never add up to more than its time.
    pub us: f64,
    /// The time without it alone: longer than with it where accesses then find less in a cache.
    pub without_us: f64,
    /// Whether `us` is a part of what several patterns cost together, any of which would go with another.
    pub is_shared: bool,
    /// What would bound the longest launch then.
    pub bound_without: &'static str,
    /// The time with the remedy that is named, where that cannot take all of the pattern away.
    pub remedied_us: Option<f64>,
}

/// The part of a point's time below which a price is said to be none.
pub const SMALL_PART: f64 = 0.02;

/// Patterns that are looked at for what pays next.
const NEXT_MOST: usize = 6;
/// The part of the time without the costliest pattern that must be left without all for something to pay next.
const MUCH_REMAINS: f64 = 0.9;
/// The part of the time that all patterns cost together beyond what each costs alone from which on it is shared out among them.
const HIDDEN_TOGETHER: f64 = 0.1;

/// What a remedy leaves of patterns that it takes away in part: the word for its time, and what is simulated.
fn partly(kind: Kind) -> Option<(&'static str, Pattern)> {
    match kind {
        Kind::Divergence => Some(("divergence_sorted_within_blocks", Pattern::DivergenceWithinBlocks)),
        Kind::AtomicContention => Some(("atomics_aggregated_within_warps", Pattern::AtomicContentionWithinWarps)),
        Kind::ConstantPlaces => Some(("constant_in_shared_memory", Pattern::ConstantInShared)),
        _ => None,
    }
}

/// Whether what the launches take with such a remedy is told beside what they take without the pattern.
pub fn is_remedy_told(remedied_us: f64, without_us: f64) -> bool {
    (remedied_us / without_us - 1.0).abs() > SMALL_PART
}

/// Looks for patterns in the launches of a workload and prices them.
///
/// # Errors
/// What is wrong with a launch, or what a thread did wrong.
pub fn diagnose(examiner: &Examiner<'_>, workload: &Workload) -> Result<PointDiagnosis, DeviceError> {
    let sim = examiner.sim;
    let behaviour = sim.behaviour(workload)?;
    let of_all = workload;
    let some = launches::some(of_all, &behaviour);
    let workload = some.as_ref().unwrap_or(of_all);
    let base = sim.examine(workload)?;
    let mut found: Vec<Candidate> = Vec::new();
    let mut busiest: Vec<BusiestLines> = Vec::new();
    let of_kernels = &base.of_kernels;
    examiner.progress.add_done(1);
    for (&kernel, (lines, idle)) in of_kernels {
        let warps = warps_of(workload, kernel);
        let shape = Shape::of(workload, kernel, behaviour.get(kernel));
        busiest.push(BusiestLines::of(examiner.source, kernel, lines, (warps, shape.as_ref())));
        let Some(behaviour) = behaviour.get(kernel) else { continue };
        let first = workload.launches().find(|launch| launch.entry == kernel);
        let extents = first.map_or(([1; 3], [1; 3]), |launch| (launch.grid, launch.block));
        found.extend(candidates(examiner, &base, &OfKernel { kernel, lines, idle, warps, extents, behaviour }));
    }
    for own in found.iter_mut().filter(|own| own.kind == Kind::BarrierWait) {
        own.counted.wait_us = mean_wait_us(&base, own.kernel, &own.ptx_lines);
    }
    time_sectors(&mut found, &base);
    let multiprocessors = f64::from(sim.properties().sm_count);
    found.sort_by(|one, other| other.weight(multiprocessors).total_cmp(&one.weight(multiprocessors)));
    let waits = behaviour.values().any(|own| own.spins);
    if waits {
        // Without prices, what bounds the launches tells most.
        let bound = bound(&base);
        found.sort_by_key(|own| !own.kind.is_bound_by(bound));
    }
    let Effort { priced_most, prices_alone } = Effort::of(examiner.priced_most, instructions(&base));
    let count = if waits { 0 } else { found.len().min(priced_most) };
    let pricing = Pricing { examiner, workload, base_us: base.time_us, prices_alone, known: RefCell::default() };
    let asked_of_all = if waits || prices_alone { Vec::new() } else { of_patterns(&found) };
    let shortages = shortages(examiner, workload, of_kernels, &behaviour)?;
    let asked_of_kernels = if waits || prices_alone {
        Vec::new()
    } else {
        shortages.iter().map(|(kernel, own)| own.without(kernel, of_kernels)).collect()
    };
    let asked = Asked { of_all: asked_of_all, of_kernels: asked_of_kernels };
    let Priced { prices, without_priced_us, without_all_us, without_us, with_more_us, of_kernels_us } =
        pricing.priced(&found, count, asked)?;
    let mut of_kernels_us = of_kernels_us.into_iter();
    let mores = shortages.iter().filter(|(_, own)| !own.is_without_remedy()).map(|(_, own)| own.more).collect();
    let number_of_shortages = shortages.len();
    let mut shortages: Vec<PricedShortage> = shortages
        .into_iter()
        .map(|(kernel, shortage)| PricedShortage::of(kernel, shortage, of_kernels_us.next(), base.time_us))
        .collect();
    let mut with_more_us = with_more_us;
    for own in shortages.iter_mut().filter(|own| own.is_of_blocks()) {
        let least_us = least_us(sim, workload, &base, own.kernel)?;
        own.at_least(least_us);
        if number_of_shortages == 1 {
            let without_all_us = without_all_us.unwrap_or(base.time_us);
            with_more_us = with_more_us.map(|us| us.max(without_all_us * least_us / base.time_us));
        }
    }
    let left = found.len() - count;
    let unpriced_us =
        without_priced_us.zip(without_all_us).filter(|_| left > 0).map(|(priced, all)| (priced - all).max(0.0));
    let unpriced = unpriced(waits, prices_alone, (left, found.len()), unpriced_us.map(|us| us / base.time_us));
    let mut priced = prices.into_iter();
    let finding = |own: Candidate| Finding {
        price: priced.next(),
        by_laws_us: examiner.laws.and_then(|laws| by_laws(own.kind, &own.counted, laws)),
        remedy: remedy(own.kind, &own.counted),
        kernel: own.kernel,
        kind: own.kind,
        place: own.place,
        ptx_lines: own.ptx_lines,
        counted: own.counted,
    };
    let mut findings: Vec<Finding> = found.into_iter().map(finding).collect();
    sort(&mut findings);
    let next = if prices_alone { None } else { pricing.next(&findings, without_all_us)? };
    Ok(PointDiagnosis {
        is_small: is_small(examiner, workload, &base),
        time_us: base.time_us,
        sampling_error_us: base.launches.iter().map(|(_, report)| report.sampling_error_us).sum(),
        bound: bound(&base),
        busy_multiprocessors: busy_multiprocessors(examiner, workload)?,
        launches: some.as_ref().map(|some| (some.launches().count(), of_all.launches().count())),
        without_all_us,
        with_more: with_more_us.map(|us| (us, mores)),
        without_us,
        findings,
        next,
        kernels: facts(
            sim,
            workload,
            &base,
            &Lines { source: examiner.source, busiest: &busiest, of_kernels },
            &shortages,
        )?,
        unpriced,
        unpriced_us,
    })
}

/// Whether a point says little of larger ones.
fn is_small(examiner: &Examiner<'_>, workload: &Workload, base: &Examined) -> bool {
    let profile = examiner.sim.profile();
    let bytes: u64 = workload.buffers.iter().map(Buffer::bytes).sum();
    let launching_us: f64 = base.launching_us.iter().sum();
    bytes <= profile.global.l2_bytes || launching_us > LAUNCHING_PART * base.time_us
}

/// How many multiprocessors the launches keep busy, and how many there are, where the largest grid has fewer blocks. Nobody knows where clusters share some.
fn busy_multiprocessors(examiner: &Examiner<'_>, workload: &Workload) -> Result<Option<(u64, u64)>, DeviceError> {
    let all = u64::from(examiner.sim.properties().sm_count);
    let blocks = workload.launches().map(Launch::blocks).max().unwrap_or(all);
    let shares = examiner.sim.occupancy(workload)?.iter().any(|own| shares_multiprocessors(examiner.sim, own));
    Ok((blocks < all && !shares).then_some((blocks, all)))
}

/// Warp instructions that a simulation executes and times.
fn instructions(base: &Examined) -> f64 {
    base.launches.iter().map(|(_, report)| report.instructions_timed + report.instructions_executed()).sum()
}

/// Simulations of the launches without patterns.
struct Pricing<'a> {
    examiner: &'a Examiner<'a>,
    workload: &'a Workload,
    /// Their time with all patterns.
    base_us: f64,
    /// Whether nothing but prices is simulated.
    prices_alone: bool,
    /// What was simulated already.
    known: RefCell<BTreeMap<Absent, Lessened>>,
}

/// Patterns that are taken away, each of a kernel with its lines.
type Absent = BTreeMap<(&'static str, Pattern), BTreeSet<u32>>;

fn absent(without: &[WithoutIn]) -> Absent {
    let mut all = Absent::new();
    for WithoutIn { kernel, without } in without {
        all.entry((*kernel, without.pattern)).or_default().extend(&without.lines);
    }
    all
}

/// What simulations without patterns came to.
#[derive(Default)]
struct Priced {
    /// The price of each candidate.
    prices: Vec<Price>,
    /// The time without any of these.
    without_priced_us: Option<f64>,
    /// The time without any candidate, priced or not.
    without_all_us: Option<f64>,
    /// The time without a pattern on all lines, and with what its remedy leaves.
    without_us: Vec<(&'static str, f64)>,
    /// The time with more of each thing that a kernel has too little of, and with more of all of them and without any candidate.
    of_kernels_us: Vec<f64>,
    /// See `of_kernels_us`.
    with_more_us: Option<f64>,
}

/// What is simulated beside each candidate.
struct Asked {
    /// Without a pattern on all lines.
    of_all: Vec<(&'static str, Vec<WithoutIn>)>,
    /// With more of what a kernel has too little of.
    of_kernels: Vec<Vec<WithoutIn>>,
}

impl Pricing<'_> {
    /// The launches without each of these. What is the same is simulated once.
    fn lessened(&self, without: &[Vec<WithoutIn>]) -> Result<Vec<Lessened>, DeviceError> {
        let progress = self.examiner.progress;
        let asked: Vec<Absent> = without.iter().map(|own| absent(own)).collect();
        let mut known = self.known.borrow_mut();
        let mut left: Vec<(&Absent, Vec<WithoutIn>)> = Vec::new();
        for (own, without) in asked.iter().zip(without) {
            if !known.contains_key(own) && left.iter().all(|(other, _)| *other != own) {
                left.push((own, without.clone()));
            }
        }
        progress.set_left(left.len());
        for some in left.chunks(AT_ONCE) {
            let (keys, own): (Vec<&Absent>, Vec<Vec<WithoutIn>>) = some.iter().cloned().unzip();
            let lessened = self.examiner.sim.lessened(self.workload, &own)?;
            known.extend(keys.into_iter().cloned().zip(lessened));
            progress.add_done(own.len());
        }
        Ok(asked.iter().filter_map(|own| known.get(own).copied()).collect())
    }

    /// The price of the first `count` of these, and the time without each of what else is asked.
    fn priced(&self, found: &[Candidate], count: usize, asked: Asked) -> Result<Priced, DeviceError> {
        let Asked { of_all, of_kernels } = asked;
        let chosen = &found[..count];
        if chosen.is_empty() && of_all.is_empty() && of_kernels.is_empty() {
            return Ok(Priced::default());
        }
        let absent = chosen.iter().map(|own| vec![without(own, own.kind.pattern())]);
        let remedy = |own: &Candidate| remedied(own).filter(|_| !self.prices_alone);
        let remedies: Vec<Option<Pattern>> = chosen.iter().map(remedy).collect();
        let with_remedies =
            chosen.iter().zip(&remedies).filter_map(|(own, pattern)| Some(vec![without(own, (*pattern)?)]));
        let all_of = |own: &[Candidate]| own.iter().map(|own| without(own, own.kind.pattern())).collect::<Vec<_>>();
        let beyond = (count < found.len() && !chosen.is_empty()).then(|| all_of(found));
        let all_with_more: Vec<WithoutIn> =
            all_of(found).into_iter().chain(of_kernels.iter().flatten().cloned()).collect();
        let is_any_short = !of_kernels.is_empty();
        let (words, of_all): (Vec<&'static str>, Vec<Vec<WithoutIn>>) = of_all.into_iter().unzip();
        let with_more = of_kernels.into_iter().chain(is_any_short.then_some(all_with_more));
        let with_more: Vec<Vec<WithoutIn>> = with_more.collect();
        let (number_with_more, is_any_beyond) = (with_more.len(), beyond.is_some());
        let asked = absent.chain(with_remedies).chain([all_of(chosen)]).chain(beyond).chain(with_more).chain(of_all);
        let asked: Vec<Vec<WithoutIn>> = asked.collect();
        let mut lessened = self.lessened(&asked)?.into_iter();
        let absent: Vec<Lessened> = lessened.by_ref().take(chosen.len()).collect();
        let remedied_us = |own: &Option<Pattern>| own.and_then(|_| lessened.next()).map(|own| own.time_us);
        let remedied_us: Vec<Option<f64>> = remedies.iter().map(remedied_us).collect();
        let without_priced_us = lessened.next().map(|own| own.time_us).filter(|_| !chosen.is_empty());
        let without_all_us = if is_any_beyond { lessened.next().map(|own| own.time_us) } else { without_priced_us };
        let mut of_kernels_us: Vec<f64> = lessened.by_ref().take(number_with_more).map(|own| own.time_us).collect();
        let with_more_us = of_kernels_us.pop();
        let times: Vec<_> = absent.into_iter().zip(remedied_us).collect();
        let together_us = without_priced_us.unwrap_or(self.base_us);
        let alone: f64 = times.iter().map(|(own, _)| (self.base_us - own.time_us).max(0.0)).sum();
        let hides = self.base_us - together_us - alone > HIDDEN_TOGETHER * self.base_us && chosen.len() > 1;
        let last = if hides { self.saved_last(chosen, together_us)? } else { Vec::new() };
        Ok(Priced {
            prices: prices(self.base_us, &times, together_us, &last),
            without_priced_us,
            without_all_us,
            without_us: words.into_iter().zip(lessened.map(|own| own.time_us)).collect(),
            of_kernels_us,
            with_more_us,
        })
    }

    /// What each of these saves where all others are gone already.
    fn saved_last(&self, chosen: &[Candidate], without_all_us: f64) -> Result<Vec<f64>, DeviceError> {
        let but = |place: usize| {
            let others = chosen.iter().enumerate().filter(|(other, _)| *other != place);
            others.map(|(_, own)| without(own, own.kind.pattern())).collect::<Vec<WithoutIn>>()
        };
        let asked: Vec<Vec<WithoutIn>> = (0..chosen.len()).map(but).collect();
        Ok(self.lessened(&asked)?.into_iter().map(|own| (own.time_us - without_all_us).max(0.0)).collect())
    }

    /// What pays next once the costliest pattern is gone, where the rest comes to much then: patterns that it hides have no price of their own.
    fn next(&self, findings: &[Finding], without_all_us: Option<f64>) -> Result<Option<(usize, f64)>, DeviceError> {
        let taken = |own: &Finding| WithoutIn {
            kernel: own.kernel,
            without: Without { pattern: own.kind.pattern(), lines: own.ptx_lines.clone() },
        };
        let Some((first, price)) = findings.first().and_then(|own| Some((own, own.price?))) else { return Ok(None) };
        let others = findings.iter().enumerate().skip(1).filter(|(_, own)| own.price.is_some()).take(NEXT_MOST);
        let others: Vec<_> = others.collect();
        if others.is_empty() || without_all_us.is_none_or(|us| us > price.without_us * MUCH_REMAINS) {
            return Ok(None);
        }
        let both: Vec<Vec<WithoutIn>> = others.iter().map(|(_, own)| vec![taken(first), taken(own)]).collect();
        let both = self.lessened(&both)?;
        let saved = others.iter().zip(both).map(|((place, _), both)| (*place, price.without_us - both.time_us));
        let best = saved.max_by(|(_, one), (_, other)| one.total_cmp(other));
        Ok(best.filter(|(_, us)| *us > SMALL_PART * price.without_us))
    }
}

/// The remedy of a candidate that leaves a part of its pattern, where it gains anything.
fn remedied(own: &Candidate) -> Option<Pattern> {
    let gains = match own.kind {
        Kind::AtomicContention => !own.counted.swaps && !meets_other_warps_only(&own.counted),
        Kind::Divergence => is_sorting_of_use(&own.counted),
        _ => true,
    };
    partly(own.kind).filter(|_| gains).map(|(_, pattern)| pattern)
}

/// What is to be taken away for each pattern on all lines, and for what its remedy takes. `found` is in the order of their weight: threads can be
/// sorted by one branch only, the heaviest of their kernel.
fn of_patterns(found: &[Candidate]) -> Vec<(&'static str, Vec<WithoutIn>)> {
    let mut names: Vec<&'static str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    names.dedup();
    let of_pattern = |name: &'static str| {
        let own: Vec<&Candidate> = found.iter().filter(|own| own.kind.name() == name).collect();
        let kind = own.first().map(|first| first.kind);
        let asked = kind.map(|kind| (name, kind.pattern())).into_iter().chain(kind.and_then(partly));
        asked.map(move |(word, pattern)| {
            let mut kernels = HashSet::new();
            let is_asked = |own: &&&Candidate| {
                pattern != Pattern::DivergenceWithinBlocks
                    || is_sorting_of_use(&own.counted) && kernels.insert(own.kernel)
            };
            (word, own.iter().filter(is_asked).map(|own| without(own, pattern)).collect::<Vec<_>>())
        })
    };
    names.into_iter().flat_map(of_pattern).filter(|(_, without)| !without.is_empty()).collect()
}

fn without(own: &Candidate, pattern: Pattern) -> WithoutIn {
    WithoutIn { kernel: own.kernel, without: Without { pattern, lines: own.ptx_lines.clone() } }
}

/// What bounds the longest launch.
fn bound(examined: &Examined) -> &'static str {
    let launches = examined.launches.iter().map(|(_, report)| report);
    launches.max_by(|one, other| one.time_us.total_cmp(&other.time_us)).map_or("launch", bound_of)
}

/// What bounds a launch: the word of the column, but for the issue slots that wait for blocks to begin.
pub(super) fn bound_of(report: &Report) -> &'static str {
    match (report.bound, report.awaited) {
        (Bound::Issue, Some(Awaited::Blocks)) => "block starts",
        (bound, _) => bound.name(),
    }
}
