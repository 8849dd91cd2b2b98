//! From what `--device` says to the devices to sweep on.

use std::str::FromStr;

use super::super::failure::Failure;
use crate::device::select::{DeviceSpec, profile};
use crate::device::{DeviceError, cuda};
use crate::properties::Origin;
use crate::worker::supervisor::Supervisor;

/// What `--device` takes.
#[derive(Debug, Clone)]
pub(in crate::cli) enum DeviceChoice {
    /// Every CUDA device.
    All,
    /// This one.
    One(Box<Target>),
}

/// A device to sweep on.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Target {
    /// As it was written; a worker is told this.
    pub(in crate::cli) text: String,
    /// What that means.
    pub(in crate::cli) spec: DeviceSpec,
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        text.parse().map(|spec| Self::One(Box::new(Target { text: text.to_owned(), spec })))
    }
}

/// The devices that were asked for, each once.
///
/// # Errors
/// One that is asked for twice, one that is not there, or a profile that is wrong.
pub(super) fn expand(choices: &[DeviceChoice]) -> Result<Vec<Target>, Failure> {
    let mut targets: Vec<Target> = Vec::new();
    for choice in choices {
        let own = match choice {
            DeviceChoice::All => all()?,
            DeviceChoice::One(target) => vec![Target::clone(target)],
        };
        for target in own {
            if targets.iter().any(|other| other.spec == target.spec) {
                return Err(twice(&target.text));
            }
            // What is wrong with a profile is told with its places, which a worker could not.
            if let DeviceSpec::Simulated(spec) = &target.spec {
                profile(spec)?;
            }
            targets.push(target);
        }
    }
    Ok(targets)
}

/// Whether devices can be opened.
///
/// # Errors
/// Those that cannot, each once.
pub(super) fn are_there(targets: &[Target]) -> Result<(), Failure> {
    let open = |target: &Target| target.spec.open(|_| ()).map(drop).map_err(Failure::from);
    Failure::all_of(targets.iter().map(open)).map(drop)
}

fn all() -> Result<Vec<Target>, DeviceError> {
    match cuda::device_count() {
        Ok(count) => Ok((0..count)
            .map(|ordinal| Target { text: format!("cuda:{ordinal}"), spec: DeviceSpec::Cuda(ordinal) })
            .collect()),
        Err(DeviceError::Missing(problem)) => Err(DeviceError::Missing(format!(
            "{problem}; --device all needs at least one. --device sim:h200 simulates a GPU"
        ))),
        Err(error) => Err(error),
    }
}

/// Refuses two names of one device, such as auto and cuda:0.
pub(super) fn deny_twice(targets: &[Target], supervisors: &[Supervisor]) -> Result<(), Failure> {
    let mut specs: Vec<&str> = Vec::new();
    for (target, supervisor) in targets.iter().zip(supervisors) {
        let Some(opened) = supervisor.opened() else { continue };
        let properties = &opened.properties;
        // Mocks differ in what they are told to do.
        if properties.origin != Origin::Mock && specs.contains(&properties.spec.as_str()) {
            return Err(twice(&target.text));
        }
        specs.push(&properties.spec);
    }
    Ok(())
}

fn twice(text: &str) -> Failure {
    Failure::Usage(format!(
        "--device {text}: this device is given twice, but two sweeps on it would disturb each other"
    ))
}
