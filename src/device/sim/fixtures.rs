//! Kernels around snippets of PTX, for tests.

use crate::device::Prepared;

/// The kernel `k` around a snippet: `%rd0` is its one buffer, `%r0` the thread's index, `%rd1` the thread's word of the buffer.
pub(super) fn kernel(body: &str) -> String {
    format!(
        ".version 8.0 .target sm_80 .address_size 64 .visible .entry k(.param .u64 out) {{ .reg .pred %p<16>; .reg .b32 %r<64>; \
         .reg .b64 %rd<32>; ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %rd1, %r0, 4, %rd0;\n{body}\nret; }}\n"
    )
}

/// The words of a buffer.
pub(super) fn read(prepared: &mut dyn Prepared, buffer: usize) -> Vec<u32> {
    let mut words = Vec::new();
    prepared.read_into(buffer, &mut words).expect("it is there");
    words
}
