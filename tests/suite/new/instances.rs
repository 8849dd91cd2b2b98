//! Instances of templates that are asked for, and those that the source launches.

use std::fs;

use super::drafted_from;
use crate::common::{Workspace, stderr};

const TEMPLATE: &str = "constexpr int WIDE = 8;
template <typename T, int RADIUS = 2, bool ROUND = false>
__global__ void blur(const T* input, T* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T sum = 0;
    for (int k = 0; k <= RADIUS; k++) sum += input[i + k];
    output[i] = sum;
}
__global__ void copy(const float* input, float* output, int n) { output[threadIdx.x] = input[n]; }
";

#[test]
fn an_instance_that_nothing_launches_can_be_asked_for() {
    for (asked, entry, element) in [
        ("blur<float, 3>", "blur<float, 3, false>", "f32"),
        ("blur<double,2+3,true>", "blur<double, 5, true>", "f64"),
        ("blur<unsigned char, WIDE>", "blur<unsigned char, 8, false>", "u8"),
        ("blur<half>", "blur<half, 2, false>", "f16"),
    ] {
        let (_, text, _) = drafted_from(TEMPLATE, &["--entry", asked]);
        assert!(text.contains(&format!(" = \"{entry}\"")), "{asked}: {text}");
        assert!(text.contains(&format!("input = {{ type = \"{element}\"")), "{asked}: {text}");
        assert!(!text.contains("types that templates are open to"), "{asked}: {text}");
    }
    // As long as the index asks for.
    let (_, text, _) = drafted_from(TEMPLATE, &["--entry", "blur<float, 3>"]);
    assert!(text.contains("length = \"n + 3\""), "{text}");
    // Two of them are variants.
    let (_, text, _) = drafted_from(TEMPLATE, &["--entry", "blur<float,3>", "--entry", "blur<float, 5>"]);
    assert!(text.contains("\"blur<float, 3, false>\"") && text.contains("\"blur<float, 5, false>\""), "{text}");
    // One among those that the source launches.
    let launched = format!("{TEMPLATE}void run() {{ blur<float, 4><<<1, 32>>>(a, b, 7); }}");
    let (_, text, _) = drafted_from(&launched, &["--entry", "blur<float, 3>"]);
    assert!(text.contains("= \"blur<float, 3, false>\"") && !text.contains("= \"blur<float, 4, false>\""), "{text}");
}

#[test]
fn an_instance_that_a_template_cannot_have_is_refused_with_its_parameters() {
    let workspace = Workspace::new();
    fs::write(workspace.path("own.cu"), TEMPLATE).unwrap();
    for asked in ["blur<float, x>", "blur<float, 1, true, 4>", "blur<>", "blur<3, 3>", "blur<float, 3, maybe>"] {
        let told = stderr(&workspace.apbench(&["new", "own.cu", "--entry", asked]).assert().code(2));
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            told.contains(&format!(
                "own.cu:3: --entry `{asked}`: the template `blur` takes 3 arguments: T (a type), RADIUS (a whole number, 2 by default) and \
                 ROUND (true or false, false by default)"
            )),
            "{told}"
        );
    }
    let told = stderr(&workspace.apbench(&["new", "own.cu", "--entry", "copy<float>"]).assert().code(2));
    assert!(told.contains("there is no such kernel"), "{told}");
}

const BLUR: &str = "template <typename T, int RADIUS = 4>
__global__ void blur(const T* input, T* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - RADIUS) output[i] = input[i + RADIUS];
}
";

/// However the source comes to launch it.
#[test]
fn the_instance_that_is_launched_is_drafted() {
    for (host, entries) in [
        ("int main() { blur<float, 3><<<8, 128>>>(a, b, 1024); }", vec!["blur<float, 3>"]),
        ("int main() { constexpr int R = 3; blur<double, R><<<8, 128>>>(a, b, 1024); }", vec!["blur<double, 3>"]),
        ("int main() { blur<float><<<8, 128>>>(a, b, 1024); }", vec!["blur<float, 4>"]),
        // By a template of the host, which is called.
        (
            "template <typename T, int R> void run(int n) { blur<T, R><<<n / 128, 128>>>(a, b, n); }\n\
             int main() { run<double, 3>(1024); run<double, 5>(1024); }",
            vec!["blur<double, 3>", "blur<double, 5>"],
        ),
        // By a template that another one calls.
        (
            "template <int R> void run(int n) { blur<float, R><<<n / 128, 128>>>(a, b, n); }\n\
             template <typename T = float> void all() { run<3>(1024); }\nint main() { all(); }",
            vec!["blur<float, 3>"],
        ),
        // By a member of a structure, and by a macro.
        ("struct Bench { int n = 1024; void run() { blur<float, 3><<<8, 128>>>(a, b, n); } };", vec!["blur<float, 3>"]),
        (
            "#define LAUNCH(T, R) \\\n    blur<T, R><<<8, 128>>>(a, b, n)\nint main() { int n = 1024; LAUNCH(float, 3); }",
            vec!["blur<float, 3>"],
        ),
        ("int main() { auto own = blur<float, 3>; own<<<8, 128>>>(a, b, 1024); }", vec!["blur<float, 3>"]),
        ("int main() { auto own = &blur<float, 3>; own<<<8, 128>>>(a, b, 1024); }", vec!["blur<float, 3>"]),
    ] {
        let (_, text, _) = drafted_from(&format!("{BLUR}{host}"), &[]);
        for entry in &entries {
            assert!(text.contains(&format!(" = \"{entry}\"")), "{host}: {text}");
        }
        assert_eq!(
            text.matches("\"blur<").count() - text.matches("title = \"blur<").count(),
            entries.len(),
            "{host}: {text}"
        );
        assert!(!text.contains("an argument of the template"), "{host}: {text}");
    }
    // Nobody calls it, so nobody knows.
    let host = "template <int R> void run(int n) { blur<float, R><<<n / 128, 128>>>(a, b, n); }";
    let (_, text, _) = drafted_from(&format!("{BLUR}{host}"), &[]);
    assert!(text.contains("\"blur<float, {radius}>\""), "{text}");
}

/// As the compiler does it.
#[test]
fn types_that_a_launch_does_not_write_are_those_of_its_addresses() {
    let axpy = "template <typename T, int UNROLL = 2>
__global__ void axpy(T by, const T* __restrict__ x, T* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += by * x[i];
}
";
    for (host, entry) in [
        ("int main() { double *x = nullptr, *y; axpy<<<4, 256>>>(2.0, x, y, 1024); }", "axpy<double, 2>"),
        ("int main() { unsigned int* x; axpy<<<4, 256>>>(2, x, y, 1024); }", "axpy<unsigned int, 2>"),
        (
            "int main() { thrust::device_vector<double> v(1024); axpy<<<4, 256>>>(2., raw_pointer_cast(v.data()), y, 1024); }",
            "axpy<double, 2>",
        ),
        (
            "template <typename U> void run() { U* x; axpy<<<4, 256>>>(U(2), x, y, 1024); }\nint main() { run<double>(); }",
            "axpy<double, 2>",
        ),
        ("void run(int n) { axpy<<<4, 256>>>(2, x, y, n); }", "axpy<float, {unroll}>"),
    ] {
        let (_, text, _) = drafted_from(&format!("{axpy}{host}"), &[]);
        assert!(text.contains(&format!(" = \"{entry}\"")), "{host}: {text}");
    }
}

/// As many elements as the source allocates for the instance that it launches, whatever their type.
#[test]
fn an_instance_of_another_type_has_as_many_elements() {
    let scale = "template <typename T>
__global__ void scale(const T* x, T* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x) y[x[i] > 0 ? i : 0] = x[i];
}
int main() { double *x, *y; cudaMalloc(&x, 3 * n * sizeof(double)); cudaMalloc(&y, 2 * n * 8); scale<double><<<4, 256>>>(x, y, n); }
";
    for instance in ["scale<double>", "scale<float>", "scale<char>"] {
        let (_, text, _) = drafted_from(scale, &["--entry", instance]);
        assert!(text.contains("length = \"3 * n\"") && text.contains("length = \"2 * n\""), "{instance}: {text}");
    }
}

/// A first `verify` must not fail because two radii are two sums.
#[test]
fn instances_that_may_compute_something_else_are_not_compared() {
    for (name, is_compared) in [("RADIUS", false), ("N", false), ("BLOCK_SIZE", true), ("itemsPerThread", true)] {
        let kernel = format!(
            "template <int {name}>
__global__ void sums(const float* x, float* y, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - {name}) y[i] = x[i + {name}];
}}
int main() {{ sums<3><<<4, 256>>>(x, y, 1024); sums<5><<<4, 256>>>(x, y, 1024); }}
"
        );
        let (_, text, _) = drafted_from(&kernel, &[]);
        let said = format!("# Nothing compares `y`: the variants have other values of {name}.");
        assert_eq!(text.contains(&said), !is_compared, "{text}");
        assert_eq!(text.contains("length = \"n\", check = \"variants agree\""), is_compared, "{text}");
    }
}
