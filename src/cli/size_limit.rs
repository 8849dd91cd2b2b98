//! The limit on the size of files (`ulimit -f`).

/// A write beyond the limit fails, and is told as other errors are. By default the system ends the process without a word.
pub(super) fn exceeding_is_an_error() {
    #[cfg(unix)]
    // SAFETY: the signal is ignored, so no code runs when it comes.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
