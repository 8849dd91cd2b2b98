//! Where toolkits and NVIDIA's wheels are.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of toolkits: those that the environment names, then the usual one.
pub fn toolkits() -> Vec<PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    named.chain([PathBuf::from("/usr/local/cuda")]).collect()
}

/// Folders of NVIDIA's wheels in the active Python environment, each with `lib` or `bin` in it: of CUDA 13, and of the wheels of 12.
pub fn wheels() -> Vec<PathBuf> {
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let user = env::var_os("HOME").map(|home| Path::new(&home).join(".local"));
    environments.chain(user).flat_map(|environment| wheels_in(&environment)).collect()
}

/// Folders of NVIDIA's wheels in a Python environment.
pub fn wheels_in(environment: &Path) -> Vec<PathBuf> {
    let pythons = entries(&environment.join("lib"));
    let found = pythons.iter().flat_map(|python| entries(&python.join("site-packages/nvidia")));
    // Some wheels have a file there, too.
    found.filter(|path| path.is_dir()).collect()
}

/// What is in a folder, in the order of the names; nothing where there is none.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut entries: Vec<PathBuf> = entries.collect();
    entries.sort();
    entries
}

/// Folders with headers of CUDA, such as `cooperative_groups.h`.
pub fn headers() -> Vec<PathBuf> {
    let of_toolkits = toolkits().into_iter().map(|toolkit| toolkit.join("include"));
    let all = of_toolkits.chain(wheels().into_iter().map(|wheel| wheel.join("include")));
    all.filter(|folder| folder.is_dir()).collect()
}
