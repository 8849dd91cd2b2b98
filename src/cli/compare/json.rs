//! A comparison as JSON.

use super::super::failure::Failure;
use super::SideBySide;

pub(super) fn text(compared: &SideBySide) -> Result<String, Failure> {
    serde_json::to_string_pretty(compared).map_err(|error| Failure::Other(format!("the JSON: {error}")))
}
