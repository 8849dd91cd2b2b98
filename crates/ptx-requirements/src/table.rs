//! The table: what opcodes, modifiers, special registers and directives need.
//!
//! An instruction needs what every row says that names its opcode and one of its modifiers. To add an instruction, add rows for
//! its opcode and for the modifiers that are not [`PLAIN`], with what the PTX ISA says of it.

use super::Level;

/// What is not told apart: less is asked of no text.
pub(super) const BASE: Level = Level::new((3, 0), 30);

/// The PTX version that introduced a target. Source: "Release Notes".
pub(super) const TARGETS: [(u32, (u32, u32)); 19] = [
    (30, (3, 0)),
    (35, (3, 1)),
    (50, (4, 0)),
    (52, (4, 1)),
    (53, (4, 2)),
    (60, (5, 0)),
    (70, (6, 0)),
    (72, (6, 1)),
    (75, (6, 3)),
    (80, (7, 0)),
    (86, (7, 1)),
    (87, (7, 4)),
    (89, (7, 8)),
    (90, (7, 8)),
    (100, (8, 6)),
    (103, (8, 8)),
    (110, (9, 0)),
    (120, (8, 7)),
    (121, (8, 8)),
];

/// Opcodes and modifiers, parted by bars, and what they need together. Without modifiers: the opcodes alone.
struct Row {
    opcodes: &'static str,
    modifiers: &'static str,
    level: Level,
}

const fn row(opcodes: &'static str, modifiers: &'static str, version: (u32, u32), target: u32) -> Row {
    Row { opcodes, modifiers, level: Level::new(version, target) }
}

/// Modifiers that need nothing beyond their opcode, whatever it is: types, state spaces, vectors, rounding, comparisons, operations.
const PLAIN: &str = "u8|u16|u32|u64|s8|s16|s32|s64|b8|b16|b32|b64|f32|f64|pred|v2|v4|\
    global|shared|local|const|param|to|\
    rn|rz|rm|rp|rni|rzi|rmi|rpi|ftz|sat|approx|full|lo|hi|wide|cc|uni|\
    eq|ne|lt|le|gt|ge|ls|hs|equ|neu|ltu|leu|gtu|geu|num|nan|and|or|xor|\
    add|min|max|inc|dec|exch|cas|volatile|ca|cg|cs|cv|lu|wb|wt|\
    l|r|clamp|wrap|shiftamt|f4e|b4e|rc8|ecl|ecr|rc16|finite|infinite|number|notanumber|normal|subnormal|\
    sync|arrive|red|popc|all|any|ballot|up|down|bfly|idx|gl|cta|sys|L1|L2";

const ROWS: &[Row] = &[
    row(
        "abs|add|addc|and|atom|bar|bfe|bfi|bfind|bra|brev|brkpt|brx|call|clz|cnot|copysign|cos|cvt|cvta|div|ex2|exit|fma|isspacep|\
         ld|ldu|lg2|mad|mad24|madc|max|membar|min|mov|mul|mul24|neg|not|or|pmevent|popc|prefetch|prefetchu|prmt|rcp|red|rem|ret|\
         rsqrt|sad|selp|set|setp|shl|shr|sin|slct|sqrt|st|sub|subc|testp|trap|vote|xor",
        "",
        (3, 0),
        30,
    ),
    // Integer arithmetic and logic.
    row("shf", "", (3, 1), 32),
    row("lop3", "", (4, 3), 50),
    row("dp4a|dp2a", "", (5, 0), 61),
    row("bmsk|szext", "", (7, 6), 70),
    // Floating point. Half precision as a type of arithmetic, not of conversions and moves.
    row("cvt|ld|st|mov", "f16", (3, 0), 30),
    row("add|sub|mul|fma|setp|set", "f16|f16x2", (4, 2), 53),
    row("neg|abs", "f16|f16x2", (6, 0), 53),
    row("min|max", "f16|f16x2", (7, 0), 80),
    row("min|max", "NaN", (7, 0), 80),
    row("fma|cvt", "relu", (7, 0), 80),
    row("cvt", "rna", (7, 0), 80),
    row("setp|set", "bf16|bf16x2", (7, 8), 90),
    row("ex2|tanh", "f16|f16x2", (7, 0), 75),
    row("tanh", "", (7, 0), 75),
    row("cvt", "bf16|bf16x2|tf32", (7, 0), 80),
    row("neg|abs|min|max|fma", "bf16|bf16x2", (7, 0), 80),
    row("add|sub|mul", "bf16|bf16x2", (7, 8), 90),
    // Loads and stores.
    row("ld", "nc", (3, 1), 35),
    row("ld", "relaxed|acquire|gpu", (6, 0), 70),
    row("st", "relaxed|release|gpu", (6, 0), 70),
    row("ld|st", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate", (7, 4), 70),
    row("ld", "L2::64B|L2::128B", (7, 4), 75),
    row("ld", "L2::256B", (7, 4), 80),
    row("ld|st", "L2::cache_hint", (7, 4), 80),
    row("createpolicy|applypriority|discard", "", (7, 4), 80),
    row(
        "createpolicy",
        "fractional|range|L2::evict_first|L2::evict_last|L2::evict_normal|L2::evict_unchanged",
        (7, 4),
        80,
    ),
    row("applypriority|prefetch", "L2::evict_normal|L2::evict_last", (7, 4), 80),
    row("isspacep", "shared::cta|shared::cluster", (7, 8), 30),
    row("ld|st|atom|red|cvta", "shared::cta", (7, 8), 30),
    row("ld|st|atom|red|cvta", "shared::cluster", (7, 8), 90),
    row("isspacep", "param::entry", (8, 3), 70),
    row("ld|st|atom|red|barrier|fence", "cluster", (7, 8), 90),
    row("cp", "", (7, 0), 80),
    row("cp", "async|commit_group|wait_group|wait_all|mbarrier|noinc", (7, 0), 80),
    row("cp", "L2::64B|L2::128B|L2::256B|L2::cache_hint", (7, 4), 80),
    row("cp", "bulk|tensor|read|shared::cluster|1d|2d|3d|4d|5d|tile|mbarrier::complete_tx::bytes", (8, 0), 90),
    row("cp", "shared::cta|bulk_group", (8, 0), 90),
    // Atomic operations.
    row("atom|red", "f64", (5, 0), 60),
    row("atom|red", "gpu|cta|sys", (5, 0), 60),
    row("atom|red", "relaxed|acquire|release|acq_rel", (6, 0), 70),
    row("atom|red", "noftz|f16x2", (6, 2), 60),
    row("atom|red", "f16", (6, 3), 70),
    row("atom", "b16", (6, 3), 70),
    row("atom|red", "bf16|bf16x2", (7, 8), 90),
    row("atom|red", "v2|v4|v8", (8, 1), 90),
    // Barriers, fences, and lanes of a warp.
    row("bar", "warp", (6, 0), 30),
    row("barrier", "", (6, 0), 30),
    row("barrier", "cta", (7, 8), 30),
    row("barrier", "aligned|wait", (7, 8), 90),
    row("barrier", "release|acquire|relaxed", (8, 0), 90),
    row("fence", "", (6, 0), 70),
    row("fence", "sc|acq_rel|gpu", (6, 0), 70),
    row("fence", "proxy|alias", (7, 5), 70),
    row(
        "fence",
        "async|mbarrier_init|release|shared::cta|shared::cluster|async::generic|async::global|async::shared::cta",
        (8, 0),
        90,
    ),
    row("shfl", "", (3, 0), 30),
    row("shfl|vote", "sync", (6, 0), 30),
    row("activemask", "", (6, 2), 30),
    row("match", "", (6, 0), 70),
    row("nanosleep", "", (6, 3), 70),
    row("redux", "", (7, 0), 80),
    row("elect", "", (8, 0), 90),
    // Barriers in shared memory, clusters, launches that depend on another.
    row("mbarrier", "", (7, 0), 80),
    row("mbarrier", "init|inval|arrive_drop|test_wait|pending_count|noComplete|shared|b64", (7, 0), 80),
    row("mbarrier", "shared::cta", (7, 8), 80),
    row("mbarrier", "try_wait|parity", (7, 8), 90),
    row("mbarrier", "expect_tx|shared::cluster|release|acquire|cluster", (8, 0), 90),
    row("mapa|getctarank", "", (7, 8), 90),
    row("mapa|getctarank", "shared::cluster", (7, 8), 90),
    row("griddepcontrol", "", (7, 8), 90),
    row("griddepcontrol", "launch_dependents|wait", (7, 8), 90),
    // Matrices.
    row("mma", "", (6, 4), 70),
    row("mma", "aligned|row|col|f16", (6, 4), 70),
    row("mma", "m16n8k8", (6, 5), 75),
    row("mma", "m16n8k4|m16n8k16|bf16|tf32", (7, 0), 80),
    row("ldmatrix", "", (6, 5), 75),
    row("ldmatrix", "aligned|m8n8|x1|x2|x4|trans", (6, 5), 75),
    row("stmatrix", "", (7, 8), 90),
    row("stmatrix", "aligned|m8n8|x1|x2|x4|trans", (7, 8), 90),
];

/// Special registers; those of all GPUs are not here. A `*` ends a name that goes on.
const REGISTERS: &[(&str, Level)] = &[
    ("%globaltimer*", Level::new((3, 1), 30)),
    ("%total_smem_size", Level::new((4, 1), 30)),
    ("%dynamic_smem_size", Level::new((4, 1), 30)),
    ("%clock_hi", Level::new((5, 0), 30)),
    ("%reserved_smem_offset_*", Level::new((7, 6), 80)),
    ("%is_explicit_cluster", Level::new((7, 8), 90)),
    ("%cluster*", Level::new((7, 8), 90)),
    ("%nclusterid*", Level::new((7, 8), 90)),
    ("%aggr_smem_size", Level::new((8, 1), 90)),
    ("%current_graph_exec", Level::new((8, 0), 50)),
];

/// Directives of functions.
const DIRECTIVES: &[(&str, Level)] = &[
    ("maxnreg", BASE),
    ("maxntid", BASE),
    ("reqntid", BASE),
    ("minnctapersm", BASE),
    ("maxnctapersm", BASE),
    ("noreturn", Level::new((6, 4), 30)),
    ("explicitcluster", Level::new((7, 8), 90)),
    ("reqnctapercluster", Level::new((7, 8), 90)),
    ("maxclusterrank", Level::new((7, 8), 90)),
];

/// Functions that drivers give, and what a call of them needs. Conditional nodes: CUDA 12.3 by its `cudaTypedefs.h`, and the architectures
/// of its sample `graphConditionalNodes`.
const FUNCTIONS: &[(&str, Level)] = &[("cudaGraphSetConditional", Level::new((8, 3), 60))];

fn holds(words: &str, word: &str) -> bool {
    words.split('|').any(|own| own == word)
}

/// Copies whose target is named as the block's own shared memory. PTX ISA, "cp.async.bulk".
const INTO_SHARED_OF_BLOCK: Level = Level::new((8, 6), 90);

/// Whether the space that is named first, the target, is the block's own shared memory.
fn is_into_shared_of_block(modifiers: &[&str]) -> bool {
    modifiers.iter().find(|word| word.starts_with("shared") || **word == "global") == Some(&"shared::cta")
}

/// What an instruction's words need, or the word that no row knows.
pub(super) fn of_words<'a>(opcode: &'a str, modifiers: &[&'a str]) -> Result<Level, &'a str> {
    let of_opcode = || ROWS.iter().filter(|row| holds(row.opcodes, opcode));
    let mut level = of_opcode().find(|row| row.modifiers.is_empty()).ok_or(opcode)?.level;
    for &modifier in modifiers {
        let mut rows = of_opcode().filter(|row| holds(row.modifiers, modifier)).peekable();
        if rows.peek().is_none() && !holds(PLAIN, modifier) {
            return Err(modifier);
        }
        level = rows.fold(level, |level, row| level.and(row.level));
    }
    if opcode == "cp" && is_into_shared_of_block(modifiers) {
        level = level.and(INTO_SHARED_OF_BLOCK);
    }
    Ok(level)
}

/// What a special register needs; the base of any other name.
pub(super) fn of_register(name: &str) -> Level {
    let is_it = |own: &str| own.strip_suffix('*').map_or(own == name, |start| name.starts_with(start));
    REGISTERS.iter().find(|(own, _)| is_it(own)).map_or(BASE, |(_, level)| *level)
}

/// What a function needs that is called; the base of any that drivers do not give.
pub(super) fn of_called(name: &str) -> Level {
    FUNCTIONS.iter().find(|(own, _)| *own == name).map_or(BASE, |(_, level)| *level)
}

/// What a directive of a function needs, if it is known.
pub(super) fn of_directive(name: &str) -> Option<Level> {
    DIRECTIVES.iter().find(|(own, _)| *own == name).map(|(_, level)| *level)
}
