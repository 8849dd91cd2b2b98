//! A PTX module as it is written: nothing is resolved, opcodes are words.

/// A whole PTX text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Module {
    /// `.version`, major and minor.
    pub version: (u32, u32),
    /// `.target`: the architecture first, such as `sm_75`, then options.
    pub target: Vec<String>,
    /// `.address_size`: 32 or 64.
    pub address_bits: u32,
    /// Variables and functions, in their order.
    pub items: Vec<Item>,
}

/// What a module holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Item {
    /// A variable of the module.
    Variable(Variable),
    /// A kernel or a device function, or the declaration of one.
    Function(Function),
}

/// Whether and how other modules see a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// `.visible`
    Visible,
    /// `.extern`
    Extern,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
}

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// `.global`
    Global,
    /// `.shared`
    Shared,
    /// `.local`
    Local,
    /// `.const`
    Const,
    /// `.param`
    Param,
    /// `.reg`, only for parameters and results of device functions.
    Register,
}

/// A fundamental type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// `.b8`, `.b16`, `.b32`, `.b64`: bits without a meaning.
    Bits(u8),
    /// `.u8` to `.u64`
    Unsigned(u8),
    /// `.s8` to `.s64`
    Signed(u8),
    /// `.f16`, `.f32`, `.f64`
    Float(u8),
    /// `.pred`
    Predicate,
    /// `.texref`, `.samplerref`, `.surfref`: handles whose contents no instruction sees.
    Opaque(Opaque),
}

/// What an opaque handle stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Opaque {
    /// `.texref`
    Texture,
    /// `.samplerref`
    Sampler,
    /// `.surfref`
    Surface,
}

impl Type {
    /// Its size in memory; a predicate has none.
    pub fn bytes(self) -> u32 {
        u32::from(self.bits()) / 8
    }

    /// Its width; a predicate has one bit.
    pub fn bits(self) -> u8 {
        match self {
            Self::Bits(bits) | Self::Unsigned(bits) | Self::Signed(bits) | Self::Float(bits) => bits,
            Self::Predicate => 1,
            Self::Opaque(_) => 64,
        }
    }
}

/// A variable in memory, or a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Variable {
    /// Its linkage, where one is written.
    pub linkage: Option<Linkage>,
    /// Its state space.
    pub space: Space,
    /// `.align`, in bytes.
    pub alignment: Option<u32>,
    /// Elements of a vector type: 1, 2 or 4.
    pub vector: u8,
    /// Type of an element.
    pub ty: Type,
    /// Its name. Parameters of a prototype may be `_`.
    pub name: String,
    /// Extents of an array, outermost first; `None` for `[]`.
    pub dimensions: Vec<Option<u64>>,
    /// What it holds at first; zeros where nothing is written, and nothing of what is written for an opaque type. Nested braces are kept flat, in memory order.
    pub initializer: Option<Vec<Constant>>,
    /// Line of its name, from 1.
    pub line: u32,
}

/// An element of an initializer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Constant {
    /// A whole number, in two's complement.
    Integer(u64),
    /// `0f...` or a decimal float for an f32: its bits.
    Float32(u32),
    /// `0d...` or a decimal float: its bits.
    Float64(u64),
    /// The address of a variable or function, plus bytes.
    Address {
        /// The variable or function.
        name: String,
        /// Bytes behind its beginning.
        offset: i64,
        /// Whether written `generic(name)`.
        generic: bool,
    },
}

/// A kernel or device function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Function {
    /// Its linkage, where one is written.
    pub linkage: Option<Linkage>,
    /// Whether it is a kernel (`.entry`).
    pub entry: bool,
    /// Its name.
    pub name: String,
    /// Results of a device function.
    pub results: Vec<Variable>,
    /// Parameters.
    pub parameters: Vec<Variable>,
    /// `.maxntid`, `.reqntid`, `.minnctapersm`, `.maxnctapersm`, `.maxnreg`, `.noreturn` ...: the word without its
    /// dot, and its numbers.
    pub directives: Vec<(String, Vec<u64>)>,
    /// Its statements; `None` for a declaration.
    pub body: Option<Vec<Statement>>,
    /// Line of its name, from 1.
    pub line: u32,
}

/// A statement of a function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Statement {
    /// `.reg`: a type and names; a count of `n` declares `name0` to `name(n-1)`.
    Registers {
        /// Elements of a vector type: 1, 2 or 4.
        vector: u8,
        /// Type of each.
        ty: Type,
        /// The names with their counts.
        names: Vec<(String, Option<u32>)>,
    },
    /// A variable of the function.
    Variable(Variable),
    /// A label.
    Label(String),
    /// An instruction.
    Instruction(Instruction),
    /// `{ ... }`: a scope for the names declared in it.
    Block(Vec<Statement>),
    /// `.pragma`
    Pragma(String),
    /// `.loc` with its three numbers; what follows them (`inlined_at` ...) is dropped.
    Location([u32; 3]),
    /// `label: .branchtargets a, b, ...;`
    BranchTargets {
        /// Its label.
        label: String,
        /// The labels that the list names.
        targets: Vec<String>,
    },
    /// `label: .calltargets f, g, ...;`
    CallTargets {
        /// Its label.
        label: String,
        /// The functions that the list names.
        targets: Vec<String>,
    },
    /// `label: .callprototype (results) _ (parameters);`
    CallPrototype {
        /// Its label.
        label: String,
        /// Results.
        results: Vec<Variable>,
        /// Parameters.
        parameters: Vec<Variable>,
        /// Whether `.noreturn` is written.
        noreturn: bool,
    },
}

/// `@guard opcode.modifier.modifier operands;`
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The predicate that it runs under.
    pub guard: Option<Guard>,
    /// Its first word, such as `mad`.
    pub opcode: String,
    /// The words after its dots, such as `lo`, `u32`. `::` stays inside a word.
    pub modifiers: Vec<String>,
    /// Its operands.
    pub operands: Vec<Operand>,
    /// Its line, from 1.
    pub line: u32,
}

/// `@%p` or `@!%p`
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Guard {
    /// The predicate register.
    pub register: String,
    /// Whether it must be false.
    pub negated: bool,
}

/// An operand.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register, special register (`%tid.x` with its component), label, variable, function or list.
    Name(String),
    /// `!%p`
    Not(String),
    /// A whole number, in two's complement.
    Integer(u64),
    /// `0f3F800000`: its bits.
    Float32(u32),
    /// `0d...`, or a decimal float: its bits.
    Float64(u64),
    /// `[base + offset]`
    Address {
        /// A register or variable; `None` for an absolute address.
        base: Option<String>,
        /// Bytes.
        offset: i64,
    },
    /// `name + offset` outside brackets: a variable's address.
    Sum {
        /// The variable.
        name: String,
        /// Bytes.
        offset: i64,
    },
    /// `name[2]` outside brackets of an address: an element of an array, by its place.
    Element {
        /// The variable.
        name: String,
        /// The element's place.
        index: u64,
    },
    /// `[texture, sampler, {x, y}]`: what an instruction on textures or surfaces names, with the coordinates last.
    Texel(Vec<Operand>),
    /// `{a, b, ...}`
    Vector(Vec<Operand>),
    /// `a|p`: two results.
    Pair(Box<Operand>, Box<Operand>),
    /// `(a, b, ...)` of a call.
    List(Vec<Operand>),
    /// `_`
    Discard,
}
