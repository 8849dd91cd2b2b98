//! What the rest of a source says of a kernel: the instances of its template that it names, and how it launches them.

use std::collections::HashMap;

use super::body::Function;
use super::brackets::{angles, balanced};
use super::expression::{Expression, Names};
use super::host::Host;
use super::parameters::parts;
use super::token::Token;
use super::{Class, Parameter, TemplateKind, TemplateParameter};

/// Places that are looked at for a kernel, in functions and of instantiations.
const MENTIONS_MOST: usize = 256;

/// How the source itself launches a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLaunch {
    /// Its line, from 1.
    pub line: u32,
    /// Blocks in each dimension that is written, in terms of what the kernel is given.
    pub grid: Vec<Expression>,
    /// Threads of a block.
    pub block: Vec<Expression>,
    /// Bytes of dynamic shared memory, where they are written.
    pub shared_bytes: Option<Expression>,
}

impl SourceLaunch {
    /// How many dimensions are more than 1.
    pub fn dimensions(&self) -> usize {
        let of =
            |extents: &[Expression]| extents.iter().rposition(|own| own.number() != Some(1)).map_or(1, |last| last + 1);
        of(&self.grid).max(of(&self.block))
    }

    /// Whether a macro of this name, which the compiler may be given, is in it.
    pub(super) fn names(&self, name: &str) -> bool {
        let is_it = |part: &Expression| matches!(part, Expression::Template(own) if own == name);
        self.grid.iter().chain(&self.block).chain(&self.shared_bytes).any(|own| own.any(&is_it))
    }
}

/// A place that names a kernel.
pub(super) struct Mention<'t, 'a> {
    line: u32,
    /// What stands in the angle brackets behind its name.
    pub(super) arguments: Option<&'t [Token<'a>]>,
    /// What stands in `<<< >>>`, and the arguments behind that.
    launch: Option<(&'t [Token<'a>], &'t [Token<'a>])>,
    /// What the function around it does before.
    pub(super) before: &'t [Token<'a>],
    /// Names that have no value there: parameters of the templates of the function around it.
    pub(super) open: Vec<String>,
}

/// Places that name this kernel: in these functions of the host, and where its template is instantiated.
pub(super) fn mentions<'t, 'a>(
    name: &str,
    functions: impl Iterator<Item = (&'t [Token<'a>], Vec<String>)>,
    all: &'t [Token<'a>],
) -> Vec<Mention<'t, 'a>> {
    let name = name.rsplit("::").next().unwrap_or(name);
    let mut found = Vec::new();
    for (body, open) in functions {
        let places = (0..body.len()).filter(|place| body[*place].is(name)).take(MENTIONS_MOST);
        found.extend(places.map(|place| Mention { open: open.clone(), ..mention(body, place) }));
    }
    // `template __global__ void name<float, 3>(...);`
    for (place, _) in all
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(place, _)| all[place - 1].is("template") && !all[*place].is("<"))
        .take(MENTIONS_MOST)
    {
        let declared = &all[place..place + all[place..].iter().take_while(|own| !own.is(";") && !own.is("{")).count()];
        let own = declared.iter().position(|own| own.is(name));
        found.extend(own.map(|own| Mention { before: &[], launch: None, ..mention(declared, own) }));
    }
    found
}

pub(super) fn mention<'t, 'a>(tokens: &'t [Token<'a>], place: usize) -> Mention<'t, 'a> {
    let mut rest = &tokens[place + 1..];
    let mut arguments = None;
    if rest.first().is_some_and(|own| own.is("<")) {
        let length = angles(rest);
        arguments = rest.get(1..length.saturating_sub(1));
        rest = &rest[length..];
    }
    Mention { line: tokens[place].line, arguments, launch: launch(rest), before: &tokens[..place], open: Vec::new() }
}

/// `<<<grid, block, shared>>>(arguments)`, where tokens begin with it.
fn launch<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<(&'t [Token<'a>], &'t [Token<'a>])> {
    let [one, other, rest @ ..] = tokens else { return None };
    if !(one.is("<<") && other.is("<")) {
        return None;
    }
    let mut end = 0;
    while !rest.get(end..end + 3)?.iter().all(|own| own.is(">")) {
        end += if ["(", "[", "{"].contains(&rest[end].text) { balanced(&rest[end..]) } else { 1 };
    }
    let behind = &rest[end + 3..];
    let given = behind.first().filter(|own| own.is("("))?;
    let length = balanced(behind);
    (given.is("(")).then_some((&rest[..end], behind.get(1..length.saturating_sub(1)).unwrap_or_default()))
}

/// What is known where kernels are mentioned.
pub(super) struct Known<'k, 't, 'a> {
    /// The constants of the source.
    pub(super) constants: &'k Names,
    /// Its functions, and macros that are like functions.
    pub(super) functions: &'k HashMap<String, Function<'t, 'a>>,
}

/// How the source launches a kernel; one of a template, the instance with these arguments.
pub(super) fn source_launch(
    mentions: &[Mention<'_, '_>],
    templates: &[TemplateParameter],
    instance: Option<&[String]>,
    parameters: &[Parameter],
    known: &Known<'_, '_, '_>,
) -> Option<SourceLaunch> {
    let is_it = |own: &&Mention<'_, '_>| {
        instance.is_none_or(|instance| own.instance(templates, known).as_deref() == Some(instance))
    };
    // An instance that is launched nowhere, or without its arguments, is launched like another.
    let mut own =
        mentions.iter().filter(is_it).chain(mentions.iter().filter(|own| own.arguments.is_none())).chain(mentions);
    own.find_map(|own| own.launched(templates, instance.is_some(), parameters, known))
}

impl Mention<'_, '_> {
    /// The launch here, if there is one.
    fn launched(
        &self,
        templates: &[TemplateParameter],
        is_instance: bool,
        parameters: &[Parameter],
        known: &Known<'_, '_, '_>,
    ) -> Option<SourceLaunch> {
        let (configuration, given) = self.launch?;
        let word = |part: &[Token<'_>]| match part {
            [only] if only.is_word() => Some(only.text.to_owned()),
            _ => None,
        };
        // What the host calls what it gives to the kernel.
        let mut own: Names = HashMap::new();
        for ((place, parameter), part) in parameters.iter().enumerate().zip(parts(given)) {
            let stands_for = match parameter.class {
                Class::Whole(_) => Expression::Parameter(place),
                Class::Structure if parameter.structure.is_some() => Expression::Structure(place),
                _ => continue,
            };
            own.extend(word(part).map(|name| (name, stands_for)));
        }
        if !is_instance {
            let open = templates.iter().zip(parts(self.arguments.unwrap_or_default()));
            let open = open.filter(|(template, _)| template.kind == TemplateKind::Whole);
            own.extend(
                open.filter_map(|(template, part)| Some((word(part)?, Expression::Template(template.name.clone())))),
            );
        }
        let host = Host::at(self.before, known, &own);
        let mut all = parts(configuration).into_iter();
        let (grid, block) = (host.extents(all.next()?), host.extents(all.next()?));
        let shared_bytes = all.next().map(|part| host.value(part)).filter(|own| own.number() != Some(0));
        Some(SourceLaunch { line: self.line, grid, block, shared_bytes })
    }
}
