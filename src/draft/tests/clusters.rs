//! Launches of kernels that say how large their clusters are.

use super::{lines_of, text_of};

const SCALE: &str = "#define BLOCKS 6
    __global__ void __cluster_dims__(BLOCKS, 1, 1) scale(float* data, float* out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) data[i] *= 2;
        if (threadIdx.x == 0) out[blockIdx.x] = 1;
    }";

#[test]
fn blocks_are_whole_clusters() {
    let grid = "6 * ceil(n / (6 * block))";
    let launch = format!(r#"launch = {{ grid = "{grid}", block = "block" }}"#);
    let out = format!(r#"out = {{ type = "f32", length = "{grid}" }}"#);
    assert_eq!(lines_of(SCALE, &["launch", "out"]), [launch.clone(), out]);
    assert!(text_of(SCALE).contains("A cluster has 6 x 1 x 1 blocks, and the grid is made of whole clusters."));
    let host = "int main() { int n = 1 << 20; scale<<<(n + 255) / 256, 256>>>(data, out, n); }";
    assert_eq!(lines_of(&format!("{SCALE} {host}"), &["launch"]), [launch]);
    let over_grid = SCALE.replace("if (i < n)", "for (; i < n; i += gridDim.x * blockDim.x)");
    let launch = format!(r#"launch = {{ grid = "min(1020, {grid})", block = "block" }}"#);
    assert_eq!(lines_of(&over_grid, &["launch"]), [launch]);
    let alone = SCALE.replace("BLOCKS 6", "BLOCKS 1");
    assert_eq!(lines_of(&alone, &["launch"]), [r#"launch = { grid = "ceil(n / block)", block = "block" }"#]);
}
