//! Known errors in sentences.

use super::{KnownError, of};
use crate::properties::{Origin, Properties};
use crate::scenario::Sizes;
use crate::unit::significant;

/// From how many points on 95 % of them are not all.
const NOT_ALL_FROM: usize = 20;

/// What is known of a family's times on a simulated device, in a sentence; `None` where the device's times are not simulated.
pub fn sentence(known: &[KnownError], device: &Properties, family: &str, sizes: Sizes) -> Option<String> {
    if device.origin != Origin::Simulated {
        return None;
    }
    let Some(own) = of(known, device, family, sizes) else {
        return Some(format!(
            "How far simulated times of `{family}` on {} are off is not known: a GPU's runs were compared with them neither at the \
             sizes for simulated devices nor at those for GPUs.",
            device.spec
        ));
    };
    let most = if own.points < NOT_ALL_FROM { "all" } else { "95 %" };
    let others = if own.sizes == sizes { "" } else { ", and this run has others" };
    Some(format!(
        "Simulated times of `{family}` are {} off on average{} ({} points compared with an {} at {}{others}; {most} of the times are \
         within {}).",
        percent(own.time_error_pct),
        own.slowdown_error_pct.map_or(String::new(), |error| format!(", ratios between variants {}", percent(error))),
        own.points,
        own.gpu,
        of_sizes(own.sizes),
        percent(own.time_error_95_pct),
    ))
}

/// What is known of all families together on a simulated GPU, a sentence for each choice of sizes; where nothing is, what its profile
/// says of its validation.
pub fn of_profile(known: &[KnownError], spec: &str, validation: &str) -> Vec<String> {
    let told = compared(known, spec);
    if told.is_empty() { vec![validation.to_owned()] } else { told }
}

fn compared(known: &[KnownError], spec: &str) -> Vec<String> {
    let rows = |sizes: Sizes| known.iter().filter(move |own| own.profile == spec && own.sizes == sizes);
    let sentence = |sizes: Sizes| {
        let first = rows(sizes).next()?;
        let points: usize = rows(sizes).map(|own| own.points).sum();
        let scenarios: usize = rows(sizes).map(|own| own.scenarios).sum();
        let times = mean(rows(sizes).map(|own| (own.points, own.time_error_pct)))?;
        let slowdowns = mean(rows(sizes).filter_map(|own| Some((own.slowdowns, own.slowdown_error_pct?))));
        Some(format!(
            "{} off on average{}: {points} points of {scenarios} scenarios compared with an {} at {}",
            percent(times),
            slowdowns.map_or(String::new(), |error| format!(", ratios between variants {}", percent(error))),
            first.gpu,
            of_sizes(sizes)
        ))
    };
    [Sizes::Simulated, Sizes::Gpu].into_iter().filter_map(sentence).collect()
}

/// The mean of values of which there are so many each; `None` of none.
fn mean(values: impl Iterator<Item = (usize, f64)>) -> Option<f64> {
    let (count, sum) = values.fold((0, 0.0), |(count, sum), (own, value)| (count + own, sum + own as f64 * value));
    (count > 0).then(|| sum / count as f64)
}

fn percent(value: f64) -> String {
    format!("{} %", significant(value, 2))
}

fn of_sizes(sizes: Sizes) -> &'static str {
    match sizes {
        Sizes::Simulated => "the sizes for simulated devices",
        Sizes::Gpu => "the sizes for GPUs",
    }
}
