//! Scenarios that describe the kernels of a source, drafted from what their text says: complete enough to run, and with what was guessed marked.
//!
//! [`crate::signature`] reads the kernels. Here it is guessed how they are launched, how long buffers are and what numbers they get.

use crate::kernel::Language;
use crate::signature::{Class, Headers, Kernel};
use located_toml::words::{and_list, instead, quote};

mod amount;
mod arguments;
mod as_launched;
mod asked;
mod blocks;
mod clusters;
mod derived;
mod extents;
mod fill;
mod guesses;
mod launch;
mod marks;
mod names;
mod parameters;
mod pitch;
mod predictor;
mod rows;
mod same;
mod setting;
mod sizes;
mod steps;
mod strides;
mod structures;
mod templates;
#[cfg(test)]
mod tests;
mod text;
mod tiles;
mod told;
mod variants;
mod words;

pub use launch::dimensions as threads_of_dimensions;
pub use marks::made_up;

/// A scenario that was drafted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The text of its file.
    pub text: String,
    /// The kernels in it, as the source calls them.
    pub kernels: Vec<String>,
    /// Kernels that are not in it, since their parameters are others.
    pub others: Vec<String>,
    /// What was guessed, in phrases.
    pub guesses: Vec<String>,
    /// What a kernel takes and scenarios cannot give, in sentences.
    pub missing: Vec<String>,
}

/// What a draft is made of.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The kernels of the source; at least one.
    pub kernels: &'a [Kernel],
    /// Those that are wanted; empty for the first, and all with the same parameters.
    pub entries: &'a [String],
    /// The file of the source, from the scenario's directory.
    pub source: &'a str,
    /// What it is written in.
    pub language: Language,
    /// Its headers that were read.
    pub headers: &'a Headers,
}

/// Drafts a scenario.
///
/// # Errors
/// Where the kernels that are wanted are not there, or are no variants of one scenario: why, and what is allowed.
pub fn draft(request: Request<'_>) -> Result<Draft, String> {
    let chosen = chosen(request.kernels, request.entries)?;
    let others = request.kernels.iter().filter(|own| !chosen.iter().any(|other| other.name == own.name));
    let others: Vec<String> = others.map(|own| own.name.clone()).collect();
    let plan = variants::plan(&chosen);
    let text = text::text(&plan, &chosen, &others, request);
    Ok(Draft {
        text,
        kernels: chosen.iter().map(|own| own.name.clone()).collect(),
        others,
        guesses: plan.guesses(&chosen),
        missing: plan.missing,
    })
}

/// What buffers are called that are given for the parameters of a kernel: as its source does.
pub fn names_of_parameters(kernels: &[Kernel], entry: &str) -> Vec<Option<String>> {
    let mut names = names::Names::default();
    let found = kernels.iter().find(|own| is_asked(own, entry));
    let parameters = found.map(|own| own.parameters.as_slice()).unwrap_or_default();
    parameters.iter().map(|own| own.name.as_ref().map(|name| names.take(name))).collect()
}

fn is_named(name: &str, entry: &str) -> bool {
    name == entry || name.rsplit("::").next() == Some(entry)
}

/// Whether a kernel is asked for by this name.
fn is_asked(kernel: &Kernel, entry: &str) -> bool {
    let without_blanks = |name: &str| name.replace(' ', "");
    let is_spelled = || without_blanks(&kernel.name) == without_blanks(entry);
    is_named(&kernel.name, entry) || kernel.asked.iter().any(|own| own == entry) || is_spelled()
}

/// The kernels that are wanted.
fn chosen<'k>(kernels: &'k [Kernel], entries: &[String]) -> Result<Vec<&'k Kernel>, String> {
    let names: Vec<&str> = kernels.iter().map(|own| own.name.as_str()).collect();
    let mut chosen: Vec<&Kernel> = Vec::new();
    let mut problems = Vec::new();
    for entry in entries {
        let is_it = |own: &&Kernel| is_asked(own, entry);
        // All instances of a template that take the same arguments as the first of them.
        let mut found: Vec<&Kernel> = kernels.iter().filter(is_it).take(1).collect();
        let instances = || kernels.iter().filter(|own| own.template.as_deref().is_some_and(|own| is_named(own, entry)));
        if found.is_empty() {
            found = instances().filter(|own| instances().next().is_some_and(|first| is_alike(first, own))).collect();
        }
        match found[..] {
            [_, ..] => {
                found.retain(|own| chosen.iter().all(|other| other.name != own.name));
                chosen.extend(found);
            }
            [] => {
                problems.push(format!("--entry {}: there is no such kernel; {}", quote(entry), instead(entry, &names)));
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems.join("\n  "));
    }
    let Some(first) = chosen.first().copied().or(kernels.first()) else { return Err("there is no kernel".to_owned()) };
    if chosen.is_empty() {
        return Ok(kernels.iter().filter(|own| is_alike(first, own)).collect());
    }
    let unlike: Vec<&str> = chosen.iter().filter(|own| !is_alike(first, own)).map(|own| own.name.as_str()).collect();
    if unlike.is_empty() {
        return Ok(chosen);
    }
    let (unlike, takes) = (and_list(&unlike), listed(first));
    Err(format!(
        "--entry: variants of one scenario take the same arguments, and {unlike} takes others than `{}`, which takes {takes}; write a scenario \
         for each",
        first.name
    ))
}

/// What a kernel takes, as its source has it.
fn listed(kernel: &Kernel) -> String {
    let one = |own: &crate::signature::Parameter| match &own.name {
        Some(name) if own.declared.ends_with(['*', '&']) => format!("{} {name}", own.declared),
        Some(name) => format!("{} {name}", own.declared),
        None => own.declared.clone(),
    };
    let all: Vec<String> = kernel.parameters.iter().map(one).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
}

/// Whether two kernels take the same arguments, as far as their names and types tell.
fn is_alike(one: &Kernel, other: &Kernel) -> bool {
    let parameter = |kernel: &Kernel| -> Vec<(Option<String>, Class, Option<String>)> {
        let class = |class: Class| match class {
            Class::Pointer { element, .. } => Class::Pointer { element, is_const: true },
            class => class,
        };
        let by_value =
            |own: &crate::signature::Parameter| (own.class == Class::Structure).then(|| own.declared.clone());
        kernel.parameters.iter().map(|own| (own.name.clone(), class(own.class), by_value(own))).collect()
    };
    parameter(one) == parameter(other)
}
