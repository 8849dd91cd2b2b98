//! Fences beside independent work: what a fence waits for, by its order and its scope, and what goes on meanwhile.
//!
//! Before each fence a thread has stores on their way, or loads in flight. Behind it there is arithmetic that nothing else depends on.

use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::parameter::Named;
use crate::properties::Properties;
use crate::workload::Workload;

mod kernels;
mod workload;

/// The numbers of stores and of loads that kernels are compiled for.
const ACCESSES: [u32; 6] = [0, 1, 2, 4, 8, 16];

/// The kernels of `cuda/fences.cu`.
pub static PTX: Ptx = kernel::embedded("fences");

declare_family! {
    /// The family of fences beside independent work.
    pub static FAMILY = {
        name: "fences",
        summary: "threads order what they stored or loaded before what follows, and wait for it",
        ptx: PTX,
        size: waits ^ 1,
        reads_clock: true,
    };

    struct Parameters {
        scope: Scope = Scope::Device, one of { Block = "block", Cluster = "cluster", Device = "device", System = "system" },
            "for whom it is ordered: the block (cta), the cluster of blocks (compute capability 9.0), the device (gpu), or the host and other devices, too (sys)";
        place: Place = Place::Global, one of { Global = "global", Shared = "shared" },
            "where the stores go: to global memory, whose lines L2 has, or to shared memory";
        stores: u32 = 4, in 0..=16,
            "stores of a thread before each fence: 0, 1, 2, 4, 8 or 16, each of a warp to a line of its own";
        loads: u32 = 0, in 0..=16,
            "loads from global memory before each fence, which are needed only at the end of the round: 0, 1, 2, 4, 8 or 16, and none where there are stores";
        work: u32 = 0, in 0..=1024, step 8,
            "multiply-adds behind each fence, one after another, that do not depend on anything before it";
        waits: u32 = 256, in 1..=1 << 16,
            "fences, one after another";
        block: u32 = 32, in 32..=512, step 32,
            "threads per block";
        launched_blocks: u32 = 1, in 1..=1 << 16,
            "blocks of the launch";
    }

    enum Variant {
        SequentialFence = "sequential_fence": "fence.sc, which is what __threadfence() and its like are; this variant has the pattern", since (7, 0);
        AcquireReleaseFence = "acquire_release_fence": "fence.acq_rel, which is weaker", since (7, 0);
        FenceAndStore = "fence_and_store": "fence.acq_rel, then a flag is stored by st.relaxed", since (7, 0), ignores [place, loads];
        ReleaseStore = "release_store": "the flag is stored by st.release, without a fence", since (7, 0), ignores [place, loads];
        LoadAndFence = "load_and_fence": "a flag is loaded by ld.relaxed, then fence.acq_rel", since (7, 0), ignores [place, stores, loads];
        AcquireLoad = "acquire_load": "the flag is loaded by ld.acquire, without a fence", since (7, 0), ignores [place, stores, loads];
        None = "none": "the same rounds with nothing that orders; behind loads it needs compute capability 7.0", ignores [scope];
    }

    struct Predictors {
        accesses_per_wait: "stores and loads of a thread before each fence", of [stores, loads];
    }
}

impl Variant {
    /// Whether it sets a flag.
    fn stores_flag(self) -> bool {
        matches!(self, Self::FenceAndStore | Self::ReleaseStore)
    }

    /// Whether it reads a flag.
    fn loads_flag(self) -> bool {
        matches!(self, Self::LoadAndFence | Self::AcquireLoad)
    }
}

impl Parameters {
    /// The same without what the variant does not do.
    fn of(&self, variant: Variant) -> Self {
        let has_flag = variant.stores_flag() || variant.loads_flag();
        Self {
            place: if has_flag { Place::Global } else { self.place },
            stores: if variant.loads_flag() { 0 } else { self.stores },
            loads: if has_flag { 0 } else { self.loads },
            ..self.clone()
        }
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let of_kernels = || ACCESSES.map(|count| count.to_string()).join(", ");
        for (count, parameters) in
            [(self.stores, const { &[Self::NAMES.stores] }), (self.loads, const { &[Self::NAMES.loads] })]
        {
            if !ACCESSES.contains(&count) {
                return Err(Conflict {
                    parameters,
                    problem: format!("there is no kernel with {count} {} before each fence", parameters[0]),
                    help: format!("use one of {}", of_kernels()),
                });
            }
        }
        if self.stores > 0 && self.loads > 0 {
            return Err(Conflict {
                parameters: const { &[Self::NAMES.loads, Self::NAMES.stores] },
                problem: format!("there is no kernel with both: {} loads and {} stores", self.loads, self.stores),
                help: "set one of them to 0".to_owned(),
            });
        }
        if self.stores == 0 && self.place == Place::Shared {
            return Err(Conflict {
                parameters: const { &[Self::NAMES.place, Self::NAMES.stores] },
                problem: "without stores none goes to shared memory".to_owned(),
                help: format!("{} = \"global\", or {} = 4", Self::NAMES.place, Self::NAMES.stores),
            });
        }
        Ok(())
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, _: Variant, _: &Properties) -> Predictors {
        workload::predictors(self)
    }

    fn workload(&self, variant: Variant, _: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, seed)
    }

    /// Every kernel that the device has, with work and without, in blocks of one warp and of several.
    fn verification(device: &Properties) -> Vec<Self> {
        let mut points = Vec::new();
        let has_clusters = device.capability() >= (9, 0);
        for &scope in Scope::ALL.iter().filter(|scope| has_clusters || **scope != Scope::Cluster) {
            for (waits, work, block, launched_blocks) in [(1, 0, 32, 1), (70, 24, 96, 3)] {
                let mut add = |place, stores, loads| {
                    points.push(Self { scope, place, stores, loads, work, waits, block, launched_blocks });
                };
                add(Place::Global, 0, 0);
                for count in &ACCESSES[1..] {
                    add(Place::Global, *count, 0);
                    add(Place::Shared, *count, 0);
                    if device.capability() >= (7, 0) {
                        add(Place::Global, 0, *count);
                    }
                }
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
    fn values_without_a_kernel_are_refused_with_those_that_have_one() {
        assert_eq!(Parameters { ..defaults() }.check(), Ok(()));
        let refused = |own: Parameters| {
            let conflict = own.check().unwrap_err();
            format!("{}: {}; {}", conflict.parameters.join(", "), conflict.problem, conflict.help)
        };
        let all = [
            refused(Parameters { stores: 3, ..defaults() }),
            refused(Parameters { loads: 5, stores: 0, ..defaults() }),
            refused(Parameters { loads: 4, stores: 16, ..defaults() }),
            refused(Parameters { place: Place::Shared, stores: 0, ..defaults() }),
        ];
        insta::assert_snapshot!(all.join("\n"));
    }
}
