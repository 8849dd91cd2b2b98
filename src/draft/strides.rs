//! What indices come to that advance by several elements at a time, as in `for (k = 0; k < n; k += 6) sum += in[k] + in[k + 5];`.

use super::amount::Amount;
use super::setting::Setting;
use crate::signature::Expression;

/// Expressions that are looked at one within the other.
const DEEPEST: usize = 20;

impl Setting<'_> {
    /// The most that a sum can be of a variable that advances by several elements, and of numbers that lead to those in between: the last step
    /// begins before the end, and may go beyond it.
    pub(super) fn upper_of_strided(&self, sum: &Expression, depth: usize) -> Option<Amount> {
        let terms = sum.terms();
        let stride_of = |own: &&Expression| self.divisor(own, 0).filter(|stride| *stride > 1);
        let place = terms.iter().position(|own| matches!(own, Expression::Local(_)) && stride_of(own).is_some())?;
        let stride = stride_of(&terms[place])?;
        let others = terms.iter().enumerate().filter(|(other, _)| *other != place);
        let others: Vec<Amount> = others.map(|(_, own)| self.upper(own, depth)).collect::<Option<_>>()?;
        let (within, others): (Vec<Amount>, Vec<Amount>) =
            others.into_iter().partition(|own| own.as_number().is_some());
        let within: i64 = within.iter().filter_map(Amount::as_number).sum();
        if within <= 0 {
            return None;
        }
        let end = self.upper(terms[place], depth)?.plus(&Amount::number(1))?;
        let last = end.in_wholes_of(stride)?.plus(&Amount::number(within.max(stride - 1) - stride))?;
        others.iter().try_fold(last, |all, own| all.plus(own))
    }

    /// A number that every value of an expression is a multiple of; 0 where it is always 0.
    fn divisor(&self, expression: &Expression, depth: usize) -> Option<i64> {
        if depth > DEEPEST {
            return None;
        }
        let of = |own: &Expression| self.divisor(own, depth + 1);
        match expression {
            Expression::Sum(one, other) | Expression::Difference(one, other) => Some(common(of(one)?, of(other)?)),
            Expression::Product(one, other) => of(one)?.checked_mul(of(other)?),
            Expression::Local(place) => {
                let local = self.kernel.body.locals.get(*place)?;
                let steps = local.steps.iter().map(of);
                steps.chain([of(&local.value)]).try_fold(0, |all, own| Some(common(all, own?)))
            }
            other => Some(self.exact(other, 0).and_then(|own| own.as_number()).map_or(1, i64::abs)),
        }
    }
}

/// The greatest common divisor.
fn common(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { common(other, one % other) }
}
