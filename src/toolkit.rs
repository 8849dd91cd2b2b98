//! Where toolkits and NVIDIA's wheels are.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of toolkits: those that the environment names, then the usual one.
pub fn toolkits() -> Vec<PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    named.chain([PathBuf::from("/usr/local/cuda")]).collect()
}

/// Folders of NVIDIA's wheels in the active Python environment, in that of the `PATH`'s Python and the user's, each with `lib` or `bin` in it: of CUDA 13, and of the wheels of 12.
pub fn wheels() -> Vec<PathBuf> {
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let user = env::var_os("HOME").map(|home| Path::new(&home).join(".local"));
    let mut all: Vec<PathBuf> =
        environments.chain(of_path(&env::var_os("PATH").unwrap_or_default())).chain(user).collect();
    let mut seen = Vec::new();
    all.retain(|own| {
        !seen.contains(own) && {
            seen.push(own.clone());
            true
        }
    });
    all.iter().flat_map(|environment| wheels_in(environment)).collect()
}

/// The environment of the first Python of a `PATH`: nobody activates one that is there anyway.
fn of_path(path: &OsStr) -> Option<PathBuf> {
    let python = env::split_paths(path).map(|folder| folder.join("python3")).find(|python| python.is_file())?;
    Some(python.parent()?.parent()?.to_owned())
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

/// Folders with headers of CUDA, such as `cooperative_groups.h`, and of the libraries that it includes from CUDA 13 on, such as `cuda/std/type_traits`.
pub fn headers() -> Vec<PathBuf> {
    headers_of(toolkits().into_iter().chain(wheels()))
}

/// Folders with headers below toolkits and wheels: CUDA 13 has those of libcu++, CUB and Thrust in a folder of their own.
fn headers_of(places: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let all = places.map(|place| place.join("include")).flat_map(|include| [include.clone(), include.join("cccl")]);
    all.filter(|folder| folder.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_libraries_of_cuda_13_are_in_a_folder_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["12", "13"].map(|version| folder.path().join(version));
        fs::create_dir_all(old.join("include")).unwrap();
        fs::create_dir_all(new.join("include/cccl/cuda/std")).unwrap();
        let all = headers_of([old.clone(), new.clone(), folder.path().join("none")].into_iter());
        assert_eq!(all, [old.join("include"), new.join("include"), new.join("include/cccl")]);
    }

    #[test]
    fn the_first_python_of_the_path_has_an_environment() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("environment/bin");
        fs::create_dir_all(&bin).unwrap();
        fs::write(bin.join("python3"), "").unwrap();
        let path = env::join_paths([folder.path().join("elsewhere"), bin]).unwrap();
        assert_eq!(of_path(&path), Some(folder.path().join("environment")));
        assert_eq!(of_path(OsStr::new("")), None);
    }
}
