//! The page of GPU profiles, from their files.

use super::super::failure::Failure;
use super::markdown::{Page, code, codes, plain};
use crate::known_error::{self, known};
use gpu_simulator::profile::{CONSTANTS, Embedded, Profile};

/// What the sources of constants begin with that nobody has looked up or measured.
const ESTIMATE: &str = "estimate";

/// The page of these profiles.
pub(super) fn page(profiles: &[Embedded]) -> Result<Page, Failure> {
    let mut page = Page::new("GPU profiles");
    page.paragraph(
        "A GPU profile is a TOML file with the constants of a GPU. `--device sim:NAME` simulates the GPU of a profile below, \
         `--device sim:FILE.toml` that of a file. Every constant has a value and a source; a source that begins with \"estimate\" was \
         neither looked up nor measured. [How far to trust the simulator](../concepts/simulator.md) tells what was compared with real \
         GPUs.",
    );
    let mut described = Vec::new();
    for own in profiles {
        let profile = Profile::load(own.name)?;
        let compared = known_error::of_profile(known(), &format!("sim:{}", own.name), &profile.validation).join("; ");
        described.push((own, profile.title, compared, constants(own)));
    }
    page.table(
        ["profile", "GPU", "how far its times are off", "constants", "estimates"],
        described.iter().map(|(own, title, compared, constants)| {
            let estimates = constants.iter().filter(|constant| constant.source.starts_with(ESTIMATE)).count();
            [
                format!("[`sim:{0}`](#{0})", own.name),
                plain(title),
                plain(compared),
                constants.len().to_string(),
                estimates.to_string(),
            ]
        }),
    );
    page.heading(2, "Constants");
    page.table(
        ["constant", "unit", "meaning"],
        CONSTANTS.iter().map(|constant| [code(constant.key), constant.unit.to_owned(), constant.meaning.to_owned()]),
    );
    known_errors(&mut page);
    for (own, title, compared, constants) in described {
        page.heading(2, own.name);
        page.paragraph(&format!("{}. How far its times are off: {}.", plain(&title), plain(&compared)));
        page.table(
            ["constant", "value", "source"],
            constants.into_iter().map(|constant| [code(constant.key), constant.value, plain(&constant.source)]),
        );
    }
    Ok(page)
}

/// What is known of each family's times.
fn known_errors(page: &mut Page) {
    page.heading(2, "Known errors");
    page.paragraph(
        "What the times of each family are off by, against a GPU at the same points, from `results/known-errors.csv`. Sizes are the scenarios' for \
         simulated devices (`simulated`), theirs for GPUs (`gpu`), or others (`other`), of which no constant of a profile was made. \"off\" is the mean of the errors' sizes, \"bias\" keeps the signs: below \
         zero, the simulated GPU is too fast. \"ratios off\" is the same of times over those of the first variant. Where several scenarios of a \
         family were compared, rows of each follow the row of all of them. A family that is not here was \
         not compared.",
    );
    let percent = |value: f64| format!("{value:.1} %");
    page.table(
        [
            "profile",
            "GPU",
            "sizes",
            "family",
            "scenarios",
            "points",
            "times off",
            "bias",
            "95 % are within",
            "ratios off",
        ],
        known().iter().map(|own| {
            [
                code(&own.profile),
                plain(&own.gpu),
                code(own.sizes.name()),
                code(&own.family),
                codes(own.scenario_names.split_whitespace()),
                own.points.to_string(),
                percent(own.time_error_pct),
                percent(own.time_bias_pct),
                percent(own.time_error_95_pct),
                own.slowdown_error_pct.map(percent).unwrap_or_default(),
            ]
        }),
    );
}

/// A constant of a profile.
struct Constant {
    key: &'static str,
    value: String,
    source: String,
}

/// The constants of a profile, in the order of [`CONSTANTS`].
fn constants(profile: &Embedded) -> Vec<Constant> {
    let table: toml::Table = profile.text.parse().unwrap_or_default();
    let found = CONSTANTS.iter().filter_map(|constant| {
        let mut keys = constant.key.split('.');
        let first = table.get(keys.next()?)?;
        let constant_table = keys.try_fold(first, |inner, key| inner.get(key))?;
        let value = match constant_table.get("value")? {
            toml::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let source = constant_table.get("source")?.as_str()?.to_owned();
        Some(Constant { key: constant.key, value, source })
    });
    found.collect()
}
