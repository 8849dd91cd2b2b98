use std::collections::BTreeSet;

use super::fixtures::{bytes_of_buffers, properties};
use super::*;
use crate::kernel;
use crate::parameter::Kind;
use crate::workload::Workload;
use gpu_simulator::profile::Profile;

/// A GPU of today, and two of the past whose blocks are smaller.
fn devices() -> [Properties; 3] {
    let old = |name| Properties::simulated(&Profile::load(name).unwrap());
    [properties(), old("gtx280"), old("8500gt")]
}

/// The smallest verification points of a family.
fn small_points(family: &Family, device: &Properties) -> Vec<ParameterSet> {
    let mut points = family.verification(device);
    points.sort_by_key(|point| family.device_bytes(point).unwrap());
    points.truncate(6);
    points
}

fn workload(family: &Family, variant: &Variant, parameters: &ParameterSet, device: &Properties) -> Workload {
    family.workload(&Request { variant: variant.name, parameters, device, seed: 1 }).unwrap()
}

#[test]
fn names_that_are_declared_refer_to_parameters_that_there_are() {
    for family in FAMILIES {
        let ignored = family.variants.iter().flat_map(|variant| variant.ignores);
        let explaining = family.predictors.iter().flat_map(|predictor| predictor.parameters);
        let size = family.size.iter().map(|size| &size.parameter);
        for name in ignored.chain(explaining).chain(size) {
            assert!(family.parameter(name).is_some(), "{} has no {name}", family.name);
        }
    }
}

#[test]
fn kernels_are_those_of_the_file_of_the_family_s_name() {
    for family in FAMILIES {
        assert_eq!(family.ptx.modules(), kernel::embedded(family.name).modules(), "{}", family.name);
    }
}

#[test]
fn defaults_are_allowed_and_go_together() {
    for (family, device) in FAMILIES.iter().flat_map(|family| devices().map(|device| (family, device))) {
        let defaults = ParameterSet::defaults(family.parameters, &device);
        for (name, value) in defaults.iter() {
            assert!(family.allows(name, value), "{}: {name} = {value}", family.name);
        }
        assert_eq!(family.check(&defaults), Ok(()), "{}", family.name);
    }
}

#[test]
fn verification_points_are_allowed_and_of_odd_and_even_sizes() {
    for (family, device) in FAMILIES.iter().flat_map(|family| devices().map(|device| (family, device))) {
        let mut parities = BTreeSet::new();
        for point in family.verification(&device) {
            for (name, value) in point.iter() {
                assert!(family.allows(name, value), "{}: {name} = {value}", family.name);
            }
            assert_eq!(family.check(&point), Ok(()), "{}: {point}", family.name);
            // Of a size that is a multiple of something, the multiples are odd and even.
            let parity = |name| point.read::<u64>(name).unwrap() / multiple_of(family, name) % 2;
            parities.extend(family.size.map(|size| parity(size.parameter)));
        }
        assert_eq!(parities.len(), 2, "{}", family.name);
    }
}

/// What the values of a parameter are multiples of.
fn multiple_of(family: &Family, parameter: &str) -> u64 {
    match family.parameter(parameter).unwrap().kind {
        Kind::Integer { multiple_of, .. } => multiple_of as u64,
        _ => 1,
    }
}

#[test]
fn workloads_have_the_family_s_predictors_in_their_order_and_its_entries() {
    for (family, device) in FAMILIES.iter().flat_map(|family| devices().map(|device| (family, device))) {
        let point = &small_points(family, &device)[0];
        for variant in family.variants.iter().filter(|variant| variant.refusal(&device).is_none()) {
            let workload = workload(family, variant, point, &device);
            let names: Vec<&str> = workload.predictors.iter().map(|(name, _)| *name).collect();
            let declared: Vec<&str> = family.predictors.iter().map(|predictor| predictor.name).collect();
            assert_eq!(names, declared, "{}/{}", family.name, variant.name);
            assert_eq!(workload.launches().next().is_none(), variant.is_host || variant.name == "driver_copy");
            for launch in workload.launches() {
                assert!(family.ptx.text_of(launch.entry, device.capability()).is_some(), "{}", launch.entry);
            }
        }
    }
}

#[test]
fn no_point_needs_more_memory_than_was_foreseen_and_the_host_s_needs_none() {
    let device = properties();
    for family in FAMILIES {
        for point in small_points(family, &device) {
            for variant in family.variants {
                let bytes = bytes_of_buffers(&workload(family, variant, &point, &device));
                assert!(bytes <= family.device_bytes(&point).unwrap(), "{}/{}: {point}", family.name, variant.name);
                assert!(bytes == 0 || !variant.is_host, "{}/{}", family.name, variant.name);
            }
        }
    }
}

#[test]
fn a_variant_that_there_is_not_is_an_error_and_no_default() {
    let device = properties();
    for family in FAMILIES {
        let parameters = &ParameterSet::defaults(family.parameters, &device);
        let request = Request { variant: "no_such_variant", parameters, device: &device, seed: 1 };
        let error = family.workload(&request).unwrap_err();
        assert_eq!(error, Mismatch::Variant("no_such_variant".to_owned()), "{}", family.name);
        assert_eq!(error.to_string(), "there is no variant `no_such_variant`");
    }
}

#[test]
fn a_value_that_is_missing_or_of_another_kind_is_an_error_and_not_zero() {
    let device = properties();
    for family in FAMILIES {
        let defaults = ParameterSet::defaults(family.parameters, &device);
        for parameter in family.parameters {
            let without = ParameterSet::new(
                defaults.iter().filter(|(name, _)| *name != parameter.name).map(|(name, value)| (name, value.clone())),
            );
            assert_eq!(family.device_bytes(&without), Err(Mismatch::Missing(parameter.name)), "{}", family.name);
            let mut other = defaults.clone();
            other.set(parameter.name, "no such value").unwrap();
            let expected = Mismatch::Value { name: parameter.name, value: Value::from("no such value") };
            assert_eq!(family.device_bytes(&other), Err(expected), "{}", family.name);
            assert!(family.check(&other).unwrap_err().problem.contains(parameter.name));
        }
    }
}

#[test]
fn a_name_that_there_is_not_is_an_error_and_sets_nothing() {
    let mut point = ParameterSet::defaults(block_sync::FAMILY.parameters, &properties());
    let before = point.clone();
    assert_eq!(point.set("intervall", 5), Err(Mismatch::Unknown("intervall".to_owned())));
    assert_eq!(point, before);
}

#[test]
fn words_of_twelve_bytes_are_refused() {
    for family in [&shared_access::FAMILY, &global_access::FAMILY] {
        let mut point = ParameterSet::defaults(family.parameters, &properties());
        for word_bytes in [4, 8, 16] {
            point.set("word_bytes", word_bytes).unwrap();
            assert_eq!(family.check(&point), Ok(()), "{}", family.name);
        }
        point.set("word_bytes", 12).unwrap();
        assert!(family.check(&point).unwrap_err().problem.contains("12 bytes"), "{}", family.name);
    }
}
