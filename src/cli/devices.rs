//! `apbench devices`: what sweeps can run on.

use super::name_parser::NameParser;
use serde_json::json;

use super::failure::{Failure, Status};
use super::output::{data, fitting_line, line, print_table, table, tell, unbroken_line, width, wrapped};
use crate::device::cuda::{self, Cuda};
use crate::device::select::{DeviceSpec, own_profiles, profile, profiles_folder, profiles_here};
use crate::device::{Device, DeviceError};
use crate::known_error::{self, KnownError, known};
use crate::properties::Properties;
use crate::unit;
use gpu_simulator::profile::{Embedded, embedded};

/// Options of `devices`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Show only this device, such as sim:FILE.toml for a GPU profile of your own; may be given several times
    #[arg(long = "device", value_name = "SPEC")]
    devices: Vec<DeviceSpec>,
    /// Print the GPU profile of a simulated GPU, such as h200, to copy and change
    #[arg(long, value_name = "NAME", conflicts_with_all = ["devices", "json"], value_parser = NameParser::new(embedded().iter().map(|own| own.name)))]
    profile: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    if let Some(own) = embedded().iter().find(|own| arguments.profile.as_deref() == Some(own.name)) {
        data(own.text)?;
        return Ok(Status::Success);
    }
    let (devices, problem) = if arguments.devices.is_empty() { all()? } else { (chosen(&arguments.devices)?, None) };
    if arguments.json {
        let is_shown = |profile: &str| devices.iter().any(|own| own.spec == profile);
        let errors: Vec<&KnownError> = known().iter().filter(|own| is_shown(&own.profile)).collect();
        unbroken_line(format!("{:#}", json!({"devices": devices, "problem": problem, "known_errors": errors})))?;
        return Ok(Status::Success);
    }
    if let Some(problem) = problem {
        line(problem)?;
        line("")?;
    }
    let mut rows = table(&["device", "name", "compute", "SMs", "SM clock", "memory", "L2", "driver"]);
    for properties in &devices {
        let l2 = if properties.l2_bytes == 0 { "none".to_owned() } else { unit::bytes(properties.l2_bytes) };
        let cuda_version = properties.cuda_version.as_ref().map(|version| format!("CUDA {version}"));
        rows.add_row([
            properties.spec.clone(),
            properties.name.clone(),
            properties.compute_capability.clone(),
            properties.sm_count.to_string(),
            format!("{:.0} MHz", properties.sm_clock_mhz),
            unit::bytes(properties.memory_bytes),
            l2,
            properties.driver_version.clone().or(cuda_version).unwrap_or_default(),
        ]);
    }
    print_table(&rows)?;
    simulated(&devices)?;
    if let Some(folder) = profiles_folder().filter(|_| arguments.devices.is_empty()) {
        line("")?;
        let text = format!(
            "NAME.toml here is sim:NAME, and in {} it is that in every folder; apbench calibrate makes one of a GPU",
            folder.display()
        );
        fitting_line("profiles of your own: ", &text)?;
    }
    Ok(Status::Success)
}

/// Prints how far the times of each simulated GPU are off: as the known errors have it, or as its profile says.
fn simulated(devices: &[Properties]) -> Result<(), Failure> {
    let specs = || devices.iter().filter_map(|own| Some((own.spec.as_str(), own.profile.as_ref()?)));
    let longest = specs().map(|(spec, _)| spec.chars().count()).max().unwrap_or(0);
    if longest > 0 {
        line("")?;
        line("simulated GPUs: how far their times are off")?;
    }
    for (spec, profile) in specs() {
        for (place, sentence) in known_error::of_profile(known(), spec, &profile.validation).iter().enumerate() {
            let first = if place == 0 { spec } else { "" };
            wrapped(&format!("  {first:<longest$}  "), sentence, usize::from(width()))
                .into_iter()
                .try_for_each(line)?;
        }
    }
    Ok(())
}

/// Every CUDA device, or why there is none, and every simulated one that comes with the program.
fn all() -> Result<(Vec<Properties>, Option<String>), DeviceError> {
    let (mut devices, problem) = match cuda_devices() {
        Ok(devices) => (devices, None),
        Err(DeviceError::Missing(problem)) => (Vec::new(), Some(problem)),
        Err(error) => return Err(error),
    };
    for Embedded { name, .. } in embedded() {
        devices.push(Properties::simulated(&profile(name)?));
    }
    let here = profiles_here();
    let elsewhere = own_profiles().into_iter().filter(|name| !here.contains(name));
    for name in here.iter().cloned().chain(elsewhere) {
        match profile(&name) {
            Ok(own) => devices.push(Properties { spec: format!("sim:{name}"), ..Properties::simulated(&own) }),
            // One that is wrong does not hide the others.
            Err(error) => tell(format!("note: {name}.toml in the folder of profiles is none: {error}")),
        }
    }
    Ok((devices, problem))
}

fn chosen(specs: &[DeviceSpec]) -> Result<Vec<Properties>, DeviceError> {
    let listed = |spec: &DeviceSpec| match spec {
        DeviceSpec::Simulated(spec) => Ok(Properties::simulated(&profile(spec)?)),
        other => Ok(other.open(tell)?.properties().clone()),
    };
    specs.iter().map(listed).collect()
}

fn cuda_devices() -> Result<Vec<Properties>, DeviceError> {
    (0..cuda::device_count()?).map(|ordinal| Cuda::open(ordinal).map(|device| device.properties().clone())).collect()
}
