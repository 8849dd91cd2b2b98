//! `apbench export`: what points ask of a device, as files for other harnesses.

use std::path::PathBuf;

use super::failure::{Failure, Status};
use super::opened::with_device;
use super::output::{line, tell};
use super::{scenario_file, user_kernel};
use crate::device::select::DeviceSpec;
use crate::export::{ExportError, Exporter, Source, bytes_at_most};
use crate::scenario::Point;
use crate::unit;
use located_toml::words::count;

/// Options of `export`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Scenario: a file, or the name of one that comes with apbench
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
    /// Directory to write, new or empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Device that chooses the grid and the defaults: auto (the first CUDA device, else sim:h200), cuda:N, sim:NAME or
    /// sim:FILE.toml
    #[arg(long, value_name = "SPEC", default_value = "auto")]
    device: DeviceSpec,
    /// Replace a parameter's values: branches=1,2,4 or 'branches={ from = 1, to = 8, step = 1 }'
    #[arg(long = "set", value_name = "PARAM=VALUES")]
    overrides: Vec<String>,
    /// Export only this point, by its number in `sweep --dry-run`; may be given several times
    #[arg(long = "point", value_name = "N")]
    points: Vec<usize>,
    /// Leave out inputs and expected outputs of more than 64 KiB, for a harness that fills the buffers itself
    #[arg(long)]
    no_data: bool,
    /// Refuse a grid with more points than this
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_points: u32,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let scenario = scenario_file::load(&arguments.scenario, &arguments.overrides, arguments.max_points as usize);
    let (device, scenario) = with_device(&arguments.device, scenario)?;
    let properties = device.properties();
    let scenario = scenario.on(properties, None)?;
    let points = chosen(scenario.points(properties)?, &arguments.points)?;
    user_kernel::load_unexecuted(&scenario, &points, properties)?;
    let source =
        Source { scenario: &scenario.name, family: scenario.family, seed: scenario.measure.seed, device: properties };
    let at_most = unit::bytes(bytes_at_most(scenario.family, &points).map_err(ExportError::from)?);
    let mut exporter = Exporter::create(&arguments.out, source, !arguments.no_data)?;
    let written =
        if arguments.no_data { "without buffers above 64 KiB".to_owned() } else { format!("at most {at_most}") };
    tell(format!("{} into {}, {written}", count(points.len(), "point"), arguments.out.display()));
    // Whoever stops listening does not stop the writing.
    let mut output = Ok(());
    for point in &points {
        let folder = exporter.add(point)?;
        output = output.and_then(|()| line(folder.display().to_string()));
    }
    let bytes = exporter.finish()?;
    tell(format!("{} of buffers written", unit::bytes(bytes)));
    Status::Success.unless_unheard(output.map_err(Failure::from))
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::NotEmpty(_)
            | ExportError::NotADirectory(_)
            | ExportError::Phased(_)
            | ExportError::Repeated(_) => Self::Usage(error.to_string()),
            ExportError::Io { .. } | ExportError::Mismatch(_) | ExportError::Kernels(_) => {
                Self::Other(error.to_string())
            }
        }
    }
}

/// The points with these numbers, in the order of the grid; all where none is named.
fn chosen(mut points: Vec<Point>, numbers: &[usize]) -> Result<Vec<Point>, Failure> {
    if let Some(absent) = numbers.iter().find(|number| **number >= points.len()) {
        let last = points.len().saturating_sub(1);
        return Err(Failure::Usage(format!("--point {absent}: no such point; the grid has points 0 to {last}")));
    }
    if !numbers.is_empty() {
        points.retain(|point| numbers.contains(&point.index));
    }
    Ok(points)
}
