//! Noise floors: how much times of the same kernel differ on a device. They are kept between commands in the user's state
//! directory: `$XDG_STATE_HOME/apbench/noise-floors.json`, or `~/.local/state/apbench/noise-floors.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use etcetera::BaseStrategy;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};

use crate::properties::Properties;
use crate::run::RunError;
use crate::run::metadata::NoiseFloor;
use crate::run::writer::replace_file;
use located_toml::regular_file;

const FILE: &str = "apbench/noise-floors.json";

/// The file's contents.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Floors {
    /// By [`key`].
    floors: BTreeMap<String, NoiseFloor>,
}

/// What a device's noise floor belongs to: the device and the driver that runs it.
fn key(properties: &Properties) -> String {
    let device = properties.uuid.as_ref().unwrap_or(&properties.spec);
    let driver = properties.driver_version.as_deref().unwrap_or("none");
    format!("{device} driver {driver}")
}

/// Where noise floors are kept; `None` where the user has no home.
pub fn path() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.state_dir().unwrap_or_else(|| strategy.data_dir()).join(FILE))
}

/// The noise floor of a device, as `selfcheck` found it; `None` where it has not, or its file is not to be read, which
/// `note` is told of.
pub fn of(properties: &Properties, note: impl FnOnce(String)) -> Option<NoiseFloor> {
    read(&path()?, note).floors.remove(&key(properties))
}

/// Keeps the noise floor of a device, and gives the file that it is kept in.
///
/// # Errors
/// When there is no home for it, or it cannot be written.
pub fn store(properties: &Properties, floor: &NoiseFloor, note: impl FnOnce(String)) -> Result<PathBuf, RunError> {
    let path = path().ok_or_else(|| {
        RunError::io(Path::new(FILE))(io::Error::new(
            io::ErrorKind::NotFound,
            "there is no home directory to keep it in",
        ))
    })?;
    let mut floors = read(&path, note);
    floors.floors.insert(key(properties), floor.clone());
    let mut json = serde_json::to_string_pretty(&floors).map_err(|error| RunError::io(&path)(error.into()))?;
    json.push('\n');
    let folder = path.parent().unwrap_or(&path);
    fs::create_dir_all(folder).map_err(RunError::io(folder))?;
    replace_file(&path, json.as_bytes())?;
    Ok(path)
}

fn read(path: &Path, note: impl FnOnce(String)) -> Floors {
    let text = match regular_file::read_text(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Floors::default(),
        Err(error) => {
            note(format!("note: noise floors are not known: {}: {error}", path.display()));
            return Floors::default();
        }
    };
    let floors = parse(&text).unwrap_or_else(|error| {
        note(format!("note: noise floors are not known: {}: {error}", path.display()));
        BTreeMap::new()
    });
    Floors { floors }
}

/// Noise floors from the file's text, by device and driver.
///
/// # Errors
/// When the text is not such a file, or a floor in it is below zero.
pub fn parse(text: &str) -> Result<BTreeMap<String, NoiseFloor>, serde_json::Error> {
    let Floors { floors } = serde_json::from_str(text)?;
    match floors.iter().find(|(_, floor)| floor.floor_pct < 0.0) {
        Some((device, floor)) => {
            Err(serde_json::Error::custom(format!("the floor of {device} is {} %, below zero", floor.floor_pct)))
        }
        None => Ok(floors),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::device::mock::{Mock, MockSettings};

    #[test]
    fn floors_belong_to_a_device_and_its_driver() {
        let mut properties = Mock::new(MockSettings::default()).properties().clone();
        assert_eq!(key(&properties), "mock driver none");
        properties.uuid = Some("GPU-1".to_owned());
        properties.driver_version = Some("580.95.05".to_owned());
        assert_eq!(key(&properties), "GPU-1 driver 580.95.05");
    }

    const NEGATIVE: &str = r#"{"floors": {"mock": {"floor_pct": -0.1, "comparisons": 40, "measured_at": "today"}}}"#;

    #[test]
    fn a_file_that_is_none_is_as_good_as_absent_with_a_note() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("floors.json");
        assert!(read(&path, |note| panic!("{note}")).floors.is_empty());
        for text in ["{", "[]", "{\"floors\": {\"mock\": 3}}", NEGATIVE] {
            fs::write(&path, text).unwrap();
            let mut notes = Vec::new();
            assert!(read(&path, |note| notes.push(note)).floors.is_empty());
            assert!(notes[0].contains("floors.json"), "{notes:?}");
        }
        let floor =
            NoiseFloor { floor_pct: 0.25, comparisons: 40, measured_at: "2026-01-02T03:04:05+00:00".to_owned() };
        let floors = Floors { floors: BTreeMap::from([("mock".to_owned(), floor.clone())]) };
        fs::write(&path, serde_json::to_string(&floors).unwrap()).unwrap();
        assert_eq!(read(&path, |note| panic!("{note}")).floors["mock"], floor);
    }
}
