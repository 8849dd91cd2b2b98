//! Launches by functions of CUDA's runtime, in place of `<<<grid, block>>>`.

use super::drafted_from;

const SCALE: &str = "__global__ void scale(const float* in, float* out, int n, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * by;
}
";

#[test]
fn launches_by_functions_are_as_those_in_brackets() {
    for host in [
        "int main() { int n = 4096; float by = 0.5f; void* args[] = {&in, &out, &n, &by}; cudaLaunchKernel((void*)scale, dim3(16), dim3(256), args, 0, 0); }",
        "int main() { int n = 4096; float by = 0.5f; void *list[4] = {(void*)&in, (void*)&out, (void*)&n, (void*)&by}; dim3 grid((n + 255) / 256), block(256); cudaLaunchCooperativeKernel((const void*)&scale, grid, block, list); }",
        "int main() { int n = 4096; cudaLaunchConfig_t config = {0}; config.gridDim = (n + 255) / 256; config.blockDim = 256; cudaLaunchKernelEx(&config, scale, in, out, n, 0.5f); }",
        "int main() { int n = 4096; cudaLaunchConfig_t config = {.gridDim = dim3(16), .blockDim = dim3(256), .dynamicSmemBytes = 0}; cudaLaunchKernelEx(&config, scale, in, out, n, 0.5f); }",
        "int main() { int n = 4096; float by = 0.5f; void* args[] = {&in, &out, &n, &by}; cudaLaunchConfig_t own{16, 256}; cudaLaunchKernelExC(&own, reinterpret_cast<void*>(scale), args); }",
    ] {
        let (_, text, told) = drafted_from(&format!("{SCALE}{host}"), &[]);
        for own in [
            "# Blocks and threads are as line 5 launches them.",
            "arguments = [\"in\", \"out\", \"n\", 0.5]",
            "n = { default = 4096,",
            "block = { default = 256,",
        ] {
            assert!(text.contains(own), "{host}: there is no `{own}` in:\n{text}");
        }
        assert!(!told.contains("launch:"), "{told}");
    }
}

#[test]
fn instances_that_functions_launch_are_drafted() {
    let template = SCALE.replace("__global__", "template <typename T, int N> __global__").replace("float", "T");
    let host = "int main() { float by = 2; void* args[] = {&in, &out, &n, &by}; cudaLaunchKernel((void*)scale<double, 4>, 16, 256, args, 1024, s); }";
    let (_, text, _) = drafted_from(&format!("{template}{host}"), &[]);
    assert!(text.contains("scale_double_4 = \"scale<double, 4>\""), "{text}");
    assert!(text.contains("in = { type = \"f64\""), "{text}");
    assert!(text.contains("arguments = [\"in\", \"out\", \"n\", 2.0]"), "{text}");
    // What is not a list of addresses is no launch that is followed.
    let host = "int main() { cudaLaunchKernel((void*)scale, grid, block, make_args(n), 0, 0); }";
    let (_, text, _) = drafted_from(&format!("{SCALE}{host}"), &[]);
    assert!(text.contains("# CHECK: how many blocks and threads."), "{text}");
}

const RING: &str = "__global__ void ring(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
";

#[test]
fn clusters_of_an_attribute_are_told_as_missing() {
    let host = |attributes: &str| {
        format!(
            "int main() {{ int n = 4096; cudaLaunchConfig_t config = {{}}; config.gridDim = n / 256; config.blockDim = 256;
    cudaLaunchAttribute a[1];
    {attributes}
    cudaLaunchKernelEx(&config, ring, in, out, n); }}"
        )
    };
    let attributes = "a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim.x = 8; a[0].val.clusterDim.y = 1; config.attrs = a;";
    let (_, text, told) = drafted_from(&format!("{RING}{}", host(attributes)), &[]);
    assert!(told.contains("threads, without its clusters"), "{told}");
    for own in [
        "# CHECK: how many blocks and threads.",
        "# CHECK: line 8 launches clusters of 8 x 1 x 1 blocks by an attribute, and this scenario launches without clusters.",
        "# `__global__ void __cluster_dims__(8, 1, 1) ring(...)` in the source, and draft anew.",
    ] {
        assert!(text.contains(own), "there is no `{own}` in:\n{text}");
    }
    assert!(!text.contains("line 8 launches them"), "{text}");
    // An extent that nobody knows, clusters of one block, clusters of the kernel's own, and attributes of something else.
    let unknown = "a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim = pick(); config.attrs = a;";
    let (_, text, _) = drafted_from(&format!("{RING}{}", host(unknown)), &[]);
    assert!(text.contains("__cluster_dims__(?, ?, ?) ring(...)"), "{text}");
    let own = RING.replace("void ring", "void __cluster_dims__(8) ring");
    for (kernel, attributes) in [
        (RING, attributes.replace("= 8", "= 1")),
        (&own, attributes.to_owned()),
        (RING, attributes.replace("ClusterDimension", "Priority")),
    ] {
        let (_, text, _) = drafted_from(&format!("{kernel}{}", host(&attributes)), &[]);
        assert!(!text.contains("by an attribute") && text.contains("are as line 8 launches them"), "{text}");
    }
}
