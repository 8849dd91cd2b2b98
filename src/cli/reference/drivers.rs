//! The page of which drivers and GPUs load which kernels, from the embedded modules, and of what old drivers switch off, from the table
//! of the driver's functions.

use std::collections::BTreeSet;

use super::markdown::{Page, codes, plain};
use crate::device::cuda::{FUNCTIONS, Feature, Function, oldest_driver};
use crate::family::FAMILIES;
use crate::kernel::{GENERATIONS, Generation, HARNESS, Module, Ptx, TOOLKITS};
use ptx_requirements::Release;

pub(super) fn page() -> Page {
    let mut page = Page::new("Old drivers");
    page.paragraph(&format!(
        "apbench opens a GPU with driver {} or newer; the table below says which kernels that driver loads. Before anything runs, apbench looks for each \
         function of the driver's library (libcuda) that it may call.",
        oldest_driver()
    ));
    page.heading(2, "Which driver loads the kernels");
    page.paragraph(
        "Kernels are PTX, which the driver compiles for the GPU. A driver loads PTX up to its own version. Each module asks for the lowest PTX \
         version and target that its instructions need. A GPU gets a kernel from the module with the highest target that it has. If the \
         driver is too old for a module, the points that need it are `skipped`; the reason names the module and the driver that is needed.",
    );
    page.table(
        ["module", "PTX version", "first toolkit and driver", "GPUs"],
        modules().iter().map(|row| row_of_modules(row)),
    );
    page.paragraph(
        "How this is shown: `tests/ptx/fetch-ptxas.sh target/ptxas; cargo test --test suite ptxas` assembles every module with ptxas of the \
         toolkits 11.8, 12.0, 12.4 and 13.0 that know its PTX version, for the module's own target or the oldest that the toolkit knows. The same test shows that ptxas takes \
         no module whose header asks for less. Toolkit and driver are those of NVIDIA's release notes; the driver of CUDA 6.5, \
         which they do not have, is the one in its installer.",
    );
    page.paragraph(
        "A CUDA toolkit (nvcc, NVRTC) does not help an old driver here: of the modules for Volta `prefix_sum.sm_70` needs more than PTX 6.0 for one \
         modifier that compilers before CUDA 11.4 do not know, and `launch_overlap.ptx_83.sm_70` for a function that drivers have since CUDA 12.3.",
    );
    page.heading(2, "Which generations of GPUs");
    page.table(
        [
            "GPUs",
            "compute capability",
            "driver",
            "targets of the modules",
            "kernels that need a newer GPU",
            "assembled by ptxas of",
            "ran",
        ],
        GENERATIONS.iter().map(row_of_generation),
    );
    page.paragraph(&format!(
        "The driver is the first that knows the GPU, loads all of its modules and has the functions that everything needs. Before Hopper only the variant `conditional` of \
         `launch_overlap` needs one as new as 545.23; the table above says which drivers load the other modules. NVIDIA's driver \
         580 is the last for Maxwell, Pascal and Volta. `APBENCH_EXHAUSTIVE=1 cargo test --test suite ptxas` assembles each GPU's modules for \
         each of its compute capabilities with the toolkits {}: all that know the GPU take all of them that are of no later PTX version.",
        TOOLKITS.join(", ")
    ));
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

fn row_of_generation(generation: &Generation) -> [String; 7] {
    let first = generation.capabilities[0];
    let all = || FAMILIES.iter().map(|family| family.ptx).chain([HARNESS]).flat_map(move |ptx| ptx.modules_of(first));
    let modules = || all().filter(|module| module.capability <= first);
    let loaded: BTreeSet<&str> = modules().flat_map(|module| module.kernels).copied().collect();
    // Kernels of one variant differ in the size of the tile, which ends their names.
    let variant = |kernel: &&'static str| {
        let variant = kernel.trim_end_matches(|letter: char| letter.is_ascii_digit() || "x_".contains(letter));
        if kernel[variant.len()..].starts_with('_') { variant } else { *kernel }
    };
    let kernels = all().flat_map(|module| module.kernels).filter(|kernel| !loaded.contains(**kernel));
    let without: BTreeSet<&str> = kernels.map(variant).collect();
    let targets: BTreeSet<(u32, u32)> = modules().map(|module| module.capability).collect();
    let of_modules = modules().filter_map(|module| Release::of_ptx(module.version)).map(|release| release.driver);
    let needed = of_modules
        .chain(generation.driver())
        .map(str::to_owned)
        .chain(oldest_driver().split(' ').next().map(str::to_owned));
    let version = |driver: &String| driver.split('.').filter_map(|part| part.parse::<u32>().ok()).collect::<Vec<_>>();
    let dotted = |(major, minor): &(u32, u32)| format!("{major}.{minor}");
    [
        plain(generation.name),
        generation.capabilities.iter().map(dotted).collect::<Vec<_>>().join(", "),
        needed.max_by_key(version).unwrap_or_default(),
        codes(
            targets
                .iter()
                .map(|(major, minor)| format!("sm_{major}{minor}"))
                .collect::<Vec<_>>()
                .iter()
                .map(String::as_str),
        ),
        if without.is_empty() { "none".to_owned() } else { named_or_counted(&without) },
        generation.assembled_by.join(", "),
        plain(generation.ran),
    ]
}

/// Kernels of a family that are named each, at most.
const NAMED_MOST: usize = 8;

/// Kernels by name; of a family with many how many it has.
fn named_or_counted(kernels: &BTreeSet<&str>) -> String {
    let is_of = |kernel: &str, family: &str| kernel.strip_prefix(family).is_some_and(|rest| rest.starts_with('_'));
    let family_of = |kernel: &str| FAMILIES.iter().map(|family| family.name).find(|family| is_of(kernel, family));
    let mut told: Vec<String> = Vec::new();
    for kernel in kernels {
        let counted = family_of(kernel).and_then(|family| {
            let count = kernels.iter().filter(|own| is_of(own, family)).count();
            (count > NAMED_MOST).then(|| format!("{count} kernels of `{family}`"))
        });
        let own = counted.unwrap_or_else(|| codes([*kernel]));
        if !told.contains(&own) {
            told.push(own);
        }
    }
    told.join(", ")
}

/// The functions, each with the version of CUDA that had it first.
fn with_versions(functions: impl Iterator<Item = &'static Function>) -> String {
    let shown = |function: &Function| format!("`{}` ({})", function.name, function.since());
    functions.map(shown).collect::<Vec<_>>().join(", ")
}
