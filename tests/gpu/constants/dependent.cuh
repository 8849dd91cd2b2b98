// Launches that may begin before the one in front of them has ended, and times of chains of them in a stream and in a graph.

#pragma once

#include "probe.cuh"

__device__ __forceinline__ void spin(long long cycles) {
    const long long begun = clock64();
    while (clock64() - begun < cycles) {}
}

// Keeps the GPU busy until everything behind it is submitted.
__global__ void hold(long long cycles) {
    spin(cycles);
}

template <typename Work>
double held_us(Bench &bench, Work work) {
    std::vector<double> times;
    for (int sample = 0; sample < 23; ++sample) {
        // Nothing of the launches is in L2, as in a sweep.
        bench.sweep();
        hold<<<1, 1, 0, bench.stream>>>(3000000);
        CHECK(cudaEventRecord(bench.begin, bench.stream));
        work();
        CHECK(cudaEventRecord(bench.end, bench.stream));
        CHECK(cudaStreamSynchronize(bench.stream));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, bench.begin, bench.end));
        if (sample >= 3) times.push_back(ms * 1e3);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// A launch whose blocks may begin when those of the launch before it let them.
template <typename... Parameters, typename... Arguments>
void launch_dependent(const Bench &bench, int blocks, int threads, void (*kernel)(Parameters...), Arguments... arguments) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.stream = bench.stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

// What a further launch of a chain takes in a stream and in a graph: from so few of them to so many. `launch` has the number of the launch.
constexpr int FEW = 20, MANY = 60;

template <typename Launch>
double each_in_stream_us(Bench &bench, Launch launch) {
    const auto chain_us = [&](int count) { return held_us(bench, [&] { for (int i = 0; i < count; ++i) launch(i); }); };
    return (chain_us(MANY) - chain_us(FEW)) / (MANY - FEW);
}

template <typename Launch>
double each_in_graph_us(Bench &bench, Launch launch) {
    const auto chain_us = [&](int count) {
        return captured_us(bench, launch, count, [&](auto work) { return held_us(bench, work); });
    };
    return (chain_us(MANY) - chain_us(FEW)) / (MANY - FEW);
}
