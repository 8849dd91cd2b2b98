//! Rows of matrix instructions. They have no unit of their own. What they cost is an estimate by NVIDIA's white papers: a tensor core of
//! the A100 multiplies 256 pairs of f16 a cycle, of the H100 512, of tf32 half as many, and the float unit beside it takes 2 cycles for a
//! warp on the A100 and 1 on the H100.

use super::{FLOAT, Row};
use crate::class::{Class, Cost};
use crate::program::lower::matrix;

const SECTION: &str = "Warp Level Matrix Multiply-Accumulate Instructions";
const SHARED: Cost = Cost::of(Class::Shared);

const PRODUCT: &str = "a product of matrices";

const K4: Cost = FLOAT.times(2);
const K8: Cost = FLOAT.times(2);
const K16: Cost = FLOAT.times(4);

pub(super) static ROWS: &[Row] = &[
    Row::other("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", SECTION, K8, matrix::product).needs(PRODUCT, 7, 5),
    Row::other("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", SECTION, K8, matrix::product).needs(PRODUCT, 7, 5),
    Row::other("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", SECTION, K8, matrix::product).needs(PRODUCT, 8, 0),
    Row::other("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", SECTION, K16, matrix::product).needs(PRODUCT, 8, 0),
    Row::other("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", SECTION, K16, matrix::product).needs(PRODUCT, 8, 0),
    Row::other("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", SECTION, K16, matrix::product)
        .needs(PRODUCT, 8, 0),
    Row::other("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", SECTION, K4, matrix::product).needs(PRODUCT, 8, 0),
    Row::other("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", SECTION, K16, matrix::product)
        .needs(PRODUCT, 8, 0),
    Row::other("ldmatrix.sync.aligned.m8n8.x1|x2|x4.trans?.shared|shared::cta.b16", SECTION, SHARED, matrix::rows)
        .needs("ldmatrix", 7, 5),
    Row::other("stmatrix.sync.aligned.m8n8.x1|x2|x4.trans?.shared|shared::cta.b16", SECTION, SHARED, matrix::rows)
        .needs("stmatrix", 9, 0),
];
