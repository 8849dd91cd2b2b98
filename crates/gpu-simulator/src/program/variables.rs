//! A module's variables in global memory.

use std::hash::{DefaultHasher, Hash, Hasher};

use ptx_syntax::Module;

use super::layout::Layout;

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
