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

// The same between a load and a store of each thread, as kernels do that hand something over.
__global__ void handing_over(const unsigned *from, unsigned *to, unsigned summand, long long cycles) {
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned word = __ldcg(from + thread);
    const long long begun = clock64();
    while (clock64() - begun < cycles) {}
    __stcg(to + thread, word + summand);
}

struct Setting {
    int blocks, threads;
    bool hands_over;
    long long cycles;
    unsigned *words[2];
};

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

void launch(const Bench &bench, const Setting &own, int number) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = own.blocks;
    config.blockDim = own.threads;
    config.stream = bench.stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    if (own.hands_over) {
        const unsigned *from = own.words[number % 2];
        CHECK(cudaLaunchKernelEx(&config, handing_over, from, own.words[(number + 1) % 2], 1u, own.cycles));
    } else {
        CHECK(cudaLaunchKernelEx(&config, waiting, own.cycles));
    }
}

double stream_us(Bench &bench, const Setting &own, int count) {
    return held_us(bench, [&] { for (int i = 0; i < count; ++i) launch(bench, own, i); });
}

double graph_us(Bench &bench, const Setting &own, int count) {
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaStreamBeginCapture(bench.stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < count; ++i) launch(bench, own, i);
    CHECK(cudaStreamEndCapture(bench.stream, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    const double time_us = held_us(bench, [&] { CHECK(cudaGraphLaunch(ready, bench.stream)); });
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    return time_us;
}

int main() {
    Bench bench;
    Setting own{};
    for (auto &words : own.words) CHECK(cudaMalloc(&words, 1 << 20));
    const int few = 20, many = 60;
    for (own.blocks = 1; own.blocks <= 132; own.blocks += 131) {
        for (own.threads = 32; own.threads <= 128; own.threads += 96) {
            for (const bool hands_over : {false, true}) {
                own.hands_over = hands_over;
                for (long long cycles : {0, 250, 500, 750, 1000, 1500, 2000, 4000}) {
                    own.cycles = cycles;
                    const char *does = hands_over ? "load_and_store" : "nothing";
                    const double in_stream_us = stream_us(bench, own, many) - stream_us(bench, own, few);
                    ROW("each_launch", in_stream_us / (many - few), "us", "in=stream does=%s blocks=%d threads=%d cycles=%lld", does, own.blocks, own.threads, cycles);
                    const double in_graph_us = graph_us(bench, own, many) - graph_us(bench, own, few);
                    ROW("each_launch", in_graph_us / (many - few), "us", "in=graph does=%s blocks=%d threads=%d cycles=%lld", does, own.blocks, own.threads, cycles);
                }
            }
        }
    }
}
