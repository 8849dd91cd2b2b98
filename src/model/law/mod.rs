//! The laws that can be fitted to a run: a form of curve, its predictor, and names for its parameters.

pub mod energy;
mod form;
mod named;

pub use form::Form;
pub(in crate::model) use form::steps;

/// A law: how a time follows from one predictor.
#[derive(Debug, PartialEq, Eq)]
pub struct Law {
    /// Its name in scenarios and in the `model` column of `fits.csv`.
    pub name: &'static str,
    /// The equation, in the source's terms.
    pub equation: &'static str,
    /// The form of its curve.
    pub form: Form,
    /// The predictor, a column of `points.csv`; `None` where the scenario chooses it.
    pub predictor: Option<&'static str>,
    /// The predictor as a short symbol, for equations; laws without a predictor of their own write its name instead.
    pub symbol: &'static str,
    /// Its parameters, in the form's order.
    pub parameters: &'static [Parameter],
    /// Its most telling parameter, in words.
    pub cost: Cost,
    /// Where the law is from; "after" where the source describes it in words and the equation is ours.
    pub source: &'static str,
}

/// What a law says that something costs.
#[derive(Debug, PartialEq, Eq)]
pub struct Cost {
    /// A clause with `{}` for the figure and, where it is of any predictor, `{x}` for its name; [`Self::told`] says what else stands in braces.
    pub words: &'static str,
    /// The same where the law holds only from some value on: nothing is known of the first ones then.
    pub words_beyond: &'static str,
    /// The place of the parameter with the figure.
    pub place: usize,
}

/// What stands in a law's words.
#[derive(Debug, Clone, Copy)]
pub struct CostParts<'a> {
    /// The figure.
    pub figure: &'a str,
    /// The name of the predictor.
    pub predictor: &'a str,
    /// How much of the predictor the figure is of, where that is more than one: `thousand`.
    pub step: Option<&'a str>,
    /// What a further wait is.
    pub wait: &'a str,
}

impl Cost {
    const fn of(place: usize, words: &'static str) -> Self {
        Self { words, words_beyond: words, place }
    }

    /// Whether the figure may be of more of the predictor than one.
    pub fn has_step(&self) -> bool {
        ["{step}", "{each}"].iter().any(|part| self.words.contains(part))
    }

    /// The clause, or that of a law that holds only from some value on, with its parts: the figure for `{}`, the predictor for `{x}`, how much of it for
    /// `{step}` (`one`, `a thousand`) or `{each}` (`each`, `each thousand`), what is waited for by `{wait}`.
    pub fn told(&self, is_beyond: bool, parts: CostParts<'_>) -> String {
        let mut rest = if is_beyond { self.words_beyond } else { self.words };
        let mut told = String::new();
        while let Some((before, (part, behind))) =
            rest.split_once('{').and_then(|(before, behind)| Some((before, behind.split_once('}')?)))
        {
            told += before;
            match (part, parts.step) {
                ("x", _) => told += parts.predictor,
                ("step", Some(step)) => told.extend(["a ", step]),
                ("step", None) => told += "one",
                ("each", Some(step)) => told.extend(["each ", step]),
                ("each", None) => told += "each",
                ("wait", _) => told += parts.wait,
                _ => told += parts.figure,
            }
            rest = behind;
        }
        told + rest
    }
}

/// A parameter of a law.
#[derive(Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its unit: `us`, `gb_per_s`, `1` for exponents, and `x` for what is in the unit of the predictor.
    pub unit: &'static str,
}

impl Parameter {
    const fn us(name: &'static str) -> Self {
        Self { name, unit: "us" }
    }

    const fn of(name: &'static str, unit: &'static str) -> Self {
        Self { name, unit }
    }
}

/// Every law there is: those of the sources first, then forms for any predictor.
pub const LAWS: &[Law] = named::LAWS;

impl Law {
    /// The law of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        LAWS.iter().find(|law| law.name == name)
    }

    /// The forms for any predictor, among which `auto` chooses.
    pub fn generic() -> impl Iterator<Item = &'static Self> {
        let is_chosen = |law: &&Self| !matches!(law.form, Form::Saturation | Form::Plateaus { .. });
        LAWS.iter().filter(move |law| law.predictor.is_none() && is_chosen(law))
    }

    /// The law of this form for any predictor.
    pub(in crate::model) fn of_form(form: Form) -> &'static Self {
        LAWS.iter().find(|law| law.form == form && law.predictor.is_none()).unwrap_or(&LAWS[0])
    }

    /// Whether its predictor must be a number of bytes.
    pub fn counts_bytes(&self) -> bool {
        self.form == Form::Saturation
    }

    /// How the law's own equations write a predictor.
    pub fn symbol_of(&self, predictor: &'static str) -> &'static str {
        if self.predictor.is_some() { self.symbol } else { predictor }
    }
}

impl Law {
    /// Its equation, with what its symbol is: `t_total = t_outside + n * t_branch, n = branches_per_warp`.
    pub fn equation_of(&self, predictor: &str) -> String {
        let symbol = match (self.predictor, self.form) {
            (_, Form::Constant) => return self.equation.to_owned(),
            (Some(_), _) => self.symbol,
            (None, Form::Saturation) => "V",
            (None, _) => "x",
        };
        format!("{}, {symbol} = {predictor}", self.equation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn clauses_are_made_of_their_parts() {
        let told = |name: &str, step, wait| {
            let parts = CostParts { figure: "2 ns", predictor: "work", step, wait };
            Law::find(name).map(|law| law.cost.told(false, parts)).unwrap_or_default()
        };
        assert_eq!(told("affine", None, ""), "raising work by one costs 2 ns");
        assert_eq!(told("affine", Some("thousand"), ""), "raising work by a thousand costs 2 ns");
        assert_eq!(told("proportional", None, ""), "the time is 2 ns for each of work");
        assert_eq!(told("proportional", Some("million"), ""), "the time is 2 ns for each million of work");
        assert_eq!(told("waits", None, "round"), "every further round costs 2 ns");
        for law in LAWS {
            let parts = CostParts { figure: "2 ns", predictor: "work", step: None, wait: "round" };
            let own = [false, true].map(|is_beyond| law.cost.told(is_beyond, parts));
            assert!(own.iter().all(|own| own.contains("2 ns") && !own.contains(['{', '}'])), "{own:?}");
        }
    }

    #[test]
    fn names_are_unique_and_parameters_are_as_many_as_the_form_has() {
        let names: HashSet<&str> = LAWS.iter().map(|law| law.name).collect();
        assert_eq!(names.len(), LAWS.len());
        for law in LAWS {
            assert_eq!(law.parameters.len(), law.form.parameters(), "{}", law.name);
            assert!(law.predictor.is_none() || !law.symbol.is_empty(), "{}", law.name);
            assert!(law.cost.place < law.parameters.len() && law.cost.words.contains("{}"), "{}", law.name);
            assert!(law.cost.words_beyond.contains("{}"), "{}", law.name);
            assert!(law.predictor.is_none() || !law.cost.words.contains("{x}"), "{}", law.name);
            assert_eq!(Law::find(law.name), Some(law));
        }
        assert_eq!(Law::find("auto"), None);
    }

    #[test]
    fn an_equation_says_what_its_symbol_is() {
        let told = |law: &str, predictor| Law::find(law).unwrap().equation_of(predictor);
        assert_eq!(told("branches", "branches_per_warp"), "t_total = t_outside + n * t_branch, n = branches_per_warp");
        assert_eq!(told("affine", "width"), "t = t_fixed + x * t_each, x = width");
        assert_eq!(told("constant", "width"), "t = t_fixed");
        assert_eq!(told("saturation", "bytes"), "t = overhead + V / bandwidth, V = bytes");
    }
}
