// Prefix sums by blocks that stay: all are resident at once and take tiles in turn, block b the tiles b, b + gridDim.x, and so on. What
// precedes a tile is then what preceded the block's last one, and the gridDim.x totals from there on: no tile waits for
// another's prefix, only for totals, which are told as soon as a tile has arrived. Part of prefix_sum.cu.

#pragma once

// The block's own states are forgotten. Then it waits until all blocks have: `met` is 0 before the first launch, and counts
// up to a multiple of gridDim.x in each.
__device__ __forceinline__ void forget_own_states(State *states, unsigned long long tiles) {
    for (unsigned long long tile = blockIdx.x + static_cast<unsigned long long>(threadIdx.x) * gridDim.x; tile < tiles;
         tile += static_cast<unsigned long long>(blockDim.x) * gridDim.x) {
        states[tile] = 0;
    }
}

// By one thread, after a barrier of the block.
__device__ __forceinline__ void meet_all_blocks(unsigned *met) {
    unsigned others;
    __threadfence();
    // Launches take turns to count up and back to 0.
    asm volatile("atom.inc.acq_rel.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(others) : "l"(met), "r"(2 * gridDim.x - 1) : "memory");
    const bool counts_up = others < gridDim.x;
    unsigned now;
    do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(met) : "memory");
    } while ((now < gridDim.x) == counts_up);
}

// The sum of the totals of the last gridDim.x tiles before this one, told to all lanes of a warp.
__device__ __forceinline__ unsigned sum_since_last(const State *states, unsigned long long tile) {
    // Loads on their way at once.
    constexpr unsigned LOADS = 5;
    const unsigned long long first = tile < gridDim.x ? 0 : tile - gridDim.x;
    unsigned sum = 0;
    for (unsigned long long from = first + threadIdx.x % WARP; from < tile; from += LOADS * WARP) {
        State seen[LOADS];
        bool are_known;
        do {
            are_known = true;
#pragma unroll
            for (unsigned i = 0; i < LOADS; ++i) {
                const unsigned long long other = from + i * WARP;
                seen[i] = other < tile ? load_state(states + other) : static_cast<State>(OWN_TOTAL) << 32;
            }
#pragma unroll
            for (unsigned i = 0; i < LOADS; ++i) are_known &= seen[i] >> 32 != NOTHING_KNOWN;
        } while (!are_known);
#pragma unroll
        for (unsigned i = 0; i < LOADS; ++i) sum += static_cast<unsigned>(seen[i]);
    }
    __syncwarp();
#pragma unroll
    for (unsigned distance = WARP / 2; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, distance);
    }
    return sum;
}

template <unsigned ROWS>
__device__ __forceinline__ void store_segment(unsigned *target, unsigned long long first, unsigned long long elements,
                                              const uint4 *rows, unsigned before) {
    const bool whole = is_whole<ROWS>(first, elements);
#pragma unroll
    for (unsigned i = 0; i < ROWS; ++i) {
        store_vector<true>(target, first + VECTOR * (i * WARP + threadIdx.x % WARP), whole, elements, rows[i], before);
    }
}

template <unsigned ROWS>
__device__ __forceinline__ void load_from_shared(const unsigned *segment, uint4 *rows) {
    const uint4 *const vectors = reinterpret_cast<const uint4 *>(segment) + threadIdx.x % WARP;
#pragma unroll
    for (unsigned i = 0; i < ROWS; ++i) rows[i] = vectors[i * WARP];
}

// In one instruction, which GPUs with bulk copies have.
__device__ __forceinline__ unsigned sum_of_warp(unsigned value) {
    unsigned sum;
    asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(value));
    return sum;
}

// Where a tile's place in the ring is, and the parity of its barriers there.
template <unsigned STAGES>
struct Stage {
    unsigned index = 0, parity = 0;

    __device__ __forceinline__ void step() {
        if (++index == STAGES) {
            index = 0;
            parity ^= 1;
        }
    }
};

// All warps of a block scan a tile together. Where `STAGES` is not 0, tiles come by bulk copies into a ring of so many, and go
// on to come while others are scanned; otherwise they are loaded when their turn comes.
template <unsigned THREADS, unsigned ROWS, unsigned STAGES>
__device__ __forceinline__ void scan_in_turn(const unsigned *source, unsigned *target, State *states, unsigned *met,
                                             unsigned long long elements) {
    constexpr unsigned SEGMENT = WARP * VECTOR * ROWS;
    constexpr unsigned TILE = THREADS / WARP * SEGMENT;
    extern __shared__ __align__(128) unsigned ring[];
    __shared__ PhaseBarrier arrived[STAGES > 0 ? STAGES : 1];
    __shared__ unsigned totals_of_warps[WARP];
    __shared__ unsigned told;
    const unsigned long long tiles = (elements + TILE - 1) / TILE;
    const unsigned warp = threadIdx.x / WARP;
    const unsigned lane = threadIdx.x % WARP;
    const auto fetch = [&](unsigned long long tile, unsigned stage) {
        if (tile < elements / TILE) {
            arrive_before(arrived + stage, TILE * sizeof(unsigned));
            copy_to_shared(ring + stage * TILE, source + tile * TILE, TILE * sizeof(unsigned), arrived + stage);
        }
    };
    forget_own_states(states, tiles);
    if (STAGES > 0 && threadIdx.x == 0) {
        for (int stage = 0; stage < static_cast<int>(STAGES); ++stage) make_barrier(arrived + stage, 1);
        show_barriers();
        for (int stage = 0; stage < static_cast<int>(STAGES); ++stage) {
            fetch(blockIdx.x + static_cast<unsigned long long>(stage) * gridDim.x, stage);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) meet_all_blocks(met);
    __syncthreads();
    Stage<STAGES> stage;
    unsigned preceding = 0;
    for (unsigned long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const unsigned long long first = tile * TILE + warp * SEGMENT;
        uint4 rows[ROWS];
        if (STAGES > 0 && tile < elements / TILE) {
            wait_for(arrived + stage.index, stage.parity);
            load_from_shared<ROWS>(ring + stage.index * TILE + warp * SEGMENT, rows);
        } else {
            load_segment<ROWS, true>(source, first, elements, rows);
        }
        const unsigned total = total_of_segment<ROWS>(rows);
        if (lane == 0) totals_of_warps[warp] = total;
        __syncthreads();
        const Place place = place_in_block(totals_of_warps, THREADS / WARP);
        if (threadIdx.x == 0) {
            store_state(states + tile, OWN_TOTAL, place.total);
            if (STAGES > 0) fetch(tile + static_cast<unsigned long long>(STAGES) * gridDim.x, stage.index);
        }
        scan_segment<ROWS>(rows);
        if (warp == 0) {
            preceding += sum_since_last(states, tile);
            if (lane == 0) told = preceding;
        }
        __syncthreads();
        store_segment<ROWS>(target, first, elements, rows, told + place.before);
        if (STAGES > 0) stage.step();
    }
}

// The same with warps that each have one thing to do, so that none waits for the others' work on the same tile: one copies
// tiles into the ring, three add them up, one looks back, and twelve scan a segment each and copy it to global memory.
#define SCANNING_WARPS 12
#define ADDING_WARPS 3
#define SPECIALISED_STAGES 9
#define SPECIALISED_ROWS 4

struct Ring {
    PhaseBarrier arrived[SPECIALISED_STAGES];
    PhaseBarrier added[SPECIALISED_STAGES];
    PhaseBarrier preceded[SPECIALISED_STAGES];
    PhaseBarrier freed[SPECIALISED_STAGES];
    // What precedes a tile, and in it each of its segments.
    unsigned before_tile[SPECIALISED_STAGES];
    unsigned before_segment[SPECIALISED_STAGES][SCANNING_WARPS];
};

struct Tiles {
    const unsigned *source;
    unsigned *target;
    State *states;
    unsigned long long elements;
    unsigned long long count;
    unsigned *places;

    static constexpr unsigned SEGMENT = WARP * VECTOR * SPECIALISED_ROWS;
    static constexpr unsigned TILE = SCANNING_WARPS * SEGMENT;

    __device__ __forceinline__ unsigned *segment(unsigned stage, unsigned segment) const {
        return places + stage * TILE + segment * SEGMENT;
    }

    // The last tile does not come by a bulk copy unless it is whole.
    __device__ __forceinline__ bool comes_by_copy(unsigned long long tile) const { return tile < elements / TILE; }

    template <bool BY_COPY>
    __device__ __forceinline__ void load(unsigned long long tile, unsigned stage, unsigned index, uint4 *rows) const {
        if (BY_COPY) {
            load_from_shared<SPECIALISED_ROWS>(segment(stage, index), rows);
        } else {
            load_segment<SPECIALISED_ROWS, false>(source, tile * TILE + index * SEGMENT, elements, rows);
        }
    }

    // Lane l has the total of segment l.
    template <bool BY_COPY>
    __device__ __forceinline__ unsigned totals_of_segments(unsigned long long tile, unsigned stage) const {
        unsigned own = 0;
#pragma unroll
        for (unsigned index = 0; index < SCANNING_WARPS; ++index) {
            uint4 rows[SPECIALISED_ROWS];
            load<BY_COPY>(tile, stage, index, rows);
            const unsigned total = sum_of_warp(sum_of_lane<SPECIALISED_ROWS>(rows));
            if (threadIdx.x % WARP == index) own = total;
        }
        return own;
    }
};

__device__ __forceinline__ void copy_tiles(const Tiles &tiles, Ring &ring) {
    Stage<SPECIALISED_STAGES> stage;
    bool is_first_round = true;
    for (unsigned long long tile = blockIdx.x; tile < tiles.count; tile += gridDim.x) {
        if (!is_first_round) wait_for(ring.freed + stage.index, stage.parity ^ 1);
        if (tiles.comes_by_copy(tile)) {
            const unsigned bytes = Tiles::TILE * sizeof(unsigned);
            arrive_before(ring.arrived + stage.index, bytes);
            copy_to_shared(tiles.segment(stage.index, 0), tiles.source + tile * Tiles::TILE, bytes,
                           ring.arrived + stage.index);
        } else {
            arrive(ring.arrived + stage.index);
        }
        stage.step();
        if (stage.index == 0) is_first_round = false;
    }
}

// Warp `adder` adds up every tile of its own stages: others would take the phase after next for this one.
__device__ __forceinline__ void add_tiles(const Tiles &tiles, Ring &ring, unsigned adder) {
    static_assert(SPECIALISED_STAGES % ADDING_WARPS == 0, "a stage is one warp's");
    const unsigned lane = threadIdx.x % WARP;
    Stage<SPECIALISED_STAGES> stage;
    for (unsigned long long tile = blockIdx.x; tile < tiles.count; tile += gridDim.x, stage.step()) {
        if (stage.index % ADDING_WARPS != adder) continue;
        wait_for(ring.arrived + stage.index, stage.parity);
        const unsigned own = tiles.comes_by_copy(tile) ? tiles.totals_of_segments<true>(tile, stage.index)
                                                       : tiles.totals_of_segments<false>(tile, stage.index);
        const unsigned inclusive = inclusive_scan_of_warp(own);
        if (lane == WARP - 1) store_state(tiles.states + tile, OWN_TOTAL, inclusive);
        if (lane < SCANNING_WARPS) {
            ring.before_segment[stage.index][lane] = inclusive - own;
            arrive(ring.added + stage.index);
        }
    }
}

__device__ __forceinline__ void look_back_at_tiles(const Tiles &tiles, Ring &ring) {
    Stage<SPECIALISED_STAGES> stage;
    unsigned preceding = 0;
    for (unsigned long long tile = blockIdx.x; tile < tiles.count; tile += gridDim.x, stage.step()) {
        preceding += sum_since_last(tiles.states, tile);
        // The stage is this tile's by then: who scanned the one before has read what preceded that.
        wait_for(ring.added + stage.index, stage.parity);
        if (threadIdx.x % WARP == 0) {
            ring.before_tile[stage.index] = preceding;
            arrive(ring.preceded + stage.index);
        }
        __syncwarp();
    }
}

__device__ __forceinline__ void scan_tiles(const Tiles &tiles, Ring &ring, unsigned segment) {
    constexpr unsigned ROWS = SPECIALISED_ROWS;
    const unsigned lane = threadIdx.x % WARP;
    Stage<SPECIALISED_STAGES> stage;
    for (unsigned long long tile = blockIdx.x; tile < tiles.count; tile += gridDim.x, stage.step()) {
        wait_for(ring.added + stage.index, stage.parity);
        uint4 rows[ROWS];
        if (tiles.comes_by_copy(tile)) {
            tiles.load<true>(tile, stage.index, segment, rows);
        } else {
            tiles.load<false>(tile, stage.index, segment, rows);
        }
        scan_segment<ROWS>(rows);
        wait_for(ring.preceded + stage.index, stage.parity);
        const unsigned before = ring.before_tile[stage.index] + ring.before_segment[stage.index][segment];
        const unsigned long long first = tile * Tiles::TILE + segment * Tiles::SEGMENT;
        if (is_whole<ROWS>(first, tiles.elements)) {
            unsigned *const place = tiles.segment(stage.index, segment);
            uint4 *const vectors = reinterpret_cast<uint4 *>(place) + lane;
#pragma unroll
            for (unsigned i = 0; i < ROWS; ++i) {
                vectors[i * WARP] =
                    make_uint4(rows[i].x + before, rows[i].y + before, rows[i].z + before, rows[i].w + before);
            }
            show_to_copies();
            __syncwarp();
            if (lane == 0) {
                copy_to_global(tiles.target + first, place, Tiles::SEGMENT * sizeof(unsigned));
                wait_until_read();
            }
        } else {
            store_segment<ROWS>(tiles.target, first, tiles.elements, rows, before);
        }
        // All lanes arrive, since all have used the stage; of one lane racecheck does not see that it speaks for the others.
        __syncwarp();
        arrive(ring.freed + stage.index);
    }
    if (lane == 0) wait_until_written();
}

#define SPECIALISED_THREADS ((SCANNING_WARPS + ADDING_WARPS + 2) * WARP)

extern "C" __global__ void __launch_bounds__(SPECIALISED_THREADS, 1) prefix_sum_specialised_warps(
    const unsigned *source, unsigned *target, State *states, unsigned *met, unsigned long long elements) {
    extern __shared__ __align__(128) unsigned ring_of_tiles[];
    __shared__ Ring ring;
    const Tiles tiles{source, target, states, elements, (elements + Tiles::TILE - 1) / Tiles::TILE, ring_of_tiles};
    const unsigned warp = threadIdx.x / WARP;
    forget_own_states(states, tiles.count);
    if (threadIdx.x == 0) {
        for (unsigned stage = 0; stage < SPECIALISED_STAGES; ++stage) {
            make_barrier(ring.arrived + stage, 1);
            make_barrier(ring.added + stage, SCANNING_WARPS);
            make_barrier(ring.preceded + stage, 1);
            make_barrier(ring.freed + stage, SCANNING_WARPS * WARP);
        }
        show_barriers();
    }
    __syncthreads();
    if (warp < SCANNING_WARPS) {
        scan_tiles(tiles, ring, warp);
    } else if (warp == SCANNING_WARPS) {
        // Tiles come while the blocks meet.
        if (threadIdx.x % WARP == 0) copy_tiles(tiles, ring);
    } else {
        // Totals are told and looked at when no block's states are those of the launch before.
        if (threadIdx.x == (SCANNING_WARPS + 1) * WARP) meet_all_blocks(met);
        asm volatile("bar.sync 1, %0;" : : "n"((ADDING_WARPS + 1) * WARP) : "memory");
        if (warp == SCANNING_WARPS + 1) {
            look_back_at_tiles(tiles, ring);
        } else {
            add_tiles(tiles, ring, warp - SCANNING_WARPS - 2);
        }
    }
}

#define IN_TURN(NAME, THREADS, ROWS, STAGES, BLOCKS)                                                                   \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) prefix_sum_##NAME(                                   \
        const unsigned *source, unsigned *target, State *states, unsigned *met, unsigned long long elements) {         \
        scan_in_turn<THREADS, ROWS, STAGES>(source, target, states, met, elements);                                    \
    }

IN_TURN(resident_blocks, 256, 12, 0, 3)
IN_TURN(bulk_copies, 512, 4, 3, 2)
