//! What the command line names: a run directory, or published figures of a device.

use std::path::{Path, PathBuf};

use super::super::failure::Failure;
use crate::malformed::Malformed;
use crate::published::{EMBEDDED, Figure, devices, parse_published};
use crate::run::{METADATA_FILE, RunError};
use located_toml::regular_file;

/// The file of figures in a folder of them.
const PUBLISHED_FILE: &str = "published.csv";
/// The folder of those that the program was built with, too.
const PUBLISHED_FOLDER: &str = "results/published";

/// The file of published figures that is meant where none is named.
pub(super) fn default_file() -> PathBuf {
    Path::new(PUBLISHED_FOLDER).join(PUBLISHED_FILE)
}

/// One side of a comparison, as it was named.
#[derive(Debug, Clone)]
pub(super) enum Named {
    /// A run directory.
    Run(String),
    /// A file of published figures, and the device that is chosen of it.
    Published { file: PathBuf, device: Option<String> },
}

impl Named {
    /// Finds out what a name means: a run directory, or a folder or file of published figures with or without `:DEVICE`.
    pub(super) fn of(name: &str) -> Self {
        if let Some(file) = published_file(Path::new(name)) {
            return Self::Published { file, device: None };
        }
        if let Some((path, device)) = name.rsplit_once(':')
            && !Path::new(name).exists()
            && let Some(file) = published_file(Path::new(path))
        {
            return Self::Published { file, device: Some(device.trim().to_owned()) };
        }
        Self::Run(name.to_owned())
    }
}

fn published_file(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        let file = path.join(PUBLISHED_FILE);
        let is_published = file.exists() && !path.join(METADATA_FILE).exists();
        return is_published.then_some(file);
    }
    let own = path.strip_prefix("./").unwrap_or(path);
    if !path.exists() && [Path::new(PUBLISHED_FOLDER), &default_file()].contains(&own) {
        return Some(default_file());
    }
    let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    (path.exists() && is_csv).then(|| path.to_owned())
}

/// Reads a file of published figures. The one that is in the program, too, may be missing.
pub(super) fn read_published(file: &Path) -> Result<Vec<Figure>, Failure> {
    if file == default_file() && !file.exists() {
        return Ok(parse_published(file, EMBEDDED)?);
    }
    let bytes = regular_file::read(file).map_err(RunError::io(file))?;
    let text = String::from_utf8(bytes).map_err(|_| Malformed::new(file, None, "is not UTF-8 text"))?;
    Ok(parse_published(file, &text)?)
}

/// The device of published figures that a name means: its whole name, or a part that only one has, whatever the case.
pub(super) fn chosen_device(figures: &[Figure], wanted: Option<&str>) -> Result<String, Failure> {
    let names = devices(figures);
    let all = || names.join(", ");
    let Some(wanted) = wanted else {
        return match names[..] {
            [only] => Ok(only.to_owned()),
            [] => Err(Failure::Usage("no published figures are of this family".to_owned())),
            _ => Err(Failure::Usage(format!("which device's figures? Give --device NAME, or PATH:NAME: {}", all()))),
        };
    };
    let is = |name: &&&str| name.eq_ignore_ascii_case(wanted);
    if let Some(name) = names.iter().find(is) {
        return Ok((*name).to_owned());
    }
    let lower = wanted.to_lowercase();
    let like: Vec<&str> = names.iter().copied().filter(|name| name.to_lowercase().contains(&lower)).collect();
    match like[..] {
        [only] => Ok(only.to_owned()),
        [] => {
            Err(Failure::Usage(format!("no published figures of this family are of `{wanted}`; there are: {}", all())))
        }
        _ => Err(Failure::Usage(format!("`{wanted}` may be any of {}", like.join(", ")))),
    }
}
