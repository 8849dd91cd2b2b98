//! What instructions do.

use super::access::Access;
use super::atomic::Atomic;
use super::call::Call;
use super::carry::Carrying;
use super::fence::Fence;
use super::group::GroupProduct;
use super::matrix::{Fragment, Product, Rows};
use super::operand::{Address, LongSource, PredicateSource, WordSource};
use super::phase::{BulkCopy, GroupsOf, Phase};
use crate::arithmetic::Function as Arithmetic;
use crate::hardware::caching::CacheHint;

/// A logical operation on predicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Logic {
    /// `and`
    And,
    /// `or`
    Or,
    /// `xor`
    Xor,
}

/// A special register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    /// `%tid`, axis 0 to 2.
    ThreadIndex(u8),
    /// `%ntid`
    BlockExtent(u8),
    /// `%ctaid`
    BlockIndex(u8),
    /// `%nctaid`
    GridExtent(u8),
    /// `%laneid`
    Lane,
    /// `%warpid`
    Warp,
    /// `%nwarpid`
    Warps,
    /// `%smid`
    Multiprocessor,
    /// `%nsmid`
    Multiprocessors,
    /// `%lanemask_eq`, `lt`, `le`, `gt`, `ge`
    LaneMask(Comparison),
    /// `%clock`, `%clock64`
    Clock,
    /// `%globaltimer`
    Timer,
    /// `%dynamic_smem_size`
    DynamicShared,
    /// `%total_smem_size`
    TotalShared,
    /// `%envreg1` and `%envreg2`: upper and lower half of the address of a cooperative launch's workspace.
    Environment(u8),
    /// `%cluster_ctaid`
    BlockOfCluster(u8),
    /// `%cluster_nctaid`
    ClusterExtent(u8),
    /// `%clusterid`
    ClusterIndex(u8),
    /// `%nclusterid`
    ClusterCount(u8),
    /// `%cluster_ctarank`
    Rank,
    /// `%cluster_nctarank`
    Ranks,
    /// `%gridid` and others that are always zero here.
    Zero,
}

/// How lanes compare in a lane mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Comparison {
    Equal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// A state space that instructions address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Space {
    Global,
    Shared,
    Local,
    Constant,
    /// Parameters of the kernel.
    Parameter,
    /// Whichever window the address lies in.
    Generic,
}

/// What a block barrier does.
#[derive(Debug, Clone)]
pub(crate) struct Barrier {
    /// Its number, 0 to 15.
    pub number: WordSource,
    /// Threads that take part; all of the block without it.
    pub threads: Option<WordSource>,
    /// What else it does.
    pub kind: BarrierKind,
}

/// A kind of block barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    /// Waits.
    Synchronise,
    /// Arrives and goes on.
    Arrive,
    /// Waits, and counts the threads whose predicate is set into a register.
    Count {
        /// The register.
        destination: u32,
        /// The predicate.
        predicate: PredicateSource,
    },
    /// Waits, and tells whether the predicate is set for all threads, or for any.
    Test {
        /// Whether for all.
        all: bool,
        /// The predicate that tells.
        destination: u32,
        /// The predicate.
        predicate: PredicateSource,
    },
}

/// How a shuffle picks its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

/// What a vote tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum VoteMode {
    All,
    Any,
    Uniform,
    /// Into a 32-bit register, the others into a predicate.
    Ballot,
}

/// What `redux.sync` computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Reduction {
    Add,
    Min { signed: bool },
    Max { signed: bool },
    And,
    Or,
    Xor,
}

/// What an instruction does.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// Computes registers from registers.
    Compute {
        /// The function; its shape says which sources count.
        function: Arithmetic,
        /// The register it writes.
        destination: u32,
        /// 32-bit sources, in their order.
        words: [WordSource; 4],
        /// 64-bit sources, in their order.
        longs: [LongSource; 3],
    },
    /// Adds, subtracts or multiplies with a carry.
    Carrying(Box<Carrying>),
    /// Compares, perhaps combines with a predicate, and sets one or two predicates.
    Compare {
        /// The comparison, of shape WWP or LLP.
        function: Arithmetic,
        /// The predicate it sets.
        destination: Option<u32>,
        /// The predicate it sets to the opposite.
        complement: Option<u32>,
        /// A predicate that is combined with the outcome.
        combine: Option<(Logic, PredicateSource)>,
        /// 32-bit sources.
        words: [WordSource; 2],
        /// 64-bit sources.
        longs: [LongSource; 2],
    },
    /// `selp` of 32 bits.
    SelectWord {
        /// The register it writes.
        destination: u32,
        /// Taken where the predicate is set.
        first: WordSource,
        /// Taken where it is not.
        second: WordSource,
        /// The predicate.
        predicate: PredicateSource,
    },
    /// `selp` of 64 bits.
    SelectLong {
        /// The register it writes.
        destination: u32,
        /// Taken where the predicate is set.
        first: LongSource,
        /// Taken where it is not.
        second: LongSource,
        /// The predicate.
        predicate: PredicateSource,
    },
    /// `selp` of predicates.
    SelectPredicate {
        /// The predicate it writes.
        destination: u32,
        /// Taken where the selector is set.
        first: PredicateSource,
        /// Taken where it is not.
        second: PredicateSource,
        /// The selector.
        predicate: PredicateSource,
    },
    /// Logic of predicates; `mov` and `not` are an `xor` with a constant.
    Predicates {
        /// The operation.
        logic: Logic,
        /// The predicate it writes.
        destination: u32,
        /// First source.
        first: PredicateSource,
        /// Second source.
        second: PredicateSource,
    },
    /// Reads a special register.
    ReadSpecial {
        /// Which.
        special: Special,
        /// The register it writes.
        destination: u32,
        /// Whether that has 64 bits.
        long: bool,
    },
    /// The address of something in the frame's local memory.
    LocalAddress {
        /// The register it writes.
        destination: u32,
        /// Whether that has 64 bits.
        long: bool,
        /// Bytes from the frame's beginning.
        offset: u32,
    },
    /// `mov.b64 d, {low, high}`
    PackLong {
        /// The register it writes.
        destination: u32,
        /// Its halves, the lower one first.
        halves: [WordSource; 2],
    },
    /// `mov.b64 {low, high}, s`
    UnpackLong {
        /// Registers of the halves; `None` for one that is discarded.
        halves: [Option<u32>; 2],
        /// The source.
        source: LongSource,
    },
    /// `mov.b32 d, {low, high}` of two 16-bit registers.
    PackWord {
        /// The register it writes.
        destination: u32,
        /// Its halves.
        halves: [WordSource; 2],
    },
    /// `mov.b32 {low, high}, s`
    UnpackWord {
        /// Registers of the halves.
        halves: [Option<u32>; 2],
        /// The source.
        source: WordSource,
    },
    /// Asks L2 to bring a line of global memory in, which nobody waits for.
    Prefetch {
        /// The place in it.
        address: Address,
    },
    /// Loads 1, 2 or 4 elements.
    Load {
        /// Where.
        access: Access,
        /// Registers, of the access's width.
        destinations: Box<[Option<u32>]>,
    },
    /// Stores 1, 2 or 4 elements.
    Store {
        /// Where.
        access: Access,
        /// 32-bit sources, empty where they are of 64 bits.
        words: Box<[WordSource]>,
        /// 64-bit sources.
        longs: Box<[LongSource]>,
    },
    /// `cp.async`: copies from global to shared memory.
    CopyAsync {
        /// In shared memory.
        destination: Address,
        /// In global memory.
        source: Address,
        /// Bytes of a lane.
        bytes: u8,
        /// Bytes that are read; the rest is zero.
        read_bytes: Option<WordSource>,
        /// Whether it passes L1 by (`.cg`).
        past_l1: bool,
    },
    /// `cp.async.commit_group` and the like: what becomes of groups of copies.
    CopyGroups(GroupsOf),
    /// `mbarrier`
    Phase(Box<Phase>),
    /// `cp.async.bulk`
    BulkCopy(Box<BulkCopy>),
    /// An atomic or a reduction.
    Atomic(Box<Atomic>),
    /// `bra`
    Branch {
        /// The instruction it goes to.
        target: u32,
    },
    /// `brx.idx`
    BranchIndexed {
        /// The index into the targets.
        index: WordSource,
        /// The instructions it may go to.
        targets: Box<[u32]>,
    },
    /// `call`
    Call(Box<Call>),
    /// `ret`
    Return,
    /// `exit`
    Exit,
    /// `trap`
    Trap,
    /// Barriers of the block.
    Barrier(Box<Barrier>),
    /// `barrier.cluster`: arrives at the barrier of the cluster, or waits for it.
    ClusterBarrier {
        /// Whether it arrives.
        arrives: bool,
        /// Whether the others then see what it wrote, unlike with `.relaxed`.
        releases: bool,
    },
    /// `mapa`: the address of the same place in another block's shared memory.
    Map {
        /// The register it writes.
        destination: u32,
        /// The address, where of 32 bits.
        word: Option<WordSource>,
        /// The address where of 64 bits.
        long: Option<LongSource>,
        /// The block's rank in the cluster.
        rank: WordSource,
    },
    /// `getctarank`: the rank of the block in whose shared memory an address is.
    RankOf {
        /// The register it writes.
        destination: u32,
        /// The address, where of 32 bits.
        word: Option<WordSource>,
        /// The address where of 64 bits.
        long: Option<LongSource>,
    },
    /// `mov.pred` of `%is_explicit_cluster`.
    IsCluster {
        /// The predicate it writes.
        destination: u32,
    },
    /// `bar.warp.sync`
    WarpBarrier {
        /// Lanes that take part.
        members: WordSource,
    },
    /// `shfl`
    Shuffle {
        /// Whether it waits for its members (`.sync`), or takes the lanes that are there.
        waits: bool,
        /// How the source lane is picked.
        mode: ShuffleMode,
        /// The register it writes.
        destination: u32,
        /// Set where the source lane is in range.
        in_range: Option<u32>,
        /// The value, the lane, the clamp and segment mask, the members.
        sources: [WordSource; 4],
    },
    /// `vote`
    Vote {
        /// Whether it waits for its members (`.sync`), or takes the lanes that are there.
        waits: bool,
        /// What it tells.
        mode: VoteMode,
        /// The register or predicate it writes.
        destination: u32,
        /// The predicate it asks.
        predicate: PredicateSource,
        /// Lanes that take part.
        members: WordSource,
    },
    /// `activemask`
    ActiveMask {
        /// The register it writes.
        destination: u32,
    },
    /// `match.sync`
    Match {
        /// Whether all lanes must agree (`all`), or each gets those that agree with it (`any`).
        all: bool,
        /// The register it writes.
        destination: u32,
        /// Whether all agree.
        agreed: Option<u32>,
        /// The value where of 32 bits.
        word: Option<WordSource>,
        /// The value where of 64 bits.
        long: Option<LongSource>,
        /// Lanes that take part.
        members: WordSource,
    },
    /// `elect.sync`: one of the lanes, which is the lowest here.
    Elect {
        /// The register that gets its number.
        destination: Option<u32>,
        /// The predicate that is set for it.
        elected: Option<u32>,
        /// Lanes that take part.
        members: WordSource,
    },
    /// `redux.sync`
    Reduce {
        /// What it computes.
        reduction: Reduction,
        /// The register it writes.
        destination: u32,
        /// The value.
        value: WordSource,
        /// Lanes that take part.
        members: WordSource,
    },
    /// `mma` and `wmma.mma`
    Product(Box<Product>),
    /// `wgmma.mma_async`
    GroupProduct(Box<GroupProduct>),
    /// `wmma.load` and `wmma.store`
    Fragment(Box<Fragment>),
    /// `ldmatrix` and `stmatrix`
    Rows(Box<Rows>),
    /// Fences: execution is in order here, so there is nothing to do but to wait.
    Fence(Fence),
    /// `nanosleep`: lets others go on.
    Sleep,
    /// Nothing: waiting for asynchronous copies, which are done at once.
    Nothing,
    /// `griddepcontrol`, which does nothing to threads: the launches before have ended before this one is executed.
    Dependence(super::Dependence),
}

impl Operation {
    /// Whether warps of a block wait there for each other.
    pub(crate) fn is_barrier(&self) -> bool {
        matches!(self, Self::Barrier(_) | Self::ClusterBarrier { arrives: false, .. })
    }

    /// What it says of the lines that it accesses.
    pub(crate) fn cache_hint(&self) -> CacheHint {
        match self {
            Self::Load { access, .. } | Self::Store { access, .. } => access.hint,
            _ => CacheHint::default(),
        }
    }
}
