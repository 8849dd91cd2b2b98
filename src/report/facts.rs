//! What is known of the device, of what could have spoilt the measurements, and of where the figures come from.

use maud::{Markup, html};

use crate::device::GuardOutcome;
use crate::known_error;
use crate::properties::{Origin, Properties};
use crate::run::reader::Run;
use crate::scenario::Scenario;
use crate::unit;

fn list(facts: &[(&str, String)]) -> Markup {
    html! { dl.facts { @for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        div { dt { (name) } dd { (value) } }
    } } }
}

/// The device and its guards.
pub(super) fn device(run: &Run) -> Markup {
    html! {
        section #device aria-labelledby="device-heading" {
            h2 #device-heading { "Device" }
            (list(&device_facts(&run.metadata.device)))
            @if run.metadata.guards.is_empty() { p { (without_guards(run.metadata.device.origin)) } }
            @else { div.table tabindex="0" role="region" aria-label="Guards" { table.sortable {
                caption { "Guards: checks of what can spoil measurements, with their results" }
                thead { tr { th scope="col" { "guard" } th scope="col" { "outcome" } th scope="col" { "detail" } } }
                tbody { @for guard in &run.metadata.guards {
                    @let (class, outcome) = match guard.outcome {
                        GuardOutcome::Ok => ("ok", "ok"),
                        GuardOutcome::Flagged => ("flagged", "flagged"),
                        GuardOutcome::Unknown => ("unknown", "unknown"),
                    };
                    tr { th scope="row" { (guard.guard.replace('_', " ")) } td class=(class) { (outcome) } td { (guard.detail) } }
                } }
            } } }
        }
    }
}

/// Why there is no table of guards.
fn without_guards(origin: Origin) -> &'static str {
    match origin {
        Origin::Simulated => "Simulated times repeat exactly; there is nothing to guard against.",
        _ => "The run has no guards: it does not say whether anything spoilt its measurements.",
    }
}

fn device_facts(device: &Properties) -> Vec<(&'static str, String)> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let count = |count: u32| if count == 0 { String::new() } else { count.to_string() };
    let bytes = |bytes: u64| if bytes == 0 { String::new() } else { unit::bytes(bytes) };
    let yes = |is: bool| if is { "on" } else { "off" }.to_owned();
    let mut facts = vec![
        ("name", device.name.clone()),
        ("selected by", device.spec.clone()),
        ("origin of times", device.origin.name().to_owned()),
        ("UUID", text(&device.uuid)),
        ("driver", text(&device.driver_version)),
        ("CUDA", text(&device.cuda_version)),
        ("compute capability", device.compute_capability.clone()),
        ("multiprocessors", count(device.sm_count)),
        ("highest clock", format!("{} MHz", device.sm_clock_mhz)),
        ("memory clock", device.memory_clock_mhz.map(|clock| format!("{clock} MHz")).unwrap_or_default()),
        ("memory bus", device.memory_bus_bits.map(|bits| format!("{bits} bits")).unwrap_or_default()),
        ("memory", bytes(device.memory_bytes)),
        ("L2 cache", bytes(device.l2_bytes)),
        ("error correction", device.ecc.map(yes).unwrap_or_default()),
        ("threads of a multiprocessor", count(device.threads_per_sm)),
        ("blocks of a multiprocessor", count(device.blocks_per_sm)),
        ("registers of a multiprocessor", count(device.registers_per_sm)),
        ("shared memory of a multiprocessor", bytes(device.shared_bytes_per_sm)),
    ];
    if let Some(profile) = &device.profile {
        facts.push(("profile, SHA-256", profile.sha256.clone()));
        facts.push(("validation", known_error::validation(device, profile)));
    }
    facts
}

/// How the run was made.
pub(super) fn provenance(run: &Run, scenario: &Scenario) -> Markup {
    let metadata = &run.metadata;
    let measure = &metadata.measure;
    let mut facts = vec![
        ("apbench", metadata.apbench_version.clone()),
        ("begun", metadata.started_at.clone()),
        ("continued", metadata.resumed_at.join(", ")),
        ("ended", metadata.ended_at.clone().unwrap_or_default()),
        (
            "host",
            format!(
                "{}, {}, {} cores",
                metadata.host.name.as_deref().unwrap_or("unnamed"),
                metadata.host.system,
                metadata.host.cores
            ),
        ),
        ("family", format!("{}: {}", scenario.family.name, scenario.family.summary)),
        ("kernels compiled by", metadata.kernels.compiler.clone()),
        ("kernels compiled for", metadata.kernels.target.clone()),
        ("PTX, SHA-256", metadata.kernels.ptx_sha256.clone()),
        ("seed", measure.seed.to_string()),
        ("sampling", setting(&measure.sampling)),
        ("flush", measure.flush.name().to_owned()),
        ("precision", format!("{} %", measure.precision_pct)),
        ("budget of a point", format!("{} s", measure.budget_s)),
        ("rounds", format!("{} to {}", measure.rounds_min, measure.rounds_max)),
        ("samples", format!("{} to {}", measure.samples_min, measure.samples_max)),
        ("time spent", unit::duration_us(metadata.time_spent.total_s * 1e6)),
    ];
    if let Some(floor) = &metadata.noise_floor {
        let found = format!(
            "{} %, of {} comparisons on {}",
            unit::significant(floor.floor_pct, 2),
            floor.comparisons,
            floor.measured_at
        );
        facts.push(("noise floor", found));
    }
    html! {
        section #provenance aria-labelledby="provenance-heading" {
            h2 #provenance-heading { "Provenance" }
            pre tabindex="0" { code { (metadata.command_line.join(" ")) } }
            (list(&facts))
            @if !metadata.merged_from.is_empty() { div.table tabindex="0" role="region" aria-label="Parts" { table {
                caption { "The parts that the run was joined from" }
                thead { tr { th scope="col" { "directory" } th scope="col" { "part" } th scope="col" { "device" } th scope="col" { "begun" } th.number scope="col" { "points" } } }
                tbody { @for part in &metadata.merged_from { tr {
                    th scope="row" { (part.directory) } td { (part.part) } td { (part.device_spec) } td { (part.started_at) } td.number { (part.points) }
                } } }
            } } }
        }
    }
}

/// The word that a setting has in scenarios.
fn setting(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
