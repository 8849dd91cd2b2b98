// What a turn of a loop over tiles in shared memory takes when no tile has to be waited for, in cycles of one multiprocessor: its wait, its arrival,
// the place that it takes from a ring, the sum of a tile, one after the other. The loops are those of cuda/asynchronous_copies.cu.

#include "../../../cuda/bulk_copy.cuh"
#include "probe.cuh"

static const unsigned TURNS = 512;
static const unsigned NEVER = (1u << 20) - 1;
static const unsigned PLACES = 8;

extern __shared__ __align__(128) unsigned char ring[];

enum Step {
    WAITS,        // asks whether a phase is over that is
    ARRIVES,      // and arrives at another barrier
    TAKES_PLACES, // in a ring of so many as a parameter says
    LOADS,        // and loads 16 bytes of the place
    SUMS,         // and sums so many pieces as a parameter says, in a loop
    BLOCK_WAITS,  // the same with a barrier of the block in place of the arrival, and a branch of one lane behind it
};
static const char *const NAMES[] = {"waits", "arrives", "takes_places", "loads", "sums", "block_waits"};

template <Step STEP>
__global__ void turns(unsigned *out, unsigned *cycles, unsigned tile_bytes, unsigned stages, unsigned turns, unsigned never) {
    __shared__ PhaseBarrier full[PLACES], empty[PLACES];
    if (threadIdx.x < PLACES) {
        make_barrier(full + threadIdx.x, NEVER);
        make_barrier(empty + threadIdx.x, NEVER);
        show_barriers();
    }
    __syncthreads();
    const unsigned begun = clock();
    unsigned sum = 0, stage = 0, parity = 1;
#pragma unroll 1
    for (unsigned turn = 0; turn < turns; ++turn) {
        wait_for(full + stage, parity);
        const unsigned place = shared_address(ring) + stage * tile_bytes;
        unsigned of_tile = 0;
        if (STEP >= SUMS) {
#pragma unroll 4
            for (unsigned at = threadIdx.x * 16; at < tile_bytes; at += blockDim.x * 16) {
                unsigned a, b, c, d;
                asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(place + tile_bytes - 16 - at) : "memory");
                of_tile += a + b + c + d;
            }
        } else if (STEP == LOADS) {
            unsigned a, b, c, d;
            asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(place + threadIdx.x * 16) : "memory");
            of_tile = a + b + c + d;
        }
        sum = sum * 5 + of_tile;
        if (STEP >= ARRIVES && STEP < BLOCK_WAITS) arrive(empty + stage);
        if (STEP == BLOCK_WAITS) {
            __syncthreads();
            if (threadIdx.x == 0 && turn < never) arrive_before(empty + stage, 16);
        }
        if (STEP >= TAKES_PLACES && ++stage == stages) {
            stage = 0;
            parity ^= never;
        }
    }
    if (threadIdx.x == 0) *cycles = clock() - begun;
    out[threadIdx.x] = sum;
}

// The same loops with tiles that are waited for, but not copied: who has a tile summed tells the one that would bring the next, by a barrier of the block or, where
// a warp does nothing else, by an arrival. It arrives for the tile, which all wait for.
template <bool SPECIALISED>
__global__ void handed_over(unsigned *out, unsigned *cycles, unsigned tile_bytes, unsigned stages, unsigned turns) {
    __shared__ PhaseBarrier full[PLACES], empty[PLACES];
    const unsigned first = SPECIALISED ? 32 : 0;
    if (threadIdx.x < PLACES) {
        make_barrier(full + threadIdx.x, 1);
        make_barrier(empty + threadIdx.x, blockDim.x - first);
        show_barriers();
    }
    __syncthreads();
    const unsigned begun = clock();
    unsigned sum = 0, stage = 0, parity = 0;
    if (SPECIALISED && threadIdx.x < first) {
        if (threadIdx.x == 0) {
#pragma unroll 1
            for (unsigned turn = 0; turn < turns; ++turn) {
                wait_for(empty + stage, parity ^ 1);
                arrive(full + stage);
                if (++stage == stages) {
                    stage = 0;
                    parity ^= 1;
                }
            }
        }
    } else {
        if (!SPECIALISED && threadIdx.x == 0) {
            for (unsigned place = 0; place < stages; ++place) arrive(full + place);
        }
#pragma unroll 1
        for (unsigned turn = 0; turn < turns; ++turn) {
            wait_for(full + stage, parity);
            const unsigned place = shared_address(ring) + stage * tile_bytes;
            unsigned of_tile = 0;
#pragma unroll 4
            for (unsigned at = (threadIdx.x - first) * 16; at < tile_bytes; at += (blockDim.x - first) * 16) {
                unsigned a, b, c, d;
                asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(place + tile_bytes - 16 - at) : "memory");
                of_tile += a + b + c + d;
            }
            sum = sum * 5 + of_tile;
            if (SPECIALISED) {
                arrive(empty + stage);
            } else {
                __syncthreads();
                if (threadIdx.x == 0) arrive(full + stage);
            }
            if (++stage == stages) {
                stage = 0;
                parity ^= 1;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) *cycles = clock() - begun;
    out[threadIdx.x] = sum;
}

template <bool SPECIALISED>
static void rows_handed_over(unsigned *out, unsigned *cycles) {
    for (unsigned stages : {1u, 2u, 4u}) {
        for (unsigned tile_bytes : {1024u, 4096u}) {
            for (int time = 0; time < 2; ++time) {
                handed_over<SPECIALISED><<<1, 256, stages * tile_bytes>>>(out, cycles, tile_bytes, stages, TURNS);
                CHECK(cudaDeviceSynchronize());
            }
            ROW("handed_over", double(*cycles) / TURNS, "cycles", "specialised=%d stages=%u tile_bytes=%u", SPECIALISED, stages, tile_bytes);
        }
    }
}

template <Step STEP>
static void rows(unsigned *out, unsigned *cycles) {
    for (unsigned warps : {1u, 7u, 8u}) {
        for (unsigned tile_bytes : {1024u, 4096u, 16384u}) {
            if (STEP < SUMS && tile_bytes > 4096) continue;
            for (int time = 0; time < 2; ++time) {
                turns<STEP><<<1, warps * 32, tile_bytes + 4096>>>(out, cycles, tile_bytes, 1, TURNS, 0);
                CHECK(cudaDeviceSynchronize());
            }
            ROW("tile_loop", double(*cycles) / TURNS, "cycles", "step=%s warps=%u tile_bytes=%u", NAMES[STEP], warps, tile_bytes);
        }
    }
}

int main() {
    unsigned *out, *cycles;
    CHECK(cudaMalloc(&out, 1 << 16));
    CHECK(cudaMallocManaged(&cycles, 4));
    rows<WAITS>(out, cycles);
    rows<ARRIVES>(out, cycles);
    rows<TAKES_PLACES>(out, cycles);
    rows<LOADS>(out, cycles);
    rows<SUMS>(out, cycles);
    rows<BLOCK_WAITS>(out, cycles);
    rows_handed_over<false>(out, cycles);
    rows_handed_over<true>(out, cycles);
}
