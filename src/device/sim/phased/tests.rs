#![allow(clippy::float_cmp, reason = "the sums are exact")]

use super::*;
use crate::device::sim::Sim;
use crate::device::sim::fixtures::{kernel, read};
use crate::device::{Device, Flush, Sample};
use crate::workload::{Argument, Launch, Submission};
use gpu_simulator::profile::Profile;

/// Two chunks on two streams: the second is copied while the first is worked on.
#[test]
fn engines_work_side_by_side_and_streams_in_order() {
    let mut timeline = Timeline::new(2);
    timeline.fork();
    for stream in [1, 2] {
        timeline.add(stream, Activity::TransferIn, 0.0, 10.0);
        timeline.add(stream, Activity::Kernel, 0.0, 4.0);
    }
    timeline.join();
    assert_eq!(timeline.add(0, Activity::TransferOut, 0.0, 1.0), 25.0);
    let phases = Phases::of(&timeline.spans, None, timeline.end_us());
    assert_eq!([phases.transfer_in_us, phases.kernel_us, phases.kernel_hidden_us], [20.0, 8.0, 4.0]);
}

/// What passes before the second transfer begins passes while the first is under way, unless it has to wait for it in its stream.
#[test]
fn latency_passes_behind_another_transfer() {
    let mut timeline = Timeline::new(2);
    timeline.add(1, Activity::TransferIn, 6.0, 16.0);
    assert_eq!(timeline.add(2, Activity::TransferIn, 6.0, 16.0), 26.0);
    assert_eq!(timeline.add(2, Activity::TransferIn, 6.0, 16.0), 42.0);
}

#[test]
fn kernels_do_not_overlap_each_other() {
    let mut timeline = Timeline::new(2);
    timeline.add(1, Activity::Kernel, 0.0, 5.0);
    assert_eq!(timeline.add(2, Activity::Kernel, 0.0, 5.0), 10.0);
}

const WORDS: usize = 256;
const COUNTED: usize = 1;
const TOTAL: usize = 2;

fn add_up(reads: &[&[u32]], argument: u64) -> Vec<u32> {
    vec![reads.iter().copied().flatten().fold(argument as u32, |sum, word| sum.wrapping_add(*word))]
}

/// Adds one to every word that was uploaded, and lets the host add them up and 7 to them.
fn workload(memory: HostMemory, streams: usize) -> Workload {
    let launch = Step::Launch(Launch {
        entry: "k",
        grid: [1, 1, 1],
        block: [32, 1, 1],
        shared_bytes: 0,
        cooperative: false,
        cluster_blocks: 1,
        arguments: vec![Argument::Buffer(0)],
    });
    let piece = WORDS / streams;
    let chunk = |index: usize| {
        let words = index * piece..(index + 1) * piece;
        vec![Step::Upload(Copying { buffer: COUNTED, words, memory }), launch.clone()]
    };
    Workload {
        ptx: crate::kernel::Ptx::Text(Box::leak(kernel("atom.global.add.u32 %r1, [%rd0], 1;").into_boxed_str())),
        buffers: vec![
            Buffer { name: "launched", contents: Contents::Words(vec![0].into()), expected: None },
            Buffer { name: "counted", contents: Contents::Words((1..=WORDS as u32).collect()), expected: None },
            Buffer { name: "total", contents: Contents::HostPoison { words: 1 }, expected: None },
        ],
        steps: vec![
            Step::Streams((0..streams).map(chunk).collect()),
            Step::Download(Copying { buffer: COUNTED, words: 0..WORDS, memory }),
            Step::Host(HostWork { reads: vec![COUNTED], writes: TOTAL, argument: 7, compute: add_up }),
        ],
        submission: Submission::Stream,
        bytes: 0,
        operations: 0,
        predictors: Vec::new(),
    }
}

fn sample(workload: &Workload) -> (Sample, [Vec<u32>; 3]) {
    let device = Sim::open(Profile::load("h200").expect("it is embedded"));
    let mut prepared = device.prepare(workload).expect("it is right");
    let sample = prepared.cold_sample(Flush::Clean).expect("it runs");
    let read = [0, COUNTED, TOTAL].map(|buffer| read(&mut *prepared, buffer));
    (sample, read)
}

#[test]
fn what_is_uploaded_comes_back_and_the_host_computes_with_it() {
    for streams in [1, 4] {
        let (sample, [launched, counted, total]) = sample(&workload(HostMemory::Pinned, streams));
        assert_eq!(launched, [32 * streams as u32]);
        assert_eq!(counted, (1..=256).collect::<Vec<u32>>());
        assert_eq!(total, [256 * 257 / 2 + 7]);
        let phases = sample.phases.expect("it has phases");
        assert_eq!((phases.host_us, phases.total_us), (None, sample.time_us));
        let one_by_one = phases.transfer_in_us + phases.kernel_us + phases.transfer_out_us;
        let overlaps = phases.kernel_hidden_us > 0.0;
        assert_eq!(overlaps, streams > 1, "{phases:?}");
        assert!(one_by_one - phases.kernel_hidden_us <= phases.total_us + 1e-9, "{phases:?}");
    }
}

/// What a transfer of 4 bytes a word takes by the profile: each has its latency.
#[test]
fn transfers_take_as_long_as_the_profile_says() {
    let transfers = Profile::load("h200").expect("it is embedded").transfers.expect("it has them");
    let bytes = (4 * WORDS) as f64;
    for (memory, gb_per_s) in [
        (HostMemory::Pinned, transfers.pinned_to_device_gb_per_s),
        (HostMemory::Pageable, transfers.pageable_to_device_gb_per_s),
    ] {
        let (sample, _) = sample(&workload(memory, 2));
        let in_us = sample.phases.expect("it has phases").transfer_in_us;
        // The second is handed over while the first is under way, unless the host itself waits for that.
        let latencies = if memory == HostMemory::Pageable { 2.0 } else { 1.0 };
        let expected_us = latencies * transfers.latency_us + bytes / (gb_per_s * 1e3);
        assert!((in_us - expected_us).abs() < 1e-9, "{in_us} instead of {expected_us} µs");
    }
}

#[test]
fn a_profile_without_transfers_says_what_it_lacks() {
    let profile = Profile { transfers: None, ..Profile::load("h200").expect("it is embedded") };
    let device = Sim::open(profile);
    let workload = workload(HostMemory::Pinned, 1);
    let mut prepared = device.prepare(&workload).expect("it is right");
    let Err(DeviceError::Unsupported(problem)) = prepared.run() else { panic!("it cannot be timed") };
    assert!(problem.contains("[transfers]"), "{problem}");
}

#[test]
fn uploaded_words_are_not_on_the_device_before() {
    let whole = workload(HostMemory::Pinned, 1);
    let device = Sim::open(Profile::load("h200").expect("it is embedded"));
    let without = Workload {
        steps: whole.steps.iter().filter(|step| !matches!(step, Step::Streams(_))).cloned().collect(),
        ..whole.clone()
    };
    let half = Workload {
        steps: vec![Step::Upload(Copying { buffer: COUNTED, words: 0..WORDS / 2, memory: HostMemory::Pinned })]
            .into_iter()
            .chain(without.steps.clone())
            .collect(),
        ..whole.clone()
    };
    let mut prepared = device.prepare(&half).expect("it is right");
    prepared.run().expect("it runs");
    let counted = read(&mut *prepared, COUNTED);
    assert_eq!((counted[WORDS / 2 - 1], counted[WORDS / 2]), (WORDS as u32 / 2, POISON));
}
