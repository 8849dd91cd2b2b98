// Exclusive prefix sums of 32-bit words, modulo 2^32, over arrays of any length (Cornelis 2010, chapter 7).
//
// A block scans a tile by Blelloch's tree: an up-sweep that adds pairs ever farther apart, the root set to zero, and a
// down-sweep that hands sums back down. Each tile leaves its total; the totals are scanned by the same kernel, in place, as often as it
// takes until one tile holds them all, and then `add` adds to each tile what precedes it. `prefix_sum_single_pass` alone
// does without: see there.
//
// `source` and `target` may be the same array: a block reads its own tile alone, before it writes it.
// blockDim.x is a power of two, 32 or more. Elements beyond the last count as zeros.

#include "bulk_copy.cuh"

#define WARP 32
#define ALL_LANES 0xFFFFFFFFu

// What a step of the sweeps does for a thread that takes part. In the source it is behind a branch that whole warps can pass by. ptxas
// keeps the branch around what goes down, but predicates the few instructions of what goes up: warps issue them then, and
// nothing else comes of it. `volatile` keeps the accesses as they are written.
__device__ __forceinline__ void add_left(volatile unsigned *places, unsigned left, unsigned right) {
    places[right] = places[right] + places[left];
}

__device__ __forceinline__ void hand_down(volatile unsigned *places, unsigned left, unsigned right) {
    const unsigned sum_of_left = places[left];
    places[left] = places[right];
    places[right] = places[right] + sum_of_left;
}

// The threads whose own places the sums have take part: each step asks for a remainder.
__device__ __forceinline__ void sweep_by_remainder(volatile unsigned *places, unsigned tile, unsigned *total) {
    const unsigned thread = threadIdx.x;
#pragma unroll 1
    for (unsigned span = 2; span <= tile; span *= 2) {
        __syncthreads();
        if (thread % span == span - 1) add_left(places, thread - span / 2, thread);
    }
    if (thread == tile - 1) {
        *total = places[thread];
        places[thread] = 0;
    }
#pragma unroll 1
    for (unsigned span = tile; span >= 2; span /= 2) {
        __syncthreads();
        if (thread % span == span - 1) hand_down(places, thread - span / 2, thread);
    }
    __syncthreads();
}

// In global memory throughout. The last tile, where it is not full, is scanned in `spare`, which has room for a tile.
extern "C" __global__ void prefix_sum_naive(const unsigned *source, unsigned *target, unsigned *totals,
                                            unsigned *spare, unsigned long long elements) {
    const unsigned tile = blockDim.x;
    const unsigned thread = threadIdx.x;
    const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * tile;
    const bool is_full = first + tile <= elements;
    const bool is_there = first + thread < elements;
    unsigned *const places = is_full ? target + first : spare;
    places[thread] = is_there ? source[first + thread] : 0;
    sweep_by_remainder(places, tile, totals + blockIdx.x);
    if (!is_full && is_there) target[first + thread] = places[thread];
}

extern "C" __global__ void prefix_sum_shared_memory(const unsigned *source, unsigned *target, unsigned *totals,
                                                    unsigned long long elements) {
    extern __shared__ unsigned shared_places[];
    const unsigned thread = threadIdx.x;
    const unsigned long long element = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + thread;
    shared_places[thread] = element < elements ? source[element] : 0;
    sweep_by_remainder(shared_places, blockDim.x, totals + blockIdx.x);
    if (element < elements) target[element] = shared_places[thread];
}

// The first threads of the block take part: thread t adds the t-th pair of the step. Where pairs are `distance` apart, the
// right one of pair t is at (t + 1) * 2 * distance - 1.
struct ByMultiplying {
    unsigned pairs;

    __device__ explicit ByMultiplying(unsigned thread) : pairs(thread + 1) {}
    __device__ unsigned going_up(unsigned distance) const { return pairs * (2 * distance) - 1; }
    __device__ unsigned going_down(unsigned distance) const { return going_up(distance); }
    __device__ static unsigned place(unsigned index) { return index; }
};

// The same by shifting where the pair ends from step to step.
struct ByShifting {
    unsigned end;

    __device__ explicit ByShifting(unsigned thread) : end(thread + 1) {}
    __device__ unsigned going_up(unsigned) { return (end <<= 1) - 1; }
    __device__ unsigned going_down(unsigned) {
        const unsigned right = end - 1;
        end >>= 1;
        return right;
    }
    __device__ static unsigned place(unsigned index) { return index; }
};

// The same with a place left empty after as many elements as there are banks.
template <unsigned LOGARITHM_OF_BANKS>
struct ByShiftingPadded : ByShifting {
    __device__ explicit ByShiftingPadded(unsigned thread) : ByShifting(thread) {}
    __device__ static unsigned place(unsigned index) { return index + (index >> LOGARITHM_OF_BANKS); }
};

template <typename Indexing>
__device__ __forceinline__ void sweep_by_leading_threads(volatile unsigned *places, unsigned tile, unsigned *total) {
    Indexing indexing(threadIdx.x);
#pragma unroll 1
    for (unsigned distance = 1; distance < tile; distance *= 2) {
        __syncthreads();
        const unsigned right = indexing.going_up(distance);
        if (right < tile) add_left(places, Indexing::place(right - distance), Indexing::place(right));
    }
    // The thread that added last.
    if (threadIdx.x == 0) {
        *total = places[Indexing::place(tile - 1)];
        places[Indexing::place(tile - 1)] = 0;
    }
#pragma unroll 1
    for (unsigned distance = tile / 2; distance > 0; distance /= 2) {
        __syncthreads();
        const unsigned right = indexing.going_down(distance);
        if (right < tile) hand_down(places, Indexing::place(right - distance), Indexing::place(right));
    }
    __syncthreads();
}

// `ELEMENTS` of a tile for each thread, blockDim.x apart.
template <typename Indexing, unsigned ELEMENTS>
__device__ __forceinline__ void scan_by_leading_threads(const unsigned *source, unsigned *target, unsigned *totals,
                                                        unsigned long long elements) {
    extern __shared__ unsigned places[];
    const unsigned tile = ELEMENTS * blockDim.x;
    const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * tile;
#pragma unroll
    for (unsigned i = 0; i < ELEMENTS; ++i) {
        const unsigned index = threadIdx.x + i * blockDim.x;
        places[Indexing::place(index)] = first + index < elements ? source[first + index] : 0;
    }
    sweep_by_leading_threads<Indexing>(places, tile, totals + blockIdx.x);
#pragma unroll
    for (unsigned i = 0; i < ELEMENTS; ++i) {
        const unsigned index = threadIdx.x + i * blockDim.x;
        if (first + index < elements) target[first + index] = places[Indexing::place(index)];
    }
}

#define LEADING_THREADS(name, INDEXING, ELEMENTS)                                                                      \
    extern "C" __global__ void prefix_sum_##name(const unsigned *source, unsigned *target, unsigned *totals,           \
                                                 unsigned long long elements) {                                        \
        scan_by_leading_threads<INDEXING, ELEMENTS>(source, target, totals, elements);                                 \
    }

LEADING_THREADS(static_thread_reordering, ByMultiplying, 1)
LEADING_THREADS(two_elements_per_thread, ByMultiplying, 2)
LEADING_THREADS(shifts, ByShifting, 2)
LEADING_THREADS(no_bank_conflicts_16, ByShiftingPadded<4>, 2)
LEADING_THREADS(no_bank_conflicts_32, ByShiftingPadded<5>, 2)

__device__ __forceinline__ unsigned inclusive_scan_of_warp(unsigned value) {
    const unsigned lane = threadIdx.x % WARP;
#pragma unroll
    for (unsigned distance = 1; distance < WARP; distance *= 2) {
        const unsigned left = __shfl_up_sync(ALL_LANES, value, distance);
        if (lane >= distance) value += left;
    }
    return value;
}

struct Place {
    unsigned before;
    unsigned total;
};

// What precedes the warp in its block, and what the block sums up to, when each warp has written its total. All warps scan the
// totals for themselves, which spares a second barrier.
__device__ __forceinline__ Place place_in_block(const unsigned *totals_of_warps, unsigned warps) {
    const unsigned lane = threadIdx.x % WARP;
    const unsigned warp = threadIdx.x / WARP;
    const unsigned scanned = inclusive_scan_of_warp(lane < warps ? totals_of_warps[lane] : 0);
    const unsigned before = __shfl_sync(ALL_LANES, scanned, (warp + WARP - 1) % WARP);
    return {warp == 0 ? 0 : before, __shfl_sync(ALL_LANES, scanned, WARP - 1)};
}

// Two elements of a tile for each thread, side by side, and no tree in shared memory: the warp's lanes hand each other
// their sums.
extern "C" __global__ void prefix_sum_warp_shuffle(const unsigned *source, unsigned *target, unsigned *totals,
                                                   unsigned long long elements) {
    __shared__ unsigned totals_of_warps[WARP];
    const unsigned long long element = 2 * (static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x);
    const bool has_both = element + 1 < elements;
    uint2 own = make_uint2(0, 0);
    if (has_both) {
        own = *reinterpret_cast<const uint2 *>(source + element);
    } else if (element < elements) {
        own.x = source[element];
    }
    const unsigned sum = own.x + own.y;
    const unsigned inclusive = inclusive_scan_of_warp(sum);
    if (threadIdx.x % WARP == WARP - 1) totals_of_warps[threadIdx.x / WARP] = inclusive;
    __syncthreads();
    const Place place = place_in_block(totals_of_warps, blockDim.x / WARP);
    const unsigned before = place.before + inclusive - sum;
    if (has_both) {
        *reinterpret_cast<uint2 *>(target + element) = make_uint2(before, before + own.x);
    } else if (element < elements) {
        target[element] = before;
    }
    if (threadIdx.x == 0) totals[blockIdx.x] = place.total;
}

// Elements in vectors of four. A warp's segment is `ROWS` rows of 32 vectors, and each lane has one of every row, so that all
// loads and stores are of neighbouring bytes and no element need be handed from lane to lane.
#define VECTOR 4

template <unsigned ROWS>
__device__ __forceinline__ bool is_whole(unsigned long long first, unsigned long long elements) {
    return first + WARP * VECTOR * ROWS <= elements;
}

// The segment begins at element `first`. What is loaded once need not stay in L1.
template <unsigned ROWS, bool ONCE>
__device__ __forceinline__ void load_segment(const unsigned *source, unsigned long long first,
                                             unsigned long long elements, uint4 *rows) {
    const unsigned lane = threadIdx.x % WARP;
    if (is_whole<ROWS>(first, elements)) {
        const uint4 *const segment = reinterpret_cast<const uint4 *>(source + first) + lane;
#pragma unroll
        for (unsigned i = 0; i < ROWS; ++i) {
            if (ONCE) {
                asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(rows[i].x), "=r"(rows[i].y), "=r"(rows[i].z), "=r"(rows[i].w)
                             : "l"(segment + i * WARP));
            } else {
                rows[i] = segment[i * WARP];
            }
        }
    } else {
#pragma unroll
        for (unsigned i = 0; i < ROWS; ++i) {
            const unsigned long long element = first + VECTOR * (i * WARP + lane);
            rows[i].x = element < elements ? source[element] : 0;
            rows[i].y = element + 1 < elements ? source[element + 1] : 0;
            rows[i].z = element + 2 < elements ? source[element + 2] : 0;
            rows[i].w = element + 3 < elements ? source[element + 3] : 0;
        }
    }
}

// The lane's vector of a row, `before` added to each element; `element` is its first.
template <bool ONCE>
__device__ __forceinline__ void store_vector(unsigned *target, unsigned long long element, bool is_whole,
                                             unsigned long long elements, uint4 vector, unsigned before) {
    vector = make_uint4(vector.x + before, vector.y + before, vector.z + before, vector.w + before);
    if (is_whole) {
        uint4 *const place = reinterpret_cast<uint4 *>(target + element);
        if (ONCE) {
            __stcs(place, vector);
        } else {
            // By name, since nvcc makes one access of an assignment for one row and four of four bytes for another.
            asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                         : : "l"(place), "r"(vector.x), "r"(vector.y), "r"(vector.z), "r"(vector.w) : "memory");
        }
    } else {
        if (element < elements) target[element] = vector.x;
        if (element + 1 < elements) target[element + 1] = vector.y;
        if (element + 2 < elements) target[element + 2] = vector.z;
        if (element + 3 < elements) target[element + 3] = vector.w;
    }
}

template <unsigned ROWS>
__device__ __forceinline__ unsigned sum_of_lane(const uint4 *rows) {
    unsigned sum = 0;
#pragma unroll
    for (unsigned i = 0; i < ROWS; ++i) sum += rows[i].x + rows[i].y + rows[i].z + rows[i].w;
    return sum;
}

template <unsigned ROWS>
__device__ __forceinline__ unsigned total_of_segment(const uint4 *rows) {
    unsigned sum = sum_of_lane<ROWS>(rows);
#pragma unroll
    for (unsigned distance = WARP / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, distance);
    return sum;
}

// In place, from the beginning of the segment. Returns its total.
template <unsigned ROWS>
__device__ __forceinline__ unsigned scan_segment(uint4 *rows) {
    unsigned total = 0;
#pragma unroll
    for (unsigned i = 0; i < ROWS; ++i) {
        const uint4 row = rows[i];
        const unsigned sum = row.x + row.y + row.z + row.w;
        const unsigned inclusive = inclusive_scan_of_warp(sum);
        const unsigned before = total + inclusive - sum;
        rows[i] = make_uint4(before, before + row.x, before + row.x + row.y, before + row.x + row.y + row.z);
        total += __shfl_sync(ALL_LANES, inclusive, WARP - 1);
    }
    return total;
}

// Rows of a segment of `prefix_sum_register_blocked`: eight elements of a thread.
#define REGISTER_BLOCKED_ROWS 2

extern "C" __global__ void prefix_sum_register_blocked(const unsigned *source, unsigned *target, unsigned *totals,
                                                       unsigned long long elements) {
    constexpr unsigned ROWS = REGISTER_BLOCKED_ROWS;
    __shared__ unsigned totals_of_warps[WARP];
    const unsigned warp = threadIdx.x / WARP;
    const unsigned lane = threadIdx.x % WARP;
    const unsigned long long first =
        (static_cast<unsigned long long>(blockIdx.x) * blockDim.x + warp * WARP) * VECTOR * ROWS;
    uint4 rows[ROWS];
    load_segment<ROWS, false>(source, first, elements, rows);
    const unsigned total = scan_segment<ROWS>(rows);
    if (lane == 0) totals_of_warps[warp] = total;
    __syncthreads();
    const Place place = place_in_block(totals_of_warps, blockDim.x / WARP);
    const bool whole = is_whole<ROWS>(first, elements);
#pragma unroll
    for (unsigned i = 0; i < ROWS; ++i) {
        const unsigned long long element = first + VECTOR * (i * WARP + lane);
        store_vector<false>(target, element, whole, elements, rows[i], place.before);
    }
    if (threadIdx.x == 0) totals[blockIdx.x] = place.total;
}

// Adds to each tile of `target` what precedes it. A block does a tile, with as many threads as scanned it.
extern "C" __global__ void prefix_sum_add(unsigned *target, const unsigned *before, unsigned long long elements,
                                          unsigned tile) {
    const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * tile;
    const unsigned preceding = before[blockIdx.x];
#pragma unroll 1
    for (unsigned index = threadIdx.x; index < tile; index += blockDim.x) {
        if (first + index < elements) target[first + index] += preceding;
    }
}

// One pass over the array: a tile learns what precedes it from the tiles before it, which are still at work (Merrill and Garland
// 2016, Single-pass parallel prefix scan with decoupled look-back). Each tile has a state of 64 bits: what it tells, and a sum,
// written and read at once, so that no fence is needed. It first tells its own total, and then, when it knows it, the total of
// all up to itself. Whoever looks back adds totals until it meets one of those.
//
// Tiles are drawn from a counter, so that whatever a tile waits for was begun before it. State 0 is not a tile's: it counts.
#define NOTHING_KNOWN 0u
#define OWN_TOTAL 1u
#define TOTAL_OF_ALL 2u

typedef unsigned long long State;

extern "C" __global__ void prefix_sum_forget_states(State *states, unsigned count) {
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) states[index] = 0;
}

__device__ __forceinline__ State load_state(const State *state) {
    State loaded;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(loaded) : "l"(state) : "memory");
    return loaded;
}

__device__ __forceinline__ void store_state(State *state, unsigned known, unsigned sum) {
    const State stored = static_cast<State>(known) << 32 | sum;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(state), "l"(stored) : "memory");
}

// What precedes tile `tile`, told to all lanes of a warp. Lane l looks at tile - 1 - l, then at 32 tiles before that one, and so on.
__device__ __forceinline__ unsigned look_back(const State *states, unsigned tile) {
    const unsigned lane = threadIdx.x % WARP;
    unsigned sum = 0;
    long long other = static_cast<long long>(tile) - 1 - lane;
    bool is_done = false;
    while (!is_done) {
        const State seen = other < 0 ? static_cast<State>(TOTAL_OF_ALL) << 32 : load_state(states + other);
        const unsigned known = static_cast<unsigned>(seen >> 32);
        const unsigned ends = __ballot_sync(ALL_LANES, known == TOTAL_OF_ALL);
        const unsigned unknown = __ballot_sync(ALL_LANES, known == NOTHING_KNOWN);
        // The lanes up to the nearest one that ends the search, that one included; all if there is none.
        const unsigned needed = ends ^ (ends - 1);
        if ((unknown & needed) == 0) {
            if ((needed >> lane & 1) != 0) sum += static_cast<unsigned>(seen);
            is_done = ends != 0;
            other -= WARP;
        }
    }
#pragma unroll
    for (unsigned distance = WARP / 2; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, distance);
    }
    return sum;
}

template <unsigned THREADS, unsigned ROWS>
__device__ __forceinline__ void scan_in_single_pass(const unsigned *source, unsigned *target, State *states,
                                                    unsigned long long elements) {
    __shared__ unsigned totals_of_warps[WARP];
    __shared__ unsigned told;
    const unsigned warp = threadIdx.x / WARP;
    const unsigned lane = threadIdx.x % WARP;
    if (threadIdx.x == 0) told = atomicAdd(reinterpret_cast<unsigned *>(states), 1u);
    __syncthreads();
    const unsigned tile = told;
    State *const of_tiles = states + 1;
    const unsigned long long first = (static_cast<unsigned long long>(tile) * THREADS + warp * WARP) * VECTOR * ROWS;
    uint4 rows[ROWS];
    load_segment<ROWS, true>(source, first, elements, rows);
    // Others wait for the tile's total, so it is told before the tile is scanned.
    const unsigned total = total_of_segment<ROWS>(rows);
    if (lane == 0) totals_of_warps[warp] = total;
    __syncthreads();
    const Place place = place_in_block(totals_of_warps, THREADS / WARP);
    if (threadIdx.x == 0 && tile > 0) store_state(of_tiles + tile, OWN_TOTAL, place.total);
    scan_segment<ROWS>(rows);
    if (warp == 0) {
        const unsigned preceding = tile == 0 ? 0 : look_back(of_tiles, tile);
        if (lane == 0) {
            store_state(of_tiles + tile, TOTAL_OF_ALL, preceding + place.total);
            told = preceding;
        }
    }
    __syncthreads();
    const unsigned before = told + place.before;
    const bool whole = is_whole<ROWS>(first, elements);
#pragma unroll
    for (unsigned i = 0; i < ROWS; ++i) {
        const unsigned long long element = first + VECTOR * (i * WARP + lane);
        store_vector<true>(target, element, whole, elements, rows[i], before);
    }
}

// The more elements are on their way at once, the faster: `BLOCKS` of a multiprocessor fill its registers with them.
#define SINGLE_PASS(THREADS, ELEMENTS, BLOCKS)                                                                         \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) prefix_sum_single_pass_##THREADS##x##ELEMENTS(       \
        const unsigned *source, unsigned *target, State *states, unsigned long long elements) {                        \
        scan_in_single_pass<THREADS, ELEMENTS / VECTOR>(source, target, states, elements);                             \
    }

SINGLE_PASS(256, 16, 6)
SINGLE_PASS(256, 24, 4)
SINGLE_PASS(256, 32, 5)
SINGLE_PASS(256, 40, 3)
SINGLE_PASS(256, 48, 3)
SINGLE_PASS(512, 32, 2)
SINGLE_PASS(1024, 32, 1)

#include "prefix_sum_resident.cuh"
