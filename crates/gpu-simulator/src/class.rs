//! Classes of instructions, the units that execute them, and what an instruction costs.

/// A class of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Adds, logic, shifts, comparisons and selections of integers and predicates.
    Integer,
    /// Multiplications, multiply-adds and divisions of integers.
    Multiply,
    /// f32 (and f16) arithmetic and comparisons.
    Float,
    /// f64 arithmetic, comparisons and conversions.
    Double,
    /// Approximate functions, and conversions from and to f32 and f16.
    Special,
    /// Moves, address conversions, loads of parameters: the machine's compiler mostly does away with them.
    Move,
    /// Branches, calls, returns, exits.
    Control,
    /// Barriers of blocks and warps.
    Barrier,
    /// Shuffles, votes and matches.
    Exchange,
    /// Loads and stores of shared memory.
    Shared,
    /// Loads and stores of global memory.
    Global,
    /// Loads and stores of local memory.
    Local,
    /// Loads of constant memory.
    Constant,
    /// Atomics on global and shared memory.
    Atomic,
    /// Fences, sleeps, clocks and the like.
    Other,
}

impl Class {
    /// Every class, in the order of the counters.
    pub const ALL: [Self; 15] = [
        Self::Integer,
        Self::Multiply,
        Self::Float,
        Self::Double,
        Self::Special,
        Self::Move,
        Self::Control,
        Self::Barrier,
        Self::Exchange,
        Self::Shared,
        Self::Global,
        Self::Local,
        Self::Constant,
        Self::Atomic,
        Self::Other,
    ];
}

/// What of a multiprocessor executes an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Adders and logic of integers.
    Integer,
    /// Multipliers of integers.
    Multiply,
    /// The same for a product of which the upper half is wanted: twice as long.
    WideMultiply,
    /// Adders or multipliers of integers, whichever are free: what is a multiply-add, too.
    AddOrMultiply,
    /// f32 units.
    Float,
    /// f64 units.
    Double,
    /// Special function units.
    Special,
    /// What exchanges values between lanes.
    Exchange,
    /// What branches.
    Control,
    /// None: it takes as long as an integer instruction, and keeps no other from issuing.
    Move,
    /// The load-store unit.
    LoadStore,
    /// None: it takes an issue slot only.
    Issue,
}

/// What an instruction costs on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Its class.
    pub class: Class,
    /// About how many machine instructions of that class a GPU's compiler makes of it: 1, more where it is expanded
    /// (divisions, square roots, 64-bit integers), 0 where it usually disappears.
    pub weight: u8,
    /// What executes it.
    pub unit: Unit,
}

impl Cost {
    /// One machine instruction of a class, on that class's own unit.
    pub const fn of(class: Class) -> Self {
        let unit = match class {
            Class::Integer => Unit::Integer,
            Class::Multiply => Unit::Multiply,
            Class::Float => Unit::Float,
            Class::Double => Unit::Double,
            Class::Special => Unit::Special,
            Class::Exchange => Unit::Exchange,
            Class::Control => Unit::Control,
            Class::Move => Unit::Move,
            Class::Shared | Class::Global | Class::Local | Class::Atomic => Unit::LoadStore,
            Class::Barrier | Class::Constant | Class::Other => Unit::Issue,
        };
        Self { class, weight: 1, unit }
    }

    /// So many of them.
    #[must_use]
    pub const fn times(self, weight: u8) -> Self {
        Self { weight, ..self }
    }

    /// The same where the multiplier has 24 bits, as on compute capability 1: four machine instructions for each product of 32 bits
    /// (Wilt 2013, The CUDA Handbook, section 8.2.1).
    #[must_use]
    pub const fn of_24_bit_products(self) -> Self {
        match self.unit {
            Unit::Multiply => self.times(self.weight.saturating_mul(4)),
            _ => self,
        }
    }

    /// On another unit.
    #[must_use]
    pub const fn on(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }
}
