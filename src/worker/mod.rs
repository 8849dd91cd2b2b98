//! Points run in a worker process, so that a kernel that takes its process down takes no sweep down.
//!
//! A worker is this program again, with a hidden command. It opens one device and measures what it is asked to, group
//! by group. Requests come on its standard input, replies go to its standard output, as lines of JSON; lines of any
//! other kind there are what kernels printed. It ends when its input ends: whatever becomes of the process that
//! started it, no worker is left behind.

mod locked_clock;
pub mod message;
pub mod process;
pub mod serve;
pub mod supervisor;
