//! Drafts of texts that nobody would write.

use proptest::prelude::*;

use super::*;
use crate::scenario::Scenario;
use crate::signature::{Headers, kernels, kernels_and_instances};

#[test]
fn variables_that_name_each_other_often_take_no_time() {
    let mut body = "int a0 = n;".to_owned();
    for step in 1..200 {
        body += &format!("int a{step} = a{} + a{};", step - 1, step - 1);
    }
    let text = format!("__global__ void kernel(float* data, int n) {{ {body} data[a199] = 1; }}");
    let all = kernels(&text, Language::Cuda).unwrap();
    let request =
        Request { kernels: &all, entries: &[], source: "a.cu", language: Language::Cuda, headers: &Headers::default() };
    assert!(draft(request).is_ok());
}

#[test]
fn buffers_have_the_names_of_the_definition() {
    let text = "template <typename T> __global__ void scale(const T*, T*, int);
        template <typename T> __global__ void scale(const T* input, T* numStatus, int i) { numStatus[i] = input[i]; }
        template __global__ void scale<float>(const float*, float*, int);
        __global__ void unnamed(float*, int max) {}";
    let names = |entry: &str| {
        let all = kernels_and_instances(text, Language::Cuda, &[entry.to_owned()], &Headers::default()).unwrap();
        names_of_parameters(&all, entry)
    };
    let own = [Some("input".to_owned()), Some("num_status".to_owned()), Some("i_of_kernel".to_owned())];
    assert_eq!(names("scale<float>"), own);
    assert_eq!(names("scale<double>"), own);
    assert_eq!(names("unnamed"), [None, Some("max_of_kernel".to_owned())]);
    assert_eq!(names("other"), []);
}

#[test]
fn constant_memory_without_values_is_drafted() {
    let text = "__constant__ float filter[9], shift;
        static __constant__ int2 offsets[4];
        __constant__ float known[2] = {1, 2};
        __constant__ Unknown other;
        __constant__ double unused;
        __device__ float at(int i) { return filter[i] + known[i & 1]; }
        __global__ void blur(const float* in, float* out, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = in[i] * at(i % 9) + offsets[i % 4].x;
        }";
    let all = kernels(text, Language::Cuda).unwrap();
    let headers = Headers::default();
    let request = Request { kernels: &all, entries: &[], source: "a.cu", language: Language::Cuda, headers: &headers };
    let drafted = draft(request).unwrap();
    assert!(Scenario::parse("drafted.toml", &drafted.text, &[], 1000).is_ok(), "{}", drafted.text);
    let (_, behind) = drafted.text.split_once("[constants]\n").unwrap();
    let own = behind.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with('#'));
    let own: Vec<&str> = own.collect();
    assert_eq!(made_up(&drafted.text), ["filter", "offsets"]);
    assert_eq!(
        own,
        [r#"filter = { type = "f32", fill = "uniform" }"#, r#"offsets = { type = "i32", fill = "zeros" }"#]
    );
}

#[test]
fn characters_that_control_terminals_do_not_break_a_draft() {
    let all =
        kernels("__global__ void add(float *a, const float *__rest\u{6}rict b, int n) {}", Language::Cuda).unwrap();
    let headers = Headers::default();
    let request = Request { kernels: &all, entries: &[], source: "a.cu", language: Language::Cuda, headers: &headers };
    let drafted = draft(request).unwrap();
    let is_read = Scenario::parse("drafted.toml", &drafted.text, &[], 1000).is_ok();
    assert!(is_read || !drafted.missing.is_empty(), "{}", drafted.text);
    assert!(!drafted.text.contains('\u{6}'));
}

proptest! {
    /// What is read can be drafted, and the draft is a scenario.
    #[test]
    fn no_text_is_a_panic(text in r#"(__global__ |void |template |<|>|int |float\* |n|x|\(|\)|\{|\}|;|,|=|threadIdx\.x|blockIdx\.y|\[|\]|"|/\*|//|\n|\*|&|\+|1|#define N |for|\PC){0,60}"#) {
        for language in [Language::Cuda, Language::Ptx] {
            let text = format!("{text} __global__ void kernel(float* x, int n) {{ {text} }}");
            let Ok(all) = kernels(&text, language) else { continue };
            let drafted = draft(Request { kernels: &all, entries: &[], source: "a.cu", language, headers: &Headers::default() }).unwrap();
            let scenario = Scenario::parse("a.toml", &drafted.text, &[], 1000);
            prop_assert!(scenario.is_ok() || !drafted.missing.is_empty(), "{}\n{:?}", drafted.text, scenario);
        }
    }

    /// The same of code of the host around a launch.
    #[test]
    fn no_host_is_a_panic(
        host in r"(kernel|<<<|>>>|kernel<<<1, n>>>\(|\(|\)|\{|\}|\[|\]|=|&|\*|,|;|\.|->|\?|:|<|>|-|/|new|malloc|calloc|cudaMalloc|vector|dim3|int|float|double|T|n|x|p|size|sizeof|auto|run|argv|static_cast|template|1|0\.5f|\n| ){0,80}",
        is_template in any::<bool>(),
    ) {
        let template = if is_template { "template <typename T, int R>" } else { "" };
        let text = format!(
            "struct S {{ float* x; int n; }};\n{template} __global__ void kernel(float* x, int n, float a, S p) {{ if (threadIdx.x < n) x[n] = a; }}\n\
             #define L(x) {}\n{template} void run(int n, float* x) {{ {host} }}\nvoid main() {{ S p; run<float, 3>(1, x); L(3); {host} }}",
            host.replace('\n', " ")
        );
        let Ok(all) = kernels_and_instances(&text, Language::Cuda, &[format!("kernel<{host}>")], &Headers::default()) else { return Ok(()) };
        let drafted = draft(Request { kernels: &all, entries: &[], source: "a.cu", language: Language::Cuda, headers: &Headers::default() }).unwrap();
        let scenario = Scenario::parse("a.toml", &drafted.text, &[], 1000);
        prop_assert!(scenario.is_ok() || !drafted.missing.is_empty(), "{}\n{:?}", drafted.text, scenario);
    }
}
