//! Matrix instructions of a whole warp. PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions".

use super::Space;
use super::{Address, LongSource, WordSource};

/// Elements of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Element {
    Half,
    Brain,
    /// tf32: an f32 of which the upper 19 bits count.
    Tensor,
    Single,
    Double,
    /// e4m3
    FineByte,
    /// e5m2
    WideByte,
    SignedByte,
    UnsignedByte,
    SignedNibble,
    UnsignedNibble,
    Whole,
}

impl Element {
    /// By the name of its type.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "f16" => Self::Half,
            "bf16" => Self::Brain,
            "tf32" => Self::Tensor,
            "f32" => Self::Single,
            "f64" => Self::Double,
            "e4m3" => Self::FineByte,
            "e5m2" => Self::WideByte,
            "s8" => Self::SignedByte,
            "u8" => Self::UnsignedByte,
            "s4" => Self::SignedNibble,
            "u4" => Self::UnsignedNibble,
            "s32" => Self::Whole,
            _ => return None,
        })
    }

    /// Its width.
    pub(crate) fn bits(self) -> usize {
        match self {
            Self::Double => 64,
            Self::Tensor | Self::Single | Self::Whole => 32,
            Self::Half | Self::Brain => 16,
            Self::FineByte | Self::WideByte | Self::SignedByte | Self::UnsignedByte => 8,
            Self::SignedNibble | Self::UnsignedNibble => 4,
        }
    }

    /// How many of them a register holds.
    pub(crate) fn per_register(self) -> usize {
        (32 / self.bits()).max(1)
    }
}

/// Which of the matrices of a product it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The first factor.
    First,
    /// The second one.
    Second,
    /// What is added, and the result.
    Sum,
}

/// How large the matrices of a product are: the first factor has `rows` rows, the second `columns` columns, and `depth` is what they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) struct Shape {
    pub rows: usize,
    pub columns: usize,
    pub depth: usize,
}

impl Shape {
    /// By a word such as `m16n8k16`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let (rows, rest) = name.strip_prefix('m')?.split_once('n')?;
        let (columns, depth) = rest.split_once('k')?;
        Some(Self { rows: rows.parse().ok()?, columns: columns.parse().ok()?, depth: depth.parse().ok()? })
    }

    /// Rows and columns of a part.
    pub(crate) fn extents(self, part: Part) -> (usize, usize) {
        match part {
            Part::First => (self.rows, self.depth),
            Part::Second => (self.depth, self.columns),
            Part::Sum => (self.rows, self.columns),
        }
    }

    /// Elements of a part that a lane has.
    pub(crate) fn elements_of_lane(self, part: Part) -> usize {
        let (rows, columns) = self.extents(part);
        rows * columns / 32
    }

    /// Registers of a lane for a part; `None` where that is no whole number of pieces of 8 rows or columns.
    pub(crate) fn registers(self, part: Part, element: Element) -> Option<usize> {
        let (rows, columns) = self.extents(part);
        let bits = rows * columns / 32 * element.bits();
        // Along what the factors share, four lanes have a register each.
        let is_whole = match part {
            Part::First => {
                rows.is_multiple_of(8) && (columns * element.bits()).is_multiple_of(4 * element.bits().max(32))
            }
            Part::Second => {
                columns.is_multiple_of(8) && (rows * element.bits()).is_multiple_of(4 * element.bits().max(32))
            }
            Part::Sum => rows.is_multiple_of(8) && columns.is_multiple_of(8),
        };
        Some(bits / element.bits().max(32)).filter(|count| *count > 0 && is_whole)
    }

    /// Row and column of a lane's element, counted over its registers. Those of `mma` are in the manual's figures; those of `wmma` nobody
    /// may know, and are the same, tile by tile of at most 16 rows and of 8 columns.
    pub(crate) fn place(self, part: Part, element: Element, lane: usize, number: usize) -> (usize, usize) {
        let (group, member) = (lane / 4, lane % 4);
        let height = self.rows.min(16);
        let per_register = element.per_register();
        let (register, place) = (number / per_register, number % per_register);
        match part {
            Part::First => {
                let in_tile = height * self.depth / 32 / per_register;
                let (tile, own) = (register / in_tile, register % in_tile);
                let (lower, further) = if height == 16 { (own % 2, own / 2) } else { (0, own) };
                (tile * height + group + 8 * lower, (further * 4 + member) * per_register + place)
            }
            Part::Second => {
                let in_tile = self.depth / 4 / per_register;
                let (tile, own) = (register / in_tile, register % in_tile);
                ((own * 4 + member) * per_register + place, tile * 8 + group)
            }
            Part::Sum => {
                let (tile, own) = (number / (height / 4), number % (height / 4));
                let across = self.columns / 8;
                (tile / across * height + group + own / 2 * 8, tile % across * 8 + member * 2 + own % 2)
            }
        }
    }
}

/// A register that holds elements.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Register {
    /// Of 32 bits.
    Word(WordSource),
    /// Of 64 bits.
    Long(LongSource),
}

/// `mma` and `wmma.mma`: a matrix is the product of two, plus a third.
#[derive(Debug, Clone)]
pub(crate) struct Product {
    /// How large the matrices are.
    pub shape: Shape,
    /// Elements of the first and second factor, of what is added, and of the result.
    pub elements: [Element; 4],
    /// Whether whole numbers that are too large become the largest.
    pub saturates: bool,
    /// Registers of the result.
    pub destinations: Box<[u32]>,
    /// Registers of the factors and of what is added.
    pub sources: [Box<[Register]>; 3],
}

/// `wmma.load` and `wmma.store`: a matrix between memory and registers.
#[derive(Debug, Clone)]
pub(crate) struct Fragment {
    /// Where it is.
    pub space: Space,
    /// Its first element, at which all lanes look.
    pub address: Address,
    /// From a row to the next one, or from a column, in elements; without, they are packed.
    pub stride: Option<WordSource>,
    /// Whether a column's elements are neighbours.
    pub by_columns: bool,
    /// Which matrix of a product of which shape.
    pub part: Part,
    /// The product's shape.
    pub shape: Shape,
    /// Its elements.
    pub element: Element,
    /// Registers that are loaded.
    pub destinations: Box<[u32]>,
    /// Registers that are stored; none where they are loaded.
    pub sources: Box<[Register]>,
}

/// `ldmatrix` and `stmatrix`: 1, 2 or 4 matrices of 8 rows of 16 bytes.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// The address that a lane gives: that of a row.
    pub address: Address,
    /// Whether rows become columns.
    pub transposed: bool,
    /// A register for each matrix that is loaded; none where they are stored.
    pub destinations: Box<[u32]>,
    /// A register for each matrix that is stored.
    pub sources: Box<[WordSource]>,
}
