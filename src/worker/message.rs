//! Requests to a worker, and its replies.

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::device::clocks::ClockTarget;
use crate::device::energy::{ENERGY_COLUMNS, EnergyCounter};
use crate::device::{DeviceError, Guard};
use crate::family::Family;
use crate::measure::device_clock::CLOCK_COLUMNS;
use crate::properties::Properties;
use crate::record::{Measured, TimeSpent};
use crate::scenario::MeasureSettings;
use crate::user_kernel::Compiled;

/// What a line of a worker's output begins with where it is a reply. No kernel prints this by chance.
pub const MARK: &str = "\u{1}apbench-reply ";

/// What a worker is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Open a device; the first request, and the only one of its kind.
    Open {
        /// Its specification, as on the command line.
        device: String,
        /// Whether its hardware is to count.
        counts: bool,
        /// Whether the energy of points will be asked for.
        energy: bool,
    },
    /// Take every lock of this device's clocks back when there are no more requests, or no longer do so: whatever ends the process that asks.
    /// The only request without a reply.
    RestoreClocks(Option<ClockTarget>),
    /// Begin a sweep; may be asked again once the sweep before is done.
    Begin(Box<Begin>),
    /// Measure a group of points together.
    Measure {
        /// Their numbers in the grid.
        points: Vec<usize>,
        /// Those that will be asked for after these.
        next: Option<Vec<usize>>,
    },
}

/// The sweep to begin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Begin {
    /// The scenario's name.
    pub scenario: String,
    /// What errors call its text.
    pub file_name: String,
    /// Its text, overrides applied.
    pub text: String,
    /// The modules of its kernel, where that is the user's.
    pub kernel: Option<Compiled>,
    /// Where the files of its kernel are.
    pub directory: PathBuf,
    /// How its points are measured.
    pub settings: MeasureSettings,
}

/// What a worker answers, each request once but for [`Request::RestoreClocks`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The device is open.
    Opened(Box<Opened>),
    /// The sweep can be measured.
    Begun(State),
    /// The results of a group.
    Measured {
        /// The points that are done, in the order of the request.
        measured: Vec<Measured>,
        /// Points that must be asked for again on a device opened anew, since another of the group broke it.
        lost: Vec<usize>,
        /// The state after it.
        state: State,
    },
    /// The request cannot be met, and no other will be.
    Refused(Refusal),
}

/// What is known of an open device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// Its properties.
    pub properties: Properties,
    /// Columns of `points.csv` for its counters.
    pub counter_columns: Vec<String>,
    /// Its clocks, where they may be locked.
    pub clocks: Option<ClockTarget>,
    /// Its counter of energy, where it has one and energies were asked for.
    pub energy: Option<EnergyCounter>,
    /// Whether one sample is enough.
    pub repeats_exactly: bool,
    /// What the user must be told, such as that a simulated device stands in.
    pub notes: Vec<String>,
}

impl Opened {
    /// Columns of `points.csv` for what the device tells of a point beside its time, where energies are measured or not.
    pub fn columns(&self, family: &Family, energy: bool) -> Vec<&str> {
        let has_cycles = family.reads_clock && !self.repeats_exactly;
        let of_clock: &[&str] = if has_cycles { &CLOCK_COLUMNS } else { &[] };
        let of_energy: &[&str] = if energy && self.energy.is_some() { &ENERGY_COLUMNS } else { &[] };
        of_clock.iter().chain(of_energy).copied().chain(self.counter_columns.iter().map(String::as_str)).collect()
    }
}

/// What a sweep's measuring came to so far, in this worker.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// What could have spoilt measurements.
    pub guards: Vec<Guard>,
    /// What the time went into.
    pub time_spent: TimeSpent,
}

/// Why a worker cannot do what it is asked: a [`DeviceError`] as it goes from process to process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Whether the device is not there.
    pub missing: bool,
    /// Why, in words.
    pub message: String,
}

impl From<DeviceError> for Refusal {
    fn from(error: DeviceError) -> Self {
        Self { missing: matches!(error, DeviceError::Missing(_)), message: error.to_string() }
    }
}

impl From<Refusal> for DeviceError {
    fn from(refusal: Refusal) -> Self {
        let Refusal { missing, message } = refusal;
        if missing { Self::Missing(message) } else { Self::Failed(message) }
    }
}

/// A request as a line.
///
/// # Errors
/// When it cannot be told in JSON.
pub fn request_line(request: &Request) -> Result<String, serde_json::Error> {
    serde_json::to_string(request).map(|json| json + "\n")
}

/// The request that a line holds.
///
/// # Errors
/// When it holds none.
pub fn read_request(line: &str) -> Result<Request, serde_json::Error> {
    serde_json::from_str(line)
}

/// A reply as text that begins on a line of its own, wherever printing left off.
///
/// # Errors
/// When it cannot be told in JSON.
pub fn reply_text(reply: &Reply) -> Result<String, serde_json::Error> {
    serde_json::to_string(reply).map(|json| format!("\n{MARK}{json}\n"))
}

/// The reply that a line holds; `None` where it is something printed.
pub fn read_reply(line: &str) -> Option<Result<Reply, serde_json::Error>> {
    line.strip_prefix(MARK).map(read)
}

fn read<T: DeserializeOwned>(json: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_read_back() {
        let begin = Begin {
            scenario: "small".to_owned(),
            file_name: "a \"file\".toml".to_owned(),
            text: "family = \"branching\"\n# π\n".to_owned(),
            kernel: None,
            directory: PathBuf::from("/tmp/ö"),
            settings: MeasureSettings { precision_pct: 0.1 + 0.2, ..MeasureSettings::default() },
        };
        for request in [
            Request::Open { device: "sim:a b.toml".to_owned(), counts: true, energy: true },
            Request::Begin(Box::new(begin)),
            Request::Measure { points: vec![3, 4], next: Some(vec![5]) },
            Request::RestoreClocks(Some(ClockTarget::Gpu { uuid: "GPU-1".to_owned() })),
            Request::RestoreClocks(None),
        ] {
            let line = request_line(&request).unwrap();
            assert_eq!(line.matches('\n').count(), 1, "a request is one line: {line}");
            assert_eq!(read_request(&line).unwrap(), request);
        }
    }

    #[test]
    fn replies_stand_apart_from_what_is_printed() {
        let refusal = Refusal { missing: true, message: "line one\nline two".to_owned() };
        let text = reply_text(&Reply::Refused(refusal.clone())).unwrap();
        let output = format!("printed without an end{text}printed again\n");
        let replies: Vec<_> = output.lines().filter_map(read_reply).collect();
        assert_eq!(replies.len(), 1);
        assert_eq!(replies[0].as_ref().unwrap(), &Reply::Refused(refusal));
        assert!(read_reply("{\"Refused\":{}}").is_none(), "without the mark it is printed text");
        assert!(read_reply(&format!("{MARK}nonsense")).unwrap().is_err());
    }

    #[test]
    fn a_missing_device_stays_missing() {
        let error = |error: DeviceError| DeviceError::from(Refusal::from(error));
        assert!(matches!(error(DeviceError::Missing("no".to_owned())), DeviceError::Missing(text) if text == "no"));
        assert!(matches!(error(DeviceError::Failed("bad".to_owned())), DeviceError::Failed(text) if text == "bad"));
    }
}
