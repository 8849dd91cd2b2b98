//! Writes charts as files.

use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::output::tell;
use crate::chart::{Chart, ChartError, Look, Theme};
use crate::run::writer::replace_file;
use crate::scenario::ChartRequest;

/// A kind of picture file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// Sharp at any size; shows the values under the pointer
    Svg,
    /// Pixels, twice as many as the size says
    Png,
}

/// The look of a chart that this request describes.
pub(super) fn look(request: &ChartRequest, theme: Theme) -> Look {
    match request.size {
        Some((width, height)) => Look { theme, width: f64::from(width), height: Some(f64::from(height)) },
        None => Look { theme, ..Look::default() },
    }
}

/// Writes these charts into `folder`, each in these formats, and gives the files. A chart that has nothing to draw is told, and left out, and so
/// is a PNG that would be too large beside an SVG.
pub(super) fn write_pictures(
    pictures: &[(String, Chart)],
    look: &Look,
    formats: &[Format],
    folder: &Path,
) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for (name, chart) in pictures {
        let failed = |error| Failure::Other(format!("chart {name}: {error}"));
        let svg = match crate::chart::svg(chart, look) {
            Err(error @ ChartError::NoPoints) => {
                tell(format!("note: chart {name} is not drawn: {error}"));
                continue;
            }
            result => result.map_err(failed)?,
        };
        for format in formats {
            let (extension, contents) = match format {
                Format::Svg => ("svg", svg.clone().into_bytes()),
                Format::Png => match crate::chart::png(&svg) {
                    Err(error @ ChartError::TooLarge { .. }) if formats.contains(&Format::Svg) => {
                        tell(format!("note: chart {name} is drawn as SVG alone: {error} for a PNG"));
                        continue;
                    }
                    result => ("png", result.map_err(failed)?),
                },
            };
            let path = folder.join(format!("{name}.{extension}"));
            replace_file(&path, &contents)?;
            files.push(path);
        }
    }
    Ok(files)
}
