//! A diagnosis as JSON.

use serde_json::{Value as Json, json};

use super::{Told, Variant};
use crate::diagnosis::{Finding, KernelFacts, PointDiagnosis, counted, source_name};

/// All that was found.
pub(super) fn json(told: &Told) -> Json {
    let pairs = |all: &[(String, String)]| -> serde_json::Map<String, Json> {
        all.iter().map(|(name, value)| (name.clone(), Json::from(value.clone()))).collect()
    };
    let variants: Vec<Json> = told.variants.iter().map(|variant| of_variant(variant, pairs(&variant.parameters))).collect();
    json!({
        "scenario": told.scenario,
        "title": told.title,
        "simulated": told.simulated.name,
        "profile": told.simulated.spec,
        "measured": told.measured.as_ref().map(|gpu| &gpu.name),
        "known_error": told.known_error,
        "variants": variants,
    })
}

fn of_variant(variant: &Variant, parameters: serde_json::Map<String, Json>) -> Json {
    let mut own = json!({ "variant": variant.name, "parameters": parameters });
    if let Some(measured) = &variant.measured {
        own["measured_time_us"] = json!(measured.median_us);
    }
    match &variant.outcome {
        Err(error) => own["error"] = json!(error.to_string()),
        Ok(point) => {
            own["time_us"] = json!(point.time_us);
            own["origin"] = json!("simulated");
            own["sampling_error_us"] = json!(point.sampling_error_us);
            own["bound"] = json!(point.bound);
            own["time_without_all_us"] = json!(point.without_all_us);
            own["unpriced"] = json!(point.unpriced);
            own["kernels"] = point.kernels.iter().map(of_kernel).collect();
            own["findings"] = point.findings.iter().map(|finding| of_finding(finding, point)).collect();
        }
    }
    own
}

fn of_kernel(kernel: &KernelFacts) -> Json {
    let facts: Vec<Json> =
        kernel.facts.iter().map(|fact| json!({ "fact": fact.name, "sentence": fact.sentence })).collect();
    json!({
        "kernel": source_name(kernel.kernel),
        "launches": kernel.launches,
        "time_us": kernel.time_us,
        "grid": kernel.grid,
        "block": kernel.block,
        "resident_warps_per_sm": kernel.resident_warps.0,
        "warps_per_sm_most": kernel.resident_warps.1,
        "facts": facts,
    })
}

fn of_finding(finding: &Finding, point: &PointDiagnosis) -> Json {
    let accesses = &finding.counted.accesses;
    let mut own = json!({
        "pattern": finding.kind.name(),
        "title": finding.kind.title(),
        "kernel": source_name(finding.kernel),
        "file": finding.place.file,
        "line": finding.place.line,
        "source": finding.place.text,
        "ptx_lines": finding.ptx_lines,
        "counted": counted(finding.kind, &finding.counted),
        "executions": finding.counted.executions,
        "affected": finding.counted.affected,
        "remedy": finding.remedy,
        "price_us": finding.price.map(|price| price.us),
        "price_part": finding.price.map(|price| price.us / point.time_us),
        "time_without_us": finding.price.map(|price| price.without_us),
        "bound_without": finding.price.map(|price| price.bound_without),
    });
    if accesses.requests > 0.0 {
        own["requests"] = json!(accesses.requests);
        own["parts"] = json!(accesses.parts);
        own["parts_least"] = json!(accesses.least);
        own["stride_bytes"] = json!(finding.counted.stride_bytes);
    }
    own
}
