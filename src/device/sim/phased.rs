//! Workloads that are more than kernels: transfers, streams side by side and work of the host, on a timeline of what is busy when.

use super::prepared::{Outcome, PreparedSim};
use crate::device::phases::{Activity, Span};
use crate::device::{DeviceError, Phases};
use crate::workload::{
    Buffer, Contents, Copying, HostMemory, HostWork, POISON, Planned, Step, Words, Workload, put_bytes,
};
use gpu_simulator::KeptL2;
use gpu_simulator::profile::Transfers;

/// The host's side of buffers.
#[derive(Debug, Default)]
pub(super) struct HostSides {
    words: Vec<Words>,
}

impl HostSides {
    pub(super) fn new(workload: &Workload) -> Self {
        let side = |buffer: &Buffer| match &buffer.contents {
            Contents::Words(words) | Contents::HostWords(words) => words.clone(),
            Contents::Poison { words } | Contents::HostPoison { words } => vec![POISON; *words].into(),
        };
        Self { words: workload.buffers.iter().map(side).collect() }
    }

    pub(super) fn words(&self, buffer: usize) -> &[u32] {
        self.words.get(buffer).map(|words| words.as_slice()).unwrap_or_default()
    }
}

/// What is busy until when, in microseconds.
#[derive(Debug)]
struct Timeline {
    streams: Vec<f64>,
    in_us: f64,
    kernels_us: f64,
    out_us: f64,
    /// The host hands a step over no sooner.
    host_us: f64,
    spans: Vec<Span>,
}

impl Timeline {
    fn new(side_streams: usize) -> Self {
        let streams = vec![0.0; side_streams + 1];
        Self { streams, in_us: 0.0, kernels_us: 0.0, out_us: 0.0, host_us: 0.0, spans: Vec::new() }
    }

    /// A step of this length begins as soon as its stream, its engine and the host are there. What passes before it does anything, within the
    /// length, passes while the engine still does what was queued before.
    fn add(&mut self, stream: usize, activity: Activity, latency_us: f64, length_us: f64) -> f64 {
        let engine_us = match activity {
            Activity::TransferIn => &mut self.in_us,
            Activity::Kernel => &mut self.kernels_us,
            Activity::TransferOut => &mut self.out_us,
        };
        let ready_us = self.streams[stream].max(self.host_us);
        let from_us = ready_us.max(*engine_us);
        let to_us = (ready_us + latency_us).max(*engine_us) + (length_us - latency_us);
        *engine_us = to_us;
        self.streams[stream] = to_us;
        self.spans.push(Span { activity, from_us, to_us });
        to_us
    }

    fn fork(&mut self) {
        let main_us = self.streams[0];
        self.streams.fill(main_us);
    }

    fn join(&mut self) {
        self.streams[0] = self.end_us();
    }

    fn end_us(&self) -> f64 {
        self.streams.iter().copied().fold(0.0, f64::max)
    }
}

fn length_us(transfers: &Transfers, copying: &Copying, to_device: bool) -> f64 {
    let gb_per_s = match (copying.memory, to_device) {
        (HostMemory::Pageable, true) => transfers.pageable_to_device_gb_per_s,
        (HostMemory::Pageable, false) => transfers.pageable_to_host_gb_per_s,
        (HostMemory::Pinned, true) => transfers.pinned_to_device_gb_per_s,
        (HostMemory::Pinned, false) => transfers.pinned_to_host_gb_per_s,
    };
    transfers.latency_us + (copying.words.len() * size_of::<u32>()) as f64 / (gb_per_s * 1e3)
}

impl PreparedSim<'_> {
    /// Goes through a workload that is more than kernels. What the host itself takes is not known here.
    pub(super) fn run_phases(&mut self) -> Result<Outcome, DeviceError> {
        let missing = || {
            let problem = format!(
                "the profile {} has no table [transfers], which says how fast they are",
                self.machine.profile().spec
            );
            DeviceError::Unsupported(problem)
        };
        let transfers = self.machine.profile().transfers.ok_or_else(missing)?;
        let mut outcome = Outcome::new(self.machine);
        let workload = self.workload;
        let mut l2 = KeptL2::cold(self.machine.profile(), workload.buffers.iter().map(Buffer::bytes).sum());
        let mut timeline = Timeline::new(workload.side_streams());
        let launches: Vec<_> = workload.launches().collect();
        for planned in workload.plan() {
            let (stream, step, launch) = match planned {
                Planned::Fork { .. } => {
                    timeline.fork();
                    continue;
                }
                Planned::Join { .. } => {
                    timeline.join();
                    continue;
                }
                Planned::Step { stream, step, launch } => (stream, step, launch),
            };
            match step {
                Step::Launch(_) => {
                    let number = launch.unwrap_or_default();
                    let (Some(launch), Some(kernel)) = (launches.get(number), self.kernels.get(number).cloned()) else {
                        continue;
                    };
                    let time_us = self.run_launch(launch, &kernel, &mut l2, &mut outcome.counted)?.time_us;
                    timeline.add(stream, Activity::Kernel, 0.0, self.in_stream_us(time_us));
                }
                Step::Copy { from, to } => {
                    let copy_us = self.copy(*from, *to)?;
                    timeline.add(stream, Activity::Kernel, 0.0, self.in_stream_us(copy_us));
                }
                Step::Upload(copying) => {
                    self.upload(copying)?;
                    let end_us = timeline.add(
                        stream,
                        Activity::TransferIn,
                        transfers.latency_us,
                        length_us(&transfers, copying, true),
                    );
                    timeline.host_us = if copying.memory == HostMemory::Pageable { end_us } else { timeline.host_us };
                }
                Step::Download(copying) => {
                    self.download(copying)?;
                    let end_us = timeline.add(
                        stream,
                        Activity::TransferOut,
                        transfers.latency_us,
                        length_us(&transfers, copying, false),
                    );
                    timeline.host_us = if copying.memory == HostMemory::Pageable { end_us } else { timeline.host_us };
                }
                Step::Host(work) => {
                    timeline.host_us = timeline.end_us();
                    self.work(work)?;
                }
                Step::Streams(_) => {}
            }
        }
        outcome.time_us =
            timeline.end_us() + self.machine.profile().launch_us - self.machine.profile().launch_in_stream_us;
        outcome.phases = Some(Phases::of(&timeline.spans, None, outcome.time_us));
        Ok(outcome)
    }

    /// What a launch takes behind another step, where it takes so long by itself.
    fn in_stream_us(&self, alone_us: f64) -> f64 {
        alone_us - (self.machine.profile().launch_us - self.machine.profile().launch_in_stream_us)
    }

    pub(super) fn upload(&mut self, copying: &Copying) -> Result<(), DeviceError> {
        let address = self.addresses.get(copying.buffer).copied().ok_or_else(beyond)?;
        let all = self.host.words.get(copying.buffer).ok_or_else(beyond)?;
        if copying.words == (0..all.len()) {
            return self.memory.set_words(address, all.shared()).ok_or_else(beyond);
        }
        let words = all.get(copying.words.clone()).ok_or_else(beyond)?;
        let bytes = self.memory.bytes_mut(address).and_then(|bytes| bytes.get_mut(byte_range(copying)));
        put_bytes(words, bytes.ok_or_else(beyond)?);
        Ok(())
    }

    pub(super) fn download(&mut self, copying: &Copying) -> Result<(), DeviceError> {
        let address = self.addresses.get(copying.buffer).copied().ok_or_else(beyond)?;
        let own = self.host.words.get_mut(copying.buffer).ok_or_else(beyond)?;
        let target = own.make_mut().get_mut(copying.words.clone()).ok_or_else(beyond)?;
        self.memory.read_words(address, copying.words.start, target).ok_or_else(beyond)
    }

    pub(super) fn work(&mut self, work: &HostWork) -> Result<(), DeviceError> {
        let reads: Vec<&[u32]> = work.reads.iter().map(|buffer| self.host.words(*buffer)).collect();
        let words = (work.compute)(&reads, work.argument).into();
        *self.host.words.get_mut(work.writes).ok_or_else(beyond)? = words;
        Ok(())
    }
}

fn byte_range(copying: &Copying) -> std::ops::Range<usize> {
    copying.words.start * size_of::<u32>()..copying.words.end * size_of::<u32>()
}

fn beyond() -> DeviceError {
    DeviceError::Failed("a transfer beyond a buffer, or of none".to_owned())
}

#[cfg(test)]
mod tests;
