// What L2 brings in beside what is loaded: each warp follows a chain of loads through places that lie one after another, and asks L2 for more than a sector, or for what comes later.
//
// A warp has `accesses` places of its own, each `stride` bytes behind the one before it. A place holds where in them the next one is, in bytes, and a
// number that is added up. All lanes of a warp load the same place. The loads pass L1 by, so that every one of them asks L2.
//
// `cycles` is what the chain takes by the multiprocessor's own clock.
//
// The loads are inline PTX, because they differ in nothing but what they ask of L2.
// src/family/l2_sectors/workload.rs makes the chain on the host, and adds it up.

#include "clock.cuh"

#define LANES 32
#define UNROLLED 8

#define LOAD(Name, instruction)                                                                                        \
    struct Name {                                                                                                      \
        __device__ __forceinline__ static uint2 load(size_t place) {                                                   \
            uint2 words;                                                                                               \
            asm volatile(instruction " {%0, %1}, [%2];" : "=r"(words.x), "=r"(words.y) : "l"(place));                  \
            return words;                                                                                              \
        }                                                                                                              \
    };
LOAD(AsUsual, "ld.global.cg.v2.u32")
LOAD(Promoted64, "ld.global.cg.L2::64B.v2.u32")
LOAD(Promoted128, "ld.global.cg.L2::128B.v2.u32")
LOAD(Promoted256, "ld.global.cg.L2::256B.v2.u32")

struct NoPrefetch {
    __device__ __forceinline__ static void ahead(size_t, unsigned, unsigned, unsigned) {}
};

struct Prefetch {
    // Of the place so many bytes ahead, or of the last one.
    __device__ __forceinline__ static void ahead(size_t part, unsigned place, unsigned distance, unsigned last) {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(part + min(place + distance, last)));
    }
};

template <typename Load, typename Ahead>
__device__ __forceinline__ void follow(const unsigned char *set, unsigned *sums, unsigned *cycles, unsigned accesses,
                                       unsigned stride, unsigned distance) {
    const unsigned warp = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES;
    const unsigned part_bytes = accesses * stride;
    const size_t part = __cvta_generic_to_global(set) + static_cast<size_t>(warp) * part_bytes;
    const unsigned last = part_bytes - stride;
    unsigned place = 0;
    unsigned sum = 0;
    const unsigned begin = clock_now();
#pragma unroll 1
    for (unsigned turn = 0; turn < accesses; turn += UNROLLED) {
#pragma unroll
        for (int i = 0; i < UNROLLED; ++i) {
            Ahead::ahead(part, place, distance, last);
            const uint2 words = Load::load(part + place);
            place = words.x;
            sum += words.y;
        }
    }
    store_cycles(cycles, begin);
    // The last place leads behind all of them.
    if (threadIdx.x % LANES == 0) sums[warp] = sum + place;
}

#define KERNEL(name, Load, Ahead)                                                                                      \
    extern "C" __global__ void l2_sectors_##name(const unsigned char *set, unsigned *sums, unsigned *cycles,           \
                                                 unsigned accesses, unsigned stride, unsigned distance) {              \
        follow<Load, Ahead>(set, sums, cycles, accesses, stride, distance);                                            \
    }

KERNEL(plain, AsUsual, NoPrefetch)
KERNEL(promoted_64, Promoted64, NoPrefetch)
KERNEL(promoted_128, Promoted128, NoPrefetch)
KERNEL(promoted_256, Promoted256, NoPrefetch)
KERNEL(prefetch, AsUsual, Prefetch)
