//! How two runs differ in what must be the same for their points to stand in one file.

use serde_json::Value;
use similar::TextDiff;

use super::RunError;
use super::metadata::RunMetadata;
use located_toml::words::shorten;

/// What runs that are gone on with may differ in: `run.json` has it of both.
pub(super) const OF_EACH_STRETCH: [&str; 12] = [
    "command_line",
    "sizes",
    "started_at",
    "ended_at",
    "resumed_at",
    "status",
    "host",
    "guards",
    "energy",
    "noise_floor",
    "time_spent",
    "merged_from",
];

/// Longest value that is shown, in characters.
const SHOWN_MAX: usize = 80;

/// Most lines of a scenario's difference that are shown.
const LINES_MAX: usize = 60;

/// How the two sides of a comparison are called where a run is gone on with.
pub(super) const THEN_AND_NOW: [&str; 2] = ["in the run", "now"];

/// Every key of `run.json` whose values differ, with both. Keys below those that are `left_out` are not looked at; all
/// others are, so that whatever is added to `run.json` counts until it is said not to.
pub(super) fn metadata_differences(
    run: &RunMetadata,
    other: &RunMetadata,
    [run_is, other_is]: [&str; 2],
    left_out: &[&str],
) -> Result<Vec<String>, RunError> {
    let (run, other) = (flat(run)?, flat(other)?);
    let value = |entries: &[(String, String)], key: &str| {
        entries.iter().find(|(own, _)| own == key).map(|(_, value)| value.clone())
    };
    let shown = |value: Option<String>| value.map_or("nothing".to_owned(), |value| shorten(&value, SHOWN_MAX));
    let is_left_out = |key: &str| {
        let below =
            |folder: &&str| key.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        left_out.iter().any(below)
    };
    let new = other.iter().filter(|(key, _)| value(&run, key).is_none());
    let mut differences = Vec::new();
    for (key, _) in run.iter().chain(new).filter(|(key, _)| !is_left_out(key)) {
        let (one, two) = (value(&run, key), value(&other, key));
        if one != two {
            differences.push(format!("{key}: {} {run_is}, {} {other_is}", shown(one), shown(two)));
        }
    }
    Ok(differences)
}

/// The values of `run.json` by their keys: `device.driver_version`. What is not told is not there.
fn flat(metadata: &RunMetadata) -> Result<Vec<(String, String)>, RunError> {
    // Through text and back, because what stands in a file went that way too: numbers may lose their last digit there.
    let value = serde_json::to_string(metadata).and_then(|text| serde_json::from_str::<Value>(&text));
    let value = value.map_err(|error| RunError::malformed(super::METADATA_FILE.as_ref(), None, error.to_string()))?;
    let mut entries = Vec::new();
    flatten(String::new(), &value, &mut entries);
    Ok(entries)
}

fn flatten(key: String, value: &Value, entries: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::Object(members) => {
            for (name, member) in members {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                flatten(key, member, entries);
            }
        }
        Value::String(text) => entries.push((key, text.clone())),
        other => entries.push((key, other.to_string())),
    }
}

/// The lines in which two scenarios differ, as `diff -u` shows them; `None` where they are the same.
pub(super) fn scenario_difference(run: &str, other: &str, [run_is, other_is]: [&str; 2]) -> Option<String> {
    if run == other {
        return None;
    }
    let diff = TextDiff::from_lines(run, other);
    let [run_is, other_is] = [run_is, other_is].map(|is| format!("scenario.toml {is}"));
    let text = diff.unified_diff().context_radius(2).header(&run_is, &other_is).to_string();
    let mut lines: Vec<String> = text.lines().take(LINES_MAX).map(|line| shorten(line, 2 * SHOWN_MAX)).collect();
    let beyond = text.lines().count() - lines.len();
    if beyond > 0 {
        lines.push(format!("... and {beyond} more lines"));
    }
    Some(lines.join("\n"))
}

/// The columns that one table has and the other has not.
pub(super) fn column_difference(
    file: &str,
    run: &[&str],
    other: &[&str],
    [run_is, other_is]: [&str; 2],
) -> Option<String> {
    if run == other {
        return None;
    }
    let alone = |own: &[&str], others: &[&str]| {
        let names: Vec<&str> = own.iter().copied().filter(|name| !others.contains(name)).collect();
        shorten(&if names.is_empty() { "none".to_owned() } else { names.join(", ") }, 4 * SHOWN_MAX)
    };
    let (first, second) = (alone(run, other), alone(other, run));
    if first == "none" && second == "none" {
        return Some(format!("{file}: the columns are in another order"));
    }
    Some(format!("{file}: columns that are only {run_is}: {first}; only {other_is}: {second}"))
}
