use super::*;
use ptx_syntax::parse;

/// A module whose kernel adds its argument to a counter of the module, and stores what that was before.
fn counting(first: u32) -> Module {
    let text = format!(
        ".version 8.0 .target sm_80 .address_size 64 .global .u32 counter = {first};\n\
         .visible .entry count(.param .u64 out, .param .u32 step) {{ .reg .b32 %r<4>; .reg .b64 %rd<2>;\n\
         ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [step];\n\
         ld.global.u32 %r1, [counter]; st.global.u32 [%rd0], %r1;\n\
         add.u32 %r2, %r1, %r0; st.global.u32 [counter], %r2; ret; }}"
    );
    parse(&text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn machine() -> Machine {
    Machine::new(Profile::load("h200").expect("it is built in"))
}

fn word(memory: &Memory, address: u64) -> u32 {
    u32::from_le_bytes(memory.bytes(address).expect("it is there")[..4].try_into().expect("four bytes"))
}

fn launch(module: &Module, step: u32, memory: &mut Memory, out: u64) -> u32 {
    let arguments = [out.into(), step.into()];
    machine().launch(module, "count", Grid::linear(1, 1), &arguments, memory).unwrap_or_else(|error| panic!("{error}"));
    word(memory, out)
}

#[test]
fn variables_of_two_modules_in_one_memory_are_not_mistaken_for_each_other() {
    let (one, other) = (counting(100), counting(7000));
    let mut memory = Memory::default();
    let out = memory.add("out", vec![0; 4]);
    assert_eq!(launch(&one, 1, &mut memory, out), 100);
    assert_eq!(launch(&other, 10, &mut memory, out), 7000);
    assert_eq!(launch(&one, 1, &mut memory, out), 101);
    assert_eq!(launch(&other, 10, &mut memory, out), 7010);
    assert_eq!(launch(&counting(100), 1, &mut memory, out), 102, "the same text is the same module");
}

#[test]
fn a_kernel_that_expects_its_variables_elsewhere_is_refused() {
    let (one, other) = (counting(100), counting(7000));
    let machine = machine();
    let mut memory = Memory::default();
    let out = memory.add("out", vec![0; 4]);
    assert_eq!(launch(&one, 1, &mut memory, out), 100);
    let kernel = machine.load(&other, "count").expect("it is right");
    let run = |kernel: &Kernel, memory: &mut Memory| {
        let arguments = [out.into(), 1_u32.into()];
        machine.run(kernel, Grid::linear(1, 1), &arguments, memory, &mut KeptL2::default(), Extent::AllBlocks)
    };
    let told = run(&kernel, &mut memory).expect_err("the addresses are taken").to_string();
    assert!(told.contains("variables begin elsewhere"), "{told}");
    assert_eq!(word(&memory, out), 100, "nothing ran");
    let kernel = machine.load_for(&mut memory, &other, "count").expect("it is right");
    run(&kernel, &mut memory).expect("it runs");
    assert_eq!(word(&memory, out), 7000);
}

#[test]
fn what_a_kernel_takes_is_told() {
    let kernel = machine().load(&counting(1), "count").expect("it is right");
    assert_eq!((kernel.name(), kernel.variable_bytes(), kernel.static_shared_bytes()), ("count", 4, 0));
    assert_eq!(kernel.parameter_bytes().collect::<Vec<_>>(), [8, 4]);
    assert!(kernel.registers().is_estimate && kernel.registers().per_thread > 0);
    let known = kernel.with_registers(Registers { per_thread: 255, is_estimate: false });
    let (residency, _) = machine().residency(&known, known.resources(256, 0)).expect("one block fits");
    assert_eq!(residency.blocks, 1);
}

#[test]
fn what_lines_become_is_told_with_the_branches_that_are_predicates() {
    let text = ".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) { .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<3>;
ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %rd1, %r0, 4, %rd0; ld.global.u32 %r1, [%rd1];
setp.gt.u32 %p1, %r0, 3;
@%p1 bra A;
mul.lo.s32 %r1, %r1, %r0;
A: st.global.u32 [%rd1], %r1;
@%p1 bra B;
st.global.u32 [%rd1+4], %r0;
B: ret; }";
    let module = parse(text).unwrap_or_else(|errors| panic!("{errors}"));
    let kernel = Kernel::decode(&module, "k").unwrap_or_else(|errors| panic!("{errors}"));
    let told = |capability, line| {
        let own = kernel.lowered(capability).find(|own| own.line == line).expect("the line has an instruction");
        (own.machine_instructions as u32, own.predicated_by)
    };
    assert_eq!(told((7, 0), 7), (0, None), "the branch is none");
    assert_eq!(told((9, 0), 7), (1, None), "the descriptor of global memory is loaded before it");
    assert_eq!(told((9, 0), 8), (1, Some(7)));
    assert_eq!(told((1, 3), 8).1, None, "nothing is lowered for the first GPUs");
    assert_eq!(told((9, 0), 12).1, None, "the end is issued with the store, which is no branch");
}

#[test]
fn a_launch_that_cannot_be_is_refused_with_its_reason() {
    let module = counting(1);
    let mut memory = Memory::default();
    let out = memory.add("out", vec![0; 4]);
    for (grid, arguments, expected) in [
        (Grid::linear(0, 1), vec![out.into(), 1_u32.into()], "the grid has no blocks"),
        (Grid::linear(1, 0), vec![out.into(), 1_u32.into()], "the blocks have no threads"),
        (Grid::linear(1, 2048), vec![out.into(), 1_u32.into()], "threads"),
        (Grid::linear(1, 1), vec![out.into()], "2 arguments are expected, not 1"),
        (Grid::linear(1, 1), vec![out.into(), 1_u64.into()], "argument 1 has 8 bytes, the kernel takes 4"),
    ] {
        let told = machine().launch(&module, "count", grid, &arguments, &mut memory).expect_err(expected).to_string();
        assert!(told.contains(expected), "{told}");
    }
    let told = machine().launch(&module, "other", Grid::linear(1, 1), &[], &mut memory).expect_err("none").to_string();
    assert!(told.contains("there is no kernel other"), "{told}");
}

#[test]
fn branches_that_become_predicates_do_not_make_a_launch_longer() {
    // Whoever counts them in what blocks execute, and not in what is timed, takes one multiprocessor to have more to do than all.
    let branches: String =
        (0..8).map(|index| format!("@%p0 bra $skip{index}; add.u32 %r1, %r1, %r0; $skip{index}:\n")).collect();
    let text = format!(
        ".version 8.0 .target sm_80 .address_size 64 .visible .entry skip(.param .u32 n) {{ .reg .b32 %r<4>; .reg .pred %p<2>;\n\
         ld.param.u32 %r0, [n]; mov.u32 %r1, %tid.x; setp.gt.u32 %p0, %r1, %r0;\n{branches} ret; }}"
    );
    let module = parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
    let (machine, mut memory) = (machine(), Memory::default());
    let (grid, arguments) = (Grid::linear(264, 256), [128_u32.into()]);
    let kernel = machine.load_for(&mut memory, &module, "skip").expect("it is right");
    let alone = machine.time(&kernel, grid, &arguments, &mut memory).expect("it is timed");
    let all = machine
        .run(&kernel, grid, &arguments, &mut memory, &mut KeptL2::default(), Extent::AllBlocks)
        .expect("it runs");
    assert!((all.time_us - alone.time_us).abs() < 1e-9, "{} {}", all.time_us, alone.time_us);
}

#[test]
fn counters_of_a_part_are_those_of_all_where_only_blocks_at_the_edges_differ() {
    // Blocks at an end of an axis do more, each end of each axis something else.
    let more: String = [("%ctaid.x", "%nctaid.x", 3), ("%ctaid.y", "%nctaid.y", 5), ("%ctaid.z", "%nctaid.z", 7)]
        .iter()
        .enumerate()
        .map(|(axis, (own, all, often))| {
            let add = "add.u32 %r3, %r3, %r0; ".repeat(*often);
            format!(
                "mov.u32 %r0, {own}; mov.u32 %r1, {all}; sub.u32 %r1, %r1, 1;\n\
                 setp.ne.u32 %p0, %r0, 0; @%p0 bra $a{axis}; {add} {add} $a{axis}:\n\
                 setp.ne.u32 %p0, %r0, %r1; @%p0 bra $b{axis}; {add} $b{axis}:\n"
            )
        })
        .collect();
    let text = format!(
        ".version 8.0 .target sm_80 .address_size 64 .visible .entry edges() {{ .reg .b32 %r<8>; .reg .pred %p<2>;\n\
         mov.u32 %r3, 0;\n{more} ret; }}"
    );
    let module = parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
    let (machine, mut memory) = (machine(), Memory::default());
    let kernel = machine.load_for(&mut memory, &module, "edges").expect("it is right");
    for blocks in [[4000, 1, 1], [1, 3000, 1], [2, 1000, 1], [60, 50, 1], [50, 2, 30], [20, 18, 10]] {
        let grid = Grid { blocks, ..Grid::linear(1, 64) };
        let mut run =
            |extent| machine.run(&kernel, grid, &[], &mut memory, &mut KeptL2::default(), extent).expect("it runs");
        let (all, part) = (run(Extent::AllBlocks), run(Extent::UpTo(1000)));
        assert!(part.blocks_executed < all.blocks_executed, "{blocks:?}");
        for name in ["ptx_instructions", "warp_instructions", "thread_instructions", "branch_instructions"] {
            assert_eq!(part.counter(name), all.counter(name), "{blocks:?}: {name}");
        }
    }
}

#[test]
fn a_launch_takes_as_long_as_its_heaviest_block_however_many_others_there_are() {
    let text = ".version 8.0 .target sm_80 .address_size 64 .visible .entry turns(.param .u64 often) {\n\
         .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n\
         ld.param.u64 %rd0, [often]; mov.u32 %r0, %ctaid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0;\n\
         ld.global.u32 %r1, [%rd1]; mov.u32 %r2, 0;\n\
         $next: mad.lo.u32 %r3, %r3, %r3, %r2; add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r1; @%p0 bra $next;\n\
         st.global.u32 [%rd1], %r3; ret; }";
    let module = parse(text).unwrap_or_else(|errors| panic!("{errors}"));
    let machine = machine();
    let run = |blocks: u32, heavy: usize, turns: u32, extent: Extent| {
        let mut memory = Memory::default();
        let kernel = machine.load_for(&mut memory, &module, "turns").expect("it is right");
        let mut often = vec![4_u32; blocks as usize];
        often[heavy] = turns;
        let often = memory.add("often", often.iter().flat_map(|turns| turns.to_le_bytes()).collect());
        let grid = Grid::linear(blocks, 64);
        machine.run(&kernel, grid, &[often.into()], &mut memory, &mut KeptL2::default(), extent).expect("it runs")
    };
    let alone_us = run(1, 0, 20_000, Extent::AllBlocks).time_us;
    let times_us = [1000, 4000, 16_000, 64_000].map(|blocks| run(blocks, 300, 20_000, Extent::AllBlocks).time_us);
    assert!(times_us.iter().all(|time_us| *time_us > 0.99 * alone_us), "{alone_us} {times_us:?}");
    assert!(times_us[3] < 1.2 * alone_us, "{alone_us} {times_us:?}");
    // One of the last blocks begins when the others have almost ended.
    let (light_us, last_us) =
        (run(64_000, 0, 4, Extent::AllBlocks).time_us, run(64_000, 63_990, 20_000, Extent::AllBlocks).time_us);
    assert!((last_us / (light_us + alone_us) - 1.0).abs() < 0.1, "{last_us} {light_us} {alone_us}");
    // Data say how long blocks take: where some are not executed, nobody knows how far off the time is.
    assert!(run(1000, 300, 20_000, Extent::UpTo(20_000)).sampling_error_us.is_some());
    let in_part = run(64_000, 301, 20_000, Extent::UpTo(20_000));
    assert!(in_part.blocks_executed < 64_000);
    assert_eq!(in_part.sampling_error_us, None);
}

#[test]
fn a_block_that_waits_for_another_one_sees_what_it_writes() {
    // Block 1 writes a flag that block 0 waits for.
    let ways = [
        (
            "by one thread for all, through shared memory",
            "$loop: setp.ne.u32 %p1, %r1, 0; @%p1 bra $pass; ld.global.cg.u32 %r2, [%rd0]; st.shared.u32 [seen], %r2;\n\
          $pass: bar.sync 0; ld.shared.u32 %r3, [seen]; bar.sync 0; setp.eq.u32 %p2, %r3, 0; @%p2 bra $loop;",
        ),
        (
            "counting its turns in memory",
            "$loop: ld.global.cg.u32 %r3, [%rd0]; add.u32 %r4, %r4, 1; st.global.u32 [%rd1+8], %r4;\n\
          setp.eq.u32 %p2, %r3, 0; @%p2 bra $loop;",
        ),
        ("asleep", "$loop: nanosleep.u32 20; ld.global.u32 %r3, [%rd0]; setp.eq.u32 %p2, %r3, 0; @%p2 bra $loop;"),
        ("by a volatile load", "$loop: ld.volatile.global.u32 %r3, [%rd0]; setp.eq.u32 %p2, %r3, 0; @%p2 bra $loop;"),
    ];
    for (way, wait) in ways {
        let text = format!(
            ".version 8.0 .target sm_80 .address_size 64 .visible .entry wait(.param .u64 flag, .param .u64 out) {{\n\
             .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>; .shared .align 4 .b32 seen;\n\
             ld.param.u64 %rd0, [flag]; ld.param.u64 %rd1, [out]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mov.u32 %r4, 0;\n\
             setp.eq.u32 %p0, %r0, 1; @%p0 bra $set;\n{wait}\nst.global.u32 [%rd1], %r3; bra $end;\n\
             $set: membar.gl; st.global.u32 [%rd0], 7; $end: ret; }}"
        );
        let module = parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
        let mut memory = Memory::default();
        let [flag, out] = ["flag", "out"].map(|name| memory.add(name, vec![0; 16]));
        let launched = machine().launch(&module, "wait", Grid::linear(2, 64), &[flag.into(), out.into()], &mut memory);
        launched.unwrap_or_else(|error| panic!("{way}: {error}"));
        assert_eq!(word(&memory, out), 7, "{way}");
    }
}

#[test]
fn a_launch_that_is_refused_is_neither_timed_nor_counted() {
    let machine = machine();
    let mut memory = Memory::default();
    let out = memory.add("out", vec![0; 4]);
    let kernel = machine.load_for(&mut memory, &counting(1), "count").expect("it is right");
    // More blocks that wait for each other than there is room for.
    let grid = Grid { cooperative: true, ..Grid::linear(1 << 20, 1024) };
    let arguments = [out.into(), 1_u32.into()];
    let told = [
        machine.run(&kernel, grid, &arguments, &mut memory, &mut KeptL2::default(), Extent::AllBlocks).err(),
        machine.execute(&kernel, grid, &arguments, &mut memory).err(),
        machine.time(&kernel, grid, &arguments, &mut memory).err(),
        machine.census(&kernel, grid, &arguments, &mut memory, 1000).err(),
    ];
    for told in told.map(|error| error.expect("it is refused").to_string()) {
        assert!(told.contains("a cooperative launch of 1048576 blocks, but only 264 are resident at once"), "{told}");
    }
}

#[test]
fn more_blocks_than_memory_holds_a_list_of_are_refused() {
    let machine = machine();
    let mut memory = Memory::default();
    let out = memory.add("out", vec![0; 4]);
    let kernel = machine.load_for(&mut memory, &counting(1), "count").expect("it is right");
    let grid = Grid { blocks: [2_147_483_647, 65_535, 65_535], ..Grid::linear(1, 32) };
    let told = machine.execute(&kernel, grid, &[out.into(), 1_u32.into()], &mut memory).expect_err("it is refused");
    assert!(told.to_string().contains("134217728 are the most"), "{told}");
}

/// A loop whose turns a word of constant memory says, as it is counted and as it is timed.
#[test]
fn what_is_written_to_constant_memory_is_executed_and_timed() {
    let text = ".version 8.0 .target sm_80 .address_size 64 .const .u32 turns = 1;\n\
         .visible .entry k(.param .u64 out) { .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;\n\
         ld.param.u64 %rd0, [out]; ld.const.u32 %r0, [turns]; mov.u32 %r1, 0; mov.u32 %r2, 7; L: mad.lo.u32 %r2, %r2, %r2, %r1;\n\
         add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, %r0; @%p0 bra L; st.global.u32 [%rd0], %r1; ret; }";
    let module = parse(text).unwrap_or_else(|errors| panic!("{errors}"));
    let run = |turns: u32| {
        let mut memory = Memory::default();
        let out = memory.add("out", vec![0; 4]);
        let mut kernel = machine().load_for(&mut memory, &module, "k").expect("it is right");
        kernel.write_variable(&mut memory, "turns", &turns.to_le_bytes()).expect("it is there");
        let grid = Grid::linear(1, 1);
        let report = machine()
            .run(&kernel, grid, &[out.into()], &mut memory, &mut KeptL2::default(), Extent::AllBlocks)
            .expect("it runs");
        assert_eq!(word(&memory, out), turns);
        report.time_us
    };
    // A multiply-add that waits for the one before takes at least four cycles, and a cycle half a nanosecond.
    assert!(run(10_000) > run(1) + 20.0);
}

mod arranged {
    use super::*;
    use crate::program::{Operation, arranged_at, decode};
    use crate::snippet::kernel;
    use crate::windows::MODULE_BASE;

    /// Loads where a lane's number is below one of two bounds, and more where it is not.
    const BRANCHES: &str = "setp.ge.u32 %p0, %r0, 20; mov.u32 %r5, 7;
        @%p0 bra $L1;
        ld.global.u32 %r2, [%rd1];
        add.u32 %r3, %r2, 3;
        st.shared.u32 [tile], %r3;
        $L1:
        setp.ge.u32 %p1, %r0, 9;
        @%p1 bra $L2;
        ld.global.u32 %r4, [%rd1+128];
        add.u32 %r5, %r4, %r0;
        st.shared.u32 [tile+4], %r5;
        bra.uni $L3;
        $L2:
        add.u32 %r5, %r5, 100;
        $L3:
        bar.sync 0;
        ld.shared.u32 %r6, [tile]; ld.shared.u32 %r7, [tile+4];
        mul.lo.u32 %r8, %r5, 1000; add.u32 %r8, %r8, %r6; add.u32 %r8, %r8, %r7;
        st.global.u32 [%rd1], %r8;";

    fn module() -> Module {
        parse(&kernel(".shared .align 4 .b8 tile[64];", BRANCHES)).expect("it reads")
    }

    #[test]
    fn short_branches_are_gone_and_loads_come_before_stores_to_another_space() {
        let written = decode(&module(), "k").expect("it is supported");
        let arranged = arranged_at(&module(), "k", MODULE_BASE).expect("it is one function");
        let branches = |code: &[crate::program::Instruction]| {
            code.iter().filter(|own| matches!(own.operation, Operation::Branch { .. })).count()
        };
        assert_eq!((branches(&written.code), branches(&arranged.code)), (3, 0));
        // Two loads of neighbours are one.
        assert_eq!(arranged.code.len(), written.code.len() - 3 - 1);
        let places = |is: fn(&Operation) -> bool| -> Vec<usize> {
            (0..arranged.code.len()).filter(|place| is(&arranged.code[*place].operation)).collect()
        };
        let stores = places(|own| matches!(own, Operation::Store { .. }));
        let loads = places(|own| matches!(own, Operation::Load { .. }));
        // The parameter and both words of the buffer, then what was stored.
        assert!(loads[2] < stores[0] && stores[1] < loads[3], "{loads:?} {stores:?}");
    }

    /// What one warp leaves in a buffer that held `words`, by the kernel as it is written and as a compiler arranges it.
    fn arranged_words(module: &Module, entry: &str, words: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let machine = Machine::new(Profile::load("h200").expect("it is built in"));
        let kernel = machine.load(module, entry).expect("it is supported");
        let arranged = machine.load(module, entry).expect("it is supported").into_arranged();
        let run = |kernel: &Kernel| {
            let mut memory = Memory::default();
            let address = memory.add("buffer", words.iter().flat_map(|word| word.to_le_bytes()).collect());
            machine.execute(kernel, Grid::linear(1, 32), &[address.into()], &mut memory).expect("it runs");
            let bytes = memory.bytes(address).expect("it is there").to_vec();
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
        };
        (run(&kernel), run(&arranged))
    }

    #[test]
    fn what_is_arranged_does_what_was_written() {
        let (written, arranged) = arranged_words(&module(), "k", &(0..64).map(|word| 17 * word).collect::<Vec<u32>>());
        assert_eq!(written, arranged);
        assert_ne!(written[0], 0);
    }
}

#[test]
fn bounds_of_a_kernel_bound_its_registers() {
    let loads: String = (1..=40).map(|place| format!("ld.global.u32 %v{place}, [%rd1+{}];\n", 4 * place)).collect();
    let sums: String = (1..=40).map(|place| format!("add.u32 %r1, %r1, %v{place};\n")).collect();
    // The values are needed again once their sum is known.
    let again: String = (1..=40).map(|place| format!("mad.lo.u32 %r2, %r1, %v{place}, %r2;\n")).collect();
    let body =
        format!(".reg .b32 %v<41>;\n{loads}mov.u32 %r1, 0;\nmov.u32 %r2, 0;\n{sums}{again}st.global.u32 [%rd1], %r2;");
    let text = crate::snippet::kernel("", &body);
    let registers = |directives: &str| {
        let text = text.replacen("(.param .u64 out)", &format!("(.param .u64 out) {directives}"), 1);
        let module = parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
        let kernel = Kernel::decode(&module, "k").unwrap_or_else(|error| panic!("{error}"));
        (kernel.registers().per_thread, kernel.registers_spilled())
    };
    let (wanted, spilled) = registers("");
    assert!(wanted > 40 && spilled == 0, "{wanted}");
    assert_eq!(registers(".maxnreg 24"), (24, wanted - 24));
    assert_eq!(registers(".maxntid 1024, 1, 1 .minnctapersm 2"), (32, wanted - 32));
    assert_eq!(registers(".maxntid 1000, 1, 1 .minnctapersm 2"), (32, wanted - 32));
    assert_eq!(registers(".maxntid 1024, 1, 1"), (wanted, 0));
    assert_eq!(registers(".maxntid 128, 1, 1 .minnctapersm 0"), (wanted, 0));
}
