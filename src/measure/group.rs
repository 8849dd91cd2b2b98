//! The points of a group on the device, from their buffers to what became of them.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use ecow::EcoString;

use super::agree;
use super::check::{Between, CheckError, Outputs, compare_parts, read_outputs, read_where};
use super::clock::ClockGuard;
use super::device_clock;
use super::energies;
use super::guards::SHORT_BELOW;
use super::sampling;
use super::series::Series;
use super::session::Session;
use crate::device::{Cache, Device, DeviceError, Prepared};
use crate::record::{Flag, Measured, PointRecord, Status, StopReason, TimeSpent, Timing};
use crate::scenario::{MeasureSettings, Sampling};
use crate::workload::Workload;
use least_squares::order_statistics::Summary;

/// What became of a point of a group.
pub(super) enum End {
    /// It has its record.
    Measured(Box<Measured>),
    /// It must be measured again, because another point broke the device.
    Lost,
    /// It does not fit into the device's memory beside the others.
    TooLargeTogether,
}

/// Why a point has no samples.
enum Failure {
    Check(CheckError),
    Lost,
    TooLargeTogether,
}

/// A point of a group on the device.
pub(super) struct Member<'a> {
    workload: &'a Workload,
    record: PointRecord,
    printed: String,
    pub(super) prepared: Option<Box<dyn Prepared + 'a>>,
    failure: Option<Failure>,
    pub(super) cold: Series,
    pub(super) hot: Series,
    is_short: bool,
    /// Whether the device gives hot samples of it; `None` where nobody asked.
    pub(super) gives_hot: Option<bool>,
}

/// What went wrong in a group so far.
pub(super) struct Trouble {
    /// How many points are in the group.
    points: usize,
    /// A point failed on the device, so that failures after it may be its doing.
    broken: bool,
}

impl<'a> Member<'a> {
    fn new(workload: &'a Workload, mut record: PointRecord) -> Self {
        let known = workload.predictors.iter().map(|(name, value)| (*name, Some(*value)));
        record.bytes = Some(workload.bytes);
        record.operations = Some(workload.operations);
        record.predictors = known.collect();
        Self {
            workload,
            record,
            printed: String::new(),
            prepared: None,
            failure: None,
            cold: Series::new(Cache::Cold),
            hot: Series::new(Cache::Hot),
            is_short: false,
            gives_hot: None,
        }
    }

    /// Whether it goes on.
    pub(super) fn is_well(&self) -> bool {
        self.failure.is_none()
    }

    pub(super) fn series(&mut self, cache: Cache) -> &mut Series {
        match cache {
            Cache::Cold => &mut self.cold,
            Cache::Hot => &mut self.hot,
        }
    }

    fn series_of(&self, cache: Cache) -> &Series {
        match cache {
            Cache::Cold => &self.cold,
            Cache::Hot => &self.hot,
        }
    }

    /// Samples so far.
    pub(super) fn samples(&self, cache: Cache) -> usize {
        self.series_of(cache).samples.len()
    }

    /// The median so far.
    pub(super) fn summary(&self, cache: Cache) -> Option<Summary> {
        self.series_of(cache).summary()
    }

    /// Keeps a result of the device, or why there is none.
    pub(super) fn keep<T>(&mut self, result: Result<T, DeviceError>, trouble: &mut Trouble) -> Option<T> {
        let error = match result {
            Ok(kept) => return Some(kept),
            Err(error) => error,
        };
        self.failure = Some(match error {
            DeviceError::OutOfMemory { .. } if trouble.points > 1 => Failure::TooLargeTogether,
            DeviceError::OutOfMemory { .. } | DeviceError::Unsupported(_) | DeviceError::NotRun(_) => {
                Failure::Check(error.into())
            }
            _ if trouble.broken => Failure::Lost,
            _ => {
                trouble.broken = true;
                Failure::Check(error.into())
            }
        });
        None
    }

    /// Puts what the device told into the cells of its columns.
    pub(super) fn fill(&mut self, told: &[(&'static str, String)]) {
        let cells = self.record.counters.iter().map(|(name, own)| {
            let found = told.iter().find(|(told, _)| *told == name);
            (EcoString::from(name), found.map_or_else(|| own.clone(), |(_, value)| value.as_str().into()))
        });
        self.record.counters = cells.collect::<Vec<_>>().into();
    }

    /// What it is on the device.
    pub(super) fn workload(&self) -> &'a Workload {
        self.workload
    }

    /// Its row, as far as it is known.
    pub(super) fn record(&self) -> &PointRecord {
        &self.record
    }

    /// Its timing; `None` before it has samples.
    pub(super) fn timing(&self) -> Option<Timing> {
        let (series, other) =
            if self.cold.rounds.is_empty() { (&self.hot, None) } else { (&self.cold, self.hot.median()) };
        let mut flags = series.flags();
        if self.is_short {
            flags.push(Flag::Short);
        }
        Some(Timing {
            median: series.median()?,
            cache: series.rounds.first()?.cache,
            hot: other.map(Box::new),
            rounds: series.rounds.len(),
            clock_mhz: series.clock_mhz(),
            stopped_by: series.stopped_by.map_or("", StopReason::name).into(),
            flags,
            phases: series.phases().map(Box::new),
        })
    }

    fn end(mut self) -> End {
        match self.failure.take() {
            Some(Failure::Lost) => End::Lost,
            Some(Failure::TooLargeTogether) => End::TooLargeTogether,
            Some(Failure::Check(error)) => {
                let mut measured = Measured::of(with_error(self.record, &error));
                measured.printed = self.printed;
                End::Measured(Box::new(measured))
            }
            None => {
                self.record.timing = self.timing();
                let mut samples = self.cold.samples;
                samples.extend(self.hot.samples);
                let mut rounds = self.cold.rounds;
                rounds.extend(self.hot.rounds);
                End::Measured(Box::new(Measured { record: self.record, samples, rounds, printed: self.printed }))
            }
        }
    }
}

/// The record with the status that the error means, and its words.
pub(super) fn with_error(mut record: PointRecord, error: &CheckError) -> PointRecord {
    record.status = match error {
        CheckError::Wrong(_) => Status::Wrong,
        CheckError::Device(DeviceError::OutOfMemory { .. } | DeviceError::Unsupported(_)) => Status::Skipped,
        CheckError::Device(DeviceError::NotRun(_)) => Status::NotRun,
        CheckError::Device(_) => Status::Failed,
    };
    record.reason = error.to_string().into();
    record
}

/// Measures points together. Their outputs are compared with the host's while they are sampled.
/// `before_sampling` is called in between.
pub(super) fn measure<'device>(
    session: &mut Session<'device>,
    points: Vec<(&Workload, PointRecord)>,
    before_sampling: impl FnOnce(&mut Session<'device>),
) -> Vec<End> {
    let device = session.device;
    let mut trouble = Trouble { points: points.len(), broken: false };
    let mut members: Vec<Member<'_>> =
        points.into_iter().map(|(workload, record)| Member::new(workload, record)).collect();

    let loading = Instant::now();
    for member in &mut members {
        let prepared = device.prepare(member.workload);
        member.prepared = member.keep(prepared, &mut trouble);
    }
    session.spent.loading_s += loading.elapsed().as_secs_f64();

    // The launches whose outputs are compared warm the device up, too.
    let warming = Instant::now();
    let ran = run_once(&mut members, &mut trouble);
    session.spent.warming_s += warming.elapsed().as_secs_f64();
    let checking = Instant::now();
    let outputs = read(&mut members, &ran, &mut session.spare, &mut trouble);
    session.spent.checking_s += checking.elapsed().as_secs_f64();
    before_sampling(session);

    let workloads: Vec<&Workload> = members.iter().map(|member| member.workload).collect();
    let variants: Vec<_> = members.iter().map(|member| member.record.variant.clone()).collect();
    let compare = || -> Vec<Result<(), CheckError>> {
        let compare = |(found, workload): (&Option<Outputs>, &&Workload)| {
            found.as_ref().map_or(Ok(()), |found| found.compare(workload))
        };
        let mut checks: Vec<Result<(), CheckError>> = outputs.iter().zip(&workloads).map(compare).collect();
        let first = outputs.iter().zip(&checks).position(|(found, check)| found.is_some() && check.is_ok());
        if let Some((place, first)) = first.and_then(|place| Some((place, outputs[place].as_ref()?))) {
            for other in place + 1..outputs.len() {
                if let (Some(found), Ok(())) = (&outputs[other], &checks[other]) {
                    checks[other] = {
                        let between = Between { own: &variants[other], reference: &variants[place] };
                        found.agree(first, &workloads[other].buffers, between)
                    };
                }
            }
        }
        checks
    };
    let checks = thread::scope(|scope| {
        let comparing = thread::Builder::new().name("compare".to_owned()).spawn_scoped(scope, compare);
        sample(session, &mut members, &mut trouble);
        let waiting = Instant::now();
        let checks = match comparing {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // No thread is to be had: then it is done here.
            Err(_) => compare(),
        };
        session.spent.checking_s += waiting.elapsed().as_secs_f64();
        checks
    });
    for (member, check) in members.iter_mut().zip(checks) {
        // What a device gave before it broke was wrong all the same.
        if let Err(error) = check
            && !matches!(member.failure, Some(Failure::Check(_)))
        {
            member.failure = Some(Failure::Check(error));
        }
    }
    device_clock::read(session, &mut members);
    energies::measure(session, &mut members);
    count(session, &mut members);
    session.spare = outputs.into_iter().flatten().flat_map(Outputs::into_words).collect();
    // Buffers are freed with their members.
    let loading = Instant::now();
    let ends = members.into_iter().map(Member::end).collect();
    session.spent.loading_s += loading.elapsed().as_secs_f64();
    ends
}

/// Has the device's hardware count the points that have times. One that cannot be counted is as good as the others.
fn count(session: &mut Session<'_>, members: &mut [Member<'_>]) {
    let counting = Instant::now();
    for member in members.iter_mut().filter(|member| member.is_well()) {
        let Some(prepared) = &mut member.prepared else { continue };
        match prepared.count() {
            Ok(None) => (),
            Ok(Some(counted)) => {
                member.fill(&counted);
                session.tally.counted_points += 1;
            }
            Err(error) => {
                session.tally.uncounted_points += 1;
                session.tally.why_uncounted.get_or_insert_with(|| error.to_string());
            }
        }
    }
    session.spent.sampling_s += counting.elapsed().as_secs_f64();
}

/// What measuring a point alone came to.
pub(super) struct Once {
    pub(super) end: End,
    /// What it left, where the variants must agree.
    pub(super) left: Option<Outputs>,
    /// Whether its kernel is taken to have no end.
    pub(super) is_endless: bool,
}

/// Measures a point alone, on a device that needs one sample of it. It is the `order`-th of its group.
pub(super) fn measure_once(
    device: &dyn Device,
    settings: &MeasureSettings,
    (workload, record): (&Workload, PointRecord),
    order: usize,
    clock: &Mutex<&mut ClockGuard>,
    took: &mut TimeSpent,
) -> Once {
    let mut trouble = Trouble { points: 1, broken: false };
    let mut members = [Member::new(workload, record)];
    let loading = Instant::now();
    let prepared = device.prepare(workload);
    let [member] = &mut members;
    member.prepared = member.keep(prepared, &mut trouble);
    took.loading_s += loading.elapsed().as_secs_f64();
    let running = Instant::now();
    let ran = run_once(&mut members, &mut trouble).contains(&true);
    took.sampling_s += running.elapsed().as_secs_f64();
    let [mut member] = members;
    let mut left = None;
    if let Some(mut prepared) = member.prepared.take().filter(|_| ran) {
        let checking = Instant::now();
        let check = match prepared.buffers() {
            Some(buffers) => compare_parts(buffers, prepared.checkable(), workload),
            None => read_outputs(&mut *prepared, workload, &mut Vec::new())
                .map_err(CheckError::from)
                .and_then(|outputs| outputs.compare(workload)),
        };
        took.checking_s += checking.elapsed().as_secs_f64();
        let sample = prepared.cold_sample(settings.flush);
        if let Some(sample) = member.keep(sample, &mut trouble) {
            member.cold.push(0, order, sample);
            let mut clock = clock.lock().unwrap_or_else(PoisonError::into_inner);
            member.cold.close_round(0, None, &mut clock);
            member.cold.stopped_by = Some(StopReason::RepeatsExactly);
        }
        if check.is_ok() && agree::is_asked(workload) {
            let outputs = read_where(&mut *prepared, workload, &mut Vec::new(), agree::is_agreement);
            left = member.keep(outputs, &mut trouble);
        }
        if let Err(error) = check {
            member.failure = Some(Failure::Check(error));
        }
    }
    let is_endless = matches!(&member.failure, Some(Failure::Check(CheckError::Device(DeviceError::Endless(_)))));
    Once { end: member.end(), left, is_endless }
}

/// Runs each point once. Tells which of them ran.
fn run_once(members: &mut [Member<'_>], trouble: &mut Trouble) -> Vec<bool> {
    let run = |member: &mut Member<'_>| {
        let Some(mut prepared) = member.prepared.take() else { return false };
        let ran = prepared.run();
        let counters = prepared.counters();
        if !counters.is_empty() {
            member.record.counters = counters.into_iter().map(|(name, value)| (name, value.into())).collect();
        }
        member.printed = prepared.printed();
        member.prepared = Some(prepared);
        member.keep(ran, trouble).is_some()
    };
    members.iter_mut().map(run).collect()
}

/// The outputs of those that ran.
fn read(
    members: &mut [Member<'_>],
    ran: &[bool],
    spare: &mut Vec<Vec<u32>>,
    trouble: &mut Trouble,
) -> Vec<Option<Outputs>> {
    let read = |(member, ran): (&mut Member<'_>, &bool)| {
        let mut prepared = member.prepared.take()?;
        let outputs = ran.then(|| read_outputs(&mut *prepared, member.workload, spare));
        member.prepared = Some(prepared);
        member.keep(outputs?, trouble)
    };
    members.iter_mut().zip(ran).map(read).collect()
}

/// Takes the samples that are wanted.
fn sample(session: &mut Session<'_>, members: &mut [Member<'_>], trouble: &mut Trouble) {
    let sampling = session.settings.sampling;
    sampling::warm_up(session, members, trouble);
    let mut cold: Vec<usize> = (0..members.len()).collect();
    if sampling == Sampling::Hot {
        let hot = sampling::hot_ones(session, members, &cold, trouble);
        sampling::rounds(session, members, &hot, Cache::Hot, 1.0, trouble);
        cold.retain(|index| !hot.contains(index));
    }
    let part = if sampling == Sampling::Both { 0.5 } else { 1.0 };
    sampling::rounds(session, members, &cold, Cache::Cold, part, trouble);
    mark_short(session, members);
    let wants_hot = |member: &Member<'_>| member.is_short || sampling == Sampling::Both;
    let wanted: Vec<usize> =
        cold.into_iter().filter(|index| members[*index].gives_hot.is_none() && wants_hot(&members[*index])).collect();
    let hot = sampling::hot_ones(session, members, &wanted, trouble);
    sampling::rounds(session, members, &hot, Cache::Hot, 0.5, trouble);
}

/// Marks the points whose cold time is near that of a kernel that does nothing.
fn mark_short(session: &mut Session<'_>, members: &mut [Member<'_>]) {
    for member in members.iter_mut().filter(|member| member.is_well()) {
        let Some(median) = member.cold.median() else { continue };
        session.tally.cold_points += 1;
        member.is_short = session.tally.null_us.is_some_and(|null_us| median.time_us < SHORT_BELOW * null_us);
        session.tally.short_points += usize::from(member.is_short);
    }
}
