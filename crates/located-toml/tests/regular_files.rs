//! What is no regular file is told and not read.

#![cfg(unix)]

use std::io::{self, ErrorKind};
use std::path::Path;

use located_toml::regular_file::{open_in_place, read, read_at_most};

fn problem<T>(read: io::Result<T>) -> String {
    read.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn what_is_no_regular_file_is_named_and_not_read() {
    let device = "is a device, not a regular file";
    assert_eq!(problem(read(Path::new("/dev/zero"))), device);
    assert_eq!(problem(open_in_place(Path::new("/dev/zero"))), device);
    assert_eq!(problem(read(&std::env::temp_dir())), "is a directory, not a regular file");
    assert_eq!(read(Path::new("/nowhere/file")).map_err(|error| error.kind()), Err(ErrorKind::NotFound));
}

#[test]
fn of_an_endless_device_no_more_is_read_than_the_most() {
    let read = |path: &str, bytes_max: u64| read_at_most(Path::new(path), bytes_max);
    assert_eq!(problem(read("/dev/zero", 1 << 20)), "is larger than 1 MiB, the most that is read");
    assert_eq!(read("/dev/null", 0).map_err(|error| error.kind()), Ok(Vec::new()));
}
