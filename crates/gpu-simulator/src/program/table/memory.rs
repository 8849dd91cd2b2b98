//! Rows of loads, stores, atomics and fences.

use super::{FREE, MOVE, OTHER, Row};
use crate::arithmetic::Narrow;
use crate::class::{Class, Cost};
use crate::program::lower::memory;
use crate::program::{Atomic, AtomicFunction, FenceScope, Operation, Space};

const DATA: &str = "Data Movement and Conversion Instructions";
const SYNCHRONIZATION: &str = "Parallel Synchronization and Communication Instructions";

const GLOBAL: Cost = Cost::of(Class::Global);
const SHARED: Cost = Cost::of(Class::Shared);
const LOCAL: Cost = Cost::of(Class::Local);
const CONSTANT: Cost = Cost::of(Class::Constant);
const ATOMIC: Cost = Cost::of(Class::Atomic);

const GENERIC: &str = "a generic address";
const CLUSTER_SCOPE: &str = "the scope of a cluster";

/// An atomic or a reduction, with what it needs and when that is so.
macro_rules! atomic {
    ($case:literal, $what:expr, $major:literal, $minor:literal, |$own:ident| $applies:expr) => {
        Row::other("atom|red.*", SYNCHRONIZATION, ATOMIC, memory::atomic)
            .when($case, |operation, _| {
                let Operation::Atomic($own) = operation else { return false };
                $applies
            })
            .needs($what, $major, $minor)
    };
}

pub(super) static ROWS: &[Row] = &[
    // In registers, if the function is not inlined altogether.
    Row::other("ld.param|param::func|param::entry.*", DATA, FREE, memory::load)
        .when("from a device function's parameters", |own, _| is_in(own, Space::Local)),
    // Kernel arguments are in shared memory there (CUDA C Programming Guide 4.x, section 5.2.3), and like all that is
    // there they are operands of what uses them.
    Row::other("ld.*", DATA, MOVE, memory::load)
        .when("from the kernel's parameters", |own, _| is_in(own, Space::Parameter))
        .on_capability_1(FREE),
    Row::other("ld.*", DATA, GLOBAL, memory::load)
        .when("from global memory or a generic address, in the scope of a cluster", |own, _| is_for_cluster(own))
        .needs(CLUSTER_SCOPE, 9, 0),
    Row::other("ld.*", DATA, GLOBAL, memory::load).when("from global memory", |own, _| is_in(own, Space::Global)),
    Row::other("ld.*", DATA, SHARED, memory::load).when("from shared memory", |own, _| is_in(own, Space::Shared)),
    Row::other("ld.*", DATA, LOCAL, memory::load).when("from local memory", |own, _| is_in(own, Space::Local)),
    Row::other("ld.*", DATA, CONSTANT, memory::load).when("from constant memory", |own, _| is_in(own, Space::Constant)),
    Row::other("ld.*", DATA, GLOBAL, memory::load)
        .when("from a generic address", |own, _| is_in(own, Space::Generic))
        .needs(GENERIC, 2, 0),
    Row::other("st.param|param::func|param::entry.*", DATA, FREE, memory::store)
        .when("to a device function's parameters", |own, _| is_in(own, Space::Local)),
    Row::other("st.*", DATA, GLOBAL, memory::store)
        .when("to global memory or a generic address, in the scope of a cluster", |own, _| is_for_cluster(own))
        .needs(CLUSTER_SCOPE, 9, 0),
    Row::other("st.*", DATA, GLOBAL, memory::store).when("to global memory", |own, _| is_in(own, Space::Global)),
    Row::other("st.*", DATA, SHARED, memory::store).when("to shared memory", |own, _| is_in(own, Space::Shared)),
    Row::other("st.*", DATA, LOCAL, memory::store).when("to local memory", |own, _| is_in(own, Space::Local)),
    Row::other("st.*", DATA, GLOBAL, memory::store)
        .when("to a generic address", |own, _| is_in(own, Space::Generic))
        .needs(GENERIC, 2, 0),
    Row::other("cp.async.ca|cg.shared|shared::cta.global.*", DATA, GLOBAL, memory::copy_async).needs(
        "an asynchronous copy",
        8,
        0,
    ),
    Row::other("cp.async.commit_group|wait_group|wait_all", DATA, OTHER, memory::copy_groups),
    // Hints to the caches. Only prefetches of global memory to L2 are followed.
    Row::other("prefetch.global|local?.L1|L2|L2::evict_last|L2::evict_normal", DATA, OTHER, memory::hint).needs(
        "a prefetch",
        2,
        0,
    ),
    Row::other("prefetchu.L1", DATA, OTHER, memory::hint).needs("a prefetch", 2, 0),
    Row::other("applypriority.global?.L2::evict_normal", DATA, OTHER, memory::hint).needs("applypriority", 8, 0),
    Row::other("discard.global?.L2", DATA, OTHER, memory::hint).needs("discard", 8, 0),
    // A load that all lanes have the same address for, as GPUs before compute capability 5 did it.
    Row::other("ldu.*", DATA, GLOBAL, memory::load).needs("ldu", 2, 0),
    Row::other("createpolicy.fractional|range.*", DATA, OTHER, memory::policy).needs("a cache policy", 8, 0),
    Row::other("fence.proxy.async.global|shared::cta|shared::cluster?", SYNCHRONIZATION, OTHER, memory::proxy_fence)
        .needs("a fence between proxies", 9, 0),
    Row::other("fence.mbarrier_init.release.cluster", SYNCHRONIZATION, OTHER, memory::proxy_fence).needs(
        "a fence between proxies",
        9,
        0,
    ),
    Row::other("membar.cta|gl|sys", SYNCHRONIZATION, OTHER, memory::fence),
    Row::other("fence.sc|acq_rel?.cta|gpu|sys", SYNCHRONIZATION, OTHER, memory::fence),
    Row::other("fence.sc|acq_rel?.cluster", SYNCHRONIZATION, OTHER, memory::fence).needs(CLUSTER_SCOPE, 9, 0),
    atomic!("in the scope of a cluster", CLUSTER_SCOPE, 9, 0, |own| own.scope == FenceScope::Cluster),
    atomic!("of a vector", "an atomic addition of a vector", 9, 0, |own| !own.more.is_empty()),
    atomic!("adding a bf16, or two", "an atomic addition of bf16", 9, 0, |own| adds_brain(own)),
    atomic!("of 32 bits of global memory", "an atomic", 1, 1, |own| is_plain(own, Space::Global, false)),
    atomic!("of 64 bits of global memory", "a 64-bit atomic", 1, 2, |own| is_plain(own, Space::Global, true)),
    atomic!("of 32 bits of shared memory", "an atomic on shared memory", 1, 2, |own| {
        is_plain(own, Space::Shared, false)
    }),
    atomic!("of 64 bits of shared memory", "a 64-bit atomic on shared memory", 2, 0, |own| {
        is_plain(own, Space::Shared, true)
    }),
    atomic!("at a generic address", "an atomic on a generic address", 2, 0, |own| {
        own.space == Space::Generic && !adds_float(own) && own.bytes > 2
    }),
    atomic!("adding an f16, or two", "an atomic addition in half precision", 6, 0, |own| is_narrow(own)),
    atomic!("of 16 bits", "a 16-bit atomic", 7, 0, |own| own.bytes == 2 && !is_narrow(own)),
    atomic!("adding an f32", "a floating-point atomic addition", 2, 0, |own| adds_float(own)
        && !is_narrow(own)
        && !own.long),
    atomic!("adding an f64", "a double-precision atomic addition", 6, 0, |own| adds_float(own) && own.long),
];

fn is_in(operation: &Operation, space: Space) -> bool {
    match operation {
        Operation::Load { access, .. } | Operation::Store { access, .. } => access.space == space,
        _ => false,
    }
}

/// Whether a load or store elsewhere than in shared memory is ordered for a cluster.
fn is_for_cluster(operation: &Operation) -> bool {
    match operation {
        Operation::Load { access, .. } | Operation::Store { access, .. } => {
            access.scope == FenceScope::Cluster && matches!(access.space, Space::Global | Space::Generic)
        }
        _ => false,
    }
}

fn adds_float(atomic: &Atomic) -> bool {
    atomic.function.adds_float()
}

fn is_narrow(atomic: &Atomic) -> bool {
    matches!(atomic.function, AtomicFunction::AddNarrow { .. })
}

fn adds_brain(atomic: &Atomic) -> bool {
    matches!(atomic.function, AtomicFunction::AddNarrow { format: Narrow::Brain, .. })
}

fn is_plain(atomic: &Atomic, space: Space, long: bool) -> bool {
    !adds_float(atomic) && atomic.bytes > 2 && (atomic.space, atomic.long) == (space, long)
}
