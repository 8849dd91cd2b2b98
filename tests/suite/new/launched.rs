//! What drafts have from the host's code around a launch: numbers, sizes and lengths.

use super::{assert_has, drafted_from};

const SCALE: &str = "__global__ void scale(const float* in, float* out, int n, float by, double more, bool whole) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = whole ? in[i] * by : in[i] * by + more;
}
";

/// The lines of a draft of this host's code that have something to say of numbers and lengths.
fn drafted(kernel: &str, host: &str) -> String {
    drafted_from(&format!("{kernel}{host}"), &[]).1
}

#[test]
fn numbers_are_those_of_the_launch() {
    let text = drafted(SCALE, "int main() { scale<<<64, 256>>>(a, b, 16384, 0.05f, -1.5e-3, true); }");
    assert_has(
        &text,
        &[
            "# Blocks and threads are as line 5 launches them.",
            "# `by`, `more` and `whole` are as line 5 has them.",
            "arguments = [\"in\", \"out\", \"n\", 0.05, -0.0015, 1]",
            "# Where nothing else is said, values of `n` and `block` are those of line 5.",
            "n = { default = 16_384, from = 1, to = 268_435_456, summary = \"problem size\" }",
            "block = { default = 256, ",
            "n = [2048, 4096, 8192, 16_384]",
        ],
    );
    assert!(!text.contains("CHECK: the number") && !text.contains("CHECK: the values"), "{text}");
    // Constants of the source, of its functions, and what is computed of them.
    for host in [
        "#define N 4096\nconst float BY = 0.25f;\nint main() { scale<<<16, 256>>>(a, b, N, 2 * BY, 1.0 / 8, false); }",
        "int main() { const int size = 1 << 12; float by = 0.5f; scale<<<size / 256, 256>>>(a, b, size, by, by / 4, 0); }",
        "constexpr int SIDE = 64;\nint main() { int n{SIDE * SIDE}; float by(0.5f); scale<<<16, 256>>>(a, b, n, by, (double)1 / 8, false); }",
        "int main() { int n = argc > 1 ? atoi(argv[1]) : 4096; float by = .5; scale<<<16, 256>>>(a, b, n, by, 0.125, false); }",
        "int main() { int n = 4096; if (argc > 1) n = atoi(argv[1]); scale<<<16, 256>>>(a, b, (int)n, 0.5f, 0.125, false); }",
        "int main() { long n = 4096; dim3 block(256), grid((n + block.x - 1) / block.x); scale<<<grid, block>>>(a, b, n, 0.5, .125, false); }",
        "void run(int n, float by) { scale<<<n / 256, 256>>>(a, b, n, by, by / 4, false); }\nint main() { int size = 4096; run(size, 0.5f); }",
        "struct Size { int n; };\nint main() { Size size; size.n = 4096; scale<<<16, 256>>>(a, b, size.n, 0.5f, 0.125, false); }",
        "int main() { int n = 4e3 + 96; scale<<<16, 256>>>(a, b, n, 0.5f, 0.125, false); }",
    ] {
        let text = drafted(SCALE, host);
        assert_has(&text, &["\"n\", 0.5, 0.125, 0]", "n = { default = 4096, from = 1,"]);
    }
    // What changes on the way, or what nobody knows, is a guess.
    for host in [
        "int main() { int n = 4096; n *= times(); scale<<<16, 256>>>(a, b, n, rand(), sqrt(2), x); }",
        "void run(int n) { scale<<<n / 256, 256>>>(a, b, n, by, rand() / 2.0, pick()); }",
    ] {
        let text = drafted(SCALE, host);
        assert_has(&text, &["# CHECK: the numbers for `by`, `more` and `whole`.", "n = { default = 1_048_576,"]);
    }
}

#[test]
fn numbers_that_are_no_extents_may_be_anything() {
    let kernel = "__global__ void shift(const float* in, float* out, int n, int passes, int by, char sign) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int pass = 0; pass < passes; pass++) if (i < n) out[i] = in[i] + by * sign;
}
";
    let text = drafted(kernel, "int main() { shift<<<4, 256>>>(a, b, 1024, 0, -3, -1); }");
    assert_has(
        &text,
        &[
            "arguments = [\"in\", \"out\", \"n\", \"passes\", -3, -1]",
            "passes = { default = 0, from = 0, to = 268_435_456, summary = \"a number\" }",
        ],
    );
}

/// By the kernel's indices alone, each of these would be as long as `n` or unknown.
const GATHER: &str = "__global__ void gather(const int* from, const float* table, float* out, int n, int rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[from[i]];
}
";

#[test]
fn buffers_are_as_long_as_the_host_allocates_them() {
    for (host, line) in [
        (
            "int main() { int n = 4096, rows = 64;\nint* f; float *t, *o;\ncudaMalloc(&f, n * sizeof(int)); cudaMalloc(&t, 2 * rows * sizeof(float)); cudaMalloc(&o, 4 * n);\n",
            7,
        ),
        (
            "int main() { int n = 4096, rows = 64; size_t bytes = rows * sizeof(float) * 2;\nint* f;\ncudaMalloc((void**)&f, n * sizeof(int)); CHECK(cudaMalloc(reinterpret_cast<void**>(&t), bytes)); cudaMallocManaged(&o, n * sizeof *o);\n",
            7,
        ),
        (
            "int main() { int n = 4096, rows = 64;\nstd::vector<float> host(2 * rows);\ncudaMalloc(&t, host.size() * sizeof(float));\n",
            7,
        ),
        ("int main() { int n = 4096, rows = 64;\n\nauto t = (float*)malloc(2 * rows * sizeof(float));\n", 7),
        ("int main() { int n = 4096, rows = 64;\n\nfloat* t = new float[rows * 2];\n", 7),
        ("int main() { int n = 4096, rows = 64;\n\nthrust::device_vector<float> t(rows * 2, 0.0f);\n", 7),
        ("int main() { int n = 4096, rows = 64;\n\nfloat2* t; cudaMalloc(&t, rows * sizeof(float2));\n", 7),
        (
            "struct Pair { float one, other; };\nint main() { int n = 4096, rows = 64;\ncudaMalloc(&t, rows * sizeof(Pair));\n",
            7,
        ),
    ] {
        let text = drafted(GATHER, &format!("{host}gather<<<n / 256, 256>>>(f, t, o, n, rows); }}"));
        assert_has(&text, &["table = { type = \"f32\", length = \"2 * rows\"", "fill = \"i % (2 * rows)\""]);
        assert!(text.contains("`table`") && text.contains(&format!("line {line} allocates")), "{text}");
        assert_has(&text, &["rows = { default = 64,", "out = { type = \"f32\", length = \"n\""]);
    }
    for part in ["thrust::raw_pointer_cast(t.data())", "t.data().get()", "thrust::raw_pointer_cast(&t[0])"] {
        let host = format!(
            "int main() {{ int n = 4096, rows = 64; thrust::device_vector<float> t(2 * rows);\ngather<<<16, 256>>>(f, {part}, o, n, rows); }}"
        );
        assert_has(&drafted(GATHER, &host), &["length = \"2 * rows\""]);
    }
    // Where it is called, and of members.
    let called = "void run(int* f, float* table, float* o, int count, int many) { gather<<<16, 256>>>(f, table, o, count, many); }\n\
                  int main() { int n = 4096, rows = 64; float* t; cudaMalloc(&t, 2 * rows * 4); run(f, t, o, n, rows); }";
    assert_has(&drafted(GATHER, called), &["length = \"2 * rows\"", "rows = { default = 64,"]);
    // A number is one where no expression is the same.
    let fixed =
        "int main() { int n = 4096; cudaMalloc(&t, 1000 * sizeof(float)); gather<<<16, 256>>>(f, t, o, n, 64); }";
    assert_has(&drafted(GATHER, fixed), &["table = { type = \"f32\", length = 1000"]);
    // What leads elsewhere is not the same, and what is not known is not told.
    for host in [
        "int main() { cudaMalloc(&t, 1000 * sizeof(float)); gather<<<16, 256>>>(f, t + 8, o, 4096, 64); }",
        "int main() { cudaMalloc(&t, size()); gather<<<16, 256>>>(f, t, o, 4096, 64); }",
    ] {
        assert_has(&drafted(GATHER, host), &["# CHECK: the length of `table`, which the indices do not say."]);
    }
}

#[test]
fn members_of_structures_are_as_long_as_the_host_allocates_them() {
    let kernel = "struct Particles { float* x; const int* cell; };
__global__ void move(Particles all, const float* field, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) all.x[i] += field[all.cell[i]];
}
";
    let host = "int main() { const int n = 1 << 16; const int cells = 512; Particles p;
    cudaMalloc(&p.x, n * sizeof(float)); cudaMalloc((void**)&p.cell, n * sizeof(int)); cudaMalloc(&field, cells * sizeof(float));
    move<<<(n + 255) / 256, 256>>>(p, field, n); }";
    let text = drafted(kernel, host);
    assert_has(
        &text,
        &[
            "# `x`, `cell` and `field` are as long as line 7 allocates them.",
            "field = { type = \"f32\", length = 512,",
            "cell = { type = \"i32\", length = \"n\", fill = \"i % 512\" }",
            "n = { default = 65_536,",
        ],
    );
}

#[test]
fn members_of_structures_are_those_that_the_host_sets() {
    let kernel = "struct Box { float low, high; int sign; };
struct Field { float* x; int width; Box box; };
__global__ void clamp(Field field, Box box, int passes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < field.width) field.x[i] = fminf(fmaxf(field.x[i], box.low), box.high * box.sign);
}
";
    for host in [
        "int main() { Field field; field.width = 4096; cudaMalloc(&field.x, 4096 * sizeof(float)); Box box = {-0.5f, 2.0f, -3};\n\
         clamp<<<16, 256>>>(field, box, 1); }",
        "int main() { Field field; field.width = 1 << 12; Box box{.low = -0.5f, .high = 2.f, .sign = -3};\n\
         clamp<<<(field.width + 255) / 256, 256>>>(field, box, 1); }",
        "void run(Field field, Box own) {\nclamp<<<(field.width + 255) / 256, 256>>>(field, own, 1); }\n\
         int main() { Field all; all.width = 4096; Box box; box.low = -0.5; box.high = 2; box.sign = -3; run(all, box); }",
        "int main() { Field field; field.width = 4096;\nclamp<<<16, 256>>>(field, Box{-0.5f, 4.0f / 2, -3}, 1); }",
    ] {
        let text = drafted(kernel, host);
        assert_has(
            &text,
            &[
                "# Blocks and threads are as line 8 launches them.",
                "# Members of `box` (Box) are as line 8 has them: low, high, sign.",
                "{ struct = [\"f32: -0.5\", \"f32: 2.0\", \"i32: 0 - 3\"], bytes = 12 }",
                // What is in the inner structure is not known.
                "# CHECK: the members of `field` (Field): x, width, box.",
                "width = { default = 4096, from = 1,",
            ],
        );
    }
}

/// So that they hold for other sizes, too.
#[test]
fn lengths_are_expressions_of_members_that_are_set_to_what_is_allocated() {
    let kernel = "struct Matrix { int width, height; float* all; };
__global__ void add(Matrix one, Matrix other) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    one.all[y * one.width + x] += other.all[y * other.width + x];
}
";
    let host = "void run(Matrix a, Matrix b) {
    Matrix own, more; own.width = a.width; own.height = a.height; size_t bytes = a.width * a.height * sizeof(float);
    cudaMalloc(&own.all, bytes); more.width = b.width; more.height = b.height;
    dim3 block(16, 16), grid(own.width / block.x, own.height / block.y);
    add<<<grid, block>>>(own, more); }
int main() { Matrix a, b; a.width = 512; a.height = 256; b.width = 512; b.height = 256; run(a, b); }";
    let text = drafted(kernel, host);
    assert_has(
        &text,
        &[
            "# Blocks and threads are as line 10 launches them.",
            "launch = { grid = [\"floor(width / 16)\", \"floor(height / 16)\"], block = [16, 16] }",
            "all = { type = \"f32\", length = \"height * width\"",
            "width = { default = 512,",
            "height = { default = 256,",
        ],
    );
}
