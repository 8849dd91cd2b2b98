//! A diagnosis as it is written.

use super::{Told, Variant};
use crate::diagnosis::{Document, PointDocument, VariantDocument};

/// All that was found.
pub(super) fn document(told: &Told) -> Document {
    Document {
        scenario: told.scenario.clone(),
        title: told.title.clone(),
        simulated: told.simulated.name.clone(),
        profile: told.simulated.spec.clone(),
        measured: told.measured.as_ref().map(|gpu| gpu.name.clone()),
        known_error: told.known_error.clone(),
        made_up: told.made_up.clone(),
        size: Some(told.size.clone()),
        variants: told.variants.iter().map(|variant| of_variant(variant, told)).collect(),
        source: told.source.clone(),
    }
}

fn of_variant(variant: &Variant, told: &Told) -> VariantDocument {
    let wrong = told.outputs.wrong.iter().find(|own| own.variant == variant.name);
    let races = told.outputs.racing.iter().filter(|(racing, _)| *racing == variant.name);
    VariantDocument {
        races: races.flat_map(|(_, races)| races).map(|race| race.what.clone()).collect(),
        variant: variant.name.to_owned(),
        parameters: variant.parameters.iter().cloned().collect(),
        measured_time_us: variant.measured.map(|measured| measured.median_us),
        wrong_outputs: wrong.map(|own| format!("{}: {}", told.outputs.size, own.problem)),
        error: variant.outcome.as_ref().err().map(ToString::to_string),
        diagnosis: variant.outcome.as_ref().ok().map(PointDocument::from),
    }
}
