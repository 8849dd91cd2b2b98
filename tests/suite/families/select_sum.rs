use apbench::family::select_sum::{FAMILY, PTX};
use apbench::parameter::Value;

use super::{Simulated, count, entry, loops};

const ON_GPU: [&str; 10] = [
    "select_only",
    "block_sum_strided",
    "block_sum_sequential",
    "block_sum_unrolled",
    "two_rows_per_thread",
    "second_reduction_on_gpu",
    "ten_registers",
    "pinned_memory",
    "streams",
    "resident",
];

fn point(rows: i64, block: i64) -> [(&'static str, Value); 3] {
    [("rows", rows.into()), ("block", block.into()), ("threshold", 5001.into())]
}

/// The loop over the steps of a tree, of which there is one.
fn step(kernel: &str) -> Vec<&'static str> {
    let instructions = entry(PTX, kernel);
    let mut loops = loops(&instructions);
    assert_eq!(loops.len(), 1, "{kernel}");
    loops.remove(0)
}

#[test]
fn a_step_of_every_tree_is_two_loads_a_store_and_a_barrier() {
    let kernels =
        ["block_sum_strided", "block_sum_sequential", "block_sum_unrolled", "two_rows_per_thread", "chunk", "reduce"];
    for kernel in kernels {
        let body = step(&format!("select_sum_{kernel}"));
        let of = |opcode| count(&body, opcode);
        assert_eq!([of("ld.shared.u64"), of("st.shared.u64"), of("bar.sync")], [2, 1, 1], "{kernel}: {body:#?}");
    }
    assert!(loops(&entry(PTX, "select_sum_select_only")).is_empty());
}

/// Six steps of the last warp, in each of which all have read before any writes.
#[test]
fn the_last_warp_has_no_loop_and_waits_for_itself() {
    for (kernel, unrolled) in [
        ("block_sum_sequential", 0),
        ("block_sum_unrolled", 6),
        ("two_rows_per_thread", 6),
        ("limited_registers", 6),
        ("chunk", 6),
    ] {
        let instructions = entry(PTX, &format!("select_sum_{kernel}"));
        assert_eq!(count(&instructions, "bar.warp.sync"), 2 * unrolled, "{kernel}");
    }
    let kinds = ["ld.shared.u64", "bar.warp.sync", "st.shared.u64"];
    let instructions = entry(PTX, "select_sum_block_sum_unrolled");
    let behind = instructions.iter().rposition(|line| line.starts_with("bar.sync")).unwrap();
    let order: Vec<&str> =
        instructions[behind..].iter().filter_map(|line| kinds.into_iter().find(|own| line.starts_with(own))).collect();
    let step = ["ld.shared.u64", "bar.warp.sync", "st.shared.u64", "bar.warp.sync"];
    assert_eq!(order, [&["ld.shared.u64"][..], &step.repeat(6)].concat());
}

/// A row's other columns are behind a branch on its key; of two rows there are two such branches.
#[test]
fn columns_are_read_of_selected_rows_alone() {
    for (kernel, rows) in [("select_only", 1), ("block_sum_strided", 1), ("two_rows_per_thread", 2), ("chunk", 2)] {
        let instructions = entry(PTX, &format!("select_sum_{kernel}"));
        let of = |opcode| count(&instructions, opcode);
        assert_eq!([of("ld.global.u32"), of("ld.global.u64")], [rows, 2 * rows], "{kernel}");
        let key = instructions.iter().position(|line| line.starts_with("ld.global.u32")).unwrap();
        let product = instructions.iter().position(|line| line.starts_with("ld.global.u64")).unwrap();
        assert!(
            instructions[key..product].iter().any(|line| line.starts_with('@') && line.contains("bra")),
            "{kernel}"
        );
    }
}

fn text() -> &'static str {
    PTX.texts()[0]
}

/// The limit is on one kernel alone, and what it allows is enough: nothing is spilled.
#[test]
fn registers_are_limited_where_the_rung_says_so() {
    let header = |kernel: &str| {
        let start = text().find(&format!(".entry select_sum_{kernel}(")).unwrap();
        text()[start..].split('{').next().unwrap().to_owned()
    };
    for kernel in ["limited_registers", "chunk"] {
        let limited = header(kernel);
        assert!(limited.contains(".maxntid 1024") && limited.contains(".minnctapersm 2"), "{limited}");
        let compiled = apbench::kernel::compiled(&format!("select_sum_{kernel}"), (9, 0)).unwrap();
        assert!(compiled.registers <= 32 && compiled.local_bytes == 0, "{compiled:?}");
    }
    assert!(!header("two_rows_per_thread").contains(".minnctapersm"));
}

/// A chunk is one buffer beside that of the sums, and where its columns begin follows from the chunk's first word and its rows.
#[test]
fn a_chunk_is_one_piece_of_memory() {
    let parameters = |kernel: &str| {
        let start = text().find(&format!(".entry select_sum_{kernel}(")).unwrap();
        let header = text()[start..].split('{').next().unwrap();
        [".u64", ".u32"].map(|kind| header.matches(&format!(".param {kind}")).count())
    };
    assert_eq!([parameters("limited_registers"), parameters("chunk")], [[4, 3], [2, 4]]);
}

/// Chunks of all sizes, those of one row in an odd place too, come to the sum of all rows; the kernels look at every row once.
#[test]
fn chunks_read_what_one_kernel_reads() {
    let keys_and_numbers = |variant, chunks: i64, rows: i64| {
        let parameters =
            [("rows", rows.into()), ("block", 64.into()), ("threshold", 10_001.into()), ("chunks", chunks.into())];
        let run = Simulated::run("h200", &FAMILY, variant, &parameters);
        (run.counter("global_bytes_asked"), run.counter("blocks"))
    };
    for rows in [1, 128, 129, 1001, 12_801] {
        let alone = keys_and_numbers("pinned_memory", 1, rows);
        for chunks in [1, 2, 3, 7, 256] {
            assert_eq!(keys_and_numbers("streams", chunks, rows), alone, "{rows} rows in {chunks} chunks");
        }
    }
}

#[track_caller]
fn assert_counted(run: &Simulated, counter: &str, expected: f64) {
    assert!((run.counter(counter) - expected).abs() < 0.5, "{counter}: {}, not {expected}", run.counter(counter));
}

#[test]
fn barriers_and_passes_are_those_foretold() {
    for device in ["h200", "gtx280"] {
        for variant in ON_GPU {
            for (rows, block) in [(1, 64), (4096, 64), (4097, 256), (20_001, 512)] {
                let run = Simulated::run(device, &FAMILY, variant, &point(rows, block));
                assert_counted(&run, "block_barriers", run.predictor("barriers"));
                assert_counted(&run, "shared_load_passes", run.predictor("tree_load_passes"));
            }
        }
    }
}

#[test]
fn bank_conflicts_are_the_strided_tree_s() {
    let of = |variant| Simulated::run("h200", &FAMILY, variant, &point(4096, 256)).counter("bank_conflicts");
    assert!(of("block_sum_strided") > 100.0 && of("block_sum_sequential") < 0.5, "{}", of("block_sum_strided"));
}

#[test]
fn fewer_rows_selected_are_fewer_bytes_read() {
    let bytes = |threshold: i64| {
        let parameters = [("rows", 20_000.into()), ("threshold", threshold.into())];
        Simulated::run("h200", &FAMILY, "resident", &parameters).counter("global_bytes_moved")
    };
    let (none, few, all) = (bytes(1), bytes(30), bytes(10_001));
    assert!(none < few && few < all && all > 4.0 * none, "{none} {few} {all}");
}

#[test]
fn the_oldest_device_runs_every_rung() {
    for variant in ON_GPU {
        assert!(Simulated::run("8500gt", &FAMILY, variant, &point(5000, 256)).time_us > 0.0, "{variant}");
    }
}
