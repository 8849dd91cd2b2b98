//! From a device's specification on the command line to the device.

use std::fmt;
use std::str::FromStr;

use super::cuda::{self, Cuda};
use super::mock::{Mock, MockSettings};
use super::{Device, DeviceError};

/// Which device to use.
#[derive(Debug, Clone, PartialEq)]
pub enum DeviceSpec {
    /// The first CUDA device.
    Auto,
    /// The CUDA device of this ordinal.
    Cuda(usize),
    /// A simulated device, by its profile.
    Simulated(String),
    /// The mock, for tests.
    Mock(MockSettings),
}

impl FromStr for DeviceSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || format!("`{text}` is no device; expected auto, or cuda:N such as cuda:0");
        match text.split_once(':').unwrap_or((text, "")) {
            ("auto", "") => Ok(Self::Auto),
            ("cuda", ordinal) => ordinal.parse().map(Self::Cuda).map_err(|_| unknown()),
            ("sim", profile) if !profile.is_empty() => Ok(Self::Simulated(profile.to_owned())),
            ("mock", settings) => settings.parse().map(Self::Mock),
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for DeviceSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => formatter.write_str("auto"),
            Self::Cuda(ordinal) => write!(formatter, "cuda:{ordinal}"),
            Self::Simulated(profile) => write!(formatter, "sim:{profile}"),
            Self::Mock(_) => formatter.write_str("mock"),
        }
    }
}

impl DeviceSpec {
    /// Opens the device.
    ///
    /// # Errors
    /// [`DeviceError::Missing`] where it is not there, else what the driver says.
    pub fn open(&self) -> Result<Box<dyn Device>, DeviceError> {
        match self {
            Self::Auto => {
                cuda::device_count()?;
                Ok(Box::new(Cuda::open(0)?))
            }
            Self::Cuda(ordinal) => Ok(Box::new(Cuda::open(*ordinal)?)),
            Self::Simulated(profile) => Err(DeviceError::Missing(format!(
                "no device sim:{profile}: this version has no simulated devices yet; it runs on cuda:N only"
            ))),
            Self::Mock(settings) => Ok(Box::new(Mock::new(settings.clone()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_read_back() {
        for text in ["auto", "cuda:0", "cuda:13", "sim:h200", "sim:profiles/my.toml", "mock"] {
            assert_eq!(text.parse::<DeviceSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_specifications_are_refused_with_what_is_allowed() {
        for text in ["", "cuda", "cuda:", "cuda:-1", "cuda:x", "sim", "sim:", "gpu0", "auto:1", "mock:speed=9"] {
            assert!(text.parse::<DeviceSpec>().is_err(), "{text}");
        }
        assert!("gpu0".parse::<DeviceSpec>().unwrap_err().contains("cuda:N"));
    }
}
