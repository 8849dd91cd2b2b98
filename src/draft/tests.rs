//! Drafts of texts that nobody would write.

use proptest::prelude::*;

use super::*;
use crate::scenario::Scenario;
use crate::signature::{Headers, kernels, kernels_and_instances};

mod clusters;
mod guesses;
mod loops;
mod sizes;

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

/// The text of a draft of a source.
fn text_of(text: &str) -> String {
    let all = kernels(text, Language::Cuda).unwrap();
    let headers = Headers::default();
    let request = Request { kernels: &all, entries: &[], source: "a.cu", language: Language::Cuda, headers: &headers };
    let drafted = draft(request).unwrap();
    assert!(Scenario::parse("drafted.toml", &drafted.text, &[], 1000).is_ok(), "{}", drafted.text);
    drafted.text
}

/// The lines of a draft of a source that begin with one of these names.
fn lines_of(text: &str, names: &[&str]) -> Vec<String> {
    let is_asked = |line: &&str| names.iter().any(|name| line.split(" =").next() == Some(*name));
    text_of(text).lines().filter(is_asked).map(str::to_owned).collect()
}

#[test]
fn shared_memory_follows_the_block_where_the_source_writes_it_so() {
    let source = |bytes: &str| {
        format!(
            "__global__ void sum(const float* in, float* out, int n) {{
                extern __shared__ float sh[];
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                sh[threadIdx.x] = i < n ? in[i] : 0;
                if (threadIdx.x == 0) out[blockIdx.x] = sh[0];
            }}
            void run(const float* in, float* out, int n) {{
                int threads = 256;
                sum<<<(n + threads - 1) / threads, threads, {bytes}>>>(in, out, n);
            }}"
        )
    };
    let launch =
        |bytes: &str| format!(r#"launch = {{ grid = "ceil(n / block)", block = "block", shared_bytes = {bytes} }}"#);
    let told = |bytes: &str| lines_of(&source(bytes), &["launch"]);
    assert_eq!(told("threads * sizeof(float)"), [launch(r#""4 * block""#)]);
    assert_eq!(told("2 * threads * sizeof(float)"), [launch(r#""8 * block""#)]);
    assert_eq!(told("1024"), [launch("1024")]);
}

#[test]
fn an_element_behind_an_address_is_the_first() {
    let text = "__global__ void sum(const float* in, float* out, float* last, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) { float t = in[i]; *out += t; *last = t; }
        }";
    let told = lines_of(text, &["out", "last"]);
    assert_eq!(told.len(), 2);
    assert!(told.iter().all(|line| line.contains("length = 1")), "{told:?}");
}

#[test]
fn what_decides_how_often_a_loop_runs_is_to_be_checked() {
    let text = "__global__ void walk(const int* start, const int* times, const float* least, const float* free, int* out, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            int v = start[i];
            float f = free[i];
            while (v > 1) v = v / 2;
            for (int k = 0; k < times[i]; ++k) f += 1;
            while (f > least[i]) f *= 0.5f;
            out[i] = v + f;
        }";
    assert_eq!(
        lines_of(text, &["start", "times", "least", "free"]),
        [
            r#"start = { type = "i32", length = "n", fill = "1 + i % 32" }"#,
            r#"times = { type = "i32", length = "n", fill = "1 + i % 32" }"#,
            r#"least = { type = "f32", length = "n", fill = "uniform" }"#,
            r#"free = { type = "f32", length = "n", fill = "uniform" }"#,
        ]
    );
    let all = kernels(text, Language::Cuda).unwrap();
    let headers = Headers::default();
    let request = Request { kernels: &all, entries: &[], source: "a.cu", language: Language::Cuda, headers: &headers };
    assert_eq!(made_up(&draft(request).unwrap().text), ["start", "times", "least", "free"]);
}

#[test]
fn rows_have_as_many_elements_as_the_source_allocates() {
    let text = "__global__ void spmv(int rows, const int* row_ptr, const int* col, const float* x, float* y) {
            int r = blockIdx.x * blockDim.x + threadIdx.x;
            if (r >= rows) return;
            float sum = 0;
            for (int k = row_ptr[r]; k < row_ptr[r + 1]; ++k) sum += x[col[k]];
            y[r] = sum;
        }
        int main() {
            const int rows = 65536;
            int *row_ptr, *col; float *x, *y;
            cudaMalloc(&row_ptr, (rows + 1) * sizeof(int));
            cudaMalloc(&col, rows * 32 * sizeof(int));
            cudaMalloc(&x, rows * sizeof(float));
            cudaMalloc(&y, rows * sizeof(float));
            spmv<<<(rows + 255) / 256, 256>>>(rows, row_ptr, col, x, y);
        }";
    assert_eq!(
        lines_of(text, &["row_ptr", "col"]),
        [
            r#"row_ptr = { type = "i32", length = "rows + 1", fill = "32 * i" }"#,
            r#"col = { type = "i32", length = "32 * rows", fill = "i % rows" }"#
        ]
    );
}

#[test]
fn characters_that_control_terminals_do_not_break_a_draft() {
    let sources = [
        "__global__ void add(float *a, const float *__rest\u{6}rict b, int n) {}",
        "template <int A> __global__ void f(int *p) { p[threadIdx.x] = A; } void g() { f<\u{6}, 1><<<1, 2>>>(0); }",
        "template <class T = \u{6}\u{6}n, int N> __global__ void f(int *p, int n) { p[threadIdx.x] = N; }",
        "template <class T> __global__ void f(int *p) { *p = 1; } void g() { f<\u{6}a><<<1, 2>>>(0); f<b><<<1, 2>>>(0); }",
    ];
    for source in sources {
        let all = kernels(source, Language::Cuda).unwrap();
        let headers = Headers::default();
        let request =
            Request { kernels: &all, entries: &[], source: "a.cu", language: Language::Cuda, headers: &headers };
        let drafted = draft(request).unwrap();
        let is_read = Scenario::parse("drafted.toml", &drafted.text, &[], 1000).is_ok();
        assert!(is_read || !drafted.missing.is_empty(), "{}", drafted.text);
        assert!(!drafted.text.contains('\u{6}') && !drafted.text.contains("\\u0006"), "{}", drafted.text);
    }
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
