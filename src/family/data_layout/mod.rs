//! How structures lie in memory: as an array of structures, whose fields a warp reads with gaps in between, or otherwise
//! (Cornelis 2010, section 4.3.1).

use crate::family::inputs::size_beyond_l2;
use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::properties::Properties;
use crate::workload::Workload;

mod access;
mod reference;
mod workload;

/// Fields of a structure at most: the kernels' template instances.
const FIELDS_MAX: i64 = 8;

/// The kernels of `cuda/data_layout.cu`.
pub static PTX: Ptx = kernel::embedded("data_layout");

declare_family! {
    /// The family of data layouts. The input and the output of a variant are arranged as the variant has it; element by element
    /// all compute the same.
    pub static FAMILY = {
        name: "data_layout",
        summary: "lanes of a warp access an array of structures, so that the words of a request are a structure apart",
        ptx: PTX,
        size: elements ^ 1,
    };

    struct Parameters {
        fields: u64 = 3, in 1..=FIELDS_MAX,
            "fields per structure, each a word of 4 bytes";
        fields_used: u64 = 3, in 1..=FIELDS_MAX,
            "the first fields_used fields are read and written; at most fields";
        elements: u64 => elements_beyond_l2, in 1..=1 << 25,
            "structures";
        block: u32 = 256, in 32..=1024, step 32,
            "threads per block, each with one structure";
    }

    enum Variant {
        ArrayOfStructures = "array_of_structures":
            "an array of structures, accessed field by field; this variant has the pattern";
        StructureOfArrays = "structure_of_arrays":
            "a structure of arrays, one for each field; for data that can be rearranged";
        StagedThroughShared = "staged_through_shared":
            "an array of structures, staged through shared memory by coalesced accesses";
        StagedPadded = "staged_padded":
            "the same with padding in shared memory, so that structures with an even number of fields have no bank conflicts";
    }

    struct Predictors {
        sectors_per_request:
            "sectors or segments of memory that a read request moves, by the rule of the device (mean over requests)",
            of [fields, fields_used];
        bytes_moved:
            "bytes that are moved, read and written, by the rule of the device",
            of [fields, fields_used, elements];
        useful_share:
            "share of the moved bytes that belong to used fields",
            of [fields, fields_used];
        conflict_degree:
            "passes over the banks of shared memory for a warp to read one field; 0 for variants without shared memory",
            of [fields];
    }
}

/// The smallest power of two, 2^20 or more, at which input and output of structures of three fields are three times the
/// L2 cache.
fn elements_beyond_l2(properties: &Properties) -> u64 {
    size_beyond_l2(properties, 1 << 20, 3, |elements| 2 * 3 * 4 * elements)
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        let Self { fields, fields_used: used, .. } = *self;
        if used <= fields {
            return Ok(());
        }
        Err(Conflict {
            parameters: &[Self::NAMES.fields_used, Self::NAMES.fields],
            problem: format!("{used} fields cannot be used: the structures have {fields}"),
            help: format!("give at most {fields} for fields_used, or vary both together in a [[zip]]"),
        })
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

    /// One structure, no full warp, a full block, and neither; all fields, one field, and some of them.
    fn verification(_: &Properties) -> Vec<Self> {
        let mut points = Vec::new();
        for fields in 1..=FIELDS_MAX.unsigned_abs() {
            let mut all_used = vec![1, fields.div_ceil(2), fields];
            all_used.dedup();
            for fields_used in all_used {
                for (elements, block) in [(1, 32), (31, 64), (256, 256), (1000, 96), (2053, 256)] {
                    points.push(Self { fields, fields_used, elements, block });
                }
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::{defaults, properties};

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
        assert_eq!(Parameters { fields: 3, fields_used: 3, ..defaults() }.check(), Ok(()));
        let refused = Parameters { fields: 2, fields_used: 3, ..defaults() }.check().unwrap_err();
        assert_eq!(refused.problem, "3 fields cannot be used: the structures have 2");
    }
}
