// Global synchronisation: `operations` dependent operations on every element of a ring, and after every `interval` of
// them all threads of the grid wait for each other. Where EXCHANGE, every element is combined with its two neighbours
// at the beginning of each such round, which is what threads have to wait for; without, they wait for nothing.
//
// All variants move the elements through global memory in every round, also those that stay on the GPU between rounds,
// so that they differ in how they synchronise and in nothing else. The exception is redundant_halo, which does not
// synchronise: its blocks keep what they need in shared memory and compute their neighbours' elements too.

#include "multiply_add.cuh"

#ifndef BEFORE_VOLTA
#include <cooperative_groups.h>
#endif

#define ELEMENTS_PER_THREAD 4

// The factors differ, so that exchanging left and right is noticed.
__device__ __forceinline__ unsigned combine(unsigned left, unsigned value, unsigned right) {
    return value + 3 * left + 5 * right;
}

template <bool EXCHANGE>
__device__ __forceinline__ unsigned combined(const unsigned *values, unsigned element, unsigned elements) {
    if (!EXCHANGE) return values[element];
    const unsigned left = element == 0 ? elements - 1 : element - 1;
    const unsigned right = element + 1 == elements ? 0 : element + 1;
    return combine(values[left], values[element], values[right]);
}

// One round, one thread for each element.
template <bool EXCHANGE>
__device__ __forceinline__ void round_in_registers(const unsigned *source, unsigned *target, unsigned elements,
                                                   unsigned operations) {
    const unsigned element = blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= elements) return;
    target[element] = multiply_adds_in_turn(combined<EXCHANGE>(source, element, elements), operations);
}

// The same, the elements staged through shared memory on their way in and out. Shared memory: 2 * blockDim.x + 2 words,
// the block's elements with a halo of one, and its results.
template <bool EXCHANGE>
__device__ __forceinline__ void round_in_shared(const unsigned *source, unsigned *target, unsigned elements,
                                                unsigned operations) {
    extern __shared__ unsigned tile[];
    unsigned *results = tile + blockDim.x + 2;
    const unsigned first = blockIdx.x * blockDim.x;
    const unsigned thread = threadIdx.x;
    const unsigned element = first + thread;
    if (element < elements) {
        tile[thread + 1] = source[element];
        if (EXCHANGE && thread == 0) tile[0] = source[first == 0 ? elements - 1 : first - 1];
        if (EXCHANGE && (thread + 1 == blockDim.x || element + 1 == elements)) {
            tile[thread + 2] = source[element + 1 == elements ? 0 : element + 1];
        }
    }
    __syncthreads();
    if (element < elements) {
        const unsigned own = tile[thread + 1];
        results[thread] = multiply_adds_in_turn(EXCHANGE ? combine(tile[thread], own, tile[thread + 2]) : own, operations);
    }
    __syncthreads();
    if (element < elements) target[element] = results[thread];
}

// All rounds in one launch whose blocks are all resident. They write to `first` and to `second` in turn, which are the same
// where elements are on their own.
template <bool EXCHANGE, typename Barrier>
__device__ __forceinline__ void all_rounds(const unsigned *input, unsigned *first, unsigned *second, unsigned elements,
                                           unsigned operations, unsigned interval, Barrier barrier) {
    const unsigned stride = gridDim.x * blockDim.x;
    const unsigned *source = input;
    unsigned *target = first;
    unsigned *other = second;
    while (true) {
        const unsigned now = min(operations, interval);
#pragma unroll 1
        for (unsigned element = blockIdx.x * blockDim.x + threadIdx.x; element < elements; element += stride) {
            target[element] = multiply_adds_in_turn(combined<EXCHANGE>(source, element, elements), now);
        }
        operations -= now;
        if (operations == 0) return;
        barrier();
        unsigned *const written = target;
        source = written;
        target = other;
        other = written;
    }
}

// A barrier of all blocks from one counter and one generation, two words that are zero at first. The counter wraps
// around by itself and the generation is only compared, so that nothing has to be reset between launches.
__device__ __forceinline__ void wait_for_all_blocks(unsigned *arrived, unsigned *generation) {
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned before = *static_cast<volatile unsigned *>(generation);
        __threadfence();
        if (atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1) {
            atomicAdd(generation, 1);
        } else {
            while (*static_cast<volatile unsigned *>(generation) == before) {
            }
        }
        __threadfence();
    }
    __syncthreads();
}

// The grid barrier of cooperative groups. Today's toolkits have it for GPUs since Volta, with orders of memory that older ones have
// not: for these it is written here, on the same word, which the driver allots to a cooperative launch and whose address it puts
// into two environment registers. All blocks together flip its highest bit.
__device__ __forceinline__ void grid_barrier() {
#ifdef BEFORE_VOLTA
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned low, high;
        asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
        asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
        unsigned *const word = reinterpret_cast<unsigned *>((static_cast<unsigned long long>(high) << 32 | low) + 4);
        const unsigned flip = 0x80000000u;
        __threadfence();
        const unsigned before = atomicAdd(word, blockIdx.x == 0 ? flip - (gridDim.x - 1) : 1);
        while (((before ^ *static_cast<volatile unsigned *>(word)) & flip) == 0) {
        }
        __threadfence();
    }
    __syncthreads();
#else
    cooperative_groups::this_grid().sync();
#endif
}

// All rounds in one launch without any synchronisation between blocks: a block computes its own elements and, on each side,
// one more for every round that is still to come: a halo as wide as there are rounds, or none where elements are on
// their own. Shared memory: twice as many words as elements and halo.
template <bool EXCHANGE>
__device__ __forceinline__ void all_rounds_redundantly(const unsigned *input, unsigned *output, unsigned elements,
                                                       unsigned operations, unsigned interval, unsigned halo) {
    extern __shared__ unsigned tile[];
    const unsigned own = blockDim.x * ELEMENTS_PER_THREAD;
    const unsigned width = own + 2 * halo;
    const unsigned first = blockIdx.x * own;
    unsigned *current = tile;
    unsigned *next = tile + width;
    const unsigned start = first + elements - halo % elements;
    for (unsigned i = threadIdx.x; i < width; i += blockDim.x) {
        unsigned element = start + i;
        while (element >= elements) element -= elements;
        current[i] = input[element];
    }
    __syncthreads();
    unsigned margin = 0;
#pragma unroll 1
    while (operations > 0) {
        const unsigned now = min(operations, interval);
        if (EXCHANGE) ++margin;
#pragma unroll 1
        for (unsigned i = threadIdx.x + margin; i < width - margin; i += blockDim.x) {
            next[i] = multiply_adds_in_turn(EXCHANGE ? combine(current[i - 1], current[i], current[i + 1]) : current[i], now);
        }
        __syncthreads();
        operations -= now;
        unsigned *const swapped = current;
        current = next;
        next = swapped;
    }
    for (unsigned i = threadIdx.x; i < own && first + i < elements; i += blockDim.x) {
        output[first + i] = current[halo + i];
    }
}

#define KERNELS(suffix, EXCHANGE)                                                                                      \
    extern "C" __global__ void global_sync_relaunch##suffix(const unsigned *source, unsigned *target,                 \
                                                            unsigned elements, unsigned operations) {                 \
        round_in_registers<EXCHANGE>(source, target, elements, operations);                                            \
    }                                                                                                                  \
    extern "C" __global__ void global_sync_relaunch_shared##suffix(const unsigned *source, unsigned *target,          \
                                                                   unsigned elements, unsigned operations) {          \
        round_in_shared<EXCHANGE>(source, target, elements, operations);                                               \
    }                                                                                                                  \
    extern "C" __global__ void global_sync_cooperative##suffix(const unsigned *input, unsigned *first,                \
                                                               unsigned *second, unsigned elements,                   \
                                                               unsigned operations, unsigned interval) {              \
        all_rounds<EXCHANGE>(input, first, second, elements, operations, interval, [] { grid_barrier(); });             \
    }                                                                                                                  \
    extern "C" __global__ void global_sync_atomic_barrier##suffix(                                                    \
        const unsigned *input, unsigned *first, unsigned *second, unsigned elements, unsigned operations,              \
        unsigned interval, unsigned *barrier) {                                                                        \
        all_rounds<EXCHANGE>(input, first, second, elements, operations, interval,                                     \
                             [=] { wait_for_all_blocks(barrier, barrier + 1); });                                      \
    }                                                                                                                  \
    extern "C" __global__ void global_sync_redundant_halo##suffix(const unsigned *input, unsigned *output,            \
                                                                  unsigned elements, unsigned operations,             \
                                                                  unsigned interval, unsigned halo) {                 \
        all_rounds_redundantly<EXCHANGE>(input, output, elements, operations, interval, halo);                         \
    }

KERNELS(, false)
KERNELS(_neighbours, true)
