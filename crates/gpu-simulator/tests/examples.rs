//! The example `launch` and the samples beside it: known answers of what they print, write and count.

#[path = "../examples/launch/advice.rs"]
mod advice;
#[path = "../examples/launch/command.rs"]
mod command;

use gpu_simulator::{Argument, Grid, Machine, Memory, Profile, Report};

const PRINTF: &str = include_str!("../examples/printf.ptx");
const PRECISIONS: &str = include_str!("../examples/precisions.ptx");
const COPIES: &str = include_str!("../examples/copies.ptx");

fn launch(text: &str, entry: &str, grid: Grid, arguments: &[Argument], memory: &mut Memory) -> Report {
    let module = ptx_syntax::parse(text).unwrap_or_else(|errors| panic!("{errors}"));
    let machine = Machine::new(Profile::load("h200").unwrap_or_else(|errors| panic!("{errors}")));
    machine.launch(&module, entry, grid, arguments, memory).unwrap_or_else(|error| panic!("{error}"))
}

fn words(memory: &Memory, address: u64) -> Vec<u32> {
    let bytes = memory.bytes(address).expect("the buffer is there");
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

#[test]
fn what_a_device_function_prints_is_kept() {
    let mut memory = Memory::default();
    launch(PRINTF, "told", Grid::linear(2, 4), &[0.125_f64.into()], &mut memory);
    let expected =
        "block 0, thread 0: 0.000\nblock 0, thread 2: 0.250\nblock 1, thread 0: 0.000\nblock 1, thread 2: 0.250\n";
    assert_eq!(memory.printed(), expected);
}

#[test]
fn sums_go_as_far_as_their_precision() {
    let mut memory = Memory::default();
    let out = memory.add("out", vec![0; 64 * 16]);
    launch(PRECISIONS, "halves", Grid::linear(1, 64), &[out.into()], &mut memory);
    let sums = words(&memory, out);
    for terms in [0, 1, 2, 11, 12, 24, 25, 53, 54, 63] {
        let thread = &sums[4 * terms..][..4];
        // 2 - 2^(1 - terms), until the sum is rounded to 2: the significands have 11, 24 and 53 bits.
        let exact = 2.0 - 2.0_f64.powi(1 - terms as i32);
        let expected = if terms == 0 { 0.0 } else { exact };
        let half = if terms > 11 { 0x4000 } else { [0, 0x3c00, 0x3e00, 0, 0, 0, 0, 0, 0, 0, 0, 0x3fff][terms] };
        assert_eq!(thread[0], half, "f16 of {terms} terms");
        assert_eq!(f32::from_bits(thread[1]).to_bits(), (expected as f32).to_bits(), "f32 of {terms} terms");
        let double = f64::from_bits(u64::from(thread[3]) << 32 | u64::from(thread[2]));
        assert_eq!(double.to_bits(), expected.to_bits(), "f64 of {terms} terms");
    }
}

#[test]
fn words_that_are_copied_past_the_registers_are_summed_up() {
    let mut memory = Memory::default();
    let input: Vec<u32> = (0..256).collect();
    let out = memory.add("out", vec![0; 32]);
    let of = memory.add("in", input.iter().copied().flat_map(u32::to_le_bytes).collect());
    let report = launch(COPIES, "warp_sums", Grid::linear(2, 128), &[out.into(), of.into()], &mut memory);
    let expected: Vec<u32> = input.chunks(32).map(|warp| warp.iter().sum()).collect();
    assert_eq!(words(&memory, out), expected);
    // Eight warps store one word each; every warp loads four sectors.
    assert_eq!(report.counter("global_store_transactions"), Some(8.0));
    assert_eq!(report.counter("global_load_transactions"), Some(32.0));
    assert_eq!((report.counter("block_barriers"), report.counter("bank_conflicts")), (Some(2.0), Some(0.0)));
}

#[test]
fn an_old_gpu_refuses_what_it_does_not_have_with_the_line() {
    let module = ptx_syntax::parse(COPIES).unwrap_or_else(|errors| panic!("{errors}"));
    let machine = Machine::new(Profile::load("gtx280").unwrap_or_else(|errors| panic!("{errors}")));
    let told = machine.load(&module, "warp_sums").expect_err("it is too old").to_string();
    let line = COPIES.lines().position(|line| line.contains("cp.async.ca")).expect("it is there") + 1;
    assert!(told.contains(&format!("line {line}: an asynchronous copy needs compute capability 8.0")), "{told}");
}

/// What the example prints for a sample, or what it says is wrong.
fn told(sample: &str, words: &str) -> Result<String, String> {
    let path = format!("{}/examples/{sample}", env!("CARGO_MANIFEST_DIR"));
    let words = std::iter::once(path).chain(words.split_whitespace().map(str::to_owned));
    command::run(words).map_err(|error| error.to_string())
}

#[test]
fn the_example_launches_every_sample() {
    let printf = told("printf.ptx", "told --grid 2 --block 4 --argument f64:0.125").unwrap();
    assert!(printf.starts_with("block 0, thread 0: 0.000\nblock 0, thread 2: 0.250\n"), "{printf}");
    assert!(printf.contains("told on the NVIDIA H200, simulated\n"), "{printf}");
    let halves = told("precisions.ptx", "halves --block 3 --argument buffer:48 --print 0").unwrap();
    let two = format!("{} {} 0 {}", 0x3e00, 1.5_f32.to_bits(), 1.5_f64.to_bits() >> 32);
    assert!(halves.trim_end().ends_with(&two), "{halves}");
    let arguments = "--grid 2 --block 128 --argument buffer:32 --argument words:1,2,3,4*256";
    let sums = told("copies.ptx", &format!("warp_sums {arguments} --print 0 --gpu-profile a100")).unwrap();
    assert!(sums.contains("warp_sums on the NVIDIA A100"), "{sums}");
    assert!(sums.ends_with("argument 0: 80 80 80 80 80 80 80 80\n"), "{sums}");
    let counter = |name: &str| sums.lines().find(|line| line.split_whitespace().next() == Some(name));
    assert!(counter("block_barriers").is_some_and(|line| line.ends_with("2 barriers")), "{sums}");
    assert!(counter("time").is_some() && counter("bound").is_some(), "{sums}");
}

#[test]
fn the_example_tells_errors_with_their_line_and_instruction() {
    let arguments = "--grid 2 --block 128 --argument words:1,2,3,4*256";
    let beyond = told("copies.ptx", &format!("warp_sums {arguments} --argument buffer:1000")).unwrap_err();
    assert!(beyond.contains("cp.async.ca.shared.global [%r5], [%rd3], 4;"), "{beyond}");
    let old = told("copies.ptx", &format!("warp_sums {arguments} {arguments} --gpu-profile gtx280")).unwrap_err();
    assert!(old.contains("an asynchronous copy needs compute capability 8.0"), "{old}");
    let other = told("copies.ptx", "other").unwrap_err();
    assert!(other.contains("there is no kernel other") && !other.contains("line"), "{other}");
    assert!(
        told("copies.ptx", "warp_sums")
            .unwrap_err()
            .contains("warp_sums has 2 parameters, and the arguments given are 0")
    );
    assert!(told("none.ptx", "warp_sums").unwrap_err().contains("none.ptx"));
    for (words, expected) in [
        ("warp_sums --grid 1,2,3,4", "more than three extents"),
        ("warp_sums --argument u32", "no argument such as u32:5"),
        ("warp_sums --argument f16:1", "none of u8"),
        ("warp_sums --argument bytes:0g", "hexadecimal digits"),
        ("warp_sums --argument struct:u32:1,words:2", "`words` is no type of a field"),
        ("warp_sums --set table", "nothing such as table=words:1,2"),
        ("warp_sums --argument buffer:32 --argument buffer:32 --set table=u32:1", "there is no variable table"),
        ("warp_sums --block", "needs a value"),
        ("warp_sums --blocks 4", "there is no option --blocks"),
        ("warp_sums --gpu-profile h20", "did you mean `h200`?"),
        ("warp_sums --argument buffer:99999999999999999", "all buffers together may have 1024 MiB"),
        ("warp_sums --argument words:1*99999999999", "a buffer of 399999999996 bytes is too large"),
        ("warp_sums --argument words:1*9999999999999999999", "is too large"),
        (
            "warp_sums --argument buffer:1000000000 --argument words:1*25000000",
            "a buffer of 100000000 bytes is too large",
        ),
        ("warp_sums --argument words:1*99999999999999999999", "is not a number of words"),
    ] {
        let told = told("copies.ptx", words).unwrap_err();
        assert!(told.contains(expected), "{words}: {told}");
    }
}

/// A kernel whose parameter is `struct { unsigned char a; double b; unsigned short c; }`, and that reads and writes variables.
const VARIABLES: &str = include_str!("../examples/variables.ptx");

#[test]
fn structures_and_variables_are_given_by_their_bytes_and_names() {
    let launched = "scaled --argument struct:u8:3,f64:0.5,u16:7 --set factors=words:10,20 --set total=u32:5 --show total \
                    --show factors --show odd";
    let shown = told("variables.ptx", launched).unwrap();
    // 32 lanes add 3 * 10 + 7 * 20 + 2 * 0.5 each.
    assert!(shown.ends_with(&format!("total: {}\nfactors: 10 20\nodd: 010203\n", 5 + 32 * 171)), "{shown}");
    let same = "scaled --argument bytes:03000000000000000000000000 --set factors=words:10";
    assert!(told("variables.ptx", same).unwrap_err().contains("argument 0 has 13 bytes, the kernel takes 24"));
    let long = "scaled --argument struct:u8:3,f64:0.5,u16:7 --set factors=words:1,2,3";
    assert!(told("variables.ptx", long).unwrap_err().contains("factors has 8 bytes, not 12"));
    let none = "scaled --argument struct:u8:3,f64:0.5,u16:7 --show nothing";
    assert!(told("variables.ptx", none).unwrap_err().contains("there is no variable nothing"));
}

#[test]
fn constant_memory_is_the_kernel_s_own_and_global_memory_the_module_s() {
    let module = ptx_syntax::parse(VARIABLES).unwrap_or_else(|errors| panic!("{errors}"));
    let machine = Machine::new(Profile::load("h200").unwrap_or_else(|errors| panic!("{errors}")));
    let mut memory = Memory::default();
    let mut first = machine.load_for(&mut memory, &module, "scaled").expect("it is right");
    let second = machine.load_for(&mut memory, &module, "scaled").expect("it is right");
    first.write_variable(&mut memory, "factors", &[9]).expect("it is there");
    first.write_variable(&mut memory, "total", &[8]).expect("it is there");
    let holds = |kernel: &gpu_simulator::Kernel, name| kernel.variable(&memory, name).map(|bytes| bytes[0]);
    assert_eq!((holds(&first, "factors"), holds(&second, "factors")), (Some(9), Some(1)));
    assert_eq!((holds(&first, "total"), holds(&second, "total")), (Some(8), Some(8)));
}

#[test]
fn the_error_that_is_told_is_that_of_the_committed_launches() {
    let results = |file: &str| {
        let path = format!("{}/../../results/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut lines = text.lines();
        let column = lines.next().expect("a header").split(',').position(|name| name == "cold_us").expect("times");
        let row = |line: &str| {
            let fields: Vec<&str> = line.split(',').collect();
            (fields[0].to_owned(), fields[column].parse::<f64>().expect("a number"))
        };
        lines.map(row).collect::<std::collections::BTreeMap<_, _>>()
    };
    let (measured, simulated) =
        (results("nvidia-h200/foreign/times.csv"), results("simulated-h200/foreign/simulated.csv"));
    let mut errors: Vec<f64> =
        simulated.iter().map(|(name, time)| 100.0 * (time / measured[name] - 1.0).abs()).collect();
    errors.sort_by(f64::total_cmp);
    let (median, mean) = (errors[errors.len() / 2], errors.iter().sum::<f64>() / errors.len() as f64);
    let told = gpu_simulator::profile::error_of_foreign_kernels("h200").expect("they were compared");
    assert_eq!(told.off, format!("{median:.1} % off in the median, {mean:.1} % on average"));
    assert!(told.of.starts_with(&format!("{} launches", errors.len())), "{}", told.of);
}

#[test]
fn a_time_is_told_with_how_far_it_is_off() {
    let options = "warp_sums --grid 2 --block 128 --argument buffer:1KiB --argument words:1*256";
    let on = |profile: &str| {
        told("copies.ptx", &format!("{options} --gpu-profile {profile}")).unwrap_or_else(|error| panic!("{error}"))
    };
    assert!(on("sim:h200").contains("% off in the median"), "{}", on("h200"));
    assert!(on("a100").contains("nobody compared such times on this profile"), "{}", on("a100"));
}

#[test]
fn what_does_not_fit_a_signature_is_told_by_name() {
    let wrong = |words: &str| told("copies.ptx", words).expect_err("it is wrong");
    let no_kernel = wrong("warp_sum");
    assert!(
        no_kernel.contains("there is no kernel warp_sum; the file has") && no_kernel.contains("warp_sums"),
        "{no_kernel}"
    );
    let few = wrong("warp_sums --argument buffer:32");
    assert!(few.contains("has 2 parameters, and the arguments given are 1") && few.contains("0: .u64"), "{few}");
    let float = wrong("warp_sums --argument f32:1 --argument buffer:32");
    assert!(float.contains("argument 0, f32:1, is for .u64"), "{float}");
    let size = wrong("warp_sums --argument buffer:4MB --argument buffer:32");
    assert!(size.contains("`4MB` is not a number of bytes such as 4096, 64KiB or 4MiB"), "{size}");
    let usage = told("copies.ptx", "warp_sums --help").expect("it is printed");
    assert!(usage.contains("--argument TYPE:VALUE"), "{usage}");
    let source = "__global__ void add(float *a) { a[threadIdx.x] += 1; }";
    assert!(advice::no_ptx("add.cu", source).is_some_and(|hint| hint.contains("nvcc --ptx")));
    assert_eq!(advice::no_ptx("add.ptx", ".version 8.0 .target sm_80"), None);
    let module = ptx_syntax::parse(".version 8.0 .target sm_75 .address_size 64").expect("it reads");
    assert!(advice::newer_target(&module, (1, 3)).is_some_and(|note| note.contains("sm_75")));
    assert_eq!(advice::newer_target(&module, (9, 0)), None);
}
