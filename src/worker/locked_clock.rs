//! A clock that is locked while a worker measures, and whether samples had it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::device::clocks::{ClockLock, ClockTarget};
use crate::device::{DeviceError, Guard, GuardOutcome};
use crate::properties::{Origin, Properties};
use crate::record::Measured;

/// How far a clock may be from the locked one, as a part of it.
const SAME: f64 = 0.01;

/// The locked clock of a device.
pub(super) struct LockedClock {
    /// The lock, which is taken back at the latest when nobody has it any more.
    pub(super) lock: Arc<Mutex<ClockLock>>,
    target: ClockTarget,
    name: String,
    mhz: u32,
    seen: Seen,
}

/// The clocks of samples.
#[derive(Default)]
struct Seen {
    samples: usize,
    off: usize,
    range_mhz: Option<(f64, f64)>,
}

impl LockedClock {
    /// Looks whether the clock of a device may be locked. Nothing is changed.
    ///
    /// # Errors
    /// What is wrong, in a sentence.
    pub(super) fn prepare(
        mhz: u32,
        target: Option<&ClockTarget>,
        properties: &Properties,
    ) -> Result<Self, DeviceError> {
        let none = || {
            let simulated = "; the clock of a simulated GPU is `sm_clock_mhz` of its profile (`apbench devices --profile h200` prints one)";
            let hint = if properties.origin == Origin::Simulated { simulated } else { "" };
            DeviceError::Clocks(format!(
                "--lock-clocks {mhz}: {} has no clock that can be locked{hint}",
                properties.label()
            ))
        };
        let target = target.ok_or_else(none)?;
        let lock = ClockLock::prepare(target, mhz, &properties.name).map_err(DeviceError::Clocks)?;
        let (target, name) = (target.clone(), properties.name.clone());
        Ok(Self { lock: Arc::new(Mutex::new(lock)), target, name, mhz, seen: Seen::default() })
    }

    /// Whose clock it is.
    pub(super) fn target(&self) -> &ClockTarget {
        &self.target
    }

    /// Locks the clock, or does so again.
    ///
    /// # Errors
    /// What is wrong, in a sentence.
    pub(super) fn take(&self) -> Result<(), DeviceError> {
        locked(&self.lock).take(&self.target, &self.name).map_err(DeviceError::Clocks)
    }

    /// Takes the lock back.
    ///
    /// # Errors
    /// Why that is not possible.
    pub(super) fn restore(&self) -> Result<(), String> {
        locked(&self.lock).restore()
    }

    /// Forgets the samples of a sweep that is over.
    pub(super) fn begin_sweep(&mut self) {
        self.seen = Seen::default();
    }

    /// Looks at the clocks of samples.
    pub(super) fn note(&mut self, measured: &[Measured]) {
        let Seen { samples, off, range_mhz } = &mut self.seen;
        let wanted_mhz = f64::from(self.mhz);
        for clock_mhz in measured.iter().flat_map(|own| &own.samples).filter_map(|own| own.sample.clock_mhz) {
            *samples += 1;
            *off += usize::from((clock_mhz / wanted_mhz - 1.0).abs() > SAME);
            let (least, most) = range_mhz.unwrap_or((clock_mhz, clock_mhz));
            *range_mhz = Some((least.min(clock_mhz), most.max(clock_mhz)));
        }
    }

    /// Whether samples had the clock.
    pub(super) fn guard(&self) -> Guard {
        let Seen { samples, off, range_mhz } = &self.seen;
        let locked = format!("the clock was locked at {} MHz", self.mhz);
        let (outcome, detail) = match range_mhz {
            None => (GuardOutcome::Unknown, format!("{locked}; no sample tells its clock")),
            Some((least, most)) => (
                if *off == 0 { GuardOutcome::Ok } else { GuardOutcome::Flagged },
                format!(
                    "{locked}; {off} of {samples} samples were more than 1 % away from it, clocks were {least:.0} to {most:.0} MHz"
                ),
            ),
        };
        Guard { guard: "locked_clock".to_owned(), outcome, detail }
    }
}

/// The lock, also where a thread that held it panicked.
pub(super) fn locked(lock: &Mutex<ClockLock>) -> MutexGuard<'_, ClockLock> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
