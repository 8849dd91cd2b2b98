//! Prints what the kernels of a PTX file need, and with a folder writes them as texts that ask for no more:
//!
//!     cargo run -p ptx-requirements --example lower -- kernels.ptx [FOLDER]

use std::error::Error;
use std::path::Path;

use ptx_requirements::{Level, Release, split};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: lower FILE.ptx [FOLDER]")?;
    let folder = arguments.next();
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    for part in split(&text, Level::new((7, 4), 52)).map_err(|error| format!("{path}: {error}"))? {
        let driver = Release::of_ptx(part.level.version).map_or("an unknown one", |release| release.driver);
        println!("{}, driver {driver} or later: {}", part.level, part.kernels.join(", "));
        if let Some(folder) = &folder {
            let name = Path::new(&path).file_stem().unwrap_or_default().to_string_lossy();
            let file = Path::new(folder).join(format!("{name}.sm_{}.ptx", part.level.target));
            std::fs::write(&file, part.text).map_err(|error| format!("{}: {error}", file.display()))?;
        }
    }
    Ok(())
}
