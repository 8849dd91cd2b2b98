//! Rows of barriers, and of what the lanes of a warp tell each other.

use super::{EXCHANGE, Row};
use crate::class::{Class, Cost};
use crate::program::Operation;
use crate::program::lower::warp;

const SECTION: &str = "Parallel Synchronization and Communication Instructions";
const DATA: &str = "Data Movement and Conversion Instructions";

const BARRIER: Cost = Cost::of(Class::Barrier);

const CLUSTER: &str = "a cluster";
const PARTIAL: &str = "a barrier for some of the warps, or with a result";

pub(super) static ROWS: &[Row] = &[
    Row::other("bar|barrier.cta?.sync.aligned?", SECTION, BARRIER, warp::barrier)
        .when("of all warps", |own, _| is_whole(own)),
    Row::other("bar|barrier.cta?.sync.aligned?", SECTION, BARRIER, warp::barrier)
        .when("of some warps", |own, _| !is_whole(own))
        .needs(PARTIAL, 2, 0),
    Row::other("bar|barrier.cta?.arrive.aligned?", SECTION, BARRIER, warp::barrier).needs(PARTIAL, 2, 0),
    Row::other("bar|barrier.cta?.red.popc.aligned?.u32", SECTION, BARRIER, warp::barrier).needs(PARTIAL, 2, 0),
    Row::other("bar|barrier.cta?.red.and|or.aligned?.pred", SECTION, BARRIER, warp::barrier).needs(PARTIAL, 2, 0),
    Row::other("bar.warp.sync", SECTION, BARRIER, warp::barrier_of_warp),
    Row::other("shfl.sync.up|down|bfly|idx.b32", DATA, EXCHANGE, warp::shuffle).needs("a shuffle", 3, 0),
    // As GPUs before Volta have them.
    Row::other("shfl.up|down|bfly|idx.b32", DATA, EXCHANGE, warp::shuffle).needs("a shuffle", 3, 0),
    Row::other("vote.all|any|uni.sync?.pred", SECTION, EXCHANGE, warp::vote).needs("a vote", 1, 2),
    Row::other("vote.ballot.sync?.b32", SECTION, EXCHANGE, warp::vote).needs("a ballot", 2, 0),
    Row::other("vote.sync.all|any|uni.pred", SECTION, EXCHANGE, warp::vote).needs("a vote", 1, 2),
    Row::other("vote.sync.ballot.b32", SECTION, EXCHANGE, warp::vote).needs("a ballot", 2, 0),
    Row::other("activemask.b32", SECTION, EXCHANGE, warp::active_mask),
    Row::other("match.any|all.sync.b32|b64", SECTION, EXCHANGE, warp::match_lanes).needs("a match", 7, 0),
    Row::other("elect.sync", SECTION, EXCHANGE, warp::elect).needs("an election", 9, 0),
    Row::other("barrier.cluster.arrive.release|relaxed?.aligned?", SECTION, BARRIER.times(0), warp::barrier_of_cluster)
        .needs(CLUSTER, 9, 0),
    Row::other("barrier.cluster.wait.acquire?.aligned?", SECTION, BARRIER, warp::barrier_of_cluster)
        .needs(CLUSTER, 9, 0),
    Row::other("redux.sync.add|min|max.u32|s32", SECTION, EXCHANGE, warp::reduce).needs(
        "a reduction over the warp",
        8,
        0,
    ),
    Row::other("redux.sync.and|or|xor.b32", SECTION, EXCHANGE, warp::reduce).needs("a reduction over the warp", 8, 0),
];

fn is_whole(operation: &Operation) -> bool {
    matches!(operation, Operation::Barrier(barrier) if barrier.threads.is_none())
}
