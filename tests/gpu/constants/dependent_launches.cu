// What a launch takes that may begin before the one in front of it has ended, in a stream and in a graph: the least time between two of them, and what
// passes between the end of one and the instructions behind the wait of the next.

#include "probe.cuh"

// Lets the next launch begin at once, waits for the end of the one before, and then for some cycles.
__global__ void waiting(long long cycles) {
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
    const long long begun = clock64();
    while (clock64() - begun < cycles) {}
}

// Keeps the GPU busy until everything behind it is submitted.
__global__ void hold(long long cycles) {
    const long long begun = clock64();
    while (clock64() - begun < cycles) {}
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

void launch(const Bench &bench, int blocks, int threads, long long cycles) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.stream = bench.stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, waiting, cycles));
}

double stream_us(Bench &bench, int blocks, int threads, long long cycles, int count) {
    return held_us(bench, [&] { for (int i = 0; i < count; ++i) launch(bench, blocks, threads, cycles); });
}

double graph_us(Bench &bench, int blocks, int threads, long long cycles, int count) {
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaStreamBeginCapture(bench.stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < count; ++i) launch(bench, blocks, threads, cycles);
    CHECK(cudaStreamEndCapture(bench.stream, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    const double time_us = held_us(bench, [&] { CHECK(cudaGraphLaunch(ready, bench.stream)); });
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    return time_us;
}

int main() {
    Bench bench;
    const int few = 50, many = 150;
    for (int blocks : {1, 132}) {
        for (int threads : {32, 128}) {
            for (long long cycles : {0, 250, 500, 750, 1000, 1500, 2000, 4000}) {
                const double in_stream_us = stream_us(bench, blocks, threads, cycles, many) - stream_us(bench, blocks, threads, cycles, few);
                const double in_graph_us = graph_us(bench, blocks, threads, cycles, many) - graph_us(bench, blocks, threads, cycles, few);
                ROW("each_launch", in_stream_us / (many - few), "us", "in=stream blocks=%d threads=%d cycles=%lld", blocks, threads, cycles);
                ROW("each_launch", in_graph_us / (many - few), "us", "in=graph blocks=%d threads=%d cycles=%lld", blocks, threads, cycles);
            }
        }
    }
}
