//! What reads constant memory where the place may differ from lane to lane: a unit that all warps of a multiprocessor share, one place after the
//! other.

use crate::profile::{ConstantMemory, Profile};

/// Bytes that it reads at once.
const WORD_BYTES: u32 = 4;

#[derive(Debug)]
pub(super) struct ConstantUnit {
    constants: Option<ConstantMemory>,
    /// Whether the instruction loads at a place that may differ from lane to lane. Whoever issues it says so.
    pub(super) is_indexed: bool,
    /// When it can begin with the next load.
    free_cycle: f64,
    busy_cycles: f64,
}

impl ConstantUnit {
    pub(super) fn new(profile: &Profile) -> Self {
        Self { constants: profile.constant, is_indexed: false, free_cycle: 0.0, busy_cycles: 0.0 }
    }

    /// Whether the instruction's load is one of those, and the profile says what they take.
    pub(super) fn serves(&self) -> bool {
        self.is_indexed && self.constants.is_some()
    }

    /// A load of so many places, and bytes at each, of which `part` takes time: when its value is there. `None` where the profile does not say.
    pub(super) fn load(&mut self, now: f64, (places, bytes): (u32, u32), part: f64) -> Option<f64> {
        let constants = self.constants?;
        let begin = self.free_cycle.max(now);
        let words = f64::from(places * bytes.div_ceil(WORD_BYTES));
        let cycles = words * constants.unit_cycles_per_place * part;
        self.free_cycle = begin + cycles;
        self.busy_cycles += cycles;
        Some(begin + constants.base_cycles + f64::from(places) * constants.cycles_per_place)
    }

    pub(super) fn busy_cycles(&self) -> f64 {
        self.busy_cycles
    }
}

#[cfg(test)]
mod tests {
    use crate::snippet::Snippet;

    /// Loads of words, each of the place that the one before gave: a word holds its own place.
    fn chain(loads: usize, address: &str) -> Snippet {
        let bytes: Vec<String> =
            (0..32_u32).flat_map(|word| (4 * word).to_le_bytes()).map(|own| own.to_string()).collect();
        let table = format!(".const .align 4 .b8 table[128] = {{{}}};", bytes.join(", "));
        let loads = "ld.const.u32 %r1, [%r1];\n".repeat(loads);
        Snippet::with(&table, &format!("{address}\nshl.b32 %r1, %r1, 2;\n{loads}st.global.u32 [%rd0], %r1;"))
    }

    /// Cycles of a load where the lanes of each warp come to so many places, of so many warps in a block.
    fn cycles_of_load(places: u32, warps: u32) -> f64 {
        cycles_of_load_at(&format!("and.b32 %r1, %r0, 31;\nrem.u32 %r1, %r1, {places};"), warps)
    }

    fn cycles_of_load_at(address: &str, warps: u32) -> f64 {
        let of = |loads: usize| {
            let snippet = chain(loads, address).threads(32 * warps);
            let (_, report) = snippet.launch().unwrap_or_else(|error| panic!("{error}"));
            report.time_us * snippet.profile.sm_clock_mhz
        };
        (of(108) - of(8)) / 100.0
    }

    /// Cycles of a load: `results/nvidia-h200/constants/constant_memory-h100.csv`, `load_latency` and `beside_nothing`.
    #[test]
    fn loads_take_what_a_gpu_takes() {
        for (places, warps, measured) in [
            (1, 1, 28.03),
            (2, 1, 39.03),
            (3, 1, 50.04),
            (4, 1, 61.04),
            (8, 1, 105.04),
            (16, 1, 193.04),
            (24, 1, 281.04),
            (32, 1, 369.04),
            (8, 4, 105.03),
            (32, 4, 369.03),
            (2, 8, 40.15),
            (8, 8, 128.05),
            (32, 8, 512.33),
            (1, 32, 64.43),
            (2, 32, 128.32),
            (8, 32, 511.92),
            (32, 32, 2048.30),
        ] {
            let simulated = cycles_of_load(places, warps);
            let apart = simulated / measured - 1.0;
            assert!(apart.abs() < 0.03, "{places} places, {warps} warps: {simulated} of {measured} cycles");
        }
    }

    #[test]
    fn places_that_the_compiler_knows_to_be_the_same_are_operands() {
        let of_block = cycles_of_load_at("mov.u32 %r1, %ctaid.x;", 1);
        assert!(of_block < 10.0, "{of_block}");
    }

    #[test]
    fn what_no_profile_says_takes_what_it_did() {
        let mut snippet = chain(8, "mov.u32 %r1, %r0;");
        let told = snippet.launch().map(|(_, report)| report.time_us).ok();
        snippet.profile.constant = None;
        let without = snippet.launch().map(|(_, report)| report.time_us).ok();
        assert!(without.is_some() && without < told, "{without:?} {told:?}");
    }
}
