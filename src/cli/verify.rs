//! `apbench verify`: every variant of every family against the host's results, at small sizes.

use super::failure::{Failure, Status};
use super::output::{line, tell};
use crate::device::select::DeviceSpec;
use crate::device::{Device, DeviceError};
use crate::family::{FAMILIES, Family, Request};
use crate::measure::check::{CheckError, run_and_check};
use located_toml::words::{instead, quote};

/// Options of `verify`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Device: auto (the first CUDA device, else sim:h200), cuda:N, sim:NAME or sim:FILE.toml
    #[arg(long, value_name = "SPEC", default_value = "auto")]
    device: DeviceSpec,
    /// Seed of the inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Check only this family; may be given several times
    #[arg(long = "family", value_name = "FAMILY")]
    families: Vec<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let families = chosen(&arguments.families)?;
    let device = arguments.device.open(tell)?;
    let properties = device.properties().clone();
    // Whoever stops listening does not stop the checking: the exit status is the product.
    let mut output = line(format!("verifying on {} ({})", properties.name, properties.spec));
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for family in families {
        for parameters in family.verification(&properties) {
            for variant in family.variants {
                let request = Request {
                    variant: variant.name,
                    parameters: &parameters,
                    device: &properties,
                    seed: arguments.seed,
                };
                let result = match variant.refusal(&properties) {
                    Some(problem) => Err(DeviceError::Unsupported(problem).into()),
                    None => verify(&*device, family, &request),
                };
                let name = format!("{}/{} {parameters}", family.name, variant.name);
                match result {
                    Err(CheckError::Device(DeviceError::Unsupported(problem))) => {
                        skipped += 1;
                        output = output.and_then(|()| line(format!("skip   {name}: {problem}")));
                    }
                    Ok(()) => {
                        passed += 1;
                        output = output.and_then(|()| line(format!("ok     {name}")));
                    }
                    Err(error) => {
                        failed += 1;
                        output = output.and_then(|()| line(format!("FAILED {name}: {error}")));
                    }
                }
            }
        }
    }
    let skips = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    output = output.and_then(|()| line(format!("{passed} passed, {failed} failed{skips}")));
    let status = if failed == 0 { Status::Success } else { Status::PointsFailed };
    status.unless_unheard(output.map_err(Failure::from))
}

/// The families of these names; all where none is given.
fn chosen(names: &[String]) -> Result<Vec<&'static Family>, Failure> {
    let find = |name: &String| {
        let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        let unknown = || Failure::Usage(format!("there is no family {}: {}", quote(name), instead(name, &known)));
        Family::find(name).ok_or_else(unknown)
    };
    if names.is_empty() { Ok(FAMILIES.to_vec()) } else { names.iter().map(find).collect() }
}

fn verify(device: &dyn Device, family: &Family, request: &Request<'_>) -> Result<(), CheckError> {
    let workload = family.workload(request).map_err(|mismatch| DeviceError::Failed(mismatch.to_string()))?;
    let mut prepared = device.prepare(&workload)?;
    run_and_check(&mut *prepared, &workload)
}
