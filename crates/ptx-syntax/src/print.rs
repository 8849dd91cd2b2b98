//! Syntax trees as PTX text, which reads back as the same tree.

use std::fmt::{self, Display, Formatter};

use super::module::{
    Constant, Function, Guard, Instruction, Item, Linkage, Module, Opaque, Operand, Space, Statement, Type, Variable,
};

/// Writes parts with `, ` between them.
fn list<T: Display>(f: &mut Formatter<'_>, parts: &[T]) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{part}")?;
    }
    Ok(())
}

/// Writes `+4`, `-4` or nothing.
fn offset(f: &mut Formatter<'_>, bytes: i64) -> fmt::Result {
    if bytes == 0 { Ok(()) } else { write!(f, "{bytes:+}") }
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, ".version {}.{}", self.version.0, self.version.1)?;
        writeln!(f, ".target {}", self.target.join(", "))?;
        writeln!(f, ".address_size {}", self.address_bits)?;
        for item in &self.items {
            write!(f, "\n{item}")?;
        }
        Ok(())
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(variable) => writeln!(f, "{variable};"),
            Self::Function(function) => write!(f, "{function}"),
        }
    }
}

impl Display for Linkage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Visible => ".visible",
            Self::Extern => ".extern",
            Self::Weak => ".weak",
            Self::Common => ".common",
        })
    }
}

impl Display for Space {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Global => ".global",
            Self::Shared => ".shared",
            Self::Local => ".local",
            Self::Const => ".const",
            Self::Param => ".param",
            Self::Register => ".reg",
        })
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bits(bits) => write!(f, ".b{bits}"),
            Self::Unsigned(bits) => write!(f, ".u{bits}"),
            Self::Signed(bits) => write!(f, ".s{bits}"),
            Self::Float(bits) => write!(f, ".f{bits}"),
            Self::Predicate => f.write_str(".pred"),
            Self::Opaque(Opaque::Texture) => f.write_str(".texref"),
            Self::Opaque(Opaque::Sampler) => f.write_str(".samplerref"),
            Self::Opaque(Opaque::Surface) => f.write_str(".surfref"),
        }
    }
}

/// Writes a vector type, such as `.v4 .f32`.
fn vector_type(f: &mut Formatter<'_>, vector: u8, ty: Type) -> fmt::Result {
    if vector > 1 {
        write!(f, ".v{vector} ")?;
    }
    write!(f, "{ty}")
}

impl Display for Variable {
    /// Without the semicolon, which parameters do not have.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(linkage) = self.linkage {
            write!(f, "{linkage} ")?;
        }
        write!(f, "{} ", self.space)?;
        if let Some(bytes) = self.alignment {
            write!(f, ".align {bytes} ")?;
        }
        vector_type(f, self.vector, self.ty)?;
        write!(f, " {}", self.name)?;
        for extent in &self.dimensions {
            match extent {
                Some(extent) => write!(f, "[{extent}]")?,
                None => f.write_str("[]")?,
            }
        }
        match self.initializer.as_deref() {
            None => Ok(()),
            Some([scalar]) if self.dimensions.is_empty() && self.vector == 1 => write!(f, " = {scalar}"),
            Some(elements) => {
                f.write_str(" = {")?;
                list(f, elements)?;
                f.write_str("}")
            }
        }
    }
}

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => write!(f, "{}", number.cast_signed()),
            Self::Float32(bits) => write!(f, "0f{bits:08X}"),
            Self::Float64(bits) => write!(f, "0d{bits:016X}"),
            Self::Address { name, offset: bytes, generic } => {
                if *generic {
                    write!(f, "generic({name})")?;
                } else {
                    f.write_str(name)?;
                }
                offset(f, *bytes)
            }
        }
    }
}

/// Writes `(a, b)`, one to a line where `lines`.
fn parameters(f: &mut Formatter<'_>, variables: &[Variable], lines: bool) -> fmt::Result {
    f.write_str("(")?;
    if lines && !variables.is_empty() {
        for (index, variable) in variables.iter().enumerate() {
            write!(f, "{}\n\t{variable}", if index > 0 { "," } else { "" })?;
        }
        f.write_str("\n")?;
    } else {
        list(f, variables)?;
    }
    f.write_str(")")
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(linkage) = self.linkage {
            write!(f, "{linkage} ")?;
        }
        f.write_str(if self.entry { ".entry " } else { ".func " })?;
        if !self.results.is_empty() {
            parameters(f, &self.results, false)?;
            f.write_str(" ")?;
        }
        f.write_str(&self.name)?;
        parameters(f, &self.parameters, self.entry)?;
        for (word, numbers) in &self.directives {
            write!(f, "\n.{word}")?;
            if !numbers.is_empty() {
                f.write_str(" ")?;
                list(f, numbers)?;
            }
        }
        match &self.body {
            None => f.write_str(";\n"),
            Some(statements) => {
                f.write_str("\n")?;
                block(f, statements, 0)?;
                f.write_str("\n")
            }
        }
    }
}

/// Writes `{ ... }` behind tabs.
fn block(f: &mut Formatter<'_>, statements: &[Statement], tabs: usize) -> fmt::Result {
    f.write_str("{\n")?;
    for statement in statements {
        // Labels stand out.
        let tabs = if matches!(statement, Statement::Label(_)) { tabs } else { tabs + 1 };
        (0..tabs).try_for_each(|_| f.write_str("\t"))?;
        match statement {
            Statement::Block(inner) => block(f, inner, tabs)?,
            _ => write!(f, "{statement}")?,
        }
        f.write_str("\n")?;
    }
    (0..tabs).try_for_each(|_| f.write_str("\t"))?;
    f.write_str("}")
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registers { vector, ty, names } => {
                f.write_str(".reg ")?;
                vector_type(f, *vector, *ty)?;
                for (index, (name, count)) in names.iter().enumerate() {
                    write!(f, "{} {name}", if index > 0 { "," } else { "" })?;
                    if let Some(count) = count {
                        write!(f, "<{count}>")?;
                    }
                }
                f.write_str(";")
            }
            Self::Variable(variable) => write!(f, "{variable};"),
            Self::Label(label) => write!(f, "{label}:"),
            Self::Instruction(instruction) => write!(f, "{instruction}"),
            Self::Block(statements) => block(f, statements, 0),
            Self::Pragma(text) => write!(f, ".pragma \"{text}\";"),
            Self::Location([file, line, column]) => write!(f, ".loc {file} {line} {column}"),
            Self::BranchTargets { label, targets } => write!(f, "{label}: .branchtargets {};", targets.join(", ")),
            Self::CallTargets { label, targets } => write!(f, "{label}: .calltargets {};", targets.join(", ")),
            Self::CallPrototype { label, results, parameters: given, noreturn } => {
                write!(f, "{label}: .callprototype ")?;
                parameters(f, results, false)?;
                f.write_str(" _ ")?;
                parameters(f, given, false)?;
                f.write_str(if *noreturn { " .noreturn;" } else { ";" })
            }
        }
    }
}

impl Display for Guard {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "@{}{}", if self.negated { "!" } else { "" }, self.register)
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.guard {
            write!(f, "{guard} ")?;
        }
        f.write_str(&self.opcode)?;
        for modifier in &self.modifiers {
            write!(f, ".{modifier}")?;
        }
        if !self.operands.is_empty() {
            f.write_str(" ")?;
            list(f, &self.operands)?;
        }
        f.write_str(";")
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Not(name) => write!(f, "!{name}"),
            Self::Integer(number) => write!(f, "{}", number.cast_signed()),
            Self::Float32(bits) => write!(f, "0f{bits:08X}"),
            Self::Float64(bits) => write!(f, "0d{bits:016X}"),
            Self::Address { base: Some(base), offset: bytes } => {
                write!(f, "[{base}")?;
                offset(f, *bytes)?;
                f.write_str("]")
            }
            Self::Address { base: None, offset: bytes } => write!(f, "[{bytes}]"),
            Self::Sum { name, offset } => write!(f, "{name}{offset:+}"),
            Self::Element { name, index } => write!(f, "{name}[{index}]"),
            Self::Texel(parts) => {
                f.write_str("[")?;
                list(f, parts)?;
                f.write_str("]")
            }
            Self::Vector(elements) => {
                f.write_str("{")?;
                list(f, elements)?;
                f.write_str("}")
            }
            Self::Pair(first, second) => write!(f, "{first}|{second}"),
            Self::List(elements) => {
                f.write_str("(")?;
                list(f, elements)?;
                f.write_str(")")
            }
            Self::Discard => f.write_str("_"),
        }
    }
}
