// The trapezoid rule: how should a hundred thousand threads add to one number?
//
// f(x) = x^2 + 1 is integrated from a on, with one thread for each trapezoid, each h wide. Thread i contributes the
// ordinate h f(a + i h) between trapezoid i - 1 and its own; the ordinates at both ends count half, and are what the
// integral begins with. Terms are rounded after every operation, so that src/family/trapezoid/reference.rs computes
// the same ones.
//
// Blocks are whole warps; threads beyond the last trapezoid contribute zero.

#define LANES 32
#define ALL_LANES 0xffffffffu

__device__ __forceinline__ float own_term(float a, float h, unsigned trapezoids) {
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index == 0 || index >= trapezoids) return 0.0f;
    const float x = __fadd_rn(a, __fmul_rn(static_cast<float>(index), h));
    return __fmul_rn(h, __fadd_rn(__fmul_rn(x, x), 1.0f));
}

// Inline PTX, so that no compiler combines the lanes of a warp.
__device__ __forceinline__ void add_to(float *integral, float term) {
    asm volatile("red.global.add.f32 [%0], %1;" : : "l"(__cvta_generic_to_global(integral)), "f"(term) : "memory");
}

// The sum of a warp's terms through registers; the first lane has it.
struct Shuffles {
    __device__ __forceinline__ explicit Shuffles(float *) {}

    __device__ __forceinline__ float sum(float term) const {
#pragma unroll
        for (unsigned distance = LANES / 2; distance > 0; distance /= 2) {
            term += __shfl_down_sync(ALL_LANES, term, distance);
        }
        return term;
    }
};

// The sum of a warp's terms through shared memory, by dissemination: every lane adds the sum of the lane that is
// `distance` further, round and round, and in the end each has the sum of all. All lanes have read before any writes
// again, which lanes in lockstep once did without being told to.
struct SharedMemory {
    float *places;

    __device__ __forceinline__ explicit SharedMemory(float *shared) : places(shared + threadIdx.x / LANES * LANES) {}

    __device__ __forceinline__ float sum(float term) const {
        const unsigned lane = threadIdx.x % LANES;
#pragma unroll
        for (unsigned distance = LANES / 2; distance > 0; distance /= 2) {
            places[lane] = term;
            __syncwarp();
            const float other = places[(lane + distance) % LANES];
            __syncwarp();
            term += other;
        }
        return term;
    }
};

// The sum of a block's terms: warps leave theirs in `warp_sums`, a float for each, and the first warp adds these.
// Thread 0 has it.
template <typename OfWarp>
__device__ __forceinline__ float sum_block(float term, OfWarp of_warp, float *warp_sums) {
    const unsigned lane = threadIdx.x % LANES;
    const float own = of_warp.sum(term);
    if (lane == 0) warp_sums[threadIdx.x / LANES] = own;
    __syncthreads();
    float sum = 0.0f;
    if (threadIdx.x < LANES) sum = of_warp.sum(lane < blockDim.x / LANES ? warp_sums[lane] : 0.0f);
    return sum;
}

// Half of the ordinates at both ends. Launched with one thread before every sum by atomics.
extern "C" __global__ void trapezoid_begin(float *integral, float ends) {
    *integral = ends;
}

extern "C" __global__ void trapezoid_atomic_add(float *integral, float a, float h, unsigned trapezoids) {
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < trapezoids) add_to(integral, own_term(a, h, trapezoids));
}

template <typename OfWarp>
__device__ __forceinline__ void add_warps(float *integral, float a, float h, unsigned trapezoids, float *shared) {
    const float sum = OfWarp(shared).sum(own_term(a, h, trapezoids));
    if (threadIdx.x % LANES == 0) add_to(integral, sum);
}

extern "C" __global__ void trapezoid_warp_shuffle(float *integral, float a, float h, unsigned trapezoids) {
    add_warps<Shuffles>(integral, a, h, trapezoids, nullptr);
}

// Shared memory: a float for each thread.
extern "C" __global__ void trapezoid_shared_memory(float *integral, float a, float h, unsigned trapezoids) {
    extern __shared__ float shared[];
    add_warps<SharedMemory>(integral, a, h, trapezoids, shared);
}

// Shared memory: a float for each warp.
extern "C" __global__ void trapezoid_warp_shuffle_many_warps(float *integral, float a, float h, unsigned trapezoids) {
    extern __shared__ float shared[];
    const float sum = sum_block(own_term(a, h, trapezoids), Shuffles(nullptr), shared);
    if (threadIdx.x == 0) add_to(integral, sum);
}

// Shared memory: a float for each thread, then one for each warp.
extern "C" __global__ void trapezoid_shared_memory_many_warps(float *integral, float a, float h, unsigned trapezoids) {
    extern __shared__ float shared[];
    const float sum = sum_block(own_term(a, h, trapezoids), SharedMemory(shared), shared + blockDim.x);
    if (threadIdx.x == 0) add_to(integral, sum);
}

// The sums of blocks, for a second launch to add. Shared memory as above.
extern "C" __global__ void trapezoid_block_sums(float *block_sums, float a, float h, unsigned trapezoids) {
    extern __shared__ float shared[];
    const float sum = sum_block(own_term(a, h, trapezoids), SharedMemory(shared), shared + blockDim.x);
    if (threadIdx.x == 0) block_sums[blockIdx.x] = sum;
}

// Adds the blocks' sums in one block. Shared memory as above.
extern "C" __global__ void trapezoid_add_block_sums(const float *block_sums, float *integral, unsigned blocks, float ends) {
    extern __shared__ float shared[];
    float own = 0.0f;
#pragma unroll 1
    for (unsigned block = threadIdx.x; block < blocks; block += blockDim.x) own += block_sums[block];
    const float sum = sum_block(own, SharedMemory(shared), shared + blockDim.x);
    if (threadIdx.x == 0) *integral = ends + sum;
}
