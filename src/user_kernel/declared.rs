//! Parameters of kernels in the words of their source.

use ptx_syntax::module::{Function, Type, Variable};

use super::entry::is_named;
use crate::kernel::{demangled, parameter_types};
use crate::signature::{Class, Kernel};
use located_toml::words::count;

/// A parameter of a kernel: what the module says, and what the source calls it.
#[derive(Debug, Clone)]
pub(super) struct Declared<'a> {
    /// What the module says.
    pub(super) variable: &'a Variable,
    number: usize,
    /// What the source says.
    pub(super) source: Option<&'a crate::signature::Parameter>,
    /// Its type by the compiler, whose names of functions tell it: without other names for types, and with what templates were given.
    pub(super) typed: Option<String>,
}

impl<'a> Declared<'a> {
    /// The parameters of a kernel, where the kernels of its source are these.
    pub(super) fn all(kernel: &'a Function, of_source: &'a [Kernel]) -> Vec<Self> {
        let same = of_source.iter().filter(|own| {
            let is_instance = || demangled(&kernel.name).is_some_and(|name| name.split('<').next() == Some(&own.name));
            let has_name = is_named(&kernel.name, &own.name) || is_instance();
            has_name && own.parameters.len() == kernel.parameters.len()
        });
        // Which of several functions of one name it is, their types would have to tell.
        let same: Vec<&Kernel> = same.collect();
        let source = |place: usize| if let [only] = same[..] { only.parameters.get(place) } else { None };
        let known = parameter_types(&kernel.name).filter(|known| known.len() == kernel.parameters.len());
        let one = |(place, variable)| {
            let typed = known.as_ref().and_then(|known| known.get(place).cloned());
            Self { variable, number: place + 1, source: source(place), typed }
        };
        kernel.parameters.iter().enumerate().map(one).collect()
    }

    /// Where the source has it: `add.cu:3`.
    pub(super) fn place(&self, file: &str) -> String {
        match self.source.map(|own| own.line).filter(|line| *line > 0) {
            Some(line) => format!("{file}:{line}"),
            None => file.to_owned(),
        }
    }

    /// What it is called: `` parameter 2 of `add` (`int n`) ``.
    pub(super) fn called(&self, entry: &str) -> String {
        let named = self.name().map(|name| format!(" ({name})")).unwrap_or_default();
        format!("parameter {} of `{entry}`{named}", self.number)
    }

    /// Its name with its type, as far as the source tells.
    fn name(&self) -> Option<String> {
        let source = self.source?;
        // PTX's own words for types are those of `takes`.
        let ty = Some(source.declared.as_str())
            .filter(|ty| !ty.is_empty() && !ty.starts_with('.') && !ty.contains("a texture"));
        match (ty, source.name.as_deref()) {
            // The name is within the type.
            (Some(ty), Some(_)) if ty.contains('(') => Some(format!("`{ty}`")),
            (Some(ty), Some(name)) => Some(format!("`{ty} {name}`")),
            (Some(ty), None) => Some(format!("of type `{ty}`")),
            (None, Some(name)) => Some(format!("`{name}`")),
            (None, None) => None,
        }
    }

    /// Its name with what is given for it: `` `int n` (a whole number of 32 bits) ``.
    pub(super) fn listed(&self) -> String {
        match self.name() {
            Some(name) => format!("{} ({})", name.trim_start_matches("of type "), self.takes()),
            None => self.takes(),
        }
    }

    /// Whether the source says that it is an address.
    pub(super) fn is_pointer(&self) -> bool {
        self.source.is_some_and(|own| matches!(own.class, Class::Pointer { .. } | Class::Indirect))
    }

    /// What is given for it, in words.
    pub(super) fn takes(&self) -> String {
        match self.variable.ty {
            Type::Opaque(_) => "a texture, a sampler or a surface".to_owned(),
            _ if !is_scalar(self.variable) => match bytes(self.variable) {
                Some(bytes) => format!("a structure of {} by value", count(bytes as usize, "byte")),
                None => "a structure by value whose size it does not say".to_owned(),
            },
            Type::Float(bits) => format!("a float of {bits} bits"),
            _ if is_address(self.variable) && self.is_pointer() => "an address".to_owned(),
            _ if is_address(self.variable) => "an address or a whole number of 64 bits".to_owned(),
            ty => format!("a whole number of {} bits", ty.bits()),
        }
    }
}

pub(super) fn is_scalar(parameter: &Variable) -> bool {
    parameter.dimensions.is_empty() && parameter.vector == 1
}

pub(super) fn is_address(parameter: &Variable) -> bool {
    is_scalar(parameter) && matches!(parameter.ty, Type::Unsigned(64) | Type::Bits(64) | Type::Signed(64))
}

pub(super) fn is_number(parameter: &Variable) -> bool {
    is_scalar(parameter) && !matches!(parameter.ty, Type::Opaque(_) | Type::Predicate) && parameter.ty.bits() >= 8
}

/// The size of a parameter; `None` where it has none that is known.
pub(super) fn bytes(parameter: &Variable) -> Option<u64> {
    if matches!(parameter.ty, Type::Opaque(_) | Type::Predicate) {
        return None;
    }
    let one = u64::from(parameter.ty.bytes()) * u64::from(parameter.vector);
    parameter.dimensions.iter().try_fold(one, |all, extent| all.checked_mul((*extent)?))
}
