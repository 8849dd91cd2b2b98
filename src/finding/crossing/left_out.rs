//! Values that no chart shows: what became of the remedies there.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Meeting, told_once};
use crate::chart::figure::crossovers;
use crate::record::{Only, Status};
use crate::run::reader::Run;
use crate::scenario::{ChartRequest, Scenario};

/// What charts of the other values of their filters would tell: a chart of `word_bytes = 4` alone says nothing of 8 and 16, which a conclusion is
/// of, too.
pub fn left_out_meetings(run: &Run, scenario: &Scenario) -> Vec<Meeting> {
    let pattern = scenario.variants.first().map_or("", |variant| variant.name);
    let charts: Vec<ChartRequest> = scenario.charts.iter().flat_map(|chart| others(run, scenario, chart)).collect();
    told_once(crossovers(&charts, scenario.family, pattern, run))
}

/// The chart with each value that no chart has along the same axis, of each parameter that it has one value of.
fn others(run: &Run, scenario: &Scenario, chart: &ChartRequest) -> Vec<ChartRequest> {
    let mut others = Vec::new();
    for (place, (name, values)) in chart.only.conditions.iter().enumerate() {
        if name == "variant" || values.len() != 1 {
            continue;
        }
        let known = run.points.iter().filter(|point| point.status == Status::Ok).filter_map(|point| point.value(name));
        let known: BTreeSet<String> = known.map(Cow::into_owned).collect();
        for value in known.into_iter().filter(|value| !is_shown(scenario, chart, name, value)) {
            let mut conditions = chart.only.conditions.clone();
            conditions[place].1 = vec![value];
            others.push(ChartRequest { only: Only { conditions }, ..chart.clone() });
        }
    }
    others
}

/// Whether a chart with the same axis has points of this value.
fn is_shown(scenario: &Scenario, chart: &ChartRequest, name: &str, value: &str) -> bool {
    scenario.charts.iter().filter(|own| own.x == chart.x).any(|own| {
        let condition = own.only.conditions.iter().find(|(own, _)| own == name);
        condition.is_none_or(|(_, allowed)| allowed.iter().any(|allowed| allowed == value))
    })
}
