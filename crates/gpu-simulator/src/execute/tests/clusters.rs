//! What the blocks of clusters do together.

use crate::races::Unchecked;
use crate::snippet::{Snippet, errors, kernel};
use crate::{Argument, Extent, Grid, Machine, Memory, Profile};

/// A barrier of the cluster.
const BARRIER: &str = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n";
/// `%r9` is where each block has 256 bytes of shared memory, `%r1` the thread's word there, `%r2` the block's rank, and `%rd2` the word of the
/// thread in the grid.
const SHARED: &str = "{ .shared .align 16 .b8 s[256]; mov.u32 %r9, s; }\nmad.lo.u32 %r1, %r0, 4, %r9;\nmov.u32 %r2, %cluster_ctarank;\n\
                      mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmad.lo.u32 %r3, %r3, %r4, %r0;\nmad.wide.u32 %rd2, %r3, 4, %rd0;\n";

fn words(snippet: &Snippet) -> Vec<u32> {
    snippet.run().unwrap_or_else(|fault| panic!("{fault}")).words
}

#[test]
fn one_lane_of_those_that_take_part_is_elected() {
    let body = "mov.u32 %r5, 0;\nsetp.lt.u32 %p1, %r0, 3;\n@%p1 bra D;\nelect.sync %r6|%p2, 0xfffffff8;\n\
                selp.u32 %r5, 100, 200, %p2;\nadd.u32 %r5, %r5, %r6;\nD:\nst.global.u32 [%rd1], %r5;";
    let words = words(&Snippet::new(body));
    assert_eq!(words[..5], [0, 0, 0, 103, 203]);
}

#[test]
fn a_launch_without_clusters_has_them_of_one_block() {
    let body = format!(
        "{SHARED}st.shared.u32 [%r1], %r0;\n{BARRIER}mapa.shared::cluster.u32 %r3, %r9, %r2;\nxor.b32 %r4, %r0, 32;\n\
         mad.lo.u32 %r3, %r4, 4, %r3;\nld.shared::cluster.u32 %r5, [%r3];\nmov.u32 %r6, %cluster_nctaid.x;\n\
         mad.lo.u32 %r5, %r6, 1000, %r5;\nmov.pred %p1, %is_explicit_cluster;\n@%p1 add.u32 %r5, %r5, 5000;\nst.global.u32 [%rd1], %r5;"
    );
    assert_eq!(
        words(&Snippet::new(&body).threads(64)),
        (0..64).map(|thread| 1000 + (thread ^ 32)).collect::<Vec<u32>>()
    );
}

/// The words that the first thread of each block of a grid writes.
fn of_blocks(directive: &str, body: &str, grid: Grid) -> Result<Vec<u32>, String> {
    let text = kernel("", body)
        .replace("(.param .u64 out) {", &format!("(.param .u64 out) {directive} {{"))
        .replace("sm_80", "sm_90");
    let module = ptx_syntax::parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
    let mut memory = Memory::default();
    let address = memory.add("out", vec![0; 4 * grid.block_count() as usize]);
    let machine = Machine::new(Profile::load("h200").expect("the profile is right"));
    let launched = machine.launch(&module, "k", grid, &[Argument::from(address)], &mut memory);
    launched.map_err(|error| error.to_string())?;
    let bytes = memory.bytes(address).expect("it is allocated");
    Ok(bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect())
}

#[test]
fn special_registers_tell_where_a_block_is_in_its_cluster() {
    // Every digit of what a block of a grid of 4 by 4 writes is a register.
    let number = "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ctaid.y;\nmad.lo.u32 %r3, %r4, 4, %r3;\n\
                  mad.wide.u32 %rd2, %r3, 4, %rd0;\nmov.u32 %r5, 0;\n";
    let digits: String = [
        "cluster_ctarank",
        "cluster_nctarank",
        "clusterid.x",
        "clusterid.y",
        "nclusterid.x",
        "nclusterid.y",
        "cluster_ctaid.x",
        "cluster_nctaid.y",
    ]
    .iter()
    .map(|register| format!("mov.u32 %r6, %{register};\nmad.lo.u32 %r5, %r5, 10, %r6;\n"))
    .collect();
    let body = format!("{number}{digits}mov.pred %p1, %is_explicit_cluster;\n@%p1 st.global.u32 [%rd2], %r5;");
    let grid = Grid { blocks: [4, 4, 1], ..Grid::linear(1, 32) };
    let words = of_blocks(".reqnctapercluster 2, 1, 1", &body, grid).expect("it runs");
    assert_eq!((words[0], words[1], words[6]), (2_002_401, 12_002_411, 2_112_401));
    let mut own = grid.in_clusters(1, false);
    own.cluster.iter_mut().for_each(|cluster| cluster.blocks = [2, 2, 1]);
    let words = of_blocks("", &body, own).expect("it runs");
    assert_eq!((words[0], words[5], words[14]), (4_002_202, 34_002_212, 24_112_202));
}

#[test]
fn clusters_that_cannot_be_are_refused() {
    let refused = |directive: &str, grid: Grid| of_blocks(directive, "ret;", grid).expect_err("it is refused");
    let grid = Grid::linear(16, 32);
    for (directive, grid, told) in [
        (
            "",
            grid.in_clusters(16, false),
            "1 to 8 are possible, and 16 where the launch allows a size that is not portable",
        ),
        ("", grid.in_clusters(32, true), "a cluster of 32 blocks, where 1 to 16 are possible"),
        ("", grid.in_clusters(3, false), "a grid of 16 blocks is not made of whole clusters of 3"),
        ("", grid.in_clusters(0, false), "a cluster of 0 blocks"),
        (".reqnctapercluster 2, 2, 1", grid, "a grid of 16 blocks is not made of whole clusters of 2x2x1"),
        (
            ".reqnctapercluster 2, 1, 1",
            grid.in_clusters(4, false),
            "clusters of 4 blocks, the kernel's .reqnctapercluster says 2",
        ),
        (".explicitcluster", grid, "the launch does not say how large clusters are"),
    ] {
        let refusal = refused(directive, grid);
        assert!(refusal.contains(told), "{refusal}");
    }
    of_blocks(".explicitcluster", "ret;", grid.in_clusters(16, true)).expect("it runs");
}

#[test]
fn clusters_are_resident_at_once_or_refused() {
    let few = "sm_count = { value = 132";
    let text = include_str!("../../profile/h200.toml").replace(few, "sm_count = { value = 8");
    let mut snippet = Snippet::new("ret;").blocks(16).threads(1024).in_clusters(16);
    snippet.profile = Profile::parse("my.toml", &text).unwrap_or_else(|_| panic!("the profile is right"));
    let refusal = snippet.launch().expect_err("it is refused").to_string();
    assert!(
        refusal.contains("a cluster of 16 blocks cannot be resident at once: a group of multiprocessors holds 4"),
        "{refusal}"
    );
    let older =
        Snippet::new("ret;").blocks(2).in_clusters(2).on("a100").launch().expect_err("it is refused").to_string();
    assert!(older.contains("clusters of blocks, which need compute capability 9.0 and not 8.0"), "{older}");
}

#[test]
fn blocks_wait_for_each_other_at_the_barrier_of_their_cluster() {
    // Each block writes a word of global memory, and reads that of its neighbour behind the barrier.
    let body = format!(
        "{SHARED}add.u32 %r5, %r3, 100;\nst.global.u32 [%rd2], %r5;\n{BARRIER}xor.b32 %r6, %r3, 32;\nmad.wide.u32 %rd3, %r6, 4, %rd0;\n\
         ld.global.u32 %r7, [%rd3];\n{BARRIER}st.global.u32 [%rd2], %r7;"
    );
    let snippet = Snippet::new(&body).blocks(4).in_clusters(2).words(vec![0; 128]);
    assert_eq!(words(&snippet), (0..128).map(|word| 100 + (word ^ 32)).collect::<Vec<u32>>());
    let (launched, report) = snippet.launch().expect("it runs");
    assert_eq!(launched, words(&snippet));
    assert!(report.time_us > 0.0);
    let counters = snippet.run().expect("it runs").counters;
    assert_eq!(counters.block_barriers, 4 * 2);
}

#[test]
fn who_has_exited_is_not_waited_for_at_the_barrier_of_a_cluster() {
    let body = format!("{SHARED}setp.eq.u32 %p1, %r2, 1;\n@%p1 exit;\n{BARRIER}st.global.u32 [%rd2], 7;");
    let snippet = Snippet::new(&body).blocks(2).in_clusters(2);
    assert_eq!(words(&snippet), [[7; 32], [0; 32]].concat());
}

#[test]
fn barriers_of_a_cluster_that_are_used_wrongly_are_told() {
    let fault = |body: &str| Snippet::new(body).blocks(2).in_clusters(2).fault();
    let arrive = "barrier.cluster.arrive;\n";
    let again = fault(&format!("{arrive}{arrive}"));
    assert!(again.contains("it arrives again at the barrier of the cluster before it has waited there"), "{again}");
    let early = fault("barrier.cluster.wait;");
    assert!(early.contains("it waits for the barrier of the cluster without having arrived there"), "{early}");
    let one = fault(&format!(
        "mov.u32 %r2, %cluster_ctarank;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra W;\nbar.sync 0, 64;\nW:\n{BARRIER}"
    ));
    assert!(one.contains("deadlock: warp 0: all lanes waiting at the cluster's barrier of line 8"), "{one}");
}

#[test]
fn blocks_read_write_and_add_in_each_others_shared_memory() {
    let neighbour = "xor.b32 %r5, %r2, 1;\nmapa.shared::cluster.u32 %r6, %r1, %r5;\n";
    for (exchange, expected) in [
        // It reads what the neighbour wrote.
        (format!("st.shared.u32 [%r1], %r3;\n{BARRIER}ld.shared::cluster.u32 %r7, [%r6];\n{BARRIER}"), [32, 0]),
        // The neighbour writes to it.
        (format!("{BARRIER}st.shared::cluster.u32 [%r6], %r3;\n{BARRIER}ld.shared.u32 %r7, [%r1];\n"), [32, 0]),
        // By generic addresses.
        (
            format!(
                "cvta.shared.u64 %rd4, s;\ncvt.u64.u32 %rd5, %r0;\nmad.lo.u64 %rd4, %rd5, 4, %rd4;\nmapa.u64 %rd4, %rd4, %r5;\n{BARRIER}\
                 st.u32 [%rd4], %r3;\n{BARRIER}ld.shared.u32 %r7, [%r1];\n"
            ),
            [32, 0],
        ),
        // Atomics: both blocks add to the same words of the first one.
        (
            format!(
                "st.shared.u32 [%r1], 0;\nmapa.shared::cluster.u32 %r8, %r1, 0;\n{BARRIER}\
                 red.relaxed.cluster.shared::cluster.add.u32 [%r8], %r3;\n{BARRIER}ld.shared::cluster.u32 %r7, [%r8];\n\
                 sub.u32 %r7, %r7, %r0;\n{BARRIER}"
            ),
            [32, 32],
        ),
    ] {
        let text = format!("{SHARED}{neighbour}{exchange}st.global.u32 [%rd2], %r7;")
            .replace("mov.u32 %r9, s; }", "mov.u32 %r9, s;");
        let text = format!("{text}\n}}");
        let snippet = Snippet::new(&text).blocks(2).in_clusters(2);
        let expected: Vec<u32> = (0..64).map(|word| expected[word as usize / 32] + word % 32).collect();
        assert_eq!(words(&snippet), expected, "{exchange}");
        assert_eq!(snippet.launch().expect("it runs").0, expected, "{exchange}");
    }
}

#[test]
fn addresses_tell_the_rank_that_they_were_mapped_to() {
    let body = format!(
        "{SHARED}mapa.shared::cluster.u32 %r5, %r1, 1;\ngetctarank.shared::cluster.u32 %r6, %r5;\n\
         getctarank.shared::cluster.u32 %r7, %r1;\nmad.lo.u32 %r6, %r6, 10, %r7;\nst.global.u32 [%rd2], %r6;"
    );
    assert_eq!(words(&Snippet::new(&body).blocks(2).in_clusters(2)), [[10; 32], [11; 32]].concat());
}

#[test]
fn a_barrier_in_memory_takes_arrivals_from_other_blocks() {
    // The second block arrives at the barrier of the first, which waits for it and reads what it wrote.
    let body = format!(
        "{SHARED}add.u32 %r8, %r9, 128;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [%r8], 32;\n{BARRIER}\
         setp.eq.u32 %p2, %r2, 0;\n@%p2 bra W;\nmapa.shared::cluster.u32 %r10, %r1, 0;\nmapa.shared::cluster.u32 %r11, %r8, 0;\n\
         add.u32 %r12, %r0, 50;\nst.shared::cluster.u32 [%r10], %r12;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11];\nbra D;\n\
         W:\nmbarrier.try_wait.parity.acquire.cluster.shared.b64 %p3, [%r8], 0;\n@!%p3 bra W;\n\
         ld.shared.u32 %r13, [%r1];\nst.global.u32 [%rd2], %r13;\nD:\n{BARRIER}"
    );
    let snippet = Snippet::new(&body).blocks(2).in_clusters(2);
    let expected: Vec<u32> = (0..64).map(|word| if word < 32 { 50 + word } else { 0 }).collect();
    assert_eq!(words(&snippet), expected);
    assert_eq!(snippet.launch().expect("it runs").0, expected);
}

#[test]
fn shared_memory_of_blocks_that_are_not_there_is_an_error() {
    let access = |rank: u32, before: &str| {
        let body = format!(
            "{SHARED}{before}mapa.shared::cluster.u32 %r5, %r1, {rank};\nld.shared::cluster.u32 %r6, [%r5];\nst.global.u32 [%rd2], %r6;"
        );
        Snippet::new(&body).blocks(2).in_clusters(2).fault()
    };
    let beyond = access(2, "");
    assert!(
        beyond.contains(
            "reads 4 bytes at 0x0, in the shared memory of the block with rank 2, but its cluster has 2 blocks"
        ),
        "{beyond}"
    );
    assert!(access(1000, "").contains("of a block with rank 30 or more, but its cluster has 2 blocks"));
    let ended = access(1, &format!("setp.eq.u32 %p1, %r2, 1;\n@%p1 exit;\n{BARRIER}"));
    assert!(ended.contains("in the shared memory of the block with rank 1 of its cluster, which has ended"), "{ended}");
}

#[test]
fn a_kernel_that_says_how_large_clusters_are_decodes() {
    let text = kernel("", "bogus;").replace("(.param .u64 out) {", "(.param .u64 out) .reqnctapercluster 2, 1, 1 {");
    assert!(!errors(&text).contains("cluster"));
}

#[test]
fn a_cache_policy_changes_nothing_about_what_is_loaded_and_stored() {
    let body = "createpolicy.fractional.L2::evict_first.b64 %rd5, 1.0;\n\
                ld.global.L1::evict_first.L2::cache_hint.v2.u32 {%r1, %r2}, [%rd0], %rd5;\nadd.u32 %r1, %r1, %r2;\n\
                st.global.L2::cache_hint.u32 [%rd1+128], %r1, %rd5;";
    let words = words(&Snippet::new(body).words((1..65).collect()));
    assert!(words[32..].iter().all(|word| *word == 3), "{words:?}");
}

#[test]
fn of_races_in_clusters_it_is_said_that_they_are_not_looked_for() {
    let module =
        ptx_syntax::parse(&kernel("", "st.global.u32 [%rd0], %r0;")).unwrap_or_else(|errors| panic!("{errors}"));
    let machine = Machine::new(Profile::load("h200").expect("the profile is right"));
    let mut memory = Memory::default();
    let address = memory.add("out", vec![0; 4]);
    let loaded = machine.load(&module, "k").expect("it is right");
    let mut races =
        |grid: Grid| machine.races(&loaded, grid, &[address.into()], &mut memory, Extent::AllBlocks).expect("it runs");
    assert!(!races(Grid::linear(2, 32)).found.is_empty());
    let of_clusters = races(Grid::linear(2, 32).in_clusters(2, false));
    assert_eq!((of_clusters.found.len(), &of_clusters.unchecked[..]), (0, &[Unchecked::InClusters][..]));
    assert_eq!(memory.bytes(address).expect("it is allocated")[0], 31, "it was executed");
}
