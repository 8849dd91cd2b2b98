//! Kernels of CUDA C++: its functions and constants, found by their tokens.

use std::collections::{BTreeSet, HashMap};

use super::body::{Body, Function, Use, Walk};
use super::brackets::{angles, balanced, closing};
use super::calls::{HostFunction, Hosts};
use super::constants::Constants;
use super::expression::{Expression, Names, expression};
use super::host::{Macro, returned};
use super::instances::{Instance, instances, with_asked};
use super::launches::{Known, Mention, mentions, source_launch};
use super::members::{member_addresses, member_name};
use super::parameters::{Types, parameters, templates};
use super::structures;
use super::token::{Kind, Token};
use super::variables::{self, ConstantVariable};
use super::{Class, Headers, Kernel, SourceError, TemplateKind, TemplateParameter};

/// What a kernel is, for those who have none.
const NO_KERNEL: &str = "there is no kernel in it: a kernel is a function with __global__, such as `__global__ void add(float* data, int n) { ... }`";

/// A function as it was found.
struct Found<'t, 'a> {
    name: String,
    /// Its name without namespaces.
    short: &'t str,
    line: u32,
    is_kernel: bool,
    threads_most: Option<i64>,
    cluster: Vec<Expression>,
    templates: &'t [Token<'a>],
    parameters: &'t [Token<'a>],
    body: &'t [Token<'a>],
}

/// Which kernels are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted<'a> {
    /// Each function, once.
    Functions,
    /// In place of templates the instances of them that the source names, where it names some, and these.
    Instances(&'a [String]),
}

/// The kernels of a text, in order.
pub(super) fn kernels(text: &str, wanted: Wanted<'_>, headers: &Headers) -> Result<Vec<Kernel>, SourceError> {
    let all = headers.tokens(text);
    if let Some(open) = all.iter().find(|token| token.kind == Kind::Unclosed) {
        let what = if open.text == "/*" {
            "a comment begins here that nothing ends"
        } else {
            "a string begins here that nothing ends"
        };
        return Err(SourceError::new(Some(open.line), what));
    }
    let mut scan = Scan {
        tokens: &all,
        place: 0,
        scopes: Vec::new(),
        found: Vec::new(),
        types: Types::default(),
        constants: Constants::default(),
        macros: Vec::new(),
        others: Vec::new(),
    };
    scan.items()?;
    let Scan { found, mut types, mut constants, macros, others, .. } = scan;
    structures::add_all(&all, &mut types, &constants.values);
    for (name, own) in &types.structures {
        let bytes = Expression::Number(i64::try_from(own.layout().0).unwrap_or(i64::MAX));
        constants.symbols.insert(format!("sizeof {name}"), bytes);
    }
    let functions: HashMap<String, Function<'_, '_>> =
        found.iter().map(|own| (own.name.clone(), function(own, &types))).collect();
    let variables = variables::all(&all);
    let returned = returned(&functions, &macros);
    let hosts = hosts(&found, &macros, &others, &types);
    let known =
        Known { constants: &constants.symbols, decimals: &constants.decimals, functions: &returned, hosts: &hosts };
    let mut kernels: Vec<Kernel> = Vec::new();
    for own in found.iter().filter(|own| own.is_kernel) {
        // A branch of the preprocessor may have another version of it: the first counts.
        if kernels.iter().any(|other| other.name == own.name || other.template.as_ref() == Some(&own.name)) {
            continue;
        }
        let templates = templates(own.templates);
        let mentions = mentions(&own.name, &hosts, &all);
        let of_source = Surroundings {
            known: &known,
            constants: &constants,
            functions: &functions,
            mentions: &mentions,
            variables: &variables,
        };
        let named = match wanted {
            Wanted::Instances(asked) if !templates.is_empty() => {
                let named = instances(&mentions, &templates, &parameters(own.parameters, &types), &known);
                with_asked(named, asked, (&own.name, own.line), &templates, &known)?
            }
            _ => Vec::new(),
        };
        for Instance { arguments, asked } in &named {
            let types = types.with(templates.iter().zip(arguments));
            let instance = kernel(own, &templates, Some(arguments), &types, &of_source);
            kernels.push(Kernel { asked: asked.clone(), ..instance });
        }
        if named.is_empty() {
            types.of_template = of_types(&templates);
            kernels.push(kernel(own, &templates, None, &types, &of_source));
        }
    }
    if kernels.is_empty() { Err(SourceError::new(None, NO_KERNEL)) } else { Ok(kernels) }
}

/// The functions of the host, the macros and what else has statements.
fn hosts<'t, 'a>(
    found: &[Found<'t, 'a>],
    macros: &'t [Macro<'a>],
    others: &[&'t [Token<'a>]],
    types: &Types,
) -> Hosts<'t, 'a> {
    let of_function = |own: &Found<'t, 'a>| HostFunction {
        name: own.short,
        parameters: function(own, types).parameters,
        templates: templates(own.templates),
        body: own.body,
        is_macro: false,
    };
    let of_macro = |own: &'t Macro<'a>| HostFunction {
        name: own.name,
        parameters: own.parameters.iter().map(|name| Some((*name).to_owned())).collect(),
        templates: Vec::new(),
        body: &own.body,
        is_macro: true,
    };
    let of_others = |body: &&'t [Token<'a>]| HostFunction {
        name: "",
        parameters: Vec::new(),
        templates: Vec::new(),
        body,
        is_macro: false,
    };
    let functions = found.iter().filter(|own| !own.is_kernel).map(of_function);
    Hosts::new(functions.chain(macros.iter().map(of_macro)).chain(others.iter().map(of_others)).collect())
}

/// What stands around a kernel in its source.
struct Surroundings<'k, 't, 'a> {
    known: &'k Known<'k, 't, 'a>,
    constants: &'k Constants,
    functions: &'k HashMap<String, Function<'t, 'a>>,
    mentions: &'k [Mention<'t, 'a>],
    variables: &'k [ConstantVariable],
}

fn of_types(templates: &[TemplateParameter]) -> Vec<String> {
    templates.iter().filter(|own| own.kind == TemplateKind::Type).map(|own| own.name.clone()).collect()
}

fn function<'t, 'a>(own: &Found<'t, 'a>, types: &Types) -> Function<'t, 'a> {
    let parameters = parameters(own.parameters, types).into_iter().map(|parameter| parameter.name).collect();
    let templates = templates(own.templates).into_iter().map(|template| template.name).collect();
    Function { parameters, templates, body: own.body }
}

fn kernel(
    own: &Found<'_, '_>,
    templates: &[TemplateParameter],
    instance: Option<&Vec<String>>,
    types: &Types,
    of_source: &Surroundings<'_, '_, '_>,
) -> Kernel {
    let Surroundings { known, constants, functions, mentions, variables } = *of_source;
    let parameters = parameters(own.parameters, types);
    let mut launch = source_launch(mentions, templates, instance.map(Vec::as_slice), &parameters, known);
    if let Some((launch, other)) = launch.as_mut().and_then(|own| own.instance.clone().map(|other| (own, other)))
        && instance.is_some_and(|own| *own != other)
    {
        let types = types.with(templates.iter().zip(&other));
        launch.count_as(&self::parameters(own.parameters, &types));
    }
    let mut names = constants.symbols.clone();
    let mut used = BTreeSet::new();
    for (place, template) in templates.iter().enumerate().filter(|(_, own)| own.kind == TemplateKind::Whole) {
        let value = instance.map_or_else(
            || Expression::Template(template.name.clone()),
            |arguments| of_argument(&arguments[place], &constants.symbols, &mut used),
        );
        names.insert(template.name.clone(), value);
    }
    if let Some(launch) = &launch {
        used.extend(constants.open_names().filter(|name| launch.names(name)).map(str::to_owned));
    }
    for (place, parameter) in parameters.iter().enumerate() {
        let Some(name) = parameter.name.clone() else { continue };
        let value = match parameter.class {
            Class::Pointer { .. } => Expression::Address(place, Box::new(Expression::Number(0))),
            Class::Whole(_) => Expression::Parameter(place),
            Class::Structure if parameter.structure.is_some() => Expression::Structure(place),
            _ => Expression::Unknown,
        };
        names.insert(name, value);
    }
    let members = member_addresses(&parameters);
    for (index, (place, member)) in members.iter().enumerate() {
        let address = Expression::Address(parameters.len() + index, Box::new(Expression::Number(0)));
        names.insert(member_name(*place, member), address);
    }
    let body = Body { uses: vec![Use::default(); parameters.len() + members.len()], ..Body::default() };
    let mut walk = Walk { functions, body, walked: 0, constants: used, sought: None };
    walk.walk(own.body, names, 0);
    let constants = constants.used(&walk.constants);
    let variables = variables::used(variables, own.body, functions);
    let (line, threads_most, cluster, body) = (own.line, own.threads_most, own.cluster.clone(), walk.body);
    let with_names = |own: &Vec<String>| templates.iter().map(|own| own.name.clone()).zip(own.clone()).collect();
    let own_arguments: Vec<(String, String)> = instance.map(with_names).unwrap_or_default();
    let (name, template, templates) = if let Some(arguments) = instance {
        (format!("{}<{}>", own.name, arguments.join(", ")), Some(own.name.clone()), Vec::new())
    } else {
        (own.name.clone(), None, templates.to_vec())
    };
    Kernel {
        name,
        template,
        arguments: own_arguments,
        asked: Vec::new(),
        line,
        templates,
        parameters,
        constants,
        variables,
        threads_most,
        cluster,
        launch,
        body,
    }
}

/// What a whole number among the arguments of an instance stands for; a macro that the compiler may be given stays one.
fn of_argument(argument: &str, constants: &Names, used: &mut BTreeSet<String>) -> Expression {
    if let Some(symbol) = constants.get(argument) {
        used.insert(argument.to_owned());
        return symbol.clone();
    }
    argument.parse().map_or(Expression::Unknown, Expression::Number)
}

/// Goes through the declarations of a text.
pub(super) struct Scan<'t, 'a> {
    pub(super) tokens: &'t [Token<'a>],
    pub(super) place: usize,
    /// Names of the namespaces around, with the lines of their brackets.
    scopes: Vec<(String, u32)>,
    found: Vec<Found<'t, 'a>>,
    pub(super) types: Types,
    pub(super) constants: Constants,
    pub(super) macros: Vec<Macro<'a>>,
    /// What else stands between curly brackets: members of structures, lambdas.
    others: Vec<&'t [Token<'a>]>,
}

impl<'t, 'a> Scan<'t, 'a> {
    fn items(&mut self) -> Result<(), SourceError> {
        let mut begin = self.place;
        let mut templates: &[Token<'_>] = &[];
        while let Some(token) = self.tokens.get(self.place).copied() {
            match token.text {
                _ if token.kind == Kind::Directive => {
                    self.define(token, self.place.checked_sub(1).map(|place| self.tokens[place]));
                    self.place += 1;
                    begin = self.place;
                }
                "template" => {
                    let length = angles(&self.tokens[self.place + 1..]);
                    let own = &self.tokens[self.place + 1..self.place + 1 + length];
                    templates = own.get(1..own.len().saturating_sub(1)).unwrap_or_default();
                    self.place += 1 + length;
                    begin = self.place;
                }
                "{" if self.is_scope(begin) => {
                    let name = self.tokens[begin..self.place].iter().filter(|own| own.is_word() || own.is("::"));
                    let name: Vec<&str> = name
                        .map(|own| own.text)
                        .filter(|own| !["namespace", "inline", "extern"].contains(own))
                        .collect();
                    self.scopes.push((name.concat(), token.line));
                    self.place += 1;
                    begin = self.place;
                }
                "{" => {
                    let length = self.closed()?;
                    let inner = &self.tokens[self.place + 1..self.place + length - 1];
                    self.define_within(inner);
                    self.others.push(inner);
                    self.place += length;
                    // A structure or a list of values goes on to its semicolon.
                }
                "}" => {
                    if self.scopes.pop().is_none() {
                        return Err(SourceError::new(Some(token.line), "`}` closes nothing"));
                    }
                    self.place += 1;
                    begin = self.place;
                }
                ";" => {
                    self.declaration(&self.tokens[begin..self.place]);
                    self.place += 1;
                    begin = self.place;
                    templates = &[];
                }
                "(" => {
                    if self.brackets(begin, templates)? {
                        begin = self.place;
                        templates = &[];
                    }
                }
                _ => self.place += 1,
            }
        }
        match self.scopes.last() {
            Some((_, line)) => Err(SourceError::new(Some(*line), "`{` is not closed")),
            None => Ok(()),
        }
    }

    /// Whether a bracket here opens a namespace or `extern "C"`.
    fn is_scope(&self, begin: usize) -> bool {
        let before = &self.tokens[begin..self.place];
        let is_named = before.iter().any(|token| token.is("namespace"));
        is_named || (before.len() == 2 && before[0].is("extern") && before[1].kind == Kind::Text)
    }

    /// The tokens from the bracket here to the one that closes it.
    fn closed(&self) -> Result<usize, SourceError> {
        let rest = &self.tokens[self.place..];
        let end = match rest[0].text {
            "(" => ")",
            "[" => "]",
            _ => "}",
        };
        closing(rest)
            .filter(|length| rest[length - 1].is(end))
            .ok_or_else(|| SourceError::new(Some(rest[0].line), format!("`{}` is not closed", rest[0].text)))
    }

    /// Brackets: of a function's parameters, an attribute or a macro. Whether what stands before them is done with.
    fn brackets(&mut self, begin: usize, templates: &'t [Token<'a>]) -> Result<bool, SourceError> {
        let length = self.closed()?;
        let open = self.place;
        self.place += length;
        let before = &self.tokens[begin..open];
        let is_attribute = before.last().is_none_or(|name| {
            name.text.starts_with("__")
                || ["alignas", "decltype", "noexcept", "explicit"].contains(&name.text)
                || !name.is_word()
        });
        if is_attribute {
            return Ok(false);
        }
        // What may stand between the parameters and the body.
        let mut next = self.place;
        while self.tokens.get(next).is_some_and(|own| ["const", "noexcept", "override", "final"].contains(&own.text)) {
            next += 1;
        }
        if self.tokens.get(next).is_some_and(|own| own.is("->") || own.is(":") || own.is("try")) {
            next += self.tokens[next..].iter().take_while(|own| !(own.is("{") || own.is(";"))).count();
        }
        let Some(behind) = self.tokens.get(next) else { return Ok(true) };
        if !behind.is("{") {
            // A declaration goes on to its semicolon; anything else is a macro that stands alone.
            return Ok(!behind.is(";") && !behind.is("=") && !behind.is(",") && !behind.is(")"));
        }
        self.place = next;
        let body = self.closed()?;
        self.found.push(Found {
            name: self.named(before),
            short: before.last().map_or("", |name| name.text),
            line: before.last().map_or(behind.line, |name| name.line),
            is_kernel: before.iter().any(|own| own.is("__global__")),
            threads_most: self.threads_most(before),
            cluster: self.cluster(before),
            templates,
            parameters: &self.tokens[open + 1..open + length - 1],
            body: &self.tokens[next + 1..next + body - 1],
        });
        self.define_within(&self.tokens[next + 1..next + body - 1]);
        self.place = next + body;
        Ok(true)
    }

    /// The name of a function with its namespaces.
    fn named(&self, before: &[Token<'_>]) -> String {
        let own = before.last().map(|name| name.text).unwrap_or_default();
        let scopes = self.scopes.iter().map(|(name, _)| name.as_str()).filter(|name| !name.is_empty());
        scopes.chain([own]).collect::<Vec<_>>().join("::")
    }

    /// The first number of `__launch_bounds__`.
    fn threads_most(&self, before: &[Token<'_>]) -> Option<i64> {
        let place = before.iter().position(|own| own.is("__launch_bounds__"))?;
        expression(before.get(place + 2..)?, &self.constants.values).0.number()
    }

    /// The numbers of `__cluster_dims__`.
    fn cluster(&self, before: &[Token<'_>]) -> Vec<Expression> {
        let Some(place) = before.iter().position(|own| own.is("__cluster_dims__")) else { return Vec::new() };
        let rest = &before[place + 1..];
        let inner = rest.get(1..balanced(rest).saturating_sub(1)).unwrap_or_default();
        inner.split(|own| own.is(",")).map(|own| expression(own, &self.constants.values).0).collect()
    }
}
