// Branch divergence: every element of a matrix goes through one case of a switch, chosen by a map.
//
// The map decides which cases the lanes of a warp follow, so any branching configuration can be laid
// out by the host. A block is 32 threads wide, hence a warp covers 32 neighbouring columns of a row.
//
// Case k takes `work + k * work_increment` steps. A step is
//   - compute:     MULTIPLY_ADDS_PER_STEP dependent multiply-adds in registers;
//   - convolution: one pass of a 3x3 filter over a shared-memory tile (9 loads, 9 multiply-adds).
// src/family/branching/reference.rs computes the same on the host, with the same constants.
//
// Beside the pattern there are three remedies (Cornelis 2010, section 3.3). The first looks up what the cases
// differ in and has no switch. The other two keep the switch, but let neighbouring threads take elements of the
// same case: a block loads its operands as they lie, each thread takes the element that it is given from
// shared memory, and the block stores its results as they lie. So the only difference between these two is
// whether the order of the elements was made ahead, by the host, or is made here.

#define CASES 32
#define MULTIPLY_ADDS_PER_STEP 16
#define FILTER_TAPS 9

#define FOR_EACH_CASE(X)                                                                                \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)               \
    X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)

__host__ __device__ constexpr unsigned integer_factor(unsigned case_number) { return 1664525 + 8 * case_number; }
__host__ __device__ constexpr unsigned integer_term(unsigned case_number) { return 1013904223 + 2 * case_number; }
__host__ __device__ constexpr float float_factor(unsigned case_number) { return 1.0f + (case_number + 1) / 64.0f; }
__host__ __device__ constexpr float float_term(unsigned case_number) { return (case_number + 1) / 1024.0f; }

__host__ __device__ constexpr unsigned filter_weight(unsigned case_number, unsigned tap) {
    return 2 * (((case_number * FILTER_TAPS + tap) * 40503u) & 0xffffu) + 1;
}

// The multiply-add is opaque to the compiler's front end, which would otherwise fold a chain of them
// with constant operands into one. Constants differ per case, so no two case bodies are the same code.
template <unsigned CASE>
__device__ __forceinline__ unsigned compute_integer(unsigned value, unsigned steps) {
#pragma unroll 1
    for (unsigned step = 0; step < steps; ++step) {
#pragma unroll
        for (unsigned i = 0; i < MULTIPLY_ADDS_PER_STEP; ++i) {
            asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(value) : "n"(integer_factor(CASE)), "n"(integer_term(CASE)));
        }
    }
    return value;
}

// The same for constants that are looked up.
__device__ __forceinline__ unsigned compute_integer(unsigned value, unsigned steps, unsigned factor, unsigned term) {
#pragma unroll 1
    for (unsigned step = 0; step < steps; ++step) {
#pragma unroll
        for (unsigned i = 0; i < MULTIPLY_ADDS_PER_STEP; ++i) {
            asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(value) : "r"(factor), "r"(term));
        }
    }
    return value;
}

// Growing and shrinking by the same factor keeps the value in range however many steps are taken, while
// the added terms make the result depend on their number.
__device__ __forceinline__ float compute_float(float value, unsigned steps, float factor, float inverse, float term) {
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

template <unsigned CASE>
__device__ __forceinline__ float compute_float(float value, unsigned steps) {
    constexpr float factor = float_factor(CASE);
    return compute_float(value, steps, factor, 1.0f / factor, float_term(CASE));
}

// `centre` is the element's place in the tile. It is volatile so that every pass loads its nine
// neighbours again: without that they would stay in registers and the operation would not be data-intensive.
template <typename Weight>
__device__ __forceinline__ unsigned convolve(const volatile unsigned *centre, int pitch, unsigned steps, Weight weight) {
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned step = 0; step < steps; ++step) {
        sum = sum * weight(0) + centre[-pitch - 1];
#pragma unroll
        for (int tap = 1; tap < FILTER_TAPS; ++tap) {
            sum += weight(tap) * centre[(tap / 3 - 1) * pitch + (tap % 3 - 1)];
        }
    }
    return sum;
}

template <unsigned CASE>
__device__ __forceinline__ unsigned convolve(const volatile unsigned *centre, int pitch, unsigned steps) {
    return convolve(centre, pitch, steps, [](unsigned tap) { return filter_weight(CASE, tap); });
}

// The switch, once for each operation.
#define FOLLOW(k, result) case k: return result;

__device__ __forceinline__ unsigned follow_compute_integer(unsigned value, unsigned followed, unsigned work,
                                                           unsigned work_increment) {
    switch (followed) {
#define CASE(k) FOLLOW(k, compute_integer<k>(value, work + k * work_increment))
        FOR_EACH_CASE(CASE)
#undef CASE
    }
    return value;
}

__device__ __forceinline__ float follow_compute_float(float value, unsigned followed, unsigned work,
                                                      unsigned work_increment) {
    switch (followed) {
#define CASE(k) FOLLOW(k, compute_float<k>(value, work + k * work_increment))
        FOR_EACH_CASE(CASE)
#undef CASE
    }
    return value;
}

__device__ __forceinline__ unsigned follow_convolution(unsigned value, const volatile unsigned *centre, int pitch,
                                                       unsigned followed, unsigned work, unsigned work_increment) {
    switch (followed) {
#define CASE(k) FOLLOW(k, convolve<k>(centre, pitch, work + k * work_increment))
        FOR_EACH_CASE(CASE)
#undef CASE
    }
    return value;
}

// Fills the block's part of the matrix and a halo of one around it, zero outside the matrix.
__device__ __forceinline__ void load_tile(const unsigned *operands, unsigned *tile, int pitch, int width) {
    const int tile_elements = pitch * (blockDim.y + 2);
    const int threads = blockDim.x * blockDim.y;
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < tile_elements; i += threads) {
        const int column = static_cast<int>(blockIdx.x * blockDim.x) + i % pitch - 1;
        const int row = static_cast<int>(blockIdx.y * blockDim.y) + i / pitch - 1;
        const bool inside = column >= 0 && column < width && row >= 0 && row < width;
        tile[i] = inside ? operands[static_cast<size_t>(row) * width + column] : 0;
    }
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

// ---- divergent: the pattern itself

extern "C" __global__ void branching_compute_integer(const unsigned *operands, const unsigned *map, unsigned *output,
                                                     int width, unsigned work, unsigned work_increment) {
    apply_to_own_element(operands, map, output, width, [=](unsigned value, unsigned followed) {
        return follow_compute_integer(value, followed, work, work_increment);
    });
}

extern "C" __global__ void branching_compute_float(const float *operands, const unsigned *map, float *output, int width,
                                                   unsigned work, unsigned work_increment) {
    apply_to_own_element(operands, map, output, width, [=](float value, unsigned followed) {
        return follow_compute_float(value, followed, work, work_increment);
    });
}

// Shared memory: the tile, (blockDim.x + 2) * (blockDim.y + 2) words.
extern "C" __global__ void branching_convolution_integer(const unsigned *operands, const unsigned *map, unsigned *output,
                                                         int width, unsigned work, unsigned work_increment) {
    extern __shared__ unsigned tile[];
    const int pitch = blockDim.x + 2;
    load_tile(operands, tile, pitch, width);
    __syncthreads();

    const volatile unsigned *centre = tile + (threadIdx.y + 1) * pitch + threadIdx.x + 1;
    apply_to_own_element(operands, map, output, width, [=](unsigned value, unsigned followed) {
        return follow_convolution(value, centre, pitch, followed, work, work_increment);
    });
}

// ---- table_lookup: the constants of the cases are data, one body serves them all
//
// A constant of all cases is a row of 32 words, so that lanes that look up different cases find them in different
// banks. Every block copies the table into shared memory. A case that is not there leaves the value as it is, as the
// switch does.

#define INTEGER_FACTOR(k) integer_factor(k),
#define INTEGER_TERM(k) integer_term(k),
#define FLOAT_FACTOR(k) float_factor(k),
#define FLOAT_INVERSE(k) 1.0f / float_factor(k),
#define FLOAT_TERM(k) float_term(k),

__device__ const unsigned branching_integer_constants[2][CASES] = {
    {FOR_EACH_CASE(INTEGER_FACTOR)}, {FOR_EACH_CASE(INTEGER_TERM)}};
__device__ const float branching_float_constants[3][CASES] = {
    {FOR_EACH_CASE(FLOAT_FACTOR)}, {FOR_EACH_CASE(FLOAT_INVERSE)}, {FOR_EACH_CASE(FLOAT_TERM)}};

#define WEIGHTS(tap) {FOR_EACH_CASE(WEIGHT_##tap)},
#define WEIGHT_0(k) filter_weight(k, 0),
#define WEIGHT_1(k) filter_weight(k, 1),
#define WEIGHT_2(k) filter_weight(k, 2),
#define WEIGHT_3(k) filter_weight(k, 3),
#define WEIGHT_4(k) filter_weight(k, 4),
#define WEIGHT_5(k) filter_weight(k, 5),
#define WEIGHT_6(k) filter_weight(k, 6),
#define WEIGHT_7(k) filter_weight(k, 7),
#define WEIGHT_8(k) filter_weight(k, 8),

__device__ const unsigned branching_filter_weights[FILTER_TAPS][CASES] = {
    WEIGHTS(0) WEIGHTS(1) WEIGHTS(2) WEIGHTS(3) WEIGHTS(4) WEIGHTS(5) WEIGHTS(6) WEIGHTS(7) WEIGHTS(8)};

template <typename Word, unsigned ROWS>
__device__ __forceinline__ void load_table(Word (&table)[ROWS][CASES], const Word (&constants)[ROWS][CASES]) {
    for (unsigned row = threadIdx.y; row < ROWS; row += blockDim.y) {
        table[row][threadIdx.x] = constants[row][threadIdx.x];
    }
}

extern "C" __global__ void branching_table_lookup_compute_integer(const unsigned *operands, const unsigned *map,
                                                                  unsigned *output, int width, unsigned work,
                                                                  unsigned work_increment) {
    __shared__ unsigned table[2][CASES];
    load_table(table, branching_integer_constants);
    __syncthreads();
    apply_to_own_element(operands, map, output, width, [&](unsigned value, unsigned followed) {
        if (followed >= CASES) return value;
        return compute_integer(value, work + followed * work_increment, table[0][followed], table[1][followed]);
    });
}

extern "C" __global__ void branching_table_lookup_compute_float(const float *operands, const unsigned *map, float *output,
                                                                int width, unsigned work, unsigned work_increment) {
    __shared__ float table[3][CASES];
    load_table(table, branching_float_constants);
    __syncthreads();
    apply_to_own_element(operands, map, output, width, [&](float value, unsigned followed) {
        if (followed >= CASES) return value;
        return compute_float(value, work + followed * work_increment, table[0][followed], table[1][followed],
                             table[2][followed]);
    });
}

extern "C" __global__ void branching_table_lookup_convolution_integer(const unsigned *operands, const unsigned *map,
                                                                      unsigned *output, int width, unsigned work,
                                                                      unsigned work_increment) {
    extern __shared__ unsigned tile[];
    __shared__ unsigned table[FILTER_TAPS][CASES];
    const int pitch = blockDim.x + 2;
    load_table(table, branching_filter_weights);
    load_tile(operands, tile, pitch, width);
    __syncthreads();

    const volatile unsigned *centre = tile + (threadIdx.y + 1) * pitch + threadIdx.x + 1;
    apply_to_own_element(operands, map, output, width, [&](unsigned value, unsigned followed) {
        if (followed >= CASES) return value;
        unsigned weights[FILTER_TAPS];
#pragma unroll
        for (unsigned tap = 0; tap < FILTER_TAPS; ++tap) weights[tap] = table[tap][followed];
        return convolve(centre, pitch, work + followed * work_increment, [&](unsigned tap) { return weights[tap]; });
    });
}

// ---- static_reordering and dynamic_reordering: which element of its block a thread takes
//
// An entry of an order is the case of an element and the element's place in the block, row by row.

#define PLACE_BITS 10

__device__ __forceinline__ unsigned entry_of(unsigned followed, unsigned place) { return followed << PLACE_BITS | place; }
__device__ __forceinline__ unsigned case_of(unsigned entry) { return entry >> PLACE_BITS; }
__device__ __forceinline__ unsigned place_of(unsigned entry) { return entry & ((1u << PLACE_BITS) - 1); }

// A thread's place in the block, its element there, and how many elements the block has.
struct Own {
    unsigned place;
    unsigned elements_of_block;
    size_t element;
    bool inside;
};

__device__ __forceinline__ Own own_element(int width) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int columns = min(static_cast<int>(blockDim.x), width - static_cast<int>(blockIdx.x * blockDim.x));
    const int rows = min(static_cast<int>(blockDim.y), width - static_cast<int>(blockIdx.y * blockDim.y));
    return {threadIdx.y * blockDim.x + threadIdx.x, static_cast<unsigned>(columns * rows),
            static_cast<size_t>(row) * width + column, column < width && row < width};
}

// The thread's entry of an order that the host made: the blocks' entries one after the other, each block's by case.
// It comes in the place of the map, so as many bytes are read as without reordering.
__device__ __forceinline__ unsigned order_ahead(const unsigned *order, int width, const Own &own) {
    unsigned entry = 0;
    if (own.place < own.elements_of_block) {
        const size_t first_row = static_cast<size_t>(blockIdx.y) * blockDim.y;
        const size_t rows = min(static_cast<size_t>(blockDim.y), width - first_row);
        entry = order[first_row * width + static_cast<size_t>(blockIdx.x) * blockDim.x * rows + own.place];
    }
    __syncthreads();
    return entry;
}

// Counts of 32 cases become the sums of the counts before each. One warp does it; 32 zeros lie in front of the counts.
__device__ __forceinline__ void sum_before(volatile unsigned *counts, unsigned lane) {
    volatile unsigned *own = counts + lane;
    const unsigned count = *own;
    unsigned sum = count;
#pragma unroll
    for (unsigned distance = 1; distance < CASES; distance *= 2) {
        sum += *(own - distance);
        __syncwarp();
        *own = sum;
        __syncwarp();
    }
    *own = sum - count;
}

// The thread's entry of an order that the block makes: how often each case is followed, where each case's elements begin,
// and a place among them for each element. Places within a case are taken in any sequence.
__device__ __forceinline__ unsigned order_now(const unsigned *map, unsigned *entries, const Own &own) {
    __shared__ unsigned zeros_and_counts[2 * CASES];
    unsigned *counts = zeros_and_counts + CASES;
    const unsigned followed = own.inside ? map[own.element] : 0;
    if (threadIdx.y == 0) {
        zeros_and_counts[threadIdx.x] = 0;
        counts[threadIdx.x] = 0;
    }
    __syncthreads();
    if (own.inside) atomicAdd(&counts[followed], 1);
    __syncthreads();
    if (threadIdx.y == 0) sum_before(counts, threadIdx.x);
    __syncthreads();
    if (own.inside) entries[atomicAdd(&counts[followed], 1)] = entry_of(followed, own.place);
    __syncthreads();
    return own.place < own.elements_of_block ? entries[own.place] : 0;
}

// Shared memory: `values`, a word for each thread, which are operands first and then results. `order` has a barrier.
template <typename Element, typename Order, typename Operation>
__device__ __forceinline__ void apply_reordered(const Element *operands, Element *output, int width, Element *values,
                                                Order order, Operation operation) {
    const Own own = own_element(width);
    if (own.inside) values[own.place] = operands[own.element];
    const unsigned entry = order(own);
    if (own.place < own.elements_of_block) {
        values[place_of(entry)] = operation(values[place_of(entry)], case_of(entry));
    }
    __syncthreads();
    if (own.inside) output[own.element] = values[own.place];
}

// Shared memory: `results`, a word for each thread, and the tile.
template <typename Order>
__device__ __forceinline__ void convolve_reordered(const unsigned *operands, unsigned *output, int width, unsigned *results,
                                                   unsigned *tile, Order order, unsigned work, unsigned work_increment) {
    const Own own = own_element(width);
    const int pitch = blockDim.x + 2;
    load_tile(operands, tile, pitch, width);
    const unsigned entry = order(own);
    if (own.place < own.elements_of_block) {
        const unsigned place = place_of(entry);
        const unsigned row = place / warpSize, column = place % warpSize;
        const volatile unsigned *centre = tile + (row + 1) * pitch + column + 1;
        results[place] = follow_convolution(*centre, centre, pitch, case_of(entry), work, work_increment);
    }
    __syncthreads();
    if (own.inside) output[own.element] = results[own.place];
}

extern "C" __global__ void branching_static_reordering_compute_integer(const unsigned *operands, const unsigned *order,
                                                                       unsigned *output, int width, unsigned work,
                                                                       unsigned work_increment) {
    extern __shared__ unsigned values[];
    apply_reordered(
        operands, output, width, values, [=](const Own &own) { return order_ahead(order, width, own); },
        [=](unsigned value, unsigned followed) { return follow_compute_integer(value, followed, work, work_increment); });
}

extern "C" __global__ void branching_static_reordering_compute_float(const float *operands, const unsigned *order,
                                                                     float *output, int width, unsigned work,
                                                                     unsigned work_increment) {
    extern __shared__ float float_values[];
    apply_reordered(
        operands, output, width, float_values, [=](const Own &own) { return order_ahead(order, width, own); },
        [=](float value, unsigned followed) { return follow_compute_float(value, followed, work, work_increment); });
}

extern "C" __global__ void branching_static_reordering_convolution_integer(const unsigned *operands, const unsigned *order,
                                                                           unsigned *output, int width, unsigned work,
                                                                           unsigned work_increment) {
    extern __shared__ unsigned results[];
    unsigned *tile = results + blockDim.x * blockDim.y;
    convolve_reordered(
        operands, output, width, results, tile, [=](const Own &own) { return order_ahead(order, width, own); }, work,
        work_increment);
}

// Shared memory of these: a word more for each thread, the entries of the order.

extern "C" __global__ void branching_dynamic_reordering_compute_integer(const unsigned *operands, const unsigned *map,
                                                                        unsigned *output, int width, unsigned work,
                                                                        unsigned work_increment) {
    extern __shared__ unsigned values[];
    unsigned *entries = values + blockDim.x * blockDim.y;
    apply_reordered(
        operands, output, width, values, [=](const Own &own) { return order_now(map, entries, own); },
        [=](unsigned value, unsigned followed) { return follow_compute_integer(value, followed, work, work_increment); });
}

extern "C" __global__ void branching_dynamic_reordering_compute_float(const float *operands, const unsigned *map,
                                                                      float *output, int width, unsigned work,
                                                                      unsigned work_increment) {
    extern __shared__ float float_values[];
    unsigned *entries = reinterpret_cast<unsigned *>(float_values) + blockDim.x * blockDim.y;
    apply_reordered(
        operands, output, width, float_values, [=](const Own &own) { return order_now(map, entries, own); },
        [=](float value, unsigned followed) { return follow_compute_float(value, followed, work, work_increment); });
}

extern "C" __global__ void branching_dynamic_reordering_convolution_integer(const unsigned *operands, const unsigned *map,
                                                                            unsigned *output, int width, unsigned work,
                                                                            unsigned work_increment) {
    extern __shared__ unsigned results[];
    unsigned *entries = results + blockDim.x * blockDim.y;
    unsigned *tile = entries + blockDim.x * blockDim.y;
    convolve_reordered(
        operands, output, width, results, tile, [=](const Own &own) { return order_now(map, entries, own); }, work,
        work_increment);
}
