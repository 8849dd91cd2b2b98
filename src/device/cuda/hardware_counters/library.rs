//! CUPTI's library: where it is looked for, and its functions.

use std::env;
use std::ffi::{CStr, OsStr, c_char};
use std::path::{Path, PathBuf};

use cudarc::cupti::sys;
use libloading::{Error, Library};

use super::super::library::refusal;
use crate::toolkit;

/// The environment variable that names the library.
const VARIABLE: &str = "APBENCH_CUPTI";
/// The names of the library, the newest first.
const NAMES: [&str; 3] = ["libcupti.so.13", "libcupti.so.12", "libcupti.so"];
/// Folders of a CUDA toolkit that have it.
const FOLDERS: [&str; 2] = ["extras/CUPTI/lib64", "lib64"];
/// The library with what CUPTI knows of metrics.
const HOST: &str = "libnvperf_host.so";
/// What to do where there is none.
const HELP: &str = "it comes with the CUDA toolkit, and with `pip install nvidia-cuda-cupti`";
/// Versions below this are numbers of the interface; from it on they are those of toolkits, such as 130001 for CUDA 13.0.
const FIRST_TOOLKIT_VERSION: u32 = 10_000;

/// A function that takes the address of its parameters and gives a `CUptiResult`, which may be newer than any that is known here.
type Function<T> = unsafe extern "C" fn(*mut T) -> u32;

macro_rules! functions {
    ($($name:ident = $symbol:literal ($parameters:ident)),* $(,)?) => {
        /// The functions that counting needs.
        pub(super) struct Cupti {
            /// What keeps the functions loaded; `None` where they are part of this program, as in tests.
            #[expect(dead_code, reason = "it is closed when this is dropped")]
            pub(super) library: Option<Library>,
            /// The library that it opens by its name, wherever that is.
            #[expect(dead_code, reason = "it is closed when this is dropped")]
            pub(super) host: Option<Library>,
            /// The file that they are of, by the name that it was opened with.
            pub(super) path: PathBuf,
            pub(super) get_version: unsafe extern "C" fn(*mut u32) -> u32,
            pub(super) get_result_string: unsafe extern "C" fn(u32, *mut *const c_char) -> u32,
            $(pub(super) $name: Function<sys::$parameters>,)*
        }

        impl Cupti {
            fn of(library: Library, host: Option<Library>, path: &Path) -> Result<Self, Error> {
                // SAFETY: the types are those of CUPTI's headers; each function takes the address of one structure.
                unsafe {
                    let get_version = *library.get(b"cuptiGetVersion\0")?;
                    let get_result_string = *library.get(b"cuptiGetResultString\0")?;
                    $(let $name = *library.get(concat!($symbol, "\0").as_bytes())?;)*
                    let path = path.to_owned();
                    Ok(Self { get_version, get_result_string, $($name,)* path, host, library: Some(library) })
                }
            }
        }

        /// The name in the library of a function of the table.
        pub(super) fn symbol(function: &str) -> &str {
            match function {
                $(stringify!($name) => $symbol,)*
                other => other,
            }
        }
    };
}

functions! {
    initialize = "cuptiProfilerInitialize"(CUpti_Profiler_Initialize_Params),
    chip_name = "cuptiDeviceGetChipName"(CUpti_Device_GetChipName_Params),
    availability = "cuptiProfilerGetCounterAvailability"(CUpti_Profiler_GetCounterAvailability_Params),
    host_initialize = "cuptiProfilerHostInitialize"(CUpti_Profiler_Host_Initialize_Params),
    host_deinitialize = "cuptiProfilerHostDeinitialize"(CUpti_Profiler_Host_Deinitialize_Params),
    host_add_metrics = "cuptiProfilerHostConfigAddMetrics"(CUpti_Profiler_Host_ConfigAddMetrics_Params),
    host_config_size = "cuptiProfilerHostGetConfigImageSize"(CUpti_Profiler_Host_GetConfigImageSize_Params),
    host_config = "cuptiProfilerHostGetConfigImage"(CUpti_Profiler_Host_GetConfigImage_Params),
    host_evaluate = "cuptiProfilerHostEvaluateToGpuValues"(CUpti_Profiler_Host_EvaluateToGpuValues_Params),
    range_enable = "cuptiRangeProfilerEnable"(CUpti_RangeProfiler_Enable_Params),
    range_disable = "cuptiRangeProfilerDisable"(CUpti_RangeProfiler_Disable_Params),
    range_data_size = "cuptiRangeProfilerGetCounterDataSize"(CUpti_RangeProfiler_GetCounterDataSize_Params),
    range_data_initialize =
        "cuptiRangeProfilerCounterDataImageInitialize"(CUpti_RangeProfiler_CounterDataImage_Initialize_Params),
    range_configure = "cuptiRangeProfilerSetConfig"(CUpti_RangeProfiler_SetConfig_Params),
    range_start = "cuptiRangeProfilerStart"(CUpti_RangeProfiler_Start_Params),
    range_push = "cuptiRangeProfilerPushRange"(CUpti_RangeProfiler_PushRange_Params),
    range_pop = "cuptiRangeProfilerPopRange"(CUpti_RangeProfiler_PopRange_Params),
    range_stop = "cuptiRangeProfilerStop"(CUpti_RangeProfiler_Stop_Params),
    range_decode = "cuptiRangeProfilerDecodeData"(CUpti_RangeProfiler_DecodeData_Params),
}

impl Cupti {
    /// Opens the library: the one that the environment names, or the first that is found.
    ///
    /// # Errors
    /// Why there is none, in a sentence.
    pub(super) fn open() -> Result<Self, String> {
        Self::find(env::var_os(VARIABLE).as_deref(), &places(&toolkit::toolkits(), &toolkit::wheels()))
    }

    /// Opens the library that is named, or the first of `places` that can be opened and has all functions.
    ///
    /// # Errors
    /// Why there is none, in a sentence.
    pub(super) fn find(named: Option<&OsStr>, places: &[PathBuf]) -> Result<Self, String> {
        if let Some(path) = named.map(Path::new) {
            let library = load(path)
                .map_err(|error| format!("{VARIABLE} names {}: {}", path.display(), words_beside(&error, path)))?;
            return Self::with(library, path);
        }
        let mut refusals = Vec::new();
        for path in places {
            match load(path) {
                Ok(library) => match Self::with(library, path) {
                    Ok(cupti) => return Ok(cupti),
                    Err(too_old) => refusals.push(too_old),
                },
                Err(error) => refusals.extend(
                    refusal(&name_of_file(path), &error)
                        .map(|words| format!("CUPTI is there, but it cannot be opened: {words}")),
                ),
            }
        }
        let none = || format!("no library libcupti: {HELP}; {VARIABLE} may name its file");
        Err(refusals.into_iter().next().unwrap_or_else(none))
    }

    fn with(library: Library, path: &Path) -> Result<Self, String> {
        // CUPTI opens it by its name, which the loader does not find beside it, as in wheels, unless it is open already.
        let host = path.parent().filter(|folder| !folder.as_os_str().is_empty()).map(|folder| folder.join(HOST));
        let host = host.and_then(|host| load(&host).ok());
        Self::of(library, host, path).map_err(|error| {
            format!(
                "{} is no CUPTI, or too old a one: counting needs that of CUDA 12.6 Update 2 or newer ({})",
                path.display(),
                words_beside(&error, path)
            )
        })
    }

    /// Its version in words: `CUPTI 13.0`.
    pub(super) fn version(&self) -> String {
        let mut version = 0;
        // SAFETY: it writes the number.
        unsafe { (self.get_version)(&raw mut version) };
        // Of older ones, by the table in `cupti_version.h`.
        match version {
            24 => "CUPTI 12.6".to_owned(),
            26 => "CUPTI 12.8".to_owned(),
            27 | 28 => "CUPTI 12.9".to_owned(),
            FIRST_TOOLKIT_VERSION.. => format!("CUPTI {}.{}", version / 10_000, version / 100 % 100),
            _ => format!("CUPTI with interface {version}"),
        }
    }

    /// The name of a result: `CUPTI_ERROR_HARDWARE_BUSY`.
    pub(super) fn name_of(&self, result: u32) -> String {
        let mut name = std::ptr::null();
        // SAFETY: it writes the address of a text that lives as long as the library.
        let known = unsafe { (self.get_result_string)(result, &raw mut name) };
        if known != 0 || name.is_null() {
            return format!("error {result}");
        }
        // SAFETY: as above.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }
}

fn load(path: &Path) -> Result<Library, Error> {
    // SAFETY: the initialisers are those of NVIDIA's library, or of what the user named.
    unsafe { Library::new(path) }
}

/// What the loader says of a file, without its path, which it may have begun with.
fn words_beside(error: &Error, path: &Path) -> String {
    let words = match error {
        Error::DlOpen { source } | Error::DlSym { source } => source.to_string(),
        other => other.to_string(),
    };
    words.strip_prefix(&format!("{}: ", path.display())).map(str::to_owned).unwrap_or(words)
}

fn name_of_file(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Where it may be: the loader's folders, those of toolkits, those of wheels.
fn places(toolkits: &[PathBuf], wheels: &[PathBuf]) -> Vec<PathBuf> {
    let loader = NAMES.iter().map(PathBuf::from);
    let in_toolkits = toolkits.iter().flat_map(|toolkit| FOLDERS.map(|folder| toolkit.join(folder)));
    let in_wheels = wheels.iter().map(|wheel| wheel.join("lib"));
    let folders = in_toolkits.chain(in_wheels);
    loader.chain(folders.flat_map(|folder| NAMES.map(|name| folder.join(name)))).collect()
}

#[cfg(test)]
mod tests;
