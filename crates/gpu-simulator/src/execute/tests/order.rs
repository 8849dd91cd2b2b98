//! Whatever the number of the host's threads, results and counters are the same.

use rayon::ThreadPoolBuilder;

use crate::snippet::Snippet;

/// Runs `run` with several numbers of threads, which must not make a difference.
fn with_any_threads<T: PartialEq + std::fmt::Debug + Send>(run: impl Fn() -> T + Sync) -> T {
    let with = |threads: usize| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
        pool.install(&run)
    };
    let first = with(1);
    for threads in [2, 3, 7] {
        assert_eq!(with(threads), first, "{threads} threads");
    }
    first
}

/// The buffer, the counters and the time.
fn outcome(snippet: &Snippet) -> (Vec<u32>, Vec<(&'static str, f64)>, f64) {
    let (words, report) = snippet.launch().expect("it runs");
    let counts = report.counts().iter().map(|(counter, value)| (counter.name, value)).collect();
    (words, counts, report.time_us)
}

#[test]
fn blocks_that_race_come_to_the_same_end() {
    // Every block stores its number to the same words, and reads what others may have stored.
    let body = "mov.u32 %r5, %ctaid.x;\nld.global.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, %r5;\nst.global.u32 [%rd0+128], %r1;\n\
                st.global.u32 [%rd1], %r5;\nxor.b32 %r2, %r0, %r5;\nand.b32 %r2, %r2, 31;\nmad.wide.u32 %rd2, %r2, 4, %rd0;\n\
                ld.global.u32 %r3, [%rd2];\nst.global.u32 [%rd1+128], %r3;";
    let snippet = Snippet::new(body).blocks(1000).threads(32);
    let (words, ..) = with_any_threads(|| outcome(&snippet));
    // The last block has the last word.
    assert_eq!(words[..32], [999; 32]);
}

#[test]
fn atomics_come_to_the_same_end() {
    let body = "mov.u32 %r5, %ctaid.x;\natom.global.add.u32 %r1, [%rd0], 1;\nmad.lo.u32 %r1, %r1, 7, %r5;\n\
                atom.global.exch.b32 %r2, [%rd1+4], %r1;\natom.global.add.u32 %r3, [%rd1+132], %r2;";
    let snippet = Snippet::new(body).blocks(200).words(vec![0; 128]);
    let (words, counts, _) = with_any_threads(|| outcome(&snippet));
    assert_eq!(words[0], 6400);
    assert!(counts.contains(&("atomic_instructions", 600.0)), "{counts:?}");
}

#[test]
fn faults_are_those_of_the_first_block() {
    let body = "mov.u32 %r5, %ctaid.x;\nsetp.ge.u32 %p1, %r5, 300;\n@%p1 trap;\nst.global.u32 [%rd1], 1;";
    let snippet = Snippet::new(body).blocks(1000);
    let told = with_any_threads(|| snippet.run().expect_err("a block ends itself").to_string());
    assert!(told.starts_with("k, block (300, 0, 0)"), "{told}");
}
