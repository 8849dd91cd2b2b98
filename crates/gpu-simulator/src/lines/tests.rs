use super::*;
use crate::{Argument, Examined, Extent, Grid, Idle, KeptL2, Machine, Memory, Pattern, Timed, Variation, Without};

/// Each lane of a warp loads a word `stride` words behind its neighbour's, and stores it beside its neighbour's.
const STRIDED: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry strided(.param .u64 in, .param .u64 out, .param .u32 stride)
{ .reg .b32 %r<9>; .reg .b64 %rd<9>;
ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; ld.param.u32 %r0, [stride];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1;
mul.lo.u32 %r5, %r4, %r0;
mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd0, %rd2;
mul.wide.u32 %rd4, %r4, 4; add.u64 %rd5, %rd1, %rd4;
ld.global.u32 %r6, [%rd3];
st.global.u32 [%rd5], %r6;
ret; }";

/// Lanes of odd number take one way, the others another, each of as many multiplications.
pub(crate) const DIVERGENT: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry parted(.param .u64 out, .param .u32 way)
{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<3>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r7, [way];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1;
and.b32 %r2, %r1, %r7; setp.eq.u32 %p0, %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 3;
@%p0 bra EVEN;
ODD: mad.lo.u32 %r4, %r4, 5, 1; mul.hi.u32 %r4, %r4, 77777; add.u32 %r3, %r3, 1;
setp.lt.u32 %p1, %r3, 2000; .pragma \"nounroll\";
@%p1 bra ODD;
bra END;
EVEN: mad.lo.u32 %r4, %r4, 7, 1; mul.hi.u32 %r4, %r4, 88888; add.u32 %r3, %r3, 1;
setp.lt.u32 %p1, %r3, 2000; .pragma \"nounroll\";
@%p1 bra EVEN;
END: st.global.u32 [%rd2], %r4; ret; }";

/// Words of shared memory `stride` apart, again and again.
const SHARED: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry conflicts(.param .u64 out, .param .u32 stride)
{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<2>; .shared .align 4 .b8 tile[8192];
ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [stride];
mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, %r0; and.b32 %r2, %r2, 2047; shl.b32 %r2, %r2, 2;
mov.u32 %r3, tile; add.u32 %r2, %r2, %r3; mov.u32 %r4, 0; mov.u32 %r5, 0;
TURN:
ld.shared.u32 %r6, [%r2];
add.u32 %r5, %r5, %r6; add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 256; .pragma \"nounroll\";
@%p0 bra TURN;
mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r5; ret; }";

/// A launch on a simulated H200.
pub(crate) struct Case {
    machine: Machine,
    kernel: crate::Kernel,
    memory: Memory,
    grid: Grid,
    arguments: Vec<Argument>,
}

impl Case {
    pub(crate) fn new(text: &str, entry: &str, grid: Grid, bytes: &[usize], numbers: &[u32]) -> Self {
        Self::on(Profile::load("h200").expect("it is built in"), text, entry, grid, bytes, numbers)
    }

    pub(crate) fn on(profile: Profile, text: &str, entry: &str, grid: Grid, bytes: &[usize], numbers: &[u32]) -> Self {
        let module = ptx_syntax::parse(text).unwrap_or_else(|errors| panic!("{errors}"));
        let machine = Machine::new(profile);
        let kernel = machine.load(&module, entry).unwrap_or_else(|error| panic!("{error}"));
        let mut memory = Memory::default();
        let buffers = bytes.iter().map(|bytes| memory.add("buffer", vec![0; *bytes]).into());
        let mut arguments: Vec<Argument> = buffers.collect();
        arguments.extend(numbers.iter().map(|number| Argument::from(*number)));
        Self { machine, kernel, memory, grid, arguments }
    }

    fn lines(&mut self) -> Vec<LineCounts> {
        self.examined().0
    }

    fn examined(&mut self) -> (Vec<LineCounts>, Idle) {
        let Self { machine, kernel, memory, grid, arguments } = self;
        let (l2, extent) = (&mut KeptL2::default(), Extent::AllBlocks);
        let examined = machine.examine(kernel, *grid, arguments, memory, l2, extent);
        let Examined { lines, idle, .. } = examined.unwrap_or_else(|error| panic!("{error}"));
        (lines, idle)
    }

    pub(crate) fn time_us(&mut self, without: &[Without]) -> f64 {
        self.timed(without).time_us
    }

    fn timed(&mut self, without: &[Without]) -> Timed {
        let Self { machine, kernel, memory, grid, arguments } = self;
        let mut memory = memory.clone();
        let mut asked = [Variation { without, l2: &mut KeptL2::default() }];
        let timed = machine.time_variations(kernel, *grid, arguments, &mut memory, &mut asked, Extent::AllBlocks);
        timed.unwrap_or_else(|error| panic!("{error}")).remove(0)
    }

    pub(crate) fn without(&mut self, pattern: Pattern, line: u32) -> f64 {
        self.time_us(&[Without { pattern, lines: vec![line] }])
    }
}

fn line(lines: &[LineCounts], number: u32) -> &LineCounts {
    lines.iter().find(|own| own.line == number).unwrap_or_else(|| panic!("no line {number} in {lines:?}"))
}

fn strided(stride: u32) -> Case {
    let threads = 1 << 20;
    let bytes = [threads * 4 * stride as usize, threads * 4];
    Case::new(STRIDED, "strided", Grid::linear(4096, 256), &bytes, &[stride])
}

#[test]
fn accesses_of_a_line_are_counted_beside_the_least_they_would_be() {
    for (stride, sectors) in [(1, 4.0), (2, 8.0), (8, 32.0), (33, 32.0)] {
        let lines = strided(stride).lines();
        let (load, store) = (&line(&lines, 10).global, &line(&lines, 11).global);
        assert_eq!((load.per_request(), load.least_per_request()), (sectors, 4.0), "stride {stride}");
        assert_eq!(load.stride_bytes, Some(i64::from(stride) * 4));
        assert_eq!((store.per_request(), store.least_per_request(), store.requests), (4.0, 4.0, 32768.0));
        assert_eq!((load.loads, load.stores, store.loads, store.stores), (true, false, false, true));
        assert_eq!(load.bytes_per_lane, 4);
    }
}

/// Bytes `stride` apart from lane to lane, those of a block one byte behind those of the block before, and stored so.
const BYTES: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry bytes(.param .u64 in, .param .u64 out, .param .u32 stride)
{ .reg .b32 %r<9>; .reg .b64 %rd<9>;
ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; ld.param.u32 %r0, [stride];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
mad.lo.u32 %r4, %r1, %r0, %r2;
cvt.u64.u32 %rd2, %r4; add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;
ld.global.u8 %r6, [%rd3];
st.global.u8 [%rd4], %r6;
ret; }";

#[test]
fn elements_of_a_byte_need_a_sector_and_narrowed_loads_of_words_four() {
    let counted = |stride: u32, blocks: u32| {
        let bytes = (256 * stride + blocks) as usize;
        let lines = Case::new(BYTES, "bytes", Grid::linear(blocks, 256), &[bytes, bytes], &[stride]).lines();
        [8, 9].map(|number| {
            let access = &line(&lines, number).global;
            (access.per_request(), access.least_per_request())
        })
    };
    assert_eq!(counted(32, 64), [(32.0, 1.0); 2], "columns of an image of bytes");
    assert_eq!(counted(4, 1), [(4.0, 4.0), (4.0, 1.0)], "one block: the same byte of each word");
}

#[test]
fn a_launch_without_its_uncoalesced_access_takes_as_long_as_one_that_has_none() {
    let coalesced = strided(1).time_us(&[]);
    let mut case = strided(8);
    let (as_written, without) = (case.time_us(&[]), case.without(Pattern::UncoalescedAccess, 10));
    assert!(as_written > 1.5 * coalesced, "{as_written} {coalesced}");
    assert!((without / coalesced - 1.0).abs() < 0.1, "{without} without, {coalesced} where there is none");
    let same = |one: f64, other: f64| one.to_bits() == other.to_bits();
    assert!(same(case.without(Pattern::UncoalescedAccess, 11), as_written), "the store is coalesced");
    assert!(same(case.without(Pattern::BankConflicts, 10), as_written), "there is no shared memory");
    assert!(same(strided(1).without(Pattern::UncoalescedAccess, 10), coalesced));
}

#[test]
fn a_launch_without_divergence_takes_as_long_as_one_whose_warps_go_one_way() {
    let case = |way: u32| Case::new(DIVERGENT, "parted", Grid::linear(264, 256), &[1024], &[way]);
    let (mut parted, mut whole) = (case(1), case(32));
    let lines = parted.lines();
    let branch = line(&lines, 7);
    assert_eq!((branch.warps, branch.divergent), (2112.0, 2112.0));
    assert_eq!(branch.ways, [8, 12]);
    assert!(line(&whole.lines(), 7).divergent < 0.5);
    let (as_written, converged) = (parted.time_us(&[]), whole.time_us(&[]));
    let without = parted.without(Pattern::Divergence, 7);
    assert!(as_written > 1.6 * converged, "{as_written} {converged}");
    assert!((without / converged - 1.0).abs() < 0.05, "{without} without, {converged} where there is none");
    assert_eq!(whole.without(Pattern::Divergence, 7).to_bits(), converged.to_bits());
}

#[test]
fn a_launch_without_bank_conflicts_takes_as_long_as_one_that_has_none() {
    let case = |stride: u32| Case::new(SHARED, "conflicts", Grid::linear(264, 256), &[1024], &[stride]);
    for stride in [2, 8, 32] {
        let mut conflicted = case(stride);
        let lines = conflicted.lines();
        let shared = &line(&lines, 8).shared;
        assert_eq!((shared.per_request(), shared.least_per_request()), (f64::from(stride), 1.0));
        let free = case(1).time_us(&[]);
        let without = conflicted.without(Pattern::BankConflicts, 8);
        assert!((without / free - 1.0).abs() < 0.02, "{without} without, {free} where there is none");
        assert!(conflicted.time_us(&[]) >= without);
    }
}

/// Elements of fewer bytes than a word, one a lane, are one pass at least.
#[test]
fn a_store_of_bytes_to_shared_memory_needs_a_pass() {
    let bytes = SHARED.replace("ld.shared.u32 %r6, [%r2];", "st.shared.u8 [%r2], %r5;");
    let lines = Case::new(&bytes, "conflicts", Grid::linear(132, 256), &[1024], &[32]).lines();
    let store = &line(&lines, 8).shared;
    assert_eq!((store.per_request(), store.least_per_request()), (32.0, 1.0));
}

/// Every thread adds to one of so many words.
const COUNTED: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry counted(.param .u64 out, .param .u32 words)
{ .reg .b32 %r<9>; .reg .b64 %rd<4>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [words];
mov.u32 %r1, %tid.x; rem.u32 %r2, %r1, %r0; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd2, %rd0, %rd1;
red.global.add.u32 [%rd2], 1;
ret; }";

#[test]
fn atomics_that_do_not_meet_take_no_turns() {
    let case = |words: u32| Case::new(COUNTED, "counted", Grid::linear(2048, 256), &[4096], &[words]);
    let mut one = case(1);
    let lines = one.lines();
    let atomic = line(&lines, 6);
    assert_eq!((atomic.atomics, atomic.wanted.most()), (524_288.0, 524_288.0));
    assert!((atomic.atomics_met - (524_288.0 - 16_384.0)).abs() < 0.5, "one lane of each warp met none");
    let as_written = one.time_us(&[]);
    let within = one.without(Pattern::AtomicContentionWithinWarps, 6);
    let without = one.without(Pattern::AtomicContention, 6);
    assert!((as_written / within / 32.0 - 1.0).abs() < 0.2, "{as_written}, {within} with one atomic a warp");
    assert!(without < within, "{without} apart, {within} with one atomic a warp");
    // Where each lane of a warp has a word of its own, adding up within warps gains nothing.
    let mut apart = case(32);
    let (written, within) = (apart.time_us(&[]), apart.without(Pattern::AtomicContentionWithinWarps, 6));
    assert!((written / within - 1.0).abs() < 0.01, "{written}, {within}");
}

/// The first warp works before the barrier, the others wait for it.
const WAITING: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry waiting(.param .u64 out, .param .u32 turns)
{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<3>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [turns];
mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 1; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1;
setp.ge.u32 %p0, %r1, 32; @%p0 bra MEET;
WORK: mad.lo.u32 %r3, %r3, 5, 1; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r0; .pragma \"nounroll\"; @%p1 bra WORK;
MEET:
bar.sync 0;
mov.u32 %r2, 0;
AFTER: mad.lo.u32 %r3, %r3, 7, 3; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r0; .pragma \"nounroll\"; @%p1 bra AFTER;
st.global.u32 [%rd2], %r3; ret; }";

#[test]
fn it_is_told_for_how_long_warps_wait_at_a_barrier() {
    let of = |turns: u32| {
        let timed = Case::new(WAITING, "waiting", Grid::linear(132, 128), &[512], &[turns]).timed(&[]);
        let [wait] = timed.barrier_waits[..] else { panic!("{:?}", timed.barrier_waits) };
        assert_eq!((wait.line, wait.arrivals), (9, 4), "four warps of the one block of a multiprocessor");
        (wait.mean_us, timed.time_us)
    };
    let ((short_wait, short), (long_wait, long)) = (of(4000), of(8000));
    // Half of what is longer is before the barrier, and three of four warps wait for it.
    let expected = 0.75 * (long - short) / 2.0;
    assert!(((long_wait - short_wait) / expected - 1.0).abs() < 0.05, "{short_wait} {long_wait} {expected}");
}

#[test]
fn warps_that_do_not_wait_work_side_by_side() {
    let mut case = Case::new(WAITING, "waiting", Grid::linear(132, 128), &[512], &[4000]);
    let lines = case.lines();
    assert!((line(&lines, 9).barriers - 528.0).abs() < 0.5);
    let (as_written, without) = (case.time_us(&[]), case.without(Pattern::BarrierWaits, 9));
    assert!(without < as_written, "{without} {as_written}");
    assert_eq!(case.without(Pattern::Fences, 9).to_bits(), as_written.to_bits(), "it is no fence");
}

#[test]
fn work_of_one_warp_is_told_and_shared_out() {
    let case = |turns: u32| Case::new(WAITING, "waiting", Grid::linear(132, 128), &[512], &[turns]);
    let before = line(&case(4000).lines(), 9).before_barrier;
    assert!((before.unevenness() / 4.0 - 1.0).abs() < 0.02, "one of four warps does all of it: {before:?}");
    let saved = |turns: u32| {
        let mut own = case(turns);
        (own.time_us(&[]), own.without(Pattern::UnevenWork, 9))
    };
    let ((short, short_without), (long, long_without)) = (saved(4000), saved(8000));
    // Half of what is longer is before the barrier, and takes a quarter of its time where four warps share it.
    let expected = 1.0 - 0.75 / 2.0;
    let part = (long_without - short_without) / (long - short);
    assert!((part / expected - 1.0).abs() < 0.05, "{part}");
    // Where all warps have as much to do there is nothing to share out.
    let even = WAITING.replace("%r1, 32;", "%r1, 128;");
    let mut even = Case::new(&even, "waiting", Grid::linear(132, 128), &[512], &[4000]);
    assert!(line(&even.lines(), 9).before_barrier.unevenness() < 1.01);
    let (as_written, without) = (even.time_us(&[]), even.without(Pattern::UnevenWork, 9));
    assert!((without / as_written - 1.0).abs() < 1e-3, "{without} {as_written}");
}

#[test]
fn work_that_fills_the_issue_slots_takes_as_long_shared_out() {
    // Sixteen blocks of a multiprocessor have a busy warp each: their four schedulers have always something to issue.
    let mut full = Case::new(WAITING, "waiting", Grid::linear(132 * 16, 128), &[512], &[2000]);
    let (as_written, without) = (full.time_us(&[]), full.without(Pattern::UnevenWork, 9));
    assert!(without <= 1.02 * as_written && without > 0.8 * as_written, "{without} {as_written}");
}

/// Each lane adds up four words of a row of 32.
const ROWS: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry rows(.param .u64 out)
{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .shared .align 16 .b8 tile[4096];
ld.param.u64 %rd0, [out]; mov.u32 %r1, %tid.x; mov.u32 %r8, tile; mad.lo.u32 %r2, %r1, 128, %r8;
ld.shared.u32 %r3, [%r2]; ld.shared.u32 %r4, [%r2+4]; ld.shared.u32 %r5, [%r2+8]; ld.shared.u32 %r6, [%r2+12];
add.u32 %r3, %r3, %r4; add.u32 %r5, %r5, %r6; add.u32 %r3, %r3, %r5;
mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r3; ret; }";

#[test]
fn joined_accesses_are_told_from_wide_ones() {
    let lines = Case::new(ROWS, "rows", Grid::linear(1, 32), &[128], &[]).lines();
    let load = &line(&lines, 5).shared;
    assert_eq!((load.bytes_per_lane, load.written_bytes_per_lane, load.stride_bytes), (16, 4, Some(128)));
    assert_eq!((load.requests, load.per_request(), load.least_per_request()), (1.0, 32.0, 4.0));
    let wide = ROWS.replace("ld.shared.u32 %r3, [%r2]; ld.shared.u32 %r4, [%r2+4]; ld.shared.u32 %r5, [%r2+8]; ld.shared.u32 %r6, [%r2+12];", "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];");
    let lines = Case::new(&wide, "rows", Grid::linear(1, 32), &[128], &[]).lines();
    let load = &line(&lines, 5).shared;
    assert_eq!((load.bytes_per_lane, load.written_bytes_per_lane, load.per_request()), (16, 16, 32.0));
}

/// Threads whose number is below `bound` store a word; the others return at once.
const BOUNDED: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry bounded(.param .u64 out, .param .u32 bound)
{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<2>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [bound];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
setp.ge.u32 %p0, %r4, %r0;
@%p0 bra END;
mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd0, %rd2; st.global.u32 [%rd3], %r4;
END: ret; }";

#[test]
fn threads_that_return_at_once_are_idle_and_so_are_blocks_of_them() {
    for (bound, idle_threads, idle_blocks) in
        [(1280, 0.0, 0.0), (1000, 280.0, 2.0), (10, 1270.0, 9.0), (0, 1280.0, 10.0)]
    {
        let (_, idle) = Case::new(BOUNDED, "bounded", Grid::linear(10, 128), &[5120], &[bound]).examined();
        assert_eq!(
            idle,
            Idle { threads: 1280.0, idle_threads, blocks: 10.0, idle_blocks },
            "{bound} threads do something"
        );
    }
}

#[test]
fn whole_warps_that_do_nothing_are_told_at_the_branch_where_they_leave() {
    for (bound, idle_threads, idle_blocks) in
        [(1280, 0.0, 0.0), (1000, 256.0, 2.0), (10, 1248.0, 9.0), (0, 1280.0, 10.0)]
    {
        let (lines, _) = Case::new(BOUNDED, "bounded", Grid::linear(10, 128), &[5120], &[bound]).examined();
        let guard = line(&lines, 7);
        assert_eq!(
            (guard.idle_threads, guard.idle_blocks),
            (idle_threads, idle_blocks),
            "{bound} threads do something"
        );
        assert!(lines.iter().all(|own| own.line == 7 || own.idle_threads == 0.0));
    }
}

#[test]
fn divisions_by_numbers_that_no_compiler_knows_are_counted() {
    let text = ".version 8.0 .target sm_80 .address_size 64
.visible .entry divided(.param .u64 out, .param .u32 divisor)
{ .reg .b32 %r<9>; .reg .b64 %rd<4>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [divisor]; mov.u32 %r1, %tid.x;
div.u32 %r2, %r1, %r0;
div.u32 %r3, %r1, 48;
add.u32 %r2, %r2, %r3; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r2; ret; }";
    let lines = Case::new(text, "divided", Grid::linear(10, 128), &[512], &[7]).lines();
    let (by_variable, by_constant) = (line(&lines, 5), line(&lines, 6));
    assert_eq!((by_variable.divisions, by_constant.divisions), (40.0, 0.0), "ten blocks of four warps");
    assert!((by_variable.division_issued - by_variable.issued).abs() < 1e-9);
    assert!(by_variable.division_issued >= 10.0 * by_variable.divisions, "{by_variable:?}");
}

/// Each lane reads the words of a table in constant memory that its number modulo 8 leads to, one after the other.
const TABLE: &str = ".version 8.0 .target sm_80 .address_size 64 .const .align 4 .b8 table[4096];
.visible .entry table_of_lanes(.param .u64 out, .param .u32 turns)
{ .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [turns]; mov.u32 %r1, %tid.x; and.b32 %r3, %r1, 7; shl.b32 %r3, %r3, 2; mov.u32 %r2, 0; mov.u32 %r5, 0;
TURN:
ld.const.u32 %r4, [%r3];
ld.const.u32 %r6, [%r2];
add.u32 %r5, %r5, %r4; add.u32 %r5, %r5, %r6; xor.b32 %r3, %r3, 32; add.u32 %r2, %r2, 4; setp.lt.u32 %p1, %r2, %r0; .pragma \"nounroll\"; @%p1 bra TURN;
mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r5; ret; }";

#[test]
fn different_places_of_constant_memory_are_counted_and_taken_away() {
    let case = |turns: u32| Case::new(TABLE, "table_of_lanes", Grid::linear(132, 128), &[512], &[turns]);
    let lines = case(400).lines();
    let constant = |number| line(&lines, number).constant;
    assert_eq!(
        (constant(6).places_each(), constant(6).span_bytes),
        (8.0, 64),
        "of eight words, then of the next eight"
    );
    assert_eq!((constant(7).places_each(), constant(7).span_bytes), (1.0, 400));
    let times = |turns: u32| {
        let mut own = case(turns);
        [own.time_us(&[]), own.without(Pattern::ConstantPlaces, 6), own.without(Pattern::ConstantPlaces, 7)]
    };
    let (short, long) = (times(400), times(2000));
    let [as_written, without, other] = [0, 1, 2].map(|own| (long[own] - short[own]) * 1980.0 / 400.0);
    assert!((as_written - other).abs() < 1e-6, "the other load is at one place anyway");
    // Of 17 + 11 cycles a place one place is left.
    assert!((as_written - without - 77.0).abs() < 4.0, "{as_written} {without}");
}
