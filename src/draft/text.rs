//! The text of a drafted scenario.

use super::arguments::Given;
use super::launch::Launch;
use super::marks;
use super::marks::DRAFTED;
use super::names::snake;
use super::parameters::{EXTENT, Parameter as Own};
use super::told::{
    as_allocated, as_launched, by_indices, clusters_lost, counts_on, few_blocks, follows, numbers_as_launched,
    repeated, same, values_hint,
};
use super::variants::{Buffer, Plan, Variant};
use super::{Request, amount::Amount};
use crate::kernel::Language;
use crate::signature::{Class, ConstantVariable, Kernel, Parameter};
use located_toml::words::and_list;

/// How much floats of variants may differ.
const TOLERANCE: &str = "1e-5";
/// The same of what atomics add up, in any order.
const TOLERANCE_OF_ATOMICS: &str = "1e-3";

/// The text of a scenario's file.
pub(super) fn text(plan: &Plan, kernels: &[&Kernel], others: &[String], request: Request<'_>) -> String {
    let mut lines =
        vec![format!("{DRAFTED} from the text of the kernel. What stands below a line with CHECK is a guess.")];
    let headers: Vec<&str> = request.headers.paths().collect();
    if !headers.is_empty() {
        lines.push(format!("# Read besides, with the line that includes it: {}.", and_list(&headers)));
    }
    if !others.is_empty() {
        lines.push("#".to_owned());
        lines.push("# These kernels take other arguments and need a scenario of their own:".to_owned());
        let source = request.source;
        lines.extend(others.iter().map(|name| format!("#   apbench new {source} --entry '{name}' --out NAME.toml")));
    }
    let names: Vec<&str> = plan.variants.iter().map(|own| own.name.as_str()).collect();
    let title = match kernels {
        [only] => only.name.clone(),
        _ => format!("{} of {}", names.join(", "), request.source),
    };
    lines.push(String::new());
    lines.push(format!("title = {}", quoted(&title)));
    kernel(plan, kernels, request, &mut lines);
    parameters(plan, kernels, &mut lines);
    buffers(plan, &mut lines);
    variables(kernels, &mut lines);
    points(plan, &mut lines);
    lines.push(String::new());
    // Comments repeat the source, and TOML has no control characters.
    lines.join("\n").replace(|letter: char| letter.is_control() && letter != '\n', "\u{fffd}")
}

/// A text as TOML has it, on one line. A scenario has no control characters, and neither has a source that a compiler takes.
fn quoted(text: &str) -> String {
    toml_edit::Value::from(text.replace(char::is_control, "\u{fffd}")).to_string()
}

fn section(title: &str, lines: &mut Vec<String>) {
    lines.push(String::new());
    lines.push(title.to_owned());
}

fn kernel(plan: &Plan, kernels: &[&Kernel], request: Request<'_>, lines: &mut Vec<String>) {
    section("[kernel]", lines);
    lines.push(format!("source = {}", quoted(request.source)));
    let Some(first) = plan.variants.first() else { return };
    let has_parameters = !plan.parameters.is_empty();
    lines.push(launch_hint(&first.launch, request.language, has_parameters));
    lines.extend(kernels.iter().find_map(|own| clusters_lost(own)));
    lines.extend(plan.few_blocks.map(|blocks| few_blocks(blocks, has_parameters)));
    lines.extend(constants(plan, kernels));
    lines.push(format!("launch = {}", launch(&first.launch)));
    if let Some(kernel) = kernels.first().filter(|own| !own.parameters.is_empty()) {
        let declared = kernel.parameters.iter().map(|own| match &own.name {
            Some(name) => format!("{} {name}", own.declared),
            None => own.declared.clone(),
        });
        lines.push(format!("# The kernel takes: {}", declared.collect::<Vec<_>>().join(", ")));
    }
    for missing in &plan.missing {
        lines.push(format!("# CHECK: {missing}. This does not run as it is."));
    }
    if let Some(kernel) = kernels.first() {
        lines.extend(numbers_as_launched(plan, kernel));
        lines.extend(same(plan, kernel));
        lines.extend(numbers_hint(plan, kernel));
        lines.extend(repeated(plan, kernels, false));
        lines.extend(kernel.parameters.iter().zip(&plan.given).filter_map(structure_hint));
    }
    lines.extend(plan.given.iter().filter_map(follows));
    let given: Vec<String> = plan.given.iter().filter_map(argument).collect();
    lines.push(format!("arguments = [{}]", given.join(", ")));
    match &plan.bytes {
        Some(bytes) => {
            lines.push(
                "# CHECK: what must move through device memory, for GB/s: here each buffer once in every direction."
                    .to_owned(),
            );
            lines.push(format!("bytes = {}", amount(bytes)));
        }
        None => lines.push("# bytes = \"4 * n\"   # what must move through device memory, for GB/s".to_owned()),
    }
    section("[kernel.variants]", lines);
    if plan.has_types {
        lines.push("# CHECK: types that templates are open to are `float`; where they are others, `type` of the buffers is, too.".to_owned());
    }
    // Where nothing says it of any variant, the line above the launch does.
    let is_any_guarded = plan.variants.iter().any(|own| !own.launch.is_by_names);
    for own in &plan.variants {
        if own.launch.is_by_names && is_any_guarded {
            lines.push(format!("# CHECK: how many blocks `{}` needs: it compares no index with an extent.", own.name));
        }
        lines.push(variant(own, &first.launch, request.language));
    }
    if plan.variants.len() == 1 {
        lines.push(
            "# Further variants, such as a remedy, are compared with the first: remedy = \"name_of_its_kernel\""
                .to_owned(),
        );
    }
}

/// Which extents of blocks are constants of the source.
fn constants(plan: &Plan, kernels: &[&Kernel]) -> Option<String> {
    let block: Vec<i64> =
        plan.variants.iter().flat_map(|own| &own.launch.block).filter_map(Amount::as_number).collect();
    let mut told: Vec<String> = Vec::new();
    for own in kernels.iter().flat_map(|own| &own.constants).filter(|own| !own.is_open && own.value > 1) {
        let text = format!("{} is `{}` of line {}", own.value, own.name, own.line);
        if block.contains(&own.value) && !told.contains(&text) {
            told.push(text);
        }
    }
    let (them, macros) = if told.len() > 1 { ("them", "macros") } else { ("it", "a macro") };
    let vary = format!("to vary {them}, make {them} {macros} between `#ifndef` and `#endif`, and draft anew");
    (!told.is_empty()).then(|| format!("# {}: {vary}.", told.join(", ")))
}

fn launch_hint(launch: &Launch, language: Language, has_parameters: bool) -> String {
    let mut hints = Vec::new();
    if launch.strides_over_grid {
        hints.push("The kernel's loops go over the grid, so any number of blocks does.");
    }
    // What PTX compares is not looked at.
    let is_seen = language == Language::Cuda && !launch.strides_over_grid;
    let by_names = (launch.is_by_names && is_seen).then(|| {
        let grid: Vec<String> = launch.grid.iter().map(ToString::to_string).collect();
        format!("Nothing that the kernel compares says how many blocks it needs: {} is a guess.", grid.join(" x "))
    });
    hints.extend(by_names.as_deref());
    if launch.shared_bytes.is_some() && !launch.has_shared_of_source {
        hints.push("`shared_bytes` is one element of the kernel's array for each thread.");
    }
    if launch.is_one_warp {
        hints.push("It waits within a warp alone: a block is one warp, and threads of a second one would race.");
    }
    let in_clusters = (!launch.cluster.is_empty()).then(|| {
        let extents: Vec<String> = launch.cluster.iter().map(ToString::to_string).collect();
        format!("A cluster has {} blocks, and the grid is made of whole clusters.", extents.join(" x "))
    });
    hints.extend(in_clusters.as_deref());
    if launch.cooperative {
        hints.push("The kernel waits for the whole grid, so that all blocks must be resident.");
    }
    if hints.is_empty() && has_parameters {
        hints.push("Expressions may have the parameters below.");
    }
    let told = as_launched(launch.as_launched.filter(|_| !launch.has_lost_clusters));
    let all: Vec<&str> = [told.as_str()].into_iter().chain(hints).collect();
    format!("# {}", all.join(" "))
}

/// Which numbers are guessed, and how they are varied.
fn numbers_hint(plan: &Plan, kernel: &Kernel) -> Option<String> {
    let is_guessed = |given: &Given| matches!(given, Given::Number { line: None, .. });
    let guessed = kernel.parameters.iter().zip(&plan.given).filter(|(_, given)| is_guessed(given));
    let guessed: Vec<&Parameter> = guessed.map(|(own, _)| own).collect();
    let names: Vec<&str> = guessed.iter().map(|own| own.name.as_deref().unwrap_or(&own.declared)).collect();
    let first = guessed.first()?;
    let name = first.name.as_deref().map_or("value".to_owned(), snake);
    let example = match first.class {
        Class::Float(_) => format!("\"{name} / 100\" with {name} = {{ default = 100 }}"),
        _ => format!("\"{name}\" with {name} = {{ default = 1 }}"),
    };
    let values = if names.len() == 1 { "the number" } else { "the numbers" };
    let all = and_list(&names);
    Some(format!("# CHECK: {values} for {all}. One that varies is an expression of a parameter below: {example}."))
}

/// What the members of a structure are, in its order.
fn structure_hint((parameter, given): (&Parameter, &Given)) -> Option<String> {
    let (Given::Structure(own), Some(structure)) = (given, &parameter.structure) else { return None };
    let members = structure
        .members
        .iter()
        .map(|own| if own.count > 1 { format!("{}[{}]", own.name, own.count) } else { own.name.clone() });
    let name = parameter.name.as_deref().unwrap_or(&structure.name);
    let members = members.collect::<Vec<_>>().join(", ");
    Some(match own.line {
        None if structure.is_of_cuda() && structure.members.len() == 1 => {
            format!("# CHECK: the number for `{name}` ({}).", structure.name)
        }
        Some(line) => format!("# Members of `{name}` ({}) are as line {line} has them: {members}.", structure.name),
        None => format!("# CHECK: the members of `{name}` ({}): {members}.", structure.name),
    })
}

/// An amount as a value of TOML.
fn amount(amount: &Amount) -> String {
    match amount.as_number() {
        Some(number) => number.to_string(),
        None => quoted(&amount.to_string()),
    }
}

fn extents(all: &[Amount]) -> String {
    match all {
        [only] => amount(only),
        all => format!("[{}]", all.iter().map(amount).collect::<Vec<_>>().join(", ")),
    }
}

fn launch(launch: &Launch) -> String {
    let mut keys = vec![format!("grid = {}", extents(&launch.grid)), format!("block = {}", extents(&launch.block))];
    keys.extend(launch.shared_bytes.as_ref().map(|bytes| format!("shared_bytes = {}", amount(bytes))));
    if launch.cooperative {
        keys.push("cooperative = true".to_owned());
    }
    format!("{{ {} }}", keys.join(", "))
}

fn argument(own: &Given) -> Option<String> {
    match own {
        Given::Buffer { name, .. } | Given::Parameter { name, .. } => Some(quoted(name)),
        Given::Follows { .. } => own.length_of_rows().map(|length| quoted(&length)),
        Given::Number { text, .. } => Some(text.clone()),
        Given::Structure(own) => Some(own.text.clone()),
        Given::Nothing { .. } => None,
    }
}

fn variant(own: &Variant, first: &Launch, language: Language) -> String {
    let entry = quoted(&own.entry);
    let is_same = launch(&own.launch) == launch(first);
    let mut keys = vec![format!("entry = {entry}")];
    if !is_same {
        keys.push(format!("launch = {}", launch(&own.launch)));
    }
    if !own.ignores.is_empty() {
        let names: Vec<String> = own.ignores.iter().map(|name| quoted(name)).collect();
        keys.push(format!("ignores = [{}]", names.join(", ")));
    }
    let value = if keys.len() == 1 { entry } else { format!("{{ {} }}", keys.join(", ")) };
    let launched = own
        .launch
        .as_launched
        .filter(|_| !is_same && !own.launch.has_lost_clusters)
        .map(|own| format!(", launched in line {}", own.line));
    let place = format!("   # line {}{}", own.line, launched.unwrap_or_default());
    let place = if language == Language::Cuda { place } else { String::new() };
    format!("{} = {value}{place}", own.name)
}

fn parameters(plan: &Plan, kernels: &[&Kernel], lines: &mut Vec<String>) {
    let all = &plan.parameters;
    if all.is_empty() {
        return;
    }
    section("[parameters]", lines);
    lines.extend(values_hint(all));
    lines.extend(repeated(plan, kernels, true));
    for own in all {
        let Own { name, default, from, to, define, what, .. } = own;
        let define = define.as_ref().map(|own| format!(", define = {}", quoted(own))).unwrap_or_default();
        lines.push(match default {
            Some(default) => format!(
                "{name} = {{ default = {}, from = {from}, to = {}{define}, summary = \"{what}\" }}",
                grouped(*default),
                grouped(*to.max(default))
            ),
            None => format!("{name} = {{ default = \"true\", one_of = [\"false\", \"true\"], summary = \"{what}\" }}"),
        });
    }
}

/// A number with `_` between its thousands, as TOML may have them.
fn grouped(number: i64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push('_');
        }
        grouped.push(digit);
    }
    grouped
}

fn buffers(plan: &Plan, lines: &mut Vec<String>) {
    if plan.buffers.is_empty() {
        return;
    }
    section("[buffers]", lines);
    let (allocated, others): (Vec<&Buffer>, Vec<&Buffer>) =
        plan.buffers.iter().partition(|own| own.allocated.is_some());
    let (seen, unseen): (Vec<&Buffer>, Vec<&Buffer>) = others.into_iter().partition(|own| own.line.is_some());
    lines.extend(by_indices(&seen, allocated.is_empty()));
    lines.extend(as_allocated(&allocated));
    if !unseen.is_empty() {
        let names: Vec<&str> = unseen.iter().map(|own| own.name.as_str()).collect();
        lines.push(format!("# CHECK: the length of {}, which the indices do not say.", and_list(&names)));
    }
    let has_variants = plan.variants.len() > 1;
    for own in &plan.buffers {
        buffer(own, has_variants, plan.apart.as_deref(), lines);
    }
}

/// Variables in constant memory, which the source's host fills.
fn variables(kernels: &[&Kernel], lines: &mut Vec<String>) {
    let mut all: Vec<&ConstantVariable> = Vec::new();
    for own in kernels.iter().flat_map(|own| &own.variables) {
        if !all.contains(&own) {
            all.push(own);
        }
    }
    if all.is_empty() {
        return;
    }
    section("[constants]", lines);
    for ConstantVariable { name, element } in all {
        let fill = if element.is_float() { "fill = \"uniform\"" } else { "fill = \"zeros\"" };
        lines.push(marks::marked(&marks::says_of_constant(name), Some(fill)));
        lines.push(format!("{name} = {{ type = \"{}\", {fill} }}", element.name()));
    }
}

fn buffer(own: &Buffer, has_variants: bool, apart: Option<&str>, lines: &mut Vec<String>) {
    if let Some((name, bytes)) = &own.structure {
        let guessed = if own.is_known { "#" } else { "# CHECK:" };
        let words = if own.element.bytes() == 4 { "words of 4 bytes" } else { "bytes" };
        let all = if own.is_known { String::new() } else { format!("; {} are {words} of it", own.element.name()) };
        lines.push(format!("{guessed} `{}` points to `{name}`, which has {bytes} bytes{all}.", own.name));
    } else if !own.is_known {
        lines.push(format!(
            "# CHECK: `{}` points to a type that is not known here; u32 are words of 4 bytes.",
            own.name
        ));
    }
    if let Some(why) = own.beyond() {
        lines
            .push(format!("# CHECK: `{}` is {why}: if that index leads out of the buffer, shorten it here.", own.name));
    }
    let mut keys = vec![format!("type = \"{}\"", own.element.name()), format!("length = {}", amount(&own.length))];
    let fill = own.fill.written().map(|fill| format!("fill = {}", quoted(&fill)));
    lines.extend(own.fill.says(&own.name).map(|says| marks::marked(&says, fill.as_deref())));
    keys.extend(fill);
    if has_variants && own.writes && !own.lengths.is_empty() {
        let lengths: Vec<String> = own.lengths.iter().map(|own| format!("{own}")).collect();
        lines.push(format!(
            "# Nothing compares `{}`: the variants write other lengths of it ({}). Where they agree all the same: check = \"variants agree\".",
            own.name,
            lengths.join(", ")
        ));
    } else if let Some(apart) = apart.filter(|_| own.writes && has_variants) {
        lines.push(format!(
            "# Nothing compares `{}`: the variants have other values of {apart}. Where they agree all the same: check = \"variants agree\".",
            own.name
        ));
    } else if own.writes && has_variants {
        lines.push(format!(
            "# CHECK: that all variants write the same to `{}`; where they do not, take `check` away.",
            own.name
        ));
        keys.push("check = \"variants agree\"".to_owned());
        if own.element.is_float() {
            let relative = if own.is_atomic { TOLERANCE_OF_ATOMICS } else { TOLERANCE };
            keys.push(format!("relative = {relative}"));
        }
    }
    lines.extend(counts_on(own));
    if own.writes && own.reads && !own.is_atomic {
        lines.push(format!(
            "# `{}` is read and written: each launch begins with what the one before has left there.",
            own.name
        ));
    }
    if own.writes && !has_variants {
        lines.push(format!("# Nothing checks `{}`: add what an element must be, such as check = \"2 * i\", or a variant to agree with.", own.name));
    }
    lines.push(format!("{} = {{ {} }}", own.name, keys.join(", ")));
}

/// What is swept, fitted and drawn.
fn points(plan: &Plan, lines: &mut Vec<String>) {
    let (Some((name, values)), Some((predictor, amount))) = (&plan.varied, &plan.predictor) else { return };
    if *predictor != amount.to_string() {
        section("[predictors]", lines);
        lines.push(format!("{predictor} = {}   # what the law below is fitted against", self::amount(amount)));
    }
    section("[grid]", lines);
    let values: Vec<String> = values.iter().rev().map(|own| grouped(*own)).rev().collect();
    let others = plan.parameters.iter().filter(|own| own.what == EXTENT && own.name != *name);
    let others: Vec<(&str, i64)> = others.filter_map(|own| Some((own.name.as_str(), own.default?))).collect();
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().map(|(name, _)| *name).collect();
        let count = values.len();
        let values = values.join(", ");
        lines.push(format!("# Every combination is measured; {} may have more values, too.", and_list(&names)));
        lines.push("# Where sizes are to grow together, put this in place of [grid]:".to_owned());
        lines.push(format!("#   [[zip]]\n#   {name} = [{values}]"));
        // As many parts of each.
        let parts =
            |most: i64| (0..count).rev().map(|part| grouped((most >> part).max(1))).collect::<Vec<_>>().join(", ");
        lines.extend(others.iter().map(|(own, most)| format!("#   {own} = [{}]", parts(*most))));
    }
    lines.push(format!("{name} = [{}]", values.join(", ")));
    lines.extend(others.iter().map(|(name, default)| format!("{name} = [{}]", grouped(*default))));
    section("[[fit]]", lines);
    lines.push("law = \"affine\"".to_owned());
    lines.push(format!("predictor = \"{predictor}\""));
    section("[[chart]]", lines);
    lines.push(format!("x = \"{name}\""));
    lines.push("series = [\"variant\"]".to_owned());
}
