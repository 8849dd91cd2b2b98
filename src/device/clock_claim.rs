//! Which clock the sweeps of a machine have locked a GPU at. Two that want different ones would measure at neither, and the first to end
//! would take the other's lock back.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// How often a file is looked at again that another sweep writes just now, and how long between.
const TRIES: usize = 50;
const PAUSE: Duration = Duration::from_millis(10);

/// A claim to a GPU's clock, for as long as this lives and its process with it.
#[derive(Debug)]
pub(super) struct ClockClaim {
    /// Shared by all that want the same clock; none where no file can be written, so that nobody knows of the others.
    _file: Option<File>,
}

impl ClockClaim {
    /// Claims the clock of the GPU with this key, at so many MHz.
    ///
    /// # Errors
    /// The clock in MHz that another sweep has claimed.
    pub(super) fn of(key: &str, mhz: u32) -> Result<Self, u32> {
        Self::in_file(&path(key), mhz)
    }

    fn in_file(path: &Path, mhz: u32) -> Result<Self, u32> {
        let Some(mut file) = open(path) else { return Ok(Self { _file: None }) };
        for _ in 0..TRIES {
            match file.try_lock() {
                // Nobody else has it: what the file says is of a sweep that has ended.
                Ok(()) => {
                    let written = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{mhz}"));
                    if written.is_err() || file.unlock().is_err() {
                        return Ok(Self { _file: None });
                    }
                }
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(_)) => return Ok(Self { _file: None }),
            }
            // Whoever writes it has it alone, and not for long.
            if file.try_lock_shared().is_ok() {
                let mut claimed = String::new();
                let read = file.rewind().and_then(|()| file.read_to_string(&mut claimed));
                return match read.ok().and_then(|_| claimed.trim().parse::<u32>().ok()) {
                    Some(other) if other != mhz => Err(other),
                    _ => Ok(Self { _file: Some(file) }),
                };
            }
            thread::sleep(PAUSE);
        }
        Ok(Self { _file: None })
    }
}

/// The file, which is made where it is not there. None where it is a link or not a file: anyone may write to the folder, and locking clocks
/// mostly needs root's rights.
fn open(path: &Path) -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path).ok()?;
    let metadata = file.metadata().ok()?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&metadata) > 1 {
        return None;
    }
    metadata.is_file().then_some(file)
}

/// The file of a GPU: all sweeps of a machine have the same folder for temporary files.
fn path(key: &str) -> PathBuf {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
    std::env::temp_dir().join(format!("apbench-clock-{}", key.chars().map(plain).collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_a_link_leads_to_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let [own, symbolic, hard] = ["own", "symbolic", "hard"].map(|name| folder.path().join(name));
        std::fs::write(&own, "precious").unwrap();
        std::os::unix::fs::symlink(&own, &symbolic).unwrap();
        std::fs::hard_link(&own, &hard).unwrap();
        for path in [symbolic, hard] {
            assert!(ClockClaim::in_file(&path, 1500).is_ok());
        }
        assert_eq!(std::fs::read_to_string(&own).unwrap(), "precious");
    }

    #[test]
    fn one_clock_is_for_all_who_want_it_and_others_wait() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("claim");
        let first = ClockClaim::in_file(&path, 1500).unwrap();
        let second = ClockClaim::in_file(&path, 1500).unwrap();
        assert_eq!(ClockClaim::in_file(&path, 1200).unwrap_err(), 1500);
        drop(first);
        assert_eq!(ClockClaim::in_file(&path, 1200).unwrap_err(), 1500, "the second still has it");
        drop(second);
        let third = ClockClaim::in_file(&path, 1200).unwrap();
        assert_eq!(ClockClaim::in_file(&path, 1500).unwrap_err(), 1200);
        drop(third);
        assert!(ClockClaim::in_file(&folder.path().join("no/folder"), 1500).is_ok(), "nobody can say so there");
    }
}
