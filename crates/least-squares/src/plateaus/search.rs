//! The search for the best breaks: where it begins, how it moves them, and the last digits.

use super::{Break, MOST_BREAKS, PLACES, SHARPNESSES, STEPS, Search, risen};
use crate::{Matrix, linear};

/// Sets of breaks that are refined.
const KEPT: usize = 4;
/// Rounds of refining at most, and how much less a round must leave to be followed by another.
const ROUNDS: usize = 20;
const SETTLED: f64 = 1e-9;

impl Search<'_> {
    /// The sets of breaks to begin with, the best first: all of one or two, and for each of those the best third.
    pub(super) fn starts(&self, breaks: usize) -> Vec<Vec<Break>> {
        let coarse = |gap| self.in_gap(gap, &[SHARPNESSES[0], SHARPNESSES[3]]);
        let all: Vec<Break> = (0..self.gaps.len()).flat_map(coarse).collect();
        let columns: Vec<Vec<f64>> = all.iter().map(|own| self.column(own)).collect();
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        for count in 1..=breaks.min(MOST_BREAKS) {
            let mut next: Vec<(f64, Vec<usize>)> = Vec::new();
            // Of pairs all are tried, whatever the first of them leaves alone.
            let firsts = if count == 2 { (0..all.len()).map(|one| vec![one]).collect() } else { sets };
            for set in &firsts {
                let others = if count == 2 { set[0]..all.len() } else { 0..all.len() };
                for other in others {
                    let mut own = [&set[..], &[other]].concat();
                    own.sort_unstable();
                    let tried: Vec<Break> = own.iter().map(|index| all[*index]).collect();
                    let chosen: Vec<&[f64]> = own.iter().map(|index| &columns[*index][..]).collect();
                    if self.are_apart(&tried)
                        && let Some((left, _)) = self.solved(&chosen)
                    {
                        next.push((left, own));
                    }
                }
            }
            next.sort_by(|one, other| one.0.total_cmp(&other.0).then_with(|| one.1.cmp(&other.1)));
            sets = Vec::new();
            for (_, set) in next {
                let gaps = |set: &[usize]| set.iter().map(|index| all[*index].gap).collect::<Vec<usize>>();
                if sets.len() < KEPT && sets.iter().all(|own: &Vec<usize>| gaps(own) != gaps(&set)) {
                    sets.push(set);
                }
            }
        }
        sets.into_iter().map(|set| set.into_iter().map(|index| all[index]).collect()).collect()
    }

    /// Breaks moved one after another to the best gap, sharpness and place beside the others, until nothing is won.
    pub(super) fn refined(&self, mut breaks: Vec<Break>) -> Option<(f64, Vec<Break>)> {
        let mut least = self.left(&breaks)?.0;
        for _ in 0..ROUNDS {
            let before = least;
            for which in 0..breaks.len() {
                let with = |own: Break| {
                    let mut moved = breaks.clone();
                    moved[which] = own;
                    moved
                };
                let tried = (0..self.gaps.len()).flat_map(|gap| self.in_gap(gap, &SHARPNESSES));
                let best = tried.filter_map(|own| Some((self.left(&with(own))?.0, own)));
                let best = best.chain([(least, breaks[which])]).min_by(|one, other| one.0.total_cmp(&other.0))?.1;
                let (left, own) = self.moved(&breaks, which, best, &SHARPNESSES, STEPS);
                if left < least {
                    (least, breaks[which]) = (left, own);
                }
            }
            if before - least <= SETTLED * before {
                break;
            }
        }
        Some((least, breaks))
    }

    /// The best place of one break in its gap, of each of these sharpnesses (golden section).
    pub(super) fn moved(
        &self,
        breaks: &[Break],
        which: usize,
        own: Break,
        sharpnesses: &[f64],
        steps: usize,
    ) -> (f64, Break) {
        let (start, end, _) = self.gaps[own.gap];
        let mut moved = breaks.to_vec();
        let mut left = |own: Break| {
            moved[which] = own;
            self.left(&moved).map_or(f64::INFINITY, |left| left.0)
        };
        let mut best = (left(own), own);
        for &sharpness in sharpnesses {
            let step = (end / start).powf(1.0 / f64::from(PLACES));
            let [mut low, mut high] = [(own.place / step).max(start), (own.place * step).min(end)];
            for _ in 0..steps {
                let third = 0.381_966 * (high - low);
                let [one, other] = [low + third, high - third].map(|place| Break { place, sharpness, ..own });
                let [of_one, of_other] = [one, other].map(&mut left);
                if of_one <= of_other {
                    high = other.place;
                } else {
                    low = one.place;
                }
                for tried in [(of_one, one), (of_other, other)] {
                    if tried.0 < best.0 {
                        best = tried;
                    }
                }
            }
        }
        best
    }

    /// The last digits, by steps along the tangent as far as they lead to less.
    pub(super) fn polished(&self, mut breaks: Vec<Break>, mut least: f64) -> Vec<Break> {
        for _ in 0..ROUNDS {
            let Some((_, found)) = self.left(&breaks) else { break };
            // How y changes with a place, as a share of its logarithm; breaks without a time on their rise stay.
            let along = |which: usize, x: f64| {
                let Break { place, sharpness, .. } = breaks[which];
                if x > place { -found[1 + which] * sharpness * (place / x).powf(sharpness) } else { 0.0 }
            };
            let is_told =
                |which: &usize| self.x.iter().zip(self.y).any(|(x, y)| along(*which, *x).abs() > 1e-3 * y.abs());
            let told: Vec<usize> = (0..breaks.len()).filter(is_told).collect();
            let rows = self.x.iter().map(|x| {
                let rises = breaks.iter().map(|own| risen(*x, own.place, own.sharpness));
                std::iter::once(1.0).chain(rises).chain(told.iter().map(|which| along(*which, *x))).collect()
            });
            let design = Matrix::from_rows(1 + breaks.len() + told.len(), rows);
            let Ok(step) = linear(&design, self.y, self.weights) else { break };
            let mut moved = breaks.clone();
            for (which, share) in told.iter().zip(&step.coefficients[1 + breaks.len()..]) {
                let (start, end, _) = self.gaps[moved[*which].gap];
                moved[*which].place = (moved[*which].place * (1.0 + share)).clamp(start, end);
            }
            let Some((left, _)) = self.left(&moved).filter(|(left, _)| *left < least) else { break };
            (least, breaks) = (left, moved);
        }
        breaks
    }
}
