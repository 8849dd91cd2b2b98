//! The order in which a workload's steps are handed to a device, and on which of its streams.

use super::{Copying, HostMemory, Step, Workload};

/// Something to be done with a device.
#[derive(Debug, Clone, Copy)]
pub enum Planned<'w> {
    /// From here on this many streams go side by side, once the main stream has come to this place.
    Fork {
        /// How many there are; they are numbered from 1.
        streams: usize,
    },
    /// The main stream goes on when all of them are done.
    Join {
        /// How many there are.
        streams: usize,
    },
    /// A step goes to a stream.
    Step {
        /// The stream: 0 is the main one.
        stream: usize,
        /// The step, which has no streams in it.
        step: &'w Step,
        /// Which of [`Workload::launches`] it is, if it is one.
        launch: Option<usize>,
    },
}

impl<P> Workload<P> {
    /// Its steps in the order in which they are handed over. Streams side by side take turns, each turn up to a launch, so that what a kernel
    /// needs is not kept waiting by what later kernels need.
    pub fn plan(&self) -> Vec<Planned<'_>> {
        let mut plan = Vec::new();
        let mut launches = 0;
        for step in &self.steps {
            let Step::Streams(streams) = step else {
                plan.push(Planned::Step { stream: 0, step, launch: number(step, &mut launches) });
                continue;
            };
            plan.push(Planned::Fork { streams: streams.len() });
            let mut rest: Vec<_> = streams
                .iter()
                .map(|steps| {
                    let numbered = steps.iter().map(|step| (step, number(step, &mut launches)));
                    numbered.collect::<Vec<_>>().into_iter()
                })
                .collect();
            while rest.iter().any(|steps| steps.len() > 0) {
                for (index, steps) in rest.iter_mut().enumerate() {
                    for (step, launch) in steps.by_ref() {
                        plan.push(Planned::Step { stream: index + 1, step, launch });
                        if launch.is_some() {
                            break;
                        }
                    }
                }
            }
            plan.push(Planned::Join { streams: streams.len() });
        }
        plan
    }

    /// The most streams that go side by side, beside the main one.
    pub fn side_streams(&self) -> usize {
        let streams = |step: &Step| if let Step::Streams(streams) = step { streams.len() } else { 0 };
        self.steps.iter().map(streams).max().unwrap_or(0)
    }

    /// Whether a step uploads words of the buffer, so that its words are not to be on the device before.
    pub fn is_uploaded(&self, buffer: usize) -> bool {
        self.copies(buffer).any(|(_, to_device)| to_device)
    }

    /// Whether what counts of the buffer is what the host has: it is in host memory, or downloaded.
    pub fn is_outcome_on_host(&self, buffer: usize) -> bool {
        self.buffers.get(buffer).is_some_and(|own| !own.is_on_device())
            || self.copies(buffer).any(|(_, to_device)| !to_device)
    }

    /// Whether the host's side of the buffer is locked in place.
    pub fn is_pinned(&self, buffer: usize) -> bool {
        self.copies(buffer).any(|(copying, _)| copying.memory == HostMemory::Pinned)
    }

    /// The transfers of a buffer, each with whether it goes to the device.
    fn copies(&self, buffer: usize) -> impl Iterator<Item = (&Copying, bool)> {
        let all = self.plan().into_iter().filter_map(|planned| match planned {
            Planned::Step { step: Step::Upload(copying), .. } => Some((copying, true)),
            Planned::Step { step: Step::Download(copying), .. } => Some((copying, false)),
            _ => None,
        });
        all.filter(move |(copying, _)| copying.buffer == buffer)
    }

    /// What streams side by side cannot have in them, if one has it.
    pub(super) fn refused_in_streams(&self) -> Option<&'static str> {
        let mut inner = self.steps.iter().filter_map(|step| match step {
            Step::Streams(streams) => Some(streams.iter().flatten()),
            _ => None,
        });
        inner.by_ref().flatten().find_map(|step| match step {
            Step::Streams(_) => Some("streams within streams"),
            Step::Host(_) => Some("work of the host within a stream"),
            _ => None,
        })
    }
}

/// The number of a launch, counting on.
fn number(step: &Step, launches: &mut usize) -> Option<usize> {
    let Step::Launch(_) = step else { return None };
    *launches += 1;
    Some(*launches - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Copying, HostMemory, Launch, Submission};

    fn launch(entry: &'static str) -> Step {
        let shape = [1, 1, 1];
        Step::Launch(Launch {
            entry,
            grid: shape,
            block: shape,
            shared_bytes: 0,
            cooperative: false,
            cluster_blocks: 1,
            arguments: vec![],
        })
    }

    fn upload(buffer: usize) -> Step {
        Step::Upload(Copying { buffer, words: 0..1, memory: HostMemory::Pinned })
    }

    fn workload(steps: Vec<Step>) -> Workload {
        let submission = Submission::Stream;
        Workload {
            ptx: crate::kernel::Ptx::Text(""),
            buffers: vec![],
            steps,
            submission,
            bytes: 0,
            operations: 0,
            predictors: vec![],
        }
    }

    /// What each planned thing is, in a word: the stream with the kernel or the buffer.
    fn words(workload: &Workload) -> Vec<String> {
        let all: Vec<&Launch> = workload.launches().collect();
        let word = |planned: &Planned<'_>| match planned {
            Planned::Fork { streams } => format!("fork {streams}"),
            Planned::Join { streams } => format!("join {streams}"),
            Planned::Step { stream, launch: Some(launch), .. } => format!("{stream}:{}", all[*launch].entry),
            Planned::Step { stream, step: Step::Upload(copying), .. } => format!("{stream}:{}", copying.buffer),
            Planned::Step { stream, .. } => format!("{stream}:?"),
        };
        workload.plan().iter().map(word).collect()
    }

    #[test]
    fn streams_take_turns_up_to_a_launch() {
        let first = vec![upload(1), upload(2), launch("a"), upload(3), launch("b")];
        let second = vec![upload(4), launch("c")];
        let workload = workload(vec![launch("zero"), Step::Streams(vec![first, second]), launch("sum")]);
        let expected = ["0:zero", "fork 2", "1:1", "1:2", "1:a", "2:4", "2:c", "1:3", "1:b", "join 2", "0:sum"];
        assert_eq!(words(&workload), expected);
        assert_eq!(workload.side_streams(), 2);
        assert!(workload.has_phases() && workload.refused_in_streams().is_none());
    }

    #[test]
    fn streams_have_no_streams_in_them() {
        let workload = workload(vec![Step::Streams(vec![vec![Step::Streams(vec![])]])]);
        assert_eq!(workload.refused_in_streams(), Some("streams within streams"));
    }
}
