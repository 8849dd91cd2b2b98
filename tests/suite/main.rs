//! Tests from outside: the command line, the run directory, the kernels, and the invariants of the architecture.

mod architecture;
mod arguments;
mod baselines;
mod book;
mod browser;
mod calibrate;
mod cli;
mod common;
mod compare;
mod completions;
mod counters;
mod device_clock;
mod diagnose;
mod disk;
mod energy;
mod export;
mod families;
mod fixtures;
mod fuzz_lock;
mod hardware_counters;
mod installed;
mod json;
mod kernels;
mod known_error;
mod ladder;
mod laws;
#[cfg(target_os = "linux")]
mod locked_clocks;
mod merge;
mod names;
mod new;
mod newest_runs;
mod occupancy;
#[cfg(target_os = "linux")]
mod old_drivers;
mod plot;
mod ptxas;
mod published;
mod races;
mod reference;
mod report;
mod results;
#[cfg(target_os = "linux")]
mod resume;
mod run_files;
mod scenarios;
mod screen;
mod seeds;
mod selfcheck;
mod simulated;
mod statistics;
mod sweep;
mod user_kernels;
mod verify;
mod worker;
mod wrong_names;
