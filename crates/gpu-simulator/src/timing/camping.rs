//! Which partitions of device memory the blocks use that run at the same time.
//!
//! Camping is of all multiprocessors together: those that are not timed run other blocks at that time, whose accesses go to other
//! addresses. So the blocks around the timed ones are executed once more, and it is counted for each instruction which partitions
//! its accesses go to. How the accesses of an instruction follow each other in time is not known. Where blocks wait for each other,
//! nothing is, and their accesses are taken to be spread.

use std::collections::{BTreeSet, HashMap};

use crate::execute::{AccessKind, Fault, Launch, Memory, Observer, run_apart};
use crate::hardware::Coalescing;
use crate::hardware::coalescing::{GlobalAccess, coalesce, coalesce_atomic};
use crate::hardware::lanes::{Longs, Mask};
use crate::profile::{Partitions, Profile};
use crate::program::Program;

/// An instruction in a wave of blocks.
type Place = (u64, u32);

/// Parts of the bytes that an instruction moves in a wave, by partition.
#[derive(Debug, Default)]
pub(super) struct Camping {
    parts: HashMap<Place, Vec<f64>>,
    /// The same where nothing is known: as much to each partition.
    even: Vec<f64>,
}

impl Camping {
    /// That of a launch of which nothing is known.
    pub(super) fn even(partitions: Option<Partitions>) -> Self {
        let count = partitions.map_or(0, |partitions| partitions.count.max(1));
        Self { parts: HashMap::new(), even: vec![1.0 / f64::from(count.max(1)); count as usize] }
    }

    /// That of the waves which these blocks are in. A wave is of `resident` blocks of each multiprocessor.
    ///
    /// # Errors
    /// What a block did wrong.
    pub(super) fn of(
        program: &Program,
        launch: &Launch,
        profile: &Profile,
        partitions: Partitions,
        memory: &Memory,
        (timed, resident): (&[u64], u64),
    ) -> Result<Self, Fault> {
        let blocks_of_wave = u64::from(profile.sm_count) * resident;
        let waves: BTreeSet<u64> = timed.iter().map(|number| number / blocks_of_wave).collect();
        let blocks = waves.into_iter().flat_map(|wave| wave * blocks_of_wave..(wave + 1) * blocks_of_wave);
        let which: Vec<u64> = blocks.take_while(|number| *number < launch.blocks()).collect();
        let watch = || Watch {
            blocks_of_wave,
            partitions,
            coalescing: profile.global.coalescing,
            place: (0, 0),
            bytes: HashMap::new(),
            access: GlobalAccess::new(),
        };
        let mut bytes: HashMap<Place, Vec<u64>> = HashMap::new();
        for watch in run_apart(program, launch, memory, &which, watch)?.observers {
            for (place, own) in watch.bytes {
                let all = bytes.entry(place).or_insert_with(|| vec![0; own.len()]);
                all.iter_mut().zip(&own).for_each(|(all, own)| *all += own);
            }
        }
        let part = |own: Vec<u64>| {
            let all = own.iter().sum::<u64>().max(1) as f64;
            own.into_iter().map(|bytes| bytes as f64 / all).collect()
        };
        let parts = bytes.into_iter().map(|(place, own)| (place, part(own))).collect();
        Ok(Self { parts, ..Self::even(Some(partitions)) })
    }

    /// Parts by partition of what the instruction at `pc` moves in a wave; none where there are no partitions.
    pub(super) fn parts(&self, wave: u64, pc: u32) -> &[f64] {
        self.parts.get(&(wave, pc)).unwrap_or(&self.even)
    }
}

struct Watch {
    blocks_of_wave: u64,
    partitions: Partitions,
    coalescing: Coalescing,
    place: Place,
    bytes: HashMap<Place, Vec<u64>>,
    access: GlobalAccess,
}

impl Observer for Watch {
    fn block_begins(&mut self, number: u64) {
        self.place.0 = number / self.blocks_of_wave;
    }

    fn instruction(&mut self, pc: u32, _active: Mask, _executed: Mask) {
        self.place.1 = pc;
    }

    fn global(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32) {
        let coalesce = if kind.is_atomic() { coalesce_atomic } else { coalesce };
        coalesce(self.coalescing, addresses, mask, bytes, &mut self.access);
        let count = self.partitions.count.max(1);
        let own = self.bytes.entry(self.place).or_insert_with(|| vec![0; count as usize]);
        for transaction in &*self.access.transactions {
            let partition = transaction.address / self.partitions.interleave_bytes.max(1) % u64::from(count);
            own[partition as usize] += u64::from(transaction.bytes);
        }
    }
}
