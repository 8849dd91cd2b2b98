//! The grid of a scenario: axes that multiply, and the points that they span.

use super::axis::{self, Column};
use super::overrides::Override;
use crate::family::Family;
use crate::parameter::Value;
use located_toml::problem::{Place, Problem, Problems};
use located_toml::section::Section;
use located_toml::words::{and_list, count, instead, quote};

/// One direction of a grid: a parameter with its values, or several parameters that go together.
#[derive(Debug, Clone)]
pub struct Axis {
    columns: Vec<Column>,
    /// Whether it is a `[[zip]]` group, if only of one parameter.
    is_group: bool,
}

impl From<Column> for Axis {
    fn from(column: Column) -> Self {
        Self { columns: vec![column], is_group: false }
    }
}

impl Axis {
    /// The parameters that the axis varies; several where they are zipped.
    pub fn parameters(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|column| column.parameter)
    }

    /// How many steps the axis has.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// Whether the axis has no steps; the axes of a scenario have.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The parameters' values at one step.
    pub fn row(&self, step: usize) -> impl Iterator<Item = (&'static str, &Value)> {
        self.columns.iter().filter_map(move |column| Some((column.parameter, column.values.get(step)?)))
    }

    /// The place of each parameter's value at one step.
    pub(super) fn place(&self, parameter: &str, step: usize) -> Option<Place> {
        let column = self.columns.iter().find(|column| column.parameter == parameter)?;
        Some(column.places.get(step).copied().unwrap_or(column.place))
    }

    fn name(&self) -> String {
        self.parameters().collect::<Vec<_>>().join("+")
    }
}

/// The Cartesian product of the axes: the first axis varies slowest, the last one fastest.
#[derive(Debug, Clone)]
pub struct Grid {
    axes: Vec<Axis>,
}

impl Grid {
    /// The axes, in the order in which the scenario gives them: `[grid]`, then every `[[zip]]`.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// How many points every variant has.
    pub fn len(&self) -> usize {
        self.axes.iter().map(Axis::len).fold(1, usize::saturating_mul)
    }

    /// Whether there is no point; a scenario's grid has at least one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The step on every axis of the point with this index.
    pub fn steps(&self, index: usize) -> Vec<usize> {
        let mut rest = index;
        let mut steps: Vec<usize> = self
            .axes
            .iter()
            .rev()
            .map(|axis| {
                let step = rest % axis.len().max(1);
                rest /= axis.len().max(1);
                step
            })
            .collect();
        steps.reverse();
        steps
    }
}

/// Reads the grid of a family from `[grid]`, the `[[zip]]` groups and the overrides.
pub(super) fn read(
    family: &'static Family,
    grid: Option<&Section<'_>>,
    zips: &[Section<'_>],
    overrides: &[Override],
    max_points: usize,
    problems: &mut Problems,
) -> Grid {
    let mut reader = Reader { family, overrides, max_points, seen: Vec::new(), problems };
    let mut axes = Vec::new();
    if let Some(section) = grid {
        axes.extend(reader.columns(section).into_iter().map(Axis::from));
    }
    for single in &axes {
        single.columns.iter().for_each(|column| axis::deny_repeats(column, reader.problems));
    }
    let in_a_zip = |parameter: &str| zips.iter().any(|zip| zip.get(parameter).is_some());
    for appended in overrides {
        let name = appended.column.parameter;
        if grid.is_none_or(|grid| grid.get(name).is_none()) && !in_a_zip(name) {
            axis::deny_repeats(&appended.column, reader.problems);
            axes.push(appended.column.clone().into());
        }
    }
    for zip in zips {
        let columns = reader.columns(zip);
        if zip.fields.is_empty() {
            let problem = Problem::new("a [[zip]] group without parameters").at(zip.place);
            let help =
                "name the parameters that go together: operation = [\"compute\", \"convolution\"], work = [16, 8]";
            reader.problems.push(problem.help(help).absence());
        }
        check_zip(&columns, zip, reader.problems);
        axes.push(Axis { columns, is_group: true });
    }
    axes.retain(|axis| !axis.columns.is_empty());
    Grid { axes }
}

/// Reads `[simulated]`: the grid with the parameters replaced that the table has. An override goes before both.
pub(super) fn simulated(
    family: &'static Family,
    section: &Section<'_>,
    grid: &Grid,
    zips: &[Section<'_>],
    overrides: &[Override],
    max_points: usize,
    problems: &mut Problems,
) -> Grid {
    let mut axes = grid.axes.clone();
    let columns = Reader { family, overrides: &[], max_points, seen: Vec::new(), problems }.columns(section);
    for column in columns {
        let name = column.parameter;
        if let Some(zipped) = zips.iter().find_map(|zip| zip.get(name)) {
            let place = section.get(name).map_or(column.place, |field| field.key_place);
            let problem = Problem::new(format!("[simulated] cannot replace `{name}`, which is in a [[zip]] group"));
            let problem = problem.label(place, "replaced here").label(zipped.key_place, "in a group");
            problems.push(problem.help("leave it out, or move the parameter from the group to [grid]"));
            continue;
        }
        axis::deny_repeats(&column, problems);
        if overrides.iter().any(|given| given.column.parameter == name) {
            continue;
        }
        let replacement = Axis::from(column);
        if let Some(axis) = axes.iter_mut().find(|axis| axis.parameters().any(|own| own == name)) {
            *axis = replacement;
        } else {
            // Before the groups, as if it were in [grid].
            let end = axes.iter().position(|axis| axis.is_group).unwrap_or(axes.len());
            axes.insert(end, replacement);
        }
    }
    Grid { axes }
}

struct Reader<'a> {
    family: &'static Family,
    overrides: &'a [Override],
    max_points: usize,
    seen: Vec<(String, Place)>,
    problems: &'a mut Problems,
}

impl Reader<'_> {
    /// The columns of a table of parameters, in its order.
    fn columns(&mut self, section: &Section<'_>) -> Vec<Column> {
        let mut columns = Vec::new();
        for field in &section.fields {
            let Some(parameter) = self.family.parameter(field.key) else {
                let names: Vec<&str> = self.family.parameters.iter().map(|parameter| parameter.name).collect();
                let help = match field.key {
                    "variant" | "variants" => {
                        "variants are not a parameter: list them above [grid], variants = [...]".into()
                    }
                    key => instead(key, &names),
                };
                self.problems.push(
                    Problem::new(format!("{} is not a parameter of `{}`", quote(field.key), self.family.name))
                        .at(field.key_place)
                        .help(help),
                );
                continue;
            };
            if let Some((_, first)) = self.seen.iter().find(|(name, _)| name == field.key) {
                self.problems.push(
                    Problem::new(format!("`{}` is there twice", field.key))
                        .label(field.key_place, "again")
                        .label(*first, "first")
                        .help("a parameter can be in [grid] or in one [[zip]] group"),
                );
                continue;
            }
            self.seen.push((field.key.to_owned(), field.key_place));
            columns.push(match self.overrides.iter().find(|given| given.column.parameter == field.key) {
                Some(given) => given.column.clone(),
                None => axis::read(parameter, field.node, self.max_points, self.problems),
            });
        }
        columns
    }
}

/// Options that go together: those that are given, and for the others as many of the first values of the scenario.
fn together(columns: &[Column], zip: &Section<'_>) -> String {
    let is_given = |column: &&Column| column.place.source != zip.place.source;
    let most = columns.iter().filter(is_given).max_by_key(|column| column.values.len());
    let Some(most) = most else { return String::new() };
    let option = |column: &Column| {
        let own = (0..most.values.len()).filter_map(|row| column.values.get(row).or(column.values.last()));
        let values: Vec<String> = own.map(ToString::to_string).collect();
        format!("--set {}={}", column.parameter, values.join(","))
    };
    columns.iter().map(option).collect::<Vec<_>>().join(" ")
}

/// Checks that the columns of a group have one length and no row twice.
fn check_zip(columns: &[Column], zip: &Section<'_>, problems: &mut Problems) {
    let Some(counts) = columns.iter().map(|column| column.count).collect::<Option<Vec<usize>>>() else { return };
    if counts.windows(2).any(|pair| pair[0] != pair[1]) {
        let names: Vec<&str> = columns.iter().map(|column| column.parameter).collect();
        let message =
            format!("{} go together in a [[zip]] group but differ in their number of values", and_list(&names));
        // An override is why a file that was fine is not any more: it is shown first.
        let mut labelled: Vec<(&Column, usize)> = columns.iter().zip(counts).collect();
        labelled.sort_by_key(|(column, _)| std::cmp::Reverse(column.place.source));
        let overridden = labelled.iter().any(|(column, _)| column.place.source != zip.place.source);
        let problem = labelled.iter().fold(Problem::new(message), |problem, (column, number)| {
            problem.label(column.place, format!("`{}`: {}", column.parameter, count(*number, "value")))
        });
        problems.push(problem.help(if overridden {
            let options = together(columns, zip);
            format!("override all parameters of the group with as many values each, such as {options}")
        } else {
            "give each as many values; a parameter that stays the same belongs in [grid]".to_owned()
        }));
        return;
    }
    let mut first = std::collections::HashMap::new();
    for row in 0..counts.first().copied().unwrap_or(0) {
        let values: Option<Vec<&Value>> = columns.iter().map(|column| column.values.get(row)).collect();
        // A value that could not be read has been reported.
        let Some(values) = values else { return };
        let before = *first.entry(values).or_insert(row);
        if before != row {
            let problem = columns.iter().fold(
                Problem::new(format!("rows {} and {} of a [[zip]] group are the same", before + 1, row + 1)),
                |problem, column| problem.label(column.places[row], format!("row {}", row + 1)),
            );
            problems.push(problem.help("leave one of them out"));
            return;
        }
    }
}

/// Reports a grid of more than `max_points` points.
pub(super) fn check_size(grid: &Grid, variants: usize, max_points: usize, problems: &mut Problems) {
    let points = grid.axes.iter().map(|axis| axis.len() as u128).fold(variants as u128, u128::saturating_mul);
    if points <= max_points as u128 {
        return;
    }
    let mut factors = vec![count(variants, "variant")];
    factors.extend(grid.axes.iter().map(|axis| format!("{} {}", axis.len(), axis.name())));
    let problem = Problem::new(format!("the grid has {points} points, more than the {max_points} allowed"));
    let problem = grid.axes.iter().filter(|axis| axis.len() > 1).fold(problem, |problem, axis| {
        let place = axis.columns.first().map(|column| column.place);
        place.map_or(problem.clone(), |place| problem.label(place, count(axis.len(), "value")))
    });
    let product = factors.join(" x ");
    problems.push(problem.help(format!("{product} = {points}: give fewer values, or allow --max-points {points}")));
}
