//! Whether a GPU and its driver are new enough for a module of kernels.

use ptx_requirements::Release;

use crate::kernel::Module;
use crate::properties::Properties;

/// Why the device cannot load the module, if its GPU or its driver is known to be too old. It names the module and what is needed, and of a driver that it
/// has, too.
pub(super) fn refusal(module: &Module, properties: &Properties) -> Option<String> {
    if module.capability > properties.capability() {
        let ((major, minor), own) = (module.capability, &properties.compute_capability);
        return Some(format!(
            "the module {}, which needs compute capability {major}.{minor} and not {own}",
            module.name
        ));
    }
    let cuda = properties.cuda_version.as_deref()?;
    let (major, minor) = cuda.split_once('.')?;
    let known = Release::of_cuda((major.parse().ok()?, minor.parse().ok()?)).map_or((0, 0), |release| release.ptx);
    if module.version <= known {
        return None;
    }
    let driver = properties.driver_version.as_deref().unwrap_or("of unknown version");
    let (major, minor) = module.version;
    let needed = Release::of_ptx(module.version)
        .map_or_else(|| "a later one".to_owned(), |release| format!("driver {} or later", release.driver));
    Some(format!(
        "the module {} is PTX {major}.{minor}, and the driver {driver} (CUDA {cuda}) loads PTX {}.{} at most: it needs {needed}",
        module.name, known.0, known.1
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_driver(driver: Option<&str>, cuda: Option<&str>) -> Properties {
        let profile = gpu_simulator::Profile::load("h200").unwrap();
        Properties {
            driver_version: driver.map(str::to_owned),
            cuda_version: cuda.map(str::to_owned),
            ..Properties::simulated(&profile)
        }
    }

    const MODULE: Module =
        Module { name: "prefix_sum.sm_70", version: (7, 4), capability: (7, 0), kernels: &[], text: "" };

    #[test]
    fn a_driver_that_is_too_old_is_told_with_the_module_and_the_driver_that_is_needed() {
        assert_eq!(
            refusal(&MODULE, &with_driver(Some("450.80.02"), Some("11.0"))).as_deref(),
            Some(
                "the module prefix_sum.sm_70 is PTX 7.4, and the driver 450.80.02 (CUDA 11.0) loads PTX 7.0 at most: \
                 it needs driver 470.42 or later"
            )
        );
        assert_eq!(refusal(&MODULE, &with_driver(Some("470.42.01"), Some("11.4"))), None);
        assert_eq!(refusal(&MODULE, &with_driver(None, Some("13.2"))), None);
        assert_eq!(refusal(&MODULE, &with_driver(None, None)), None, "the driver itself will say");
        let older = refusal(&MODULE, &with_driver(None, Some("6.0"))).unwrap();
        assert!(older.contains("the driver of unknown version (CUDA 6.0) loads PTX 0.0 at most"), "{older}");
        let newest = Module { version: (99, 0), ..MODULE };
        assert!(refusal(&newest, &with_driver(None, Some("13.0"))).unwrap().ends_with("it needs a later one"));
    }
    #[test]
    fn a_gpu_that_is_too_old_is_told_with_the_module_and_what_it_needs() {
        let gpu = |name: &str| Properties::simulated(&gpu_simulator::Profile::load(name).unwrap());
        let module = Module { name: "fences.sm_90", capability: (9, 0), ..MODULE };
        assert_eq!(
            refusal(&module, &gpu("a100")).as_deref(),
            Some("the module fences.sm_90, which needs compute capability 9.0 and not 8.0")
        );
        assert_eq!(refusal(&module, &gpu("h200")), None);
        assert_eq!(refusal(&MODULE, &gpu("a100")), None);
    }
}
