//! Taking samples of points that are on the device: warming up, then round by round.

use std::thread;
use std::time::{Duration, Instant};

use super::clock::BackOff;
use super::group::{Member, Trouble};
use super::rounds::{Order, SLICE_TIME, decide, is_precise, slice};
use super::session::Session;
use super::warm_up::{PAUSE, WarmUp};
use crate::device::{Cache, DeviceError, Flush, Prepared, Sample};
use crate::properties::Origin;
use crate::record::StopReason;

/// Runs the points in turn until the device is warm.
pub(super) fn warm_up(session: &mut Session<'_>, members: &mut [Member<'_>], trouble: &mut Trouble) {
    let started = Instant::now();
    let well = members.iter().filter(|member| member.is_well()).count();
    if well == 0 {
        return;
    }
    let is_first = session.tally.warm_up.is_none();
    let mut warm_up = match session.last_sample {
        Some(last) if !is_first => WarmUp::later(well, elapsed(session, last)),
        _ => WarmUp::first(well),
    };
    run_until_warm(session, members, &mut warm_up, started, trouble);
    if is_first {
        session.tally.warm_up = Some(warm_up);
    }
    session.spent.warming_s += started.elapsed().as_secs_f64();
}

fn run_until_warm(
    session: &mut Session<'_>,
    members: &mut [Member<'_>],
    warm_up: &mut WarmUp,
    started: Instant,
    trouble: &mut Trouble,
) {
    let cache = session.settings.sampling.cache();
    loop {
        let mut any = false;
        for member in members.iter_mut() {
            if warm_up.is_done(elapsed(session, started)) {
                return;
            }
            if let Some(sample) = take(session, member, cache, trouble) {
                warm_up.push(&sample);
                any = true;
            } else if member.is_well() && cache == Cache::Hot {
                // Without hot samples, cold ones do.
                member.gives_hot = Some(false);
                let sample = take(session, member, Cache::Cold, trouble);
                sample.iter().for_each(|sample| warm_up.push(sample));
                any |= sample.is_some();
            }
        }
        if !any {
            return;
        }
    }
}

/// The time since then, as a device feels it: times that are made up do not depend on how fast this machine is.
fn elapsed(session: &Session<'_>, since: Instant) -> Duration {
    match session.device.properties().origin {
        Origin::Measured => since.elapsed(),
        Origin::Mock | Origin::Simulated => Duration::ZERO,
    }
}

/// Which of these points the device gives hot samples of, found out by taking one of each.
pub(super) fn hot_ones(
    session: &mut Session<'_>,
    members: &mut [Member<'_>],
    wanted: &[usize],
    trouble: &mut Trouble,
) -> Vec<usize> {
    let warming = Instant::now();
    let mut hot = Vec::new();
    for &index in wanted {
        let member = &mut members[index];
        let sample = if member.gives_hot == Some(false) { None } else { take(session, member, Cache::Hot, trouble) };
        if member.is_well() {
            member.gives_hot = Some(sample.is_some());
            session.tally.hot_points += 1;
            session.tally.hot_refused += usize::from(sample.is_none());
        }
        if sample.is_some() {
            hot.push(index);
        }
    }
    session.spent.warming_s += warming.elapsed().as_secs_f64();
    hot
}

/// Samples these points round by round until all are known precisely, or there are samples, rounds or time enough.
/// `part` is the part of the budget that there is for it.
pub(super) fn rounds(
    session: &mut Session<'_>,
    members: &mut [Member<'_>],
    which: &[usize],
    cache: Cache,
    part: f64,
    trouble: &mut Trouble,
) {
    let well = which.iter().filter(|index| members[**index].is_well()).count();
    let settings = session.settings;
    let budget = Duration::from_secs_f64(settings.budget_s * part * well as f64);
    let stream = 2 * session.group + u64::from(cache == Cache::Hot);
    let mut order = Order::new(settings.seed, stream, which.len());
    let mut back_off = BackOff::within(budget);
    let started = Instant::now();
    let mut waited = Duration::ZERO;
    for round in 0.. {
        let mut place = 0;
        for &slot in order.next_round() {
            turn(session, &mut members[which[slot]], cache, round, &mut place, trouble);
        }
        let flagged = close_round(session, members, which, cache, round);
        let well: Vec<&Member<'_>> =
            which.iter().map(|index| &members[*index]).filter(|member| member.is_well()).collect();
        if well.is_empty() {
            break;
        }
        let taken: Vec<usize> = well.iter().map(|member| member.samples(cache)).collect();
        let summaries = || well.iter().map(|member| member.summary(cache)).collect();
        if let Some(reason) = decide(&settings, round + 1, [started.elapsed(), budget], &taken, summaries) {
            for &index in which {
                // The others of the group may be why there was more to do.
                let precise = is_precise(&settings, members[index].summary(cache).as_ref());
                members[index].series(cache).stopped_by = Some(if precise { StopReason::Precise } else { reason });
            }
            break;
        }
        let wait = back_off.after(flagged);
        if !wait.is_zero() {
            thread::sleep(wait);
            waited += wait;
        }
    }
    session.spent.warming_s += waited.as_secs_f64();
    session.spent.sampling_s += started.elapsed().saturating_sub(waited).as_secs_f64();
}

/// A point's turn in a round.
fn turn(
    session: &mut Session<'_>,
    member: &mut Member<'_>,
    cache: Cache,
    round: usize,
    place: &mut usize,
    trouble: &mut Trouble,
) {
    if session.last_sample.is_some_and(|last| last.elapsed() > PAUSE) && member.is_well() {
        let started = Instant::now();
        let mut warm_up = WarmUp::later(1, PAUSE);
        while !warm_up.is_done(started.elapsed()) {
            let Some(sample) = take(session, member, cache, trouble) else { return };
            warm_up.push(&sample);
        }
    }
    let wanted = slice(&session.settings, member.samples(cache), round);
    let started = Instant::now();
    for taken in 0..wanted {
        if taken > 0 && started.elapsed() >= SLICE_TIME {
            return;
        }
        let Some(sample) = take(session, member, cache, trouble) else { return };
        session.tally.samples += 1;
        session.tally.ungated_samples += usize::from(!sample.gated);
        member.series(cache).push(round, *place, sample);
        *place += 1;
    }
}

/// Ends a round of all points. Gives whether the clock of any was flagged.
fn close_round(
    session: &mut Session<'_>,
    members: &mut [Member<'_>],
    which: &[usize],
    cache: Cache,
    round: usize,
) -> bool {
    let told = session.telemetry();
    let mut clocks_mhz = Vec::new();
    for &index in which {
        clocks_mhz.extend(members[index].series(cache).open_clocks_mhz());
    }
    session.tally.clock.observe(&clocks_mhz);
    let mut flagged = false;
    for &index in which {
        flagged |= members[index].series(cache).close_round(round, told.as_ref(), &mut session.tally.clock);
    }
    flagged
}

/// One sample of a point; `None` where it failed or the device gives none.
fn take(session: &mut Session<'_>, member: &mut Member<'_>, cache: Cache, trouble: &mut Trouble) -> Option<Sample> {
    if !member.is_well() {
        return None;
    }
    let flush = session.settings.flush;
    let sample = sample_of(member.prepared.as_deref_mut()?, cache, flush);
    session.last_sample = Some(Instant::now());
    member.keep(sample, trouble).flatten()
}

fn sample_of(prepared: &mut dyn Prepared, cache: Cache, flush: Flush) -> Result<Option<Sample>, DeviceError> {
    match cache {
        Cache::Cold => prepared.cold_sample(flush).map(Some),
        Cache::Hot => prepared.hot_sample(),
    }
}
