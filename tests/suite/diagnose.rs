//! `apbench diagnose` from outside.

use std::fs;
use std::path::Path;

use serde_json::Value;

mod atomics;
mod closing;
mod launches;
mod prices;
mod remedies;
mod substitution;
mod uneven;
mod wrong;

use crate::common::{Workspace, stderr, stdout};

/// A workspace with kernels that were compiled before, and their scenarios.
fn workspace(names: &[&str]) -> Workspace {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    let workspace = Workspace::new();
    for name in names {
        fs::copy(folder.join(name).with_extension("ptx"), workspace.path(&format!("{name}.ptx"))).unwrap();
        if let Ok(text) = fs::read_to_string(folder.join(name).with_extension("toml")) {
            let text = text.replace(&format!("\"{name}.cu\""), &format!("\"{name}.ptx\""));
            fs::write(workspace.path(&format!("{name}.toml")), text).unwrap();
        }
    }
    workspace
}

/// PTX that ends amid an instruction.
#[test]
fn ptx_that_cannot_be_read_is_told_line_by_line() {
    let workspace = workspace(&[]);
    let head = ".version 7.0\n.target sm_70\n.address_size 64\n";
    fs::write(workspace.path("k.ptx"), format!("{head}.entry k()\n{{\nmov.u32 %r1")).unwrap();
    let expected = "error: k.ptx:5: this `{` is not closed: `{`\n  k.ptx:6: missing `;` after `%r1`: `mov.u32 %r1`\n";
    let diagnose = ["diagnose", "k.ptx", "--entry", "k", "--grid", "1", "--block", "1", "--device", "sim:h200"];
    for arguments in [&diagnose[..], &["new", "k.ptx"]] {
        let told = workspace.apbench(arguments).assert().code(2);
        assert_eq!(stderr(&told), expected, "{arguments:?}");
    }
}

fn json(workspace: &Workspace, arguments: &[&str]) -> Value {
    let told = workspace.apbench(arguments).assert().code(0);
    serde_json::from_str(&stdout(&told)).unwrap()
}

fn first<'a>(told: &'a Value, variant: &str) -> &'a Value {
    let variants = told["variants"].as_array().unwrap();
    let own = variants.iter().find(|own| own["variant"] == variant).unwrap();
    &own["findings"][0]
}

#[test]
fn the_costliest_pattern_stands_first_with_its_line_and_its_price() {
    let workspace = workspace(&["product", "histogram"]);
    let product = json(&workspace, &["diagnose", "product.toml", "--device", "sim:h200", "--set", "n=128", "--json"]);
    let tiled = first(&product, "tiled");
    assert_eq!((&tiled["pattern"], &tiled["line"]), (&"bank_conflicts".into(), &13.into()), "{tiled}");
    assert_eq!(tiled["counted"], "32.0 passes a request, 4.0 would do");
    assert!(tiled["remedy"].as_str().unwrap().starts_with("pad rows of 32 words by 1 word"), "{tiled}");
    let padded = product["variants"][1]["time_us"].as_f64().unwrap();
    let without = product["variants"][0]["time_without_us"]["bank_conflicts"].as_f64().unwrap();
    assert!((without / padded - 1.0).abs() < 0.02, "{without} without conflicts, {padded} padded");
    let asked = ["diagnose", "histogram.toml", "--device", "sim:h200", "--set", "n=262144", "--json"];
    let histogram = json(&workspace, &asked);
    let global = first(&histogram, "global");
    assert_eq!((&global["pattern"], &global["line"]), (&"atomic_contention".into(), &3.into()), "{global}");
}

#[test]
fn prices_never_add_up_to_more_than_the_time() {
    let workspace = workspace(&["product", "histogram"]);
    for (name, size) in [("product", "n=64"), ("histogram", "n=100000")] {
        let scenario = format!("{name}.toml");
        let told = json(&workspace, &["diagnose", &scenario, "--device", "sim:h200", "--set", size, "--json"]);
        for variant in told["variants"].as_array().unwrap() {
            let findings = variant["findings"].as_array().unwrap();
            let sum: f64 = findings.iter().filter_map(|finding| finding["price_us"].as_f64()).sum();
            assert!(sum <= variant["time_us"].as_f64().unwrap() * (1.0 + 1e-9), "{variant}");
            assert_eq!(variant["origin"], "simulated");
        }
    }
}

#[test]
fn a_kernel_without_a_scenario_gets_a_first_look() {
    let workspace = workspace(&["transposition"]);
    let look = |entry: &'static str| {
        let arguments = ["diagnose", "transposition.ptx", "--entry", entry, "--grid", "8,8", "--block", "32,32"];
        let buffers = ["--arg", "f32[256*256]", "--arg", "f32[256*256]=zeros", "--arg", "256"];
        [&arguments[..], &buffers[..], &["--device", "sim:h200"]].concat()
    };
    let told = workspace.apbench(&look("transpose_naive")).assert().code(0);
    assert!(stdout(&told).contains("uncoalesced store: 32.0 sectors a request, 4.0 would do"), "{}", stdout(&told));
    let unknown = workspace.apbench(&look("transpose")).assert().code(2);
    assert!(stderr(&unknown).contains("did you mean `transpose_naive`?"), "{}", stderr(&unknown));
    for (arguments, part) in [
        (
            &["diagnose", "transposition.ptx"][..],
            "needs --entry, --grid, --block and --arg for each of its parameters; its kernels are",
        ),
        (&["diagnose", "transposition.ptx", "--grid", "1", "--block", "32"], "needs --entry and --arg for each"),
        (
            &["diagnose", "transposition.ptx", "--entry", "a", "--grid", "1,2,3,4", "--block", "32"],
            "is not X, X,Y or X,Y,Z",
        ),
        (&["diagnose", "transpose", "--grid", "1"], "--grid is for a kernel's file"),
        (&["diagnose", "nothing.toml"], "nothing.toml"),
        (&["diagnose", "transpose", "--variant", "naiv", "--device", "sim:h200"], "did you mean `naive`"),
        (&["diagnose", "transpose", "--fail-on", "bank:1"], "there is no pattern"),
    ] {
        let refused = workspace.apbench(arguments).assert().code(2);
        assert!(stderr(&refused).contains(part), "{arguments:?}: {}", stderr(&refused));
    }
}

/// The command of the example is complete, and works.
#[test]
fn all_that_a_kernel_s_file_needs_is_told_at_once_with_an_example_that_works() {
    let workspace = workspace(&["transposition"]);
    let told = stderr(&workspace.apbench(&["diagnose", "transposition.ptx", "--grid", "3"]).assert().code(2));
    assert!(told.contains("    transpose_tiled(float const*, float*, int)\n"), "{told}");
    let (_, command) = told.split_once("for example: apbench ").unwrap();
    let words = command.lines().next().unwrap().split(' ').map(|word| word.trim_matches('\''));
    let arguments: Vec<&str> = words.chain(["--device", "sim:h200"]).collect();
    let diagnosed = stdout(&workspace.apbench(&arguments).assert().code(0));
    assert!(diagnosed.contains("transpose_naive: 32 x 128 blocks of 32 x 8 threads"), "{diagnosed}");
    let of_templates = "template <typename T, int N> __global__ void f(T* x) { x[N] = 1; }";
    fs::write(workspace.path("t.cu"), of_templates).unwrap();
    let told = stderr(&workspace.apbench(&["diagnose", "t.cu"]).assert().code(2));
    assert!(told.contains("    f<T, N>(T* x)\n") && told.contains("--entry 'f<float, 4>' --grid 4096"), "{told}");
    fs::write(workspace.path("empty.cu"), "").unwrap();
    let told = stderr(&workspace.apbench(&["diagnose", "empty.cu"]).assert().code(2));
    assert!(told.contains("empty.cu: the file is empty"), "{told}");
}

/// A kernel for one block, which needs no name where it is the only one.
const ALONE: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry alone(.param .u64 data)\n{\n  .reg .b64 %rd<2>;\n\
                     ld.param.u64 %rd1, [data];\n  st.global.u32 [%rd1], 1;\n  ret;\n}\n";

#[test]
fn the_only_kernel_of_a_file_needs_no_name() {
    let workspace = workspace(&[]);
    fs::write(workspace.path("alone.ptx"), ALONE).unwrap();
    let arguments = ["diagnose", "alone.ptx", "--grid", "1", "--block", "32", "--device", "sim:h200"];
    let told = stderr(&workspace.apbench(&arguments).assert().code(2));
    assert!(told.contains("needs --arg for each of its parameters; its kernels are"), "{told}");
    let told = stdout(&workspace.apbench(&[&arguments[..], &["--arg", "u32[4]"]].concat()).assert().code(0));
    assert!(told.contains("alone: 1 block of 32 threads"), "{told}");
}

/// A file that no compiler is needed for, whose parameters have names.
#[test]
fn buffers_of_a_kernel_s_file_are_called_as_there() {
    let workspace = workspace(&["transposition"]);
    let text = workspace.read("transposition.ptx").replace("_Z15transpose_naivePKfPfi_param_1", "result");
    fs::write(workspace.path("named.ptx"), text).unwrap();
    let arguments = ["diagnose", "named.ptx", "--entry", "transpose_naive", "--grid", "8,8", "--block", "32,32"];
    let all = [&arguments[..], &["--arg", "f32[65536]", "--arg", "f32[0]", "--arg", "256"]].concat();
    let told = stderr(&workspace.apbench(&all).args(["--device", "sim:h200"]).assert().code(2));
    assert!(told.contains("length of `result`: `0` is 0"), "{told}");
}

#[test]
fn arguments_that_do_not_fit_are_told_with_their_option() {
    let workspace = workspace(&["transposition"]);
    let told = |buffers: &[&str]| {
        let arguments =
            ["diagnose", "transposition.ptx", "--entry", "transpose_naive", "--grid", "8,8", "--block", "32,32"];
        let buffers = buffers.iter().flat_map(|own| ["--arg", own]).collect::<Vec<_>>();
        let all = [&arguments[..], &buffers, &["--device", "sim:h200"]].concat();
        stderr(&workspace.apbench(&all).assert().code(2))
    };
    let all = [
        told(&["f32[65536]", "f32[65536]"]),
        told(&["f32[65536]", "f32[65536]", "256", "256"]),
        told(&["f32[65536]", "256", "f32[65536]"]),
        told(&["f32[65536]", "f32[65536]", "f32: 0.5"]),
        told(&["f32[65536]", "f32[65536]", "0.5"]),
        told(&["f32[0]", "f32[65536", "256"]),
        told(&["f32[0]", "f32[65536]", "256"]),
        // One that cannot be read, one of another type, a number that is no whole one, and one too many: all at once.
        told(&["f32[65536", "f32: 0.5", "0.5", "f32[65536]"]),
        told(&["0.5"]),
    ];
    insta::assert_snapshot!("wrong_arguments", all.join("\n"));
}

#[test]
fn a_gate_and_a_file_for_reviews_need_no_gpu() {
    let workspace = workspace(&["product"]);
    let diagnose = |gate: &str| {
        let arguments = [
            "diagnose",
            "product.toml",
            "--device",
            "sim:h200",
            "--set",
            "n=64",
            "--sarif",
            "found.sarif",
            "--fail-on",
            gate,
        ];
        workspace.apbench(&arguments).assert()
    };
    let failed = diagnose("bank_conflicts:2").code(5);
    assert!(stderr(&failed).contains("failed: product.cu:13 (tiled): bank_conflicts 8.0 >= 2"), "{}", stderr(&failed));
    diagnose("bank_conflicts:32").code(5);
    diagnose("bank_conflicts:33").code(0);
    let sarif: Value = serde_json::from_str(&workspace.read("found.sarif")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"product.cu".into(), &13.into()));
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(results.iter().all(|result| rules.iter().any(|rule| rule["id"] == result["ruleId"])));
    // Places are told from where the program runs.
    fs::create_dir(workspace.path("my kernels")).unwrap();
    for entry in fs::read_dir(workspace.path("")).unwrap().map(Result::unwrap) {
        if entry.file_name().to_string_lossy().starts_with("product.") {
            fs::copy(entry.path(), workspace.path("my kernels").join(entry.file_name())).unwrap();
        }
    }
    fs::write(workspace.path("my kernels/product.cu"), "").unwrap();
    let diagnose =
        ["diagnose", "my kernels/product.toml", "--device", "sim:h200", "--set", "n=64", "--sarif", "found.sarif"];
    workspace.apbench(&diagnose).assert().code(0);
    let sarif: Value = serde_json::from_str(&workspace.read("found.sarif")).unwrap();
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "my%20kernels/product.cu");
}

#[test]
fn a_sarif_file_that_cannot_be_written_is_named_as_it_was_asked_for() {
    let workspace = workspace(&["product"]);
    let path = format!("{}.sarif", "x".repeat(300));
    let diagnose = ["diagnose", "product.toml", "--device", "sim:h200", "--set", "n=64", "--sarif", path.as_str()];
    let told = stderr(&workspace.apbench(&diagnose).assert().failure());
    assert!(told.contains(&format!("{path}: ")) && !told.contains(".partial"), "{told}");
}

#[test]
fn a_tree_of_sums_pays_for_its_remainders() {
    let workspace = workspace(&["reduction"]);
    for n in ["n=262144", "n=1048576"] {
        let asked = ["diagnose", "reduction.toml", "--device", "sim:h200", "--set", n, "--json"];
        let told = json(&workspace, &asked);
        let time = |place: usize| told["variants"][place]["time_us"].as_f64().unwrap();
        let (interleaved, masked, sequential) = (time(0), time(1), time(2));
        let finding = first(&told, "interleaved");
        assert_eq!((&finding["pattern"], &finding["line"]), (&"division".into(), &10.into()), "{finding}");
        let without = finding["time_without_us"].as_f64().unwrap();
        assert!(interleaved > 1.2 * without, "{n}: {interleaved} as written, {without} without divisions");
        assert!((without / masked - 1.0).abs() < 0.01, "{n}: {without} without divisions, {masked} with a mask");
        let without_all = told["variants"][0]["time_without_all_us"].as_f64().unwrap();
        assert!(
            (without_all / sequential - 1.0).abs() < 0.03,
            "{n}: {without_all} predicted, {sequential} in sequence"
        );
        let issue = told["variants"][0]["kernels"][0]["facts"]["issue"].as_str().unwrap();
        assert!(
            issue.contains("reduction.cu:10 issues ") && issue.contains("% of these divide integers by a"),
            "{issue}"
        );
        assert_ne!(first(&told, "masked")["pattern"], "division");
    }
    let gate = ["diagnose", "reduction.toml", "--device", "sim:h200", "--set", "n=65536", "--fail-on", "division:50"];
    let failed = stderr(&workspace.apbench(&gate).assert().code(5));
    assert!(failed.contains("failed: reduction.cu:10 (interleaved): division "), "{failed}");
}

#[test]
fn a_kernel_s_file_that_is_not_there_is_told_before_its_options() {
    let workspace = Workspace::new();
    let diagnose = workspace.apbench(&["diagnose", "nothere.cu", "--grid", "4", "--block", "32"]).assert().code(2);
    let told = stderr(&diagnose);
    assert!(told.contains("cannot read nothere.cu: No such file") && !told.contains("--entry"), "{told}");
}

/// Threads whose number is below `bound` store a word; the others return at once.
const BOUNDED: &str = ".version 8.0\n.target sm_80\n.address_size 64
.visible .entry bounded(.param .u64 out, .param .u32 bound)
{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<2>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [bound];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
setp.ge.u32 %p0, %r4, %r0;
@%p0 bra END;
mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd0, %rd2; st.global.u32 [%rd3], %r4;
END: ret; }
";

#[test]
fn threads_without_work_are_priced_at_the_line_where_they_leave() {
    let workspace = Workspace::new();
    fs::write(workspace.path("bounded.ptx"), BOUNDED).unwrap();
    let launch = ["--entry", "bounded", "--grid", "40000", "--block", "256", "--arg", "i32[256000]", "--arg", "256000"];
    let device = ["--device", "sim:h200"];
    let with = |more: &[&'static str]| [&["diagnose", "bounded.ptx"][..], &launch, &device, more].concat();
    let told = json(&workspace, &with(&["--json"]));
    let (kernel, finding) = (&told["variants"][0]["kernels"][0], first(&told, "kernel"));
    assert_eq!((&finding["pattern"], &finding["line"]), (&"idle_threads".into(), &9.into()), "{finding}");
    let expected = "9,984,000 threads (98 %) leave here without having accessed memory, 39,000 whole blocks among them";
    assert_eq!(finding["counted"], expected);
    assert_eq!(finding["idle_threads"], 9_984_000.0);
    assert!(finding["price_part"].as_f64().unwrap() > 0.8, "{finding}");
    assert!(kernel["facts"].get("idle_threads").is_none(), "told once: {kernel}");
    assert_eq!((&kernel["file"], kernel["degrees_percent"]["idle_lanes"].as_f64()), (&"bounded.ptx".into(), Some(0.0)));
    let failed = workspace.apbench(&with(&["--fail-on", "idle_threads:50,tail:1"])).assert().code(5);
    let failed = stderr(&failed);
    assert!(failed.contains("failed: bounded.ptx:9 (kernel): idle_threads 97.5 >= 50"), "{failed}");
    assert!(failed.contains("(kernel, bounded): tail "), "{failed}");
    workspace.apbench(&with(&["--fail-on", "idle_threads:98,occupancy:90"])).assert().code(0);
}

#[test]
fn a_long_remedy_is_told_once_and_one_pattern_shares_with_none() {
    let workspace = workspace(&["reduction"]);
    let arguments = ["diagnose", "reduction.toml", "--device", "sim:h200", "--set", "n=4194304"];
    let told = stdout(&workspace.apbench(&arguments).assert().code(0));
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(told.matches("remedy: let fewer warps wait").count(), 1, "{told}");
    assert!(told.contains("remedy: as for reduction.cu:24 above"), "{told}");
    assert!(!told.contains("its share of what several patterns"), "{told}");
    assert!(told.contains("times as fast; expect less, as remedies take away only a part of branch divergence and of waiting at a barrier and of integer division by a variable"), "{told}");
}

#[test]
fn a_gate_is_told_beside_a_variant_that_fails_which_decides_the_status() {
    let workspace = Workspace::new();
    let beyond = BOUNDED.replace("bounded", "beyond").replace("mul.wide.u32 %rd2, %r4, 4", "mul.wide.u32 %rd2, %r4, 8");
    let beyond = beyond.split_once("\n.visible").map(|(_, rest)| format!(".visible{rest}")).unwrap();
    fs::write(workspace.path("writers.ptx"), format!("{BOUNDED}{beyond}")).unwrap();
    let scenario = r#"title = "Two writers"
[kernel]
source = "writers.ptx"
variants = { within = "bounded", beyond = "beyond" }
launch = { grid = 400, block = 256 }
arguments = ["out", "n"]
[parameters]
n = { default = 1024, from = 1, to = 100_000 }
[buffers]
out = { type = "i32", length = "n" }
[grid]
n = [1024]
"#;
    fs::write(workspace.path("writers.toml"), scenario).unwrap();
    let arguments = ["diagnose", "writers.toml", "--device", "sim:h200", "--fail-on", "idle_threads:50"];
    let failed = workspace.apbench(&arguments).assert().code(4);
    assert!(stdout(&failed).contains("beyond: not diagnosed: "), "{}", stdout(&failed));
    assert!(stderr(&failed).contains("failed: writers.ptx:9 (within): idle_threads "), "{}", stderr(&failed));
    let within = [&arguments[..], &["--variant", "within"]].concat();
    workspace.apbench(&within).assert().code(5);
    let help = stdout(&workspace.apbench(&["diagnose", "--help"]).assert().code(0));
    assert!(help.split_whitespace().collect::<Vec<_>>().join(" ").contains("with 4 where a variant fails"), "{help}");
}

#[test]
fn a_run_s_page_has_the_findings_of_its_kernel() {
    let workspace = workspace(&["product"]);
    let sweep = ["sweep", "product.toml", "--device", "sim:h200", "--set", "n=64", "--out", "run"];
    workspace.apbench(&sweep).assert().code(0);
    assert!(!workspace.read("run/report.html").contains("id=\"diagnosis\""));
    let without = workspace.apbench(&["report", "run"]).assert().code(0);
    let note = "note: the page has no findings of a diagnosis; apbench diagnose product.toml --run run adds them\n";
    assert_eq!(stderr(&without), note);
    let diagnose = ["diagnose", "product.toml", "--device", "sim:h200", "--set", "n=64", "--run", "run"];
    workspace.apbench(&diagnose).assert().code(0);
    let page = workspace.read("run/report.html");
    assert!(page.contains("<h2 id=\"diagnosis-heading\">Diagnosis: n=64") && page.contains("bank conflict of a load"));
    // The ranges are those of the screen.
    let screen = stdout(&workspace.apbench(&diagnose[..6]).env("COLUMNS", "400").assert().code(0));
    let (_, costs) = screen.split_once(" %, ").unwrap();
    let range = costs.split(')').next().unwrap();
    assert!(range.contains(" to ") && page.contains(&format!(" %, {range}).")), "{range}\n{screen}");
    assert!(page.contains("Expect a cost within its range half of the time"));
    let with = workspace.apbench(&["report", "run"]).assert().code(0);
    assert!(workspace.read("run/report.html").contains("id=\"diagnosis\""), "the findings stay with the run");
    assert_eq!(stderr(&with), "");
    let diagnose = ["diagnose", "product.toml", "--device", "sim:h200", "--set", "n=32,64", "--run", "run"];
    workspace.apbench(&diagnose).assert().code(0);
    let page = workspace.read("run/report.html");
    assert!(page.contains("Diagnosis: n=64, the largest of 2 sizes</h2>"));
    fs::write(workspace.path("run/diagnosis.json"), "{").unwrap();
    let refused = workspace.apbench(&["report", "run"]).assert().code(2);
    assert!(stderr(&refused).contains("diagnosis.json"), "{}", stderr(&refused));
}

#[test]
fn every_line_fits_as_many_columns_as_are_asked_for() {
    let workspace = workspace(&["product"]);
    for columns in [50, 72, 120] {
        let arguments = ["diagnose", "product.toml", "--device", "sim:h200", "--set", "n=64"];
        let told = stdout(&workspace.apbench(&arguments).env("COLUMNS", columns.to_string()).assert().code(0));
        let longest = told.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(longest <= columns && longest > columns / 2, "{longest} of {columns}:\n{told}");
    }
}

#[test]
fn a_kernel_that_faults_is_told_with_its_line() {
    let workspace = workspace(&["transposition"]);
    let arguments =
        ["diagnose", "transposition.ptx", "--entry", "transpose_naive", "--grid", "8,8", "--block", "32,32"];
    let buffers = ["--arg", "f32[256*256]", "--arg", "f32[100]", "--arg", "256", "--device", "sim:h200"];
    let told = workspace.apbench(&[&arguments[..], &buffers[..]].concat()).assert().code(4);
    assert!(stdout(&told).contains("not diagnosed: transposition.cu:4: writes"), "{}", stdout(&told));
    let sarif = ["--sarif", "found.sarif"];
    workspace.apbench(&[&arguments[..], &buffers[..], &sarif[..]].concat()).assert().code(4);
    let sarif: Value = serde_json::from_str(&workspace.read("found.sarif")).unwrap();
    let run = &sarif["runs"][0];
    let (result, notification) = (&run["results"][0], &run["invocations"][0]["toolExecutionNotifications"][0]);
    assert_eq!((&result["ruleId"], &result["level"]), (&"fault".into(), &"error".into()), "{run}");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&"transposition.cu".into(), &4.into())
    );
    assert_eq!(notification["locations"], result["locations"]);
    let large = ["--arg", "f32[2^40]", "--arg", "f32[2^40]", "--arg", "256", "--device", "sim:h200"];
    let told = workspace.apbench(&[&arguments[..], &large[..]].concat()).assert().code(4);
    assert!(stdout(&told).contains("needs 8 TiB of device memory"), "{}", stdout(&told));
}
