//! Why a launch did not come to its end.

use ptx_syntax::PtxErrors;
use thiserror::Error;

use crate::execute::Fault;

/// Why a kernel was not run, or did not come to its end.
#[derive(Debug, Clone, Error)]
pub enum LaunchError {
    /// The PTX is wrong, or has something that is not supported.
    #[error("the PTX:\n{0}")]
    Ptx(#[from] PtxErrors),
    /// The GPU of the profile does not have an instruction of the kernel.
    #[error("{0}")]
    Unsupported(String),
    /// The driver would refuse the launch.
    #[error("{kernel}: {problem}")]
    Refused {
        /// The kernel.
        kernel: String,
        /// What is wrong with its launch.
        problem: String,
    },
    /// A thread did something wrong.
    #[error("{0}")]
    Fault(#[from] Fault),
}
