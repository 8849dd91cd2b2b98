//! Holds the constants of a profile against those of a new calibration.

use super::document::Document;
use super::found::Origin;
use super::solve::Calibration;

/// By how many percent a constant may differ between two calibrations, unless it is less sure.
pub const AGREES_WITHIN_PCT: f64 = 3.0;

/// A constant of a profile beside what was measured now.
#[derive(Debug, Clone)]
pub struct Checked {
    /// Its key.
    pub key: String,
    /// What the profile has.
    pub before: f64,
    /// What was measured now.
    pub now: f64,
    /// By how many percent the second is above the first.
    pub apart_pct: f64,
    /// How many percent it is sure to now.
    pub uncertainty_pct: f64,
}

impl Checked {
    /// Whether the two agree as far as the constant is known.
    pub fn agrees(&self) -> bool {
        self.apart_pct.abs() <= AGREES_WITHIN_PCT.max(2.0 * self.uncertainty_pct)
    }
}

/// The measured constants of a calibration beside those of a profile, which was validated before.
///
/// # Errors
/// What is wrong with the profile's TOML.
pub fn check(profile: &str, now: &Calibration) -> Result<Vec<Checked>, String> {
    let document = Document::parse(profile)?;
    let rows = now.constants.iter().filter_map(|own| {
        let Origin::Measured { uncertainty_pct } = own.origin else { return None };
        let (before, now) = (document.number(&own.key)?, own.number()?);
        Some(Checked { key: own.key.clone(), before, now, apart_pct: (now / before - 1.0) * 100.0, uncertainty_pct })
    });
    Ok(rows.collect())
}
