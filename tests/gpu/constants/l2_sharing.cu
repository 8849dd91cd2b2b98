// Bandwidth of L2 by whose the data are: each block reads a part of its own, or all blocks read all, at once or each from a place of its own on.

#include "probe.cuh"

#define LOAD_16(name, instruction)                                                                        \
    struct name {                                                                                         \
        __device__ __forceinline__ static unsigned load(const char *place) {                              \
            unsigned a, b, c, d;                                                                          \
            asm volatile(instruction ".v4.u32 {%0, %1, %2, %3}, [%4];"                                    \
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d)                                             \
                         : "l"(place));                                                                   \
            return a + b + c + d;                                                                         \
        }                                                                                                 \
    };
LOAD_16(ThroughL1, "ld.global")
LOAD_16(PastL1, "ld.global.cg")

enum Readers { OWN_PARTS, ALL_AT_ONCE, ALL_FROM_OWN_PLACES };

// `chunks` chunks of `LOADS` words of 16 bytes for each thread of a block; a block reads `batches` of them, round and round.
template <typename Load, int LOADS, Readers READERS>
__global__ void read_often(const char *set, unsigned *sink, unsigned chunks, unsigned batches) {
    const size_t chunk_bytes = size_t(blockDim.x) * 16 * LOADS;
    const unsigned part = READERS == OWN_PARTS ? chunks / gridDim.x : chunks;
    const char *own = set + 16 * threadIdx.x + (READERS == OWN_PARTS ? size_t(blockIdx.x) * part * chunk_bytes : 0);
    unsigned chunk = READERS == ALL_FROM_OWN_PLACES ? unsigned(size_t(blockIdx.x) * chunks / gridDim.x) : 0;
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned batch = 0; batch < batches; ++batch) {
        unsigned words[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; ++i) words[i] = Load::load(own + chunk * chunk_bytes + size_t(i) * blockDim.x * 16);
#pragma unroll
        for (int i = 0; i < LOADS; ++i) sum += words[i];
        if (++chunk == part) chunk = 0;
    }
    if (sum == 0x12345) *sink = sum;
}

template <typename Load, int LOADS, Readers READERS>
double tb_per_s(Bench &bench, const char *set, size_t mib, int threads, int blocks_of_one) {
    const int blocks = bench.multiprocessors * blocks_of_one;
    const size_t chunk_bytes = size_t(threads) * 16 * LOADS;
    unsigned chunks = unsigned((mib << 20) / chunk_bytes);
    if (READERS == OWN_PARTS) chunks = chunks / blocks * blocks;
    if (chunks == 0) return 0;
    const unsigned batches = unsigned(2e9 / (double(chunk_bytes) * blocks));
    const double time = bench.warm_us([&] { read_often<Load, LOADS, READERS><<<blocks, threads, 0, bench.stream>>>(set, bench.sink, chunks, batches); }, 3);
    return double(chunk_bytes) * blocks * batches / time / 1e6;
}

// The most of four ways to have much in flight.
template <typename Load, Readers READERS>
void rates(Bench &bench, const char *set, const char *loads, const char *readers) {
    for (size_t mib : {4, 8, 16, 24, 32, 44}) {
        double most = 0;
        for (int threads : {512, 1024}) {
            most = std::max(most, tb_per_s<Load, 2, READERS>(bench, set, mib, threads, 1024 / threads));
            most = std::max(most, tb_per_s<Load, 4, READERS>(bench, set, mib, threads, 1024 / threads));
            most = std::max(most, tb_per_s<Load, 2, READERS>(bench, set, mib, threads, 2048 / threads));
            most = std::max(most, tb_per_s<Load, 4, READERS>(bench, set, mib, threads, 2048 / threads));
        }
        // A small set has no whole chunk for each block.
        if (most > 0) ROW("l2_sharing", most, "TB/s", "loads=%s readers=%s set_mib=%zu", loads, readers, mib);
    }
}

template <typename Load>
void rates_of(Bench &bench, const char *set, const char *loads) {
    rates<Load, OWN_PARTS>(bench, set, loads, "own_parts");
    rates<Load, ALL_AT_ONCE>(bench, set, loads, "all_at_once");
    rates<Load, ALL_FROM_OWN_PLACES>(bench, set, loads, "all_from_own_places");
}

int main() {
    Bench bench;
    char *set;
    CHECK(cudaMalloc(&set, size_t(64) << 20));
    CHECK(cudaMemset(set, 1, size_t(64) << 20));
    rates_of<ThroughL1>(bench, set, "through_l1");
    rates_of<PastL1>(bench, set, "past_l1");
}
