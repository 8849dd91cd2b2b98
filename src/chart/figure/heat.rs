//! Heat maps: a value for each combination of two parameters.

use std::collections::{HashMap, HashSet};

use super::Shown;
use super::mean::{mean, others};
use super::values::{Good, Valued, measure, valued};
use super::{fixed_notes, in_order, subtitle, summary_of};
use crate::chart::{Cell, HeatMap, Scale};
use crate::family::Family;
use crate::properties::Origin;
use crate::scenario::ChartRequest;

/// More columns and rows than these are smaller than pixels, nearly.
const COLUMNS_MAX: usize = 160;
const ROWS_MAX: usize = 100;

/// Values further apart than this have colours by their ratios.
const LINEAR_TO: f64 = 10.0;

/// The heat map of a run, whose rows are of this parameter.
pub(super) fn heat_map(request: &ChartRequest, rows: &str, family: &Family, shown: &Shown<'_>) -> HeatMap {
    let good = Good::of(request, family, shown.run);
    let mut values: HashMap<(String, String), Vec<Valued<'_>>> = HashMap::new();
    let (mut x, mut y) = (Distinct::default(), Distinct::default());
    let mut left_out = 0;
    for own in valued(&request.y, request, family, &good) {
        let Some((column, row)) = own.text(family, &request.x).zip(own.text(family, rows)) else {
            left_out += 1;
            continue;
        };
        x.add(&column);
        y.add(&row);
        values.entry((column, row)).or_default().push(own);
    }
    let mut notes = fixed_notes(family, std::slice::from_ref(shown), &[&good.shown]);
    let (x, y) = (x.sorted(&request.x, COLUMNS_MAX, &mut notes), y.sorted(rows, ROWS_MAX, &mut notes));
    let mut most = 0;
    let mut cells: Vec<Option<Cell>> = Vec::new();
    for row in &y {
        for column in &x {
            let own = values.get(&(column.clone(), row.clone()));
            most = most.max(own.map_or(0, Vec::len));
            cells.push(own.and_then(|own| mean(own)).map(|bar| Cell {
                value: bar.value,
                low: bar.low,
                high: bar.high,
                point: if bar.points.len() == 1 { bar.points.first().copied() } else { None },
            }));
        }
    }
    if most > 1 {
        let over = others(family, &good.shown, &[request.x.as_str(), rows]).join(", ");
        notes.push(format!("Cells are geometric means over {over}, of up to {most} values each."));
    }
    if left_out > 0 {
        notes.push(format!("{left_out} points do not depend on {} or on {rows} and are left out.", request.x));
    }
    let smallest = cells.iter().flatten().map(|cell| cell.value).fold(f64::INFINITY, f64::min);
    let largest = cells.iter().flatten().map(|cell| cell.value).fold(0.0, f64::max);
    let spans = smallest > 0.0 && largest / smallest > LINEAR_TO;
    let origins: HashSet<Origin> = std::iter::once(shown.run.metadata.device.origin).collect();
    let (value_label, quantity) = measure(&request.y, family, &origins);
    HeatMap {
        title: request.title.clone(),
        subtitle: subtitle(std::slice::from_ref(shown)),
        x_label: summary_of(&request.x, family),
        y_label: summary_of(rows, family),
        x,
        y,
        value_label,
        quantity,
        scale: if spans { Scale::Log } else { request.y_scale },
        cells,
        notes,
    }
}

/// Different texts in the order in which they come.
#[derive(Default)]
struct Distinct {
    values: Vec<String>,
    seen: HashSet<String>,
}

impl Distinct {
    fn add(&mut self, value: &str) {
        if !self.seen.contains(value) {
            self.seen.insert(value.to_owned());
            self.values.push(value.to_owned());
        }
    }

    /// In rising order if they are numbers; of too many every second, third, ... with a note.
    fn sorted(mut self, name: &str, most: usize, notes: &mut Vec<String>) -> Vec<String> {
        in_order(&mut self.values);
        let count = self.values.len();
        let every = count.div_ceil(most);
        if every <= 1 {
            return self.values;
        }
        notes.push(format!("Of {count} values of {name} one in {every} is shown."));
        self.values.into_iter().step_by(every).collect()
    }
}
