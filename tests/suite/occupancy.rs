//! `apbench occupancy`: what is printed, and that it is what a run counts.

use std::fs;

use crate::common::{Workspace, column, stderr, stdout};

fn occupancy(arguments: &[&str], status: i32) -> assert_cmd::assert::Assert {
    let all: Vec<&str> = ["occupancy"].into_iter().chain(arguments.iter().copied()).collect();
    Workspace::new().apbench(&all).assert().code(status)
}

#[test]
fn a_card_says_what_limits_a_kernel_of_one_point() {
    let arguments = ["branching", "--set", "width=512", "--set", "operation=convolution", "--variant", "divergent"];
    let card = |device: &str| {
        let all: Vec<&str> = arguments.into_iter().chain(["--device", device]).collect();
        stdout(&occupancy(&all, 0))
    };
    insta::assert_snapshot!("card_h200", card("sim:h200"));
    insta::assert_snapshot!("card_gtx280", card("sim:gtx280"));
}

#[test]
fn several_points_are_a_table() {
    let sets = ["--set", "width=256", "--set", "block=64,128,512", "--set", "operation=compute,convolution"];
    let table = |device: &str| {
        let arguments = ["branching", "--variant", "divergent", "--device", device].into_iter().chain(sets);
        stdout(&occupancy(&arguments.collect::<Vec<_>>(), 0))
    };
    insta::assert_snapshot!("table_h200", table("sim:h200"));
    insta::assert_snapshot!("table_gtx280", table("sim:gtx280"));
}

#[test]
fn json_has_everything() {
    let arguments = ["branching", "--variant", "divergent", "--set", "width=64", "--device", "sim:h200", "--json"];
    insta::assert_snapshot!("json", stdout(&occupancy(&arguments, 0)));
}

#[test]
fn a_point_that_a_device_cannot_run_says_why() {
    let arguments = ["branching", "--variant", "divergent", "--set", "width=64", "--device", "sim:8500gt", "--set"];
    let told = |block: &str| stdout(&occupancy(&arguments.into_iter().chain([block]).collect::<Vec<_>>(), 0));
    assert!(told("block=1024").contains("cannot run: a block of 1024 threads, where 512 are possible"));
    assert!(told("block=512,1024").contains("cannot run: a block of 1024 threads"));
}

#[test]
fn names_that_are_wrong_are_told_with_their_places() {
    let assert = occupancy(&["branchin", "--device", "mock"], 2);
    assert!(stderr(&assert).contains("did you mean `branching`?"), "{}", stderr(&assert));
    let wrong = ["branching", "--variant", "divrgent", "--set", "blok=3", "--set", "width=0", "--device", "mock"];
    let errors = stderr(&occupancy(&wrong, 2));
    for wanted in
        ["did you mean `divergent`?", "did you mean `block`?", "--set:1:7", "3 errors in the arguments and --set"]
    {
        assert!(errors.contains(wanted), "no {wanted} in:\n{errors}");
    }
    occupancy(&["branching", "--device", "sim:nosuch"], 3);
}

/// The simulated device's columns, and what the command says of the same point.
#[test]
fn what_is_told_is_what_a_run_counts() {
    for device in ["sim:h200", "sim:a100", "sim:gtx280"] {
        let workspace = Workspace::new();
        let sets = ["--set", "operation=compute,convolution", "--set", "width=256", "--set", "branches=2"];
        let run = ["sweep", "small.toml", "--device", device, "--out", "run"].into_iter().chain(sets);
        workspace.apbench(&run.collect::<Vec<_>>()).assert().code(0);
        let told = ["occupancy", "branching", "--json", "--device", device]
            .into_iter()
            .chain(sets)
            .chain(["--variant", "divergent"]);
        let told = stdout(&workspace.apbench(&told.collect::<Vec<_>>()).assert().code(0));
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        let points = told["points"].as_array().unwrap();
        let table = workspace.read("run/points.csv");
        let variants = column(&table, "variant");
        let rows: Vec<String> = column(&table, "blocks_per_sm")
            .into_iter()
            .zip(variants)
            .filter(|(_, variant)| variant == "divergent")
            .map(|(blocks, _)| blocks)
            .collect();
        assert_eq!((points.len(), rows.len()), (2, 2));
        for (point, blocks_per_sm) in points.iter().zip(rows) {
            assert_eq!(point["kernels"][0]["blocks_per_sm"].to_string(), blocks_per_sm, "{device}");
        }
    }
}

#[test]
fn the_mock_goes_by_the_rule() {
    let arguments = ["branching", "--variant", "divergent", "--set", "width=64", "--device", "mock", "--json"];
    let told: serde_json::Value = serde_json::from_str(&stdout(&occupancy(&arguments, 0))).unwrap();
    let kernel = &told["points"][0]["kernels"][0];
    assert_eq!((kernel["registers_per_thread"].as_u64(), kernel["blocks_per_sm"].as_u64()), (Some(32), Some(8)));
    assert_eq!((kernel["registers_from"].as_str(), kernel["differs"].as_bool()), (Some("assumed"), Some(false)));
}

/// Families say in their launches how large clusters are, kernels of one's own in themselves.
#[test]
fn clusters_are_counted_on_the_whole_gpu() {
    let workspace = Workspace::new();
    let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 data)\n.reqnctapercluster 4, 1, 1\n{\n  ret;\n}\n";
    fs::write(workspace.path("k.ptx"), ptx).unwrap();
    let scenario = "[kernel]\nsource = \"k.ptx\"\nlaunch = { grid = 128, block = \"block\" }\narguments = [\"data\"]\n\
                    [kernel.variants]\nk = \"k\"\n[parameters]\nblock = { default = 256, from = 32, to = 1024 }\n\
                    [buffers]\ndata = { type = \"u32\", length = 4 }\n";
    fs::write(workspace.path("k.toml"), scenario).unwrap();
    let told = |arguments: &[&str]| {
        let all = [&["occupancy"], arguments, &["--device", "sim:h200"]].concat();
        stdout(&workspace.apbench(&all).assert().code(0))
    };
    let card = told(&["k.toml"]);
    assert!(card.contains("248 clusters of 4 blocks at once on the whole GPU: 992 blocks, and 1056"), "{card}");
    let table = told(&["k.toml", "--set", "block=256,1024"]);
    assert!(table.contains("62 clusters of 4 blocks") && table.contains("on the whole GPU"), "{table}");
    let of_family =
        told(&["cluster_sync", "--variant", "cluster_barrier", "--set", "cluster_blocks=4", "--set", "block=1024"]);
    assert!(of_family.contains("62 clusters of 4 blocks at once on the whole GPU"), "{of_family}");
}
