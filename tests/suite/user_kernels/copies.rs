//! What `verify` finds of copies that nobody waits for, and what it says of launches that it does not watch.

use std::fs;

use serde_json::Value;

use crate::common::{Workspace, stdout};

/// Each thread copies a word to shared memory and reads that of the thread on the other side.
const RING: &str = r"
.version 8.0
.target sm_80
.address_size 64

.visible .entry waited(.param .u64 data)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    .shared .align 16 .b8 ring[512];
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    mov.u32 %r2, ring;
    mad.lo.u32 %r3, %r1, 4, %r2;
    cp.async.ca.shared.global [%r3], [%rd1], 4;
    cp.async.commit_group;
    cp.async.wait_group 0;
    bar.sync 0;
    xor.b32 %r4, %r1, 127;
    mad.lo.u32 %r3, %r4, 4, %r2;
    ld.shared.u32 %r5, [%r3];
    st.global.u32 [%rd1], %r5;
    ret;
}
";

const SCENARIO: &str = r#"
[kernel]
source = "ring.ptx"
variants = { waited = "waited", forgotten = "forgotten" }
launch = { grid = 1, block = 128 }
arguments = ["data"]
[parameters]
n = { default = 128, from = 128, to = 128 }
[buffers]
data = { type = "u32", length = "n", fill = "iota", check = "n - 1 - i" }
[grid]
n = [128]
"#;

fn ring() -> Workspace {
    let workspace = Workspace::new();
    let forgotten: Vec<&str> = RING.lines().skip_while(|line| !line.starts_with(".visible")).collect();
    let forgotten = forgotten.join("\n").replace("waited", "forgotten").replace("    cp.async.wait_group 0;\n", "");
    fs::write(workspace.path("ring.ptx"), format!("{RING}{forgotten}\n")).unwrap();
    fs::write(workspace.path("ring.toml"), SCENARIO).unwrap();
    workspace
}

#[test]
fn a_wait_that_is_forgotten_fails_the_point_although_its_outputs_are_right() {
    let verify = ring().apbench(&["verify", "ring.toml", "--device", "sim:h200"]).assert().code(4);
    insta::assert_snapshot!("forgotten_wait", stdout(&verify));
}

/// The same in clusters of two blocks, in which nobody looks for races.
#[test]
fn launches_that_are_not_watched_are_told_in_the_total() {
    let workspace = ring();
    let text =
        workspace.read("ring.ptx").replace(".param .u64 data)\n{", ".param .u64 data)\n.reqnctapercluster 2, 1, 1\n{");
    let text = text.replace(".version 8.0\n.target sm_80", ".version 8.0\n.target sm_90");
    fs::write(workspace.path("ring.ptx"), text).unwrap();
    let scenario = SCENARIO.replace("grid = 1", "grid = 2").replace("check = \"n - 1 - i\"", "check = \"none\"");
    fs::write(workspace.path("ring.toml"), scenario).unwrap();
    let verify = ["verify", "ring.toml", "--device", "sim:h200"];
    insta::assert_snapshot!("in_clusters", stdout(&workspace.apbench(&verify).assert().code(0)));
    let told = stdout(&workspace.apbench(&[&verify[..], &["--json"]].concat()).assert().code(0));
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["accesses_checked_for_races"], 0);
    assert_eq!(told["launches_not_checked_for_races"], 2);
    let sentence = "2 launches were not checked for races: their clusters have several blocks";
    assert_eq!(told["not_checked_for_races"], serde_json::json!([sentence]));
}
