//! One warp of a block that works while the others wait.

use std::fs;
use std::path::Path;

use super::{json, workspace};
use crate::common::column;

/// `results/nvidia-h200/diagnosis/uneven.csv`: what a table takes that one warp of each block makes, and one that all make, on an H200.
#[test]
fn sharing_out_the_work_of_one_warp_gains_what_a_gpu_gains() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let measured = fs::read_to_string(root.join("results/nvidia-h200/diagnosis/uneven.csv")).unwrap();
    let workspace = workspace(&["uneven"]);
    let mut errors = Vec::new();
    for (blocks, turns) in [("132", "64"), ("132", "1024"), ("1056", "1024"), ("8448", "64"), ("8448", "256")] {
        let time_us = |variant: &str| -> f64 {
            let values = |name| column(&measured, name);
            let names = values("variant").into_iter().zip(values("blocks")).zip(values("turns"));
            let mut own = names
                .zip(values("time_us"))
                .filter(|(((own, of_blocks), of_turns), _)| own == variant && of_blocks == blocks && of_turns == turns);
            own.next().expect("the point is there").1.parse().unwrap()
        };
        let gain = time_us("one_warp") / time_us("all_warps");
        let set = [format!("blocks={blocks}"), format!("turns={turns}")];
        let options = ["--set", &set[0], "--set", &set[1], "--variant", "one_warp", "--device", "sim:h200", "--json"];
        let told = json(&workspace, &[&["diagnose", "uneven.toml"], &options[..]].concat());
        let variant = &told["variants"][0];
        let first = &variant["findings"][0];
        assert_eq!((&first["pattern"], &first["line"]), (&"uneven_work".into(), &21.into()), "{first}");
        let predicted = variant["time_us"].as_f64().unwrap() / first["time_without_us"].as_f64().unwrap();
        errors.push((predicted / gain - 1.0).abs());
    }
    errors.sort_by(f64::total_cmp);
    assert!(errors[2] < 0.1 && errors[4] < 0.25, "gains are off by {errors:?}");
}
