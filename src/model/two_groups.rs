//! Two groups of latencies, such as those of lines in near and in far slices of L2.

use least_squares::student_reach;

/// How many standard deviations within the groups their means are apart at least. Of evenly spread latencies halves are 3.5 apart.
const LEAST_DEVIATIONS: f64 = 4.0;
/// By which share of the nearer mean the groups are apart at least.
const LEAST_SHARE: f64 = 0.01;
/// Latencies of a group at least: a single one may be disturbed.
const LEAST_OF_A_GROUP: usize = 2;

/// Two groups of latencies, with the largest gap between them.
#[derive(Debug, Clone, PartialEq)]
pub struct TwoGroups {
    /// How many there are in the nearer and in the farther one.
    pub counts: [usize; 2],
    /// Their means.
    pub means: [f64; 2],
    /// Half of the 95 % interval of the distance of the means, in percent of it.
    pub uncertainty_pct: f64,
}

impl TwoGroups {
    /// By how much the farther mean is above the nearer one.
    pub fn distance(&self) -> f64 {
        self.means[1] - self.means[0]
    }

    /// The groups of these latencies.
    ///
    /// # Errors
    /// Why they are one group, in words that go on a sentence.
    pub fn of(latencies: &[f64]) -> Result<Self, String> {
        let mut sorted = latencies.to_vec();
        sorted.sort_by(f64::total_cmp);
        let gap_behind = |split: &usize| sorted[*split] - sorted[split - 1];
        let splits = LEAST_OF_A_GROUP..(sorted.len() + 1).saturating_sub(LEAST_OF_A_GROUP);
        let split = splits.max_by(|one, other| gap_behind(one).total_cmp(&gap_behind(other)));
        let Some(split) = split else {
            return Err(format!("{} latencies are too few for two groups", sorted.len()));
        };
        let parts = [&sorted[..split], &sorted[split..]];
        let counts = parts.map(<[f64]>::len);
        let means = parts.map(|part| part.iter().sum::<f64>() / part.len() as f64);
        let squares: f64 =
            parts.iter().zip(means).flat_map(|(part, mean)| part.iter().map(move |own| (own - mean).powi(2))).sum();
        let degrees = sorted.len() - 2;
        let deviation = (squares / degrees as f64).sqrt();
        let distance = means[1] - means[0];
        if distance < LEAST_SHARE * means[0] {
            return Err(format!("all latencies are one group: none is {:.0} % apart", LEAST_SHARE * 100.0));
        }
        if distance < LEAST_DEVIATIONS * deviation {
            return Err(format!(
                "all latencies are one group: on both sides of the largest gap they are {:.1} standard deviations apart, and {LEAST_DEVIATIONS} are needed",
                distance / deviation
            ));
        }
        let error = deviation * counts.iter().map(|count| 1.0 / *count as f64).sum::<f64>().sqrt();
        Ok(Self { counts, means, uncertainty_pct: student_reach(degrees) * error / distance * 100.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cycles of a load of each of 16 lines on an H100 (`results/nvidia-h100/l2-slices`).
    const H100: [f64; 16] = [
        295.4, 275.1, 293.1, 273.2, 301.9, 273.9, 303.6, 273.9, 278.3, 282.0, 276.0, 280.3, 270.8, 266.9, 272.5, 266.8,
    ];

    #[test]
    fn the_lines_of_an_h100_are_twelve_near_and_four_far() {
        let groups = TwoGroups::of(&H100).unwrap();
        assert_eq!(groups.counts, [12, 4]);
        assert!((groups.distance() - 24.4).abs() < 0.1, "{groups:?}");
        assert!((20.0..35.0).contains(&groups.uncertainty_pct), "{groups:?}");
    }

    #[test]
    fn equal_evenly_spread_and_few_latencies_are_one_group() {
        let why = |latencies: &[f64]| TwoGroups::of(latencies).unwrap_err();
        assert_eq!(why(&[270.0; 16]), "all latencies are one group: none is 1 % apart");
        let even: Vec<f64> = (0..16).map(|step| 250.0 + 4.0 * f64::from(step)).collect();
        assert!(why(&even).ends_with("standard deviations apart, and 4 are needed"), "{}", why(&even));
        assert_eq!(why(&[1.0, 2.0, 3.0]), "3 latencies are too few for two groups");
        // One line that takes longer is not a half of L2.
        let mut single = [270.0; 16];
        single[3] = 400.0;
        assert!(TwoGroups::of(&single).is_err());
    }

    #[test]
    fn groups_without_a_spread_are_told_exactly() {
        let groups = TwoGroups::of(&[200.0, 292.0, 200.0, 292.0, 200.0]).unwrap();
        assert_eq!((groups.counts, groups.means, groups.uncertainty_pct), ([3, 2], [200.0, 292.0], 0.0));
    }
}
