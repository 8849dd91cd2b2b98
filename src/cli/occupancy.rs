//! `apbench occupancy`: what limits how many blocks of a kernel a multiprocessor holds, as NVIDIA's occupancy calculator told.

use std::path::Path;

use serde_json::{Map, Value as Json, json};

use super::failure::{Failure, Status};
use super::opened::with_device;
use super::output::{line, print_table, table, unbroken_line};
use super::{scenario_file, user_kernel};
use crate::device::occupancy::{ClusterOccupancy, KernelOccupancy};
use crate::device::select::DeviceSpec;
use crate::device::{Device, DeviceError};
use crate::family::{Family, Request};
use crate::parameter::{Mismatch, Value};
use crate::properties::Properties;
use crate::scenario::{Embedded, Point, Scenario, varies};
use crate::unit;
use gpu_simulator::hardware::occupancy::{Limit, Residency};
use located_toml::words::{instead, meant, quote, same_name};

/// Options of `occupancy`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Family, as `apbench list` names it; or a scenario, for the points of its grid
    #[arg(value_name = "FAMILY|SCENARIO")]
    subject: String,
    /// Show only this variant; may be given several times [default: all]
    #[arg(long = "variant", value_name = "NAME")]
    variants: Vec<String>,
    /// Values of a parameter: block=64,128 or 'block={ from = 32, to = 1024, step = 32 }' [default: the parameter's]
    #[arg(long = "set", value_name = "PARAM=VALUES")]
    overrides: Vec<String>,
    /// Device: auto (the first CUDA device, else sim:h200), cuda:N, sim:NAME or sim:FILE.toml
    #[arg(long, value_name = "SPEC", default_value = "auto")]
    device: DeviceSpec,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Points that may be asked for at once: the workload of each is built.
const POINTS_MAX: usize = 10_000;

/// A point's kernels, or why the device cannot run it.
struct Answer {
    point: Point,
    kernels: Result<Vec<KernelOccupancy>, String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let (device, scenario) = with_device(&arguments.device, scenario(arguments))?;
    let scenario = scenario.on(device.properties(), None)?;
    let mut points = scenario.points(device.properties())?;
    if !arguments.variants.is_empty() {
        points.retain(|point| arguments.variants.iter().any(|wanted| same_name(wanted, point.variant.name)));
    }
    user_kernel::load(&scenario, &points, device.properties())?;
    let answers = points
        .into_iter()
        .map(|point| Ok(Answer { kernels: ask(&*device, scenario.family, &point)?, point }))
        .collect::<Result<Vec<_>, DeviceError>>()?;
    let properties = device.properties();
    let printed = if arguments.json {
        unbroken_line(format!("{:#}", as_json(scenario.family, properties, &answers))).map_err(Failure::from)
    } else if let [answer] = answers.as_slice() {
        print_cards(scenario.family, properties, answer)
    } else {
        print_rows(scenario.family, properties, &answers)
    };
    let mut kernels = answers.iter().flat_map(|answer| answer.kernels.iter().flatten());
    let status = if kernels.any(KernelOccupancy::differs) { Status::PointsFailed } else { Status::Success };
    status.unless_unheard(printed)
}

/// The points that are asked for: those of a family, or of a scenario.
fn scenario(arguments: &Arguments) -> Result<Scenario, Failure> {
    let Arguments { subject, variants, overrides, .. } = arguments;
    let is_path =
        Path::new(subject).extension().is_some_and(|own| own == "toml") || subject.contains(std::path::is_separator);
    let is_scenario = Family::find(subject).is_none() && (is_path || Embedded::named(subject).is_some());
    if !is_scenario {
        return Ok(Scenario::of_family(subject, variants, overrides, POINTS_MAX)?);
    }
    let scenario = scenario_file::load(Path::new(subject), overrides, POINTS_MAX)?;
    let names: Vec<&str> = scenario.variants.iter().map(|own| own.name).collect();
    if let Some(unknown) = variants.iter().find(|wanted| meant(wanted, &names).is_none()) {
        let instead = instead(unknown, &names);
        return Err(Failure::Usage(format!("--variant {}: no variant of {subject}; {instead}", quote(unknown))));
    }
    Ok(scenario)
}

/// The kernels of a point; the inner error is why the device cannot run it.
fn ask(
    device: &dyn Device,
    family: &Family,
    point: &Point,
) -> Result<Result<Vec<KernelOccupancy>, String>, DeviceError> {
    let properties = device.properties();
    if let Some(problem) = point.variant.refusal(properties) {
        return Ok(Err(problem));
    }
    let mismatch = |mismatch: Mismatch| DeviceError::Failed(mismatch.to_string());
    let need_bytes = family.device_bytes(&point.parameters).map_err(mismatch)?;
    let free_bytes = device.free_bytes()?;
    if need_bytes > free_bytes {
        return Ok(Err(DeviceError::OutOfMemory { need_bytes, free_bytes }.to_string()));
    }
    let request = Request { variant: point.variant.name, parameters: &point.parameters, device: properties, seed: 1 };
    match device.occupancy(&family.workload(&request).map_err(mismatch)?) {
        Ok(kernels) => Ok(Ok(kernels)),
        Err(DeviceError::Unsupported(problem)) => Ok(Err(problem)),
        Err(error) => Err(error),
    }
}

/// The whole calculation for each kernel of one point.
fn print_cards(family: &Family, properties: &Properties, answer: &Answer) -> Result<(), Failure> {
    let point = &answer.point;
    line(format!("{}/{} {}", family.name, point.variant.name, point.parameters))?;
    let (major, minor) = properties.capability();
    line(format!("on {} ({}), compute capability {major}.{minor}", properties.name, properties.spec))?;
    match &answer.kernels {
        Ok(kernels) if kernels.is_empty() => Ok(line("no kernel: the driver does all the work")?),
        Ok(kernels) => kernels.iter().try_for_each(|kernel| print_card(properties, kernel)),
        Err(problem) => Ok(line(format!("cannot run: {problem}"))?),
    }
}

fn print_card(properties: &Properties, kernel: &KernelOccupancy) -> Result<(), Failure> {
    line("")?;
    let times = if kernel.launches > 1 { format!(", launched {} times", kernel.launches) } else { String::new() };
    line(format!("{}{times}", kernel.kernel))?;
    let mut facts = table(&[]);
    let mut fact = |name: &str, text: String| {
        facts.add_row([format!("  {name}"), text]);
    };
    let resources = &kernel.resources;
    let (grid, block) = (shape(kernel.grid), shape(kernel.block));
    fact("block", format!("{} threads ({block}), {} warps", resources.threads_per_block, kernel.warps_per_block()));
    fact("grid", format!("{} blocks ({grid})", kernel.grid_blocks()));
    let registers_from = kernel.registers_from.name();
    let spilled = kernel.spilled.map(|spilled| format!("; {spilled}")).unwrap_or_default();
    fact("registers", format!("{} per thread ({registers_from}){spilled}", resources.registers_per_thread));
    let (fixed, dynamic) = (unit::bytes(kernel.static_shared_bytes), unit::bytes(kernel.dynamic_shared_bytes));
    fact("shared memory", format!("{fixed} static, {dynamic} dynamic"));
    if let Some(bytes) = kernel.local_bytes.filter(|bytes| *bytes > 0) {
        fact("local memory", format!("{} per thread", unit::bytes(bytes)));
    }
    print_table(&facts)?;
    match &kernel.residency {
        Ok(residency) => print_limits(properties, residency)?,
        Err(problem) => line(format!("  no block can run: {problem}"))?,
    }
    let limits = properties.limits();
    let mut results = table(&[]);
    let (blocks, warps) = (kernel.resident_blocks(), kernel.resident_warps());
    let (most, occupancy) = (limits.threads_per_sm / 32, kernel.occupancy_pct(&limits));
    let waves = kernel.waves(properties.sm_count).map_or(String::new(), |waves| {
        let (grid_blocks, sm_count) = (kernel.grid_blocks(), properties.sm_count);
        format!("{waves:.2}: {grid_blocks} blocks, {blocks} on each of {sm_count} multiprocessors at once")
    });
    results.add_row(["  resident".to_owned(), format!("{blocks} blocks, {warps} of {most} warps")]);
    results.add_row(["  occupancy".to_owned(), format!("{occupancy:.1} %")]);
    results.add_row(["  waves".to_owned(), waves]);
    if let Some(clusters) = kernel.clusters {
        let (at_once, size, all) = (clusters.at_once, clusters.blocks, clusters.blocks_at_once());
        let alone = u64::from(blocks) * u64::from(properties.sm_count);
        let told = format!(
            "{at_once} clusters of {size} blocks at once on the whole GPU: {all} blocks, and {alone} without clusters"
        );
        results.add_row(["  clusters".to_owned(), told]);
    }
    if let Some(blocks) = kernel.driver_blocks {
        let verdict = if kernel.differs() { "DIFFERS from the limit above" } else { "as above" };
        results.add_row(["  driver".to_owned(), format!("{blocks} blocks, {verdict}")]);
    }
    Ok(print_table(&results)?)
}

/// What a multiprocessor has, what a block takes of it, and how many blocks that allows.
fn print_limits(properties: &Properties, residency: &Residency) -> Result<(), Failure> {
    let limits = properties.limits();
    let taken = residency.taken;
    let amounts = [
        ("warps", u64::from(limits.threads_per_sm / 32), u64::from(taken.warps)),
        ("registers", u64::from(limits.registers_per_sm), taken.registers),
        ("shared bytes", limits.shared_bytes_per_sm, taken.shared_bytes),
        ("blocks", u64::from(limits.blocks_per_sm), 1),
    ];
    let mut rows = table(&["", "a multiprocessor has", "a block takes", "blocks at most", ""]);
    for ((limit, allowed), (name, has, takes)) in Limit::ALL.into_iter().zip(residency.allowed).zip(amounts) {
        let mark = if limit == residency.limited_by { "the limit" } else { "" };
        let blocks = allowed.map_or("any".to_owned(), |blocks| blocks.to_string());
        rows.add_row([format!("  {name}"), has.to_string(), takes.to_string(), blocks, mark.to_owned()]);
    }
    Ok(print_table(&rows)?)
}

/// A row for each kernel of each point.
fn print_rows(family: &Family, properties: &Properties, answers: &[Answer]) -> Result<(), Failure> {
    line(format!("{} on {} ({})", family.name, properties.name, properties.spec))?;
    let points: Vec<Point> = answers.iter().map(|answer| answer.point.clone()).collect();
    let (shown, fixed): (Vec<&str>, Vec<&str>) =
        family.parameters.iter().map(|parameter| parameter.name).partition(|name| varies(name, &points));
    if let Some(point) = points.first() {
        let fixed = fixed.iter().filter_map(|name| Some(format!("{name}={}", point.parameters.get(name)?)));
        line(format!("the same at every point: {}", fixed.collect::<Vec<_>>().join(" ")))?;
    }
    let kernels = || answers.iter().flat_map(|answer| answer.kernels.iter().flatten());
    if let Some(first) = kernels().next()
        && kernels().all(|own| own.registers_from == first.registers_from)
    {
        line(format!("registers per thread: by {}", first.registers_from.name()))?;
    }
    let columns = ["kernel", "threads", "registers", "shared", "limit", "blocks", "warps", "occupancy", "waves"];
    let with_driver = kernels().any(|own| own.driver_blocks.is_some());
    let with_clusters = kernels().any(|own| own.clusters.is_some());
    let header = ["point", "variant"].into_iter().chain(shown.iter().copied()).chain(columns);
    let header = header.chain(with_clusters.then_some("on the whole GPU")).chain(with_driver.then_some("driver"));
    let mut rows = table(&header.collect::<Vec<_>>());
    for Answer { point, kernels } in answers {
        let values = shown.iter().filter_map(|name| point.parameters.get(name)).map(ToString::to_string);
        let start: Vec<String> =
            [point.index.to_string(), point.variant.name.to_owned()].into_iter().chain(values).collect();
        match kernels {
            Ok(kernels) => {
                for kernel in kernels {
                    rows.add_row(start.iter().cloned().chain(cells(kernel, properties, (with_clusters, with_driver))));
                }
            }
            Err(problem) => {
                rows.add_row(start.into_iter().chain([format!("cannot run: {problem}")]));
            }
        }
    }
    Ok(print_table(&rows)?)
}

fn cells(kernel: &KernelOccupancy, properties: &Properties, (with_clusters, with_driver): (bool, bool)) -> Vec<String> {
    let limit = match &kernel.residency {
        Ok(residency) => residency.limited_by.name().to_owned(),
        Err(problem) => problem.clone(),
    };
    let mut cells = vec![
        kernel.kernel.clone(),
        kernel.resources.threads_per_block.to_string(),
        format!("{}{}", kernel.resources.registers_per_thread, if kernel.spilled.is_some() { ", spills" } else { "" }),
        kernel.resources.shared_bytes_per_block.to_string(),
        limit,
        kernel.resident_blocks().to_string(),
        kernel.resident_warps().to_string(),
        format!("{:.1} %", kernel.occupancy_pct(&properties.limits())),
        kernel.waves(properties.sm_count).map_or(String::new(), |waves| format!("{waves:.2}")),
    ];
    if with_clusters {
        let at_once =
            |clusters: ClusterOccupancy| format!("{} clusters of {} blocks", clusters.at_once, clusters.blocks);
        cells.push(kernel.clusters.map_or(String::new(), at_once));
    }
    if with_driver {
        let blocks = kernel.driver_blocks.map_or(String::new(), |blocks| blocks.to_string());
        cells.push(if kernel.differs() { format!("{blocks} DIFFERS") } else { blocks });
    }
    cells
}

/// `16x16` of blocks and grids that are more than a line.
fn shape(extents: [u32; 3]) -> String {
    let dimensions = extents.iter().rposition(|extent| *extent != 1).map_or(1, |last| last + 1);
    extents[..dimensions].iter().map(ToString::to_string).collect::<Vec<_>>().join("x")
}

fn as_json(family: &Family, properties: &Properties, answers: &[Answer]) -> Json {
    let points: Vec<Json> = answers
        .iter()
        .map(|Answer { point, kernels }| {
            let parameters: Map<String, Json> = family
                .parameters
                .iter()
                .filter_map(|parameter| {
                    let value = match point.parameters.get(parameter.name)? {
                        Value::Integer(number) => json!(number),
                        Value::Text(text) => json!(text),
                    };
                    Some((parameter.name.to_owned(), value))
                })
                .collect();
            let listed: Vec<Json> = kernels.iter().flatten().map(|kernel| kernel_json(kernel, properties)).collect();
            json!({
                "point": point.index,
                "variant": point.variant.name,
                "parameters": parameters,
                "problem": kernels.as_ref().err(),
                "kernels": listed,
            })
        })
        .collect();
    json!({
        "family": family.name,
        "device": properties.spec,
        "name": properties.name,
        "compute_capability": properties.compute_capability,
        "sm_count": properties.sm_count,
        "points": points,
    })
}

fn kernel_json(kernel: &KernelOccupancy, properties: &Properties) -> Json {
    let residency = kernel.residency.as_ref();
    let allowed = residency.map_or([None; 4], |residency| residency.allowed);
    let mut told = json!({
        "kernel": kernel.kernel,
        "launches": kernel.launches,
        "grid": kernel.grid,
        "block": kernel.block,
        "threads_per_block": kernel.resources.threads_per_block,
        "warps_per_block": kernel.warps_per_block(),
        "registers_per_thread": kernel.resources.registers_per_thread,
        "registers_from": kernel.registers_from,
        "spilled": kernel.spilled.map(|spilled| spilled.to_string()),
        "static_shared_bytes": kernel.static_shared_bytes,
        "dynamic_shared_bytes": kernel.dynamic_shared_bytes,
        "local_bytes": kernel.local_bytes,
        "blocks_by_threads": allowed[0],
        "blocks_by_registers": allowed[1],
        "blocks_by_shared_memory": allowed[2],
        "blocks_by_blocks": allowed[3],
        "limited_by": residency.ok().map(|residency| residency.limited_by.name()),
        "problem": residency.err(),
        "blocks_per_sm": kernel.resident_blocks(),
        "warps_per_sm": kernel.resident_warps(),
        "occupancy_pct": kernel.occupancy_pct(&properties.limits()),
        "grid_blocks": kernel.grid_blocks(),
        "waves": kernel.waves(properties.sm_count),
        "driver_blocks_per_sm": kernel.driver_blocks,
        "differs": kernel.differs(),
    });
    if let (Some(clusters), Some(keys)) = (kernel.clusters, told.as_object_mut()) {
        keys.insert("cluster_blocks".to_owned(), json!(clusters.blocks));
        keys.insert("clusters_at_once".to_owned(), json!(clusters.at_once));
    }
    told
}
