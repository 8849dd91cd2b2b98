//! The names of the kernels.

use super::{ACCESSES, Parameters, Place, Scope, Variant};

/// What a thread does before each fence: the place of its kernel in a list of names.
fn place_of(parameters: &Parameters) -> usize {
    let of_count = |count: u32| ACCESSES.iter().position(|own| *own == count).unwrap_or(0);
    match (parameters.place, parameters.stores, parameters.loads) {
        (_, 0, 0) => 0,
        (_, 0, loads) => 2 * (ACCESSES.len() - 1) + of_count(loads),
        (Place::Global, stores, _) => of_count(stores),
        (Place::Shared, stores, _) => ACCESSES.len() - 1 + of_count(stores),
    }
}

macro_rules! names_behind_stores {
    ($start:expr) => {
        [
            concat!($start, "_alone"),
            concat!($start, "_behind_1_global_stores"),
            concat!($start, "_behind_2_global_stores"),
            concat!($start, "_behind_4_global_stores"),
            concat!($start, "_behind_8_global_stores"),
            concat!($start, "_behind_16_global_stores"),
        ]
    };
}

macro_rules! names_behind_all {
    ($start:expr) => {
        [
            concat!($start, "_alone"),
            concat!($start, "_behind_1_global_stores"),
            concat!($start, "_behind_2_global_stores"),
            concat!($start, "_behind_4_global_stores"),
            concat!($start, "_behind_8_global_stores"),
            concat!($start, "_behind_16_global_stores"),
            concat!($start, "_behind_1_shared_stores"),
            concat!($start, "_behind_2_shared_stores"),
            concat!($start, "_behind_4_shared_stores"),
            concat!($start, "_behind_8_shared_stores"),
            concat!($start, "_behind_16_shared_stores"),
            concat!($start, "_behind_1_loads"),
            concat!($start, "_behind_2_loads"),
            concat!($start, "_behind_4_loads"),
            concat!($start, "_behind_8_loads"),
            concat!($start, "_behind_16_loads"),
        ]
    };
}

/// The kernels of a scope.
macro_rules! of_scope {
    ($scope:literal, $variant:expr, $place:expr) => {
        match $variant {
            Variant::SequentialFence => names_behind_all!(concat!("fences_sequential_fence_", $scope))[$place],
            Variant::AcquireReleaseFence => names_behind_all!(concat!("fences_acquire_release_fence_", $scope))[$place],
            Variant::FenceAndStore => names_behind_stores!(concat!("fences_fence_and_store_", $scope))[$place],
            Variant::ReleaseStore => names_behind_stores!(concat!("fences_release_store_", $scope))[$place],
            Variant::LoadAndFence => concat!("fences_load_and_fence_", $scope, "_alone"),
            Variant::AcquireLoad => concat!("fences_acquire_load_", $scope, "_alone"),
            Variant::None => names_behind_all!("fences_none")[$place],
        }
    };
}

/// The kernel of a variant, of parameters without what it does not do.
pub(super) fn entry(parameters: &Parameters, variant: Variant) -> &'static str {
    let place = place_of(parameters);
    match parameters.scope {
        Scope::Block => of_scope!("block", variant, place),
        Scope::Cluster => of_scope!("cluster", variant, place),
        Scope::Device => of_scope!("device", variant, place),
        Scope::System => of_scope!("system", variant, place),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{FAMILY, PTX};
    use super::*;
    use crate::family::FamilyPoint as _;
    use crate::family::fixtures::defaults;
    use crate::parameter::Named;

    #[test]
    fn every_kernel_that_is_named_is_there_and_says_what_it_is() {
        let mut names = BTreeSet::new();
        for &variant in Variant::ALL {
            let ignores = |name: &str| FAMILY.ignores(variant.name(), name);
            for &scope in Scope::ALL {
                for &place in Place::ALL {
                    for (stores, loads) in ACCESSES.iter().flat_map(|stores| ACCESSES.map(|loads| (*stores, loads))) {
                        let own = Parameters { scope, place, stores, loads, ..defaults() };
                        let differs = ignores("place") && place != Place::Global || ignores("loads") && loads != 0;
                        if own.check().is_err() || differs {
                            continue;
                        }
                        let entry = entry(&own, variant);
                        let scope = if ignores("scope") { String::new() } else { format!("_{}", scope.name()) };
                        let behind = match (stores, loads) {
                            _ if ignores("stores") => "alone".to_owned(),
                            (0, 0) => "alone".to_owned(),
                            (0, loads) => format!("behind_{loads}_loads"),
                            (stores, _) => format!("behind_{stores}_{}_stores", place.name()),
                        };
                        assert_eq!(entry, format!("fences_{}{scope}_{behind}", variant.name()));
                        assert!(PTX.text_of(entry, (9, 0)).is_some(), "{entry}");
                        names.insert(entry);
                    }
                }
            }
        }
        assert_eq!(names.len(), 16 + 4 * (16 + 16 + 6 + 6 + 1 + 1));
    }
}
