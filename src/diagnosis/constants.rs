//! What is counted of constant memory and not simulated.

use super::Place;
use crate::kernel::Sourced;
use crate::unit;
use gpu_simulator::profile::ConstantMemory;
use gpu_simulator::{LineCounts, Profile};

/// From how many places of a load on these are told where they are not simulated.
const PLACES_LEAST: f64 = 1.5;

/// That the simulated GPU reads constant memory faster than a GPU does: of the line that has most of it.
pub(super) fn not_simulated(lines: &[LineCounts], source: &Sourced, profile: &Profile) -> Option<String> {
    match profile.constant {
        Some(constant) => large_table(lines, source, constant),
        None => several_places(lines, source),
    }
}

/// That lanes read different places at once, on GPUs of which nobody knows what that takes.
fn several_places(lines: &[LineCounts], source: &Sourced) -> Option<String> {
    let excess = |line: &LineCounts| line.constant.places - line.constant.loads;
    let most = lines.iter().max_by(|one, other| excess(one).total_cmp(&excess(other)))?;
    let places = most.constant.places_each();
    (places >= PLACES_LEAST).then(|| {
        let place = Place::of(source, most.line);
        format!(
            "The lanes of a warp read {places:.1} places of constant memory at once at {}:{}. A GPU reads them one after the other, which is not \
             simulated: it takes longer than said here. Read such a table from shared or global memory.",
            place.file, place.line
        )
    })
}

/// That a table is larger than the cache that the constants of the profile are of.
fn large_table(lines: &[LineCounts], source: &Sourced, constant: ConstantMemory) -> Option<String> {
    let is_large = |line: &&LineCounts| line.constant.span_bytes > constant.cache_bytes;
    let largest = lines.iter().filter(is_large).max_by_key(|line| line.constant.span_bytes)?;
    let place = Place::of(source, largest.line);
    Some(format!(
        "{}:{} reads from {} of constant memory, and a multiprocessor caches {} of it. Misses of that cache are not simulated: on a GPU it takes \
         longer than said here.",
        place.file,
        place.line,
        unit::bytes(u64::from(largest.constant.span_bytes)),
        unit::bytes(u64::from(constant.cache_bytes))
    ))
}
