//! Files that buffers are filled with or compared with: which points need, and what they hold once they were read.

use std::collections::HashSet;
use std::sync::PoisonError;

use serde::{Deserialize, Serialize};

use super::{Fill, Output, UserKernel, entry, scope};
use crate::parameter::ParameterSet;
use crate::workload::{Element, Words};

/// The name of a file, from the scenario's directory. `{name}` stands for the value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileName(String);

impl FileName {
    /// From the name as the scenario has it.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The name as the scenario has it.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The name at these values.
    pub fn at(&self, parameters: &ParameterSet) -> String {
        entry::with_parameters(&self.0, parameters)
    }
}

/// Gives the contents of files, or says that they were not read.
pub(super) type FileReader<'a> = &'a dyn Fn(&FileName) -> Result<Words, String>;

/// A file that a run needs: what it is known by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFile {
    /// Its name, from the scenario's directory.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
}

/// The key of a buffer that names a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKey {
    /// What the buffer is filled with.
    Fill,
    /// What it is compared with.
    Check,
}

impl FileKey {
    /// The key as scenarios have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fill => "fill",
            Self::Check => "check",
        }
    }
}

/// A file that points need, and what it must hold.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileUse {
    /// The key that names it.
    pub key: FileKey,
    /// Its buffer.
    pub buffer: &'static str,
    /// Its name, from the scenario's directory.
    pub name: String,
    /// The type of the buffer's elements.
    pub element: Element,
    /// How many the buffer has.
    pub elements: u64,
    /// The values that this number follows from: `width=64`.
    pub at: String,
}

impl UserKernel {
    /// The files that points with these values need, each once for every length that it must have.
    pub fn file_uses<'a>(&self, points: impl Iterator<Item = &'a ParameterSet>) -> Vec<FileUse> {
        let buffers = self.description.buffers.iter();
        let named = buffers.flat_map(|buffer| {
            let fill = match &buffer.fill {
                Fill::File(name) => Some((FileKey::Fill, name)),
                _ => None,
            };
            let check = match &buffer.output {
                Output::File(name, _) => Some((FileKey::Check, name)),
                _ => None,
            };
            fill.into_iter().chain(check).map(move |(key, name)| (buffer, key, name))
        });
        let named: Vec<_> = named.collect();
        let mut all = Vec::new();
        if named.is_empty() {
            return all;
        }
        let mut seen = HashSet::new();
        for parameters in points {
            let scope = scope(parameters);
            for (buffer, key, name) in &named {
                // A length without a value was told when the points were made.
                let Ok(elements) = buffer.elements(&scope) else { continue };
                let value = |name: &String| Some(format!("{name}={}", parameters.get(name)?));
                let at: Vec<String> = buffer.length.names().iter().filter_map(value).collect();
                let (key, name, element) = (*key, name.at(parameters), buffer.element);
                let own = FileUse { key, buffer: buffer.name, name, element, elements, at: at.join(" ") };
                if seen.insert(own.clone()) {
                    all.push(own);
                }
            }
        }
        all
    }

    /// Keeps the contents of files, by their names, for the workloads that are built here.
    pub fn keep_contents<'a>(&self, files: impl IntoIterator<Item = (&'a str, Words)>) {
        let mut contents = self.contents.write().unwrap_or_else(PoisonError::into_inner);
        contents.extend(files.into_iter().map(|(name, words)| (name.to_owned(), words)));
    }

    /// The contents of a file.
    ///
    /// # Errors
    /// Where it was not read.
    pub(super) fn contents(&self, name: &str) -> Result<Words, String> {
        let contents = self.contents.read().unwrap_or_else(PoisonError::into_inner);
        contents.get(name).cloned().ok_or_else(|| format!("{name} was not read for this point"))
    }
}
