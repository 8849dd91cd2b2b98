//! Steps, sweeps and profiles belong together.

use super::*;
use crate::properties::Properties;
use gpu_simulator::profile::{CONSTANTS, Profile};

fn gpu(profile: &str) -> Properties {
    Properties::simulated(&Profile::load(profile).unwrap())
}

#[test]
fn every_step_is_of_a_constant_and_of_a_sweep() {
    let sweeps: Vec<&str> = sweeps::folders().collect();
    let mut constants: Vec<&str> = Vec::new();
    for step in STEPS.iter().copied().flatten() {
        assert!(CONSTANTS.iter().any(|own| own.key == step.constant), "{}", step.constant);
        assert!(sweeps.contains(&step.folder), "{}", step.folder);
        assert!(!constants.contains(&step.constant), "{} twice", step.constant);
        constants.push(step.constant);
    }
    for check in CHECKS {
        assert!(!step_folders().any(|own| own == check.scenario), "{} gives constants", check.scenario);
    }
}

#[test]
fn the_nearest_profile_is_of_the_same_generation() {
    let of = |capability: &str| {
        let own = Properties { compute_capability: capability.to_owned(), ..gpu("h200") };
        nearest(&own).name
    };
    assert_eq!(
        ["9.0", "8.0", "8.6", "8.9", "10.0", "7.5", "1.3"].map(of),
        ["h200", "a100", "a100", "a100", "h200", "gtx280", "gtx280"]
    );
}

#[test]
fn sets_fit_the_caches_that_they_are_for() {
    for name in ["h200", "a100"] {
        let gpu = gpu(name);
        assert!(
            sweeps::l2_set_bytes(&gpu) * 4 <= gpu.l2_bytes && sweeps::memory_set_bytes(&gpu) >= 4 * gpu.l2_bytes,
            "{name}"
        );
    }
}

/// What one word tells of L2 is of the slice that it is in: a calibration that measured slices is as unsure of it as they are apart.
#[test]
fn constants_of_one_slice_are_as_sure_as_slices_are_alike() {
    let sure = |gpu: &str, constant: &str| {
        let runs = format!("{}/results/{gpu}/calibration/runs", env!("CARGO_MANIFEST_DIR"));
        let measured = Measured::read(runs.as_ref()).unwrap();
        let step = STEPS.iter().copied().flatten().find(|step| step.constant == constant).unwrap();
        measured.compared(step).unwrap().uncertainty_pct
    };
    assert!(sure("nvidia-h200", "atomics.latency_cycles") > 4.0);
    assert!(sure("nvidia-h200", "atomics.unit_cycles") < 1.0);
    assert!(sure("nvidia-h100", "atomics.latency_cycles") < 1.0, "it has no run of l2-slices");
}
