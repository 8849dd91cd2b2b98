//! The arguments that the program was given, and what is told of wrong ones.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;

use super::Arguments;
use super::output::{tell_error, tell_wrong_arguments};
use super::visible::visible;

/// Reads the arguments; where there is nothing to do with them, help and errors are told, and this is the exit status.
pub(super) fn arguments() -> Result<Arguments, ExitCode> {
    let given: Vec<OsString> = std::env::args_os().collect();
    Arguments::try_parse_from(&given).map_err(|error| {
        let status = ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(u8::MAX));
        match with_visible_arguments(&given, error) {
            Ok(error) if error.use_stderr() => tell_wrong_arguments(&error),
            // A closed pipe is nobody to be told.
            Ok(help) => drop(help.print()),
            Err(error) => tell_error(error.render().to_string().trim_end()),
        }
        status
    })
}

/// The same error of arguments in which nothing controls a terminal: clap quotes them as they are, among styles of its own.
fn with_visible_arguments(given: &[OsString], error: clap::Error) -> Result<clap::Error, clap::Error> {
    let shown: Vec<OsString> = given.iter().map(|own| visible(&own.to_string_lossy()).into_owned().into()).collect();
    if shown == given {
        return Ok(error);
    }
    match Arguments::try_parse_from(shown) {
        Err(same) if same.kind() == error.kind() => Ok(same),
        _ => Err(error),
    }
}
