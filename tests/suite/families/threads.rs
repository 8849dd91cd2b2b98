//! Whatever the number of the host's threads, results and counters of a simulated device are the same.

use apbench::device::Device;
use apbench::device::sim::Sim;
use apbench::family::{FAMILIES, Request};
use apbench::properties::Properties;
use gpu_simulator::Profile;
use rayon::ThreadPoolBuilder;

use crate::common::is_exhaustive;

/// Runs `run` with several numbers of threads, which must not make a difference.
fn with_any_threads<T: PartialEq + std::fmt::Debug + Send>(run: impl Fn() -> T + Sync) -> T {
    let with = |threads: usize| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
        pool.install(&run)
    };
    let first = with(1);
    let others: &[usize] = if is_exhaustive() { &[2, 3, 7] } else { &[3] };
    for &threads in others {
        assert_eq!(with(threads), first, "{threads} threads");
    }
    first
}

#[test]
fn families_come_to_the_same_end() {
    let properties = Properties::simulated(&Profile::load("h200").expect("it is right"));
    for family in FAMILIES {
        let parameters = family.verification(&properties).into_iter().next().expect("there is a small point");
        for variant in family.variants.iter().filter(|variant| variant.refusal(&properties).is_none()) {
            let request = Request { variant: variant.name, parameters: &parameters, device: &properties, seed: 1 };
            let workload = family.workload(&request).expect("it is the family's");
            let (outputs, counters) = with_any_threads(|| {
                let device = Sim::open(Profile::load("h200").expect("it is right"));
                let mut prepared = device.prepare(&workload).expect("it is prepared");
                prepared.run().expect("it runs");
                let outputs = (0..workload.buffers.len()).map(|buffer| {
                    let mut words = Vec::new();
                    prepared.read_into(buffer, &mut words).expect("it is read");
                    words
                });
                (outputs.collect::<Vec<_>>(), prepared.counters())
            });
            for (buffer, output) in workload.buffers.iter().zip(outputs) {
                let Some(expected) = &buffer.expected else { continue };
                let is_right = |(index, word): (usize, &u32)| expected.accepts(&[*word], index, index);
                let right = expected.len() == output.len() && output.iter().enumerate().all(is_right);
                assert!(right, "{}: {}", variant.name, buffer.name);
            }
            assert!(!counters.is_empty());
        }
    }
}
