//! Which patterns are priced, and what is said of those that are not.

use super::*;

const ROWS: [&str; 10] = [
    "diagnose",
    "scaled_rows.toml",
    "--device",
    "sim:h200",
    "--variant",
    "scaled_rows",
    "--set",
    "rows=16896",
    "--set",
    "width=16",
];

/// The load and the store of the kernel ask for as many sectors; those of the load are mostly in L1.
#[test]
fn the_pattern_that_keeps_memory_busiest_is_priced_first() {
    let workspace = workspace(&["scaled_rows"]);
    let told = json(&workspace, &[&ROWS[..], &["--most", "1", "--json"]].concat());
    let findings = told["variants"][0]["findings"].as_array().unwrap();
    let [store, load] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((&store["title"], &load["title"]), (&"uncoalesced store".into(), &"uncoalesced load".into()));
    assert_eq!(store["parts"], load["parts"]);
    assert!(store["price_us"].is_f64() && load["price_us"].is_null(), "{told}");
}

#[test]
fn what_patterns_without_a_price_come_to_is_told_and_is_in_the_total() {
    let workspace = workspace(&["scaled_rows"]);
    let shown = |most| {
        let assert = workspace.apbench(&[&ROWS[..], &["--most", most]].concat()).assert().code(0);
        let whole = stdout(&assert);
        whole.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (one, two) = (shown("1"), shown("2"));
    let sentence = "1 pattern has no price; beside the others it saves less than 2 % of the time. --most 2 prices all.";
    assert!(one.contains(sentence) && one.contains("scaled_rows.cu:8 uncoalesced load"), "{one}");
    assert!(!two.contains("no price"), "{two}");
    let total = |most| {
        json(&workspace, &[&ROWS[..], &["--most", most, "--json"]].concat())["variants"][0]["time_without_all_us"]
            .clone()
    };
    assert_eq!(total("1"), total("2"));
    // Prices that are not there are not taken for none.
    let gate = |most, condition| {
        let arguments = [&ROWS[..], &["--most", most, "--fail-on", condition]].concat();
        stderr(&workspace.apbench(&arguments).assert().code(5))
    };
    let whole = gate("0", "price:10");
    assert!(whole.contains("failed: scaled_rows: price:10 cannot be told, since no pattern has a price"), "{whole}");
    assert!(gate("1", "price:10").contains("(scaled_rows): price "));
}

/// A thread that waits for another takes as long as that lets it.
#[test]
fn what_bounds_a_kernel_stands_first_where_nothing_has_a_price() {
    let workspace = workspace(&["spin_lock"]);
    let lock = ["diagnose", "spin_lock.toml", "--device", "sim:h200"];
    let told = json(&workspace, &[&lock[..], &["--json"]].concat());
    let findings = told["variants"][0]["findings"].as_array().unwrap();
    assert_eq!(told["variants"][0]["bound"], "atomics");
    assert_eq!(findings[0]["pattern"], "atomic_contention", "{told}");
    assert!(
        findings.iter().any(|own| own["pattern"] == "fence") && findings.iter().all(|own| own["price_us"].is_null())
    );
    let arguments = [&lock[..], &["--fail-on", "price:50"]].concat();
    let failed = stderr(&workspace.apbench(&arguments).assert().code(5));
    assert!(failed.contains("failed: spin_lock: price:50 cannot be told, since no pattern has a price"), "{failed}");
}

/// A block that takes numbers until they run out goes on by itself, whatever others do.
#[test]
fn a_queue_of_numbers_has_prices_and_no_copies() {
    let workspace = workspace(&["work_queue"]);
    let queue = ["diagnose", "work_queue.toml", "--device", "sim:h200"];
    let told = json(&workspace, &[&queue[..], &["--json"]].concat());
    let diagnosis = &told["variants"][0];
    assert!(diagnosis["unpriced"].is_null(), "{told}");
    let findings = diagnosis["findings"].as_array().unwrap();
    assert!(findings.iter().all(|own| own["price_us"].is_f64()), "{told}");
    let atomics = findings.iter().find(|own| own["pattern"] == "atomic_contention").unwrap();
    assert!(atomics["remedy"].as_str().unwrap().contains("let one atomic take a run of them"), "{atomics}");
}
