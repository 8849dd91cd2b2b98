//! How many threads the program computes with.

use std::num::NonZero;

/// The variable that asks for a number of threads, as rayon reads it.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Never more threads than the machine has processors: more of them only wait for each other, and thousands of them end nothing.
pub(super) fn limit() {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = number(std::env::var(VARIABLE).ok().as_deref(), processors);
    // It fails where threads were started already, and then there are no more of them than this.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
}

/// The number asked for, if it is one from 1 to all processors; else all of them.
fn number(asked: Option<&str>, processors: usize) -> usize {
    let asked = asked.and_then(|text| text.trim().parse().ok()).filter(|asked| *asked > 0);
    asked.map_or(processors, |asked: usize| asked.min(processors))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn no_more_threads_than_processors() {
        for (asked, threads) in [
            (None, 8),
            (Some("3"), 3),
            (Some("8"), 8),
            (Some("100000"), 8),
            (Some("99999999999999999999999"), 8),
            (Some("0"), 8),
            (Some("many"), 8),
            (Some(""), 8),
        ] {
            assert_eq!(number(asked, 8), threads, "{asked:?}");
        }
    }
}
