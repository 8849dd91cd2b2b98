//! The scenarios that come with the program: each is valid on every device, says where it is from, and draws and fits something.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use apbench::device::mock::{Mock, MockSettings};
use apbench::device::sim::Sim;
use apbench::device::{Cache, Device};
use apbench::family::{FAMILIES, Request};
use apbench::model::group::members;
use apbench::model::{Model, explained_by};
use apbench::parameter::Kind;
use apbench::properties::{Origin, Properties};
use apbench::record::{Median, PointRecord, RESULT_COLUMNS, Status, Texts, Timing};
use apbench::scenario::{EMBEDDED, Point, Scenario};
use gpu_simulator::profile::{Profile, embedded};

use crate::common::{Workspace, stderr, stdout};

/// Points of a scenario on a GPU at most: each takes about a fifth of a second, and all scenarios together ten minutes.
const POINTS_MAX: usize = 300;

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.iter().all(|file| file.extension().is_some_and(|extension| extension == "toml")));
    files
}

fn load(file: &Path) -> Scenario {
    Scenario::load(file, &[], 10_000).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Properties that scenarios must do with: those of every profile, and of a GPU that is none of them.
fn devices() -> Vec<Properties> {
    let profiles = embedded().iter().map(|own| Sim::open(Profile::load(own.name).unwrap()).properties().clone());
    let mock = Mock::new(MockSettings::default()).properties().clone();
    let gpu = Properties { sm_count: 132, l2_bytes: 60 << 20, memory_bytes: 140 << 30, ..mock };
    profiles.chain([gpu]).collect()
}

#[test]
fn of_several_scenarios_the_errors_of_each_are_told() {
    let workspace = Workspace::new();
    for (name, wrong) in [("one", "branchs"), ("two", "bransh")] {
        let text = format!("family = \"branching\"\n[grid]\n{wrong} = 1\n");
        std::fs::write(workspace.path(&format!("{name}.toml")), text).unwrap();
    }
    let sweep = ["sweep", "one.toml", "two.toml", "three.toml", "--dry-run", "--device", "mock"];
    let told = stderr(&workspace.apbench(&sweep).assert().code(2));
    for wanted in ["`branchs` is not a parameter", "`bransh` is not a parameter", "there is no file three.toml"] {
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
}

#[test]
fn every_scenario_says_where_it_is_from_and_what_to_make_of_it() {
    for file in files() {
        let scenario = load(&file);
        let name = &scenario.name;
        assert!(scenario.source.as_ref().is_some_and(|source| source.len() > 10), "{name} has no source");
        assert_ne!(&scenario.title, name, "{name} has no title");
        assert!(!scenario.charts.is_empty(), "{name} draws nothing");
        assert!(scenario.simulated_grid.is_some(), "{name} has no sizes for simulated devices");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("# "), "{name} does not begin with its question");
        assert!(text.contains(&format!("apbench sweep scenarios/{name}.toml")), "{name} does not say how to run it");
    }
}

#[test]
fn every_scenario_is_valid_and_of_a_bearable_size_on_every_device() {
    for file in files() {
        let scenario = load(&file);
        for device in devices() {
            let points = scenario.points(&device).unwrap_or_else(|errors| panic!("on {}: {errors}", device.spec));
            let runs = points.iter().filter(|point| point.variant.refusal(&device).is_none()).count();
            // A GPU may be too old for all of it.
            let are_too_new = scenario.variants.iter().all(|variant| variant.since > device.capability());
            assert!(runs > 0 || are_too_new, "{} has nothing to run on {}", scenario.name, device.spec);
            assert!(points.len() <= POINTS_MAX, "{} has {} points on {}", scenario.name, points.len(), device.spec);
            let most =
                points.iter().map(|point| scenario.family.device_bytes(&point.parameters).unwrap()).max().unwrap();
            assert!(most <= device.memory_bytes / 2, "{} needs {most} bytes on {}", scenario.name, device.spec);
        }
    }
}

/// A point as it is recorded that took a microsecond.
fn recorded(scenario: &Scenario, point: &Point, device: &Properties) -> PointRecord {
    let request = Request { variant: point.variant.name, parameters: &point.parameters, device, seed: 1 };
    let predictors = scenario.family.predictors(&request).unwrap_or_default();
    PointRecord {
        point: point.index,
        variant: point.variant.name.into(),
        parameters: point.parameters.iter().map(|(name, value)| (name, value.to_string().into())).collect(),
        status: Status::Ok,
        reason: "".into(),
        origin: Origin::Mock,
        timing: Some(Timing {
            median: Median { time_us: 1.0, low_us: None, high_us: None, samples: 30 },
            cache: Cache::Cold,
            hot: None,
            rounds: 5,
            clock_mhz: None,
            stopped_by: "precise".into(),
            flags: Vec::new(),
            phases: None,
        }),
        bytes: None,
        operations: None,
        predictors: predictors.into_iter().map(|(name, value)| (name, Some(value))).collect(),
        counters: Texts::default(),
    }
}

/// A law is undecided where its predictor has too few values, however well it was measured.
#[test]
fn every_law_of_a_scenario_has_values_enough_for_a_verdict() {
    let gpu = devices().pop().unwrap();
    let simulated = Sim::open(Profile::load("h200").unwrap()).properties().clone();
    let mut too_few = Vec::new();
    let mut laws = 0;
    for file in files() {
        let scenario = load(&file);
        let family = scenario.family;
        for device in [&gpu, &simulated] {
            let points = scenario.points(device).unwrap_or_else(|errors| panic!("on {}: {errors}", device.spec));
            let runs = points.iter().filter(|point| point.variant.refusal(device).is_none());
            let records: Vec<PointRecord> = runs.map(|point| recorded(&scenario, point, device)).collect();
            for request in &scenario.fits {
                let Model::Law { law, predictor, .. } = &request.model else { continue };
                let explained = explained_by(family, predictor);
                for (key, group) in members(request, family, &records) {
                    let variant = key.first().map_or("", |(_, variant)| variant.as_str());
                    if !explained.is_empty() && explained.iter().all(|name| family.ignores(variant, name)) {
                        continue;
                    }
                    let mut values: Vec<f64> = group.iter().map(|(_, observation)| observation.x).collect();
                    values.sort_by(f64::total_cmp);
                    values.dedup();
                    laws += 1;
                    let fewest = law.form.fewest_for_verdict();
                    // A variant may be there to keep the predictor where it is, as padding does with conflicts: then nothing is fitted.
                    if values.len() == 1 && group.len() >= fewest {
                        continue;
                    }
                    if values.len() < fewest {
                        let found = format!("{} of {predictor}, {fewest} are needed", values.len());
                        too_few.push(format!(
                            "{} on {}: {} of {key:?}: {found}",
                            scenario.name, device.spec, request.name
                        ));
                    }
                }
            }
        }
    }
    assert!(laws > 500, "{laws} laws");
    assert!(too_few.is_empty(), "{} of {laws}:\n{}", too_few.len(), too_few.join("\n"));
}

#[test]
fn no_two_columns_of_a_family_s_points_have_one_name() {
    let simulated = Sim::open(Profile::load("h200").unwrap());
    for family in FAMILIES {
        let parameters = family.parameters.iter().map(|parameter| parameter.name);
        let predictors = family.predictors.iter().map(|predictor| predictor.name);
        let others =
            ["point", "variant"].into_iter().chain(RESULT_COLUMNS).chain(simulated.counter_columns().iter().copied());
        let mut names = BTreeSet::new();
        for name in parameters.chain(predictors).chain(others) {
            assert!(names.insert(name), "{}: two columns are called {name}", family.name);
        }
    }
}

#[test]
fn every_variant_of_every_family_is_in_a_scenario() {
    let scenarios: Vec<Scenario> = files().iter().map(|file| load(file)).collect();
    for family in FAMILIES {
        let used: BTreeSet<&str> = scenarios
            .iter()
            .filter(|scenario| scenario.family.name == family.name)
            .flat_map(|scenario| scenario.variants.iter().map(|variant| variant.name))
            .collect();
        let all: BTreeSet<&str> = family.variants.iter().map(|variant| variant.name).collect();
        assert_eq!(used, all, "{}", family.name);
    }
}

#[test]
fn every_variant_of_every_family_is_verified_at_odd_and_even_sizes() {
    for device in devices() {
        for family in FAMILIES {
            let points = family.verification(&device);
            let size = family.size.unwrap_or_else(|| panic!("{} has no size", family.name)).parameter;
            let of_sizes: Vec<i64> =
                points.iter().filter_map(|point| point.get(size)?.as_number()).map(|size| size as i64).collect();
            assert_eq!(of_sizes.len(), points.len(), "{} has a size", family.name);
            // Of a size that is a multiple of something, the multiples are odd and even.
            let step = match family.parameter(size).map(|parameter| &parameter.kind) {
                Some(Kind::Integer { multiple_of, .. }) => *multiple_of,
                _ => 1,
            };
            for parity in [0, 1] {
                assert!(of_sizes.iter().any(|size| size / step % 2 == parity), "{} on {}", family.name, device.spec);
            }
            for point in &points {
                family.check(point).unwrap_or_else(|conflict| panic!("{} {point}: {}", family.name, conflict.problem));
                for parameter in family.parameters {
                    parameter.kind.check(point.get(parameter.name).unwrap()).unwrap();
                }
            }
        }
    }
}

#[test]
fn the_program_holds_every_scenario_of_the_folder() {
    let files = files();
    let mut names: Vec<&str> = files.iter().filter_map(|file| file.file_stem()?.to_str()).collect();
    names.sort_unstable();
    let held: Vec<&str> = EMBEDDED.iter().map(|own| own.name).collect();
    assert_eq!(held, names, "src/scenario/embedded.rs has a row for each file of scenarios/, by name");
}

#[test]
fn without_the_folder_the_program_runs_the_scenario_that_it_holds() {
    let workspace = Workspace::new();
    let dry = |scenario: &str| workspace.apbench(&["sweep", scenario, "--device", "mock", "--dry-run"]).assert();
    let note = "note: scenarios/branching.toml is not here; the scenario is the one that comes with apbench\n";
    for (scenario, note) in [("branching", ""), ("scenarios/branching.toml", note)] {
        let assert = dry(scenario).code(0);
        assert!(stdout(&assert).starts_with("branching on "), "{}", stdout(&assert));
        assert_eq!(stderr(&assert), note);
    }
    for missing in ["brancing", "Branching", "branching.toml", "elsewhere/branching.toml"] {
        let told = stderr(&dry(missing).code(2));
        assert!(told.contains(&format!("there is no file {missing}, and no scenario of that name")), "{told}");
        assert!(told.contains("did you mean `branching`, which comes with apbench?"), "{told}");
    }
    let told = stderr(&dry("zebra").code(2));
    assert!(told.contains("`apbench list` has the names") && !told.contains("did you mean"), "{told}");
}

#[test]
fn files_of_the_folder_come_before_what_the_program_holds() {
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.path("scenarios")).unwrap();
    for name in ["branching", "mine"] {
        std::fs::copy(workspace.path("small.toml"), workspace.path(&format!("scenarios/{name}.toml"))).unwrap();
        let assert = workspace.apbench(&["sweep", name, "--device", "mock", "--dry-run"]).assert().code(0);
        assert!(stdout(&assert).contains("\n8 points; "), "{}", stdout(&assert));
        assert_eq!(stderr(&assert), "");
    }
}

#[test]
fn list_has_the_scenarios_and_prints_the_text_of_one() {
    let workspace = Workspace::new();
    let overview = stdout(&workspace.apbench(&["list"]).assert().code(0));
    for own in EMBEDDED {
        assert!(overview.contains(&format!("  {} ", own.name)), "{}", own.name);
    }
    let text = stdout(&workspace.apbench(&["list", "--scenario", "branching"]).assert().code(0));
    let file = files().into_iter().find(|file| file.ends_with("branching.toml")).unwrap();
    assert_eq!(text, std::fs::read_to_string(file).unwrap());
    workspace.apbench(&["list", "--scenario", "nothing"]).assert().code(2);
}
