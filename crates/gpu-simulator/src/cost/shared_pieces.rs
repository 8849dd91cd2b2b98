//! Pieces of device memory that a block moves only in part, and neighbouring blocks the rest: those begin together, so that the piece is
//! moved as a whole.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::hash::mixed;
use super::pieces::PIECE_BYTES;
use super::visits::{Enclosed, Visitor};
use crate::hardware::coalescing::{GlobalAccess, SECTOR_BYTES};

/// One in so many pieces is watched, picked by a hash.
const WATCHED: u64 = 16;
/// Blocks that are less than so far apart in the grid's order are neighbours. Source: results/nvidia-h200/constants/pieces.csv, where rest and piece that are two
/// blocks apart take as long as 512 blocks apart.
const NEIGHBOURS: u64 = 2;

/// Sectors of a piece as bits.
pub(crate) type Sectors = u8;

/// A watched piece.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// The block that came to it first.
    block: u64,
    /// What that block moved, and what it moved with its neighbours.
    alone: Sectors,
    together: Sectors,
    /// Whether a block came to it whose neighbours are all watched.
    is_enclosed: bool,
}

/// Watched pieces of loads, or of stores.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedPieces {
    enclosed: Enclosed,
    visitor: Visitor,
    pieces: HashMap<u64, Piece, RandomState>,
}

/// The pieces of an access that are watched, with the sectors that it moves of them.
pub(crate) fn watched_pieces(access: &GlobalAccess, pieces: &mut Vec<(u64, Sectors)>) {
    pieces.clear();
    for transaction in access.transactions.iter() {
        let piece = transaction.address / PIECE_BYTES;
        let is_last = pieces.last().is_some_and(|(last, _)| *last == piece);
        if !is_last && !mixed(piece).is_multiple_of(WATCHED) {
            continue;
        }
        let first = transaction.address % PIECE_BYTES / u64::from(SECTOR_BYTES);
        let count = u64::from(transaction.bytes / SECTOR_BYTES);
        let sectors = (first..first + count).fold(0, |sectors, sector| sectors | 1_u8.unbounded_shl(sector as u32));
        match pieces.last_mut().filter(|_| is_last) {
            Some((_, own)) => *own |= sectors,
            None => pieces.push((piece, sectors)),
        }
    }
}

impl SharedPieces {
    /// None so far, of blocks of which these have all their neighbours beside them.
    pub(crate) fn new(enclosed: Enclosed) -> Self {
        Self { enclosed, ..Self::default() }
    }

    /// What follows is of this block.
    pub(crate) fn block_runs(&mut self, number: u64) {
        self.visitor = Visitor::new(number, &self.enclosed);
    }

    /// The block moves these, as [`watched_pieces`] has them.
    pub(crate) fn add(&mut self, pieces: &[(u64, Sectors)]) {
        let visitor = self.visitor;
        for (piece, sectors) in pieces {
            let own = self.pieces.entry(*piece).or_insert(Piece {
                block: visitor.block,
                alone: 0,
                together: 0,
                is_enclosed: false,
            });
            own.add(visitor, *sectors);
        }
    }

    /// Adds what others saw, of blocks behind its own.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (number, piece) in &other.pieces {
            match self.pieces.get_mut(number) {
                Some(own) => own.add(Visitor { block: piece.block, is_enclosed: piece.is_enclosed }, piece.together),
                None => {
                    self.pieces.insert(*number, *piece);
                }
            }
        }
    }

    /// Of the pieces that a block moves only in part, the share of which its neighbours move the rest.
    pub(crate) fn completed(&self) -> f64 {
        let in_part = self.pieces.values().filter(|piece| piece.is_enclosed && piece.alone != Sectors::MAX);
        let (all, completed) = in_part.fold((0_u64, 0_u64), |(all, completed), piece| {
            (all + 1, completed + u64::from(piece.together == Sectors::MAX))
        });
        completed as f64 / all.max(1) as f64
    }
}

impl Piece {
    fn add(&mut self, Visitor { block, is_enclosed }: Visitor, sectors: Sectors) {
        self.is_enclosed |= is_enclosed;
        if block == self.block {
            self.alone |= sectors;
        }
        if block.abs_diff(self.block) < NEIGHBOURS {
            self.together |= sectors;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::Coalescing;
    use crate::hardware::coalescing::coalesce;
    use crate::hardware::lanes::ALL_LANES;

    /// The block reads the 128 bytes from `first` on.
    fn read(pieces: &mut SharedPieces, block: u64, first: u64) {
        pieces.block_runs(block);
        let mut access = GlobalAccess::new();
        coalesce(Coalescing::Sectors, &std::array::from_fn(|lane| first + 4 * lane as u64), ALL_LANES, 4, &mut access);
        let mut watched = Vec::new();
        watched_pieces(&access, &mut watched);
        pieces.add(&watched);
    }

    #[test]
    fn neighbours_complete_what_a_block_moves_in_part() {
        let halves = |apart: u64, merged: bool| {
            let (mut first, mut second) = (SharedPieces::default(), SharedPieces::default());
            for piece in 0..1000 {
                read(&mut first, piece, piece * PIECE_BYTES);
                let other = if merged { &mut second } else { &mut first };
                read(other, piece + apart, piece * PIECE_BYTES + 128);
            }
            first.merge(&second);
            first.completed()
        };
        for merged in [false, true] {
            assert!((halves(1, merged) - 1.0).abs() < 1e-9);
            assert!(halves(NEIGHBOURS, merged).abs() < 1e-9);
        }
    }

    #[test]
    fn pieces_that_a_block_moves_as_a_whole_do_not_count() {
        let mut pieces = SharedPieces::default();
        for piece in 0..40_000 {
            read(&mut pieces, 7, piece * PIECE_BYTES);
            if piece < 20_000 {
                read(&mut pieces, 7, piece * PIECE_BYTES + 128);
            } else if piece < 30_000 {
                read(&mut pieces, 8, piece * PIECE_BYTES + 128);
            }
        }
        assert!((pieces.completed() - 0.5).abs() < 0.05, "{}", pieces.completed());
        assert!(SharedPieces::default().completed().abs() < 1e-9);
    }
}
