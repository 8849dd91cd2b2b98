//! What of a draft its source itself says, in lines of the draft.

use super::arguments::Given;
use super::as_launched::AsLaunched;
use super::parameters::Parameter;
use super::same::Same;
use super::sizes::MULTIPROCESSORS;
use super::variants::{Buffer, Plan};
use crate::signature::Kernel;
use located_toml::words::{and_list, count};

/// Whether blocks and threads are guessed, or as the source has them.
pub(super) fn as_launched(own: Option<AsLaunched>) -> String {
    match own {
        None => "CHECK: how many blocks and threads.".to_owned(),
        Some(AsLaunched { line, grid: true, block: true }) => {
            format!("Blocks and threads are as line {line} launches them.")
        }
        Some(AsLaunched { line, grid: true, .. }) => {
            format!("CHECK: how many threads; blocks are as line {line} launches them.")
        }
        Some(AsLaunched { line, .. }) => format!("CHECK: how many blocks; threads are as line {line} launches them."),
    }
}

/// That the source launches clusters by an attribute, which scenarios do not have, and how to have them all the same.
pub(super) fn clusters_lost(kernel: &Kernel) -> Option<String> {
    let (line, extents) = kernel.lost_clusters()?;
    let spelled = |between: &str| {
        let all = extents.iter().map(|own| own.map_or("?".to_owned(), |own| own.to_string()));
        all.collect::<Vec<_>>().join(between)
    };
    Some(format!(
        "# CHECK: line {line} launches clusters of {} blocks by an attribute, and this scenario launches without clusters. To have them, write\n\
         # `__global__ void __cluster_dims__({}) {}(...)` in the source, and draft anew.",
        spelled(" x "),
        spelled(", "),
        kernel.name.rsplit("::").next().unwrap_or(&kernel.name)
    ))
}

/// Which numbers are those of the source.
pub(super) fn numbers_as_launched(plan: &Plan, kernel: &Kernel) -> Option<String> {
    let told = kernel.parameters.iter().zip(&plan.given).filter_map(|(own, given)| match given {
        Given::Number { line: Some(line), .. } => Some((own.name.as_deref().unwrap_or(&own.declared), *line)),
        _ => None,
    });
    let told: Vec<(&str, u32)> = told.collect();
    let (_, line) = told.first()?;
    let names: Vec<&str> = told.iter().map(|(name, _)| *name).collect();
    Some(format!("# {} as line {line} has {}.", is(&names), if names.len() == 1 { "it" } else { "them" }))
}

/// `a` is, or `a` and `b` are.
fn is(names: &[&str]) -> String {
    format!("{} {}", and_list(names), if names.len() == 1 { "is" } else { "are" })
}

/// Which values are guessed, and which are those of the source.
pub(super) fn values_hint(all: &[Parameter]) -> Vec<String> {
    let (told, guessed): (Vec<&Parameter>, Vec<&Parameter>) = all.iter().partition(|own| own.line.is_some());
    let names = |own: &[&Parameter]| own.iter().map(|own| own.name.clone()).collect::<Vec<_>>();
    let Some(line) = told.first().and_then(|own| own.line) else {
        return vec!["# CHECK: the values where nothing else is said, and their range.".to_owned()];
    };
    let (told, guessed) = (names(&told), names(&guessed));
    let list = |all: &[String]| and_list(&all.iter().map(String::as_str).collect::<Vec<_>>());
    let mut lines = vec![format!("# Where nothing else is said, values of {} are those of line {line}.", list(&told))];
    if !guessed.is_empty() {
        lines.push(format!("# CHECK: the values of {}, and all ranges.", list(&guessed)));
    }
    lines
}

/// Which parameters of the kernel are one.
pub(super) fn same(plan: &Plan, kernel: &Kernel) -> Vec<String> {
    let name = |place: &usize| kernel.parameters.get(*place).map(|own| own.name.as_deref().unwrap_or(&own.declared));
    let one = |own: &Same| {
        let names: Vec<&str> = own.places.iter().filter_map(name).collect();
        format!("# {} are one number, `{}`, as line {} gives them.", and_list(&names), own.name, own.line)
    };
    plan.same.iter().map(one).collect()
}

/// That loops of the host change what is given here: parameters of the scenario, or numbers among the arguments.
pub(super) fn repeated(plan: &Plan, kernels: &[&Kernel], is_parameter: bool) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    let mut lines: Vec<u32> = Vec::new();
    for (name, line, own) in plan.repeated(kernels) {
        if matches!(own, Given::Parameter { .. }) == is_parameter {
            names.push(name);
            lines.push(line);
        }
    }
    lines.sort_unstable();
    lines.dedup();
    let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
    let (last, others) = lines.split_last()?;
    let loops = match others {
        [] => format!("the loop in line {last} changes"),
        others => format!("the loops in lines {} and {last} change", others.join(", ")),
    };
    let first = if names.len() == 1 { "it has its first value" } else { "they have their first values" };
    let others = if is_parameter { " Put other values in [grid] where they may cost another time." } else { "" };
    Some(format!("# CHECK: {loops} {}; {first} here.{others}", and_list(&names)))
}

/// What the length of rows is that is another parameter.
pub(super) fn follows(own: &Given) -> Option<String> {
    let (Given::Follows { name, .. }, Some(follows)) = (own, own.length_of_rows()) else { return None };
    Some(format!(
        "# CHECK: the length of rows in memory: `{name}` is {follows}, so that rows follow each other without a gap. To vary \
         it, make it a parameter below; rows must not overlap."
    ))
}

/// That there are fewer blocks than multiprocessors.
pub(super) fn few_blocks(blocks: f64, has_parameters: bool) -> String {
    let blocks = blocks as usize;
    let (are, blocks) = (if blocks == 1 { "is" } else { "are" }, count(blocks, "block"));
    let (there, remedy) =
        if has_parameters { ("With the values below there", " Larger values fill them.") } else { ("There", "") };
    format!(
        "# {there} {are} {blocks}, and an H200 has {MULTIPROCESSORS} multiprocessors: what leaves the others idle is most of a diagnosis.{remedy}"
    )
}

/// What launches find in a counter whose values the kernel takes, as that of a queue.
pub(super) fn counts_on(own: &Buffer) -> Option<String> {
    let name = &own.name;
    own.counts_on.then(|| {
        format!(
            "# CHECK: `{name}` goes on where the launch before has left off, and a measurement has many: a queue is done by then, and places that `{name}` \
             gives lead out of buffers. Where it begins anew, list a launch before that clears it."
        )
    })
}

/// Which buffers are as long as the kernel's indices ask for: all of which nothing else is said, where the source allocates none.
pub(super) fn by_indices(all: &[&Buffer], is_rest: bool) -> Option<String> {
    let names: Vec<&str> = all.iter().map(|own| own.name.as_str()).collect();
    match (&names[..], is_rest) {
        ([], _) => None,
        (_, true) => Some("# Lengths follow from the kernel's indices.".to_owned()),
        (names, false) => Some(format!("# {} as long as the kernel's indices ask for.", is(names))),
    }
}

/// Which buffers are as long as the source has them.
pub(super) fn as_allocated(all: &[&Buffer]) -> Option<String> {
    let mut places: Vec<u32> = all.iter().filter_map(|own| own.allocated).collect();
    places.sort_unstable();
    places.dedup();
    let names: Vec<&str> = all.iter().map(|own| own.name.as_str()).collect();
    let them = if names.len() == 1 { "it" } else { "them" };
    let places: Vec<String> = places.iter().map(u32::to_string).collect();
    let (last, others) = places.split_last()?;
    Some(if others.is_empty() {
        format!("# {} as long as line {last} allocates {them}.", is(&names))
    } else {
        format!("# {} as long as lines {} and {last} allocate {them}.", is(&names), others.join(", "))
    })
}
