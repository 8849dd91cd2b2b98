//! What the expressions of a kernel's body come to at the launch that is drafted for it.

use std::cell::Cell;

use super::amount::{Amount, with_values};
use super::extents;
use super::fill::STEPS_MOST;
use super::launch::dimensions;
use crate::signature::{Axis, Class, Expression, Kernel, Local};
use crate::user_kernel::{self, Scope};
use crate::workload::Element;

/// A kernel with what its names are called in the scenario.
pub(super) struct Setting<'k> {
    pub(super) kernel: &'k Kernel,
    /// The names of parameters that are whole numbers, by their places.
    pub(super) parameters: Vec<Option<String>>,
    /// The values of members of structures by value, by the place of the structure and the name of the member.
    pub(super) members: Vec<(usize, String, Amount)>,
    /// The names of the parameters of templates.
    pub(super) templates: Vec<(String, Amount)>,
    /// The values that the source gives, by their names in the scenario.
    pub(super) launched: Vec<(String, i64)>,
    /// Bytes of an element of what is at a place among the uses of parameters.
    pub(super) elements: Vec<(usize, u64)>,
    /// Threads of a block.
    pub(super) block: [Amount; 3],
    /// Blocks, as far as they are known.
    pub(super) grid: [Option<Amount>; 3],
    /// The same for the block of the source's launch, where the block is a parameter with that as its default.
    pub(super) grid_of_source: [Option<Amount>; 3],
    /// Threads of a block in the variants before, by the names of their parameters.
    pub(super) blocks_of_others: Vec<(&'static str, i64)>,
    /// In which dimensions only names say how many blocks there are.
    pub(super) is_by_names: [bool; 3],
    /// Whether elements that say how often a loop runs count as what drafts fill them with.
    pub(super) has_steps: Cell<bool>,
    /// How many expressions were looked at.
    pub(super) looked_at: Cell<usize>,
}

/// Values of variables that are followed one after another.
const DEEPEST: usize = 40;
/// Expressions that are looked at for a kernel; variables may name each other as often as they like.
const EXPRESSIONS_MOST: usize = 200_000;

impl Setting<'_> {
    /// One more than the most that an expression can be.
    pub(super) fn length(&self, index: &Expression) -> Option<Amount> {
        let mut guards = self.kernel.body.guards.iter();
        if let Some((_, bound)) = guards.find(|(guarded, _)| guarded == index) {
            return self.exact(bound, 0).or_else(|| self.upper(bound, 0));
        }
        self.upper(index, 0)?.plus(&Amount::number(1))
    }

    /// The most that an expression can be.
    pub(super) fn upper(&self, expression: &Expression, depth: usize) -> Option<Amount> {
        if self.is_too_much(depth) {
            return None;
        }
        let upper = |own: &Expression| self.upper(own, depth + 1);
        let last = |amount: &Amount| amount.minus(&Amount::number(1));
        match expression {
            Expression::Thread(axis) => last(&self.block[*axis as usize]),
            Expression::Block(axis) => last(self.grid[*axis as usize].as_ref()?),
            Expression::GridExtent(axis) => self.grid[*axis as usize].clone(),
            Expression::Local(local) => self.upper_of_local(*local, depth + 1),
            Expression::Sum(one, other) => self
                .upper_of_guarded(expression, depth + 1)
                .or_else(|| self.upper_of_strided(expression, depth + 1))
                .or_else(|| upper(one)?.plus(&upper(other)?)),
            Expression::Difference(one, other) => upper(one)?.minus(&self.lower(other, depth + 1)?),
            Expression::Product(one, other) => upper(one)?.times(&upper(other)?),
            Expression::Quotient(one, other) => upper(one)?.over(&self.exact(other, depth + 1)?),
            // A byte, or a pair of them, leads no further.
            Expression::Element(place) if self.count(*place).is_none() => self.upper_of_element(*place),
            Expression::Below(_, limit) => last(&self.exact(limit, depth + 1).or_else(|| upper(limit))?),
            Expression::Least(one, other) => match (self.exact(one, depth + 1), self.exact(other, depth + 1)) {
                (Some(one), Some(other)) => Some(one.or_narrower(other)),
                // What threads have in common is how much there is.
                (Some(extent), None) | (None, Some(extent)) => Some(extent),
                (None, None) => upper(one).or_else(|| upper(other)),
            },
            other => self.exact(other, depth + 1),
        }
    }

    fn upper_of_element(&self, place: usize) -> Option<Amount> {
        match self.kernel.parameters.get(place)?.class {
            Class::Pointer { element: Some((Element::Unsigned(bits @ (8 | 16)), 1)), .. } => {
                Some(Amount::number((1 << bits) - 1))
            }
            Class::Pointer { element: Some((Element::Unsigned(32 | 64) | Element::Signed(32 | 64), 1)), .. } => {
                let is_steps = self.has_steps.get() && self.kernel.body.uses.get(place)?.ends_loops;
                is_steps.then_some(Amount::number(STEPS_MOST))
            }
            _ => None,
        }
    }

    /// The most that a sum can be of which some terms are compared together: `row * width + t + i` where `t + i < width`.
    fn upper_of_guarded(&self, sum: &Expression, depth: usize) -> Option<Amount> {
        let terms = sum.terms();
        self.kernel.body.guards.iter().find_map(|(guarded, bound)| {
            let mut others = terms.clone();
            for term in guarded.terms() {
                others.swap_remove(others.iter().position(|own| *own == term)?);
            }
            let bound = self.exact(bound, depth).or_else(|| self.upper(bound, depth))?;
            let last = bound.minus(&Amount::number(1))?;
            others.into_iter().try_fold(last, |all, own| all.plus(&self.upper(own, depth)?))
        })
    }

    fn upper_of_local(&self, place: usize, depth: usize) -> Option<Amount> {
        let (local, bounds) = (self.local(place)?, self.bounds(place));
        let is_extent = |own: &Expression| self.is_extent(own) || matches!(own, Expression::Template(_));
        let (sized, others): (Vec<&Expression>, Vec<&Expression>) =
            bounds.iter().partition(|bound| self.any(bound, &is_extent, 0));
        let largest = |all: Vec<&Expression>| {
            let all = all.into_iter().filter_map(|bound| self.upper(bound, depth));
            all.reduce(Amount::or_wider)?.minus(&Amount::number(1))
        };
        let value = || (!local.grows).then(|| self.upper(&local.value, depth)).flatten();
        largest(sized).or_else(value).or_else(|| largest(others))
    }

    /// The least that an expression can be, if it is not negative.
    fn lower(&self, expression: &Expression, depth: usize) -> Option<Amount> {
        if self.is_too_much(depth) {
            return None;
        }
        match expression {
            Expression::Sum(one, other) => self.lower(one, depth + 1)?.plus(&self.lower(other, depth + 1)?),
            Expression::Product(one, other) => self.lower(one, depth + 1)?.times(&self.lower(other, depth + 1)?),
            Expression::Local(_) | Expression::Thread(_) | Expression::Block(_) | Expression::Below(..) => {
                Some(Amount::number(0))
            }
            other => self.exact(other, depth + 1),
        }
    }

    pub(super) fn element_bytes(&self, place: usize) -> Option<i64> {
        let found = self.elements.iter().find(|(own, _)| *own == place)?;
        i64::try_from(found.1).ok()
    }

    /// What an amount comes to at the source's own launch; `None` where that does not say.
    pub(super) fn launched(&self, amount: &Amount) -> Option<i64> {
        let value = |name: &str| self.launched.iter().find(|(own, _)| own == name).map(|(_, value)| *value);
        let text = with_values(&amount.to_string(), value);
        let value = user_kernel::Expression::parse(&text, &[]).ok()?.value(&Scope::new([])).ok()?;
        (value.fract() == 0.0).then_some(value as i64)
    }

    fn is_too_much(&self, depth: usize) -> bool {
        self.looked_at.set(self.looked_at.get() + 1);
        depth > DEEPEST || self.looked_at.get() > EXPRESSIONS_MOST
    }

    /// An expression that is the same for all threads.
    pub(super) fn exact(&self, expression: &Expression, depth: usize) -> Option<Amount> {
        if self.is_too_much(depth) {
            return None;
        }
        let exact = |own: &Expression| self.exact(own, depth + 1);
        match expression {
            Expression::Number(number) => Some(Amount::number(*number)),
            Expression::Parameter(place) => match self.parameters.get(*place)? {
                Some(name) => Some(Amount::symbol(name)),
                None => exact(self.kernel.launch.as_ref()?.derived.get(*place)?.as_ref()?),
            },
            Expression::Template(name) => {
                self.templates.iter().find(|(own, _)| own == name).map(|(_, amount)| amount.clone())
            }
            Expression::Member(place, name) => {
                let mut members = self.members.iter();
                members.find(|(own, member, _)| own == place && member == name).map(|(.., amount)| amount.clone())
            }
            Expression::Element(place) => self.count(*place),
            Expression::BlockExtent(axis) => Some(self.block[*axis as usize].clone()),
            Expression::GridExtent(axis) => self.grid[*axis as usize].clone(),
            Expression::Sum(one, other) => exact(one)?.plus(&exact(other)?),
            Expression::Difference(one, other) => exact(one)?.minus(&exact(other)?),
            Expression::Product(one, other) => exact(one)?.times(&exact(other)?),
            Expression::Quotient(one, other) => exact(one)?.over(&exact(other)?),
            Expression::Least(one, other) => Some(exact(one)?.or_narrower(exact(other)?)),
            Expression::Local(local) => {
                let local = self.local(*local).filter(|own| !own.grows)?;
                exact(&local.value)
            }
            _ => None,
        }
    }

    /// Whether an expression says how much there is: what the launch gives, or an element that is a count.
    pub(super) fn is_extent(&self, expression: &Expression) -> bool {
        expression.is_given() || matches!(expression, Expression::Element(place) if self.count(*place).is_some())
    }

    /// What the only element that is read of a parameter comes to, where indices of threads are compared with it.
    pub(super) fn count(&self, place: usize) -> Option<Amount> {
        let used =
            self.kernel.body.uses.get(place).filter(|own| own.limits && !own.is_atomic && !own.accesses.is_empty())?;
        let is_one = used.accesses.iter().all(|access| access.index.number().is_some());
        is_one.then(|| extents::along(self, Axis::X, dimensions(self.kernel)))?
    }

    /// What a variable is below of: by itself, or else in a sum or a product that is compared.
    pub(super) fn bounds(&self, place: usize) -> Vec<Expression> {
        match self.local(place) {
            Some(local) if !local.ends.is_empty() => local.ends.clone(),
            Some(local) if !local.bounds.is_empty() => local.bounds.clone(),
            Some(_) => {
                let guards = self.kernel.body.guards.iter();
                guards.filter_map(|(guarded, bound)| below(place, guarded, bound)).collect()
            }
            None => Vec::new(),
        }
    }

    fn local(&self, place: usize) -> Option<&Local> {
        self.kernel.body.locals.get(place)
    }

    /// Whether an expression, or what its variables are set to, has a part like this.
    pub(super) fn any(&self, expression: &Expression, is_like: &impl Fn(&Expression) -> bool, depth: usize) -> bool {
        if self.is_too_much(depth) {
            return false;
        }
        let value = match expression {
            Expression::Local(local) => self.local(*local).map(|own| &own.value),
            _ => None,
        };
        is_like(expression)
            || value.is_some_and(|own| self.any(own, is_like, depth + 1))
            || expression.operands().into_iter().any(|own| self.any(own, is_like, depth + 1))
    }

    /// What an index divides an element of the parameter at this place by.
    pub(super) fn parts_of(&self, index: &Expression, place: usize) -> Option<Amount> {
        match index {
            Expression::Quotient(one, part) if self.is_element(one, place) => self.exact(part, 0),
            Expression::Local(local) => match &self.local(*local).filter(|own| !own.grows)?.value {
                // One step is enough: `int bin = data[i] / width`.
                Expression::Quotient(one, part) if self.is_element(one, place) => self.exact(part, 0),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_element(&self, expression: &Expression, place: usize) -> bool {
        match expression {
            Expression::Local(local) => self.local(*local).is_some_and(|own| own.value == Expression::Element(place)),
            own => *own == Expression::Element(place),
        }
    }

    /// How many threads have the same value of an expression: what it is divided by, as in `thread / 32`.
    pub(super) fn sharing(&self, expression: &Expression, depth: usize) -> Option<Amount> {
        if self.is_too_much(depth) {
            return None;
        }
        match expression {
            Expression::Quotient(_, other) => self.exact(other, depth + 1),
            Expression::Local(local) => self.sharing(&self.local(*local)?.value, depth + 1),
            _ => None,
        }
    }

    /// How many of an expression's values a block has in a dimension: what `blockIdx` is multiplied with.
    pub(super) fn per_block(&self, expression: &Expression, axis: Axis, depth: usize) -> Option<Amount> {
        if self.is_too_much(depth) {
            return None;
        }
        let per_block = |own: &Expression| self.per_block(own, axis, depth + 1);
        match expression {
            Expression::Block(own) if *own == axis => Some(Amount::number(1)),
            Expression::Product(one, other) => match per_block(one) {
                Some(own) => own.times(&self.exact(other, 0)?),
                None => per_block(other)?.times(&self.exact(one, 0)?),
            },
            Expression::Sum(one, other) | Expression::Difference(one, other) => {
                per_block(one).or_else(|| per_block(other))
            }
            // As many as of what is divided: `sharing` says how many have one value.
            Expression::Quotient(one, _) => per_block(one),
            Expression::Local(local) => per_block(&self.local(*local)?.value),
            Expression::Address(_, offset) => per_block(offset),
            _ => None,
        }
    }
}

/// What a variable is below of where a sum or a product of it and numbers is below of a bound: more or less what is added to it, and exactly what
/// it is multiplied with.
fn below(place: usize, guarded: &Expression, bound: &Expression) -> Option<Expression> {
    let is_it = |own: &Expression| *own == Expression::Local(place);
    let is_fixed = |own: &Expression| !own.any(&|part| matches!(part, Expression::Local(_)));
    match guarded {
        Expression::Local(_) if is_it(guarded) => Some(bound.clone()),
        Expression::Sum(one, other) if is_fixed(other) => {
            let is_product = matches!(**one, Expression::Product(..));
            // A pair that begins below the bound ends there, too.
            let begins =
                if is_product { Expression::Difference(Box::new(bound.clone()), other.clone()) } else { bound.clone() };
            below(place, one, &begins)
        }
        Expression::Sum(one, other) if is_fixed(one) => {
            below(place, &Expression::Sum(other.clone(), one.clone()), bound)
        }
        Expression::Product(one, other) => {
            let (factor, own) = if is_it(one) { (other, one) } else { (one, other) };
            let factor = factor.number().filter(|factor| *factor > 0 && is_it(own))?;
            let rounded = Expression::Sum(Box::new(bound.clone()), Box::new(Expression::Number(factor - 1)));
            Some(Expression::Quotient(Box::new(rounded), Box::new(Expression::Number(factor))))
        }
        _ => None,
    }
}
