//! A device that is opened beside what is asked of it, so that what is wrong with either is told at once.

use super::failure::Failure;
use super::output::tell;
use crate::device::Device;
use crate::device::select::DeviceSpec;

/// The device, and what is asked for. Which device it is, if that is not the expected one, is told where both are there.
pub(super) fn with_device<T>(spec: &DeviceSpec, asked: Result<T, Failure>) -> Result<(Box<dyn Device>, T), Failure> {
    let mut note = None;
    let device = spec.open(|text| note = Some(text)).map_err(Failure::from);
    let both = Failure::both(device, asked)?;
    note.into_iter().for_each(tell);
    Ok(both)
}
