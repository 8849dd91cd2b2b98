//! The laws a run can be held against.

/// A law `time = intercept + slope * predictor`.
#[derive(Debug, PartialEq, Eq)]
pub struct Law {
    /// Its name in scenarios and in the `model` column of `fits.csv`.
    pub name: &'static str,
    /// The equation, in the source's terms.
    pub equation: &'static str,
    /// The predictor, a column of `points.csv`.
    pub predictor: &'static str,
    /// The predictor as a short symbol, for a chart's equation.
    pub symbol: &'static str,
    /// The parameter that is the time at a predictor of zero, in microseconds.
    pub intercept: &'static str,
    /// The parameter that is the time for each unit of the predictor, in microseconds.
    pub slope: &'static str,
    /// Where the law is from; "after" where the source describes it in words and the equation is ours.
    pub source: &'static str,
}

/// Every law there is.
pub const LAWS: &[Law] = &[
    Law {
        name: "branches",
        equation: "t_total = t_outside + n * t_branch",
        predictor: "branches_per_warp",
        symbol: "n",
        intercept: "t_outside",
        slope: "t_branch",
        source: "Cornelis 2010, equation 3.1",
    },
    Law {
        name: "branch_sum",
        equation: "t_total = t_outside + sum of t_branch over the branches followed",
        predictor: "followed_work",
        symbol: "work",
        intercept: "t_outside",
        slope: "t_first_branch",
        source: "Cornelis 2010, equation 3.2",
    },
    Law {
        name: "weighted_branches",
        equation: "t_total = t_outside + n * sum of w_branch * t_branch",
        predictor: "followed_work",
        symbol: "work",
        intercept: "t_outside",
        slope: "t_first_branch",
        source: "Cornelis 2010, equation 3.3",
    },
    Law {
        name: "sectors",
        equation: "t_total = t_outside + s * t_sector",
        predictor: "sectors_per_request",
        symbol: "s",
        intercept: "t_outside",
        slope: "t_sector",
        source: "after Cornelis 2010, section 4.2",
    },
    Law {
        name: "conflicts",
        equation: "t_total = t_outside + d * t_pass",
        predictor: "conflict_degree",
        symbol: "d",
        intercept: "t_outside",
        slope: "t_pass",
        source: "after Cornelis 2010, section 4.2",
    },
    Law {
        name: "barriers",
        equation: "t_total = t_work + n * t_barrier",
        predictor: "barriers",
        symbol: "n",
        intercept: "t_work",
        slope: "t_barrier",
        source: "after Cornelis 2010, section 5.2",
    },
    Law {
        name: "synchronisations",
        equation: "t_total = t_work + n * t_synchronisation",
        predictor: "synchronisations",
        symbol: "n",
        intercept: "t_work",
        slope: "t_synchronisation",
        source: "after Cornelis 2010, section 5.2",
    },
    Law {
        name: "launches",
        equation: "t_total = t_work + n * t_launch",
        predictor: "launches",
        symbol: "n",
        intercept: "t_work",
        slope: "t_launch",
        source: "after Cornelis 2010, section 5.2",
    },
    Law {
        name: "atomics",
        equation: "t_total = t_outside + k * t_atomic",
        predictor: "lanes_per_address",
        symbol: "k",
        intercept: "t_outside",
        slope: "t_atomic",
        source: "after Cornelis 2010, section 5.1",
    },
    Law {
        name: "waves",
        equation: "t_total = t_outside + w * t_wave",
        predictor: "waves",
        symbol: "w",
        intercept: "t_outside",
        slope: "t_wave",
        source: "after Cornelis 2010, section 6.2",
    },
];

impl Law {
    /// The law of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        LAWS.iter().find(|law| law.name == name)
    }
}
