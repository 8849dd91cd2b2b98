//! Loads that could be of more bytes at once: those of neighbouring elements.

use std::collections::BTreeMap;

use super::Place;
use super::shortage::Shortage;
use super::words::counts;
use crate::device::sim::Behaviour;
use crate::kernel::Sourced;
use crate::workload::Workload;
use gpu_simulator::hardware::lanes::LANES;
use gpu_simulator::{Accesses, LineCounts, Pattern};

/// The widest load of a lane, in bytes.
pub(super) const WIDEST_BYTES: u32 = 16;
/// How often a warp must load as much as a wide load holds for its loads to be joined: what is left over at the end is not loaded then.
const WIDE_LOADS_LEAST: f64 = 4.0;

/// Threads that load side by side, as far as a launch tells.
#[derive(Debug, Clone)]
pub(super) struct Shape(Vec<u64>);

impl Shape {
    /// Those of a kernel's first launch.
    pub(super) fn of(workload: &Workload, kernel: &str, behaviour: Option<&Behaviour>) -> Option<Self> {
        let launch = workload.launches().find(|launch| launch.entry == kernel)?;
        // A step as long as the grid may also be that from a row to the next: only a kernel that asks how many blocks there are goes by it.
        let goes_by_grid = behaviour.is_some_and(|own| own.asks_for_grid);
        Some(Self::new(launch.grid, launch.block, goes_by_grid))
    }

    fn new(grid: [u32; 3], block: [u32; 3], goes_by_grid: bool) -> Self {
        let product = |extents: [u32; 3]| extents.iter().map(|extent| u64::from(*extent)).product::<u64>();
        let [width, threads] = [u64::from(block[0]), product(block)];
        let is_one_dimensional = [grid, block].iter().all(|own| own[1] == 1 && own[2] == 1);
        let all = (goes_by_grid && is_one_dimensional).then_some(threads * product(grid));
        Self([1, LANES as u64, width, threads].into_iter().chain(all).collect())
    }

    /// Whether loads of a line go on where a thread, its warp, its row of the block, its block or the grid has left off, of which a loop that is
    /// unrolled has so many at once.
    fn goes_on(&self, line: &LineCounts, unrolled: usize) -> bool {
        let bytes = u64::from(line.global.bytes_per_lane.max(1));
        let Some(step) = line.global.step_bytes.map(i64::unsigned_abs).filter(|step| *step > 0) else { return false };
        let is_of = |threads: &u64| step % (threads * bytes) == 0 && step <= threads * bytes * unrolled as u64;
        self.0.iter().any(is_of)
    }
}

fn are_neighbours(line: &LineCounts) -> bool {
    let Accesses { loads, stores, bytes_per_lane, stride_bytes, .. } = line.global;
    loads && !stores && bytes_per_lane < WIDEST_BYTES && stride_bytes == Some(i64::from(bytes_per_lane))
}

/// Whether wider loads would be fewer at these lines of one place: of elements that lie side by side, from lane to lane and from turn to turn.
/// Where a warp loads once, fewer threads can load as much.
pub(super) fn can_be_wider(lines: &[&LineCounts], line: &LineCounts, (warps, shape): (f64, Option<&Shape>)) -> bool {
    let unrolled = lines.iter().filter(|own| are_neighbours(own)).count();
    are_neighbours(line) && (line.warps <= warps || shape.is_some_and(|shape| shape.goes_on(line, unrolled)))
}

/// Loads of neighbouring elements of fewer than 16 bytes, again and again.
pub(super) fn narrow_loads(source: &Sourced, lines: &[LineCounts], warps: f64, shape: &Shape) -> Option<Shortage> {
    let is_repeated = |line: &&LineCounts| {
        let together = f64::from(WIDEST_BYTES / line.global.bytes_per_lane.max(1));
        line.warps >= WIDE_LOADS_LEAST * together * warps
    };
    let mut of_places: BTreeMap<Place, Vec<&LineCounts>> = BTreeMap::new();
    for line in lines.iter().filter(|line| are_neighbours(line)).filter(is_repeated) {
        of_places.entry(Place::of(source, line.line)).or_default().push(line);
    }
    of_places.values_mut().for_each(|own| {
        let unrolled = own.len();
        own.retain(|line| shape.goes_on(line, unrolled));
    });
    of_places.retain(|_, own| !own.is_empty());
    let requests = |own: &[&LineCounts]| own.iter().map(|line| line.global.requests).fold(0.0, f64::max);
    let (place, busiest) = of_places.iter().max_by(|(_, one), (_, other)| requests(one).total_cmp(&requests(other)))?;
    let Place { file, line, .. } = place;
    let bytes = busiest.iter().map(|line| line.global.bytes_per_lane).max().unwrap_or_default();
    let more = if of_places.len() > 1 {
        format!(", as do {} more", counts(of_places.len() as f64 - 1.0, "line"))
    } else {
        String::new()
    };
    Some(Shortage {
        name: "narrow_loads",
        sentence: format!("{file}:{line} loads {} for each lane at once{more}", counts(f64::from(bytes), "byte")),
        with_more: format!("With {WIDEST_BYTES} bytes at once, and fewer turns"),
        more: "wider loads",
        is_told_anyway: false,
        patterns: &[Pattern::NarrowLoads],
        lines: Some(of_places.values().flatten().map(|own| own.line).collect()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(stride_bytes: i64, step_bytes: Option<i64>, warps: f64) -> LineCounts {
        let (stride_bytes, loads) = (Some(stride_bytes), true);
        let global = Accesses { loads, bytes_per_lane: 4, stride_bytes, step_bytes, ..Accesses::default() };
        LineCounts { line: 7, warps, global, ..LineCounts::default() }
    }

    #[test]
    fn loads_of_neighbouring_elements_can_be_wider() {
        let (grid, block) = ([512, 1, 1], [128, 1, 1]);
        let is_wider = |step: Option<i64>, warps: f64, shape: Shape| {
            let own = line(4, step, warps);
            can_be_wider(&[&own], &own, (2048.0, Some(&shape)))
        };
        let one = |step| is_wider(step, 131_072.0, Shape::new(grid, block, false));
        assert!(one(Some(4)) && one(Some(128)) && one(Some(512)), "a thread, a warp, a block goes on");
        assert!(!one(Some(262_144)) && !one(Some(4000)) && !one(None), "from row to row");
        let whole_grid = |grid, block| is_wider(Some(262_144), 131_072.0, Shape::new(grid, block, true));
        assert!(whole_grid(grid, block), "the kernel asks how many blocks there are");
        assert!(!whole_grid([128, 4, 1], block), "rows may be shared out to blocks");
        assert!(is_wider(None, 2048.0, Shape::new(grid, block, false)), "each warp loads once");
        let apart = line(512, Some(4), 131_072.0);
        assert!(!can_be_wider(&[&apart], &apart, (2048.0, Some(&Shape::new(grid, block, false)))), "lanes are apart");
    }

    #[test]
    fn a_loop_that_is_unrolled_goes_on_by_all_its_loads() {
        let shape = Shape::new([512, 1, 1], [128, 1, 1], false);
        let own = line(4, Some(4 * 512), 131_072.0);
        assert!(can_be_wider(&[&own; 4], &own, (2048.0, Some(&shape))));
        assert!(!can_be_wider(&[&own; 2], &own, (2048.0, Some(&shape))));
    }
}
