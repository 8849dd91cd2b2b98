#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use proptest::prelude::*;

use super::*;

fn level_of(instruction: &str) -> Result<Level, RequirementError> {
    let text = format!(".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{{\n{instruction}\n}}\n");
    of_module(&ptx_syntax::parse(&text).unwrap())
}

/// From the PTX ISA's notes of each instruction.
#[test]
fn instructions_need_what_the_manual_says() {
    for (instruction, version, target) in [
        ("add.s32 %r1, %r2, %r3;", (3, 0), 30),
        ("shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;", (6, 0), 30),
        ("ld.global.nc.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];", (3, 1), 35),
        ("ld.global.nc.L1::no_allocate.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];", (7, 4), 70),
        ("ld.relaxed.sys.global.u32 %r1, [%rd1];", (6, 0), 70),
        ("ld.volatile.global.u32 %r1, [%rd1];", (3, 0), 30),
        ("match.any.sync.b32 %r1, %r2, -1;", (6, 0), 70),
        ("red.global.add.f64 [%rd1], %fd1;", (5, 0), 60),
        ("atom.add.release.gpu.u32 %r1, [%rd1], 1;", (6, 0), 70),
        ("redux.sync.add.s32 %r1, %r2, -1;", (7, 0), 80),
        ("lop3.b32 %r1, %r2, %r3, %r4, 0x40;", (4, 3), 50),
        ("mov.u64 %rd1, %globaltimer;", (3, 1), 30),
        ("mov.u32 %r1, %clusterid.x;", (7, 8), 90),
        ("activemask.b32 %r1;", (6, 2), 30),
        ("griddepcontrol.wait;", (7, 8), 90),
        ("call.uni own, (%rd1, %r1);", (3, 0), 30),
        ("call.uni cudaGraphSetConditional, (%rd1, %r1);", (8, 3), 60),
        ("fence.proxy.async.shared::cta;", (8, 0), 90),
        ("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;", (8, 0), 90),
        ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 16, [%r2];", (8, 0), 90),
        ("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 16, [%r2];", (8, 6), 90),
    ] {
        assert_eq!(level_of(instruction), Ok(Level::new(version, target)), "{instruction}");
    }
}

#[test]
fn a_word_without_a_row_is_an_error_that_names_it() {
    let error = level_of("frobnicate.u32 %r1;").unwrap_err().to_string();
    assert_eq!(error, "line 6: `frobnicate.u32 %r1;`: the table of requirements has no row for `frobnicate`");
    let error = level_of("add.u256 %r1, %r2, %r3;").unwrap_err().to_string();
    assert!(error.ends_with("no row for `u256`"), "{error}");
}

const SHARING: &str = "\
// A comment.
.version 9.0
.target sm_75
.address_size 64
.extern .shared .align 16 .b8 own[];
.const .align 4 .b8 table[4];
.visible .entry old()
{
    mov.u32 %r1, own;
    ret;
}
.func helper()
{
    ld.const.u32 %r1, [table];
    ret;
}
.visible .entry new()
{
    call.uni helper, ();
    activemask.b32 %r1;
    match.any.sync.b32 %r1, %r2, -1;
    ret;
}
.visible .entry newest()
{
    elect.sync _|%p1, -1;
    call.uni helper, ();
    ret;
}
";

#[test]
fn kernels_stand_with_those_of_their_level_and_with_what_they_use() {
    let parts = split(SHARING, Level::new((7, 4), 52)).unwrap();
    let kernels: Vec<_> = parts.iter().map(|part| (part.level, part.kernels.join(" "))).collect();
    let expected = [(((4, 1), 52), "old"), (((6, 2), 70), "new"), (((8, 0), 90), "newest")];
    assert_eq!(kernels, expected.map(|((version, target), name)| (Level::new(version, target), name.to_owned())));
    let names = |part: &Part| {
        let module = ptx_syntax::parse(&part.text).unwrap();
        assert_eq!((module.version, module.target), (part.level.version, vec![format!("sm_{}", part.level.target)]));
        let name = |item: &Item| match item {
            Item::Variable(variable) => variable.name.clone(),
            Item::Function(function) => function.name.clone(),
        };
        module.items.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(parts.iter().map(names).collect::<Vec<_>>(), ["own old", "table helper new", "table helper newest"]);
    assert!(parts.iter().all(|part| part.text.starts_with("// A comment.\n")));
}

#[test]
fn versions_up_to_the_floor_stand_together_and_later_ones_apart() {
    let kernel = |name: &str, instruction: &str| format!(".entry {name}()\n{{\n{instruction}\n}}\n");
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n".to_owned()
        + &kernel("a", "match.any.sync.b32 %r1, %r2, -1;")
        + &kernel("b", "ld.global.L1::no_allocate.u32 %r1, [%rd1];")
        + &kernel("c", "bmsk.clamp.b32 %r1, %r2, %r3;");
    let kernels = |floor| {
        let parts = split(&text, Level::new(floor, 52)).unwrap();
        parts.into_iter().map(|part| (part.level.version, part.kernels.join(" "))).collect::<Vec<_>>()
    };
    assert_eq!(kernels((7, 4)), [((7, 4), "a b".to_owned()), ((7, 6), "c".to_owned())]);
    assert_eq!(kernels((6, 0)).len(), 3);
}

#[test]
fn parts_are_joined_to_the_text_that_they_were() {
    let floor = Level::new((7, 4), 52);
    let parts = split(SHARING, floor).unwrap();
    let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
    let joined = join(&texts).unwrap();
    assert!(joined.contains(".version 8.0\n.target sm_90\n"), "{joined}");
    assert_eq!(split(&joined, floor).unwrap(), parts);
    assert_eq!(join(&[]), Err(RequirementError::Layout));
    let some = split_some(SHARING, floor, |kernel| kernel == "new").unwrap();
    assert_eq!(some, parts[1..2]);
}

#[test]
fn what_would_exist_twice_or_cannot_be_cut_is_refused() {
    let shared = SHARING.replace(".const", ".global").replace("[table]", "table");
    let error = split(&shared, Level::new((7, 4), 52)).unwrap_err().to_string();
    assert!(error.contains("`table` is shared by kernels that need PTX 6.2 for sm_70"), "{error}");
    let one_line = SHARING.replace("own[];\n", "own[]; ");
    assert!(matches!(split(&one_line, Level::new((7, 4), 52)), Err(RequirementError::SameLine { line: 5, .. })));
    let one_header = SHARING.replace(".version 9.0\n", ".version 9.0 ");
    assert_eq!(split(&one_header, Level::new((7, 4), 52)), Err(RequirementError::Layout));
    assert!(matches!(split("no PTX", Level::new((7, 4), 52)), Err(RequirementError::Ptx(_))));
}

#[test]
fn releases_are_in_order_and_found_by_both_versions() {
    let all: Vec<Release> = Release::all().collect();
    assert!(all.windows(2).all(|pair| pair[0].ptx < pair[1].ptx && pair[0].cuda < pair[1].cuda));
    let number = |driver: &str| driver.split('.').map(|part| part.parse::<u32>().unwrap()).collect::<Vec<_>>();
    assert!(all.windows(2).all(|pair| number(pair[0].driver) < number(pair[1].driver)));
    assert_eq!(Release::of_ptx((4, 1)).unwrap().cuda, (6, 5));
    assert_eq!(Release::of_ptx((7, 8)).unwrap().cuda, (11, 8));
    assert_eq!(Release::of_ptx((99, 0)), None);
    assert_eq!(Release::of_cuda((12, 6)).unwrap().ptx, (8, 5));
    assert_eq!(Release::of_cuda((13, 9)).unwrap().ptx, (9, 0));
    assert_eq!(Release::of_cuda((1, 0)), None);
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,200}", floor in (0_u32..10, 0_u32..10, 0_u32..130)) {
        let _ = split(&text, Level::new((floor.0, floor.1), floor.2));
    }

    /// Lines of a good text, some gone and some twice.
    #[test]
    fn no_mangled_text_panics(lines in prop::collection::vec(0_usize..31, 0..40)) {
        let known: Vec<&str> = SHARING.lines().collect();
        let text: Vec<&str> = lines.into_iter().filter_map(|line| known.get(line).copied()).collect();
        let _ = split(&text.join("\n"), Level::new((7, 4), 52));
    }
}
