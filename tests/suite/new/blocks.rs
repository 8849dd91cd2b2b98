//! How many blocks a draft launches where each block has a row or a column of its own.

use std::fs;

use super::drafted_from;
use crate::common::Workspace;

/// The grid of a kernel's draft, with its text.
fn grid(kernel: &str) -> (String, String) {
    let (_, text, _) = drafted_from(kernel, &[]);
    let launch = text.lines().find_map(|line| line.strip_prefix("launch = { grid = ")).unwrap();
    (launch.split(", block").next().unwrap().to_owned(), text)
}

/// A kernel with a block for each row of a sum.
fn sums(begin: &str, row: &str, index: &str) -> String {
    format!(
        "__global__ void sums(const float* a, float* out, int rows, int cols) {{
    {begin}
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += a[{index}];
    atomicAdd(&out[{row}], sum);
}}
"
    )
}

#[test]
fn a_block_for_each_row_is_a_block_for_each_row() {
    for (begin, row, index) in [
        ("int r = blockIdx.x;", "r", "c * rows + r"),
        ("int r = blockIdx.x;", "r", "r + rows * c"),
        ("", "blockIdx.x", "c * rows + blockIdx.x"),
        ("int r = blockIdx.x; if (r >= rows) return;", "r", "r * cols + c"),
        ("if (blockIdx.x >= rows) return;", "blockIdx.x", "blockIdx.x * cols + c"),
    ] {
        let (grid, text) = grid(&sums(begin, row, index));
        assert_eq!(grid, "\"rows\"", "{begin} {index}: {text}");
        assert!(text.contains("a = { type = \"f32\", length = \"cols * rows\""), "{begin} {index}: {text}");
        assert!(text.contains("out = { type = \"f32\", length = \"rows\""), "{begin} {index}: {text}");
        assert!(!text.contains("blocks it needs") && !text.contains("longer than"), "{begin} {index}: {text}");
    }
}

#[test]
fn columns_and_planes_are_as_many_as_their_rows_are_long() {
    let (own, text) = grid(
        "__global__ void volume(const float* in, float* out, int depth, int height, int width) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    for (int z = 0; z < depth; z++) out[(z * height + y) * width + x] = in[z * height * width + y * width + x];
}
",
    );
    assert_eq!(own, "[\"ceil(width / 32)\", \"ceil(height / 8)\"]", "{text}");
    assert!(!text.contains("blocks it needs"), "{text}");
}

#[test]
fn what_the_kernel_does_not_say_is_told_to_be_a_guess() {
    // What is left over is for the blocks.
    let (own, text) = grid(&sums("int r = blockIdx.x;", "r", "r * cols + c"));
    assert_eq!(own, "\"rows\"", "{text}");
    let check = "# CHECK: how many blocks and threads. Nothing that the kernel compares says how many blocks it needs: rows is a guess.";
    assert!(text.contains(check), "{text}");
    let alone = "__global__ void softmax(const float* x, float* y, int cols) {
    for (int c = threadIdx.x; c < cols; c += 128) y[blockIdx.x * cols + c] = x[blockIdx.x * cols + c];
}
";
    let (own, text) = grid(alone);
    assert_eq!(own, "\"cols\"", "{text}");
    assert!(text.contains("says how many blocks it needs: cols is a guess."), "{text}");
    let (own, text) = grid(
        &alone
            .replace("    for", "    int begin = blockIdx.x * cols;\n    for")
            .replace("blockIdx.x * cols + c", "begin + c"),
    );
    assert_eq!(own, "\"cols\"", "{text}");
    // The source's own launch does say it.
    let host = "int main() { const int rows = 512, cols = 2048; cudaMalloc(&x, rows * cols * sizeof(float));
    softmax<<<rows, 128>>>(x, y, cols); }";
    let (own, text) = grid(&format!("{alone}{host}"));
    assert_eq!(own, "512", "{text}");
    assert!(text.contains("x = { type = \"f32\", length = \"512 * cols\""), "{text}");
    assert!(text.contains("cols = { default = 2048,") && !text.contains("blocks it needs"), "{text}");
    let host = "int main() { sums<<<512, 128>>>(a, out, 512, 2048); }";
    let (own, text) = grid(&format!("{}{host}", sums("int r = blockIdx.x;", "r", "r * cols + c")));
    assert_eq!(own, "\"rows\"", "{text}");
    assert!(text.contains("# Blocks and threads are as line 7 launches them."), "{text}");
}

/// Fragments of one warp: steps of 32 from the index of a lane, and steps of a tile around them.
const FRAGMENTS: &str = "__global__ void fragments(const float* a, float* c, int k) {
    __shared__ float tile[16 * 64];
    int lane = threadIdx.x;
    for (int k0 = 0; k0 < k; k0 += 64) {
        for (int i = lane; i < 16 * 64; i += 32) tile[i] = a[(i / 64) * k + k0 + i % 64];
        __syncwarp();
        for (int kk = 0; kk < 64; kk += 16) c[lane] += tile[lane % 16 * 64 + kk];
        __syncwarp();
    }
}
";

#[test]
fn a_kernel_that_waits_within_a_warp_gets_one() {
    let block = |kernel: &str| {
        let (_, text, _) = drafted_from(kernel, &[]);
        let launch = text.lines().find(|line| line.starts_with("launch = ")).unwrap().to_owned();
        (launch, text.contains("It waits within a warp alone: a block is one warp"))
    };
    let (launch, is_told) = block(FRAGMENTS);
    assert!(launch.contains("block = 32 ") && is_told, "{launch}");
    // No loop of the lanes says it either.
    let exchange = "__global__ void exchange(float* a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x]; __syncwarp(); a[threadIdx.x] = s[threadIdx.x ^ 1];
}
";
    let (launch, is_told) = block(exchange);
    assert!(launch.contains("block = 32 ") && is_told, "{launch}");
    // With a barrier of the block it is for several, and the steps of its threads say how many.
    let (launch, is_told) = block(&FRAGMENTS.replace("__syncwarp", "__syncthreads"));
    assert!(launch.contains("block = 32 ") && !is_told, "{launch}");
    let (launch, is_told) = block(&exchange.replace("__syncwarp", "__syncthreads"));
    assert!(launch.contains("block = 64 ") && !is_told, "{launch}");
}

/// A sum of each block in PTX: `sums[blockIdx.x]` is 4 bytes for each block, and no 4 elements.
#[test]
fn bytes_of_an_address_are_no_elements_of_a_block() {
    let ptx = ".version 8.0
.target sm_90
.address_size 64
.visible .entry sums(.param .u64 data, .param .u64 sums, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<10>;
  .reg .b64 %d<8>;
  .reg .f32 %f<4>;
  ld.param.u64 %d0, [data];
  ld.param.u64 %d1, [sums];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  setp.ge.u32 %p, %r4, %r0;
  @%p bra done;
  mul.wide.u32 %d2, %r4, 4;
  add.u64 %d3, %d0, %d2;
  ld.global.f32 %f0, [%d3];
  OFFSET
  st.global.f32 [%d5], %f0;
done:
  ret;
}
";
    for offset in [
        "mul.wide.u32 %d4, %r2, 4; add.u64 %d5, %d1, %d4;",
        "mad.wide.u32 %d5, %r2, 4, %d1;",
        "cvt.u64.u32 %d4, %r2; shl.b64 %d4, %d4, 2; add.s64 %d5, %d1, %d4;",
    ] {
        let workspace = Workspace::new();
        fs::write(workspace.path("sums.ptx"), ptx.replace("OFFSET", offset)).unwrap();
        workspace.apbench(&["new", "sums.ptx"]).assert().code(0);
        let text = workspace.read("sums.toml");
        assert!(text.contains("launch = { grid = \"ceil(n / block)\", block = \"block\" }"), "{offset}: {text}");
    }
}
