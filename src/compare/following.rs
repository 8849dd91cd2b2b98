//! Rounds that are like those before them: how much less they tell than as many independent ones.
//!
//! Clocks, temperatures and other users of a machine change slowly, so that a round may be like the one before it. Few rounds of one
//! point do not show that; the rounds of all points of a run together do. They are taken for an autoregressive process of the first
//! order (Box and Jenkins, Time Series Analysis, section 3.2), whose covariances give all figures here.

/// How much each round is like the one before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Following {
    /// From 0, where rounds are independent, to 0.95.
    coefficient: f64,
}

/// Rounds of a point from which on they can tell.
const FEWEST: usize = 4;
/// Standard errors by which rounds must be more alike than independent ones: by chance they are once in twenty.
const CLEAR: f64 = 1.645;
/// A coefficient that is not exceeded: rounds that are all alike tell nothing at all.
const MOST: f64 = 0.95;
/// How often the range of the coefficient is halved.
const HALVINGS: usize = 30;

/// Sums over the covariances of `count` rounds of variance 1, each like the one before it by `coefficient`.
struct Sums {
    count: f64,
    coefficient: f64,
    /// Of all covariances.
    all: f64,
    /// Of those of the first round.
    first: f64,
    /// Of all squared covariances.
    squares: f64,
    /// Of the squared sums of each round's covariances.
    squared_rows: f64,
}

impl Sums {
    fn of(count: usize, coefficient: f64) -> Self {
        // The covariances of a round with those before it, and with itself.
        let before: Vec<f64> = (0..count)
            .scan(0.0, |sum, _| {
                *sum = *sum * coefficient + 1.0;
                Some(*sum)
            })
            .collect();
        let row = |index: usize| before[index] + before[count - 1 - index] - 1.0;
        let squared = |power: f64| {
            (0..count).fold((0.0, 0.0), |(all, own): (f64, f64), _| {
                let own = own * power + 1.0;
                (all + 2.0 * own - 1.0, own)
            })
        };
        Self {
            count: count as f64,
            coefficient,
            all: (0..count).map(row).sum(),
            first: row(0),
            squares: squared(coefficient * coefficient).0,
            squared_rows: (0..count).map(|index| row(index).powi(2)).sum(),
        }
    }

    /// The expected sum of squared deviations from the mean.
    fn deviations(&self) -> f64 {
        self.count - self.all / self.count
    }

    /// The expected sum of products of neighbouring deviations, over that of their squares.
    fn likeness(&self) -> f64 {
        let Self { count, coefficient, all, first, .. } = self;
        let products =
            (count - 1.0) * coefficient - (2.0 * all - 2.0 * first) / count + (count - 1.0) * all / (count * count);
        products / self.deviations()
    }
}

impl Following {
    /// Rounds that are independent.
    pub(super) const NONE: Self = Self { coefficient: 0.0 };

    /// What the rounds of all points of a run tell, each point's in their order. Where they tell hardly anything, they are independent.
    pub(super) fn of<'a>(points: impl Iterator<Item = &'a [f64]>) -> Self {
        let (mut likeness, mut known, mut counts) = (0.0, 0, Vec::<(usize, usize)>::new());
        for rounds in points.filter(|rounds| rounds.len() >= FEWEST) {
            let mean = rounds.iter().sum::<f64>() / rounds.len() as f64;
            let squares: f64 = rounds.iter().map(|own| (own - mean).powi(2)).sum();
            let products: f64 = rounds.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
            let own = products / squares;
            if !own.is_finite() {
                continue;
            }
            (likeness, known) = (likeness + own, known + 1);
            match counts.iter_mut().find(|(count, _)| *count == rounds.len()) {
                Some((_, points)) => *points += 1,
                None => counts.push((rounds.len(), 1)),
            }
        }
        if known == 0 {
            return Self::NONE;
        }
        let found = likeness / f64::from(known);
        let expected = |coefficient: f64| {
            let of = |(count, points): &(usize, usize)| *points as f64 * Sums::of(*count, coefficient).likeness();
            counts.iter().map(of).sum::<f64>() / f64::from(known)
        };
        let degrees: f64 = counts.iter().map(|(count, points)| ((count - 1) * points) as f64).sum();
        if found < expected(0.0) + CLEAR / degrees.sqrt() {
            return Self::NONE;
        }
        let halve = |(low, high): (f64, f64), _| {
            let middle = 0.5 * (low + high);
            if expected(middle) < found { (middle, high) } else { (low, middle) }
        };
        Self { coefficient: (0..HALVINGS).fold((0.0, MOST), halve).0 }
    }

    /// Whether rounds are like those before them.
    pub(super) fn is_any(self) -> bool {
        self.coefficient > 0.0
    }

    /// The factor of the variance of a mean of so many rounds, beside what their own variance says of independent ones; and the degrees of
    /// freedom of that variance.
    pub(super) fn factor_and_degrees(self, count: usize) -> (f64, f64) {
        let usual = count as f64 - 1.0;
        if !self.is_any() || count < 2 {
            return (1.0, usual);
        }
        let sums = Sums::of(count, self.coefficient);
        let n = sums.count;
        // Variance of the mean, over that which the deviations say.
        let factor = (sums.all / (n * n)) / (sums.deviations() / usual / n);
        // Welch and Satterthwaite's: the squared trace of the deviations' covariance, over the trace of its square.
        let squared = sums.squares - 2.0 / n * sums.squared_rows + (sums.all / n).powi(2);
        (factor, (sums.deviations().powi(2) / squared).clamp(1.0, usual))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // numpy: R[i, j] = 0.8^|i - j| of 5 rounds, M = I - 1/5: R.sum() = 18.0896, trace(M R) = 1.38208, trace(M R M R) = 0.87377...
    #[test]
    fn sums_are_those_of_the_covariances() {
        let (count, coefficient) = (5, 0.8_f64);
        let covariance = |i: usize, j: usize| coefficient.powi(i.abs_diff(j) as i32);
        let centred = |i: usize, j: usize| {
            let row = (0..count).map(|k| covariance(k, j)).sum::<f64>() / count as f64;
            covariance(i, j) - row
        };
        let all: f64 = (0..count).flat_map(|i| (0..count).map(move |j| covariance(i, j))).sum();
        let trace: f64 = (0..count).map(|i| centred(i, i)).sum();
        let squared: f64 = (0..count).flat_map(|i| (0..count).map(move |j| centred(i, j) * centred(j, i))).sum();
        let sums = Sums::of(count, coefficient);
        assert!((sums.all - all).abs() < 1e-12 && (sums.deviations() - trace).abs() < 1e-12);
        let (factor, degrees) = Following { coefficient }.factor_and_degrees(count);
        assert!((factor - (all / 25.0) / (trace / 4.0 / 5.0)).abs() < 1e-12, "{factor}");
        assert!((degrees - trace * trace / squared).abs() < 1e-9, "{degrees}");
        assert!((Sums::of(5, 0.0).likeness() + 0.2).abs() < 1e-12, "deviations from a mean are unlike each other");
    }

    #[test]
    fn rounds_that_rise_are_like_those_before_them() {
        let rising = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let changing = [1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0];
        assert!(Following::of([&rising[..]; 4].into_iter()).coefficient > 0.8);
        assert!(!Following::of([&changing[..]; 4].into_iter()).is_any());
        assert!(!Following::of([&[1.0, 1.0, 1.0, 1.0][..], &[2.0]].into_iter()).is_any(), "nothing varies");
        assert_eq!(Following::NONE.factor_and_degrees(5), (1.0, 4.0));
    }
}
