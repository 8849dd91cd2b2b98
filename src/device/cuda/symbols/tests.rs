use super::*;

/// A driver without these functions.
fn without(version: Version, absent: &[&str]) -> Driver {
    Driver::new(Some("460.32.03"), Some(version), |name| !absent.contains(&name))
}

#[test]
fn a_driver_with_all_functions_has_every_feature() {
    let driver = without(11_020, &[]);
    assert_eq!(driver.unusable(), None);
    assert!(Feature::ALL.into_iter().all(|feature| driver.has(feature) && driver.problem(feature).is_none()));
    assert_eq!(driver.guard().outcome, GuardOutcome::Ok);
    driver.check_pools(true).unwrap();
}

#[test]
fn a_missing_function_is_named_with_the_driver_that_has_it() {
    let driver = without(11_020, &["cuGraphInstantiateWithFlags", "cuGraphUpload"]);
    assert_eq!(driver.unusable(), None);
    assert_eq!(
        driver.problem(Feature::Graphs).unwrap(),
        "the driver 460.32.03 (CUDA 11.2) lacks cuGraphInstantiateWithFlags and another function; CUDA graphs need \
         driver 470.42 (CUDA 11.4) or newer"
    );
    assert!(!driver.has(Feature::Graphs) && driver.has(Feature::MemoryPools));
    let guard = driver.guard();
    assert_eq!(guard.outcome, GuardOutcome::Flagged);
    assert_eq!(
        guard.detail,
        "the driver 460.32.03 (CUDA 11.2) lacks functions, so these are off: CUDA graphs (cuGraphInstantiateWithFlags \
         and another function)"
    );
}

#[test]
fn dependent_launches_in_a_graph_need_a_newer_driver_than_those_in_a_stream() {
    assert_eq!(without(12_030, &[]).problem_of_dependent_graphs(), None);
    assert_eq!(
        without(12_020, &[]).problem_of_dependent_graphs().unwrap(),
        "the driver 460.32.03 (CUDA 12.2) is too old; dependent launches in a CUDA graph need driver 545.23 (CUDA \
         12.3) or newer"
    );
    let lacks = without(12_020, &["cuGraphConditionalHandleCreate", "cuGraphAddNode_v2"]);
    assert!(lacks.has(Feature::Graphs) && !lacks.has(Feature::ConditionalNodes));
}

#[test]
fn a_driver_that_should_have_a_function_is_not_called_old() {
    assert_eq!(
        without(12_000, &["cuLaunchCooperativeKernel"]).problem(Feature::CooperativeLaunches).unwrap(),
        "the driver 460.32.03 (CUDA 12.0) lacks cuLaunchCooperativeKernel; cooperative launches need it, and NVIDIA's \
         drivers have it since CUDA 9.0"
    );
}

#[test]
fn a_driver_that_nothing_works_with_is_refused() {
    assert_eq!(
        without(10_020, &["cuDevicePrimaryCtxRelease_v2"]).unusable().unwrap(),
        "the driver 460.32.03 (CUDA 10.2) lacks cuDevicePrimaryCtxRelease_v2; apbench needs driver 460.27 (CUDA \
         11.2) or newer"
    );
    assert_eq!(
        Driver::new(None, Some(11_000), |_| true).unusable().unwrap(),
        "the driver (CUDA 11.0) is too old; apbench needs driver 460.27 (CUDA 11.2) or newer"
    );
    assert!(Driver::new(None, None, |_| false).unusable().unwrap().starts_with("the driver lacks "));
}

#[test]
fn pools_that_are_promised_must_be_there() {
    let driver = without(12_000, &["cuMemAllocAsync"]);
    driver.check_pools(false).unwrap();
    assert!(driver.check_pools(true).unwrap_err().to_string().contains("cuMemAllocAsync"));
}

#[test]
fn every_function_is_in_some_driver_of_the_table() {
    assert!(FUNCTIONS.iter().all(|function| Release::all().any(|release| version_of(release) >= function.since)));
}
