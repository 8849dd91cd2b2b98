//! How a kernel is launched: its grid and its arguments.

use crate::program::Program;

/// Blocks along y and z of a grid (CUDA C Programming Guide, table of technical specifications).
const GRID_EXTENT_MAX: u32 = 65_535;

/// Blocks of a cluster at most on every GPU that has clusters, and where the launch lets it be more than portable (CUDA C++ Programming Guide,
/// thread block clusters).
const CLUSTER_BLOCKS_MAX: u32 = 8;
const CLUSTER_BLOCKS_MAX_NOT_PORTABLE: u32 = 16;
/// The first compute capability with clusters.
const CLUSTERS_SINCE: (u32, u32) = (9, 0);

/// Blocks of a launch that are resident together, have a barrier of their own and reach into each other's shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    /// Blocks along x, y and z.
    pub blocks: [u32; 3],
    /// Whether there may be more than 8, which not every GPU has room for.
    pub is_not_portable: bool,
}

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
    /// How large clusters are, where the launch says so.
    pub cluster: Option<Cluster>,
}

impl Grid {
    /// So many blocks of so many threads along x, without dynamic shared memory.
    pub fn linear(blocks: u32, threads: u32) -> Self {
        Self {
            blocks: [blocks, 1, 1],
            threads: [threads, 1, 1],
            dynamic_shared_bytes: 0,
            cooperative: false,
            cluster: None,
        }
    }

    /// The same in clusters of so many blocks, of more than 8 where `is_not_portable`.
    #[must_use]
    pub fn in_clusters(self, blocks: u32, is_not_portable: bool) -> Self {
        Self { cluster: Some(Cluster { blocks: [blocks, 1, 1], is_not_portable }), ..self }
    }

    /// Blocks of the grid.
    pub fn block_count(&self) -> u64 {
        self.blocks.iter().map(|extent| u64::from(*extent)).product()
    }

    /// Threads of a block; `u32::MAX` where they are more.
    pub fn threads_per_block(&self) -> u32 {
        self.threads.iter().fold(1, |product: u32, extent| product.saturating_mul(*extent))
    }

    /// Blocks of a cluster along each axis, and whether the launch or the kernel says so.
    ///
    /// # Errors
    /// Why there can be no such clusters.
    pub(super) fn cluster(&self, program: &Program, capability: (u32, u32)) -> Result<([u32; 3], bool), String> {
        let of_launch = self.cluster.map(|cluster| cluster.blocks);
        if let (Some(launch), Some(kernel)) = (of_launch, program.cluster)
            && launch != kernel
        {
            let [launch, kernel] = [launch, kernel].map(extents_text);
            return Err(format!(
                "the launch has clusters of {launch} blocks, the kernel's .reqnctapercluster says {kernel}"
            ));
        }
        let Some(cluster) = of_launch.or(program.cluster) else {
            if program.asks_for_cluster {
                return Err(
                    "the kernel is .explicitcluster, and the launch does not say how large clusters are".to_owned()
                );
            }
            return Ok(([1; 3], false));
        };
        let text = extents_text(cluster);
        if capability < CLUSTERS_SINCE {
            let (major, minor) = capability;
            return Err(format!("clusters of blocks, which need compute capability 9.0 and not {major}.{minor}"));
        }
        let blocks = cluster.iter().fold(1, |product: u32, extent| product.saturating_mul(*extent));
        let is_not_portable = self.cluster.is_some_and(|own| own.is_not_portable);
        let most = if is_not_portable { CLUSTER_BLOCKS_MAX_NOT_PORTABLE } else { CLUSTER_BLOCKS_MAX };
        if blocks == 0 || blocks > most {
            let more =
                if is_not_portable { "" } else { ", and 16 where the launch allows a size that is not portable" };
            return Err(format!("a cluster of {text} blocks, where 1 to {most} are possible{more}"));
        }
        if (0..3).any(|axis| !self.blocks[axis].is_multiple_of(cluster[axis])) {
            let grid = extents_text(self.blocks);
            return Err(format!("a grid of {grid} blocks is not made of whole clusters of {text}"));
        }
        Ok((cluster, true))
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

fn extents_text([x, y, z]: [u32; 3]) -> String {
    if (y, z) == (1, 1) { x.to_string() } else { format!("{x}x{y}x{z}") }
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
