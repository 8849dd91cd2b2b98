//! Conditions under which a diagnosis fails a build: `bank_conflicts:2,uncoalesced:8`.

use std::str::FromStr;

use super::candidate::Candidate;
use super::{DEGREES, Finding, KernelFacts, Kind, PointDiagnosis};
use located_toml::words::{count, nearest, quote};

/// That a pattern is as bad as this, or worse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    name: &'static str,
    from: f64,
}

/// All conditions; a finding that meets one crosses the gate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gate(Vec<Condition>);

/// The condition on what a pattern costs, in percent of the time.
const PRICE: &str = "price";

impl FromStr for Gate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names: Vec<&'static str> = names().collect();
        let condition = |part: &str| {
            let Some((name, from)) = part.split_once(':') else {
                return Err(format!("{} is no condition PATTERN:NUMBER", quote(part)));
            };
            let known = names.iter().find(|own| **own == name.trim().replace('-', "_"));
            let meant = || nearest(name, &names).map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
            let name = known.ok_or_else(|| format!("there is no pattern {}{}", quote(name), meant()));
            let from = from.trim().parse::<f64>().ok().filter(|from| from.is_finite() && *from >= 0.0);
            let from = from.ok_or_else(|| format!("{} has no number of 0 or more", quote(part)));
            match (name, from) {
                (Ok(name), Ok(from)) => Ok(Condition { name, from }),
                (name, from) => Err([name.err(), from.err()].into_iter().flatten().collect::<Vec<_>>().join(", and ")),
            }
        };
        let (conditions, problems): (Vec<_>, Vec<_>) =
            text.split(',').map(|part| condition(part.trim())).partition(Result::is_ok);
        let mut problems: Vec<String> = problems.into_iter().filter_map(Result::err).collect();
        if problems.is_empty() {
            return Ok(Self(conditions.into_iter().flatten().collect()));
        }
        // What is allowed, and the example, are told once.
        let help = format!("allowed: {}; for example: bank_conflicts:2,uncoalesced:8,price:10", names.join(", "));
        problems.push(help);
        Err(problems.join("\n  "))
    }
}

/// What conditions may be on.
fn names() -> impl Iterator<Item = &'static str> {
    let mut names: Vec<&'static str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    names.dedup();
    names.into_iter().chain(DEGREES.map(|(name, _)| name)).chain([PRICE])
}

impl Gate {
    /// The condition that a finding meets, in words.
    pub fn crossed_by(&self, finding: &Finding, time_us: f64) -> Option<String> {
        self.0.iter().find_map(|condition| {
            let name = condition.name;
            let (value, meaning) = if name == PRICE {
                (finding.price.map_or(0.0, |price| 1e2 * price.us / time_us), "percent of the time")
            } else if name == finding.kind.name() {
                (Candidate::degree(finding.kind, &finding.counted), finding.kind.degree_meaning())
            } else {
                return None;
            };
            crossed(condition, value, meaning)
        })
    }

    /// That a condition on the price is met, or that it cannot be told, by patterns without a price, in words.
    pub fn crossed_by_unpriced(&self, point: &PointDiagnosis) -> Option<String> {
        let condition = self.0.iter().find(|own| own.name == PRICE)?;
        let left = point.findings.iter().filter(|own| own.price.is_none()).count();
        match point.unpriced_us {
            Some(us) => {
                let of = format!("percent of the time, of {} without a price together", count(left, "pattern"));
                crossed(condition, 1e2 * us / point.time_us, &of)
            }
            None if left > 0 => Some(format!("price:{} cannot be told, since no pattern has a price", condition.from)),
            None => None,
        }
    }

    /// The conditions that a kernel as a whole meets, in words.
    pub fn crossed_by_kernel(&self, kernel: &KernelFacts) -> Vec<String> {
        let of = |condition: &Condition| {
            let (_, meaning) = DEGREES.iter().find(|(name, _)| *name == condition.name)?;
            crossed(condition, *kernel.degrees_percent.get(condition.name)?, meaning)
        };
        self.0.iter().filter_map(of).collect()
    }
}

/// The condition in words, where a value meets it, both as they are shown.
fn crossed(Condition { name, from }: &Condition, value: f64, meaning: &str) -> Option<String> {
    let shown = (value * 10.0).round() / 10.0;
    (value > 0.0 && shown >= from - 1e-9).then(|| format!("{name} {value:.1} >= {from} ({meaning})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_as_they_are_shown() {
        let condition = Condition { name: "uncoalesced", from: 8.0 };
        let told = crossed(&condition, 7.97, "sectors");
        assert_eq!(told.as_deref(), Some("uncoalesced 8.0 >= 8 (sectors)"));
        assert_eq!(crossed(&condition, 7.94, "sectors"), None);
    }

    #[test]
    fn conditions_are_patterns_with_numbers() {
        let gate: Gate = "bank_conflicts:2, uncoalesced:8,price:10".parse().unwrap();
        assert_eq!(gate.0.len(), 3);
        for (text, part) in [
            ("", "is no condition"),
            ("bank_conflict:2", "did you mean `bank_conflicts`"),
            ("price:x", "no number of 0 or more"),
            ("price:-1", "no number of 0 or more"),
            ("price:inf", "no number of 0 or more"),
            ("divergence", "is no condition"),
        ] {
            let problem = text.parse::<Gate>().unwrap_err();
            assert!(problem.contains(part), "{text}: {problem}");
        }
        let all = "divergense:2, foo:y,price:x,price,uncoalesced:8".parse::<Gate>().unwrap_err();
        let lines: Vec<&str> = all.split("\n  ").collect();
        let [pattern, unknown, number, condition, help] = lines[..] else { panic!("{all}") };
        assert_eq!(pattern, "there is no pattern `divergense`: did you mean `divergence`?");
        assert_eq!(unknown, "there is no pattern `foo`, and `foo:y` has no number of 0 or more");
        assert_eq!(
            (number, condition),
            ("`price:x` has no number of 0 or more", "`price` is no condition PATTERN:NUMBER")
        );
        assert!(help.starts_with("allowed: uncoalesced, ") && help.ends_with("price:10"), "{help}");
    }
}
