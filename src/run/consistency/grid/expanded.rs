//! Grids in which combinations are one point of variants that ignore what they differ in: point by point, as a sweep makes them.

use super::Wrong;
use crate::family::Variant;
use crate::properties::Properties;
use crate::record::PointRecord;
use crate::run::SCENARIO_FILE;
use crate::scenario::{Axis, Grid, Point, Scenario};

/// Points that are made at most; no committed or usual grid of such variants has a tenth of it.
const POINTS_MOST: usize = 1 << 21;

/// What is wrong with `points` and the rows of a run, of which no grid has as many as all combinations of all variants, or of those that rows have.
pub(super) fn wrong(
    (scenario, found): (&Scenario, &[&'static Variant]),
    grids: &[&Grid],
    device: &Properties,
    points: usize,
    rows: &[PointRecord],
) -> Option<Wrong> {
    let mut others: Vec<usize> = Vec::new();
    // Variants that no row has may be of a later version than the run.
    for variants in [&scenario.variants[..], found] {
        others.clear();
        for grid in grids {
            let most = grid.len().saturating_mul(variants.len());
            if most > POINTS_MOST {
                others.push(most);
                continue;
            }
            // Values that do not go together may be of another version's rules, so that it is not known how many points there were.
            let all = scenario.points_of_variants(variants, grid, device).ok()?;
            if all.len() == points {
                return rows.iter().enumerate().find_map(|(row, own)| Some(Wrong::Row(row, problem(grid, &all, own)?)));
            }
            others.push(all.len());
        }
    }
    // Of a run that is not finished, variants may have no row yet.
    let is_more = others.iter().all(|other| *other < points);
    let is_finished = rows.len() >= points;
    (is_more || is_finished || found.len() == scenario.variants.len()).then(|| {
        let others: Vec<String> = others.iter().map(ToString::to_string).collect();
        Wrong::Points(format!("points is {points}, and the grid of {SCENARIO_FILE} has {}", others.join(" or ")))
    })
}

/// What a row has that the point of its number has not.
fn problem(grid: &Grid, all: &[Point], row: &PointRecord) -> Option<String> {
    let Some(point) = all.get(row.point) else { return Some(format!("there is no point {}", row.point)) };
    if row.variant != point.variant.name {
        return Some(format!("variant is {}, and point {} is of {}", row.variant, row.point, point.variant.name));
    }
    let names = grid.axes().iter().flat_map(Axis::parameters);
    names.filter(|name| !point.variant.ignores.contains(name)).find_map(|name| {
        let (found, expected) = (row.value(name)?, point.parameters.get(name)?.to_string());
        (found != expected).then(|| format!("{name} is {found}, and that of point {} is {expected}", row.point))
    })
}
