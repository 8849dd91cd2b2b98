//! The page of families, from their table.

use super::markdown::{Page, code, codes, plain};
use crate::family::{FAMILIES, Family, Variant};
use crate::model::law::LAWS;
use crate::model::predictor_names;
use crate::parameter::{Default, Kind, Parameter};
use located_toml::words::capitalised;

pub(super) fn page() -> Page {
    let mut page = Page::new("Families");
    page.paragraph(
        "A family is the kernels of one pattern. Its variants are ways to write them, which all compute the same. A predictor is a number \
         that follows from the parameters of a point, and that [laws](laws.md) are fitted against.",
    );
    page.table(
        ["family", "what it measures"],
        FAMILIES.iter().map(|family| [format!("[`{0}`](#{0})", family.name), plain(family.summary)]),
    );
    FAMILIES.iter().for_each(|family| describe(&mut page, family));
    page
}

fn describe(page: &mut Page, family: &Family) {
    page.heading(2, family.name);
    page.paragraph(&format!("{}. Kernels: `cuda/{}.cu`.", plain(&capitalised(family.summary)), family.name));
    let names = predictor_names(family);
    let laws = LAWS.iter().filter(|law| law.predictor.is_some_and(|own| names.contains(&own)));
    let laws = codes(laws.map(|law| law.name));
    if !laws.is_empty() {
        page.paragraph(&format!("Laws of this family, beside those for any predictor: {laws}."));
    }
    page.table(
        ["variant", "removes", "does not depend on", "runs on", "what it does"],
        family.variants.iter().map(|variant| {
            let removes = variant.removes.map(plain).unwrap_or_default();
            [
                code(variant.name),
                removes,
                codes(variant.ignores.iter().copied()),
                place(variant),
                plain(variant.summary),
            ]
        }),
    );
    page.table(["parameter", "values", "default", "meaning"], family.parameters.iter().map(parameter));
    page.table(
        ["predictor", "follows from", "meaning"],
        family.predictors.iter().map(|own| [code(own.name), codes(own.parameters.iter().copied()), plain(own.summary)]),
    );
}

/// Where a variant runs, if not on every device.
fn place(variant: &Variant) -> String {
    let (major, minor) = variant.since;
    if variant.is_host {
        "the host".to_owned()
    } else if variant.since > (1, 0) {
        format!("compute capability {major}.{minor} or newer")
    } else {
        String::new()
    }
}

fn parameter(parameter: &Parameter) -> [String; 4] {
    let values = match parameter.kind {
        Kind::Choice(names) => codes(names.iter().copied()),
        kind => plain(&kind.expectation()),
    };
    let default = match parameter.default {
        Default::Integer(number) => number.to_string(),
        Default::Text(text) => code(text),
        Default::OfDevice(_) => "chosen for the device".to_owned(),
    };
    [code(parameter.name), values, default, plain(parameter.summary)]
}
