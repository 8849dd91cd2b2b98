"""Compiles kernels in Triton to PTX: triton_kernels.py OUT"""

import os
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

OUT = sys.argv[1]
os.makedirs(OUT, exist_ok=True)
KERNELS = []


def kernel(*variants):
    """Each variant: the types of the parameters in order, the constants, and the number of warps."""

    def register(function):
        KERNELS.extend((triton.jit(function), variant) for variant in variants)
        return function

    return register


@kernel(("*fp32 *fp32 *fp32 i32", {"BLOCK": 1024}, 4), ("*fp16 *fp16 *fp16 i32", {"BLOCK": 512}, 8), ("*i64 *i64 *i64 i32", {"BLOCK": 128}, 1),
        ("*bf16 *bf16 *bf16 i32", {"BLOCK": 2048}, 4))
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@kernel(("*fp32 *fp32 i32 i32", {"BLOCK": 1024}, 4), ("*fp16 *fp16 i32 i32", {"BLOCK": 4096}, 8))
def softmax(out, x, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + j, mask=j < columns, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * stride + j, e / tl.sum(e, axis=0), mask=j < columns)


@kernel(("*fp32 *fp32 *fp32 *fp32 i32 fp32", {"BLOCK": 1024}, 4), ("*fp16 *fp16 *fp16 *fp16 i32 fp32", {"BLOCK": 2048}, 8))
def layer_norm(x, out, gain, bias, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * columns + j, mask=j < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * columns + j, mask=j < columns, other=0.0).to(tl.float32)
        v = tl.where(j < columns, v - mean, 0.0)
        squares += v * v
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + epsilon)
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        inside = j < columns
        v = tl.load(x + row * columns + j, mask=inside, other=0.0).to(tl.float32)
        tl.store(out + row * columns + j, (v - mean) * scale * tl.load(gain + j, mask=inside) + tl.load(bias + j, mask=inside), mask=inside)


@kernel(("*fp16 *fp16 *fp16 i32 i32 i32", {"M": 64, "N": 64, "K": 32}, 4), ("*fp16 *fp16 *fp16 i32 i32 i32", {"M": 128, "N": 128, "K": 64}, 8),
        ("*fp32 *fp32 *fp32 i32 i32 i32", {"M": 32, "N": 64, "K": 32}, 4), ("*bf16 *bf16 *bf16 i32 i32 i32", {"M": 16, "N": 16, "K": 16}, 1))
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    pa = a + rows[:, None] * k + inner[None, :]
    pb = b + inner[:, None] * n + columns[None, :]
    total = tl.zeros((M, N), dtype=tl.float32)
    for l in range(0, tl.cdiv(k, K)):
        va = tl.load(pa, mask=inner[None, :] < k - l * K, other=0.0)
        vb = tl.load(pb, mask=inner[:, None] < k - l * K, other=0.0)
        total = tl.dot(va, vb, total)
        pa += K
        pb += K * n
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(c.dtype.element_ty), mask=(rows[:, None] < m) & (columns[None, :] < n))


@kernel(("*fp16 *fp16 *fp16 *fp16 i32 fp32", {"M": 64, "N": 64, "D": 64}, 4), ("*bf16 *bf16 *bf16 *bf16 i32 fp32", {"M": 128, "N": 64, "D": 128}, 8))
def attention(q, k, v, out, n, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    d = tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + d[None, :], mask=rows[:, None] < n, other=0.0)
    most = tl.full([M], -float("inf"), tl.float32)
    total = tl.zeros([M], tl.float32)
    result = tl.zeros([M, D], tl.float32)
    for start in range(0, n, N):
        j = start + tl.arange(0, N)
        key = tl.load(k + j[None, :] * D + d[:, None], mask=j[None, :] < n, other=0.0)
        score = tl.where(j[None, :] < n, tl.dot(query, key) * scale, -float("inf"))
        larger = tl.maximum(most, tl.max(score, 1))
        p = tl.exp2(score - larger[:, None])
        old = tl.exp2(most - larger)
        total = total * old + tl.sum(p, 1)
        value = tl.load(v + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        result = result * old[:, None] + tl.dot(p.to(value.dtype), value)
        most = larger
    tl.store(out + rows[:, None] * D + d[None, :], (result / total[:, None]).to(out.dtype.element_ty), mask=rows[:, None] < n)


@kernel(("*fp32 *fp32 i32 fp32 i32", {"BLOCK": 1024}, 4))
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i, mask=i < n) / (1 - p), 0.0), mask=i < n)


@kernel(("*fp32 *fp32 i32", {"BLOCK": 1024}, 4), ("*i32 *i32 i32", {"BLOCK": 2048}, 8), ("*fp64 *fp64 i32", {"BLOCK": 256}, 2))
def total(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0), axis=0))


@kernel(("*fp32 *fp32 i32", {"BLOCK": 1024}, 4), ("*i32 *i32 i32", {"BLOCK": 512}, 4))
def prefix_sum(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i, mask=i < n, other=0), axis=0), mask=i < n)


@kernel(("*fp32 *fp32", {"BLOCK": 256}, 4), ("*i32 *i32", {"BLOCK": 512}, 4))
def sort(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(x + i)))


@kernel(("*i32 *i32 i32", {"BLOCK": 1024, "BINS": 256}, 4))
def histogram(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x + i, mask=i < n, other=0), BINS)
    tl.atomic_add(out + tl.arange(0, BINS), counts)


@kernel(("*i64 *fp32 *fp32 i32", {"BLOCK": 128}, 4), ("*i32 *fp16 *fp16 i32", {"BLOCK": 256}, 4))
def embedding(index, table, out, width, BLOCK: tl.constexpr):
    row = tl.load(index + tl.program_id(0))
    for start in range(0, width, BLOCK):
        j = start + tl.arange(0, BLOCK)
        tl.store(out + tl.program_id(0) * width + j, tl.load(table + row * width + j, mask=j < width), mask=j < width)


@kernel(("*fp32 *fp32 i32 i32", {"B": 32}, 4), ("*fp16 *fp16 i32 i32", {"B": 64}, 4))
def transpose(x, out, m, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + i[:, None] * n + j[None, :], mask=(i[:, None] < m) & (j[None, :] < n))
    tl.store(out + j[:, None] * m + i[None, :], tl.trans(v), mask=(j[:, None] < n) & (i[None, :] < m))


@kernel(("*fp32 *fp32 i32", {"BLOCK": 1024}, 4), ("*bf16 *bf16 i32", {"BLOCK": 1024}, 4))
def activations(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n).to(tl.float32)
    gelu = 0.5 * v * (1 + tl.erf(v * 0.70710678))
    tl.store(out + i, gelu + v * tl.sigmoid(v) + tl.sin(v) * tl.cos(v) + tl.log(tl.abs(v) + 1) + tl.rsqrt(v * v + 1) + tl.floor(v), mask=i < n)


@kernel(("*fp32 *i32 *fp32 i32 i32", {"BLOCK": 1024}, 4))
def cross_entropy(scores, labels, losses, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    v = tl.load(scores + row * stride + j, mask=j < columns, other=-float("inf"))
    most = tl.max(v, 0)
    label = tl.load(labels + row)
    tl.store(losses + row, tl.log(tl.sum(tl.exp(v - most), 0)) + most - tl.load(scores + row * stride + label))


@kernel(("*i8 *fp16 *fp32 i32", {"BLOCK": 1024}, 4), ("*fp8e4nv *fp16 *fp32 i32", {"BLOCK": 1024}, 4), ("*fp8e5 *fp16 *fp32 i32", {"BLOCK": 1024}, 4))
def dequantize(x, out, scale, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, (tl.load(x + i, mask=i < n).to(tl.float32) * tl.load(scale)).to(tl.float16), mask=i < n)


@kernel(("*i32 *i32", {}, 1))
def lock(flag, count):
    while tl.atomic_cas(flag, 0, 1) == 1:
        pass
    tl.store(count, tl.load(count) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(flag, 0)


@kernel(("*fp32 *fp32 *i32 i32", {"BLOCK": 1024}, 4))
def arg_max(x, out, where, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value, index = tl.max(tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=-float("inf")), 0, return_indices=True)
    tl.store(out + tl.program_id(0), value)
    tl.store(where + tl.program_id(0), index)


def main():
    for place, (function, (types, constants, warps)) in enumerate(KERNELS):
        names = list(function.arg_names)
        signature = dict(zip(names, types.split() + ["constexpr"] * len(constants)))
        # Pointers and whole numbers of kernels that are launched are mostly multiples of 16.
        aligned = {(i,): [["tt.divisibility", 16]] for i, kind in enumerate(types.split()) if kind[0] in "*i"}
        for capability in (80, 90):
            name = f"{function.__name__}-{place}.sm{capability}"
            try:
                source = ASTSource(function, signature, constants, aligned)
                made = triton.compile(source, target=GPUTarget("cuda", capability, 32), options={"num_warps": warps})
                text = made.asm["ptx"]
            except Exception as error:
                print(f"{name}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
                continue
            with open(f"{OUT}/{name}.ptx", "w") as file:
                file.write(text)


main()
