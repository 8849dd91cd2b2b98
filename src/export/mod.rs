//! What points ask of a device, as files: another harness can load the same kernels and run the very same launches.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use ptx_requirements::RequirementError;
use serde::Serialize;

use crate::family::{Family, Request};
use crate::kernel::{Provenance, sha256};
use crate::parameter::Mismatch;
use crate::properties::Properties;
use crate::scenario::Point;
use crate::workload::{Submission, Workload};

mod data;
mod launch;

use data::Data;
use launch::LaunchFile;

/// What an export is, as JSON.
pub const INDEX_FILE: &str = "export.json";
/// The kernels.
pub const KERNELS_FILE: &str = "kernels.ptx";
/// What a point asks of a device, as JSON; paths in it are relative to its folder.
pub const LAUNCH_FILE: &str = "launch.json";
/// Contents of buffers, each once, named after their hash.
pub const DATA_FOLDER: &str = "data";
/// Version of the layout of these files; it rises when a key changes its name or meaning.
pub const FORMAT_VERSION: u32 = 1;

/// `export.json`.
#[derive(Debug, Serialize)]
struct Index<'a> {
    format_version: u32,
    apbench_version: &'static str,
    scenario: &'a str,
    family: &'static str,
    seed: u64,
    device: &'a str,
    kernels: Provenance,
    points: BTreeMap<usize, String>,
}

/// Where an export comes from.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The scenario's name.
    pub scenario: &'a str,
    /// The family whose kernels are exported.
    pub family: &'static Family,
    /// The device that is to run the points.
    pub device: &'a Properties,
    /// Seeds the inputs.
    pub seed: u64,
}

/// Why points could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The directory holds something already.
    #[error("{}: is not empty, and export never overwrites files; give a new directory", .0.display())]
    NotEmpty(PathBuf),
    /// A point does more than launch kernels.
    #[error("point {0} has transfers or work of the host, which cannot be exported; exclude it with --point or --set")]
    Phased(usize),
    /// The device repeats a point's launch.
    #[error("point {0} has a launch that the GPU repeats, which cannot be exported; exclude it with --point or --set")]
    Repeated(usize),
    /// A point is not of the family.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The kernels cannot be written as one text.
    #[error("the kernels: {0}")]
    Kernels(#[from] RequirementError),
    /// The path is taken by something else.
    #[error("{}: is a file, not a directory", .0.display())]
    NotADirectory(PathBuf),
}

impl ExportError {
    /// Names the file or directory that the operating system refused.
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

/// A folder that points are being exported to.
pub struct Exporter<'a> {
    directory: PathBuf,
    source: Source<'a>,
    kernels: Provenance,
    data: Data,
    points: BTreeMap<usize, String>,
}

/// The most that the buffers of these points take on the disk, in bytes: less where points share some.
///
/// # Errors
/// When a point is not of the family.
pub fn bytes_at_most(family: &Family, points: &[Point]) -> Result<u64, Mismatch> {
    let mut bytes = points.iter().map(|point| family.device_bytes(&point.parameters));
    bytes.try_fold(0_u64, |sum, bytes| Ok(sum.saturating_add(bytes?)))
}

impl<'a> Exporter<'a> {
    /// Makes the directory, or takes an empty one, and writes the kernels. Without `with_data`, contents of more than 64 KiB are left to whoever
    /// runs the launches.
    ///
    /// # Errors
    /// When the directory holds anything, or cannot be written.
    pub fn create(directory: &Path, source: Source<'a>, with_data: bool) -> Result<Self, ExportError> {
        if directory.exists() && !directory.is_dir() {
            return Err(ExportError::NotADirectory(directory.to_owned()));
        }
        fs::create_dir_all(directory).map_err(ExportError::io(directory))?;
        if fs::read_dir(directory).map_err(ExportError::io(directory))?.next().is_some() {
            return Err(ExportError::NotEmpty(directory.to_owned()));
        }
        let kernels = source.family.ptx.joined(source.device.capability())?;
        write_new(&directory.join(KERNELS_FILE), |file| file.write_all(kernels.as_bytes()))?;
        let data = Data::create(directory.join(DATA_FOLDER), with_data)?;
        let kernels = Provenance { ptx_sha256: sha256(kernels.as_bytes()), ..Provenance::of(source.family.ptx) };
        Ok(Self { directory: directory.to_owned(), source, kernels, data, points: BTreeMap::new() })
    }

    /// Builds a point's workload and writes it, and tells its folder.
    ///
    /// # Errors
    /// When a file cannot be written: it is named.
    pub fn add(&mut self, point: &Point) -> Result<PathBuf, ExportError> {
        let family = self.source.family;
        let request = Request {
            variant: point.variant.name,
            parameters: &point.parameters,
            device: self.source.device,
            seed: self.source.seed,
        };
        let workload = family.workload(&request)?;
        self.write(point, &workload)
    }

    fn write(&mut self, point: &Point, workload: &Workload) -> Result<PathBuf, ExportError> {
        if workload.has_phases() {
            return Err(ExportError::Phased(point.index));
        }
        if matches!(workload.submission, Submission::While { .. }) {
            return Err(ExportError::Repeated(point.index));
        }
        let buffers = self.data.add_all(&workload.buffers)?;
        let name = format!("point-{}", point.index);
        let folder = self.directory.join(&name);
        fs::create_dir(&folder).map_err(ExportError::io(&folder))?;
        write_json(&folder.join(LAUNCH_FILE), &LaunchFile::of(self.source.family, point, workload, buffers))?;
        self.points.insert(point.index, name);
        Ok(folder)
    }

    /// Writes what the export is, and tells how many bytes the buffers' files have.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self) -> Result<u64, ExportError> {
        let index = Index {
            format_version: FORMAT_VERSION,
            apbench_version: env!("CARGO_PKG_VERSION"),
            scenario: self.source.scenario,
            family: self.source.family.name,
            seed: self.source.seed,
            device: &self.source.device.spec,
            kernels: self.kernels,
            points: self.points,
        };
        write_json(&self.directory.join(INDEX_FILE), &index)?;
        Ok(self.data.bytes())
    }
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), ExportError> {
    write_new(path, |file| {
        serde_json::to_writer_pretty(&mut *file, value)?;
        file.write_all(b"\n")
    })
}

/// Writes a file that does not exist yet. An error, that of a full disk for one, names it.
fn write_new(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), ExportError> {
    let written = File::create_new(path).and_then(|file| {
        let mut file = BufWriter::with_capacity(1 << 20, file);
        write(&mut file)?;
        file.flush()
    });
    written.map_err(ExportError::io(path))
}

#[cfg(test)]
mod tests;
