//! No line is a panic as what a worker is asked or what it answers, and one that reads is told again as it was.

#![no_main]

use apbench::worker::message::{MARK, read_reply, read_request, reply_text, request_line};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| {
    if let Ok(request) = read_request(line) {
        let told = request_line(&request).expect("a request that was read");
        assert_eq!(read_request(&told).expect("a request that was told"), request);
    }
    let _ = read_reply(line);
    // The fuzzer need not find what a reply begins with.
    if let Some(Ok(reply)) = read_reply(&format!("{MARK}{line}")) {
        let told = reply_text(&reply).expect("a reply that was read");
        let mut replies = told.lines().filter_map(read_reply);
        assert_eq!(replies.next().expect("one reply").expect("a reply that was told"), reply);
        assert!(replies.next().is_none(), "a reply is told once");
    }
});
