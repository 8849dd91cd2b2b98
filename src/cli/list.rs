//! `apbench list`: families, variants, parameters, laws and scenarios.

use serde_json::{Value as Json, json};

use located_toml::words::same_name;

use super::failure::{Failure, Status};
use super::name_parser::NameParser;
use super::output::{data, json, line, print_table, table, wrapped_line};
use crate::family::{FAMILIES, Family, Variant};
use crate::model::law::LAWS;
use crate::model::slowdown::SLOWDOWN;
use crate::model::speedup::SPEEDUP;
use crate::model::{AUTO, PLATEAUS};
use crate::parameter::Default;
use crate::scenario::{EMBEDDED, Embedded, Scenario};

/// What a `[[fit]]` can ask for beside laws, and what it is.
pub(super) const NO_LAWS: [(&str, &str); 4] = [
    (
        AUTO,
        "chooses the best of the laws that take any predictor, by Akaike's corrected criterion; of two equally good laws, the simpler",
    ),
    (
        PLATEAUS,
        "chooses among `one_break`, `two_breaks` and `three_breaks`: as many breaks as the times show beyond noise",
    ),
    (SLOWDOWN, "no law: times divided by the times of a reference variant"),
    (
        SPEEDUP,
        "no law: the time at the smallest value of a predictor divided by the times at its other values (Cornelis 2010, section 6.3)",
    ),
];

/// Options of `list`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Families to show in full, with variants, parameters and predictors; a scenario means its family [default: all, in short]
    #[arg(value_name = "FAMILY", value_parser = NameParser::new(FAMILIES.iter().map(|family| family.name)).or(family_of_scenario))]
    families: Vec<String>,
    /// Print the text of a scenario that comes with apbench, to begin one of your own with
    #[arg(long, value_name = "NAME", conflicts_with_all = ["families", "json"])]
    #[arg(value_parser = NameParser::new(EMBEDDED.iter().map(|own| own.name)), hide_possible_values = true)]
    scenario: Option<String>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    if let Some(own) = arguments.scenario.as_deref().and_then(Embedded::named) {
        data(own.text)?;
        return Ok(Status::Success);
    }
    let is_wanted = |family: &&Family| {
        arguments.families.is_empty() || arguments.families.iter().any(|name| same_name(name, family.name))
    };
    let families: Vec<&Family> = FAMILIES.iter().copied().filter(is_wanted).collect();
    if arguments.json {
        json(&as_json(&families, &scenario_titles()?))?;
    } else if arguments.families.is_empty() {
        print_overview()?;
    } else {
        families.into_iter().try_for_each(print_family)?;
    }
    Ok(Status::Success)
}

fn print_overview() -> Result<(), Failure> {
    line("scenarios")?;
    let mut scenarios = table(&[]);
    for (name, title) in scenario_titles()? {
        scenarios.add_row([format!("  {name}"), title]);
    }
    print_table(&scenarios)?;
    line("")?;
    line("families")?;
    let mut families = table(&[]);
    for family in FAMILIES {
        let variants: Vec<&str> = family.variants.iter().map(|variant| variant.name).collect();
        families.add_row([format!("  {}", family.name), format!("{}\n{}", family.summary, variants.join(", "))]);
    }
    print_table(&families)?;
    line("")?;
    line("laws")?;
    let mut laws = table(&[]);
    for law in LAWS {
        let parameters: Vec<String> = law
            .parameters
            .iter()
            .map(|parameter| match parameter.unit {
                "1" => parameter.name.to_owned(),
                "x" => format!("{} (in x)", parameter.name),
                unit => format!("{} ({unit})", parameter.name),
            })
            .collect();
        let predictor = law.predictor.unwrap_or("any");
        laws.add_row([
            format!("  {}", law.name),
            format!("{}\npredictor {predictor}; {}; {}", law.equation, parameters.join(", "), law.source),
        ]);
    }
    for (name, meaning) in NO_LAWS {
        laws.add_row([format!("  {name}"), meaning.to_owned()]);
    }
    print_table(&laws)?;
    line("")?;
    wrapped_line(
        "",
        "apbench list FAMILY shows the parameters with their ranges, and the predictors that laws are fitted against; apbench \
         sweep NAME runs a scenario",
    )?;
    Ok(())
}

/// The family of a scenario that comes with the program.
pub(super) fn family_of_scenario(name: &str) -> Option<&'static str> {
    let own = Embedded::named(name)?;
    Some(Scenario::parse(&own.title_in_errors(), own.text, &[], usize::MAX).ok()?.family.name)
}

/// The name and the title of each scenario that comes with the program.
fn scenario_titles() -> Result<Vec<(&'static str, String)>, Failure> {
    let title = |own: &'static Embedded| {
        let scenario = Scenario::parse(&own.title_in_errors(), own.text, &[], usize::MAX)?;
        Ok((own.name, scenario.title))
    };
    EMBEDDED.iter().map(title).collect()
}

fn print_family(family: &Family) -> Result<(), Failure> {
    line(format!("family {}: {}", family.name, family.summary))?;
    line("")?;
    line("variants")?;
    let mut variants = table(&[]);
    for variant in family.variants {
        variants.add_row([format!("  {}", variant.name), describe(variant)]);
    }
    print_table(&variants)?;
    line("")?;
    line("parameters")?;
    let mut parameters = table(&[]);
    for parameter in family.parameters {
        let values = format!("{}; default {}", parameter.kind.expectation(), default_text(parameter.default));
        parameters.add_row([format!("  {}", parameter.name), format!("{} ({values})", parameter.summary)]);
    }
    print_table(&parameters)?;
    line("")?;
    line("predictors")?;
    let mut predictors = table(&[]);
    for predictor in family.predictors {
        predictors.add_row([format!("  {}", predictor.name), predictor.summary.to_owned()]);
    }
    print_table(&predictors)?;
    line("")?;
    Ok(())
}

/// What a variant does, which GPUs can run it, and what it does not depend on.
fn describe(variant: &Variant) -> String {
    let mut text = variant.summary.to_owned();
    if variant.since > (1, 0) {
        let (major, minor) = variant.since;
        text += &format!(" (needs compute capability {major}.{minor})");
    }
    if !variant.ignores.is_empty() {
        text += &format!(" (does not depend on {})", variant.ignores.join(", "));
    }
    text
}

fn default_text(default: Default) -> String {
    match default {
        Default::Integer(number) => number.to_string(),
        Default::Text(text) => text.to_owned(),
        Default::OfDevice(_) => "chosen for the device (apbench sweep --dry-run shows it)".to_owned(),
    }
}

fn as_json(families: &[&Family], scenarios: &[(&str, String)]) -> Json {
    let families = families.iter().map(|family| {
        let variants = family.variants.iter().map(|variant| {
            let (major, minor) = variant.since;
            json!({
                "name": variant.name,
                "summary": variant.summary,
                "compute_capability": format!("{major}.{minor}"),
                "ignores": variant.ignores,
            })
        });
        let parameters = family.parameters.iter().map(|parameter| {
            json!({
                "name": parameter.name,
                "summary": parameter.summary,
                "values": parameter.kind.expectation(),
                "default": default_text(parameter.default),
            })
        });
        let predictors = family
            .predictors
            .iter()
            .map(|predictor| json!({"name": predictor.name, "summary": predictor.summary, "parameters": predictor.parameters}));
        json!({
            "name": family.name,
            "summary": family.summary,
            "variants": variants.collect::<Vec<_>>(),
            "parameters": parameters.collect::<Vec<_>>(),
            "predictors": predictors.collect::<Vec<_>>(),
        })
    });
    let laws = LAWS.iter().map(|law| {
        let parameters = law.parameters.iter().map(|own| json!({"name": own.name, "unit": own.unit}));
        json!({
            "name": law.name,
            "equation": law.equation,
            "predictor": law.predictor,
            "parameters": parameters.collect::<Vec<_>>(),
            "source": law.source,
        })
    });
    let scenarios = scenarios.iter().map(|(name, title)| json!({"name": name, "title": title}));
    json!({
        "families": families.collect::<Vec<_>>(),
        "laws": laws.collect::<Vec<_>>(),
        "scenarios": scenarios.collect::<Vec<_>>(),
    })
}
