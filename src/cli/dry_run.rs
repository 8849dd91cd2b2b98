//! `apbench sweep --dry-run`: the expanded grid and an estimate of what it costs.

use super::failure::{Failure, Status};
use super::output::{line, print_table, table, tell};
use super::sweep::{Target, of_part};
use crate::device::Device;
use crate::parameter::Mismatch;
use crate::run::metadata::Part;
use crate::scenario::{Point, Scenario, Sizes, varies};
use crate::unit;

/// Prints every scenario's grid as it would run on each device.
pub(super) fn print(
    scenarios: &[Scenario],
    targets: &[Target],
    sizes: Option<Sizes>,
    part: Option<Part>,
) -> Result<Status, Failure> {
    for target in targets {
        let device = target.spec.open(tell)?;
        for scenario in scenarios {
            print_grid(scenario, &*device, sizes, part)?;
        }
    }
    Ok(Status::Success)
}

fn print_grid(
    scenario: &Scenario,
    device: &dyn Device,
    sizes: Option<Sizes>,
    part: Option<Part>,
) -> Result<(), Failure> {
    let properties = device.properties();
    if let Some(note) = scenario.note_on_sizes(properties, sizes) {
        tell(format!("note: {note}"));
    }
    let scenario = &scenario.on(properties, sizes)?;
    let grid = scenario.points(properties)?;
    let points = of_part(&grid, part);
    line(format!("{} on {} ({})", scenario.name, properties.name, properties.spec))?;
    if let Some(part) = part {
        line(format!("part {part}: {} of {} points", points.len(), grid.len()))?;
    }
    let (shown, fixed): (Vec<&str>, Vec<&str>) =
        scenario.family.parameters.iter().map(|parameter| parameter.name).partition(|name| varies(name, &points));
    if let Some(point) = points.first() {
        let fixed = fixed.iter().filter_map(|name| Some(format!("{name}={}", point.parameters.get(name)?)));
        line(format!("the same at every point: {}", fixed.collect::<Vec<_>>().join(" ")))?;
    }
    let header: Vec<&str> = ["point", "variant"].into_iter().chain(shown.iter().copied()).collect();
    let mut rows = table(&header);
    for point in &points {
        let values = shown.iter().filter_map(|name| point.parameters.get(name)).map(ToString::to_string);
        rows.add_row([point.index.to_string(), point.variant.name.to_owned()].into_iter().chain(values));
    }
    print_table(&rows)?;
    let estimate = estimate(scenario, &points, device.repeats_exactly());
    line(estimate.map_err(|mismatch| Failure::Other(mismatch.to_string()))?)?;
    Ok(())
}

fn estimate(scenario: &Scenario, points: &[Point], repeats_exactly: bool) -> Result<String, Mismatch> {
    let mut need_bytes = 0;
    for point in points {
        need_bytes = need_bytes.max(scenario.family.device_bytes(&point.parameters)?);
    }
    if repeats_exactly {
        let need = unit::bytes(need_bytes);
        return Ok(format!("{} points; each is run once; up to {need} of simulated device memory", points.len()));
    }
    let longest_us = points.len() as f64 * scenario.measure.budget_s * 1e6;
    Ok(format!(
        "{} points; at most {} of sampling ({} s a point, most need far less); up to {} of device memory",
        points.len(),
        unit::duration_us(longest_us),
        scenario.measure.budget_s,
        unit::bytes(need_bytes),
    ))
}
