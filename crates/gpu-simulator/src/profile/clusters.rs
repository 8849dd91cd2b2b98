//! Constants of clusters of blocks.

use super::read::CYCLES_MAX;
use super::table::Table;
use located_toml::problem::{Problem, Problems};

/// Clusters of blocks: what their barrier takes, and accesses to the shared memory of other blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clusters {
    /// What the barrier of a cluster of several blocks takes more than that of a block.
    pub barrier_cycles: f64,
    /// The same for each block of the cluster.
    pub barrier_cycles_per_block: f64,
    /// The same for each warp of a block.
    pub barrier_cycles_per_warp: f64,
    /// From a load of another block's shared memory until its value is there.
    pub remote_latency_cycles: f64,
    /// What a multiprocessor moves from and to the shared memory of others.
    pub remote_bytes_per_cycle: f64,
    /// What all multiprocessors of a group move at most together, where clusters have more than two blocks.
    pub group_bytes_per_cycle: f64,
    /// For how long the start of a cluster of several blocks keeps the GPU from starting others, beyond what its blocks do: in cycles of a
    /// multiprocessor that gets one block of each cluster.
    pub start_cycles: f64,
    /// From the end of a block until the next one begins in its place, beyond what blocks that are in no cluster take.
    pub turnover_cycles: f64,
    /// Groups of multiprocessors, one of which holds all blocks of a cluster.
    pub groups: u32,
    /// Multiprocessors of each of them, and then zeros. Where these are not all that the GPU has, groups are as equal as they can be.
    pub group_sizes: [u32; GROUPS_MOST],
}

/// Groups whose sizes a profile may say.
const GROUPS_MOST: usize = 16;

/// Multiprocessors that groups are made of.
const TOGETHER: u32 = 2;

impl Default for Clusters {
    /// Estimates for a GPU of compute capability 9.0, for profiles that do not say. Latency: between the 180 and 213 cycles that were published for
    /// the H100. Groups: the 8 GPCs of an H100, by NVIDIA's description of its architecture.
    fn default() -> Self {
        Self {
            barrier_cycles: 200.0,
            barrier_cycles_per_block: 0.0,
            barrier_cycles_per_warp: 0.0,
            remote_latency_cycles: 200.0,
            remote_bytes_per_cycle: 16.0,
            group_bytes_per_cycle: f64::INFINITY,
            start_cycles: 0.0,
            turnover_cycles: 0.0,
            groups: 8,
            group_sizes: [0; GROUPS_MOST],
        }
    }
}

impl Clusters {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let default = Self::default();
        let mut optional = |key: &'static str, usual: f64, least: f64| {
            if table.optional(key) { table.number(key, usual, least, CYCLES_MAX) } else { Some(usual) }
        };
        let barrier_cycles = optional("barrier_cycles", default.barrier_cycles, 0.0);
        let barrier_cycles_per_block = optional("barrier_cycles_per_block", default.barrier_cycles_per_block, 0.0);
        let barrier_cycles_per_warp = optional("barrier_cycles_per_warp", default.barrier_cycles_per_warp, 0.0);
        let remote_latency_cycles = optional("remote_latency_cycles", default.remote_latency_cycles, 0.0);
        let remote_bytes_per_cycle = optional("remote_bytes_per_cycle", default.remote_bytes_per_cycle, 0.001);
        let group_bytes_per_cycle = optional("group_bytes_per_cycle", default.group_bytes_per_cycle, 0.001);
        let start_cycles = optional("start_cycles", default.start_cycles, 0.0);
        let turnover_cycles = optional("turnover_cycles", default.turnover_cycles, 0.0);
        let group_sizes = if table.optional("group_sizes") { sizes(&mut table) } else { Some(default.group_sizes) };
        let groups = if table.optional("groups") {
            table.integer("groups", i64::from(default.groups), 1, 1024).and_then(|number| u32::try_from(number).ok())
        } else {
            Some(default.groups)
        };
        table.finish(problems);
        Some(Self {
            barrier_cycles: barrier_cycles?,
            barrier_cycles_per_block: barrier_cycles_per_block?,
            barrier_cycles_per_warp: barrier_cycles_per_warp?,
            remote_latency_cycles: remote_latency_cycles?,
            remote_bytes_per_cycle: remote_bytes_per_cycle?,
            group_bytes_per_cycle: group_bytes_per_cycle?,
            start_cycles: start_cycles?,
            turnover_cycles: turnover_cycles?,
            groups: groups?,
            group_sizes: group_sizes?,
        })
    }

    /// For how long each block of a cluster of so many keeps its multiprocessor from starting others because it is in a cluster.
    pub(crate) fn start_cycles_of(&self, blocks: u32) -> f64 {
        if blocks > 1 { self.start_cycles / f64::from(blocks) } else { 0.0 }
    }

    /// What the next block of clusters of so many takes longer to begin in a place that is free.
    pub(crate) fn turnover_cycles_of(&self, blocks: u32) -> f64 {
        if blocks > 1 { self.turnover_cycles } else { 0.0 }
    }

    /// What the barrier of a cluster of so many blocks takes more than that of a block, of so many warps.
    pub(crate) fn barrier_cycles_of(&self, blocks: u32, warps: u32) -> f64 {
        if blocks <= 1 {
            return 0.0;
        }
        let of_blocks = self.barrier_cycles_per_block * f64::from(blocks);
        self.barrier_cycles + of_blocks + self.barrier_cycles_per_warp * f64::from(warps)
    }

    /// What a multiprocessor moves from and to the shared memory of others in clusters of so many blocks, where so many multiprocessors of
    /// a GPU do so.
    pub(crate) fn remote_bytes_per_cycle_of(&self, sm_count: u32, blocks: u32, active: u32) -> f64 {
        if blocks <= TOGETHER {
            return self.remote_bytes_per_cycle;
        }
        let of_group = self.active_of_busiest_group(sm_count, blocks, active);
        self.remote_bytes_per_cycle.min(self.group_bytes_per_cycle / f64::from(of_group))
    }

    /// Multiprocessors at work in the group that has most of them: clusters go to groups by turns, as far as these have room.
    fn active_of_busiest_group(&self, sm_count: u32, blocks: u32, active: u32) -> u32 {
        let mut groups: Vec<(u32, u32)> = self.of_groups(sm_count).map(|own| (0, own)).collect();
        for _ in 0..active.div_ceil(blocks) {
            let with_room = groups.iter_mut().filter(|(taken, own)| taken + blocks <= *own);
            let Some((taken, _)) = with_room.min_by_key(|(taken, _)| *taken) else { break };
            *taken += blocks;
        }
        groups.into_iter().map(|(taken, _)| taken).max().unwrap_or(0).max(blocks)
    }

    /// Multiprocessors of each group: as the profile says, or pairs of them, shared out as evenly as they can be.
    fn of_groups(&self, sm_count: u32) -> impl Iterator<Item = u32> {
        let are_known = self.group_sizes.iter().sum::<u32>() == sm_count;
        let (groups, pairs) = (self.groups.max(1), sm_count / TOGETHER);
        let odd = sm_count % TOGETHER;
        let even = (0..groups).map(move |group| {
            let own = pairs / groups + u32::from(group < pairs % groups);
            TOGETHER * own + if group == 0 { odd } else { 0 }
        });
        let known = self.group_sizes.into_iter().filter(|size| *size > 0);
        even.filter(move |_| !are_known).chain(known.filter(move |_| are_known))
    }

    /// Clusters of so many blocks that a GPU holds at once whose multiprocessors hold `blocks_per_sm`. A group takes none that has fewer
    /// multiprocessors than a cluster has blocks.
    pub fn resident(&self, sm_count: u32, blocks_per_sm: u32, blocks: u32) -> u64 {
        let of_group = |own: u32| u64::from(own) * u64::from(blocks_per_sm) / u64::from(blocks.max(1));
        self.of_groups(sm_count).filter(|own| *own >= blocks).map(of_group).sum()
    }

    /// Blocks that the largest group holds.
    pub(crate) fn blocks_of_group(&self, sm_count: u32, blocks_per_sm: u32) -> u64 {
        self.of_groups(sm_count).map(|own| u64::from(own) * u64::from(blocks_per_sm)).max().unwrap_or(0)
    }
}

/// The multiprocessors of each group.
fn sizes(table: &mut Table<'_>) -> Option<[u32; GROUPS_MOST]> {
    let (text, place) = table.text("group_sizes", "18 18 16 16")?;
    let mut sizes = [0; GROUPS_MOST];
    let words: Vec<Option<u32>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    let are_right = |words: &[Option<u32>]| words.iter().all(|own| own.is_some_and(|own| (1..=1024).contains(&own)));
    if words.is_empty() || words.len() > GROUPS_MOST || !are_right(&words) {
        let message = format!("`{}` is no list of groups of multiprocessors: {text:?}", table.full_key("group_sizes"));
        let help = format!(
            "expected up to {GROUPS_MOST} numbers from 1 to 1024 with spaces between them, such as \"18 18 16 16\""
        );
        table.push(Problem::new(message).at(place).help(help));
        return None;
    }
    sizes.iter_mut().zip(words.into_iter().flatten()).for_each(|(size, own)| *size = own);
    Some(sizes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "constants are handed on as they are")]

    use super::Clusters;

    #[test]
    fn clusters_are_in_one_group_of_multiprocessors() {
        let own = Clusters::default();
        // 132 multiprocessors: two groups of 18 and six of 16.
        let resident = [1, 2, 4, 8, 16].map(|blocks| own.resident(132, 1, blocks));
        assert_eq!(resident, [132, 66, 32, 16, 8]);
        assert_eq!(own.resident(132, 2, 16), 2 * 2 + 6 * 2);
        assert_eq!((own.resident(8, 1, 16), own.blocks_of_group(8, 1)), (0, 2));
    }

    /// An H200's: tests/gpu/constants/clusters.cu.
    #[test]
    fn groups_take_no_clusters_of_more_blocks_than_they_have_multiprocessors() {
        let own =
            Clusters { group_sizes: [18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2, 0, 0, 0, 0], ..Clusters::default() };
        let resident = |blocks_per_sm| [1, 2, 3, 4, 8, 9, 16].map(|blocks| own.resident(132, blocks_per_sm, blocks));
        assert_eq!(resident(1), [132, 66, 39, 30, 15, 9, 7]);
        assert_eq!(resident(2), [264, 132, 79, 62, 30, 23, 14]);
        assert_eq!(resident(8), [1056, 528, 327, 248, 124, 102, 58]);
        // Of a GPU of another size nothing is known.
        assert_eq!(own.resident(16, 1, 2), 8);
    }

    /// Against `remote_chains_at_once` of results/nvidia-h200/constants/published.csv: bytes a cycle of a multiprocessor.
    #[test]
    fn a_group_shares_what_it_moves_unless_clusters_are_pairs() {
        let own = Clusters {
            group_bytes_per_cycle: 206.0,
            group_sizes: [18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2, 0, 0, 0, 0],
            ..Clusters::default()
        };
        let rate = |blocks, active| own.remote_bytes_per_cycle_of(132, blocks, active);
        assert_eq!([rate(2, 128), rate(4, 64), rate(8, 16), rate(8, 64)], [16.0; 4]);
        assert_eq!([rate(4, 112), rate(8, 96), rate(16, 16), rate(16, 112)], [206.0 / 16.0; 4]);
        // A GPU that has no room for such a cluster.
        assert_eq!(own.remote_bytes_per_cycle_of(4, 16, 16), 206.0 / 16.0);
    }

    #[test]
    fn a_barrier_takes_more_with_blocks_and_warps() {
        let own = Clusters { barrier_cycles_per_block: 1.0, barrier_cycles_per_warp: 9.0, ..Clusters::default() };
        assert_eq!([own.barrier_cycles_of(1, 32), own.barrier_cycles_of(4, 2)], [0.0, 222.0]);
    }
}
