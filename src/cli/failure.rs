//! How commands end: exit statuses, and errors on standard error.

use std::io;
use std::process::ExitCode;

use super::output::{error_style, tell};
use crate::device::DeviceError;
use crate::malformed::Malformed;
use crate::run::RunError;
use located_toml::DocumentErrors;

/// The exit status of a command that did its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// Everything went well.
    Success,
    /// At least one point failed or gave a wrong result.
    PointsFailed,
    /// A comparison crossed the gate that it was given.
    GateCrossed,
    /// Interrupted, with a readable run.
    Interrupted,
}

impl Status {
    /// The status of a command whose results went out as `output` says: a closed pipe changes nothing.
    pub(super) fn unless_unheard(self, output: Result<(), Failure>) -> Result<Self, Failure> {
        match output {
            Err(failure) if !failure.is_closed_pipe() => Err(failure),
            _ => Ok(self),
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Success => 0,
            Status::PointsFailed => 4,
            Status::GateCrossed => 5,
            Status::Interrupted => 130,
        })
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(super) enum Failure {
    /// Bad arguments.
    Usage(String),
    /// A bad scenario, or a bad profile of a simulated device.
    Document(DocumentErrors),
    /// The device is not there, or failed as a whole.
    Device(DeviceError),
    /// A run directory could not be written or read.
    Run(RunError),
    /// Standard output could not be written.
    Output(io::Error),
    /// Anything else.
    Other(String),
    /// Something that was told already, with this exit status.
    Told(u8),
}

impl Failure {
    /// Whether all that went wrong is that nobody reads standard output any more.
    pub(super) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Prints the error; a closed pipe is no error.
    pub(super) fn report(self) -> ExitCode {
        if self.is_closed_pipe() { ExitCode::SUCCESS } else { ExitCode::from(self.tell()) }
    }

    /// Prints the error and gives its exit status.
    pub(super) fn tell(self) -> u8 {
        let (status, message) = match self {
            Self::Document(errors) | Self::Device(DeviceError::Profile(errors)) => {
                let (style, width) = error_style();
                tell(errors.report(style, width).trim_end());
                return 2;
            }
            Self::Told(status) => return status,
            Self::Usage(message) => (2, message),
            Self::Device(error @ DeviceError::Missing(_)) => (3, error.to_string()),
            Self::Device(error) => (1, error.to_string()),
            Self::Run(error) => (run_error_status(&error), error.to_string()),
            Self::Output(error) => (1, format!("standard output: {error}")),
            Self::Other(message) => (1, message),
        };
        tell(format!("error: {message}"));
        status
    }
}

/// 2 where another directory, or another command, is all it takes.
fn run_error_status(error: &RunError) -> u8 {
    match error {
        RunError::NotEmpty(_) | RunError::NotADirectory(_) | RunError::Busy(_) | RunError::Different { .. } => 2,
        RunError::Io { .. } | RunError::NotARun(_) | RunError::Malformed(_) => 1,
    }
}

impl From<DocumentErrors> for Failure {
    fn from(errors: DocumentErrors) -> Self {
        Self::Document(errors)
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

impl From<Malformed> for Failure {
    fn from(error: Malformed) -> Self {
        Self::Run(error.into())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
