// Kernels over CUDA's own headers: cooperative groups, pipelines, barriers, half precisions, atomics and fences of libcu++, CUB's block and
// warp collectives, and the generators of cuRAND. Nothing here is run.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/cub.cuh>
#include <cuComplex.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <curand_kernel.h>
#include <mma.h>

namespace cg = cooperative_groups;

__global__ void tile_reduce(const int *in, int *out)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int sum = cg::reduce(tile, in[cg::this_grid().thread_rank()], cg::plus<int>());
    if (tile.thread_rank() == 0)
        atomicAdd(out, sum);
}

__global__ void tile_scan(const float *in, float *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    auto i = cg::this_grid().thread_rank();
    out[i] = cg::exclusive_scan(tile, in[i]) + cg::inclusive_scan(tile, in[i], cg::greater<float>());
}

__global__ void coalesced(int *counter, int *out)
{
    if (threadIdx.x % 3 == 0) {
        auto active = cg::coalesced_threads();
        int first = 0;
        if (active.thread_rank() == 0)
            first = atomicAdd(counter, active.size());
        out[threadIdx.x] = active.shfl(first, 0) + active.thread_rank();
    }
}

__global__ void labelled(const int *keys, int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto same = cg::labeled_partition(warp, keys[threadIdx.x] % 4);
    out[threadIdx.x] = cg::reduce(same, keys[threadIdx.x], cg::less<int>());
    auto half = cg::binary_partition(warp, keys[threadIdx.x] > 2);
    out[threadIdx.x] += half.size();
}

__global__ void whole_grid(int *data, int n)
{
    auto grid = cg::this_grid();
    for (int step = 0; step < 3; step++) {
        for (auto i = grid.thread_rank(); i < n; i += grid.size())
            data[i] += data[(i + 1) % n];
        grid.sync();
    }
}

__global__ void __cluster_dims__(2) clusters(int *data)
{
    __shared__ int mine;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        mine = data[cluster.block_rank()];
    cluster.sync();
    data[blockIdx.x] = *cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
    cluster.sync();
}

__global__ void group_copy(const float *in, float *out)
{
    __shared__ float tile[256];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + blockIdx.x * 256, sizeof(tile));
    cg::wait(block);
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void pipelined(const float4 *in, float4 *out, int batches)
{
    __shared__ float4 stage[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int compute = 0, fetch = 0; compute < batches; compute++) {
        for (; fetch < batches && fetch < compute + 2; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[fetch % 2], in + fetch * 64, sizeof(stage[0]), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[compute * 64 + threadIdx.x % 64] = stage[compute % 2][63 - threadIdx.x % 64];
        pipe.consumer_release();
    }
}

__global__ void barriers(int *data)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    data[threadIdx.x] += 1;
    auto token = barrier.arrive();
    data[threadIdx.x + 64] += 2;
    barrier.wait(std::move(token));
    data[threadIdx.x] += data[64 + (threadIdx.x + 1) % 64];
}

__global__ void atomics(int *words, unsigned long long *longs, float *floats, double *doubles)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> word(*words);
    word.fetch_add(1, cuda::memory_order_relaxed);
    word.fetch_max(7, cuda::memory_order_acq_rel);
    int expected = 3;
    word.compare_exchange_strong(expected, 4);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> wide(*longs);
    wide.fetch_xor(5);
    wide.store(wide.load(cuda::memory_order_acquire) + 1, cuda::memory_order_release);
    cuda::atomic_ref<float, cuda::thread_scope_block>(*floats).fetch_add(0.5f);
    cuda::atomic_ref<double>(*doubles).fetch_sub(0.5);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    atomicInc(reinterpret_cast<unsigned *>(words) + 1, 9);
    atomicDec(reinterpret_cast<unsigned *>(words) + 2, 9);
    atomicAdd_block(words + 3, 1);
    atomicCAS(longs + 1, 1ull, 2ull);
    atomicAdd(reinterpret_cast<__half2 *>(floats) + 1, __float2half2_rn(1.0f));
    atomicAdd(reinterpret_cast<__nv_bfloat162 *>(floats) + 2, __float2bfloat162_rn(1.0f));
}

__global__ void halves(const __half2 *a, const __half2 *b, __half2 *c)
{
    int i = threadIdx.x;
    c[i] = __hfma2(a[i], b[i], h2exp2(a[i])) + h2sqrt(b[i]) + __hmax2(a[i], b[i]) + h2tanh(a[i]) + h2sin(b[i]) + __hfma2_relu(a[i], b[i], c[i]);
    if (__hbgt2(a[i], b[i]))
        c[i] = h2rcp(c[i]);
}

__global__ void brain_floats(const __nv_bfloat16 *a, __nv_bfloat16 *b, float *c)
{
    int i = threadIdx.x;
    b[i] = hexp(a[i]) * a[i] + hlog(a[i]) + hrsqrt(a[i]);
    c[i] = __bfloat162float(b[i]);
}

__global__ void eighths(const __nv_fp8_e4m3 *a, const __nv_fp8_e5m2 *b, float *c, __nv_fp8_e4m3 *d)
{
    int i = threadIdx.x;
    c[i] = float(a[i]) * float(b[i]);
    d[i] = __nv_fp8_e4m3(c[i]);
}

__global__ void complex_numbers(const cuDoubleComplex *a, const cuFloatComplex *b, double *c)
{
    cuDoubleComplex z = cuCdiv(cuCmul(a[threadIdx.x], a[0]), a[1]);
    c[threadIdx.x] = cuCabs(z) + cuCabsf(cuCaddf(b[threadIdx.x], b[0]));
}

template <class A, class C>
__device__ void multiply_matrices(const A *a, const A *b, C *c)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, A, row_major> fa;
    fragment<matrix_b, 16, 16, 16, A, col_major> fb;
    fragment<accumulator, 16, 16, 16, C> fc;
    fill_fragment(fc, C(0));
    for (int k = 0; k < 64; k += 16) {
        load_matrix_sync(fa, a + k, 64);
        load_matrix_sync(fb, b + k, 64);
        mma_sync(fc, fa, fb, fc);
    }
    store_matrix_sync(c, fc, 16, mem_row_major);
}
__global__ void wmma_half(const __half *a, const __half *b, float *c) { multiply_matrices(a, b, c); }
__global__ void wmma_half_half(const __half *a, const __half *b, __half *c) { multiply_matrices(a, b, c); }
__global__ void wmma_bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c) { multiply_matrices(a, b, c); }
__global__ void wmma_int(const signed char *a, const signed char *b, int *c) { multiply_matrices(a, b, c); }

template <class Collective, class Use>
__device__ void collective(Use use)
{
    __shared__ typename Collective::TempStorage storage;
    use(Collective(storage));
}
__global__ void block_radix_sort(int *data)
{
    int keys[4];
    cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_VECTORIZE>().Load(data + blockIdx.x * 256, keys);
    collective<cub::BlockRadixSort<int, 64, 4>>([&](auto sort) { sort.Sort(keys); });
    __syncthreads();
    collective<cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_TRANSPOSE>>([&](auto store) { store.Store(data + blockIdx.x * 256, keys); });
}
__global__ void block_scan(float *data)
{
    float value = data[threadIdx.x], total;
    collective<cub::BlockScan<float, 64, cub::BLOCK_SCAN_WARP_SCANS>>([&](auto scan) { scan.ExclusiveSum(value, value, total); });
    data[threadIdx.x] = value + total;
}
__global__ void block_histogram(const unsigned char *data, unsigned *bins)
{
    __shared__ unsigned counts[256];
    unsigned char items[4];
    cub::LoadDirectStriped<64>(threadIdx.x, data, items);
    collective<cub::BlockHistogram<unsigned char, 64, 4, 256, cub::BLOCK_HISTO_SORT>>([&](auto histogram) { histogram.Histogram(items, counts); });
    __syncthreads();
    bins[threadIdx.x] = counts[threadIdx.x];
}
__global__ void warp_collectives(double *data)
{
    double value = data[threadIdx.x];
    collective<cub::WarpReduce<double>>([&](auto reduce) { value += reduce.Sum(value); });
    collective<cub::WarpScan<double>>([&](auto scan) { scan.InclusiveSum(value, value); });
    data[threadIdx.x] = value;
}
__global__ void warp_merge_sort(unsigned long long *data)
{
    unsigned long long keys[2] = {data[threadIdx.x], data[threadIdx.x + 64]};
    collective<cub::WarpMergeSort<unsigned long long, 2>>([&](auto sort) { sort.Sort(keys, [](auto a, auto b) { return a < b; }); });
    data[threadIdx.x] = keys[0] + keys[1];
}

template <class State, class... Start>
__device__ void generate(float *out, double *doubles, unsigned *whole, Start... start)
{
    State state;
    curand_init(start..., &state);
    out[threadIdx.x] = curand_uniform(&state) + curand_normal(&state) + curand_log_normal(&state, 0.0f, 1.0f);
    doubles[threadIdx.x] = curand_uniform_double(&state) + curand_normal_double(&state);
    whole[threadIdx.x] = curand(&state) + curand_poisson(&state, 3.0);
}
__global__ void xorwow(float *a, double *b, unsigned *c) { generate<curandStateXORWOW_t>(a, b, c, 1234ull, (unsigned long long)threadIdx.x, 0ull); }
__global__ void mrg32k3a(float *a, double *b, unsigned *c) { generate<curandStateMRG32k3a_t>(a, b, c, 1234ull, (unsigned long long)threadIdx.x, 0ull); }
__global__ void philox(float *a, double *b, unsigned *c) { generate<curandStatePhilox4_32_10_t>(a, b, c, 1234ull, (unsigned long long)threadIdx.x, 0ull); }

__global__ void single_functions(const float *x, float *y)
{
    float v = x[threadIdx.x];
    y[threadIdx.x] = sinf(v) + cosf(v) + tanf(v) + asinf(v) + acosf(v) + atan2f(v, 2) + sinhf(v) + coshf(v) + tanhf(v) + expf(v) + exp10f(v)
        + logf(v) + log10f(v) + powf(v, 1.7f) + cbrtf(v) + erff(v) + erfcinvf(v) + lgammaf(v) + tgammaf(v) + j0f(v) + y1f(v) + fmodf(v, 0.3f)
        + remainderf(v, 0.4f) + hypotf(v, 1) + rhypotf(v, 2) + sinpif(v) + normcdff(v) + ldexpf(v, 3) + nextafterf(v, 9) + roundf(v) + scalbnf(v, 2)
        + norm3df(v, 1, 2) + __fdividef(v, 3) + __saturatef(v) + ilogbf(v) + cyl_bessel_i0f(v);
}
__global__ void double_functions(const double *x, double *y)
{
    double v = x[threadIdx.x];
    y[threadIdx.x] = sin(v) + cos(v) + tan(v) + asin(v) + acos(v) + ::atan2(v, 2.0) + sinh(v) + cosh(v) + tanh(v) + exp(v) + exp10(v) + log(v) + log10(v)
        + pow(v, 1.7) + cbrt(v) + erf(v) + erfcinv(v) + lgamma(v) + tgamma(v) + j0(v) + y1(v) + fmod(v, 0.3) + ::remainder(v, 0.4) + ::hypot(v, 1.0)
        + rhypot(v, 2.0) + sinpi(v) + normcdf(v) + ldexp(v, 3) + ::nextafter(v, 9.0) + round(v) + rsqrt(v) + fma(v, v, v) + __ddiv_ru(v, 3.0);
}
__global__ void integer_functions(const int *x, const long long *y, int *z)
{
    int v = x[threadIdx.x];
    long long w = y[threadIdx.x];
    z[threadIdx.x] = __popc(v) + __clz(v) + __ffs(v) + __brev(v) + __byte_perm(v, 7, 0x3210) + __sad(v, 3, 4) + __mulhi(v, v) + __umulhi(v, 9) + __dp4a(v, 5, 6)
        + __vadd4(v, 3) + __vabsdiffu4(v, 9) + __vcmpgtu2(v, 8) + __vmaxs2(v, 2) + __funnelshift_l(v, 3, 5) + __popcll(w) + __clzll(w) + __ffsll(w)
        + int(__mul64hi(w, w)) + int(w / 7) + int(w % (v | 1)) + v / (int(w) | 1) + __hadd(v, 3) + __rhadd(v, 4) + __dp2a_lo(v, 3, 4) + __reduce_add_sync(~0u, v)
        + __match_any_sync(~0u, v) + __activemask();
}
__global__ void texture_reads(cudaTextureObject_t texture, float *out)
{
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x * 0.5f, 0.5f) + tex1Dfetch<float>(texture, threadIdx.x);
}
__global__ void surface_writes(cudaSurfaceObject_t surface) { surf2Dwrite(threadIdx.x * 1.0f, surface, threadIdx.x * 4, 0); }
__device__ int recursion(int n) { return n < 2 ? n : recursion(n - 1) + recursion(n - 2); }
__global__ void recursive(int *out) { out[threadIdx.x] = recursion(threadIdx.x % 8); }
struct Shape {
    __device__ virtual float area() const = 0;
};
struct Square : Shape {
    float side;
    __device__ explicit Square(float side) : side(side) {}
    __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
    float radius;
    __device__ explicit Circle(float radius) : radius(radius) {}
    __device__ float area() const override { return 3.14159f * radius * radius; }
};
__global__ void virtual_calls(float *out)
{
    Shape *shape = threadIdx.x % 2 ? static_cast<Shape *>(new Square(threadIdx.x)) : new Circle(threadIdx.x);
    out[threadIdx.x] = shape->area();
    delete shape;
}
__global__ void prints_and_asserts(const int *in)
{
    if (in[threadIdx.x] < 0)
        printf("%d of %s: %f\n", in[threadIdx.x], "a kernel", 1.0);
    assert(in[threadIdx.x] < 1000);
}
