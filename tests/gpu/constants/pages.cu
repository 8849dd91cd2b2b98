// Addresses far apart: does it cost, beside the lines themselves, how many pages of memory they are in? All data
// fits L2 but for the widest matrices; 32 GiB of memory are reserved, so that pages are many.

#include "probe.cuh"

static const size_t PAGE_WORDS = (size_t(2) << 20) / 4;
static const unsigned LINES = 1 << 17;

__device__ __forceinline__ unsigned mixed(unsigned value) {
    value ^= value >> 16;
    value *= 0x7feb352du;
    value ^= value >> 15;
    value *= 0x846ca68bu;
    return value ^ value >> 16;
}

// A warp's access goes to 32 lines in `together` pages, chosen at random among `pages`. In each page are LINES / pages lines, 16 MiB in all.
template <bool STORES>
__global__ void random_lines(unsigned *data, unsigned pages, unsigned together, unsigned rounds, unsigned *sink) {
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const unsigned lines_of_page = LINES / pages;
    unsigned sum = 0;
#pragma unroll 4
    for (unsigned round = 0; round < rounds; ++round) {
        const unsigned page = mixed((warp * 4096 + round) * 32 + lane % together) % pages;
        const unsigned line = mixed(~((warp * 4096 + round) * 32 + lane)) % lines_of_page;
        // Lines of a page are spread over all of it.
        unsigned *word = data + page * PAGE_WORDS + size_t(line) * (PAGE_WORDS / 32 / lines_of_page) * 32;
        if (STORES) asm volatile("st.global.u32 [%0], %1;" ::"l"(word), "r"(round) : "memory");
        else {
            unsigned value;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(word));
            sum += value;
        }
    }
    if (sum == 0x12345) *sink = sum;
}

template <bool STORES>
void random_pages(Bench &bench, unsigned *data) {
    for (unsigned pages = 8; pages <= 16384; pages *= 2) {
        for (unsigned together : {1u, 4u, 32u}) {
            const int blocks = bench.multiprocessors * 8;
            auto work = [&](unsigned rounds) { random_lines<STORES><<<blocks, 256, 0, bench.stream>>>(data, pages, together, rounds, bench.sink); };
            const double time = bench.warm_us([&] { work(128); }, 5) - bench.warm_us([&] { work(64); }, 5);
            ROW("random", time * 1e6 / (64.0 * blocks * 256), "ps/line", "op=%s pages=%u together=%u", STORES ? "stores" : "loads", pages, together);
        }
    }
}

// Each block writes a tile of TILE * TILE words as naive transpositions do, warp by warp down its columns; a row of the matrix has `pitch`
// words, of which `columns` are written. Neighbouring blocks are below one another, or side by side.
template <unsigned TILE, bool DOWN>
__global__ void write_tile(unsigned *target, size_t pitch, unsigned columns_log2, unsigned rows_log2) {
    const unsigned x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    const unsigned across_log2 = columns_log2 - (TILE == 16 ? 4 : 5), down_log2 = rows_log2 - (TILE == 16 ? 4 : 5);
    const unsigned row = DOWN ? blockIdx.x & ((1u << down_log2) - 1) : blockIdx.x >> across_log2;
    const unsigned column = DOWN ? blockIdx.x >> down_log2 : blockIdx.x & ((1u << across_log2) - 1);
    unsigned *first = target + (size_t(row) * TILE + x) * pitch + column * TILE;
    for (unsigned own = y; own < TILE; own += blockDim.x / TILE) first[own] = own;
}

template <unsigned TILE, bool DOWN>
void tall(Bench &bench, unsigned *target) {
    for (unsigned columns_log2 : {9u, 13u}) {
        for (unsigned pitch_log2 : {9u, 13u, 14u, 17u}) {
            if (pitch_log2 < columns_log2) continue;
            for (unsigned threads : {64u, 128u, 256u, 1024u}) {
                if (threads > TILE * TILE) continue;
                auto work = [&](unsigned log2) { write_tile<TILE, DOWN><<<(1u << (log2 + 13)) / TILE / TILE, threads, 0, bench.stream>>>(target, size_t(1) << pitch_log2, log2, 13); };
                // The whole matrix less its left half.
                const double time = bench.warm_us([&] { work(columns_log2); }, 8) - bench.warm_us([&] { work(columns_log2 - 1); }, 8);
                const double lines = double(1ull << (columns_log2 - 1 + 13)) / 32 * TILE;
                ROW("tall", time * 1e6 / lines, "ps/line", "tile=%u order=%s columns=%u pitch_words=%u threads=%u", TILE, DOWN ? "down" : "across", 1u << columns_log2, 1u << pitch_log2, threads);
            }
        }
    }
}

int main() {
    Bench bench;
    unsigned *data;
    CHECK(cudaMalloc(&data, size_t(32) << 30));
    CHECK(cudaMemset(data, 1, size_t(32) << 30));
    random_pages<false>(bench, data);
    random_pages<true>(bench, data);
    tall<16, true>(bench, data);
    tall<16, false>(bench, data);
    tall<32, true>(bench, data);
    tall<32, false>(bench, data);
}
