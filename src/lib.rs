//! `apbench` measures what anti-parallel patterns cost on NVIDIA GPUs: see `ARCHITECTURE.md` for the map.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod chart;
pub mod cli;
pub mod compare;
pub mod compiler;
pub mod csv_column;
pub mod data_file;
pub mod device;
pub mod diagnosis;
pub mod draft;
pub mod estimate;
pub mod export;
pub mod family;
pub mod finding;
pub mod kernel;
pub mod known_error;
pub mod ladder;
pub mod malformed;
pub mod measure;
pub mod model;
pub mod parameter;
pub mod properties;
pub mod published;
pub mod record;
pub mod report;
pub mod run;
pub mod scenario;
pub mod selfcheck;
pub mod signature;
pub mod sweep;
pub mod toolkit;
pub mod unit;
pub mod user_kernel;
pub mod worker;
pub mod workload;
