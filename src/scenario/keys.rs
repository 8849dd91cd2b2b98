//! The keys of scenarios: which there are, what each may be, and what it means.
//!
//! The readers refuse keys and values by these tables, and the reference lists them, so that the two cannot differ.

use super::{MeasureSettings, axis, requests, settings, user_kernel};
use crate::family::FAMILIES;
use located_toml::problem::Problems;
use located_toml::section::Section;
use located_toml::words::{LINE_MAX, NAME_MAX};

/// An end of a range that stands for none.
pub(super) const UNBOUNDED: f64 = 1e300;

/// What the value of a key may be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Allowed {
    /// One line of text.
    Text,
    /// The name of files or directories.
    FileName,
    /// A number, both ends included.
    Number(f64, f64),
    /// A whole number, both ends included.
    Whole(i64, i64),
    /// One of these words.
    OneOf(fn() -> Vec<&'static str>),
    /// `true` or `false`.
    Flag,
    /// What is said here.
    Other(&'static str),
}

/// A key of a table of a scenario.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub(super) name: &'static str,
    allowed: Allowed,
    /// What holds where the key is left out, in words; empty for keys of `[measure]` whose defaults are those of its settings.
    default: &'static str,
    meaning: &'static str,
}

impl Key {
    pub(super) const fn new(
        name: &'static str,
        allowed: Allowed,
        default: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self { name, allowed, default, meaning }
    }

    /// The key's number in a table; `None` where it is not there, is no number or is out of range.
    pub(super) fn number(&self, section: &Section<'_>, problems: &mut Problems) -> Option<f64> {
        let field = section.get(self.name)?;
        match self.allowed {
            Allowed::Number(min, max) => field.number(min, max, problems),
            _ => None,
        }
    }

    /// The key's whole number in a table; `None` where it is not there, is none or is out of range.
    pub(super) fn whole(&self, section: &Section<'_>, problems: &mut Problems) -> Option<i64> {
        let field = section.get(self.name)?;
        match self.allowed {
            Allowed::Whole(min, max) => field.integer(min, max, problems),
            _ => None,
        }
    }

    /// What the reference says of it.
    pub(super) fn described(&self) -> DescribedKey {
        let allowed = match self.allowed {
            Allowed::Text => format!("text, one line of at most {LINE_MAX} characters"),
            Allowed::FileName => format!("text: 1 to {NAME_MAX} of the characters a-z, 0-9 and -"),
            Allowed::Number(min, max) if max >= UNBOUNDED => format!("a number from {min} on"),
            Allowed::Number(min, max) => format!("a number from {min} to {max}"),
            Allowed::Whole(min, i64::MAX) => format!("a whole number from {min} on"),
            Allowed::Whole(min, max) => format!("a whole number from {min} to {max}"),
            Allowed::OneOf(names) => names().iter().map(|name| format!("`\"{name}\"`")).collect::<Vec<_>>().join(", "),
            Allowed::Flag => "`true` or `false`".to_owned(),
            Allowed::Other(words) => words.to_owned(),
        };
        let (default, meaning) = (self.default.to_owned(), self.meaning);
        DescribedKey { name: self.name, allowed, default, kinds: String::new(), meaning }
    }
}

/// The names of keys, in their order.
pub(super) const fn names<const N: usize>(keys: &[Key; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut place = 0;
    while place < N {
        names[place] = keys[place].name;
        place += 1;
    }
    names
}

/// The keys of a scenario outside of its tables.
pub(super) const KEYS: [Key; 17] = [
    Key::new("name", Allowed::FileName, "the name of the file", "names the directories of runs"),
    Key::new("title", Allowed::Text, "the name", "stands above charts"),
    Key::new("source", Allowed::Text, "none", "figure or table that the scenario reproduces"),
    Key::new("family", Allowed::OneOf(family_names), "required, or `kernel`", "kernels to measure"),
    Key::new(
        "kernel",
        Allowed::Other("the table `[kernel]`"),
        "required, or `family`",
        "a kernel of your own to measure",
    ),
    Key::new("parameters", Allowed::Other("the table `[parameters]`"), "none", "the parameters of your kernel"),
    Key::new("buffers", Allowed::Other("the table `[buffers]`"), "none", "the buffers of your kernel"),
    Key::new(
        "predictors",
        Allowed::Other("the table `[predictors]`"),
        "none",
        "what laws of your kernel are fitted against",
    ),
    Key::new(
        "constants",
        Allowed::Other("the table `[constants]`"),
        "none",
        "what variables of your kernel's source hold",
    ),
    Key::new("variants", Allowed::Other("a list of variants of the family"), "all", "variants to measure"),
    Key::new("grid", Allowed::Other("the table `[grid]`"), "every parameter at its default", "values of parameters"),
    Key::new("zip", Allowed::Other("tables `[[zip]]`"), "none", "values of parameters that go together"),
    Key::new(
        "simulated",
        Allowed::Other("the table `[simulated]`"),
        "the values of `[grid]`",
        "smaller values of parameters, which a simulated GPU measures in seconds: with `--sizes simulated`, and on simulated GPUs of compute capability 1",
    ),
    Key::new(
        "small_when_simulated",
        Allowed::Flag,
        "`false`",
        "whether simulated GPUs take the values of `[simulated]` unless `--sizes gpu` is given: for grids that take them many minutes",
    ),
    Key::new("measure", Allowed::Other("the table `[measure]`"), "the defaults of its keys", "how points are measured"),
    Key::new("fit", Allowed::Other("tables `[[fit]]`"), "none", "laws to fit, and ratios to compute"),
    Key::new("chart", Allowed::Other("tables `[[chart]]`"), "none", "charts to draw"),
];

fn family_names() -> Vec<&'static str> {
    FAMILIES.iter().map(|family| family.name).collect()
}

/// A key as the reference lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedKey {
    /// Its name.
    pub name: &'static str,
    /// What its value may be, as Markdown.
    pub allowed: String,
    /// What holds where it is left out.
    pub default: String,
    /// The kinds of chart that have it; empty where all have, and for keys of other tables.
    pub kinds: String,
    /// What it means.
    pub meaning: &'static str,
}

/// A table of a scenario as the reference lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedTable {
    /// Its header as scenarios write it, such as `[[fit]]`.
    pub header: &'static str,
    /// What it is for.
    pub meaning: &'static str,
    /// Its keys; none where they are the parameters of the family.
    pub keys: Vec<DescribedKey>,
}

/// Everything that a scenario may have, for the reference.
pub fn described() -> Vec<DescribedTable> {
    let described = |keys: &[Key]| keys.iter().map(Key::described).collect::<Vec<_>>();
    vec![
        DescribedTable {
            header: "",
            meaning: "Above all tables. Only `family` or the table `[kernel]` is required.",
            keys: described(&KEYS),
        },
        DescribedTable {
            header: "[kernel]",
            meaning: "A kernel of your own, in place of `family`. Expressions have numbers, + - * / % ^, brackets, ceil, floor, round, abs, sqrt, \
                      log2, exp, sin, cos, min and max of two values or more, conditions (< <= > >= == != && || !, which are 1 where they hold and 0 \
                      otherwise), if(condition, a, b), and the parameters that are numbers; / does not round. Powers of powers, powers of values \
                      with a sign and comparisons of comparisons need brackets: (2 ^ 3) ^ 2, -(2 ^ 2), (a < b) == c.",
            keys: described(&user_kernel::KERNEL_KEYS),
        },
        DescribedTable {
            header: "launch = { ... }",
            meaning: "A launch of your kernel, or of several in a list, one after the other.",
            keys: described(&user_kernel::LAUNCH_KEYS),
        },
        DescribedTable {
            header: "[parameters]",
            meaning: "Keys are the names of your kernel's parameters, values are tables with these keys.",
            keys: described(&user_kernel::PARAMETER_KEYS),
        },
        DescribedTable {
            header: "[buffers]",
            meaning: "Keys are the names of your kernel's buffers, values are tables with these keys.",
            keys: described(&user_kernel::BUFFER_KEYS),
        },
        DescribedTable {
            header: "[constants]",
            meaning: "Keys are the names of variables in constant or global memory of the source (`__constant__`, `__device__`), values are tables with \
                      these keys.",
            keys: described(&user_kernel::CONSTANT_KEYS),
        },
        DescribedTable {
            header: "[predictors]",
            meaning: "Keys are names, values are expressions of the parameters.",
            keys: Vec::new(),
        },
        DescribedTable {
            header: "[grid]",
            meaning: "Keys are the parameters of the family. A value is one number or text, a list of these, or a range. The grid has \
                      every combination of the values; the last parameter varies fastest.",
            keys: Vec::new(),
        },
        DescribedTable {
            header: "{ from, to, ... }",
            meaning: "A range of whole numbers, as the value of a parameter: `branches = { from = 1, to = 32, times = 2 }`.",
            keys: described(&axis::RANGE_KEYS),
        },
        DescribedTable {
            header: "[[zip]]",
            meaning: "Keys are parameters whose values go together, row by row: lists of the same length. A parameter stands in \
                      `[grid]` or in one `[[zip]]`.",
            keys: Vec::new(),
        },
        DescribedTable {
            header: "[simulated]",
            meaning: "Keys are parameters. On simulated GPUs these values replace those of `[grid]`. `--set` replaces both.",
            keys: Vec::new(),
        },
        DescribedTable {
            header: "[measure]",
            meaning: "How every point is measured. Sampling of a point stops when its time is precise enough, or when a limit is \
                      reached.",
            keys: with_defaults(described(&settings::KEYS)),
        },
        DescribedTable {
            header: "[[fit]]",
            meaning: "A law to fit, or ratios to compute. There is one fit for each variant and each combination of the parameters \
                      that the predictor does not depend on.",
            keys: described(&requests::FIT_KEYS),
        },
        DescribedTable {
            header: "[[chart]]",
            meaning: "A chart to draw. Which keys a chart has depends on its `kind`.",
            keys: requests::described_chart_keys(),
        },
    ]
}

/// The keys of `[measure]` with the defaults of its settings.
fn with_defaults(mut keys: Vec<DescribedKey>) -> Vec<DescribedKey> {
    let defaults = serde_json::to_value(MeasureSettings::default()).unwrap_or_default();
    for key in &mut keys {
        // What is off is not written.
        if let Some(value) = defaults.get(key.name) {
            key.default = format!("`{value}`");
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_says_what_it_may_be_what_it_is_without_and_what_it_means() {
        for table in described() {
            assert!(!table.meaning.is_empty(), "{}", table.header);
            for key in &table.keys {
                let said = [&*key.allowed, &*key.default, key.meaning];
                assert!(said.iter().all(|text| !text.is_empty()), "{} {key:?}", table.header);
            }
        }
    }

    #[test]
    fn the_reference_has_the_defaults_and_ranges_of_the_readers() {
        let tables = described();
        let measure = tables.iter().find(|table| table.header == "[measure]").unwrap();
        let key = |name: &str| measure.keys.iter().find(|key| key.name == name).unwrap();
        let told =
            [key("sampling"), key("precision_pct"), key("samples_min")].map(|key| (&*key.allowed, &*key.default));
        let expected = [
            ("`\"cold\"`, `\"hot\"`, `\"both\"`", "`\"cold\"`"),
            ("a number from 0.01 to 50", "`0.5`"),
            ("a whole number from 6 to 100000", "`10`"),
        ];
        assert_eq!(told, expected);
    }
}
