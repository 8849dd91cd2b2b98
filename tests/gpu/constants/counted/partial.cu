// Sectors that several stores complete, the first long before the last: how much may lie between them until L2 fills or writes back what is
// incomplete? A row for each launch.

#include "../probe.cuh"

static const unsigned SECTOR_WORDS = 8;

// A block writes `own` sectors, WORDS words of each, then after `idle` cycles the next WORDS of each, until all are complete; then the sectors
// behind those of the other blocks.
template <unsigned WORDS>
__global__ void complete_later(unsigned *target, unsigned own, unsigned rounds, unsigned idle) {
    for (unsigned round = 0; round < rounds; ++round) {
        unsigned *first = target + (size_t(round) * gridDim.x + blockIdx.x) * own * SECTOR_WORDS;
        for (unsigned part = 0; part < SECTOR_WORDS; part += WORDS) {
            for (unsigned word = threadIdx.x; word < own * WORDS; word += blockDim.x) first[word / WORDS * SECTOR_WORDS + part + word % WORDS] = round;
            __syncthreads();
            for (const long long begin = clock64(); clock64() - begin < idle;) {}
        }
    }
}

template <unsigned WORDS>
void probe(unsigned *target, unsigned multiprocessors) {
    for (unsigned own = 64; own <= 16384; own *= 2) {
        const unsigned blocks = multiprocessors * 2, rounds = (1u << 23) / (blocks * own);
        complete_later<WORDS><<<blocks, 512>>>(target, own, rounds, 0);
        CHECK(cudaDeviceSynchronize());
        std::printf("complete_later,words=%u sectors_in_flight=%u,%u\n", WORDS, own * blocks, own * blocks * rounds);
    }
}

// Is it the time until sectors are complete that counts, or what is written meanwhile?
void probe_idle(unsigned *target, unsigned multiprocessors) {
    for (unsigned own : {128u, 512u, 1024u}) {
        for (unsigned idle : {1000u, 10000u, 50000u}) {
            const unsigned blocks = multiprocessors * 2, rounds = 4;
            complete_later<4><<<blocks, 512>>>(target, own, rounds, idle);
            CHECK(cudaDeviceSynchronize());
            std::printf("complete_later,words=4 sectors_in_flight=%u idle_cycles=%u,%u\n", own * blocks, idle, own * blocks * rounds);
        }
    }
}

// Each block writes a tile of TILE * TILE words as naive transpositions do, warp by warp down its columns. Neighbouring blocks are below one
// another, or side by side.
template <unsigned TILE, bool DOWN>
__global__ void write_tile(unsigned *target, unsigned width) {
    const unsigned x = threadIdx.x % TILE, y = threadIdx.x / TILE, tiles = width / TILE;
    const unsigned row = DOWN ? blockIdx.x % tiles : blockIdx.x / tiles, column = DOWN ? blockIdx.x / tiles : blockIdx.x % tiles;
    unsigned *first = target + (size_t(row) * TILE + x) * width + column * TILE;
    for (unsigned own = y; own < TILE; own += blockDim.x / TILE) first[own] = own;
}

template <unsigned TILE, bool DOWN>
void tiles(unsigned *target, unsigned width = 8192) {
    for (unsigned threads = std::max(32u, TILE); threads <= std::min(1024u, TILE * TILE); threads *= 2) {
        write_tile<TILE, DOWN><<<width * width / TILE / TILE, threads>>>(target, width);
        CHECK(cudaDeviceSynchronize());
        std::printf("tiles,tile=%u order=%s threads=%u width=%u,%u\n", TILE, DOWN ? "down" : "across", threads, width, width * width / SECTOR_WORDS);
    }
}

// A thread writes `own` words one behind the other; its neighbour writes those behind them.
__global__ void write_own(unsigned *target, unsigned own) {
    unsigned *first = target + (blockIdx.x * size_t(blockDim.x) + threadIdx.x) * own;
#pragma unroll 1
    for (unsigned word = 0; word < own; ++word) first[word] = word;
}

void owned(unsigned *target) {
    const unsigned words = 1u << 26;
    for (unsigned own = 8; own <= 128; own *= 2) {
        for (unsigned threads : {64u, 256u, 1024u}) {
            write_own<<<words / own / threads, threads>>>(target, own);
            CHECK(cudaDeviceSynchronize());
            std::printf("owned,words=%u threads=%u,%u\n", own, threads, words / SECTOR_WORDS);
        }
    }
}

int main() {
    std::printf("probe,settings,sectors\n");
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    unsigned *target;
    CHECK(cudaMalloc(&target, size_t(1) << 30));
    probe<1>(target, properties.multiProcessorCount);
    probe<2>(target, properties.multiProcessorCount);
    probe<4>(target, properties.multiProcessorCount);
    probe<8>(target, properties.multiProcessorCount);
    probe_idle(target, properties.multiProcessorCount);
    tiles<8, true>(target);
    tiles<8, false>(target);
    tiles<16, true>(target);
    tiles<16, false>(target);
    tiles<32, true>(target);
    tiles<32, false>(target);
    tiles<64, true>(target);
    tiles<64, false>(target);
    for (unsigned width : {4096u, 8224u, 16384u}) {
        tiles<16, true>(target, width);
        tiles<32, true>(target, width);
        tiles<32, false>(target, width);
    }
    owned(target);
}
