//! What it takes to begin the steps of a workload, and what it asks of L2.

use crate::workload::{Buffer, Submission, Workload};
use gpu_simulator::profile::Profile;
use gpu_simulator::{KeptL2, PersistingWindow};

/// What passes before the step with this index does anything, in microseconds; of the first one, the end of the window that
/// is timed too.
pub(super) fn step_us(profile: &Profile, submission: Submission, index: usize) -> f64 {
    match submission {
        _ if index == 0 => profile.launch_us,
        Submission::Stream | Submission::Persisting { .. } => profile.launch_in_stream_us,
        Submission::Graph => profile.launch_in_graph_us,
        Submission::Dependent => profile.launch_dependent_us,
    }
}

/// An L2 that has nothing yet of a workload whose buffers are at these addresses, and is asked to keep what the workload says.
pub(super) fn cold_l2(profile: &Profile, workload: &Workload, addresses: &[u64]) -> KeptL2 {
    let l2 = KeptL2::cold(profile, workload.buffers.iter().map(Buffer::bytes).sum());
    let Submission::Persisting { buffer, kept_pct } = workload.submission else { return l2 };
    match (addresses.get(buffer), workload.buffers.get(buffer)) {
        (Some(&address), Some(own)) => l2.keeping(PersistingWindow { address, bytes: own.bytes(), kept_pct }),
        _ => l2,
    }
}
