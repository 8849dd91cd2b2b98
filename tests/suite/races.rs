//! Races of the program's own kernels: there are none, so that whatever is told of a kernel of the user's is one.

use apbench::device::Device;
use apbench::device::sim::Sim;
use apbench::family::{FAMILIES, Family, Request};
use apbench::kernel::{Ptx, Sourced};
use apbench::parameter::ParameterSet;
use apbench::user_kernel::interned;
use apbench::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};
use gpu_simulator::profile::Profile;

fn device() -> Sim {
    Sim::open(Profile::load("h200").unwrap())
}

/// At the points of `apbench verify`: at the first and the last of each family, which are its smallest and its largest.
#[test]
fn kernels_of_the_program_have_none() {
    let device = device();
    let mut told = Vec::new();
    let mut accesses = 0;
    for family in FAMILIES {
        let points = family.verification(device.properties());
        for parameters in points.first().into_iter().chain(points.last()) {
            for variant in family.variants.iter().filter(|own| own.refusal(device.properties()).is_none()) {
                let name = format!("{}/{} {parameters}", family.name, variant.name);
                let request = Request { variant: variant.name, parameters, device: device.properties(), seed: 1 };
                let workload = family.workload(&request).unwrap();
                let races = device.races(&workload).unwrap_or_else(|error| panic!("{name}: {error}"));
                let races = races.expect("a simulated device can tell");
                accesses += races.accesses;
                told.extend(races.found.into_iter().map(|own| format!("{name}: {}", own.what)));
            }
        }
    }
    assert!(told.is_empty(), "{} races:\n{}", told.len(), told.join("\n"));
    assert!(accesses > 1_000_000, "{accesses}");
}

/// What a variant races at when every barrier of the block is taken out of its kernels.
fn without_barriers(device: &Sim, family: &Family, variant: &str, parameters: &ParameterSet) -> Vec<String> {
    let request = Request { variant, parameters, device: device.properties(), seed: 1 };
    let mut workload = family.workload(&request).unwrap();
    let text = workload.ptx.joined((9, 0)).unwrap();
    let text: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("bar.sync")).collect();
    workload.ptx = Ptx::Text(Box::leak(text.join("\n").into_boxed_str()));
    let races = device.races(&workload).unwrap().expect("a simulated device can tell");
    races.found.into_iter().filter(|own| own.is_certain).map(|own| own.what).collect()
}

#[test]
fn without_their_barriers_they_have_some() {
    let device = device();
    for (family, variant) in [
        ("transpose", "shared"),
        ("transpose", "shared_swizzled"),
        ("reduction", "shared_sequential"),
        ("reduction", "unrolled_last_warp"),
        ("block_sum", "leading_threads"),
        ("stencil", "redundant_halo"),
        ("prefix_sum", "shared_memory"),
        ("prefix_sum", "no_bank_conflicts"),
    ] {
        let family = Family::find(family).unwrap();
        let point = family.verification(device.properties()).pop().unwrap();
        let found = without_barriers(&device, family, variant, &point);
        assert!(found.iter().any(|race| race.contains("no barrier between")), "{} {variant}: {found:?}", family.name);
    }
}

/// A launch of a kernel of `tests/kernels/transposition.cu`, in blocks of 32 x 32 threads on a matrix of 64 x 64, as a scenario would have it:
/// with the source beside the PTX. `change` changes the PTX.
fn transposition(entry: &'static str, output_words: usize, change: impl Fn(String) -> String) -> Workload {
    let [ptx, source] = ["ptx", "cu"].map(|ending| {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels/transposition");
        std::fs::read_to_string(root.with_extension(ending)).unwrap()
    });
    let sourced = Sourced::new(interned(&change(ptx)), "transposition.cu", &source);
    let buffer =
        |name, words| Buffer { name, contents: Contents::Words((0..words).collect::<Vec<_>>().into()), expected: None };
    Workload {
        ptx: Ptx::Sourced(Box::leak(Box::new(sourced))),
        buffers: vec![buffer("input", 64 * 64), buffer("output", output_words as u32)],
        steps: vec![Step::Launch(Launch {
            entry,
            grid: [2, 2, 1],
            block: [32, 32, 1],
            shared_bytes: 0,
            cooperative: false,
            cluster_blocks: 1,
            arguments: vec![Argument::Buffer(0), Argument::Buffer(1), Argument::Word(64)],
        })],
        submission: Submission::Stream,
        bytes: 0,
        operations: 0,
        predictors: Vec::new(),
    }
}

/// The symbols of `transpose_naive` and `transpose_tiled`.
const NAIVE: &str = "_Z15transpose_naivePKfPfi";
const TILED: &str = "_Z15transpose_tiledPKfPfi";

#[test]
fn a_missing_barrier_is_told_with_both_lines_of_the_source() {
    let device = device();
    let races = |change: &dyn Fn(String) -> String| {
        let workload = transposition(TILED, 64 * 64, change);
        device.races(&workload).unwrap().expect("a simulated device can tell")
    };
    assert_eq!(races(&|ptx| ptx).found, []);
    let without = races(&|ptx| ptx.replace("bar.sync", "// bar.sync"));
    let [race] = &without.found[..] else { panic!("{without:?}") };
    assert_eq!(
        race.what,
        "transposition.cu:16 reads byte 128 of tile, which transposition.cu:12 writes, in threads with no barrier between: \
         block (0, 0, 0), threads (1, 0, 0) and (0, 1, 0); 3968 times"
    );
    assert_eq!(race.remedy, "put __syncthreads() between them");
    let texts: Vec<&str> = race.lines.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "if (column < width && row < width) output[row * width + column] = tile[threadIdx.x][threadIdx.y];",
            "if (column < width && row < width) tile[threadIdx.y][threadIdx.x] = input[row * width + column];",
        ]
    );
}

#[test]
fn faults_are_told_with_the_line_of_the_source() {
    let device = device();
    let fault = |workload: &Workload| device.prepare(workload).unwrap().run().unwrap_err().to_string();
    let beyond = transposition(NAIVE, 64 * 63, |ptx| ptx);
    assert_eq!(
        fault(&beyond),
        "transposition.cu:4: writes 4 bytes at 0x21000017f00, element 4032 of `output`, which has 4032 elements of 4 bytes (at 0x21000014000); \
         block (1, 0, 0), thread (31, 0, 0) of transpose_naive, line 63 of its PTX: \
         `if (column < width && row < width) output[column * width + row] = input[row * width + column];`"
    );
    let stuck = transposition(TILED, 64 * 64, |ptx| ptx.replacen("bar.sync \t0;", "bar.sync 1, 2048;", 2));
    assert_eq!(
        fault(&stuck),
        "transposition.cu:13: deadlock: warps 0 to 31: all lanes waiting at the barrier of transposition.cu:13; \
         block (0, 0, 0) of transpose_tiled, line 121 of its PTX: `__syncthreads();`"
    );
}
