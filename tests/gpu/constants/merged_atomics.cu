// Atomics that the compiler makes others of: floats added in shared memory, which are loops of compare-and-swap; ones added in shared
// memory (ATOMS.POPC.INC); and integers at an address that all lanes of a warp have, which the warp adds up first (VOTE, REDUX).

#include <cstring>

#include "probe.cuh"

enum Kind { FLOATS, ONES, NUMBERS, OLD_ONES };

// Lane i of warp w adds to word  (w % warps_apart) * 32 + i % lanes_apart  of its block, so often that other instructions do not show.
template <Kind KIND>
__global__ void add_shared(unsigned per_thread, unsigned lanes_apart, unsigned warps_apart, unsigned *result, unsigned long long *cycles) {
    __shared__ unsigned words[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = 0;
    __syncthreads();
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned *own = words + (warp % warps_apart) * 32 + lane % lanes_apart;
    unsigned sum = 0;
    const long long begin = clock64();
    // Unrolled: in a loop of one addition ptxas 13.0 counts the turns of all lanes together, in a uniform register.
#pragma unroll 4
    for (unsigned i = 0; i < per_thread; ++i) {
        if (KIND == FLOATS) atomicAdd(reinterpret_cast<float *>(own), 1.0f);
        if (KIND == ONES) atomicAdd(own, 1u);
        if (KIND == NUMBERS) atomicAdd(own, i);
        if (KIND == OLD_ONES) sum += atomicAdd(own, 1u);
    }
    __syncthreads();
    const long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *cycles = end - begin;
        result[1] = words[0];
    }
    if (sum == 0x12345678) *result = sum;
}

// Every warp adds to the same word, whose address is the same for all: once for each of `per_thread`.
template <int KIND>
__global__ void add_global(unsigned *word, unsigned per_thread, unsigned *result) {
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < per_thread; ++i) {
        if (KIND == 0) atomicAdd(word, 1u);
        if (KIND == 1) atomicAdd(word, threadIdx.x + i);
        if (KIND == 2) sum += atomicAdd(word, 1u);
        if (KIND == 3) sum += atomicAdd(word, threadIdx.x + i);
        if (KIND == 4) atomicMax(word, threadIdx.x + i);
        if (KIND == 5 && threadIdx.x % 32 == i % 32) atomicAdd(word, i);
    }
    if (sum == 0x12345678) *result = sum;
}

// Block 0 has added up what it should have in its first word.
template <Kind KIND>
void expect(const unsigned *result, double sum) {
    unsigned word;
    CHECK(cudaMemcpy(&word, result + 1, 4, cudaMemcpyDeviceToHost));
    float number;
    memcpy(&number, &word, 4);
    if (KIND == NUMBERS || sum == (KIND == FLOATS ? double(number) : double(word))) return;
    std::fprintf(stderr, "kind %d: %g expected, the word is %u or %g\n", int(KIND), sum, word, number);
    std::exit(1);
}

template <Kind KIND>
void shared_rows(Bench &bench, const char *name, unsigned *result, unsigned long long *cycles) {
    for (int resident : {1, 2, 4}) {
        for (int warps : {1, 2, 4, 8, 16, 32}) {
            if (warps * resident > 64) continue;
            for (unsigned lanes : {1u, 4u, 32u}) {
                for (unsigned apart : {1u, 32u}) {
                    if (apart > 1 && resident > 1) continue;
                    auto run = [&](unsigned count) {
                        unsigned long long host;
                        add_shared<KIND><<<bench.multiprocessors * resident, warps * 32, 0, bench.stream>>>(count, lanes, apart, result, cycles);
                        CHECK(cudaStreamSynchronize(bench.stream));
                        CHECK(cudaMemcpy(&host, cycles, 8, cudaMemcpyDeviceToHost));
                        return double(host);
                    };
                    run(64);
                    expect<KIND>(result, 64.0 * ((warps + apart - 1) / apart) * (32 / lanes));
                    const double once = run(64);
                    ROW(name, (run(192) - once) / 128 / warps, "cycles/warp", "resident=%d warps=%d lanes_apart=%u warps_apart=%u", resident, warps, lanes, apart);
                }
            }
        }
    }
}

template <int KIND>
void global_row(Bench &bench, const char *name, unsigned *word, unsigned *result) {
    const unsigned per_thread = 16, blocks = 528, threads = 256;
    auto of = [&](unsigned times) {
        return bench.warm_us([&] { add_global<KIND><<<blocks, threads, 0, bench.stream>>>(word, times * per_thread, result); }, 3);
    };
    ROW("one_word", (of(5) - of(1)) / 4 * 1e3 / (double(blocks) * threads / 32 * per_thread), "ns/warp", "kind=%s", name);
}

int main() {
    Bench bench;
    unsigned *word, *result;
    unsigned long long *cycles;
    CHECK(cudaMalloc(&word, 4096));
    CHECK(cudaMemset(word, 0, 4096));
    CHECK(cudaMalloc(&result, 8));
    CHECK(cudaMalloc(&cycles, 8));
    shared_rows<FLOATS>(bench, "shared_f32", result, cycles);
    shared_rows<ONES>(bench, "shared_ones", result, cycles);
    shared_rows<NUMBERS>(bench, "shared_u32", result, cycles);
    shared_rows<OLD_ONES>(bench, "shared_old_ones", result, cycles);
    global_row<0>(bench, "ones", word, result);
    global_row<1>(bench, "numbers", word, result);
    global_row<2>(bench, "old_ones", word, result);
    global_row<3>(bench, "old_numbers", word, result);
    global_row<4>(bench, "largest", word, result);
    global_row<5>(bench, "one_lane", word, result);
}
