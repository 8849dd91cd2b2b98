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
