//! How far times are from the laws that were fitted to them.

use super::laws::Members;
use super::values::Good;
use super::view::label;
use super::{Shown, axis_label, fixed_notes, subtitle};
use crate::chart::{Dot, Guide, LineChart, Quantity, Series};
use crate::family::Family;
use crate::model::fit::MOST_SINGLE_ERROR_PCT;
use crate::model::group::GroupFit;
use crate::model::time::MeasuredTime;
use crate::scenario::{ChartRequest, Vertical};

/// More laws than these cannot be told apart.
const LAWS_MAX: usize = 24;

/// The share of the greatest error allowed that a point must be off by for the allowed ones to be shown.
const IN_SIGHT: f64 = 0.3;

/// The residuals of a run's times from the law of this fit, or from all.
pub(super) fn residuals(request: &ChartRequest, fit: Option<&str>, family: &Family, runs: &[Shown<'_>]) -> LineChart {
    let mut chart = LineChart {
        title: request.title.clone(),
        subtitle: subtitle(runs),
        y_label: "deviation of the time from the law".to_owned(),
        quantity: Quantity::Percent,
        x_scale: request.x_scale,
        ..LineChart::default()
    };
    let points: Vec<Good<'_>> = runs.iter().map(|shown| Good::of(request, family, shown.run)).collect();
    let mut x = Vec::new();
    let mut left_out = 0;
    let mut partly = false;
    for ((run, shown), good) in runs.iter().enumerate().zip(&points) {
        let several =
            named(shown.fits, fit).map(|group| &group.name).collect::<std::collections::HashSet<_>>().len() > 1;
        let mut kind = 0;
        for (group, law, points) in Members::of(shown.fits, &Vertical::Time).gather(&good.shown) {
            if fit.is_some_and(|name| name != group.name) {
                continue;
            }
            if kind >= LAWS_MAX {
                left_out += 1;
                continue;
            }
            let along = if request.x.is_empty() { law.predictor } else { request.x.as_str() };
            if !x.contains(&along) {
                x.push(along);
            }
            let dots = points.iter().filter_map(|point| {
                let (x, predictor) = (point.number(along)?, point.number(law.predictor)?);
                let time = MeasuredTime::of(point)?;
                let expected = law.time_us(predictor);
                let pct = |time_us: f64| (time_us - expected) / time.time_us * 100.0;
                let (low, high) = time.interval_us.unwrap_or((time.time_us, time.time_us));
                let (point, is_open) = (Some(point.point), false);
                Some(Dot { x, value: pct(time.time_us), low: pct(low), high: pct(high), point, is_open })
            });
            let dots: Vec<Dot> = dots.collect();
            partly |= dots.len() > law.n;
            let (columns, key): (Vec<String>, Vec<Option<String>>) =
                group.group.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).unzip();
            let words = label("", &columns, &key);
            let words = if several { format!("{}: {words}", group.name) } else { words };
            chart.series.push(Series {
                label: shown.labelled(&words),
                points: dots,
                origin: Some(shown.run.metadata.device.origin),
                kind: Some(kind),
                run,
                ..Series::default()
            });
            kind += 1;
        }
    }
    let all: Vec<_> = points.iter().flat_map(|good| good.shown.iter().copied()).collect();
    let fits: Vec<&GroupFit> = runs.iter().flat_map(|shown| shown.fits).collect();
    chart.x_label = match x[..] {
        [one] => axis_label(one, family, &fits, &all),
        _ => "predictor of each law".to_owned(),
    };
    let largest = chart.series.iter().flat_map(|own| &own.points).map(|dot| dot.value.abs()).fold(0.0, f64::max);
    chart.guides.push(Guide::default());
    // A strip that is far higher than the points are apart would hide how they are.
    let in_sight = largest > MOST_SINGLE_ERROR_PCT * IN_SIGHT;
    if in_sight {
        chart
            .guides
            .insert(0, Guide { low: -MOST_SINGLE_ERROR_PCT, high: MOST_SINGLE_ERROR_PCT, label: String::new() });
    }
    let shown: Vec<_> = points.iter().map(|good| &good.shown[..]).collect();
    chart.notes = fixed_notes(family, runs, &shown);
    let strip = if in_sight {
        format!("The strip is the {MOST_SINGLE_ERROR_PCT} % that no time may be off by.")
    } else {
        format!("No time may be off by more than {MOST_SINGLE_ERROR_PCT} %, which is beyond this axis.")
    };
    let what = "Time less what the law fitted to all points gives, in percent of the time; not leave-one-out.";
    chart.notes.push(format!("{what} {strip}"));
    if partly {
        chart.notes.push("A law that holds from some predictor on was fitted without the points below it.".to_owned());
    }
    if left_out > 0 {
        chart.notes.push(format!("{left_out} more groups of points have laws of their own and are not shown."));
    }
    chart
}

fn named<'a>(fits: &'a [GroupFit], name: Option<&str>) -> impl Iterator<Item = &'a GroupFit> {
    let name = name.map(str::to_owned);
    fits.iter().filter(move |group| name.as_ref().is_none_or(|name| *name == group.name))
}
