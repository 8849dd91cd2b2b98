//! What drafts have from headers beside a source, and from macros within functions.

use std::fs;

use super::{assert_has, assert_reads, drafted_from};
use crate::common::{Workspace, stderr};

const SOURCE: &str = "#include <cstdio>
#include \"common/sizes.cuh\"
#include \"kernels.cuh\"
#include \"absent.cuh\"
int main() { Image image = {a, b, WIDTH}; brighten<<<WIDTH / TILE, TILE>>>(image, 0.5f); }
";

const KERNELS: &str = "#pragma once
#include \"common/image.cuh\"
__global__ void brighten(Image image, float by) {
    int i = blockIdx.x * TILE + threadIdx.x;
    if (i < image.width) image.out[i] = image.in[i] * by;
}
";

/// The kernel, its structure and its sizes are each in another file.
#[test]
fn headers_beside_the_source_are_read() {
    let workspace = Workspace::new();
    fs::create_dir_all(workspace.path("src/common")).unwrap();
    let write = |path: &str, text: &str| fs::write(workspace.path(path), text).unwrap();
    write("src/main.cu", SOURCE);
    write("src/kernels.cuh", KERNELS);
    write("src/common/sizes.cuh", "#ifndef TILE\n#define TILE 128\n#endif\nconstexpr int WIDTH = 8192;\n");
    write(
        "src/common/image.cuh",
        "#include \"../../outside.cuh\"\nstruct Image { const float* in; float* out; int width; };\n",
    );
    write("outside.cuh", "struct Image { int other; };\n");
    workspace.apbench(&["new", "src/main.cu"]).assert().code(0);
    let text = workspace.read("src/main.toml");
    assert_has(
        &text,
        &[
            "# Read besides, with the line that includes it: `common/sizes.cuh`, `kernels.cuh` and `common/image.cuh`.",
            "# Blocks and threads are as line 5 launches them.",
            "launch = { grid = \"ceil(width / tile)\", block = \"tile\" }",
            "arguments = [{ struct = [\"in\", \"out\", \"i32: width\"], bytes = 24 }, 0.5]",
            "width = { default = 8192,",
            "tile = { default = 128, from = 1, to = 1024, define = \"TILE\",",
            "brighten = \"brighten\"   # line 3",
        ],
    );
    assert_reads(&workspace, "src/main.toml");
    // What a diagnosis says of the file's kernels has them, too.
    let told = workspace.apbench(&["diagnose", "src/main.cu", "--device", "sim:h200"]).assert().code(2);
    assert_has(&stderr(&told), &["brighten(Image image, float by)"]);
    // Where nothing defines a kernel, headers or not, that is the error.
    write("src/kernels.cuh", "namespace unclosed {");
    let told = workspace.apbench(&["new", "src/main.cu", "--out", "other.toml"]).assert().code(2);
    assert_has(&stderr(&told), &["there is no kernel in it"]);
}

#[test]
fn macros_within_functions_are_known() {
    let source = "__global__ void scale(float* data, int n) {
#define TILE 64
    int i = blockIdx.x * TILE + threadIdx.x;
    if (i < n) data[i] *= 2;
#undef TILE
}
int main() {
#define SIZE 4096
#define BLOCKS(count) (((count) + 63) / 64)
    scale<<<BLOCKS(SIZE), 64>>>(data, SIZE);
}
";
    let (_, text, _) = drafted_from(source, &[]);
    assert_has(
        &text,
        &[
            "# Blocks and threads are as line 10 launches them.",
            "launch = { grid = \"ceil(n / 64)\", block = 64 }",
            "n = { default = 4096,",
        ],
    );
}
