//! Arguments of kernels.

use gpu_simulator::tensor_map::{Swizzle, TENSOR_MAP_BYTES, TensorMap};

/// An argument of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// The device address of the buffer with this index in [`Workload::buffers`](super::Workload::buffers).
    Buffer(usize),
    /// The device address so many bytes behind the beginning of the buffer with this index.
    BufferAt(usize, u64),
    /// A 32-bit whole number.
    Word(u32),
    /// A 64-bit whole number.
    Long(u64),
    /// What is of another size: a structure by value, or a number of 8 or 16 bits.
    Packed(Packed),
    /// The descriptor of a matrix of words and its tiles, for bulk copies; a GPU's driver makes it.
    Tiles(Tiles),
}

/// A buffer as a matrix of 32-bit words, and the tiles in which bulk copies take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiles {
    /// The buffer's index in [`Workload::buffers`](super::Workload::buffers).
    pub buffer: usize,
    /// Words of a row; rows are one behind the other. A multiple of 4.
    pub columns: u64,
    /// Rows.
    pub rows: u64,
    /// Words of a row of a tile, a multiple of 4 up to 256.
    pub tile_columns: u32,
    /// Rows of a tile, up to 256.
    pub tile_rows: u32,
    /// How a tile lies in shared memory.
    pub swizzle: Swizzle,
}

/// Bytes of a word of a matrix.
const WORD_BYTES: u32 = size_of::<u32>() as u32;

impl Tiles {
    /// The matrix where the buffer is at this address of device memory.
    pub fn at(&self, address: u64) -> TensorMap {
        let Self { buffer: _, columns, rows, tile_columns, tile_rows, swizzle } = *self;
        let pitch_bytes = columns * u64::from(WORD_BYTES);
        TensorMap { address, element_bytes: WORD_BYTES, columns, rows, pitch_bytes, tile_columns, tile_rows, swizzle }
    }
}

/// The bytes of an argument, the lowest of each number first, and the addresses that are put into them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// The bytes, zeros where an address goes.
    pub bytes: Vec<u8>,
    /// The addresses.
    pub addresses: Vec<EmbeddedAddress>,
}

/// The address of a buffer within a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmbeddedAddress {
    /// Bytes of the structure before it.
    pub at: usize,
    /// The buffer's index in [`Workload::buffers`](super::Workload::buffers).
    pub buffer: usize,
    /// So many bytes behind the beginning of the buffer.
    pub bytes: u64,
}

/// Bytes of an address.
const ADDRESS_BYTES: usize = size_of::<u64>();

impl Argument {
    /// Its size.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Word(_) => 4,
            Self::Buffer(_) | Self::BufferAt(..) | Self::Long(_) => 8,
            Self::Packed(packed) => packed.bytes.len() as u64,
            Self::Tiles(_) => TENSOR_MAP_BYTES as u64,
        }
    }

    /// The bytes that the kernel gets, of a descriptor those for a simulated GPU; `address` has where each buffer begins in device memory.
    pub fn value(&self, address: impl Fn(usize) -> u64) -> Vec<u8> {
        let behind = |buffer: usize, bytes: u64| address(buffer).wrapping_add(bytes).to_le_bytes();
        match self {
            Self::Buffer(buffer) => behind(*buffer, 0).to_vec(),
            Self::BufferAt(buffer, bytes) => behind(*buffer, *bytes).to_vec(),
            Self::Word(word) => word.to_le_bytes().to_vec(),
            Self::Long(long) => long.to_le_bytes().to_vec(),
            Self::Packed(packed) => {
                let mut all = packed.bytes.clone();
                for own in &packed.addresses {
                    if let Some(place) = all.get_mut(own.at..own.at + ADDRESS_BYTES) {
                        place.copy_from_slice(&behind(own.buffer, own.bytes));
                    }
                }
                all
            }
            Self::Tiles(tiles) => tiles.at(address(tiles.buffer)).to_bytes().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_an_argument_is_as_large_as_it_says_and_has_its_addresses() {
        let addresses = [EmbeddedAddress { at: 8, buffer: 1, bytes: 16 }];
        let packed =
            Packed { bytes: vec![7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], addresses: addresses.to_vec() };
        let tiles =
            Tiles { buffer: 1, columns: 8, rows: 2, tile_columns: 4, tile_rows: 2, swizzle: Swizzle::default() };
        assert_eq!(tiles.at(0x1000).pitch_bytes, 32);
        for (argument, expected) in [
            (Argument::Buffer(1), 0x1000_u64.to_le_bytes().to_vec()),
            (Argument::BufferAt(1, 4), 0x1004_u64.to_le_bytes().to_vec()),
            (Argument::Word(5), vec![5, 0, 0, 0]),
            (Argument::Long(5), vec![5, 0, 0, 0, 0, 0, 0, 0]),
            (Argument::Packed(Packed { bytes: vec![1, 2], addresses: Vec::new() }), vec![1, 2]),
            (Argument::Tiles(tiles), tiles.at(0x1000).to_bytes().to_vec()),
            (Argument::Packed(packed), [vec![7, 0, 0, 0, 0, 0, 0, 0], 0x1010_u64.to_le_bytes().to_vec()].concat()),
        ] {
            assert_eq!(argument.value(|buffer| 0x1000 * buffer as u64), expected, "{argument:?}");
            assert_eq!(argument.bytes(), expected.len() as u64, "{argument:?}");
        }
    }
}
