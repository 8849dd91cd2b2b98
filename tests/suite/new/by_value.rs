//! What drafts have for structures that kernels take by value.

use std::fs;
use std::path::Path;

use super::{drafted, drafted_from};
use crate::common::stdout;

/// The line of a draft with its arguments.
fn arguments(source: &str) -> String {
    let (_, text, told) = drafted_from(source, &[]);
    assert!(!told.contains("does not run"), "{told}");
    text.lines().find(|line| line.starts_with("arguments")).unwrap_or_default().to_owned()
}

/// The body of a kernel that copies where this is so.
fn copying(what: &str) -> String {
    format!("{{ int i = blockIdx.x * blockDim.x + threadIdx.x; {what} }}")
}

#[test]
fn structures_of_cuda_are_written() {
    let body = copying("if (i < dims.x) out[i] = in[i + offset.x] * color.w;");
    let source = format!(
        "__global__ void f(const float* in, float* out, int3 dims, int2 offset, float4 color, dim3 blocks, half by) {body}"
    );
    let vectors = "{ struct = [\"i32: dims_x\", \"i32: 1\", \"i32: 1\"] }, { struct = [\"i32: 0\", \"i32: 0\"], align = 8 }, \
                   { struct = [\"f32: 1.0\", \"f32: 1.0\", \"f32: 1.0\", \"f32: 1.0\"], align = 16 }, \
                   { struct = [\"u32: 1\", \"u32: 1\", \"u32: 1\"] }, \"f16: 1.0\"";
    assert_eq!(arguments(&source), format!("arguments = [\"in\", \"out\", {vectors}]"));
    // What the launch gives.
    let host = "int main() { int2 offset = make_int2(3, -1); f<<<16, 256>>>(a, b, make_int3(4096, 2, 1), offset, make_float4(.5f, 1, 2, 3), dim3(4, 2, 1), h); }";
    let (_, text, _) = drafted_from(&format!("{source}\n{host}"), &[]);
    let launched = "{ struct = [\"i32: dims_x\", \"i32: 2\", \"i32: 1\"] }, { struct = [\"i32: 3\", \"i32: 0 - 1\"], align = 8 }, \
                    { struct = [\"f32: 0.5\", \"f32: 1.0\", \"f32: 2.0\", \"f32: 3.0\"], align = 16 }, \
                    { struct = [\"u32: 4\", \"u32: 2\", \"u32: 1\"] }, \"f16: 1.0\"";
    assert!(text.contains(launched), "{text}");
    assert!(text.contains("dims_x = { default = 4096,"), "{text}");
    assert!(text.contains("# Members of `dims` (int3) are as line 2 has them: x, y, z."), "{text}");
}

#[test]
fn instances_of_templates_and_bases_are_written() {
    let span = "template <typename T> struct Span { T* data; int size; };";
    let body = copying("if (i < to.size) to.data[i] = from.data[i];");
    let of_floats =
        "{ struct = [\"data\", \"i32: size\"], bytes = 16 }, { struct = [\"data_2\", \"i32: size_2\"], bytes = 16 }";
    let told = arguments(&format!("{span} __global__ void f(Span<float> to, Span<const float> from) {body}"));
    assert_eq!(told, format!("arguments = [{of_floats}]"));
    let of_template = format!("{span} template <class U> __global__ void f(Span<U> to, Span<U> from) {body}");
    assert_eq!(arguments(&of_template), format!("arguments = [{of_floats}]"));
    let (_, text, _) = drafted_from(&format!("{of_template} int main() {{ f<double><<<1, 32>>>(to, from); }}"), &[]);
    assert!(text.contains("data = { type = \"f64\", length = \"size"), "{text}");
    let bases = "struct Size { int width; }; struct Image : public Size { float* pixels; };";
    let body = copying("if (i < image.width) image.pixels[i] = 1;");
    let told = arguments(&format!("{bases} __global__ void f(Image image) {body}"));
    assert_eq!(told, "arguments = [{ struct = [\"i32: width\", \"pixels\"], bytes = 16 }]");
}

/// Whatever it is called, what indices are compared with says how much there is.
#[test]
fn members_that_limit_indices_are_parameters() {
    let structure = "struct Options { int points, passes; float by[40]; int ends[2]; };";
    let body = copying("if (i < own.points && i < own.ends[1]) out[i] = own.by[i % 40] * own.passes;");
    let told = arguments(&format!("{structure} __global__ void f(float* out, Options own) {body}"));
    let members =
        "\"i32: points\", \"i32: 1\", { array = \"f32: 1.0\", length = 40 }, { array = \"i32: ends\", length = 2 }";
    assert_eq!(told, format!("arguments = [\"out\", {{ struct = [{members}], bytes = 176 }}]"));
}

/// As it is drafted, with what a compiler made of the source in its place.
#[test]
fn a_draft_of_structures_within_structures_runs_as_it_is() {
    let (workspace, text, told) = drafted("blur.cu", &[]);
    assert!(!told.contains("does not run"), "{told}");
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    fs::copy(kernels.join("blur.ptx"), workspace.path("blur.ptx")).unwrap();
    fs::write(workspace.path("blur.toml"), text.replace("blur.cu", "blur.ptx")).unwrap();
    let verify = ["verify", "blur.toml", "--device", "sim:h200", "--set", "dims_x=100", "--set", "dims_y=50"];
    let told = stdout(&workspace.apbench(&verify).assert().code(0));
    // An element of the input for the only tap, one of the output, and one of the table.
    assert!(told.contains(&format!("1 passed, 0 failed; {} accesses", 3 * 100 * 50)), "{told}");
}
