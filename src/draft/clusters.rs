//! Numbers of blocks that are whole clusters, where a kernel says how large its clusters are: a launch with others fails.

use super::amount::Amount;
use super::setting::Setting;
use crate::signature::Expression;

/// Blocks of a cluster along an axis; `None` where any number of blocks does, and where nobody knows.
fn extent(setting: &Setting<'_>, axis: usize) -> Option<i64> {
    let own: &Expression = setting.kernel.cluster.get(axis)?;
    setting.exact(own, 0)?.as_number().filter(|own| *own > 1)
}

/// As many blocks along an axis, rounded up to whole clusters.
pub(super) fn whole(setting: &Setting<'_>, axis: usize, blocks: Amount) -> Amount {
    extent(setting, axis).and_then(|own| blocks.in_wholes_of(own)).unwrap_or(blocks)
}

/// The most whole clusters in so many blocks along the first axis, in blocks.
pub(super) fn at_most(setting: &Setting<'_>, blocks: i64) -> i64 {
    extent(setting, 0).filter(|own| *own <= blocks).map_or(blocks, |own| blocks - blocks % own)
}

/// Blocks of a cluster along each axis; nothing where no cluster has several.
pub(super) fn extents(setting: &Setting<'_>) -> Vec<i64> {
    let all: Vec<i64> = (0..setting.kernel.cluster.len()).map(|axis| extent(setting, axis).unwrap_or(1)).collect();
    if all.iter().all(|own| *own == 1) { Vec::new() } else { all }
}
