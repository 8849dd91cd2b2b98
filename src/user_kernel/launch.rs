//! Launches that a scenario describes.

use super::{Expression, LaunchPlaces, Scope, Structure, Unfit};
use located_toml::problem::Place;

/// The name that expressions of a launch have for its number among those of its loop, from 0.
pub const STEP: &str = "step";

/// An argument of a launch.
#[derive(Debug, Clone)]
pub enum ArgumentDescription {
    /// The address of an element of a buffer, of its first where nothing is said.
    Buffer {
        /// The buffer's place among the buffers.
        buffer: usize,
        /// The element's index.
        element: Option<Expression>,
    },
    /// A number, of the type that the kernel's parameter has.
    Number(Expression),
    /// A structure by value, or a number whose type is said.
    Structure(Structure),
}

/// A launch, or a loop of launches.
#[derive(Debug, Clone)]
pub struct LaunchDescription {
    /// The kernel, where it is not that of the variant.
    pub entry: Option<String>,
    /// Blocks in x, y and z, as far as they are said.
    pub grid: Vec<Expression>,
    /// Threads of a block in x, y and z, as far as they are said.
    pub block: Vec<Expression>,
    /// Dynamic shared memory of a block.
    pub shared_bytes: Option<Expression>,
    /// Whether all blocks must be resident at once.
    pub cooperative: bool,
    /// How many times it is launched; once where nothing is said.
    pub times: Option<Expression>,
    /// The arguments.
    pub arguments: Vec<ArgumentDescription>,
    /// Where the scenario says it.
    pub places: LaunchPlaces,
}

/// A launch's shape at a point.
pub(super) struct Shape {
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) shared_bytes: u32,
}

/// The most blocks in x, y and z. CUDA Programming Guide, "Technical Specifications per Compute Capability".
const GRID_MOST: [u64; 3] = [(1 << 31) - 1, 65_535, 65_535];
/// The most threads in x, y and z.
const BLOCK_MOST: [u64; 3] = [1024, 1024, 64];
/// The most dynamic shared memory that is asked for; what a device has is told where it is launched.
const SHARED_MOST: u64 = 1 << 20;
/// The most launches of a loop: the driver queues about a thousand at a time.
const TIMES_MOST: u64 = 100_000;

impl LaunchDescription {
    /// Whether it has the address of something in a buffer.
    pub fn takes(&self, buffer: usize) -> bool {
        self.arguments.iter().any(|argument| match argument {
            ArgumentDescription::Buffer { buffer: own, .. } => *own == buffer,
            ArgumentDescription::Structure(structure) => structure.points_into(buffer),
            ArgumentDescription::Number(_) => false,
        })
    }

    /// Where an argument is, or else the list of them.
    pub(super) fn argument_place(&self, index: usize) -> Option<Place> {
        self.places.arguments.get(index).copied().or(self.places.list)
    }

    /// How often it is launched at these values.
    ///
    /// # Errors
    /// Where that is no whole number: why.
    pub(super) fn times(&self, scope: &Scope) -> Result<u64, Unfit> {
        let Some(times) = &self.times else { return Ok(1) };
        times.whole(scope, 0, TIMES_MOST).map_err(|unfit| unfit.within("times"))
    }

    /// Its shape at these values.
    ///
    /// # Errors
    /// Where an extent is out of range: which, and why.
    pub(super) fn shape(&self, scope: &Scope) -> Result<Shape, Unfit> {
        let shared_bytes = match &self.shared_bytes {
            Some(bytes) => bytes.whole(scope, 0, SHARED_MOST).map_err(|unfit| unfit.within("shared_bytes"))?,
            None => 0,
        };
        Ok(Shape {
            grid: extents("grid", &self.grid, GRID_MOST, scope)?,
            block: extents("block", &self.block, BLOCK_MOST, scope)?,
            shared_bytes: shared_bytes as u32,
        })
    }
}

fn extents(name: &str, given: &[Expression], most: [u64; 3], scope: &Scope) -> Result<[u32; 3], Unfit> {
    let mut extents = [1; 3];
    for ((extent, expression), most) in extents.iter_mut().zip(given).zip(most) {
        *extent = expression.whole(scope, 1, most).map_err(|unfit| unfit.within(name))? as u32;
    }
    Ok(extents)
}
