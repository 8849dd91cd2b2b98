"""Compiles kernels in Numba's Python to PTX: numba_kernels.py OUT"""

import math
import os
import sys

from numba import cuda, float32, float64, int32, int64, uint8, uint32, void

OUT = sys.argv[1]
os.makedirs(OUT, exist_ok=True)
KERNELS = []


def kernel(*signatures, **options):
    def register(function):
        KERNELS.extend((function, signature, options) for signature in signatures)
        return function

    return register


F1, F2, F3, D1, D2, I1, U1, B2 = float32[:], float32[:, :], float32[:, :, :], float64[:], float64[:, :], int32[:], uint32[:], uint8[:, :]


@kernel(void(F1, F1, F1), void(D1, D1, D1), void(I1, I1, I1))
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@kernel(void(float32, F1, F1), void(float64, D1, D1))
def saxpy(a, x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[i] += a * x[i]


@kernel(void(F2, F2, F2), void(D2, D2, D2))
def matmul(a, b, c):
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@kernel(void(F2, F2, F2))
def matmul_shared(a, b, c):
    sa = cuda.shared.array((16, 16), float32)
    sb = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0.0)
    for t in range((a.shape[1] + 15) // 16):
        sa[ty, tx] = 0
        sb[ty, tx] = 0
        if y < a.shape[0] and tx + t * 16 < a.shape[1]:
            sa[ty, tx] = a[y, tx + t * 16]
        if x < b.shape[1] and ty + t * 16 < b.shape[0]:
            sb[ty, tx] = b[ty + t * 16, x]
        cuda.syncthreads()
        for k in range(16):
            total += sa[ty, k] * sb[k, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


@kernel(void(F1, F1), void(D1, D1))
def block_sum(x, out):
    s = cuda.shared.array(0, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = cuda.blockDim.x // 2
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, s[0])


@kernel(void(I1, I1), void(U1, I1))
def histogram(keys, bins):
    i = cuda.grid(1)
    if i < keys.size:
        cuda.atomic.add(bins, keys[i] % bins.size, 1)


@kernel(void(F1, F1), void(D1, D1))
def atomic_extrema(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.max(out, 0, x[i])
        cuda.atomic.min(out, 1, x[i])


@kernel(void(I1, I1))
def atomic_bits(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.or_(out, 0, x[i])
        cuda.atomic.xor(out, 1, x[i])
        cuda.atomic.and_(out, 2, x[i])
        cuda.atomic.exch(out, 3, x[i])
        cuda.atomic.cas(out, 4, 0, x[i])


@kernel(void(F1, F1, F1, F1, F1), void(D1, D1, D1, D1, D1))
def black_scholes(call, put, price, strike, years):
    i = cuda.grid(1)
    if i >= call.size:
        return
    s, x, t = price[i], strike[i], years[i]
    root = math.sqrt(t)
    d1 = (math.log(s / x) + 0.065 * t) / (0.3 * root)
    d2 = d1 - 0.3 * root
    c1 = 0.5 * (1.0 + math.erf(d1 / 1.4142135))
    c2 = 0.5 * (1.0 + math.erf(d2 / 1.4142135))
    later = x * math.exp(-0.02 * t)
    call[i] = s * c1 - later * c2
    put[i] = later * (1.0 - c2) - s * (1.0 - c1)


@kernel(void(B2, int32), fastmath=True)
def mandelbrot(image, most):
    x, y = cuda.grid(2)
    if x >= image.shape[1] or y >= image.shape[0]:
        return
    c = complex(-2.0 + 3.0 * x / image.shape[1], -1.0 + 2.0 * y / image.shape[0])
    z = 0j
    n = 0
    while n < most and z.real * z.real + z.imag * z.imag < 4.0:
        z = z * z + c
        n += 1
    image[y, x] = n


@kernel(void(F2, F2), void(D2, D2))
def jacobi(a, b):
    i, j = cuda.grid(2)
    if 0 < i < a.shape[0] - 1 and 0 < j < a.shape[1] - 1:
        b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


@kernel(void(F3, F3))
def stencil_3d(a, b):
    i, j, k = cuda.grid(3)
    if 0 < i < a.shape[0] - 1 and 0 < j < a.shape[1] - 1 and 0 < k < a.shape[2] - 1:
        b[i, j, k] = a[i - 1, j, k] + a[i + 1, j, k] + a[i, j - 1, k] + a[i, j + 1, k] + a[i, j, k - 1] + a[i, j, k + 1] - 6 * a[i, j, k]


@kernel(void(F1, F1))
def warp_sum(x, out):
    i = cuda.grid(1)
    value = x[i]
    for offset in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
    if cuda.laneid == 0:
        out[i // 32] = value


@kernel(void(I1, I1))
def votes(x, out):
    i = cuda.grid(1)
    positive = x[i] > 0
    ballot = cuda.ballot_sync(0xFFFFFFFF, positive)
    out[i] = cuda.popc(ballot) + cuda.all_sync(0xFFFFFFFF, positive) + cuda.any_sync(0xFFFFFFFF, positive) + cuda.clz(ballot) + cuda.ffs(ballot)


@kernel(void(F1, F1), void(D1, D1))
def functions(x, out):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        out[i] = (math.sin(v) + math.cos(v) + math.tan(v) + math.exp(v) + math.log(v) + math.sqrt(v) + math.tanh(v) + math.atan2(v, 2.0)
                  + math.pow(v, 1.5) + math.gamma(v) + math.erf(v) + math.floor(v) + math.ceil(v) + math.hypot(v, 1.0) + math.fmod(v, 0.3)
                  + math.asin(v) + math.acosh(v) + math.log1p(v) + math.expm1(v) + math.lgamma(v) + math.erfc(v))


@kernel(void(F1, I1, I1, F1, F1))
def spmv(values, columns, starts, x, y):
    row = cuda.grid(1)
    if row < y.size:
        total = 0.0
        for j in range(starts[row], starts[row + 1]):
            total += values[j] * x[columns[j]]
        y[row] = total


@kernel(void(F2, F2, I1), void(D2, D2, I1))
def kmeans(points, centres, nearest):
    i = cuda.grid(1)
    if i < points.shape[0]:
        best, least = 0, math.inf
        for c in range(centres.shape[0]):
            total = 0.0
            for d in range(points.shape[1]):
                total += (points[i, d] - centres[c, d]) ** 2
            if total < least:
                best, least = c, total
        nearest[i] = best


@kernel(void(F2, F2), void(D2, D2))
def nbody(position, force):
    i = cuda.grid(1)
    if i >= position.shape[0]:
        return
    mine = cuda.local.array(3, float32)
    for d in range(3):
        mine[d] = 0
    for j in range(position.shape[0]):
        d2 = 0.01
        for d in range(3):
            d2 += (position[j, d] - position[i, d]) ** 2
        inverse = 1.0 / (d2 * math.sqrt(d2))
        for d in range(3):
            mine[d] += (position[j, d] - position[i, d]) * inverse
    for d in range(3):
        force[i, d] = mine[d]


@kernel(void(F2, F2), void(D2, D2))
def transpose(a, b):
    tile = cuda.shared.array((32, 33), float64)
    x, y = cuda.grid(2)
    if x < a.shape[1] and y < a.shape[0]:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = a[y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * 32 + cuda.threadIdx.x
    y = cuda.blockIdx.x * 32 + cuda.threadIdx.y
    if x < b.shape[1] and y < b.shape[0]:
        b[y, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


@kernel(void(I1, int32, int32), void(D1, int32, int32))
def bitonic(x, j, k):
    i = cuda.grid(1)
    other = i ^ j
    if other > i and other < x.size:
        if ((i & k) == 0) == (x[i] > x[other]):
            x[i], x[other] = x[other], x[i]


@kernel(void(I1, I1, I1))
def division(a, b, c):
    i = cuda.grid(1)
    if i < a.size:
        c[i] = a[i] // b[i] + a[i] % b[i] + int(a[i] / b[i])


@kernel(void(F1, float32, int64))
def heat(u, r, steps):
    grid = cuda.cg.this_grid()
    i = cuda.grid(1)
    for _ in range(steps):
        v = u[i]
        if 0 < i < u.size - 1:
            v += r * (u[i - 1] - 2 * u[i] + u[i + 1])
        grid.sync()
        u[i] = v
        grid.sync()


@kernel(void(I1, I1))
def collatz(start, steps):
    i = cuda.grid(1)
    if i < start.size:
        n, count = start[i], 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps[i] = count


@kernel(void(I1))
def fences(x):
    i = cuda.grid(1)
    x[i] = cuda.blockIdx.x
    cuda.threadfence()
    cuda.threadfence_block()
    cuda.syncwarp()
    x[i] += cuda.syncthreads_count(x[i] & 2) + cuda.syncthreads_or(x[i]) + cuda.syncthreads_and(x[i])
    cuda.nanosleep(100)


def main():
    for place, (function, signature, options) in enumerate(KERNELS):
        name = f"{function.__name__}-{place}"
        for suffix, more in (("", {}), ("-debug", {"debug": True, "opt": False})):
            try:
                ptx, _ = cuda.compile_ptx(function, signature, cc=(9, 0), **options, **more)
            except Exception as error:
                print(f"{name}{suffix}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
                continue
            with open(f"{OUT}/{name}{suffix}.ptx", "w") as file:
                file.write(ptx)


main()
