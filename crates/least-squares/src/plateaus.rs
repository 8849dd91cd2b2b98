//! Plateaus and the breaks between them: `y = level + sum of rise * risen(x, place, sharpness)`, each rise above zero.
//!
//! Sums of squares have a valley between any two neighbouring predictors, so that a break is looked for in all of these gaps, with some places
//! and sharpnesses in each; the best ones are then moved within their gaps.

use crate::{Matrix, linear};

/// Breaks at most.
pub const MOST_BREAKS: usize = 3;
/// Distinct predictors on each plateau at least: fewer say too little of how high it is.
pub const ON_PLATEAU: usize = 3;
/// By which share of its height a plateau is at least lower than the next one, where there are several breaks: a smaller one may be what the addresses of few
/// places differ by.
const LEAST_RISE: f64 = 0.1;
/// Sharpnesses that are tried: from a rise that levels off over several times the break to one that is a step.
const SHARPNESSES: [f64; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 64.0];
/// Places that are tried in each gap, evenly apart in their logarithms.
const PLACES: i32 = 4;
/// Gaps at most: of more predictors several make up one.
const GAPS_MAX: usize = 60;
/// Sets of breaks that are refined.
const KEPT: usize = 4;
/// Rounds of refining at most, and how much less a round must leave to be followed by another.
const ROUNDS: usize = 20;
const SETTLED: f64 = 1e-9;
/// Steps of the search for a place in its gap, and where another one's place is not what is asked for.
const STEPS: usize = 24;
const FEW_STEPS: usize = 10;
/// Halvings of where an end of an interval is.
const HALVINGS: usize = 24;

/// Which share of the rise from `place` on there is at `x`: `1 - (place / x)^sharpness`.
pub fn risen(x: f64, place: f64, sharpness: f64) -> f64 {
    if x > place { 1.0 - (place / x).powf(sharpness) } else { 0.0 }
}

/// Plateaus as they fit best.
#[derive(Debug, Clone, PartialEq)]
pub struct Plateaus {
    /// The first plateau.
    pub level: f64,
    /// How much each further one is higher than the one before.
    pub rises: Vec<f64>,
    /// Where each rise begins.
    pub places: Vec<f64>,
    /// How soon each levels off.
    pub sharpnesses: Vec<f64>,
    /// The weighted sum of squares that they leave.
    pub sum_of_squares: f64,
    /// Gaps between predictors in which a break was looked for.
    pub gaps: usize,
}

/// The weighted least squares by plateaus with so many breaks, of predictors above zero in rising order; `None` where there are none, each higher than
/// the one before, by a tenth where there are several breaks, and with [`ON_PLATEAU`] distinct predictors or more.
pub fn plateaus(x: &[f64], y: &[f64], weights: &[f64], breaks: usize) -> Option<Plateaus> {
    if breaks == 0 || breaks > MOST_BREAKS || x.len() != y.len() || x.len() != weights.len() {
        return None;
    }
    let search = Search::new(x, y, weights);
    let refined = search.starts(breaks).into_iter().filter_map(|breaks| search.refined(breaks));
    let (left, found) = refined.min_by(|one, other| one.0.total_cmp(&other.0))?;
    let found = search.polished(found, left);
    let (sum_of_squares, linear) = search.left(&found)?;
    Some(Plateaus {
        level: linear[0],
        rises: linear[1..].to_vec(),
        places: found.iter().map(|own| own.place).collect(),
        sharpnesses: found.iter().map(|own| own.sharpness).collect(),
        sum_of_squares,
        gaps: search.gaps.len(),
    })
}

/// The places of each break, and the sharpnesses of each, that leave no more than `most` beside the best of all others (profiles of the likelihood; Seber and Wild,
/// Nonlinear Regression, section 5.4). `places` and `sharpnesses` are those of the best fit.
pub fn plateau_intervals(
    (x, y, weights): (&[f64], &[f64], &[f64]),
    (places, sharpnesses): (&[f64], &[f64]),
    most: f64,
) -> Vec<[(f64, f64); 2]> {
    let search = Search::new(x, y, weights);
    let of = |(place, sharpness): (&f64, &f64)| {
        let gap = search.gap_of(*place)?;
        Some(Break { gap, place: *place, sharpness: *sharpness })
    };
    let Some(breaks) = places.iter().zip(sharpnesses).map(of).collect::<Option<Vec<Break>>>() else {
        return places.iter().zip(sharpnesses).map(|(place, own)| [(*place, *place), (*own, *own)]).collect();
    };
    let interval = |which| [search.interval(&breaks, which, most), search.sharpnesses(&breaks, which, most)];
    (0..breaks.len()).map(interval).collect()
}

/// A break that is tried.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Break {
    gap: usize,
    place: f64,
    sharpness: f64,
}

/// Where breaks are looked for.
struct Search<'a> {
    x: &'a [f64],
    y: &'a [f64],
    weights: &'a [f64],
    /// Of each gap the predictors at its ends, and how many distinct ones lie up to its start.
    gaps: Vec<(f64, f64, usize)>,
}

/// What some breaks leave, and their first plateau and rises.
type Left = (f64, Vec<f64>);

impl<'a> Search<'a> {
    fn new(x: &'a [f64], y: &'a [f64], weights: &'a [f64]) -> Self {
        let mut distinct = x.to_vec();
        distinct.dedup_by(|a, b| a.total_cmp(b).is_eq());
        let last = distinct.len().saturating_sub(ON_PLATEAU);
        let stride = last.saturating_sub(ON_PLATEAU).div_ceil(GAPS_MAX).max(1);
        let starts = (ON_PLATEAU - 1..last).step_by(stride);
        let gaps = starts.map(|start| (distinct[start], distinct[(start + stride).min(last)], start + 1)).collect();
        Self { x, y, weights, gaps }
    }

    /// Whether there are enough predictors on each plateau.
    fn are_apart(&self, breaks: &[Break]) -> bool {
        breaks.windows(2).all(|pair| {
            let [first, second] = [pair[0].gap, pair[1].gap];
            second > first && self.gaps[second].2 - self.gaps[first].2 >= ON_PLATEAU
        })
    }

    /// The breaks that are tried in a gap.
    fn in_gap(&self, gap: usize, sharpnesses: &'static [f64]) -> impl Iterator<Item = Break> + use<> {
        let (start, end, _) = self.gaps[gap];
        let places = (0..PLACES).map(move |step| start * (end / start).powf(f64::from(step) / f64::from(PLACES)));
        places
            .flat_map(move |place| sharpnesses.iter().map(move |sharpness| Break { gap, place, sharpness: *sharpness }))
    }

    fn column(&self, own: &Break) -> Vec<f64> {
        self.x.iter().map(|x| risen(*x, own.place, own.sharpness)).collect()
    }

    /// The sets of breaks to begin with, the best first: all of one or two, and for each of those the best third.
    fn starts(&self, breaks: usize) -> Vec<Vec<Break>> {
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
    fn refined(&self, mut breaks: Vec<Break>) -> Option<(f64, Vec<Break>)> {
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
    fn moved(&self, breaks: &[Break], which: usize, own: Break, sharpnesses: &[f64], steps: usize) -> (f64, Break) {
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
    fn polished(&self, mut breaks: Vec<Break>, mut least: f64) -> Vec<Break> {
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

    /// What these breaks leave, if they are apart and each plateau is higher than the one before.
    fn left(&self, breaks: &[Break]) -> Option<Left> {
        let columns: Vec<Vec<f64>> = breaks.iter().map(|own| self.column(own)).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        if self.are_apart(breaks) { self.solved(&columns) } else { None }
    }

    /// The least squares in these columns and a constant, if each plateau is so much higher than the one before.
    fn solved(&self, columns: &[&[f64]]) -> Option<Left> {
        const MOST: usize = MOST_BREAKS + 1;
        let count = columns.len() + 1;
        let entry = |column: usize, row: usize| if column == 0 { 1.0 } else { columns[column - 1][row] };
        // The upper triangle of the normal equations, and their right side behind it.
        let mut normal = [[0.0; MOST + 1]; MOST];
        for (row, (y, weight)) in self.y.iter().zip(self.weights).enumerate() {
            for (first, sums) in normal.iter_mut().enumerate().take(count) {
                let weighed = weight * entry(first, row);
                for (second, sum) in sums.iter_mut().enumerate().take(count).skip(first) {
                    *sum += weighed * entry(second, row);
                }
                sums[MOST] += weighed * y;
            }
        }
        let diagonal: [f64; MOST] = std::array::from_fn(|row| normal[row][row]);
        for pivot in 0..count {
            let own = normal[pivot];
            for row in pivot + 1..count {
                let factor = own[row] / own[pivot];
                for column in (row..count).chain([MOST]) {
                    normal[row][column] -= factor * own[column];
                }
                // A rise that is hardly any other than those before it.
                if normal[row][row].is_nan() || normal[row][row] <= 1e-12 * diagonal[row] {
                    return None;
                }
            }
        }
        let mut solution = vec![0.0; count];
        for row in (0..count).rev() {
            let known: f64 = (row + 1..count).map(|column| normal[row][column] * solution[column]).sum();
            solution[row] = (normal[row][MOST] - known) / normal[row][row];
        }
        let mut height = 0.0;
        let is_rising = solution.iter().all(|own| {
            let is_higher = *own > if columns.len() > 1 { LEAST_RISE * height } else { 0.0 };
            height += own;
            is_higher
        });
        let terms = self.y.iter().zip(self.weights).enumerate();
        let squares = terms.map(|(row, (y, weight))| {
            let own: f64 = solution.iter().enumerate().map(|(column, own)| own * entry(column, row)).sum();
            weight * (y - own).powi(2)
        });
        let left = squares.sum();
        is_rising.then_some((left, solution))
    }

    fn gap_of(&self, place: f64) -> Option<usize> {
        self.gaps.iter().position(|(start, end, _)| (*start..=*end).contains(&place))
    }

    /// What the best fit leaves with one break held.
    fn profile(&self, breaks: &[Break], which: usize, own: Break) -> f64 {
        let mut held = breaks.to_vec();
        held[which] = own;
        let mut least = self.left(&held).map_or(f64::INFINITY, |left| left.0);
        for other in (0..held.len()).filter(|other| *other != which) {
            let (left, moved) = self.moved(&held, other, held[other], &[held[other].sharpness], FEW_STEPS);
            (least, held[other]) = (least.min(left), moved);
        }
        least
    }

    /// The places of one break that leave no more than `most`: of each sharpness those around its best one.
    fn interval(&self, breaks: &[Break], which: usize, most: f64) -> (f64, f64) {
        let own = breaks[which].place;
        let all = SHARPNESSES.into_iter().filter_map(|sharpness| self.interval_of(breaks, which, sharpness, most));
        all.fold((own, own), |(low, high), (least, largest)| (low.min(least), high.max(largest)))
    }

    /// The same of one sharpness; `None` where no place leaves so little.
    fn interval_of(&self, breaks: &[Break], which: usize, sharpness: f64, most: f64) -> Option<(f64, f64)> {
        let mut tried: Vec<f64> =
            (0..self.gaps.len()).flat_map(|gap| self.in_gap(gap, &SHARPNESSES[..1])).map(|own| own.place).collect();
        tried.extend(self.gaps.last().map(|(_, end, _)| *end));
        let at = |place: f64| Some(Break { gap: self.gap_of(place)?, place, sharpness });
        let with = |own: Break| {
            let mut held = breaks.to_vec();
            held[which] = own;
            held
        };
        let left = |own: &Break| self.left(&with(*own)).map_or(f64::INFINITY, |left| left.0);
        let starts = tried.iter().chain([&breaks[which].place]).filter_map(|place| at(*place));
        let start = starts.min_by(|one, other| left(one).total_cmp(&left(other)))?;
        let (_, best) = self.moved(&with(start), which, start, &[sharpness], STEPS);
        let is_possible = |place: f64| at(place).is_some_and(|own| self.profile(breaks, which, own) <= most);
        if !is_possible(best.place) {
            return None;
        }
        let end = |outward: Vec<f64>| {
            let mut inside = best.place;
            for place in outward {
                if !is_possible(place) {
                    let halve = |(inside, outside): (f64, f64), _| {
                        let middle = 0.5 * (inside + outside);
                        if is_possible(middle) { (middle, outside) } else { (inside, middle) }
                    };
                    return (0..HALVINGS).fold((inside, place), halve).0;
                }
                inside = place;
            }
            inside
        };
        let below = tried.iter().rev().copied().filter(|place| *place < best.place).collect();
        let above = tried.iter().copied().filter(|place| *place > best.place).collect();
        Some((end(below), end(above)))
    }

    /// The least and the largest sharpness of one break that leave no more than `most`.
    fn sharpnesses(&self, breaks: &[Break], which: usize, most: f64) -> (f64, f64) {
        let own = breaks[which].sharpness;
        let is_possible = |sharpness: &f64| {
            let (start, end, _) = self.gaps[breaks[which].gap];
            let places =
                (0..=4 * PLACES).map(|step| start * (end / start).powf(f64::from(step) / f64::from(4 * PLACES)));
            let mut held = breaks.to_vec();
            places.chain([breaks[which].place]).any(|place| {
                held[which] = Break { place, sharpness: *sharpness, ..breaks[which] };
                self.left(&held).is_some_and(|left| left.0 <= most)
            })
        };
        let possible = SHARPNESSES.iter().filter(|sharpness| is_possible(sharpness));
        possible.fold((own, own), |(low, high), sharpness| (low.min(*sharpness), high.max(*sharpness)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(count: i32) -> Vec<f64> {
        (0..count).map(|power| 2.0_f64.powi(power)).collect()
    }

    fn curve(x: &[f64], breaks: &[(f64, f64, f64)]) -> Vec<f64> {
        let rise =
            |x: f64| breaks.iter().map(|(rise, place, sharpness)| rise * risen(x, *place, *sharpness)).sum::<f64>();
        x.iter().map(|x| 40.0 + rise(*x)).collect()
    }

    #[test]
    fn exact_curves_give_their_breaks_back() {
        let x = sizes(20);
        for breaks in [
            &[(100.0, 700.0, 1.0)][..],
            &[(50.0, 20.0, 4.0), (300.0, 5000.0, 1.0)],
            &[(50.0, 20.0, 2.0), (100.0, 700.0, 1.0), (300.0, 50_000.0, 1.0)],
        ] {
            let y = curve(&x, breaks);
            let weights: Vec<f64> = y.iter().map(|y| (40.0 / y).powi(2)).collect();
            let found = plateaus(&x, &y, &weights, breaks.len()).unwrap();
            for (index, (rise, place, sharpness)) in breaks.iter().enumerate() {
                assert!((found.rises[index] / rise - 1.0).abs() < 1e-6, "{found:?}");
                assert!((found.places[index] / place - 1.0).abs() < 1e-6, "{found:?}");
                assert!((found.sharpnesses[index] - sharpness).abs() < 1e-9, "{found:?}");
            }
        }
    }

    #[test]
    fn a_step_between_two_predictors_lies_anywhere_between_them() {
        let x = sizes(12);
        let y: Vec<f64> = x.iter().map(|x| if *x > 40.0 { 300.0 } else { 40.0 }).collect();
        let weights = vec![1.0; 12];
        let found = plateaus(&x, &y, &weights, 1).unwrap();
        assert!(found.places[0] >= 32.0 && found.places[0] <= 64.0, "{found:?}");
        let [[place, sharpness]] = plateau_intervals((&x, &y, &weights), (&found.places, &found.sharpnesses), 1.0)[..]
        else {
            panic!()
        };
        assert!(place.0 <= 33.0 && place.1 > 40.0 && sharpness.1 >= 16.0, "{place:?} {sharpness:?}");
    }

    #[test]
    fn falling_and_few_responses_have_none() {
        let x = sizes(12);
        let falling: Vec<f64> = x.iter().map(|x| 5.0 + 100.0 / x).collect();
        assert_eq!(plateaus(&x, &falling, &[1.0; 12], 1), None);
        assert_eq!(plateaus(&x[..5], &falling[..5], &[1.0; 5], 1), None);
        assert_eq!(plateaus(&x, &falling, &[1.0; 12], 4), None);
    }
}
