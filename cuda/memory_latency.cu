// Latency of memory: one thread follows a chain of loads, each of which says where the next one goes.
//
// The set begins `skipped` bytes into its buffer, so that it can lie elsewhere in the slices of L2. It has a place every `stride` bytes, and a place
// holds where in the buffer the next one is, in bytes, so that all places are one cycle. Before that, all threads of the one block read the last places of the set, in the order in which they lie: as many
// as the caches can keep of them are there when the chain begins. An offset is even. So it is never what the threads look
// for among those that they read, which keeps these loads in the kernel.
//
// `cycles` is what the chain takes by the multiprocessor's own clock.
//
// The loads are inline PTX, because they differ in nothing but the caches that they go through.
// src/family/memory_latency/chain.rs makes the chain on the host, and follows it.

#include "clock.cuh"

#define UNROLLED 16

struct ThroughL1 {
    __device__ __forceinline__ static unsigned load(const unsigned char *place) {
        unsigned next;
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(next) : "l"(__cvta_generic_to_global(place)));
        return next;
    }
};

struct PastL1 {
    __device__ __forceinline__ static unsigned load(const unsigned char *place) {
        unsigned next;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(next) : "l"(__cvta_generic_to_global(place)));
        return next;
    }
};

// Follows the chain from `place` on.
template <typename Step>
__device__ __forceinline__ unsigned follow(unsigned place, unsigned loads, Step step) {
#pragma unroll 1
    for (; loads >= UNROLLED; loads -= UNROLLED) {
#pragma unroll
        for (int i = 0; i < UNROLLED; ++i) place = step(place);
    }
#pragma unroll 1
    for (; loads > 0; --loads) place = step(place);
    return place;
}

// Reads the places from number `first` on.
template <typename Level>
__device__ __forceinline__ void follow_in_global(const unsigned char *set, unsigned *reached, unsigned *cycles,
                                                 unsigned skipped, unsigned stride, unsigned places, unsigned first,
                                                 unsigned loads) {
#pragma unroll 1
    for (unsigned place = first + threadIdx.x; place < places; place += blockDim.x) {
        const unsigned next = Level::load(set + skipped + static_cast<size_t>(place) * stride);
        if (next & 1) *reached = next;
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    const unsigned begin = clock_now();
    const unsigned last = follow(skipped, loads, [=](unsigned place) { return Level::load(set + place); });
    store_cycles(cycles, begin);
    *reached = last - skipped;
}

extern "C" __global__ void memory_latency_global(const unsigned char *set, unsigned *reached, unsigned *cycles,
                                                 unsigned skipped, unsigned stride, unsigned places, unsigned first,
                                                 unsigned loads) {
    follow_in_global<ThroughL1>(set, reached, cycles, skipped, stride, places, first, loads);
}

extern "C" __global__ void memory_latency_global_past_l1(const unsigned char *set, unsigned *reached, unsigned *cycles,
                                                         unsigned skipped, unsigned stride, unsigned places,
                                                         unsigned first, unsigned loads) {
    follow_in_global<PastL1>(set, reached, cycles, skipped, stride, places, first, loads);
}

// Copies the set to shared memory, where a place holds the address of the next one.
extern "C" __global__ void memory_latency_shared(const unsigned char *set, unsigned *reached, unsigned *cycles,
                                                 unsigned skipped, unsigned stride, unsigned places, unsigned loads) {
    extern __shared__ unsigned char own[];
    const unsigned start = static_cast<unsigned>(__cvta_generic_to_shared(own));
#pragma unroll 1
    for (unsigned place = threadIdx.x; place < places; place += blockDim.x) {
        const size_t offset = static_cast<size_t>(place) * stride;
        *reinterpret_cast<unsigned *>(own + offset) = start + ThroughL1::load(set + skipped + offset) - skipped;
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    const unsigned begin = clock_now();
    const unsigned last = follow(start, loads, [](unsigned place) {
        unsigned next;
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(next) : "r"(place) : "memory");
        return next;
    });
    store_cycles(cycles, begin);
    *reached = last - start;
}
