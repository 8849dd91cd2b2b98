//! The page of GPU profiles, from their files.

use super::super::failure::Failure;
use super::markdown::{Page, code, plain};
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
        described.push((own, profile.title, profile.validation, constants(own)));
    }
    page.table(
        ["profile", "GPU", "compared with the real GPU", "constants", "estimates"],
        described.iter().map(|(own, title, validation, constants)| {
            let estimates = constants.iter().filter(|constant| constant.source.starts_with(ESTIMATE)).count();
            [
                format!("[`sim:{0}`](#{0})", own.name),
                plain(title),
                plain(validation),
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
    for (own, title, validation, constants) in described {
        page.heading(2, own.name);
        page.paragraph(&format!("{}. Compared with the real GPU: {}.", plain(&title), plain(&validation)));
        page.table(
            ["constant", "value", "source"],
            constants.into_iter().map(|constant| [code(constant.key), constant.value, plain(&constant.source)]),
        );
    }
    Ok(page)
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
