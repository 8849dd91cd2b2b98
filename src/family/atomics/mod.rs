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

use crate::family::{Conflict, Family, Predictor, Size, Untyped, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet};
use crate::properties::Properties;

mod pattern;
mod reference;
mod workload;

/// The kernels of `cuda/atomics.cu`.
pub static PTX: &str = kernel::embedded("atomics");

/// The atomics family.
pub static FAMILY: Family = Family {
    name: "atomics",
    summary: "threads add to the same words, which atomics do one after another",
    ptx: PTX,
    size: Some(Size::new("elements", 1)),
    variants: &[
        Variant::new("global", "an atomic on global memory for each element: the pattern itself")
            .since(1, 1)
            .ignoring(&["copies"]),
        Variant::new("shared", "each block counts in shared memory and adds its counters to global memory at the end")
            .since(1, 2)
            .ignoring(&["copies"]),
        Variant::new("warp_aggregated", "lanes of a warp at the same counter find each other and one adds for all")
            .since(7, 0)
            .ignoring(&["copies"]),
        Variant::new(
            "privatised",
            "warps share several copies of the counters, which a second launch sums; they are not zeroed in the time",
        )
        .since(1, 1),
    ],
    parameters: PARAMETERS,
    predictors: &[
        Predictor {
            name: "lanes_per_address",
            summary: "lanes of a warp that want the same counter (mean over the counters that a warp wants)",
            parameters: &["addresses"],
        },
        Predictor {
            name: "elements_per_address",
            summary: "elements of all warps that go to the same counter (mean over the counters)",
            parameters: &["addresses", "elements"],
        },
        Predictor {
            name: "global_atomics",
            summary: "instructions of warps that are atomics on global memory",
            parameters: &["addresses", "elements"],
        },
    ],
    implementation: &Untyped { check, device_bytes: workload::device_bytes, workload: workload::build, verification },
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "addresses",
        summary: "counters that the elements go to, a power of two",
        kind: Kind::Integer { min: 1, max: 1 << 20, multiple_of: 1 },
        default: Default::Integer(32),
    },
    Parameter {
        name: "spread",
        summary: "inside_warp: a warp's lanes go to as many counters as there are; across_warps: all of them go to one",
        kind: Kind::Choice(&["inside_warp", "across_warps"]),
        default: Default::Text("inside_warp"),
    },
    Parameter {
        name: "copies",
        summary: "copies of the counters that warps share where these are privatised, a power of two",
        kind: Kind::Integer { min: 1, max: 1024, multiple_of: 1 },
        default: Default::Integer(32),
    },
    Parameter {
        name: "elements",
        summary: "elements that are counted",
        kind: Kind::Integer { min: 1, max: 1 << 28, multiple_of: 1 },
        default: Default::Integer(1 << 22),
    },
];

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    for (name, names) in [("addresses", &["addresses"]), ("copies", &["copies"])] {
        let value = parameters.integer(name);
        if !value.is_power_of_two() {
            return Err(Conflict {
                parameters: names,
                problem: format!("{value} is no power of two, so finding a counter would take longer than counting"),
                help: format!("use {} or {}", value.next_power_of_two() / 2, value.next_power_of_two()),
            });
        }
    }
    Ok(())
}

/// Numbers of elements that fill no warp, no block and no grid; fewer counters than lanes and more, and more than elements.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let defaults = ParameterSet::defaults(PARAMETERS, properties);
    let mut points = Vec::new();
    for spread in ["inside_warp", "across_warps"] {
        for elements in [1, 31, 33, 1024, 5000] {
            for addresses in [1, 2, 16, 64, 2048] {
                let point =
                    defaults.clone().with("spread", spread).with("elements", elements).with("addresses", addresses);
                points.push(point.clone());
                points.push(point.with("copies", if addresses == 1 { 1 } else { 4 }));
            }
        }
    }
    let many = defaults.with("elements", 1_000_003);
    points.extend([8, 64].map(|addresses| many.clone().with("addresses", addresses)));
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::device::mock::{Mock, MockSettings};

    pub(super) fn properties() -> Properties {
        Mock::new(MockSettings::default()).properties().clone()
    }

    /// The family's defaults, at a small size.
    pub(super) fn parameters() -> ParameterSet {
        ParameterSet::defaults(PARAMETERS, &properties()).with("elements", 1000)
    }

    #[test]
    fn only_powers_of_two_are_taken() {
        assert_eq!(check(&parameters().with("addresses", 1).with("copies", 1024)), Ok(()));
        let conflict = check(&parameters().with("addresses", 12)).unwrap_err();
        assert_eq!((conflict.parameters, conflict.help.as_str()), (&["addresses"][..], "use 8 or 16"));
        assert_eq!(check(&parameters().with("copies", 3)).unwrap_err().parameters, ["copies"]);
    }

    #[test]
    fn verification_points_are_within_range() {
        for point in verification(&properties()) {
            check(&point).unwrap();
            for parameter in PARAMETERS {
                parameter.kind.check(point.get(parameter.name).unwrap()).unwrap();
            }
        }
    }
}
