//! The curves of the nonlinear sets, with derivatives carried along with each value (forward differentiation: exact).

use std::f64::consts::PI;
use std::ops::{Add, Div, Mul, Neg, Sub};

use least_squares::Curve;

const MOST_PARAMETERS: usize = 9;

/// A value with its derivatives by the parameters.
#[derive(Clone, Copy)]
struct Dual {
    value: f64,
    derivatives: [f64; MOST_PARAMETERS],
}

impl Dual {
    /// A function of it that has this value and this derivative.
    fn mapped(self, value: f64, derivative: f64) -> Self {
        Self { value, derivatives: self.derivatives.map(|own| derivative * own) }
    }

    fn exp(self) -> Self {
        self.mapped(self.value.exp(), self.value.exp())
    }

    fn ln(self) -> Self {
        self.mapped(self.value.ln(), self.value.recip())
    }

    fn cos(self) -> Self {
        self.mapped(self.value.cos(), -self.value.sin())
    }

    fn sin(self) -> Self {
        self.mapped(self.value.sin(), self.value.cos())
    }

    fn atan(self) -> Self {
        self.mapped(self.value.atan(), (1.0 + self.value * self.value).recip())
    }

    fn pow(self, exponent: f64) -> Self {
        self.mapped(self.value.powf(exponent), exponent * self.value.powf(exponent - 1.0))
    }

    fn square(self) -> Self {
        self * self
    }
}

impl From<f64> for Dual {
    fn from(value: f64) -> Self {
        Self { value, derivatives: [0.0; MOST_PARAMETERS] }
    }
}

impl Neg for Dual {
    type Output = Self;

    fn neg(self) -> Self {
        self.mapped(-self.value, -1.0)
    }
}

impl<T: Into<Dual>> Add<T> for Dual {
    type Output = Self;

    fn add(self, other: T) -> Self {
        let other = other.into();
        let derivatives = std::array::from_fn(|k| self.derivatives[k] + other.derivatives[k]);
        Self { value: self.value + other.value, derivatives }
    }
}

impl<T: Into<Dual>> Sub<T> for Dual {
    type Output = Self;

    fn sub(self, other: T) -> Self {
        self + -other.into()
    }
}

#[expect(clippy::suspicious_arithmetic_impl, reason = "the rule of products")]
impl<T: Into<Dual>> Mul<T> for Dual {
    type Output = Self;

    fn mul(self, other: T) -> Self {
        let other = other.into();
        let derivatives =
            std::array::from_fn(|k| self.derivatives[k] * other.value + self.value * other.derivatives[k]);
        Self { value: self.value * other.value, derivatives }
    }
}

#[expect(clippy::suspicious_arithmetic_impl, reason = "the rule of quotients")]
impl<T: Into<Dual>> Div<T> for Dual {
    type Output = Self;

    fn div(self, other: T) -> Self {
        let other = other.into();
        let quotient = self.value / other.value;
        let derivatives =
            std::array::from_fn(|k| (self.derivatives[k] - quotient * other.derivatives[k]) / other.value);
        Self { value: quotient, derivatives }
    }
}

type Equation = fn(&[Dual], &[f64]) -> Dual;

/// An equation whose predictors are those of the row that `x` is the index of, since one set has two of them.
pub(super) struct Indexed<'a> {
    equation: Equation,
    rows: &'a [Vec<f64>],
}

impl Indexed<'_> {
    fn at(&self, parameters: &[f64], x: f64) -> Dual {
        let parameters: Vec<Dual> = parameters
            .iter()
            .enumerate()
            .map(|(k, &value)| Dual {
                value,
                derivatives: std::array::from_fn(|other| f64::from(u8::from(other == k))),
            })
            .collect();
        (self.equation)(&parameters, &self.rows[x as usize][1..])
    }
}

impl Curve for Indexed<'_> {
    fn value(&self, parameters: &[f64], x: f64) -> f64 {
        self.at(parameters, x).value
    }

    fn gradient(&self, parameters: &[f64], x: f64) -> Vec<f64> {
        self.at(parameters, x).derivatives[..parameters.len()].to_vec()
    }
}

/// The curve of the set of that name.
pub(super) fn of<'a>(name: &str, rows: &'a [Vec<f64>]) -> Indexed<'a> {
    let equation: Equation = match name {
        "Misra1a" | "BoxBOD" => |b, x| b[0] * (Dual::from(1.0) - (-b[1] * x[0]).exp()),
        "Misra1b" => |b, x| b[0] * (Dual::from(1.0) - (b[1] * x[0] / 2.0 + 1.0).pow(-2.0)),
        "Misra1c" => |b, x| b[0] * (Dual::from(1.0) - (b[1] * 2.0 * x[0] + 1.0).pow(-0.5)),
        "Misra1d" => |b, x| b[0] * b[1] * x[0] / (b[1] * x[0] + 1.0),
        "Chwirut1" | "Chwirut2" => |b, x| (-b[0] * x[0]).exp() / (b[1] + b[2] * x[0]),
        "DanWood" => |b, x| b[0] * (b[1] * x[0].ln()).exp(),
        "Lanczos1" | "Lanczos2" | "Lanczos3" => {
            |b, x| b[0] * (-b[1] * x[0]).exp() + b[2] * (-b[3] * x[0]).exp() + b[4] * (-b[5] * x[0]).exp()
        }
        "Gauss1" | "Gauss2" | "Gauss3" => |b, x| {
            let peak = |height: Dual, centre: Dual, width: Dual| height * (-((-centre + x[0]) / width).square()).exp();
            b[0] * (-b[1] * x[0]).exp() + peak(b[2], b[3], b[4]) + peak(b[5], b[6], b[7])
        },
        "Kirby2" => |b, x| (b[0] + b[1] * x[0] + b[2] * x[0] * x[0]) / (b[3] * x[0] + b[4] * x[0] * x[0] + 1.0),
        "Hahn1" | "Thurber" => |b, x| {
            let cubic = |c0: Dual, c1: Dual, c2: Dual, c3: Dual| ((c3 * x[0] + c2) * x[0] + c1) * x[0] + c0;
            cubic(b[0], b[1], b[2], b[3]) / cubic(Dual::from(1.0), b[4], b[5], b[6])
        },
        "Nelson" => |b, x| b[0] - b[1] * x[0] * (-b[2] * x[1]).exp(),
        "MGH17" => |b, x| b[0] + b[1] * (-b[3] * x[0]).exp() + b[2] * (-b[4] * x[0]).exp(),
        "Roszman1" => |b, x| b[0] - b[1] * x[0] - (b[2] / (-b[3] + x[0])).atan() / PI,
        "ENSO" => |b, x| {
            let wave = |period: Dual, cosine: Dual, sine: Dual| {
                let angle = Dual::from(2.0 * PI * x[0]) / period;
                cosine * angle.cos() + sine * angle.sin()
            };
            b[0] + wave(Dual::from(12.0), b[1], b[2]) + wave(b[3], b[4], b[5]) + wave(b[6], b[7], b[8])
        },
        "MGH09" => |b, x| b[0] * (b[1] * x[0] + x[0] * x[0]) / (b[2] * x[0] + b[3] + x[0] * x[0]),
        "MGH10" => |b, x| b[0] * (b[1] / (b[2] + x[0])).exp(),
        "Rat42" => |b, x| b[0] / ((b[1] - b[2] * x[0]).exp() + 1.0),
        "Rat43" => |b, x| b[0] * (-((b[1] - b[2] * x[0]).exp() + 1.0).ln() / b[3]).exp(),
        "Eckerle4" => |b, x| b[0] / b[1] * (((-b[2] + x[0]) / b[1]).square() * -0.5).exp(),
        "Bennett5" => |b, x| b[0] * (-(b[1] + x[0]).ln() / b[2]).exp(),
        other => panic!("no curve for {other}"),
    };
    Indexed { equation, rows }
}
