// Sums of 32-bit floats, from an atomic for every element to the memory's bandwidth: each kernel removes one anti-parallel
// pattern from the one before.
//
// The ladder from reduction_atomic_global to reduction_grid_stride is that of the slides A Study in Reduction; here any
// number of elements will do, and threads of a warp say where they wait for each other.
//
// The sum of a block goes to `sums`: added to its only element, which a launch before has zeroed; or stored in the block's own
// element, for another launch to sum these, where floats have no atomics. blockDim.x is a power of two from 64 on.

#define LANES 32
#define ALL_LANES 0xffffffffu

// Inline PTX, because the compiler may combine the lanes of an atomicAdd by itself.
__device__ __forceinline__ void add_global(float *sum, float value) {
    asm volatile("red.global.add.f32 [%0], %1;" : : "l"(__cvta_generic_to_global(sum)), "f"(value) : "memory");
}

__device__ __forceinline__ void add_shared(float *sum, float value) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(sum));
    asm volatile("red.shared.add.f32 [%0], %1;" : : "r"(address), "f"(value) : "memory");
}

template <bool IS_ADDED>
__device__ __forceinline__ void hand_over(float *sums, float sum) {
    if (IS_ADDED) {
        add_global(sums, sum);
    } else {
        sums[blockIdx.x] = sum;
    }
}

extern "C" __global__ void reduction_zero(float *sum) {
    *sum = 0;
}

// What a thread reads.

__device__ __forceinline__ float element_or_zero(const float *input, unsigned long long element,
                                                 unsigned long long elements) {
    return element < elements ? input[element] : 0;
}

__device__ __forceinline__ float one_element(const float *input, unsigned long long elements) {
    const unsigned long long block = blockIdx.x;
    return element_or_zero(input, block * blockDim.x + threadIdx.x, elements);
}

__device__ __forceinline__ float two_elements(const float *input, unsigned long long elements) {
    const unsigned long long element = 2ull * blockIdx.x * blockDim.x + threadIdx.x;
    return element_or_zero(input, element, elements) + element_or_zero(input, element + blockDim.x, elements);
}

// One atomic for every element, all on the same word.
extern "C" __global__ void reduction_atomic_global(const float *input, float *sums, unsigned long long elements) {
    const unsigned long long element = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (element < elements) add_global(sums, input[element]);
}

// A word of shared memory for each block, and one atomic on global memory.
extern "C" __global__ void reduction_atomic_shared(const float *input, float *sums, unsigned long long elements) {
    __shared__ float sum;
    const unsigned long long element = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const float value = element_or_zero(input, element, elements);
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    add_shared(&sum, value);
    __syncthreads();
    if (threadIdx.x == 0) add_global(sums, sum);
}

// Trees in shared memory.

// A word for each thread.
extern __shared__ float places[];

// The thread adds in whose own place the sum is: fewer and fewer lanes of every warp.
template <bool IS_ADDED>
__device__ __forceinline__ void shared_divergent(const float *input, float *sums, unsigned long long elements) {
    const unsigned thread = threadIdx.x;
    places[thread] = one_element(input, elements);
    __syncthreads();
#pragma unroll 1
    for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
        if (thread % (2 * distance) == 0) places[thread] += places[thread + distance];
        __syncthreads();
    }
    if (thread == 0) hand_over<IS_ADDED>(sums, places[0]);
}

// The first threads add, so whole warps are idle; but their places are 2, 4, 8, ... words apart.
template <bool IS_ADDED>
__device__ __forceinline__ void shared_strided(const float *input, float *sums, unsigned long long elements) {
    const unsigned thread = threadIdx.x;
    places[thread] = one_element(input, elements);
    __syncthreads();
#pragma unroll 1
    for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
        const unsigned place = 2 * distance * thread;
        if (place < blockDim.x) places[place] += places[place + distance];
        __syncthreads();
    }
    if (thread == 0) hand_over<IS_ADDED>(sums, places[0]);
}

// The first threads add the upper half of the places to the lower: neighbouring lanes have neighbouring places. Stops when
// `last` sums are left.
__device__ __forceinline__ void halve_places(unsigned last) {
#pragma unroll 1
    for (unsigned half = blockDim.x / 2; half >= last; half /= 2) {
        if (threadIdx.x < half) places[threadIdx.x] += places[threadIdx.x + half];
        __syncthreads();
    }
}

template <bool IS_ADDED>
__device__ __forceinline__ void shared_sequential(const float *input, float *sums, unsigned long long elements) {
    places[threadIdx.x] = one_element(input, elements);
    __syncthreads();
    halve_places(1);
    if (threadIdx.x == 0) hand_over<IS_ADDED>(sums, places[0]);
}

// Each thread adds two elements before the tree begins, so all threads add at least once.
template <bool IS_ADDED>
__device__ __forceinline__ void dual_load(const float *input, float *sums, unsigned long long elements) {
    places[threadIdx.x] = two_elements(input, elements);
    __syncthreads();
    halve_places(1);
    if (threadIdx.x == 0) hand_over<IS_ADDED>(sums, places[0]);
}

// The last 64 sums by one warp, without barriers of the block. Lanes are not in step by themselves from compute capability 7
// on, so in each step they wait for each other between reading and writing, and after it. Where a warp is whole, ptxas makes
// that 12 instructions that do nothing (sm_90); volatile places, as in the slides, take 5 more loads than this.
__device__ __forceinline__ void sum_last_places() {
    const unsigned lane = threadIdx.x;
    float sum = places[lane];
#pragma unroll
    for (unsigned half = LANES; half > 0; half /= 2) {
        sum += places[lane + half];
        __syncwarp();
        places[lane] = sum;
        __syncwarp();
    }
}

template <bool IS_ADDED>
__device__ __forceinline__ void unrolled_last_warp(const float *input, float *sums, unsigned long long elements) {
    places[threadIdx.x] = two_elements(input, elements);
    __syncthreads();
    halve_places(2 * LANES);
    if (threadIdx.x < LANES) sum_last_places();
    if (threadIdx.x == 0) hand_over<IS_ADDED>(sums, places[0]);
}

// The same steps as halve_places, for a block of known size: no loop is left.
template <unsigned BLOCK>
__device__ __forceinline__ void halve_known_places() {
#pragma unroll
    for (unsigned half = BLOCK / 2; half >= 2 * LANES; half /= 2) {
        if (threadIdx.x < half) places[threadIdx.x] += places[threadIdx.x + half];
        __syncthreads();
    }
}

__device__ __forceinline__ float sum_of_warp(float value) {
#pragma unroll
    for (unsigned distance = LANES / 2; distance > 0; distance /= 2) {
        value += __shfl_down_sync(ALL_LANES, value, distance);
    }
    return value;
}

// The last 64 sums by one warp, in registers; the sum is lane 0's.
__device__ __forceinline__ float sum_last_places_in_registers() {
    return sum_of_warp(places[threadIdx.x] + places[threadIdx.x + LANES]);
}

template <unsigned BLOCK, bool IS_ADDED>
__device__ __forceinline__ void unrolled_all(const float *input, float *sums, unsigned long long elements) {
    places[threadIdx.x] = two_elements(input, elements);
    __syncthreads();
    halve_known_places<BLOCK>();
    if (threadIdx.x < LANES) sum_last_places();
    if (threadIdx.x == 0) hand_over<IS_ADDED>(sums, places[0]);
}

template <unsigned BLOCK>
__device__ __forceinline__ void finish_by_shuffles(float value, float *sums) {
    places[threadIdx.x] = value;
    __syncthreads();
    halve_known_places<BLOCK>();
    if (threadIdx.x >= LANES) return;
    const float sum = sum_last_places_in_registers();
    if (threadIdx.x == 0) add_global(sums, sum);
}

template <unsigned BLOCK>
__device__ __forceinline__ void warp_shuffle(const float *input, float *sums, unsigned long long elements) {
    finish_by_shuffles<BLOCK>(two_elements(input, elements), sums);
}

// Blocks stay, and go through the elements in turns: a grid of them at a time.
template <unsigned BLOCK>
__device__ __forceinline__ void grid_stride(const float *input, float *sums, unsigned long long elements) {
    const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * BLOCK;
    float value = 0;
#pragma unroll 1
    for (unsigned long long element = blockIdx.x * BLOCK + threadIdx.x; element < elements; element += stride) {
        value += input[element];
    }
    finish_by_shuffles<BLOCK>(value, sums);
}

#define KERNEL(NAME, FUNCTION)                                                                                          \
    extern "C" __global__ void reduction_##NAME(const float *input, float *sums, unsigned long long elements) {          \
        FUNCTION(input, sums, elements);                                                                                \
    }

#define TREE(NAME)                                                                                                      \
    KERNEL(NAME, NAME<true>)                                                                                            \
    KERNEL(NAME##_stored, NAME<false>)

TREE(shared_divergent)
TREE(shared_strided)
TREE(shared_sequential)
TREE(dual_load)
TREE(unrolled_last_warp)

#define FOR_BLOCK(BLOCK)                                                                                                \
    KERNEL(unrolled_all_##BLOCK, (unrolled_all<BLOCK, true>))                                                           \
    KERNEL(unrolled_all_stored_##BLOCK, (unrolled_all<BLOCK, false>))                                                   \
    KERNEL(warp_shuffle_##BLOCK, warp_shuffle<BLOCK>)                                                                   \
    KERNEL(grid_stride_##BLOCK, grid_stride<BLOCK>)

FOR_BLOCK(64)
FOR_BLOCK(128)
FOR_BLOCK(256)
FOR_BLOCK(512)
FOR_BLOCK(1024)

// Beyond the slides. LOADS loads of 16 bytes are on their way for each thread before the first is waited for; the warps' sums
// meet once in shared memory. blockDim.x is a multiple of 32. `input` begins at a multiple of 16 bytes.

__device__ __forceinline__ float4 streamed(const float4 *vector) {
    return __ldcs(vector);
}

__device__ __forceinline__ void add(float4 &sum, float4 value) {
    sum.x += value.x;
    sum.y += value.y;
    sum.z += value.z;
    sum.w += value.w;
}

// What a thread adds up of all elements. A tile is LOADS vectors for each thread of a block; blocks take tiles in turns.
template <unsigned LOADS>
__device__ __forceinline__ float sum_of_vectors(const float *input, unsigned long long elements) {
    const float4 *vectors = reinterpret_cast<const float4 *>(input);
    const unsigned long long count = elements / 4;
    const unsigned long long tile = LOADS * blockDim.x;
    const unsigned long long stride = gridDim.x * tile;
    unsigned long long first = blockIdx.x * tile;
    float4 sum = {0, 0, 0, 0};
#pragma unroll 1
    for (; first + tile <= count; first += stride) {
        float4 values[LOADS];
#pragma unroll
        for (unsigned load = 0; load < LOADS; ++load) {
            values[load] = streamed(vectors + first + load * blockDim.x + threadIdx.x);
        }
#pragma unroll
        for (unsigned load = 0; load < LOADS; ++load) add(sum, values[load]);
    }
    // One block has the tile that is not full: its loads are on their way together, too.
    if (first < count) {
        float4 values[LOADS];
#pragma unroll
        for (unsigned load = 0; load < LOADS; ++load) {
            const unsigned long long vector = first + load * blockDim.x + threadIdx.x;
            values[load] = vector < count ? streamed(vectors + vector) : float4{0, 0, 0, 0};
        }
#pragma unroll
        for (unsigned load = 0; load < LOADS; ++load) add(sum, values[load]);
    }
    float value = (sum.x + sum.y) + (sum.z + sum.w);
    const unsigned long long rest = 4 * count + threadIdx.x;
    if (blockIdx.x == 0 && rest < elements) value += input[rest];
    return value;
}

// The sum over the block, in thread 0. All threads of the block come here.
__device__ __forceinline__ float sum_of_block(float value) {
    __shared__ float of_warps[LANES];
    const unsigned lane = threadIdx.x % LANES;
    value = sum_of_warp(value);
    if (lane == 0) of_warps[threadIdx.x / LANES] = value;
    __syncthreads();
    if (threadIdx.x >= LANES) return 0;
    return sum_of_warp(lane < blockDim.x / LANES ? of_warps[lane] : 0);
}

template <unsigned LOADS>
__device__ __forceinline__ void vectorised(const float *input, float *sums, unsigned long long elements) {
    const float sum = sum_of_block(sum_of_vectors<LOADS>(input, elements));
    if (threadIdx.x == 0) add_global(sums, sum);
}

// The block that comes last sums what the blocks have left, so that no other launch is needed. `ticket` is 0 before, and
// again afterwards.
template <unsigned LOADS>
__device__ __forceinline__ void one_launch(const float *input, float *result, unsigned long long elements,
                                           float *of_blocks, unsigned *ticket) {
    __shared__ bool is_last;
    float sum = sum_of_block(sum_of_vectors<LOADS>(input, elements));
    // Of few elements one block has all: it waits for no other.
    if (gridDim.x == 1) {
        if (threadIdx.x == 0) *result = sum;
        return;
    }
    if (threadIdx.x == 0) {
        of_blocks[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        if (is_last) __threadfence();
    }
    __syncthreads();
    if (!is_last) return;
    sum = 0;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) sum += __ldcg(of_blocks + block);
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) *result = sum;
}

#define FOR_LOADS(LOADS)                                                                                                \
    KERNEL(vectorised_##LOADS, vectorised<LOADS>)                                                                       \
    extern "C" __global__ void reduction_one_launch_##LOADS(const float *input, float *result,                           \
                                                            unsigned long long elements, float *of_blocks,               \
                                                            unsigned *ticket) {                                          \
        one_launch<LOADS>(input, result, elements, of_blocks, ticket);                                                  \
    }

FOR_LOADS(1)
FOR_LOADS(2)
FOR_LOADS(4)
FOR_LOADS(8)
FOR_LOADS(16)
