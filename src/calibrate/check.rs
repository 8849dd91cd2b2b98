//! Holds the constants of a profile against those of a new calibration.

use super::document::Document;
use super::found::Origin;
use super::solve::Calibration;

/// By how many percent a constant may differ between two calibrations, unless it is less sure.
pub const AGREES_WITHIN_PCT: f64 = 3.0;

/// What sources of measured constants begin with.
const MEASURED: &str = "measured: ";
/// And those of limits.
const LIMIT: &str = "measured as a limit: ";
/// Constants are written with four digits: what is nearer than this is the same.
const SAME_PCT: f64 = 0.06;

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

/// What became of the constants of a profile in a new calibration.
#[derive(Debug, Clone)]
pub struct Check {
    /// Those that were measured now.
    pub measured: Vec<Checked>,
    /// Keys of those that the profile has as measured and that were not measured now.
    pub not_measured: Vec<String>,
    /// Keys of those that the profile has as limits or that are limits now, which are not compared: the points do not tell them.
    pub limits: Vec<String>,
    /// What the driver tells now and the profile has otherwise: key, the profile's value, the driver's.
    pub told_otherwise: Vec<(String, String, String)>,
}

impl Check {
    /// Whether every constant is that of the profile to the last digit, as no two measurements give.
    pub fn is_of_the_same_runs(&self) -> bool {
        !self.measured.is_empty() && self.agrees() && self.measured.iter().all(|own| own.apart_pct.abs() <= SAME_PCT)
    }

    /// Whether the profile is still that of the GPU, as far as its constants are known.
    pub fn agrees(&self) -> bool {
        self.not_measured.is_empty() && self.told_otherwise.is_empty() && self.measured.iter().all(Checked::agrees)
    }
}

/// The constants of a calibration beside those of a profile, which was validated before.
///
/// # Errors
/// What is wrong with the profile's TOML.
pub fn check(profile: &str, now: &Calibration) -> Result<Check, String> {
    let document = Document::parse(profile)?;
    let mut check =
        Check { measured: Vec::new(), not_measured: Vec::new(), limits: Vec::new(), told_otherwise: Vec::new() };
    for own in &now.constants {
        let was_limit = document.source(&own.key).is_some_and(|source| source.starts_with(LIMIT));
        let was_measured = document.source(&own.key).is_some_and(|source| source.starts_with(MEASURED));
        let text = |value: &toml_edit::Value| value.to_string().trim().to_owned();
        match (&own.origin, document.number(&own.key).zip(own.number())) {
            (Origin::Limit, _) => check.limits.push(own.key.clone()),
            (Origin::Measured { .. }, _) if was_limit => check.limits.push(own.key.clone()),
            (Origin::Measured { uncertainty_pct }, Some((before, now))) => check.measured.push(Checked {
                key: own.key.clone(),
                before,
                now,
                apart_pct: (now / before - 1.0) * 100.0,
                uncertainty_pct: *uncertainty_pct,
            }),
            (Origin::Told, numbers) => {
                let is_same = match numbers {
                    Some((before, now)) => (before - now).abs() <= 1e-9 * before.abs(),
                    None => document.value(&own.key).map(text) == Some(text(&own.value)),
                };
                if !is_same {
                    let before = document.value(&own.key).map_or_else(|| "nothing".to_owned(), text);
                    check.told_otherwise.push((own.key.clone(), before, text(&own.value)));
                }
            }
            _ if was_measured => check.not_measured.push(own.key.clone()),
            _ => (),
        }
    }
    Ok(check)
}
