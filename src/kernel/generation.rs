//! Generations of GPUs: who compiles the kernels for them, and where they ran.

use ptx_requirements::Release;

/// The toolkits whose assembler is held against the kernels.
pub const TOOLKITS: [&str; 4] = ["11.8", "12.0", "12.4", "13.0"];

/// GPUs of a generation that the same release brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generation {
    /// NVIDIA's name of the architecture.
    pub name: &'static str,
    /// Compute capabilities, major and minor.
    pub capabilities: &'static [(u32, u32)],
    /// The first release of CUDA that knows the first of them. Source: the toolkit's release notes, and for which PTX version
    /// ptxas takes the target.
    pub since: (u32, u32),
    /// Which of [`TOOLKITS`] can assemble for it.
    pub assembled_by: &'static [&'static str],
    /// Where kernels ran.
    pub ran: &'static str,
}

/// From the oldest for which there are kernels.
pub const GENERATIONS: [Generation; 10] = [
    Generation {
        name: "Maxwell",
        capabilities: &[(5, 2), (5, 3)],
        since: (7, 0),
        assembled_by: &["11.8", "12.0", "12.4"],
        ran: "nowhere",
    },
    Generation {
        name: "Pascal",
        capabilities: &[(6, 0), (6, 1), (6, 2)],
        since: (8, 0),
        assembled_by: &["11.8", "12.0", "12.4"],
        ran: "the barrier of the grid, on a simulated GPU",
    },
    Generation {
        name: "Volta",
        capabilities: &[(7, 0), (7, 2)],
        since: (9, 0),
        assembled_by: &["11.8", "12.0", "12.4"],
        ran: "nowhere",
    },
    Generation { name: "Turing", capabilities: &[(7, 5)], since: (10, 0), assembled_by: &TOOLKITS, ran: "nowhere" },
    Generation {
        name: "Ampere",
        capabilities: &[(8, 0), (8, 6), (8, 7)],
        since: (11, 0),
        assembled_by: &TOOLKITS,
        ran: "all, on a simulated A100",
    },
    Generation { name: "Ada", capabilities: &[(8, 9)], since: (11, 8), assembled_by: &TOOLKITS, ran: "nowhere" },
    Generation {
        name: "Hopper",
        capabilities: &[(9, 0)],
        since: (11, 8),
        assembled_by: &TOOLKITS,
        ran: "all, on an H200 with driver 580.159, and on a simulated H200",
    },
    Generation {
        name: "Blackwell",
        capabilities: &[(10, 0), (12, 0)],
        since: (12, 8),
        assembled_by: &["13.0"],
        ran: "nowhere",
    },
    Generation {
        name: "Blackwell",
        capabilities: &[(10, 3), (12, 1)],
        since: (12, 9),
        assembled_by: &["13.0"],
        ran: "nowhere",
    },
    Generation {
        name: "Blackwell (Thor)",
        capabilities: &[(11, 0)],
        since: (13, 0),
        assembled_by: &["13.0"],
        ran: "nowhere",
    },
];

impl Generation {
    /// The first driver that knows the generation; `None` of a release that is not known.
    pub fn driver(&self) -> Option<&'static str> {
        Release::of_cuda(self.since).map(|release| release.driver)
    }
}
