//! A scenario's points on a device.

use std::collections::{HashMap, HashSet};

use super::{Grid, Scenario, ScenarioErrors};
use crate::family::{Conflict, Variant};
use crate::parameter::{ParameterSet, Value};
use crate::properties::{Origin, Properties};
use crate::record::PointRecord;
use located_toml::problem::{Place, Problem};
use located_toml::words::{and_list, count};

/// Most different problems that are told; a grid can have one for every point.
const PROBLEMS_MAX: usize = 5;

/// One point of a scenario's grid.
#[derive(Debug, Clone)]
pub struct Point {
    /// Its number, from 0, in the order of the grid.
    pub index: usize,
    /// The variant to run.
    pub variant: &'static Variant,
    /// A value for every parameter of the family.
    pub parameters: ParameterSet,
}

impl Point {
    /// Whether a row of a run is of this point. What the variant does not depend on has its default, which may have been another when the run was made, and
    /// a run of before there was a parameter does not have it.
    pub fn is_of(&self, row: &PointRecord) -> bool {
        let has = |(name, value): (&str, &Value)| {
            self.variant.ignores.contains(&name) || row.value(name).is_none_or(|own| own == value.to_string())
        };
        row.variant == self.variant.name && self.parameters.iter().all(has)
    }
}

/// A problem that points of the grid have, with the first that has it.
struct Found {
    conflict: Conflict,
    /// Where the scenario has the expression that cannot have its value.
    expression: Option<Place>,
    points: usize,
    steps: Vec<usize>,
    parameters: ParameterSet,
    /// The same of other values of these parameters.
    alike: Vec<String>,
}

impl Found {
    /// Whether it is told with this: the same values have the same remedy, or the same expression has no value.
    fn has(&self, conflict: &Conflict, expression: Option<Place>) -> bool {
        let is_alike = self.conflict.parameters == conflict.parameters && self.conflict.help == conflict.help;
        let is_of_values = self.expression.is_none() && expression.is_none() && is_alike;
        self.conflict == *conflict || is_of_values || (expression.is_some() && self.expression == expression)
    }
}

/// Whether the points differ in the parameter `name`.
pub fn varies(name: &str, points: &[Point]) -> bool {
    points.windows(2).any(|pair| pair[0].parameters.get(name) != pair[1].parameters.get(name))
}

/// The points in groups that are measured together, round by round: those that differ in their variant alone, so that
/// what a pattern and its remedies are compared by was measured under the same conditions. Groups and the points of
/// each are in the order of the grid.
pub fn groups(points: &[Point]) -> Vec<Vec<Point>> {
    let mut groups: Vec<Vec<Point>> = Vec::new();
    let mut by_parameters: HashMap<String, usize> = HashMap::new();
    for point in points {
        let group = *by_parameters.entry(point.parameters.to_string()).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(point.clone());
    }
    groups
}

impl Scenario {
    /// The grid on a device with these properties.
    fn grid_on(&self, properties: &Properties) -> &Grid {
        match &self.simulated_grid {
            Some(grid) if properties.origin == Origin::Simulated => grid,
            _ => &self.grid,
        }
    }

    /// The points on a device with these properties, the first variant's first, the last axis varying fastest.
    ///
    /// # Errors
    /// Values that do not go together, every distinct problem once.
    pub fn points(&self, properties: &Properties) -> Result<Vec<Point>, ScenarioErrors> {
        self.points_of(self.grid_on(properties), properties)
    }

    /// The points of a grid of the scenario on a device with these properties.
    ///
    /// # Errors
    /// As [`points`](Self::points).
    pub fn points_of(&self, grid: &Grid, properties: &Properties) -> Result<Vec<Point>, ScenarioErrors> {
        self.points_of_variants(&self.variants, grid, properties)
    }

    /// The points that these of its variants have alone.
    ///
    /// # Errors
    /// As [`points`](Self::points).
    pub fn points_of_variants(
        &self,
        variants: &[&'static Variant],
        grid: &Grid,
        properties: &Properties,
    ) -> Result<Vec<Point>, ScenarioErrors> {
        let defaults = ParameterSet::defaults(self.family.parameters, properties);
        let combinations = grid.len();
        let mut points = Vec::with_capacity(combinations.saturating_mul(variants.len()));
        let mut found: Vec<Found> = Vec::new();
        let mut problems_beyond = 0;
        for &variant in variants {
            let mut seen = HashSet::new();
            for combination in 0..combinations {
                let steps = grid.steps(combination);
                let (mut parameters, mut set) = (defaults.clone(), Ok(()));
                for (axis, step) in grid.axes().iter().zip(&steps) {
                    for (name, value) in axis.row(*step).filter(|(name, _)| !variant.ignores.contains(name)) {
                        set = set.and(parameters.set(name, value.clone()));
                    }
                }
                // Combinations that differ in nothing this variant depends on are one point.
                if !variant.ignores.is_empty() && !seen.insert(parameters.to_string()) {
                    continue;
                }
                let wrong = match set {
                    Err(mismatch) => Some((Conflict::from(mismatch), None)),
                    Ok(()) => self.family.check(&parameters).err().map(|conflict| {
                        (conflict, self.kernel.and_then(|kernel| kernel.wrong_expression(&parameters)))
                    }),
                };
                if let Some((conflict, expression)) = wrong {
                    if let Some(known) = found.iter_mut().find(|known| known.has(&conflict, expression)) {
                        known.points += 1;
                        let is_new = known.conflict != conflict && !known.alike.contains(&conflict.problem);
                        if is_new && expression.is_none() {
                            known.alike.push(conflict.problem);
                        }
                    } else if found.len() < PROBLEMS_MAX {
                        let (parameters, alike) = (parameters.clone(), Vec::new());
                        found.push(Found { conflict, expression, points: 1, steps, parameters, alike });
                    } else {
                        problems_beyond += 1;
                    }
                }
                points.push(Point { index: points.len(), variant, parameters });
            }
        }
        if found.is_empty() {
            return Ok(points);
        }
        let total = points.len();
        let mut problems: Vec<Problem> = found.into_iter().map(|found| self.problem(found, grid, total)).collect();
        if problems_beyond > 0 {
            let noun = count(problems_beyond, "more point");
            problems.push(Problem::new(format!("{noun} of {total} have values that do not go together")));
        }
        Err(self.sources.errors(problems))
    }

    /// The problem with the values of the first point that has it.
    fn problem(&self, found: Found, grid: &Grid, total: usize) -> Problem {
        let Conflict { parameters, problem, help } = found.conflict;
        let alike = match found.alike.len() {
            0 => String::new(),
            others => format!(", and so with {}", count(others, "other value")),
        };
        let mut problem = Problem::new(format!("{problem}{alike} (in {} of {})", found.points, count(total, "point")));
        let value = |name: &str| found.parameters.get(name).map(ToString::to_string).unwrap_or_default();
        if let Some(place) = found.expression {
            let values: Vec<String> = parameters.iter().map(|name| format!("{name} = {}", value(name))).collect();
            if values.is_empty() {
                return problem.at(place).help(help);
            }
            let first = if found.points > 1 { "first with" } else { "with" };
            return problem.label(place, format!("{first} {}", values.join(", "))).help(help);
        }
        let mut by_default = Vec::new();
        for name in parameters {
            let value = value(name);
            match place(grid, name, &found.steps) {
                Some(place) => problem = problem.label(place, format!("{name} = {value}")),
                None => by_default.push(format!("{name} = {value}")),
            }
        }
        if problem.labels.is_empty() {
            problem = problem.at(self.family_place);
        }
        if by_default.is_empty() {
            return problem.help(help);
        }
        let names: Vec<&str> = by_default.iter().map(String::as_str).collect();
        problem.help(format!("{help}; by default {}", and_list(&names)))
    }
}

/// The place of the parameter's value at these steps; `None` where the grid does not have it.
fn place(grid: &Grid, parameter: &str, steps: &[usize]) -> Option<Place> {
    grid.axes().iter().zip(steps).find_map(|(axis, step)| axis.place(parameter, *step))
}
