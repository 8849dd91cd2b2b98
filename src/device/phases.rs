//! What the time of a workload went into that is more than kernels, from when each of its steps was under way.

use serde::{Deserialize, Serialize};

/// The phases of a workload with transfers or work of the host: see [`crate::workload::Workload::has_phases`].
/// Phases that overlap, on streams side by side, add up to more than the total.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// Time during which at least one transfer from the host to the device was under way.
    pub transfer_in_us: f64,
    /// Time during which at least one kernel, or copy within the device, was under way.
    pub kernel_us: f64,
    /// Time during which at least one transfer from the device to the host was under way.
    pub transfer_out_us: f64,
    /// The host's own work; `None` where that is not known, as on a simulated device.
    pub host_us: Option<f64>,
    /// The part of `kernel_us` during which a transfer was under way, too.
    pub kernel_hidden_us: f64,
    /// The time from the submission of the first step until the host knows that the last one has ended, in microseconds.
    pub total_us: f64,
}

/// What a device does in a step of a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activity {
    TransferIn,
    Kernel,
    TransferOut,
}

/// When a step was under way, in microseconds from any one beginning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) activity: Activity,
    pub(super) from_us: f64,
    pub(super) to_us: f64,
}

impl Phases {
    /// What these spans come to.
    pub(super) fn of(spans: &[Span], host_us: Option<f64>, total_us: f64) -> Self {
        let under_way = |wanted: &dyn Fn(Activity) -> bool| -> Vec<[f64; 2]> {
            spans.iter().filter(|span| wanted(span.activity)).map(|span| [span.from_us, span.to_us]).collect()
        };
        let of = |activity: Activity| covered(under_way(&|own| own == activity));
        let kernels = under_way(&|own| own == Activity::Kernel);
        let transfers = under_way(&|own| own != Activity::Kernel);
        let [kernel_us, transfer_us] = [&kernels, &transfers].map(|all| covered(all.clone()));
        // What both cover is counted twice in the sum of both, and once in what they cover together.
        let hidden_us = kernel_us + transfer_us - covered([kernels, transfers].concat());
        Self {
            transfer_in_us: of(Activity::TransferIn),
            kernel_us,
            transfer_out_us: of(Activity::TransferOut),
            host_us,
            kernel_hidden_us: hidden_us.max(0.0),
            total_us,
        }
    }
}

/// The length of what these intervals cover together.
fn covered(mut intervals: Vec<[f64; 2]>) -> f64 {
    intervals.sort_by(|one, other| one[0].total_cmp(&other[0]));
    let (mut length, mut end) = (0.0, f64::NEG_INFINITY);
    for [from, to] in intervals {
        length += (to - from.max(end)).max(0.0);
        end = end.max(to);
    }
    length
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "the sums are exact")]

    use proptest::prelude::*;

    use super::*;

    fn span(activity: Activity, from_us: f64, to_us: f64) -> Span {
        Span { activity, from_us, to_us }
    }

    #[test]
    fn one_after_the_other_nothing_is_hidden() {
        let spans = [
            span(Activity::TransferIn, 0.0, 10.0),
            span(Activity::Kernel, 10.0, 14.0),
            span(Activity::TransferOut, 14.0, 15.0),
        ];
        let phases = Phases::of(&spans, Some(2.0), 17.5);
        assert_eq!([phases.transfer_in_us, phases.kernel_us, phases.transfer_out_us], [10.0, 4.0, 1.0]);
        assert_eq!((phases.kernel_hidden_us, phases.host_us, phases.total_us), (0.0, Some(2.0), 17.5));
    }

    /// Two chunks: the second is copied while the first is worked on, and only the last kernel stands alone.
    #[test]
    fn a_kernel_beside_a_copy_is_hidden() {
        let spans = [
            span(Activity::TransferIn, 0.0, 10.0),
            span(Activity::TransferIn, 10.0, 20.0),
            span(Activity::Kernel, 10.0, 14.0),
            span(Activity::Kernel, 20.0, 24.0),
        ];
        let phases = Phases::of(&spans, None, 24.0);
        assert_eq!([phases.transfer_in_us, phases.kernel_us, phases.kernel_hidden_us], [20.0, 8.0, 4.0]);
    }

    #[test]
    fn spans_that_overlap_count_once() {
        let spans =
            [span(Activity::Kernel, 0.0, 10.0), span(Activity::Kernel, 2.0, 4.0), span(Activity::Kernel, 8.0, 12.0)];
        assert_eq!(Phases::of(&spans, None, 12.0).kernel_us, 12.0);
    }

    proptest! {
        #[test]
        fn no_more_is_hidden_than_there_is(ends in prop::collection::vec((0_u32..3, 0_u32..50, 0_u32..50), 0..12)) {
            let activities = [Activity::TransferIn, Activity::Kernel, Activity::TransferOut];
            let spans: Vec<Span> = ends
                .iter()
                .map(|(kind, from, length)| span(activities[*kind as usize], f64::from(*from), f64::from(from + length)))
                .collect();
            let phases = Phases::of(&spans, None, 100.0);
            // By counting the microseconds one by one.
            let during = |moment: u32, wanted: &[Activity]| {
                let middle = f64::from(moment) + 0.5;
                spans.iter().any(|own| wanted.contains(&own.activity) && own.from_us < middle && middle < own.to_us)
            };
            let count = |holds: &dyn Fn(u32) -> bool| f64::from((0..100).filter(|moment| holds(*moment)).count() as u32);
            let transfers = [Activity::TransferIn, Activity::TransferOut];
            prop_assert_eq!(phases.kernel_us, count(&|moment| during(moment, &[Activity::Kernel])));
            prop_assert_eq!(phases.transfer_in_us, count(&|moment| during(moment, &[Activity::TransferIn])));
            let hidden = count(&|moment| during(moment, &[Activity::Kernel]) && during(moment, &transfers));
            prop_assert_eq!(phases.kernel_hidden_us, hidden);
        }
    }
}
