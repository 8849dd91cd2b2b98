// What a launch takes in a graph, of kernels that do nothing and of kernels that load and store a word for each thread.

#include "probe.cuh"

__global__ void empty() {}

__global__ void load_and_store(const unsigned *from, unsigned *to) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    to[thread] = from[thread] + 1;
}

// A graph of `count` launches, one behind the other.
template <typename Launch>
double graph_us(Bench &bench, Launch launch, int count) {
    return captured_us(bench, launch, count, [&](auto work) { return bench.cold_us(work, 31); });
}

int main() {
    Bench bench;
    unsigned *words[2];
    for (auto &own : words) CHECK(cudaMalloc(&own, 1 << 20));
    for (int blocks : {1, 132}) {
        for (int threads : {32, 256}) {
            for (int count : {20, 100, 200}) {
                const double nothing_us = graph_us(bench, [&](int) { empty<<<blocks, threads, 0, bench.stream>>>(); }, count);
                ROW("graph", nothing_us, "us", "does=nothing blocks=%d threads=%d launches=%d", blocks, threads, count);
                const double own_us = graph_us(
                    bench, [&](int i) { load_and_store<<<blocks, threads, 0, bench.stream>>>(words[i % 2], words[(i + 1) % 2]); }, count);
                ROW("graph", own_us, "us", "does=load_and_store blocks=%d threads=%d launches=%d", blocks, threads, count);
            }
        }
    }
}
