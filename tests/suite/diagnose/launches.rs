//! A loop over launches, of which some are simulated.

use std::fs;

use super::{first, json};
use crate::common::{Workspace, stderr, stdout};

/// Each thread reads a word of a sector of its own, and goes round a loop.
const PARTS: &str = ".version 8.0\n.target sm_80\n.address_size 64
.visible .entry parts(.param .u64 data)
{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<2>;
.loc 1 7 0
ld.param.u64 %rd0, [data];
mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r7, %ntid.x; mad.lo.u32 %r4, %r3, %r7, %r2;
mul.wide.u32 %rd1, %r4, 32; add.u64 %rd2, %rd0, %rd1;
.loc 1 8 0
ld.global.u32 %r5, [%rd2];
.loc 1 9 0
mov.u32 %r6, 0;
$again:
xor.b32 %r5, %r5, %r6; add.u32 %r6, %r6, 1; setp.lt.u32 %p0, %r6, 512; @%p0 bra $again;
setp.eq.u32 %p1, %r5, 77777; @%p1 st.global.u32 [%rd2], %r5;
ret; }
.file 1 \"parts.cu\"
";

const SCENARIO: &str = "title = \"parts\"
[kernel]
source = \"parts.ptx\"
variants = { parts = \"parts\" }
launch = [{ entry = \"parts\", grid = 16, block = 128, times = \"launches\", arguments = [\"data\"] }]
[parameters]
launches = { default = 4, from = 1, to = 4096 }
[buffers]
data = { type = \"u32\", length = \"2048 * 8\", fill = \"zeros\" }
[grid]
launches = [4]
";

#[test]
fn of_many_launches_some_are_simulated_and_that_is_told() {
    let workspace = Workspace::new();
    fs::write(workspace.path("parts.ptx"), PARTS).unwrap();
    fs::write(workspace.path("parts.toml"), SCENARIO).unwrap();
    let diagnosis = |launches: u32, more: &[&str]| {
        let set = format!("launches={launches}");
        let asked = ["diagnose", "parts.toml", "--device", "sim:h200", "--set", &set];
        [&asked.map(str::to_owned)[..], &more.iter().map(|own| (*own).to_owned()).collect::<Vec<_>>()].concat()
    };
    let of = |launches: u32| {
        let asked = diagnosis(launches, &["--json"]);
        json(&workspace, &asked.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let (few, many) = (of(8), of(1024));
    assert!(few["variants"][0]["launches_simulated"].is_null(), "{few}");
    let own = &many["variants"][0];
    assert_eq!((&own["launches_simulated"], &own["launches"]), (&8.into(), &1024.into()), "{many}");
    for told in [&few, &many] {
        let finding = first(told, "parts");
        assert_eq!((&finding["pattern"], &finding["line"]), (&"uncoalesced".into(), &8.into()), "{finding}");
    }
    let time_us = |told: &serde_json::Value| told["variants"][0]["time_us"].as_f64().unwrap();
    assert!((time_us(&few) / time_us(&many) - 1.0).abs() < 0.05, "eight launches each: {few} {many}");
    let asked = diagnosis(1024, &["--most", "1"]);
    let whole = stdout(&workspace.apbench(&asked.iter().map(String::as_str).collect::<Vec<_>>()).assert().code(0));
    let words = whole.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("8 of its 1024 launches were simulated, evenly apart"), "{whole}");
    let asked = diagnosis(1024, &["--most", "1", "--sarif", "parts.sarif"]);
    workspace.apbench(&asked.iter().map(String::as_str).collect::<Vec<_>>()).assert().code(0);
    let sarif: serde_json::Value = serde_json::from_str(&workspace.read("parts.sarif")).unwrap();
    let invocation = &sarif["runs"][0]["invocations"][0];
    let notes = invocation["toolExecutionNotifications"].as_array().unwrap();
    let texts: Vec<&str> = notes.iter().filter_map(|note| note["message"]["text"].as_str()).collect();
    assert!(matches!(texts[..], [text] if text.starts_with("parts: 8 of its 1024 launches were simulated")), "{sarif}");
    assert_eq!((&notes[0]["level"], &invocation["executionSuccessful"]), (&"note".into(), &true.into()), "{sarif}");
}

/// A kernel that does nothing takes hardly longer than launching it: a tenth of a microsecond for its one instruction.
#[test]
fn launching_takes_what_launches_of_nothing_take() {
    let workspace = Workspace::new();
    let nothing = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry parts(.param .u64 data) { ret; }\n";
    let told = |ptx: &str| {
        fs::write(workspace.path("parts.ptx"), ptx).unwrap();
        fs::write(workspace.path("parts.toml"), SCENARIO).unwrap();
        let told =
            json(&workspace, &["diagnose", "parts.toml", "--device", "sim:h200", "--set", "launches=32", "--json"]);
        let own = &told["variants"][0];
        let launching = own["kernels"][0]["facts"]["launches"].as_str().expect("launching takes much").to_owned();
        (own["time_us"].as_f64().unwrap(), launching)
    };
    let (of_nothing_us, _) = told(nothing);
    let (time_us, sentence) = told(PARTS);
    let part: f64 = sentence.split_whitespace().nth(2).unwrap().parse().unwrap();
    assert!((part / 100.0 * time_us / of_nothing_us - 1.0).abs() < 0.06, "{sentence}: {of_nothing_us} of {time_us}");
    assert!(part < 90.0, "{sentence}");
}

/// What is told of the whole launch is of the one that is named.
#[test]
fn what_is_told_of_waves_is_of_the_launch_that_is_named() {
    let workspace = Workspace::new();
    fs::write(workspace.path("parts.ptx"), PARTS).unwrap();
    // 264 blocks fill an H200 once, and the second launch begins another wave.
    let several = SCENARIO.replace("grid = 16, block = 128", "grid = \"1056 + 8 * step\", block = 256");
    fs::write(workspace.path("parts.toml"), several.replace("2048 * 8", "1088 * 2048")).unwrap();
    let asked = ["diagnose", "parts.toml", "--device", "sim:h200", "--set", "launches=2"];
    let whole = stdout(&workspace.apbench(&asked).assert().code(0));
    let words = whole.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("1056 blocks of 256 threads in the first of 2 launches"), "{whole}");
    assert!(!words.contains("The last of 2 waves"), "{whole}");
}

#[test]
fn a_loop_over_no_launch_is_told_with_its_line() {
    let workspace = Workspace::new();
    fs::write(workspace.path("parts.ptx"), PARTS).unwrap();
    fs::write(workspace.path("parts.toml"), SCENARIO.replace("times = \"launches\"", "times = \"launches - 4\""))
        .unwrap();
    for command in ["diagnose", "verify", "sweep"] {
        let told = stderr(&workspace.apbench(&[command, "parts.toml", "--device", "sim:h200"]).assert().code(2));
        assert!(told.contains("times: `launches - 4` is 0, so that nothing is launched"), "{command}: {told}");
        assert!(told.contains("parts.toml:5:"), "{command}: {told}");
    }
}
