//! Where runs go that are not told where.

use std::path::{Path, PathBuf};
use std::{fs, io};

use jiff::Zoned;

use crate::device::Properties;
use crate::document::words::slug;
use crate::run::RunError;

/// The folder of all such runs.
const RESULTS_FOLDER: &str = "results";

/// Makes a directory under `results/`, named after scenario, device and time, that no other run has.
pub(super) fn new_directory(scenario: &str, properties: &Properties) -> Result<PathBuf, RunError> {
    let time = Zoned::now().strftime("%Y%m%d-%H%M%S");
    let name = format!("{scenario}-{}-{time}", slug(&properties.name));
    let results = Path::new(RESULTS_FOLDER);
    fs::create_dir_all(results).map_err(RunError::io(results))?;
    let mut directory = results.join(&name);
    for number in 2.. {
        match fs::create_dir(&directory) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                directory = results.join(format!("{name}-{number}"));
            }
            made => return made.map(|()| directory.clone()).map_err(RunError::io(&directory)),
        }
    }
    Ok(directory)
}
