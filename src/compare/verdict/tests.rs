//! Known answers of `scipy`, and how often the rule errs on times whose truth is known.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::*;
use least_squares::order_statistics::trimmed_mean;

fn rounds(times_us: &[f64]) -> Vec<Observation> {
    let round = |(round, time_us): (usize, &f64)| Observation { round, trimmed_us: *time_us, median_us: *time_us };
    times_us.iter().enumerate().map(round).collect()
}

const BASE: [f64; 5] = [10.00, 10.05, 9.98, 10.02, 10.01];
const SLOWER: [f64; 5] = [10.31, 10.33, 10.30, 10.29, 10.36];

fn assert_near(comparison: &Comparison, expected: [f64; 4]) {
    let found = [comparison.ratio, comparison.low, comparison.high, comparison.ratio_robust].map(Option::unwrap);
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-8, "{found}, not {expected}");
    }
}

/// As if both had been measured by one process.
fn between_runs(base: &[Observation], other: &[Observation], floor_pct: Option<f64>) -> Comparison {
    between_processes(
        base,
        other,
        floor_pct,
        0.0,
        Together { following: [Following::NONE; 2], points: 1, usual_variances: [0.0; 2] },
    )
    .comparison
}

// numpy.exp of scipy.stats.ttest_rel(log b, log a).confidence_interval(.95), and of the median of the Walsh averages
#[test]
fn paired_intervals_are_those_of_scipy() {
    let comparison = within_run(&rounds(&BASE), &rounds(&SLOWER), None);
    assert_near(
        &comparison,
        [1.030_563_099_348_88, 1.026_538_623_885_154_8, 1.034_603_352_497_322_8, 1.030_947_774_792_845_7],
    );
    assert_eq!((comparison.verdict, comparison.rounds, comparison.reason.as_str()), (Verdict::Slower, 5, ""));
    assert_eq!(within_run(&rounds(&SLOWER), &rounds(&BASE), None).verdict, Verdict::Faster);
}

// scipy.stats.ttest_ind(log c, log a, equal_var=False).confidence_interval(.95), and the median of all differences
#[test]
fn intervals_between_runs_are_those_of_scipy() {
    let other = [10.31, 10.33, 10.30, 10.29, 10.36, 10.27, 10.40];
    let comparison = between_runs(&rounds(&BASE), &rounds(&other), None);
    assert_near(
        &comparison,
        [1.031_042_971_265_262_7, 1.026_448_781_989_027, 1.035_657_723_257_803_5, 1.030_845_771_144_278_2],
    );
    assert_eq!((comparison.verdict, comparison.rounds), (Verdict::Slower, 5));
}

// scipy.stats.t.ppf(.975, df)
#[test]
fn quantiles_are_those_of_scipy() {
    for (degrees, expected) in [
        (1.0, 12.706_204_736_174_694),
        (2.0, 4.302_652_729_749_462),
        (4.0, 2.776_445_105_197_793_4),
        (4.7, 2.620_726_075_353_27),
        (29.0, 2.045_229_642_132_703),
        (100.0, 1.983_971_518_523_551_8),
    ] {
        let found = student(degrees).unwrap();
        assert!((found - expected).abs() < 1e-8 * expected, "{degrees}: {found}, not {expected}");
    }
}

#[test]
fn verdicts_are_where_the_interval_is() {
    let of = |estimate, half_width| verdict(Difference { estimate, half_width }, 0.01, 0.003);
    assert_eq!(of(0.03, 0.019), Verdict::Slower);
    assert_eq!(of(-0.03, 0.019), Verdict::Faster);
    assert_eq!(of(0.004, 0.005), Verdict::Same);
    assert_eq!(of(0.009, 0.0), Verdict::Same);
    assert_eq!(of(0.02, 0.015), Verdict::LikelySlower);
    assert_eq!(of(-0.02, 0.015), Verdict::LikelyFaster);
    assert_eq!(of(0.02, 0.025), Verdict::Unsure);
    assert_eq!(of(0.0, 0.02), Verdict::Unsure);
    // Wider by what processes differ by, which is more than counts.
    let short = |estimate, half_width| verdict(Difference { estimate, half_width: half_width + 0.015 }, 0.01, 0.015);
    assert_eq!(short(0.004, 0.005), Verdict::Same);
    assert_eq!(short(0.008, 0.005), Verdict::Unsure);
    assert_eq!(short(0.022, 0.001), Verdict::LikelySlower);
    assert_eq!(short(0.032, 0.005), Verdict::Slower);
    let needed = |estimate| rounds_needed(Difference { estimate, half_width: 0.01 + 0.015 }, 0.01, 5, 0.015);
    assert_eq!((needed(0.0), needed(0.005), needed(0.02)), (Some(6), Some(20), None));
}

#[test]
fn a_higher_floor_asks_for_more() {
    let compare = |floor| within_run(&rounds(&BASE), &rounds(&SLOWER), floor).verdict;
    assert_eq!(compare(Some(0.1)), Verdict::Slower, "never below 1 %");
    assert_eq!(compare(Some(2.7)), Verdict::LikelySlower);
    assert_eq!(compare(Some(4.0)), Verdict::Same);
    assert_eq!(compare(Some(f64::NAN)), Verdict::Slower);
    let half_a_percent = within_run(&rounds(&[5.0; 5]), &rounds(&[5.025; 5]), Some(0.1)).verdict;
    assert_eq!(half_a_percent, Verdict::Same, "a lower floor does not ask for less");
}

/// A fifth on 14 of 50 rounds moves their mean by 5 % with an interval above 1 %, but not where most rounds are.
#[test]
fn a_few_rounds_do_not_make_a_difference() {
    let base = rounds(&[10.0; 50]);
    let other: Vec<f64> = (0..50).map(|round| if round < 14 { 12.0 } else { 10.0 }).collect();
    for comparison in [within_run(&base, &rounds(&other), None), between_runs(&base, &rounds(&other), None)] {
        assert!(comparison.low.unwrap() > 1.01, "{comparison:?}");
        assert_eq!((comparison.verdict, comparison.ratio_robust), (Verdict::Unsure, Some(1.0)));
        assert_eq!(comparison.reason, "the difference comes from a few outlying rounds");
    }
}

#[test]
fn what_is_not_sure_says_how_many_rounds_would_tell() {
    // Differences 0.02 +- 0.025: the boundary 0.00995 is 0.01005 away, so 5 * (0.025 / 0.01005)^2 = 31 rounds.
    assert_eq!(rounds_needed(Difference { estimate: 0.02, half_width: 0.025 }, 0.01_f64.ln_1p(), 5, 0.0), Some(31));
    assert_eq!(rounds_needed(Difference { estimate: 0.01, half_width: 0.02 }, 0.01, 5, 0.0), None);
    let told = rounds_needed(Difference { estimate: 0.02, half_width: 0.001 }, 0.01, 5, 0.0);
    assert_eq!(told, Some(6), "more than there were");
    let noisy = [10.0, 11.0, 9.0, 10.5, 9.5];
    let comparison = within_run(&rounds(&BASE), &rounds(&noisy), None);
    assert_eq!(comparison.verdict, Verdict::Unsure);
    assert!(
        comparison.rounds_needed.unwrap() > 5 && comparison.reason.contains("rounds would decide"),
        "{comparison:?}"
    );
}

#[test]
fn too_few_rounds_and_impossible_times_are_unsure() {
    for (base, other) in [(&[][..], &[][..]), (&[1.0], &[2.0]), (&[0.0, 0.0], &[1.0, 1.0]), (&[f64::NAN; 3], &[1.0; 3])]
    {
        for comparison in
            [within_run(&rounds(base), &rounds(other), None), between_runs(&rounds(base), &rounds(other), None)]
        {
            assert_eq!(comparison.verdict, Verdict::Unsure, "{base:?} {other:?}");
            assert!(!comparison.reason.is_empty());
        }
    }
    assert_eq!(within_run(&rounds(&[1.0]), &rounds(&[2.0]), None).ratio, Some(2.0));
    // Rounds that only one of them has are left out.
    assert_eq!(within_run(&rounds(&BASE), &rounds(&SLOWER[..3]), None).rounds, 3);
}

#[test]
fn equal_times_are_the_same() {
    for comparison in [
        within_run(&rounds(&[5.0; 5]), &rounds(&[5.0; 5]), None),
        between_runs(&rounds(&[5.0; 5]), &rounds(&[5.0; 5]), None),
    ] {
        assert_eq!((comparison.verdict, comparison.ratio, comparison.high), (Verdict::Same, Some(1.0), Some(1.0)));
    }
}

#[test]
fn means_and_medians_that_contradict_each_other_are_unsure() {
    let base: Vec<Observation> = rounds(&[10.0, 10.01, 9.99, 10.0, 10.0]);
    let other: Vec<Observation> =
        base.iter().map(|round| Observation { median_us: round.median_us * 1.03, ..*round }).collect();
    for comparison in [within_run(&base, &other, None), between_runs(&base, &other, None)] {
        assert_eq!(comparison.verdict, Verdict::Unsure);
        assert!(comparison.reason.starts_with("multimodal: SAME by means, SLOWER by medians"), "{}", comparison.reason);
    }
}

/// Only where both are sure can they contradict each other.
#[test]
fn means_that_are_not_sure_are_not_contradicted_by_medians() {
    let base = rounds(&BASE);
    let noisy = rounds(&[10.0, 11.0, 9.0, 10.5, 9.5]);
    let other: Vec<Observation> = base
        .iter()
        .zip(&noisy)
        .map(|(base, noisy)| Observation { median_us: base.median_us * 1.03, ..*noisy })
        .collect();
    let comparison = within_run(&base, &other, None);
    assert_eq!(comparison.verdict, Verdict::Unsure);
    assert!(comparison.rounds_needed.is_some() && comparison.reason.contains("rounds would decide"), "{comparison:?}");
}

/// How the times of a simulated kernel vary.
#[derive(Clone, Copy)]
enum Noise {
    /// By 1 %, and one time in fifty is up to half as long again.
    Outliers,
    /// By 0.5 %, around one of two modes 2 % apart, whose shares are 30 to 70 % and differ from round to round.
    TwoModes,
}

struct Simulation(ChaCha8Rng);

impl Simulation {
    fn uniform(&mut self) -> f64 {
        (f64::from(self.0.next_u32()) + 0.5) / 2.0_f64.powi(32)
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn round(&mut self, round: usize, scale: f64, noise: Noise) -> Observation {
        let share = 0.3 + 0.4 * self.uniform();
        let times_us: Vec<f64> = (0..64)
            .map(|_| {
                let deviation = match noise {
                    Noise::Outliers if self.uniform() < 0.02 => 0.5 * self.uniform(),
                    Noise::Outliers => 0.01 * self.normal(),
                    Noise::TwoModes => 0.005 * self.normal() + if self.uniform() < share { 0.02 } else { 0.0 },
                };
                10.0 * scale * (1.0 + deviation)
            })
            .collect();
        Observation { round, trimmed_us: trimmed_mean(&times_us).unwrap(), median_us: median(&times_us).unwrap() }
    }

    fn rounds(&mut self, scale: f64, noise: Noise) -> Vec<Observation> {
        (0..5).map(|round| self.round(round, scale, noise)).collect()
    }
}

/// How many of 400 comparisons have each verdict, of a kernel with one that takes `scale` times as long.
fn verdicts(
    scale: f64,
    noise: Noise,
    compare: fn(&[Observation], &[Observation], Option<f64>) -> Comparison,
) -> [usize; 3] {
    let mut simulation = Simulation(ChaCha8Rng::seed_from_u64(1));
    let mut counts = [0; 3];
    for _ in 0..400 {
        let (base, other) = (simulation.rounds(1.0, noise), simulation.rounds(scale, noise));
        match compare(&base, &other, None).verdict {
            Verdict::Slower | Verdict::Faster => counts[0] += 1,
            Verdict::Same => counts[1] += 1,
            _ => counts[2] += 1,
        }
    }
    counts
}

#[test]
fn a_kernel_compared_with_itself_is_hardly_ever_different() {
    for compare in [within_run, between_runs] {
        let [different, same, _] = verdicts(1.0, Noise::Outliers, compare);
        assert!(different == 0 && same >= 390, "{different} different, {same} the same");
        let [different, same, _] = verdicts(1.0, Noise::TwoModes, compare);
        assert!(different == 0 && same >= 340, "{different} different, {same} the same");
    }
}

#[test]
fn a_kernel_that_takes_3_percent_longer_is_found() {
    for compare in [within_run, between_runs] {
        for noise in [Noise::Outliers, Noise::TwoModes] {
            let [different, same, _] = verdicts(1.03, noise, compare);
            assert!(different >= 388 && same == 0, "{different} different, {same} the same");
        }
    }
}
