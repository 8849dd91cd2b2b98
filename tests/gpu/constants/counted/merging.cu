// Which stores to the same sector become one on their way to L2? The sectors that L2 was asked to write tell: as many as there are
// records where all stores to a record became one, and a multiple of it where none did.

#include "../probe.cuh"

// `lanes` lanes of each warp write WORDS words of a record of their own, in each of `rounds` rounds. Between two words of a record, lane 0
// writes `others` lines that nobody else writes, and all wait for `pause` cycles. Before each round, a warp waits for a time of its own of
// up to `apart` cycles.
template <int WORDS, bool ALONE>
__global__ void write_apart(unsigned *target, unsigned *far, unsigned rounds, size_t round_words, unsigned record_words, unsigned lanes,
                            unsigned others, unsigned pause, unsigned apart) {
    const unsigned lane = threadIdx.x % 32, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (lane >= lanes) return;
    auto wait = [](unsigned cycles) {
        const long long begin = clock64();
        while (clock64() - begin < cycles) {}
    };
    unsigned *away = far + size_t(warp) * rounds * (WORDS - 1) * others * 32;
    for (unsigned round = 0; round < rounds; ++round) {
        unsigned *record = target + round * round_words + (size_t(warp) * 32 + lane) * record_words;
        if (apart > 0) wait(((warp * 7919u + round * 104729u) * 2654435761u >> 16) % apart);
        __syncwarp(lanes == 32 ? 0xffffffffu : (1u << lanes) - 1);
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            asm volatile("st.global.u32 [%0], %1;" : : "l"(record + word), "r"(round) : "memory");
            if (!ALONE && word + 1 < WORDS) {
#pragma unroll 1
                for (unsigned other = 0; other < others; ++other, away += 32) {
                    if (lane == 0) asm volatile("st.global.u32 [%0], %1;" : : "l"(away), "r"(round) : "memory");
                }
                if (pause > 0) wait(pause);
            }
        }
    }
}

// The same of records that were read before, one after the other by each warp.
template <int WORDS>
__global__ void copy_records(const unsigned *source, unsigned *target, unsigned rounds, size_t round_words, unsigned record_words) {
    const size_t thread = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    for (unsigned round = 0; round < rounds; ++round) {
        const size_t record = round * round_words + thread * record_words;
        unsigned words[WORDS];
#pragma unroll
        for (int word = 0; word < WORDS; ++word) asm volatile("ld.global.u32 %0, [%1];" : "=r"(words[word]) : "l"(source + record + word));
#pragma unroll
        for (int word = 0; word < WORDS; ++word) asm volatile("st.global.u32 [%0], %1;" : : "l"(target + record + word), "r"(words[word]) : "memory");
    }
}

struct Setting {
    int blocks, warps;
    unsigned record_words, lanes, others, pause, apart;
};

static const size_t TARGET_BYTES = size_t(256) << 20;

template <int WORDS>
void write(unsigned *target, unsigned *far, const Setting &own) {
    const size_t round_words = size_t(own.blocks) * own.warps * 32 * own.record_words;
    const unsigned rounds = unsigned(std::min<size_t>(16, (size_t(24) << 20) / 4 / round_words));
    const int threads = std::min(own.warps, 8) * 32, blocks = own.blocks * own.warps * 32 / threads;
    if (own.others == 0 && own.pause == 0) write_apart<WORDS, true><<<blocks, threads>>>(target, far, rounds, round_words, own.record_words, own.lanes, 0, 0, own.apart);
    else write_apart<WORDS, false><<<blocks, threads>>>(target, far, rounds, round_words, own.record_words, own.lanes, own.others, own.pause, own.apart);
    CHECK(cudaDeviceSynchronize());
    std::printf("write,words=%d record_words=%u multiprocessors=%d warps=%d lanes=%u others=%u pause=%u apart=%u,%zu,%zu\n", WORDS, own.record_words, own.blocks, own.warps, own.lanes,
                own.others, own.pause, own.apart, size_t(own.blocks) * own.warps * own.lanes * rounds, size_t(own.blocks) * own.warps * rounds * (WORDS - 1) * own.others);
}

template <int WORDS>
void copy(const unsigned *source, unsigned *target, int multiprocessors, int warps, unsigned record_words) {
    const int threads = std::min(warps, 8) * 32, blocks = multiprocessors * warps * 32 / threads;
    const size_t round_words = size_t(blocks) * threads * record_words;
    const unsigned rounds = unsigned(std::min<size_t>(16, (size_t(24) << 20) / 4 / round_words));
    copy_records<WORDS><<<blocks, threads>>>(source, target, rounds, round_words, record_words);
    CHECK(cudaDeviceSynchronize());
    std::printf("copy,words=%d record_words=%u multiprocessors=%d warps=%d,%zu,0\n", WORDS, record_words, multiprocessors, warps, size_t(blocks) * threads * rounds);
}

int main() {
    int all;
    CHECK(cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, 0));
    unsigned *source, *target, *far;
    CHECK(cudaMalloc(&source, TARGET_BYTES));
    CHECK(cudaMalloc(&target, TARGET_BYTES));
    CHECK(cudaMalloc(&far, TARGET_BYTES));
    std::printf("probe,settings,records,others\n");
    for (int blocks : {1, all}) {
        for (unsigned lanes : {1u, 4u, 8u, 12u, 16u, 20u, 22u, 24u, 26u, 28u, 30u, 32u}) write<2>(target, far, {blocks, 1, 32, lanes, 0, 0, 0});
        for (unsigned lanes : {1u, 8u}) {
            for (unsigned pause : {16u, 64u, 128u, 256u, 512u, 1024u, 4096u}) write<2>(target, far, {blocks, 1, 32, lanes, 0, pause, 0});
        }
        for (unsigned others : {1u, 4u, 8u, 16u, 20u, 24u, 25u, 26u, 28u, 32u, 40u}) write<2>(target, far, {blocks, 1, 32, 1, others, 0, 0});
    }
    for (unsigned record_words : {5u, 6u, 7u, 8u}) {
        for (int warps : {1, 2, 3, 4, 5, 6, 8, 16, 32}) write<4>(target, far, {all, warps, record_words, 32, 0, 0, 0});
    }
    for (unsigned apart : {500u, 2000u, 8000u, 32000u}) {
        for (int warps : {1, 4, 8, 16, 32}) write<4>(target, far, {all, warps, 8, 32, 0, 0, apart});
    }
    for (unsigned pause : {8u, 32u, 128u, 512u}) {
        for (int warps : {1, 4, 16}) write<4>(target, far, {all, warps, 8, 32, 0, pause, 8000});
    }
    for (int warps : {1, 2, 4, 8, 16, 32, 64}) {
        copy<2>(source, target, all, warps, 8);
        copy<4>(source, target, all, warps, 8);
        copy<8>(source, target, all, warps, 8);
        copy<4>(source, target, all, warps, 4);
    }
}
