//! What times of a user's own kernel rest on, and nobody has looked at.

use located_toml::words::and_list;

use crate::draft::made_up;
use crate::run::reader::Run;
use crate::scenario::Scenario;

/// That contents were made up, and that no output was compared; nothing of a family's kernels.
pub fn of_own_kernel(run: &Run, scenario: &Scenario) -> Vec<String> {
    let Some(kernel) = scenario.kernel else { return Vec::new() };
    let contents = made_up(&run.scenario);
    let hold = if contents.len() == 1 { "holds" } else { "hold" };
    let made_up = (!contents.is_empty()).then(|| {
        format!(
            "What {} {hold} was made up by `apbench new`: times of your contents may be others.",
            and_list(&contents)
        )
    });
    let unchecked = (!kernel.is_compared())
        .then(|| "No buffer has a `check`, so no output was compared; `apbench verify` looks for races.".to_owned());
    made_up.into_iter().chain(unchecked).collect()
}
