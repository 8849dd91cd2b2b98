//! How many blocks a draft launches where each block has a row or a column of its own.

use super::drafted_from;

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
