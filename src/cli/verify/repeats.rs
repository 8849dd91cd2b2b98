//! Faults, and reasons not to run a point or to skip it, that come again at further points: each is told once, with where else it comes.

use crate::finding::without_numbers;
use located_toml::words::count;

/// What went wrong with a variant, and at which points.
struct Repeat {
    /// The word before it.
    word: &'static str,
    variant: String,
    /// The message without its addresses and sizes.
    key: String,
    /// The point where it came first.
    first: String,
    /// The message, where it was not told yet.
    held: Option<String>,
    /// The points where it came again.
    others: Vec<String>,
}

/// What went wrong so far, in the order in which it was told.
#[derive(Default)]
pub(super) struct Repeats(Vec<Repeat>);

/// Points that are named; the others are counted.
const POINTS_SHOWN: usize = 10;

impl Repeats {
    /// Notes what went wrong with a variant at a point. Tells whether that is the first time.
    pub(super) fn is_new(&mut self, (word, variant): (&'static str, &str), point: &str, message: &str) -> bool {
        let key = without_numbers(message);
        if let Some(known) = self.0.iter_mut().find(|own| own.variant == variant && own.key == key) {
            known.others.push(point.to_owned());
            return false;
        }
        let (variant, first) = (variant.to_owned(), point.to_owned());
        self.0.push(Repeat { word, variant, key, first, held: None, others: Vec::new() });
        true
    }

    /// Notes why a variant was skipped at a point. That is told by [`Self::told`] alone, once for all points with this reason.
    pub(super) fn hold(&mut self, (word, variant): (&'static str, &str), point: &str, message: &str) {
        if self.is_new((word, variant), point, message)
            && let Some(own) = self.0.last_mut()
        {
            own.held = Some(message.to_owned());
        }
    }

    /// What came again or was held back, in sentences, each with its word and with its variant before it. Nothing is known afterwards.
    pub(super) fn told(&mut self) -> Vec<(&'static str, String)> {
        let again = std::mem::take(&mut self.0).into_iter();
        let again = again.filter(|own| own.held.is_some() || !own.others.is_empty());
        let (held, again): (Vec<Repeat>, Vec<Repeat>) = again.partition(|own| own.held.is_some());
        let mut reasons: Vec<Vec<Repeat>> = Vec::new();
        for own in held {
            match reasons.iter_mut().find(|known| known.first().is_some_and(|first| first.is_held_as(&own))) {
                Some(known) => known.push(own),
                None => reasons.push(vec![own]),
            }
        }
        let again = again.into_iter().map(|own| (own.word, own.told()));
        let of_reason = |own: &Vec<Repeat>| Some((own.first()?.word, of_reason(own)?));
        again.chain(reasons.iter().filter_map(of_reason)).collect()
    }
}

/// What some variants of a family were held back for, in a sentence with how many points they have, and one of these.
fn of_reason(held: &[Repeat]) -> Option<String> {
    let first = held.first()?;
    let points: usize = held.iter().map(|own| 1 + own.others.len()).sum();
    let names: Vec<&str> = held.iter().map(|own| own.parts().1).collect();
    let (family, reason) = (first.parts().0, first.reason()?);
    let example = &first.first;
    Some(if points == 1 {
        format!("{} {example}: {reason}", first.variant)
    } else {
        let points = count(points, "point");
        format!("{family}{}: {reason} ({points}, such as {} {example})", names.join(", "), names.first()?)
    })
}

impl Repeat {
    /// The family, with the stroke behind it, and the variant.
    fn parts(&self) -> (&str, &str) {
        let end = self.variant.find('/').map_or(0, |place| place + 1);
        self.variant.split_at(end)
    }

    /// Why it was held back, without its name.
    fn reason(&self) -> Option<&str> {
        let message = self.held.as_deref()?;
        let own = message.strip_prefix(self.parts().1).and_then(|rest| rest.strip_prefix(' '));
        Some(own.unwrap_or(message))
    }

    /// Whether another variant of the same family was held back for the same reason.
    fn is_held_as(&self, other: &Self) -> bool {
        self.word == other.word && self.parts().0 == other.parts().0 && self.reason() == other.reason()
    }

    fn told(&self) -> String {
        let Self { word, variant, first, others, .. } = self;
        let what = if word.starts_with("FAILED") { "fault" } else { "reason" };
        format!("{variant}: the same {what} as at {first} at {}: {}", count(others.len(), "more point"), named(others))
    }
}

/// The first of these points.
pub(super) fn named(points: &[String]) -> String {
    let shown = points.iter().take(POINTS_SHOWN).cloned().collect::<Vec<_>>().join("; ");
    let beyond = points.len().saturating_sub(POINTS_SHOWN);
    let beyond = if beyond > 0 { format!("; and {beyond} more") } else { String::new() };
    shown + &beyond
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_again_is_told_with_its_points() {
        let fault =
            |line: u32, address: u64| format!("k.cu:{line}: writes 4 bytes at {address:#x}, beyond the end of `out`");
        let mut repeats = Repeats::default();
        assert!(repeats.is_new(("FAILED ", "k/a"), "n=1", &fault(3, 0x10a0)));
        assert!(!repeats.is_new(("FAILED ", "k/a"), "n=2", &fault(3, 0x20_0000)));
        assert!(repeats.is_new(("FAILED ", "k/a"), "n=3", &fault(4, 0x10a0)), "another line");
        assert!(repeats.is_new(("FAILED ", "k/b"), "n=1", &fault(3, 0x10a0)), "another variant");
        assert_eq!(repeats.told(), [("FAILED ", "k/a: the same fault as at n=1 at 1 more point: n=2".to_owned())]);
        assert!(repeats.told().is_empty());
        repeats.hold(("skip   ", "k/a"), "n=1", "needs 8.0 and not 1.3");
        assert_eq!(repeats.told(), [("skip   ", "k/a n=1: needs 8.0 and not 1.3".to_owned())]);
        for point in ["n=1", "n=2", "n=3"] {
            repeats.hold(("skip   ", "k/a"), point, "needs 8.0 and not 1.3");
        }
        for (variant, needs) in [("k/b", "b needs 8.0 and not 1.3"), ("k/c", "c needs 9.0 and not 1.3")] {
            repeats.hold(("skip   ", variant), "n=1", needs);
        }
        let told = ["k/a, b: needs 8.0 and not 1.3 (4 points, such as a n=1)", "k/c n=1: needs 9.0 and not 1.3"];
        assert_eq!(repeats.told(), told.map(|told| ("skip   ", told.to_owned())));
        let new = (1..=14).filter(|n| repeats.is_new(("FAILED ", "k/a"), &format!("n={n}"), &fault(3, *n)));
        assert_eq!(new.count(), 1);
        let told: String = repeats.told().into_iter().map(|(_, told)| told).collect();
        assert!(told.starts_with("k/a: the same fault as at n=1 at 13 more points: n=2; n=3; "), "{told}");
        assert!(told.ends_with("; n=11; and 3 more"), "{told}");
    }
}
