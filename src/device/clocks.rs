//! Clocks of a GPU that are locked while it is measured, and given back whatever happens.

use serde::{Deserialize, Serialize};

use super::clock_claim::ClockClaim;
use super::cuda;
use super::mock::MockClocks;

/// Why clocks cannot be locked or given back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClockRefusal {
    /// It takes an administrator's rights.
    NoPermission,
    /// The GPU or its driver does not lock clocks.
    Unsupported,
    /// What the management library says.
    Other(String),
}

/// The clocks of one GPU.
pub trait GpuClocks {
    /// The clocks that its multiprocessors can have, in MHz.
    ///
    /// # Errors
    /// Why that is not known.
    fn supported_mhz(&self) -> Result<Vec<u32>, ClockRefusal>;

    /// Locks the multiprocessors' clock, in MHz.
    ///
    /// # Errors
    /// Why it cannot.
    fn lock(&mut self, mhz: u32) -> Result<(), ClockRefusal>;

    /// Takes every lock back, whoever set it.
    ///
    /// # Errors
    /// Why it cannot.
    fn reset(&mut self) -> Result<(), ClockRefusal>;
}

/// A GPU whose clocks may be locked, as it is told from process to process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClockTarget {
    /// The GPU with this identifier.
    Gpu {
        /// As `nvidia-smi -L` prints it.
        uuid: String,
    },
    /// The mock's, in a file.
    Mock(MockClocks),
}

impl ClockTarget {
    /// Its clocks.
    ///
    /// # Errors
    /// Why they are not known.
    pub fn open(&self) -> Result<Box<dyn GpuClocks + Send>, ClockRefusal> {
        match self {
            Self::Gpu { uuid } => cuda::open_clocks(uuid),
            Self::Mock(clocks) => Ok(Box::new(clocks.clone())),
        }
    }

    /// What tells it from other GPUs.
    fn key(&self) -> String {
        match self {
            Self::Gpu { uuid } => uuid.clone(),
            Self::Mock(clocks) => clocks.key(),
        }
    }

    /// What an administrator writes after `nvidia-smi`.
    fn option(&self) -> String {
        match self {
            Self::Gpu { uuid } => format!(" -i {uuid}"),
            Self::Mock(_) => String::new(),
        }
    }
}

/// A lock of a GPU's clock, which is taken back at the latest when this is dropped.
pub struct ClockLock {
    clocks: Box<dyn GpuClocks + Send>,
    mhz: u32,
    is_held: bool,
    _claim: ClockClaim,
}

impl ClockLock {
    /// Looks whether the clock may be locked at so many MHz, and claims it before other sweeps. Nothing is changed on the GPU.
    ///
    /// # Errors
    /// What is wrong, and what is allowed, in a sentence. `name` is the GPU's.
    pub fn prepare(target: &ClockTarget, mhz: u32, name: &str) -> Result<Self, String> {
        let clocks = target.open().map_err(|refusal| told(&refusal, target, mhz, name))?;
        match clocks.supported_mhz() {
            Ok(supported) => {
                let (least, most) = (supported.iter().min(), supported.iter().max());
                if let Some((least, most)) = least.zip(most)
                    && !(*least..=*most).contains(&mhz)
                {
                    return Err(format!("--lock-clocks {mhz}: the clock of {name} goes from {least} to {most} MHz"));
                }
            }
            // Whoever may not ask may not lock either; a driver that does not list clocks may all the same lock them.
            Err(refusal @ ClockRefusal::NoPermission) => return Err(told(&refusal, target, mhz, name)),
            Err(_) => {}
        }
        let claimed = ClockClaim::of(&target.key(), mhz);
        let claim = claimed.map_err(|other_mhz| {
            format!(
                "--lock-clocks {mhz}: another sweep has locked the clock of {name} at {other_mhz} MHz; sweep when it has ended, or with --lock-clocks {other_mhz}"
            )
        })?;
        Ok(Self { clocks, mhz, is_held: false, _claim: claim })
    }

    /// Locks the clock, also where another process has taken the lock back since.
    ///
    /// # Errors
    /// What is wrong, and what an administrator may do, in a sentence.
    pub fn take(&mut self, target: &ClockTarget, name: &str) -> Result<(), String> {
        self.clocks.lock(self.mhz).map_err(|refusal| told(&refusal, target, self.mhz, name))?;
        self.is_held = true;
        Ok(())
    }

    /// Takes the lock back, where it is held.
    ///
    /// # Errors
    /// Why that is not possible, with the command that does it.
    pub fn restore(&mut self) -> Result<(), String> {
        if !self.is_held {
            return Ok(());
        }
        self.clocks.reset().map_err(|refusal| {
            format!("the lock of the clocks could not be taken back ({}): nvidia-smi -rgc does it", words(&refusal))
        })?;
        self.is_held = false;
        Ok(())
    }
}

impl Drop for ClockLock {
    fn drop(&mut self) {
        let _ = self.restore();
    }
}

fn words(refusal: &ClockRefusal) -> String {
    match refusal {
        ClockRefusal::NoPermission => "that takes an administrator's rights".to_owned(),
        ClockRefusal::Unsupported => "this GPU or its driver does not lock clocks".to_owned(),
        ClockRefusal::Other(problem) => problem.clone(),
    }
}

/// What is wrong, and what may be done.
fn told(refusal: &ClockRefusal, target: &ClockTarget, mhz: u32, name: &str) -> String {
    let help = match refusal {
        ClockRefusal::NoPermission => format!(
            ". Run apbench as root; or have an administrator run `nvidia-smi{0} -lgc {mhz},{mhz}` before the sweep, sweep without --lock-clocks, \
             and run `nvidia-smi{0} -rgc` after it",
            target.option()
        ),
        ClockRefusal::Unsupported => "; sweep without --lock-clocks".to_owned(),
        ClockRefusal::Other(_) => String::new(),
    };
    format!("--lock-clocks {mhz}: the clock of {name} cannot be locked, {}{help}", words(refusal))
}
