//! How structures lie in memory: as an array of structures, whose fields a warp reads with gaps in between, or otherwise
//! (Cornelis 2010, section 4.3.1).

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, Family, Predictor, Size, Untyped, Variant};
use crate::kernel;
use crate::parameter::{Default, Kind, Parameter, ParameterSet};
use crate::properties::Properties;

mod access;
mod reference;
mod workload;

/// Fields of a structure at most: the kernels' template instances.
const FIELDS_MAX: usize = 8;

/// The kernels of `cuda/data_layout.cu`.
pub static PTX: &str = kernel::embedded("data_layout");

const ARRAY_OF_STRUCTURES: &str = "array_of_structures";
const STRUCTURE_OF_ARRAYS: &str = "structure_of_arrays";
const STAGED: &str = "staged_through_shared";
const STAGED_PADDED: &str = "staged_padded";

/// The family of data layouts. The input and the output of a variant are arranged as the variant has it; element by element
/// all compute the same.
pub static FAMILY: Family = Family {
    name: "data_layout",
    summary: "neighbouring lanes use neighbouring structures, so that the words of a request lie a structure apart",
    ptx: PTX,
    size: Some(Size::new("elements", 1)),
    variants: &[
        Variant::new(
            ARRAY_OF_STRUCTURES,
            "an array of structures, field after field of each lane's: the pattern itself",
        ),
        Variant::new(STRUCTURE_OF_ARRAYS, "an array for each field: the remedy, where the data can be arranged anew"),
        Variant::new(STAGED, "an array of structures, moved through shared memory by neighbouring words"),
        Variant::new(
            STAGED_PADDED,
            "the same with words left free in between, so that even structures have no bank conflicts",
        ),
    ],
    parameters: PARAMETERS,
    predictors: &[
        Predictor {
            name: "sectors_per_request",
            summary: "sectors or segments that a request to read moves, by the device's rule (mean over requests)",
            parameters: &["fields", "fields_used"],
        },
        Predictor {
            name: "bytes_moved",
            summary: "bytes of all that is moved, read and written, by the device's rule",
            parameters: &["fields", "fields_used", "elements"],
        },
        Predictor {
            name: "useful_share",
            summary: "share of the bytes moved that are of fields which are used",
            parameters: &["fields", "fields_used"],
        },
        Predictor {
            name: "conflict_degree",
            summary: "passes over the banks in which a warp reads a field in shared memory; 0 where it does not",
            parameters: &["fields"],
        },
    ],
    implementation: &Untyped { check, device_bytes: workload::device_bytes, workload: workload::build, verification },
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "fields",
        summary: "fields of a structure, words of 4 bytes",
        kind: Kind::Integer { min: 1, max: FIELDS_MAX as i64, multiple_of: 1 },
        default: Default::Integer(3),
    },
    Parameter {
        name: "fields_used",
        summary: "fields that are read and written, the first ones; no more than there are",
        kind: Kind::Integer { min: 1, max: FIELDS_MAX as i64, multiple_of: 1 },
        default: Default::Integer(3),
    },
    Parameter {
        name: "elements",
        summary: "structures",
        kind: Kind::Integer { min: 1, max: 1 << 25, multiple_of: 1 },
        default: Default::OfDevice(elements_beyond_l2),
    },
    Parameter {
        name: "block",
        summary: "threads of a block, each of which takes one structure",
        kind: Kind::Integer { min: 32, max: 1024, multiple_of: 32 },
        default: Default::Integer(256),
    },
];

/// The smallest power of two, 2^20 or more, at which input and output of structures of three fields are three times the
/// L2 cache.
fn elements_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 1 << 20, 3, |elements| 2 * 3 * 4 * elements)
}

fn check(parameters: &ParameterSet) -> Result<(), Conflict> {
    let (fields, used) = (parameters.integer("fields"), parameters.integer("fields_used"));
    if used <= fields {
        return Ok(());
    }
    Err(Conflict {
        parameters: &["fields_used", "fields"],
        problem: format!("{used} fields cannot be used of structures of {fields}"),
        help: format!("give at most {fields} for fields_used, or vary both together in a [[zip]]"),
    })
}

/// One structure, no full warp, a full block, and neither; all fields, one field, and some of them.
fn verification(properties: &Properties) -> Vec<ParameterSet> {
    let defaults = ParameterSet::defaults(PARAMETERS, properties);
    let mut points = Vec::new();
    for fields in 1..=FIELDS_MAX as i64 {
        let mut all_used = vec![1, (fields + 1) / 2, fields];
        all_used.dedup();
        for used in all_used {
            for (elements, block) in [(1, 32), (31, 64), (256, 256), (1000, 96), (2053, 256)] {
                let point = defaults.clone().with("fields", fields).with("fields_used", used);
                points.push(point.with("elements", elements).with("block", block));
            }
        }
    }
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

    pub(super) fn parameters(fields: i64, used: i64, elements: i64) -> ParameterSet {
        let defaults = ParameterSet::defaults(PARAMETERS, &properties());
        defaults.with("fields", fields).with("fields_used", used).with("elements", elements)
    }

    #[test]
    fn on_an_h200_the_default_is_the_size_of_table_4_3() {
        let mut properties = properties();
        for (l2_mebibytes, elements) in [(0, 1 << 20), (60, 8_388_608)] {
            properties.l2_bytes = l2_mebibytes << 20;
            assert_eq!(elements_beyond_l2(&properties), elements, "{l2_mebibytes} MiB");
        }
    }

    #[test]
    fn more_fields_than_there_are_cannot_be_used() {
        assert_eq!(check(&parameters(3, 3, 1)), Ok(()));
        let refused = check(&parameters(2, 3, 1)).unwrap_err();
        assert_eq!(refused.problem, "3 fields cannot be used of structures of 2");
    }

    #[test]
    fn verification_points_are_within_range_and_different() {
        let points = verification(&properties());
        for (index, point) in points.iter().enumerate() {
            check(point).unwrap();
            assert!(!points[..index].contains(point), "{point}");
            for parameter in PARAMETERS {
                parameter.kind.check(point.get(parameter.name).unwrap()).unwrap();
            }
        }
    }
}
