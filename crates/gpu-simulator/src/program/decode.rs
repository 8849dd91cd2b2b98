//! From a PTX module to a program: functions one by one, then their control flow and registers.

use std::collections::HashMap;

use super::assembly::{self, Lowering};
use super::atomic::mark_answered;
use super::bounds::{cluster, registers_max, threads_max};
use super::control::{ControlFlow, mark_ends, mark_spins, resolve_reconvergence};
use super::expand::expanded;
use super::inverted::inverted;
use super::join::joined;
use super::layout::{Layout, Place, Stacker, bytes_of, place_all};
use super::lower::{Lowered, lower};
use super::operand::{LongSource, WordSource};
use super::predicated::predicated;
use super::registers::allocate;
use super::rewrite::rewritten;
use super::schedule::schedule;
use super::scope::{CARRY, Entity, Scope};
use super::variables::ModuleVariables;
use super::{Function, Guard, Instruction, Merged, NO_PC, Operation, Program, Register, Slice};
use crate::hardware::caching::Keeping;
use crate::hardware::lanes::{LANES, Longs, Words};
#[cfg(test)]
use crate::windows::MODULE_BASE;
use ptx_syntax::module::{self as syntax, Item, Module, Statement, Type, Variable};
use ptx_syntax::{PtxError, PtxErrors};

/// Local memory of one frame at most. Source: CUDA C Programming Guide, compute capabilities, local memory per thread.
const FRAME_BYTES_MAX: u64 = 512 << 10;
/// Parameters of a kernel at most. Source: PTX ISA, kernel function parameters.
const PARAMETER_BYTES_MAX: u64 = 32_764;

/// Decodes the kernel `name` with all functions that it may call, for a memory that holds no variables of other modules.
///
/// # Errors
/// Every instruction that is not supported or not right, with its line.
#[cfg(test)]
pub(crate) fn decode(module: &Module, name: &str) -> Result<Program, PtxErrors> {
    decode_at(module, name, MODULE_BASE)
}

/// The same for a memory in which the module's variables begin at `base`.
///
/// # Errors
/// As [`decode`].
pub(crate) fn decode_at(module: &Module, name: &str, base: u64) -> Result<Program, PtxErrors> {
    decode_in(module, name, base, Form::Written)
}

/// The kernel that [`decode_at`] gave, with the accesses to memory that a compiler leaves of it, for counting. `None` where it
/// changes none.
pub(crate) fn compiled_at(module: &Module, name: &str, base: u64) -> Option<Program> {
    let (program, is_changed) = decode_form(module, name, base, Form::Compiled).ok()?;
    is_changed.then_some(program)
}

/// The same, and as a compiler arranges it: short branches are predicates, and loads come as early as they can.
/// `None` where that is the same, and of a kernel that calls functions.
pub(crate) fn arranged_at(module: &Module, name: &str, base: u64) -> Option<Program> {
    decode_in(module, name, base, Form::Arranged).ok().filter(|program| program.functions.len() == 1)
}

/// How instructions are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// By the branches of the PTX.
    Written,
    /// The same, with the accesses to memory that a compiler leaves.
    Compiled,
    /// The same in a compiler's order, and with its predicates.
    Arranged,
}

fn decode_in(module: &Module, name: &str, base: u64, form: Form) -> Result<Program, PtxErrors> {
    decode_form(module, name, base, form).map(|(program, _)| program)
}

/// The kernel, and whether accesses to memory are others than are written.
fn decode_form(module: &Module, name: &str, base: u64, form: Form) -> Result<(Program, bool), PtxErrors> {
    let module = &*expanded(module);
    let kernel = module.items.iter().find_map(|item| match item {
        Item::Function(function) if function.entry && function.name == name && function.body.is_some() => {
            Some(function)
        }
        _ => None,
    });
    let Some(kernel) = kernel else {
        return Err(PtxError::new(0, "", format!("there is no kernel {name}")).into());
    };
    let (parameters, parameter_bytes) = place_all(&kernel.parameters, PARAMETER_BYTES_MAX)?;
    let layout = Layout::new(module, kernel, base)?;
    let mut decoder = Decoder::new(&layout, form);
    for function in &layout.functions {
        decoder.function(function);
    }
    PtxErrors::check(std::mem::take(&mut decoder.errors))?;
    let Decoder { mut code, functions, constants, is_changed, .. } = decoder;
    code.iter_mut().for_each(note_registers);
    let program = Program {
        name: name.to_owned(),
        code,
        functions,
        words: constants.words,
        longs: constants.longs,
        variables: ModuleVariables::of(module, base, &layout),
        constants: layout.constants.clone(),
        constant_variables: layout.constant_variables(module),
        shared_bytes: layout.shared_bytes,
        shared_variables: layout.shared_variables(module),
        parameters,
        parameter_bytes,
        threads_max: threads_max(kernel),
        cluster: cluster(kernel),
        asks_for_cluster: kernel.directives.iter().any(|(name, _)| name == "explicitcluster"),
        registers_max: registers_max(kernel),
    };
    Ok((program, is_changed))
}

fn note_registers(instruction: &mut Instruction) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    reads.extend(instruction.guard.map(Guard::register));
    instruction.operation.visit_registers(&mut |slot, kind, r#use| {
        let register = Register { kind, slot: *slot };
        if r#use == super::Use::Read { &mut reads } else { &mut writes }.push(register);
    });
    instruction.reads = reads.into();
    instruction.writes = writes.into();
}

/// Constants that are operands, each once.
#[derive(Default)]
pub(super) struct Constants {
    words: Vec<Words>,
    longs: Vec<Longs>,
    word_places: HashMap<u32, u32>,
    long_places: HashMap<u64, u32>,
}

impl Constants {
    /// The constant at this place among those of 32 bits.
    pub(super) fn word_at(&self, place: u32) -> u32 {
        self.words.get(place as usize).map_or(0, |words| words[0])
    }

    /// The constant at this place among those of 64 bits.
    pub(super) fn long_at(&self, place: u32) -> u64 {
        self.longs.get(place as usize).map_or(0, |longs| longs[0])
    }

    pub(super) fn word(&mut self, value: u32) -> WordSource {
        let words = &mut self.words;
        WordSource::Constant(*self.word_places.entry(value).or_insert_with(|| {
            words.push([value; LANES]);
            words.len() as u32 - 1
        }))
    }

    pub(super) fn long(&mut self, value: u64) -> LongSource {
        let longs = &mut self.longs;
        LongSource::Constant(*self.long_places.entry(value).or_insert_with(|| {
            longs.push([value; LANES]);
            longs.len() as u32 - 1
        }))
    }
}

/// What decoding an instruction needs to know.
pub(super) struct Context<'a, 'module> {
    pub(super) layout: &'a Layout<'module>,
    pub(super) scope: &'a Scope,
    pub(super) constants: &'a mut Constants,
    /// The cache policies that registers hold.
    pub(super) policies: &'a mut HashMap<u32, Keeping>,
    /// Whether the function is the kernel, whose `.param` space is not its frame.
    pub(super) kernel: bool,
}

struct Decoder<'a, 'module> {
    layout: &'a Layout<'module>,
    form: Form,
    code: Vec<Instruction>,
    functions: Vec<Function>,
    constants: Constants,
    errors: Vec<PtxError>,
    /// Position of each label of the function at hand.
    labels: Vec<u32>,
    scope: Scope,
    frame: Stacker,
    /// The cache policies that registers of the function at hand hold.
    policies: HashMap<u32, Keeping>,
    /// Whether accesses to memory are others than are written.
    is_changed: bool,
}

impl<'a, 'module> Decoder<'a, 'module> {
    fn new(layout: &'a Layout<'module>, form: Form) -> Self {
        // Sources that an instruction does not have are the first constant.
        let mut constants = Constants::default();
        constants.word(0);
        constants.long(0);
        Self {
            layout,
            form,
            code: Vec::new(),
            functions: Vec::new(),
            constants,
            errors: Vec::new(),
            labels: Vec::new(),
            scope: Scope::default(),
            frame: Stacker::new(FRAME_BYTES_MAX),
            policies: HashMap::new(),
            is_changed: false,
        }
    }

    fn error(&mut self, line: u32, text: &str, message: &str) {
        self.errors.push(PtxError::new(line, text, message));
    }

    fn function(&mut self, function: &'module syntax::Function) {
        let entry = self.code.len() as u32;
        let statements = function.body.as_deref().unwrap_or_default();
        self.scope = Scope::default();
        self.labels.clear();
        self.policies.clear();
        self.frame = Stacker::new(FRAME_BYTES_MAX);
        if let Err(problem) = self.scope.open(&[]) {
            self.error(function.line, &function.name, &problem);
        }
        if let Err(problem) = self.scope.declare_registers(Type::Predicate, CARRY, None) {
            self.error(function.line, &function.name, &problem);
        }
        let (parameters, results) = self.parameters(function);
        self.block(function, statements);
        self.instruction(function, &end_of(function));
        self.resolve_labels(entry);
        if !self.errors.is_empty() {
            return;
        }
        if self.form == Form::Arranged
            && let Some(code) = inverted(&self.code, entry as usize)
        {
            self.code = code;
        }
        if self.form != Form::Written
            && let Some(code) = joined(&self.code, entry, &self.constants)
        {
            self.code = code;
            self.is_changed = true;
        }
        let end = self.code.len() as u32;
        if function.entry {
            for instruction in &mut self.code[entry as usize..] {
                if matches!(instruction.operation, Operation::Return) {
                    instruction.operation = Operation::Exit;
                }
            }
        }
        let mut flow = self.flow(entry, false);
        assembly::lower(&mut self.code, entry..end, &flow, &self.constants, function.entry);
        self.keep_merged_atomics(entry);
        if self.form == Form::Arranged && entry == 0 {
            if let Some(code) = predicated(&self.code) {
                self.code = code;
            }
            flow = self.flow(entry, true);
        }
        let end = self.code.len() as u32;
        mark_answered(&mut self.code[entry as usize..]);
        let slots = allocate(&mut self.code, entry..end, &flow);
        self.functions.push(Function {
            address: self.layout.function_address(&function.name).unwrap_or_default(),
            entry,
            words: slots.words,
            longs: slots.longs,
            predicates: slots.predicates,
            local_bytes: self.frame.end as u32,
            parameters,
            results,
            registers_per_thread: slots.registers_per_thread,
        });
    }

    /// Leaves atomics as they are written where that form is asked for.
    fn keep_merged_atomics(&mut self, entry: u32) {
        for own in &mut self.code[entry as usize..] {
            let Operation::Atomic(atomic) = &mut own.operation else { continue };
            if self.form == Form::Written {
                atomic.merged = Merged::No;
            }
            self.is_changed |= atomic.merged != Merged::No;
        }
    }

    /// Orders the instructions of the function from `entry` on, and finds out what lanes do that part.
    fn flow(&mut self, entry: u32, spaces_are_apart: bool) -> ControlFlow {
        let range = entry..self.code.len() as u32;
        let flow = ControlFlow::new(&self.code, range.clone());
        schedule(&mut self.code, &flow, spaces_are_apart);
        resolve_reconvergence(&mut self.code, &flow);
        mark_spins(&mut self.code, range.clone(), &self.constants);
        mark_ends(&mut self.code, range);
        flow
    }

    /// Declares formal parameters and results. Those of a device function are in its frame.
    fn parameters(&mut self, function: &'module syntax::Function) -> (Vec<Slice>, Vec<Slice>) {
        if function.entry {
            let (slices, _) = place_all(&function.parameters, PARAMETER_BYTES_MAX).unwrap_or_default();
            for (variable, slice) in function.parameters.iter().zip(slices) {
                let place = Entity::Place(Place::KernelParameter(slice.offset));
                self.declare(variable, place);
            }
            return (Vec::new(), Vec::new());
        }
        let mut in_frame = |variables: &[Variable]| -> Vec<Slice> {
            variables.iter().map(|variable| self.frame_variable(variable)).collect()
        };
        (in_frame(&function.parameters), in_frame(&function.results))
    }

    fn declare(&mut self, variable: &Variable, entity: Entity) {
        if variable.space == syntax::Space::Register {
            let message = "parameters in registers are not supported: declare them .param";
            self.error(variable.line, &variable.name, message);
        } else if let Err(problem) = self.scope.declare(&variable.name, entity) {
            self.error(variable.line, &variable.name, &problem);
        }
    }

    fn frame_variable(&mut self, variable: &Variable) -> Slice {
        let offset = match self.frame.place(variable) {
            Ok(offset) => offset,
            Err(problem) => {
                self.errors.push(problem);
                return Slice { offset: 0, bytes: 0 };
            }
        };
        let slice = Slice { offset: offset as u32, bytes: bytes_of(variable) as u32 };
        self.declare(variable, Entity::Place(Place::Frame(slice)));
        slice
    }

    fn block(&mut self, function: &'module syntax::Function, statements: &'module [Statement]) {
        if let Err(problem) = self.scope.open(statements) {
            self.error(function.line, &function.name, &problem);
        }
        self.labels.resize(self.scope.labels(), NO_PC);
        for statement in statements {
            match statement {
                Statement::Registers { vector, ty, names } => {
                    for (name, count) in names {
                        let declared = if *vector == 1 {
                            self.scope.declare_registers(*ty, name, *count)
                        } else {
                            Err("vector registers are not supported".to_owned())
                        };
                        if let Err(problem) = declared {
                            self.error(function.line, name, &problem);
                        }
                    }
                }
                Statement::Variable(variable) => self.variable(variable),
                Statement::Label(name) => {
                    if let Some(Entity::Label(number)) = self.scope.find(name) {
                        self.labels[number] = self.code.len() as u32;
                    }
                }
                Statement::Instruction(instruction) => self.instruction(function, instruction),
                Statement::Block(inner) => self.block(function, inner),
                Statement::Pragma(_)
                | Statement::Location(_)
                | Statement::BranchTargets { .. }
                | Statement::CallTargets { .. }
                | Statement::CallPrototype { .. } => {}
            }
        }
        self.scope.close();
    }

    fn variable(&mut self, variable: &'module Variable) {
        match variable.space {
            syntax::Space::Local | syntax::Space::Param => {
                self.frame_variable(variable);
            }
            syntax::Space::Shared => {
                if let Some(offset) = self.layout.function_shared.get(&std::ptr::from_ref(variable)) {
                    self.declare(variable, Entity::Place(Place::Shared(*offset)));
                }
            }
            _ => self.error(
                variable.line,
                &variable.name,
                "a variable of this state space inside a function is not supported",
            ),
        }
    }

    fn instruction(&mut self, function: &syntax::Function, instruction: &syntax::Instruction) {
        match rewritten(instruction, &self.layout.element_bytes, &mut self.scope, self.code.len()) {
            Ok(None) => self.plain_instruction(function, instruction, instruction),
            Ok(Some((moves, own))) => {
                for one in moves.iter().chain([&own]) {
                    self.plain_instruction(function, one, instruction);
                }
            }
            Err(problem) => self.error(instruction.line, &instruction.to_string(), &problem),
        }
    }

    /// Decodes an instruction that stands for what is `written`.
    fn plain_instruction(
        &mut self,
        function: &syntax::Function,
        instruction: &syntax::Instruction,
        written: &syntax::Instruction,
    ) {
        let mut context = Context {
            layout: self.layout,
            scope: &self.scope,
            constants: &mut self.constants,
            policies: &mut self.policies,
            kernel: function.entry,
        };
        let decoded = lower(&mut context, instruction).and_then(|lowered| {
            let guard = instruction.guard.as_ref().map(|guard| context.guard(guard)).transpose()?;
            Ok(plain(lowered, guard, instruction.line))
        });
        match decoded {
            Ok(decoded) => self.code.push(decoded),
            Err(problem) => self.error(written.line, &written.to_string(), &problem),
        }
    }

    /// Replaces numbers of labels by places in the code.
    fn resolve_labels(&mut self, entry: u32) {
        for instruction in &mut self.code[entry as usize..] {
            match &mut instruction.operation {
                Operation::Branch { target } => *target = self.labels[*target as usize],
                Operation::BranchIndexed { targets, .. } => {
                    targets.iter_mut().for_each(|target| *target = self.labels[*target as usize]);
                }
                _ => {}
            }
        }
    }
}

/// The `ret` behind a function's body, which may end without one.
fn end_of(function: &syntax::Function) -> syntax::Instruction {
    syntax::Instruction {
        guard: None,
        opcode: "ret".to_owned(),
        modifiers: Vec::new(),
        operands: Vec::new(),
        line: function.line,
    }
}

fn plain(lowered: Lowered, guard: Option<Guard>, line: u32) -> Instruction {
    Instruction {
        operation: lowered.operation,
        guard,
        reconvergence: NO_PC,
        row: lowered.row,
        lowering: Lowering::default(),
        is_inverted: false,
        spins: false,
        ends: false,
        line,
        reads: Box::default(),
        writes: Box::default(),
    }
}
