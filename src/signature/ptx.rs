//! Kernels of PTX: their parameters by their types, the mangled name and what the instructions do with them.

use ptx_syntax::module::{Function, Item, Linkage, Space, Type, Variable};

use super::SharedArray;
use super::body::{Body, Use};
use super::expression::Expression;
use super::instructions::observe;
use super::parameters::demangled_parameters;
use super::{Class, Kernel, Parameter, SourceError};
use crate::kernel::demangled_with_parameters;
use crate::workload::Element;

/// The kernels of a module, in order.
pub(super) fn kernels(text: &str) -> Result<Vec<Kernel>, SourceError> {
    let module = ptx_syntax::parse(text).map_err(|errors| SourceError::new(None, errors.to_string()))?;
    let shared: Vec<&Variable> = module
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Variable(own) if own.space == Space::Shared && own.linkage == Some(Linkage::Extern) => Some(own),
            _ => None,
        })
        .collect();
    let kernel = |item: &Item| match item {
        Item::Function(function) if function.entry => Some(kernel(function, &shared)),
        _ => None,
    };
    let kernels: Vec<Kernel> = module.items.iter().filter_map(kernel).collect();
    if kernels.is_empty() {
        return Err(SourceError::new(None, "there is no kernel in it: a kernel of PTX is an .entry"));
    }
    Ok(kernels)
}

fn kernel(function: &Function, shared: &[&Variable]) -> Kernel {
    let (name, declared) = match demangled_with_parameters(&function.name) {
        Some((name, list)) => (name, demangled_parameters(&list)),
        None => (function.name.clone(), Vec::new()),
    };
    let declared = if declared.len() == function.parameters.len() { declared } else { Vec::new() };
    let statements = function.body.as_deref().unwrap_or_default();
    let observed = observe(statements, &function.parameters);
    let parameters = function.parameters.iter().enumerate().map(|(place, own)| {
        let typed = declared.get(place);
        // A compiler's names are the function's with a number.
        let is_own = !own.name.starts_with(&format!("{}_param", function.name));
        let name = is_own.then(|| own.name.trim_start_matches(['%', '$']).to_owned());
        let is_vague = typed.is_none_or(|typed| typed.class == Class::Structure && own.dimensions.is_empty());
        let class = if is_vague { class(own, &observed.uses[place], observed.elements[place]) } else { typed?.class };
        let declared = typed.map_or_else(|| spelled(own), |typed| typed.declared.clone());
        let structure = typed.and_then(|typed| typed.structure.clone()).filter(|_| class == Class::Structure);
        Some(Parameter { name, line: own.line, declared, class, structure, opaque: None })
    });
    let parameters = parameters.map(|own| {
        let unknown = Parameter {
            name: None,
            line: 0,
            declared: String::new(),
            class: Class::Structure,
            structure: None,
            opaque: None,
        };
        own.unwrap_or(unknown)
    });
    let uses_shared = |own: &Variable| observed.names.contains(&own.name);
    let shared = shared.iter().filter(|own| uses_shared(own)).map(|own| SharedArray {
        name: own.name.clone(),
        declared: "bytes".to_owned(),
        element_bytes: Some(u64::from(own.ty.bytes().max(1))),
        extents: Vec::new(),
        indices: Vec::new(),
    });
    let most = function.directives.iter().find(|(name, _)| name == "maxntid" || name == "reqntid");
    let threads_most = most.map(|(_, extents)| extents.iter().map(|own| *own as i64).fold(1_i64, i64::saturating_mul));
    let cluster = function.directives.iter().find(|(name, _)| name == "reqnctapercluster");
    let cluster = cluster.into_iter().flat_map(|(_, extents)| extents.iter().copied());
    Kernel {
        name,
        template: None,
        arguments: Vec::new(),
        asked: Vec::new(),
        line: function.line,
        templates: Vec::new(),
        constants: Vec::new(),
        variables: Vec::new(),
        parameters: parameters.collect(),
        threads_most,
        cluster: cluster.map(|own| Expression::Number(own as i64)).collect(),
        launch: None,
        body: Body { shared: shared.collect(), uses: observed.uses.clone(), ..observed.body },
    }
}

/// What is given for a parameter, where no mangled name says.
fn class(own: &Variable, used: &Use, element: Option<Element>) -> Class {
    if !own.dimensions.is_empty() || own.vector != 1 {
        return Class::Structure;
    }
    let is_address = used.reads || used.writes || element.is_some();
    match own.ty {
        Type::Opaque(_) => Class::Texture,
        Type::Float(bits) => Class::Float(bits),
        Type::Unsigned(64) | Type::Bits(64) | Type::Signed(64) if is_address => {
            Class::Pointer { element: element.map(|element| (element, 1)), is_const: !used.writes }
        }
        ty => Class::Whole(ty.bits()),
    }
}

/// The type as PTX has it.
fn spelled(own: &Variable) -> String {
    let name = match own.ty {
        Type::Bits(bits) => format!(".b{bits}"),
        Type::Unsigned(bits) => format!(".u{bits}"),
        Type::Signed(bits) => format!(".s{bits}"),
        Type::Float(bits) => format!(".f{bits}"),
        Type::Predicate => ".pred".to_owned(),
        Type::Opaque(_) => "a texture".to_owned(),
    };
    match own.dimensions.first() {
        Some(Some(size)) => format!("{name}[{size}]"),
        _ => name,
    }
}
