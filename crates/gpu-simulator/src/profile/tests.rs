//! What profiles mean, and what their errors look like.

use proptest::prelude::*;

use super::*;
use located_toml::ReportStyle;
use located_toml::file::TEXT_BYTES_MAX;

fn text_of(name: &str) -> &'static str {
    embedded().iter().find(|profile| profile.name == name).map(|profile| profile.text).expect("an embedded profile")
}

/// The profile of an H200 with every one of these replacements, each of which must change something.
fn changed(replacements: &[(&str, &str)]) -> String {
    replacements.iter().fold(text_of("h200").to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "no {from}");
        text.replacen(from, to, 1)
    })
}

/// What the user reads, 80 columns wide.
fn report(text: &str) -> String {
    match Profile::parse("my.toml", text) {
        Ok(profile) => format!("valid: {profile:?}"),
        Err(errors) => errors.report(ReportStyle::Plain, 80),
    }
}

fn report_of_changes(replacements: &[(&str, &str)]) -> String {
    report(&changed(replacements))
}

/// The line of a key of the H200's profile, its first one.
fn line_of(key: &str) -> &'static str {
    let start = format!("{key} = ");
    text_of("h200").lines().find(|line| line.starts_with(&start)).expect("a line with the key")
}

#[test]
fn every_embedded_profile_is_valid_and_says_how_far_it_can_be_trusted() {
    for Embedded { name, text } in embedded() {
        let profile = Profile::load(name).unwrap_or_else(|errors| panic!("{}", errors.report(ReportStyle::Plain, 100)));
        assert_eq!(profile.spec, *name);
        let validated = ["unvalidated: ", "validated: "];
        assert!(validated.iter().any(|state| profile.validation.starts_with(state)), "{name}: {}", profile.validation);
        assert_eq!(profile.sha256, read::sha256(text));
        assert_eq!(profile.step_limit, 50_000_000);
        assert!(FILE.where_missing.contains(name) && FILE.instead_of_directory.contains(name));
        assert!(text.contains("To make a profile of your own"), "{name}: the header");
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(longest <= 170, "{name}: a line of {longest} characters");
    }
}

/// Figures of the CUDA C Programming Guide 4.x, appendix F.
#[test]
fn old_profiles_have_the_figures_of_the_guide() {
    for (name, capability, threads, registers, coalescing) in [
        ("8500gt", (1, 1), 768, 8192, Coalescing::HalfWarpInOrder),
        ("gtx280", (1, 3), 1024, 16_384, Coalescing::HalfWarpSegments),
    ] {
        let profile = Profile::load(name).expect("valid");
        assert_eq!(profile.compute_capability, capability);
        assert_eq!(profile.reconvergence, Reconvergence::Stack);
        assert_eq!(profile.global.coalescing, coalescing);
        assert_eq!(profile.shared.banks, Banks::HalfWarp16);
        assert!(profile.shared.holds_arguments);
        assert_eq!(profile.shared.bytes_per_sm, 16 << 10);
        let limits = profile.occupancy;
        assert_eq!((limits.threads_per_sm, limits.blocks_per_sm, limits.threads_per_block), (threads, 8, 512));
        assert_eq!(limits.registers_per_sm, registers);
        assert_eq!((profile.global.l1_bytes, profile.global.l2_bytes), (0, 0));
        assert_eq!(profile.global.l2_latency_cycles.to_bits(), profile.global.latency_cycles.to_bits());
        assert!(profile.global.l2_bytes_per_cycle_per_sm.is_infinite());
        // 8 cores take the 32 lanes of a warp in 4 cycles, 2 special function units in 16.
        assert_eq!((profile.units.float.interval_cycles, profile.units.special.interval_cycles), (4.0, 16.0));
        assert!((profile.barriers.threads_per_cycle - 8.0).abs() < 1e-9);
    }
    let partitions = |name: &str| Profile::load(name).expect("valid").global.partitions;
    assert_eq!(partitions("gtx280"), Some(Partitions { count: 8, interleave_bytes: 256, scattered_store_pct: 120 }));
    assert_eq!(partitions("8500gt"), Some(Partitions { count: 2, interleave_bytes: 256, scattered_store_pct: 120 }));
    assert_eq!((partitions("h200"), partitions("a100")), (None, None));
}

#[test]
fn a_block_may_opt_in_to_no_more_shared_memory_than_is_usual_unless_the_profile_says_so() {
    let profile = Profile::load("gtx280").expect("valid");
    assert_eq!((profile.shared.bytes_per_block, profile.shared.bytes_per_block_opt_in), (16 << 10, 16 << 10));
    let line = line_of("bytes_per_block_opt_in");
    let without = Profile::parse("my.toml", &changed(&[(line, "")])).expect("valid");
    assert_eq!(without.shared.bytes_per_block_opt_in, 48 << 10);
    for (bytes, wanted) in
        [(1024, "`shared.bytes_per_block` 49152 is more than"), (233_473, "is more than `shared.bytes_per_sm`")]
    {
        let other = format!("bytes_per_block_opt_in = {{ value = {bytes}, source = \"x\" }}");
        let report = report_of_changes(&[(line, &other)]);
        assert!(report.contains(wanted), "{report}");
    }
}

#[test]
fn the_step_limit_can_be_set() {
    let text = changed(&[("sm_count =", "step_limit = 1000\nsm_count =")]);
    assert_eq!(Profile::parse("my.toml", &text).expect("valid").step_limit, 1000);
}

#[test]
fn constants_may_be_written_in_every_form_of_toml() {
    let line = line_of("launch_us");
    let profile = |text: &str| Profile { sha256: String::new(), ..Profile::parse("my.toml", text).expect("valid") };
    let expected = profile(text_of("h200"));
    for form in
        ["launch_us.value = 2.76\nlaunch_us.source = 'x'", "launch_us = { value = 276e-2, source = \"\"\"x\"\"\" }"]
    {
        assert_eq!(profile(&changed(&[(line, form)])), expected, "{form}");
    }
}

/// Many tables have keys of the same name: `latency_cycles` alone is in nine. So errors name the table, too, and the line.
#[test]
fn errors_name_the_table_of_a_key_and_its_line() {
    let text = text_of("h200");
    let with_value = |line: &str, value: &str| {
        let (before, after) = line.split_once("{ value = ")?;
        let source = after.find(", source = ")?;
        Some(format!("{before}{{ value = {value}{}", after.get(source..)?))
    };
    let mut table = String::new();
    let mut tried = 0;
    for (number, line) in text.lines().enumerate() {
        if let Some(header) = line.strip_prefix('[') {
            table = format!("{}.", header.trim_end_matches(']'));
        }
        let Some((key, _)) = line.split_once(" = {") else { continue };
        for value in ["-1e99", "[]"] {
            let changed = with_value(line, value).expect("a constant with a value and a source");
            let lines = text.lines().enumerate();
            let other: Vec<&str> =
                lines.map(|(own, text)| if own == number { changed.as_str() } else { text }).collect();
            let errors = Profile::parse("my.toml", &other.join("\n")).expect_err("a wrong value");
            let report = errors.report(ReportStyle::Plain, 200);
            let wanted = [format!("`{table}{key}`"), format!("my.toml:{}:", number + 1)];
            assert!(wanted.iter().all(|wanted| report.contains(wanted)), "{table}{key}, {value}: {report}");
            assert!(!report.contains(&format!("example: {table}{key} =")) || table.is_empty(), "{report}");
            tried += 1;
        }
    }
    assert!(tried > 150, "{tried}");
}

#[test]
fn names_and_paths_are_told_apart() {
    for path in ["a.toml", "A.TOML", "./a", "profiles/a", "/a"] {
        assert!(Profile::is_path(path), "{path}");
    }
    for name in ["h200", "toml", "8500gt", ""] {
        assert!(!Profile::is_path(name), "{name}");
    }
    let errors = Profile::load("h20").unwrap_err().report(ReportStyle::Plain, 100);
    assert!(errors.contains("`h20`") && errors.contains("did you mean `h200`?"), "{errors}");
}

#[test]
fn files_that_cannot_be_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let load = |name: &str, contents: Option<&[u8]>| {
        let path = directory.path().join(name);
        if let Some(contents) = contents {
            std::fs::write(&path, contents).expect("written");
        }
        let report = Profile::load(&path.display().to_string()).unwrap_err().report(ReportStyle::Plain, 500);
        report.replace(&directory.path().display().to_string(), "DIR")
    };
    let photograph = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01";
    let reports = [
        load("missing.toml", None),
        load("", None),
        load("empty.toml", Some(b" \n")),
        load("photograph.toml", Some(photograph)),
        load("huge.toml", Some(&vec![b'#'; TEXT_BYTES_MAX + 1])),
    ];
    insta::assert_snapshot!(reports.join("\n"));
}

macro_rules! told {
    ($($name:ident: $report:expr;)*) => {
        $(#[test] fn $name() { insta::assert_snapshot!($report); })*
    };
}

told! {
    out_of_range: report_of_changes(&[("{ value = 132,", "{ value = 0,"), ("{ value = 1980,", "{ value = nan,"), ("value = 2.76", "value = -1"), ("value = 32,", "value = 1_000_000,"), ("value = 1024,", "value = 100,"), ("value = 65536,", "value = 99999999999999999999,"), ("\"9.0\"", "\"nine\"")]);
    wrong_types: report_of_changes(&[("{ value = 132,", "{ value = \"132\","), ("{ value = 1980,", "{ value = true,"), ("\"9.0\"", "9.0"), ("\"stack+yield\"", "7"), ("value = false", "value = 0"), ("value = 4,", "value = 4.5,"), ("title = \"NVIDIA H200\"", "title = 200"), ("[atomics]", "[[atomics]]"), ("[global.l1]", "[global]\nl1 = 5\n[other]")]);
    unknown_keys: report_of_changes(&[("sm_count", "sm_cuont"), ("[units.integer]", "[units.integr]"), ("title", "name"), ("{ value = 2.76, source", "{ value = 2.76, unit = \"us\", sorce"), ("[barrier]", "[barriers]")]);
    unknown_names: report_of_changes(&[("\"stack+yield\"", "\"stack-yield\""), ("\"sectors\"", "\"sector\""), ("\"phases_32\"", "\"banks\"")]);
    no_sources: report_of_changes(&[(line_of("sm_count"), "sm_count = 132"), (line_of("launch_us"), "launch_us = { value = 2.5 }"), (line_of("gb_per_s"), "gb_per_s = { value = 3890, source = \" \" }"), (line_of("pass_cycles"), "pass_cycles = { value = 1, source = 1 }"), (line_of("sm_clock_mhz"), "sm_clock_mhz = { source = \"x\" }")]);
    missing_keys: report("# a GPU\ntitle = \"mine\"\n[occupancy]\n[units.integer]\ninterval_cycles = { value = 1, source = \"x\" }\n[global]\n[global.l1]\n");
    only_comments: report("# a GPU\n");
    parts_larger_than_the_whole: report_of_changes(&[("threads_per_block = { value = 1024", "threads_per_block = { value = 4096"), ("value = 255", "value = 4096"), ("registers_per_sm = { value = 65536", "registers_per_sm = { value = 4000"), ("value = 49152", "value = 300000")]);
    not_toml: report("sm_count = 132 SMs\n[occupancy\nthreads_per_sm = { value = 2Ki }\n");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in "(?s).{0,200}") {
        prop_assert!(Profile::parse("x.toml", &text).is_err());
    }

    #[test]
    fn a_profile_with_a_stretch_cut_out_never_panics_and_is_never_wrong_without_a_word(
        start in any::<prop::sample::Index>(), length in 1_usize..200,
    ) {
        let mut text = text_of("gtx280").to_owned();
        let start = start.index(text.len());
        text.replace_range(start..(start + length).min(text.len()), "");
        if let Err(errors) = Profile::parse("x.toml", &text) {
            prop_assert!(!errors.report(ReportStyle::Plain, 60).is_empty());
        }
    }
}

#[test]
fn driver_copies_are_those_of_the_probe() {
    let profile = Profile::load("h200").unwrap();
    // results/nvidia-h200/constants/copies.csv
    for (bytes, measured_us) in [
        (1 << 20, 4.416),
        ((992 << 10) + 1024, 4.224),
        ((1 << 20) + 1024, 7.328),
        ((16 << 20) + 4096, 10.848),
        ((128 << 20) + 4, 67.2),
    ] {
        let simulated_us = profile.copy_us(bytes);
        assert!((simulated_us / measured_us - 1.0).abs() < 0.12, "{bytes} bytes: {simulated_us} of {measured_us} us");
    }
    assert!((profile.copy_us(84 << 10) - profile.copy_us((84 << 10) + 4)).abs() < 0.01);
}

#[test]
fn groups_of_multiprocessors_are_numbers() {
    let of = |groups: &str| {
        let text = include_str!("h200.toml").replace("\"18 18 16 16 16 16 16 8 2 2 2 2\"", groups);
        Profile::parse("my.toml", &text)
    };
    assert!(of("\"66 66\"").is_ok_and(|own| own.clusters.group_sizes[..3] == [66, 66, 0]));
    for wrong in ["\"18 eighteen\"", "\"\"", "\"132 0\""] {
        let errors = of(wrong).err().map(|errors| errors.to_string()).expect("it is wrong");
        assert!(errors.contains("`clusters.group_sizes` is no list of groups of multiprocessors"), "{errors}");
    }
}
