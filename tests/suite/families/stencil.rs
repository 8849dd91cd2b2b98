#![allow(clippy::float_cmp, reason = "counts are exact")]

use apbench::family::stencil::{FAMILY, PTX};

use super::{Simulated, count, entry, loops};

#[test]
fn a_cell_is_computed_from_five() {
    let exchange = entry(PTX, "stencil_exchange");
    assert_eq!((count(&exchange, "ld.global"), count(&exchange, "st.global")), (5, 1), "{exchange:#?}");
    let redundant = entry(PTX, "stencil_redundant_halo");
    let loops = loops(&redundant);
    // The cells of a thread are inside the steps, which end with a barrier.
    let cells = loops.iter().find(|body| count(body, "ld.shared") > 0 && count(body, "st.shared") > 0).expect("cells");
    assert_eq!((count(cells, "ld.shared"), count(cells, "st.shared")), (5, 1), "{cells:#?}");
    let steps = loops.iter().find(|body| count(body, "bar.sync") > 0).expect("steps");
    assert_eq!((count(steps, "bar.sync"), count(steps, "ld.shared")), (1, 5), "{steps:#?}");
}

#[test]
fn predictors_are_what_the_simulated_devices_count() {
    for profile in ["h200", "gtx280"] {
        for (width, steps, steps_per_launch) in [(60_i64, 4_i64, 1_i64), (77, 7, 3), (33, 15, 15)] {
            let parameters = [
                ("width", width.into()),
                ("steps", steps.into()),
                ("steps_per_launch", steps_per_launch.into()),
                ("tile", 32.into()),
            ];
            for variant in ["exchange", "redundant_halo"] {
                let run = Simulated::run(profile, &FAMILY, variant, &parameters);
                assert_eq!(run.counter("global_bytes_asked"), run.predictor("bytes_asked"), "{profile} {variant}");
                // A launch of all the steps that it can have has as many blocks as any other.
                let steps_of_one = if variant == "exchange" { 1 } else { steps_per_launch };
                let one = parameters
                    .clone()
                    .map(|(name, value)| (name, if name == "steps" { steps_of_one.into() } else { value }));
                let blocks_of_one = Simulated::run(profile, &FAMILY, variant, &one).counter("blocks");
                assert_eq!(run.counter("blocks"), blocks_of_one * run.predictor("launches"), "{profile} {variant}");
                if variant == "exchange" {
                    assert_eq!(run.predictor("redundancy"), 1.0);
                } else if steps % steps_per_launch == 0 {
                    // A barrier for the tile, and one for each step; a warp writes a row of the tile, then of what is computed.
                    let blocks = run.counter("blocks");
                    let per_launch = steps_per_launch as f64;
                    assert_eq!(run.counter("block_barriers"), blocks * (1.0 + per_launch));
                    let rows: f64 = (1..=steps_per_launch).map(|step| (32 - 2 * step) as f64).sum();
                    // Two half-warps on old GPUs, neither of which is ever idle.
                    let requests_per_warp = if profile == "gtx280" { 2.0 } else { 1.0 };
                    let requests = requests_per_warp * blocks * (32.0 + rows);
                    assert_eq!(run.counter("shared_store_requests"), requests, "{profile}");
                    let cells: f64 = (1..=steps_per_launch).map(|step| ((32 - 2 * step) as f64).powi(2)).sum();
                    let needed = (width * width * steps) as f64;
                    assert!((run.predictor("redundancy") - blocks * cells / needed).abs() < 1e-9);
                }
            }
        }
    }
}
