// What atomics of global and shared memory cost by contention, and what barriers cost: of a block, and of the grid piece by piece.

#include "probe.cuh"

// Lane i of warp w adds to word  (w % warps_apart) * warp_words + (i % lanes_apart) * lane_words.
__global__ void reduce_global(unsigned *counters, unsigned per_thread, unsigned warps_apart, unsigned warp_words, unsigned lanes_apart, unsigned lane_words) {
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned *own = counters + size_t(warp % warps_apart) * warp_words + (lane % lanes_apart) * lane_words;
    for (unsigned i = 0; i < per_thread; ++i) asm volatile("red.global.add.u32 [%0], %1;" : : "l"(own), "r"(i) : "memory");
}

__global__ void reduce_global_f32(float *counters, unsigned per_thread, unsigned warps_apart, unsigned warp_words, unsigned lanes_apart, unsigned lane_words) {
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float *own = counters + size_t(warp % warps_apart) * warp_words + (lane % lanes_apart) * lane_words;
    for (unsigned i = 0; i < per_thread; ++i) asm volatile("red.global.add.f32 [%0], %1;" : : "l"(own), "f"(1.0f) : "memory");
}

__global__ void reduce_shared(unsigned per_thread, unsigned lanes_apart, unsigned warps_apart, int is_float, unsigned long long *cycles) {
    __shared__ unsigned counters[2048];
    for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) counters[i] = 0;
    __syncthreads();
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned *own = counters + (warp % warps_apart) * 32 + lane % lanes_apart;
    const unsigned address = unsigned(__cvta_generic_to_shared(own));
    const long long begin = clock64();
    if (is_float) {
        for (unsigned i = 0; i < per_thread; ++i) atomicAdd(reinterpret_cast<float *>(own), 1.0f);
    } else {
        for (unsigned i = 0; i < per_thread; ++i) asm volatile("red.shared.add.u32 [%0], %1;" : : "r"(address), "r"(i) : "memory");
    }
    __syncthreads();
    const long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = end - begin;
}

__global__ void block_barriers(unsigned count, unsigned long long *cycles) {
    extern __shared__ unsigned place[];
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i) __syncthreads();
    const long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = end - begin;
    if (count == 0) place[threadIdx.x] = 1;
}

// One thread of each block; cycles of one of `count` operations, each of which waits for the one before.
__global__ void returning(unsigned *word, unsigned count, unsigned spacing, unsigned long long *cycles) {
    unsigned *own = word + size_t(blockIdx.x) * spacing;
    unsigned value = 0;
    const long long begin = clock64();
    for (unsigned i = 0; i < count; ++i) value = atomicAdd(own, value & 1);
    const long long end = clock64();
    if (blockIdx.x == 0) *cycles = end - begin;
    if (value == 0x12345) word[1] = value;
}

__global__ void fences(unsigned *words, unsigned count, int stores, unsigned long long *cycles) {
    unsigned *own = words + blockIdx.x * blockDim.x + threadIdx.x;
    const long long begin = clock64();
    for (unsigned i = 0; i < count; ++i) {
        if (stores) *static_cast<volatile unsigned *>(own) = i;
        __threadfence();
    }
    const long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = end - begin;
}

__global__ void polls(unsigned *word, unsigned count, unsigned long long *cycles) {
    unsigned sum = 0;
    const long long begin = clock64();
    for (unsigned i = 0; i < count; ++i) sum += *static_cast<volatile unsigned *>(word + (sum & 1));
    const long long end = clock64();
    if (blockIdx.x == 0) *cycles = end - begin;
    if (sum == 0x12345) word[1] = sum;
}

// A store by one block until another sees it, and back: cycles of a round trip.
__global__ void ping_pong(volatile unsigned *words, unsigned count, unsigned partner, unsigned long long *cycles) {
    if (blockIdx.x != 0 && blockIdx.x != partner) return;
    const long long begin = clock64();
    for (unsigned i = 1; i <= count; ++i) {
        if (blockIdx.x == 0) {
            words[0] = i;
            while (words[64] != i) {
            }
        } else {
            while (words[0] != i) {
            }
            words[64] = i;
        }
    }
    const long long end = clock64();
    if (blockIdx.x == 0) *cycles = end - begin;
}

int main() {
    Bench bench;
    unsigned *counters;
    unsigned long long *cycles, host;
    const size_t bytes = size_t(256) << 20;
    CHECK(cudaMalloc(&counters, bytes));
    CHECK(cudaMemset(counters, 0, bytes));
    CHECK(cudaMalloc(&cycles, 8));
    auto read_cycles = [&] {
        CHECK(cudaStreamSynchronize(bench.stream));
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&host, cycles, 8, cudaMemcpyDeviceToHost));
        return double(host);
    };

    struct Pattern { const char *name; unsigned warps_apart, warp_words, lanes_apart, lane_words; };
    const Pattern patterns[] = {
        {"one_word", 1, 0, 1, 0},
        {"one_sector", 1, 0, 8, 1},
        {"one_line", 1, 0, 32, 1},
        {"words_2_of_a_sector_by_warp", 2, 1, 1, 0},
        {"words_8_of_a_sector_by_warp", 8, 1, 1, 0},
        {"words_32_of_a_line_by_warp", 32, 1, 1, 0},
        {"sectors_2_by_warp", 2, 8, 1, 0},
        {"sectors_4_by_warp", 4, 8, 1, 0},
        {"sectors_8_by_warp", 8, 8, 1, 0},
        {"sectors_16_by_warp", 16, 8, 1, 0},
        {"sectors_32_by_warp", 32, 8, 1, 0},
        {"sectors_64_by_warp", 64, 8, 1, 0},
        {"sectors_128_by_warp", 128, 8, 1, 0},
        {"sectors_512_by_warp", 512, 8, 1, 0},
        {"sectors_4096_by_warp", 4096, 8, 1, 0},
        {"lines_2_by_warp", 2, 32, 32, 1},
        {"lines_4_by_warp", 4, 32, 32, 1},
        {"lines_8_by_warp", 8, 32, 32, 1},
        {"lines_16_by_warp", 16, 32, 32, 1},
        {"lines_64_by_warp", 64, 32, 32, 1},
        {"lines_256_by_warp", 256, 32, 32, 1},
        {"lines_4096_by_warp", 4096, 32, 32, 1},
        {"words_apart_64_far", 64, 4096, 1, 0},
        {"words_apart_512_far", 512, 4096, 1, 0},
        {"words_apart_4096_far", 4096, 4096, 1, 0},
        {"lanes_2_words", 4096, 4096, 2, 1},
        {"lanes_4_words", 4096, 4096, 4, 1},
        {"lanes_8_words", 4096, 4096, 8, 1},
        {"lanes_16_words", 4096, 4096, 16, 1},
        {"lanes_32_words", 4096, 4096, 32, 1},
        {"lanes_32_sectors", 4096, 4096, 32, 8},
        {"lanes_8_sectors", 4096, 4096, 8, 8},
        {"lanes_32_lines", 4096, 4096, 32, 32},
    };
    for (const Pattern &own : patterns) {
        const unsigned per_thread = 8, blocks = 528, threads = 256;
        const double operations = double(blocks) * threads / 32 * per_thread;
        auto of_words = [&](unsigned times) {
            return bench.warm_us([&] { reduce_global<<<blocks, threads, 0, bench.stream>>>(counters, times * per_thread, own.warps_apart, own.warp_words, own.lanes_apart, own.lane_words); }, 3);
        };
        ROW("red.u32", (of_words(5) - of_words(1)) / 4 * 1e3 / operations, "ns/warp", "pattern=%s", own.name);
        auto of_floats = [&](unsigned times) {
            return bench.warm_us([&] { reduce_global_f32<<<blocks, threads, 0, bench.stream>>>(reinterpret_cast<float *>(counters), times * per_thread, own.warps_apart, own.warp_words, own.lanes_apart, own.lane_words); }, 3);
        };
        ROW("red.f32", (of_floats(5) - of_floats(1)) / 4 * 1e3 / operations, "ns/warp", "pattern=%s", own.name);
    }
    // One warp alone, and one multiprocessor's warps: what a multiprocessor itself takes.
    for (int warps : {1, 4, 32}) {
        for (unsigned lanes : {1u, 8u, 32u}) {
            const double time = bench.warm_us([&] { reduce_global<<<1, warps * 32, 0, bench.stream>>>(counters, 256, 4096, 4096, lanes, 1); }, 1);
            const double longer = bench.warm_us([&] { reduce_global<<<1, warps * 32, 0, bench.stream>>>(counters, 512, 4096, 4096, lanes, 1); }, 1);
            ROW("red.u32", (longer - time) * 1e3 / 256 / warps, "ns/warp", "pattern=one_block_of_warps_%d_lanes_apart_%u", warps, lanes);
        }
    }
    for (int is_float : {0, 1}) {
        for (int warps : {1, 4, 32}) {
            for (unsigned lanes : {1u, 2u, 8u, 32u}) {
                for (unsigned apart : {1u, 32u}) {
                    const unsigned count = 64;
                    reduce_shared<<<bench.multiprocessors, warps * 32, 0, bench.stream>>>(count, lanes, apart, is_float, cycles);
                    const double once = read_cycles();
                    reduce_shared<<<bench.multiprocessors, warps * 32, 0, bench.stream>>>(2 * count, lanes, apart, is_float, cycles);
                    ROW("shared_atomic", (read_cycles() - once) / count / warps, "cycles/warp", "type=%s warps=%d lanes_apart=%u warps_apart=%u", is_float ? "f32" : "u32", warps, lanes, apart);
                }
            }
        }
    }

    CHECK(cudaFuncSetAttribute(block_barriers, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
        for (int resident : {1, 2, 4, 8, 16}) {
            if (threads * resident > 2048) continue;
            const int shared = std::min((216 << 10) / resident - 1024, 200 << 10);
            auto run = [&](unsigned count) {
                block_barriers<<<bench.multiprocessors * resident, threads, shared, bench.stream>>>(count, cycles);
                return read_cycles();
            };
            run(100);
            const double once = run(1000);
            ROW("barrier", (run(3000) - once) / 2000, "cycles", "threads=%d resident=%d", threads, resident);
        }
    }

    for (int blocks : {1, 16, 132}) {
        for (unsigned spacing : {0u, 1024u}) {
            returning<<<blocks, 1, 0, bench.stream>>>(counters, 2000, spacing, cycles);
            read_cycles();
            returning<<<blocks, 1, 0, bench.stream>>>(counters, 2000, spacing, cycles);
            ROW("atom", read_cycles() / 2000, "cycles", "blocks=%d spacing_words=%u", blocks, spacing);
        }
    }
    for (int blocks : {1, 132, 1056}) {
        for (int threads : {1, 256}) {
            for (int stores : {0, 1}) {
                fences<<<blocks, threads, 0, bench.stream>>>(counters, 500, stores, cycles);
                read_cycles();
                fences<<<blocks, threads, 0, bench.stream>>>(counters, 500, stores, cycles);
                ROW("fence", read_cycles() / 500, "cycles", "blocks=%d threads=%d stores=%d", blocks, threads, stores);
            }
        }
        CHECK(cudaMemset(counters, 0, 4096));
        polls<<<blocks, 1, 0, bench.stream>>>(counters, 2000, cycles);
        read_cycles();
        polls<<<blocks, 1, 0, bench.stream>>>(counters, 2000, cycles);
        ROW("poll", read_cycles() / 2000, "cycles", "blocks=%d", blocks);
    }
    for (unsigned partner : {1u, 2u, 66u, 131u}) {
        CHECK(cudaMemset(counters, 0, 4096));
        ping_pong<<<132, 1, 0, bench.stream>>>(counters, 2000, partner, cycles);
        ROW("ping_pong", read_cycles() / 2000, "cycles", "partner=%u", partner);
    }
}
