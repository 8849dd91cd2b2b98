//! What each thing costs on the device, from the laws of the pattern scenarios.

use super::evidence::{Evidence, Observed, Pattern, has, is_of};
use super::formula::Part;
use crate::family::{block_sync, branching, global_sync, shared_access};
use gpu_simulator::LaunchCensus;

/// A coefficient that is not known, because its run is missing or does not determine it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The scenario to run.
    pub scenario: &'static str,
    /// What it would tell.
    pub what: &'static str,
    /// Why it does not, where there is a run of it.
    pub why: Option<String>,
}

/// A number that a law gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficient {
    /// Its name in `docs/src/concepts/estimates.md`.
    pub name: &'static str,
    /// The part that it belongs to; `None` if all parts use it.
    pub part: Option<Part>,
    /// The number, or the law that is missing.
    pub value: Result<f64, Missing>,
    /// Its unit.
    pub unit: &'static str,
    /// Which law of which run it is from.
    pub from: &'static str,
}

/// What each thing costs on a device.
#[derive(Debug, Clone)]
pub struct Coefficients {
    /// All of them.
    pub all: Vec<Coefficient>,
    sm_count: f64,
    cycles_per_us: f64,
}

/// Used if no law says how overlapping activities add up: the longest one decides alone.
const SHARPNESS_UNKNOWN: f64 = f64::INFINITY;

/// What groups of fits call the variant.
const VARIANT: &str = "variant";

impl Coefficients {
    /// From what is known of a device's patterns.
    #[allow(clippy::too_many_lines, reason = "a list of what each coefficient is taken from, one after the other")]
    pub fn of(evidence: &Evidence) -> Self {
        let sms = f64::from(evidence.sm_count.max(1));
        let mut all = Vec::new();
        let mut add = |name, part, unit, from, value| all.push(Coefficient { name, part, value, unit, from });
        let find = |scenario: &'static str, what: &'static str| {
            evidence.pattern(scenario).ok_or(Missing { scenario, what, why: None })
        };
        let not_told = |scenario: &'static str, what: &'static str, why: &str| Missing {
            scenario,
            what,
            why: Some(why.to_owned()),
        };

        let what = "the cost of a launch";
        let launch = find("synchronisation-cost", what).and_then(|pattern| {
            estimate_of(pattern, &[(VARIANT, global_sync::Variant::Relaunch.name())], "t_synchronisation")
                .ok_or_else(|| not_told("synchronisation-cost", what, "its law `synchronisations` has no relaunch"))
        });
        add(
            "t_launch",
            Some(Part::Launches),
            "µs a launch",
            "synchronisation-cost, law synchronisations of relaunch",
            launch,
        );

        let what = "the rate of a copy";
        let byte = find("global-access", what).and_then(|pattern| {
            let points: Vec<(f64, f64)> = pattern
                .observed
                .iter()
                .filter_map(|own| Some((own.point.bytes? as f64, own.time_us)))
                .filter(|(bytes, _)| *bytes > evidence.l2_bytes as f64)
                .collect();
            slope(&points)
                .ok_or_else(|| not_told("global-access", what, "fewer than two sizes of `straight` beyond L2"))
        });
        add("t_byte", Some(Part::Memory), "µs a byte", "global-access, slope of straight over bytes, beyond L2", byte);

        let what = "the cost of sectors written in part";
        let partial = find("data-layout", what).and_then(|pattern| {
            let cost = pattern.observed.first().and_then(|own| per(own, |launch| launch.partial_stores));
            cost.ok_or_else(|| not_told("data-layout", what, "it has no `array_of_structures` of 8 fields"))
        });
        let from = "data-layout, array_of_structures of 8 fields";
        add("t_partial_store", Some(Part::PartialStores), "µs a sector", from, partial);

        let what = "the cost of sectors written in part, each of its own line";
        let lone = find("transpose", what).and_then(|pattern| {
            let cost = pattern.observed.first().and_then(|own| per(own, |launch| launch.lone_stores));
            cost.ok_or_else(|| not_told("transpose", what, "it has no `naive` of width 4096"))
        });
        let from = "transpose, naive of width 4096";
        add("t_lone_store", Some(Part::PartialStores), "µs a sector", from, lone);

        let what = "the cost of issuing instructions and of barriers";
        let sync = find("block-sync", what);
        let ends = |variant: block_sync::Variant| {
            sync.clone().and_then(|pattern| {
                let own = pattern.observed.iter().filter(|own| {
                    is_of(&own.point, variant) && has(&own.point, block_sync::Parameters::NAMES.resident_blocks, 0)
                });
                let own: Vec<&Observed> = own.collect();
                if own.len() < 2 { Err(not_told("block-sync", what, "it has no intervals 1 and 2")) } else { Ok(own) }
            })
        };
        let marginal = |own: Vec<&Observed>, count: fn(&LaunchCensus) -> f64| {
            let points: Vec<(f64, f64)> =
                own.iter().map(|own| (own.launches.iter().map(count).sum::<f64>(), own.time_us)).collect();
            slope(&points).ok_or_else(|| not_told("block-sync", what, "its counts do not vary"))
        };
        let issue = ends(block_sync::Variant::None).and_then(|own| marginal(own, |launch| launch.instructions));
        add("t_instruction", Some(Part::Issue), "µs a warp instruction", "block-sync, none, intervals 1 and 2", issue);

        let what = "the cost of multiplications";
        let multiply = find("branching", what).and_then(|pattern| {
            let operation = (branching::Parameters::NAMES.operation, branching::Operation::Compute.name());
            let per_branch = estimate_of(pattern, &[operation], "t_branch");
            let counts: Vec<(f64, f64)> = pattern
                .observed
                .iter()
                .filter_map(|own| Some((own.point.number("branches_per_warp")?, total(own, |l| l.multiplies))))
                .collect();
            per_branch
                .zip(slope(&counts))
                .map(|(time, count)| time / count)
                .ok_or_else(|| not_told("branching", what, "its law `branches` has no compute"))
        });
        add(
            "t_multiply",
            Some(Part::Multiplies),
            "µs a warp multiplication",
            "branching, law branches of compute",
            multiply,
        );

        let what = "the cost of a pass of shared memory";
        let pass = find("bank-conflicts", what).and_then(|pattern| {
            let words = (shared_access::Parameters::NAMES.word_bytes, "4");
            let per_degree =
                estimate_of(pattern, &[(VARIANT, shared_access::Variant::Strided.name()), words], "t_pass");
            let counts: Vec<(f64, f64)> = pattern
                .observed
                .iter()
                .filter_map(|own| Some((own.point.number("conflict_degree")?, total(own, |l| l.shared_passes))))
                .collect();
            per_degree
                .zip(slope(&counts))
                .map(|(time, count)| time / count)
                .ok_or_else(|| not_told("bank-conflicts", what, "its law `conflicts` has no strided words of 4 bytes"))
        });
        add("t_pass", Some(Part::Shared), "µs a pass", "bank-conflicts, law conflicts of strided 4-byte words", pass);

        let barrier = ends(block_sync::Variant::Barrier).and_then(|own| marginal(own, |launch| launch.barrier_warps));
        add(
            "t_barrier",
            Some(Part::Barriers),
            "µs a warp and barrier",
            "block-sync, barrier, intervals 1 and 2",
            barrier,
        );

        let alone = sync.and_then(|pattern| {
            block_alone(pattern, sms, evidence.cycles_per_us)
                .ok_or_else(|| not_told("block-sync", "how long a block takes alone", "it has no resident_blocks = 1"))
        });
        let of_alone = |place: fn(&[f64; 3]) -> f64| alone.as_ref().map(place).map_err(Clone::clone);
        let from = "block-sync, one resident block, none: what its line over C has at 0";
        add("t_turnover", None, "µs a block", from, of_alone(|own| own[0]));
        let from = "block-sync, one resident block, none: slope of its line over C";
        add("latency_factor", Some(Part::Latency), "", from, of_alone(|own| own[1]));
        let from = "block-sync, one resident block: barrier over none, interval 1";
        add("t_wait", Some(Part::Latency), "µs a warp and barrier of a block", from, of_alone(|own| own[2]));

        let what = "the cost of starting blocks";
        let block = find("block-size-1d", what).and_then(|pattern| {
            let found = pattern.fits.iter().find(|fit| fit.name == "small-blocks").and_then(|fit| fit.outcome.law());
            let estimate = found.and_then(|law| law.estimates.first()).map(|estimate| estimate.estimate);
            estimate.ok_or_else(|| not_told("block-size-1d", what, "its law small-blocks was not fitted"))
        });
        add("t_block", Some(Part::Blocks), "µs a block", "block-size-1d, law small-blocks", block);

        let what = "the cost of atomics on one address";
        let atomic = find("atomics", what).and_then(|pattern| {
            let own = pattern.observed.first();
            own.and_then(|own| per(own, |launch| launch.same_address_atomics))
                .ok_or_else(|| not_told("atomics", what, "it has no `global` with one address"))
        });
        add("t_atomic", Some(Part::Atomics), "µs an atomic", "atomics, global with one address", atomic);

        let what = "how far what bounds a kernel overlaps";
        let sharpness = find("occupancy", what).and_then(|pattern| {
            let all = pattern.fits.iter().filter_map(|fit| fit.outcome.law()).flat_map(|law| &law.estimates);
            let found: Vec<f64> = all.filter(|own| own.parameter == "sharpness").map(|own| own.estimate).collect();
            let count = found.len();
            if count == 0 {
                return Err(not_told("occupancy", what, "no fit of it chose hiding_smooth"));
            }
            Ok(found.into_iter().sum::<f64>() / count as f64)
        });
        add("p", None, "1", "occupancy, sharpness of law hiding_smooth", sharpness);
        Self { all, sm_count: sms, cycles_per_us: evidence.cycles_per_us }
    }

    /// These, on so many multiprocessors with so many cycles each microsecond.
    #[cfg(test)]
    pub(crate) fn with(all: Vec<Coefficient>, sm_count: f64, cycles_per_us: f64) -> Self {
        Self { all, sm_count, cycles_per_us }
    }

    fn named(&self, name: &str) -> Result<f64, Missing> {
        let unknown = || Missing { scenario: "", what: "", why: None };
        self.all.iter().find(|own| own.name == name).map_or_else(|| Err(unknown()), |own| own.value.clone())
    }

    /// What so many of what the coefficient of this name is of cost, where nothing hides them; `None` where its law is missing.
    pub fn cost_us(&self, name: &str, count: f64) -> Option<f64> {
        self.named(name).ok().map(|each| each * count)
    }

    /// The exponent of the overlap.
    pub fn sharpness(&self) -> f64 {
        self.named("p").unwrap_or(SHARPNESS_UNKNOWN)
    }

    /// The time of one part of a launch alone. 0 if the launch does not have the part, even if its law is not known.
    ///
    /// # Errors
    /// The law that is missing.
    pub fn part_us(&self, part: Part, launch: &LaunchCensus) -> Result<f64, Missing> {
        // Multiprocessors take whole blocks, and those that have none do nothing.
        let blocks_of_busiest = (launch.blocks / self.sm_count).ceil().max(1.0);
        let uneven = blocks_of_busiest * self.sm_count / launch.blocks.max(1.0);
        let cost = |name: &str, count: f64| if count > 0.0 { Ok(self.named(name)? * count) } else { Ok(0.0) };
        match part {
            Part::Launches => cost("t_launch", 1.0),
            Part::Memory => cost("t_byte", launch.bytes_touched),
            Part::PartialStores => {
                Ok(cost("t_partial_store", launch.partial_stores)? + cost("t_lone_store", launch.lone_stores)?)
            }
            Part::Issue => cost("t_instruction", launch.instructions * uneven),
            Part::Multiplies => cost("t_multiply", launch.multiplies * uneven),
            Part::Shared => cost("t_pass", launch.shared_passes * uneven),
            Part::Barriers => cost("t_barrier", launch.barrier_warps * uneven),
            Part::Latency => {
                let alone_us = launch.alone_cycles / self.cycles_per_us;
                let waiting_us = cost("t_wait", launch.barrier_warps / launch.blocks.max(1.0))?;
                let block_us = self.named("t_turnover")? + self.named("latency_factor")? * alone_us + waiting_us;
                Ok(waves(launch, self.sm_count) * block_us)
            }
            Part::Blocks => cost("t_block", launch.blocks),
            Part::Atomics => cost("t_atomic", launch.same_address_atomics),
        }
    }
}

/// How often the multiprocessors are filled with blocks.
fn waves(launch: &LaunchCensus, sm_count: f64) -> f64 {
    (launch.blocks / (sm_count * f64::from(launch.resident_blocks.max(1)))).max(1.0)
}

/// What a block takes where a multiprocessor has one at a time: a fixed time, how many times as long as the profile says its
/// instructions take, and what a warp adds to a barrier.
fn block_alone(pattern: &Pattern, sm_count: f64, cycles_per_us: f64) -> Option<[f64; 3]> {
    let one = |variant: block_sync::Variant| {
        let is_one = move |own: &&Observed| {
            is_of(&own.point, variant) && has(&own.point, block_sync::Parameters::NAMES.resident_blocks, 1)
        };
        pattern.observed.iter().filter(is_one)
    };
    let block_us = |own: &Observed| Some(own.time_us / waves(own.launches.first()?, sm_count));
    let points: Vec<(f64, f64)> = one(block_sync::Variant::None)
        .filter_map(|own| Some((own.launches.first()?.alone_cycles / cycles_per_us, block_us(own)?)))
        .collect();
    let (fixed_us, factor) = line_from_zero_up(&points)?;
    let first = |variant| one(variant).find(|own| has(&own.point, block_sync::Parameters::NAMES.interval, 1));
    let (with, without) = (first(block_sync::Variant::Barrier)?, first(block_sync::Variant::None)?);
    let launch = with.launches.first()?;
    let wait_us = (block_us(with)? - block_us(without)?) / (launch.barrier_warps / launch.blocks);
    Some([fixed_us, factor, wait_us])
}

fn total(observed: &Observed, count: fn(&LaunchCensus) -> f64) -> f64 {
    observed.launches.iter().map(count).sum()
}

fn per(observed: &Observed, count: fn(&LaunchCensus) -> f64) -> Option<f64> {
    let total = total(observed, count);
    (total > 0.0).then(|| observed.time_us / total)
}

/// The estimate of a law's parameter in the group of a run's points that has these values.
fn estimate_of(pattern: &Pattern, group: &[(&str, &str)], parameter: &str) -> Option<f64> {
    // What is the same at every point of a run tells no groups apart.
    let all_have = |name: &str, value: &str| {
        let mut own = pattern.observed.iter().map(|own| own.point.value(name)).peekable();
        own.peek().is_some() && own.all(|own| own.is_some_and(|own| own == value))
    };
    let has = |fit: &&crate::model::group::GroupFit| {
        group.iter().all(|(name, value)| match fit.group.iter().find(|(own, _)| own == name) {
            Some((_, its)) => its == value,
            None => all_have(name, value),
        })
    };
    let fits = pattern.fits.iter().filter(has).filter_map(|fit| fit.outcome.law());
    let mut found = fits.flat_map(|law| &law.estimates).filter(|own| own.parameter == parameter);
    found.next().map(|own| own.estimate)
}

/// The line through points by least squares: what it has at 0, and its slope. `None` where x does not vary.
fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let n = points.len() as f64;
    let (mean_x, mean_y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let (sxx, sxy) = points
        .iter()
        .fold((0.0, 0.0), |(sxx, sxy), (x, y)| (sxx + (x - mean_x).powi(2), sxy + (x - mean_x) * (y - mean_y)));
    let slope = sxy / sxx;
    (points.len() > 1 && slope.is_finite()).then_some((mean_y - slope * mean_x, slope))
}

/// The same, but its value at 0 is not negative: if it would be, the line goes through 0.
pub(super) fn line_from_zero_up(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let (fixed, slope) = line(points)?;
    if fixed >= 0.0 {
        return Some((fixed, slope));
    }
    let (sxx, sxy) = points.iter().fold((0.0, 0.0), |(sxx, sxy), (x, y)| (sxx + x * x, sxy + x * y));
    Some((0.0, sxy / sxx))
}

pub(super) fn slope(points: &[(f64, f64)]) -> Option<f64> {
    line(points).map(|(_, slope)| slope)
}
