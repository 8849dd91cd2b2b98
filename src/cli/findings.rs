//! What a run came to in figures: laws, slowdowns, and from where on remedies pay.

use super::analysis::Analysis;
use super::failure::Failure;
use super::output::{line, print_table, table};
use crate::chart::figure::crossovers;
use crate::model::Model;
use crate::model::fit::LawFit;
use crate::model::group::{GroupFit, Outcome};
use crate::model::law::Law;
use crate::unit;

/// Prints every fit with its verdict, slowdowns in a table for each reference, and crossovers.
pub(super) fn print_findings(analysis: &Analysis) -> Result<(), Failure> {
    if analysis.scenario.fits.is_empty() {
        line("no law: the scenario has no [[fit]]")?;
    } else if analysis.fits.is_empty() {
        line("no law: no point ended well")?;
    }
    for fits in analysis.fits.chunk_by(|one, other| one.name == other.name) {
        match &fits[0].model {
            Model::Law(law) => fits.iter().try_for_each(|group| print_law(law, group))?,
            Model::Slowdown { reference } => print_slowdowns(reference, fits)?,
        }
    }
    let Analysis { run, scenario, fits } = analysis;
    for request in scenario.fits.iter().filter(|_| !fits.is_empty()) {
        if !fits.iter().any(|group| group.name == request.name) {
            line("")?;
            line(format!("{}: nothing to compare, no other variant has points that ended well", request.name))?;
        }
    }
    let crossovers = crossovers(&scenario.charts, scenario.family, analysis.pattern(), run);
    if !crossovers.is_empty() {
        line("")?;
        crossovers.into_iter().try_for_each(line)?;
    }
    Ok(())
}

fn print_law(law: &Law, group: &GroupFit) -> Result<(), Failure> {
    line("")?;
    line(format!("{} ({}), {}", law.equation, law.source, group.label()))?;
    match &group.outcome {
        Outcome::Line(fit) => print_figures(fit)?,
        Outcome::NotFitted(reason) | Outcome::Fails(reason) => line(format!("   no fit: {reason}"))?,
        Outcome::Slowdown(slowdown) => line(format!("   {slowdown}"))?,
    }
    Ok(())
}

fn print_figures(fit: &LawFit) -> Result<(), Failure> {
    let mut rows = table(&[]);
    for estimate in &fit.estimates {
        let [value, low, high] = [estimate.estimate, estimate.low, estimate.high].map(|time| unit::time_us_to(time, 4));
        rows.add_row([format!("  {}", estimate.parameter), value, format!("95 % interval {low} to {high}")]);
    }
    print_table(&rows)?;
    line(format!(
        "   R² {}, leave-one-out error {} %, {} points",
        unit::r2(fit.r2),
        unit::significant(fit.error_pct, 2),
        fit.n
    ))?;
    line(format!("   {}", fit.verdict))?;
    Ok(())
}

fn print_slowdowns(reference: &str, fits: &[GroupFit]) -> Result<(), Failure> {
    line("")?;
    line(format!("slowdown: times relative to {reference}, geometric mean with the smallest and the largest"))?;
    let mut rows = table(&["   group", "mean", "95 % interval", "smallest", "largest", ""]);
    for group in fits {
        let label = format!("   {}", group.label());
        let ratio = |ratio: f64| unit::significant(ratio, 3);
        match &group.outcome {
            Outcome::Slowdown(slowdown) => {
                let ends = slowdown
                    .interval
                    .map(|(low, high)| format!("{} to {}", unit::significant(low, 4), unit::significant(high, 4)));
                rows.add_row([
                    label,
                    ratio(slowdown.ratio),
                    ends.unwrap_or_default(),
                    ratio(slowdown.smallest),
                    ratio(slowdown.largest),
                    slowdown.to_string(),
                ]);
            }
            other => {
                let none = String::new;
                rows.add_row([label, none(), none(), none(), none(), other.verdict()]);
            }
        }
    }
    print_table(&rows)?;
    Ok(())
}
