//! Sizes that the host gives, and values of them.

use super::guesses::told;

#[test]
fn one_variable_of_the_host_is_one_parameter() {
    let kernel = "__global__ void product(const float* a, float* c, int m, int n, int k) {
            int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
            if (row >= m || column >= n) return;
            float sum = 0;
            for (int i = 0; i < k; i++) sum += a[row * k + i];
            c[row * n + column] = sum;
        }";
    let host = |sizes: &str| {
        format!(
            "int size = 512, m = 512, n = 256, k = 128; float *a, *c; cudaMalloc(&a, m * k * 4); cudaMalloc(&c, m * n * 4);
            product<<<dim3(32, 32), dim3(16, 16)>>>(a, c, {sizes});"
        )
    };
    let own = |sizes: &str| told(kernel, &host(sizes), &["arguments", "launch"]);
    let launch = |width: &str, height: &str| {
        format!(r#"launch = {{ grid = ["ceil({width} / 16)", "ceil({height} / 16)"], block = [16, 16] }}"#)
    };
    let arguments = |sizes: &str| format!(r#"arguments = ["a", "c", {sizes}]"#);
    assert_eq!(own("size, size, size"), [launch("size", "size"), arguments(r#""size", "size", "size""#)]);
    assert_eq!(own("m, n, m"), [launch("n", "m"), arguments(r#""m", "n", "m""#)]);
    assert_eq!(own("m, n, k"), [launch("n", "m"), arguments(r#""m", "n", "k""#)]);
    assert_eq!(own("512, 512, 512")[1], arguments(r#""m", "n", "k""#), "numbers that are the same by chance");
    let text = super::text_of(&format!("{kernel} int main() {{ {} }}", host("size, size, size")));
    assert!(text.contains("# `m`, `n` and `k` are one number, `size`, as line 8 gives them."), "{text}");
}

#[test]
fn values_have_blocks() {
    let kernel = "__global__ void scale(float* data, int n) { data[blockIdx.x * blockDim.x + threadIdx.x] *= n; }";
    let values = |n: i64, blocks: &str| {
        let host = format!("int n = {n}; float* data; cudaMalloc(&data, n * 4); scale<<<{blocks}, 256>>>(data, n);");
        let text = super::text_of(&format!("{kernel} int main() {{ {host} }}"));
        text.lines().skip_while(|line| *line != "[grid]").find(|line| line.starts_with("n = ")).unwrap().to_owned()
    };
    assert_eq!(values(1024, "n / 256"), "n = [256, 512, 1024]");
    assert_eq!(values(256, "n / 256"), "n = [256, 512, 768]");
    assert_eq!(values(4096, "n / 256"), "n = [512, 1024, 2048, 4096]");
}

#[test]
fn what_elements_are_compared_with_is_among_them() {
    let kernel = "__global__ void level(const int* level, const int* mask, int* out, int n, int current) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n || level[i] != current) return;
            if (mask[i] == -1) out[i] = 2;
        }";
    let own = super::lines_of(kernel, &["level", "mask"]);
    let wanted = [
        r#"level = { type = "i32", length = "n", fill = "if(i % 2 == 0, current, current + 1)" }"#,
        r#"mask = { type = "i32", length = "n", fill = "if(i % 2 == 0, 0 - 1, 0)" }"#,
    ];
    let of_buffers: Vec<&String> = own.iter().filter(|line| line.contains("type = ")).collect();
    assert_eq!(of_buffers, wanted.iter().collect::<Vec<_>>());
    let text = super::text_of(kernel);
    assert!(
        text.contains("# CHECK: `level` says which threads go on: its elements are compared with `current`"),
        "{text}"
    );
}

#[test]
fn what_the_host_computes_of_a_size_follows_it() {
    let kernel = "__global__ void join(const int* keys, const int* table, int* hits, int n, int slots, int span) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            if (table[keys[i] % slots] == keys[i]) hits[i] = span;
        }";
    let host = |slots: &str, loops: &str| {
        format!(
            "int n = 1 << 20; int *keys, *table, *hits; cudaMalloc(&keys, n * 4); cudaMalloc(&table, 2 * n * 4); cudaMalloc(&hits, n * 4);
            {loops} join<<<(n + 255) / 256, 256>>>(keys, table, hits, n, {slots}, span);"
        )
    };
    let own = |slots: &str, loops: &str| told(kernel, &host(slots, loops), &["arguments", "table"]);
    let table = r#"table = { type = "i32", length = "2 * n", fill = "uniform" }"#;
    let loops = "for (int span = n / 2; span > 0; span /= 2)";
    assert_eq!(own("2 * n", loops), [r#"arguments = ["keys", "table", "hits", "n", "2 * n", "floor(n / 2)"]"#, table]);
    let others = r#"arguments = ["keys", "table", "hits", "n", "slots", "span"]"#;
    assert_eq!(own("slots", "int slots = 4096, span = 3;")[0], others);
    let text = super::text_of(&format!("{kernel} int main() {{ {} }}", host("2 * n", loops)));
    assert!(text.contains("# `slots` and `span` are as line 6 has them."), "{text}");
    assert!(text.contains("# CHECK: the loop in line 6 changes `span`; it has its first value here."), "{text}");
}
