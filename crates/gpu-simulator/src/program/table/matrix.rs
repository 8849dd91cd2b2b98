//! Rows of matrix instructions. They have no unit of their own. What they cost is an estimate by NVIDIA's white papers: a tensor core of
//! the A100 multiplies 256 pairs of f16 a cycle, of the H100 512, of tf32 half as many, and the float unit beside it takes 2 cycles for a
//! warp on the A100 and 1 on the H100.

use super::{DOUBLE, FLOAT, OTHER, Row};
use crate::class::{Class, Cost};
use crate::program::lower::{group, matrix};
use crate::program::{Operation, Space};

const SECTION: &str = "Warp Level Matrix Multiply-Accumulate Instructions";
const GROUP: &str = "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions";
const SHARED: Cost = Cost::of(Class::Shared);
/// Lanes have several elements each, mostly neighbours of others'.
const FRAGMENT: Cost = Cost::of(Class::Global).times(4);

const PRODUCT: &str = "a product of matrices";
const BYTES: &str = "a product of matrices of bytes";
const DOUBLES: &str = "a product of matrices of f64";

const K4: Cost = FLOAT.times(2);
const K8: Cost = FLOAT.times(2);
const K16: Cost = FLOAT.times(4);

macro_rules! mma {
    ($form:expr, $cost:expr, $what:expr, $major:literal, $minor:literal) => {
        Row::other(concat!("mma.sync.aligned.", $form), SECTION, $cost, matrix::product).needs($what, $major, $minor)
    };
}

macro_rules! wmma {
    ($form:expr, $cost:expr, $what:expr, $major:literal, $minor:literal) => {
        Row::other(concat!("wmma.mma.sync.aligned.row|col.row|col.", $form), SECTION, $cost, matrix::product)
            .needs($what, $major, $minor)
    };
}

macro_rules! fragment {
    ($verb:literal, $cost:expr, $case:literal, |$space:ident| $applies:expr) => {
        Row::other(
            concat!(
                "wmma.",
                $verb,
                ".sync.aligned.row|col.m16n16k16|m32n8k16|m8n32k16|m16n16k8|m8n8k4.global|shared|shared::cta?",
                ".f16|bf16|tf32|f32|f64|s8|u8|s32"
            ),
            SECTION,
            $cost,
            matrix::fragment,
        )
        .when($case, |operation, _| {
            let Operation::Fragment(own) = operation else { return false };
            let $space = own.space;
            $applies
        })
        .needs("wmma", 7, 0)
    };
}

/// Of four warps: the tensor cores take twice as many pairs a cycle as of one.
macro_rules! group {
    ($case:literal, $cost:expr, $columns:expr) => {
        Row::other("wgmma.mma_async.sync.aligned.*", GROUP, $cost, group::product)
            .when($case, |operation, _| matches!(operation, Operation::GroupProduct(own) if $columns.contains(&own.shape.columns)))
            .needs("wgmma", 9, 0)
    };
}

pub(super) static ROWS: &[Row] = &[
    mma!("m16n8k8.row.col.f32.f16.f16.f32", K8, PRODUCT, 7, 5),
    mma!("m16n8k8.row.col.f16.f16.f16.f16", K8, PRODUCT, 7, 5),
    mma!("m16n8k8.row.col.f32.bf16.bf16.f32", K8, PRODUCT, 8, 0),
    mma!("m16n8k16.row.col.f32.f16.f16.f32", K16, PRODUCT, 8, 0),
    mma!("m16n8k16.row.col.f16.f16.f16.f16", K16, PRODUCT, 8, 0),
    mma!("m16n8k16.row.col.f32.bf16.bf16.f32", K16, PRODUCT, 8, 0),
    mma!("m16n8k4.row.col.f32.tf32.tf32.f32", K4, PRODUCT, 8, 0),
    mma!("m16n8k8.row.col.f32.tf32.tf32.f32", K16, PRODUCT, 8, 0),
    // Twice as many pairs of bytes as of f16, and four times as many of half a byte.
    mma!("m8n8k16.row.col.satfinite?.s32.s8|u8.s8|u8.s32", FLOAT, BYTES, 7, 5),
    mma!("m16n8k16.row.col.satfinite?.s32.s8|u8.s8|u8.s32", K8, BYTES, 8, 0),
    mma!("m16n8k32.row.col.satfinite?.s32.s8|u8.s8|u8.s32", K16, BYTES, 8, 0),
    mma!("m8n8k32.row.col.satfinite?.s32.s4|u4.s4|u4.s32", FLOAT, BYTES, 7, 5),
    mma!("m16n8k32.row.col.satfinite?.s32.s4|u4.s4|u4.s32", K8, BYTES, 8, 0),
    mma!("m16n8k64.row.col.satfinite?.s32.s4|u4.s4|u4.s32", K16, BYTES, 8, 0),
    mma!("m16n8k16.row.col.f16|f32.e4m3|e5m2.e4m3|e5m2.f16|f32", K8, BYTES, 8, 9),
    mma!("m16n8k32.row.col.f16|f32.e4m3|e5m2.e4m3|e5m2.f16|f32", K16, BYTES, 8, 9),
    // Twice as many as the f64 units.
    mma!("m8n8k4.row.col.rn?.f64.f64.f64.f64", DOUBLE.times(4), DOUBLES, 8, 0),
    mma!("m16n8k4.row.col.rn?.f64.f64.f64.f64", DOUBLE.times(8), DOUBLES, 9, 0),
    mma!("m16n8k8.row.col.rn?.f64.f64.f64.f64", DOUBLE.times(16), DOUBLES, 9, 0),
    mma!("m16n8k16.row.col.rn?.f64.f64.f64.f64", DOUBLE.times(32), DOUBLES, 9, 0),
    // Two of the above.
    wmma!("m16n16k16|m32n8k16|m8n32k16.f16|f32.f16|f32", FLOAT.times(8), "wmma", 7, 0),
    wmma!("m16n16k16|m32n8k16|m8n32k16.f32.bf16.bf16.f32", FLOAT.times(8), PRODUCT, 8, 0),
    wmma!("m16n16k8.f32.tf32.tf32.f32", FLOAT.times(8), PRODUCT, 8, 0),
    wmma!("m16n16k16|m32n8k16|m8n32k16.s32.s8.s8.s32.satfinite?", FLOAT.times(4), BYTES, 7, 2),
    wmma!("m16n16k16|m32n8k16|m8n32k16.s32.u8.u8.s32.satfinite?", FLOAT.times(4), BYTES, 7, 2),
    wmma!("m8n8k4.rn?.f64.f64.f64.f64", DOUBLE.times(4), DOUBLES, 8, 0),
    fragment!("load.a|b|c", SHARED.times(4), "from shared memory", |space| space == Space::Shared),
    fragment!("load.a|b|c", FRAGMENT, "from elsewhere", |space| space != Space::Shared),
    fragment!("store.d", SHARED.times(4), "to shared memory", |space| space == Space::Shared),
    fragment!("store.d", FRAGMENT, "to elsewhere", |space| space != Space::Shared),
    Row::other("ldmatrix.sync.aligned.m8n8.x1|x2|x4.trans?.shared|shared::cta?.b16", SECTION, SHARED, matrix::rows)
        .needs("ldmatrix", 7, 5),
    group!("of up to 64 columns", FLOAT.times(16), 1..=64),
    group!("of up to 128 columns", FLOAT.times(32), 65..=128),
    group!("of more columns", FLOAT.times(64), 129..=256),
    Row::other("wgmma.fence|commit_group|wait_group.sync.aligned", GROUP, OTHER, group::order).needs("wgmma", 9, 0),
    // As it is written by hand sometimes.
    Row::other("ldmatrix.sync.aligned.x1|x2|x4.trans?.m8n8.shared|shared::cta?.b16", SECTION, SHARED, matrix::rows)
        .needs("ldmatrix", 7, 5),
    Row::other("stmatrix.sync.aligned.m8n8.x1|x2|x4.trans?.shared|shared::cta?.b16", SECTION, SHARED, matrix::rows)
        .needs("stmatrix", 9, 0),
];
