//! Descriptors of matrices in global memory that bulk copies take tiles of (PTX ISA, "Tensors"). What the bytes of NVIDIA's descriptors mean is not
//! public. These are of the same size, and only this simulator reads them.

/// Bytes of a descriptor.
pub const TENSOR_MAP_BYTES: usize = 128;
/// What a descriptor begins with.
const MARK: u64 = u64::from_le_bytes(*b"tile-map");
/// Bytes of the pieces that a swizzle moves.
const PIECE_BYTES: u32 = 16;
/// Bytes after which a swizzle moves pieces to other places.
const SPAN_BYTES: u32 = 128;

/// Where the pieces of 16 bytes of a tile's rows are put in shared memory, so that a column of them is in different banks. PTX ISA,
/// "Swizzling Modes".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Swizzle {
    /// Row behind row, as they are.
    #[default]
    None,
    /// Two pieces of 32 bytes change places.
    Bytes32,
    /// Four pieces of 64 bytes.
    Bytes64,
    /// Eight pieces of 128 bytes.
    Bytes128,
}

impl Swizzle {
    /// Where what would be at this place of shared memory is put.
    pub fn place(self, place: u32) -> u32 {
        let pieces = match self {
            Self::None => return place,
            Self::Bytes32 => 2,
            Self::Bytes64 => 4,
            Self::Bytes128 => 8,
        };
        place ^ ((place / SPAN_BYTES) % pieces * PIECE_BYTES)
    }

    /// The most bytes that a row of a tile may have; `None` where it is limited by its elements alone.
    pub fn row_bytes_most(self) -> Option<u32> {
        match self {
            Self::None => None,
            Self::Bytes32 => Some(SPAN_BYTES / 4),
            Self::Bytes64 => Some(SPAN_BYTES / 2),
            Self::Bytes128 => Some(SPAN_BYTES),
        }
    }
}

/// A matrix in global memory, and the tiles that it is copied in. Elements of a row are side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorMap {
    /// Where the matrix begins, a multiple of 16.
    pub address: u64,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// Elements of a row.
    pub columns: u64,
    /// Rows.
    pub rows: u64,
    /// Bytes from a row to the next, a multiple of 16.
    pub pitch_bytes: u64,
    /// Elements of a row of a tile, up to 256; their bytes are a multiple of 16.
    pub tile_columns: u32,
    /// Rows of a tile, up to 256.
    pub tile_rows: u32,
    /// How the tile lies in shared memory.
    pub swizzle: Swizzle,
}

impl TensorMap {
    /// Bytes of a row of a tile.
    pub fn row_bytes(&self) -> u32 {
        self.tile_columns.saturating_mul(self.element_bytes)
    }

    /// Bytes of a tile.
    pub fn tile_bytes(&self) -> u32 {
        self.row_bytes().saturating_mul(self.tile_rows)
    }

    /// The descriptor.
    pub fn to_bytes(&self) -> [u8; TENSOR_MAP_BYTES] {
        let swizzle = match self.swizzle {
            Swizzle::None => 0,
            Swizzle::Bytes32 => 1,
            Swizzle::Bytes64 => 2,
            Swizzle::Bytes128 => 3,
        };
        let mut bytes = [0; TENSOR_MAP_BYTES];
        let numbers = [
            MARK,
            self.address,
            self.element_bytes.into(),
            self.columns,
            self.rows,
            self.pitch_bytes,
            self.tile_columns.into(),
            self.tile_rows.into(),
            swizzle,
        ];
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Reads a descriptor; `None` where these bytes are none.
    pub fn from_bytes(bytes: &[u8; TENSOR_MAP_BYTES]) -> Option<Self> {
        let number = |index: usize| bytes.as_chunks().0.get(index).map(|own| u64::from_le_bytes(*own));
        let small = |index: usize| number(index).and_then(|own| u32::try_from(own).ok());
        let swizzle = match number(8)? {
            0 => Swizzle::None,
            1 => Swizzle::Bytes32,
            2 => Swizzle::Bytes64,
            3 => Swizzle::Bytes128,
            _ => return None,
        };
        let own = Self {
            address: number(1)?,
            element_bytes: small(2)?,
            columns: number(3)?,
            rows: number(4)?,
            pitch_bytes: number(5)?,
            tile_columns: small(6)?,
            tile_rows: small(7)?,
            swizzle,
        };
        let sizes = [own.element_bytes, own.tile_columns, own.tile_rows];
        let is_tile = sizes.iter().all(|size| (1..=256).contains(size)) && own.row_bytes().is_multiple_of(PIECE_BYTES);
        (number(0) == Some(MARK) && is_tile).then_some(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(swizzle: Swizzle) -> TensorMap {
        TensorMap {
            address: 0x1000,
            element_bytes: 4,
            columns: 4096,
            rows: 1 << 33,
            pitch_bytes: 1 << 14,
            tile_columns: 32,
            tile_rows: 64,
            swizzle,
        }
    }

    #[test]
    fn a_descriptor_is_read_as_it_was_written_and_other_bytes_are_none() {
        for swizzle in [Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128] {
            let own = map(swizzle);
            assert_eq!(TensorMap::from_bytes(&own.to_bytes()), Some(own));
        }
        assert_eq!(TensorMap::from_bytes(&[0; TENSOR_MAP_BYTES]), None);
        for wrong in [
            TensorMap { tile_rows: 257, ..map(Swizzle::None) },
            TensorMap { tile_columns: 0, ..map(Swizzle::None) },
            TensorMap { tile_columns: 5, ..map(Swizzle::None) },
        ] {
            assert_eq!(TensorMap::from_bytes(&wrong.to_bytes()), None, "{wrong:?}");
        }
        assert_eq!((map(Swizzle::None).row_bytes(), map(Swizzle::None).tile_bytes()), (128, 8192));
    }

    /// PTX ISA, "Swizzling Modes": with 128 bytes, the pieces 0 to 7 of the second row of 128 bytes are 1 0 3 2 5 4 7 6; with 64 bytes the first
    /// four pieces of it are 1 0 3 2; with 32 bytes the first two are 1 0.
    #[test]
    fn swizzles_move_pieces_as_the_documentation_shows() {
        let row = |swizzle: Swizzle, row: u32| -> Vec<u32> {
            (0..8).map(|piece| swizzle.place(row * 128 + piece * 16) % 128 / 16).collect()
        };
        assert_eq!(row(Swizzle::None, 3), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(row(Swizzle::Bytes128, 1), [1, 0, 3, 2, 5, 4, 7, 6]);
        assert_eq!(row(Swizzle::Bytes128, 6), [6, 7, 4, 5, 2, 3, 0, 1]);
        assert_eq!(row(Swizzle::Bytes64, 1), [1, 0, 3, 2, 5, 4, 7, 6]);
        assert_eq!(row(Swizzle::Bytes64, 6), [2, 3, 0, 1, 6, 7, 4, 5]);
        assert_eq!(row(Swizzle::Bytes32, 3), [1, 0, 3, 2, 5, 4, 7, 6]);
        assert_eq!(row(Swizzle::Bytes32, 2), [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
