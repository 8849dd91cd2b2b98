//! Kernels read from texts.

use super::*;

fn read(text: &str) -> Vec<Kernel> {
    kernels(text, Language::Cuda).unwrap()
}

fn classes(text: &str) -> Vec<(String, Class)> {
    let kernel = read(&format!("__global__ void kernel({text}) {{}}")).remove(0);
    kernel.parameters.into_iter().map(|own| (own.name.unwrap_or_default(), own.class)).collect()
}

fn pointer(element: Element, parts: u32, is_const: bool) -> Class {
    Class::Pointer { element: Some((element, parts)), is_const }
}

#[test]
fn parameters_are_what_is_given_for_them() {
    for (text, name, class) in [
        ("const float* __restrict__ a", "a", pointer(Element::Float(32), 1, true)),
        ("float const *a", "a", pointer(Element::Float(32), 1, true)),
        ("float * const a", "a", pointer(Element::Float(32), 1, false)),
        ("unsigned long long int *a", "a", pointer(Element::Unsigned(64), 1, false)),
        ("unsigned char a[16]", "a", pointer(Element::Unsigned(8), 1, false)),
        ("std::uint32_t* a", "a", pointer(Element::Unsigned(32), 1, false)),
        ("volatile int* a", "a", pointer(Element::Signed(32), 1, false)),
        ("const float4* a", "a", pointer(Element::Float(32), 4, true)),
        ("__half2* a", "a", pointer(Element::Float(16), 2, false)),
        ("Particle* a", "a", Class::Pointer { element: None, is_const: false }),
        ("float", "", Class::Float(32)),
        ("unsigned", "", Class::Whole(32)),
        ("unsigned int", "", Class::Whole(32)),
        ("int n = 3", "n", Class::Whole(32)),
        ("const size_t n", "n", Class::Whole(64)),
        ("double x", "x", Class::Float(64)),
        ("bool b", "b", Class::Whole(8)),
        ("struct Options o", "o", Class::Structure),
        ("thrust::pair<int, float> p", "p", Class::Structure),
        ("const float& x", "x", Class::Reference),
        ("float** x", "x", Class::Indirect),
        ("int (*f)(int)", "int", Class::Indirect),
        ("cudaTextureObject_t t", "t", Class::Texture),
    ] {
        let found = classes(text);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].1, class, "{text}");
        assert!(found[0].0 == name || class == Class::Indirect, "{text}: {found:?}");
    }
    assert!(classes("void").is_empty() && classes("").is_empty());
}

#[test]
fn kernels_are_found_wherever_they_are() {
    let text = r#"
#include <cstdio>
#if __CUDA_ARCH__ >= 700
#endif
using namespace std;
typedef unsigned short Cell;
struct Options { int mode; __host__ void print() { printf("__global__ void no(int x) {}"); } };
extern "C" { __global__ void first(Cell* cells) { } }
namespace tools { namespace { template <typename T, int TILE = 16> __global__
__launch_bounds__(TILE_THREADS * 2, 4) void second(T* data, int count) { } } }
static __global__ void third(int a,
    int b);
MACRO(third)
__global__ __launch_bounds__(128) static void third(int a, int b) { }
auto lambda = [] (int x) { return x; };
int table[] = { 1, 2 };
"#;
    let all = read(text);
    let names: Vec<(&str, u32)> = all.iter().map(|own| (own.name.as_str(), own.line)).collect();
    assert_eq!(names, [("first", 8), ("tools::second", 10), ("third", 14)]);
    assert_eq!(all[0].parameters[0].class, pointer(Element::Unsigned(16), 1, false));
    let kinds: Vec<TemplateKind> = all[1].templates.iter().map(|own| own.kind).collect();
    assert_eq!(kinds, [TemplateKind::Type, TemplateKind::Whole]);
    assert_eq!(all[1].templates[1].default.as_deref(), Some("16"));
    assert_eq!(all[2].threads_most, Some(128));
}

#[test]
fn bodies_say_what_is_read_and_written() {
    let text = "__device__ void put(float* to, int at, float what) { to[at] = what; }
        __global__ void kernel(const float* a, float* b, float* c, int* d, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            put(b, i, a[i]);
            c[i] += 1.0f;
            atomicAdd(&d[int(a[i]) & 15], 1);
        }";
    let body = &read(text)[0].body;
    let told: Vec<[bool; 3]> = body.uses.iter().map(|own| [own.reads, own.writes, own.is_atomic]).collect();
    assert_eq!(told[..4], [[true, false, false], [false, true, false], [true, true, false], [true, true, true]]);
    assert_eq!(body.uses[3].accesses.len(), 1);
    assert_eq!(body.axes.iter().collect::<Vec<_>>(), [&Axis::X]);
}

#[test]
fn nesting_has_an_end() {
    let deep = "(".repeat(20_000) + &")".repeat(20_000);
    let calls = "f(".repeat(5000) + &")".repeat(5000);
    for inner in [
        deep.clone(),
        format!("int x = {deep};"),
        format!("int x = {calls}; data[x] = 1;"),
        "[".repeat(9000) + &"]".repeat(9000),
    ] {
        let text =
            format!("__device__ int f(int x) {{ return f(f(x)); }} __global__ void kernel(float* data) {{ {inner} }}");
        let _ = kernels(&text, Language::Cuda);
    }
}

/// The first kernel's launch in a text, as the source has it.
fn launched(text: &str) -> Option<SourceLaunch> {
    kernels_and_instances(text, Language::Cuda, &[], &Headers::default()).unwrap().remove(0).launch
}

#[test]
fn launches_are_told_in_terms_of_the_kernel() {
    let own = |main: &str| {
        launched(&format!(
            "#define UP(a, b) ((a + b - 1) / b)\nint half(int x) {{ return x / 2; }}\n__global__ void f(float* x, int n) {{ x[n] = 1; }}\nint main() {{ {main} }}"
        ))
    };
    let (n, number) = (|| Box::new(Expression::Parameter(1)), |own| Expression::Number(own));
    let halved = own("int k = 8; k = 9; f<<<half(size), dim3(32, 4), 16 * sizeof(float)>>>(x, size);").unwrap();
    assert_eq!(halved.grid, [Expression::Quotient(n(), Box::new(number(2)))]);
    assert_eq!((halved.block.clone(), halved.shared_bytes.clone()), (vec![number(32), number(4)], Some(number(64))));
    assert_eq!((halved.line, halved.dimensions()), (4, 2));
    // What changes, and what is no number, is not known.
    let unknown = own("int b = 3; b += n; f<<<b, pick() ? 32 : 64>>>(x, n);").unwrap();
    assert_eq!((unknown.grid, unknown.block), (vec![Expression::Unknown], vec![Expression::Unknown]));
    assert_eq!(own("f(x, 1); f < 3; f<<<1"), None);
}

#[test]
fn instances_that_a_source_names_stand_for_templates() {
    let names = |rest: &str| -> Vec<String> {
        let text =
            format!("template <typename T, int N, bool B = false> __global__ void f(T* x) {{ x[N] = 1; }}\n{rest}");
        kernels_and_instances(&text, Language::Cuda, &[], &Headers::default())
            .unwrap()
            .into_iter()
            .map(|own| own.name)
            .collect()
    };
    assert_eq!(names("template __global__ void f<double, 4>(double*);"), ["f<double, 4, false>"]);
    assert_eq!(
        names("void run() { constexpr int R = 3; auto k = f<float, R, true>; f<int, 2 * R><<<1, 2>>>(x); }"),
        ["f<float, 3, true>", "f<int, 6, false>"]
    );
    assert_eq!(names("template <typename U> void run() { f<U, 3><<<1, 2>>>(x); }"), ["f"]);
    assert_eq!(names("void run(int a) { f<float, a>; f<float>; }"), ["f"]);
}
