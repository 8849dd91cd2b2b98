//! What a draft guesses, and what it says of that.

use super::lines_of;

/// A kernel, the host that launches it, and lines of its draft.
pub(super) fn told(kernel: &str, host: &str, names: &[&str]) -> Vec<String> {
    lines_of(&format!("{kernel}\nint main() {{ {host} }}"), names)
}

const SUMS: &str = "__global__ void sum(const double* in, double* out, int* ids, int n) {
        extern __shared__ double sums[];
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        sums[threadIdx.x] = i < n ? in[i] : 0;
        if (threadIdx.x == 0) { out[blockIdx.x] = sums[0]; ids[in[i] > 0 ? 1 : 0] = 1; }
    }";

#[test]
fn lengths_follow_the_block_that_the_grid_follows() {
    let host = |ids: &str| {
        format!(
            "int n = 4 << 20, threads = 512, blocks = (n + threads - 1) / threads; double *in, *out; int* ids;
            cudaMalloc(&in, n * sizeof(double)); cudaMalloc(&out, blocks * sizeof(double)); cudaMalloc(&ids, {ids} * sizeof(int));
            sum<<<blocks, threads, threads * sizeof(double)>>>(in, out, ids, n);"
        )
    };
    let own = |ids: &str| told(SUMS, &host(ids), &["launch", "out", "ids"]);
    let with_ids = |length: &str| {
        [
            r#"launch = { grid = "ceil(n / block)", block = "block", shared_bytes = "8 * block" }"#.to_owned(),
            r#"out = { type = "f64", length = "ceil(n / block)" }"#.to_owned(),
            format!(r#"ids = {{ type = "i32", length = "{length}" }}"#),
        ]
    };
    assert_eq!(own("3 * blocks"), with_ids("3 * ceil(n / block)"));
    // Whole blocks, or as many elements for each block as it has threads there.
    assert_eq!(own("blocks * threads"), with_ids("max(block * ceil(n / block), 512 * ceil(n / block))"));
    assert_eq!(own("n"), with_ids("n"));
}

const IMAGE: &str = "__global__ void copy(const unsigned char* in, unsigned char* out, size_t pitch, int w, int h) {
        int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
        if (x >= w || y >= h) return;
        out[y * pitch + x] = in[y * pitch + x];
    }";

#[test]
fn rows_in_memory_are_as_long_as_what_stands_in_them() {
    let host = "int w = 1000, h = 700; size_t pitch; unsigned char *in, *out;
        cudaMallocPitch(&in, &pitch, w, h); cudaMallocPitch(&out, &pitch, w, h);
        copy<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(in, out, pitch, w, h);";
    let names = ["arguments", "pitch", "out"];
    let arguments = r#"arguments = ["in", "out", "w", "w", "h"]"#;
    let out = r#"out = { type = "u8", length = "h * w" }"#;
    assert_eq!(told(IMAGE, host, &names), [arguments, out]);
    assert!(super::text_of(IMAGE).contains("\n# CHECK: the length of rows in memory: `pitch` is w,"));
    // What the source says, and what something is compared with, is what it is.
    let launched = told(IMAGE, &host.replace("size_t pitch;", "size_t pitch = 1024;"), &["arguments"]);
    let compared = told(&IMAGE.replace("x >= w ||", "x >= w || x >= pitch ||"), host, &["arguments"]);
    let own = [r#"arguments = ["in", "out", "pitch", "w", "h"]"#];
    assert_eq!((launched, compared), (own.map(str::to_owned).to_vec(), own.map(str::to_owned).to_vec()));
    let in_bytes = "__global__ void add(float4* data, size_t pitch, int w, int h) {
            int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
            if (c < w && r < h) { float4* row = (float4*)((char*)data + r * pitch); row[c].x = 1; }
        }";
    assert_eq!(lines_of(in_bytes, &["arguments"]), [r#"arguments = ["data", "16 * w", "w", "h"]"#]);
    let product = "__global__ void product(const float* a, const float* b, float* c, int m, int n, int k, int lda, int ldb, int ldc) {
            int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
            if (y >= m || x >= n) return;
            float sum = 0;
            for (int i = 0; i < k; i++) sum += a[y * lda + i] * b[i * ldb + x];
            c[y * ldc + x] = sum;
        }";
    assert_eq!(lines_of(product, &["arguments"]), [r#"arguments = ["a", "b", "c", "m", "n", "k", "k", "n", "n"]"#]);
    // Windows that overlap are none of rows.
    let windows = "__global__ void fir(const float* in, float* out, int n, int hop, int taps) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            float sum = 0;
            for (int k = 0; k < taps; ++k) sum += in[i * hop + k];
            out[i] = sum;
        }";
    assert_eq!(lines_of(windows, &["arguments"]), [r#"arguments = ["in", "out", "n", "hop", "taps"]"#]);
}

const LABELS: &str = "__global__ void spread(const int* offsets, const int* next, const int* labels, int* out, int n) {
        int v = blockIdx.x * blockDim.x + threadIdx.x;
        if (v >= n) return;
        int best = labels[v];
        for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
            int l = labels[next[e]];
            if (l < best) best = l;
        }
        out[v] = best;
    }";

#[test]
fn values_that_are_compared_are_no_row_starts() {
    assert_eq!(
        lines_of(LABELS, &["offsets", "labels"]),
        [
            r#"offsets = { type = "i32", length = "n + 1", fill = "4 * i" }"#,
            r#"labels = { type = "i32", length = "n", fill = "uniform" }"#,
        ]
    );
    let dilate = "__global__ void dilate(const unsigned char* in, unsigned char* out, int n, int radius) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            unsigned char most = 0;
            for (int k = 0; k < radius; k++) { unsigned char v = in[min(i + k, n - 1)]; most = v > most ? v : most; }
            out[i] = most;
        }";
    assert_eq!(lines_of(dilate, &["in"]), [r#"in = { type = "u8", length = "n", fill = "uniform" }"#]);
}

#[test]
fn rows_that_other_elements_choose_are_as_the_source_allocates_them() {
    let kernel = "__global__ void relax(const int* row, const int* col, int* seen, const int* front, int count) {
            int f = blockIdx.x * blockDim.x + threadIdx.x;
            if (f >= count) return;
            int u = front[f];
            for (int e = row[u]; e < row[u + 1]; e++) seen[col[e]] = 1;
        }";
    let host = "int V = 100000, E = 1600000, *row, *col, *seen, *front; int count = V;
        cudaMalloc(&row, (V + 1) * 4); cudaMalloc(&col, E * 4); cudaMalloc(&seen, V * 4); cudaMalloc(&front, V * 4);
        relax<<<(count + 127) / 128, 128>>>(row, col, seen, front, count);";
    assert_eq!(
        told(kernel, host, &["row", "col", "front", "elements", "count"]),
        [
            r#"count = { default = 100_000, from = 1, to = 268_435_456, summary = "problem size" }"#,
            r#"row = { type = "i32", length = 100001, fill = "16 * i" }"#,
            r#"col = { type = "i32", length = 1600000, fill = "i % count" }"#,
            // The row behind the last one is none.
            r#"front = { type = "i32", length = "count", fill = "i % 100000" }"#,
            r#"elements = "count"   # what the law below is fitted against"#,
            "count = [12_500, 25_000, 50_000, 100_000]",
        ]
    );
}

/// A kernel that looks for keys in a table.
fn probe(empty: &str, table: &str) -> String {
    format!(
        "__global__ void probe(const {table}* slots, unsigned capacity, const {table}* keys, int* out, unsigned n) {{
            unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            {table} key = keys[i];
            unsigned slot = key * 2654435761u % capacity;
            for (unsigned tries = 0; tries < capacity; tries++) {{
                {table} k = slots[slot];
                if (k == key) {{ out[i] = slot; break; }}
                if (k == {empty}) break;
                slot = (slot + 1) % capacity;
            }}
        }}"
    )
}

#[test]
fn tables_have_empty_slots() {
    let slots = |empty: &str, table: &str| lines_of(&probe(empty, table), &["slots"]).remove(0);
    let filled = |table: &str, empty: &str| {
        format!(r#"slots = {{ type = "{table}", length = "capacity", fill = "if(i % 2 == 0, {empty}, i)" }}"#)
    };
    assert_eq!(slots("0", "unsigned long long"), filled("u64", "0"));
    assert_eq!(slots("-1", "int"), filled("i32", "0 - 1"));
    assert_eq!(slots("0xffffffff", "unsigned"), filled("u32", "4294967295"));
    let text = super::text_of(&probe("0", "unsigned"));
    assert!(text.contains("# CHECK: `slots` says how long loops look for an element that is 0,"), "{text}");
    assert_eq!(super::made_up(&text), ["slots"]);
    // Keys end no loop by themselves, and the threads are for them.
    assert_eq!(
        lines_of(&probe("0", "unsigned"), &["keys", "elements"]),
        [r#"keys = { type = "u32", length = "n", fill = "uniform" }"#]
    );
    assert!(text.contains("\nn = [524_288, 1_048_576, 2_097_152, 4_194_304]\ncapacity = ["), "{text}");
    let insert = "__global__ void insert(int* slots, const int* keys, int capacity, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            int slot = keys[i] % capacity;
            while (true) {
                int before = atomicCAS(&slots[slot], EMPTY, keys[i]);
                if (before == EMPTY || before == keys[i]) return;
                slot = (slot + 1) % capacity;
            }
        }";
    let with_empty = |value: &str| lines_of(&insert.replace("EMPTY", value), &["slots"]);
    let line = |fill: &str| [format!(r#"slots = {{ type = "i32", length = "capacity", fill = "{fill}" }}"#)];
    assert_eq!((with_empty("-1"), with_empty("0")), (line("0 - 1").to_vec(), line("zeros").to_vec()));
}

#[test]
fn counters_whose_values_are_taken_are_to_be_cleared() {
    let text = |count: &str| {
        super::text_of(&format!(
            "__global__ void keep(const float* in, float* out, int* total, int n) {{
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i < n && in[i] > 0) {{ {count} }}
            }}"
        ))
    };
    let is_told = |count: &str| text(count).contains("# CHECK: `total` goes on where the launch before has left off");
    assert!(
        is_told("out[atomicAdd(total, 1)] = in[i];") && is_told("int at = atomicAdd(&total[0], 1); out[at] = in[i];")
    );
    // What is only counted, and what the kernel itself clears, is not.
    assert!(!is_told("out[i] = in[i]; atomicAdd(total, 1);"));
    assert!(!is_told("if (atomicAdd(total, 1) == n - 1) total[0] = 0; out[i] = in[i];"));
}

#[test]
fn remainders_that_are_places_are_not_negative() {
    let text = "__global__ void count(const TYPE* keys, const int* others, int* counts, int buckets, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            int bucket = keys[i] % buckets;
            counts[bucket] = others[i];
        }";
    let filled = |name: &str| lines_of(&text.replace("TYPE", name), &["keys", "others"]);
    let others = r#"others = { type = "i32", length = "n", fill = "uniform" }"#;
    let keys = |name: &str, fill: &str| format!(r#"keys = {{ type = "{name}", length = "n", fill = "{fill}" }}"#);
    assert_eq!(filled("int"), [&keys("i32", "i * 40503 % 2147483648"), others]);
    assert_eq!(filled("short"), [&keys("i16", "i * 40503 % 32768"), others]);
    assert_eq!(filled("unsigned"), [&keys("u32", "uniform"), others]);
}

#[test]
fn chains_have_ends() {
    let text = "__global__ void find(const int* heads, const int* next, const int* keys, int* out, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            int node = heads[i];
            LOOP
            out[i] = node;
        }";
    for own in [
        "while (node != -1) { if (keys[node] == i) break; node = next[node]; }",
        "for (; node >= 0; node = next[node]) { if (keys[node] == i) break; }",
    ] {
        let text = text.replace("LOOP", own);
        assert_eq!(
            lines_of(&text, &["next"]),
            [r#"next = { type = "i32", length = "n", fill = "if(i % 4 == 3 || i >= n - 1, 0 - 1, i + 1)" }"#]
        );
        assert!(super::made_up(&super::text_of(&text)).contains(&"next"));
    }
}

#[test]
fn trees_have_roots() {
    let text = "__global__ void find(const int* parents, int* root, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            int node = i;
            LOOP
            root[i] = node;
        }";
    for own in [
        "while (parents[node] != node) node = parents[node];",
        "while (true) { if (parents[node] == node) break; node = parents[node]; }",
    ] {
        let text = text.replace("LOOP", own);
        let line = r#"parents = { type = "i32", length = "n", fill = "max(i - 1, i - i % 4)" }"#;
        assert_eq!(lines_of(&text, &["parents"]), [line]);
        assert_eq!(super::made_up(&super::text_of(&text)), ["parents"]);
    }
}

#[test]
fn lists_are_as_long_as_their_counts_say() {
    let text = "__global__ void forces(const float* x, const int* near, const int* count, float* force, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            float f = 0;
            for (int k = 0; k < count[i]; k++) f += x[near[k * n + i]];
            force[i] = f;
        }";
    let near = r#"near = { type = "i32", length = "32 * n", fill = "i % n" }"#;
    assert_eq!(lines_of(text, &["near"]), [near]);
    assert!(super::text_of(text).contains("# CHECK: the length of `x` and `near`, which"));
}

#[test]
fn what_ends_a_loop_is_to_be_checked_also_where_it_is_bounded_or_breaks() {
    let text = "__global__ void work(const int* tasks, const float* limits, const float* free, float* out, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            int steps = tasks[i] & 255;
            float x = 0;
            for (int s = 0; s < steps; s++) x = x * 0.999f + 1;
            for (int s = 0; s < 100; s++) { x += 1; if (x > limits[i]) break; }
            for (int s = 0; s < 100; s++) { if (free[i] > 0) x += 1; }
            out[i] = x;
        }";
    assert_eq!(super::made_up(&super::text_of(text)), ["tasks", "limits"]);
}

#[test]
fn laws_are_of_what_bounds_the_threads() {
    let text = "struct Account { float sum; float largest; };
        __global__ void add(const unsigned* who, const float* amount, Account* accounts, int n, int accounts_n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            accounts[who[i] % accounts_n].sum = amount[i];
        }
        int main() {
            const int n = 65536, m = 65536; unsigned* who; float* amount; Account* accounts;
            cudaMalloc(&who, n * sizeof(unsigned)); cudaMalloc(&amount, n * sizeof(float));
            cudaMalloc(&accounts, m * sizeof(Account));
            add<<<n / 128, 128>>>(who, amount, accounts, n, m);
        }";
    assert_eq!(lines_of(text, &["elements"]), [r#"elements = "n"   # what the law below is fitted against"#]);
    assert!(super::text_of(text).contains("\nn = [8192, 16_384, 32_768, 65_536]\n"));
}

#[test]
fn a_kernel_of_fixed_sizes_has_no_size_that_nothing_uses() {
    let text = "__global__ void distance(const char* left, const char* right, int* distance) {
            const char* a = left + blockIdx.x * 256;
            int sum = 0;
            for (int i = threadIdx.x; i < 256; i += blockDim.x) sum += a[i] != right[blockIdx.x * 256 + (i ^ 1)];
            if (sum > 0) distance[blockIdx.x] = 1;
        }
        int main() {
            const int pairs = 2048; char *l, *r; int* d;
            cudaMalloc(&l, pairs * 256); cudaMalloc(&r, 2 * pairs * 256); cudaMalloc(&d, pairs * sizeof(int));
            distance<<<pairs, 256>>>(l, r, d);
        }";
    assert_eq!(lines_of(text, &["launch", "n"]), [r#"launch = { grid = 2048, block = "block" }"#]);
    let text = super::text_of(text);
    assert!(!text.contains("Lengths follow from the kernel's indices"), "{text}");
    assert!(text.contains("as long as the kernel's indices ask for.\n"), "{text}");
    let text = super::text_of("__global__ void clear(float* sum) { *sum = 0; }");
    assert!(!text.contains("below. ") && !text.contains("below there") && !text.contains("parameters below"), "{text}");
}

#[test]
fn variants_that_the_source_launches_in_other_blocks_keep_theirs() {
    let sums = |name: &str| {
        format!(
            "__global__ void {name}(const float* in, float* out, int n) {{
                extern __shared__ float part[];
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                part[threadIdx.x] = i < n ? in[i] : 0;
                if (i < n) out[i] = part[threadIdx.x];
            }}"
        )
    };
    let host = |threads: &str| {
        format!(
            "int n = 1 << 20; float *in, *out; cudaMalloc(&in, n * sizeof(float)); cudaMalloc(&out, n * sizeof(float));
            first<<<(n + 127) / 128, 128, 128 * sizeof(float)>>>(in, out, n);
            second<<<(n + {threads} - 1) / {threads}, {threads}, {threads} * sizeof(float)>>>(in, out, n);"
        )
    };
    let own = |threads: &str| told(&(sums("first") + &sums("second")), &host(threads), &["launch", "second"]);
    let launch = r#"launch = { grid = "ceil(n / block)", block = "block", shared_bytes = "4 * block" }"#;
    assert_eq!(own("128"), [launch, r#"second = "second"   # line 6"#]);
    let second = r#"second = { entry = "second", launch = { grid = "ceil(n / 256)", block = 256, shared_bytes = 1024 }, ignores = ["block"] }   # line 6, launched in line 14"#;
    assert_eq!(own("256"), [launch, second]);
}

#[test]
fn what_atomics_keep_is_new_at_first() {
    let text = |function: &str| {
        format!(
            "__global__ void relax(const int* to, const int* weight, int* distance, int* changed, int n) {{
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i >= n) return;
                int own = weight[i];
                if ({function}(&distance[to[i]], own) > own) changed[i] = 1;
            }}"
        )
    };
    let own = |function: &str| lines_of(&text(function), &["distance"]);
    assert_eq!(own("atomicMin"), [r#"distance = { type = "i32", length = 256, fill = "2147483647" }"#]);
    assert_eq!(own("atomicMax"), [r#"distance = { type = "i32", length = 256, fill = "0 - 2147483648" }"#]);
    let marked = super::text_of(&text("atomicMin"));
    assert!(marked.contains("# CHECK: `distance` says which numbers are new there"), "{marked}");
    let unasked =
        text("atomicMin").replace("if (atomicMin(&distance[to[i]], own) > own)", "atomicMin(&distance[to[i]], own);");
    assert_eq!(lines_of(&unasked, &["distance"]), [r#"distance = { type = "i32", length = 256, fill = "zeros" }"#]);
}
