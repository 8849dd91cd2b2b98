//! Ratios of two estimates that each have an interval.

use serde::Serialize;

/// One estimate over another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ratio {
    /// The ratio.
    pub ratio: f64,
    /// The ends of its 95 % interval; `None` where the divisor may be zero, or nothing has an interval.
    pub interval: Option<(f64, f64)>,
}

/// An estimate with the ends of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Known {
    /// The estimate.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The ratio of two independent estimates; `None` where it is no number.
///
/// The interval is recovered from those of the two (Donner and Zou 2012, Closed-form confidence intervals for functions of the normal
/// mean and standard deviation, equation 9). Of symmetric intervals it is Fieller's; other than one on the scale of
/// logarithms it also does where the dividend may be zero or less, as intercepts may.
pub fn ratio(dividend: Known, divisor: Known) -> Option<Ratio> {
    let (a, b) = (dividend, divisor);
    let ratio = a.estimate / b.estimate;
    if !ratio.is_finite() {
        return None;
    }
    // Below zero everything is mirrored; a divisor that may be zero has no finite ratio.
    if b.high < 0.0 {
        let mirrored = |known: Known| Known { estimate: -known.estimate, low: -known.high, high: -known.low };
        return self::ratio(mirrored(a), mirrored(b));
    }
    if b.low <= 0.0 {
        return Some(Ratio { ratio, interval: None });
    }
    let product = a.estimate * b.estimate;
    let lower_square = product.powi(2) - a.low * b.high * (2.0 * a.estimate - a.low) * (2.0 * b.estimate - b.high);
    let upper_square = product.powi(2) - a.high * b.low * (2.0 * a.estimate - a.high) * (2.0 * b.estimate - b.low);
    let low = (product - lower_square.max(0.0).sqrt()) / (b.high * (2.0 * b.estimate - b.high));
    let high = (product + upper_square.max(0.0).sqrt()) / (b.low * (2.0 * b.estimate - b.low));
    // Where the divisor's interval reaches more than twice its estimate, the formula has no meaning.
    let is_interval = low.is_finite() && high.is_finite() && low <= ratio && ratio <= high;
    Some(Ratio { ratio, interval: is_interval.then_some((low, high)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(estimate: f64, half: f64) -> Known {
        Known { estimate, low: estimate - half, high: estimate + half }
    }

    // numpy.sort(numpy.roots([b*b - h*h, -2*a*b, a*a - g*g])) for a +- g over b +- h: Fieller's interval without covariance
    #[test]
    fn intervals_are_those_of_fieller() {
        for (a, b, low, high) in [
            (known(10.0763, 1.0769), known(16.7067, 0.3778), FIELLER[0].0, FIELLER[0].1),
            (known(259.399, 0.236), known(262.748, 0.082), FIELLER[1].0, FIELLER[1].1),
            (known(-1.0, 3.0), known(5.0, 1.0), FIELLER[2].0, FIELLER[2].1),
        ] {
            let found = ratio(a, b).unwrap();
            let (found_low, found_high) = found.interval.unwrap();
            assert!((found.ratio - a.estimate / b.estimate).abs() < 1e-12);
            assert!((found_low - low).abs() < 1e-9 && (found_high - high).abs() < 1e-9, "{found:?}");
        }
    }

    const FIELLER: [(f64, f64); 3] = [
        (0.537_533_981_525_517_3, 0.669_341_755_834_596_7),
        (0.986_304_468_109_418_2, 0.988_203_617_698_109),
        (-0.822_121_660_944_009_8, 0.405_454_994_273_343_1),
    ];

    #[test]
    fn a_divisor_that_may_be_zero_leaves_no_interval() {
        let found = ratio(known(1.0, 0.1), known(1.0, 2.0)).unwrap();
        assert!(found.ratio > 0.99 && found.interval.is_none());
        assert_eq!(ratio(known(1.0, 0.1), known(0.0, 0.1)), None);
    }

    #[test]
    fn signs_are_mirrored() {
        let (both, none) = (ratio(known(-3.0, 0.5), known(-2.0, 0.1)), ratio(known(3.0, 0.5), known(2.0, 0.1)));
        assert_eq!(both, none);
    }

    #[test]
    fn what_is_known_exactly_has_a_ratio_without_width() {
        assert_eq!(ratio(known(3.0, 0.0), known(2.0, 0.0)).unwrap().interval, Some((1.5, 1.5)));
    }
}
