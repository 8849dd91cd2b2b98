//! What is given for the parameters of templates, and for macros that the compiler may be given.

use super::amount::Amount;
use super::launch::dimensions;
use super::names::Names;
use crate::signature::{Kernel, TemplateKind, TemplateParameter};

/// A parameter of a scenario that stands for one of a template, or for a macro.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    /// Its name in the scenario.
    pub(super) name: String,
    /// Its name in the source.
    pub(super) source: String,
    /// Its value; `None` where it is true or false.
    pub(super) default: Option<i64>,
    /// Whether it is a macro.
    pub(super) is_defined: bool,
}

/// The macros of the kernels that the compiler may be given.
pub(super) fn open(kernels: &[&Kernel], names: &mut Names) -> Vec<Given> {
    let mut all: Vec<Given> = Vec::new();
    for own in kernels.iter().flat_map(|kernel| &kernel.constants).filter(|own| own.is_open && own.value >= 0) {
        if all.iter().all(|other| other.source != own.name) {
            let name = names.take(&own.name);
            all.push(Given { name, source: own.name.clone(), default: Some(own.value), is_defined: true });
        }
    }
    all
}

/// The kernel's function as `entry` names it; parameters that are new are added to those that other variants have.
pub(super) fn entry(kernel: &Kernel, given: &mut Vec<Given>, names: &mut Names) -> String {
    if kernel.templates.is_empty() {
        return kernel.name.clone();
    }
    let arguments: Vec<String> = kernel.templates.iter().map(|own| argument(own, kernel, given, names)).collect();
    format!("{}<{}>", kernel.name, arguments.join(", "))
}

fn argument(own: &TemplateParameter, kernel: &Kernel, given: &mut Vec<Given>, names: &mut Names) -> String {
    let default = match own.kind {
        TemplateKind::Type => return "float".to_owned(),
        TemplateKind::Other => return own.default.clone().unwrap_or_else(|| own.name.clone()),
        TemplateKind::Flag => None,
        TemplateKind::Whole => Some(default(own, kernel)),
    };
    let is_same = |other: &&Given| other.source == own.name && other.default.is_some() == default.is_some();
    let found = given.iter().filter(|other| !other.is_defined).find(is_same);
    let name = if let Some(found) = found {
        found.name.clone()
    } else {
        let name = names.take(&own.name);
        given.push(Given { name: name.clone(), source: own.name.clone(), default, is_defined: false });
        name
    };
    format!("{{{name}}}")
}

fn default(own: &TemplateParameter, kernel: &Kernel) -> i64 {
    if let Some(number) = own.default.as_ref().and_then(|text| text.parse().ok()).filter(|number| *number >= 0) {
        return number;
    }
    let name = own.name.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let is_flat = dimensions(kernel) == 1;
    if has(&["pad"]) {
        1
    } else if has(&["warp"]) {
        32
    } else if has(&["rows", "per_thread", "perthread", "unroll", "item", "radius", "vec", "coarse"]) {
        4
    } else if has(&["tile", "block", "thread", "dim", "size", "width"]) || name.len() <= 2 {
        if is_flat { 256 } else { 16 }
    } else {
        4
    }
}

/// What stands for a template's parameters in amounts.
pub(super) fn amounts(kernel: &Kernel, given: &[Given]) -> Vec<(String, Amount)> {
    let of = |source: &String, is_defined: bool| {
        let is_it =
            |other: &&Given| other.source == *source && other.is_defined == is_defined && other.default.is_some();
        let found = given.iter().find(is_it);
        // What is negative is no parameter of a scenario.
        let number = || kernel.constants.iter().find(|own| is_defined && own.name == *source);
        let amount = found.map(|own| Amount::symbol(&*own.name));
        Some((source.clone(), amount.or_else(|| number().map(|own| Amount::number(own.value)))?))
    };
    let of_templates = kernel.templates.iter().filter_map(|own| of(&own.name, false));
    of_templates.chain(kernel.constants.iter().filter_map(|own| of(&own.name, true))).collect()
}

/// Parts of names of arguments that change how something is computed and not what.
const TUNING: [&str; 13] =
    ["block", "thread", "tile", "unroll", "item", "per_", "vec", "warp", "pad", "chunk", "size", "coarse", "stage"];

/// The first argument in which instances of one template differ, if it may change what they compute: a radius, or a type.
pub(super) fn apart(kernels: &[&Kernel]) -> Option<String> {
    kernels.iter().find_map(|own| {
        let others = kernels.iter().filter(|other| own.template.is_some() && other.template == own.template);
        let arguments = others.flat_map(|other| own.arguments.iter().zip(&other.arguments));
        let is_tuning = |name: &str| TUNING.iter().any(|part| name.to_lowercase().contains(part));
        let mut differing = arguments.filter(|((name, value), (_, other))| value != other && !is_tuning(name));
        differing.next().map(|((name, _), _)| name.clone())
    })
}
