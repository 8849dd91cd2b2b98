//! Forms of curves: the time at a predictor from coefficients, and its gradient in them.
//!
//! Coefficients are what is fitted; parameters are what people read. They are the same but for `Saturation` (whose slope, in
//! microseconds for each byte, is read as a bandwidth), `TwoLines` (whose change of slope is read as the second slope) and
//! `Plateaus` (whose rises are read as the plateaus that they lead to).

use least_squares::risen;

use crate::unit;

/// The form of a law's curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// `a`
    Constant,
    /// `b x`
    Proportional,
    /// `a + b x`
    Affine,
    /// `a x^k`
    Power,
    /// `a + b / x`
    Reciprocal,
    /// `max(a, b x)`
    Overlap,
    /// `(a^p + (b x)^p)^(1/p)`: the sum where p is 1 and the maximum where it is large, and smooth in between. Of smooth
    /// maxima it is the one that keeps both limits (`a` and `b x`) and whose p says by itself how much overlaps.
    SmoothOverlap,
    /// `max(a, b / x)`
    Hiding,
    /// `(a^p + (b / x)^p)^(1/p)`
    SmoothHiding,
    /// `a + b x`, read as an overhead and a bandwidth
    Saturation,
    /// `a + b x + c max(0, x - k)`
    TwoLines,
    /// `a + b ceil(x / w)`
    Steps,
    /// `a + sum of d_k max(0, 1 - (c_k / x)^s_k)`: a first plateau, and from each break `c_k` on a rise by `d_k` to the next one. A share
    /// of `c / x` of what is used at random finds its place in a cache of size c, so that such a rise has a sharpness of 1; used in turn
    /// nothing does, and the rise is a step, whose sharpness is large. Coefficients are a, all d, all c, all s.
    Plateaus {
        /// From 1 to [`MOST_BREAKS`](least_squares::MOST_BREAKS).
        breaks: usize,
    },
}

/// A quotient this close above a whole number is that number: 0.3 / 0.1 begins three steps and not four.
const WHOLE: f64 = 1e-9;

impl Form {
    /// Every form, simpler ones first.
    #[cfg(test)]
    pub(in crate::model) const ALL: [Self; 15] = [
        Self::Constant,
        Self::Proportional,
        Self::Affine,
        Self::Power,
        Self::Reciprocal,
        Self::Overlap,
        Self::SmoothOverlap,
        Self::Hiding,
        Self::SmoothHiding,
        Self::Saturation,
        Self::TwoLines,
        Self::Steps,
        Self::Plateaus { breaks: 1 },
        Self::Plateaus { breaks: 2 },
        Self::Plateaus { breaks: 3 },
    ];

    /// How many parameters it has.
    pub fn parameters(self) -> usize {
        match self {
            Self::Constant | Self::Proportional => 1,
            Self::Affine | Self::Power | Self::Reciprocal | Self::Overlap | Self::Hiding | Self::Saturation => 2,
            Self::SmoothOverlap | Self::SmoothHiding | Self::Steps => 3,
            Self::TwoLines => 4,
            Self::Plateaus { breaks } => 1 + 3 * breaks,
        }
    }

    /// How hard it is to grasp: of two that are as good, the one with less is preferred. Parameters first, then whether the
    /// curve is a straight line.
    pub(in crate::model) fn complexity(self) -> (usize, bool) {
        (self.parameters(), !matches!(self, Self::Constant | Self::Proportional | Self::Affine))
    }

    /// How many parameters the form counts as where it is chosen from others. A break is found by trying them all, which fits noise
    /// better than one parameter does: it counts as three (Hall, Osborn and Sakkas, Inference on structural breaks using information
    /// criteria, The Manchester School 81, 2013).
    pub(in crate::model) fn weighed_parameters(self) -> usize {
        let breaks = match self {
            Self::TwoLines => 1,
            Self::Plateaus { breaks } => breaks,
            _ => 0,
        };
        self.parameters() + 2 * breaks
    }

    /// The fewest distinct predictors that `auto` tries it on: two more than it has parameters, and for steps enough
    /// that several of them are on one step.
    pub fn fewest_for_choice(self) -> usize {
        match self {
            Self::Steps => 8,
            Self::TwoLines => 7,
            _ => self.parameters() + 2,
        }
    }

    /// The same where another form fails: what noise makes of a line is not taken for steps then.
    pub fn fewest_beside_failure(self) -> usize {
        if self == Self::Steps { 7 } else { self.fewest_for_choice() }
    }

    /// The fewest distinct predictors that a verdict can rest on: 4, and one more for each parameter beyond two.
    pub fn fewest_for_verdict(self) -> usize {
        4.max(self.parameters() + 2)
    }

    /// Whether it is only for predictors above zero.
    pub fn needs_positive(self) -> bool {
        matches!(
            self,
            Self::Power
                | Self::Reciprocal
                | Self::Overlap
                | Self::SmoothOverlap
                | Self::Hiding
                | Self::SmoothHiding
                | Self::Steps
                | Self::Plateaus { .. }
        )
    }

    /// The row of the design, where it is linear in its coefficients.
    pub(in crate::model) fn design(self, x: f64) -> Option<Vec<f64>> {
        match self {
            Self::Constant => Some(vec![1.0]),
            Self::Proportional => Some(vec![x]),
            Self::Affine | Self::Saturation => Some(vec![1.0, x]),
            Self::Reciprocal => Some(vec![1.0, 1.0 / x]),
            _ => None,
        }
    }

    /// The time at `x`, in microseconds.
    pub(in crate::model) fn time_us(self, coefficients: &[f64], x: f64) -> f64 {
        match (self, coefficients) {
            (Self::Constant, [a]) => *a,
            (Self::Proportional, [b]) => b * x,
            (Self::Affine | Self::Saturation, [a, b]) => a + b * x,
            (Self::Power, [a, k]) => a * x.powf(*k),
            (Self::Reciprocal, [a, b]) => a + b / x,
            (Self::Overlap, [a, b]) => a.max(b * x),
            (Self::Hiding, [a, b]) => a.max(b / x),
            (Self::SmoothOverlap, [a, b, p]) => smooth_maximum(*a, b * x, *p),
            (Self::SmoothHiding, [a, b, p]) => smooth_maximum(*a, b / x, *p),
            (Self::TwoLines, [a, b, change, corner]) => a + b * x + change * (x - corner).max(0.0),
            (Self::Steps, [a, b, width]) => a + b * steps(x, *width),
            (Self::Plateaus { breaks }, [a, rest @ ..]) if rest.len() == 3 * breaks => {
                let (rises, places) = rest.split_at(breaks);
                let (places, sharpnesses) = places.split_at(breaks);
                let each = rises.iter().zip(places).zip(sharpnesses);
                a + each.map(|((rise, place), sharpness)| rise * risen(x, *place, *sharpness)).sum::<f64>()
            }
            _ => f64::NAN,
        }
    }

    /// How the time at `x` changes with each coefficient. The width of steps has none: the time jumps with it.
    pub(in crate::model) fn gradient(self, coefficients: &[f64], x: f64) -> Vec<f64> {
        let either = |is_first: bool, second: f64| if is_first { vec![1.0, 0.0] } else { vec![0.0, second] };
        match (self, coefficients) {
            (Self::Power, [a, k]) => vec![x.powf(*k), a * x.powf(*k) * x.ln()],
            (Self::Overlap, [a, b]) => either(*a >= b * x, x),
            (Self::Hiding, [a, b]) => either(*a >= b / x, 1.0 / x),
            (Self::SmoothOverlap, [a, b, p]) => smooth_gradient(*a, b * x, *p, x),
            (Self::SmoothHiding, [a, b, p]) => smooth_gradient(*a, b / x, *p, 1.0 / x),
            (Self::TwoLines, [_, _, c, k]) => vec![1.0, x, (x - k).max(0.0), if x > *k { -c } else { 0.0 }],
            (Self::Steps, [_, _, w]) => vec![1.0, steps(x, *w), 0.0],
            (Self::Plateaus { breaks }, [_, rest @ ..]) if rest.len() == 3 * breaks => {
                let each = (0..breaks).map(|k| (rest[k], rest[breaks + k], rest[2 * breaks + k]));
                // How much is missing of each rise.
                let missing = |rise: f64, place: f64, s: f64| if x > place { rise * (place / x).powf(s) } else { 0.0 };
                let by_rise = each.clone().map(|(_, place, s)| risen(x, place, s));
                let by_place = each.clone().map(|(rise, place, s)| -s / place * missing(rise, place, s));
                let by_sharpness = each.map(|(rise, place, s)| -(place / x).ln() * missing(rise, place, s));
                std::iter::once(1.0).chain(by_rise).chain(by_place).chain(by_sharpness).collect()
            }
            _ => self.design(x).unwrap_or_default(),
        }
    }

    /// What people read of the coefficients.
    pub(in crate::model) fn read(self, coefficients: &[f64]) -> Vec<f64> {
        match (self, coefficients) {
            // 1000 bytes each microsecond are 1 GB/s.
            (Self::Saturation, [a, b]) => vec![*a, 1e-3 / b],
            (Self::TwoLines, [a, b, c, k]) => vec![*a, *b, b + c, *k],
            (Self::Plateaus { breaks }, _) => {
                let mut read = coefficients.to_vec();
                for k in 1..=breaks.min(read.len().saturating_sub(1)) {
                    read[k] += read[k - 1];
                }
                read
            }
            _ => coefficients.to_vec(),
        }
    }

    /// Its curve in words, from parameters as `read` gives them, written by `us` (a time), `number` and, where it is of
    /// several terms, joined by signs: `t = 9.12 µs + 23.3 µs · n`.
    pub(in crate::model) fn equation(self, parameters: &[f64], symbol: &str, figure: fn(f64) -> String) -> String {
        let us = |value: f64| format!("{} µs", figure(value));
        let signed = |value: f64| format!("{} {} µs", if value < 0.0 { '−' } else { '+' }, figure(value.abs()));
        match (self, parameters) {
            (Self::Constant, [a]) => format!("t = {}", us(*a)),
            (Self::Proportional, [b]) => format!("t = {} · {symbol}", us(*b)),
            (Self::Affine, [a, b]) => format!("t = {} {} · {symbol}", us(*a), signed(*b)),
            (Self::Power, [a, k]) => format!("t = {} · {symbol}^{}", us(*a), figure(*k)),
            (Self::Reciprocal, [a, b]) => format!("t = {} {} / {symbol}", us(*a), signed(*b)),
            (Self::Overlap, [a, b]) => format!("t = max({}, {} · {symbol})", us(*a), us(*b)),
            (Self::Hiding, [a, b]) => format!("t = max({}, {} / {symbol})", us(*a), us(*b)),
            (Self::SmoothOverlap, [a, b, p]) => {
                let p = figure(*p);
                format!("t = (({})^{p} + ({} · {symbol})^{p})^(1/{p})", us(*a), us(*b))
            }
            (Self::SmoothHiding, [a, b, p]) => {
                let p = figure(*p);
                format!("t = (({})^{p} + ({} / {symbol})^{p})^(1/{p})", us(*a), us(*b))
            }
            (Self::Saturation, [a, b]) => format!("t = {} + {symbol} / ({} GB/s)", us(*a), figure(*b)),
            (Self::TwoLines, [a, b, c, k]) => {
                let (start, each, beyond, at) = (us(*a), signed(*b), us(*c), figure(*k));
                format!("t = {start} {each} · {symbol}, and {beyond} for each {symbol} beyond {at}")
            }
            (Self::Steps, [a, b, w]) => format!("t = {} {} · ⌈{symbol} / {}⌉", us(*a), signed(*b), figure(*w)),
            (Self::Plateaus { breaks }, all) if all.len() == 1 + 3 * breaks => {
                let end = |k: usize| unit::of_predictor(symbol, all[1 + breaks + k]);
                let place = |k: usize| if k == 0 { format!("{symbol} = {}", end(k)) } else { end(k) };
                let level = |k: usize| format!("{} up to {}", us(all[k]), place(k));
                let levels: Vec<String> = (0..breaks).map(level).collect();
                format!("t = {}, then {}", levels.join(", "), us(all[breaks]))
            }
            _ => String::new(),
        }
    }
}

/// The steps of this width that `x` begins.
pub(in crate::model) fn steps(x: f64, width: f64) -> f64 {
    let quotient = x / width;
    (quotient - WHOLE * quotient.abs()).ceil()
}

/// `(a^p + b^p)^(1/p)`, by way of the larger so that no power overflows.
fn smooth_maximum(a: f64, b: f64, p: f64) -> f64 {
    let (large, small) = if a >= b { (a, b) } else { (b, a) };
    large * (1.0 + (small / large).powf(p)).powf(1.0 / p)
}

/// How `(a^p + (b x)^p)^(1/p)` changes with a, b and p, `second` being `b x` and `each` x.
fn smooth_gradient(a: f64, second: f64, p: f64, each: f64) -> Vec<f64> {
    let time = smooth_maximum(a, second, p);
    let (u, v) = (a / time, second / time);
    let entropy = |share: f64| if share > 0.0 { share.powf(p) * share.ln() } else { 0.0 };
    vec![u.powf(p - 1.0), v.powf(p - 1.0) * each, time * (entropy(u) + entropy(v)) / p]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(form: Form) -> Vec<f64> {
        match form.parameters() {
            1 => vec![7.0],
            2 => vec![7.0, 1.3],
            3 => vec![7.0, 1.3, 2.5],
            4 => vec![7.0, 1.3, 2.0, 4.0],
            7 => vec![7.0, 1.3, 5.0, 2.0, 7.0, 4.0, 1.5],
            _ => vec![7.0, 1.3, 5.0, 3.0, 2.0, 7.0, 20.0, 4.0, 1.5, 2.5],
        }
    }

    #[test]
    fn gradients_are_those_of_differences() {
        for form in Form::ALL {
            let at = some(form);
            for x in [0.7, 1.0, 3.0, 9.0, 40.0] {
                let gradient = form.gradient(&at, x);
                assert_eq!(gradient.len(), form.parameters());
                // The width of steps has no gradient.
                let differentiable = if form == Form::Steps { 2 } else { at.len() };
                for index in 0..differentiable {
                    let moved = |by: f64| {
                        let mut moved = at.clone();
                        moved[index] += by;
                        form.time_us(&moved, x)
                    };
                    let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                    assert!(
                        (difference - gradient[index]).abs() < 1e-6 * (1.0 + difference.abs()),
                        "{form:?} {index} at {x}"
                    );
                }
            }
        }
    }

    #[test]
    fn plateaus_rise_from_their_breaks_on() {
        let form = Form::Plateaus { breaks: 2 };
        let at = |x| form.time_us(&[40.0, 60.0, 300.0, 10.0, 100.0, 1.0, 1.0], x);
        assert_eq!([1.0, 10.0, 20.0, 100.0, 200.0].map(|x| at(x).round() as i64), [40, 40, 70, 94, 247]);
        assert_eq!(form.read(&[40.0, 60.0, 300.0, 10.0, 100.0, 1.0, 1.0])[..3], [40.0, 100.0, 400.0]);
    }

    #[test]
    fn steps_are_begun_and_not_missed_by_rounding() {
        assert_eq!([0.0, 1.0, 32.0, 33.0, 64.0].map(|x| steps(x, 32.0) as i64), [0, 1, 1, 2, 2]);
        assert_eq!(steps(0.3, 0.1) as i64, 3);
    }

    #[test]
    fn a_smooth_maximum_is_a_sum_and_a_maximum_at_its_ends() {
        let at = |p| Form::SmoothOverlap.time_us(&[4.0, 1.0, p], 3.0);
        assert!((at(1.0) - 7.0).abs() < 1e-12 && (at(2.0) - 5.0).abs() < 1e-12 && (at(500.0) - 4.0).abs() < 1e-12);
    }
}
