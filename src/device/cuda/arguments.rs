//! Arguments of launches as the driver takes them.

use cudarc::driver::DeviceRepr;

use super::tensor_map;
use crate::device::DeviceError;
use crate::workload::{Argument, Launch};

/// The values of a launch's arguments, with what stands for buffers.
pub(super) fn values_of(
    launch: &Launch,
    buffer: impl Fn(usize) -> u64,
) -> Result<Vec<Box<ArgumentBytes>>, DeviceError> {
    launch.arguments.iter().map(|argument| value_of(argument, &buffer)).collect()
}

/// The value of an argument, with what stands for buffers.
pub(super) fn value_of(argument: &Argument, buffer: impl Fn(usize) -> u64) -> Result<Box<ArgumentBytes>, DeviceError> {
    match argument {
        Argument::Tiles(tiles) => ArgumentBytes::new(&tensor_map::descriptor(tiles, buffer(tiles.buffer))?),
        _ => ArgumentBytes::new(&argument.value(buffer)),
    }
}

/// The most bytes of all arguments of a launch that every driver takes.
const ARGUMENTS_MOST: usize = 4096;

/// The bytes of an argument, of which the driver reads as many as the kernel's parameter has. They lie as any parameter may ask for.
#[repr(C, align(128))]
pub(super) struct ArgumentBytes([u8; ARGUMENTS_MOST]);

// SAFETY: these are plain bytes, without addresses of the host.
unsafe impl DeviceRepr for ArgumentBytes {}

impl ArgumentBytes {
    pub(super) fn new(value: &[u8]) -> Result<Box<Self>, DeviceError> {
        let mut bytes = Box::new(Self([0; ARGUMENTS_MOST]));
        let Some(place) = bytes.0.get_mut(..value.len()) else {
            return Err(DeviceError::Failed(format!(
                "an argument of {} bytes, where {ARGUMENTS_MOST} are possible",
                value.len()
            )));
        };
        place.copy_from_slice(value);
        Ok(bytes)
    }
}
