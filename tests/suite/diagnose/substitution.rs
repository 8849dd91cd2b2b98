//! A table in constant memory that lanes read at several places at once.

use std::fs;
use std::path::Path;

use super::{json, workspace};
use crate::common::column;

/// What a point took: its variant, and the values of `blocks`, `places` and `turns`.
fn time_us(measured: &str, variant: &str, point: [&str; 3]) -> f64 {
    let [variants, blocks, places, turns, times] =
        ["variant", "blocks", "places", "turns", "time_us"].map(|name| column(measured, name));
    let is_asked = |row: &usize| variants[*row] == variant && [&*blocks[*row], &places[*row], &turns[*row]] == point;
    let row = (0..variants.len()).find(is_asked).expect("the point is there");
    times[row].parse().unwrap()
}

/// `results/nvidia-h200/diagnosis/substitution-h100.csv`: what bytes take that are substituted by a table in constant memory, and in shared memory, on
/// an H100.
#[test]
fn reading_from_shared_memory_gains_what_a_gpu_gains() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let measured = fs::read_to_string(root.join("results/nvidia-h200/diagnosis/substitution-h100.csv")).unwrap();
    let workspace = workspace(&["substitution"]);
    for point in [
        ["132", "2", "1024"],
        ["132", "16", "1024"],
        ["132", "256", "256"],
        ["1056", "2", "256"],
        ["1056", "8", "256"],
        ["1056", "256", "64"],
        ["1056", "256", "256"],
    ] {
        let [blocks, places, turns] = point;
        let set = [format!("blocks={blocks}"), format!("places={places}"), format!("turns={turns}")];
        let set = set.iter().flat_map(|own| ["--set", own]);
        let options = ["diagnose", "substitution.toml", "--variant", "constant", "--device", "sim:h200", "--json"];
        let told = json(&workspace, &options.into_iter().chain(set).collect::<Vec<_>>());
        let variant = &told["variants"][0];
        let first = &variant["findings"][0];
        assert_eq!((&first["pattern"], &first["line"]), (&"constant_places".into(), &10.into()), "{first}");
        let of = |own: &serde_json::Value| own.as_f64().unwrap();
        let before_us = of(&variant["time_us"]);
        let apart = |predicted_us: &serde_json::Value, measured_us: f64| {
            let gain = time_us(&measured, "constant", point) / measured_us;
            before_us / of(predicted_us) / gain - 1.0
        };
        let in_shared = apart(&first["time_remedied_us"], time_us(&measured, "shared", point));
        let at_one_place = apart(&first["time_without_us"], time_us(&measured, "constant", [blocks, "1", turns]));
        assert!(in_shared.abs() < 0.25 && at_one_place.abs() < 0.25, "{point:?}: {in_shared} {at_one_place}");
    }
}
