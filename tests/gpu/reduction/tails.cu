// Where a sum loses or gains beside CUB at sizes that are no whole tiles: `one_launch` with four loads, in four forms, and CUB's sum, in one process.
//
//     nvcc -O3 -std=c++17 -arch=native -I cuda -o tails tests/gpu/reduction/tails.cu && ./tails ROUNDS ELEMENTS... >tails.csv
//
// The forms differ in the tile that is not full (its loads `together`, or each behind a branch and its additions behind it, `in_turns`) and in a single
// block, which leaves its result `at_once` or draws a ticket (`by_ticket`). `together,at_once` is the kernel of cuda/reduction.cu; `in_turns,by_ticket` is
// what it was before 2026-11-28. Rounds go through the programs forth and back, each sample with nothing of the input in L2. Each sum is verified first.

#include <cmath>
#include <functional>
#include <string>

#include <cub/device/device_reduce.cuh>

#include "../constants/probe.cuh"
#include "reduction.cu"

constexpr unsigned THREADS = 512, LOADS = 4, TILE = THREADS * LOADS * 4;

// As `sum_of_vectors`, but for the tile that is not full.
__device__ __forceinline__ float sum_in_turns(const float *input, unsigned long long elements) {
    const float4 *vectors = reinterpret_cast<const float4 *>(input);
    const unsigned long long count = elements / 4, tile = LOADS * blockDim.x, stride = gridDim.x * tile;
    unsigned long long first = blockIdx.x * tile;
    float4 sum = {0, 0, 0, 0};
#pragma unroll 1
    for (; first + tile <= count; first += stride) {
        float4 values[LOADS];
#pragma unroll
        for (unsigned load = 0; load < LOADS; ++load) values[load] = streamed(vectors + first + load * blockDim.x + threadIdx.x);
#pragma unroll
        for (unsigned load = 0; load < LOADS; ++load) add(sum, values[load]);
    }
    if (first < count) {
#pragma unroll
        for (unsigned load = 0; load < LOADS; ++load) {
            const unsigned long long vector = first + load * blockDim.x + threadIdx.x;
            if (vector < count) add(sum, streamed(vectors + vector));
        }
    }
    float value = (sum.x + sum.y) + (sum.z + sum.w);
    const unsigned long long rest = 4 * count + threadIdx.x;
    if (blockIdx.x == 0 && rest < elements) value += input[rest];
    return value;
}

template <bool TOGETHER, bool AT_ONCE>
__global__ void form(const float *input, float *result, unsigned long long elements, float *of_blocks, unsigned *ticket) {
    __shared__ bool is_last;
    float sum = sum_of_block(TOGETHER ? sum_of_vectors<LOADS>(input, elements) : sum_in_turns(input, elements));
    if (AT_ONCE && gridDim.x == 1) {
        if (threadIdx.x == 0) *result = sum;
        return;
    }
    if (threadIdx.x == 0) {
        of_blocks[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        if (is_last) __threadfence();
    }
    __syncthreads();
    if (!is_last) return;
    sum = 0;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) sum += __ldcg(of_blocks + block);
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) *result = sum;
}

using Kernel = void (*)(const float *, float *, unsigned long long, float *, unsigned *);

struct Program {
    std::string name;
    std::function<void()> run;
    std::vector<double> times_us, ratios;
};

__global__ void fill(float *floats, size_t count) {
    const size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) floats[i] = float(unsigned(i * 2654435761u) >> 8) * 0x1p-24f;
}

// Keeps the GPU busy until everything behind it is submitted.
__global__ void hold(long long cycles) {
    const long long begun = clock64();
    while (clock64() - begun < cycles) {}
}

double sample_us(Bench &bench, const Program &program) {
    CHECK(cudaCtxResetPersistingL2Cache());
    bench.sweep();
    hold<<<1, 1, 0, bench.stream>>>(30000);
    CHECK(cudaEventRecord(bench.begin, bench.stream));
    program.run();
    CHECK(cudaEventRecord(bench.end, bench.stream));
    CHECK(cudaStreamSynchronize(bench.stream));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, bench.begin, bench.end));
    return 1e3 * ms;
}

// Median and its 95 % interval by order statistics.
void print_median(std::vector<double> values, int digits) {
    std::sort(values.begin(), values.end());
    const double middle = (values.size() - 1) / 2.0, half = 0.98 * std::sqrt(double(values.size()));
    const auto at = [&](double place) { return values[size_t(std::max(0.0, std::min(values.size() - 1.0, std::round(place))))]; };
    std::printf(",%.*f,%.*f,%.*f", digits, at(middle), digits, at(middle - half), digits, at(middle + half));
}

void measure(Bench &bench, int rounds, unsigned long long elements) {
    float *input, *results, *of_blocks;
    unsigned *ticket;
    CHECK(cudaMalloc(&input, elements * sizeof(float)));
    CHECK(cudaMalloc(&results, sizeof(float)));
    CHECK(cudaMalloc(&of_blocks, 4096 * sizeof(float)));
    CHECK(cudaMalloc(&ticket, sizeof(unsigned)));
    CHECK(cudaMemset(ticket, 0, sizeof(unsigned)));
    fill<<<1024, 256, 0, bench.stream>>>(input, elements);
    const unsigned tiles = unsigned((elements + TILE - 1) / TILE), blocks = std::min(tiles, 4 * unsigned(bench.multiprocessors));
    size_t bytes = 0;
    CHECK(cub::DeviceReduce::Sum(nullptr, bytes, input, results, int(elements), bench.stream));
    void *temporary;
    CHECK(cudaMalloc(&temporary, bytes));
    std::vector<Program> programs;
    programs.push_back({"DeviceReduce::Sum", [&] {
        CHECK(cub::DeviceReduce::Sum(temporary, bytes, input, results, int(elements), bench.stream));
    }, {}, {}});
    const auto form_of = [&](const char *name, Kernel kernel) {
        programs.push_back({name, [=, &bench] { kernel<<<blocks, THREADS, 0, bench.stream>>>(input, results, elements, of_blocks, ticket); }, {}, {}});
    };
    form_of("together at_once", reduction_one_launch_4);
    form_of("in_turns at_once", form<false, true>);
    form_of("together by_ticket", form<true, false>);
    form_of("in_turns by_ticket", form<false, false>);
    std::vector<float> sums;
    for (const Program &program : programs) {
        CHECK(cudaMemsetAsync(results, 0xFF, sizeof(float), bench.stream));
        program.run();
        CHECK(cudaGetLastError());
        sums.push_back(0);
        CHECK(cudaMemcpyAsync(&sums.back(), results, sizeof(float), cudaMemcpyDeviceToHost, bench.stream));
        CHECK(cudaStreamSynchronize(bench.stream));
        if (!(std::fabs(sums.back() - sums[0]) <= 1e-5f * sums[0])) {
            std::fprintf(stderr, "%s, %llu floats: %.9g, and CUB has %.9g\n", program.name.c_str(), elements, sums.back(), sums[0]);
            std::exit(1);
        }
    }
    for (int round = -5; round < rounds; ++round) {
        std::vector<double> sums_us(programs.size(), 0);
        for (size_t place = 0; place < 2 * programs.size(); ++place) {
            const size_t own = place < programs.size() ? place : 2 * programs.size() - 1 - place;
            const double time_us = sample_us(bench, programs[own]);
            sums_us[own] += time_us;
            if (round >= 0) programs[own].times_us.push_back(time_us);
        }
        for (size_t own = 0; own < programs.size() && round >= 0; ++own) programs[own].ratios.push_back(sums_us[0] / sums_us[own]);
    }
    for (const Program &program : programs) {
        std::printf("%llu,%llu,%llu,%u,%s", elements, elements / TILE, elements % TILE, blocks, program.name.c_str());
        print_median(program.times_us, 2);
        print_median(program.ratios, 4);
        std::printf("\n");
    }
    std::fflush(stdout);
    for (void *memory : {static_cast<void *>(input), static_cast<void *>(results), static_cast<void *>(of_blocks), static_cast<void *>(ticket), temporary}) CHECK(cudaFree(memory));
}

int main(int count, char **arguments) {
    if (count < 3) {
        std::fprintf(stderr, "usage: %s ROUNDS ELEMENTS...\n", arguments[0]);
        return 2;
    }
    Bench bench;
    std::printf("elements,whole_tiles,rest,blocks,form,time_us,time_us_low,time_us_high,of_cub,of_cub_low,of_cub_high\n");
    for (int place = 2; place < count; ++place) measure(bench, std::atoi(arguments[1]), std::strtoull(arguments[place], nullptr, 10));
}
