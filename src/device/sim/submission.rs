//! What it takes to begin the steps of a workload.

use crate::workload::Submission;
use gpu_simulator::profile::Profile;

/// What passes before the step with this index does anything, in microseconds; of the first one, the end of the window that
/// is timed too.
pub(super) fn step_us(profile: &Profile, submission: Submission, index: usize) -> f64 {
    match submission {
        _ if index == 0 => profile.launch_us,
        Submission::Stream => profile.launch_in_stream_us,
        Submission::Graph => profile.launch_in_graph_us,
        Submission::Dependent | Submission::DependentGraph => profile.launch_dependent_us,
        Submission::While { .. } => profile.launch_conditional_us,
    }
}
