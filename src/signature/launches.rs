//! What the rest of a source says of a kernel: the instances of its template that it names, and how it launches them.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::allocations::Allocated;
use super::body::Function;
use super::brackets::{angles, balanced};
use super::calls::{Hosts, Place};
use super::decimals::Decimals;
use super::expression::{Expression, Names};
use super::host::{Host, only_name};
use super::members::member_addresses;
use super::parameters::parts;
use super::runtime;
use super::token::Token;
use super::{Class, Kernel, Parameter, TemplateKind, TemplateParameter};

/// Places that are looked at for a kernel, in functions and of instantiations.
const MENTIONS_MOST: usize = 256;

/// A number that the source gives to a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A whole one.
    Whole(i64),
    /// One with a fraction.
    Decimal(f64),
}

/// A number of threads that is one, in an expression of bytes.
const FACTOR_LEAST: u32 = 16;

/// How the source itself launches a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceLaunch {
    /// Its line, from 1.
    pub line: u32,
    /// Blocks in each dimension that is written, in terms of what the kernel is given.
    pub grid: Vec<Expression>,
    /// Threads of a block.
    pub block: Vec<Expression>,
    /// Bytes of dynamic shared memory, where they are written.
    pub shared_bytes: Option<Expression>,
    /// Whether these are written in terms of what the block is: `threads * sizeof(float)` where there are `threads`, or `256 * sizeof(float)` where
    /// there are 256.
    pub is_shared_by_block: bool,
    /// The numbers that it gives, by the places of the parameters.
    pub numbers: Vec<Option<Number>>,
    /// The variables that it gives, by the same places.
    pub variables: Vec<Option<String>>,
    /// What it computes of others, in terms of what the kernel is given, by the same places.
    pub derived: Vec<Option<Expression>>,
    /// The lines of the loops of the host that change what it gives, by the same places; the numbers are those of their first round.
    pub repeated: Vec<Option<u32>>,
    /// The numbers in structures by value, by the places of these and the names that lead there.
    pub members: Vec<(usize, String, Number)>,
    /// The memory that it gives, in the order of `Body::uses`.
    pub buffers: Vec<Option<Allocated>>,
    /// Blocks of a cluster in three dimensions, where it asks for clusters by an attribute; `None` for what is no number.
    pub cluster: Option<[Option<i64>; 3]>,
    /// The arguments of the template that it launches, where they are told.
    pub(super) instance: Option<Vec<String>>,
}

impl SourceLaunch {
    /// How many dimensions are more than 1.
    pub fn dimensions(&self) -> usize {
        let of =
            |extents: &[Expression]| extents.iter().rposition(|own| own.number() != Some(1)).map_or(1, |last| last + 1);
        of(&self.grid).max(of(&self.block))
    }

    /// Whether a loop of the host changes what it gives for the parameter at this place.
    pub fn is_repeated(&self, place: usize) -> bool {
        self.repeated.get(place).is_some_and(Option::is_some)
    }

    /// Memory is for elements as these parameters lead to: those of the instance that is launched.
    pub(super) fn count_as(&mut self, parameters: &[Parameter]) {
        for (buffer, parameter) in self.buffers.iter_mut().zip(parameters) {
            if let (Some(own), Class::Pointer { element: Some((element, parts)), .. }) = (buffer, parameter.class) {
                own.element_bytes = Some(element.bytes() * u64::from(parts));
            }
        }
    }

    /// Whether a macro of this name, which the compiler may be given, is in it.
    pub(super) fn names(&self, name: &str) -> bool {
        let is_it = |part: &Expression| matches!(part, Expression::Template(own) if own == name);
        self.grid.iter().chain(&self.block).chain(&self.shared_bytes).any(|own| own.any(&is_it))
    }
}

impl Kernel {
    /// The line of the launch that asks for clusters by an attribute, and their extents as far as they are numbers, where the kernel itself does not say
    /// how large its clusters are.
    pub fn lost_clusters(&self) -> Option<(u32, [Option<i64>; 3])> {
        let launch = self.launch.as_ref().filter(|_| self.cluster.is_empty())?;
        let extents = launch.cluster.filter(|own| *own != [Some(1); 3])?;
        Some((launch.line, extents))
    }
}

/// A launch as it is written.
pub(super) struct Written<'t, 'a> {
    /// Blocks, threads of a block, and bytes of shared memory where they are written.
    pub(super) extents: Vec<&'t [Token<'a>]>,
    /// What it gives to the kernel.
    pub(super) given: Vec<&'t [Token<'a>]>,
    /// Blocks of a cluster in three dimensions, where an attribute of the launch asks for clusters.
    pub(super) cluster: Option<[Option<&'t [Token<'a>]>; 3]>,
}

/// A place that names a kernel.
pub(super) struct Mention<'t, 'a> {
    line: u32,
    /// What stands in the angle brackets behind its name.
    pub(super) arguments: Option<&'t [Token<'a>]>,
    /// The launch here, if there is one.
    pub(super) launch: Option<Written<'t, 'a>>,
    /// Where it stands.
    place: Place<'t, 'a>,
    /// Which of the calls of the function around it is followed.
    call: usize,
    /// The arguments of its template, once they were looked for.
    pub(super) instance: OnceCell<Option<Vec<String>>>,
}

/// Places that name this kernel: in functions of the host, and where its template is instantiated. In a template or a macro of the host one for each of its
/// calls.
pub(super) fn mentions<'t, 'a>(name: &str, hosts: &Hosts<'t, 'a>, all: &'t [Token<'a>]) -> Vec<Mention<'t, 'a>> {
    let name = name.rsplit("::").next().unwrap_or(name);
    let mut found = Vec::new();
    for (host, own) in hosts.all.iter().enumerate() {
        let calls = if own.is_macro || !own.templates.is_empty() { hosts.calls(Some(host)).len().max(1) } else { 1 };
        let places = (0..own.body.len()).filter(|place| own.body[*place].is(name)).take(MENTIONS_MOST);
        for place in places {
            found.extend((0..calls).map(|call| Mention { call, ..mention(own.body, place, Some(host)) }));
        }
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
        let nowhere = Place { host: None, before: &[] };
        found.extend(own.map(|own| Mention { place: nowhere, launch: None, ..mention(declared, own, None) }));
    }
    found
}

/// What the name at this place says.
pub(super) fn mention<'t, 'a>(tokens: &'t [Token<'a>], place: usize, host: Option<usize>) -> Mention<'t, 'a> {
    let mut rest = &tokens[place + 1..];
    let mut arguments = None;
    if rest.first().is_some_and(|own| own.is("<")) {
        let length = angles(rest);
        arguments = rest.get(1..length.saturating_sub(1));
        rest = &rest[length..];
    }
    let line = tokens[place].line;
    let own = Mention {
        line,
        arguments,
        launch: launch(rest).or_else(|| runtime::launch(tokens, place)),
        place: Place { host, before: &tokens[..place] },
        call: 0,
        instance: OnceCell::new(),
    };
    // `auto own = name<3>; own<<<4, 32>>>(data);`
    let [.., alias, equals] = (match own.place.before {
        [before @ .., last] if last.is("&") => before,
        before => before,
    }) else {
        return own;
    };
    if own.launch.is_some() || !equals.is("=") || !alias.is_word() {
        return own;
    }
    let begin = tokens.len() - rest.len();
    let launched = (begin..tokens.len())
        .filter(|place| tokens[*place].is(alias.text))
        .find_map(|place| Some((place, launch(&tokens[place + 1..])?)));
    match launched {
        Some((place, launch)) => Mention {
            line: tokens[place].line,
            launch: Some(launch),
            place: Place { host, before: &tokens[..place] },
            ..own
        },
        None => own,
    }
}

/// `<<<grid, block, shared>>>(arguments)`, where tokens begin with it.
fn launch<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<Written<'t, 'a>> {
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
    let inner = behind.get(1..length.saturating_sub(1)).unwrap_or_default();
    given.is("(").then(|| Written { extents: parts(&rest[..end]), given: parts(inner), cluster: None })
}

/// What is known where kernels are mentioned.
pub(super) struct Known<'k, 't, 'a> {
    /// The constants of the source.
    pub(super) constants: &'k Names,
    /// Those with a fraction.
    pub(super) decimals: &'k Decimals,
    /// Its functions, and macros that are like functions.
    pub(super) functions: &'k HashMap<String, Function<'t, 'a>>,
    /// Functions of the host.
    pub(super) hosts: &'k Hosts<'t, 'a>,
}

/// How the source launches a kernel; one of a template, the instance with these arguments.
pub(super) fn source_launch<'t, 'a>(
    mentions: &[Mention<'t, 'a>],
    templates: &[TemplateParameter],
    instance: Option<&[String]>,
    parameters: &[Parameter],
    known: &Known<'_, 't, 'a>,
) -> Option<SourceLaunch> {
    let is_it = |own: &&Mention<'t, 'a>| {
        instance.is_none_or(|instance| own.instance(templates, parameters, known) == Some(instance))
    };
    // An instance that is launched nowhere, or without its arguments, is launched like another.
    let mut own =
        mentions.iter().filter(is_it).chain(mentions.iter().filter(|own| own.arguments.is_none())).chain(mentions);
    own.find_map(|own| own.launched(templates, instance.is_some(), parameters, known))
}

impl<'t, 'a> Mention<'t, 'a> {
    /// What is known here, where these names mean that.
    pub(super) fn host<'k>(&self, known: &'k Known<'k, 't, 'a>, given: &Names) -> Host<'k, 't, 'a> {
        Host::at(self.place, known.hosts.calls(self.place.host).get(self.call), known, given)
    }

    /// Names that have no value here but what calls give for them: parameters of the template or the macro around it.
    pub(super) fn open<'k>(&self, known: &'k Known<'k, 't, 'a>) -> Vec<&'k str> {
        let Some(own) = self.place.host.and_then(|host| known.hosts.all.get(host)) else { return Vec::new() };
        let of_macro = own.parameters.iter().flatten().filter(|_| own.is_macro).map(String::as_str);
        own.templates.iter().map(|own| own.name.as_str()).chain(of_macro).collect()
    }

    /// The launch here, if there is one.
    fn launched(
        &self,
        templates: &[TemplateParameter],
        is_instance: bool,
        parameters: &[Parameter],
        known: &Known<'_, 't, 'a>,
    ) -> Option<SourceLaunch> {
        let Written { extents, given, cluster } = self.launch.as_ref()?;
        // What the host calls what it gives to the kernel.
        let mut own: Names = HashMap::new();
        for ((place, parameter), part) in parameters.iter().enumerate().zip(given) {
            let stands_for = match parameter.class {
                Class::Whole(_) => Expression::Parameter(place),
                Class::Structure if parameter.structure.is_some() => Expression::Structure(place),
                _ => continue,
            };
            own.extend(only_name(part).map(|name| (name, stands_for)));
        }
        if !is_instance {
            let open = templates.iter().zip(parts(self.arguments.unwrap_or_default()));
            let open = open.filter(|(template, _)| template.kind == TemplateKind::Whole);
            own.extend(
                open.filter_map(|(template, part)| {
                    Some((only_name(part)?, Expression::Template(template.name.clone())))
                }),
            );
        }
        let host = self.host(known, &own);
        let is_in_block =
            |own: &Token<'_>| extents.get(1).is_some_and(|block| block.iter().any(|other| other.is(own.text)));
        // A number by itself is one of bytes.
        let is_factor = |own: &Token<'_>, part: &[Token<'_>]| {
            part.len() > 1 && own.text.parse::<u32>().is_ok_and(|number| number >= FACTOR_LEAST)
        };
        let is_shared_by_block = extents
            .get(2)
            .is_some_and(|part| part.iter().any(|own| is_in_block(own) && (own.is_word() || is_factor(own, part))));
        let mut all = extents.iter();
        let (grid, block) = (host.extents(all.next()?), host.extents(all.next()?));
        let shared_bytes = all.next().map(|part| host.value(part)).filter(|own| own.number() != Some(0));
        let mut buffers: Vec<Option<Allocated>> = given.iter().map(|part| host.allocated(part).cloned()).collect();
        buffers.resize(parameters.len(), None);
        for (place, member) in member_addresses(parameters) {
            let key = given.get(place).and_then(|part| Some(format!("{}.{member}", only_name(part)?)));
            buffers.push(key.and_then(|key| host.allocations.get(&key).cloned()));
        }
        let of_host = self.host(known, &Names::new());
        let numbers = given.iter().map(|part| of_host.number(part)).collect();
        let repeated: Vec<Option<u32>> = given.iter().map(|part| of_host.repeated.line(part)).collect();
        // What loops change is told by what it begins with.
        own.retain(|name, _| !of_host.repeated.lines.contains_key(name));
        let of_others = self.host(known, &own);
        let derived = given.iter().zip(&repeated).map(|(part, repeated)| {
            let is_name = only_name(part).is_some() && repeated.is_none();
            let value = (!is_name).then(|| of_others.value(part))?;
            value.any(&|part| matches!(part, Expression::Parameter(_))).then_some(value)
        });
        let derived = derived.collect();
        let variables = given.iter().map(|part| only_name(part)).collect();
        let members = of_host.numbers_of_members(parameters, given);
        let instance = self.instance(templates, parameters, known).map(<[String]>::to_vec);
        let cluster = cluster.map(|all| {
            let other = all.iter().any(Option::is_some).then_some(1);
            all.map(|own| own.map_or(other, |own| host.value(own).number()))
        });
        Some(SourceLaunch {
            line: self.line,
            grid,
            block,
            shared_bytes,
            is_shared_by_block,
            numbers,
            variables,
            derived,
            repeated,
            members,
            buffers,
            cluster,
            instance,
        })
    }
}
