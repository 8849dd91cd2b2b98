//! Laws of energies: the laws of times, with an energy in place of each time.

use std::sync::LazyLock;

use super::{Cost, LAWS, Law, Parameter};
use crate::unit::energy_mj_to;

/// The laws of energies beside those of times that they are made of.
static OF_ENERGY: LazyLock<Vec<(&'static Law, Law)>> = LazyLock::new(|| {
    let of_times = LAWS.iter().filter(|law| !law.counts_bytes());
    of_times.map(|law| (law, of(law))).collect()
});

/// What is said of times, and the same of energies.
const WORDS: [(&str, &str); 10] = [
    ("the time ", "the energy "),
    ("The time ", "The energy "),
    ("the times", "the energies"),
    ("all times", "all energies"),
    ("(times agree", "(energies agree"),
    ("though times ", "though energies "),
    ("of the time", "of the energy"),
    ("no time can be", "no energy can be"),
    (" times to fit", " energies to fit"),
    ("predictors or times", "predictors or energies"),
];

/// The unit of times in equations.
const TIME_UNIT: &str = "µs";

impl Law {
    /// The same law of energies; `None` where it is about a rate, which energies have none of.
    pub fn of_energy(&self) -> Option<&'static Self> {
        OF_ENERGY.iter().find(|(law, _)| law.name == self.name).map(|(_, own)| own)
    }

    /// Whether it is one of energies.
    pub fn is_of_energy(&self) -> bool {
        self.parameters.iter().any(|own| own.unit == ENERGY_UNIT)
    }
}

/// The unit of the parameters that are energies.
pub const ENERGY_UNIT: &str = "mj";

/// What is said of a law of times, of energies.
pub(in crate::model) fn in_words(text: &str) -> String {
    let words = WORDS.iter().fold(text.to_owned(), |text, (time, energy)| text.replace(time, energy));
    renamed(&in_joules(&words))
}

/// A text with an energy in the unit that suits it for each number of microseconds: a byte or a branch may take millionths of a millijoule.
fn in_joules(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(TIME_UNIT) {
        let is_of_number = |own: char| own.is_ascii_digit() || own == '.' || own == '−';
        let number = before.trim_end().rsplit(|own: char| !is_of_number(own)).next().unwrap_or_default();
        match number.replace('−', "-").parse::<f64>() {
            Ok(energy) if before.len() == before.trim_end().len() + 1 => {
                told.push_str(&before[..before.trim_end().len() - number.len()]);
                told.push_str(&energy_mj_to(energy, 3).replace('-', "−"));
            }
            _ => {
                told.push_str(before);
                told.push_str("mJ");
            }
        }
        rest = behind;
    }
    told + rest
}

/// A text with `e_` for `t_` where names of parameters begin, and `e =` for the `t =` of equations.
fn renamed(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let mut before = ' ';
    for (place, own) in text.char_indices() {
        let rest = &text[place..];
        let begins = !before.is_alphanumeric() && before != '_';
        told.push(if begins && (rest.starts_with("t_") || rest.starts_with("t = ")) { 'e' } else { own });
        before = own;
    }
    told
}

/// Lives as long as the program: there are as many as laws.
fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn of(law: &Law) -> Law {
    let parameter = |own: &Parameter| match own.unit {
        "us" => Parameter::of(kept(renamed(own.name)), ENERGY_UNIT),
        unit => Parameter::of(own.name, unit),
    };
    let words = |words: &str| kept(in_words(words));
    let cost = |words: &str| {
        kept(
            in_words(words)
                .replace("costs as much", "costs as much energy")
                .replace("costs {}", "costs an energy of {}"),
        )
    };
    Law {
        name: law.name,
        equation: words(law.equation),
        form: law.form,
        predictor: law.predictor,
        symbol: law.symbol,
        parameters: Vec::leak(law.parameters.iter().map(parameter).collect()),
        cost: Cost { words: cost(law.cost.words), words_beyond: cost(law.cost.words_beyond), place: law.cost.place },
        source: law.source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_of_energies_have_energies_in_place_of_times() {
        let of = |name: &str| Law::find(name).unwrap().of_energy();
        let branches = of("branches").unwrap();
        assert_eq!(branches.equation, "e_total = e_outside + n * e_branch");
        let named: Vec<_> = branches.parameters.iter().map(|own| (own.name, own.unit)).collect();
        assert_eq!(named, [("e_outside", "mj"), ("e_branch", "mj")]);
        assert_eq!(in_words("t = 12.3 µs + 0.0000000845 µs · x"), "e = 12.3 mJ + 84.5 pJ · x");
        assert_eq!(in_words("t = max(−0.0012 µs, 2 µs / n)"), "e = max(−1.20 µJ, 2.00 mJ / n)");
        assert_eq!(of("affine").unwrap().equation, "e = e_fixed + x * e_each");
        assert_eq!(of("affine").unwrap().cost.words, "raising {x} by {step} costs an energy of {}");
        assert_eq!(of("proportional").unwrap().cost.words, "the energy is {} for {each} of {x}");
        let steps: Vec<_> = of("steps").unwrap().parameters.iter().map(|own| (own.name, own.unit)).collect();
        assert_eq!(steps, [("e_fixed", "mj"), ("e_step", "mj"), ("width", "x")]);
        assert!(of("saturation").is_none(), "energies have no throughput");
        assert!(branches.is_of_energy() && !Law::find("branches").unwrap().is_of_energy());
    }

    #[test]
    fn what_is_said_of_times_is_said_of_energies() {
        for (time, energy) in [
            (
                "no measurable cost: from n = 1 to 4 all times agree",
                "no measurable cost: from n = 1 to 4 all energies agree",
            ),
            (
                "the error is 15 times smaller: t = 1.00 µs + 2.00 µs · n",
                "the error is 15 times smaller: e = 1.00 mJ + 2.00 mJ · n",
            ),
            ("t_first is zero; its weight_t stays", "e_first is zero; its weight_t stays"),
        ] {
            assert_eq!(in_words(time), energy);
        }
    }
}
