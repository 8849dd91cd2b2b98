//! Instructions that become a part of others: addresses, sums, shifts, logic, predicates.
//!
//! Each rule is what ptxas does to the tiny kernels of the tests.

use super::body::{Body, Root};
use super::shape::{Shape, Source};
use super::{Target, Waits, comparisons, expansion, members};
use crate::program::operand::Kind;
use crate::program::{Operation, Register, Space};

/// Machine instructions of each PTX instruction.
pub(super) struct Weights {
    start: u32,
    own: Vec<f32>,
    /// What must be done besides, before each instruction.
    besides: Vec<f32>,
    /// What each instruction waits for besides.
    waits: Vec<Waits>,
    /// Readers that each instruction's result became a part of.
    taken_in: Vec<usize>,
    /// Those that another has become a part of.
    takes: Vec<bool>,
    /// Those that have become multiply-adds.
    multiplies: Vec<bool>,
}

impl Weights {
    /// Out of context: what the rows say.
    pub(super) fn of_rows(body: &Body<'_>, target: Target) -> Self {
        let all = body.all();
        let own: Vec<f32> =
            all.clone().map(|pc| if body.is_alive(pc) { alone(body, pc, target) } else { 0.0 }).collect();
        Self {
            start: all.start,
            own,
            besides: vec![0.0; all.len()],
            waits: vec![Waits::default(); all.len()],
            taken_in: vec![0; all.len()],
            takes: vec![false; all.len()],
            multiplies: vec![false; all.len()],
        }
    }

    pub(super) fn of(&self, pc: u32) -> f32 {
        self.own[(pc - self.start) as usize]
    }

    pub(super) fn set(&mut self, pc: u32, weight: f32) {
        self.own[(pc - self.start) as usize] = weight;
    }

    /// What must be done besides, before the instruction.
    pub(super) fn besides(&self, pc: u32) -> f32 {
        self.besides[(pc - self.start) as usize]
    }

    /// Lets something be done before the instruction.
    pub(super) fn add(&mut self, pc: u32, weight: f32) {
        self.besides[(pc - self.start) as usize] += weight;
    }

    /// What the instruction waits for besides.
    pub(super) fn waits(&self, pc: u32) -> Waits {
        self.waits[(pc - self.start) as usize]
    }

    pub(super) fn waits_mut(&mut self, pc: u32) -> &mut Waits {
        &mut self.waits[(pc - self.start) as usize]
    }

    pub(super) fn is_multiply(&self, pc: u32) -> bool {
        self.multiplies[(pc - self.start) as usize]
    }

    /// Makes `part` a part of the instruction `pc`.
    fn take_in(&mut self, pc: u32, part: u32) {
        self.taken_in[(part - self.start) as usize] += 1;
        self.takes[(pc - self.start) as usize] = true;
    }

    /// Whether the instruction has become more than what it is by itself.
    fn takes(&self, pc: u32) -> bool {
        self.takes[(pc - self.start) as usize]
    }

    /// Instructions that all readers have taken in are nothing on their own.
    fn drop_taken_in(&mut self, body: &Body<'_>) {
        for pc in body.all() {
            let taken_in = self.taken_in[(pc - self.start) as usize];
            let readers: usize = body.graph.writes(pc).iter().map(|own| body.graph.readers(*own).len()).sum();
            if taken_in > 0 && taken_in >= readers {
                self.set(pc, 0.0);
            }
        }
    }
}

/// What an instruction costs that is not a part of another.
fn alone(body: &Body<'_>, pc: u32, target: Target) -> f32 {
    match body.shape(pc) {
        Shape::Parameter if is_changed(body, pc) => {
            if target.loads_parameters() {
                2.0
            } else {
                1.0
            }
        }
        Shape::Parameter | Shape::Bank | Shape::PredicateCopy | Shape::Sign => 0.0,
        Shape::Copy => copy(body, pc, target),
        Shape::Select { long: true } => 2.0,
        Shape::ShiftRight { long: true } => upper_half(body, pc).unwrap_or(2.0),
        Shape::Multiply { long: true } => {
            let widened = body.sources(pc).iter().filter(|source| body.is_widened(**source)).count();
            [4.0, 2.0, 3.0][widened.min(2)]
        }
        _ => {
            let instruction = body.instruction(pc);
            let wide = match &instruction.operation {
                // A shift and a sum of halves.
                Operation::Compute { .. }
                    if instruction.row.form.starts_with("mad.wide") && has_power_of_two(body, pc) =>
                {
                    Some(2.0)
                }
                Operation::Compute { function, .. } => expansion::of_form(instruction.row.form, function),
                _ => members::machine_instructions(body, pc),
            };
            wide.unwrap_or_else(|| f32::from(instruction.row.cost_on(target.capability()).weight))
        }
    }
}

/// What a shift of 64 bits costs that leaves a part of the upper half, where only 32 bits are asked for: that half is a register of its own.
fn upper_half(body: &Body<'_>, pc: u32) -> Option<f32> {
    let by = match body.sources(pc).get(1) {
        Some(Source::Constant(by)) if (32..64).contains(by) => *by,
        _ => return None,
    };
    let is_word = |reader: &u32| {
        let writes = body.graph.writes(*reader);
        body.shape(*reader) == Shape::Copy && writes.iter().all(|register| register.kind == Kind::Word)
    };
    let is_narrowed = body.graph.writes(pc).iter().all(|own| body.graph.readers(*own).iter().all(is_word));
    is_narrowed.then_some(if by == 32 { 0.0 } else { 1.0 })
}

/// Whether what the instruction writes is written elsewhere, too.
fn is_changed(body: &Body<'_>, pc: u32) -> bool {
    body.graph.writes(pc).iter().any(|register| body.graph.writer(*register).is_none())
}

/// A move goes away where the two registers can be one.
fn copy(body: &Body<'_>, pc: u32, target: Target) -> f32 {
    let [destination] = body.graph.writes(pc) else { return 0.0 };
    if body.writer(*destination).is_some() {
        return 0.0;
    }
    let halves = if destination.kind == Kind::Long { 2.0 } else { 1.0 };
    let Some(source) = body.sources(pc).first() else { return halves };
    match body.root(*source) {
        // One instruction clears two registers.
        Root::Constant(0) => 1.0,
        // Loaded for itself.
        Root::Parameter { .. } if target.loads_parameters() => 1.0 + halves,
        Root::Register(_) if source.register().is_some_and(|source| can_be_one(body, pc, *destination, source)) => 0.0,
        _ => halves,
    }
}

/// Whether the source of a move is not read behind it, and its destination not between where the source is written and there.
fn can_be_one(body: &Body<'_>, pc: u32, destination: Register, source: Register) -> bool {
    let is_read_later = body.graph.readers(source).iter().any(|reader| *reader > pc);
    let Some((written, _)) = body.writer(source) else { return !is_read_later };
    let is_between = |reader: &u32| (written + 1..pc).contains(reader);
    !is_read_later && !body.graph.readers(destination).iter().any(is_between)
}

/// Lets instructions take in others.
pub(super) fn fold(body: &Body<'_>, weights: &mut Weights, target: Target) {
    for pc in body.all().filter(|pc| body.is_alive(*pc)) {
        match body.shape(pc) {
            Shape::Add { long: true } => add_long(body, weights, pc),
            Shape::Add { long: false } | Shape::Subtract { long: false } => add(body, weights, pc),
            Shape::Logic { long: false } => logic(body, weights, pc),
            Shape::Extremum if target.has_clusters() => extremum(body, weights, pc),
            Shape::Compare => comparisons::compare(body, weights, pc),
            Shape::PredicateLogic => comparisons::combine(body, weights, pc),
            Shape::Select { long: false } => comparisons::select(body, weights, pc),
            Shape::Memory => address(body, weights, pc),
            _ => {}
        }
    }
    weights.drop_taken_in(body);
    part_pairs(body, weights);
}

/// A product is in a pair of registers, which a number that changes otherwise is not: it is moved.
fn part_pairs(body: &Body<'_>, weights: &mut Weights) {
    let products: Vec<u32> = body.all().filter(|pc| weights.is_multiply(*pc)).collect();
    for pc in products {
        let [register] = body.graph.writes(pc) else { continue };
        let Some(value) = body.graph.value(*register).filter(|_| register.kind == Kind::Long) else { continue };
        let is_sum = |pc: &u32| body.shape(*pc) == Shape::Add { long: true } && !weights.is_multiply(*pc);
        if value.writes.iter().any(is_sum) {
            weights.add(pc, 2.0);
        }
    }
}

/// A product that is added is one multiply-add, a shift that is added a shift-and-add of two instructions.
fn add_long(body: &Body<'_>, weights: &mut Weights, pc: u32) {
    for source in body.sources(pc) {
        match body.maker(*source) {
            Some((product, Shape::MultiplyWide)) => {
                weights.take_in(pc, product);
                weights.set(pc, 1.0);
                weights.multiplies[(pc - weights.start) as usize] = true;
                return;
            }
            Some((shift, Shape::Shift { long: true })) if is_read_once(body, *source) => {
                weights.take_in(pc, shift);
                return;
            }
            _ => {}
        }
    }
}

/// Products and shifts become a part of the sum or difference that they are in, and so does another sum.
fn add(body: &Body<'_>, weights: &mut Weights, pc: u32) {
    let adds = body.shape(pc) == Shape::Add { long: false };
    for (place, source) in body.sources(pc).iter().enumerate() {
        match body.maker(*source) {
            Some((shift, Shape::Shift { long: false })) if has_constant(body, shift) => {
                weights.take_in(pc, shift);
                return;
            }
            // What `shr` leaves can be added to, or subtracted from; it cannot be subtracted itself.
            Some((shift, Shape::ShiftRight { long: false }))
                if (adds || place == 0) && has_constant(body, shift) && is_read_once(body, *source) =>
            {
                weights.take_in(pc, shift);
                return;
            }
            Some((product, Shape::Multiply { long: false }))
                if (adds || has_constant(body, product)) && is_read_once(body, *source) =>
            {
                weights.take_in(pc, product);
                weights.multiplies[(pc - weights.start) as usize] = true;
                return;
            }
            _ => {}
        }
    }
    for source in body.sources(pc) {
        if let Some((sum, Shape::Add { long: false } | Shape::Subtract { long: false })) = body.maker(*source)
            && sum < pc
            && is_read_once(body, *source)
            && body.are_together(pc, sum)
            && !weights.takes(sum)
            && !(has_constant(body, sum) && has_constant(body, pc))
        {
            weights.take_in(pc, sum);
            return;
        }
    }
}

/// Logic of three registers is one instruction.
fn logic(body: &Body<'_>, weights: &mut Weights, pc: u32) {
    for source in body.sources(pc) {
        if let Some((inner, Shape::Logic { long: false })) = body.maker(*source)
            && inner < pc
            && is_read_once(body, *source)
            && body.are_together(pc, inner)
            && weights.taken_in[(inner - weights.start) as usize] == 0
            && !weights.takes(inner)
        {
            weights.take_in(pc, inner);
            return;
        }
    }
}

/// The smaller or larger of a sum and something else.
fn extremum(body: &Body<'_>, weights: &mut Weights, pc: u32) {
    for source in body.sources(pc) {
        if let Some((sum, Shape::Add { long: false } | Shape::Subtract { long: false })) = body.maker(*source)
            && is_read_once(body, *source)
            && body.are_together(pc, sum)
        {
            weights.take_in(pc, sum);
            return;
        }
    }
}

/// An access adds a constant to its address.
fn address(body: &Body<'_>, weights: &mut Weights, pc: u32) {
    let Some(base) = body.base(pc) else { return };
    let Some((sum, Shape::Add { .. })) = body.writer(base).filter(|_| body.is_only_address(base)) else { return };
    if body.space(pc) == Some(Space::Constant) && weights.is_multiply(sum) {
        // Constant memory has addresses of 32 bits, and the load adds where the variable begins: of the product a shift is left.
        weights.multiplies[(sum - weights.start) as usize] = false;
    } else if has_constant(body, sum) {
        weights.take_in(pc, sum);
    }
}

pub(super) fn is_read_once(body: &Body<'_>, source: Source) -> bool {
    source.register().is_some_and(|register| body.graph.readers(register).len() == 1)
}

fn has_power_of_two(body: &Body<'_>, pc: u32) -> bool {
    matches!(body.sources(pc).get(1), Some(Source::Constant(value)) if value.is_power_of_two())
}

/// Whether an operand is a number in the text.
fn has_constant(body: &Body<'_>, pc: u32) -> bool {
    body.sources(pc).iter().any(|source| matches!(source, Source::Constant(_)))
}
