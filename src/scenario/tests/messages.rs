//! Every kind of error as the user sees it.

use super::*;

/// What the user reads, without colour, 80 columns wide.
fn report(text: &str, overrides: &[&str]) -> String {
    match parse(text, overrides) {
        Ok(scenario) => format!("valid: {}", scenario.text),
        Err(errors) => errors.report(ReportStyle::Plain, 80),
    }
}

fn branching(text: &str) -> String {
    report(&format!("family = \"branching\"\n{text}\n"), &[])
}

fn set(text: &str, overrides: &[&str]) -> String {
    report(&format!("family = \"branching\"\n{text}\n"), overrides)
}

const KERNEL: &str = "[kernel]
source = \"a.cu\"
variants = { a = \"a\" }
launch = { grid = \"ceil(n / 32)\", block = 32 }
arguments = [\"n\", \"data\"]
[parameters]
n = { default = 5, from = 1, to = 8 }
[buffers]
data = { type = \"f32\", length = \"n\" }
";

macro_rules! told {
    ($($name:ident: $report:expr;)*) => {
        $(#[test] fn $name() { insta::assert_snapshot!($report); })*
    };
}

told! {
    of_ratios: branching("[[fit]]\nname = \"cost\"\nlaw = \"branches\"\n[[fit]]\nname = \"a\"\nlaw = \"speedup\"\npredictor = \"branches\"\nof = \"cost.t_branch\"\n[[fit]]\nname = \"b\"\nlaw = \"slowdown\"\nreference = \"divergent\"\nof = \"energy_mj\"\n[[fit]]\nname = \"c\"\nlaw = \"slowdown\"\nreference = \"divergent\"\nof = \"cost.t_brnch\"");
    unknown_keys: branching("gird = 1\nbranches = 2\n[measure]\nprecision = 1\n[[fit]]\nmodel = \"x\"\nlaw = \"branches\"\n[[chart]]\nx = \"work\"\nserie = []");
    wrong_types: branching("name = 3\ntitle = []\nvariants = \"divergent\"\ngrid = 3\nzip = [1]\nfit = \"x\"\n[measure]\nseed = \"a\"\nsamples_min = 10.0\nbudget_s = true\n[chart]\nx = 3\nseries = \"operation\"");
    grid_as_list_and_zip_as_table: branching("[[grid]]\nwork = 1\n[zip]\nwork = [1, 2]\nbranches = 3");
    kernel_without_anything: report("[kernel]\n", &[]);
    kernel_and_family: report("family = \"branching\"\n[kernel]\nsource = \"a.cu\"\nvariants = { a = \"a\" }\nlaunch = { grid = 1, block = 32 }\narguments = []\n", &[]);
    kernel_of_wrong_names: report(&KERNEL.replace("\"n\", \"data\"", "\"m\", \"dta\", \"data[k]\"").replace("ceil(n / 32)", "ceil(m / 32"), &["m=1"]);
    kernel_of_wrong_values: report(&KERNEL.replace("f32", "float").replace("from = 1", "from = 9").replace("Uniform", "uniform").replace("n = {", "time_us = { default = 1 }\nN = { default = 2 }\nn = {"), &[]);
    kernel_of_wrong_files: report(&KERNEL.replace("length = \"n\" }", "length = \"n\", fill = { file = 3, as = \"x\" }, check = { } }\na = { type = \"f32\", length = \"n\", fill = \"all.npz\", check = [\"a.npy\"] }"), &[]);
    kernel_of_wrong_structures: report(&KERNEL.replace("\"n\", \"data\"", "{ struct = [\"n\", \"int: n\", \"f32: m\", \"dat\"] }, { }, { struct = 3 }, { struct = [\"i32: n\", { struct = [\"f64: 1\", \"data\"], align = 12 }] }, { struct = [\"i8: 1\", \"data[n - 1]\"], bytes = 12, size = 3 }, \"f33: 1\", { struct = [], align = 0 }"), &[]);
    kernel_of_wrong_arrays: report(&KERNEL.replace("\"n\", \"data\"", "{ struct = [{ array = \"f32: j\", length = 3 }, { array = \"i\", length = 2 }, { array = \"f32: 1\" }, { array = \"f64: i\", length = 600, size = 1 }, { array = \"data[i]\", length = 0 }] }"), &[]);
    kernel_of_wrong_expressions: report(&KERNEL.replace("ceil(n / 32)", "(n / 32").replace("block = 32", "block = \"32 # n\", shared_bytes = \"4 * m\", times = \"n +\"").replace("length = \"n\"", "length = \"3 n\", fill = \"é\", check = '1e-3 * j'"), &[]);
    kernel_of_wrong_conditions: report(&KERNEL.replace("block = 32", "block = \"if(n > 5, 32)\", shared_bytes = \"n = 4\"").replace("length = \"n\"", "length = \"n\", fill = \"1 + (0 < i < 5)\", check = 'i < 5 ? 1 : 0'"), &[]);
    kernel_fit_against_counters: report(&format!("{KERNEL}[[fit]]\nlaw = \"affine\"\npredictor = \"bank_conflict\"\n[[fit]]\nlaw = \"latency\"\npredictor = \"bank_conflicts\"\n[[fit]]\nlaw = \"affine\"\npredictor = \"bound\"\n"), &[]);
    kernel_tables_without_kernel: branching("[parameters]\nn = { default = 1 }\n[buffers]\na = 3");
    missing_keys: report("# a comment\ntitle = \"x\"\n[[fit]]\n[[chart]]\n", &[]);
    only_comments: report("# a comment\n", &[]);
    unknown_family: report("family = \"branchng\"\n[grid]\nwork = 99999\n[[fit]]\nlaw = \"brances\"", &["work=1", "x"]);
    unknown_family_and_what_is_wrong_with_any: report("family = \"branchng\"\nvariants = [\"a\", \"a\", 3]\n[grid]\nwork = [1, 2.5]\nbranchs = 1\nbranches = { from = 8, to = 1, step = 1 }\nblock = []\n[simulated]\nwidth = true\n[[zip]]\nvariant = \"x\"\nzebra = 99", &[]);
    unknown_family_and_names_of_the_one_that_is_meant: report("family = \"branchng\"\nvariants = [\"divergnt\"]\n[grid]\nbranchs = 1\n[[fit]]\nlaw = \"slowdown\"\nreference = \"uniform\"\n[[chart]]\nx = \"brnches\"", &["wrk=1"]);
    unknown_family_unlike_any: report("family = \"quux\"\nvariants = [\"divergnt\", \"straight\"]\n[[chart]]\nx = \"brnches\"\n[[chart]]\nname = \"b\"\nx = \"width\"", &[]);
    unknown_law: branching("variants = [\"divergent\", \"table_lookup\"]\n[[fit]]\nlaw = \"slodown\"\nreference = \"divergent\"\n[[fit]]\nname = \"b\"\nlaw = \"afine\"\npredictor = \"brnches\"\nrobust = true");
    range_end: branching("[grid]\nbranches = { from = 1, to = 99999999999999, times = 2 }");
    unknown_names: branching("variants = [\"divergnt\", \"divergent\", \"divergent\"]\n[grid]\nbranchs = 1\nvariant = \"x\"\n[[fit]]\nlaw = \"branch_sums\"\n[[chart]]\nx = \"operation\"\nseries = [\"operatoin\", \"work\", \"work\"]\n[[chart]]\nname = \"b\"\nx = \"folowed_work\"\n[[chart]]\nname = \"c\"\nx = \"work\"\nseries = [\"work\"]");
    empty_lists: branching("variants = []\n[grid]\nwork = []\n[[zip]]\n[[chart]]\nx = \"work\"\nseries = []");
    values: branching("[grid]\nbranches = [1, 33, -1, \"4\"]\noperation = \"compte\"\nweights = [1, \"1:0\"]\nblock = 100\nwidth = \"2Ki\"\nwork = 8.0\narithmetic = [[\"float\"], true]");
    value_too_large: branching("[grid]\nwork = [1, 99999999999999999999]");
    units: branching("[grid]\nwidth = 2Ki");
    repeats: branching("[grid]\nwork = [1, 2, 1, 2]\n[[zip]]\nbranches = [1, 2, 1]\nblock = [32, 32, 32]");
    grid_and_zip: branching("[grid]\nwork = 1\n[[zip]]\nwork = [1, 2]\nbranches = [1, 2]\n[[zip]]\nbranches = [3]");
    duplicate_names: branching("[[fit]]\nlaw = \"branches\"\n[[fit]]\nlaw = \"branches\"\n[[chart]]\nx = \"work\"\n[[chart]]\nx = \"block\"\n[[fit]]\nlaw = \"branch_sum\"\nname = \"\"");
    bad_names: branching("name = \"My Run\"\n[[chart]]\nname = \"../x\"\nx = \"work\"");
    ranges: branching("[grid]\nbranches = { from = 1, to = 32, step = 0 }\nwork = { from = 9, to = 8, times = 1 }\nwidth = { from = 0, to = 8, times = 2 }\nblock = { from = 32, to = 64, step = 16 }");
    range_shapes: branching("[grid]\nbranches = { from = 1, to = 32 }\nwork = { from = 1, to = 8, step = 1, times = 2 }\nwidth = { start = 1, to = 8, step = 1.5 }\noperation = { from = 1, to = 2, step = 1 }");
    range_ends: branching("[grid]\nbranches = { from = 1, to = 9223372036854775807, step = 1 }\nwork = { from = -9223372036854775808, to = 1, step = 1 }\nwidth = {}");
    range_too_long: Scenario::parse("x.toml", "family = \"branching\"\n[grid]\nwork = { from = 1, to = 4096, step = 1 }", &[], 100).unwrap_err().report(ReportStyle::Plain, 80);
    zip_lengths: branching("[[zip]]\noperation = [\"compute\", \"convolution\"]\nwork = [16, 8, 4]\nblock = 32");
    too_many_points: branching("[grid]\nbranches = { from = 1, to = 32, step = 1 }\nwork = { from = 1, to = 4096, step = 4 }\nblock = [32, 64]\n[[zip]]\nwidth = [1, 2]\noperation = [\"compute\", \"convolution\"]");
    measure: branching("[measure]\nprecision_pct = nan\nbudget_s = inf\nsamples_min = 5\nsamples_max = 1e3\nseed = -1");
    samples: branching("[measure]\nsamples_min = 50\nsamples_max = 40") + &branching("[measure]\nsamples_min = 5000");
    syntax: report("title = \"x\nfamily = branching\n[grid\nwork = [1, 2\n[measure]\nprecision_pct = 1,5\nsede = 3\n", &[]);
    syntax_and_more: branching("[grid]\nwork = [1, 2\nbranches = 33\n\n[measure]\nseed = -1") ;
    duplicate_keys: branching("[grid]\nwork = 1\nwork = 2\n[grid]\nblock = 64");
    unterminated: report("family = \"branching", &[]);
    simulated: branching("[grid]\nwork = [1, 2]\n[simulated]\nwdith = 256\nwork = \"2Ki\"\nblock = [32, 32]\nbranches = 33\noperation = \"compute\"\n[[zip]]\noperation = [\"compute\", \"convolution\"]\nwidth = [64, 128]");
    simulated_as_list: branching("[[simulated]]\nwork = 1");
    simulated_too_many_points: branching("[simulated]\nwork = { from = 1, to = 4096, step = 1 }\nbranches = [1, 2, 3]");
    override_forms: set("", &["work", "=1", "work=", "branches=1,,2", "block=[32, 64", "operation=\"compute\",\"convolution\"", "wrok=3", "arithmetic={ from = 1 }"]);
    override_values: set("[grid]\nwork = 1", &["work=1,2Ki,5000", "branches=1.5", "operation=compte", "block=64,64", "width=[1, \"2\"]", "weights=1"]);
    override_twice: set("", &["work=1", "work=2"]);
    override_of_a_zip: set("[[zip]]\noperation = [\"compute\", \"convolution\"]\nwork = [16, 8]\nblock = [32, 64]", &["work=1,2,3"]);
    override_of_two_keys: set("", &["work=[1]\nbranches=[2]"]);
    chart_keys: branching("[[chart]]\nx = \"work\"\nx_scale = \"logarithmic\"\ny = \"gbps\"\ny_scale = 2\nreference = \"divergent\"\n[[chart]]\nname = \"b\"\nx = \"work\"\nscale = \"log\"\nreference = \"divergent\"");
    what_all_charts_have: branching("[[chart]]\nx = \"wrok\"\nkind = \"line\"\nx_scale = \"logarithmic\"\nsize = [1]");
    references: branching("[[fit]]\nlaw = \"slowdown\"\n[[fit]]\nlaw = \"slowdown\"\nname = \"b\"\nreference = \"divregent\"\n[[fit]]\nlaw = \"branches\"\nreference = \"divergent\"\n[[chart]]\nx = \"work\"\ny = \"slowdown\"\n[[chart]]\nname = \"b\"\nx = \"work\"\ny = \"slowdown\"\nreference = 3\n[[chart]]\nname = \"c\"\nx = \"work\"\ny = \"gb_per_s\"\nreference = \"divergent\"");
    only: branching("[[chart]]\nx = \"work\"\nonly = { variant = [\"divregent\", 1], operatoin = \"compute\", operation = [\"compte\"], block = [], width = { from = 1, to = 2, step = 1 }, branches = [33, \"4\"] }\n[[chart]]\nname = \"b\"\nx = \"work\"\nonly = {}\n[[chart]]\nname = \"c\"\nx = \"work\"\nonly = \"divergent\"");
    laws_of_other_families: branching("[[fit]]\nlaw = \"conflicts\"\n[[fit]]\nlaw = \"conflict\"");
    value_that_begins_several: report("family = \"atomic_types\"\n[grid]\naggregation = \"cluster\"\n", &[]);
    scopes_of_ptx: report("family = \"fences\"\n[grid]\nscope = [\"cta\", \".gpu\", \"SYS\", \"warp\"]\n", &[]);
    control_characters: branching("title = \"a\\u001b[31mb\"\n[grid]\n\"\\u001b[31m\" = 1\noperation = \"\\u001b[31m\"");
}

/// Values that have the same remedy are one problem.
#[test]
fn conflicts_that_are_alike() {
    let text = "family = \"cluster_sum\"\nvariants = [\"cluster_atomics\"]\n[grid]\ncluster_blocks = 3\nlaunched_blocks = [128, 256, 512]\n";
    let scenario = parse(text, &[]).expect("a scenario");
    insta::assert_snapshot!(scenario.points(&device()).unwrap_err().report(ReportStyle::Plain, 80));
}

#[test]
fn conflicts_between_values() {
    let conflict = |text: &str, overrides: &[&str]| {
        let scenario = grid(text, overrides);
        scenario.points(&device()).unwrap_err().report(ReportStyle::Plain, 80)
    };
    let both =
        "[grid]\noperation = [\"compute\", \"convolution\"]\narithmetic = [\"integer\", \"float\"]\nwork = [1, 2, 3]";
    insta::assert_snapshot!("conflict", conflict(both, &[]));
    insta::assert_snapshot!("conflict_of_an_override", conflict(both, &["arithmetic=float"]));
    let many = "[grid]\nfrequency = \"weighted\"\nbranches = { from = 1, to = 32, step = 1 }";
    insta::assert_snapshot!("conflicts_beyond_the_cap", conflict(many, &[]));
    let simulated = grid("[grid]\noperation = \"convolution\"\n[simulated]\narithmetic = \"float\"", &[]);
    assert!(simulated.points(&device()).is_ok());
    let errors = simulated.points(&simulated_device()).unwrap_err();
    insta::assert_snapshot!("conflict_where_simulated", errors.report(ReportStyle::Plain, 80));
    insta::assert_snapshot!("conflict_with_defaults_only", conflict("[grid]\nfrequency = \"weighted\"", &[]));
}

#[test]
fn narrow_terminals_and_long_lines() {
    let list: Vec<String> = (1..=40).map(|number| number.to_string()).collect();
    let text =
        format!("family = \"branching\"\n[grid]\nbranches = [{}, 1] # the end\nwidth = \"2Ki\"\n", list.join(", "));
    let errors = parse(&text, &[]).unwrap_err();
    let narrow = errors.report(ReportStyle::Plain, 60);
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
    insta::assert_snapshot!(narrow);
    insta::assert_snapshot!("in_colour", errors.report(ReportStyle::Colour, 60));
}

#[test]
fn files_that_cannot_be_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let load = |name: &str, contents: Option<&[u8]>| {
        let path = directory.path().join(name);
        if let Some(contents) = contents {
            std::fs::write(&path, contents).expect("written");
        }
        let report = Scenario::load(&path, &[], 10).unwrap_err().report(ReportStyle::Plain, 500);
        report.replace(&directory.path().display().to_string(), "DIR")
    };
    let reports = [
        load("missing.toml", None),
        load("", None),
        load("empty.toml", Some(b" \n")),
        load("latin1.toml", Some(b"title = 1\nsource = \"\xe9\"")),
        load("huge.toml", Some(&vec![b'#'; located_toml::file::TEXT_BYTES_MAX + 1])),
    ];
    insta::assert_snapshot!(reports.join("\n"));
}

#[test]
fn excerpts_escape_what_controls_a_terminal_and_point_behind_it() {
    let shown = set("[grid]\nbranches = [1]", &["operation=a\u{1b}]0;pwn\u{7}", "\u{202e}=1"]);
    assert!(shown.contains(" | operation=a\\u001b]0;pwn\\u0007\n"), "{shown}");
    assert!(shown.contains(" | \\u202e=1\n"), "{shown}");
    assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{fffd}']), "{shown}");
    // A value behind such characters has its column in the source, and the mark below it.
    let file = branching("[grid]\n\"\u{200b}\" = 1\nbranches = [1, \"\u{200b}\", 99]");
    let line = file.lines().find(|line| line.contains(", 99]")).unwrap_or_else(|| panic!("{file}"));
    assert!(line.contains("branches = [1, \"\\u200b\", 99]"), "{file}");
    let below = file.lines().skip_while(|own| *own != line).nth(1).unwrap();
    assert_eq!(
        below.find('^').map(|at| at - below.find(':').unwrap()),
        line.find("\"\\u200b").map(|at| at - line.find('|').unwrap()),
        "{file}"
    );
    assert!(file.contains(":4:16]"), "{file}");
}

#[test]
fn names_that_a_spreadsheet_would_compute_are_refused() {
    let text = |name: &str| {
        format!(
            "family = \"branching\"\nvariants = [\"divergent\"]\n[grid]\nbranches = [1]\n[[fit]]\nlaw = \"branches\"\nname = \"{name}\"\n"
        )
    };
    for name in ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\u{a0}=1", "\u{3000}@x", "＝1", "＋1", "－1", "＠x"] {
        let told = parse(&text(name), &[]).unwrap_err().report(ReportStyle::Plain, 100);
        assert!(told.contains("begins like a formula") && told.contains("x.toml:7:8"), "{told}");
    }
    assert!(parse(&text("cost per branch"), &[]).is_ok());
}
