//! What the directives of a kernel say of its launches: clusters, threads and registers.

use ptx_syntax::module::Function;

/// Blocks of its clusters in x, y and z, where it says so.
pub(super) fn cluster(kernel: &Function) -> Option<[u32; 3]> {
    let (_, extents) = kernel.directives.iter().find(|(name, _)| name == "reqnctapercluster")?;
    let extent = |axis: usize| extents.get(axis).map_or(1, |extent| u32::try_from(*extent).unwrap_or(u32::MAX));
    Some([0, 1, 2].map(extent))
}

/// Threads of a block at most, where it says so.
pub(super) fn threads_max(kernel: &Function) -> Option<u64> {
    let directive = kernel.directives.iter().find(|(name, _)| name == "maxntid" || name == "reqntid");
    directive.map(|(_, extents)| extents.iter().fold(1_u64, |product, extent| product.saturating_mul(*extent)))
}

/// The registers of a multiprocessor from compute capability 3 on, and what they are handed out in.
const REGISTERS: u64 = 1 << 16;
const REGISTERS_AT_ONCE: u64 = 8;
/// The most and the fewest that a bound may leave a thread.
const REGISTERS_OF_THREAD: (u64, u64) = (16, 255);

/// The most registers of a thread: `.maxnreg`, or as many as leave room for `.minnctapersm` blocks of `.maxntid` threads.
pub(super) fn registers_max(kernel: &Function) -> Option<u32> {
    let first = |name: &str| {
        let directive = kernel.directives.iter().find(|(own, _)| own == name);
        directive.and_then(|(_, values)| values.first().copied())
    };
    let by_blocks = || {
        let threads = threads_max(kernel)?.max(1).checked_next_multiple_of(32)?;
        let blocks = first("minnctapersm").filter(|blocks| *blocks > 0)?;
        Some(REGISTERS / threads.checked_mul(blocks)? / REGISTERS_AT_ONCE * REGISTERS_AT_ONCE)
    };
    let (least, most) = REGISTERS_OF_THREAD;
    let bound = [first("maxnreg"), by_blocks()].into_iter().flatten().min()?;
    u32::try_from(bound.clamp(least, most)).ok()
}
