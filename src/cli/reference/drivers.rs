//! The page of which drivers and GPUs load which kernels, from the embedded modules, and of what old drivers switch off, from the table
//! of the driver's functions.

use super::markdown::{Page, codes, plain};
use crate::device::cuda::{FUNCTIONS, Feature, Function, oldest_driver};
use crate::family::FAMILIES;
use crate::kernel::{HARNESS, Module, Ptx};
use ptx_requirements::Release;

pub(super) fn page() -> Page {
    let mut page = Page::new("Old drivers");
    page.paragraph(&format!(
        "A GPU can be used with driver {} or newer, if the driver also loads the kernels. Before anything runs, apbench looks for each \
         function of the driver's library (libcuda) that it may call.",
        oldest_driver()
    ));
    page.heading(2, "Which driver loads the kernels");
    page.paragraph(
        "Kernels are PTX, which the driver compiles for the GPU. A driver loads PTX up to its own version. Each module asks for the lowest PTX \
         version and target that its instructions need. A GPU gets a kernel from the module with the highest target that it has. A driver \
         that is too old for a module is told, with the driver that is needed, and the points that need the module are `skipped`.",
    );
    page.table(
        ["module", "PTX version", "first toolkit and driver", "GPUs"],
        modules().iter().map(|row| row_of_modules(row)),
    );
    page.paragraph(
        "How this is shown: `tests/ptx/fetch-ptxas.sh target/ptxas; cargo test --test suite ptxas` assembles every module with ptxas of the \
         toolkits 11.8, 12.0, 12.4 and 13.0, for the module's own target or the oldest that the toolkit knows. The same test shows that ptxas takes \
         no module whose header asks for less. Toolkit and driver are those of NVIDIA's release notes. On GPUs the kernels ran with driver 580 \
         only; before Volta they ran on a simulated GPU only.",
    );
    page.heading(2, "What is off without a function");
    page.paragraph(
        "Points of variants that are off are `skipped`, with the function, the driver's version and the version that has it as the \
         reason. The guard `driver_functions` in `run.json` has the same for everything that is off. The versions of CUDA are those that \
         had the function first.",
    );
    let functions = |feature: Option<Feature>| FUNCTIONS.iter().filter(move |function| function.feature == feature);
    page.table(
        ["what needs them", "functions", "without them"],
        Feature::ALL
            .into_iter()
            .map(|feature| [plain(feature.name()), with_versions(functions(Some(feature))), plain(feature.without())]),
    );
    page.paragraph(
        "A device that claims to have memory pools must have their functions. Where the management library (NVML) or one of its functions \
         is missing, what it would tell is unknown, and the guards say so.",
    );
    page.heading(2, "What everything needs");
    page.paragraph(&format!(
        "Without one of these functions there is no CUDA device, and a message names it: {}.",
        codes(functions(None).map(|function| function.name))
    ));
    page
}

/// Modules that ask for the same are one row.
fn modules() -> Vec<Vec<&'static Module>> {
    let mut rows: Vec<Vec<&Module>> = Vec::new();
    for module in FAMILIES.iter().map(|family| family.ptx).chain([HARNESS]).flat_map(Ptx::modules) {
        let is_alike =
            |row: &&mut Vec<&Module>| (row[0].capability, row[0].version) == (module.capability, module.version);
        match rows.iter_mut().find(is_alike) {
            Some(row) => row.push(module),
            None => rows.push(vec![module]),
        }
    }
    rows.sort_by_key(|row| (row[0].capability, row[0].version));
    rows
}

fn row_of_modules(modules: &[&'static Module]) -> [String; 4] {
    let Module { version, capability, .. } = modules[0];
    let release = Release::of_ptx(*version);
    [
        codes(modules.iter().map(|module| module.name)),
        format!("{}.{}", version.0, version.1),
        release.map_or_else(String::new, |own| format!("CUDA {}.{}, driver {}", own.cuda.0, own.cuda.1, own.driver)),
        format!("compute capability {}.{} or higher", capability.0, capability.1),
    ]
}

/// The functions, each with the version of CUDA that had it first.
fn with_versions(functions: impl Iterator<Item = &'static Function>) -> String {
    let shown = |function: &Function| format!("`{}` ({})", function.name, function.since());
    functions.map(shown).collect::<Vec<_>>().join(", ")
}
