//! The page of what old drivers switch off, from the table of the driver's functions.

use super::markdown::{Page, codes, plain};
use crate::device::cuda::{FUNCTIONS, Feature, Function, oldest_driver};

pub(super) fn page() -> Page {
    let mut page = Page::new("Old drivers");
    page.paragraph(&format!(
        "A GPU can be used with driver {} or newer, if the driver also loads the kernels. Before anything runs, apbench looks for each \
         function of the driver's library (libcuda) that it may call.",
        oldest_driver()
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

/// The functions, each with the version of CUDA that had it first.
fn with_versions(functions: impl Iterator<Item = &'static Function>) -> String {
    let shown = |function: &Function| format!("`{}` ({})", function.name, function.since());
    functions.map(shown).collect::<Vec<_>>().join(", ")
}
