//! No text is a panic, and each part of one needs what its header says.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ptx_requirements::{Level, split};

fuzz_target!(|text: &str| {
    for part in split(text, Level::new((7, 4), 52)).unwrap_or_default() {
        let again = split(&part.text, Level::new((7, 4), 52)).expect("a part can be parted");
        assert!(again.iter().all(|own| own.level.target <= part.level.target), "{}", part.level);
    }
});
