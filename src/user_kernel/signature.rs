//! Kernels of modules, and whether the arguments of a launch are of the types of their parameters.

use std::sync::PoisonError;

use ptx_syntax::module::{Function, Item, Type, Variable};

use super::entry::{is_named, points_to_pointers};
use super::{
    ArgumentDescription, Build, Built, Compiled, LaunchDescription, STEP, Scope, Structure, UserKernel,
    VariantDescription, interned,
};
use crate::kernel::{Sourced, demangled, parameter_types};
use crate::workload::{Argument, Element, Packed};
use located_toml::words::count;

/// A module that is known, and its kernels.
#[derive(Debug)]
pub(super) struct LoadedModule {
    pub(super) defines: Build,
    pub(super) ptx: &'static Sourced,
    kernels: Vec<Function>,
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
        if kernels.is_empty() {
            return Err("there is no kernel in it: a kernel is a function with __global__ (.entry in PTX)".to_owned());
        }
        // A program reads few scenarios.
        let ptx = Box::leak(Box::new(Sourced::new(interned(&built.ptx), &compiled.source_name, &compiled.source)));
        Ok(Self { defines: built.defines.clone(), ptx, kernels })
    }

    /// The kernel of this name in the source.
    ///
    /// # Errors
    /// Where there is none: which there are.
    pub(super) fn kernel(&self, entry: &str) -> Result<&Function, String> {
        self.kernels.iter().find(|kernel| is_named(&kernel.name, entry)).ok_or_else(|| {
            let names = self.kernels.iter().map(|kernel| demangled(&kernel.name).unwrap_or(kernel.name.clone()));
            let names: Vec<String> = names.collect();
            format!("there is no kernel `{entry}`; the kernels are {}", names.join(", "))
        })
    }
}

impl UserKernel {
    /// Holds the launches of a variant against the kernels of its module.
    pub(super) fn check_variant(
        &self,
        variant: &VariantDescription,
        build: &Build,
        entries: &[String],
        problems: &mut Vec<String>,
    ) {
        let source = &self.description.source;
        let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        let Some(module) = modules.iter().find(|module| module.defines == *build) else { return };
        for (launch, entry) in variant.launches.iter().zip(entries) {
            match module.kernel(entry) {
                Ok(kernel) => self.fits(entry, kernel, launch, problems),
                Err(problem) => problems.push(format!("{source}: {problem}")),
            }
        }
    }

    /// Holds the numbers of a point's launches against the types of the parameters; of a loop those of the first and the last launch.
    pub(super) fn check_numbers(
        &self,
        variant: &VariantDescription,
        build: &Build,
        entries: &[String],
        scope: &Scope,
        problems: &mut Vec<String>,
    ) {
        let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        let Some(module) = modules.iter().find(|module| module.defines == *build) else { return };
        for (launch, entry) in variant.launches.iter().zip(entries) {
            let Ok(kernel) = module.kernel(entry) else { continue };
            let times = launch.times(scope).unwrap_or_default();
            for step in [0, times.saturating_sub(1)].into_iter().take(times.min(2) as usize) {
                let scope = scope.with(STEP, step as f64);
                for (index, (given, parameter)) in launch.arguments.iter().zip(&kernel.parameters).enumerate() {
                    if let ArgumentDescription::Number(number) = given
                        && let Ok(value) = number.value(&scope)
                        && let Err(problem) = argument(value, parameter)
                    {
                        let told = format!("value {} of `{entry}` is `{}`: {problem}", index + 1, number.text());
                        problems.push(format!("`arguments`: {told}"));
                    }
                }
            }
        }
    }

    fn fits(&self, entry: &str, kernel: &Function, launch: &LaunchDescription, problems: &mut Vec<String>) {
        let (given, declared) = (launch.arguments.len(), kernel.parameters.len());
        if given != declared {
            let parameters: Vec<String> = kernel.parameters.iter().map(described).collect();
            let parameters = if parameters.is_empty() { "none".to_owned() } else { parameters.join(", ") };
            problems.push(format!(
                "`arguments` has {}, and `{entry}` has {}: {parameters}",
                count(given, "value"),
                count(declared, "parameter"),
            ));
            return;
        }
        for (index, (argument, parameter)) in launch.arguments.iter().zip(&kernel.parameters).enumerate() {
            if let Err(why) = Self::fit(argument, parameter) {
                let (told, declared) = (self.told(argument), described(parameter));
                let number = index + 1;
                problems
                    .push(format!("`arguments`: value {number} is {told}, and `{entry}` has there {declared}{why}"));
            }
        }
        Self::pointers_to_pointers(entry, kernel, launch, problems);
    }

    /// A buffer holds no addresses.
    fn pointers_to_pointers(entry: &str, kernel: &Function, launch: &LaunchDescription, problems: &mut Vec<String>) {
        let types = parameter_types(&kernel.name).unwrap_or_default();
        for (index, (argument, ty)) in launch.arguments.iter().zip(&types).enumerate() {
            if matches!(argument, ArgumentDescription::Buffer { .. }) && points_to_pointers(ty) {
                let number = index + 1;
                problems.push(format!(
                    "`arguments`: value {number} of `{entry}` is `{ty}`, a pointer to pointers: a scenario cannot fill a buffer with addresses"
                ));
            }
        }
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
    fn fit(argument: &ArgumentDescription, parameter: &Variable) -> Result<(), String> {
        let is_right = match argument {
            ArgumentDescription::Buffer { .. } => is_address(parameter),
            ArgumentDescription::Number(_) => is_number(parameter),
            ArgumentDescription::Structure(own) => {
                let align = u64::from(parameter.alignment.unwrap_or(parameter.ty.bytes()));
                if bytes(parameter) == Some(own.bytes) && own.align > align && !is_scalar(parameter) {
                    return Err(format!(", which need not be aligned to {} bytes", own.align));
                }
                bytes(parameter) == Some(own.bytes) && is_of_kind(own, parameter)
            }
        };
        if is_right {
            return Ok(());
        }
        Err(match (argument, bytes(parameter)) {
            (ArgumentDescription::Structure(_), _) | (_, None) => String::new(),
            (_, Some(2)) if !is_scalar(parameter) => {
                ": as a half it is written \"f16: 0.5\", as a structure { struct = [\"i16: 1\"] }".to_owned()
            }
            (_, Some(_)) if !is_scalar(parameter) => {
                ": it is written { struct = [\"i32: 1\", \"f32: 0.5\"] }, with its members in order".to_owned()
            }
            _ => String::new(),
        })
    }
}

fn is_scalar(parameter: &Variable) -> bool {
    parameter.dimensions.is_empty() && parameter.vector == 1
}

fn is_address(parameter: &Variable) -> bool {
    is_scalar(parameter) && matches!(parameter.ty, Type::Unsigned(64) | Type::Bits(64) | Type::Signed(64))
}

fn is_number(parameter: &Variable) -> bool {
    is_scalar(parameter) && !matches!(parameter.ty, Type::Opaque(_) | Type::Predicate) && parameter.ty.bits() >= 8
}

/// The size of a parameter; `None` where it has none that is known.
fn bytes(parameter: &Variable) -> Option<u64> {
    if matches!(parameter.ty, Type::Opaque(_) | Type::Predicate) {
        return None;
    }
    let one = u64::from(parameter.ty.bytes()) * u64::from(parameter.vector);
    parameter.dimensions.iter().try_fold(one, |all, extent| all.checked_mul((*extent)?))
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

/// What a parameter is, in words.
fn described(parameter: &Variable) -> String {
    match parameter.ty {
        Type::Opaque(_) => "a texture, a sampler or a surface, which scenarios cannot give".to_owned(),
        _ if !is_scalar(parameter) => match bytes(parameter) {
            Some(bytes) => format!("a structure of {} by value", count(bytes as usize, "byte")),
            None => "a structure by value whose size it does not say".to_owned(),
        },
        Type::Float(bits) => format!("a float of {bits} bits"),
        Type::Unsigned(64) | Type::Bits(64) | Type::Signed(64) => "an address or a whole number of 64 bits".to_owned(),
        ty => format!("a whole number of {} bits", ty.bits()),
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
