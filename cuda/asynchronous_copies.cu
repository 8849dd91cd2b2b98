// Tiles of global memory are brought into shared memory and summed there: what it costs, by the way they are brought and by how many
// are under way at once.
//
// Each block has a share of `slice` tiles of its own and brings in `tiles` of them, from the first to the last and over again. A ring of
// STAGES tiles in shared memory holds what is under way: when a tile has been summed, the next one is brought to its place.
//
// - loads: every thread loads 16 bytes at a time into registers, past L1 as the copies are, and stores them. Its ring is one tile, as registers hold no more.
// - async_copies: every thread has 16 bytes at a time copied past the registers (cp.async), a group of copies for each tile.
// - bulk_copies: one thread has the whole tile copied (cp.async.bulk); all wait at a barrier in shared memory that counts its bytes.
// - bulk_specialised: the same by a warp that does nothing else. It waits for the others at a second barrier of each place.
//
// A thread multiplies its sum by FACTOR before each tile, so the order of the tiles counts. A thread sums other pieces than it brought.
// src/family/asynchronous_copies/reference.rs has the same sums on the host.

#include "block_total.cuh"
#include "bulk_copy.cuh"

#define LANES 32
#define PIECE_BYTES 16
#define FACTOR 5
// Loads of a thread under way at once where they go to registers.
#define LOADS 8
#define STAGES_MAX 8

extern __shared__ __align__(128) unsigned char ring[];

// Where the next tile is in the block's share, and where in the ring.
struct Next {
    size_t source;
    unsigned place;
    unsigned stage;
    unsigned tile_bytes, slice, stages, of_slice;

    __device__ __forceinline__ Next(const unsigned char *set, unsigned slice, unsigned tile_bytes, unsigned stages)
        : source(__cvta_generic_to_global(set) + static_cast<size_t>(blockIdx.x) * slice * tile_bytes),
          place(shared_address(ring)), stage(0), tile_bytes(tile_bytes), slice(slice), stages(stages), of_slice(0) {}

    __device__ __forceinline__ void advance() {
        source += tile_bytes;
        if (++of_slice == slice) {
            of_slice = 0;
            source -= static_cast<size_t>(slice) * tile_bytes;
        }
        place += tile_bytes;
        if (++stage == stages) {
            stage = 0;
            place -= stages * tile_bytes;
        }
    }
};

// Adds up the pieces of the tile at `place` that are a thread's, from the last piece down: those that another thread brought.
__device__ __forceinline__ unsigned sum_of_tile(unsigned place, unsigned tile_bytes, unsigned thread, unsigned threads) {
    unsigned sum = 0;
    const unsigned last = tile_bytes - PIECE_BYTES;
#pragma unroll 4
    for (unsigned at = thread * PIECE_BYTES; at < tile_bytes; at += threads * PIECE_BYTES) {
        unsigned a, b, c, d;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(place + last - at)
                     : "memory");
        sum += a + b + c + d;
    }
    return sum;
}

extern "C" __global__ void asynchronous_copies_loads(const unsigned char *set, unsigned *sums, unsigned slice,
                                                     unsigned tiles, unsigned tile_bytes) {
    Next next(set, slice, tile_bytes, 1);
    const unsigned step = blockDim.x * PIECE_BYTES;
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned tile = 0; tile < tiles; ++tile) {
#pragma unroll 1
        for (unsigned from = threadIdx.x * PIECE_BYTES; from < tile_bytes; from += LOADS * step) {
            unsigned words[LOADS][4];
#pragma unroll
            for (unsigned i = 0; i < LOADS; ++i) {
                if (from + i * step < tile_bytes) {
                    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                                 : "=r"(words[i][0]), "=r"(words[i][1]), "=r"(words[i][2]), "=r"(words[i][3])
                                 : "l"(next.source + from + i * step));
                }
            }
#pragma unroll
            for (unsigned i = 0; i < LOADS; ++i) {
                if (from + i * step < tile_bytes) {
                    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};"
                                 :
                                 : "r"(next.place + from + i * step), "r"(words[i][0]), "r"(words[i][1]),
                                   "r"(words[i][2]), "r"(words[i][3])
                                 : "memory");
                }
            }
        }
        __syncthreads();
        sum = sum * FACTOR + sum_of_tile(next.place, tile_bytes, threadIdx.x, blockDim.x);
        __syncthreads();
        next.advance();
    }
    leave_sum(sums, sum, ring);
}

// Begins to copy a tile, if there is one more, as a group of its own.
__device__ __forceinline__ void copy_asynchronously(Next &next, bool is_there) {
    if (is_there) {
#pragma unroll 4
        for (unsigned from = threadIdx.x * PIECE_BYTES; from < next.tile_bytes; from += blockDim.x * PIECE_BYTES) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                         :
                         : "r"(next.place + from), "l"(next.source + from)
                         : "memory");
        }
        next.advance();
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// The groups that may be under way still are a number in the instruction, so there is a kernel for each depth of the ring.
template <unsigned STAGES>
__device__ __forceinline__ void sum_async_copies(const unsigned char *set, unsigned *sums, unsigned slice, unsigned tiles,
                                                 unsigned tile_bytes) {
    Next next(set, slice, tile_bytes, STAGES);
#pragma unroll 1
    for (unsigned tile = 0; tile < STAGES; ++tile) copy_asynchronously(next, tile < tiles);
    unsigned sum = 0, stage = 0;
#pragma unroll 1
    for (unsigned tile = 0; tile < tiles; ++tile) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
        __syncthreads();
        const unsigned place = shared_address(ring) + stage * tile_bytes;
        sum = sum * FACTOR + sum_of_tile(place, tile_bytes, threadIdx.x, blockDim.x);
        __syncthreads();
        copy_asynchronously(next, tile + STAGES < tiles);
        if (++stage == STAGES) stage = 0;
    }
    leave_sum(sums, sum, ring);
}

#define ASYNC_COPIES(stages)                                                                                            \
    extern "C" __global__ void asynchronous_copies_async_copies_##stages##_stages(                                      \
        const unsigned char *set, unsigned *sums, unsigned slice, unsigned tiles, unsigned tile_bytes) {                \
        sum_async_copies<stages>(set, sums, slice, tiles, tile_bytes);                                                  \
    }
ASYNC_COPIES(1)
ASYNC_COPIES(2)
ASYNC_COPIES(3)
ASYNC_COPIES(4)
ASYNC_COPIES(5)
ASYNC_COPIES(6)
ASYNC_COPIES(7)
ASYNC_COPIES(8)

// Begins to copy a tile, whose bytes complete the phase of the barrier of its place.
__device__ __forceinline__ void copy_in_bulk(Next &next, PhaseBarrier *full) {
    arrive_before(full + next.stage, next.tile_bytes);
    copy_to_shared(ring + next.stage * next.tile_bytes, reinterpret_cast<const void *>(next.source), next.tile_bytes, full + next.stage);
    next.advance();
}

// Barriers of the places that are full, which count bytes, and of those that are empty, which count threads that sum.
struct Barriers {
    PhaseBarrier *full, *empty;
    __device__ __forceinline__ Barriers(unsigned stages, unsigned summing) {
        __shared__ PhaseBarrier barriers[2][STAGES_MAX];
        full = barriers[0];
        empty = barriers[1];
        if (threadIdx.x == 0) {
            for (unsigned i = 0; i < stages; ++i) {
                make_barrier(full + i, 1);
                make_barrier(empty + i, summing);
            }
            show_barriers();
        }
        __syncthreads();
    }
};

extern "C" __global__ void asynchronous_copies_bulk_copies(const unsigned char *set, unsigned *sums, unsigned slice,
                                                           unsigned tiles, unsigned tile_bytes, unsigned stages) {
    Next next(set, slice, tile_bytes, stages);
    const Barriers barriers(stages, 1);
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (unsigned tile = 0; tile < stages && tile < tiles; ++tile) copy_in_bulk(next, barriers.full);
    }
    unsigned sum = 0, stage = 0, parity = 0;
#pragma unroll 1
    for (unsigned tile = 0; tile < tiles; ++tile) {
        wait_for(barriers.full + stage, parity);
        const unsigned place = shared_address(ring) + stage * tile_bytes;
        sum = sum * FACTOR + sum_of_tile(place, tile_bytes, threadIdx.x, blockDim.x);
        __syncthreads();
        if (threadIdx.x == 0 && tile + stages < tiles) copy_in_bulk(next, barriers.full);
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
    leave_sum(sums, sum, ring);
}

extern "C" __global__ void asynchronous_copies_bulk_specialised(const unsigned char *set, unsigned *sums, unsigned slice,
                                                                unsigned tiles, unsigned tile_bytes, unsigned stages) {
    const Barriers barriers(stages, blockDim.x - LANES);
    unsigned sum = 0;
    if (threadIdx.x < LANES) {
        if (threadIdx.x == 0) {
            Next next(set, slice, tile_bytes, stages);
            // The first time round, every place is empty: the phase before a barrier's first one counts as complete.
            unsigned parity = 1;
#pragma unroll 1
            for (unsigned tile = 0; tile < tiles; ++tile) {
                wait_for(barriers.empty + next.stage, parity);
                copy_in_bulk(next, barriers.full);
                if (next.stage == 0) parity ^= 1;
            }
        }
    } else {
        unsigned stage = 0, parity = 0;
#pragma unroll 1
        for (unsigned tile = 0; tile < tiles; ++tile) {
            wait_for(barriers.full + stage, parity);
            const unsigned place = shared_address(ring) + stage * tile_bytes;
            sum = sum * FACTOR + sum_of_tile(place, tile_bytes, threadIdx.x - LANES, blockDim.x - LANES);
            arrive(barriers.empty + stage);
            if (++stage == stages) {
                stage = 0;
                parity ^= 1;
            }
        }
    }
    leave_sum(sums, sum, ring);
}
