//! Launches in loops of the host.

use super::guesses::told;

const STEP: &str = "__global__ void step(float* data, int n, int j, int k) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && (i ^ j) < n && (i & k) == 0) data[i] = data[i ^ j];
    }";
const ROWS: &str = "__global__ void step(float* data, int n, int k) {
        int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
        if (x < n && y < n) data[y * n + x] = data[y * n + k] + data[k * n + x];
    }";

#[test]
fn what_loops_of_the_host_change_has_its_first_value() {
    let host = "const int n = 1 << 20; float* data; cudaMalloc(&data, n * 4);
        for (int k = 2; k <= n; k <<= 1)
            for (int j = k / 2; j > 0; j /= 2) step<<<n / 256, 256>>>(data, n, j, k);";
    let changed = "# CHECK: the loops in lines 6 and 7 change `j` and `k`; they have their first values here.";
    let own = |host: &str| told(STEP, host, &["j", "k"]);
    let wanted = [
        r#"j = { default = 1, from = 1, to = 268_435_456, summary = "a number" }"#,
        r#"k = { default = 2, from = 1, to = 268_435_456, summary = "a number" }"#,
    ];
    assert_eq!(own(host), wanted);
    assert!(text(STEP, host).contains(changed), "{}", text(STEP, host));
    // Loops that are over change nothing.
    let over = "int n = 1 << 20, j = 1, k = 2; float* data; cudaMalloc(&data, n * 4);
        for (int i = 0; i < n; i++) use(i); step<<<n / 256, 256>>>(data, n, j, k);";
    assert_eq!(own(over), wanted);
    assert!(!text(STEP, over).contains("CHECK: the loop"), "{}", text(STEP, over));
    // Through a function that is called in a loop.
    let called = |loops: &str| {
        format!(
            "{STEP} void run(float* data, int j) {{ step<<<4096, 256>>>(data, 1 << 20, j, 2); }}
            int main() {{ float* data; cudaMalloc(&data, 4 << 20); {loops} run(data, s); }}"
        )
    };
    let own = super::text_of(&called("for (int s = 8; s; s--)"));
    assert!(own.contains("# CHECK: the loop in line 5 changes `j`; it has its first value here."), "{own}");
    assert!(own.contains("\nj = { default = 8,"), "{own}");
}

#[test]
fn what_loops_of_the_host_change_is_no_length_of_rows() {
    let host = "int n = 2048; float* data; cudaMalloc(&data, n * n * 4); dim3 block(16, 16), grid(n / 16, n / 16);
        for (int k = first(); k < n; k++) step<<<grid, block>>>(data, n, k);";
    let arguments = [r#"arguments = ["data", "n", "k"]"#];
    assert_eq!(told(ROWS, host, &["arguments"]), arguments);
    // What its first value is, nobody knows.
    assert!(!text(ROWS, host).contains("first value"), "{}", text(ROWS, host));
}

fn text(kernel: &str, host: &str) -> String {
    super::text_of(&format!("{kernel}\nint main() {{ {host} }}"))
}

#[test]
fn buffers_end_where_the_last_step_does() {
    let sums = |index: &str, step: &str| {
        format!(
            "__global__ void sum(const float* in, float* out, int n) {{
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i >= n) return;
                float s = 0;
                for (int k = 0; k < n; k += {step}) s += in[k] + in[{index}];
                out[i] = s;
            }}"
        )
    };
    let own = |index: &str, step: &str| super::lines_of(&sums(index, step), &["in"]).remove(0);
    let of = |length: &str| format!(r#"in = {{ type = "f32", length = "{length}", fill = "uniform" }}"#);
    assert_eq!(own("k + 5", "6"), of("6 * ceil(n / 6)"));
    assert_eq!(own("k + 2", "6"), of("6 * ceil(n / 6)"));
    assert_eq!(own("k + 7", "6"), of("6 * ceil(n / 6) + 2"));
    assert_eq!(own("k", "6"), of("n"));
    assert_eq!(own("k + 5", "1"), of("n + 5"));
    let ends = sums("k + 5", "6").replace("k < n", "k < 6 * n");
    assert_eq!(super::lines_of(&ends, &["in"]), [of("6 * n")]);
    // Eight thousand threads are fewer than schedulers have lanes: the time follows the loop of each, and not all of them together.
    assert_eq!(super::lines_of(&ends, &["steps"]), [r#"steps = "6 * n"   # what the law below is fitted against"#]);
    // Threads that begin at multiples, in a loop over the grid.
    let threads = "__global__ void sum(const float* in, float* out, int n) {
            for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4; i < n; i += gridDim.x * blockDim.x * 4) out[i] = in[i + 3];
        }";
    assert_eq!(super::lines_of(threads, &["in"]), [of("4 * ceil(n / 4)")]);
    // Not where something else is added, too.
    let other = sums("k + 5", "6").replace("s += in[k]", "if (s > 2) k += 1; s += in[k]");
    assert_eq!(super::lines_of(&other, &["in"]), [of("n + 5")]);
}
