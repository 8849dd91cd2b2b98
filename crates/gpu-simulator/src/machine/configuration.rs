//! How a kernel is launched: its grid and its arguments.

use crate::program::Program;

/// Blocks along y and z of a grid (CUDA C Programming Guide, table of technical specifications).
const GRID_EXTENT_MAX: u32 = 65_535;

/// Blocks of a launch and threads of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Blocks along x, y and z.
    pub blocks: [u32; 3],
    /// Threads of a block along x, y and z.
    pub threads: [u32; 3],
    /// Dynamic shared memory of a block.
    pub dynamic_shared_bytes: u32,
    /// Whether all blocks must be resident at once, so that they can wait for each other.
    pub cooperative: bool,
}

impl Grid {
    /// So many blocks of so many threads along x, without dynamic shared memory.
    pub fn linear(blocks: u32, threads: u32) -> Self {
        Self { blocks: [blocks, 1, 1], threads: [threads, 1, 1], dynamic_shared_bytes: 0, cooperative: false }
    }

    /// Blocks of the grid.
    pub fn block_count(&self) -> u64 {
        self.blocks.iter().map(|extent| u64::from(*extent)).product()
    }

    /// Threads of a block; `u32::MAX` where they are more.
    pub fn threads_per_block(&self) -> u32 {
        self.threads.iter().fold(1, |product: u32, extent| product.saturating_mul(*extent))
    }

    pub(super) fn check(&self) -> Result<(), String> {
        if self.blocks[1..].iter().any(|extent| *extent > GRID_EXTENT_MAX) {
            return Err(format!("a grid has at most {GRID_EXTENT_MAX} blocks along y and z"));
        }
        if self.block_count() == 0 {
            return Err("the grid has no blocks".to_owned());
        }
        if self.threads_per_block() == 0 {
            return Err("the blocks have no threads".to_owned());
        }
        Ok(())
    }
}

/// A value of a kernel's parameter, in the bytes that the kernel reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument(Vec<u8>);

impl Argument {
    /// The bytes of a parameter of any type, such as a structure.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }
}

macro_rules! arguments_from {
    ($($number:ty)*) => {
        $(impl From<$number> for Argument {
            fn from(number: $number) -> Self {
                Self(number.to_le_bytes().to_vec())
            }
        })*
    };
}

arguments_from!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

/// The parameters of a kernel as bytes.
pub(super) fn parameters(program: &Program, arguments: &[Argument]) -> Result<Vec<u8>, String> {
    let (expected, given) = (program.parameters.len(), arguments.len());
    if expected != given {
        return Err(format!("{expected} arguments are expected, not {given}"));
    }
    let mut bytes = vec![0; program.parameter_bytes as usize];
    for (index, (Argument(value), slice)) in arguments.iter().zip(&program.parameters).enumerate() {
        if value.len() != slice.bytes as usize {
            return Err(format!("argument {index} has {} bytes, the kernel takes {}", value.len(), slice.bytes));
        }
        bytes[slice.offset as usize..][..value.len()].copy_from_slice(value);
    }
    Ok(bytes)
}
