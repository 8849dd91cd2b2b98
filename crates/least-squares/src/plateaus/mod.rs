//! Plateaus and the breaks between them: `y = level + sum of rise * risen(x, place, sharpness)`, each rise above zero.
//!
//! Sums of squares have a valley between any two neighbouring predictors, so that a break is looked for in all of these gaps, with some places
//! and sharpnesses in each; the best ones are then moved within their gaps.

mod intervals;
mod search;
mod solve;
#[cfg(test)]
mod tests;

/// Breaks at most.
pub const MOST_BREAKS: usize = 3;
/// Distinct predictors on each plateau at least: fewer say too little of how high it is.
pub const ON_PLATEAU: usize = 3;
/// Sharpnesses that are tried: from a rise that levels off over several times the break to one that is a step.
const SHARPNESSES: [f64; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 64.0];
/// Places that are tried in each gap, evenly apart in their logarithms.
const PLACES: i32 = 4;
/// Steps of the search for a place in its gap.
const STEPS: usize = 24;
/// Gaps at most: of more predictors several make up one.
const GAPS_MAX: usize = 60;

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

    fn gap_of(&self, place: f64) -> Option<usize> {
        self.gaps.iter().position(|(start, end, _)| (*start..=*end).contains(&place))
    }
}
