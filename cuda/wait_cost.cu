// Barriers and fences: every thread waits over and over, and its waiting is all that the variants differ in.
//
// With STORES a thread stores the number of the wait before each one, so that there is something to wait for. Either way
// its word has the number of waits at the end. The waits are written out UNROLLED at a time, so that little of the time is
// the loop's own.
//
// The stores are volatile, because the compiler leaves out all but the last one where nothing stands between them.

#include "clock.cuh"

#define UNROLLED 16

struct NoWait {
    __device__ __forceinline__ static void wait() {}
};

struct BlockBarrier {
    __device__ __forceinline__ static void wait() { __syncthreads(); }
};

struct BlockFence {
    __device__ __forceinline__ static void wait() { __threadfence_block(); }
};

struct DeviceFence {
    __device__ __forceinline__ static void wait() { __threadfence(); }
};

struct SystemFence {
    __device__ __forceinline__ static void wait() { __threadfence_system(); }
};

template <typename Point, bool STORES>
__device__ __forceinline__ void step(unsigned *own, unsigned number) {
    if (STORES) *static_cast<volatile unsigned *>(own) = number;
    Point::wait();
}

template <typename Point, bool STORES>
__device__ __forceinline__ void wait_often(unsigned *output, unsigned *cycles, unsigned waits) {
    unsigned *const own = output + blockIdx.x * blockDim.x + threadIdx.x;
    unsigned number = 0;
    const unsigned begin = clock_now();
#pragma unroll 1
    for (; waits - number >= UNROLLED; number += UNROLLED) {
#pragma unroll
        for (int i = 1; i <= UNROLLED; ++i) step<Point, STORES>(own, number + i);
    }
#pragma unroll 1
    for (; number < waits; ++number) step<Point, STORES>(own, number + 1);
    store_cycles(cycles, begin);
    *own = number;
}

#define KERNELS(name, Point)                                                                                           \
    extern "C" __global__ void wait_cost_##name(unsigned *output, unsigned *cycles, unsigned waits) {                  \
        wait_often<Point, false>(output, cycles, waits);                                                                       \
    }                                                                                                                  \
    extern "C" __global__ void wait_cost_##name##_behind_store(unsigned *output, unsigned *cycles, unsigned waits) {   \
        wait_often<Point, true>(output, cycles, waits);                                                                        \
    }

KERNELS(none, NoWait)
KERNELS(block_barrier, BlockBarrier)
KERNELS(block_fence, BlockFence)
KERNELS(device_fence, DeviceFence)
KERNELS(system_fence, SystemFence)
