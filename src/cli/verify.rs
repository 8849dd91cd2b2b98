//! `apbench verify`: every variant of every family against the host's results, at small sizes.

use super::failure::{Failure, Status};
use super::output::{line, tell};
use crate::device::select::DeviceSpec;
use crate::family::{FAMILIES, Request};
use crate::measure::check::{CheckError, run_and_check};

/// Options of `verify`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The device: auto (the first CUDA device, else sim:h200), cuda:N, sim:NAME or sim:FILE.toml
    #[arg(long, value_name = "SPEC", default_value = "auto")]
    device: DeviceSpec,
    /// Seed of the inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let device = arguments.device.open(tell)?;
    let properties = device.properties().clone();
    // Whoever stops listening does not stop the checking: the exit status is the product.
    let mut output = line(format!("verifying on {} ({})", properties.name, properties.spec));
    let (mut passed, mut failed) = (0, 0);
    for family in FAMILIES {
        for parameters in (family.verification)(&properties) {
            for variant in family.variants {
                let request = Request { variant: variant.name, parameters: &parameters, seed: arguments.seed };
                let workload = (family.workload)(&request);
                let result = device
                    .prepare(&workload)
                    .map_err(CheckError::from)
                    .and_then(|mut prepared| run_and_check(&mut *prepared, &workload));
                let name = format!("{}/{} {parameters}", family.name, variant.name);
                match result {
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
    output = output.and_then(|()| line(format!("{passed} passed, {failed} failed")));
    let status = if failed == 0 { Status::Success } else { Status::PointsFailed };
    status.unless_unheard(output.map_err(Failure::from))
}
