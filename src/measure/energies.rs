//! Energies of the points of a group, and what could spoil them.

use std::time::Instant;

use super::group::Member;
use super::guards::guard;
use super::session::Session;
use crate::device::energy::{APART_PCT, EnergyCounter, EnergyReading, WINDOWS};
use crate::device::{Guard, GuardOutcome};

/// What was measured of energies so far.
#[derive(Debug, Clone, Default)]
pub(super) struct EnergyTally {
    /// Points with an energy.
    points: usize,
    /// Points without, though that was asked for.
    missing: usize,
    /// Why the first of these has none.
    why: Option<String>,
    /// The least and the most that the idle device drew.
    idle_w: Option<(f64, f64)>,
    /// The shortest time that an energy was measured over.
    shortest_s: Option<f64>,
    /// The largest difference between the power readings and the counter, without its sign.
    apart_pct: Option<f64>,
    /// Points at which other processes were on the device.
    shared: usize,
}

/// Measures the energy of the points that have times, one after the other. One without an energy is as good as the others.
pub(super) fn measure(session: &mut Session<'_>, members: &mut [Member<'_>]) {
    if !session.settings.energy {
        return;
    }
    let measuring = Instant::now();
    for member in members.iter_mut().filter(|member| member.is_well()) {
        let Some(prepared) = &mut member.prepared else { continue };
        match prepared.energy() {
            Ok(None) => (),
            Ok(Some(reading)) => {
                session.tally.energies.note(&reading);
                member.fill(&reading.cells());
            }
            Err(error) => session.tally.energies.note_missing(&error.to_string()),
        }
    }
    session.spent.sampling_s += measuring.elapsed().as_secs_f64();
}

impl EnergyTally {
    fn note(&mut self, reading: &EnergyReading) {
        let EnergyReading { idle_w, seconds, power_apart_pct, others, .. } = *reading;
        self.points += 1;
        let (least, most) = self.idle_w.unwrap_or((idle_w, idle_w));
        self.idle_w = Some((least.min(idle_w), most.max(idle_w)));
        self.shortest_s = Some(self.shortest_s.map_or(seconds, |own| own.min(seconds)));
        if let Some(apart) = power_apart_pct.map(f64::abs) {
            self.apart_pct = Some(self.apart_pct.map_or(apart, |own| own.max(apart)));
        }
        self.shared += usize::from(others.is_some_and(|count| count > 0));
    }

    fn note_missing(&mut self, why: &str) {
        self.missing += 1;
        self.why.get_or_insert_with(|| why.to_owned());
    }

    /// What is to know about the energies of a device with this counter.
    pub(super) fn guard(&self, counter: Result<EnergyCounter, String>) -> Guard {
        let name = "energy";
        let counter = match counter {
            Ok(counter) => counter,
            Err(why) => return guard(name, GuardOutcome::Unknown, format!("no energies were measured: {why}")),
        };
        let (Some((least_w, most_w)), Some(shortest_s)) = (self.idle_w, self.shortest_s) else {
            let why = self.why.as_deref().unwrap_or("no point has a time");
            let outcome = if self.missing > 0 { GuardOutcome::Flagged } else { GuardOutcome::Unknown };
            return guard(name, outcome, format!("no energies were measured: {why}"));
        };
        let all = self.points + self.missing;
        let mut told = vec![format!(
            "{} of {all} points have an energy, each over {shortest_s:.1} s or more in {WINDOWS} windows; the counter changes every {:.0} ms; idle \
             power of {least_w:.1} to {most_w:.1} W is taken off",
            self.points, counter.update_period_ms
        )];
        told.push(match self.apart_pct {
            Some(apart) => format!("power readings differ from the counter by up to {apart:.1} %"),
            None => "there are no power readings to hold against the counter".to_owned(),
        });
        if self.shared > 0 {
            told.push(format!("other processes were on the GPU at {} points: their energy is in these", self.shared));
        }
        told.extend(self.why.as_ref().map(|why| format!("the first point without: {why}")));
        let is_apart = self.apart_pct.is_some_and(|apart| apart > APART_PCT);
        let is_flagged = is_apart || self.shared > 0 || self.missing > 0;
        guard(name, if is_flagged { GuardOutcome::Flagged } else { GuardOutcome::Ok }, told.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTER: EnergyCounter = EnergyCounter { update_period_ms: 20.0, idle_w: 80.0 };

    fn reading(idle_w: f64, apart: f64, others: usize) -> EnergyReading {
        EnergyReading {
            energy_mj: 1.0,
            interval_mj: (0.9, 1.1),
            power_w: 300.0,
            power_apart_pct: Some(apart),
            idle_w,
            time_us: 10.0,
            passes: 1e5,
            seconds: 2.0,
            others: Some(others),
        }
    }

    #[test]
    fn energies_are_told_with_what_they_are_without() {
        let mut tally = EnergyTally::default();
        tally.note(&reading(80.0, 1.0, 0));
        tally.note(&reading(82.0, -2.0, 0));
        let told = tally.guard(Ok(COUNTER));
        let detail = "2 of 2 points have an energy, each over 2.0 s or more in 5 windows; the counter changes every 20 ms; idle power of 80.0 to \
                      82.0 W is taken off; power readings differ from the counter by up to 2.0 %";
        assert_eq!((told.outcome, told.detail.as_str()), (GuardOutcome::Ok, detail));
        for other in [reading(80.0, 5.1, 0), reading(80.0, 0.0, 1)] {
            let mut spoilt = tally.clone();
            spoilt.note(&other);
            assert_eq!(spoilt.guard(Ok(COUNTER)).outcome, GuardOutcome::Flagged);
        }
        tally.note_missing("the reason");
        let told = tally.guard(Ok(COUNTER));
        assert!(told.outcome == GuardOutcome::Flagged && told.detail.ends_with("without: the reason"), "{told:?}");
    }

    #[test]
    fn a_device_without_a_counter_says_so() {
        let told = EnergyTally::default().guard(Err("the reason".to_owned()));
        assert_eq!(
            (told.outcome, told.detail.as_str()),
            (GuardOutcome::Unknown, "no energies were measured: the reason")
        );
    }
}
