//! What is wrong with a kernel, on which line, and what it costs: patterns counted by line, each priced by simulating the same launches without
//! it.

mod busiest;
mod candidate;
mod constants;
mod document;
mod effort;
mod facts;
mod gate;
mod kind;
mod launches;
mod laws;
mod measured;
mod place;
mod price;
mod progress;
mod ranking;
mod remedy;
mod shared_out;
mod shortage;
mod unpriced;
mod unrolled;
mod wide;
mod words;

pub use candidate::Counted;
pub use document::{Document, FindingDocument, KernelDocument, PointDocument, Size, VariantDocument};
pub use facts::{DEGREES, Fact, KernelFacts};
pub use gate::{Condition, Gate};
pub use kind::Kind;
pub use laws::by_laws;
pub use measured::{MEASURED_ON, meaning_of_range, meaning_of_range_in_short, measured_gain};
pub use place::Place;
pub use price::{Price, SMALL_PART, diagnose, is_remedy_told};
pub use progress::Progress;
pub use remedy::remedy;
pub use words::{
    bound, counted, counts, disagreement, gain, hidden, named, nothing_pays, only_together, some_launches, source_name,
    title,
};

use crate::device::sim::Sim;
use crate::estimate::Coefficients;
use crate::kernel::Sourced;
use measured::price_range;

/// What is wrong with the kernels of a point.
#[derive(Debug, Clone)]
pub struct PointDiagnosis {
    /// The simulated time of its launches.
    pub time_us: f64,
    /// Its standard error, where only a part of the blocks was timed and the error is known.
    pub sampling_error_us: Option<f64>,
    /// What bounds the longest launch.
    pub bound: &'static str,
    /// What it would take without any of the findings, with a price or without; `None` where none has one.
    pub without_all_us: Option<f64>,
    /// What it would take if, besides, kernels had more of what they have too little of, and more of what: blocks, warps, bytes that are loaded at
    /// once. `None` where they have enough, or it is not known.
    pub with_more: Option<(f64, Vec<&'static str>)>,
    /// What it would take without a pattern on all lines, for each that was found and has prices: the pattern's word and the time.
    pub without_us: Vec<(&'static str, f64)>,
    /// What was found, the costliest first; without prices in the order of the source.
    pub findings: Vec<Finding>,
    /// What pays next once the costliest pattern is gone, where that is much: its place among the findings, and what it saves then.
    pub next: Option<(usize, f64)>,
    /// How many launches were simulated, of how many, where not all were. All times are of these.
    pub launches: Option<(usize, usize)>,
    /// Its kernels, in the order of their first launches.
    pub kernels: Vec<KernelFacts>,
    /// Whether all buffers fit in the L2 cache or launching takes much of the time, so that patterns may look cheaper than at larger sizes.
    pub is_small: bool,
    /// How many multiprocessors have a block, and how many there are, where no launch has a block for each.
    pub busy_multiprocessors: Option<(u64, u64)>,
    /// Why findings have no prices, in a sentence.
    pub unpriced: Option<String>,
    /// What all findings without a price save together once those with one are gone; `None` where all or none have one.
    pub unpriced_us: Option<f64>,
}

/// A pattern on a line.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The kernel, as its PTX calls it.
    pub kernel: &'static str,
    /// The pattern.
    pub kind: Kind,
    /// Where it is.
    pub place: Place,
    /// Lines of the PTX with its instructions.
    pub ptx_lines: Vec<u32>,
    /// What was counted.
    pub counted: Counted,
    /// What it costs; `None` where that cannot be told.
    pub price: Option<Price>,
    /// What it costs by the laws of a GPU where nothing hides it; `None` where no laws were given, or none is of it.
    pub by_laws_us: Option<f64>,
    /// What to do.
    pub remedy: String,
}

impl PointDiagnosis {
    /// What goes only when several of the findings are gone, in microseconds: none has it in its price. `None` where it is too little to be told,
    /// or there are no prices.
    pub fn of_several_us(&self) -> Option<f64> {
        let prices = self.findings.iter().filter_map(|finding| finding.price);
        let told_us = prices.map(|price| price.us).reduce(|one, other| one + other)? + self.unpriced_us.unwrap_or(0.0);
        let us = self.time_us - self.without_all_us? - told_us;
        Some(us).filter(|us| *us >= SMALL_PART * self.time_us)
    }
}

impl Finding {
    /// From where to where the cost is told to be: none of what is shared out, or costs too little to be told.
    pub fn price_range(&self, point: &PointDiagnosis) -> Option<(f64, f64)> {
        let price = self.price.filter(|price| !price.is_shared && price.us >= SMALL_PART * point.time_us)?;
        price_range(self.kind, point.time_us, price.without_us)
    }
}

/// Who counts and prices.
pub struct Examiner<'a> {
    /// The simulated GPU.
    pub sim: &'a Sim,
    /// The PTX, with the source that it was made of.
    pub source: &'a Sourced,
    /// Patterns on lines that are priced at most; where it is not said, as many as take some twenty seconds.
    pub priced_most: Option<usize>,
    /// What things cost on a GPU by its laws.
    pub laws: Option<&'a Coefficients>,
    /// How far it is.
    pub progress: &'a Progress,
}

#[cfg(test)]
mod tests {
    use super::*;

    impl PointDiagnosis {
        /// One of which nothing but its time is known.
        pub(super) fn of_time(time_us: f64, bound: &'static str) -> Self {
            Self {
                time_us,
                sampling_error_us: None,
                bound,
                without_all_us: None,
                with_more: None,
                without_us: Vec::new(),
                findings: Vec::new(),
                next: None,
                launches: None,
                kernels: Vec::new(),
                is_small: false,
                busy_multiprocessors: None,
                unpriced: None,
                unpriced_us: None,
            }
        }
    }

    fn point(prices_us: &[f64], without_all_us: Option<f64>, unpriced_us: Option<f64>) -> PointDiagnosis {
        let finding = |us: &f64| Finding {
            kernel: "k",
            kind: Kind::UncoalescedLoad,
            place: Place { file: "a.cu".to_owned(), line: 1, text: String::new() },
            ptx_lines: Vec::new(),
            counted: Counted::default(),
            price: Some(Price {
                us: *us,
                without_us: 100.0 - us,
                is_shared: false,
                bound_without: "memory",
                remedied_us: None,
            }),
            by_laws_us: None,
            remedy: String::new(),
        };
        let findings = prices_us.iter().map(finding).collect();
        PointDiagnosis { without_all_us, findings, unpriced_us, ..PointDiagnosis::of_time(100.0, "memory") }
    }

    #[test]
    fn what_goes_only_with_several_is_what_no_price_has() {
        assert_eq!(point(&[20.0, 10.0], Some(30.0), None).of_several_us(), Some(40.0));
        assert_eq!(point(&[20.0, 10.0], Some(30.0), Some(15.0)).of_several_us(), Some(25.0));
        assert_eq!(point(&[20.0, 49.5], Some(30.0), None).of_several_us(), None, "it is too little");
        assert_eq!(point(&[20.0], None, None).of_several_us(), None);
        assert_eq!(point(&[], Some(30.0), None).of_several_us(), None);
    }
}
