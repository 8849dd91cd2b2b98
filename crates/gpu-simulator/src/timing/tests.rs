//! Known answers of the timing model, on kernels whose time can be worked out on paper from the profile's constants.

use super::{Bound, INSTRUCTIONS_OF_WAVES, KeptL2, Known, Timed, WAVES_BY_CHANCE, WAVES_MIN, time_launch_after};
use crate::execute::{Launch, Memory};
use crate::profile::Profile;
use crate::program::{Conduct, Given, arranged_at, decode};
use crate::what_if::Alterations;

mod atomics;
mod barriers;
mod bulk_copies;
mod clusters;
mod fences;
mod fragments;
mod grid_barriers;
mod guards;
mod lanes;
mod meanwhile;
mod phase_barriers;

const OPERATIONS: usize = 200;

struct TimedLaunch {
    profile: Profile,
    blocks: u32,
    threads: u32,
    resident: u32,
    memory_bytes: usize,
    /// Whether as a compiler arranges it.
    is_arranged: bool,
}

impl TimedLaunch {
    fn on(profile: &str) -> Self {
        Self {
            profile: Profile::load(profile).unwrap(),
            blocks: 1,
            threads: 32,
            resident: 1,
            memory_bytes: 4096,
            is_arranged: false,
        }
    }

    fn blocks(self, blocks: u32, threads: u32, resident: u32) -> Self {
        Self { blocks, threads, resident, ..self }
    }

    /// Times a kernel with this body, whose one parameter is the address of a buffer.
    fn time(&self, body: &str) -> Timed {
        let text = format!(
            ".version 7.8\n.target sm_75\n.address_size 64\n.shared .align 4 .b8 shared[8192];\n\
             .visible .entry kernel(.param .u64 buffer)\n{{\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n.reg .pred %p<4>;\n\
             {body}\nret;\n}}\n"
        );
        let module = ptx_syntax::parse(&text).unwrap();
        let arranged = self.is_arranged.then(|| arranged_at(&module, "kernel", 1 << 40).unwrap());
        let program = arranged.unwrap_or_else(|| decode(&module, "kernel").unwrap());
        let mut memory = Memory::default();
        let buffer = memory.add("buffer", vec![0; self.memory_bytes]);
        let grid = Launch {
            grid: [self.blocks, 1, 1],
            block: [self.threads, 1, 1],
            cluster: [1; 3],
            has_cluster: false,
            clusters_abreast: 1,
            dynamic_shared_bytes: 0,
            conduct: Conduct::of(
                &program,
                &Given { parameters: &buffer.to_le_bytes(), grid: [self.blocks, 1, 1], block: [self.threads, 1, 1] },
            ),
            parameters: buffer.to_le_bytes().to_vec(),
            multiprocessors: self.profile.sm_count,
            nanoseconds_per_cycle: 1e3 / self.profile.sm_clock_mhz,
            workspace: 0,
            reconvergence: self.profile.reconvergence,
            step_limit: self.profile.step_limit,
        };
        let known = Known::nothing(self.resident);
        time_launch_after(&program, &grid, &self.profile, known, &memory, &mut KeptL2::default(), Alterations::NONE)
            .unwrap()
    }

    fn cycles(&self, body: &str) -> f64 {
        self.cycles_of(&self.time(body))
    }

    /// Cycles between the launch and the end of the last block.
    fn cycles_of(&self, timed: &Timed) -> f64 {
        (timed.time_us - self.profile.launch_us) * self.profile.sm_clock_mhz - self.profile.blocks.end_cycles
    }
}

fn repeated(instruction: &str) -> String {
    (0..OPERATIONS).map(|index| instruction.replace("{i}", &(index % 8).to_string())).collect::<Vec<_>>().join("\n")
}

fn assert_near(found: f64, expected: f64, tolerance_pct: f64) {
    let apart_pct = (found / expected - 1.0) * 100.0;
    assert!(apart_pct.abs() <= tolerance_pct, "{found:.1} instead of {expected:.1}: {apart_pct:.1} % apart");
}

#[test]
fn a_kernel_that_does_nothing_takes_its_launch() {
    let launch = TimedLaunch::on("h200");
    let timed = launch.time("");
    let end_us = launch.profile.blocks.end_cycles / launch.profile.sm_clock_mhz;
    assert_near(timed.time_us, launch.profile.launch_us + end_us, 1.0);
    assert_eq!(timed.bound, Bound::Launch);
}

#[test]
fn one_warp_waits_for_every_result() {
    for profile in ["h200", "gtx280"] {
        let launch = TimedLaunch::on(profile);
        let units = launch.profile.units;
        // A multiplier of 24 bits takes four machine instructions, each of which waits for the one before it.
        let products = if profile == "gtx280" { 4.0 } else { 1.0 };
        for (instruction, latency_cycles) in [
            ("add.s32 %r1, %r1, %r2;", units.integer.latency_cycles),
            ("mad.lo.s32 %r1, %r1, %r2, %r3;", products * units.multiply.latency_cycles),
            ("fma.rn.f32 %r1, %r1, %r2, %r3;", units.float.latency_cycles),
        ] {
            let expected = OPERATIONS as f64 * latency_cycles;
            assert_near(launch.cycles(&repeated(instruction)), expected, 5.0);
        }
    }
}

#[test]
fn where_arguments_are_in_shared_memory_they_are_operands() {
    let body = repeated("ld.param.u64 %rd1, [buffer];\nmov.u32 %r1, %ctaid.x;");
    assert_near(
        TimedLaunch::on("gtx280").cycles(&format!("{body}\nadd.s32 %r2, %r2, 1;")),
        TimedLaunch::on("gtx280").cycles("add.s32 %r2, %r2, 1;"),
        1.0,
    );
    let asked_for = repeated("mov.u32 %r1, %ctaid.x;\nxor.b32 %r2, %r2, %r1;");
    assert!(TimedLaunch::on("h200").cycles(&asked_for) > 2.0 * OPERATIONS as f64);
}

#[test]
fn where_addresses_have_32_bits_only_their_lower_half_is_computed() {
    let [tesla, hopper] = ["gtx280", "h200"].map(TimedLaunch::on);
    let (old, new) = (tesla.profile.units, hopper.profile.units);
    let each = |launch: &TimedLaunch, instruction: &str| launch.cycles(&repeated(instruction)) / OPERATIONS as f64;
    let (sum, shift, product) =
        ("add.s64 %rd1, %rd1, %rd2;", "mul.wide.u32 %rd1, %r1, 4;", "mul.wide.u32 %rd1, %r1, 12;");
    assert_near(each(&tesla, sum), old.integer.latency_cycles, 5.0);
    assert_near(each(&tesla, shift), old.integer.latency_cycles, 5.0);
    assert_near(each(&tesla, product), 4.0 * old.multiply.latency_cycles, 5.0);
    assert_near(each(&hopper, sum), new.integer.latency_cycles + new.integer.interval_cycles, 5.0);
    // What nobody asks for is not computed.
    assert_near(1.0 + each(&hopper, shift), 1.0, 50.0);
    let again = "mul.wide.u32 %rd1, %r1, 4;\nmov.b64 {%r1, %r2}, %rd1;";
    assert_near(each(&hopper, again), new.multiply.latency_cycles, 5.0);
}

#[test]
fn many_warps_keep_the_unit_busy() {
    let launch = TimedLaunch::on("h200").blocks(132 * 4, 512, 4);
    let timed = launch.time(&repeated("mad.lo.s32 %r1, %r1, %r2, %r3;"));
    let warps_per_scheduler = 4.0 * 16.0 / f64::from(launch.profile.schedulers_per_sm);
    let expected = warps_per_scheduler * OPERATIONS as f64 * launch.profile.units.multiply.interval_cycles;
    assert_near((timed.time_us - launch.profile.launch_us) * launch.profile.sm_clock_mhz, expected, 5.0);
    assert_eq!(timed.bound, Bound::Issue);
}

#[test]
fn bank_conflicts_take_their_passes() {
    let body = |stride: u32| {
        let index = format!("mov.u32 %r9, %tid.x;\nand.b32 %r9, %r9, 31;\nmul.lo.u32 %r9, %r9, {};", 4 * stride);
        format!(
            "{index}\nmov.u32 %r10, shared;\nadd.u32 %r9, %r9, %r10;\n{}",
            repeated("ld.volatile.shared.u32 %r{i}, [%r9];")
        )
    };
    let launch = TimedLaunch::on("h200").blocks(132, 512, 1);
    for degree in [1_u32, 2, 4, 8, 16, 32] {
        let passes = 16.0 * OPERATIONS as f64 * f64::from(degree);
        assert_near(launch.cycles(&body(degree)), passes * launch.profile.shared.pass_cycles, 10.0);
    }
    assert_eq!(launch.time(&body(32)).bound, Bound::Shared);
    // The warps of one scheduler alone get every second pass: constants/shared.csv has 64.5 cycles for each load of one warp.
    let of_one_warp = TimedLaunch::on("h200").blocks(1, 32, 1).cycles(&body(32));
    assert_near(of_one_warp / OPERATIONS as f64, 64.5, 3.0);
}

#[test]
fn conflicts_keep_compute_capability_1_from_issuing_anything_else() {
    // A load of stride 16, whose half-warps need 16 passes of two cycles each, and three additions of four cycles.
    let instructions =
        "ld.volatile.shared.u32 %r{i}, [%r9];\nadd.s32 %r11, %r11, 1;\nadd.s32 %r12, %r12, 1;\nadd.s32 %r13, %r13, 1;";
    let body = |stride: u32| {
        let index = format!("mov.u32 %r9, %tid.x;\nand.b32 %r9, %r9, 31;\nmul.lo.u32 %r9, %r9, {};", 4 * stride);
        format!("{index}\nmov.u32 %r10, shared;\nadd.u32 %r9, %r9, %r10;\n{}", repeated(instructions))
    };
    // The last warps have nobody to wait with, which is some of the tenth that is allowed; were the additions issued during
    // the passes, it would be 16 % less.
    let launch = TimedLaunch::on("gtx280").blocks(30, 512, 1);
    let instructions = 16.0 * OPERATIONS as f64;
    assert_near(launch.cycles(&body(1)), instructions * (4.0 + 3.0 * 4.0), 10.0);
    assert_near(launch.cycles(&body(16)), instructions * (64.0 + 3.0 * 4.0), 10.0);
    assert_eq!(launch.time(&body(16)).bound, Bound::Shared);
}

#[test]
fn streaming_reaches_the_bandwidth_of_device_memory() {
    // Every thread loads 16 bytes eight times, its neighbours beside it.
    let launch =
        TimedLaunch { memory_bytes: 132 * 16 * 512 * 8 * 16, ..TimedLaunch::on("h200") }.blocks(132 * 16, 512, 4);
    let load = |index: usize| format!("ld.global.v4.u32 {{%r1, %r2, %r3, %r4}}, [%rd1+{}];", index * 512 * 16);
    let loads: Vec<String> = (0..8).map(load).collect();
    let body = format!(
        "ld.param.u64 %rd1, [buffer];\nmov.u32 %r9, %ctaid.x;\nmov.u32 %r10, %tid.x;\nmad.lo.u32 %r9, %r9, 4096, %r10;\n\
         mul.wide.u32 %rd2, %r9, 16;\nadd.u64 %rd1, %rd1, %rd2;\n{}",
        loads.join("\n")
    );
    let timed = launch.time(&body);
    let expected_us = launch.memory_bytes as f64 / launch.profile.global.gb_per_s / 1e3;
    assert_near(timed.time_us - launch.profile.launch_us, expected_us, 10.0);
    assert_eq!(timed.bound, Bound::Memory);
}

#[test]
fn one_load_takes_its_latency() {
    let launch = TimedLaunch::on("h200");
    let body = "ld.param.u64 %rd1, [buffer];\nld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 7;\n@%p1 trap;";
    let slices = launch.profile.global.slices.unwrap();
    let expected = slices.first_load_from_memory_cycles + launch.profile.global.latency_cycles;
    assert_near(launch.cycles(body), expected, 5.0);
    // The second one finds its sector in L1; one beside it has come with the first to L2.
    let more = format!(
        "{body}\nadd.u64 %rd2, %rd1, %rd1;\nsub.u64 %rd2, %rd2, %rd1;\nld.global.u32 %r3, [%rd2+32];\nadd.u32 %r4, %r3, %r1;\nsetp.eq.u32 %p1, %r4, 7;\n@%p1 trap;"
    );
    let after = more.replace(
        "ld.global.u32 %r3, [%rd2+32];",
        "and.b32 %r5, %r1, 0;\nst.global.u32 [%rd1+128], %r5;\nld.global.u32 %r3, [%rd2+32];",
    );
    assert!(
        launch.cycles(&after) < expected + 2.0 * launch.profile.global.l2_latency_cycles,
        "{}",
        launch.cycles(&after)
    );
}

/// Source: `wait-cost` on an H200, barriers one behind the other, cycles each.
#[test]
fn barriers_take_their_unit_for_each_warp_and_until_they_settle() {
    for (warps, measured_cycles) in [(1_u32, 15.0), (2, 17.0), (4, 21.0), (8, 29.0), (16, 45.1)] {
        let launch = TimedLaunch::on("h200").blocks(1, 32 * warps, 1);
        let timed = launch.time(&repeated("bar.sync 0;"));
        assert_near(launch.cycles_of(&timed), OPERATIONS as f64 * measured_cycles, 5.0);
    }
    let body = format!("{}\n{}", repeated("bar.sync 0;"), repeated("bar.sync 0;"));
    assert_eq!(TimedLaunch::on("h200").blocks(1, 1024, 1).time(&body).bound, Bound::Barrier);
}

#[test]
fn what_is_not_timed_takes_as_long_as_what_is() {
    let body = repeated("mad.lo.s32 %r1, %r1, %r2, %r3;");
    let launch = |waves: u32| TimedLaunch::on("h200").blocks(132 * 4 * waves, 256, 4);
    let few = launch(2).cycles(&body) / 2.0;
    let many = launch(100).time(&body);
    assert_eq!(many.blocks_timed, 12, "three waves of four");
    let cycles = launch(1).cycles_of(&many);
    assert_near(cycles / 100.0, few, 5.0);
    assert_near(many.waves, 100.0, 0.1);
}

#[test]
fn a_tail_of_one_block_takes_a_whole_turn() {
    let body = repeated("mad.lo.s32 %r1, %r1, %r2, %r3;");
    let full = TimedLaunch::on("h200").blocks(132, 32, 1).cycles(&body);
    let with_tail = TimedLaunch::on("h200").blocks(133, 32, 1).cycles(&body);
    let blocks = Profile::load("h200").unwrap().blocks;
    let expected = 2.0 * full + blocks.turnover_cycles + blocks.turnover_cycles_per_warp;
    assert_near(with_tail, expected, 2.0);
}

#[test]
fn camping_on_a_partition_takes_as_much_longer_as_there_are_partitions() {
    // 32 loads of a warp's 128 bytes: neighbours, or 2048 bytes apart, which is all in one of 8 partitions of 256 bytes.
    let body = |stride: usize| {
        let load = |index: usize| format!("ld.global.u32 %r{}, [%rd1+{}];", index % 8, index * stride);
        let loads: Vec<String> = (0..32).map(load).collect();
        let address =
            "ld.param.u64 %rd1, [buffer];\nmov.u32 %r9, %tid.x;\nmul.wide.u32 %rd2, %r9, 4;\nadd.u64 %rd1, %rd1, %rd2;";
        format!("{address}\n{}", loads.join("\n"))
    };
    let launch = TimedLaunch { memory_bytes: 1 << 16, ..TimedLaunch::on("gtx280") }.blocks(30 * 8, 32, 8);
    let (spread, camping) = (launch.cycles(&body(256)), launch.cycles(&body(2048)));
    assert!(camping > 5.0 * spread && camping < 8.5 * spread, "{spread:.0} and {camping:.0} cycles");
}

#[test]
fn neighbouring_blocks_share_all_partitions_although_those_of_a_multiprocessor_would_not() {
    // Each block reads 1024 neighbouring bytes of 32 rows: 4 of the 8 partitions, and every second block the same ones. The
    // blocks of one of 30 multiprocessors would all be such second blocks.
    let (blocks, rows) = (240, 32);
    let loads: Vec<String> =
        (0..rows).map(|row| format!("ld.global.u32 %r{}, [%rd1+{}];", row % 8, row * blocks * 1024)).collect();
    let body = format!(
        "ld.param.u64 %rd1, [buffer];\nmov.u32 %r9, %tid.x;\nmov.u32 %r10, %ctaid.x;\nmad.lo.u32 %r9, %r10, 256, %r9;\n\
         mul.wide.u32 %rd2, %r9, 4;\nadd.u64 %rd1, %rd1, %rd2;\n{}",
        loads.join("\n")
    );
    let bytes = blocks * rows * 1024;
    let launch = TimedLaunch { memory_bytes: bytes, ..TimedLaunch::on("gtx280") }.blocks(blocks as u32, 256, 4);
    let seconds = bytes as f64 / (launch.profile.global.gb_per_s * 1e9);
    // Nothing waits for the last loads of a block, hence a little less.
    assert_near(launch.cycles(&body), seconds * launch.profile.sm_clock_mhz * 1e6, 15.0);
}

#[test]
fn blocks_that_wait_for_those_of_other_multiprocessors_are_timed_too() {
    // Every block counts itself and waits until all 264 have: those of the other multiprocessors must run meanwhile.
    let body = "ld.param.u64 %rd1, [buffer];\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra done;\n\
                atom.global.add.u32 %r2, [%rd1], 1;\nwait:\nld.volatile.global.u32 %r3, [%rd1];\nsetp.lt.u32 %p2, %r3, 264;\n\
                @%p2 bra wait;\ndone:\nbar.sync 0;";
    let timed = TimedLaunch::on("h200").blocks(264, 64, 2).time(body);
    assert_eq!(timed.blocks_timed, 2);
    let profile = Profile::load("h200").unwrap();
    // Behind the launch come an atomic and a look, one after the other; all atomics and a few looks at the same address take no longer than 2 us.
    let (least, most) = (2.0 * profile.global.l2_latency_cycles / profile.sm_clock_mhz, 2.0);
    let waited_us = timed.time_us - profile.launch_us;
    assert!(waited_us > least && waited_us < most, "{timed:?}");
}

/// Every block waits until the one before it has written its number, and writes its own. `load` is how it looks.
fn chain(load: &str) -> String {
    format!(
        "ld.param.u64 %rd1, [buffer];\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n\
         mov.u32 %r5, %tid.x;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra done;\nwait:\n{load} %r3, [%rd3];\n\
         setp.lt.u32 %p2, %r3, %r1;\n@%p2 bra wait;\nadd.u32 %r4, %r1, 1;\nst.volatile.global.u32 [%rd3+4], %r4;\n\
         done:\nbar.sync 0;"
    )
}

#[test]
fn blocks_that_wait_for_the_one_before_them_are_timed_from_the_first_on() {
    for load in ["ld.volatile.global.u32", "ld.relaxed.gpu.global.u32", "ld.global.cg.u32"] {
        let launch = |waves: u32| {
            TimedLaunch { memory_bytes: 1 << 20, ..TimedLaunch::on("h200") }.blocks(132 * 2 * waves, 64, 2)
        };
        // So many that some are left out; those before them are all timed.
        let (all, many) = (launch(6).time(&chain(load)), launch(60).time(&chain(load)));
        assert_eq!((all.blocks_timed, many.blocks_timed), (12, 12), "{load}");
        let per_wave = |timed: Timed, waves: f64| (timed.time_us - launch(1).profile.launch_us) / waves;
        assert_near(per_wave(many, 60.0), per_wave(all, 6.0), 25.0);
    }
}

#[test]
fn a_multiprocessor_ends_one_block_after_the_other() {
    let launch = |blocks: u32| TimedLaunch::on("h200").blocks(132 * blocks, 32, 32);
    let blocks = launch(1).profile.blocks;
    assert_near(launch(17).cycles("") - launch(1).cycles(""), 16.0 * blocks.end_cycles, 2.0);
    // One that holds a single block waits for its place to be free again.
    let one = |count: u32| TimedLaunch::on("h200").blocks(132 * count, 32, 1).cycles("");
    assert_near(one(11) - one(1), 10.0 * (blocks.turnover_cycles + blocks.turnover_cycles_per_warp), 2.0);
}

#[test]
fn a_fence_waits_until_stores_are_taken() {
    let mut launch = TimedLaunch::on("h200");
    launch.profile.global.slices.as_mut().unwrap().half_distance_cycles = 0.0;
    let address = "ld.param.u64 %rd1, [buffer];";
    let without = launch.cycles(&format!("{address}\n{}", repeated("membar.gl;"))) / OPERATIONS as f64;
    assert_near(without, launch.profile.fences.device_cycles, 3.0);
    let behind = launch.cycles(&format!("{address}\n{}", repeated("st.global.u32 [%rd1], %r1;\nmembar.gl;")));
    let slices = launch.profile.global.slices.unwrap();
    assert_near(behind / OPERATIONS as f64, launch.profile.fences.device_cycles + slices.acknowledge_cycles, 3.0);
    // Behind an atomic whose value is there, and as part of one that releases.
    let atomics = launch.profile.atomics;
    let atom = atomics.latency_cycles.unwrap() + 31.0 * atomics.same_address_integer_cycles;
    let accessed = launch.profile.fences.device_cycles + launch.profile.fences.behind_access_cycles;
    for turn in
        ["atom.global.add.u32 %r1, [%rd1], %r1;\nmembar.gl;", "atom.add.release.gpu.global.u32 %r1, [%rd1], %r1;"]
    {
        let cycles = launch.cycles(&format!("{address}\n{}", repeated(turn)));
        assert_near(cycles / OPERATIONS as f64, atom + accessed, 3.0);
    }
    let of_the_block = launch.cycles(&repeated("membar.cta;")) / OPERATIONS as f64;
    assert!(of_the_block < 10.0, "{of_the_block} cycles");
}

#[test]
fn a_match_takes_as_much_longer_as_there_are_values() {
    // The probe's loop: what matches never changes, but is known only now.
    let turns = |count: u32, values: u32| {
        format!(
            "mov.u32 %r1, %tid.x;\nand.b32 %r1, %r1, {};\nmov.u32 %r2, 0;\nloop:\nmatch.any.sync.b32 %r3, %r1, -1;\n\
             add.s32 %r4, %r3, %r4;\nsetp.eq.s32 %p1, %r3, 0;\nselp.u32 %r5, 1, 0, %p1;\nadd.s32 %r1, %r1, %r5;\n\
             add.s32 %r2, %r2, 1;\nsetp.ne.s32 %p2, %r2, {count};\n@%p2 bra loop;",
            values - 1
        )
    };
    let turn = |launch: &TimedLaunch, values: u32| {
        (launch.cycles(&turns(300, values)) - launch.cycles(&turns(100, values))) / 200.0
    };
    let one_warp = TimedLaunch::on("h200");
    for (values, cycles) in [(1, 56.0), (2, 67.0), (8, 133.0), (32, 397.0)] {
        assert_near(turn(&one_warp, values), cycles, 1.0);
    }
    let many_warps = TimedLaunch::on("h200").blocks(1, 1024, 1);
    for (values, cycles) in [(8, 16.0), (32, 64.0)] {
        assert_near(turn(&many_warps, values) / 32.0, cycles, 5.0);
    }
    let ampere = TimedLaunch::on("a100");
    assert_near(turn(&ampere, 32), turn(&ampere, 1), 0.1);
}

#[test]
fn a_volatile_load_passes_l1_by() {
    let launch = TimedLaunch::on("h200");
    let chain = |load: &str| {
        let each = format!("{load} %rd2, [%rd1];\nadd.u64 %rd1, %rd1, %rd2;");
        launch.cycles(&format!("ld.param.u64 %rd1, [buffer];\n{}", repeated(&each))) / OPERATIONS as f64
    };
    assert!(chain("ld.global.u64") < launch.profile.global.l1_latency_cycles + 20.0);
    // The value is in one of the halves of L2; the addition and the first load, which comes from device memory, take the rest.
    let half_cycles = launch.profile.global.slices.map_or(0.0, |slices| slices.half_distance_cycles);
    let found = chain("ld.volatile.global.u64");
    let off = [-half_cycles, half_cycles].map(|half| (found - launch.profile.global.l2_latency_cycles - half).abs());
    assert!(off[0].min(off[1]) < 20.0, "{found}");
}

#[test]
fn the_busiest_multiprocessor_is_the_one_that_counts() {
    let profile = Profile::load("h200").unwrap();
    let longer = |steps: &[u64], timed: &[u64]| {
        let own = (steps.len() as u64).div_ceil(132);
        Known { steps, ..Known::nothing(1) }.longer(timed, own, &profile)
    };
    let mut steps = vec![100; 132];
    assert_near(longer(&steps, &[0]), 1.0, 0.01);
    steps[77] = 250;
    assert_near(longer(&steps, &[0]), 2.5, 0.01);
    // Whoever had the least gets the next block.
    steps.extend([100; 131]);
    assert_near(longer(&steps, &[0, 132]), 2.5 / 2.0, 0.01);
    // One of the two blocks stands for both.
    assert_near(longer(&steps, &[132]), 2.5 / 2.0, 0.01);
    // Of blocks that are not all known, nothing follows.
    assert_near(longer(&[], &[0, 132]), 1.0, 0.01);
}

#[test]
fn short_waves_are_timed_more_often_where_latencies_differ_by_chance() {
    let [h200, a100] = ["h200", "a100"].map(|name| Profile::load(name).unwrap());
    let waves = |instructions, profile| {
        Known { instructions_per_block: instructions, ..Known::nothing(8) }.waves_min(8, profile)
    };
    assert_eq!(waves(0, &h200), WAVES_MIN);
    assert_eq!(waves(100, &h200), WAVES_BY_CHANCE);
    assert_eq!(waves(INSTRUCTIONS_OF_WAVES / 8 / 5, &h200), 5);
    assert_eq!(waves(INSTRUCTIONS_OF_WAVES, &h200), WAVES_MIN);
    assert_eq!(waves(100, &a100), WAVES_MIN);
}

#[test]
fn additions_go_to_adders_or_multipliers_and_wide_products_take_twice_as_long() {
    // results/nvidia-h200/constants/mixes.csv: cycles of a scheduler for a pair of instructions.
    let launch = TimedLaunch { threads: 1024, ..TimedLaunch::on("h200") };
    let pair = |own: &str| {
        let stores: String = (0..8).map(|index| format!("st.global.u32 [%rd1+{}], %r{index};\n", 4 * index)).collect();
        let both = repeated(&format!("{own}\nxor.b32 %r{{i}}, %r{{i}}, %r8;"));
        let begin = "ld.param.u64 %rd1, [buffer];\nmov.u32 %r8, %tid.x;\nmov.u32 %r9, %ntid.x;";
        let cycles =
            |times: usize| launch.cycles(&format!("{begin}\n{}\n{stores}", vec![both.as_str(); times].join("\n")));
        (cycles(2) - cycles(1)) / OPERATIONS as f64 / 8.0
    };
    assert_near(pair("shr.u32 %r{i}, %r{i}, 3;"), 4.0, 5.0);
    assert_near(pair("add.u32 %r{i}, %r{i}, %r9;"), 2.4, 15.0);
    assert_near(pair("mad.lo.u32 %r{i}, %r{i}, %r9, %r9;"), 2.17, 25.0);
    assert_near(pair("mul.hi.u32 %r{i}, %r{i}, %r9;"), 3.92, 30.0);
}
