//! From a device's specification on the command line to the device.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::cuda::{self, Cuda};
use super::mock::{Mock, MockSettings};
use super::sim::Sim;
use super::{Device, DeviceError};
use etcetera::BaseStrategy;
use gpu_simulator::profile::{Profile, embedded};
use located_toml::words::{nearest, quote};

/// The simulated device that stands in where there is no GPU.
const STAND_IN: &str = "h200";
/// Where profiles of the user's own are, below the folder of configurations.
const PROFILES_FOLDER: &str = "apbench/profiles";
/// A profile has about 30,000 bytes.
const PROFILE_BYTES_MAX: u64 = 1 << 20;

/// Which device to use.
#[derive(Debug, Clone, PartialEq)]
pub enum DeviceSpec {
    /// The first CUDA device, else a simulated one.
    Auto,
    /// The CUDA device of this ordinal.
    Cuda(usize),
    /// A simulated device: the name of a profile, one of the user's own included, or the path of its file.
    Simulated(String),
    /// The mock, for tests.
    Mock(Box<MockSettings>),
}

impl FromStr for DeviceSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || {
            let is_profile = embedded().iter().any(|profile| profile.name == text) || own_profile(text).is_some();
            let meant = if is_profile { format!("did you mean `sim:{text}`? ") } else { String::new() };
            format!(
                "`{text}` is not a device; {meant}expected auto, cuda:N such as cuda:0, sim:NAME such as sim:{STAND_IN}, or \
                 sim:FILE.toml"
            )
        };
        match text.split_once(':').unwrap_or((text, "")) {
            ("auto", "") => Ok(Self::Auto),
            ("cuda", ordinal) => ordinal.parse().map(Self::Cuda).map_err(|_| unknown()),
            ("sim", profile) if !profile.is_empty() => Ok(Self::Simulated(profile.to_owned())),
            ("mock", settings) => settings.parse().map(|settings| Self::Mock(Box::new(settings))),
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for DeviceSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => formatter.write_str("auto"),
            Self::Cuda(ordinal) => write!(formatter, "cuda:{ordinal}"),
            Self::Simulated(profile) => write!(formatter, "sim:{profile}"),
            Self::Mock(_) => formatter.write_str("mock"),
        }
    }
}

impl DeviceSpec {
    /// Opens the device. `note` is told where it is not the one that the user may expect.
    ///
    /// # Errors
    /// [`DeviceError::Missing`] where it is not there, [`DeviceError::Profile`] for a profile that is wrong, else what
    /// the driver says.
    pub fn open(&self, note: impl FnOnce(String)) -> Result<Box<dyn Device>, DeviceError> {
        match self {
            Self::Auto => match cuda::device_count() {
                Ok(_) => Ok(Box::new(Cuda::open(0)?)),
                Err(DeviceError::Missing(problem)) => {
                    let device = Sim::open(profile(STAND_IN)?);
                    let title = &device.profile().title;
                    note(format!("note: {problem}; simulating an {title} (sim:{STAND_IN})"));
                    Ok(Box::new(device))
                }
                Err(error) => Err(error),
            },
            Self::Cuda(ordinal) => match Cuda::open(*ordinal) {
                Err(DeviceError::Missing(problem)) if cuda::device_count().is_err() => {
                    Err(DeviceError::Missing(format!("{problem}; a simulated GPU needs none: --device sim:{STAND_IN}")))
                }
                opened => Ok(Box::new(opened?)),
            },
            Self::Simulated(spec) => Ok(Box::new(Sim::open(profile(spec)?))),
            Self::Mock(settings) => Ok(Box::new(Mock::new((**settings).clone()))),
        }
    }
}

/// The profile of a simulated device, by its name or the path of its file.
///
/// # Errors
/// [`DeviceError::Missing`] for a name that no profile has, [`DeviceError::Profile`] for a file that is no profile.
pub fn profile(spec: &str) -> Result<Profile, DeviceError> {
    let is_known = Profile::is_path(spec) || embedded().iter().any(|profile| profile.name == spec);
    let own = (!is_known).then(|| own_profile(spec));
    let spec = match own {
        None => spec.to_owned(),
        Some(Some(path)) => path.to_string_lossy().into_owned(),
        Some(None) => return Err(DeviceError::Missing(unknown(spec))),
    };
    Profile::load(&spec).map_err(DeviceError::Profile)
}

/// The folder of the user's own profiles; `None` where the user has no home.
pub fn profiles_folder() -> Option<PathBuf> {
    etcetera::choose_base_strategy().ok().map(|strategy| strategy.config_dir().join(PROFILES_FOLDER))
}

/// The profiles in the folder of the user's own, by name, which may be wrong.
pub fn own_profiles() -> Vec<String> {
    profiles_folder().map(|folder| names_in(&folder)).unwrap_or_default()
}

/// The profiles in the current folder, by name: files of other kinds are left out, unread where they are larger than any profile.
pub fn profiles_here() -> Vec<String> {
    let is_own = |name: &String| embedded().iter().all(|profile| profile.name != name);
    let is_profile = |name: &String| {
        let path = format!("{name}.toml");
        let is_small = std::fs::metadata(&path).is_ok_and(|own| own.len() <= PROFILE_BYTES_MAX);
        is_small && Profile::load(&path).is_ok()
    };
    names_in(Path::new(".")).into_iter().filter(is_own).filter(is_profile).collect()
}

/// The TOML files of a folder, by name.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).ok();
    let paths = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let is_profile = |path: &PathBuf| path.extension().is_some_and(|own| own == "toml") && path.is_file();
    let name = |path: PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let mut names: Vec<String> = paths.filter(is_profile).filter_map(name).collect();
    names.sort();
    names
}

/// The file of a profile of the user's own, by its name or its path; `None` where there is none, or it is one that comes with the program.
pub fn profile_file(spec: &str) -> Option<PathBuf> {
    if Profile::is_path(spec) { Some(PathBuf::from(spec)) } else { own_profile(spec) }
}

/// The file of a profile of the user's own: `NAME.toml` in the current folder, else in that of the user's own profiles.
fn own_profile(name: &str) -> Option<PathBuf> {
    let file = format!("{name}.toml");
    let places = [Some(PathBuf::from(&file)), profiles_folder().map(|folder| folder.join(&file))];
    places.into_iter().flatten().find(|path| path.is_file())
}

/// Says that no profile has this name, and which there are.
fn unknown(name: &str) -> String {
    let own: Vec<String> = profiles_here().into_iter().chain(own_profiles()).collect();
    unknown_beside(name, &own)
}

fn unknown_beside(name: &str, own: &[String]) -> String {
    let names: Vec<&str> = embedded().iter().map(|profile| profile.name).collect();
    let all: Vec<&str> = names.iter().copied().chain(own.iter().map(String::as_str)).collect();
    let meant = nearest(name, &all).map_or(String::new(), |near| format!("did you mean `sim:{near}`? "));
    let listed = |names: &[&str]| names.iter().map(|name| format!("sim:{name}")).collect::<Vec<_>>().join(", ");
    let yours = match own {
        [] => String::new(),
        _ => format!("; your own: {}", listed(&all[names.len()..])),
    };
    let wanted = quote(&format!("sim:{name}"));
    format!(
        "no device {wanted}: {meant}Simulated devices: {}{yours}, or a profile of your own: sim:FILE.toml, or sim:NAME for \
         NAME.toml here or in the folder that apbench devices names",
        listed(&names)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_read_back() {
        for text in ["auto", "cuda:0", "cuda:13", "sim:h200", "sim:profiles/my.toml", "mock"] {
            assert_eq!(text.parse::<DeviceSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_specifications_are_refused_with_what_is_allowed() {
        for text in ["", "cuda", "cuda:", "cuda:-1", "cuda:x", "sim", "sim:", "gpu0", "auto:1", "mock:speed=9"] {
            assert!(text.parse::<DeviceSpec>().is_err(), "{text}");
        }
        assert!("gpu0".parse::<DeviceSpec>().unwrap_err().contains("cuda:N"));
    }

    #[test]
    fn simulated_devices_are_opened_by_name_and_by_path() {
        for profile in embedded() {
            let spec: DeviceSpec = format!("sim:{}", profile.name).parse().unwrap();
            let device = spec.open(|note| panic!("{note}")).unwrap();
            assert_eq!(device.properties().spec, spec.to_string());
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, embedded()[0].text).unwrap();
        let spec = DeviceSpec::Simulated(path.display().to_string());
        assert_eq!(spec.open(|note| panic!("{note}")).unwrap().properties().spec, spec.to_string());
    }

    #[test]
    fn a_name_that_no_profile_has_is_missing_and_a_file_that_is_none_is_wrong() {
        let open = |spec: &str| DeviceSpec::Simulated(spec.to_owned()).open(|note| panic!("{note}")).err().unwrap();
        let DeviceError::Missing(message) = open("gtx28") else { panic!("not missing") };
        assert_eq!(
            message,
            "no device `sim:gtx28`: did you mean `sim:gtx280`? Simulated devices: sim:h200, sim:a100, sim:gtx280, \
             sim:8500gt, or a profile of your own: sim:FILE.toml, or sim:NAME for NAME.toml here or in the folder that apbench devices names"
        );
        let own = unknown_beside("my-gpx", &["my-gpu".to_owned()]);
        assert!(own.contains("did you mean `sim:my-gpu`?") && own.contains("your own: sim:my-gpu"), "{own}");
        let DeviceError::Profile(errors) = open("absent.toml") else { panic!("not a profile") };
        assert!(errors.to_string().contains("absent.toml"));
    }
}
