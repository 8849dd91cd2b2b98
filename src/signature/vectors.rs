//! Types that CUDA's headers define as structures: vectors, `dim3` and halves.

use super::parameters::{scalar, vector};
use super::{Member, MemberKind, Structure};
use crate::workload::Element;

/// What the components of a vector are called.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];
/// The most that a vector's address is a multiple of.
const ALIGN_MOST: u64 = 16;

impl Structure {
    /// The structure that CUDA's headers define by this name.
    pub(super) fn of_cuda(name: &str) -> Option<Self> {
        let half = || scalar(name).filter(|own| matches!(own, Element::Float(16) | Element::BrainFloat));
        let (element, count) = match name {
            "dim3" => (Element::Unsigned(32), 3),
            _ => vector(name).or_else(|| half().map(|own| (own, 1)))?,
        };
        let member =
            |component: &&str| Member { name: (*component).to_owned(), kind: MemberKind::Number(element), count: 1 };
        let members = COMPONENTS.iter().take(count as usize).map(member).collect();
        // CUDA Programming Guide, "Built-in Vector Types": three numbers are aligned as one.
        let bytes = element.bytes() * u64::from(count);
        let asked_align = (count % 2 == 0).then_some(bytes.min(ALIGN_MOST));
        Some(Self { name: name.to_owned(), members, asked_align })
    }

    /// Whether CUDA's headers define it.
    pub fn is_of_cuda(&self) -> bool {
        Self::of_cuda(&self.name).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes and alignments are those that `static_assert` confirms with nvcc 13.0.
    #[test]
    fn structures_of_cuda_have_its_layout() {
        for (name, expected) in [
            ("dim3", (12, 4)),
            ("int3", (12, 4)),
            ("float1", (4, 4)),
            ("float2", (8, 8)),
            ("uchar4", (4, 4)),
            ("short3", (6, 2)),
            ("double2", (16, 16)),
            ("double4", (32, 16)),
            ("half2", (4, 4)),
            ("__half", (2, 2)),
            ("__nv_bfloat16", (2, 2)),
        ] {
            assert_eq!(Structure::of_cuda(name).map(|own| own.layout()), Some(expected), "{name}");
        }
        assert_eq!(["float", "int5", "bool", "Point"].map(Structure::of_cuda), [None, None, None, None]);
    }
}
