//! What holds for every input.

use proptest::prelude::*;

use super::*;

/// A valid scenario that has everything.
const FULL: &str = r#"# comment
name = "branching"
title = "Runtime" # more
source = "Cornelis 2010"
family = "branching"
variants = ["divergent"]

[grid]
branches = { from = 1, to = 4, step = 1 }
work = { from = 1, to = 16, times = 2 }
arithmetic = ["integer"]
block.from = 32
block.to = 64
block.step = 32

[[zip]]
operation = ["compute", "convolution"]
width = [64, 65]

[simulated]
branches = [1, 2]
frequency = "even" # always

[measure]
precision_pct = 1.0
budget_s = 2.0
samples_min = 10
samples_max = 1000
seed = 1

[[fit]]
name = "per-branch"
law = "branches"

[[chart]]
name = "runtime"
x = "branches"
series = ["operation", "variant"]
"#;

/// Parses, expands and reports: none of it may panic.
fn exercise(text: &str, overrides: &[String]) {
    match Scenario::parse("x.toml", text, overrides, 200) {
        Ok(scenario) => {
            let again = Scenario::parse("x.toml", &scenario.text, &[], 200);
            let again = again.unwrap_or_else(|errors| {
                panic!("{}\n{}", scenario.text, errors.report(ReportStyle::Plain, 100));
            });
            assert_eq!(summary(&scenario), summary(&again), "{}", scenario.text);
            for device in [device(), simulated_device()] {
                if let Err(errors) = scenario.points(&device) {
                    report(&errors);
                }
            }
        }
        Err(errors) => report(&errors),
    }
}

fn report(errors: &ScenarioErrors) {
    assert!(!errors.errors().is_empty());
    for width in [0, 60, 100] {
        let plain = errors.report(ReportStyle::Plain, width);
        assert!(plain.lines().last().is_some_and(|line| line.contains("error")), "{plain}");
        assert!(!plain.contains("Failed to read"), "{plain}");
        assert!(!plain.contains('\u{1b}'), "{plain:?}");
        errors.report(ReportStyle::Colour, width);
    }
}

/// All that a scenario says, places aside.
fn summary(scenario: &Scenario) -> String {
    let axes = |grid: &Grid| -> Vec<Vec<String>> {
        let rows =
            |axis: &Axis| (0..axis.len()).map(|step| format!("{:?}", axis.row(step).collect::<Vec<_>>())).collect();
        grid.axes().iter().map(rows).collect()
    };
    format!(
        "{:?}",
        (
            &scenario.name,
            &scenario.title,
            &scenario.source,
            scenario.family.name,
            &scenario.variants,
            axes(&scenario.grid),
            scenario.simulated_grid.as_ref().map(axes),
            scenario.measure,
            &scenario.fits,
            &scenario.charts,
        )
    )
}

/// Pieces of scenarios and of nonsense, to put together and into one another.
fn piece() -> impl Strategy<Value = String> {
    let words = vec![
        "[grid]",
        "[[zip]]",
        "[measure]",
        "[simulated]",
        "[[fit]]",
        "[[chart]]",
        "[grid.work]",
        "family",
        "name",
        "branches",
        "work",
        "operation",
        "\"compute\"",
        "weights",
        "\"9:1\"",
        "=",
        "=",
        "=",
        "[",
        "]",
        "{",
        "}",
        ",",
        ".",
        "\n",
        "\n",
        "\"",
        "'",
        "\"\"\"",
        "#",
        "1",
        "0",
        "-1",
        "32",
        "9223372036854775807",
        "1e999",
        "nan",
        "0x",
        "from",
        "to",
        "step",
        "times",
        "law",
        "\"branches\"",
        "x",
        "series",
        "true",
        "1979-05-27",
        "é",
        "\u{1b}",
        "\t",
        "\r",
        "\u{feff}",
        "\\u0000",
        " ",
    ];
    prop_oneof![4 => proptest::sample::select(words).prop_map(str::to_owned), 1 => ".{0,12}"]
}

/// The full scenario with some stretches replaced.
fn mutated() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0_usize..30, proptest::collection::vec(piece(), 0..4));
    proptest::collection::vec(edit, 0..6).prop_map(|edits| {
        let mut text = FULL.to_owned();
        for (position, length, pieces) in edits {
            let boundaries: Vec<usize> = text.char_indices().map(|(offset, _)| offset).chain([text.len()]).collect();
            let start = position.index(boundaries.len());
            let end = (start + length).min(boundaries.len() - 1);
            text.replace_range(boundaries[start]..boundaries[end], &pieces.concat());
        }
        text
    })
}

fn override_argument() -> impl Strategy<Value = String> {
    let valid = vec![
        "branches=1,2",
        "branches=3",
        "work={ from = 1, to = 4, step = 1 }",
        "work = [ 7, 8 ]",
        "block=64",
        "arithmetic=integer",
        "operation=convolution,compute",
        "width=[1, 2] # two",
        "weights=9:1,1:1",
        "weights='9:1'",
        "frequency=even",
    ];
    prop_oneof![
        5 => proptest::sample::select(valid).prop_map(str::to_owned),
        1 => proptest::collection::vec(piece(), 0..6).prop_map(|pieces| pieces.concat()),
        1 => (proptest::sample::select(vec!["work=", "width=", "operation="]), proptest::collection::vec(piece(), 0..6))
            .prop_map(|(start, pieces)| start.to_owned() + &pieces.concat()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in "(?s).{0,200}") {
        exercise(&text, &[]);
    }

    #[test]
    fn no_mixture_of_pieces_panics(pieces in proptest::collection::vec(piece(), 0..40)) {
        exercise(&pieces.concat(), &[]);
    }

    #[test]
    fn no_mutated_scenario_panics(
        text in mutated(),
        overrides in proptest::collection::vec(override_argument(), 0..3),
    ) {
        exercise(&text, &overrides);
    }

    #[test]
    fn the_text_of_an_overridden_scenario_is_that_scenario(
        overrides in proptest::collection::vec(override_argument(), 0..4),
    ) {
        exercise(FULL, &overrides);
    }

    #[test]
    fn steps_number_the_points_in_order(lengths in proptest::collection::vec(1_usize..4, 0..4)) {
        let names = ["branches", "work", "width", "block"];
        let axis = |(name, length): (&str, &usize)| {
            let values: Vec<String> = (1..=*length).map(|value| (32 * value).to_string()).collect();
            let values = if name == "branches" { (1..=*length).map(|value| value.to_string()).collect() } else { values };
            format!("{name} = [{}]\n", values.join(", "))
        };
        let text: String = names.into_iter().zip(&lengths).map(axis).collect();
        let scenario = grid(&format!("[grid]\n{text}"), &[]);
        let all: Vec<Vec<usize>> = (0..scenario.grid.len()).map(|index| scenario.grid.steps(index)).collect();
        prop_assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert_eq!(all.len(), lengths.iter().product::<usize>());
        prop_assert_eq!(scenario.points(&device()).map_or(0, |points| points.len()), all.len());
    }
}
