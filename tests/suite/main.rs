//! Tests from outside: the command line, the run directory, the kernels, and the invariants of the architecture.

mod architecture;
mod cli;
mod common;
mod counters;
mod fixtures;
mod kernels;
mod readme;
mod selfcheck;
mod simulated;
mod sweep;
