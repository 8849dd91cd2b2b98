// Barriers of a block: every thread reads an element, carries out dependent operations on it, comes to a synchronisation
// point after every INTERVAL of them, and at the end writes the element.
//
// Nothing is exchanged at these points: what they cost is all that the variants differ in. The operations between two of
// them are written out one behind the other, and the loop goes from point to point: the machine's compiler, which moves
// arithmetic across barriers as it likes, does not move it across the end of a loop. So there is the same little
// bookkeeping at every point of every variant, and where there is no point too.
//
// Every thread comes to every point, also one that has no element. Shared memory is not used; a launch asks for it to
// limit how many blocks are resident.

#include "multiply_add.cuh"

#define FOR_EACH_INTERVAL(X) X(1) X(2) X(4) X(5) X(10) X(20) X(25) X(50) X(100)

struct NoPoint {
    __device__ __forceinline__ static void synchronise() {}
};

struct BlockBarrier {
    __device__ __forceinline__ static void synchronise() { __syncthreads(); }
};

struct WarpBarrier {
    __device__ __forceinline__ static void synchronise() { __syncwarp(); }
};

// `points` times INTERVAL operations with a point, then `rest` operations.
template <typename Point, int INTERVAL>
__device__ __forceinline__ void operate(const unsigned *input, unsigned *output, unsigned elements, unsigned points,
                                        unsigned rest) {
    const unsigned element = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = element < elements ? input[element] : 0;
#pragma unroll 1
    for (unsigned point = 0; point < points; ++point) {
#pragma unroll
        for (int i = 0; i < INTERVAL; ++i) multiply_add(value);
        Point::synchronise();
    }
#pragma unroll 1
    for (unsigned i = 0; i < rest; ++i) multiply_add(value);
    if (element < elements) output[element] = value;
}

#define KERNEL(variant, Point, interval)                                                                               \
    extern "C" __global__ void block_sync_##variant##_##interval(const unsigned *input, unsigned *output,             \
                                                                 unsigned elements, unsigned points, unsigned rest) { \
        operate<Point, interval>(input, output, elements, points, rest);                                               \
    }

#define KERNELS(interval)                                                                                              \
    KERNEL(none, NoPoint, interval)                                                                                    \
    KERNEL(barrier, BlockBarrier, interval)                                                                            \
    KERNEL(warp_synchronous, WarpBarrier, interval)

FOR_EACH_INTERVAL(KERNELS)
