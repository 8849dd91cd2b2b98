//! Counting the launches of a workload: CUPTI's range profiler, with the workload run again for each pass of counters.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

use cudarc::cupti::sys;
use cudarc::driver::sys::CUcontext;

use super::library::Cupti;
use super::refusal::Refusal;
use crate::device::DeviceError;

/// Passes that no set of metrics needs.
const MOST_PASSES: usize = 64;

/// What counts on a context: the metrics that its GPU has, and the passes that they take.
pub(super) struct Profiler {
    pub(super) cupti: Cupti,
    context: CUcontext,
    host: *mut sys::CUpti_Profiler_Host_Object,
    /// Those of the metrics that its GPU has.
    pub(super) metrics: Vec<CString>,
    /// Metrics that its GPU does not have, each with what CUPTI says of it.
    pub(super) missing: Vec<String>,
    config: Vec<u8>,
}

/// Calls a function of CUPTI's, and says which one refused.
macro_rules! call {
    ($cupti:expr, $function:ident, $parameters:expr) => {{
        // SAFETY: the structure is of the function's type, says its own size, and what it points to outlives the call.
        let result = unsafe { ($cupti.$function)(&raw mut $parameters) };
        if result == 0 { Ok(()) } else { Err(Refusal::of(&$cupti, stringify!($function), result)) }
    }};
}

impl Profiler {
    /// Asks for these metrics on a context of the device with this ordinal.
    pub(super) fn open(cupti: Cupti, context: *mut c_void, ordinal: usize, names: &[&str]) -> Result<Self, Refusal> {
        let context = context.cast();
        let mut initialize = sys::CUpti_Profiler_Initialize_Params {
            structSize: size(sys::Profiler_Initialize_Params_STRUCT_SIZE),
            pPriv: null_mut(),
        };
        call!(cupti, initialize, initialize)?;
        let mut chip = sys::CUpti_Device_GetChipName_Params {
            structSize: size(sys::Device_GetChipName_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            deviceIndex: ordinal,
            pChipName: null(),
        };
        call!(cupti, chip_name, chip)?;
        let mut available = availability(&cupti, context)?;
        let mut profiler =
            Self { cupti, context, host: null_mut(), metrics: Vec::new(), missing: Vec::new(), config: Vec::new() };
        let mut wanted: Vec<CString> = names.iter().filter_map(|name| CString::new(*name).ok()).collect();
        // A host object that has refused a metric is of no use any more, so all begins anew without that metric.
        loop {
            profiler.begin(chip.pChipName, &mut available)?;
            let refused = wanted.iter().enumerate().find_map(|(place, name)| Some((place, profiler.add(name).err()?)));
            let Some((place, refusal)) = refused else { break };
            let name = wanted.remove(place);
            profiler.missing.push(format!("{} ({})", name.to_string_lossy(), refusal.name));
        }
        profiler.metrics = wanted;
        if !profiler.metrics.is_empty() {
            profiler.config = profiler.config()?;
        }
        Ok(profiler)
    }

    /// Makes a new host object, without metrics, for this chip.
    fn begin(&mut self, chip: *const c_char, available: &mut [u8]) -> Result<(), Refusal> {
        self.end();
        let mut begun = sys::CUpti_Profiler_Host_Initialize_Params {
            structSize: size(sys::Profiler_Host_Initialize_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            profilerType: sys::CUpti_ProfilerType::CUPTI_PROFILER_TYPE_RANGE_PROFILER,
            pChipName: chip,
            pCounterAvailabilityImage: available.as_mut_ptr(),
            pHostObject: null_mut(),
        };
        call!(self.cupti, host_initialize, begun)?;
        self.host = begun.pHostObject;
        Ok(())
    }

    /// Ends the host object, if there is one.
    fn end(&mut self) {
        if self.host.is_null() {
            return;
        }
        let mut ended = sys::CUpti_Profiler_Host_Deinitialize_Params {
            structSize: size(sys::Profiler_Host_Deinitialize_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            pHostObject: self.host,
        };
        // Nothing is left to be done where it refuses.
        let _ = call!(self.cupti, host_deinitialize, ended);
        self.host = null_mut();
    }

    /// Takes a metric in.
    fn add(&self, name: &CStr) -> Result<(), Refusal> {
        let mut names = [name.as_ptr()];
        let mut added = sys::CUpti_Profiler_Host_ConfigAddMetrics_Params {
            structSize: size(sys::Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            pHostObject: self.host,
            ppMetricNames: names.as_mut_ptr(),
            numMetrics: 1,
        };
        call!(self.cupti, host_add_metrics, added)
    }

    fn config(&self) -> Result<Vec<u8>, Refusal> {
        let mut asked = sys::CUpti_Profiler_Host_GetConfigImageSize_Params {
            structSize: size(sys::Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            pHostObject: self.host,
            configImageSize: 0,
        };
        call!(self.cupti, host_config_size, asked)?;
        let mut config = vec![0; asked.configImageSize];
        let mut given = sys::CUpti_Profiler_Host_GetConfigImage_Params {
            structSize: size(sys::Profiler_Host_GetConfigImage_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            pHostObject: self.host,
            configImageSize: config.len(),
            pConfigImage: config.as_mut_ptr(),
        };
        call!(self.cupti, host_config, given)?;
        Ok(config)
    }

    /// Runs the launches once for each pass, and gives the value of each metric that the GPU has. `prepare` is called before each pass, uncounted.
    pub(super) fn count(
        &self,
        mut prepare: impl FnMut() -> Result<(), DeviceError>,
        mut run: impl FnMut() -> Result<(), DeviceError>,
    ) -> Result<Vec<(&CStr, f64)>, DeviceError> {
        let mut names: Vec<*const c_char> = self.metrics.iter().map(|name| name.as_ptr()).collect();
        let mut range = Range::enable(self)?;
        range.make_room(&mut names)?;
        range.configure(&self.config)?;
        let mut is_complete = false;
        for _ in 0..MOST_PASSES {
            prepare()?;
            range.start()?;
            let ran = run();
            let ended = range.stop();
            // What failed first is told.
            ran?;
            is_complete = ended?;
            if is_complete {
                break;
            }
        }
        if !is_complete {
            return Err(DeviceError::Failed(format!("counting does not come to an end within {MOST_PASSES} passes")));
        }
        range.decode()?;
        let mut values = vec![0.0; names.len()];
        let mut evaluated = sys::CUpti_Profiler_Host_EvaluateToGpuValues_Params {
            structSize: size(sys::Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            pHostObject: self.host,
            pCounterDataImage: range.data.as_ptr(),
            counterDataImageSize: range.data.len(),
            rangeIndex: 0,
            ppMetricNames: names.as_mut_ptr(),
            numMetrics: names.len(),
            pMetricValues: values.as_mut_ptr(),
        };
        call!(self.cupti, host_evaluate, evaluated)?;
        Ok(self.metrics.iter().map(CString::as_c_str).zip(values).collect())
    }
}

impl Drop for Profiler {
    fn drop(&mut self) {
        self.end();
    }
}

/// Which counters the context may read.
fn availability(cupti: &Cupti, context: CUcontext) -> Result<Vec<u8>, Refusal> {
    let asked = |size_bytes: usize, image: *mut u8| sys::CUpti_Profiler_GetCounterAvailability_Params {
        structSize: size(sys::Profiler_GetCounterAvailability_Params_STRUCT_SIZE),
        pPriv: null_mut(),
        ctx: context,
        counterAvailabilityImageSize: size_bytes,
        pCounterAvailabilityImage: image,
    };
    let mut length = asked(0, null_mut());
    call!(cupti, availability, length)?;
    let mut image = vec![0; length.counterAvailabilityImageSize];
    let mut filled = asked(image.len(), image.as_mut_ptr());
    call!(cupti, availability, filled)?;
    Ok(image)
}

/// The range profiler while it is on. It ends with this, so that times that are taken afterwards are those of a GPU that nobody looks at.
struct Range<'a> {
    cupti: &'a Cupti,
    object: *mut sys::CUpti_RangeProfiler_Object,
    /// What is counted: CUPTI may write there until the range profiler is off.
    data: Vec<u8>,
}

impl<'a> Range<'a> {
    fn enable(profiler: &'a Profiler) -> Result<Self, Refusal> {
        let cupti = &profiler.cupti;
        let mut enabled = sys::CUpti_RangeProfiler_Enable_Params {
            structSize: size(sys::RangeProfiler_Enable_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            ctx: profiler.context,
            pRangeProfilerObject: null_mut(),
        };
        call!(cupti, range_enable, enabled)?;
        Ok(Self { cupti, object: enabled.pRangeProfilerObject, data: Vec::new() })
    }

    /// Makes room for what one range comes to.
    fn make_room(&mut self, names: &mut [*const c_char]) -> Result<(), Refusal> {
        let mut asked = sys::CUpti_RangeProfiler_GetCounterDataSize_Params {
            structSize: size(sys::RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            pRangeProfilerObject: self.object,
            pMetricNames: names.as_mut_ptr(),
            numMetrics: names.len(),
            maxNumOfRanges: 1,
            maxNumRangeTreeNodes: 1,
            counterDataSize: 0,
        };
        call!(self.cupti, range_data_size, asked)?;
        self.data = vec![0; asked.counterDataSize];
        let mut filled = sys::CUpti_RangeProfiler_CounterDataImage_Initialize_Params {
            structSize: size(sys::RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            pRangeProfilerObject: self.object,
            counterDataSize: self.data.len(),
            pCounterData: self.data.as_mut_ptr(),
        };
        call!(self.cupti, range_data_initialize, filled)
    }

    fn configure(&mut self, config: &[u8]) -> Result<(), Refusal> {
        let mut set = sys::CUpti_RangeProfiler_SetConfig_Params {
            structSize: size(sys::RangeProfiler_SetConfig_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            pRangeProfilerObject: self.object,
            configSize: config.len(),
            pConfig: config.as_ptr(),
            counterDataImageSize: self.data.len(),
            pCounterDataImage: self.data.as_mut_ptr(),
            range: sys::CUpti_ProfilerRange::CUPTI_UserRange,
            replayMode: sys::CUpti_ProfilerReplayMode::CUPTI_UserReplay,
            maxRangesPerPass: 1,
            numNestingLevels: 1,
            minNestingLevel: 1,
            passIndex: 0,
            targetNestingLevel: 1,
        };
        call!(self.cupti, range_configure, set)
    }

    fn start(&self) -> Result<(), Refusal> {
        let mut started = sys::CUpti_RangeProfiler_Start_Params {
            structSize: size(sys::RangeProfiler_Start_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            pRangeProfilerObject: self.object,
        };
        call!(self.cupti, range_start, started)?;
        let mut pushed = sys::CUpti_RangeProfiler_PushRange_Params {
            structSize: size(sys::RangeProfiler_PushRange_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            pRangeProfilerObject: self.object,
            pRangeName: c"workload".as_ptr(),
        };
        call!(self.cupti, range_push, pushed).inspect_err(|_| {
            // What was begun ends; that it was begun in vain is what is told.
            let _ = self.end_pass();
        })
    }

    /// Ends a pass, and tells whether it was the last.
    fn stop(&self) -> Result<bool, Refusal> {
        let mut popped = sys::CUpti_RangeProfiler_PopRange_Params {
            structSize: size(sys::RangeProfiler_PopRange_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            pRangeProfilerObject: self.object,
        };
        let popped = call!(self.cupti, range_pop, popped);
        let is_last = self.end_pass();
        popped.and(is_last)
    }

    fn end_pass(&self) -> Result<bool, Refusal> {
        let mut stopped = sys::CUpti_RangeProfiler_Stop_Params {
            structSize: size(sys::RangeProfiler_Stop_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            pRangeProfilerObject: self.object,
            passIndex: 0,
            targetNestingLevel: 0,
            isAllPassSubmitted: 0,
        };
        call!(self.cupti, range_stop, stopped)?;
        Ok(stopped.isAllPassSubmitted != 0)
    }

    fn decode(&self) -> Result<(), Refusal> {
        let mut decoded = sys::CUpti_RangeProfiler_DecodeData_Params {
            structSize: size(sys::RangeProfiler_DecodeData_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            pRangeProfilerObject: self.object,
            numOfRangeDropped: 0,
        };
        call!(self.cupti, range_decode, decoded)
    }
}

impl Drop for Range<'_> {
    fn drop(&mut self) {
        let mut disabled = sys::CUpti_RangeProfiler_Disable_Params {
            structSize: size(sys::RangeProfiler_Disable_Params_STRUCT_SIZE),
            pPriv: null_mut(),
            pRangeProfilerObject: self.object,
        };
        // Nothing is left to be done where it refuses.
        let _ = call!(self.cupti, range_disable, disabled);
    }
}

/// The size that a structure says it has, as CUPTI's headers give it.
const fn size(bytes: u32) -> usize {
    bytes as usize
}
