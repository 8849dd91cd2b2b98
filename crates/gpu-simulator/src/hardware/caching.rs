//! How an instruction asks the caches to treat what it accesses.

/// How soon L2 is to let go of a line when it needs room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Keeping {
    /// Before others (`evict_first`).
    First,
    /// When it was not used for longest.
    #[default]
    Normal,
    /// After others, as long as not too much is to be kept so (`evict_last`).
    Last,
}

/// What an instruction says of its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CacheHint {
    /// How soon L2 is to let go of them.
    pub keeping: Keeping,
    /// Whether L1 is to let go of them before others, too (`.cs`, `L1::evict_first`).
    pub leaves_l1_first: bool,
    /// Bytes that L2 is to bring in at once, around what it has not: 64, 128 or 256; 0 where nothing is said.
    pub fetched_bytes: u32,
}
