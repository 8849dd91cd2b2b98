//! Variants that did not end at a point: their other points would be waited for as long, and are not run.

use super::repeats::named;
use located_toml::words::count;

/// A variant that did not end.
struct Endless {
    variant: String,
    /// The point where it did not.
    point: String,
    /// Those that it was not run at.
    others: Vec<String>,
}

/// The variants that did not end so far.
#[derive(Default)]
pub(super) struct EndlessVariants(Vec<Endless>);

impl EndlessVariants {
    /// Notes that a variant did not end at a point.
    pub(super) fn note(&mut self, variant: &str, point: &str) {
        self.0.push(Endless { variant: variant.to_owned(), point: point.to_owned(), others: Vec::new() });
    }

    /// Whether a variant did not end before, so that it is not to be run at this point.
    pub(super) fn refuse(&mut self, variant: &str, point: &str) -> bool {
        let known = self.0.iter_mut().find(|own| own.variant == variant);
        let is_known = known.is_some();
        known.into_iter().for_each(|own| own.others.push(point.to_owned()));
        is_known
    }

    /// Which points were not run, in sentences, each with its variant before it. Nothing is known afterwards.
    pub(super) fn told(&mut self) -> Vec<String> {
        std::mem::take(&mut self.0).iter().filter(|own| !own.others.is_empty()).map(Endless::told).collect()
    }
}

impl Endless {
    fn told(&self) -> String {
        let Self { variant, point, others } = self;
        let further = count(others.len(), "further point");
        format!("{variant} at {further}, since it did not end at {point}: {}", named(others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_behind_an_endless_one_are_told() {
        let mut endless = EndlessVariants::default();
        assert!(!endless.refuse("k/a", "n=1"));
        endless.note("k/a", "n=2");
        endless.note("k/c", "n=2");
        assert!(endless.refuse("k/a", "n=3") && endless.refuse("k/a", "n=4"));
        assert!(!endless.refuse("k/b", "n=3"), "another variant");
        assert_eq!(endless.told(), ["k/a at 2 further points, since it did not end at n=2: n=3; n=4"]);
        assert!(endless.told().is_empty());
    }
}
