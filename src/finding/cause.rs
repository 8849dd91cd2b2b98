//! Why points have no time: once for each variant and cause, whatever addresses and sizes differ from point to point.

use std::collections::{BTreeSet, HashMap};

use crate::record::{PointRecord, Status};
use located_toml::words::{and_list, count};

/// Points of a variant that have no time for the same cause.
#[derive(Debug, Clone)]
pub struct Cause<'a> {
    /// In the order of the run; there is at least one.
    points: Vec<&'a PointRecord>,
    /// Points of the variant in the run.
    of: usize,
    /// Values of the parameters that vary, as far as these points have them: `n = 4096 to 65536`.
    values: String,
}

/// Values of a parameter that are listed; of more numbers the ends are told.
const VALUES_LISTED: usize = 3;

/// The causes in the order of their first points: points that failed, then those that were not run, then those that were skipped.
pub fn causes(points: &[PointRecord]) -> Vec<Cause<'_>> {
    let mut places: HashMap<(&str, &'static str, String), usize> = HashMap::new();
    let mut found: Vec<Vec<&PointRecord>> = Vec::new();
    for point in points.iter().filter(|point| point.status != Status::Ok) {
        let key = (point.variant.as_str(), point.status.name(), kind(point));
        let place = *places.entry(key).or_insert(found.len());
        if place == found.len() {
            found.push(Vec::new());
        }
        found[place].push(point);
    }
    found.sort_by_key(|own| own.first().map(|first| (rank(first.status), first.point)));
    let mut variants: HashMap<&str, Variant<'_>> = HashMap::new();
    let causes = found.into_iter().map(|own| {
        let name = own.first().map_or("", |first| first.variant.as_str());
        let variant = variants.entry(name).or_insert_with(|| Variant::of(name, points));
        Cause { values: variant.told(&own), of: variant.points, points: own }
    });
    causes.collect()
}

/// A point's reason without what differs from point to point.
fn kind(point: &PointRecord) -> String {
    let told = without_numbers(&point.reason);
    if point.status != Status::NotRun {
        return told;
    }
    // Which smaller point it was that did not end.
    told.split(' ').filter(|word| !word.contains('=')).collect::<Vec<_>>().join(" ")
}

/// What failed is told first.
fn rank(status: Status) -> usize {
    match status {
        Status::Ok | Status::Wrong | Status::Failed => 0,
        Status::NotRun => 1,
        Status::Skipped => 2,
    }
}

/// All points of a variant.
struct Variant<'a> {
    points: usize,
    /// How many values each parameter has, where there are several.
    varying: Vec<(&'a str, usize)>,
}

impl<'a> Variant<'a> {
    fn of(name: &str, points: &'a [PointRecord]) -> Self {
        let own: Vec<&PointRecord> = points.iter().filter(|point| point.variant == name).collect();
        let names = own.first().into_iter().flat_map(|first| first.parameters.iter().map(|(name, _)| name));
        let varying = names.map(|name| (name, values(name, &own).len())).filter(|(_, count)| *count > 1);
        Self { points: own.len(), varying: varying.collect() }
    }

    /// The values that some of its points have of the parameters that vary; not words that are those of all points.
    fn told(&self, points: &[&PointRecord]) -> String {
        let told = self.varying.iter().filter_map(|(name, of)| {
            let own = values(name, points);
            // Which numbers were asked for is not known by heart, which words are is.
            let is_said = own.len() < *of || own.iter().all(|value| value.parse::<f64>().is_ok());
            is_said.then(|| format!("{name} = {}", range(&own)))
        });
        told.collect::<Vec<_>>().join("; ")
    }
}

/// The different values that points have of a parameter.
fn values<'a>(name: &str, points: &[&'a PointRecord]) -> BTreeSet<&'a str> {
    points.iter().filter_map(|point| Some(point.parameters.get(name)?.as_str())).collect()
}

impl<'a> Cause<'a> {
    /// The first point that has it, in whose words it is told.
    pub fn first(&self) -> Option<&'a PointRecord> {
        self.points.first().copied()
    }

    /// How many points of how many have it: `5 of 12 points`.
    pub fn points(&self) -> String {
        format!("{} of {}", self.points.len(), count(self.of, "point"))
    }

    /// Values of the parameters that vary, as far as the points have them: `n = 4096 to 65536`.
    pub fn values(&self) -> &str {
        &self.values
    }

    /// All of it in a sentence.
    pub fn sentence(&self) -> String {
        let Some(PointRecord { variant, status, reason, .. }) = self.first() else { return String::new() };
        let ended = ended(*status, self.points.len());
        let with = if self.values.is_empty() { String::new() } else { format!(", {}", self.values) };
        let is_same = self.points.iter().all(|own| own.reason == *reason);
        let told = if is_same { ": " } else { ". The first: " };
        format!("{} of `{variant}` {ended}{with}{told}{reason}", self.points())
    }
}

/// Causes in sentences: variants of which no point could be run, and which differ in nothing but their names, in one.
pub fn sentences(causes: &[Cause<'_>]) -> Vec<String> {
    let mut all: Vec<(String, Vec<&str>, String)> = Vec::new();
    for cause in causes {
        let Some(PointRecord { variant, status, reason, .. }) = cause.first() else { continue };
        let is_whole = *status == Status::Skipped && cause.points.len() == cause.of;
        let common = reason.as_str().replace(variant.as_str(), "\u{0}");
        let key = if is_whole && common != reason.as_str() { common } else { cause.sentence() };
        match all.iter_mut().find(|(own, ..)| *own == key) {
            Some((_, variants, _)) => variants.push(variant),
            None => all.push((key, vec![variant], cause.sentence())),
        }
    }
    let told = |(common, variants, alone): (String, Vec<&str>, String)| match &variants[..] {
        [_] => alone,
        several => {
            format!("{} were skipped: {}", and_list(several), of_several(&common))
        }
    };
    all.into_iter().map(told).collect()
}

/// A reason of several variants, in which each had its name where `\0` stands.
fn of_several(common: &str) -> String {
    common
        .replace("\u{0} runs", "they run")
        .replace("\u{0} needs", "they need")
        .replace('\u{0}', "they")
        .replace("run it", "run them")
}

/// The different reasons of points without a time, whatever variants they are of, with how many points each has: `4 skipped: they need compute
/// capability 9.0`.
pub fn reasons(points: &[PointRecord]) -> Vec<String> {
    let mut all: Vec<(&'static str, String, Vec<&PointRecord>)> = Vec::new();
    for point in points.iter().filter(|point| point.status != Status::Ok) {
        let key = without_numbers(&point.reason.as_str().replace(point.variant.as_str(), "\u{0}"));
        match all.iter_mut().find(|(status, own, _)| *status == point.status.name() && *own == key) {
            Some((.., own)) => own.push(point),
            None => all.push((point.status.name(), key, vec![point])),
        }
    }
    all.sort_by_key(|(.., own)| (own.first().map(|first| rank(first.status)), std::cmp::Reverse(own.len())));
    let common = |point: &PointRecord| point.reason.as_str().replace(point.variant.as_str(), "\u{0}");
    let told = all.into_iter().filter_map(|(_, _, own)| {
        let first = *own.first()?;
        let is_of_one = own.iter().all(|other| other.variant == first.variant);
        let reason = if is_of_one { first.reason.to_string() } else { of_several(&common(first)) };
        let which = if own.iter().all(|other| common(other) == common(first)) { "" } else { ", the first" };
        Some(format!("{} {}{which}: {reason}", own.len(), first.status.name().replace('_', " ")))
    });
    told.collect()
}

/// How so many points ended.
fn ended(status: Status, points: usize) -> &'static str {
    match (status, points) {
        (Status::Ok, _) => "have no cause",
        (Status::Wrong, _) => "gave wrong results",
        (Status::Failed, _) => "failed",
        (Status::NotRun, 1) => "was not run",
        (Status::Skipped, 1) => "was skipped",
        (Status::NotRun, _) => "were not run",
        (Status::Skipped, _) => "were skipped",
    }
}

/// Different values in words.
fn range(values: &BTreeSet<&str>) -> String {
    let numbers: Option<BTreeSet<i64>> = values.iter().map(|value| value.parse().ok()).collect();
    if let Some(numbers) = numbers {
        return match (numbers.first(), numbers.last()) {
            (Some(first), Some(last)) if numbers.len() > VALUES_LISTED => format!("{first} to {last}"),
            _ => numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", "),
        };
    }
    let listed = values.iter().take(VALUES_LISTED).copied().collect::<Vec<_>>().join(", ");
    if values.len() > VALUES_LISTED { format!("{listed}, ...") } else { listed }
}

/// A message without its numbers, but for those of the place that it begins with: addresses, sizes and threads differ from point to point.
pub fn without_numbers(message: &str) -> String {
    let place = message.split_once(": ").filter(|(place, _)| !place.contains(' '));
    let (place, rest) = place.unwrap_or(("", message));
    let mut key = format!("{place}: ");
    let mut is_number = false;
    for letter in rest.chars() {
        is_number = letter.is_ascii_digit() || (is_number && letter.is_ascii_alphanumeric());
        if !is_number {
            key.push(letter);
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures;

    #[test]
    fn variants_that_are_skipped_for_the_same_are_told_together() {
        let reason =
            |variant: &str| format!("this device cannot run it: {variant} runs on the host, which is not simulated");
        let point = |variant: &str| PointRecord {
            status: Status::Skipped,
            reason: reason(variant).into(),
            ..fixtures::point(variant, 1, "", 1.0, 0.0)
        };
        let told = |points: &[PointRecord]| sentences(&causes(points));
        let host = "`serial` and `threads` were skipped: this device cannot run them: they run on the host, which is not simulated";
        assert_eq!(told(&[point("serial"), point("threads")]), [host]);
        let alone = "1 of 1 point of `serial` were skipped: this device cannot run it: serial runs on the host, which is not simulated";
        assert_eq!(told(&[point("serial")]), [alone.replace("were", "was")]);
        // Each reason once, whatever variants it is of.
        let skipped = |variant: &str, reason: &str| PointRecord { reason: reason.into(), ..point(variant) };
        let all = [
            skipped("other", "needs 3 MiB"),
            point("serial"),
            point("serial"),
            point("threads"),
            skipped("other", "needs 5 MiB"),
        ];
        assert_eq!(
            reasons(&all),
            [
                "3 skipped: this device cannot run them: they run on the host, which is not simulated",
                "2 skipped, the first: needs 3 MiB",
            ]
        );
        assert_eq!(reasons(&all[..1]), ["1 skipped: needs 3 MiB"]);
    }

    #[test]
    fn a_cause_is_told_once_for_each_variant_with_its_values() {
        let fault = |line: u32, address: u64| format!("k.cu:{line}: writes 4 bytes at {address:#x}, behind `out`");
        let point = |variant: &str, n: i64, status: Status, reason: String| PointRecord {
            variant: variant.into(),
            parameters: [("n", n.to_string().into()), ("tile", "8".into())].into_iter().collect(),
            status,
            reason: reason.into(),
            ..fixtures::point(variant, 1, "", 1.0, 0.0)
        };
        let mut points: Vec<PointRecord> =
            [1, 2, 4, 8].map(|n| point("a", n, Status::Failed, fault(3, 0x1000 + n as u64))).to_vec();
        points.push(point("a", 16, Status::Failed, fault(7, 0x1000)));
        points.push(point("a", 32, Status::NotRun, "the same variant did not end at the smaller n=8".to_owned()));
        points.push(point("b", 1, Status::Skipped, "needs 3 MiB".to_owned()));
        points.push(point("b", 2, Status::Skipped, "needs 3 MiB".to_owned()));
        points.push(point("c", 1, Status::Ok, String::new()));
        points.push(point(
            "c",
            2,
            Status::Wrong,
            "out has 2 wrong of 3 elements; the first is element 1: 9".to_owned(),
        ));
        points.push(point(
            "c",
            3,
            Status::Wrong,
            "out has 1 wrong of 5 elements; the first is element 0: 7".to_owned(),
        ));
        points.iter_mut().enumerate().for_each(|(index, point)| point.point = index);
        let told: Vec<String> = causes(&points).iter().map(Cause::sentence).collect();
        assert_eq!(
            told,
            [
                "4 of 6 points of `a` failed, n = 1 to 8. The first: k.cu:3: writes 4 bytes at 0x1001, behind `out`",
                "1 of 6 points of `a` failed, n = 16: k.cu:7: writes 4 bytes at 0x1000, behind `out`",
                "2 of 3 points of `c` gave wrong results, n = 2, 3. The first: out has 2 wrong of 3 elements; the first is element 1: 9",
                "1 of 6 points of `a` was not run, n = 32: the same variant did not end at the smaller n=8",
                "2 of 2 points of `b` were skipped, n = 1, 2: needs 3 MiB",
            ]
        );
        assert!(causes(&[]).is_empty());
    }
}
