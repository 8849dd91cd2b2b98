//! Rows of barriers in shared memory and of bulk copies.

use super::{OTHER, Row};
use crate::class::{Class, Cost};
use crate::program::lower::{memory, phase};

const SYNCHRONIZATION: &str = "Parallel Synchronization and Communication Instructions";
const DATA: &str = "Data Movement and Conversion Instructions";

const SHARED: Cost = Cost::of(Class::Shared);
/// It changes shared memory as an atomic does.
const ATOMIC: Cost = Cost::of(Class::Atomic);
const GLOBAL: Cost = Cost::of(Class::Global);

const BARRIER: &str = "a barrier in shared memory";
const BYTES: &str = "a barrier that counts bytes";
const BULK: &str = "a bulk copy";
const TILE: &str = "a bulk copy of a tile";

pub(super) static ROWS: &[Row] = &[
    Row::other("mbarrier.init|inval.shared|shared::cta?.b64", SYNCHRONIZATION, SHARED, phase::change)
        .needs(BARRIER, 8, 0),
    Row::other(
        "mbarrier.expect_tx|complete_tx.relaxed?.cta|cluster?.shared|shared::cta|shared::cluster?.b64",
        SYNCHRONIZATION,
        ATOMIC,
        phase::change,
    )
    .needs(BYTES, 9, 0),
    Row::other(
        "mbarrier.arrive|arrive_drop.noComplete?.release|relaxed?.cta|cluster?.shared|shared::cta|shared::cluster?.b64",
        SYNCHRONIZATION,
        ATOMIC,
        phase::arrive,
    )
    .needs(BARRIER, 8, 0),
    Row::other(
        "mbarrier.arrive|arrive_drop.expect_tx.release|relaxed?.cta|cluster?.shared|shared::cta|shared::cluster?.b64",
        SYNCHRONIZATION,
        ATOMIC,
        phase::arrive,
    )
    .needs(BYTES, 9, 0),
    Row::other(
        "mbarrier.test_wait.parity?.acquire|relaxed?.cta|cluster?.shared|shared::cta?.b64",
        SYNCHRONIZATION,
        SHARED,
        phase::test,
    )
    .needs(BARRIER, 8, 0),
    Row::other(
        "mbarrier.try_wait.parity?.acquire|relaxed?.cta|cluster?.shared|shared::cta?.b64",
        SYNCHRONIZATION,
        SHARED,
        phase::test,
    )
    .needs("mbarrier.try_wait", 9, 0),
    Row::other("cp.async.mbarrier.arrive.noinc?.shared|shared::cta?.b64", DATA, ATOMIC, phase::copies_arrive)
        .needs(BARRIER, 8, 0),
    Row::other(
        "cp.async.bulk.shared::cta|shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint?",
        DATA,
        GLOBAL,
        phase::bulk_copy,
    )
    .needs(BULK, 9, 0),
    Row::other(
        "cp.async.bulk.tensor.2d.shared::cta|shared::cluster.global.tile?.mbarrier::complete_tx::bytes.L2::cache_hint?",
        DATA,
        GLOBAL,
        phase::tile_copy,
    )
    .needs(TILE, 9, 0),
    Row::other("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint?", DATA, GLOBAL, phase::bulk_copy)
        .needs(BULK, 9, 0),
    Row::other("cp.async.bulk.commit_group", DATA, OTHER, memory::copy_groups).needs(BULK, 9, 0),
    Row::other("cp.async.bulk.wait_group.read?", DATA, OTHER, memory::copy_groups).needs(BULK, 9, 0),
];
