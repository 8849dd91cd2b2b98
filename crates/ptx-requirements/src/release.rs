//! Which release of CUDA brought which PTX version, and the driver that came with it.

/// A release of the CUDA toolkit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Release {
    /// The PTX version that it brought.
    pub ptx: (u32, u32),
    /// The release: its driver and later ones load that version.
    pub cuda: (u32, u32),
    /// The least driver for Linux that belongs to it, major and minor.
    pub driver: &'static str,
}

/// In their order. Source: the PTX ISA manual, "Release Notes", table "PTX Release History"; drivers: the CUDA toolkit's release
/// notes, table "CUDA Toolkit and Corresponding Driver Versions". That table begins with CUDA 7.0; the driver of 6.5 is the one in its
/// installer, `cuda_6.5.14_linux_64.run`.
const RELEASES: [Release; 29] = [
    release((4, 1), (6, 5), "340.29"),
    release((4, 2), (7, 0), "346.46"),
    release((4, 3), (7, 5), "352.31"),
    release((5, 0), (8, 0), "375.26"),
    release((6, 0), (9, 0), "384.81"),
    release((6, 1), (9, 1), "390.46"),
    release((6, 2), (9, 2), "396.26"),
    release((6, 3), (10, 0), "410.48"),
    release((6, 4), (10, 1), "418.39"),
    release((6, 5), (10, 2), "440.33"),
    release((7, 0), (11, 0), "450.36"),
    release((7, 1), (11, 1), "455.23"),
    release((7, 2), (11, 2), "460.27"),
    release((7, 3), (11, 3), "465.19"),
    release((7, 4), (11, 4), "470.42"),
    release((7, 5), (11, 5), "495.29"),
    release((7, 6), (11, 6), "510.39"),
    release((7, 7), (11, 7), "515.43"),
    release((7, 8), (11, 8), "520.61"),
    release((8, 0), (12, 0), "525.60"),
    release((8, 1), (12, 1), "530.30"),
    release((8, 2), (12, 2), "535.54"),
    release((8, 3), (12, 3), "545.23"),
    release((8, 4), (12, 4), "550.54"),
    release((8, 5), (12, 5), "555.42"),
    release((8, 6), (12, 7), "565.57"),
    release((8, 7), (12, 8), "570.26"),
    release((8, 8), (12, 9), "575.51"),
    release((9, 0), (13, 0), "580.65"),
];

const fn release(ptx: (u32, u32), cuda: (u32, u32), driver: &'static str) -> Release {
    Release { ptx, cuda, driver }
}

impl Release {
    /// All that are known, in their order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        RELEASES.into_iter()
    }

    /// The first release that knows a PTX version; `None` of versions later than the last known.
    pub fn of_ptx(version: (u32, u32)) -> Option<Self> {
        Self::all().find(|release| release.ptx >= version)
    }

    /// The last release that a driver for this CUDA version is as new as; `None` before the first known.
    ///
    /// A driver tells its version as `1000 * major + 10 * minor` (`cuDriverGetVersion`).
    pub fn of_cuda(version: (u32, u32)) -> Option<Self> {
        Self::all().rev().find(|release| release.cuda <= version)
    }
}
