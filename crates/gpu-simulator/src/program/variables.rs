//! A module's variables by their names.

use std::hash::{DefaultHasher, Hash, Hasher};

use ptx_syntax::Module;
use ptx_syntax::module::{Item, Variable};

use super::Slice;
use super::layout::{Layout, Place, bytes_of, shared_variables};

/// A variable in global memory.
#[derive(Debug, Clone)]
pub(crate) struct Image {
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: u64,
    /// What it holds at first.
    pub bytes: Vec<u8>,
}

/// The variables of a module in global memory, which all its kernels share.
#[derive(Debug, Clone)]
pub(crate) struct ModuleVariables {
    /// Tells modules apart.
    pub fingerprint: u64,
    /// Where the first one begins.
    pub base: u64,
    /// Each at its address.
    pub images: Vec<Image>,
}

impl ModuleVariables {
    pub(super) fn of(module: &Module, base: u64, layout: &Layout<'_>) -> Self {
        let images = layout.globals.clone();
        // Most modules have no variables, and hashing a module takes time.
        let fingerprint = if images.is_empty() { 0 } else { fingerprint(module) };
        Self { fingerprint, base, images }
    }

    /// Bytes that they take, without the gaps between them.
    pub(crate) fn bytes(&self) -> u64 {
        self.images.iter().map(|image| image.bytes.len() as u64).sum()
    }
}

/// Equal for equal modules, and hardly ever for others.
pub(crate) fn fingerprint(module: &Module) -> u64 {
    let mut hasher = DefaultHasher::new();
    module.hash(&mut hasher);
    hasher.finish()
}

impl Layout<'_> {
    /// The variables in constant memory, by their names.
    pub(super) fn constant_variables(&self, module: &Module) -> Vec<(String, Slice)> {
        let slice = |item: &Item| match item {
            Item::Variable(own) => match self.places.get(own.name.as_str()) {
                Some(Place::Constant(offset)) => {
                    Some((own.name.clone(), Slice { offset: *offset, bytes: bytes_of(own) as u32 }))
                }
                _ => None,
            },
            Item::Function(_) => None,
        };
        module.items.iter().filter_map(slice).collect()
    }

    /// The variables in shared memory, by their names.
    pub(super) fn shared_variables(&self, module: &Module) -> Vec<(String, Slice)> {
        let slice = |own: &Variable, offset: u32| (own.name.clone(), Slice { offset, bytes: bytes_of(own) as u32 });
        let of_module = module.items.iter().filter_map(|item| match item {
            Item::Variable(own) => match self.places.get(own.name.as_str()) {
                Some(Place::Shared(offset)) => Some(slice(own, *offset)),
                _ => None,
            },
            Item::Function(_) => None,
        });
        let of_functions = self.functions.iter().flat_map(|own| {
            let variables = shared_variables(own.body.as_deref().unwrap_or_default());
            variables
                .into_iter()
                .filter_map(|own| Some(slice(own, *self.function_shared.get(&std::ptr::from_ref(own))?)))
        });
        of_module.chain(of_functions).collect()
    }
}
