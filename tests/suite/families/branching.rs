use std::collections::HashSet;

use apbench::family::branching::{FAMILY, PTX};

use super::{Simulated, count, entry, loops};

#[test]
fn each_integer_case_is_a_loop_of_sixteen_multiply_adds_of_its_own() {
    let loops = loops(&entry(PTX, "branching_compute_integer"));
    assert_eq!(loops.len(), 32);
    let mut constants = HashSet::new();
    for body in &loops {
        assert_eq!(count(body, "mad.lo.u32"), 16, "{body:#?}");
        assert!(body.len() < 16 + 2 * 16 + 8, "bookkeeping drowns the pattern: {body:#?}");
        let of_body: HashSet<&str> = body
            .iter()
            .filter(|line| line.starts_with("mad.lo.u32"))
            .map(|line| line.splitn(3, ',').nth(2).unwrap())
            .collect();
        assert_eq!(of_body.len(), 1, "{body:#?}");
        constants.extend(of_body);
    }
    assert_eq!(constants.len(), 32, "two cases share their constants and may be merged");
}

#[test]
fn each_float_case_is_a_loop_of_sixteen_multiply_adds() {
    let loops = loops(&entry(PTX, "branching_compute_float"));
    assert_eq!(loops.len(), 32);
    assert!(loops.iter().all(|body| count(body, "fma.rn.f32") == 16));
}

#[test]
fn each_convolution_case_loads_its_neighbourhood_in_every_pass() {
    let instructions = entry(PTX, "branching_convolution_integer");
    let passes: Vec<_> =
        loops(&instructions).into_iter().filter(|body| count(body, "ld.volatile.shared.u32") > 0).collect();
    assert_eq!(passes.len(), 32);
    assert!(passes.iter().all(|body| count(body, "ld.volatile.shared.u32") == 9));
    let barrier = instructions.iter().position(|line| line.starts_with("bar.sync")).expect("the barrier");
    let first_load = instructions.iter().position(|line| line.starts_with("ld.volatile.shared")).unwrap();
    let last_store = instructions.iter().rposition(|line| line.starts_with("st.shared")).unwrap();
    assert!(last_store < barrier && barrier < first_load, "the tile is complete before it is read");
}

#[test]
fn a_warp_diverges_once_for_each_branch_beyond_the_first() {
    for branches in [1_i64, 2, 7, 32] {
        let run = Simulated::run("h200", &FAMILY, "divergent", &[("branches", branches.into()), ("width", 64.into())]);
        assert!((run.predictor("branches_per_warp") - branches as f64).abs() < 1e-12);
        let warps = 64.0 * 64.0 / 32.0;
        assert_eq!(run.counter("divergent_branches") > 0.0, branches > 1, "{branches} branches");
        assert!(run.counter("divergent_branches") <= warps * branches as f64);
        assert!(run.time_us > 0.0);
    }
}
