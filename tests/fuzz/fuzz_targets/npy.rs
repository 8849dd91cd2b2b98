//! No bytes are a panic as a file that a buffer is filled with, and what is read has as many elements as it says.

#![no_main]

use apbench::data_file::read;
use apbench::workload::Element;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for is_npy in [true, false] {
        let Ok(contents) = read(bytes, is_npy, true) else { continue };
        assert_eq!(contents.words.len() as u64, contents.data_bytes.div_ceil(4));
        assert!(contents.bytes == bytes.len() as u64 && contents.data_bytes <= contents.bytes);
        for (name, element) in Element::ALL {
            if let Ok(elements) = contents.elements(element) {
                assert_eq!(elements * element.bytes(), contents.data_bytes, "{name}");
            }
        }
    }
});
