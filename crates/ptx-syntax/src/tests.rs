//! Tests of reading, printing and telling errors.

mod generate;
mod messages;
mod mutate;
mod reading;
mod roundtrip;

/// Texts that show every construct, and the project's own kernels.
const SAMPLES: [&str; 5] = [
    include_str!("../tests/samples/calls.ptx"),
    include_str!("../tests/samples/data.ptx"),
    include_str!("../tests/samples/warp.ptx"),
    include_str!("../../../cuda/ptx/harness.sm_70.ptx"),
    include_str!("../../../cuda/ptx/branching.sm_70.ptx"),
];

/// A text with the statements in a function.
fn in_function(statements: &str) -> String {
    format!(".version 9.0\n.target sm_75\n.address_size 64\n.func f() {{\n{statements}\n}}\n")
}
