//! Where the variables of a module are, as far as a kernel and the functions it may call refer to them.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::rewrite::ElementBytes;
use super::{Image, Slice};
use crate::windows::{FUNCTION_WINDOW, generic_address};
use ptx_syntax::PtxError;
use ptx_syntax::module::{Constant, Function, Item, Linkage, Module, Operand, Space, Statement, Type, Variable};

/// Where something with a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In global memory, at this address.
    Global(u64),
    /// In shared memory, at this offset.
    Shared(u32),
    /// In constant memory, at this offset.
    Constant(u32),
    /// A parameter of the kernel, at this offset of its buffer.
    KernelParameter(u32),
    /// In the frame's local memory, at this offset.
    Frame(Slice),
}

/// A module's variables as a kernel sees them.
pub(super) struct Layout<'module> {
    /// The kernel first, then the functions it may call.
    pub(super) functions: Vec<&'module Function>,
    /// Where the module's variables are.
    pub(super) places: HashMap<&'module str, Place>,
    /// Variables in global memory.
    pub(super) globals: Vec<Image>,
    /// Constant memory.
    pub(super) constants: Vec<u8>,
    /// Static shared memory.
    pub(super) shared_bytes: u32,
    /// Shared variables of functions. Braces may hold several of a name, so the variable itself is the key.
    pub(super) function_shared: HashMap<*const Variable, u32>,
    /// Bytes of an element of each variable.
    pub(super) element_bytes: ElementBytes<'module>,
    /// Addresses of all functions of the module, whichever kernel is decoded: tables of them are for all kernels.
    addresses: HashMap<&'module str, u64>,
}

/// Bytes of a variable; 0 for an array with neither an extent nor initial values.
pub(super) fn bytes_of(variable: &Variable) -> u64 {
    let element_bytes = u64::from(variable.ty.bytes());
    if variable.dimensions.contains(&None)
        && let Some(values) = &variable.initializer
    {
        return values.len() as u64 * element_bytes;
    }
    let elements = variable.dimensions.iter().fold(1u64, |product, extent| product.saturating_mul(extent.unwrap_or(0)));
    elements.saturating_mul(u64::from(variable.vector)).saturating_mul(element_bytes)
}

/// Alignment of a variable in bytes.
pub(super) fn alignment_of(variable: &Variable) -> u64 {
    let natural = u64::from(variable.ty.bytes().max(1)) * u64::from(variable.vector.max(1));
    u64::from(variable.alignment.unwrap_or(0)).max(natural).next_power_of_two()
}

/// Between the addresses of two functions.
const FUNCTION_BYTES: u64 = 16;
/// All variables of a module in global memory: more is a buffer.
const GLOBAL_BYTES_MAX: u64 = 256 << 20;
/// All of a module's constant memory. Source: CUDA C Programming Guide 4, appendix F.1.
const CONSTANT_BYTES_MAX: u64 = 64 << 10;
/// Static shared memory: less than this is held against the profile at each launch.
const SHARED_BYTES_MAX: u64 = 1 << 30;
/// Largest alignment.
const ALIGNMENT_MAX: u64 = 1 << 16;
/// Variables in global memory begin at multiples of this, so that an access that is aligned is so in its variable too.
const GLOBAL_ALIGNMENT: u64 = 256;

/// Places variables one behind the other.
pub(super) struct Stacker {
    pub(super) end: u64,
    limit_bytes: u64,
}

impl Stacker {
    pub(super) fn new(limit_bytes: u64) -> Self {
        Self { end: 0, limit_bytes }
    }

    /// Where the variable begins.
    pub(super) fn place(&mut self, variable: &Variable) -> Result<u64, PtxError> {
        let refuse = |message: &str| PtxError::new(variable.line, &variable.name, message);
        if variable.ty == Type::Predicate {
            return Err(refuse("predicates have no place in memory"));
        }
        if alignment_of(variable) > ALIGNMENT_MAX {
            return Err(refuse("an alignment of more than 65536 bytes is not supported"));
        }
        let start = self.end.next_multiple_of(alignment_of(variable));
        let end = start.saturating_add(bytes_of(variable));
        if end > self.limit_bytes {
            let message = format!("variables of this state space have {} bytes at most", self.limit_bytes);
            return Err(refuse(&message));
        }
        self.end = end;
        Ok(start)
    }
}

/// Places variables one behind the other, at most so many bytes in all: where each is, and how long they are together.
pub(super) fn place_all(variables: &[Variable], limit_bytes: u64) -> Result<(Vec<Slice>, u32), PtxError> {
    let mut stacker = Stacker::new(limit_bytes);
    let place = |variable| Ok(Slice { offset: stacker.place(variable)? as u32, bytes: bytes_of(variable) as u32 });
    let slices = variables.iter().map(place).collect::<Result<_, _>>()?;
    Ok((slices, stacker.end as u32))
}

impl<'module> Layout<'module> {
    /// The variables in global memory begin at `base`.
    pub(super) fn new(module: &'module Module, kernel: &'module Function, base: u64) -> Result<Self, PtxError> {
        let mut variables: BTreeMap<&str, &Variable> = BTreeMap::new();
        let mut functions_by_name: HashMap<&str, &Function> = HashMap::new();
        for item in &module.items {
            match item {
                Item::Variable(variable) => {
                    let known = variables.get(variable.name.as_str());
                    if known.is_none_or(|known| known.linkage == Some(Linkage::Extern)) {
                        variables.insert(&variable.name, variable);
                    }
                }
                Item::Function(function) if function.body.is_some() => {
                    functions_by_name.insert(&function.name, function);
                }
                Item::Function(_) => {}
            }
        }
        let (functions, referenced) = reachable(kernel, &functions_by_name, &variables);
        let mut layout = Self {
            functions,
            places: HashMap::new(),
            globals: Vec::new(),
            constants: Vec::new(),
            shared_bytes: 0,
            function_shared: HashMap::new(),
            element_bytes: ElementBytes::of(module),
            addresses: HashMap::new(),
        };
        for (index, item) in module.items.iter().enumerate() {
            if let Item::Function(function) = item {
                layout.addresses.entry(&function.name).or_insert(FUNCTION_WINDOW + FUNCTION_BYTES * index as u64);
            }
        }
        let variables: Vec<&Variable> = module
            .items
            .iter()
            .filter_map(|item| match item {
                // A declaration of what is defined elsewhere in the module is not another variable.
                Item::Variable(variable) if std::ptr::eq(variables[variable.name.as_str()], variable) => Some(variable),
                _ => None,
            })
            .collect();
        layout.place_all(&variables, &referenced, base)?;
        layout.fill(&variables)?;
        Ok(layout)
    }

    fn place_all(
        &mut self,
        variables: &[&'module Variable],
        referenced: &HashSet<&str>,
        base: u64,
    ) -> Result<(), PtxError> {
        let (mut global, mut constant) = (Stacker::new(GLOBAL_BYTES_MAX), Stacker::new(CONSTANT_BYTES_MAX));
        let mut shared = Stacker::new(SHARED_BYTES_MAX);
        let mut dynamic: Vec<&'module Variable> = Vec::new();
        for &variable in variables {
            let name = variable.name.as_str();
            match variable.space {
                Space::Global | Space::Const
                    if variable.linkage == Some(Linkage::Extern) && referenced.contains(name) =>
                {
                    let message = "the variable is defined in another module, which is not supported";
                    return Err(PtxError::new(variable.line, name, message));
                }
                Space::Global | Space::Const if variable.linkage == Some(Linkage::Extern) => {}
                Space::Global => {
                    global.end = global.end.next_multiple_of(GLOBAL_ALIGNMENT);
                    let address = base + global.place(variable)?;
                    self.places.insert(name, Place::Global(address));
                }
                Space::Const => {
                    self.places.insert(name, Place::Constant(constant.place(variable)? as u32));
                }
                Space::Shared if bytes_of(variable) == 0 => dynamic.push(variable),
                Space::Shared if referenced.contains(name) => {
                    self.places.insert(name, Place::Shared(shared.place(variable)? as u32));
                }
                _ => {}
            }
        }
        for function in self.functions.clone() {
            for variable in shared_variables(function.body.as_deref().unwrap_or_default()) {
                if bytes_of(variable) == 0 {
                    dynamic.push(variable);
                } else {
                    self.function_shared.insert(variable, shared.place(variable)? as u32);
                }
            }
        }
        // Dynamic shared memory lies behind the static one; every name for it is the same place.
        for variable in &dynamic {
            shared.end = shared.place(variable)?;
        }
        let alignment = dynamic.iter().map(|variable| alignment_of(variable)).max().unwrap_or(1);
        self.shared_bytes = shared.end.next_multiple_of(alignment) as u32;
        for variable in dynamic {
            self.function_shared.insert(variable, self.shared_bytes);
            if variables.iter().any(|other| std::ptr::eq(*other, variable)) {
                self.places.insert(&variable.name, Place::Shared(self.shared_bytes));
            }
        }
        self.constants = vec![0; constant.end as usize];
        Ok(())
    }

    /// Writes the initial values of variables.
    fn fill(&mut self, variables: &[&Variable]) -> Result<(), PtxError> {
        for variable in variables {
            let Some(&place) = self.places.get(variable.name.as_str()) else { continue };
            let image = match place {
                Place::Global(_) | Place::Constant(_) => self.image(variable)?,
                _ => continue,
            };
            match place {
                Place::Global(_) if image.is_empty() => {}
                Place::Global(address) => {
                    self.globals.push(Image { name: variable.name.clone(), address, bytes: image });
                }
                Place::Constant(offset) => {
                    self.constants[offset as usize..][..image.len()].copy_from_slice(&image);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn image(&self, variable: &Variable) -> Result<Vec<u8>, PtxError> {
        let mut image = vec![0; bytes_of(variable) as usize];
        let size = variable.ty.bytes() as usize;
        let values = variable.initializer.as_deref().unwrap_or_default();
        if values.len() * size > image.len() {
            let message = format!("{} has more initial values than elements", variable.name);
            return Err(PtxError::new(variable.line, &variable.name, &message));
        }
        for (element, value) in image.chunks_exact_mut(size).zip(values) {
            let bits = match value {
                Constant::Integer(bits) => match variable.ty {
                    Type::Float(32) => u64::from((*bits as i64 as f32).to_bits()),
                    Type::Float(64) => (*bits as i64 as f64).to_bits(),
                    _ => *bits,
                },
                Constant::Float64(bits) if size == 8 => *bits,
                Constant::Float64(bits) => u64::from((f64::from_bits(*bits) as f32).to_bits()),
                Constant::Float32(bits) => u64::from(*bits),
                Constant::Address { name, offset, generic } => {
                    let address = self.address_of(name, *generic).ok_or_else(|| {
                        let message = format!("{name} has no address that a variable could hold at first");
                        PtxError::new(variable.line, &variable.name, &message)
                    })?;
                    address.wrapping_add_signed(*offset)
                }
            };
            element.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
        Ok(image)
    }

    fn address_of(&self, name: &str, generic: bool) -> Option<u64> {
        if let Some(address) = self.function_address(name) {
            return Some(address);
        }
        match *self.places.get(name)? {
            Place::Global(address) => Some(address),
            Place::Constant(offset) if generic => generic_address(Space::Const, u64::from(offset)),
            Place::Shared(offset) if generic => generic_address(Space::Shared, u64::from(offset)),
            Place::Constant(offset) | Place::Shared(offset) => Some(u64::from(offset)),
            Place::KernelParameter(_) | Place::Frame(_) => None,
        }
    }

    /// Address of a function of the module, whether or not it may be called.
    pub(super) fn function_address(&self, name: &str) -> Option<u64> {
        self.addresses.get(name).copied()
    }

    /// Index of a function among those that may be called.
    pub(super) fn function_index(&self, name: &str) -> Option<usize> {
        self.functions.iter().position(|function| function.name == name)
    }
}

/// The kernel and the functions that it may call, and every name that they mention.
fn reachable<'module>(
    kernel: &'module Function,
    functions: &HashMap<&str, &'module Function>,
    variables: &BTreeMap<&str, &'module Variable>,
) -> (Vec<&'module Function>, HashSet<&'module str>) {
    let mut found = vec![kernel];
    let mut referenced: HashSet<&str> = HashSet::new();
    let mut next = 0;
    while let Some(function) = found.get(next).copied() {
        next += 1;
        let mut names = Vec::new();
        names_in(function.body.as_deref().unwrap_or_default(), &mut names);
        while let Some(name) = names.pop() {
            if !referenced.insert(name) {
                continue;
            }
            if let Some(variable) = variables.get(name) {
                names.extend(variable.initializer.iter().flatten().filter_map(|value| match value {
                    Constant::Address { name, .. } => Some(name.as_str()),
                    _ => None,
                }));
            }
            if let Some(function) = functions.get(name).filter(|function| !function.entry) {
                found.push(function);
            }
        }
    }
    (found, referenced)
}

fn names_in<'module>(statements: &'module [Statement], names: &mut Vec<&'module str>) {
    let mut open = vec![statements.iter()];
    while let Some(statements) = open.last_mut() {
        match statements.next() {
            None => {
                open.pop();
            }
            Some(Statement::Block(inner)) => open.push(inner.iter()),
            Some(Statement::CallTargets { targets, .. }) => names.extend(targets.iter().map(String::as_str)),
            Some(Statement::Instruction(instruction)) => {
                instruction.operands.iter().for_each(|operand| names_of_operand(operand, names));
            }
            Some(_) => {}
        }
    }
}

fn names_of_operand<'module>(operand: &'module Operand, names: &mut Vec<&'module str>) {
    match operand {
        Operand::Name(name)
        | Operand::Sum { name, .. }
        | Operand::Element { name, .. }
        | Operand::Address { base: Some(name), .. } => names.push(name),
        Operand::Vector(operands) | Operand::List(operands) => {
            operands.iter().for_each(|operand| names_of_operand(operand, names));
        }
        _ => {}
    }
}

/// Shared variables that are declared in a function.
pub(super) fn shared_variables(statements: &[Statement]) -> Vec<&Variable> {
    let mut found = variables_in(statements);
    found.retain(|variable| variable.space == Space::Shared);
    found
}

/// Variables that are declared in a function.
pub(super) fn variables_in(statements: &[Statement]) -> Vec<&Variable> {
    let mut found = Vec::new();
    let mut open = vec![statements.iter()];
    while let Some(statements) = open.last_mut() {
        match statements.next() {
            None => {
                open.pop();
            }
            Some(Statement::Block(inner)) => open.push(inner.iter()),
            Some(Statement::Variable(variable)) => found.push(variable),
            Some(_) => {}
        }
    }
    found
}
