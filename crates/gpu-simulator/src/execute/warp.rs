//! A warp: the registers of its lanes, their frames and local memory, and the paths that they are on.

use super::paths::{Paths, Wait};
use super::position::{LanesPosition, Stand, WarpPosition};
use crate::hardware::lanes::{ALL_LANES, LANES, Longs, Mask, Words, lanes_of};
use crate::program::{LongSource, PredicateSource, Program, WordSource};

/// Local memory of a thread for the functions that its kernel calls: beyond it a recursion has no end.
pub(super) const CALL_BYTES_MAX: u32 = 64 << 10;

/// A function's registers and local memory while it runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) words: u32,
    pub(super) longs: u32,
    pub(super) predicates: u32,
    /// Where its local memory begins in every lane's.
    pub(super) local: u32,
    pub(super) function: u32,
    /// The call that it came from: frame and instruction.
    pub(super) caller: u32,
    pub(super) call_pc: u32,
}

/// What became of a warp that was let run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It could go on.
    Ready,
    /// It waits, for other warps or for a lane that does not come.
    Waiting,
    /// All its lanes have exited.
    Done,
}

/// A warp.
#[derive(Debug)]
pub(crate) struct Warp {
    /// Its place in the block.
    pub(super) number: u32,
    /// Lanes that have not exited.
    pub(super) live: Mask,
    pub(super) words: Vec<Words>,
    pub(super) longs: Vec<Longs>,
    pub(super) predicates: Vec<Mask>,
    pub(super) frames: Vec<Frame>,
    /// Local memory, lane after lane.
    local: Vec<u8>,
    local_stride: u32,
    pub(super) paths: Paths,
    /// The path that runs.
    pub(super) current: usize,
    /// Instructions executed.
    pub(super) steps: u64,
    /// Lanes of the atomics among them.
    pub(super) lanes_of_atomics: u64,
    /// Backward branches of waiting loops taken since the last change of path.
    pub(super) spins: u32,
    /// Whether it has taken such a branch since this was last set to false.
    pub(super) spun: bool,
    /// Whether it asked for a phase that is not complete, until its turn ends.
    pub(super) gives_way: bool,
    /// What `%clock64` tells.
    pub clock: u64,
}

impl Warp {
    /// The lanes that the `number`-th warp of a block of so many threads has.
    pub(super) fn lanes_of(number: u32, threads: u32) -> Mask {
        let lanes = (threads - number * LANES as u32).min(LANES as u32);
        if lanes == LANES as u32 { ALL_LANES } else { (1 << lanes) - 1 }
    }

    /// The `number`-th warp of a block of so many threads, at the kernel's first instruction.
    pub(super) fn new(program: &Program, number: u32, threads: u32) -> Self {
        let live = Self::lanes_of(number, threads);
        let kernel = &program.functions[0];
        let frame = Frame { words: 0, longs: 0, predicates: 0, local: 0, function: 0, caller: 0, call_pc: 0 };
        Self {
            number,
            live,
            words: vec![[0; LANES]; kernel.words as usize],
            longs: vec![[0; LANES]; kernel.longs as usize],
            predicates: vec![0; kernel.predicates as usize],
            frames: vec![frame],
            local: vec![0; kernel.local_bytes as usize * LANES],
            local_stride: kernel.local_bytes,
            paths: Paths::new(live, kernel.entry),
            current: 0,
            steps: 0,
            lanes_of_atomics: 0,
            spins: 0,
            spun: false,
            gives_way: false,
            clock: 0,
        }
    }

    /// Instructions executed so far.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether nothing that it does itself can let it go on.
    pub(super) fn is_held_up(&self) -> bool {
        self.paths.list.iter().all(|path| path.wait != Wait::Ready)
    }

    /// Where the path that runs next is, and with which lanes.
    pub(crate) fn position(&self) -> Option<(u32, Mask)> {
        self.paths.list.get(self.current).map(|path| (path.pc, path.mask))
    }

    /// Of the lanes that came to branches where they parted, the part that is on the way of the path that runs next. Only branches count
    /// that `counts` says.
    pub(crate) fn part_of_way(&self, counts: impl Fn(u32) -> bool) -> f64 {
        self.paths.part_of_way(self.current, counts)
    }

    /// Where the registers of the frame that runs next begin: those of 32 bits, of 64 bits, and predicates.
    pub(crate) fn register_bases(&self) -> [u32; 3] {
        self.paths.list.get(self.current).map_or([0; 3], |path| {
            let frame = self.frames[path.frame as usize];
            [frame.words, frame.longs, frame.predicates]
        })
    }

    pub(super) fn word<'a>(&'a self, program: &'a Program, frame: &Frame, source: WordSource) -> &'a Words {
        match source {
            WordSource::Register(slot) => &self.words[(frame.words + slot) as usize],
            WordSource::Constant(place) => &program.words[place as usize],
        }
    }

    pub(super) fn long<'a>(&'a self, program: &'a Program, frame: &Frame, source: LongSource) -> &'a Longs {
        match source {
            LongSource::Register(slot) => &self.longs[(frame.longs + slot) as usize],
            LongSource::Constant(place) => &program.longs[place as usize],
        }
    }

    pub(super) fn predicate(&self, frame: &Frame, source: PredicateSource) -> Mask {
        match source {
            PredicateSource::Register { slot, negated } => {
                let value = self.predicates[(frame.predicates + slot) as usize];
                if negated { !value } else { value }
            }
            PredicateSource::Constant(true) => ALL_LANES,
            PredicateSource::Constant(false) => 0,
        }
    }

    pub(super) fn set_words(&mut self, frame: &Frame, slot: u32, value: &Words, mask: Mask) {
        write_words(&mut self.words[(frame.words + slot) as usize], value, mask);
    }

    pub(super) fn set_longs(&mut self, frame: &Frame, slot: u32, value: &Longs, mask: Mask) {
        write_longs(&mut self.longs[(frame.longs + slot) as usize], value, mask);
    }

    pub(super) fn set_predicate(&mut self, frame: &Frame, slot: u32, value: Mask, mask: Mask) {
        let place = &mut self.predicates[(frame.predicates + slot) as usize];
        *place = *place & !mask | value & mask;
    }

    /// A lane's own local memory.
    pub(super) fn local(&mut self, lane: usize) -> &mut [u8] {
        let stride = self.local_stride as usize;
        &mut self.local[lane * stride..(lane + 1) * stride]
    }

    /// Makes every lane's local memory at least this long.
    pub(super) fn grow_local(&mut self, bytes: u32) {
        if bytes <= self.local_stride {
            return;
        }
        let stride = bytes.max(self.local_stride * 2);
        let mut grown = vec![0; stride as usize * LANES];
        for lane in 0..LANES {
            let old = self.local_stride as usize;
            grown[lane * stride as usize..][..old].copy_from_slice(&self.local[lane * old..][..old]);
        }
        self.local = grown;
        self.local_stride = stride;
    }

    /// Where its lanes are, for messages.
    pub(super) fn positions(&self, program: &Program) -> WarpPosition {
        let line = |pc: u32| program.code.get(pc as usize).map_or(0, |instruction| instruction.line);
        let paths = self.paths.list.iter().map(|path| {
            let stand = match path.wait {
                Wait::Ready => Stand::Ready,
                Wait::Barrier { .. } => Stand::Barrier,
                Wait::Cluster { .. } => Stand::Cluster,
                Wait::Lanes { .. } => Stand::Lanes,
            };
            LanesPosition { lanes: path.mask, stand, line: line(path.pc) }
        });
        let joined = self.paths.joined();
        let joined = joined.map(|(pc, lanes)| LanesPosition { lanes, stand: Stand::Join, line: line(pc) });
        WarpPosition { warp: self.number, lanes: paths.chain(joined).collect() }
    }
}

fn write_words(place: &mut Words, value: &Words, mask: Mask) {
    if mask == ALL_LANES {
        *place = *value;
    } else if mask.count_ones() <= 4 {
        lanes_of(mask).for_each(|lane| place[lane] = value[lane]);
    } else {
        for lane in 0..LANES {
            let keep = if mask & (1 << lane) == 0 { u32::MAX } else { 0 };
            place[lane] = place[lane] & keep | value[lane] & !keep;
        }
    }
}

fn write_longs(place: &mut Longs, value: &Longs, mask: Mask) {
    if mask == ALL_LANES {
        *place = *value;
    } else {
        lanes_of(mask).for_each(|lane| place[lane] = value[lane]);
    }
}
