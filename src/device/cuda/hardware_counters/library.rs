//! CUPTI's library: where it is looked for, and its functions.

use std::env;
use std::path::{Path, PathBuf};

use cudarc::cupti::sys;
use libloading::{Error, Library};

use crate::toolkit;

/// The environment variable that names the library.
const VARIABLE: &str = "APBENCH_CUPTI";
/// The names of the library, the newest first.
const NAMES: [&str; 3] = ["libcupti.so.13", "libcupti.so.12", "libcupti.so"];
/// Folders of a CUDA toolkit that have it.
const FOLDERS: [&str; 2] = ["extras/CUPTI/lib64", "lib64"];
/// What to do where there is none.
const HELP: &str = "it comes with the CUDA toolkit, and with `pip install nvidia-cuda-cupti`";

/// A function that takes the address of its parameters and gives a `CUptiResult`, which may be newer than any that is known here.
type Function<T> = unsafe extern "C" fn(*mut T) -> u32;

macro_rules! functions {
    ($($name:ident = $symbol:literal ($parameters:ident)),* $(,)?) => {
        /// The functions that counting needs.
        pub(super) struct Cupti {
            _library: Library,
            get_version: unsafe extern "C" fn(*mut u32) -> u32,
            get_result_string: unsafe extern "C" fn(u32, *mut *const std::ffi::c_char) -> u32,
            $(pub(super) $name: Function<sys::$parameters>,)*
        }

        impl Cupti {
            fn of(library: Library) -> Result<Self, Error> {
                // SAFETY: the types are those of CUPTI's headers; each function takes the address of one structure.
                unsafe {
                    let get_version = *library.get(b"cuptiGetVersion\0")?;
                    let get_result_string = *library.get(b"cuptiGetResultString\0")?;
                    $(let $name = *library.get(concat!($symbol, "\0").as_bytes())?;)*
                    Ok(Self { get_version, get_result_string, $($name,)* _library: library })
                }
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
    /// Opens the library: the one that the variable names, or the first that is found.
    ///
    /// # Errors
    /// Why there is none, in a sentence.
    pub(super) fn open() -> Result<Self, String> {
        if let Some(path) = env::var_os(VARIABLE) {
            let path = Path::new(&path);
            let library = load(path).map_err(|error| format!("{VARIABLE} names {}: {error}", path.display()))?;
            return Self::with(library, path);
        }
        let mut refusals = Vec::new();
        for path in places() {
            match load(&path) {
                Ok(library) => return Self::with(library, &path),
                Err(error) if path.is_file() => refusals.push(error.to_string()),
                Err(_) => (),
            }
        }
        match refusals.first() {
            Some(refusal) => Err(format!("CUPTI is there, but it cannot be opened: {refusal}")),
            None => Err(format!("no library libcupti: {HELP}; {VARIABLE} may name its file")),
        }
    }

    fn with(library: Library, path: &Path) -> Result<Self, String> {
        Self::of(library).map_err(|error| {
            format!("the CUPTI of {} is too old: counting needs that of CUDA 12.6 or newer ({error})", path.display())
        })
    }

    /// Its version, such as 130000; 0 where it does not say.
    pub(super) fn version(&self) -> u32 {
        let mut version = 0;
        // SAFETY: it writes the number.
        unsafe { (self.get_version)(&raw mut version) };
        version
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
        unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }
}

fn load(path: &Path) -> Result<Library, Error> {
    // SAFETY: the initialisers are those of NVIDIA's library, or of what the user named.
    unsafe { Library::new(path) }
}

/// Where it may be: the loader's folders, those of toolkits, those of wheels.
fn places() -> Vec<PathBuf> {
    let loader = NAMES.iter().map(PathBuf::from);
    let in_toolkits = toolkit::toolkits().into_iter().flat_map(|toolkit| FOLDERS.map(|folder| toolkit.join(folder)));
    let in_wheels = toolkit::wheels().into_iter().map(|wheel| wheel.join("lib"));
    let folders = in_toolkits.chain(in_wheels);
    loader.chain(folders.flat_map(|folder| NAMES.map(|name| folder.join(name)))).collect()
}
