//! How commands end: exit statuses, and errors on standard error.

use std::io;
use std::process::ExitCode;

use super::output::{error_style, tell_error, tell_styled};
use crate::device::DeviceError;
use crate::malformed::Malformed;
use crate::run::RunError;
use located_toml::DocumentErrors;

/// What an exit status means.
#[derive(Debug)]
pub(super) struct ExitStatus {
    pub(super) code: u8,
    pub(super) meaning: &'static str,
}

const SUCCESS: ExitStatus = ExitStatus { code: 0, meaning: "success" };
const OTHER: ExitStatus = ExitStatus { code: 1, meaning: "an error that is not listed here" };
const BAD_INPUT: ExitStatus = ExitStatus {
    code: 2,
    meaning: "wrong arguments, a wrong scenario or a wrong GPU profile, or a clock that cannot be locked",
};
const NO_DEVICE: ExitStatus = ExitStatus { code: 3, meaning: "the device was not found" };
const POINTS_FAILED: ExitStatus = ExitStatus {
    code: 4,
    meaning: "a point failed or gave a wrong result, no point could be run, a kernel that diagnose checked is wrong or races, selfcheck found a problem, or the driver reports another number of \
              resident blocks than the documented rule",
};
const GATE_CROSSED: ExitStatus = ExitStatus {
    code: 5,
    meaning: "a point meets a condition of compare --fail-on, no point could be compared there; a line meets one of diagnose --fail-on; or calibrate --check finds another GPU than that of the profile",
};
const INTERRUPTED: ExitStatus =
    ExitStatus { code: 130, meaning: "interrupted; the points measured so far are in the run" };

/// Every exit status with what it means.
pub(super) static EXIT_STATUSES: [ExitStatus; 7] =
    [SUCCESS, OTHER, BAD_INPUT, NO_DEVICE, POINTS_FAILED, GATE_CROSSED, INTERRUPTED];

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
            Status::Success => SUCCESS.code,
            Status::PointsFailed => POINTS_FAILED.code,
            Status::GateCrossed => GATE_CROSSED.code,
            Status::Interrupted => INTERRUPTED.code,
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

    /// Leaves it to be told where it is alone; of several each is told, and the exit status of the first is left.
    pub(super) fn all(mut failures: Vec<Self>) -> Result<(), Self> {
        // A run may be named twice.
        let mut told: Vec<String> = Vec::new();
        failures.retain(|own| {
            let message = own.message();
            let is_new = !told.contains(&message);
            told.push(message);
            is_new
        });
        if failures.len() > 1 {
            let statuses: Vec<u8> = failures.drain(..).map(Self::tell).collect();
            failures.extend(statuses.into_iter().take(1).map(Self::Told));
        }
        failures.pop().map_or(Ok(()), Err)
    }

    /// What all results are; where several failed, each failure is told.
    pub(super) fn all_of<T>(results: impl Iterator<Item = Result<T, Self>>) -> Result<Vec<T>, Self> {
        let mut failures = Vec::new();
        let found = results.filter_map(|own| own.map_err(|failure| failures.push(failure)).ok()).collect();
        Self::all(failures).map(|()| found)
    }

    /// What two results are; where both failed, each failure is told, and the exit status is that of the first.
    pub(super) fn both<A, B>(one: Result<A, Self>, other: Result<B, Self>) -> Result<(A, B), Self> {
        match (one, other) {
            (Ok(one), Ok(other)) => Ok((one, other)),
            (Err(one), Err(other)) => Err(Self::all(vec![one, other]).err().unwrap_or(Self::Told(OTHER.code))),
            (Err(failure), Ok(_)) | (Ok(_), Err(failure)) => Err(failure),
        }
    }

    /// Prints the error and gives its exit status.
    pub(super) fn tell(self) -> u8 {
        let status = match &self {
            Self::Document(errors) | Self::Device(DeviceError::Profile(errors)) => {
                let (style, width) = error_style();
                tell_styled(errors.report(style, width).trim_end());
                return BAD_INPUT.code;
            }
            Self::Told(status) => return *status,
            Self::Usage(_) | Self::Device(DeviceError::Clocks(_)) => BAD_INPUT.code,
            Self::Device(DeviceError::Missing(_)) => NO_DEVICE.code,
            Self::Run(error) => run_error_status(error),
            Self::Device(_) | Self::Output(_) | Self::Other(_) => OTHER.code,
        };
        tell_error(format!("error: {}", self.message()));
        status
    }

    /// The error in words.
    pub(super) fn message(&self) -> String {
        match self {
            Self::Usage(message) | Self::Other(message) => message.clone(),
            Self::Document(errors) => errors.to_string(),
            Self::Device(error) => error.to_string(),
            Self::Run(error) => error.to_string(),
            Self::Output(error) => format!("standard output: {error}"),
            Self::Told(status) => format!("exit status {status}"),
        }
    }
}

/// 2 where another directory, or another command, is all it takes.
fn run_error_status(error: &RunError) -> u8 {
    match error {
        RunError::NotEmpty(_)
        | RunError::NotADirectory(_)
        | RunError::Embedded(_)
        | RunError::NotMade { .. }
        | RunError::Busy(_)
        | RunError::LinkedCharts(_)
        | RunError::Different { .. } => BAD_INPUT.code,
        RunError::Io { .. }
        | RunError::NotARun(_)
        | RunError::Removed(_)
        | RunError::FileRemoved(_)
        | RunError::Malformed(_) => OTHER.code,
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
