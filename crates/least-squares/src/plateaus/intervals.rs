//! How well breaks are known: the places and sharpnesses that leave little more than the best ones.

use super::{Break, PLACES, SHARPNESSES, STEPS, Search};

/// Steps of the search for a place in its gap where it is that of another break than the one that is asked for.
const FEW_STEPS: usize = 10;
/// Halvings of where an end of an interval is.
const HALVINGS: usize = 24;

impl Search<'_> {
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
    pub(super) fn interval(&self, breaks: &[Break], which: usize, most: f64) -> (f64, f64) {
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
    pub(super) fn sharpnesses(&self, breaks: &[Break], which: usize, most: f64) -> (f64, f64) {
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
