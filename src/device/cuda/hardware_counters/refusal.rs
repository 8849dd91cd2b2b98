//! Why counters cannot be read, in words that say what to do.

use super::library::Cupti;
use crate::device::DeviceError;

const HARDWARE_BUSY: u32 = 26;
const NOT_COMPATIBLE: u32 = 14;
const NOT_SUPPORTED: u32 = 27;
const INSUFFICIENT_PRIVILEGES: u32 = 35;
const VIRTUALIZED: u32 = 33;
const VIRTUALIZED_PRIVILEGES: u32 = 40;
const CONFIDENTIAL: u32 = 41;

/// A function of CUPTI's that refused, and with what result.
pub(super) struct Refusal {
    function: &'static str,
    result: u32,
    pub(super) name: String,
}

impl Refusal {
    pub(super) fn of(cupti: &Cupti, function: &'static str, result: u32) -> Self {
        Self { function, result, name: cupti.name_of(result) }
    }

    /// In a sentence, with the remedy where one is known.
    pub(super) fn told(&self) -> String {
        let Self { function, result, name } = self;
        let words = match *result {
            INSUFFICIENT_PRIVILEGES => {
                "the driver gives counters to administrators only, since those of a GPU that others use tell what they do. An \
                 administrator allows them to everybody with the line `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in a \
                 file in /etc/modprobe.d, and a restart; a container needs --cap-add=SYS_ADMIN as well"
            }
            HARDWARE_BUSY => {
                "another profiler holds them: Nsight Compute, or the monitoring of a cluster (`dcgmi profiling --pause` lets go)"
            }
            NOT_COMPATIBLE => {
                "the driver is older than this CUPTI: a newer driver, or the CUPTI of an older toolkit, is needed"
            }
            NOT_SUPPORTED => {
                "this GPU has none that CUPTI's range profiler reads: it needs compute capability 7.5 or newer"
            }
            VIRTUALIZED | VIRTUALIZED_PRIVILEGES => {
                "this GPU is a virtual one, and whoever runs the host has not allowed profiling of it"
            }
            CONFIDENTIAL => "the GPU is in the mode of confidential computing, where nobody may count",
            _ => return format!("CUPTI refuses: {function}: {name}"),
        };
        format!("{words} ({name})")
    }
}

impl From<Refusal> for DeviceError {
    fn from(refusal: Refusal) -> Self {
        Self::Failed(format!("counting: {}", refusal.told()))
    }
}
