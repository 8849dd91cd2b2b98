//! Plateaus and their breaks: curves made by formula, with noise of known size.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::super::levels::fit_plateaus;
use super::*;

/// Powers of two, from 1 KiB on.
fn sizes(count: i32) -> impl Iterator<Item = f64> + Clone {
    (0..count).map(|power| 1024.0 * 2.0_f64.powi(power))
}

/// First plateau, rises, places, sharpnesses: one cache, and those of a GPU with L1 and L2.
const ONE: [f64; 4] = [250.0, 350.0, 700_000.0, 1.0];
const TWO: [f64; 7] = [40.0, 245.0, 405.0, 250_000.0, 60_000_000.0, 16.0, 1.0];
const THREE: [f64; 10] = [40.0, 160.0, 300.0, 400.0, 20_000.0, 700_000.0, 60_000_000.0, 4.0, 1.0, 1.0];

fn form(coefficients: &[f64]) -> Form {
    Form::Plateaus { breaks: (coefficients.len() - 1) / 3 }
}

fn made(coefficients: &[f64], count: i32, noise: f64, seed: u64) -> Vec<Observation> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let mut normal = || {
        let mut uniform = || (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let (u, v) = (1.0 - uniform(), uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    };
    let time = |x| form(coefficients).time_us(coefficients, x);
    sizes(count).map(|x| Observation::exact(x, time(x) * (1.0 + noise * normal()))).collect()
}

fn chosen(all: &[Observation]) -> LawFit {
    fit_plateaus("set_bytes", all, false, false).unwrap()
}

fn estimate(fit: &LawFit, parameter: &str) -> Estimate {
    *fit.estimates.iter().find(|own| own.parameter == parameter).unwrap()
}

#[test]
fn exact_curves_give_their_breaks_back() {
    for coefficients in [&ONE[..], &TWO, &THREE] {
        let all = made(coefficients, 20, 0.0, 0);
        let fit = chosen(&all);
        assert_eq!(fit.law.form, form(coefficients), "{}", fit.finding());
        assert!(fit.verdict.is_success(), "{}", fit.finding());
        for (own, truth) in fit.estimates.iter().zip(form(coefficients).read(coefficients)) {
            if own.parameter.starts_with("sharpness") {
                assert!(own.low <= truth && truth <= own.high, "{own:?}");
            } else {
                near(own.estimate, truth, 1e-3);
                assert!(own.low <= truth * 1.001 && truth * 0.999 <= own.high, "{own:?}, not {truth}");
            }
        }
    }
}

/// A sharp step leaves two sizes on its plateaus with none in between.
#[test]
fn a_fit_says_between_which_sizes_times_rise() {
    let steps = [40.0, 245.0, 405.0, 300_000.0, 60_000_000.0, 64.0, 64.0];
    let told = chosen(&made(&steps, 20, 0.0, 0)).finding();
    let rises = "times rise between set_bytes = 256 KiB and 512 KiB, 32 MiB and 64 MiB; where within, the form of the law decides";
    assert!(told.contains(rises), "{told}");
    let level: Vec<Observation> = sizes(20).map(|x| Observation::exact(x, 40.0)).collect();
    assert!(!chosen(&level).finding().contains("times rise"));
}

#[test]
fn breaks_lie_within_their_intervals_and_are_known_to_a_tenth() {
    const TRIES: u64 = 60;
    for (coefficients, noise, places) in
        [(&ONE[..], 0.005, &["break_first"][..]), (&TWO, 0.005, &["break_first", "break_second"])]
    {
        let (mut as_many, mut within, mut all) = (0, 0, 0);
        for seed in 0..TRIES {
            let fit = chosen(&made(coefficients, 20, noise, seed));
            as_many += u64::from(fit.law.form == form(coefficients));
            if fit.law.form != form(coefficients) {
                continue;
            }
            assert!(fit.verdict.is_success(), "{}", fit.finding());
            for (which, name) in places.iter().enumerate() {
                let (own, truth) = (estimate(&fit, name), coefficients[1 + places.len() + which]);
                within += u64::from(own.low <= truth && truth <= own.high);
                all += 1;
                assert!((own.estimate / truth - 1.0).abs() < 0.1, "{own:?}, not {truth}");
            }
        }
        assert!(as_many * 10 >= TRIES * 9, "{as_many} of {TRIES} have {} breaks", places.len());
        assert!(within * 10 >= all * 9, "{within} of {all} intervals cover");
    }
}

#[test]
fn plateaus_lie_within_their_intervals() {
    let (mut within, mut all) = (0, 0);
    for seed in 0..60 {
        let fit = chosen(&made(&TWO, 20, 0.005, seed));
        if fit.law.form != form(&TWO) {
            continue;
        }
        for (own, truth) in fit.estimates.iter().zip([40.0, 285.0, 690.0]) {
            within += usize::from(own.low <= truth && truth <= own.high);
            all += 1;
        }
    }
    assert!(within * 10 >= all * 9, "{within} of {all} intervals cover");
}

#[test]
fn a_single_plateau_has_no_break() {
    let level = chosen(&made(&[285.0, 1e-9, 700_000.0, 1.0], 20, 0.001, 3));
    assert!(matches!(level.verdict, Verdict::NoCost { .. }), "{}", level.finding());
    for seed in 0..10 {
        // More noise than what counts as level.
        let told = fit_plateaus("set_bytes", &made(&[285.0, 1e-9, 700_000.0, 1.0], 20, 0.02, seed), false, false);
        assert!(told.as_ref().map_or(true, |fit| !fit.verdict.is_success()), "{}", told.unwrap().finding());
    }
}

#[test]
fn lines_and_powers_have_no_plateaus() {
    for noise in [0.0, 0.005] {
        for time in [|x: f64| 20.0 + x / 1024.0, |x: f64| 20.0 + 1e-3 * x, |x: f64| x.sqrt(), |x: f64| 1e3 + 1e-2 * x] {
            let mut all = made(&[1.0, 1e-12, 700_000.0, 1.0], 20, noise, 5);
            all.iter_mut().for_each(|own| own.time_us *= time(own.x));
            let told =
                fit_plateaus("set_bytes", &all, false, false).map(|fit| (fit.verdict.is_success(), fit.finding()));
            assert!(!matches!(told, Ok((true, _))), "{told:?}");
        }
    }
}

#[test]
fn an_outlier_moves_no_break_of_a_robust_fit() {
    let mut all = made(&TWO, 20, 0.003, 4);
    all[12].time_us *= 1.2;
    let fit = fit_plateaus("set_bytes", &all, true, false).unwrap();
    assert_eq!(fit.law.form, form(&TWO), "{}", fit.finding());
    near(estimate(&fit, "break_second").estimate, 6e7, 0.1);
    near(estimate(&fit, "t_second").estimate, 285.0, 0.02);
}

#[test]
fn too_few_sizes_say_nothing_of_plateaus() {
    let told = |count| fit_plateaus("set_bytes", &made(&ONE, count, 0.0, 0), false, false).map(|fit| fit.finding());
    assert!(told(4).is_err_and(|error| error.is_silence()));
    assert!(told(5).unwrap_err().to_string().contains("3 values of set_bytes or more on each"), "{:?}", told(5));
    let falling: Vec<Observation> = sizes(12).map(|x| Observation::exact(x, 5.0 + 1e6 / x)).collect();
    let error = fit_plateaus("set_bytes", &falling, false, false).unwrap_err().to_string();
    assert!(error.contains("do not rise from plateau to plateau"), "{error}");
}
