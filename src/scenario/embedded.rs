//! The scenarios that come with the program. It holds their texts, so an installed program needs no folder beside it.

use std::path::{Path, PathBuf};

use located_toml::words::same_name;

/// The folder of the repository that they are from.
const FOLDER: &str = "scenarios";

/// A scenario that comes with the program.
#[derive(Debug)]
pub struct Embedded {
    /// The stem of its file.
    pub name: &'static str,
    /// Its file's text.
    pub text: &'static str,
}

/// A row for each name: the scenario of `scenarios/NAME.toml`.
macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(Embedded { name: $name, text: include_str!(concat!("../../scenarios/", $name, ".toml")) }),*]
    };
}

/// All of them, by name.
pub static EMBEDDED: &[Embedded] = embedded![
    "address-translation",
    "asynchronous-copies",
    "atomic-aggregation",
    "atomic-aggregation-blocks",
    "atomic-rate",
    "atomic-types",
    "atomics",
    "bank-conflicts",
    "block-size-1d",
    "block-size-2d",
    "block-size-square",
    "block-start",
    "block-sync",
    "branching",
    "branching-remedies",
    "branching-unequal",
    "branching-weighted",
    "cluster-aggregation",
    "cluster-barrier",
    "cluster-exchange",
    "cluster-sum",
    "copy-blocks",
    "copy-stages",
    "data-layout",
    "data-layout-unused",
    "elements-per-thread",
    "energy-of-branching",
    "energy-of-data",
    "fences",
    "fences-loads",
    "fences-release",
    "fences-work",
    "global-access",
    "global-crossed",
    "global-stride",
    "global-sync",
    "histogram",
    "instruction-latency",
    "instruction-rate",
    "l2-residency",
    "l2-sectors",
    "l2-slices",
    "launch-overlap",
    "launch-overlap-blocks",
    "launch-rate",
    "matrix-fragments",
    "matrix-tiles",
    "memory-bandwidth",
    "memory-latency",
    "occupancy",
    "partition-camping",
    "prefix-sum",
    "reduction",
    "reduction-1g",
    "reduction-sizes",
    "select-sum",
    "select-sum-streams",
    "shared-access",
    "shared-bandwidth",
    "stencil-halo",
    "sum-reordering",
    "synchronisation-cost",
    "tile-swizzles",
    "transpose",
    "transpose-rows",
    "trapezoid",
    "wait-cost",
];

/// Where the text of a scenario is.
#[derive(Debug)]
pub enum Origin {
    /// In this file, which may be missing.
    File(PathBuf),
    /// In the program.
    Program(&'static Embedded),
}

impl Origin {
    /// What someone means by `branching`, `scenarios/branching.toml` or the path of any file. Files come first: a name means
    /// the file in the folder `scenarios` where that is there, so that changes to it count.
    pub fn of(path: &Path) -> Self {
        if path.is_file() {
            return Self::File(path.to_owned());
        }
        let Some(name) = name_of(path) else { return Self::File(path.to_owned()) };
        let names = [name.to_owned(), name.replace('_', "-"), name.replace('-', "_")];
        let mut files = names.iter().map(|name| Path::new(FOLDER).join(format!("{name}.toml")));
        if let Some(file) = files.find(|file| file.is_file()) {
            return Self::File(file);
        }
        Embedded::named(name).map_or_else(|| Self::File(path.to_owned()), Self::Program)
    }
}

impl Embedded {
    /// The one of this name, with `-` or `_`.
    pub fn named(name: &str) -> Option<&'static Self> {
        EMBEDDED.iter().find(|own| same_name(own.name, name))
    }

    /// What errors call it.
    pub fn title_in_errors(&self) -> String {
        format!("{FOLDER}/{}.toml", self.name)
    }
}

/// The name in `NAME` or `scenarios/NAME.toml`.
fn name_of(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let in_folder =
        text.strip_prefix("./").unwrap_or(text).strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/'));
    let name = in_folder.map_or(Some(text), |file| file.strip_suffix(".toml"))?;
    (!name.is_empty() && !name.contains(['/', '.'])).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_mean_the_same_scenario() {
        for path in ["branching", "scenarios/branching.toml", "./scenarios/branching.toml"] {
            assert_eq!(name_of(Path::new(path)), Some("branching"), "{path}");
        }
        for path in
            ["branching.toml", "elsewhere/branching.toml", "scenarios/deep/branching.toml", "scenarios/", "..", ""]
        {
            assert_eq!(name_of(Path::new(path)), None, "{path}");
        }
    }
}
