//! Pieces of device memory that are moved only in part: neighbouring lines that go together take less than lines far apart.

use super::hash::mixed;

/// Bytes of a piece: what is moved at the full rate (results/nvidia-h200/constants/pieces.csv: 256 and more are as fast as 4096).
pub(super) const PIECE_BYTES: u64 = 256;

/// Bytes of a line, of which a piece has two.
const HALF_BYTES: u64 = PIECE_BYTES / 2;

/// Pieces that can be open at once; a piece that comes to the place of another closes it.
const OPEN: usize = 1 << 12;

/// A piece, of which so many bytes were moved.
#[derive(Debug, Clone, Copy)]
struct Open {
    piece: u64,
    bytes: u32,
}

/// The pieces that were moved of late.
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    /// What a piece takes more that is not moved as a whole, and one of which a half is.
    short_bytes: f64,
    half_bytes: f64,
    open: Vec<Option<Open>>,
}

impl Pieces {
    /// None so far. One that stays short takes as long as so many bytes more, and one of which a half is moved as so many.
    pub(super) fn new(short_bytes: f64, half_bytes: f64) -> Self {
        let open = if short_bytes.max(half_bytes) > 0.0 { vec![None; OPEN] } else { Vec::new() };
        Self { short_bytes, half_bytes, open }
    }

    /// The same where other multiprocessors move the rest of this share of the short ones.
    #[must_use]
    pub(super) fn with_completed(self, share: f64) -> Self {
        let rest = 1.0 - share;
        Self { short_bytes: self.short_bytes * rest, half_bytes: self.half_bytes * rest, ..self }
    }

    /// What a piece takes more of which so many bytes were moved.
    fn more_of(&self, bytes: u32) -> f64 {
        match u64::from(bytes) {
            PIECE_BYTES.. => 0.0,
            HALF_BYTES => self.half_bytes,
            _ => self.short_bytes,
        }
    }

    /// What moving these bytes takes more, as bytes: something where they are the first of a piece, which is given back when it is whole.
    pub(super) fn more_bytes(&mut self, address: u64, bytes: u32) -> f64 {
        if self.open.is_empty() {
            return 0.0;
        }
        let piece = address / PIECE_BYTES;
        let place = mixed(piece) as usize % OPEN;
        match self.open[place] {
            Some(own) if own.piece == piece => {
                let all = own.bytes + bytes;
                self.open[place] = (u64::from(all) < PIECE_BYTES).then_some(Open { piece, bytes: all });
                self.more_of(all) - self.more_of(own.bytes)
            }
            _ => {
                self.open[place] = Some(Open { piece, bytes });
                self.more_of(bytes)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_that_is_moved_as_a_whole_takes_nothing_more() {
        let mut pieces = Pieces::new(8.0, 8.0);
        let mut all = |moves: &[(u64, u32)], expected: f64| {
            let found: f64 = moves.iter().map(|(address, bytes)| pieces.more_bytes(*address, *bytes)).sum();
            assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        };
        all(&[(0, 128), (128, 128)], 0.0);
        all(&[(1152, 128), (512, 128), (1024, 128), (640, 128)], 0.0);
        all(&[(4096, 128), (8192, 128), (12288, 32)], 24.0);
        // It was closed by another before it was whole.
        let other =
            (1..1 << 20).find(|piece| mixed(*piece) as usize % OPEN == mixed(0) as usize % OPEN).unwrap_or_default();
        all(&[(0, 128), (PIECE_BYTES * other, 128), (128, 128)], 24.0);
        assert!(Pieces::new(0.0, 0.0).more_bytes(0, 32).abs() < 1e-9);
    }

    /// Against 128 bytes and other pieces that are written alone, in results/nvidia-h200/constants/pieces.csv: 28 and 13 to 16 bytes more.
    #[test]
    fn a_half_that_is_moved_alone_takes_more_than_less_does() {
        let mut pieces = Pieces::new(19.0, 28.0);
        for (address, bytes, more) in [
            (0, 128, 28.0),
            (1024, 32, 19.0),
            (1056, 32, 0.0),
            (1088, 64, 9.0),
            (1152, 32, -9.0),
            (1184, 96, -19.0),
            (128, 128, -28.0),
        ] {
            let found = pieces.more_bytes(address, bytes);
            assert!((found - more).abs() < 1e-9, "{address} {bytes}: {found} is not {more}");
        }
        let mut shared = Pieces::new(19.0, 28.0).with_completed(0.5);
        assert!((shared.more_bytes(0, 128) - 14.0).abs() < 1e-9);
    }
}
