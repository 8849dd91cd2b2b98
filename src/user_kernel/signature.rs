//! Kernels of modules, and whether the arguments of a launch are of the types of their parameters.

use std::collections::HashSet;
use std::sync::{OnceLock, PoisonError};

use ptx_syntax::module::{Function, Item, Type, Variable};

use super::declared::{Declared, bytes, is_address, is_number, is_scalar};
use super::entry::is_named;
use super::{
    ArgumentDescription, Build, Built, Compiled, Expression, LaunchDescription, Misfit, STEP, Scope, Structure,
    UserKernel, VariantDescription, kept, range,
};
use crate::kernel::{Language, Sourced, demangled};
use crate::signature;
use crate::workload::{Argument, Element, Packed};
use located_toml::words::{count, nearest};

/// The most names that are listed.
const NAMES_MOST: usize = 8;

/// A module that is known, and its kernels.
#[derive(Debug)]
pub(super) struct LoadedModule {
    pub(super) defines: Build,
    pub(super) ptx: &'static Sourced,
    kernels: Vec<Function>,
    source: (Language, String),
    /// The kernels as the source has them, read where messages need them.
    of_source: OnceLock<Vec<signature::Kernel>>,
}

impl LoadedModule {
    pub(super) fn new(built: &Built, compiled: &Compiled) -> Result<Self, String> {
        let module = ptx_syntax::parse(&built.ptx).map_err(|errors| errors.to_string())?;
        let kernel = |item: Item| match item {
            // What its body does is of no concern here.
            Item::Function(function) if function.entry => Some(Function { body: None, ..function }),
            _ => None,
        };
        let kernels: Vec<Function> = module.items.into_iter().filter_map(kernel).collect();
        let language = Language::of(&compiled.source_name);
        if kernels.is_empty() {
            let of_source = if language == Language::Cuda { &*compiled.source } else { "" };
            return Err(no_kernels(&signature::kernels(of_source, language).unwrap_or_default()));
        }
        let ptx = kept([&built.ptx, &compiled.source_name, &compiled.source], built.assembled.as_ref());
        let source = if language == Language::Ptx { built.ptx.clone() } else { compiled.source.clone() };
        let defines = built.defines.clone();
        Ok(Self { defines, ptx, kernels, source: (language, source), of_source: OnceLock::new() })
    }

    /// The kernel of this name in the source.
    ///
    /// # Errors
    /// Where there is none: which there are.
    pub(super) fn kernel(&self, entry: &str) -> Result<&Function, String> {
        self.kernels.iter().find(|kernel| is_named(&kernel.name, entry)).ok_or_else(|| {
            let names = self.kernels.iter().map(|kernel| demangled(&kernel.name).unwrap_or(kernel.name.clone()));
            let names: Vec<String> = names.collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let of_source = self.kernels_of_source().iter().find(|own| own.name == entry && !own.templates.is_empty());
            match (of_source, nearest(entry, &names)) {
                (Some(template), _) => {
                    format!("`{entry}` is a template: write an instance of it, {}", instance(template))
                }
                (None, Some(near)) => {
                    let all = names.join(", ");
                    format!("there is no kernel `{entry}`: did you mean `{near}`? The kernels are {all}")
                }
                (None, None) => format!("there is no kernel `{entry}`; the kernels are {}", names.join(", ")),
            }
        })
    }

    /// The parameters of one of its kernels, in the words of the source.
    fn declared<'a>(&'a self, kernel: &'a Function) -> Vec<Declared<'a>> {
        Declared::all(kernel, self.kernels_of_source())
    }

    /// The kernels as the source has them.
    pub(super) fn kernels_of_source(&self) -> &[signature::Kernel] {
        let (language, source) = &self.source;
        self.of_source.get_or_init(|| signature::kernels(source, *language).unwrap_or_default())
    }
}

/// Why a module has no kernels, though its source may have some.
fn no_kernels(of_source: &[signature::Kernel]) -> String {
    match of_source.iter().find(|own| !own.templates.is_empty()) {
        Some(own) => format!("`{}` is a template: write an instance of it, {}", own.name, instance(own)),
        None => "there is no kernel in it: a kernel is a function with __global__ (.entry in PTX)".to_owned(),
    }
}

/// How an instance of a template is written.
fn instance(template: &signature::Kernel) -> String {
    let one = |own: &signature::TemplateParameter| match own.kind {
        signature::TemplateKind::Type => "float",
        signature::TemplateKind::Flag => "true",
        _ => "32",
    };
    let arguments: Vec<&str> = template.templates.iter().map(one).collect();
    format!("such as entry = \"{}<{}>\"", template.name, arguments.join(", "))
}

impl UserKernel {
    /// Holds the launches of a variant against the kernels of its module. Arguments that do not fit are `told` of.
    pub(super) fn check_variant(
        &self,
        variant: &VariantDescription,
        build: &Build,
        entries: &[String],
        (told, problems): (&mut HashSet<(String, usize)>, &mut Vec<Misfit>),
    ) {
        let source = &self.description.source;
        let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        let Some(module) = modules.iter().find(|module| module.defines == *build) else { return };
        for (launch, entry) in variant.launches.iter().zip(entries) {
            match module.kernel(entry) {
                Ok(kernel) => {
                    let wrong = self.fits(entry, &module.declared(kernel), launch, problems);
                    told.extend(wrong.into_iter().map(|index| (entry.clone(), index)));
                }
                Err(problem) => problems.push(Misfit::new(format!("{source}: {problem}"), launch.places.entry)),
            }
        }
    }

    /// Holds the numbers of a point's launches against the types of the parameters; of a loop those of the first and the last launch. An argument
    /// that was `told` of is not told of again.
    pub(super) fn check_numbers(
        &self,
        variant: &VariantDescription,
        build: &Build,
        entries: &[String],
        scope: &Scope,
        (told, problems): (&mut HashSet<(String, usize)>, &mut Vec<Misfit>),
    ) {
        let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        let Some(module) = modules.iter().find(|module| module.defines == *build) else { return };
        for (launch, entry) in variant.launches.iter().zip(entries) {
            let Ok(kernel) = module.kernel(entry) else { continue };
            let times = launch.times(scope).unwrap_or_default();
            for step in [0, times.saturating_sub(1)].into_iter().take(times.min(2) as usize) {
                let scope = scope.with(STEP, step as f64);
                for (index, (given, parameter)) in launch.arguments.iter().zip(module.declared(kernel)).enumerate() {
                    if let ArgumentDescription::Number(number) = given
                        && let Ok(value) = number.value(&scope)
                        && let Some(problem) = unfit(index, (number, value), &scope, (entry, &parameter))
                        && told.insert((entry.clone(), index))
                    {
                        problems.push(problem.at(launch.argument_place(index)));
                    }
                }
            }
        }
    }

    /// Holds the arguments of a launch against the parameters of its kernel. Gives the places of those that do not fit.
    fn fits(
        &self,
        entry: &str,
        declared: &[Declared<'_>],
        launch: &LaunchDescription,
        problems: &mut Vec<Misfit>,
    ) -> HashSet<usize> {
        let mut wrong = self.refuse(entry, declared, launch, problems);
        // A kernel that must change has other parameters then.
        if wrong.is_empty() {
            self.check_count(entry, declared, launch, problems);
        }
        for (index, (argument, parameter)) in launch.arguments.iter().zip(declared).enumerate() {
            if wrong.contains(&index) {
                continue;
            }
            if let Err(allowed) = self.fit(argument, parameter) {
                let (number, told) = (index + 1, self.told(argument));
                let (called, takes) = (parameter.called(entry), parameter.takes());
                let problem = format!("argument {number} is {told}, and {called} takes {takes}");
                problems.push(Misfit::new(problem, launch.argument_place(index)).of(entry).allowed(allowed));
                wrong.insert(index);
            } else if let ArgumentDescription::Structure(own) = argument {
                self.check_members((entry, parameter), (index, own), launch, problems);
            }
        }
        self.check_elements(entry, declared, launch, problems);
        wrong
    }

    /// Whether there are as many arguments as parameters.
    fn check_count(
        &self,
        entry: &str,
        declared: &[Declared<'_>],
        launch: &LaunchDescription,
        problems: &mut Vec<Misfit>,
    ) {
        let (given, wanted) = (launch.arguments.len(), declared.len());
        let (takes, has) = (count(wanted, "parameter"), count(given, "argument"));
        let (which, place) = match (declared.get(given..), launch.arguments.get(wanted)) {
            (Some([missing]), _) => (format!("{} has none", missing.called(entry)), launch.places.list),
            (Some([missing, rest @ ..]), _) => {
                (format!("{} and {} more have none", missing.called(entry), rest.len()), launch.places.list)
            }
            (_, Some(beyond)) => {
                let which = format!("argument {}, {}, is one too many", wanted + 1, self.told(beyond));
                (which, launch.argument_place(wanted))
            }
            (_, None) => return,
        };
        let listed: Vec<String> = declared.iter().map(Declared::listed).collect();
        let help = if listed.is_empty() { "give none".to_owned() } else { format!("in order: {}", listed.join(", ")) };
        let problem = format!("`{entry}` has {takes}, and the launch has {has}: {which}");
        problems.push(Misfit::new(problem, place).of(entry).help(help));
    }

    /// What an argument is, in words.
    fn told(&self, argument: &ArgumentDescription) -> String {
        match argument {
            ArgumentDescription::Buffer { buffer, .. } => {
                format!("the buffer `{}`", self.description.buffers[*buffer].name)
            }
            ArgumentDescription::Number(number) => format!("the number `{}`", number.text()),
            ArgumentDescription::Structure(own) => match own.only_number() {
                Some((element, number)) => format!("the {} `{}`", element.name(), number.text()),
                None => format!("a structure of {} ({})", count(own.bytes as usize, "byte"), own.layout()),
            },
        }
    }

    /// Whether an argument is of a parameter's type.
    ///
    /// # Errors
    /// Where it is not: what helps, if anything does.
    fn fit(&self, argument: &ArgumentDescription, declared: &Declared<'_>) -> Result<(), String> {
        let parameter = declared.variable;
        let is_right = match argument {
            ArgumentDescription::Buffer { .. } => is_address(parameter),
            // No buffer at all is an address.
            ArgumentDescription::Number(number) => {
                is_number(parameter) && (!declared.is_pointer() || number.text().trim() == "0")
            }
            ArgumentDescription::Structure(own) => {
                let align = u64::from(parameter.alignment.unwrap_or(parameter.ty.bytes()));
                if bytes(parameter) == Some(own.bytes) && own.align > align && !is_scalar(parameter) {
                    return Err(format!("the parameter need not be aligned to {} bytes", own.align));
                }
                bytes(parameter) == Some(own.bytes) && is_of_kind(own, parameter)
            }
        };
        if is_right { Ok(()) } else { Err(self.what_fits(declared)) }
    }

    /// What can be given for a parameter, with an example.
    fn what_fits(&self, declared: &Declared<'_>) -> String {
        let parameter = declared.variable;
        let Some(bytes) = bytes(parameter) else { return String::new() };
        if !is_scalar(parameter) {
            return if bytes == 2 {
                "write a half as \"f16: 0.5\", a structure as { struct = [\"i16: 1\"] }".to_owned()
            } else {
                match declared.source.and_then(|own| own.opaque) {
                    Some(signature::Opaque::Union) => "a union takes the member that the kernel reads, and numbers for the bytes behind it".to_owned(),
                    Some(signature::Opaque::BitField) => {
                        "fields of bits take the whole numbers that they are packed into, such as { struct = [\"u32: 0\"] }".to_owned()
                    }
                    None => "write { struct = [\"i32: 1\", \"f32: 0.5\"] }, with the members in order".to_owned(),
                }
            };
        }
        let listed = |mut names: Vec<&str>| {
            names.truncate(NAMES_MOST);
            names.join(", ")
        };
        if is_address(parameter) {
            let buffers = listed(self.description.buffers.iter().map(|buffer| buffer.name).collect());
            let number = if declared.is_pointer() { "or 0 for no address" } else { "or a whole number" };
            return match buffers.as_str() {
                "" => format!("give a buffer, which [buffers] describes, {number}"),
                buffers => format!("give a buffer, of which there are {buffers}, {number}"),
            };
        }
        let kind = if matches!(parameter.ty, Type::Float(_)) { "a number" } else { "a whole number" };
        match listed(self.description.parameters.iter().map(|own| own.name).collect()).as_str() {
            "" => format!("give {kind}, such as 1024"),
            names => format!("give {kind}, or an expression of {names}"),
        }
    }
}

/// That a number is not of the type of its parameter.
fn unfit(
    index: usize,
    (number, value): (&Expression, f64),
    scope: &Scope,
    (entry, declared): (&str, &Declared<'_>),
) -> Option<Misfit> {
    let left = range::left_by(value, declared);
    if left.is_none() && argument(value, declared.variable).is_ok() {
        return None;
    }
    let at = scope.told(number.names());
    let is =
        if at.is_empty() { format!(" is {value}") } else { format!(", `{}`, is {value} with {at}", number.text()) };
    let (called, takes) = (declared.called(entry), left.unwrap_or_else(|| declared.takes()));
    let problem = format!("argument {}{is}, and {called} takes {takes}", index + 1);
    let is_part = value.fract() != 0.0 && !matches!(declared.variable.ty, Type::Float(_));
    let help = if is_part { "ceil() or floor() make a whole number of it" } else { "" };
    Some(Misfit::new(problem, None).of(entry).help(help.to_owned()))
}

/// Whether a number whose type is said is a float where the parameter is one, and none where it is none. Of bits and structures that is not known.
fn is_of_kind(structure: &Structure, parameter: &Variable) -> bool {
    let Some((element, _)) = structure.only_number().filter(|_| is_scalar(parameter)) else { return true };
    match parameter.ty {
        Type::Float(_) => element.is_float(),
        Type::Signed(_) | Type::Unsigned(_) => !element.is_float(),
        _ => true,
    }
}

/// The argument that a number is to a parameter.
///
/// # Errors
/// Where it is none of the parameter's type.
pub(super) fn argument(number: f64, parameter: &Variable) -> Result<Argument, String> {
    let bits = parameter.ty.bits();
    let element = if matches!(parameter.ty, Type::Float(_)) { Element::Float(bits) } else { Element::Unsigned(bits) };
    if !element.holds(number) {
        let kind = if element.is_float() { "a float" } else { "a whole number" };
        return Err(format!("{number} is not {kind} of {bits} bits"));
    }
    let mut bytes = Vec::new();
    element.put(number, &mut bytes);
    let word = <[u8; 4]>::try_from(&bytes[..]).map(|bytes| Argument::Word(u32::from_le_bytes(bytes)));
    let long = <[u8; 8]>::try_from(&bytes[..]).map(|bytes| Argument::Long(u64::from_le_bytes(bytes)));
    Ok(word.or(long).unwrap_or(Argument::Packed(Packed { bytes, addresses: Vec::new() })))
}
