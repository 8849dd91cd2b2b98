use crate::device::sim::Sim;
use crate::device::sim::fixtures::{kernel, read};
use crate::device::{Device, DeviceError, Flush};
use crate::kernel::RegistersFrom;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::profile::Profile;

fn workload(body: &str, blocks: u32, cooperative: bool) -> Workload {
    Workload {
        ptx: crate::kernel::Ptx::Text(Box::leak(kernel(body).into_boxed_str())),
        buffers: vec![Buffer { name: "out", contents: Contents::Words(vec![0; 1024].into()), expected: None }],
        steps: vec![Step::Launch(Launch {
            entry: "k",
            grid: [blocks, 1, 1],
            block: [256, 1, 1],
            shared_bytes: 0,
            cooperative,
            cluster_blocks: 1,
            arguments: vec![Argument::Buffer(0)],
        })],
        submission: Submission::Stream,
        bytes: 0,
        operations: 0,
        predictors: Vec::new(),
    }
}

#[test]
fn atomics_of_all_multiprocessors_on_one_address_take_turns() {
    let profile = Profile::load("h200").expect("it is embedded");
    let expected_us = 264.0 * 256.0 * profile.atomics.same_address_integer_cycles / profile.sm_clock_mhz;
    let device = Sim::open(profile);
    let workload = workload("atom.global.inc.u32 %r1, [%rd0], 1000000;", 264, false);
    let mut prepared = device.prepare(&workload).expect("it is right");
    let time_us = prepared.cold_sample(Flush::Clean).expect("it runs").time_us;
    assert!(time_us >= expected_us && time_us < 1.2 * expected_us, "{time_us} instead of {expected_us} µs");
    assert_eq!(read(&mut *prepared, 0)[0], 264 * 256);
}

/// All blocks of a device that spin on what nobody writes: the limit is for all of them together.
#[test]
fn blocks_that_wait_for_ever_are_told_soon() {
    let profile = Profile::load("h200").expect("it is embedded");
    let device = Sim::open(Profile { step_limit: 1000, ..profile });
    let spin = "L:\nld.volatile.global.u32 %r1, [%rd0];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;";
    let workload = workload(spin, 1056, true);
    let outcome = device.prepare(&workload).and_then(|mut prepared| prepared.run());
    let Err(DeviceError::Endless(message)) = outcome else { panic!("it ends") };
    assert!(message.contains("of all warps (10 times the profile's step_limit)"), "{message}");
    assert!(message.contains("all lanes at line"), "{message}");
}

#[test]
fn dynamic_shared_memory_goes_up_to_what_a_block_may_opt_in_to() {
    let profile = Profile::load("h200").expect("it is embedded");
    let most = u32::try_from(profile.shared.bytes_per_block_opt_in).expect("small");
    assert_eq!(most, 227 << 10);
    let device = Sim::open(profile);
    for (shared_bytes, fits) in [(48 << 10, true), (100 << 10, true), (most, true), (most + 1, false)] {
        let mut workload = workload("st.global.u32 [%rd0], 1;", 1, false);
        let Step::Launch(launch) = &mut workload.steps[0] else { panic!("a launch") };
        launch.shared_bytes = shared_bytes;
        let outcome = device.prepare(&workload).and_then(|mut prepared| prepared.run());
        assert_eq!(outcome.is_ok(), fits, "{shared_bytes}: {outcome:?}");
        let told = device.occupancy(&workload).map(|kernels| kernels[0].resident_blocks());
        // 50176 bytes with what is reserved: 4 of 233472.
        let expected = [(48 << 10, 4), (100 << 10, 2), (most, 1)].into_iter().find(|(bytes, _)| *bytes == shared_bytes);
        assert_eq!(told.ok(), expected.map(|(_, blocks)| blocks));
    }
}

#[test]
fn kernels_of_ones_own_have_the_estimate_whatever_they_are_called() {
    let device = Sim::open(Profile::load("h200").expect("it is embedded"));
    let kernels = device.occupancy(&workload("st.global.u32 [%rd0], 1;", 7, false)).expect("it is right");
    let [kernel] = kernels.as_slice() else { panic!("one kernel") };
    assert_eq!((kernel.registers_from, kernel.grid_blocks(), kernel.launches), (RegistersFrom::Estimate, 7, 1));
    assert_eq!((kernel.resident_blocks(), kernel.resident_warps(), kernel.driver_blocks), (8, 64, None));
}

/// The same launch over and over, without caches: each takes as long as the first, but for what launching costs.
#[test]
fn each_further_launch_costs_what_it_does_in_a_stream_in_a_graph_or_dependent() {
    let profile = Profile::load("gtx280").expect("it is embedded");
    let profile = Profile { compute_capability: (9, 0), launch_in_graph_us: 2.0, launch_dependent_us: 1.25, ..profile };
    let device = Sim::open(profile.clone());
    let time_us = |launches: usize, submission: Submission| {
        let one = workload("st.global.u32 [%rd1], %r0;", 60, false);
        let many = Workload { steps: vec![one.steps[0].clone(); launches], submission, ..one };
        device.prepare(&many).and_then(|mut prepared| prepared.cold_sample(Flush::Clean)).expect("it runs").time_us
    };
    let first_us = time_us(1, Submission::Stream);
    let kernel_us = first_us - profile.launch_us;
    assert!(kernel_us > 0.0);
    for (submission, each_us) in [
        (Submission::Stream, profile.launch_in_stream_us),
        (Submission::Graph, profile.launch_in_graph_us),
        (Submission::Dependent, profile.launch_dependent_us),
        (Submission::DependentGraph, profile.launch_dependent_us),
    ] {
        let expected_us = first_us + 9.0 * (each_us + kernel_us);
        let all_us = time_us(10, submission);
        assert!((all_us - expected_us).abs() < 1e-6, "{submission:?}: {all_us} instead of {expected_us} µs");
    }
}

/// A loop of the device with a buffer of one word.
fn repeated(body: &str, words: usize) -> Workload {
    let mut one = workload(body, 1, false);
    let Step::Launch(launch) = &mut one.steps[0] else { panic!("a launch") };
    launch.block = [1, 1, 1];
    let condition = Buffer { name: "condition", contents: Contents::Words(vec![1; words].into()), expected: None };
    Workload { submission: Submission::While { condition: 0 }, buffers: vec![condition], ..one }
}

/// Each turn takes what the first does, but for what launching costs.
#[test]
fn a_launch_is_repeated_as_long_as_its_condition_is_not_zero() {
    let profile = Profile::load("gtx280").expect("it is embedded");
    let profile = Profile { launch_conditional_us: 1.75, ..profile };
    let device = Sim::open(profile.clone());
    let run = |again_until: u32| {
        // The condition counts the turns.
        let body = format!(
            "ld.global.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, 1;\nsetp.gt.u32 %p1, %r1, {again_until};\n\
             selp.u32 %r1, 0, %r1, %p1;\nst.global.u32 [%rd1], %r1;"
        );
        let own = repeated(&body, 1);
        let sample = device.prepare(&own).and_then(|mut prepared| prepared.cold_sample(Flush::Clean)).expect("it runs");
        sample.time_us
    };
    let (one, ten) = (run(1), run(10));
    let kernel_us = one - profile.launch_us;
    assert!(kernel_us > 0.0, "{one} µs");
    let expected_us = one + 9.0 * (profile.launch_conditional_us + kernel_us);
    assert!((ten - expected_us).abs() < 1e-6, "{ten} instead of {expected_us} µs");
}

#[test]
fn a_loop_of_the_device_needs_one_launch_and_one_word() {
    let device = Sim::open(Profile::load("h200").expect("it is embedded"));
    let problem = |own: &Workload| device.prepare(own).err().map(|error| error.to_string());
    let own = repeated("st.global.u32 [%rd1], 0;", 1);
    assert_eq!(problem(&own), None);
    let twice = Workload { steps: vec![own.steps[0].clone(); 2], ..own };
    for refused in [twice, repeated("st.global.u32 [%rd1], 0;", 2)] {
        let told = problem(&refused).expect("it is refused");
        assert!(told.contains("a loop on the device of more than one launch, or without a word to end it"), "{told}");
    }
}

#[test]
fn dependent_launches_are_refused_where_there_are_none() {
    let problem = |profile: &str, change: fn(&mut Launch)| {
        let mut one = workload("st.global.u32 [%rd1], %r0;", 1, false);
        let Step::Launch(launch) = &mut one.steps[0] else { panic!("a launch") };
        change(launch);
        let dependent = Workload { submission: Submission::Dependent, ..one };
        let device = Sim::open(Profile::load(profile).expect("it is embedded"));
        device.prepare(&dependent).err().map(|error| error.to_string())
    };
    assert_eq!(problem("h200", |_| ()), None);
    let old = problem("a100", |_| ()).expect("it is refused");
    assert!(old.contains("compute capability 9.0 and not 8.0"), "{old}");
    let cooperative = problem("h200", |launch| launch.cooperative = true).expect("it is refused");
    assert!(cooperative.contains("launches that are not cooperative"), "{cooperative}");
}

#[test]
fn buffers_that_are_to_persist_are_refused_where_l2_sets_nothing_aside() {
    let problem = |profile: &str, buffer: usize| {
        let one = workload("st.global.u32 [%rd1], %r0;", 1, false);
        let persisting = Workload { submission: Submission::Persisting { buffer, kept_pct: 50 }, ..one };
        let device = Sim::open(Profile::load(profile).expect("it is embedded"));
        device.prepare(&persisting).err().map(|error| error.to_string())
    };
    assert_eq!(problem("a100", 0), None);
    let old = problem("gtx280", 0).expect("it is refused");
    assert!(old.contains("need compute capability 8.0 and not 1.3"), "{old}");
    let none = problem("a100", 9).expect("it is refused");
    assert!(none.contains("not on the device"), "{none}");
}

/// 256 KiB, which the second launch finds in L2.
#[test]
fn launches_find_in_l2_what_those_before_left_there() {
    let profile = Profile::load("h200").expect("it is embedded");
    let device = Sim::open(profile.clone());
    let load = "mov.u32 %r2, %ctaid.x;\nmad.wide.u32 %rd2, %r2, 1024, %rd1;\nld.global.cg.u32 %r1, [%rd2];\n\
                add.u32 %r1, %r1, 1;\nst.global.u32 [%rd2], %r1;";
    let of = |launches: usize| {
        let one = workload(load, 256, false);
        let words = Contents::Words(vec![0; 256 * 256].into());
        let buffers = vec![Buffer { name: "out", contents: words, expected: None }];
        let many = Workload { steps: vec![one.steps[0].clone(); launches], buffers, ..one };
        let mut prepared = device.prepare(&many).expect("it is right");
        let time_us = prepared.cold_sample(Flush::Clean).expect("it runs").time_us;
        assert_eq!(read(&mut *prepared, 0), vec![launches as u32; 256 * 256]);
        time_us
    };
    let (one, two, three) = (of(1), of(2), of(3));
    let first_us = one - profile.launch_us;
    let second_us = two - one - profile.launch_in_stream_us;
    let third_us = three - two - profile.launch_in_stream_us;
    assert!(second_us < 0.7 * first_us, "{second_us} after {first_us} µs");
    assert!((third_us - second_us).abs() < 0.05 * second_us, "{third_us} after {second_us} µs");
}

#[test]
fn local_memory_has_its_own_columns() {
    let body = ".local .align 8 .b8 own[16];\nst.local.u64 [own], %rd0;\nld.local.u32 %r1, [own+4];";
    let workload = workload(body, 1, false);
    let device = Sim::open(Profile::load("h200").expect("it is embedded"));
    let mut prepared = device.prepare(&workload).expect("it is right");
    prepared.run().expect("it runs");
    let counters = prepared.counters();
    let counter = |name: &str| counters.iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone());
    // Of each of 8 warps a store of two words of 32 lanes and a load of one, each of four sectors.
    assert_eq!(counter("local_requests").as_deref(), Some("24"));
    assert_eq!(counter("local_transactions").as_deref(), Some("96"));
}
