//! Instances of templates: those that a source names, and those that are asked for.

use std::collections::HashMap;

use super::calls::Hosts;
use super::expression::{Expression, Names};
use super::host::Host;
use super::launches::{Known, Mention, mention};
use super::parameters::{joined, parts};
use super::token::{Token, tokens};
use super::{Parameter, SourceError, TemplateKind, TemplateParameter};
use located_toml::words::{and_list, count, quote};

/// An instance of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instance {
    /// The arguments as `entry` has them.
    pub(super) arguments: Vec<String>,
    /// How it was asked for.
    pub(super) asked: Vec<String>,
}

/// The instances of a template that mentions name, each once.
pub(super) fn instances<'t, 'a>(
    mentions: &[Mention<'t, 'a>],
    templates: &[TemplateParameter],
    parameters: &[Parameter],
    known: &Known<'_, 't, 'a>,
) -> Vec<Instance> {
    let mut all: Vec<Instance> = Vec::new();
    for arguments in mentions.iter().filter_map(|own| own.instance(templates, parameters, known)) {
        if all.iter().all(|own| own.arguments != arguments) {
            all.push(Instance { arguments: arguments.to_vec(), asked: Vec::new() });
        }
    }
    all
}

/// The same, and those of these names that are instances of the template with this name and line.
pub(super) fn with_asked(
    mut all: Vec<Instance>,
    asked: &[String],
    (name, line): (&str, u32),
    templates: &[TemplateParameter],
    known: &Known<'_, '_, '_>,
) -> Result<Vec<Instance>, SourceError> {
    for own in asked {
        let words = tokens(own);
        let Some(open) = words.iter().position(|word| word.is("<")).filter(|open| *open > 0) else { continue };
        let template = joined(&words[..open]);
        if template != name && name.rsplit("::").next() != Some(&*template) {
            continue;
        }
        let known = Known { hosts: &Hosts::default(), functions: &HashMap::new(), ..*known };
        let Some(arguments) = mention(&words, open - 1, None).find_instance(templates, &[], &known) else {
            return Err(SourceError::new(Some(line), refusal(own, name, templates)));
        };
        match all.iter_mut().find(|other| other.arguments == arguments) {
            Some(found) => found.asked.push(own.clone()),
            None => all.push(Instance { arguments, asked: vec![own.clone()] }),
        }
    }
    Ok(all)
}

/// Why a template has no such instance.
fn refusal(asked: &str, name: &str, templates: &[TemplateParameter]) -> String {
    let one = |own: &TemplateParameter| {
        let kind = match own.kind {
            TemplateKind::Type => "a type",
            TemplateKind::Whole => "a whole number",
            TemplateKind::Flag => "true or false",
            TemplateKind::Other => "an argument as the source has it",
        };
        let default = own.default.as_ref().map(|own| format!(", {own} by default")).unwrap_or_default();
        format!("{} ({kind}{default})", own.name)
    };
    let all: Vec<String> = templates.iter().map(one).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let takes = count(templates.len(), "argument");
    format!("--entry {}: the template `{name}` takes {takes}: {}", quote(asked), and_list(&all).replace('`', ""))
}

impl<'t, 'a> Mention<'t, 'a> {
    /// The arguments of the template; `None` where they are not all told.
    pub(super) fn instance(
        &self,
        templates: &[TemplateParameter],
        parameters: &[Parameter],
        known: &Known<'_, 't, 'a>,
    ) -> Option<&[String]> {
        self.instance.get_or_init(|| self.find_instance(templates, parameters, known)).as_deref()
    }

    fn find_instance(
        &self,
        templates: &[TemplateParameter],
        parameters: &[Parameter],
        known: &Known<'_, 't, 'a>,
    ) -> Option<Vec<String>> {
        // Without any, those of a launch follow from what it gives.
        let launched = self.launch.as_ref().map(|own| &own.given);
        let given = parts(self.arguments.or(launched.map(|_| &[][..]))?);
        if given.len() > templates.len() {
            return None;
        }
        let host = self.host(known, &Names::new());
        let open = self.open(known);
        let one = |(place, template): (usize, &TemplateParameter)| match given.get(place) {
            Some(part) => argument(part, template.kind, &host, &open),
            None => template.default.clone().or_else(|| {
                let is_type = template.kind == TemplateKind::Type;
                host.deduced(&template.name, parameters, launched.filter(|_| is_type)?)
            }),
        };
        templates.iter().enumerate().map(one).collect()
    }
}

/// An argument as `entry` has it. Names that are open have no value but what calls give for them.
fn argument(part: &[Token<'_>], kind: TemplateKind, host: &Host<'_, '_, '_>, open: &[&str]) -> Option<String> {
    let stands_for = |own: &Token<'_>| host.types.get(own.text).map(String::as_str);
    if part.iter().any(|own| open.contains(&own.text) && stands_for(own).is_none()) {
        return None;
    }
    let text = match part {
        [only] => stands_for(only).map_or_else(|| joined(part), str::to_owned),
        _ if part.iter().any(|own| stands_for(own).is_some()) && kind != TemplateKind::Whole => return None,
        _ => joined(part),
    };
    match kind {
        TemplateKind::Whole => match host.value(part) {
            Expression::Number(number) => Some(number.to_string()),
            // A macro that the compiler may be given.
            Expression::Template(name) if name == text => Some(text),
            _ => None,
        },
        TemplateKind::Flag => Some(text).filter(|own| own == "true" || own == "false"),
        TemplateKind::Type => Some(text).filter(|own| own.contains(char::is_alphabetic)),
        TemplateKind::Other => Some(text),
    }
}
