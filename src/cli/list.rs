//! `apbench list`: families, variants, parameters and laws.

use serde_json::{Value as Json, json};

use super::failure::{Failure, Status};
use super::output::{line, print_table, table};
use crate::family::{FAMILIES, Family};
use crate::model::law::LAWS;
use crate::model::slowdown::SLOWDOWN;
use crate::parameter::Default;

/// Options of `list`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    if arguments.json {
        line(format!("{:#}", as_json()))?;
        return Ok(Status::Success);
    }
    for family in FAMILIES {
        print_family(family)?;
    }
    line("laws")?;
    let mut laws = table(&[]);
    for law in LAWS {
        laws.add_row([
            format!("  {}", law.name),
            format!("{} ({}); predictor {}", law.equation, law.source, law.predictor),
        ]);
    }
    laws.add_row([
        format!("  {SLOWDOWN}"),
        "no law: times relative to those of the fit's reference variant".to_owned(),
    ]);
    print_table(&laws)?;
    Ok(Status::Success)
}

fn print_family(family: &Family) -> Result<(), Failure> {
    line(format!("family {}: {}", family.name, family.summary))?;
    line("")?;
    line("variants")?;
    let mut variants = table(&[]);
    for variant in family.variants {
        variants.add_row([format!("  {}", variant.name), variant.summary.to_owned()]);
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

fn default_text(default: Default) -> String {
    match default {
        Default::Integer(number) => number.to_string(),
        Default::Text(text) => text.to_owned(),
        Default::OfDevice(_) => "chosen so that data does not fit in the device's L2 cache".to_owned(),
    }
}

fn as_json() -> Json {
    let families = FAMILIES.iter().map(|family| {
        let variants = family.variants.iter().map(|variant| json!({"name": variant.name, "summary": variant.summary}));
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
    let laws = LAWS.iter().map(
        |law| json!({"name": law.name, "equation": law.equation, "predictor": law.predictor, "source": law.source}),
    );
    json!({"families": families.collect::<Vec<_>>(), "laws": laws.collect::<Vec<_>>()})
}
