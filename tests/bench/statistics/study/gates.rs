//! How often the gate of `compare --fail-on` is crossed: by runs of equal kernels, and by slower ones.

use std::collections::HashMap;
use std::path::Path;

use apbench::compare::gate::{Condition, check};
use apbench::compare::key::Values;
use apbench::compare::verdict::Observation;
use apbench::compare::{Side, compare};
use apbench::device::Cache;
use apbench::family::Family;
use apbench::run::reader::Run;

use super::noise::Noise;

/// How the rounds of a point vary.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rounds {
    /// Each on its own, by this relative error.
    Independent(f64),
    /// Each like the one before it: autoregressive of the first order with this coefficient, by this relative error in all.
    Following(f64, f64),
    /// The same, and of all points together.
    Drifting(f64, f64),
    /// In one of two modes so far apart, each as often, with this relative error.
    TwoModes(f64, f64),
    /// The same, but each round is in the mode of the one before it with this probability.
    LastingModes(f64, f64, f64),
    /// By the first, and one in so many rounds later by the second.
    Spiky(f64, f64, f64),
}

/// A case of the study.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) rounds: Rounds,
    pub(crate) count: usize,
    /// How much slower the second run is, as a part.
    pub(crate) slower: f64,
    /// Whether the program promises anything of such rounds.
    pub(crate) is_promised: bool,
}

impl Case {
    const fn new(name: &'static str, rounds: Rounds, count: usize) -> Self {
        Self { name, rounds, count, slower: 0.0, is_promised: true }
    }

    const fn slower(self, slower: f64) -> Self {
        Self { slower, ..self }
    }

    const fn not_promised(self) -> Self {
        Self { is_promised: false, ..self }
    }
}

pub(crate) const CASES: [Case; 18] = [
    Case::new("independent, 0.1 %", Rounds::Independent(0.001), 5),
    Case::new("independent, 1 %", Rounds::Independent(0.01), 5),
    Case::new("independent, 0.1 %, slower by 1.5 %", Rounds::Independent(0.001), 5).slower(0.015),
    Case::new("independent, 1 %, slower by 5 %", Rounds::Independent(0.01), 5).slower(0.05),
    Case::new("a little like the one before, 1 %", Rounds::Following(0.25, 0.01), 5),
    Case::new("each like the one before, 1 %", Rounds::Following(0.8, 0.01), 5),
    Case::new("each like the one before, 1 %", Rounds::Following(0.8, 0.01), 12),
    Case::new("each like the one before, 3 %", Rounds::Following(0.8, 0.03), 5).not_promised(),
    Case::new("much like the one before, 1 %", Rounds::Following(0.9, 0.01), 5).not_promised(),
    Case::new("almost equal to the one before, 1 %", Rounds::Following(0.95, 0.01), 5).not_promised(),
    Case::new("all points drift together, 1 %", Rounds::Drifting(0.8, 0.01), 5),
    Case::new("two modes 9 % apart", Rounds::TwoModes(0.09, 0.001), 5),
    Case::new("two modes 9 % apart", Rounds::TwoModes(0.09, 0.001), 12),
    Case::new("two modes 9 % apart, left once in 10 rounds", Rounds::LastingModes(0.09, 0.001, 0.9), 5).not_promised(),
    Case::new("two modes 9 % apart, left once in 10 rounds", Rounds::LastingModes(0.09, 0.001, 0.9), 12).not_promised(),
    Case::new("one round in 20 later by 3 %", Rounds::Spiky(0.001, 0.05, 0.03), 12),
    Case::new("one round in 20 later by 3 %, slower by 5 %", Rounds::Spiky(0.001, 0.05, 0.03), 12).slower(0.05),
    Case::new("one round in 20 later by 30 %, slower by 5 %", Rounds::Spiky(0.001, 0.05, 0.3), 12).slower(0.05),
];

/// A run whose times are replaced.
pub(crate) struct Template {
    run: Run,
    family: &'static Family,
}

impl Template {
    /// The first points of a run of this repository.
    pub(crate) fn new(points: usize) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/nvidia-h200/trust/compare/first");
        let mut run = Run::read(&folder).expect("the run is read");
        run.points.truncate(points);
        run.metadata.noise_floor = None;
        let family = Family::find("branching").expect("the family is known");
        Self { run, family }
    }

    /// The run with other times, in microseconds, of its points and their rounds.
    fn side(&self, name: &str, times_us: &[Vec<f64>], values: &mut Values) -> Side {
        let of_point = |(point, own): (usize, &Vec<f64>)| {
            let rounds = own.iter().enumerate().map(|(round, time_us)| {
                (Cache::Cold, Observation { round, trimmed_us: *time_us, median_us: *time_us })
            });
            (self.run.points[point].point, rounds.collect())
        };
        let rounds: HashMap<usize, Vec<(Cache, Observation)>> = times_us.iter().enumerate().map(of_point).collect();
        Side::new(name, &self.run.metadata, self.family, &self.run.points, rounds, Vec::new(), values)
    }
}

/// Relative differences of the rounds of so many points.
fn drawn(rounds: Rounds, points: usize, count: usize, noise: &mut Noise) -> Vec<Vec<f64>> {
    let following = |coefficient: f64, error: f64, noise: &mut Noise| -> Vec<f64> {
        let mut last = noise.normal();
        let next = |_| {
            let own = last;
            last = coefficient * last + (1.0 - coefficient * coefficient).sqrt() * noise.normal();
            error * own
        };
        (0..count).map(next).collect()
    };
    match rounds {
        Rounds::Drifting(coefficient, error) => vec![following(coefficient, error, noise); points],
        Rounds::Following(coefficient, error) => (0..points).map(|_| following(coefficient, error, noise)).collect(),
        Rounds::Independent(error) => {
            (0..points).map(|_| (0..count).map(|_| error * noise.normal()).collect()).collect()
        }
        Rounds::TwoModes(apart, error) => {
            let mut one = || if noise.uniform() < 0.5 { apart } else { 0.0 } + error * noise.normal();
            (0..points).map(|_| (0..count).map(|_| one()).collect()).collect()
        }
        Rounds::LastingModes(apart, error, stays) => {
            let mut one = || -> Vec<f64> {
                let mut is_upper = noise.uniform() < 0.5;
                let next = |_| {
                    let own = if is_upper { apart } else { 0.0 } + error * noise.normal();
                    is_upper ^= noise.uniform() > stays;
                    own
                };
                (0..count).map(next).collect()
            };
            (0..points).map(|_| one()).collect()
        }
        Rounds::Spiky(error, part, later) => {
            let mut one = || if noise.uniform() < part { later } else { 0.0 } + error * noise.normal();
            (0..points).map(|_| (0..count).map(|_| one()).collect()).collect()
        }
    }
}

/// How often `slower` is crossed, of so many pairs of runs.
pub(crate) fn crossed(template: &Template, case: &Case, seed: u64, runs: u64) -> u64 {
    let condition: Condition = "slower".parse().expect("it is a condition");
    let points = template.run.points.len();
    let is_crossed = |run: &u64| {
        let mut noise = Noise::new(seed, *run);
        let mut times = |slower: f64| -> Vec<Vec<f64>> {
            let all = drawn(case.rounds, points, case.count, &mut noise);
            all.iter().map(|own| own.iter().map(|part| 100.0 * (1.0 + slower) * (1.0 + part)).collect()).collect()
        };
        let mut values = Values::default();
        let base = template.side("base", &times(0.0), &mut values);
        let other = template.side("other", &times(case.slower), &mut values);
        let compared = compare(&[base, other], &[], values).ok().flatten().expect("the runs are comparable");
        let outcome = check(&compared, &[condition]);
        !outcome.offences.is_empty() || outcome.is_empty_handed(&[condition])
    };
    (0..runs).filter(is_crossed).count() as u64
}
