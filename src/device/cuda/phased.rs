//! Workloads that are more than kernels: transfers, streams side by side and work of the host, with the time of each phase.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cudarc::driver::result::{memcpy_dtoh_async, memcpy_htod_async};
use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DevicePtr, PinnedHostSlice};

use super::failed;
use super::prepared::OnDevice;
use crate::device::phases::{Activity, Span};
use crate::device::{DeviceError, Phases};
use crate::workload::{Contents, Copying, HostWork, POISON, Planned, Step, Workload};

/// What a workload with phases needs beside what is on the device.
pub(super) struct Phased<'w> {
    /// The host's side of each buffer.
    host: Vec<HostSide<'w>>,
    /// Streams that go side by side, beside the main one.
    streams: Vec<Arc<CudaStream>>,
    /// Events, as many as have been needed so far; the first marks the beginning.
    events: Vec<CudaEvent>,
    used: usize,
    context: Arc<CudaContext>,
}

/// The host's side of a buffer.
enum HostSide<'w> {
    /// There is none.
    None,
    /// The workload's own words, which are only read.
    Given(&'w [u32]),
    /// Memory as the operating system gives it.
    Pageable(Vec<u32>),
    /// Memory that is locked in place.
    Pinned(PinnedHostSlice<u32>),
}

impl HostSide<'_> {
    fn words(&self) -> Result<&[u32], DeviceError> {
        match self {
            Self::None => Err(DeviceError::Failed("the host has nothing of a buffer that it is to use".to_owned())),
            Self::Given(words) => Ok(words),
            Self::Pageable(words) => Ok(words),
            Self::Pinned(words) => words.as_slice().map_err(failed("waiting for page-locked memory")),
        }
    }

    fn words_mut(&mut self) -> Result<&mut [u32], DeviceError> {
        match self {
            Self::None | Self::Given(_) => {
                Err(DeviceError::Failed("the host has no room for a buffer that is downloaded".to_owned()))
            }
            Self::Pageable(words) => Ok(words),
            Self::Pinned(words) => words.as_mut_slice().map_err(failed("waiting for page-locked memory")),
        }
    }
}

/// What is under way on each stream, and from which event to which it was. An event is recorded where a stream's activity changes and
/// nowhere else: between two transfers it would keep the copy engine waiting.
struct Log {
    open: Vec<Option<(Activity, usize)>>,
    spans: Vec<(Activity, usize, usize)>,
}

impl Log {
    fn new(streams: usize) -> Self {
        Self { open: vec![None; streams], spans: Vec::new() }
    }

    fn is_open(&self, stream: usize) -> bool {
        self.open[stream].is_some()
    }

    /// Whether the stream is at this activity already.
    fn goes_on(&self, stream: usize, activity: Activity) -> bool {
        self.open[stream].is_some_and(|(own, _)| own == activity)
    }

    /// From this event on the stream is at another activity.
    fn change(&mut self, stream: usize, activity: Activity, event: usize) {
        self.close(stream, event);
        self.open[stream] = Some((activity, event));
    }

    /// At this event the stream has done what it was at.
    fn close(&mut self, stream: usize, event: usize) {
        if let Some((activity, from)) = self.open[stream].take() {
            self.spans.push((activity, from, event));
        }
    }
}

/// What the device does in a step; `None` for what is none of its.
fn activity_of(step: &Step) -> Option<Activity> {
    match step {
        Step::Launch(_) | Step::Copy { .. } => Some(Activity::Kernel),
        Step::Upload(_) => Some(Activity::TransferIn),
        Step::Download(_) => Some(Activity::TransferOut),
        Step::Host(_) | Step::Streams(_) => None,
    }
}

impl<'w> Phased<'w> {
    pub(super) fn new(workload: &'w Workload, context: &Arc<CudaContext>) -> Result<Self, DeviceError> {
        let side = |index| host_side(workload, index, context);
        let host = (0..workload.buffers.len()).map(side).collect::<Result<_, _>>()?;
        let stream = |_| context.new_stream().map_err(failed("creating a stream"));
        let streams = (0..workload.side_streams()).map(stream).collect::<Result<_, _>>()?;
        Ok(Self { host, streams, events: Vec::new(), used: 0, context: Arc::clone(context) })
    }

    /// The words of a buffer as the host has them, where that is what counts.
    pub(super) fn outcome(&self, workload: &Workload, buffer: usize) -> Result<Option<&[u32]>, DeviceError> {
        if workload.is_outcome_on_host(buffer) { self.host[buffer].words().map(Some) } else { Ok(None) }
    }

    /// Does all steps once, and tells what the time went into.
    pub(super) fn run(&mut self, device: &OnDevice<'w>) -> Result<Phases, DeviceError> {
        self.used = 0;
        let main = device.stream;
        main.synchronize().map_err(failed("running"))?;
        let mut log = Log::new(self.streams.len() + 1);
        let mut host_time = None;
        let started = Instant::now();
        let beginning = self.mark(main)?;
        for planned in device.workload.plan() {
            match planned {
                Planned::Fork { streams } => {
                    let here = self.mark(main)?;
                    log.close(0, here);
                    for stream in &self.streams[..streams] {
                        stream.wait(&self.events[here]).map_err(failed("waiting for a stream"))?;
                    }
                }
                Planned::Join { streams } => {
                    for index in 0..streams {
                        let stream = Arc::clone(&self.streams[index]);
                        let there = self.mark(&stream)?;
                        log.close(index + 1, there);
                        main.wait(&self.events[there]).map_err(failed("waiting for a stream"))?;
                    }
                }
                Planned::Step { step: Step::Host(work), .. } => {
                    if log.is_open(0) {
                        log.close(0, self.mark(main)?);
                    }
                    main.synchronize().map_err(failed("running"))?;
                    *host_time.get_or_insert(Duration::ZERO) += self.work(work)?;
                }
                Planned::Step { stream, step, launch } => {
                    let own = if stream == 0 { Arc::clone(main) } else { Arc::clone(&self.streams[stream - 1]) };
                    if let Some(activity) = activity_of(step).filter(|activity| !log.goes_on(stream, *activity)) {
                        let event = self.mark(&own)?;
                        log.change(stream, activity, event);
                    }
                    self.queue(device, &own, step, launch)?;
                }
            }
        }
        if log.is_open(0) {
            log.close(0, self.mark(main)?);
        }
        main.synchronize().map_err(failed("running"))?;
        let total_us = started.elapsed().as_secs_f64() * 1e6;
        let at = |event: usize| -> Result<f64, DeviceError> {
            let time_ms =
                self.events[beginning].elapsed_ms(&self.events[event]).map_err(failed("reading the events"))?;
            Ok(f64::from(time_ms) * 1e3)
        };
        let span = |(activity, from, to): (Activity, usize, usize)| -> Result<Span, DeviceError> {
            Ok(Span { activity, from_us: at(from)?, to_us: at(to)? })
        };
        let spans = log.spans.into_iter().map(span).collect::<Result<Vec<_>, _>>()?;
        let host_us = host_time.map_or(0.0, |time| time.as_secs_f64() * 1e6);
        Ok(Phases::of(&spans, Some(host_us), total_us))
    }

    /// Hands a step to a stream.
    fn queue(
        &mut self,
        device: &OnDevice<'w>,
        stream: &Arc<CudaStream>,
        step: &'w Step,
        launch: Option<usize>,
    ) -> Result<(), DeviceError> {
        match step {
            Step::Launch(_) => device.launch(launch.unwrap_or(usize::MAX), stream),
            Step::Copy { from, to } => device.copy(*from, *to, stream),
            Step::Upload(copying) => {
                let (target, _) = device_range(device, copying, stream)?;
                let words = self.host[copying.buffer].words()?;
                let words = words.get(copying.words.clone()).ok_or_else(beyond)?;
                // SAFETY: the target has room for these words, and the host's side is not written before the stream is done.
                unsafe { memcpy_htod_async(target, words, stream.cu_stream()) }.map_err(failed("uploading"))
            }
            Step::Download(copying) => {
                let (source, _) = device_range(device, copying, stream)?;
                let words = self.host[copying.buffer].words_mut()?;
                let words = words.get_mut(copying.words.clone()).ok_or_else(beyond)?;
                // SAFETY: the source has these words, and the host's side is not used before the stream is done.
                unsafe { memcpy_dtoh_async(words, source, stream.cu_stream()) }.map_err(failed("downloading"))
            }
            Step::Host(_) | Step::Streams(_) => {
                Err(DeviceError::Failed("a step that is none of a stream's".to_owned()))
            }
        }
    }

    /// Lets the host compute, and tells how long that took.
    fn work(&mut self, work: &HostWork) -> Result<Duration, DeviceError> {
        let reads = work.reads.iter().map(|buffer| self.host[*buffer].words()).collect::<Result<Vec<_>, _>>()?;
        let started = Instant::now();
        let words = (work.compute)(&reads, work.argument);
        let taken = started.elapsed();
        self.host[work.writes] = HostSide::Pageable(words);
        Ok(taken)
    }

    /// Records the next event on a stream, and tells its number.
    fn mark(&mut self, stream: &CudaStream) -> Result<usize, DeviceError> {
        if self.used == self.events.len() {
            let event = self.context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
            self.events.push(event.map_err(failed("creating an event"))?);
        }
        self.events[self.used].record(stream).map_err(failed("recording an event"))?;
        self.used += 1;
        Ok(self.used - 1)
    }
}

fn beyond() -> DeviceError {
    DeviceError::Failed("a transfer of more words than a buffer has".to_owned())
}

/// The device address of the words that are transferred, and their bytes.
fn device_range(
    device: &OnDevice<'_>,
    copying: &Copying,
    stream: &Arc<CudaStream>,
) -> Result<(u64, usize), DeviceError> {
    let slice = device.buffer(copying.buffer)?;
    if copying.words.start > copying.words.end || copying.words.end > slice.len() {
        return Err(beyond());
    }
    let (address, _ordered) = slice.device_ptr(stream);
    let word = size_of::<u32>();
    Ok((address + (copying.words.start * word) as u64, copying.words.len() * word))
}

fn host_side<'w>(
    workload: &'w Workload,
    index: usize,
    context: &Arc<CudaContext>,
) -> Result<HostSide<'w>, DeviceError> {
    let buffer = &workload.buffers[index];
    let (up, down) = (workload.is_uploaded(index), workload.is_outcome_on_host(index));
    let given = match &buffer.contents {
        Contents::HostWords(words) => return Ok(HostSide::Given(words)),
        Contents::HostPoison { words } => return Ok(HostSide::Pageable(vec![POISON; *words])),
        Contents::Words(words) => Some(&words[..]),
        Contents::Poison { .. } => None,
    };
    if !up && !down {
        return Ok(HostSide::None);
    }
    if workload.is_pinned(index) {
        // SAFETY: every word is written below before it is read.
        let pinned = unsafe { context.alloc_pinned_with_flags::<u32>(buffer.words(), 0) };
        let mut pinned = pinned.map_err(failed("allocating page-locked memory"))?;
        let words = pinned.as_mut_slice().map_err(failed("allocating page-locked memory"))?;
        match given {
            Some(given) => super::staging::copy(given, words),
            None => words.fill(POISON),
        }
        return Ok(HostSide::Pinned(pinned));
    }
    Ok(match given {
        Some(given) if !down => HostSide::Given(given),
        Some(given) => HostSide::Pageable(given.to_vec()),
        None => HostSide::Pageable(vec![POISON; buffer.words()]),
    })
}
