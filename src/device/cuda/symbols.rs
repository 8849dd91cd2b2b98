//! The driver's functions that measuring needs, and what is off where a driver lacks some of them.
//!
//! cudarc looks a function up when it is first called, and panics if the driver has none. So every function that it or this module
//! calls is in one table, and is looked for before anything is called.

use cudarc::driver::sys;
use ptx_requirements::Release;

use super::library;
use super::properties::kernel_driver_version;
use crate::device::{DeviceError, Guard, GuardOutcome};
use crate::workload::{Argument, Launch, Submission, Workload};

/// A CUDA version as the driver gives it: 1000 times the first number, and ten times the second.
type Version = i32;

/// Drivers before this version do not know the attribute by which cudarc asks for memory pools when it opens a device.
const OLDEST: Version = 11_020;

/// Drivers before this version capture no dependent launches. Source: CUDA C++ Programming Guide 12.3, "Use in CUDA Graphs".
const DEPENDENT_GRAPHS_SINCE: Version = 12_030;

/// The oldest driver that devices can be opened with, and its CUDA version.
pub fn oldest_driver() -> String {
    driver(OLDEST)
}

/// What is off without some functions of the driver, while everything else works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Launches that are recorded once and submitted together.
    Graphs,
    /// Launches whose blocks are all resident, and may wait for each other.
    CooperativeLaunches,
    /// Launches that may begin before the one before them has ended.
    LaunchAttributes,
    /// Descriptors of matrices, for bulk copies of their tiles.
    TensorMaps,
    /// Graphs with launches that the device repeats.
    ConditionalNodes,
    /// Memory that is allocated and freed in a stream's order.
    MemoryPools,
    /// Lines that persist in a part of the L2 cache that is set aside, and taking them back.
    PersistingLines,
    /// The driver's own count of the blocks that a multiprocessor holds.
    Occupancy,
    /// The device's identifier, and its address on the bus.
    Identity,
}

impl Feature {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Graphs,
        Self::CooperativeLaunches,
        Self::LaunchAttributes,
        Self::TensorMaps,
        Self::ConditionalNodes,
        Self::MemoryPools,
        Self::PersistingLines,
        Self::Occupancy,
        Self::Identity,
    ];

    /// What needs the functions, in the plural.
    pub fn name(self) -> &'static str {
        match self {
            Self::Graphs => "CUDA graphs",
            Self::CooperativeLaunches => "cooperative launches",
            Self::LaunchAttributes => "programmatic dependent launches, clusters of blocks and access policy windows",
            Self::TensorMaps => "bulk copies of tiles",
            Self::ConditionalNodes => "conditional nodes of CUDA graphs",
            Self::MemoryPools => "memory pools",
            Self::PersistingLines => "lines that persist in the L2 cache",
            Self::Occupancy => "the driver's own counts of resident blocks",
            Self::Identity => "the device's identifier and sensors",
        }
    }

    /// What happens instead.
    pub fn without(self) -> &'static str {
        match self {
            Self::Graphs => "variants that are submitted as a graph are skipped, and there are no hot samples",
            Self::CooperativeLaunches => "variants with a barrier of the whole grid are skipped",
            Self::LaunchAttributes => {
                "variants whose launches begin before the one before them has ended are skipped, those with clusters, and those with access policy windows"
            }
            Self::TensorMaps => "variants that copy tiles of matrices in bulk are skipped",
            Self::ConditionalNodes => "variants whose launch the GPU repeats are skipped",
            Self::MemoryPools => "buffers are allocated one by one, which takes longer but is never timed",
            Self::PersistingLines => {
                "variants that ask the L2 cache to keep a buffer are skipped, and lines that another program has set aside stay there"
            }
            Self::Occupancy => "`apbench occupancy` has the documented rule's number alone",
            Self::Identity => "the identifier, temperature, power and clocks are not recorded",
        }
    }
}

/// A function of the driver.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// The symbol in the driver's library.
    pub name: &'static str,
    /// The CUDA version that had it first, by `cudaTypedefs.h` of CUDA 12.4.
    since: Version,
    /// What is off without it; `None` where nothing works.
    pub feature: Option<Feature>,
}

impl Function {
    /// The CUDA version that had it first, such as 11.4.
    pub fn since(&self) -> String {
        cuda(self.since)
    }
}

const fn required(name: &'static str, since: Version) -> Function {
    Function { name, since, feature: None }
}

const fn optional(name: &'static str, since: Version, feature: Feature) -> Function {
    Function { name, since, feature: Some(feature) }
}

/// Every function that may be called.
pub const FUNCTIONS: [Function; 67] = [
    required("cuInit", 2_000),
    required("cuDriverGetVersion", 2_020),
    required("cuGetErrorName", 6_000),
    required("cuGetErrorString", 6_000),
    required("cuDeviceGet", 2_000),
    required("cuDeviceGetCount", 2_000),
    required("cuDeviceGetName", 2_000),
    required("cuDeviceGetAttribute", 2_000),
    required("cuDeviceTotalMem_v2", 3_020),
    required("cuDevicePrimaryCtxRetain", 7_000),
    required("cuDevicePrimaryCtxRelease_v2", 11_000),
    required("cuCtxGetCurrent", 4_000),
    required("cuCtxSetCurrent", 4_000),
    required("cuCtxSynchronize", 2_000),
    required("cuStreamCreate", 2_000),
    required("cuStreamDestroy_v2", 4_000),
    required("cuStreamSynchronize", 2_000),
    required("cuStreamWaitEvent", 3_020),
    required("cuEventCreate", 2_000),
    required("cuEventDestroy_v2", 4_000),
    required("cuEventRecord", 2_000),
    required("cuEventQuery", 2_000),
    required("cuEventSynchronize", 2_000),
    required("cuEventElapsedTime", 2_000),
    required("cuModuleLoadData", 2_000),
    required("cuModuleUnload", 2_000),
    required("cuModuleGetFunction", 2_000),
    required("cuFuncGetAttribute", 2_020),
    required("cuFuncSetAttribute", 9_000),
    required("cuLaunchKernel", 4_000),
    required("cuMemAlloc_v2", 3_020),
    required("cuMemFree_v2", 3_020),
    required("cuMemGetInfo_v2", 3_020),
    required("cuMemHostAlloc", 2_020),
    required("cuMemFreeHost", 2_000),
    required("cuMemHostGetDevicePointer_v2", 3_020),
    required("cuMemsetD8Async", 3_020),
    required("cuMemsetD32Async", 3_020),
    required("cuMemcpyHtoDAsync_v2", 3_020),
    required("cuMemcpyDtoHAsync_v2", 3_020),
    required("cuMemcpyDtoDAsync_v2", 3_020),
    optional("cuStreamBeginCapture_v2", 10_010, Feature::Graphs),
    optional("cuStreamEndCapture", 10_000, Feature::Graphs),
    optional("cuGraphInstantiateWithFlags", 11_040, Feature::Graphs),
    optional("cuGraphUpload", 11_010, Feature::Graphs),
    optional("cuGraphLaunch", 10_000, Feature::Graphs),
    optional("cuGraphExecDestroy", 10_000, Feature::Graphs),
    optional("cuGraphDestroy", 10_000, Feature::Graphs),
    optional("cuLaunchCooperativeKernel", 9_000, Feature::CooperativeLaunches),
    optional("cuLaunchKernelEx", 11_080, Feature::LaunchAttributes),
    optional("cuTensorMapEncodeTiled", 12_000, Feature::TensorMaps),
    optional("cuGraphCreate", 10_000, Feature::ConditionalNodes),
    optional("cuGraphConditionalHandleCreate", 12_030, Feature::ConditionalNodes),
    optional("cuGraphAddNode_v2", 12_030, Feature::ConditionalNodes),
    optional("cuGraphAddKernelNode_v2", 12_000, Feature::ConditionalNodes),
    optional("cuDeviceGetDefaultMemPool", 11_020, Feature::MemoryPools),
    optional("cuMemPoolGetAttribute", 11_020, Feature::MemoryPools),
    optional("cuMemPoolSetAttribute", 11_020, Feature::MemoryPools),
    optional("cuMemAllocAsync", 11_020, Feature::MemoryPools),
    optional("cuMemFreeAsync", 11_020, Feature::MemoryPools),
    optional("cuCtxResetPersistingL2Cache", 11_000, Feature::PersistingLines),
    optional("cuCtxGetLimit", 3_010, Feature::PersistingLines),
    optional("cuCtxSetLimit", 3_010, Feature::PersistingLines),
    optional("cuOccupancyMaxActiveClusters", 11_080, Feature::LaunchAttributes),
    optional("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 7_000, Feature::Occupancy),
    optional("cuDeviceGetUuid", 9_020, Feature::Identity),
    optional("cuDeviceGetPCIBusId", 4_010, Feature::Identity),
];

/// What the driver of this machine is, and which functions it lacks.
#[derive(Debug)]
pub(super) struct Driver {
    /// How messages name it.
    name: String,
    version: Option<Version>,
    lacks: Vec<&'static Function>,
}

impl Driver {
    /// Looks for every function in the driver's library.
    ///
    /// # Errors
    /// [`DeviceError::Missing`] where there is no driver, or one that nothing works with.
    pub(super) fn look() -> Result<Self, DeviceError> {
        // SAFETY: looks for the driver's library and loads it if it is there; its initialisers are the driver's own.
        if !unsafe { sys::is_culib_present() } {
            return Err(missing(&library::problem()));
        }
        // SAFETY: the library was there a moment ago.
        let library = unsafe { sys::culib() };
        // SAFETY: the symbols are functions, and are only looked up; this pointer to them is never called.
        let has = |name: &str| unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_ok();
        let version = has("cuDriverGetVersion").then(supported_version).flatten();
        let driver = Self::new(kernel_driver_version().as_deref(), version, has);
        driver.unusable().map_or(Ok(driver), |problem| Err(missing(&problem)))
    }

    fn new(release: Option<&str>, version: Option<Version>, has: impl Fn(&str) -> bool) -> Self {
        let name = match (release, version.map(cuda)) {
            (Some(release), Some(cuda)) => format!("the driver {release} (CUDA {cuda})"),
            (Some(release), None) => format!("the driver {release}"),
            (None, Some(cuda)) => format!("the driver (CUDA {cuda})"),
            (None, None) => "the driver".to_owned(),
        };
        Self { name, version, lacks: FUNCTIONS.iter().filter(|function| !has(function.name)).collect() }
    }

    /// Why nothing works with this driver.
    fn unusable(&self) -> Option<String> {
        self.sentence(None, "apbench needs").or_else(|| {
            let too_old = self.version.is_some_and(|version| version < OLDEST);
            too_old.then(|| format!("{} is too old; apbench needs driver {} or newer", self.name, oldest_driver()))
        })
    }

    /// Which functions a feature lacks, and the driver that has them; `None` where it lacks none.
    pub(super) fn problem(&self, feature: Feature) -> Option<String> {
        self.sentence(Some(feature), &format!("{} need", feature.name()))
    }

    /// Whether a feature can be used.
    pub(super) fn has(&self, feature: Feature) -> bool {
        self.lacks.iter().all(|function| function.feature != Some(feature))
    }

    /// The functions that this lacks, in words, and the version of CUDA that had all of them first.
    fn lack(&self, feature: Option<Feature>) -> Option<(String, usize, Version)> {
        let lacks: Vec<&Function> = self.lacks.iter().copied().filter(|function| function.feature == feature).collect();
        // The newest tells most about how old the driver is.
        let newest = lacks.iter().rev().max_by_key(|function| function.since)?;
        let more = match lacks.len() - 1 {
            0 => String::new(),
            1 => " and another function".to_owned(),
            more => format!(" and {more} other functions"),
        };
        Some((format!("{}{more}", newest.name), lacks.len(), newest.since))
    }

    fn sentence(&self, feature: Option<Feature>, needs: &str) -> Option<String> {
        let (lacks, count, since) = self.lack(feature)?;
        let them = if count > 1 { "them" } else { "it" };
        // Other libraries than NVIDIA's own may claim a version and lack functions all the same.
        let what = if self.version.is_some_and(|version| version >= since.max(OLDEST)) {
            format!("{them}, and NVIDIA's drivers have {them} since CUDA {}", cuda(since))
        } else {
            format!("driver {} or newer", driver(since))
        };
        Some(format!("{} lacks {lacks}; {needs} {what}", self.name))
    }

    /// Why a workload cannot run with this driver.
    pub(super) fn refusal(&self, workload: &Workload) -> Option<String> {
        let submission = workload.submission;
        let cooperative = workload.launches().any(|launch| launch.cooperative);
        let persists = matches!(submission, Submission::Persisting { .. });
        let has_attributes = persists || submission.overlaps() || workload.has_clusters();
        let has_tiles = |launch: &Launch| launch.arguments.iter().any(|own| matches!(own, Argument::Tiles(_)));
        let needed = [
            (workload.launches().any(has_tiles), Feature::TensorMaps),
            (submission.is_graph(), Feature::Graphs),
            (cooperative, Feature::CooperativeLaunches),
            (has_attributes, Feature::LaunchAttributes),
            (matches!(submission, Submission::While { .. }), Feature::ConditionalNodes),
            (persists, Feature::PersistingLines),
        ];
        let lacking = needed.into_iter().filter(|(needed, _)| *needed).find_map(|(_, feature)| self.problem(feature));
        lacking.or_else(|| self.problem_of_dependent_graphs().filter(|_| submission == Submission::DependentGraph))
    }

    /// Why launches of a graph cannot begin before those before them have ended: no function tells it.
    fn problem_of_dependent_graphs(&self) -> Option<String> {
        self.version.filter(|version| *version < DEPENDENT_GRAPHS_SINCE)?;
        let needed = driver(DEPENDENT_GRAPHS_SINCE);
        Some(format!("{} is too old; dependent launches in a CUDA graph need driver {needed} or newer", self.name))
    }

    /// Says that the driver promises memory pools and has none, since cudarc believes the promise.
    pub(super) fn check_pools(&self, promised: bool) -> Result<(), DeviceError> {
        match self.problem(Feature::MemoryPools).filter(|_| promised) {
            Some(problem) => Err(missing(&format!("it is said to have memory pools, but {problem}"))),
            None => Ok(()),
        }
    }

    /// What is off, for those who read the run later.
    pub(super) fn guard(&self) -> Guard {
        let off =
            |feature: Feature| self.lack(Some(feature)).map(|(lacks, ..)| format!("{} ({lacks})", feature.name()));
        let off: Vec<String> = Feature::ALL.into_iter().filter_map(off).collect();
        let (outcome, detail) = if off.is_empty() {
            (GuardOutcome::Ok, format!("{} has all functions that are used", self.name))
        } else {
            (GuardOutcome::Flagged, format!("{} lacks functions, so these are off: {}", self.name, off.join(", ")))
        };
        Guard { guard: "driver_functions".to_owned(), outcome, detail }
    }
}

/// The newest CUDA version that the driver supports. It must have `cuDriverGetVersion`.
pub(super) fn supported_version() -> Option<Version> {
    let mut version = 0;
    // SAFETY: the driver is loaded, and writes one integer to the address given.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().ok()?;
    Some(version)
}

/// A CUDA version as people write it.
pub(super) fn cuda(version: Version) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// The oldest driver that can be used and came with this CUDA version or a newer one.
fn driver(since: Version) -> String {
    let found = Release::all().find(|release| version_of(*release) >= since.max(OLDEST));
    found.map_or_else(
        || format!("for CUDA {}", cuda(since)),
        |release| format!("{} (CUDA {})", release.driver, cuda(version_of(release))),
    )
}

/// The CUDA version of a release, as drivers tell theirs.
fn version_of(release: Release) -> Version {
    let (major, minor) = release.cuda;
    (1000 * major + 10 * minor).cast_signed()
}

fn missing(problem: &str) -> DeviceError {
    DeviceError::Missing(format!("no CUDA device: {problem}"))
}

#[cfg(test)]
mod tests;
