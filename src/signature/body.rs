//! What the body of a kernel does: which indices it has, how it compares them, and which elements it reads and writes.

use std::collections::{BTreeSet, HashMap};

use super::axis::Axis;
use super::brackets::balanced;
use super::byte_rows::ByteRow;
use super::expression::{Expression, Names, expression, value};
use super::guards::{ends_term, is_global};
use super::loops::statement;
use super::members::member;
use super::shared::SharedArray;
use super::token::Token;
use super::waits::Waits;

/// What the body of a kernel does.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Body {
    /// Dimensions that it asks for the index of its thread or block in.
    pub axes: BTreeSet<Axis>,
    /// Dimensions that it asks for the extent of its block in.
    pub block_extents: BTreeSet<Axis>,
    /// Dimensions that it asks for the index of its thread in.
    pub threads: BTreeSet<Axis>,
    /// Whether it asks how many blocks there are, as loops over the grid do.
    pub asks_for_grid: bool,
    /// Whether it waits for all blocks of the grid.
    pub waits_for_grid: bool,
    /// Its variables.
    pub locals: Vec<Local>,
    /// What it does with each of its parameters.
    pub uses: Vec<Use>,
    /// Arrays in shared memory.
    pub shared: Vec<SharedArray>,
    /// How many elements each block has in a dimension, where no variable says.
    pub per_block: Vec<(Axis, i64)>,
    /// Sums and products of variables, with what they are below of where something is done with them.
    pub guards: Vec<(Expression, Expression)>,
    /// Rows in memory whose length is in bytes.
    pub byte_rows: Vec<ByteRow>,
    /// Steps of loops that begin at the index of a thread or at 0, with what they end at.
    pub steps: Vec<(Expression, Expression)>,
    /// Those of them that begin at the index of a thread.
    pub steps_of_threads: Vec<Expression>,
    /// How far its threads wait for each other.
    pub waits: Waits,
}

/// A variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Local {
    /// What it is set to.
    pub value: Expression,
    /// What it is below of, where something is done with it.
    pub bounds: Vec<Expression>,
    /// What it is below of wherever something is done with it: where loops end, and where the kernel is left.
    pub ends: Vec<Expression>,
    /// Whether it becomes larger later.
    pub grows: bool,
    /// Whether it becomes several times as large.
    pub doubles: bool,
    /// What is added to it, one for each place that makes it larger.
    pub steps: Vec<Expression>,
    /// The parameter whose elements decide its value.
    pub by: Option<usize>,
    /// Whether each thread or block has another value.
    pub is_of_thread: bool,
}

/// What a kernel does with a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Use {
    /// The elements that it touches, as far as they are seen.
    pub accesses: Vec<Access>,
    /// Whether it reads elements.
    pub reads: bool,
    /// Whether it writes elements.
    pub writes: bool,
    /// Whether atomic operations change elements.
    pub is_atomic: bool,
    /// Whether it takes what atomic operations have counted there so far.
    pub counts_on: bool,
    /// Which of the numbers that come there is kept by atomic operations whose answers it takes.
    pub kept: Option<Kept>,
    /// Whether it sets elements without atomic operations.
    pub is_set: bool,
    /// Whether its elements decide which elements of others are touched, or how long loops are.
    pub decides: bool,
    /// Whether indices of threads are compared with its elements.
    pub limits: bool,
    /// Whether its elements are in the condition of a loop, or in one at which a loop is left, so that they decide how often that runs.
    pub ends_loops: bool,
    /// Whether remainders of its elements say which elements are touched: `counts[keys[i] % n]`.
    pub has_remainders: bool,
    /// The value of an element at which a loop ends, such as that of an empty slot of a table.
    pub ends_at: Option<i64>,
    /// Whether a loop ends at an element that is its own place, as the root of a tree is.
    pub has_roots: bool,
    /// What its elements are compared with by `==` or `!=` where the kernel branches.
    pub compared: Option<Expression>,
    /// The value of an element at which a chain ends, where each element is the place of the next one: `node = next[node]`.
    pub leads_on: Option<i64>,
}

/// What `atomicMin` and `atomicMax` keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// The least number.
    Least,
    /// The largest.
    Most,
}

/// Elements that are touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Which, of those of the parameter's type.
    pub index: Expression,
    /// The parameter whose elements decide that.
    pub by: Option<usize>,
    /// The line of the source.
    pub line: u32,
}

/// A function of the source.
pub(super) struct Function<'t, 'a> {
    pub(super) parameters: Vec<Option<String>>,
    /// Names of the parameters of its template.
    pub(super) templates: Vec<String>,
    pub(super) body: &'t [Token<'a>],
}

/// What changes an element that stands before it.
const CHANGES: [&str; 10] = ["+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=", "++", "--"];
/// The most tokens that are walked for a kernel, the functions that it calls among them.
const TOKENS_MOST: usize = 1_000_000;
/// Steps of a variable that are kept; those of one with more are not looked at.
const STEPS_MOST: usize = 8;

/// Walks the body of a kernel and of the functions that it calls.
pub(super) struct Walk<'t, 'a> {
    pub(super) functions: &'t HashMap<String, Function<'t, 'a>>,
    pub(super) body: Body,
    pub(super) walked: usize,
    /// Names of constants that it comes across.
    pub(super) constants: BTreeSet<String>,
    /// The name in the condition of the last loop, with the value at which that ends.
    pub(super) sought: Option<(String, i64)>,
}

impl Walk<'_, '_> {
    /// Walks a body, in which these names are known.
    pub(super) fn walk(&mut self, tokens: &[Token<'_>], mut names: Names, depth: usize) {
        let (mut loop_end, mut condition_end, mut body_end) = (0, 0, 0);
        let mut place = 0;
        while place < tokens.len() && self.walked < TOKENS_MOST {
            self.walked += 1;
            let token = tokens[place];
            let is_header = tokens.get(place + 1).is_some_and(|next| next.is("("));
            if token.is("for") && is_header {
                loop_end = place + 1 + balanced(&tokens[place + 1..]);
                self.step(&tokens[place + 1..loop_end], &names);
            }
            self.body.waits.see(&tokens[place..]);
            if ["for", "while"].contains(&token.text) && is_header {
                condition_end = place + 1 + balanced(&tokens[place + 1..]);
                // What is in a loop is in the loops around it.
                if place >= body_end {
                    body_end = condition_end + statement(&tokens[condition_end..]);
                }
                self.condition(&tokens[place + 1..condition_end], &names);
            } else if token.is("do") && place >= body_end {
                body_end = place + 1 + statement(&tokens[place + 1..]);
            } else if token.is("if") && is_header && place < body_end {
                self.leave(&tokens[place + 1..], &names);
            }
            if token.is("if") && is_header {
                self.compare_elements(&tokens[place + 1..], &names);
            }
            self.guard(tokens, place, &names, place < loop_end);
            if !token.is_word() {
                place += 1;
                continue;
            }
            self.index(&tokens[place..]);
            self.element(&tokens[place..], &names);
            self.byte_row(&tokens[place..], &names);
            if token.is("__shared__") {
                self.shared(tokens, place, &names);
            }
            if self.declare(tokens, place, &mut names) {
                // The value is walked, too.
                place += 2;
                continue;
            }
            let rest = &tokens[place + 1..];
            let is_member = place > 0 && [".", "->"].contains(&tokens[place - 1].text);
            match names.get(token.text).filter(|_| !is_member) {
                Some(Expression::Address(parameter, offset)) => {
                    let (parameter, offset) = (*parameter, (**offset).clone());
                    self.access(tokens, (place, place), (parameter, offset), &names);
                }
                Some(value @ (Expression::Structure(_) | Expression::Member(..))) => {
                    let (value, end) = member(value.clone(), tokens, place, &names);
                    if let Expression::Address(parameter, offset) = value {
                        self.access(tokens, (place, end), (parameter, *offset), &names);
                    }
                }
                Some(Expression::Local(_)) if ends_term(&tokens[..place]) => {}
                Some(Expression::Local(local)) => {
                    let (is_loop, is_condition) = (place < loop_end, place < condition_end);
                    self.compare(*local, rest, &names, [is_loop, is_condition]);
                }
                Some(value) if is_global(value) => drop(self.constants.insert(token.text.to_owned())),
                _ => self.call(tokens, place, &names, depth),
            }
            place += 1;
        }
    }

    fn index(&mut self, tokens: &[Token<'_>]) {
        let [name, dot, axis, ..] = tokens else { return };
        if name.is("this_grid") || name.is("grid_group") {
            self.body.waits_for_grid = true;
        }
        if !dot.is(".") {
            return;
        }
        if name.is("gridDim") {
            self.body.asks_for_grid = true;
        }
        let Some(axis) = ["x", "y", "z"].iter().position(|own| axis.is(own)).map(|place| Axis::ALL[place]) else {
            return;
        };
        if name.is("threadIdx") || name.is("blockIdx") {
            self.body.axes.insert(axis);
        }
        if name.is("threadIdx") {
            self.body.threads.insert(axis);
        }
        if name.is("blockDim") {
            self.body.block_extents.insert(axis);
        }
    }

    /// `type name = value`, `, name = value` or `name = value`: the name stands for it from here on.
    fn declare(&mut self, tokens: &[Token<'_>], place: usize, names: &mut Names) -> bool {
        let Some(equals) = tokens.get(place + 1) else { return false };
        let name = tokens[place].text;
        let before = place.checked_sub(1).map(|place| tokens[place]);
        // `*name = value` as a statement sets the element, and not the address.
        let begins_at = |place: usize| {
            let before = place.checked_sub(1).map(|place| tokens[place]);
            before.is_none_or(|before| ["{", "}", ";", ")"].contains(&before.text) || before.is("else"))
        };
        let is_element = before.is_some_and(|before| before.is("*")) && begins_at(place - 1);
        let is_declared = before.is_some_and(|before| {
            before.is_word() && !["return", "case", "goto", "else"].contains(&before.text)
                || before.is("*") && !is_element
                || before.is(",")
        });
        let is_set = before.is_none_or(|before| ["{", "}", ";", ")", "("].contains(&before.text) || before.is("else"));
        let is_known = names.contains_key(name);
        if equals.is("=") && (is_declared || (is_set && is_known)) {
            self.lead_on(name, &tokens[place + 2..], names);
            let value = match value(&tokens[place + 2..], names) {
                address @ Expression::Address(..) => address,
                value => {
                    let by = self.data_of(&value, &tokens[place + 2..], names);
                    let own = self.local(value);
                    if let Expression::Local(local) = own {
                        self.body.locals[local].by = by;
                    }
                    own
                }
            };
            names.insert(name.to_owned(), value);
            return true;
        }
        let grows = ["+=", "*=", "++", "<<"].iter().any(|own| equals.is(own));
        let grows = grows || before.is_some_and(|before| before.is("++"));
        match names.get(name) {
            Some(Expression::Local(local)) if grows && !equals.is("[") => {
                let own = &mut self.body.locals[*local];
                own.grows = true;
                own.doubles |= equals.is("*=") || equals.is("<<");
                if own.steps.len() < STEPS_MOST {
                    own.steps.push(match equals.text {
                        "+=" => expression(&tokens[place + 2..], names).0,
                        "*=" | "<<" => Expression::Unknown,
                        _ => Expression::Number(1),
                    });
                }
            }
            // An address that moves is not known any more.
            Some(Expression::Address(parameter, _)) if equals.is("+=") && !is_element => {
                let moved = Expression::Address(*parameter, Box::new(Expression::Unknown));
                names.insert(name.to_owned(), moved);
            }
            _ => {}
        }
        false
    }

    pub(super) fn local(&mut self, value: Expression) -> Expression {
        let (by, is_of_thread) = (self.data(&value), self.is_of_thread(&value));
        self.body.locals.push(Local {
            value,
            bounds: Vec::new(),
            ends: Vec::new(),
            grows: false,
            doubles: false,
            steps: Vec::new(),
            by,
            is_of_thread,
        });
        Expression::Local(self.body.locals.len() - 1)
    }

    /// A use of a parameter that is an address.
    fn access(
        &mut self,
        tokens: &[Token<'_>],
        (place, end): (usize, usize),
        (parameter, offset): (usize, Expression),
        names: &Names,
    ) {
        let before = |back: usize| place.checked_sub(back).map(|place| tokens[place].text).unwrap_or_default();
        let is_atomic = before(1) == "(" && before(2).starts_with("atomic")
            || before(1) == "&" && before(2) == "(" && before(3).starts_with("atomic");
        let name = if before(1) == "(" { 2 } else { 3 };
        let is_taken = !["", ";", "{", "}", ")", "else"].contains(&before(name + 1));
        if is_atomic && is_taken && ["atomicAdd", "atomicSub"].iter().any(|own| before(name).starts_with(own)) {
            self.body.uses[parameter].counts_on = true;
        }
        if is_atomic && is_taken {
            let keeps = [("atomicMin", Kept::Least), ("atomicMax", Kept::Most)];
            let kept = keeps.iter().find(|(own, _)| before(name).starts_with(own)).map(|(_, kept)| *kept);
            self.body.uses[parameter].kept = kept.or(self.body.uses[parameter].kept);
        }
        let rest = &tokens[end + 1..];
        let Some(next) = rest.first() else { return };
        if before(1) == "*" && !next.is("[") {
            self.dereference((parameter, tokens[place].line), offset, rest);
            return;
        }
        if !next.is("[") {
            // An address that is passed on: what is done with it is found there, or by no one.
            if is_atomic {
                let (index, length) =
                    if next.is("+") { expression(&rest[1..], names) } else { (Expression::Number(0), 0) };
                let by = self.data_of(&index, &rest[..=length], names);
                self.touch((parameter, tokens[place].line), offset, (index, by), [true, true, true]);
            }
            return;
        }
        let length = balanced(rest);
        let inner = &rest[1..length.max(1)];
        let index = value(inner, names);
        let by = self.data_of(&index, inner, names);
        let behind = rest.get(length).map(|token| token.text).unwrap_or_default();
        let member =
            if behind == "." { rest.get(length + 2).map(|token| token.text).unwrap_or_default() } else { behind };
        let changes = CHANGES.contains(&member);
        let is_write = member == "=" || changes || is_atomic;
        let at = (parameter, tokens[place].line);
        self.touch(at, offset, (index, by), [!is_write || changes || is_atomic, is_write, is_atomic]);
    }

    /// `*name`: addresses are no factors.
    fn dereference(&mut self, at: (usize, u32), offset: Expression, rest: &[Token<'_>]) {
        let behind = rest.iter().find(|own| !own.is(")")).map(|own| own.text).unwrap_or_default();
        let changes = CHANGES.contains(&behind);
        let is_write = changes || behind == "=";
        self.touch(at, offset, (Expression::Number(0), None), [!is_write || changes, is_write, false]);
    }

    /// Elements of a parameter that a line touches.
    fn touch(
        &mut self,
        (parameter, line): (usize, u32),
        offset: Expression,
        (index, by): (Expression, Option<usize>),
        [reads, writes, atomic]: [bool; 3],
    ) {
        let index =
            if offset == Expression::Number(0) { index } else { Expression::Sum(Box::new(offset), Box::new(index)) };
        let by = self.decides(&index).or(by);
        if let Some(own) = by.and_then(|by| self.body.uses.get_mut(by)) {
            own.decides = true;
        }
        if let Some(place) = self.element_in(&index, 0).filter(|_| by.is_none()) {
            self.body.uses[place].has_remainders = true;
        }
        let Some(own) = self.body.uses.get_mut(parameter) else { return };
        own.reads |= reads;
        own.writes |= writes;
        own.is_atomic |= atomic;
        own.is_set |= writes && !atomic;
        if own.accesses.len() < 64 {
            own.accesses.push(Access { index, by, line });
        }
    }
}
