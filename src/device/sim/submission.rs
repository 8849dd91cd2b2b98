//! What it takes to begin the steps of a workload, how launches overlap, and what it asks of L2.

use std::ops::Range;

use crate::workload::{Buffer, Submission, Workload};
use gpu_simulator::profile::Profile;
use gpu_simulator::{KeptL2, Overlap, PersistingWindow};

/// What passes before the step with this index does anything, in microseconds; of the first one, the end of the window that
/// is timed too.
pub(super) fn step_us(profile: &Profile, submission: Submission, index: usize) -> f64 {
    match submission {
        _ if index == 0 => profile.launch_us,
        Submission::Stream | Submission::Persisting { .. } => profile.launch_in_stream_us,
        Submission::Graph => profile.launch_in_graph_us,
        Submission::Dependent => profile.launch_dependent_us,
        Submission::DependentGraph => {
            let either_us = profile.launch_dependent_us.min(profile.launch_in_graph_us);
            profile.dependent_launches.in_graph_us.unwrap_or(either_us)
        }
        Submission::While { .. } => profile.launch_conditional_us,
    }
}

/// What one launch of several takes on the device.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ran {
    /// As of a launch on its own, in microseconds.
    pub(super) time_us: f64,
    /// How it overlaps others, where it lets the next one begin before its end.
    pub(super) overlap: Option<Overlap>,
    /// Launches like it that the device has room for at once, at least one.
    pub(super) room: usize,
}

/// How launches follow each other that may overlap.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// From the end of a launch until the next one goes on, and from when one may begin until it does.
    pub(super) step_us: f64,
    /// From the start of a launch until the next one starts, at least.
    pub(super) interval_us: f64,
    /// Launches under way at once, at most, and from the end of the first of them until one more begins.
    pub(super) at_once: Option<(usize, f64)>,
}

impl Pace {
    pub(super) fn of(profile: &Profile, submission: Submission, step_us: f64) -> Self {
        let own = profile.dependent_launches;
        let is_graph = submission == Submission::DependentGraph;
        let at_once = own.at_once.filter(|_| !is_graph).and_then(|most| usize::try_from(most).ok());
        Self {
            step_us,
            interval_us: if is_graph { own.graph_interval_us } else { 0.0 },
            at_once: at_once.map(|most| (most, profile.launch_in_stream_us)),
        }
    }
}

/// When launches that may overlap begin and end, in microseconds from the beginning of the first one.
///
/// A launch begins when the one before it has let it, and when there is room: as many launches before it have ended as the device
/// does not hold beside it. Its preamble passes beside the launches before, which it does not slow down. Then it waits for the end of the one
/// before it, and for what passes between two launches in any case.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    launches: Vec<Moments>,
}

#[derive(Debug, Clone)]
struct Moments {
    /// When the next launch may begin; `None` where that is the end.
    signals_us: Option<f64>,
    /// From its first instruction to its end.
    span_us: Range<f64>,
}

impl Timeline {
    /// Adds a launch whose instructions take so long. Tells by how much sooner it ends than one would that begins behind the end of the one
    /// before it: what passes of it before that, less by how much later it begins for other reasons.
    pub(super) fn sooner_us(&mut self, kernel_us: f64, ran: Ran, pace: Pace) -> f64 {
        let ended_us = |back: usize| {
            let own = self.launches.len().checked_sub(back).and_then(|place| self.launches.get(place));
            own.map(|own| own.span_us.end)
        };
        let (mut begins_us, mut goes_on_us, mut later_us) = (0.0, 0.0, 0.0);
        if let Some(before) = self.launches.last() {
            let free_us = ended_us(ran.room).unwrap_or(0.0);
            let may_us =
                before.signals_us.map_or(before.span_us.end, |signals_us| signals_us.max(free_us)) + pace.step_us;
            let queued_us = pace.at_once.and_then(|(most, step_us)| Some(ended_us(most)? + step_us));
            begins_us = may_us.max(before.span_us.start + pace.interval_us).max(queued_us.unwrap_or(0.0));
            goes_on_us = (before.span_us.end + pace.step_us).max(begins_us);
            later_us = goes_on_us - before.span_us.end - pace.step_us;
        }
        let preamble_us = ran.overlap.map_or(0.0, |own| own.preamble_us);
        let hidden_us = preamble_us.min(goes_on_us - begins_us).max(0.0);
        let signals_us = ran.overlap.map(|own| begins_us + own.signalled_us);
        self.launches.push(Moments { signals_us, span_us: begins_us..goes_on_us + kernel_us - hidden_us });
        hidden_us - later_us
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends of launches of 10 µs, of which 4 are a preamble, 1 µs apart.
    fn ends_us(overlap: impl Into<Option<Overlap>>, room: usize) -> Vec<f64> {
        ends_at_pace_us(overlap, room, Pace { step_us: 1.0, interval_us: 0.0, at_once: None })
    }

    fn ends_at_pace_us(overlap: impl Into<Option<Overlap>>, room: usize, pace: Pace) -> Vec<f64> {
        let (overlap, mut timeline) = (overlap.into(), Timeline::default());
        for _ in 0..4 {
            timeline.sooner_us(10.0, Ran { time_us: 12.0, overlap, room }, pace);
        }
        timeline.launches.iter().map(|own| own.span_us.end).collect()
    }

    fn preamble(preamble_us: f64) -> Overlap {
        Overlap { signalled_us: 0.5, preamble_us }
    }

    #[test]
    fn a_launch_that_signals_hides_the_preambles_of_those_behind_it() {
        assert_eq!(ends_us(None, 8), [10.0, 21.0, 32.0, 43.0]);
        assert_eq!(ends_us(preamble(4.0), 8), [10.0, 17.0, 24.0, 31.0]);
        // Nothing to hide.
        assert_eq!(ends_us(preamble(0.0), 8), [10.0, 21.0, 32.0, 43.0]);
    }

    #[test]
    fn launches_keep_their_interval_and_wait_for_a_place_among_those_under_way() {
        let pace = Pace { step_us: 1.0, interval_us: 12.0, at_once: None };
        // Each begins 12 behind the one before, and has no more to hide.
        assert_eq!(ends_at_pace_us(preamble(4.0), 8, pace), [10.0, 22.0, 34.0, 46.0]);
        // Two at once: the second begins at 1.5, and goes on at 11 with 9 of its preamble behind it. The third begins 2 behind the end of the
        // first, at 12, and goes on at 13; the fourth at 14, and goes on at 23.
        let pace = Pace { interval_us: 0.0, at_once: Some((2, 2.0)), ..pace };
        assert_eq!(ends_at_pace_us(preamble(9.0), 8, pace), [10.0, 12.0, 22.0, 24.0]);
    }

    #[test]
    fn without_room_beside_the_launch_before_nothing_is_hidden() {
        assert_eq!(ends_us(preamble(4.0), 1), [10.0, 21.0, 32.0, 43.0]);
        // The third may begin when the first has ended, and goes on when the second has.
        assert_eq!(ends_us(preamble(4.0), 2), [10.0, 17.0, 24.0, 31.0]);
    }

    #[test]
    fn a_preamble_longer_than_the_launch_before_is_hidden_in_part() {
        // The second begins at 1.5 and goes on at 11. The third begins at 11, goes on at 12.5 and has 8 of its preamble before it.
        assert_eq!(ends_us(preamble(9.5), 2)[..3], [10.0, 11.5, 21.0]);
    }
}
