//! Kernels of the user's: described by a scenario in place of a family of the program, and a family to the rest of the program.
//!
//! A [`Description`] is what the scenario says, as plain data and [`Expression`]s of the parameters. [`UserKernel::family`] makes a family of
//! it. Its points have workloads once its modules are [loaded](UserKernel::load): PTX, which a compiler made of the source for every
//! [`Build`] that points need, or which the source is.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use serde::{Deserialize, Serialize};

use crate::family::{Family, Predictor, Variant};
use crate::kernel::{Assembled, Language, Provenance, Ptx, sha256};
use crate::parameter::{Parameter, ParameterSet, Value};
use crate::workload::Words;

mod buffer;
mod compiled_in;
mod constants;
mod declared;
mod entry;
mod expression;
mod file;
mod implementation;
mod interned;
mod launch;
mod members;
mod misfit;
mod pointed;
mod range;
mod scope;
mod signature;
mod spilled;
mod structure;
#[cfg(test)]
mod tests;
mod unset;
mod unsupported;

pub use buffer::{BufferDescription, Fill, Output};
pub use constants::ConstantDescription;
pub use expression::{Expression, FUNCTIONS, Unreadable};
pub use file::{DataFile, FileKey, FileName, FileUse};
pub use interned::interned;
use interned::kept;
pub use launch::{ArgumentDescription, LaunchDescription, STEP};
pub use misfit::{LaunchPlaces, Misfit};
pub use scope::{Scope, Unfit};
pub use structure::{Entry, Structure};

use signature::LoadedModule;

/// A variant: an entry point of the source, and what is defined when it is compiled.
#[derive(Debug, Clone)]
pub struct VariantDescription {
    /// Its name.
    pub name: &'static str,
    /// The kernel: a function of the source, or an instance of a template, whose arguments may be names that are defined. `{name}` stands
    /// for the value of a parameter.
    pub entry: String,
    /// Names and texts that are defined for it alone.
    pub defines: Vec<(String, String)>,
    /// Parameters that it does not depend on.
    pub ignores: Vec<&'static str>,
    /// Its launches, in order.
    pub launches: Vec<LaunchDescription>,
}

impl VariantDescription {
    /// Whether one of its launches has the address of something in a buffer.
    fn takes(&self, buffer: usize) -> bool {
        self.launches.iter().any(|launch| launch.takes(buffer))
    }
}

/// What a scenario says of a kernel.
#[derive(Debug, Clone)]
pub struct Description {
    /// Its name, a family's to the rest of the program.
    pub name: &'static str,
    /// The file of the source, from the scenario's directory.
    pub source: String,
    /// The virtual architecture to compile for, such as `compute_90`; none where it is the device's.
    pub target: Option<String>,
    /// Further options of the compiler.
    pub options: Vec<String>,
    /// The variants, the first being what others are compared with.
    pub variants: Vec<VariantDescription>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// Parameters that are compiled in, with the names that they are defined as.
    pub defined: Vec<(&'static str, String)>,
    /// The buffers.
    pub buffers: Vec<BufferDescription>,
    /// Bytes that must move; none where the scenario does not say.
    pub bytes: Option<Expression>,
    /// Operations that the result needs.
    pub operations: Option<Expression>,
    /// What laws are fitted against.
    pub predictors: Vec<(Predictor, Expression)>,
    /// Variables of the source that it fills.
    pub constants: Vec<ConstantDescription>,
}

impl Description {
    /// What buffers and variables hold before the launches, with their names.
    pub fn contents(&self) -> impl Iterator<Item = (&str, &str)> {
        let buffers = self.buffers.iter().map(|own| (own.name, own.fill.text()));
        buffers.chain(self.constants.iter().map(|own| (own.name.as_str(), own.fill.text())))
    }
}

/// What must be defined for a module: names and texts, by name.
pub type Build = Vec<(String, String)>;

/// A module that was made for a build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Built {
    /// What was defined.
    pub defines: Build,
    /// The module.
    pub ptx: String,
    /// What ptxas makes of it for a simulated device; `None` where registers are estimated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assembled: Option<Assembled>,
}

impl Built {
    /// A module whose registers are estimated.
    pub fn new(defines: Build, ptx: String) -> Self {
        Self { defines, ptx, assembled: None }
    }
}

/// The modules of a kernel, with what they were made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    /// The compiler and its version; how the PTX came to be here where it was not compiled.
    pub compiler: String,
    /// The virtual architecture compiled for; what the PTX names where it was not compiled.
    pub target: String,
    /// The name of the source's file.
    pub source_name: String,
    /// The source.
    pub source: String,
    /// The modules.
    pub modules: Vec<Built>,
    /// The files that buffers are filled with or compared with. Their contents are read where workloads are built.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<DataFile>,
}

impl Compiled {
    /// Where the kernels of a run came from.
    pub fn provenance(&self) -> Provenance {
        let texts: String = self.modules.iter().map(|module| module.ptx.as_str()).collect();
        Provenance {
            compiler: self.compiler.clone(),
            target: self.target.clone(),
            ptx_sha256: sha256(texts.as_bytes()),
            assembler: self.modules.iter().find_map(|module| Some(module.assembled.as_ref()?.assembler.clone())),
        }
    }

    /// The same with the registers that `kept` has of it: a run that is gone on with keeps its own, whatever the machine says now.
    #[must_use]
    pub fn with_registers_of(mut self, kept: &Self) -> Self {
        for module in &mut self.modules {
            let same = kept.modules.iter().find(|own| own.ptx == module.ptx);
            module.assembled = same.and_then(|own| own.assembled.clone());
        }
        self
    }
}

/// A kernel of the user's.
#[derive(Debug)]
pub struct UserKernel {
    /// What its scenario says.
    pub description: Description,
    modules: RwLock<Vec<LoadedModule>>,
    compiled: RwLock<Option<Compiled>>,
    /// The contents of files, by their names.
    contents: RwLock<HashMap<String, Words>>,
}

impl UserKernel {
    /// A kernel without modules, for as long as the program lives: a program reads few scenarios.
    pub fn new(description: Description) -> &'static Self {
        Box::leak(Box::new(Self {
            description,
            modules: RwLock::default(),
            compiled: RwLock::default(),
            contents: RwLock::default(),
        }))
    }

    /// It as a family. Its variants, parameters and predictors are those of the description.
    pub fn family(&'static self) -> &'static Family {
        let Description { name, variants, parameters, predictors, source, .. } = &self.description;
        let variant = |own: &VariantDescription| Variant {
            name: own.name,
            summary: interned(&format!("the kernel {}", own.entry)),
            since: (1, 0),
            ignores: own.ignores.clone().leak(),
            removes: None,
            is_host: false,
        };
        let variants: Vec<Variant> = variants.iter().map(variant).collect();
        let predictors: Vec<Predictor> = predictors.iter().map(|(predictor, _)| *predictor).collect();
        Box::leak(Box::new(Family {
            name,
            summary: interned(&format!("kernels of {source}")),
            ptx: Ptx::Text(""),
            size: None,
            is_user: true,
            reads_clock: false,
            variants: variants.leak(),
            parameters: parameters.clone().leak(),
            predictors: predictors.leak(),
            implementation: self,
        }))
    }

    /// The build that a variant needs at these values.
    pub fn build(&self, variant: &str, parameters: &ParameterSet) -> Build {
        let Description { variants, defined, .. } = &self.description;
        let own = variants.iter().find(|own| own.name == variant);
        let mut build: Build = own.map(|own| own.defines.clone()).unwrap_or_default();
        for (parameter, name) in defined {
            if build.iter().all(|(own, _)| own != name)
                && let Some(value) = parameters.get(parameter)
            {
                build.push((name.clone(), value.to_string()));
            }
        }
        build.sort();
        if Language::of(&self.description.source) == Language::Ptx { Build::new() } else { build }
    }

    /// The kernels that a variant launches at these values, as a build has them: one for each of its launches.
    fn entries(variant: &VariantDescription, parameters: &ParameterSet, build: &Build) -> Vec<String> {
        let entry = |launch: &LaunchDescription| {
            let entry = launch.entry.as_ref().unwrap_or(&variant.entry);
            entry::with_defines(&entry::with_parameters(entry, parameters), build)
        };
        variant.launches.iter().map(entry).collect()
    }

    /// What points need to be compiled: each build once, with the kernels that are launched of it.
    pub fn needs<'a>(&self, points: impl Iterator<Item = (&'a str, &'a ParameterSet)>) -> Vec<(Build, Vec<String>)> {
        let mut all: BTreeMap<Build, BTreeSet<String>> = BTreeMap::new();
        for (variant, parameters) in points {
            let Some(own) = self.description.variants.iter().find(|own| own.name == variant) else { continue };
            let build = self.build(variant, parameters);
            let entries = Self::entries(own, parameters, &build);
            all.entry(build).or_default().extend(entries);
        }
        all.into_iter().map(|(build, entries)| (build, entries.into_iter().collect())).collect()
    }

    /// Takes modules.
    ///
    /// # Errors
    /// What is wrong with the PTX, in a sentence.
    pub fn load(&self, compiled: &Compiled) -> Result<(), String> {
        let problem = |problem: String| format!("{}: {problem}", self.description.source);
        let loaded = compiled.modules.iter().map(|built| LoadedModule::new(built, compiled));
        let loaded = loaded.collect::<Result<Vec<_>, _>>().map_err(problem)?;
        *self.modules.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        *self.compiled.write().unwrap_or_else(PoisonError::into_inner) = Some(compiled.clone());
        Ok(())
    }

    /// Holds the arguments of the launches of points against the parameters of the kernels that were loaded.
    ///
    /// # Errors
    /// Everything that does not fit, each once.
    pub fn check_arguments<'a>(
        &self,
        points: impl Iterator<Item = (&'a str, &'a ParameterSet)>,
    ) -> Result<(), Vec<Misfit>> {
        let mut problems: Vec<Misfit> = Vec::new();
        let mut seen = HashSet::new();
        let mut numbers = HashSet::new();
        for (variant, parameters) in points {
            let Some(own) = self.description.variants.iter().find(|own| own.name == variant) else { continue };
            let build = self.build(variant, parameters);
            let entries = Self::entries(own, parameters, &build);
            if seen.insert((variant, build.clone(), entries.clone())) {
                self.check_variant(own, &build, &entries, (&mut numbers, &mut problems));
            }
            self.check_numbers(own, &build, &entries, &scope(parameters), (&mut numbers, &mut problems));
        }
        let problems = Misfit::merged(problems);
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// Whether what it leaves in a buffer is compared with anything.
    pub fn is_compared(&self) -> bool {
        self.description.buffers.iter().any(|buffer| !matches!(buffer.output, Output::Unchecked))
    }

    /// The buffers in which something is expected, and that a variant does not take: its name, and theirs.
    pub fn not_taken(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        let of_variant = |variant: &VariantDescription| {
            let buffers = self.description.buffers.iter().enumerate();
            let is_checked = |buffer: &BufferDescription| !matches!(buffer.output, Output::Unchecked);
            let names = buffers.filter(|(place, buffer)| is_checked(buffer) && !variant.takes(*place));
            (variant.name, names.map(|(_, buffer)| buffer.name).collect())
        };
        self.description.variants.iter().map(of_variant).filter(|(_, names): &(_, Vec<_>)| !names.is_empty()).collect()
    }

    /// Whether there is a buffer in which variants must agree.
    pub fn variants_must_agree(&self) -> bool {
        self.description.buffers.iter().any(|buffer| matches!(buffer.output, Output::VariantsAgree(_)))
    }

    /// The modules that were loaded; `None` before.
    pub fn compiled(&self) -> Option<Compiled> {
        self.compiled.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The source's file, of a scenario in this directory.
    pub fn source_path(&self, directory: &Path) -> PathBuf {
        directory.join(&self.description.source)
    }
}

/// The numbers among the values of a point.
fn scope(parameters: &ParameterSet) -> Scope {
    let number = |(name, value): (&'static str, &Value)| Some((name, value.as_number()?));
    Scope::new(parameters.iter().filter_map(number))
}
