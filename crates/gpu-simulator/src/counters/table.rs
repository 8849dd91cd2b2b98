//! The table of counters: a row says what is counted, in which unit, and where it is taken from.

use super::{Counters, InstructionCounts};
use crate::class::Class;

/// What a launch is counted for.
#[derive(Debug, Clone, Copy)]
pub struct Counter {
    /// Its name, such as `bank_conflicts`.
    pub name: &'static str,
    /// Its unit, in the plural.
    pub unit: &'static str,
    /// What it counts.
    pub counts: &'static str,
    taken: Taken,
}

/// How a counter is taken from what the blocks did that were executed.
#[derive(Debug, Clone, Copy)]
enum Taken {
    /// Grows with the blocks, so it is scaled from those that were executed to all.
    Sum(fn(&Counted<'_>) -> u64),
    /// Does not: one sum over another.
    Ratio(fn(&Counted<'_>) -> u64, fn(&Counted<'_>) -> u64),
}

/// What rows are taken from.
struct Counted<'a> {
    counters: &'a Counters,
    instructions: &'a InstructionCounts,
}

impl Counted<'_> {
    fn class(&self, class: Class) -> u64 {
        self.instructions.by_class[class as usize]
    }
}

const fn sum(name: &'static str, unit: &'static str, counts: &'static str, taken: fn(&Counted<'_>) -> u64) -> Counter {
    Counter { name, unit, counts, taken: Taken::Sum(taken) }
}

/// Every counter, in the order in which they are shown.
pub static COUNTERS: &[Counter] = &[
    sum("ptx_instructions", "warp instructions", "instructions of the PTX that warps executed", |own| {
        own.instructions.ptx
    }),
    sum("warp_instructions", "warp instructions", "about how many machine instructions that is", |own| {
        own.instructions.warps
    }),
    sum("thread_instructions", "thread instructions", "the same, counted once for every active lane", |own| {
        own.instructions.threads
    }),
    Counter {
        name: "active_lanes",
        unit: "lanes",
        counts: "active lanes of a warp instruction, on average: 32 without divergence",
        taken: Taken::Ratio(|own| own.instructions.threads, |own| own.instructions.warps),
    },
    sum(
        "integer_instructions",
        "warp instructions",
        "adds, logic, shifts, comparisons and selections of integers and predicates",
        |own| own.class(Class::Integer),
    ),
    sum(
        "multiply_instructions",
        "warp instructions",
        "multiplications, multiply-adds and divisions of integers",
        |own| own.class(Class::Multiply),
    ),
    sum("float_instructions", "warp instructions", "arithmetic and comparisons of f32 and f16", |own| {
        own.class(Class::Float)
    }),
    sum("double_instructions", "warp instructions", "arithmetic, comparisons and conversions of f64", |own| {
        own.class(Class::Double)
    }),
    sum(
        "special_instructions",
        "warp instructions",
        "approximate functions, and conversions from and to f32 and f16",
        |own| own.class(Class::Special),
    ),
    sum("control_instructions", "warp instructions", "branches, calls, returns and exits", |own| {
        own.class(Class::Control)
    }),
    sum("barrier_instructions", "warp instructions", "barriers of blocks and of warps", |own| {
        own.class(Class::Barrier)
    }),
    sum("exchange_instructions", "warp instructions", "shuffles, votes and matches", |own| own.class(Class::Exchange)),
    sum("shared_instructions", "warp instructions", "loads and stores of shared memory", |own| {
        own.class(Class::Shared)
    }),
    sum("global_instructions", "warp instructions", "loads and stores of global memory", |own| {
        own.class(Class::Global)
    }),
    sum("local_instructions", "warp instructions", "loads and stores of local memory", |own| own.class(Class::Local)),
    sum("constant_instructions", "warp instructions", "loads of constant memory", |own| own.class(Class::Constant)),
    sum("atomic_instructions", "warp instructions", "atomics on global and shared memory", |own| {
        own.class(Class::Atomic)
    }),
    sum("other_instructions", "warp instructions", "moves, fences, sleeps, clocks and the like", |own| {
        own.class(Class::Other) + own.class(Class::Move)
    }),
    sum("branch_instructions", "branches", "branches that warps executed", |own| own.instructions.branches),
    sum("divergent_branches", "branches", "branches after which lanes of a warp were on different paths", |own| {
        own.instructions.divergent_branches
    }),
    sum(
        "global_load_requests",
        "requests",
        "loads of global memory, split as the GPU splits them; no bulk copies",
        |own| own.counters.global[0].requests,
    ),
    sum("global_load_transactions", "transactions", "transactions that these loads become", |own| {
        own.counters.global[0].parts
    }),
    sum(
        "global_store_requests",
        "requests",
        "stores to global memory, split as the GPU splits them; no bulk copies",
        |own| own.counters.global[1].requests,
    ),
    sum("global_store_transactions", "transactions", "transactions that these stores become", |own| {
        own.counters.global[1].parts
    }),
    sum("global_atomic_requests", "requests", "atomics on global memory, split as the GPU splits them", |own| {
        own.counters.global[2].requests
    }),
    sum("global_atomic_transactions", "transactions", "transactions that these atomics become", |own| {
        own.counters.global[2].parts
    }),
    sum(
        "global_bytes_moved",
        "bytes",
        "bytes that transactions with global memory move, those of bulk copies too",
        |own| own.counters.global_bytes_moved,
    ),
    sum("global_bytes_asked", "bytes", "bytes that lanes and bulk copies ask of global memory", |own| {
        own.counters.global_bytes_asked
    }),
    sum(
        "shared_load_requests",
        "requests",
        "loads of the block's own shared memory, split as the GPU splits them; no bulk copies and no `mbarrier`",
        |own| own.counters.shared[0].requests,
    ),
    sum("shared_load_passes", "passes", "passes over the banks that these loads take", |own| {
        own.counters.shared[0].parts
    }),
    sum(
        "shared_store_requests",
        "requests",
        "stores to the block's own shared memory, split as the GPU splits them; no bulk copies and no `mbarrier`",
        |own| own.counters.shared[1].requests,
    ),
    sum("shared_store_passes", "passes", "passes over the banks that these stores take", |own| {
        own.counters.shared[1].parts
    }),
    sum("shared_atomic_requests", "requests", "atomics on shared memory, split as the GPU splits them", |own| {
        own.counters.shared[2].requests
    }),
    sum("shared_atomic_passes", "passes", "passes over the banks that these atomics take", |own| {
        own.counters.shared[2].parts
    }),
    sum("bank_conflicts", "passes", "passes of shared memory beyond the fewest", |own| own.counters.bank_conflicts),
    sum("local_requests", "requests", "loads and stores of local memory, four bytes of each lane at a time", |own| {
        own.counters.local.requests
    }),
    sum("local_transactions", "transactions", "transactions that these become", |own| own.counters.local.parts),
    sum("block_barriers", "barriers", "barriers that a block passed", |own| own.counters.block_barriers),
    sum(
        "atomic_serialisations",
        "atomics",
        "atomics of lanes that waited for another lane of the same instruction at the same address",
        |own| own.counters.atomic_serialisations,
    ),
];

impl Counter {
    fn value(&self, counted: &Counted<'_>, (blocks, executed): (u64, u64)) -> Value {
        let whole = |count: u64| {
            if executed == blocks || executed == 0 {
                count
            } else {
                (u128::from(count) * u128::from(blocks) / u128::from(executed)) as u64
            }
        };
        match self.taken {
            Taken::Sum(of) => Value { sum: whole(of(counted)), over: None },
            Taken::Ratio(of, over) => Value { sum: whole(of(counted)), over: Some(whole(over(counted))) },
        }
    }

    fn zero(&self) -> Value {
        let over = match self.taken {
            Taken::Sum(_) => None,
            Taken::Ratio(..) => Some(0),
        };
        Value { sum: 0, over }
    }
}

/// A counter's value: a sum, or one over another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Value {
    sum: u64,
    over: Option<u64>,
}

impl Value {
    fn number(self) -> f64 {
        self.sum as f64 / self.over.map_or(1, |over| over.max(1)) as f64
    }

    fn text(self) -> String {
        if self.over.is_some() { format!("{:.3}", self.number()) } else { self.sum.to_string() }
    }
}

/// The counters of a launch, or of several together. Where a launch executed a part of its blocks only, the others are taken to
/// have done the same.
#[derive(Debug, Clone)]
pub struct Counts {
    rows: &'static [Counter],
    /// The value of each row.
    values: Vec<Value>,
}

impl Default for Counts {
    fn default() -> Self {
        Self::none(COUNTERS)
    }
}

impl Counts {
    fn none(rows: &'static [Counter]) -> Self {
        Self { rows, values: rows.iter().map(Counter::zero).collect() }
    }

    /// What a launch of so many blocks was counted for, of which so many were executed.
    pub(crate) fn of(counters: &Counters, instructions: &InstructionCounts, blocks: (u64, u64)) -> Self {
        Self::by(COUNTERS, counters, instructions, blocks)
    }

    fn by(rows: &'static [Counter], counters: &Counters, instructions: &InstructionCounts, blocks: (u64, u64)) -> Self {
        let counted = Counted { counters, instructions };
        Self { rows, values: rows.iter().map(|row| row.value(&counted, blocks)).collect() }
    }

    /// Adds the counts of another launch.
    pub fn add(&mut self, other: &Self) {
        for (own, other) in self.values.iter_mut().zip(&other.values) {
            own.sum += other.sum;
            own.over = own.over.map(|over| over + other.over.unwrap_or(0));
        }
    }

    /// The value of the counter with this name, in the counter's unit; `None` where there is no such counter.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.iter().find(|(row, _)| row.name == name).map(|(_, value)| value)
    }

    /// Every counter with its value, in the order of [`COUNTERS`].
    pub fn iter(&self) -> impl Iterator<Item = (&'static Counter, f64)> + '_ {
        self.rows.iter().zip(self.values.iter().map(|value| value.number()))
    }

    /// Every counter with its value as text: whole numbers, and means with three decimals.
    pub fn texts(&self) -> impl Iterator<Item = (&'static Counter, String)> + '_ {
        self.rows.iter().zip(self.values.iter().map(|value| value.text()))
    }
}

#[cfg(test)]
mod tests;
