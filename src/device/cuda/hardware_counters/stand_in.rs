//! A CUPTI without a GPU, for tests: functions of this program in the table of the library's, which do what a test scripts.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, c_char, c_void};
use std::mem::offset_of;
use std::path::PathBuf;
use std::ptr::without_provenance_mut;

use cudarc::cupti::sys;

use super::library::Cupti;

/// The context that counters are asked of.
pub(super) const CONTEXT: usize = 0xC0;
/// The ordinal of its device.
pub(super) const ORDINAL: usize = 3;
const HOST: usize = 0xA0;
const RANGE: usize = 0xB0;
const CHIP: &CStr = c"GH100";
const AVAILABLE: [u8; 3] = [7, 8, 9];
/// The result for parameters that are wrong, also for a metric that the chip does not have.
const INVALID_PARAMETER: u32 = sys::CUptiResult::CUPTI_ERROR_INVALID_PARAMETER as u32;
/// The result of a host object that has refused a metric before, whatever is asked of it: so does CUPTI 12.6 to 13.0.
const UNKNOWN: u32 = sys::CUptiResult::CUPTI_ERROR_UNKNOWN as u32;
/// What the counter data begins with once it has been decoded.
const DECODED: u8 = 0xDA;

/// What the stand-in of a thread is to do, and what was done with it.
#[derive(Default)]
pub(super) struct Script {
    /// What `cuptiGetVersion` says.
    pub(super) version: u32,
    /// The metrics that the GPU has, with their values.
    pub(super) metrics: BTreeMap<String, f64>,
    /// The passes that they take.
    pub(super) passes: usize,
    /// Functions that refuse, by their name in the table, with the result that they give.
    pub(super) refusals: BTreeMap<&'static str, u32>,
    /// The size of the configuration's image.
    pub(super) config_bytes: usize,
    /// The size of the counter data.
    pub(super) data_bytes: usize,
    /// The functions that were called, in order, and what tests put between them.
    pub(super) calls: Vec<&'static str>,
    /// Calls that CUPTI would not have understood.
    pub(super) problems: Vec<String>,
    /// What is on: `host`, `range`, `pass`, `pushed`.
    pub(super) open: BTreeSet<&'static str>,
    added: Vec<String>,
    /// Whether the host object has refused a metric.
    spoilt: bool,
    /// The counter data that was configured, by its address and size.
    configured: Option<(usize, usize)>,
    passes_done: usize,
}

thread_local! {
    static SCRIPT: RefCell<Script> = RefCell::default();
}

/// Reads or changes this thread's script.
pub(super) fn script<T>(with: impl FnOnce(&mut Script) -> T) -> T {
    SCRIPT.with_borrow_mut(with)
}

impl Script {
    /// Notes a call, and gives the result that was scripted for the function.
    fn call(&mut self, function: &'static str, said_bytes: usize, bytes: usize) -> Option<u32> {
        self.calls.push(function);
        self.expect(said_bytes == bytes, &format!("{function}: structSize {said_bytes} in place of {bytes}"));
        self.refusals.get(function).copied()
    }

    fn expect(&mut self, is_so: bool, problem: &str) {
        if !is_so {
            self.problems.push(problem.to_owned());
        }
    }

    /// Begins what cannot be on twice.
    fn begin(&mut self, what: &'static str) {
        let is_new = self.open.insert(what);
        self.expect(is_new, &format!("{what} begun twice"));
    }

    /// Ends what must be on.
    fn end(&mut self, what: &'static str) {
        let was_on = self.open.remove(what);
        self.expect(was_on, &format!("{what} ended without a beginning"));
    }

    fn is_of_host<T>(&mut self, host: *mut T) {
        self.expect(host.addr() == HOST && self.open.contains("host"), "another host object");
    }

    fn is_of_range<T>(&mut self, range: *mut T) {
        self.expect(range.addr() == RANGE && self.open.contains("range"), "another range profiler");
    }
}

/// A function of the table: parameters, the last field that the structure's size covers, and what it does beyond noting the call.
macro_rules! function {
    ($name:ident($parameters:ident to $last:ident), |$script:ident, $own:ident| $body:block) => {
        unsafe extern "C" fn $name(own: *mut sys::$parameters) -> u32 {
            // SAFETY: the profiler gives the address of one such structure, which nobody else uses meanwhile.
            let $own = unsafe { &mut *own };
            let bytes = offset_of!(sys::$parameters, $last) + size_of_val(&$own.$last);
            script(|$script| {
                if let Some(result) = $script.call(stringify!($name), $own.structSize, bytes) {
                    return result;
                }
                $script.expect($own.pPriv.is_null(), concat!(stringify!($name), ": pPriv"));
                $body
            })
        }
    };
}

function!(initialize(CUpti_Profiler_Initialize_Params to pPriv), |_script, _own| { 0 });

function!(chip_name(CUpti_Device_GetChipName_Params to pChipName), |script, own| {
    script.expect(own.deviceIndex == ORDINAL, "another device");
    own.pChipName = CHIP.as_ptr();
    0
});

function!(availability(CUpti_Profiler_GetCounterAvailability_Params to pCounterAvailabilityImage), |script, own| {
    script.expect(own.ctx.addr() == CONTEXT, "another context");
    if own.pCounterAvailabilityImage.is_null() {
        own.counterAvailabilityImageSize = AVAILABLE.len();
        return 0;
    }
    if own.counterAvailabilityImageSize != AVAILABLE.len() {
        return INVALID_PARAMETER;
    }
    // SAFETY: there is room for as many bytes as it says.
    unsafe { own.pCounterAvailabilityImage.copy_from(AVAILABLE.as_ptr(), AVAILABLE.len()) };
    0
});

function!(host_initialize(CUpti_Profiler_Host_Initialize_Params to pHostObject), |script, own| {
    // SAFETY: the name that was given, and an image of the size that was told.
    let (chip, image) = unsafe {
        (CStr::from_ptr(own.pChipName), std::slice::from_raw_parts(own.pCounterAvailabilityImage, AVAILABLE.len()))
    };
    script.expect(chip == CHIP, "another chip");
    script.expect(image == AVAILABLE, "another image of what is available");
    let is_range = own.profilerType == sys::CUpti_ProfilerType::CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    script.expect(is_range, "another profiler");
    script.begin("host");
    script.added.clear();
    script.spoilt = false;
    own.pHostObject = without_provenance_mut(HOST);
    0
});

function!(host_deinitialize(CUpti_Profiler_Host_Deinitialize_Params to pHostObject), |script, own| {
    script.is_of_host(own.pHostObject);
    script.end("host");
    0
});

function!(host_add_metrics(CUpti_Profiler_Host_ConfigAddMetrics_Params to numMetrics), |script, own| {
    script.is_of_host(own.pHostObject);
    if script.spoilt {
        return UNKNOWN;
    }
    for name in names(own.ppMetricNames, own.numMetrics) {
        if !script.metrics.contains_key(&name) {
            script.spoilt = true;
            return INVALID_PARAMETER;
        }
        script.added.push(name);
    }
    0
});

function!(host_config_size(CUpti_Profiler_Host_GetConfigImageSize_Params to configImageSize), |script, own| {
    script.is_of_host(own.pHostObject);
    if script.spoilt || script.added.is_empty() {
        return UNKNOWN;
    }
    own.configImageSize = script.config_bytes;
    0
});

function!(host_config(CUpti_Profiler_Host_GetConfigImage_Params to pConfigImage), |script, own| {
    script.is_of_host(own.pHostObject);
    if own.configImageSize != script.config_bytes {
        return INVALID_PARAMETER;
    }
    // SAFETY: there is room for as many bytes as it says.
    unsafe { own.pConfigImage.write_bytes(0xCF, own.configImageSize) };
    0
});

function!(host_evaluate(CUpti_Profiler_Host_EvaluateToGpuValues_Params to pMetricValues), |script, own| {
    script.is_of_host(own.pHostObject);
    script.expect(script.configured == Some((own.pCounterDataImage.addr(), own.counterDataImageSize)), "other data");
    // SAFETY: the data is that which was configured, as was just seen, or at least one byte of it.
    let first = unsafe { own.pCounterDataImage.read() };
    script.expect(first == DECODED && own.rangeIndex == 0, "data that was not decoded");
    let names = names(own.ppMetricNames, own.numMetrics);
    script.expect(names == script.added, "other metrics than those that were configured");
    for (place, name) in names.iter().enumerate() {
        let value = script.metrics.get(name).copied().unwrap_or(f64::NAN);
        // SAFETY: there is room for as many values as names.
        unsafe { own.pMetricValues.add(place).write(value) };
    }
    0
});

function!(range_enable(CUpti_RangeProfiler_Enable_Params to pRangeProfilerObject), |script, own| {
    script.expect(own.ctx.addr() == CONTEXT, "another context");
    script.begin("range");
    script.passes_done = 0;
    own.pRangeProfilerObject = without_provenance_mut(RANGE);
    0
});

function!(range_disable(CUpti_RangeProfiler_Disable_Params to pRangeProfilerObject), |script, own| {
    script.is_of_range(own.pRangeProfilerObject);
    script.end("range");
    // It ends what is under way.
    script.open.remove("pass");
    script.open.remove("pushed");
    script.configured = None;
    0
});

function!(range_data_size(CUpti_RangeProfiler_GetCounterDataSize_Params to counterDataSize), |script, own| {
    script.is_of_range(own.pRangeProfilerObject);
    let names = names(own.pMetricNames, own.numMetrics);
    script.expect(names == script.added, "other metrics than those that were configured");
    script.expect((own.maxNumOfRanges, own.maxNumRangeTreeNodes) == (1, 1), "another number of ranges");
    own.counterDataSize = script.data_bytes;
    0
});

function!(range_data_initialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params to pCounterData), |script, own| {
    script.is_of_range(own.pRangeProfilerObject);
    if own.counterDataSize != script.data_bytes {
        return INVALID_PARAMETER;
    }
    // SAFETY: there is room for as many bytes as it says.
    unsafe { own.pCounterData.write_bytes(0xCD, own.counterDataSize) };
    0
});

function!(range_configure(CUpti_RangeProfiler_SetConfig_Params to targetNestingLevel), |script, own| {
    script.is_of_range(own.pRangeProfilerObject);
    // SAFETY: both have the sizes that they are said to have.
    let (config, data) = unsafe {
        (
            std::slice::from_raw_parts(own.pConfig, own.configSize),
            std::slice::from_raw_parts(own.pCounterDataImage, own.counterDataImageSize),
        )
    };
    script.expect(config == vec![0xCF; script.config_bytes], "another configuration");
    script.expect(data == vec![0xCD; script.data_bytes], "data that was not initialised");
    let is_replayed = own.range == sys::CUpti_ProfilerRange::CUPTI_UserRange
        && own.replayMode == sys::CUpti_ProfilerReplayMode::CUPTI_UserReplay;
    script.expect(is_replayed && own.maxRangesPerPass == 1 && own.passIndex == 0, "another way of counting");
    script.expect(
        (own.numNestingLevels, own.minNestingLevel, own.targetNestingLevel) == (1, 1, 1),
        "another nesting of ranges",
    );
    script.configured = Some((own.pCounterDataImage.addr(), own.counterDataImageSize));
    0
});

function!(range_start(CUpti_RangeProfiler_Start_Params to pRangeProfilerObject), |script, own| {
    script.is_of_range(own.pRangeProfilerObject);
    script.expect(script.configured.is_some(), "a pass without a configuration");
    script.begin("pass");
    0
});

function!(range_push(CUpti_RangeProfiler_PushRange_Params to pRangeName), |script, own| {
    script.is_of_range(own.pRangeProfilerObject);
    script.expect(script.open.contains("pass") && !own.pRangeName.is_null(), "a range without a pass or a name");
    script.begin("pushed");
    0
});

function!(range_pop(CUpti_RangeProfiler_PopRange_Params to pRangeProfilerObject), |script, own| {
    script.is_of_range(own.pRangeProfilerObject);
    script.end("pushed");
    0
});

function!(range_stop(CUpti_RangeProfiler_Stop_Params to isAllPassSubmitted), |script, own| {
    script.is_of_range(own.pRangeProfilerObject);
    script.end("pass");
    script.passes_done += 1;
    own.isAllPassSubmitted = u8::from(script.passes_done >= script.passes);
    0
});

function!(range_decode(CUpti_RangeProfiler_DecodeData_Params to numOfRangeDropped), |script, own| {
    script.is_of_range(own.pRangeProfilerObject);
    script.expect(script.passes_done >= script.passes, "decoded before the last pass");
    let Some((address, _)) = script.configured else { return INVALID_PARAMETER };
    // SAFETY: the data that was configured is there until the range profiler is off.
    unsafe { std::ptr::with_exposed_provenance_mut::<u8>(address).write(DECODED) };
    own.numOfRangeDropped = 0;
    0
});

unsafe extern "C" fn get_version(version: *mut u32) -> u32 {
    // SAFETY: the address of a number.
    unsafe { version.write(script(|script| script.version)) };
    0
}

unsafe extern "C" fn get_result_string(result: u32, name: *mut *const c_char) -> u32 {
    let known = match result {
        1 => c"CUPTI_ERROR_INVALID_PARAMETER",
        14 => c"CUPTI_ERROR_NOT_COMPATIBLE",
        15 => c"CUPTI_ERROR_NOT_INITIALIZED",
        26 => c"CUPTI_ERROR_HARDWARE_BUSY",
        27 => c"CUPTI_ERROR_NOT_SUPPORTED",
        33 => c"CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED",
        35 => c"CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
        40 => c"CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES",
        41 => c"CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED",
        43 => c"CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED",
        999 => c"CUPTI_ERROR_UNKNOWN",
        _ => return INVALID_PARAMETER,
    };
    // SAFETY: the address of a pointer.
    unsafe { name.write(known.as_ptr()) };
    0
}

/// The names that are pointed to.
fn names(names: *mut *const c_char, count: usize) -> Vec<String> {
    // SAFETY: there are as many as it says, each of them a text.
    let name = |place| unsafe { CStr::from_ptr(*names.add(place)) };
    (0..count).map(|place| name(place).to_string_lossy().into_owned()).collect()
}

/// The context as the driver would give it.
pub(super) fn context() -> *mut c_void {
    without_provenance_mut(CONTEXT)
}

/// The table of these functions, with a script for a GPU that has these metrics.
pub(super) fn cupti(metrics: &[(&str, f64)]) -> Cupti {
    let metrics = metrics.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let new = Script { version: 130_001, metrics, passes: 1, config_bytes: 40, data_bytes: 72, ..Script::default() };
    script(|own| *own = new);
    Cupti {
        library: None,
        host: None,
        path: PathBuf::from("stand-in"),
        get_version,
        get_result_string,
        initialize,
        chip_name,
        availability,
        host_initialize,
        host_deinitialize,
        host_add_metrics,
        host_config_size,
        host_config,
        host_evaluate,
        range_enable,
        range_disable,
        range_data_size,
        range_data_initialize,
        range_configure,
        range_start,
        range_push,
        range_pop,
        range_stop,
        range_decode,
    }
}
