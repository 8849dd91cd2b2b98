//! Latency of memory: one thread follows a chain of loads through a set of places, each of which holds where the next one is.
//!
//! A set that a cache holds takes that cache's latency for each load, a larger one that of what is below it. So the time of a
//! load against the size of the set is a staircase, whose steps are the latencies and whose edges are the sizes of the caches.

use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod chain;
mod workload;

/// The kernels of `cuda/memory_latency.cu`.
pub static PTX: Ptx = kernel::embedded("memory_latency");

declare_family! {
    /// The family of dependent loads.
    pub static FAMILY = {
        name: "memory_latency",
        summary: "every load of a thread waits for the one before it, which says where it goes",
        ptx: PTX,
        size: loads ^ 1,
        reads_clock: true,
    };

    struct Parameters {
        set_bytes: u64 = 1 << 13, in 4..=1 << 30, step 4,
            "bytes that the places of the chain are spread over";
        stride_bytes: u32 = 128, in 4..=1 << 30, step 4,
            "bytes from one place to the next in memory";
        ordering: Order = Order::Random, one of { Random = "random", Sequential = "sequential" },
            "how the chain goes through the places: at random, each once before it comes back (the same for the same seed), or one after another";
        offset_bytes: u32 = 0, in 0..=1 << 30, step 4,
            "bytes of memory that are left out before the set: they move it to another slice of the L2 cache";
        loads: u32 = 4096, in 1..=1 << 24,
            "loads of the chain, one after another";
    }

    enum Variant {
        Global = "global": "loads from global memory; this variant has the pattern";
        GlobalPastL1 = "global_past_l1": "the same past the L1 cache (ld.global.cg)", since (2, 0);
        Shared = "shared": "loads from shared memory, which the whole set is copied to before; it is of one size and stride",
            ignores [set_bytes, stride_bytes, offset_bytes];
    }

    struct Predictors {
        places: "places of the chain: set_bytes / stride_bytes, rounded down", of [set_bytes, stride_bytes];
        cached_bytes:
            "bytes that the places take in a cache whose lines have 128 bytes",
            of [set_bytes, stride_bytes];
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let Self { set_bytes, stride_bytes, .. } = *self;
        if u64::from(stride_bytes) <= set_bytes {
            return Ok(());
        }
        Err(Conflict {
            parameters: &[Self::NAMES.stride_bytes, Self::NAMES.set_bytes],
            problem: format!("a set of {set_bytes} bytes has no place every {stride_bytes} bytes"),
            help: format!("give at most {set_bytes} for stride_bytes, or more set_bytes"),
        })
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, _: Variant, _: &Properties) -> Predictors {
        workload::predictors(self)
    }

    fn workload(&self, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, device, seed)
    }

    /// One place, two, and many; fewer loads than places, as many, and more; strides within a sector, within a line and beyond; offsets of all kinds.
    fn verification(_: &Properties) -> Vec<Self> {
        let mut points = Vec::new();
        for order in [Order::Random, Order::Sequential] {
            for (set_bytes, stride_bytes, loads) in [
                (4, 4, 1),
                (4, 4, 40),
                (8, 4, 15),
                (100, 12, 16),
                (1024, 32, 17),
                (4096, 128, 32),
                (4096, 128, 100),
                (8000, 132, 61),
                (8192, 4, 333),
                (8192, 4096, 64),
            ] {
                points.push(Self { set_bytes, stride_bytes, ordering: order, offset_bytes: loads * 4, loads });
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::defaults;

    #[test]
    fn a_stride_beyond_the_set_is_refused() {
        let point = Parameters { set_bytes: 128, ..defaults() };
        assert_eq!(point.check(), Ok(()));
        let refused = Parameters { stride_bytes: 132, ..point }.check().unwrap_err();
        assert_eq!(refused.parameters, ["stride_bytes", "set_bytes"]);
        assert!(refused.problem.contains("no place every 132 bytes"), "{refused:?}");
    }
}
