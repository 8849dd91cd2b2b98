//! What a draft says: its variants, parameters and buffers.

use std::cell::Cell;

use super::amount::{Amount, mentions};
use super::arguments::{self, Given};
use super::extents::{self, Length};
use super::fill::{self, Fill};
use super::launch::{self, BLOCK_NAMES, Launch, dimensions};
use super::names::{Names, snake, without_common_start};
use super::parameters::{self, Parameter, extent, values_of_source};
use super::predictor::{self, Predictor, Varied};
use super::same::Same;
use super::setting::Setting;
use super::sizes::{MULTIPROCESSORS, Sized};
use super::structures::{self, MemberBuffer};
use super::{templates, words};
use crate::signature::{Class, Kernel, Structure, Use};
use crate::workload::Element;

/// A variant.
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) entry: String,
    pub(super) line: u32,
    pub(super) launch: Launch,
    /// Parameters of other variants.
    pub(super) ignores: Vec<String>,
}

/// A buffer.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) element: Element,
    pub(super) length: Amount,
    /// The line of the source whose index says how long it is, if one does.
    pub(super) line: Option<u32>,
    /// The line of the source that allocates so much, where that decided.
    pub(super) allocated: Option<u32>,
    /// What it is longer than, where that index goes beyond what the kernel is about.
    pub(super) longer_than: Option<String>,
    /// Whether the source says the type of its elements.
    pub(super) is_known: bool,
    /// The structure that its elements are, with the size.
    pub(super) structure: Option<(String, u64)>,
    /// The lengths that the variants write, where they are not the same.
    pub(super) lengths: Vec<Amount>,
    pub(super) fill: Fill,
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) is_atomic: bool,
    /// Whether launches go on counting where the one before has left off.
    pub(super) counts_on: bool,
}

impl Buffer {
    /// Whether a line with CHECK stands above it in the file.
    pub(super) fn is_guessed(&self) -> bool {
        (self.line.is_none() && self.allocated.is_none())
            || self.beyond().is_some()
            || !self.is_known
            || self.fill.is_guessed()
            || self.counts_on
    }

    /// Its length on the screen.
    pub(super) fn told(&self) -> String {
        let beyond = self.beyond().map(|why| format!(", {why}")).unwrap_or_default();
        format!("{}[{}]{beyond}", self.name, self.length)
    }

    /// Why it is longer than what its kernel is about, which may be an index that leads out of the buffer.
    pub(super) fn beyond(&self) -> Option<String> {
        let (line, than) = (self.line?, self.longer_than.as_deref()?);
        // The last row ends there.
        if matches!(self.fill, Fill::Delimiters(_)) {
            return None;
        }
        Some(format!("longer than {than} because of line {line}"))
    }
}

/// What a draft says.
pub(super) struct Plan {
    pub(super) variants: Vec<Variant>,
    pub(super) given: Vec<Given>,
    /// Parameters of the kernels that are one of the scenario.
    pub(super) same: Vec<Same>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) bytes: Option<Amount>,
    /// The predictor, with its name.
    pub(super) predictor: Option<Predictor>,
    /// The parameter that the grid varies, with its values.
    pub(super) varied: Option<Varied>,
    pub(super) has_types: bool,
    /// How many blocks there are where nothing else is said, if that leaves most multiprocessors without one.
    pub(super) few_blocks: Option<f64>,
    /// The argument of a template in which variants differ that may change what they compute.
    pub(super) apart: Option<String>,
    pub(super) missing: Vec<String>,
}

/// Plans a scenario for kernels that take the same arguments.
#[allow(clippy::too_many_lines, reason = "each step needs what those before it found")]
pub(super) fn plan(kernels: &[&Kernel]) -> Plan {
    let mut names = Names::default();
    let open = templates::open(kernels, &mut names);
    let is_open = |name: &str| open.iter().any(|own| own.name == name);
    if kernels.iter().any(|own| !own.body.block_extents.is_empty()) {
        BLOCK_NAMES[most_dimensions(kernels) - 1]
            .iter()
            .filter(|name| !name.is_empty() && !is_open(name))
            .for_each(|name| drop(names.take(name)));
    }
    let (given, same) = arguments::given(kernels, &mut names);
    let most = most_dimensions(kernels);
    let mut own: Vec<Option<String>> = given
        .iter()
        .map(|own| match own {
            Given::Parameter { name, .. } => Some(name.clone()),
            Given::Follows { width, times: 1, .. } => Some(width.clone()),
            _ => None,
        })
        .collect();
    let members = structures::members(&given);
    own.extend(structures::parameters(&given).map(Some));
    // A kernel whose size nothing says gets a size of the launch.
    let has_extent = own.iter().flatten().any(|name| extents::other_default(name).is_none());
    let of_launch: Vec<String> = if has_extent {
        Vec::new()
    } else {
        ["width", "height", "depth"][..most].iter().map(|name| names.take(if most == 1 { "n" } else { name })).collect()
    };
    own.extend(of_launch.iter().cloned().map(Some));
    let mut of_templates = open;
    let mut settings: Vec<Setting<'_>> = Vec::new();
    let mut variants = Vec::new();
    let titles = titles(kernels);
    for (kernel, name) in kernels.iter().zip(titles) {
        let entry = templates::entry(kernel, &mut of_templates, &mut names);
        let mut setting = Setting {
            kernel,
            parameters: own.clone(),
            members: members.clone(),
            templates: templates::amounts(kernel, &of_templates),
            launched: values_of_source(&given, &of_templates),
            elements: origins(kernels, &given).iter().filter_map(Origin::element_bytes).collect(),
            block: [1, 1, 1].map(Amount::number),
            grid: [None, None, None],
            grid_of_source: [None, None, None],
            blocks_of_others: variants.iter().flat_map(|own: &Variant| own.launch.added.clone()).collect(),
            is_by_names: [false; 3],
            has_steps: Cell::new(false),
            looked_at: Cell::new(0),
        };
        let launch = launch::guess(&mut setting);
        settings.push(setting);
        variants.push(Variant { name, entry, line: kernel.line, launch, ignores: Vec::new() });
    }
    let buffers = buffers(kernels, &given, &settings, most);
    let extents: Vec<&str> = settings.first().map(extents::all).unwrap_or_default();
    let degree = buffers.iter().map(|own| own.length.degree_in(&extents)).max().unwrap_or(1).max(most);
    let is_product = degree == 2 && extents.len() == 3;
    let launched = |name: &String| given.iter().find_map(|own| own.launched(name));
    // A length of rows that is another parameter is there once.
    let mut of_kernel: Vec<&String> = Vec::new();
    for name in own.iter().flatten() {
        if !of_kernel.contains(&name) {
            of_kernel.push(name);
        }
    }
    let mut parameters: Vec<Parameter> =
        of_kernel.into_iter().map(|name| extent(name, degree, is_product).with_launched(launched(name))).collect();
    let grids = variants.iter().flat_map(|own| &own.launch.grid);
    let lengths: Vec<String> = buffers.iter().map(|own| &own.length).chain(grids).map(ToString::to_string).collect();
    parameters.iter_mut().for_each(|own| own.tell_extent(&lengths));
    // A size of the launch is none where the source has numbers for all.
    let fills: Vec<String> = buffers.iter().filter_map(|own| own.fill.written()).collect();
    parameters.retain(|own| {
        !of_launch.contains(&own.name) || lengths.iter().chain(&fills).any(|text| mentions(text, &own.name))
    });
    parameters.extend(parameters::of_templates(&of_templates, most));
    let line = variants.iter().find_map(|own| own.launch.as_launched).filter(|own| own.block).map(|own| own.line);
    for (name, default) in variants.iter().flat_map(|own| own.launch.added.clone()) {
        if parameters.iter().all(|other| other.name != name) {
            parameters.push(parameters::of_block(name, default, line));
        }
    }
    let sized = Sized { settings: &settings, lengths: buffers.iter().map(|own| &own.length).collect() };
    sized.choose(&mut parameters);
    let few_blocks = sized.blocks(&parameters).filter(|blocks| 2.0 * blocks <= MULTIPROCESSORS);
    ignores(&mut variants, kernels, &parameters, &own);
    let bytes = bytes(&buffers);
    let (varied, predictor) = predictor::chosen(&sized, &buffers, &parameters, &extents, &mut names);
    let missing = arguments::missing(kernels, &given);
    let has_types =
        kernels.iter().flat_map(|own| &own.templates).any(|own| own.kind == crate::signature::TemplateKind::Type);
    Plan {
        variants,
        given,
        same,
        parameters,
        buffers,
        bytes,
        predictor,
        varied,
        has_types,
        few_blocks,
        apart: templates::apart(kernels),
        missing,
    }
}

/// Names of variants.
fn titles(kernels: &[&Kernel]) -> Vec<String> {
    let names: Vec<String> = kernels.iter().map(|own| snake(&own.name)).collect();
    let mut taken = Names::default();
    without_common_start(&names).iter().map(|name| taken.take(name)).collect()
}

/// What a buffer is made of: a parameter, or a member of one.
struct Origin<'g> {
    /// Its place among the uses of a kernel; none where these are not seen.
    place: Option<usize>,
    is_member: bool,
    name: &'g str,
    element: Element,
    parts: u32,
    is_known: bool,
    is_const: bool,
    structure: Option<&'g Structure>,
}

impl Origin<'_> {
    /// Its place, with the bytes of an element.
    fn element_bytes(&self) -> Option<(usize, u64)> {
        Some((self.place?, self.element.bytes() * u64::from(self.parts)))
    }
}

/// The origins of buffers, in the order of the parameters.
fn origins<'g>(kernels: &[&Kernel], given: &'g [Given]) -> Vec<Origin<'g>> {
    let members = kernels.first().map(|own| own.member_addresses()).unwrap_or_default();
    let mut all = Vec::new();
    for (place, own) in given.iter().enumerate() {
        match own {
            Given::Structure(own) => all.extend(own.buffers.iter().map(|own| {
                let index = members.iter().position(|(of, path)| *of == place && *path == own.path);
                let MemberBuffer { name, element, parts, is_known, is_const, .. } = own;
                let (element, parts, is_known, is_const) = (*element, *parts, *is_known, *is_const);
                let place = index.map(|index| given.len() + index);
                Origin { place, is_member: true, name, element, parts, is_known, is_const, structure: None }
            })),
            Given::Buffer { name, element, parts, is_known, structure } => {
                let is_const = kernels
                    .iter()
                    .all(|own| matches!(own.parameters[place].class, Class::Pointer { is_const: true, .. }));
                let (element, parts, is_known, structure) = (*element, *parts, *is_known, structure.as_ref());
                all.push(Origin {
                    place: Some(place),
                    is_member: false,
                    name,
                    element,
                    parts,
                    is_known,
                    is_const,
                    structure,
                });
            }
            _ => {}
        }
    }
    all
}

fn buffers(kernels: &[&Kernel], given: &[Given], settings: &[Setting<'_>], dimensions: usize) -> Vec<Buffer> {
    origins(kernels, given).into_iter().map(|own| buffer(&own, kernels, settings, dimensions)).collect()
}

fn buffer(own: &Origin<'_>, kernels: &[&Kernel], settings: &[Setting<'_>], dimensions: usize) -> Buffer {
    let Origin { place, is_member, name, element, parts, is_known, is_const, structure } = *own;
    let nothing = Use::default();
    let used = place.map(|place| arguments::uses(kernels, place)).unwrap_or_default();
    let of = |setting: &&Setting<'_>| {
        let own = place.and_then(|place| setting.kernel.body.uses.get(place)).unwrap_or(&nothing);
        extents::length_as_launched(setting, own, place.unwrap_or(usize::MAX), dimensions)
    };
    let lengths: Vec<Length> = settings.iter().map(|setting| of(&setting)).collect();
    let different = different(&lengths);
    let found = lengths.into_iter().reduce(Length::longer).unwrap_or(Length::usual(Amount::number(1 << 20)));
    let (line, allocated, longer_than) = (found.line, found.allocated, found.amount.main());
    let length = found.amount;
    let length = length.times(&Amount::number(i64::from(parts))).unwrap_or(length);
    let is_unseen = !used.reads && !used.writes;
    // What is done with members may not be seen.
    let reads = used.reads || (is_unseen && (is_const || is_member));
    let writes = used.writes || (!is_const && is_unseen);
    let fill = fill::of(settings, &used, place.unwrap_or(usize::MAX), (element, reads));
    let words = structure.filter(|_| !is_known && !used.is_atomic && reads).and_then(|own| words::fill(own, &fill));
    let (element, fill) = words.unwrap_or((element, fill));
    Buffer {
        name: name.to_owned(),
        element,
        length,
        line,
        allocated,
        longer_than,
        is_known,
        structure: structure.map(|own| (own.name.clone(), own.layout().0)),
        lengths: different,
        fill,
        reads,
        writes,
        is_atomic: used.is_atomic,
        counts_on: used.counts_on && !used.is_set,
    }
}

/// The lengths that indices ask for, each once; none where they are the same.
fn different(lengths: &[Length]) -> Vec<Amount> {
    let mut all: Vec<Amount> = Vec::new();
    let is_told = |own: &&Length| (own.line.is_some() && !own.is_of_type) || own.allocated.is_some();
    for own in lengths.iter().filter(is_told) {
        if !all.contains(&own.amount) {
            all.push(own.amount.clone());
        }
    }
    if all.len() > 1 { all } else { Vec::new() }
}

/// What each variant does not depend on.
fn ignores(variants: &mut [Variant], kernels: &[&Kernel], parameters: &[Parameter], of_kernel: &[Option<String>]) {
    for (variant, kernel) in variants.iter_mut().zip(kernels) {
        let Variant { entry, launch, .. } = &*variant;
        let amounts = launch.grid.iter().chain(&launch.block).chain(&launch.shared_bytes).map(ToString::to_string);
        let texts: Vec<String> = amounts.chain([entry.clone()]).collect();
        let is_own = |name: &String| of_kernel.iter().flatten().any(|own| own == name);
        let is_compiled =
            |own: &Parameter| kernel.constants.iter().any(|other| own.define.as_ref() == Some(&other.name));
        let free = parameters.iter().filter(|own| !is_compiled(own)).map(|own| own.name.clone());
        let free = free.filter(|name| !is_own(name));
        variant.ignores = free.filter(|name| texts.iter().all(|text| !mentions(text, name))).collect();
    }
}

/// What must move: every buffer once, and twice where it is read and written.
fn bytes(buffers: &[Buffer]) -> Option<Amount> {
    let own = |buffer: &Buffer| {
        let times = i64::from(buffer.reads) + i64::from(buffer.writes);
        buffer.length.times(&Amount::number(times * buffer.element.bytes() as i64))
    };
    let all = buffers.iter().map(own).try_fold(Amount::number(0), |sum, own| sum.plus(&own?));
    all.filter(|all| all.as_number() != Some(0))
}

fn most_dimensions(kernels: &[&Kernel]) -> usize {
    kernels.iter().map(|own| dimensions(own)).max().unwrap_or(1)
}
