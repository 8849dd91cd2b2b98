//! What arrays in shared memory say of the blocks that a kernel is made for.

use super::amount::Amount;
use super::setting::Setting;
use crate::signature::{Axis, Expression};

/// The extents of arrays in shared memory that the index of a thread itself goes along, as in `tile[threadIdx.y][threadIdx.x]`.
pub(super) fn along(setting: &Setting<'_>, axis: Axis) -> Vec<Amount> {
    let mut all: Vec<Amount> = Vec::new();
    for array in &setting.kernel.body.shared {
        for (place, extent) in array.extents.iter().enumerate() {
            let is_walked =
                array.indices.iter().any(|own| own.get(place).is_some_and(|own| is_thread(setting, own, axis)));
            let Some(extent) = Some(extent).filter(|_| is_walked).and_then(|own| setting.exact(own, 0)) else {
                continue;
            };
            if !all.contains(&extent) {
                all.push(extent);
            }
        }
    }
    all
}

/// The extent of a square array that a block fills with one element for each thread, where the block computes fewer.
pub(super) fn square(setting: &Setting<'_>) -> Option<Amount> {
    let is_filled = |indices: &Vec<Expression>| {
        indices.len() == 2 && is_thread(setting, &indices[0], Axis::Y) && is_thread(setting, &indices[1], Axis::X)
    };
    let filled = setting.kernel.body.shared.iter().filter(|own| own.indices.iter().any(is_filled));
    let extents = filled
        .filter_map(|own| Some([setting.exact(own.extents.first()?, 0)?, setting.exact(own.extents.get(1)?, 0)?]));
    extents.filter(|[one, other]| one == other).map(|[one, _]| one).next()
}

/// Steps of loops, those that begin at the index of a thread first: `for (i = threadIdx.x; i < n; i += 256)`.
pub(super) fn steps(setting: &Setting<'_>) -> impl Iterator<Item = Amount> {
    let body = &setting.kernel.body;
    let all = body.steps_of_threads.iter().chain(body.steps.iter().map(|(step, _)| step));
    all.filter_map(|step| setting.exact(step, 0))
}

/// How far elements of a thread are apart that has several of those of its block, as in `input[i]` and `input[i + BLOCK]`: as far as there are
/// threads.
pub(super) fn apart(setting: &Setting<'_>, per_block: &Amount) -> Option<Amount> {
    const ELEMENTS_MOST: i64 = 16;
    let body = &setting.kernel.body;
    let indices = body.uses.iter().flat_map(|own| &own.accesses).map(|access| &access.index);
    let offsets = indices.chain(body.guards.iter().map(|(guarded, _)| guarded)).filter_map(|index| match index {
        Expression::Sum(one, other) if matches!(**one, Expression::Local(_)) => setting.exact(other, 0),
        _ => None,
    });
    let is_part = |offset: &Amount| {
        (2..=ELEMENTS_MOST).any(|count| offset.times(&Amount::number(count)).as_ref() == Some(per_block))
    };
    offsets.filter(|offset| offset.as_number() != Some(1)).find(is_part)
}

fn is_thread(setting: &Setting<'_>, expression: &Expression, axis: Axis) -> bool {
    match expression {
        Expression::Thread(own) => *own == axis,
        Expression::Local(local) => {
            let value = setting.kernel.body.locals.get(*local).filter(|own| !own.grows).map(|own| &own.value);
            // One step is enough: `int tx = threadIdx.x`.
            matches!(value, Some(Expression::Thread(own)) if *own == axis)
        }
        _ => false,
    }
}
