// Atomics: what it costs that many threads add to the same word.
//
// Element e adds its weight to one of a power of two of counters: number (e >> element_shift) & counter_mask, so a warp's
// 32 neighbouring elements go to different counters (shift 0) or all to one (shift 5). Numbers and weights are computed,
// not read, so nothing but atomics asks anything of memory. A weight depends on the warp's elements together, so that lanes
// at the same counter can be combined by their number.
//
// The atomics are inline PTX, because the compiler may combine the lanes of an atomicAdd by itself.
// src/family/atomics/reference.rs computes the same on the host.

#define LANES 32

__device__ __forceinline__ unsigned weight_of(unsigned element) {
    return element / LANES * 2654435761u + 1;
}

__device__ __forceinline__ void add_global(unsigned *counter, unsigned weight) {
    asm volatile("red.global.add.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(counter)), "r"(weight) : "memory");
}

__device__ __forceinline__ void add_shared(unsigned *counter, unsigned weight) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(counter));
    asm volatile("red.shared.add.u32 [%0], %1;" : : "r"(address), "r"(weight) : "memory");
}

// Elements go to threads in turns, so that a warp always has 32 that follow each other.
template <typename Add>
__device__ __forceinline__ void for_own_elements(unsigned elements, unsigned element_shift, unsigned counter_mask, Add add) {
    const unsigned threads = gridDim.x * blockDim.x;
#pragma unroll 1
    for (unsigned element = blockIdx.x * blockDim.x + threadIdx.x; element < elements; element += threads) {
        add(element, (element >> element_shift) & counter_mask);
    }
}

extern "C" __global__ void atomics_global(unsigned *counters, unsigned elements, unsigned element_shift,
                                          unsigned counter_mask) {
    for_own_elements(elements, element_shift, counter_mask, [=](unsigned element, unsigned number) {
        add_global(counters + number, weight_of(element));
    });
}

// Shared memory: a word for each counter.
extern "C" __global__ void atomics_shared(unsigned *counters, unsigned elements, unsigned element_shift,
                                          unsigned counter_mask) {
    extern __shared__ unsigned own[];
    for (unsigned number = threadIdx.x; number <= counter_mask; number += blockDim.x) own[number] = 0;
    __syncthreads();
    for_own_elements(elements, element_shift, counter_mask, [=](unsigned element, unsigned number) {
        add_shared(own + number, weight_of(element));
    });
    __syncthreads();
    for (unsigned number = threadIdx.x; number <= counter_mask; number += blockDim.x) {
        add_global(counters + number, own[number]);
    }
}

extern "C" __global__ void atomics_warp_aggregated(unsigned *counters, unsigned elements, unsigned element_shift,
                                                   unsigned counter_mask) {
    const unsigned lane = threadIdx.x % LANES;
    for_own_elements(elements, element_shift, counter_mask, [=](unsigned element, unsigned number) {
        const unsigned rest = elements - (element - lane);
        const unsigned members = rest < LANES ? (1u << rest) - 1 : 0xffffffffu;
        const unsigned peers = __match_any_sync(members, number);
        if (lane == __ffs(peers) - 1) add_global(counters + number, __popc(peers) * weight_of(element));
    });
}

// `private_counters` has `copies` (a power of two) times `pitch` words; a warp adds to one of the copies.
extern "C" __global__ void atomics_privatised(unsigned *private_counters, unsigned elements, unsigned element_shift,
                                              unsigned counter_mask, unsigned copies, unsigned pitch) {
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    unsigned *own = private_counters + static_cast<size_t>(warp & (copies - 1)) * pitch;
    for_own_elements(elements, element_shift, counter_mask, [=](unsigned element, unsigned number) {
        add_global(own + number, weight_of(element));
    });
}

// A thread sums the copies of a counter.
extern "C" __global__ void atomics_merge(const unsigned *private_counters, unsigned *counters, unsigned counter_mask,
                                         unsigned copies, unsigned pitch) {
    const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number > counter_mask) return;
    unsigned sum = 0;
    for (unsigned copy = 0; copy < copies; ++copy) sum += private_counters[static_cast<size_t>(copy) * pitch + number];
    counters[number] = sum;
}
