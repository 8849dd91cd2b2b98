//! The kernels of a source and what their text says of how they are launched: from CUDA C++, without a compiler, and from PTX.
//!
//! CUDA C++ is read as far as it takes to find kernels: its tokens, functions, parameters, and in their bodies which indices are computed and
//! compared. The preprocessor is not run and templates are not instantiated, so what is read is a guess, and what needs more is left open.

use crate::workload::Element;

mod allocations;
mod axis;
mod bases;
mod body;
mod brackets;
mod byte_rows;
mod calls;
mod constants;
mod cuda;
mod data;
mod decimals;
mod deduced;
mod definitions;
mod enumerations;
mod expression;
mod generic;
mod guards;
mod headers;
mod host;
mod initialised;
mod inlined;
mod instances;
mod instructions;
mod launches;
mod loops;
mod members;
mod opaque;
mod parameters;
mod ptx;
mod repeated;
mod runtime;
mod shared;
mod structures;
#[cfg(test)]
mod tests;
mod token;
mod variables;
mod vectors;
mod waits;

pub use allocations::Allocated;
pub use axis::Axis;
pub use body::{Access, Body, Kept, Local, Use};
pub use byte_rows::ByteRow;
pub use expression::Expression;
pub use headers::Headers;
pub use launches::{Number, SourceLaunch};
pub use opaque::Opaque;
pub use shared::SharedArray;
pub use structures::{Member, MemberKind, Structure};
pub use variables::ConstantVariable;
pub use waits::Waits;

use crate::kernel::Language;
use cuda::Wanted;

/// A kernel, as its source declares it.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// Its name with its namespaces; in PTX of C++ with the arguments of its templates.
    pub name: String,
    /// The template that it is an instance of, as the source calls that.
    pub template: Option<String>,
    /// The arguments of the template that it is an instance of, behind the names of the parameters.
    pub arguments: Vec<(String, String)>,
    /// How an instance was asked for.
    pub asked: Vec<String>,
    /// Its line, from 1.
    pub line: u32,
    /// The parameters of its templates; none of an instance.
    pub templates: Vec<TemplateParameter>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Numbers that the source names and that it uses.
    pub constants: Vec<Constant>,
    /// Variables in constant memory that it uses, and that the source gives no value.
    pub variables: Vec<ConstantVariable>,
    /// The most threads of a block that it is made for, where it says so.
    pub threads_most: Option<i64>,
    /// Blocks of its clusters along each axis, where it says so.
    pub cluster: Vec<Expression>,
    /// How the source itself launches it, where it does.
    pub launch: Option<SourceLaunch>,
    /// What its body does.
    pub body: Body,
}

/// A number that the source has a name for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: i64,
    /// Its line, from 1.
    pub line: u32,
    /// Whether the compiler may be given another one: a macro that is defined where it is not yet.
    pub is_open: bool,
}

/// A parameter of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateParameter {
    /// Its name.
    pub name: String,
    /// What it stands for.
    pub kind: TemplateKind,
    /// What it is where nothing is given.
    pub default: Option<String>,
}

/// What a parameter of a template stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateKind {
    /// A type.
    Type,
    /// A whole number.
    Whole,
    /// Yes or no.
    Flag,
    /// Something else: a template, a pack, a function.
    Other,
}

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Its line, from 1.
    pub line: u32,
    /// Its type, as the source has it.
    pub declared: String,
    /// What is given for it.
    pub class: Class,
    /// The structure that it is, or that it points to, where the source defines it.
    pub structure: Option<Structure>,
    /// Why no list of members is that structure, where it has what such lists have no words for.
    pub opaque: Option<Opaque>,
}

/// What is given for a parameter of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// An address.
    Pointer {
        /// The type of what is there, with how many of them an element has, such as 4 of `float4`. `None` where the type is another.
        element: Option<(Element, u32)>,
        /// Whether the kernel says that it only reads.
        is_const: bool,
    },
    /// A whole number of so many bits.
    Whole(u8),
    /// A float of so many bits.
    Float(u8),
    /// A value of an enumeration, of so many bits.
    Enumeration(u8),
    /// A structure by value, or a type that is not known.
    Structure,
    /// A texture or a surface.
    Texture,
    /// A reference, which a kernel cannot take from the host.
    Reference,
    /// An address of addresses, or of a function.
    Indirect,
}

/// What is given for a parameter of this type of C++, as far as the words of the type tell.
pub fn class_of(ty: &str) -> Class {
    parameters::demangled_parameters(ty).first().map_or(Class::Structure, |own| own.class)
}

/// The type of a number of this type of C++; `None` of what is no number, and of other names for types.
pub fn number_of(ty: &str) -> Option<Element> {
    parameters::number_of(ty)
}

/// Whether this type of C++ is that of truth values.
pub fn is_bool(ty: &str) -> bool {
    ty.split_whitespace().filter(|word| *word != "const").eq(["bool"])
}

/// Why no kernels were found in a source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct SourceError {
    /// The line, from 1, where there is one.
    pub line: Option<u32>,
    /// What is wrong, in words, and what is allowed.
    pub problem: String,
}

impl SourceError {
    fn new(line: Option<u32>, problem: impl Into<String>) -> Self {
        Self { line, problem: problem.into() }
    }
}

/// The largest source that is read, in bytes.
pub const SOURCE_MOST_BYTES: u64 = 16 << 20;

/// The kernels of a source in their order; at least one.
///
/// # Errors
/// Where the text cannot be read or has no kernel: why.
pub fn kernels(text: &str, language: Language) -> Result<Vec<Kernel>, SourceError> {
    read(text, language, Wanted::Functions, &Headers::default())
}

/// The same with what these headers define, and with the instances that the source names in place of templates, where it names some, and those that
/// are asked for: `scale<float, 3>`.
///
/// # Errors
/// As [`kernels`], and where a template has no instance that is asked for.
pub fn kernels_and_instances(
    text: &str,
    language: Language,
    asked: &[String],
    headers: &Headers,
) -> Result<Vec<Kernel>, SourceError> {
    read(text, language, Wanted::Instances(asked), headers)
}

fn read(text: &str, language: Language, wanted: Wanted<'_>, headers: &Headers) -> Result<Vec<Kernel>, SourceError> {
    if text.trim().is_empty() {
        return Err(SourceError::new(None, "the file is empty"));
    }
    if text.contains('\0') {
        return Err(SourceError::new(None, "this is no text: a source is CUDA C++ (.cu) or PTX (.ptx)"));
    }
    match language {
        Language::Cuda => cuda::kernels(text, wanted, headers),
        Language::Ptx => ptx::kernels(text),
    }
}
