//! What may cost something: lines on which a pattern was counted.

use std::collections::{BTreeMap, BTreeSet};

use super::unrolled::{Branch, parted_at_ends};
use super::{Examiner, Kind, Place};
use crate::device::sim::{Behaviour, Examined};
use gpu_simulator::hardware::lanes::LANES;
use gpu_simulator::{Accesses, BeforeBarrier, ConstantLoads, Idle, LineCounts, Wanted};

/// What was counted of a pattern on a line.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct Counted {
    /// How often warps executed its instructions.
    pub executions: f64,
    /// Of them those with the pattern: in which lanes parted, that were atomics of lanes that met, fences, barriers, accesses that need more than
    /// the least.
    pub affected: f64,
    /// For how many lanes, all executions together.
    pub lanes: f64,
    /// Accesses, for patterns of memory.
    pub accesses: Accesses,
    /// Bytes from a lane to the next one.
    pub stride_bytes: Option<i64>,
    /// Whether memory decides what is accessed.
    pub is_gather: bool,
    /// Threads of a row of the block that a warp has some rows of; `None` where its lanes are of one row.
    pub row_threads: Option<u32>,
    /// Whether blocks and the grid extend in x alone.
    pub is_one_dimensional: bool,
    /// Whether each lane goes on to the next element each time, as through a row of its own.
    pub goes_through_row: bool,
    /// The buffer, where the line has accesses of the same kind to others.
    pub buffer: Option<&'static str>,
    /// Where lanes go on that parted: lines of the source.
    pub ways: Vec<u32>,
    /// Lanes of atomics, and those that met one of the same instruction.
    pub atomics: (f64, f64),
    /// Lanes of further atomics, which the compiler or the hardware adds up with these before memory sees them.
    pub atomics_added_up: f64,
    /// Whether some of them swap values in place of adding to them, and whether they are on shared memory.
    pub swaps: bool,
    /// See `swaps`.
    pub is_shared: bool,
    /// Whether somebody reads what they answer, as where a counter gives out places.
    pub are_answered: bool,
    /// The most atomics at one address of global memory.
    pub atomics_at_one_address: f64,
    /// Lanes on the way that fewest of a warp went where it parted, all times together.
    pub lanes_of_narrow_ways: f64,
    /// Of the executions with the pattern those of branches out of a loop, which some lanes go through more often than others, or past it.
    pub at_loops: f64,
    /// Whether the line has atomics.
    pub has_atomics: bool,
    /// Whether threads could change places in their block, which sorts them by their work.
    pub threads_are_alike: bool,
    /// Whether it is what `printf` does.
    pub is_printing: bool,
    /// Threads that leave without having accessed memory, and whole blocks of them.
    pub idle: (f64, f64),
    /// Warps of the launches.
    pub warps: f64,
    /// Threads of the launches.
    pub threads: f64,
    /// Blocks of the launches.
    pub blocks: f64,
    /// Machine instructions that warps issued for divisions.
    pub division_issued: f64,
    /// Those of all lines of the kernel.
    pub issued_by_kernel: f64,
    /// Loads from constant memory.
    pub constant: ConstantLoads,
    /// From a warp's arrival at a barrier until it goes on, on average.
    pub wait_us: Option<f64>,
    /// What warps executed before a barrier, since the one before it, summed up over the times that blocks passed it.
    pub before_barrier: BeforeBarrier,
}

/// A pattern on a line that may cost something.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) kernel: &'static str,
    pub(super) kind: Kind,
    pub(super) place: Place,
    pub(super) ptx_lines: Vec<u32>,
    pub(super) counted: Counted,
    /// What the access needs beyond the least whose stride was taken.
    beyond: f64,
    /// Branches that are not known to be of loops.
    branches: Vec<Branch>,
    /// Atomics by address, of all its lines together.
    wanted: Wanted,
    /// Cycles for which a sector of its accesses keeps units busy, of the blocks that were timed.
    cycles_per_sector: f64,
}

/// How many times the least an access must need to be a candidate. A request that begins in the middle of a sector needs one more of them: 5 for 4.
const UNCOALESCED_FROM: f64 = 1.05;
/// The same of passes over banks: any conflict.
const CONFLICTS_FROM: f64 = 1.001;
/// The same of places of constant memory that a warp reads at once.
const CONSTANT_PLACES_FROM: f64 = 1.05;
/// The part of a kernel's instructions from which on those of divisions are a candidate. Indices are divided once in many kernels, and that costs
/// nothing.
const DIVISIONS_FROM: f64 = 0.01;
/// How many times as much as a block's warps on average the busiest must have to do before a barrier to be a candidate.
const UNEVEN_FROM: f64 = 2.0;
/// How many instructions more these must be each time: fewer take no longer than the barrier itself, some twenty cycles.
const UNEVEN_LEAST: f64 = 16.0;
/// What it does beyond the others must be this part of what a warp does on average in all of the kernel: a tenth, our choice. Every warp comes to
/// some barrier a few instructions later than others.
const UNEVEN_PART: f64 = 0.1;
/// Elements by which a lane goes on in a row, at most: a loop that the compiler unrolled has loads of its own for each of its turns.
const ELEMENTS_MOST: i64 = 8;
/// Atomics that come to one address, in all of a launch, from which on they may wait for each other.
const ATOMICS_FROM: f64 = 64.0;

/// Instructions of the busiest warps before a barrier beyond those of their blocks' warps on average.
fn excess(before: &BeforeBarrier) -> f64 {
    before.most - before.mean
}

impl Candidate {
    /// What tells the costly ones from the others before they are priced: about how many cycles of a unit it takes, where each of so many
    /// multiprocessors has one. An address has one for all of them.
    pub(super) fn weight(&self, multiprocessors: f64) -> f64 {
        let Counted { affected, accesses, atomics, atomics_at_one_address, .. } = &self.counted;
        match self.kind {
            Kind::UncoalescedLoad | Kind::UncoalescedStore => {
                (accesses.parts - accesses.least) * self.cycles_per_sector
            }
            Kind::BankConflictLoad | Kind::BankConflictStore => accesses.parts - accesses.least,
            Kind::LocalMemory => accesses.parts,
            Kind::Division => self.counted.division_issued,
            Kind::ConstantPlaces => self.counted.constant.places - self.counted.constant.loads,
            Kind::AtomicContention => atomics.1 + *atomics_at_one_address * multiprocessors,
            Kind::UnevenWork => excess(&self.counted.before_barrier),
            Kind::Divergence | Kind::BarrierWait | Kind::Fence | Kind::IdleThreads => 32.0 * affected,
        }
    }

    /// Adds how often lanes part at the branches of a line. A loop's own test whether it has any turn at all is of that loop.
    fn add_branches(&mut self, line: &LineCounts, is_here: impl Fn(u32) -> bool) {
        let is_test = line.passed_loops.iter().any(|end| is_here(*end));
        let at_loops = line.divergent_at_loops + if is_test { line.divergent_past_loops } else { 0.0 };
        self.counted.at_loops += at_loops;
        self.branches.push(Branch { divergent: line.divergent - at_loops, ways: line.ways.clone() });
    }

    /// What `--fail-on` compares.
    pub(super) fn degree(kind: Kind, counted: &Counted) -> f64 {
        let Counted { executions, affected, accesses, atomics: (all, met), warps, threads, idle, .. } = counted;
        let over = |number: f64, other: f64| if other > 0.0 { number / other } else { 0.0 };
        match kind {
            Kind::UncoalescedLoad | Kind::UncoalescedStore | Kind::BankConflictLoad | Kind::BankConflictStore => {
                over(accesses.parts, accesses.least)
            }
            Kind::Divergence => 1e2 * over(*affected, *executions),
            Kind::AtomicContention => over(*all, all - met),
            Kind::BarrierWait | Kind::Fence => over(*affected, *warps),
            Kind::UnevenWork => counted.before_barrier.unevenness(),
            Kind::LocalMemory => over(accesses.requests, *warps),
            Kind::IdleThreads => 1e2 * over(idle.0, *threads),
            Kind::Division => 1e2 * over(counted.division_issued, counted.issued_by_kernel),
            Kind::ConstantPlaces => counted.constant.places_each(),
        }
    }
}

/// A kernel of which candidates are looked for.
pub(super) struct OfKernel<'a> {
    pub(super) kernel: &'static str,
    pub(super) lines: &'a [LineCounts],
    pub(super) idle: &'a Idle,
    /// Warps of its launches.
    pub(super) warps: f64,
    /// Blocks and threads of a block in x, y and z, of its first launch.
    pub(super) extents: ([u32; 3], [u32; 3]),
    pub(super) behaviour: &'a Behaviour,
}

/// Everything that may cost something in a kernel, by place.
///
/// Loads of several buffers on a line are candidates of their own: what mends one of them does not mend the others.
pub(super) fn candidates(examiner: &Examiner<'_>, base: &Examined, of: &OfKernel<'_>) -> Vec<Candidate> {
    let OfKernel { kernel, lines, idle, warps, extents: (grid, block), behaviour } = *of;
    let row_threads = Some(block[0]).filter(|width| *width < LANES as u32 && block[1..] != [1, 1]);
    let is_one_dimensional = [grid, block].iter().all(|own| own[1..] == [1, 1]);
    let mut all: BTreeMap<(Place, Kind, Option<&'static str>), Candidate> = BTreeMap::new();
    let issued_by_kernel: f64 = lines.iter().map(|line| line.issued).sum();
    for line in lines {
        let place = Place::of(examiner.source, line.line);
        let is_known = |kind: Kind| kind != Kind::ConstantPlaces || examiner.sim.profile().constant.is_some();
        for (kind, accesses, affected) in kinds(line, idle).into_iter().filter(|(kind, ..)| is_known(*kind)) {
            let is_of_buffer = matches!(kind, Kind::UncoalescedLoad | Kind::UncoalescedStore);
            let address = accesses.filter(|_| is_of_buffer).and_then(|accesses| accesses.address);
            let buffer = address.and_then(|place| base.buffers.get(&place).copied());
            let own = all.entry((place.clone(), kind, buffer)).or_insert_with(|| Candidate {
                kernel,
                kind,
                place: place.clone(),
                ptx_lines: Vec::new(),
                counted: Counted {
                    warps,
                    threads: idle.threads,
                    blocks: idle.blocks,
                    threads_are_alike: behaviour.threads_are_alike,
                    row_threads,
                    is_one_dimensional,
                    issued_by_kernel,
                    is_printing: place.text.contains("printf"),
                    has_atomics: place.text.contains("atomic"),
                    ..Counted::default()
                },
                beyond: 0.0,
                branches: Vec::new(),
                wanted: Wanted::default(),
                cycles_per_sector: 1.0,
            });
            own.ptx_lines.push(line.line);
            own.add_branches(line, |end| Place::of(examiner.source, end) == place);
            let counted = &mut own.counted;
            counted.executions += line.warps;
            counted.lanes += line.lanes;
            counted.affected += affected;
            counted.is_gather |= behaviour.lines_of_gathers.contains(&line.line);
            counted.lanes_of_narrow_ways += line.lanes_of_narrow_ways;
            counted.division_issued += line.division_issued;
            counted.constant.add(&line.constant);
            counted.before_barrier.add(&line.before_barrier);
            counted.idle.0 += line.idle_threads;
            counted.idle.1 += line.idle_blocks;
            if let Some(accesses) = accesses {
                let (step, bytes) = (accesses.step_bytes, i64::from(accesses.bytes_per_lane.max(1)));
                counted.goes_through_row |=
                    step.is_some_and(|step| step > 0 && step % bytes == 0 && step <= ELEMENTS_MOST * bytes);
                let beyond = accesses.parts - accesses.least;
                if counted.stride_bytes.is_none() || is_of_buffer && beyond > own.beyond {
                    counted.stride_bytes = accesses.stride_bytes.or(counted.stride_bytes);
                    own.beyond = beyond;
                }
                counted.accesses.add(accesses);
            }
            if kind == Kind::AtomicContention {
                counted.atomics.0 += line.atomics;
                counted.atomics.1 += line.atomics_met;
                counted.atomics_added_up += line.atomics_added_up;
                counted.swaps |= line.swaps;
                counted.are_answered |= line.are_answered;
                counted.is_shared |= line.shared.requests > 0.0 && line.global.requests == 0.0;
                own.wanted.add(&line.wanted);
                counted.atomics_at_one_address = own.wanted.most();
            }
            let ways = line.ways.iter().map(|way| Place::of(examiner.source, *way));
            counted
                .ways
                .extend(ways.filter(|way| way.file == place.file && way.line != place.line).map(|way| way.line));
            counted.ways.sort_unstable();
            counted.ways.dedup();
        }
    }
    let is_much = |own: &Candidate| match own.kind {
        Kind::Division => own.counted.division_issued >= DIVISIONS_FROM * issued_by_kernel,
        // What the busiest warps of blocks execute beyond the others, beside what all warps do on average.
        Kind::UnevenWork => {
            let Counted { before_barrier, blocks, affected, .. } = &own.counted;
            let passes = affected * blocks / warps.max(1.0);
            before_barrier.unevenness() >= UNEVEN_FROM
                && excess(before_barrier) >= UNEVEN_LEAST * passes
                && excess(before_barrier) / blocks.max(1.0) >= UNEVEN_PART * issued_by_kernel / warps.max(1.0)
        }
        _ => true,
    };
    let mut of_places: BTreeMap<(&Place, Kind), usize> = BTreeMap::new();
    all.keys().for_each(|(place, kind, _)| *of_places.entry((place, *kind)).or_default() += 1);
    let several: BTreeSet<(Place, Kind)> =
        of_places.into_iter().filter(|(_, count)| *count > 1).map(|((place, kind), _)| (place.clone(), kind)).collect();
    let named = |((place, kind, buffer), mut own): ((Place, Kind, Option<&'static str>), Candidate)| {
        own.counted.at_loops += parted_at_ends(&place.text, &own.branches);
        own.counted.buffer = buffer.filter(|_| several.contains(&(place, kind)));
        own
    };
    all.into_iter().map(named).filter(is_much).collect()
}

/// What sectors of the accesses to global memory of each candidate keep units busy for: more where they come from device memory than from L1.
pub(super) fn time_sectors(found: &mut [Candidate], examined: &Examined) {
    for own in found.iter_mut().filter(|own| matches!(own.kind, Kind::UncoalescedLoad | Kind::UncoalescedStore)) {
        let launches = examined.launches.iter().filter(|(entry, _)| *entry == own.kernel);
        let moved = launches.flat_map(|(_, report)| &report.moved).filter(|moved| own.ptx_lines.contains(&moved.line));
        let (sectors, cycles) =
            moved.fold((0, 0.0), |(sectors, cycles), moved| (sectors + moved.sectors, cycles + moved.cycles));
        if sectors > 0 {
            own.cycles_per_sector = cycles / sectors as f64;
        }
    }
}

/// From a warp's arrival at the barriers of these lines until it goes on, on average of those that were timed.
pub(super) fn mean_wait_us(examined: &Examined, kernel: &str, ptx_lines: &[u32]) -> Option<f64> {
    let launches = examined.launches.iter().filter(|(entry, _)| *entry == kernel);
    let waits = launches.flat_map(|(_, report)| &report.barrier_waits).filter(|wait| ptx_lines.contains(&wait.line));
    let (sum, arrivals) = waits.fold((0.0, 0.0), |(sum, arrivals), wait| {
        (sum + wait.mean_us * wait.arrivals as f64, arrivals + wait.arrivals as f64)
    });
    (arrivals > 0.0).then(|| sum / arrivals)
}

/// The part of all threads that do nothing from which on they are a candidate; and the part of blocks. Where all do nothing there is no work.
pub(super) const IDLE_PART: f64 = 0.1;
/// See [`IDLE_PART`].
pub(super) const IDLE_BLOCKS_PART: f64 = 0.01;

/// Whether so many threads leave at a line without having done anything that it is a candidate.
pub(super) fn leaves_idle(line: &LineCounts, idle: &Idle) -> bool {
    let is_much = line.idle_threads > IDLE_PART * idle.threads || line.idle_blocks > IDLE_BLOCKS_PART * idle.blocks;
    is_much && idle.idle_threads < idle.threads
}

/// The patterns of a line, with its accesses and how many of its executions are affected.
fn kinds<'a>(line: &'a LineCounts, idle: &Idle) -> Vec<(Kind, Option<&'a Accesses>, f64)> {
    let mut kinds = Vec::new();
    let LineCounts { global, shared, local, .. } = line;
    let is_atomic = line.atomics > 0.0;
    if !is_atomic && global.parts > UNCOALESCED_FROM * global.least {
        let kind = if global.stores { Kind::UncoalescedStore } else { Kind::UncoalescedLoad };
        kinds.push((kind, Some(global), global.requests));
    }
    if !is_atomic && shared.parts > CONFLICTS_FROM * shared.least {
        let kind = if shared.stores { Kind::BankConflictStore } else { Kind::BankConflictLoad };
        kinds.push((kind, Some(shared), shared.requests));
    }
    if line.divergent > 0.0 {
        kinds.push((Kind::Divergence, None, line.divergent));
    }
    if line.barriers > 0.0 {
        kinds.push((Kind::BarrierWait, None, line.barriers));
        kinds.push((Kind::UnevenWork, None, line.barriers));
    }
    if is_atomic && (line.atomics_met > 0.0 || line.wanted.most() >= ATOMICS_FROM || shared.requests > 0.0) {
        let accesses = if global.requests > 0.0 { global } else { shared };
        kinds.push((Kind::AtomicContention, Some(accesses), line.warps));
    }
    if line.fences > 0.0 {
        kinds.push((Kind::Fence, None, line.fences));
    }
    if local.requests > 0.0 {
        kinds.push((Kind::LocalMemory, Some(local), local.requests));
    }
    if line.divisions > 0.0 {
        kinds.push((Kind::Division, None, line.divisions));
    }
    if line.constant.places_each() > CONSTANT_PLACES_FROM {
        kinds.push((Kind::ConstantPlaces, None, line.constant.loads));
    }
    if leaves_idle(line, idle) {
        kinds.push((Kind::IdleThreads, None, line.idle_threads / LANES as f64));
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_waited_for_by_all_multiprocessors() {
        let weight = |kind, counted| {
            let place = Place { file: "a.cu".to_owned(), line: 1, text: String::new() };
            let (ptx_lines, branches, wanted) = (Vec::new(), Vec::new(), Wanted::default());
            let (kernel, cycles_per_sector) = ("k", 1.0);
            let own =
                Candidate { kernel, kind, place, ptx_lines, counted, beyond: 0.0, branches, wanted, cycles_per_sector };
            own.weight(132.0)
        };
        let atomics = Counted { atomics: (1e5, 1e4), atomics_at_one_address: 1e3, ..Counted::default() };
        assert_eq!(weight(Kind::AtomicContention, atomics).round() as u64, 142_000);
        let accesses = Accesses { parts: 32e3, least: 4e3, ..Accesses::default() };
        let loads = Counted { accesses, ..Counted::default() };
        assert_eq!(
            weight(Kind::UncoalescedLoad, loads).round() as u64,
            28_000,
            "each multiprocessor has an L1 of its own"
        );
    }
}
