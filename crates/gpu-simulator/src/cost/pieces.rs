//! Pieces of device memory that are moved only in part: neighbouring lines that go together take less than lines far apart.

use super::hash::mixed;

/// Bytes of a piece: what is moved at the full rate (results/nvidia-h200/constants/pieces.csv: 256 and more are as fast as 4096).
pub(super) const PIECE_BYTES: u64 = 256;

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
    /// What a piece takes more that is not moved as a whole.
    short_bytes: f64,
    open: Vec<Option<Open>>,
}

impl Pieces {
    /// None so far. One that stays short takes as long as so many bytes more.
    pub(super) fn new(short_bytes: f64) -> Self {
        Self { short_bytes, open: if short_bytes > 0.0 { vec![None; OPEN] } else { Vec::new() } }
    }

    /// The same where other multiprocessors move the rest of this share of the short ones.
    #[must_use]
    pub(super) fn with_completed(self, share: f64) -> Self {
        Self { short_bytes: self.short_bytes * (1.0 - share), ..self }
    }

    /// What moving these bytes takes more, as bytes: something where they are the first of a piece, which is given back when it is whole.
    pub(super) fn more_bytes(&mut self, address: u64, bytes: u32) -> f64 {
        if self.open.is_empty() {
            return 0.0;
        }
        let piece = address / PIECE_BYTES;
        let open = &mut self.open[mixed(piece) as usize % OPEN];
        match open {
            Some(own) if own.piece == piece => {
                own.bytes += bytes;
                if u64::from(own.bytes) < PIECE_BYTES {
                    return 0.0;
                }
                *open = None;
                -self.short_bytes
            }
            _ => {
                *open = Some(Open { piece, bytes });
                self.short_bytes
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_that_is_moved_as_a_whole_takes_nothing_more() {
        let mut pieces = Pieces::new(8.0);
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
        assert!(Pieces::new(0.0).more_bytes(0, 32).abs() < 1e-9);
    }
}
