use apbench::family::block_sum::{FAMILY, PTX};

use super::{Simulated, count, entry, loops};

const VARIANTS: [&str; 2] = ["scattered_threads", "leading_threads"];

/// The addition of a step is behind a branch, so that warps without active threads pass it by, and the barrier is not.
#[test]
fn a_step_has_an_addition_behind_a_branch_and_a_barrier() {
    for variant in VARIANTS {
        let instructions = entry(PTX, &format!("block_sum_{variant}"));
        let mut loops = loops(&instructions);
        loops.sort_by_key(Vec::len);
        let [step, repetition] = loops.as_slice() else { panic!("{variant} has {} loops", loops.len()) };
        for (body, loads, stores, barriers) in [(step, 2, 1, 1), (repetition, 3, 2, 2)] {
            assert_eq!(count(body, "ld.volatile.shared.u32"), loads, "{variant}: {body:#?}");
            assert_eq!(count(body, "st.volatile.shared.u32"), stores, "{variant}: {body:#?}");
            assert_eq!(count(body, "bar.sync"), barriers, "{variant}: {body:#?}");
        }
        let place = |what: &str| step.iter().position(|line| line.contains(what)).expect(what);
        let branch = place("bra");
        assert!(step[branch].starts_with('@') && branch < place("ld.volatile.shared"), "{step:#?}");
        let target = step[branch].split_whitespace().last().unwrap().trim_end_matches(';');
        let label = place(&format!("{target}:"));
        assert!(place("st.volatile.shared") < label && label < place("bar.sync"), "{step:#?}");
    }
}

#[test]
fn the_variants_keep_the_same_books() {
    let steps = VARIANTS.map(|variant| {
        let instructions = entry(PTX, &format!("block_sum_{variant}"));
        loops(&instructions).into_iter().map(|body| body.len()).min().unwrap()
    });
    assert!(steps[0].abs_diff(steps[1]) <= 2, "a step has {steps:?} lines");
}

struct Tree {
    blocks: f64,
    warps: f64,
    steps: f64,
    repetitions: f64,
}

fn run(profile: &str, variant: &str, block: i64, elements: i64) -> (Simulated, Tree) {
    let repetitions = 3;
    let parameters = [("block", block.into()), ("elements", elements.into()), ("repetitions", repetitions.into())];
    let tree = Tree {
        blocks: elements.unsigned_abs().div_ceil(block.unsigned_abs()) as f64,
        warps: (block / 32) as f64,
        steps: f64::from(block.ilog2()),
        repetitions: repetitions as f64,
    };
    (Simulated::run(profile, &FAMILY, variant, &parameters), tree)
}

#[track_caller]
fn assert_counted(run: &Simulated, counter: &str, expected: f64) {
    assert!((run.counter(counter) - expected).abs() < 0.5, "{counter}: {}, not {expected}", run.counter(counter));
}

#[test]
fn steps_passes_and_barriers_are_those_foretold() {
    for variant in VARIANTS {
        for (block, elements) in [(32, 4096), (64, 4096), (256, 2560), (1024, 4096), (256, 2561), (1024, 1000)] {
            let (run, tree) = run("h200", variant, block, elements);
            let trees = tree.blocks * tree.repetitions;
            // Beside the tree, every warp reads its own places once.
            let loads = 2.0 * run.predictor("warp_steps") + tree.warps;
            assert_counted(&run, "shared_load_requests", trees * loads);
            assert_counted(&run, "shared_load_passes", trees * (run.predictor("load_passes") + tree.warps));
            assert_counted(&run, "block_barriers", trees * (tree.steps + 1.0));
            if elements % block == 0 {
                // Beside the tree, the first warp of a block parts to store the sum.
                let divergent = trees * run.predictor("divergent_warp_steps") + tree.blocks;
                assert_counted(&run, "divergent_branches", divergent);
            }
        }
    }
}

/// Half-warps ask for themselves there, and 16 banks have other conflicts.
#[test]
fn passes_follow_the_rule_of_the_device() {
    for variant in VARIANTS {
        for block in [64, 512] {
            let (run, tree) = run("gtx280", variant, block, 4096);
            let trees = tree.blocks * tree.repetitions;
            assert_counted(&run, "shared_load_passes", trees * (run.predictor("load_passes") + 2.0 * tree.warps));
            let divergent = trees * run.predictor("divergent_warp_steps") + tree.blocks;
            assert_counted(&run, "divergent_branches", divergent);
        }
    }
}

#[test]
fn the_oldest_device_runs_both_variants() {
    for variant in VARIANTS {
        assert!(run("8500gt", variant, 128, 1025).0.time_us > 0.0);
    }
}
