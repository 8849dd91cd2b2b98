//! What a scenario means, and what its errors look like.

use std::path::Path;

use super::*;
use crate::device::Device;
use crate::device::mock::{Mock, MockSettings};
use crate::model::Model;
use crate::properties::{Origin, Properties};
use crate::record::Only;
use located_toml::ReportStyle;

mod messages;
mod properties;

pub(super) fn device() -> Properties {
    Properties {
        name: "mock".to_owned(),
        memory_bytes: 1 << 30,
        ..Mock::new(MockSettings::default()).properties().clone()
    }
}

pub(super) fn simulated_device() -> Properties {
    Properties { origin: Origin::Simulated, ..device() }
}

pub(super) fn parse(text: &str, overrides: &[&str]) -> Result<Scenario, ScenarioErrors> {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    Scenario::parse("scenarios/x.toml", text, &overrides, 10_000)
}

/// The head of a scenario of one variant of the branching family.
const PATTERN: &str = "family = \"branching\"\nvariants = [\"divergent\"]\n";

/// A scenario of that variant with this grid, which must be valid.
fn grid(grid: &str, overrides: &[&str]) -> Scenario {
    match parse(&format!("{PATTERN}{grid}"), overrides) {
        Ok(scenario) => scenario,
        Err(errors) => panic!("{}", errors.report(ReportStyle::Plain, 100)),
    }
}

/// The values of some parameters at every point, a line each.
fn listing(scenario: &Scenario, parameters: &[&str]) -> String {
    listing_on(&device(), scenario, parameters)
}

/// The same where the device is simulated.
fn simulated_listing(scenario: &Scenario, parameters: &[&str]) -> String {
    listing_on(&simulated_device(), scenario, parameters)
}

fn listing_on(device: &Properties, scenario: &Scenario, parameters: &[&str]) -> String {
    let points = scenario.points(device).expect("the points go together");
    let line = |point: &Point| {
        let values = parameters.iter().map(|name| point.parameters.get(name).map(ToString::to_string));
        values.collect::<Option<Vec<_>>>().expect("a parameter").join(" ")
    };
    points.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The values of one parameter at every point.
fn values(written: &str, parameter: &str) -> String {
    listing(&grid(&format!("[grid]\n{parameter} = {written}"), &[]), &[parameter]).replace('\n', " ")
}

#[test]
fn ranges_have_known_values() {
    assert_eq!(values("{ from = 1, to = 32, step = 5 }", "branches"), "1 6 11 16 21 26 31");
    assert_eq!(values("{ from = 1, to = 7, step = 3 }", "branches"), "1 4 7");
    assert_eq!(values("{ from = 3, to = 3, step = 1 }", "branches"), "3");
    assert_eq!(values("{ from = 1, to = 100, times = 3 }", "work"), "1 3 9 27 81");
    assert_eq!(values("{ from = 1, to = 64, times = 2 }", "work"), "1 2 4 8 16 32 64");
    assert_eq!(values("{ from = 5, to = 4096, times = 9223372036854775807 }", "work"), "5");
    assert_eq!(values("{ from = 5, to = 4096, step = 9223372036854775807 }", "work"), "5");
    assert_eq!(values("0x20", "block"), "32");
}

#[test]
fn axes_multiply_in_the_order_of_the_file_and_the_last_is_fastest() {
    let scenario = grid("[grid]\nwork = [1, 2]\nbranches = [3, 4]\n[[zip]]\nwidth = [64, 65]\nblock = [32, 64]", &[]);
    let expected = "1 3 64 32\n1 3 65 64\n1 4 64 32\n1 4 65 64\n2 3 64 32\n2 3 65 64\n2 4 64 32\n2 4 65 64";
    assert_eq!(listing(&scenario, &["work", "branches", "width", "block"]), expected);
    let indices: Vec<usize> = scenario.points(&device()).expect("points").iter().map(|point| point.index).collect();
    assert_eq!(indices, (0..8).collect::<Vec<_>>());
    let reordered = grid("[grid]\nbranches = [3, 4]\nwork = [1, 2]", &[]);
    assert_eq!(listing(&reordered, &["branches", "work"]), "3 1\n3 2\n4 1\n4 2");
}

#[test]
fn a_scenario_may_be_written_in_every_form_of_toml() {
    let expected = "1 2\n1 3\n2 2\n2 3";
    for form in [
        "grid = { work = [1, 2], branches = [2, 3] }",
        "grid.work = [1, 2]\ngrid.branches = [2, 3]",
        "[grid]\nwork = [1, 2]\nbranches.from = 2\nbranches.to = 3\nbranches.step = 1",
        "[grid.work]\nfrom = 1\nto = 2\nstep = 1\n[grid.branches]\nfrom = 2\nto = 3\nstep = 1",
        "zip = [{ work = [1, 2] }, { branches = [2, 3] }]",
        "[[zip]]\nwork.from = 1\nwork.to = 2\nwork.times = 2\n[[zip]]\nbranches = [\n  2,\n  3,\n]",
    ] {
        assert_eq!(listing(&grid(form, &[]), &["work", "branches"]), expected, "{form}");
        // An override changes the values and nothing else, in the points and in the text.
        let overridden = grid(form, &["work=5,6", "width=64"]);
        assert_eq!(listing(&overridden, &["work", "branches", "width"]), "5 2 64\n5 3 64\n6 2 64\n6 3 64", "{form}");
        let again = parse(&overridden.text, &[]).expect("the text is a scenario");
        assert_eq!(
            listing(&again, &["work", "branches", "width"]),
            listing(&overridden, &["work", "branches", "width"]),
            "{form}"
        );
    }
}

#[test]
fn parameters_that_are_not_mentioned_have_the_devices_default() {
    let scenario = grid("", &[]);
    let mut large = device();
    large.l2_bytes = 60 << 20;
    assert_eq!(scenario.points(&device()).expect("points")[0].parameters.read::<u64>("width"), Ok(2048));
    assert_eq!(scenario.points(&large).expect("points")[0].parameters.read::<u64>("width"), Ok(4096));
}

#[test]
fn defaults_are_filled_in() {
    let scenario = Scenario::parse("dir/My file_2.toml", "family = \"branching\"\n[[chart]]\nx = \"work\"", &[], 10)
        .expect("a valid scenario");
    assert_eq!((scenario.name.as_str(), scenario.title.as_str()), ("my-file-2", "my-file-2"));
    assert_eq!(scenario.variants.len(), scenario.family.variants.len());
    assert_eq!(scenario.measure, MeasureSettings::default());
    let chart =
        ChartRequest { name: "runtime".into(), title: "my-file-2".into(), x: "work".into(), ..ChartRequest::default() };
    assert_eq!(scenario.charts, [chart]);
    assert!(scenario.fits.is_empty() && scenario.source.is_none());
}

#[test]
fn charts_and_fits_are_read() {
    let text = "[[fit]]\nlaw = \"slowdown\"\nreference = \"divergent\"\n[[chart]]\nx = \"branches\"\nx_scale = \"log\"\n\
                y = \"slowdown\"\nreference = \"divergent\"\ny_scale = \"log\"\n\
                only = { variant = \"divergent\", operation = \"compute\", block = [64, 128] }\n\
                [[chart]]\nname = \"b\"\nx = \"work\"\ny = \"gb_per_s\"\nx_scale = \"linear\"";
    let scenario = grid(text, &[]);
    let [fit] = &scenario.fits[..] else { panic!("{:?}", scenario.fits) };
    assert_eq!((fit.name.as_str(), &fit.model), ("slowdown", &Model::Slowdown { reference: "divergent".into() }));
    let condition = |name: &str, values: &[&str]| (name.to_owned(), values.iter().map(ToString::to_string).collect());
    let expected = ChartRequest {
        kind: ChartKind::Lines,
        name: "runtime".into(),
        title: "x".into(),
        x: "branches".into(),
        x_scale: Scale::Log,
        y: Vertical::Slowdown { reference: "divergent".into() },
        y_scale: Scale::Log,
        series: None,
        facets: None,
        of: None,
        size: None,
        only: Only {
            conditions: vec![
                condition("variant", &["divergent"]),
                condition("operation", &["compute"]),
                condition("block", &["64", "128"]),
            ],
        },
    };
    assert_eq!(scenario.charts[0], expected);
    assert_eq!((&scenario.charts[1].y, scenario.charts[1].x_scale), (&Vertical::Throughput, Scale::Linear));
}

#[test]
fn settings_are_read() {
    let text = "family = \"branching\"\n[measure]\nprecision_pct = 2\nbudget_s = 0.5\nsamples_min = 6\nsamples_max = 6\nseed = 7";
    let settings = MeasureSettings {
        precision_pct: 2.0,
        budget_s: 0.5,
        samples_min: 6,
        samples_max: 6,
        seed: 7,
        ..MeasureSettings::default()
    };
    assert_eq!(parse(text, &[]).expect("valid").measure, settings);
}

#[test]
fn overrides_replace_in_place_and_keep_comments() {
    let text = "# head\nfamily = \"branching\" # which\nvariants = [\"divergent\"]\n\n[grid]\n# why\nbranches = [1, 2]   # how many\nwork = 3\n\n\
                [[zip]]\noperation = [\"compute\", \"convolution\"]\nblock = [32, 64]\n\n[measure]\nseed = 2\n";
    let overrides =
        ["weights=9:1,1:1,1", "branches={ from = 4, to = 8, times = 2 }", "operation=compute", "block=\"64\""];
    assert!(parse(text, &overrides).is_err());
    let scenario = parse(text, &["width=64", "branches={ from = 4, to = 8, times = 2 }", "block=64,128"]);
    let scenario = scenario.expect("valid");
    insta::assert_snapshot!("overridden_text", scenario.text);
    insta::assert_snapshot!(
        "overridden_points",
        listing(&scenario, &["branches", "work", "width", "operation", "block"])
    );
    let created = parse("family = \"branching\"\n[[fit]]\nlaw = \"branches\"", &["weights=9:1,1", "work=4"]);
    insta::assert_snapshot!("overridden_text_without_grid", created.expect("valid").text);
}

#[test]
fn simulated_devices_have_values_of_their_own() {
    let text = "[grid]\nbranches = [1, 2]\nwork = [3, 4]\n[[zip]]\noperation = [\"compute\", \"convolution\"]\n\
                [simulated]\nbranches = { from = 4, to = 8, times = 2 }\nwidth = 32";
    let scenario = grid(text, &[]);
    let parameters = ["branches", "work", "width", "operation"];
    let measured = "1 3 2048 compute\n1 3 2048 convolution\n1 4 2048 compute\n1 4 2048 convolution\n\
                    2 3 2048 compute\n2 3 2048 convolution\n2 4 2048 compute\n2 4 2048 convolution";
    assert_eq!(listing(&scenario, &parameters), measured);
    // Replaced where it was, and added at the end of [grid].
    let simulated = "4 3 32 compute\n4 3 32 convolution\n4 4 32 compute\n4 4 32 convolution\n\
                     8 3 32 compute\n8 3 32 convolution\n8 4 32 compute\n8 4 32 convolution";
    assert_eq!(simulated_listing(&scenario, &parameters), simulated);
    assert_eq!(scenario.text, format!("{PATTERN}{text}"), "a run keeps the table");
    for (sizes, expected) in [(Sizes::Gpu, measured), (Sizes::Simulated, simulated)] {
        let scenario = grid(text, &[]).with_sizes(sizes).expect("the same scenario");
        assert_eq!(listing(&scenario, &parameters), expected, "{}", scenario.text);
        assert_eq!(simulated_listing(&scenario, &parameters), expected, "{}", scenario.text);
        let again = grid(scenario.text.strip_prefix(PATTERN).expect("the same head"), &[]);
        assert_eq!(listing(&again, &parameters), expected, "a run's file says it");
    }
}

#[test]
fn sizes_of_a_scenario_without_simulated_ones_are_those_that_it_has() {
    let text = "[grid]\nbranches = [1, 2] # why";
    assert_eq!(grid(text, &[]).with_sizes(Sizes::Simulated).expect("valid").text, format!("{PATTERN}{text}"));
}

#[test]
fn an_override_goes_before_the_values_of_simulated_devices() {
    for form in [
        "[simulated]\n# why\nwidth = 32 # small\nwork = 2",
        "simulated = { width = 32, work = 2 }",
        "simulated.width = 32\nsimulated.work = 2",
        "[simulated.width]\nfrom = 1\nto = 2\nstep = 1\n[simulated.work]\nfrom = 2\nto = 2\nstep = 1",
    ] {
        let scenario = grid(form, &["width=64,65", "branches=3"]);
        let expected = "3 2 64\n3 2 65";
        assert_eq!(simulated_listing(&scenario, &["branches", "work", "width"]), expected, "{form}");
        assert_eq!(listing(&scenario, &["branches", "work", "width"]), "3 16 64\n3 16 65", "{form}");
        let again = parse(&scenario.text, &[]).expect("the text is a scenario");
        assert_eq!(simulated_listing(&again, &["branches", "work", "width"]), expected, "{}", scenario.text);
        assert_eq!(scenario.text.contains("# why"), form.contains("# why"));
    }
}

#[test]
fn the_shipped_scenarios_are_valid() {
    for (file, points, width) in
        [("branching", 64, 192), ("branching-unequal", 32, 96), ("branching-weighted", 16, 512)]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/{file}.toml"));
        let scenario = Scenario::load(&path, &[], 10_000).unwrap_or_else(|errors| {
            panic!("{}", errors.report(ReportStyle::Plain, 100));
        });
        assert_eq!(scenario.name, file);
        let expanded = scenario.points(&device()).unwrap_or_else(|errors| {
            panic!("{}", errors.report(ReportStyle::Plain, 100));
        });
        assert_eq!(expanded.len(), points, "{file}");
        let simulated = scenario.points(&simulated_device()).expect("points");
        assert_eq!(simulated.len(), points, "{file}");
        assert!(simulated.iter().all(|point| point.parameters.read::<u64>("width") == Ok(width)), "{file}");
        assert!(!scenario.fits.is_empty() && !scenario.charts.is_empty());
    }
}

#[test]
fn some_variants_may_be_asked_for_and_what_needs_others_is_left_out() {
    let text = "family = \"branching\" # all of them\n[grid]\nbranches = [1, 2]\n[[fit]]\nlaw = \"slowdown\"\nreference = \"divergent\"\n\
                [[fit]]\nlaw = \"branches\"\n[[chart]]\nx = \"branches\"\n[[chart]]\nname = \"own\"\nx = \"branches\"\n\
                only = { variant = \"divergent\" }\n";
    let told = |overrides: &[&str]| match parse(text, overrides) {
        Ok(scenario) => scenario,
        Err(errors) => panic!("{}", errors.report(ReportStyle::Plain, 100)),
    };
    let names = |scenario: &Scenario| scenario.variants.iter().map(|variant| variant.name).collect::<Vec<_>>();
    let one = told(&["--variant table_lookup", "branches=4"]);
    assert_eq!(names(&one), ["table_lookup"]);
    assert_eq!((one.fits.len(), one.charts.len()), (1, 1));
    assert_eq!(one.left_out.len(), 2, "{:?}", one.left_out);
    assert!(one.left_out[1].starts_with("chart own is left out: it needs a variant"), "{:?}", one.left_out);
    assert!(one.text.contains("# all of them\nvariants = [\"table_lookup\"]\n[grid]"), "{}", one.text);
    // The run reads it back.
    let again = match parse(&one.text, &[]) {
        Ok(scenario) => scenario,
        Err(errors) => panic!("{}", errors.report(ReportStyle::Plain, 100)),
    };
    assert_eq!((names(&again), again.fits.len(), again.charts.len()), (vec!["table_lookup"], 1, 1));
    let two = told(&["--variant table_lookup", "--variant divergent", "--variant divergent"]);
    assert_eq!(names(&two), ["divergent", "table_lookup"], "in the order of the scenario");
    assert!(two.left_out.is_empty());
    let wrong = parse(text, &["--variant table_lokup"]).expect_err("there is no such variant");
    let wrong = wrong.report(ReportStyle::Plain, 100);
    assert!(wrong.contains("no variant `table_lokup`") && wrong.contains("did you mean `table_lookup`?"), "{wrong}");
}
