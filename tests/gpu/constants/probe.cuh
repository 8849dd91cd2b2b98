// What all probes share: buffers, samples that begin with clean or with warm caches, and rows of a CSV.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                       \
    do {                                                                                                  \
        const cudaError_t status = (call);                                                                \
        if (status != cudaSuccess) {                                                                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));          \
            std::exit(1);                                                                                 \
        }                                                                                                 \
    } while (0)

static const size_t SWEPT_BYTES = size_t(192) << 20;

__global__ void sweep_caches(const uint4 *words, size_t count, unsigned *sink) {
    unsigned sum = 0;
    for (size_t index = blockIdx.x * size_t(blockDim.x) + threadIdx.x; index < count; index += size_t(gridDim.x) * blockDim.x) {
        const uint4 word = __ldcg(words + index);
        sum += word.x ^ word.y ^ word.z ^ word.w;
    }
    if (sum == 0x12345) *sink = sum;
}

struct Bench {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    uint4 *swept;
    unsigned *sink;
    int multiprocessors;
    double clock_mhz;

    Bench() {
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
        CHECK(cudaMalloc(&swept, SWEPT_BYTES));
        CHECK(cudaMemset(swept, 1, SWEPT_BYTES));
        CHECK(cudaMalloc(&sink, 4096));
        int khz;
        CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
        CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
        clock_mhz = khz / 1e3;
    }

    // Reads three times the L2 cache, so that it holds nothing of use and nothing that has to be written back.
    void sweep() { sweep_caches<<<1024, 256, 0, stream>>>(swept, SWEPT_BYTES / 16, sink); }

    // Median time in microseconds between two events around `work`, which the sweep before it leaves time to submit.
    template <typename Work>
    double cold_us(Work work, int samples = 15) {
        std::vector<double> times;
        for (int sample = 0; sample < samples + 3; ++sample) {
            sweep();
            sweep();
            CHECK(cudaEventRecord(begin, stream));
            work();
            CHECK(cudaEventRecord(end, stream));
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaGetLastError());
            float ms;
            CHECK(cudaEventElapsedTime(&ms, begin, end));
            if (sample >= 3) times.push_back(ms * 1e3);
        }
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
    }

    // The same of `repeats` times `work` one behind the other, after one that does not count; of one of them.
    template <typename Work>
    double warm_us(Work work, int repeats, int samples = 7) {
        std::vector<double> times;
        for (int sample = 0; sample < samples + 1; ++sample) {
            sweep();
            work();
            CHECK(cudaEventRecord(begin, stream));
            for (int repeat = 0; repeat < repeats; ++repeat) work();
            CHECK(cudaEventRecord(end, stream));
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaGetLastError());
            float ms;
            CHECK(cudaEventElapsedTime(&ms, begin, end));
            if (sample >= 1) times.push_back(ms * 1e3 / repeats);
        }
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
    }
};

// The time of a graph of `count` launches, one behind the other, by `time_us`, which takes what launches the graph.
template <typename Launch, typename Time>
double captured_us(Bench &bench, Launch launch, int count, Time time_us) {
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaStreamBeginCapture(bench.stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < count; ++i) launch(i);
    CHECK(cudaStreamEndCapture(bench.stream, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    const double found_us = time_us([&] { CHECK(cudaGraphLaunch(ready, bench.stream)); });
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    return found_us;
}

// Cycles that a block takes for 256 steps, in the last of three passes: the first ones fetch the instructions.
template <typename Step>
__device__ __forceinline__ long long cycles_of_256(Step step) {
    long long begin = 0;
#pragma unroll 1
    for (int pass = 0; pass < 3; ++pass) {
        __syncthreads();
        begin = clock64();
#pragma unroll 1
        for (int round = 0; round < 16; ++round) {
#pragma unroll
            for (int i = 0; i < 16; ++i) step();
        }
    }
    __syncthreads();
    return clock64() - begin;
}

// A row: what was probed, its settings as `name=value` pairs, and a value with its unit.
#define ROW(probe, value, unit, ...)                \
    do {                                            \
        std::printf("%s,", probe);                  \
        std::printf(__VA_ARGS__);                   \
        std::printf(",%.4f,%s\n", double(value), unit); \
    } while (0)
