//! The page of laws, from their table.

use super::super::list::NO_LAWS;
use super::markdown::{Page, code, codes, plain};
use crate::family::FAMILIES;
use crate::model::fit::{
    FEWEST_PREDICTORS, LEAST_R2, LEFT_OUT_ONE_IN, MOST_ERROR_PCT, MOST_FLAT_PCT, MOST_SINGLE_ERROR_PCT,
};
use crate::model::law::{LAWS, Law};
use crate::model::predictor_names;

pub(super) fn page() -> Page {
    let mut page = Page::new("Laws");
    page.paragraph(
        "A law says how the time follows from a predictor. `law = \"NAME\"` of a `[[fit]]` asks for it. [Laws and \
         verdicts](../concepts/laws.md) explains how laws are fitted and judged.",
    );
    page.heading(2, "When a law holds");
    page.paragraph(&format!(
        "The time does not depend on the predictor where no time is more than {MOST_FLAT_PCT} % from the middle of all. Otherwise a law \
         holds if all of these are true:"
    ));
    page.paragraph(&format!(
        "- The 95 % interval of its cost excludes zero, and lies above zero where the law names a cost.\n\
         - The leave-one-out errors are at most {MOST_ERROR_PCT} % in the root mean square, and at most {MOST_SINGLE_ERROR_PCT} % each.\n\
         - R² is at least {LEAST_R2}, for laws with more than one parameter.\n\
         - The predictor has enough different values: {FEWEST_PREDICTORS} for laws with one or two parameters, one more for each further \
         parameter."
    ));
    page.paragraph(&format!(
        "A law *holds from* a value on if it holds without the smallest values of the predictor, of which at most one in \
         {LEFT_OUT_ONE_IN} may be left out."
    ));
    page.heading(2, "Laws with a predictor of their own");
    let (own, any): (Vec<&Law>, Vec<&Law>) = LAWS.iter().partition(|law| law.predictor.is_some());
    page.table(
        ["law", "equation", "predictor", "parameters", "families", "source"],
        own.into_iter().map(|law| {
            let predictor = law.predictor.unwrap_or_default();
            let families = FAMILIES.iter().filter(|family| predictor_names(family).contains(&predictor));
            [
                code(law.name),
                code(law.equation),
                format!("{} = {}", plain(law.symbol), code(predictor)),
                parameters(law, predictor),
                codes(families.map(|family| family.name)),
                plain(law.source),
            ]
        }),
    );
    page.heading(2, "Laws for any predictor");
    page.paragraph("x is the `predictor` of the fit: a parameter that is a number, or a predictor of the family.");
    page.table(
        ["law", "equation", "parameters", "predictor", "where it is from"],
        any.into_iter().map(|law| {
            let needs = match (law.counts_bytes(), law.form.needs_positive()) {
                (true, _) => "must count bytes",
                (false, true) => "must be above zero",
                (false, false) => "any",
            };
            [code(law.name), code(law.equation), parameters(law, "the predictor"), needs.to_owned(), plain(law.source)]
        }),
    );
    page.heading(2, "Other values of `law`");
    page.table(["law", "meaning"], NO_LAWS.map(|(name, meaning)| [code(name), plain(meaning)]));
    page
}

/// The parameters of a law, each with its unit.
fn parameters(law: &Law, predictor: &str) -> String {
    let of_predictor = if predictor.contains(' ') { predictor.to_owned() } else { code(predictor) };
    let parameters = law.parameters.iter().map(|parameter| match parameter.unit {
        "us" => format!("{} (µs)", code(parameter.name)),
        "gb_per_s" => format!("{} (10^9 bytes/s)", code(parameter.name)),
        "x" => format!("{} (in the unit of {of_predictor})", code(parameter.name)),
        "1" => format!("{} (a number)", code(parameter.name)),
        unit => format!("{} ({unit})", code(parameter.name)),
    });
    parameters.collect::<Vec<_>>().join(", ")
}
