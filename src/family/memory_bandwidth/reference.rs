//! What each thread's sum comes to.

use gpu_simulator::hardware::lanes::LANES;
use rayon::prelude::*;

/// How a set is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    /// Words of 32 bits that a lane loads at a time.
    pub(super) width: usize,
    /// Loads of a lane in a batch.
    pub(super) loads: usize,
    /// Chunks of a block, each as large as a batch of a warp.
    pub(super) slice: usize,
    /// Batches of a block.
    pub(super) batches: usize,
    /// Warps of a block.
    pub(super) warps: usize,
    /// Blocks.
    pub(super) blocks: usize,
}

impl Reading {
    fn chunk_words(&self) -> usize {
        LANES * self.width * self.loads
    }

    /// The sum of each thread of each block.
    pub(super) fn sums(&self, set: &[u32]) -> Vec<u32> {
        let threads = self.warps * LANES;
        let mut sums = vec![0; self.blocks * threads];
        let slices = set.par_chunks(self.slice * self.chunk_words());
        sums.par_chunks_mut(threads).zip(slices).for_each(|(sums, slice)| self.block_sums(slice, sums));
        sums
    }

    fn block_sums(&self, slice: &[u32], sums: &mut [u32]) {
        let of_chunks: Vec<[u32; LANES]> =
            slice.chunks_exact(self.chunk_words()).map(|chunk| self.lane_sums(chunk)).collect();
        for (warp, sums) in sums.chunks_exact_mut(LANES).enumerate() {
            let batches = self.batches.saturating_sub(warp).div_ceil(self.warps);
            // A warp comes round to its first chunk again.
            let round = (1..=self.slice).find(|count| (count * self.warps).is_multiple_of(self.slice)).unwrap_or(1);
            let times = |place: usize| (batches / round + usize::from(place < batches % round)) as u32;
            for place in 0..round.min(batches) {
                let chunk = of_chunks[(warp + place * self.warps) % self.slice];
                for (sum, own) in sums.iter_mut().zip(chunk) {
                    *sum = sum.wrapping_add(own.wrapping_mul(times(place)));
                }
            }
        }
    }

    /// What a batch adds to each lane's sum.
    fn lane_sums(&self, chunk: &[u32]) -> [u32; LANES] {
        let mut sums = [0_u32; LANES];
        for load in chunk.chunks_exact(LANES * self.width) {
            for (sum, words) in sums.iter_mut().zip(load.chunks_exact(self.width)) {
                *sum = words.iter().fold(*sum, |sum, word| sum.wrapping_add(*word));
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel's loop, thread by thread.
    fn followed(reading: &Reading, set: &[u32]) -> Vec<u32> {
        let Reading { width, loads, slice, batches, warps, blocks } = *reading;
        let mut sums = Vec::new();
        for (block, thread) in (0..blocks).flat_map(|block| (0..warps * LANES).map(move |thread| (block, thread))) {
            let (warp, lane) = (thread / LANES, thread % LANES);
            let mut sum = 0_u32;
            for batch in (warp..batches).step_by(warps) {
                let chunk = block * slice + batch % slice;
                for (load, word) in (0..loads).flat_map(|load| (0..width).map(move |word| (load, word))) {
                    sum = sum.wrapping_add(set[((chunk * loads + load) * LANES + lane) * width + word]);
                }
            }
            sums.push(sum);
        }
        sums
    }

    #[test]
    fn sums_are_those_of_the_loop() {
        for (width, loads, slice, batches, warps, blocks) in
            [(1, 1, 1, 1, 1, 1), (1, 2, 5, 3, 4, 2), (2, 4, 6, 40, 4, 3), (4, 1, 3, 100, 7, 2), (1, 8, 12, 11, 8, 1)]
        {
            let reading = Reading { width, loads, slice, batches, warps, blocks };
            let words = (slice * blocks * reading.chunk_words() + 5) as u32;
            let set: Vec<u32> = (0..words).map(|word| word.wrapping_mul(2_654_435_761)).collect();
            assert_eq!(reading.sums(&set), followed(&reading, &set), "{reading:?}");
        }
    }
}
