//! What pages tell of how far simulated times are off is what the committed runs come to.

use serde_json::Value as Json;

use super::*;

const LATER: [&str; 2] =
    ["results/nvidia-h200/later-at-simulated-sizes", "results/simulated-h200/later-at-simulated-sizes"];
const LATER_GPU: [&str; 2] = ["results/nvidia-h200", "results/simulated-h200/later-at-gpu-sizes"];
const ODD_WIDTHS: [&str; 2] = ["results/nvidia-h200/whole-sectors", "results/simulated-h200/odd-widths"];
const GPU: [&str; 2] = ["results/nvidia-h200", "results/simulated-h200/at-gpu-sizes"];

/// Pages, the runs that they speak of, and the scenarios in the order in which they tell them.
const PAGES: [(&str, [&str; 2], &[&str]); 12] = [
    ("how-to/fences.md", LATER, &["fences", "fences-loads", "fences-release", "fences-work"]),
    ("how-to/fences.md", LATER_GPU, &["fences", "fences-loads", "fences-release", "fences-work"]),
    ("how-to/matrix-tiles.md", LATER, &["matrix-tiles", "tile-swizzles"]),
    ("how-to/launch-overlap.md", LATER, &["launch-overlap", "launch-overlap-blocks"]),
    ("how-to/asynchronous-copies.md", LATER, &["asynchronous-copies", "copy-stages", "copy-blocks"]),
    ("how-to/block-clusters.md", LATER, &["cluster-barrier", "cluster-exchange", "cluster-sum"]),
    ("how-to/atomic-types.md", LATER, &["atomic-types", "atomic-aggregation", "cluster-aggregation"]),
    ("how-to/l2-residency.md", LATER, &["l2-residency"]),
    ("how-to/l2-sectors.md", LATER, &["l2-sectors"]),
    ("case-studies/histogram.md", LATER, &["histogram"]),
    ("case-studies/transpose.md", ODD_WIDTHS, &["transpose"]),
    ("case-studies/prefix-sum.md", GPU, &["prefix-sum"]),
];

/// `fences` 4.2 % and 98.0 %: the mean error of times, and the pairs of variants in the measured order.
fn told(document: &Json, scenario: &str) -> String {
    let scenarios = document["scenarios"].as_array().unwrap();
    let own = scenarios.iter().find(|own| own["scenario"] == scenario).unwrap_or_else(|| panic!("no {scenario}"));
    let of = |place: &str| own["summary"].pointer(place).and_then(Json::as_f64).unwrap();
    let (error, order) = (of("/times/mean"), of("/order/right") / of("/order/pairs"));
    format!("`{scenario}` {:.1} % and {:.1} %", 100.0 * error, 100.0 * order)
}

#[test]
fn pages_tell_how_far_times_of_their_scenarios_are_off() {
    for (page, [measured, simulated], scenarios) in PAGES {
        let document = stdout(&compare(&[measured, simulated, "--accuracy", "--json"]).assert().code(0));
        let document: Json = serde_json::from_str(&document).unwrap();
        let wanted: Vec<String> = scenarios.iter().map(|scenario| told(&document, scenario)).collect();
        let text = fs::read_to_string(root().join("docs/src").join(page)).unwrap().replace('\n', " ");
        let wanted = wanted.join(", ");
        assert!(text.contains(&wanted), "{page} does not say of {simulated}: {wanted}");
        assert!(text.contains(&format!("apbench compare {measured}")), "{page} does not name {measured}");
    }
}
