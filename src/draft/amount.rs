//! Amounts: sums of products of names, as scenarios have them in lengths and numbers of blocks.

use std::collections::BTreeMap;
use std::fmt;

/// A sum of products of names with whole factors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Amount(BTreeMap<Vec<String>, i64>);

/// The most terms, and the most names in one.
const MOST: usize = 24;

impl Amount {
    pub(super) fn number(number: i64) -> Self {
        let mut terms = BTreeMap::new();
        if number != 0 {
            terms.insert(Vec::new(), number);
        }
        Self(terms)
    }

    /// A name, or an expression that is one factor.
    pub(super) fn symbol(text: impl Into<String>) -> Self {
        Self(BTreeMap::from([(vec![text.into()], 1)]))
    }

    pub(super) fn as_number(&self) -> Option<i64> {
        match self.0.iter().next() {
            None => Some(0),
            Some((names, number)) if names.is_empty() && self.0.len() == 1 => Some(*number),
            _ => None,
        }
    }

    /// The most names of a product.
    pub(super) fn degree(&self) -> usize {
        self.0.keys().map(Vec::len).max().unwrap_or(0)
    }

    /// The most of these names that are multiplied, rounded quotients of them counted, too.
    pub(super) fn degree_in(&self, names: &[&str]) -> usize {
        let has = |factor: &&String| names.iter().any(|name| mentions(factor, name));
        self.0.keys().map(|factors| factors.iter().filter(has).count()).max().unwrap_or(0)
    }

    /// What it comes to where names are large numbers and quotients smaller ones: of two amounts, which is the larger.
    pub(super) fn size(&self) -> f64 {
        let factor = |own: &String| own.split_once(" / ").map_or(1000.0, |(_, part)| 100.0 + 1.0 / divisor(part));
        let of_term = |(names, number): (&Vec<String>, &i64)| {
            let own = *number as f64 * names.iter().map(factor).product::<f64>();
            // What is rounded up to whole parts is a little more than it was.
            own.max(rounded(names, *number).map_or(own, |(_, times)| 1000.0 * times as f64 + 0.5))
        };
        self.0.iter().map(of_term).sum()
    }

    /// It without what is taken away, unless nothing would be left.
    pub(super) fn rounded_up(&self) -> Self {
        let added: BTreeMap<Vec<String>, i64> =
            self.0.iter().filter(|(_, number)| **number > 0).map(|(names, number)| (names.clone(), *number)).collect();
        if added.is_empty() { self.clone() } else { Self(added) }
    }

    /// Its largest term where there are further ones, and what a product is that is rounded up to whole blocks: `n` of `n + 1`, and of
    /// `256 * ceil(n / 256)`. `None` where it is as it was asked for.
    pub(super) fn main(&self) -> Option<String> {
        let terms = self.0.iter().filter(|(_, number)| **number > 0);
        let alone = |(names, number): (&Vec<String>, &i64)| Self(BTreeMap::from([(names.clone(), *number)]));
        let terms: Vec<Self> = terms.map(alone).collect();
        let largest = terms
            .iter()
            .max_by(|one, other| one.degree().cmp(&other.degree()).then(one.size().total_cmp(&other.size())))?;
        let exact = largest.without_rounding();
        let is_plain = exact.is_none() && terms.len() == 1;
        let main = exact.unwrap_or_else(|| largest.to_string());
        (!is_plain && largest.degree() > 0).then_some(main)
    }

    /// What a product of a rounded quotient and its divisor was before it was rounded up.
    fn without_rounding(&self) -> Option<String> {
        let ((names, number), 1) = (self.0.iter().next()?, self.0.len()) else { return None };
        let (whole, times) = rounded(names, *number)?;
        Some(if times == 1 { whole.to_owned() } else { format!("{times} * {whole}") })
    }

    /// What is divided, if it is a single rounded quotient.
    pub(super) fn undivided(&self) -> Option<Self> {
        let ((names, 1), 1) = (self.0.iter().next()?, self.0.len()) else { return None };
        let [only] = &names[..] else { return None };
        let inner = only.strip_prefix("ceil(").or_else(|| only.strip_prefix("floor("))?.strip_suffix(')')?;
        inner.rsplit_once(" / ").map(|(whole, _)| Self::symbol(whole))
    }

    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        let mut terms = self.0.clone();
        for (names, number) in &other.0 {
            let own = terms.entry(names.clone()).or_default();
            *own = own.checked_add(*number)?;
        }
        terms.retain(|_, number| *number != 0);
        (terms.len() <= MOST).then_some(Self(terms))
    }

    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.times(&Self::number(-1))?)
    }

    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (names, number) in &self.0 {
            for (more, factor) in &other.0 {
                let mut all: Vec<String> = names.iter().chain(more).cloned().collect();
                if all.len() > MOST {
                    return None;
                }
                let mut number = number.checked_mul(*factor)?;
                cancel(&mut all, &mut number);
                all.sort_unstable();
                product = product.plus(&Self(BTreeMap::from([(all, number)])))?;
            }
        }
        Some(product)
    }

    /// The larger of two, and of those of which nobody knows which is, the expression that does.
    pub(super) fn or_wider(self, other: Self) -> Self {
        let more =
            |one: &Self, than: &Self| one.minus(than).is_some_and(|own| own.0.values().all(|number| *number >= 0));
        match (self.degree(), other.degree()) {
            (own, others) if own != others => {
                if own > others {
                    self
                } else {
                    other
                }
            }
            _ if more(&self, &other) => self,
            _ if more(&other, &self) => other,
            _ => self.one_of("max", &other),
        }
    }

    /// The smaller of two, and of those of which nobody knows which is, the expression that does.
    pub(super) fn or_narrower(self, other: Self) -> Self {
        let less =
            |one: &Self, than: &Self| than.minus(one).is_some_and(|own| own.0.values().all(|number| *number >= 0));
        if less(&self, &other) {
            self
        } else if less(&other, &self) {
            other
        } else {
            self.one_of("min", &other)
        }
    }

    /// `max(self, other)`, each value once.
    pub(super) fn one_of(&self, function: &str, other: &Self) -> Self {
        let mut all = self.values_of(function);
        let more: Vec<String> = other.values_of(function).into_iter().filter(|own| !all.contains(own)).collect();
        all.extend(more);
        Self::symbol(format!("{function}({})", all.join(", ")))
    }

    /// What is given to the function, if it is one of that name; else it alone.
    fn values_of(&self, function: &str) -> Vec<String> {
        let text = self.to_string();
        let is_call = self.0.len() == 1 && self.0.iter().all(|(names, number)| names.len() == 1 && *number == 1);
        let inner = text.strip_prefix(function).filter(|_| is_call);
        let Some(inner) = inner.and_then(|own| own.strip_prefix('(')?.strip_suffix(')')) else { return vec![text] };
        let mut values = vec![String::new()];
        let mut depth = 0_i32;
        for letter in inner.chars() {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            match values.last_mut() {
                Some(value) if letter != ',' || depth > 0 => value.push(letter),
                _ => values.push(String::new()),
            }
        }
        values.into_iter().map(|own| own.trim().to_owned()).collect()
    }

    /// It with another amount in place of a factor; `None` where it does not have that factor.
    pub(super) fn with_factor(&self, from: &Self, to: &Self) -> Option<Self> {
        let ((factor, 1), 1) = (from.0.iter().next()?, from.0.len()) else { return None };
        let [factor] = &factor[..] else { return None };
        let mut is_there = false;
        let terms = self.0.iter().try_fold(Self::default(), |all, (names, number)| {
            let (found, others): (Vec<String>, Vec<String>) = names.iter().cloned().partition(|own| own == factor);
            is_there |= !found.is_empty();
            let rest = Self(BTreeMap::from([(others, *number)]));
            all.plus(&found.iter().try_fold(rest, |all, _| all.times(to))?)
        })?;
        is_there.then_some(terms)
    }

    /// How many of these it takes: rounded up.
    pub(super) fn in_parts_of(&self, part: &Self) -> Self {
        match (self.as_number(), part.as_number()) {
            (_, Some(1)) => self.clone(),
            (Some(own), Some(part)) if part > 0 => Self::number(own.saturating_add(part - 1) / part),
            _ => Self::symbol(format!("ceil({} / {})", self.dividend(), part.factor())),
        }
    }

    /// The least multiple of a number that is as much: `8 * ceil(n / 2048)` of `ceil(n / 256)`.
    pub(super) fn in_wholes_of(&self, part: i64) -> Option<Self> {
        if self.over_exactly(part).is_some() {
            return Some(self.clone());
        }
        let quotient = || {
            let ((names, 1), 1) = (self.0.iter().next()?, self.0.len()) else { return None };
            let [only] = &names[..] else { return None };
            let (whole, divisor) = only.strip_prefix("ceil(")?.strip_suffix(')')?.rsplit_once(" / ")?;
            let is_plain = divisor.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
            let divisor = divisor.parse().map_or_else(|_| Self::symbol(divisor), Self::number);
            is_plain.then(|| divisor.times(&Self::number(part)))?.map(|own| (whole.to_owned(), own))
        };
        let parts = match quotient() {
            Some((whole, divisor)) => Self::symbol(format!("ceil({whole} / {})", divisor.factor())),
            None => self.in_parts_of(&Self::number(part)),
        };
        parts.times(&Self::number(part))
    }

    /// The quotient, rounded down; as it is written for rounding up, rounded up.
    pub(super) fn over(&self, part: &Self) -> Option<Self> {
        match (self.as_number(), part.as_number()) {
            (_, Some(1)) => return Some(self.clone()),
            (Some(own), Some(part)) if part > 0 => return Some(Self::number(own / part)),
            (_, Some(part)) if part <= 0 => return None,
            _ => {}
        }
        let up = self.minus(part)?.plus(&Self::number(1))?;
        let is_up = up.0.iter().all(|(names, number)| *number > 0 && !names.is_empty()) && !up.0.is_empty();
        let down = || Self::symbol(format!("floor({} / {})", self.dividend(), part.factor()));
        Some(if is_up { up.in_parts_of(part) } else { down() })
    }

    /// The quotient, where nothing is left over.
    pub(super) fn over_exactly(&self, part: i64) -> Option<Self> {
        let is_exact = part > 0 && self.0.values().all(|number| number % part == 0);
        is_exact.then(|| Self(self.0.iter().map(|(names, number)| (names.clone(), number / part)).collect()))
    }

    /// It as what is divided.
    fn dividend(&self) -> String {
        if self.0.len() > 1 { format!("({self})") } else { self.to_string() }
    }

    /// It as a factor of a product.
    pub(super) fn factor(&self) -> String {
        let is_single = self.0.len() <= 1
            && self.0.iter().all(|(names, number)| names.is_empty() || (names.len() == 1 && *number == 1));
        if is_single { self.to_string() } else { format!("({self})") }
    }
}

/// Of a product of a rounded quotient and its divisor, what is divided, and how many times it is there.
fn rounded(names: &[String], number: i64) -> Option<(&str, i64)> {
    names.iter().find_map(|name| {
        let (whole, part) = name.strip_prefix("ceil(")?.strip_suffix(')')?.split_once(" / ")?;
        let times = match part.parse::<i64>() {
            Ok(part) => (part > 0 && number % part == 0 && names.len() == 1).then(|| number / part)?,
            Err(_) => (names.len() == 2 && names.iter().any(|own| own == part)).then_some(number)?,
        };
        Some((whole, times))
    })
}

/// How large what is divided by is, more or less: of two quotients, which is the larger.
fn divisor(part: &str) -> f64 {
    let is_symbol = part.contains(|letter: char| letter.is_alphabetic());
    let number = part.trim_start_matches('(').split(|letter: char| !letter.is_ascii_digit()).next();
    let number = number.and_then(|number| number.parse::<f64>().ok()).filter(|number| *number > 0.0).unwrap_or(1.0);
    if is_symbol { 1000.0 * number } else { number }
}

/// Whether a text has a name as a word.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).any(|word| word == name)
}

/// A text with values in place of names.
pub(super) fn with_values(text: &str, value: impl Fn(&str) -> Option<i64>) -> String {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (mut all, mut word) = (String::new(), String::new());
    for letter in text.chars().chain(['\n']) {
        if is_word(letter) {
            word.push(letter);
            continue;
        }
        all += &value(&word).map_or(word.clone(), |own| own.to_string());
        word.clear();
        all.push(letter);
    }
    all.trim_end().to_owned()
}

/// `floor(k / tile) * tile` is `k` at most.
fn cancel(names: &mut Vec<String>, number: &mut i64) {
    for place in 0..names.len() {
        let Some((whole, part)) = names[place]
            .strip_prefix("floor(")
            .and_then(|own| own.strip_suffix(')'))
            .and_then(|own| own.split_once(" / "))
        else {
            continue;
        };
        let is_plain = |text: &str| text.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        if !is_plain(whole) || !is_plain(part) {
            continue;
        }
        let (whole, part) = (whole.to_owned(), part.to_owned());
        let by_number = part.parse::<i64>().ok().filter(|part| *part > 0 && *number % part == 0);
        if let Some(part) = by_number {
            *number /= part;
            names[place] = whole;
        } else if let Some(other) = names.iter().position(|own| *own == part) {
            names[place] = whole;
            names.remove(other);
        } else {
            continue;
        }
        return;
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return write!(formatter, "0");
        }
        let mut terms: Vec<(&Vec<String>, &i64)> = self.0.iter().collect();
        // The largest products first, and what is taken away last.
        terms.sort_by_key(|(names, number)| (**number < 0, std::cmp::Reverse(names.len())));
        for (place, (names, number)) in terms.into_iter().enumerate() {
            let size = number.unsigned_abs();
            let sign = match (place, *number < 0) {
                (0, true) => "0 - ",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            };
            let mut factors: Vec<String> = names.clone();
            if size != 1 || names.is_empty() {
                factors.insert(0, size.to_string());
            }
            write!(formatter, "{sign}{}", factors.join(" * "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str) -> Amount {
        Amount::symbol(name)
    }

    #[test]
    fn amounts_are_computed_and_written_as_people_write_them() {
        let one = Amount::number(1);
        let (n, width, tile) = (symbol("n"), symbol("width"), symbol("tile"));
        let last = width.minus(&one).unwrap();
        let index = last.times(&width).unwrap().plus(&last).unwrap().plus(&one).unwrap();
        assert_eq!(index.to_string(), "width * width");
        assert_eq!(n.in_parts_of(&tile.times(&Amount::number(2)).unwrap()).to_string(), "ceil(n / (2 * tile))");
        assert_eq!(n.plus(&tile).unwrap().minus(&one).unwrap().over(&tile).unwrap().to_string(), "ceil(n / tile)");
        assert_eq!(n.over(&tile).unwrap().times(&tile).unwrap(), n);
        assert_eq!(n.over(&Amount::number(16)).unwrap().times(&Amount::number(32)).unwrap().to_string(), "2 * n");
        assert_eq!(n.minus(&one).unwrap().to_string(), "n - 1");
        assert_eq!(n.minus(&one).unwrap().in_parts_of(&tile).to_string(), "ceil((n - 1) / tile)");
        assert_eq!(n.minus(&one).unwrap().rounded_up(), n);
        let rounded = n.in_parts_of(&tile).times(&tile).unwrap();
        let told = |own: &Amount| own.main().unwrap_or_default();
        assert_eq!([&n, &n.in_parts_of(&tile), &rounded].map(told), ["", "", "n"]);
        assert_eq!(told(&rounded.plus(&one).unwrap()), "n");
        assert_eq!(told(&rounded.times(&Amount::number(6)).unwrap()), "6 * n");
        assert_eq!(told(&n.plus(&Amount::number(100_001)).unwrap()), "n");
        assert_eq!(told(&width.times(&n).unwrap().plus(&width).unwrap()), "n * width");
        let wholes = |own: &Amount, part: i64| own.in_wholes_of(part).unwrap().to_string();
        assert_eq!(wholes(&n, 6), "6 * ceil(n / 6)");
        assert_eq!(wholes(&n.times(&Amount::number(12)).unwrap(), 6), "12 * n");
        assert_eq!(wholes(&n.in_parts_of(&Amount::number(256)), 8), "8 * ceil(n / 2048)");
        assert_eq!(wholes(&n.in_parts_of(&tile), 8), "8 * ceil(n / (8 * tile))");
        assert_eq!(wholes(&Amount::number(10), 4), "12");
        assert_eq!(wholes(&n.in_parts_of(&n.plus(&tile).unwrap()), 4), "4 * ceil(ceil(n / (n + tile)) / 4)");
        let in_sixes = n.in_wholes_of(6).unwrap();
        assert!(n.size() < in_sixes.size() && in_sixes.size() < n.plus(&one).unwrap().size());
        assert!(n.in_parts_of(&tile).size() < n.minus(&one).unwrap().size());
        let parts = |count: i64| n.in_parts_of(&Amount::number(count)).size();
        assert!(parts(512) < parts(256));
        assert!(n.in_parts_of(&tile.times(&Amount::number(2)).unwrap()).size() < n.in_parts_of(&tile).size());
        assert_eq!(n.in_parts_of(&tile).times(&tile).unwrap().degree_in(&["n"]), 1);
        let two = n.times(&Amount::number(2)).unwrap();
        assert_eq!(n.clone().or_wider(two.clone()), two);
        assert_eq!(n.clone().or_wider(n.minus(&one).unwrap()), n);
        assert_eq!(tile.clone().or_wider(two.clone()).in_parts_of(&one).to_string(), "max(tile, 2 * n)");
        assert_eq!(width.times(&n).unwrap().or_wider(two).to_string(), "n * width");
        let narrowest = n.clone().or_narrower(width.clone().or_narrower(tile.clone())).or_narrower(width.clone());
        assert_eq!(narrowest.to_string(), "min(n, width, tile)");
        assert_eq!(n.minus(&one).unwrap().or_narrower(n.clone()).to_string(), "n - 1");
        let widest = n.in_parts_of(&narrowest).or_wider(width.clone()).or_wider(n.in_parts_of(&narrowest));
        assert_eq!(widest.to_string(), "max(ceil(n / min(n, width, tile)), width)");
        assert_eq!((one.minus(&one).unwrap().as_number(), n.degree(), index.degree()), (Some(0), 1, 2));
    }
}
