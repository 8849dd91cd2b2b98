// Branch divergence: every element of a matrix goes through one case of a switch, chosen by a map.
//
// The map decides which cases the lanes of a warp follow, so any branching configuration can be laid
// out by the host. A block is 32 threads wide, hence a warp covers 32 neighbouring columns of a row.
//
// Case k takes `work + k * work_increment` steps. A step is
//   - compute:     MULTIPLY_ADDS_PER_STEP dependent multiply-adds in registers;
//   - convolution: one pass of a 3x3 filter over a shared-memory tile (9 loads, 9 multiply-adds).
// src/family/branching/reference.rs computes the same on the host, with the same constants.

#define CASES 32
#define MULTIPLY_ADDS_PER_STEP 16
#define FILTER_TAPS 9

#define FOR_EACH_CASE(X)                                                                                \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)               \
    X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)

// The multiply-add is opaque to the compiler's front end, which would otherwise fold a chain of them
// with constant operands into one. Constants differ per case, so no two case bodies are the same code.
template <unsigned CASE>
__device__ __forceinline__ unsigned compute_integer(unsigned value, unsigned steps) {
#pragma unroll 1
    for (unsigned step = 0; step < steps; ++step) {
#pragma unroll
        for (unsigned i = 0; i < MULTIPLY_ADDS_PER_STEP; ++i) {
            asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(value) : "n"(1664525 + 8 * CASE), "n"(1013904223 + 2 * CASE));
        }
    }
    return value;
}

// Growing and shrinking by the same factor keeps the value in range however many steps are taken, while
// the added terms make the result depend on their number.
template <unsigned CASE>
__device__ __forceinline__ float compute_float(float value, unsigned steps) {
    const float factor = 1.0f + (CASE + 1) / 64.0f;
    const float inverse = 1.0f / factor;
    const float term = (CASE + 1) / 1024.0f;
#pragma unroll 1
    for (unsigned step = 0; step < steps; ++step) {
#pragma unroll
        for (unsigned i = 0; i < MULTIPLY_ADDS_PER_STEP / 2; ++i) {
            value = __fmaf_rn(value, factor, term);
            value = __fmaf_rn(value, inverse, term);
        }
    }
    return value;
}

__host__ __device__ constexpr unsigned filter_weight(unsigned case_number, unsigned tap) {
    return 2 * (((case_number * FILTER_TAPS + tap) * 40503u) & 0xffffu) + 1;
}

// `centre` is the thread's own element in the tile. It is volatile so that every pass loads its nine
// neighbours again: without that they would stay in registers and the operation would not be data-intensive.
template <unsigned CASE>
__device__ __forceinline__ unsigned convolve(const volatile unsigned *centre, int pitch, unsigned steps) {
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned step = 0; step < steps; ++step) {
        sum = sum * filter_weight(CASE, 0) + centre[-pitch - 1];
#pragma unroll
        for (int tap = 1; tap < FILTER_TAPS; ++tap) {
            sum += filter_weight(CASE, tap) * centre[(tap / 3 - 1) * pitch + (tap % 3 - 1)];
        }
    }
    return sum;
}

template <typename Element, typename Operation>
__device__ __forceinline__ void apply_to_own_element(const Element *operands, const unsigned *map, Element *output,
                                                     int width, Operation operation) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= width) return;
    const size_t element = static_cast<size_t>(row) * width + column;
    output[element] = operation(operands[element], map[element]);
}

extern "C" __global__ void branching_compute_integer(const unsigned *operands, const unsigned *map, unsigned *output,
                                                     int width, unsigned work, unsigned work_increment) {
    apply_to_own_element(operands, map, output, width, [=](unsigned value, unsigned followed) {
        switch (followed) {
#define CASE(k) case k: return compute_integer<k>(value, work + k * work_increment);
            FOR_EACH_CASE(CASE)
#undef CASE
        }
        return value;
    });
}

extern "C" __global__ void branching_compute_float(const float *operands, const unsigned *map, float *output, int width,
                                                   unsigned work, unsigned work_increment) {
    apply_to_own_element(operands, map, output, width, [=](float value, unsigned followed) {
        switch (followed) {
#define CASE(k) case k: return compute_float<k>(value, work + k * work_increment);
            FOR_EACH_CASE(CASE)
#undef CASE
        }
        return value;
    });
}

// Shared memory: (blockDim.x + 2) * (blockDim.y + 2) words, the block's elements with a halo of one, zero
// outside the matrix.
extern "C" __global__ void branching_convolution_integer(const unsigned *operands, const unsigned *map, unsigned *output,
                                                         int width, unsigned work, unsigned work_increment) {
    extern __shared__ unsigned tile[];
    const int pitch = blockDim.x + 2;
    const int tile_elements = pitch * (blockDim.y + 2);
    const int threads = blockDim.x * blockDim.y;
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < tile_elements; i += threads) {
        const int column = static_cast<int>(blockIdx.x * blockDim.x) + i % pitch - 1;
        const int row = static_cast<int>(blockIdx.y * blockDim.y) + i / pitch - 1;
        const bool inside = column >= 0 && column < width && row >= 0 && row < width;
        tile[i] = inside ? operands[static_cast<size_t>(row) * width + column] : 0;
    }
    __syncthreads();

    const volatile unsigned *centre = tile + (threadIdx.y + 1) * pitch + threadIdx.x + 1;
    apply_to_own_element(operands, map, output, width, [=](unsigned value, unsigned followed) {
        switch (followed) {
#define CASE(k) case k: return convolve<k>(centre, pitch, work + k * work_increment);
            FOR_EACH_CASE(CASE)
#undef CASE
        }
        return value;
    });
}
