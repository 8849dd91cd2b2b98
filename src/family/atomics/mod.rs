//! Atomics: threads that add to the same word take turns (Cornelis 2010, section 5.1).
//!
//! Elements are counted as in a histogram: each adds its weight to one of a number of counters. `spread` says how the elements
//! of a warp lie, which are 32 that follow each other:
//!
//! - `inside_warp`: element *e* goes to counter *e* modulo `addresses`, so a warp's lanes go to as many counters as there are,
//!   up to 32;
//! - `across_warps`: element *e* goes to counter *e* / 32 modulo `addresses`, so all lanes of a warp go to the same counter,
//!   and the next warp's to the next.
//!
//! Counters and weights are computed from *e* rather than read, so that atomics dominate. Counters are not reset between runs:
//! they wrap around.

use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod assignment;
mod reference;
mod workload;

/// The kernels of `cuda/atomics.cu`.
pub static PTX: Ptx = kernel::embedded("atomics");

declare_family! {
    /// The atomics family.
    pub static FAMILY = {
        name: "atomics",
        summary: "threads add to the same words by atomics, which the GPU executes one after another",
        ptx: PTX,
        size: elements ^ 1,
    };

    struct Parameters {
        addresses: u64 = 32, in 1..=1 << 20,
            "number of counters; a power of two";
        spread: Spread = Spread::InsideWarp, one of { InsideWarp = "inside_warp", AcrossWarps = "across_warps" },
            "inside_warp: the lanes of a warp use as many counters as possible; across_warps: all lanes of a warp use the same counter";
        copies: u64 = 32, in 1..=1024,
            "copies of the counters in the privatised variant; a power of two";
        elements: u64 = 1 << 22, in 1..=1 << 28,
            "number of elements to count";
    }

    enum Variant {
        Global = "global":
            "an atomic on global memory for each element; this variant has the pattern",
            since (1, 1), ignores [copies];
        Shared = "shared":
            "each block counts in shared memory, and adds its counters to global memory at the end",
            since (1, 2), ignores [copies];
        WarpAggregated = "warp_aggregated":
            "lanes of a warp that want the same counter elect one lane, which adds for all of them",
            since (7, 0), ignores [copies];
        Privatised = "privatised":
            "warps share several copies of the counters, which a second launch sums; zeroing the copies is not timed",
            since (1, 1);
    }

    struct Predictors {
        lanes_per_address:
            "lanes of a warp that add to the same counter (mean over the counters of a warp)",
            of [addresses];
        elements_per_address:
            "elements of all warps that are counted by the same counter (mean over the counters)",
            of [addresses, elements];
        global_atomics:
            "atomic instructions on global memory, counted per warp",
            of [addresses, elements];
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        const ADDRESSES: &[&str] = &[Parameters::NAMES.addresses];
        const COPIES: &[&str] = &[Parameters::NAMES.copies];
        for (parameters, value) in [(ADDRESSES, self.addresses), (COPIES, self.copies)] {
            if !value.is_power_of_two() {
                return Err(Conflict {
                    parameters,
                    problem: format!(
                        "{value} is not a power of two; finding a counter would take longer than counting"
                    ),
                    help: format!("use {} or {}", value.next_power_of_two() / 2, value.next_power_of_two()),
                });
            }
        }
        Ok(())
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, device: &Properties) -> Predictors {
        workload::predictors(self, variant, device)
    }

    fn workload(&self, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
        workload::build(self, variant, device, seed)
    }

    /// Numbers of elements that fill no warp, no block and no grid; fewer counters than lanes and more, and more than elements.
    fn verification(device: &Properties) -> Vec<Self> {
        let defaults = Self::defaults(device);
        let mut points = Vec::new();
        for spread in [Spread::InsideWarp, Spread::AcrossWarps] {
            for elements in [1, 31, 33, 1024, 5000] {
                for addresses in [1, 2, 16, 64, 2048] {
                    let point = Self { addresses, spread, elements, ..defaults };
                    let copies = if addresses == 1 { 1 } else { 4 };
                    points.extend([point.clone(), Self { copies, ..point }]);
                }
            }
        }
        points.extend([8, 64].map(|addresses| Self { elements: 1_000_003, addresses, ..defaults }));
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::defaults;

    /// The family's defaults, at a small size.
    pub(super) fn small() -> Parameters {
        Parameters { elements: 1000, ..defaults() }
    }

    #[test]
    fn only_powers_of_two_are_taken() {
        assert_eq!(Parameters { addresses: 1, copies: 1024, ..small() }.check(), Ok(()));
        let conflict = Parameters { addresses: 12, ..small() }.check().unwrap_err();
        assert_eq!((conflict.parameters, conflict.help.as_str()), (&["addresses"][..], "use 8 or 16"));
        assert_eq!(Parameters { copies: 3, ..small() }.check().unwrap_err().parameters, ["copies"]);
    }
}
