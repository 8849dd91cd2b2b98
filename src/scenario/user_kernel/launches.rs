//! `launch` and `arguments` of `[kernel]`.

use toml::de::DeValue;

use super::super::keys::{Allowed, Key, names};
use super::{Subject, arguments, expression, expression_of, items};
use crate::user_kernel::{Expression, LaunchDescription, LaunchPlaces, STEP};
use located_toml::problem::{Place, Problem, Problems};
use located_toml::section::{Field, Section};

/// The keys of a launch.
pub(in crate::scenario) const KEYS: [Key; 7] = [
    Key::new("grid", Allowed::Other("an expression, or a list of up to three"), "required", "blocks in x, y and z"),
    Key::new(
        "block",
        Allowed::Other("an expression, or a list of up to three"),
        "required",
        "threads of a block in x, y and z",
    ),
    Key::new("shared_bytes", Allowed::Other("an expression"), "0", "dynamic shared memory of a block"),
    Key::new(
        "cooperative",
        Allowed::Flag,
        "`false`",
        "whether all blocks are resident at once, so that they can wait for each other",
    ),
    Key::new("entry", Allowed::Text, "that of the variant", "the kernel, where a point launches several"),
    Key::new("arguments", Allowed::Other("a list"), "those of `[kernel]`", "the arguments of this launch"),
    Key::new(
        "times",
        Allowed::Other("an expression"),
        "1",
        "launches one after another; expressions of the launch and its arguments have the name `step`, from 0 on",
    ),
];

/// The launches of a variant: its own, or those of the kernel. `entry` is where the variant names its function.
pub(super) fn read(
    kernel: &Section<'_>,
    variant: Option<&Section<'_>>,
    entry: Place,
    subject: &Subject<'_>,
    problems: &mut Problems,
) -> Option<Vec<LaunchDescription>> {
    let own = |key: &str| variant.and_then(|section| section.get(key)).or_else(|| kernel.get(key)).copied();
    let Some(field) = own("launch") else {
        let problem = Problem::new("[kernel] has no `launch`").at(kernel.place).absence();
        problems.push(problem.help("for example: launch = { grid = \"ceil(n / 256)\", block = 256 }"));
        return None;
    };
    let sections = match field.node.value {
        DeValue::Array(_) => field.tables(problems),
        _ => field.table(problems).into_iter().collect(),
    };
    let of_kernel = own("arguments");
    let mut told = false;
    let mut all = Vec::new();
    for section in &sections {
        let arguments = section.get("arguments").copied().or(of_kernel);
        if arguments.is_none() && !told {
            told = true;
            let problem = Problem::new("[kernel] has no `arguments`").at(kernel.place).absence();
            let help = "name the kernel's buffers and numbers in order: arguments = [\"input\", \"n\"]";
            problems.push(problem.help(help));
        }
        let of_launch = launch(section, arguments.as_ref(), subject, problems);
        all.extend(of_launch.map(|mut own| {
            own.places.entry.get_or_insert(entry);
            own
        }));
    }
    (all.len() == sections.len() && !all.is_empty()).then_some(all)
}

fn launch(
    section: &Section<'_>,
    arguments: Option<&Field<'_>>,
    subject: &Subject<'_>,
    problems: &mut Problems,
) -> Option<LaunchDescription> {
    let numbers = subject.numbers;
    section.deny_unknown("a launch", &names(&KEYS), problems, |_| None);
    let with_step: Vec<&'static str> = numbers.iter().copied().chain([STEP]).collect();
    let mut extents = |key: &str| {
        let Some(field) = section.get(key) else {
            let problem = Problem::new(format!("a launch has no `{key}`")).at(section.place).absence();
            problems.push(problem.help("for example: { grid = \"ceil(n / 256)\", block = 256 }"));
            return None;
        };
        extents_of(field, &with_step, problems)
    };
    let (grid, block) = (extents("grid"), extents("block"));
    let shared_bytes =
        section.get("shared_bytes").map(|field| expression(field, &with_step, problems).ok_or(Wrong)).transpose();
    let times = section.get("times").map(|field| expression(field, numbers, problems).ok_or(Wrong)).transpose();
    let cooperative = section.get("cooperative").and_then(|field| field.flag(problems)).unwrap_or(false);
    let places = LaunchPlaces {
        entry: section.get("entry").map(|field| field.node.place),
        list: arguments.map(|field| field.node.place),
        arguments: arguments.and_then(|field| items(field.node)).into_iter().flatten().map(|node| node.place).collect(),
    };
    let entry = section.get("entry").map(|field| field.line("\"add_partials\"", problems).ok_or(Wrong)).transpose();
    let arguments = arguments.and_then(|field| arguments::list(field, &with_step, subject, problems));
    Some(LaunchDescription {
        grid: grid?,
        block: block?,
        shared_bytes: shared_bytes.ok()?,
        cooperative,
        entry: entry.ok()?,
        times: times.ok()?,
        arguments: arguments?,
        places,
    })
}

/// A key whose value is wrong, which was told; what is not there is no error.
struct Wrong;

fn extents_of(field: &Field<'_>, names: &[&'static str], problems: &mut Problems) -> Option<Vec<Expression>> {
    let Some(nodes) = items(field.node) else { return Some(vec![expression(field, names, problems)?]) };
    if nodes.is_empty() || nodes.len() > 3 {
        let problem = Problem::new(format!("`{}` has {} extents", field.key, nodes.len())).at(field.node.place);
        problems.push(problem.help("one to three are possible: x, y and z"));
        return None;
    }
    let extent = |node| expression_of(field.key, node, names, problems);
    let all: Vec<Option<Expression>> = nodes.into_iter().map(extent).collect();
    all.into_iter().collect()
}
