//! How long counters are that the data is counted in.

use super::drafted_from;

/// A histogram of these elements, whose place is computed so.
fn histogram(element: &str, parameters: &str, place: &str, counted: &str) -> String {
    format!(
        "__global__ void histogram(const {element}* data, int* counts, int n{parameters}) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    {place}
    {counted};
}}
"
    )
}

const ATOMIC: &str = "atomicAdd(&counts[bin], 1)";
const CHECK: &str = "# CHECK: the length of `counts`, which the indices do not say.";

/// Never as long as the data: bytes that must move were three times as many.
#[test]
fn counters_are_as_many_as_there_are_values() {
    for (element, parameters, place, counted, length, is_guess) in [
        ("int", "", "int bin = data[i];", ATOMIC, "256", true),
        ("float", ", int n_bins", "int bin = (int)(data[i] * n_bins);", ATOMIC, "\"n_bins\"", true),
        ("float", ", float low, float width", "int bin = (data[i] - low) / width;", ATOMIC, "256", true),
        (
            "float",
            ", float low, float width",
            "float x = (data[i] - low) / width; int bin = floorf(x);",
            ATOMIC,
            "256",
            true,
        ),
        ("float", ", int n_bins", "", "atomicAdd(&counts[int(data[i] * n_bins)], 1)", "\"n_bins\"", true),
        ("float", ", int n_bins", "", "atomicAdd(counts + int(data[i] * n_bins), 1)", "\"n_bins\"", true),
        ("int", "", "", "counts[data[i]] += 1", "256", true),
        ("int", "", "int bin = data[i] >> 4;", "counts[bin]++", "256", true),
        ("uchar4", "", "uchar4 all = data[i];", "atomicAdd(&counts[all.x], 1)", "256", true),
        // A type or a comparison says how many there are.
        ("unsigned char", "", "int bin = data[i];", ATOMIC, "256", false),
        ("unsigned short", "", "int bin = data[i];", ATOMIC, "65536", false),
        ("int", "", "int bin = data[i] % 100;", ATOMIC, "100", false),
        ("int", ", int n_bins", "int bin = data[i]; if (bin >= n_bins) return;", ATOMIC, "\"n_bins\"", false),
    ] {
        let (_, text, _) = drafted_from(&histogram(element, parameters, place, counted), &[]);
        let own = format!("counts = {{ type = \"i32\", length = {length},");
        assert!(text.contains(&own), "{element} {place} {counted}: {text}");
        assert_eq!(text.contains(CHECK), is_guess, "{element} {place} {counted}: {text}");
    }
}

#[test]
fn the_host_says_how_many_counters_there_are() {
    let kernel = histogram("float", ", float width", "int bin = data[i] / width;", ATOMIC);
    for (host, length) in [
        (
            "int main() { int n = 1 << 20; cudaMalloc(&counts, 64 * sizeof(int)); histogram<<<n / 256, 256>>>(data, counts, n, 0.5f); }",
            "64",
        ),
        (
            "#define BINS 100\nint main() { int n = 1 << 20; cudaMalloc(&d, BINS * sizeof(int)); histogram<<<n / 256, 256>>>(data, d, n, 0.5f); }",
            "100",
        ),
        (
            "int main() { int n = 1 << 20; int host[48]; cudaMalloc(&d, sizeof(host)); histogram<<<n / 256, 256>>>(data, d, n, 0.5f); }",
            "48",
        ),
        (
            "int main() { int n = 1 << 20; std::vector<int> host(32); cudaMalloc(&d, host.size() * sizeof(int)); histogram<<<n / 256, 256>>>(data, d, n, 0.5f); }",
            "32",
        ),
    ] {
        let (_, text, _) = drafted_from(&format!("{kernel}{host}"), &[]);
        assert!(text.contains(&format!("counts = {{ type = \"i32\", length = {length},")), "{host}: {text}");
        assert!(!text.contains(CHECK), "{host}: {text}");
        let bytes = 8 * length.parse::<u32>().unwrap();
        assert!(text.contains(&format!("bytes = \"4 * n + {bytes}\"")), "{host}: {text}");
    }
}

/// So that the data leads to all counters.
#[test]
fn data_that_is_divided_is_as_much_more() {
    for (parameters, place, fill) in [
        (", int width, int n_bins", "int bin = data[i] / width; if (bin >= n_bins) return;", "i % n_bins * width"),
        (", int n_bins", "int value = data[i]; int bin = value >> 4; if (bin >= n_bins) return;", "i % n_bins * 16"),
        (", int n_bins", "int bin = data[i]; if (bin >= n_bins) return;", "i % n_bins"),
    ] {
        let (_, text, _) = drafted_from(&histogram("int", parameters, place, ATOMIC), &[]);
        assert!(
            text.contains(&format!("data = {{ type = \"i32\", length = \"n\", fill = \"{fill}\" }}")),
            "{place}: {text}"
        );
    }
}
