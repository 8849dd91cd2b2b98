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
const FEWEST: usize = 5;
/// Standard errors by which rounds must be more alike than independent ones: by chance they are once in twenty.
const CLEAR: f64 = 1.645;
/// The part of a standard error that is taken off what stood out: of likenesses that are looked at because they are large, some are so by chance.
const LUCK: f64 = 0.25;
/// A coefficient below which rounds count as independent: with it the gate is crossed no more often than it may be (the study of the statistics has
/// that case, too).
const WEAK: f64 = 0.25;
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

/// The variance of what independent rounds have for a likeness (Kendall, Stuart and Ord, The Advanced Theory of Statistics, volume 3,
/// section 48.1).
fn variance_of_likeness(count: usize) -> f64 {
    let n = count as f64;
    ((n - 2.0) / n).powi(2) / (n - 1.0)
}

/// Points with the same number of rounds.
struct Group {
    points: f64,
    /// The sum of their likenesses.
    likeness: f64,
    /// Of each round the sum of their deviations, each point's squares adding up to 1.
    sums: Vec<f64>,
}

impl Group {
    /// Adds the rounds of a point; nothing where they are all the same.
    fn add(&mut self, rounds: &[f64]) {
        let mean = rounds.iter().sum::<f64>() / rounds.len() as f64;
        let length = rounds.iter().map(|own| (own - mean).powi(2)).sum::<f64>().sqrt();
        let deviations: Vec<f64> = rounds.iter().map(|own| (own - mean) / length).collect();
        if deviations.iter().any(|own| !own.is_finite()) {
            return;
        }
        self.points += 1.0;
        self.likeness += deviations.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
        self.sums.iter_mut().zip(&deviations).for_each(|(sum, own)| *sum += own);
    }

    /// The variance of the sum of likenesses where rounds are independent. Points that were measured in one round may share what disturbed it:
    /// by how much their deviations agree, so much less do further points tell.
    fn variance(&self) -> f64 {
        let agreement = self.sums.iter().map(|own| own * own).sum::<f64>() / self.points.max(1.0);
        let correlation = ((agreement - 1.0) / (self.points - 1.0).max(1.0)).clamp(0.0, 1.0);
        let inflation = 1.0 + (self.points - 1.0).max(0.0) * correlation * correlation;
        self.points * inflation * variance_of_likeness(self.sums.len())
    }
}

impl Following {
    /// Rounds that are independent.
    pub(super) const NONE: Self = Self { coefficient: 0.0 };

    /// What the rounds of all points of a run tell, each point's in their order. Where they tell hardly anything, they are independent.
    pub(super) fn of<'a>(points: impl Iterator<Item = &'a [f64]>) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for rounds in points.filter(|rounds| rounds.len() >= FEWEST) {
            let place = groups.iter().position(|own| own.sums.len() == rounds.len()).unwrap_or_else(|| {
                groups.push(Group { points: 0.0, likeness: 0.0, sums: vec![0.0; rounds.len()] });
                groups.len() - 1
            });
            groups[place].add(rounds);
        }
        let known: f64 = groups.iter().map(|own| own.points).sum();
        if known <= 0.0 {
            return Self::NONE;
        }
        let found = groups.iter().map(|own| own.likeness).sum::<f64>() / known;
        let expected = |coefficient: f64| {
            let of = |own: &Group| own.points * Sums::of(own.sums.len(), coefficient).likeness();
            groups.iter().map(of).sum::<f64>() / known
        };
        let variance: f64 = groups.iter().map(Group::variance).sum();
        let error = variance.sqrt() / known;
        if found < expected(0.0) + CLEAR * error {
            return Self::NONE;
        }
        let sure = found - LUCK * error;
        let halve = |(low, high): (f64, f64), _| {
            let middle = 0.5 * (low + high);
            if expected(middle) < sure { (middle, high) } else { (low, middle) }
        };
        let coefficient = (0..HALVINGS).fold((0.0, MOST), halve).0;
        if coefficient < WEAK { Self::NONE } else { Self { coefficient } }
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

    // numpy: R[i, j] = 0.8^|i - j| of 5 rounds, M = I - 1/5, N = M (L + L') / 2 M with the neighbours L = eye(5, k=1): R.sum(), trace(M R),
    // R.sum() / 25 / (trace(M R) / 4 / 5), trace(M R)^2 / trace(M R M R), trace(N R) / trace(M R)
    #[test]
    fn figures_are_those_of_the_covariances() {
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        let sums = Sums::of(5, 0.8);
        near(sums.all, 18.1072);
        near(sums.deviations(), 1.378_56);
        near(sums.likeness(), 0.144_289_693_593_314_56);
        let (factor, degrees) = Following { coefficient: 0.8 }.factor_and_degrees(5);
        near(factor, 10.507_892_293_407_615);
        near(degrees, 2.525_481_435_758_760_7);
        near(Sums::of(5, 0.0).likeness(), -0.2);
        // The deviation over 200,000 draws of 5, 10 and 12 normal numbers: 0.300, 0.267, 0.251.
        for (count, deviation) in [(5, 0.300), (10, 0.267), (12, 0.251)] {
            assert!((variance_of_likeness(count).sqrt() - deviation).abs() < 1e-3);
        }
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
