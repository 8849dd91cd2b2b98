//! `apbench worker`: the process that a sweep's points run in; started by `sweep`, not by people.

use std::io;

use super::failure::{Failure, Status};
use crate::worker::serve::serve;

pub(super) fn run() -> Result<Status, Failure> {
    // The process that started this one decides when it ends, by ending its input.
    ctrlc::set_handler(|| {}).map_err(|error| Failure::Other(format!("handling Ctrl-C: {error}")))?;
    serve(io::BufReader::new(io::stdin()), &mut io::stdout())?;
    Ok(Status::Success)
}
