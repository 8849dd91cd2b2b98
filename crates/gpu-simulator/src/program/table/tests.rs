use std::collections::HashSet;

use super::*;
use crate::program::{Program, decode};
use crate::snippet::{Snippet, errors, kernel, program};

/// Chapters of the manual.
const SECTIONS: [&str; 12] = [
    "Integer Arithmetic Instructions",
    "Extended-Precision Integer Arithmetic Instructions",
    "Floating Point Instructions",
    "Half Precision Floating Point Instructions",
    "Comparison and Selection Instructions",
    "Logic and Shift Instructions",
    "Data Movement and Conversion Instructions",
    "Control Flow Instructions",
    "Parallel Synchronization and Communication Instructions",
    "Miscellaneous Instructions",
    "Warp Level Matrix Multiply-Accumulate Instructions",
    "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions",
];

/// Every way in which a form can be written: its opcode, its modifiers. What an open form takes besides is left out.
fn written(form: &str) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for (index, place) in form.split('.').enumerate().filter(|(_, place)| *place != "*") {
        let mut next = Vec::new();
        for words in &all {
            for word in place.trim_end_matches('?').split('|') {
                next.push([words.as_slice(), &[word.to_owned()]].concat());
            }
            if index > 0 && place.ends_with('?') {
                next.push(words.clone());
            }
        }
        all = next;
    }
    all
}

fn words(words: &[String]) -> (&str, Vec<&str>) {
    (&words[0], words[1..].iter().map(String::as_str).collect())
}

#[test]
fn rows_are_unique_and_have_a_section_of_the_manual() {
    let mut seen = HashSet::new();
    for row in rows() {
        assert!(seen.insert((row.form, row.case)), "{row:?} is there twice");
        assert!(SECTIONS.contains(&row.section), "{row:?}");
    }
}

#[test]
fn an_instruction_is_of_one_form() {
    for row in rows() {
        for own in written(row.form) {
            let (opcode, modifiers) = words(&own);
            let found: Vec<&Row> = find(opcode, &modifiers).collect();
            assert!(found.iter().any(|other| other.form == row.form), "{own:?} is not of its form");
            // Where several rows are found, each says when it is the one.
            assert!(found.len() == 1 || found.iter().all(|row| !row.case.is_empty()), "{own:?}: {found:?}");
        }
    }
}

/// A register for a letter of a function's shape.
fn register(letter: char) -> &'static str {
    if letter == 'L' { "%rd5" } else { "%r5" }
}

/// The instruction of a row that computes something, with registers of the right widths for operands.
fn computed(row: &Row, own: &[String]) -> Option<String> {
    let (opcode, modifiers) = words(own);
    let (destination, function) = [(16, "%h1"), (32, "%r6"), (64, "%rd6")]
        .into_iter()
        .find_map(|(bits, name)| row.function(&modifiers, bits).map(|function| (name, function)))?;
    let destination = match (function.is_test(), function.is_long()) {
        (true, _) => "%p2",
        (_, true) => "%rd6",
        _ => destination,
    };
    let mut sources: Vec<&str> = function.sources().chars().map(register).collect();
    if row.case == "by a power of two" {
        sources[1] = "8";
    }
    if modifiers.iter().any(|word| ["and", "or", "xor"].contains(word)) && function.is_test() {
        sources.push("%p3");
    }
    Some(format!("{opcode}.{} {destination}, {};", modifiers.join("."), sources.join(", ")))
}

/// What the samples below need before the kernel.
const MODULE: &str = ".const .align 4 .u32 c = 7;\n\
    .func (.param .b32 r) f (.param .b32 a) { .reg .b32 %x; ld.param.u32 %x, [a]; st.param.b32 [r], %x; ret; }\n";

/// A sample of every other row.
const SAMPLES: &str = "mov.u32 %r1, %r2;
    mov.u32 %r1, %clock;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r1, %tid.x;
    mov.pred %p1, %p2;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r1, %r2, %r3, %r4};
    mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r1, %r2};
    mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r1, %r2, %r3, %r4};
    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r9}, {%r1, %r2, %r3, %r4};
    mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r5, %r6}, {%r9}, {%r1, %r2};
    mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r9}, {%r1, %r2, %r3, %r4};
    mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r1, %r2, %r3, %r4};
    mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r9}, {%r1, %r2, %r3, %r4};
    mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%r1, %r2}, {%r5}, {%r9}, {%r1, %r2};
    mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.u8.s32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r9}, {%r1, %r2, %r3, %r4};
    mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r1, %r2, %r3, %r4};
    mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%r1, %r2}, {%r5}, {%r9}, {%r1, %r2};
    mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r9}, {%r1, %r2, %r3, %r4};
    mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r1, %r2, %r3, %r4};
    mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r9}, {%r1, %r2, %r3, %r4};
    mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16 {%r1, %r2}, {%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r1, %r2};
    mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%rd2, %rd3}, {%rd6}, {%rd14}, {%rd2, %rd3};
    mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%rd2, %rd3, %rd4, %rd5}, {%rd6, %rd7}, {%rd14}, {%rd2, %rd3, %rd4, %rd5};
    mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%rd2, %rd3, %rd4, %rd5}, {%rd6, %rd7, %rd8, %rd9}, {%rd14, %rd15}, {%rd2, %rd3, %rd4, %rd5};
    mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%rd2, %rd3, %rd4, %rd5}, {%rd6, %rd7, %rd8, %rd9, %rd10, %rd11, %rd12, %rd13}, {%rd14, %rd15, %rd16, %rd17}, {%rd2, %rd3, %rd4, %rd5};
    wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8};
    wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8};
    wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8};
    wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2}, {%r1, %r2}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8};
    wmma.mma.sync.aligned.row.col.m32n8k16.s32.u8.u8.s32.satfinite {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4}, {%r1}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8};
    wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%rd2, %rd3}, {%rd4}, {%rd5}, {%rd2, %rd3};
    wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%r2];
    wmma.store.d.sync.aligned.col.m16n16k16.shared.f32 [%r2], {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, %r9;
    wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd0];
    wmma.store.d.sync.aligned.col.m16n16k16.f32 [%rd0], {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, %r9;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r0, %r1, %r2, %r3}, %rd2, %rd3, %p1, 1, 1, 0, 1;
    wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37, %r38, %r39, %r40, %r41, %r42, %r43, %r44, %r45, %r46, %r47, %r48, %r49, %r50, %r51, %r52, %r53, %r54, %r55, %r56, %r57, %r58, %r59, %r0, %r1, %r2, %r3}, %rd2, %rd3, %p1, 1, 1, 0, 1;
    wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37, %r38, %r39, %r40, %r41, %r42, %r43, %r44, %r45, %r46, %r47, %r48, %r49, %r50, %r51, %r52, %r53, %r54, %r55, %r56, %r57, %r58, %r59, %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37, %r38, %r39, %r40, %r41, %r42, %r43, %r44, %r45, %r46, %r47, %r48, %r49, %r50, %r51, %r52, %r53, %r54, %r55, %r56, %r57, %r58, %r59, %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, %rd2, %rd3, %p1, 1, 1, 0, 1;
    wgmma.wait_group.sync.aligned 0;
    ldmatrix.sync.aligned.x1.m8n8.shared.b16 {%r1}, [%r3];
    elect.sync _|%p1, -1;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mapa.shared::cluster.u32 %r1, %r2, 0;
    getctarank.shared::cluster.u32 %r1, %r2;
    ldu.global.u32 %r1, [%rd0];
    createpolicy.fractional.L2::evict_first.b64 %rd2, 1.0;
    fence.proxy.async;
    fence.mbarrier_init.release.cluster;
    atom.global.add.noftz.f16x2 %r1, [%rd0], %r2;
    atom.global.add.noftz.bf16x2 %r1, [%rd0], %r2;
    red.global.add.v2.f32 [%rd0], {%f1, %f2};
    atom.global.cas.b16 %h1, [%rd0], %h2, %h3;
    mbarrier.init.shared.b64 [%r2], 1;
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], 16;
    mbarrier.arrive.shared.b64 %rd2, [%r2];
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 16;
    mbarrier.test_wait.shared.b64 %p1, [%r2], %rd2;
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;
    cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 16, [%r2];
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd0, {%r2, %r3}], [%r2];
    cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r1], 16;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1, %r2}, [%r3];
    stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r1};
    isspacep.shared %p1, %rd2;
    add.cc.u32 %r1, %r2, %r3;
    sub.cc.s64 %rd2, %rd3, %rd4;
    addc.u32 %r1, %r2, %r3;
    subc.cc.u64 %rd2, %rd3, %rd4;
    mad.lo.cc.u32 %r1, %r2, %r3, %r4;
    mad.hi.cc.u64 %rd2, %rd3, %rd4, %rd5;
    madc.hi.u32 %r1, %r2, %r3, %r4;
    madc.lo.cc.u64 %rd2, %rd3, %rd4, %rd5;
    prefetch.global.L2 [%rd0];
    prefetchu.L1 [%rd0];
    applypriority.global.L2::evict_normal [%rd0], 128;
    discard.global.L2 [%rd0], 128;
    griddepcontrol.wait;
    shfl.up.b32 %r1|%p1, %r2, %r3, %r4;
    vote.all.pred %p1, %p2;
    vote.ballot.b32 %r1, %p1;
    cvta.to.global.u64 %rd2, %rd0;
    selp.b32 %r1, %r2, %r3, %p1;
    selp.b64 %rd2, %rd3, %rd4, %p1;
    selp.pred %p1, %p2, %p3, %p4;
    and.pred %p1, %p2, %p3;
    or.pred %p1, %p2, %p3;
    xor.pred %p1, %p2, %p3;
    not.pred %p1, %p2;
    ld.param.u64 %rd2, [out];
    ld.global.nc.L2::128B.v2.u32 {%r1, %r2}, [%rd0];
    ld.shared.u32 %r1, [%r2];
    ld.local.u32 %r1, [%r2];
    ld.const.u32 %r1, [c];
    ld.u32 %r1, [%rd0];
    st.global.u32 [%rd0], %r1;
    st.shared.u32 [%r2], %r1;
    st.local.u32 [%r2], %r1;
    st.u32 [%rd0], %r1;
    cp.async.ca.shared.global.L2::128B [%r1], [%rd0], 4;
    cp.async.commit_group;
    membar.gl;
    fence.sc.gpu;
    fence.acq_rel.cluster;
    ld.acquire.cluster.global.u32 %r1, [%rd0];
    st.release.cluster.u32 [%rd0], %r1;
    red.cluster.global.add.u32 [%rd0], 1;
    atom.global.add.u32 %r1, [%rd0], 1;
    atom.global.add.u64 %rd2, [%rd0], 1;
    atom.shared.cas.b32 %r1, [%r2], 1, 2;
    red.shared.max.s64 [%r2], %rd3;
    atom.exch.b32 %r1, [%rd0], 1;
    red.global.add.f32 [%rd0], %f1;
    atom.global.add.f64 %rd2, [%rd0], %rd3;
    bar.sync 0;
    barrier.sync.aligned 0, 64;
    bar.arrive 0, 64;
    bar.red.popc.u32 %r1, 0, %p1;
    bar.red.and.pred %p1, 0, %p2;
    bar.warp.sync -1;
    shfl.sync.up.b32 %r1|%p1, %r2, %r3, %r4, -1;
    vote.sync.all.pred %p1, %p2, -1;
    vote.sync.ballot.b32 %r1, %p1, -1;
    activemask.b32 %r1;
    match.any.sync.b32 %r1, %r2, -1;
    redux.sync.min.s32 %r1, %r2, -1;
    redux.sync.xor.b32 %r1, %r2, -1;
    nanosleep.u32 100;
    { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), f, (a); ld.param.b32 %r1, [r]; }
    T: .branchtargets A, B;
    @%p1 brx.idx %r1, T;
    @%p1 bra A;
    @%p1 exit;
    @%p1 trap;
    A: B:";

#[test]
fn every_row_is_reached_by_decoding_a_sample_of_it() {
    let mut body = SAMPLES.to_owned();
    for row in rows() {
        for own in written(row.form) {
            body += &computed(row, &own).unwrap_or_default();
            body.push('\n');
        }
    }
    let program: Program = program(&kernel(MODULE, &body));
    let reached: HashSet<*const Row> = program.code.iter().map(|own| std::ptr::from_ref(own.row)).collect();
    let missed: Vec<_> = rows().filter(|row| !reached.contains(&std::ptr::from_ref(*row))).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_has_no_row_is_an_error_with_its_line() {
    for (body, reason) in [
        ("frobnicate.u32 %r1, %r2;", "this instruction is not supported"),
        ("min.cc.u32 %r1, %r2, %r3;", "`.cc` is not supported here"),
        ("mul.u32 %r1, %r2, %r3;", "this instruction is not supported"),
        ("fma.f32 %f1, %f1, %f1, %f1;", "this instruction is not supported"),
        ("cp.async.ca.shared.global.mbarrier [%r1], [%rd0], 4;", "`.mbarrier` is not supported here"),
        ("exit.uni;", "`.uni` is not supported here"),
    ] {
        let told = errors(&kernel("", &format!("add.u32 %r1, %r2, %r3;\n{body}")));
        assert!(told.contains(reason) && told.contains('3'), "{body}: {told}");
    }
    assert!(decode(&ptx_syntax::parse(&kernel("", "")).expect("it reads"), "k").is_ok());
}

/// The cost of the only row of an instruction, or of the one of this case.
fn cost(form: &str, case: &str, capability: (u32, u32)) -> (Class, u8, Unit) {
    let row = rows().find(|row| (row.form, row.case) == (form, case)).expect(form);
    let Cost { class, weight, unit } = row.cost_on(capability);
    (class, weight, unit)
}

#[test]
fn on_compute_capability_1_addresses_have_32_bits_and_doubles_are_doubles() {
    for capability in [(1, 0), (1, 3)] {
        assert_eq!(cost("add.u64|s64", "", capability), (Class::Integer, 1, Unit::Integer));
        let [shift, sum] =
            ["mul.wide.u32|s32", "mad.wide.u32|s32"].map(|form| cost(form, "by a power of two", capability));
        assert_eq!((shift, sum), ((Class::Integer, 1, Unit::Integer), (Class::Integer, 2, Unit::Integer)));
        let product = cost("mul.wide.u32|s32", "by another number", capability);
        // Its multiplier has 24 bits.
        assert_eq!(product, (Class::Multiply, 4, Unit::Multiply));
        // Not an address, though it is in a 64-bit register.
        assert_eq!(cost("add.rn?.f64", "", capability), (Class::Double, 1, Unit::Double));
        assert_eq!(cost("mul24.lo.u32|s32", "", capability), (Class::Multiply, 1, Unit::Integer));
    }
    assert_eq!(cost("add.u64|s64", "", (2, 0)), (Class::Integer, 2, Unit::Integer));
    assert_eq!(cost("mad.wide.u32|s32", "by a power of two", (9, 0)), (Class::Multiply, 1, Unit::WideMultiply));
    assert_eq!(cost("add.u64|s64", "", (9, 0)), (Class::Integer, 2, Unit::AddOrMultiply));
    assert_eq!(cost("mul24.lo.u32|s32", "", (2, 0)), (Class::Multiply, 3, Unit::Multiply));
}

/// A row that costs something else on compute capability 1.
struct Different {
    form: &'static str,
    case: &'static str,
    /// What it costs there.
    cost: (Class, u8, Unit),
    /// An instruction of the row.
    own: &'static str,
    /// One that costs the same on every GPU, with as many operands that wait for the one before; empty where it costs nothing.
    same: &'static str,
}

/// Eight products of 32 bits, each of four machine instructions.
macro_rules! eight_products {
    () => {
        concat!(four_products!(), four_products!())
    };
}
macro_rules! four_products {
    () => {
        concat!(product!(), product!(), product!(), product!())
    };
}
macro_rules! product {
    () => {
        "mul.lo.u32 %r1, %r1, %r2;\n"
    };
}

/// CUDA C Programming Guide 4, section 5.4.1: a multiprocessor of compute capability 1 takes as long for a 24-bit product as for an
/// addition or a shift of 32 bits. Quotients are as in GPGPU-Sim's configs of the Quadro FX 5600 and 5800. The others are what the rows say: addresses have 32 bits there, and arguments and what is known of
/// blocks are in shared memory (section 5.2.3), whose words are operands.
const DIFFERENT: [Different; 13] = [
    Different {
        form: "div.u16|s16|u32|s32",
        case: "",
        cost: (Class::Multiply, 32, Unit::Multiply),
        own: "div.u32 %r1, %r1, %r2;",
        same: eight_products!(),
    },
    Different {
        form: "div.u64|s64",
        case: "",
        cost: (Class::Multiply, 128, Unit::Multiply),
        own: "div.u64 %rd2, %rd2, %rd2;",
        same: concat!(eight_products!(), eight_products!(), eight_products!(), eight_products!()),
    },
    Different {
        form: "rem.u16|s16|u32|s32",
        case: "",
        cost: (Class::Multiply, 32, Unit::Multiply),
        own: "rem.u32 %r1, %r1, %r2;",
        same: eight_products!(),
    },
    Different {
        form: "rem.u64|s64",
        case: "",
        cost: (Class::Multiply, 128, Unit::Multiply),
        own: "rem.u64 %rd2, %rd2, %rd2;",
        same: concat!(eight_products!(), eight_products!(), eight_products!(), eight_products!()),
    },
    Different {
        form: "add.u64|s64",
        case: "",
        cost: (Class::Integer, 1, Unit::Integer),
        own: "add.u64 %rd2, %rd2, 1;",
        same: "add.u32 %r1, %r1, 1;",
    },
    Different {
        form: "sub.u64|s64",
        case: "",
        cost: (Class::Integer, 1, Unit::Integer),
        own: "sub.s64 %rd2, %rd2, 1;",
        same: "add.u32 %r1, %r1, 1;",
    },
    Different {
        form: "shl.b64",
        case: "",
        cost: (Class::Integer, 1, Unit::Integer),
        own: "shl.b64 %rd2, %rd2, 1;",
        same: "shl.b32 %r1, %r1, 1;",
    },
    Different {
        form: "mul.wide.u32|s32",
        case: "by a power of two",
        cost: (Class::Integer, 1, Unit::Integer),
        own: "mul.wide.u32 %rd2, %r1, 8;",
        same: "add.u32 %r2, %r1, 1;",
    },
    Different {
        form: "mad.wide.u32|s32",
        case: "by a power of two",
        cost: (Class::Integer, 2, Unit::Integer),
        own: "mad.wide.s32 %rd2, %r1, 4, %rd2;",
        same: "cnot.b32 %r1, %r1;",
    },
    Different {
        form: "mul24.lo.u32|s32",
        case: "",
        cost: (Class::Multiply, 1, Unit::Integer),
        own: "mul24.lo.u32 %r1, %r1, 3;",
        same: "add.u32 %r1, %r1, 1;",
    },
    Different {
        form: "mad24.lo.u32|s32",
        case: "",
        cost: (Class::Multiply, 1, Unit::Integer),
        own: "mad24.lo.s32 %r1, %r1, 3, %r1;",
        same: "add.u32 %r1, %r1, 1;",
    },
    Different {
        form: "mov.b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64",
        case: "of the numbers and extents of blocks",
        cost: (Class::Move, 0, Unit::Move),
        own: "mov.u32 %r1, %ctaid.x;",
        same: "",
    },
    Different {
        form: "ld.*",
        case: "from the kernel's parameters",
        cost: (Class::Move, 0, Unit::Move),
        own: "ld.param.u64 %rd2, [out];",
        same: "",
    },
];

#[test]
fn every_row_that_costs_something_else_on_compute_capability_1_costs_what_its_source_says() {
    let found: HashSet<_> =
        rows().filter(|row| row.on_capability_1.is_some()).map(|row| (row.form, row.case)).collect();
    assert_eq!(found, DIFFERENT.iter().map(|own| (own.form, own.case)).collect());
    for own in &DIFFERENT {
        for capability in [(1, 0), (1, 1), (1, 3)] {
            assert_eq!(cost(own.form, own.case, capability), own.cost, "{}", own.own);
        }
        assert_ne!(cost(own.form, own.case, (2, 0)), own.cost, "{}", own.own);
    }
}

#[test]
fn what_costs_something_else_on_compute_capability_1_is_counted_and_timed_so() {
    const REPETITIONS: usize = 40;
    for Different { form, case, cost: (_, weight, _), own, same } in &DIFFERENT {
        let decoded = program(&kernel("", own));
        assert!(decoded.code.iter().any(|one| (one.row.form, one.row.case) == (*form, *case)), "{own}");
        for profile in ["gtx280", "8500gt"] {
            let launch = |instruction: &str| {
                let body = format!("{instruction}\n").repeat(REPETITIONS);
                Snippet::new(&body).on(profile).launch().unwrap_or_else(|error| panic!("{own}: {error}")).1
            };
            let (different, plain, none) = (launch(own), launch(same), launch(""));
            assert_eq!(different.time_us.to_bits(), plain.time_us.to_bits(), "{own} on {profile}");
            let count = |report: &crate::Report| report.counter("warp_instructions").expect("it is counted");
            let added = f64::from(*weight) * REPETITIONS as f64;
            assert_eq!(count(&different).to_bits(), (count(&none) + added).to_bits(), "{own} on {profile}");
            assert_eq!(count(&plain).to_bits(), count(&different).to_bits(), "{own} on {profile}");
        }
    }
}
