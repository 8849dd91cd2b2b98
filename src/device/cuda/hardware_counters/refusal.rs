//! Why counters cannot be read, in words that say what to do.

use cudarc::cupti::sys::CUptiResult;

use super::library::{Cupti, symbol};
use crate::device::DeviceError;

const NOT_INITIALIZED: u32 = CUptiResult::CUPTI_ERROR_NOT_INITIALIZED as u32;
const NOT_COMPATIBLE: u32 = CUptiResult::CUPTI_ERROR_NOT_COMPATIBLE as u32;
const HARDWARE_BUSY: u32 = CUptiResult::CUPTI_ERROR_HARDWARE_BUSY as u32;
const NOT_SUPPORTED: u32 = CUptiResult::CUPTI_ERROR_NOT_SUPPORTED as u32;
const VIRTUALIZED: u32 = CUptiResult::CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED as u32;
const INSUFFICIENT_PRIVILEGES: u32 = CUptiResult::CUPTI_ERROR_INSUFFICIENT_PRIVILEGES as u32;
const VIRTUALIZED_PRIVILEGES: u32 = CUptiResult::CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES as u32;
const PARTITIONED: u32 = CUptiResult::CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED as u32;
const CONFIDENTIAL: u32 = CUptiResult::CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED as u32;

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
            // Whatever else it needs has been initialised by then.
            NOT_INITIALIZED if *function == "host_initialize" => {
                "CUPTI does not find libnvperf_host.so: it belongs beside libcupti, or into the loader's folders (LD_LIBRARY_PATH)"
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
            PARTITIONED => {
                "the GPU is partitioned (MIG), and CUPTI does not count on its parts: an administrator ends that with `nvidia-smi -mig 0`"
            }
            CONFIDENTIAL => "the GPU is in the mode of confidential computing, where nobody may count",
            _ => return format!("CUPTI refuses: {}: {name}", symbol(function)),
        };
        format!("{words} ({name})")
    }
}

impl From<Refusal> for DeviceError {
    fn from(refusal: Refusal) -> Self {
        Self::Failed(format!("counting: {}", refusal.told()))
    }
}
