//! Families of the program described in scenarios of a user's: `tests/kernels` has them. What is counted is the same.

use std::fs;

use crate::common::{Workspace, column};

/// What must be the same for the same kernels, launches and data.
const COUNTERS: [&str; 8] = [
    "warp_instructions",
    "active_lanes",
    "global_load_requests",
    "global_load_transactions",
    "global_store_transactions",
    "shared_load_passes",
    "bank_conflicts",
    "block_barriers",
];

#[test]
fn families_count_the_same_where_a_scenario_describes_them() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, file, sets) in [
        ("transpose", "transpose", &["width=200,256", "tile=16,32", "rows_per_thread=1,4"][..]),
        ("data-layout", "data_layout", &["elements=5000", "fields=2,3", "fields_used=2,3"]),
        ("shared-access", "shared_access", &["width=160", "repetitions=5,9"]),
    ] {
        let workspace = Workspace::new();
        let scenario = fs::read_to_string(root.join(format!("tests/kernels/{name}.toml"))).unwrap();
        let scenario = scenario.replace(&format!("../../cuda/{file}.cu"), &format!("{file}.ptx"));
        fs::write(workspace.path("user.toml"), scenario).unwrap();
        fs::copy(root.join(format!("cuda/ptx/{file}.sm_70.ptx")), workspace.path(&format!("{file}.ptx"))).unwrap();
        let of_family = root.join(format!("scenarios/{name}.toml"));
        let counted = |scenario: &str, run: &str| {
            let mut arguments = vec!["sweep", scenario, "--device", "sim:h200", "--out", run];
            arguments.extend(sets.iter().flat_map(|set| ["--set", *set]));
            workspace.apbench(&arguments).assert().code(0);
            let points = workspace.read(&format!("{run}/points.csv"));
            let of_points = |name: &str| column(&points, name);
            let keys = of_points("variant").into_iter().zip(COUNTERS.iter().map(|name| of_points(name)).fold(
                vec![Vec::new(); of_points("variant").len()],
                |mut rows: Vec<Vec<String>>, own| {
                    rows.iter_mut().zip(own).for_each(|(row, cell)| row.push(cell));
                    rows
                },
            ));
            let mut rows: Vec<_> = keys.collect();
            rows.sort();
            rows
        };
        let (family, user) = (counted(of_family.to_str().unwrap(), "family"), counted("user.toml", "user"));
        assert!(
            family.len() >= 6 && family.iter().all(|(_, row)| row.iter().any(|cell| !cell.is_empty())),
            "{family:?}"
        );
        assert_eq!(user, family, "{name}");
    }
}
