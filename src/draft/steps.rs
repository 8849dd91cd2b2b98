//! What all threads do together where each goes through a loop, as in products of matrices: more than there are elements.

use super::amount::Amount;
use super::setting::Setting;
use crate::signature::{Axis, Expression};

/// How often the loops of all threads are gone through, by the longest loop of each; `None` where there is no loop, or where it goes over the grid.
pub(super) fn steps(setting: &Setting<'_>, extents: &[&str]) -> Option<Amount> {
    let longest = of_thread(setting, extents)?;
    let along = |axis: &Axis| {
        let threads = setting.grid[*axis as usize].as_ref()?.times(&setting.block[*axis as usize])?;
        Some(threads.main().map_or(threads, Amount::symbol))
    };
    Axis::ALL
        .iter()
        .filter(|axis| setting.grid[**axis as usize].is_some())
        .try_fold(longest, |all, axis| all.times(&along(axis)?))
}

/// How often the longest loop of a thread is gone through; `None` as for all threads.
pub(super) fn of_thread(setting: &Setting<'_>, extents: &[&str]) -> Option<Amount> {
    let body = &setting.kernel.body;
    if body.asks_for_grid {
        return None;
    }
    let of_thread = |own: &Expression| matches!(own, Expression::Thread(_) | Expression::Block(_));
    let loops = body.locals.iter().filter(|local| local.grows && !setting.any(&local.value, &of_thread, 0));
    let lengths = loops.flat_map(|local| &local.bounds).filter_map(|bound| setting.exact(bound, 0));
    // A loop over tiles has one over the elements of a tile in it.
    lengths
        .map(|own| own.undivided().unwrap_or(own))
        .filter(|own| own.degree_in(extents) > 0)
        .max_by(|one, other| one.size().total_cmp(&other.size()))
}
