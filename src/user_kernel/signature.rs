//! Kernels of modules, and whether the arguments of a launch are of the types of their parameters.

use std::sync::PoisonError;

use ptx_syntax::module::{Function, Item, Type, Variable};

use super::entry::is_named;
use super::{ArgumentDescription, Build, Built, Compiled, LaunchDescription, UserKernel, VariantDescription, interned};
use crate::kernel::{Sourced, demangled};
use crate::workload::Argument;
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
            let told = match argument {
                ArgumentDescription::Buffer { buffer, .. } => {
                    format!("the buffer `{}`", self.description.buffers[*buffer].name)
                }
                ArgumentDescription::Number(number) => format!("the number `{}`", number.text()),
            };
            let is_right = match argument {
                ArgumentDescription::Buffer { .. } => is_address(parameter),
                ArgumentDescription::Number(_) => is_number(parameter),
            };
            if !is_right {
                let declared = described(parameter);
                problems
                    .push(format!("`arguments`: value {} is {told}, and `{entry}` has there {declared}", index + 1));
            }
        }
    }
}

fn is_scalar(parameter: &Variable) -> bool {
    parameter.dimensions.is_empty() && parameter.vector == 1
}

fn is_address(parameter: &Variable) -> bool {
    is_scalar(parameter) && matches!(parameter.ty, Type::Unsigned(64) | Type::Bits(64) | Type::Signed(64))
}

fn is_number(parameter: &Variable) -> bool {
    is_scalar(parameter) && matches!(parameter.ty.bits(), 32 | 64) && !matches!(parameter.ty, Type::Opaque(_))
}

/// What a parameter is, in words.
fn described(parameter: &Variable) -> String {
    match parameter.ty {
        Type::Opaque(_) => "a texture, a sampler or a surface, which scenarios cannot give".to_owned(),
        _ if !is_scalar(parameter) => "a structure by value, which scenarios cannot give yet".to_owned(),
        Type::Float(bits) => format!("a float of {bits} bits"),
        Type::Unsigned(64) | Type::Bits(64) | Type::Signed(64) => "an address or a whole number of 64 bits".to_owned(),
        ty => format!("a whole number of {} bits", ty.bits()),
    }
}

/// The argument that a number is to a parameter; `None` where it is none of the parameter's type.
pub(super) fn argument(number: f64, parameter: &Variable) -> Result<Argument, String> {
    match parameter.ty {
        Type::Float(32) => return Ok(Argument::Word((number as f32).to_bits())),
        Type::Float(64) => return Ok(Argument::Long(number.to_bits())),
        _ => {}
    }
    let bits = u32::from(parameter.ty.bits());
    let (least, most) = (-(2_f64.powi(bits as i32 - 1)), 2_f64.powi(bits as i32));
    if number.fract() != 0.0 || number < least || number >= most {
        return Err(format!("{number} is not a whole number of {bits} bits"));
    }
    let two = number as i128;
    Ok(if bits == 32 { Argument::Word(two as u32) } else { Argument::Long(two as u64) })
}
