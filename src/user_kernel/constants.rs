//! Variables in constant or global memory of the source, filled by the scenario: they get their values as initializers in the PTX, so that every
//! device has them from the beginning.

use std::fmt::Write as _;

use ptx_syntax::module::{Item, Module, Space, Type, Variable};

use super::buffer::BufferDescription;
use super::{Compiled, Expression, Fill, Misfit, Output, Scope, UserKernel, interned};
use crate::kernel::demangled;
use crate::workload::{Contents, Element};
use located_toml::problem::Place;
use located_toml::words::instead;

/// A variable of the source that the scenario fills.
#[derive(Debug, Clone)]
pub struct ConstantDescription {
    /// Its name in the source.
    pub name: String,
    /// The type of its elements.
    pub element: Element,
    /// What it holds.
    pub fill: Fill,
    /// Where the scenario says so.
    pub place: Place,
}

impl UserKernel {
    /// The modules with the values of variables that the scenario gives; random ones follow from `seed`.
    ///
    /// # Errors
    /// Variables that are not there, that have values already, or whose size does not fit.
    pub fn with_constants(&self, compiled: Compiled, seed: u64) -> Result<Compiled, Vec<Misfit>> {
        let constants = &self.description.constants;
        if constants.is_empty() {
            return Ok(compiled);
        }
        let mut compiled = compiled;
        let modules: Vec<Option<Module>> =
            compiled.modules.iter().map(|built| ptx_syntax::parse(&built.ptx).ok()).collect();
        let mut problems = Vec::new();
        for own in constants {
            let found = modules.iter().map(|module| module.as_ref().and_then(|module| own.variable(module)));
            let found: Vec<Option<&Variable>> = found.collect();
            if found.iter().all(Option::is_none) {
                problems.push(own.missing(modules.iter().flatten(), &self.description.source));
                continue;
            }
            for (built, variable) in compiled.modules.iter_mut().zip(found) {
                let Some(variable) = variable else { continue };
                match own.initialized(&built.ptx, variable, seed) {
                    Ok(ptx) => built.ptx = ptx,
                    Err(problem) => problems.push(Misfit::new(problem, Some(own.place))),
                }
            }
        }
        let problems = Misfit::merged(problems);
        if problems.is_empty() { Ok(compiled) } else { Err(problems) }
    }
}

impl ConstantDescription {
    fn variable<'a>(&self, module: &'a Module) -> Option<&'a Variable> {
        variables(module).find(|variable| source_name(variable) == self.name)
    }

    fn missing<'a>(&self, modules: impl Iterator<Item = &'a Module>, source: &str) -> Misfit {
        let mut known: Vec<String> = modules.flat_map(variables).map(source_name).collect();
        known.sort_unstable();
        known.dedup();
        let help = if known.is_empty() {
            format!("{source} has none that a kernel uses: declare it with `__constant__`, and let a kernel read it")
        } else {
            instead(&self.name, &known.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let name = &self.name;
        let problem = format!("{source} has no variable `{name}` in constant or global memory that a kernel uses");
        let mut misfit = Misfit::new(problem, Some(self.place));
        misfit.help = Some(help);
        misfit
    }

    /// The PTX with the variable's values.
    fn initialized(&self, ptx: &str, variable: &Variable, seed: u64) -> Result<String, String> {
        let Self { name, element, .. } = self;
        if variable.initializer.is_some() {
            return Err(format!("`{name}` has its values in the source already"));
        }
        let bytes = size(variable).ok_or_else(|| format!("`{name}` has no size that is known"))?;
        if bytes % element.bytes() != 0 {
            return Err(format!(
                "`{name}` has {bytes} bytes, which are no whole number of elements of {}",
                element.name()
            ));
        }
        let values = self.bytes(bytes / element.bytes(), seed)?;
        let initializer = initializer(variable, &values)
            .ok_or_else(|| format!("`{name}` is of a type that a scenario cannot fill: a vector, or an address"))?;
        let line: usize = ptx.split_inclusive('\n').take(variable.line.saturating_sub(1) as usize).map(str::len).sum();
        let declared = ptx[line..].find(&variable.name).map(|place| line + place);
        let end = declared.and_then(|place| ptx[place..].find(';').map(|end| place + end));
        let end = end.ok_or_else(|| format!("`{name}` is not declared as a variable"))?;
        Ok(format!("{} = {initializer}{}", &ptx[..end], &ptx[end..]))
    }

    /// The bytes of so many elements.
    fn bytes(&self, elements: u64, seed: u64) -> Result<Vec<u8>, String> {
        let length = Expression::parse(&elements.to_string(), &[]).map_err(|unreadable| unreadable.problem)?;
        let (name, fill) = (interned(&self.name), self.fill.clone());
        let like = BufferDescription { name, element: self.element, length, fill, output: Output::Unchecked };
        let scope = Scope::new(std::iter::empty());
        like.evaluate(&scope).map_err(|unfit| unfit.to_string())?;
        let no_file = |_: &super::FileName| Err("files cannot fill it".to_owned());
        let Contents::Words(words) = like.buffer(&scope, seed, &no_file)?.contents else {
            return Err(format!("`{name}` has no values"));
        };
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate((elements * self.element.bytes()) as usize);
        Ok(bytes)
    }
}

/// Variables of a module in constant and global memory.
fn variables(module: &Module) -> impl Iterator<Item = &Variable> {
    module.items.iter().filter_map(|item| match item {
        Item::Variable(own) if matches!(own.space, Space::Const | Space::Global) => Some(own),
        _ => None,
    })
}

fn source_name(variable: &Variable) -> String {
    demangled(&variable.name).unwrap_or_else(|| variable.name.clone())
}

/// The bytes of a variable; `None` where an extent is not written, or its elements have no size.
fn size(variable: &Variable) -> Option<u64> {
    let count: Option<u64> = variable.dimensions.iter().copied().product();
    Some(count? * width(variable.ty)? as u64).filter(|bytes| *bytes > 0)
}

/// The bytes of an element.
fn width(ty: Type) -> Option<usize> {
    match ty {
        Type::Signed(bits) | Type::Unsigned(bits) | Type::Bits(bits) | Type::Float(bits) if bits >= 8 => {
            Some(usize::from(bits) / 8)
        }
        _ => None,
    }
}

/// Values as PTX writes them, the lowest byte of each element first in `bytes`.
fn initializer(variable: &Variable, bytes: &[u8]) -> Option<String> {
    if variable.vector != 1 {
        return None;
    }
    let width = width(variable.ty).filter(|width| *width <= 8)?;
    let mut text = String::with_capacity(4 * bytes.len());
    for (place, element) in bytes.chunks(width).enumerate() {
        let mut word = [0; 8];
        word[..element.len()].copy_from_slice(element);
        let word = u64::from_le_bytes(word);
        text.push_str(if place > 0 { ", " } else { "" });
        let _ = match variable.ty {
            Type::Float(32) => write!(text, "0f{word:08X}"),
            Type::Float(64) => write!(text, "0d{word:016X}"),
            Type::Float(_) => return None,
            _ => write!(text, "{word}"),
        };
    }
    Some(if variable.dimensions.is_empty() { text } else { format!("{{{text}}}") })
}
