//! What is given for the parameters of templates.

use super::amount::Amount;
use super::launch::dimensions;
use super::names::Names;
use crate::signature::{Kernel, TemplateKind, TemplateParameter};

/// A parameter of a scenario that stands for one of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    /// Its name in the scenario.
    pub(super) name: String,
    /// Its name in the template.
    pub(super) source: String,
    /// Its value; `None` where it is true or false.
    pub(super) default: Option<i64>,
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
    let found = given.iter().find(|other| other.source == own.name && other.default.is_some() == default.is_some());
    let name = if let Some(found) = found {
        found.name.clone()
    } else {
        let name = names.take(&own.name);
        given.push(Given { name: name.clone(), source: own.name.clone(), default });
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
    let of = |own: &TemplateParameter| {
        let found = given.iter().find(|other| other.source == own.name && other.default.is_some())?;
        Some((own.name.clone(), Amount::symbol(&*found.name)))
    };
    kernel.templates.iter().filter_map(of).collect()
}
