//! The sizes of drafts: blocks for a whole GPU where the source gives none, and the source's where it does.

use super::{assert_has, drafted_from};

const ROWS: &str = "__global__ void sum_rows(const float* x, float* y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) { float s = 0; for (int c = 0; c < cols; c++) s += x[r * cols + c]; y[r] = s; }
}
";

/// A thread for each row, and a tile of 128 x 128 elements for each block: 1024 rows or 256 of both would be 4 blocks.
#[test]
fn sizes_that_nothing_gives_fill_a_gpu() {
    let (_, text, _) = drafted_from(ROWS, &[]);
    assert_has(
        &text,
        &["rows = { default = 65_536,", "cols = { default = 256,", "rows = [8192, 16_384, 32_768, 65_536]"],
    );
    assert_has(&text, &["#   rows = [8192, 16_384, 32_768, 65_536]\n#   cols = [32, 64, 128, 256]"]);
    let tiles = "#define TILE 128
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float tile[8][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < k; i++) { tile[threadIdx.y][threadIdx.x] = b[i * n + col]; __syncthreads(); sum += a[row * k + i] * tile[0][threadIdx.x]; }
    c[row * n + col] = sum;
}
";
    let (_, text, _) = drafted_from(tiles, &[]);
    assert_has(&text, &["\"ceil(n / 128)\", \"ceil(m / 128)\"", "m = { default = 2048,", "n = { default = 2048,"]);
    assert!(!text.contains("multiprocessors"), "{text}");
}

/// Each thread goes through all elements: a million would take hours to count.
#[test]
fn sizes_that_loops_go_through_are_small() {
    let pairs = "__global__ void forces(const float4* p, float* f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < n; j++) sum += p[j].w / (1 + p[i].x - p[j].x);
    f[i] = sum;
}
";
    let (_, text, _) = drafted_from(pairs, &[]);
    assert_has(&text, &["n = { default = 8192, from = 1, to = 268_435_456,", "block = { default = 32,"]);
    // A loop that doubles ends soon.
    let (_, text, _) = drafted_from(&pairs.replace("j++", "j *= 2"), &[]);
    assert_has(&text, &["n = { default = 1_048_576,", "block = { default = 256,"]);
    // What indices are computed with is kept where it is not a loop's end.
    let (_, text, _) = drafted_from(&ROWS.replace("c < cols", "c < 10"), &[]);
    assert_has(&text, &["rows = { default = 65_536,", "cols = { default = 256,"]);
}

#[test]
fn sizes_of_the_source_are_kept_and_few_blocks_are_told() {
    let told = "# With the values below there are 4 blocks, and an H200 has 132 multiprocessors: what leaves the others idle is most of a diagnosis. Larger \
                values fill them.";
    let (_, text, _) = drafted_from(&format!("{ROWS}int main() {{ sum_rows<<<4, 256>>>(x, y, 1024, 512); }}"), &[]);
    assert_has(&text, &[told, "rows = { default = 1024,", "cols = { default = 512,", "block = { default = 256,"]);
    let (_, text, _) = drafted_from(&format!("{ROWS}int main() {{ sum_rows<<<400, 256>>>(x, y, 102400, 512); }}"), &[]);
    assert!(!text.contains("multiprocessors"), "{text}");
    // What the source leaves open is chosen.
    let (_, text, _) = drafted_from(&format!("{ROWS}int main() {{ sum_rows<<<4, 256>>>(x, y, rows, 512); }}"), &[]);
    assert_has(&text, &["rows = { default = 65_536,", "cols = { default = 512,"]);
}
