//! How far times of kernels are off that the simulator was not made with.

/// How far times are off, and of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForeignError {
    /// By how much: the median and the mean of the errors' sizes.
    pub off: &'static str,
    /// Which launches were compared, and with what.
    pub of: &'static str,
}

/// How far the times of others' kernels are off on a built-in profile; `None` where nobody compared them with a GPU's.
///
/// Source: `results/nvidia-h200/foreign` and `results/simulated-h200/foreign`, which `tests/gpu/foreign/compare.py` compares.
pub fn error_of_foreign_kernels(profile: &str) -> Option<ForeignError> {
    (profile == "h200").then_some(ForeignError {
        off: "7.0 % off in the median, 10.9 % on average",
        of: "71 launches of 44 kernels of others, compared with an NVIDIA H200",
    })
}
