// What launches hide of their preambles that may begin before the one in front of them has ended: in a stream and in a graph, without work behind the
// wait and with some. From it come how many are under way at once, the least time between two, and what passes from an end to the next wait.

#include "probe.cuh"

__device__ __forceinline__ void spin(long long cycles) {
    const long long begun = clock64();
    while (clock64() - begun < cycles) {}
}

__global__ void prepared(long long preamble, long long cycles) {
    asm volatile("griddepcontrol.launch_dependents;");
    spin(preamble);
    asm volatile("griddepcontrol.wait;" ::: "memory");
    spin(cycles);
}

// The same between a load and a store of each thread, of a word that the launch before wrote. `number` may be another one of each launch.
__global__ void handing_over(const unsigned *from, unsigned *to, unsigned number, long long preamble, long long cycles) {
    asm volatile("griddepcontrol.launch_dependents;");
    spin(preamble);
    asm volatile("griddepcontrol.wait;" ::: "memory");
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    const unsigned word = from[thread + 1 == threads ? 0 : thread + 1];
    spin(cycles);
    to[thread] = word + number;
}

// Keeps the GPU busy until everything behind it is submitted.
__global__ void hold(long long cycles) {
    spin(cycles);
}

enum class Does { nothing, load_and_store, load_and_store_numbered };
const char *const NAMES[] = {"nothing", "load_and_store", "load_and_store_numbered"};

struct Setting {
    int blocks, threads;
    long long preamble, cycles;
    Does does;
    unsigned *words[2];
};

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
    if (own.does == Does::nothing) {
        CHECK(cudaLaunchKernelEx(&config, prepared, own.preamble, own.cycles));
    } else {
        const unsigned *from = own.words[number % 2];
        const unsigned told = own.does == Does::load_and_store ? 1u : unsigned(number);
        CHECK(cudaLaunchKernelEx(&config, handing_over, from, own.words[(number + 1) % 2], told, own.preamble, own.cycles));
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
    own.threads = 128;
    for (auto &words : own.words) CHECK(cudaMalloc(&words, 1 << 20));
    const int few = 20, many = 60;
    for (own.does = Does::nothing; own.does <= Does::load_and_store_numbered; own.does = Does(int(own.does) + 1)) {
        for (own.blocks = 1; own.blocks <= 132; own.blocks += 131) {
            for (const long long cycles : {0, 1000, 4000}) {
                for (const long long preamble : {0, 500, 2000, 8000, 32000, 128000}) {
                    own.cycles = cycles, own.preamble = preamble;
                    const char *does = NAMES[int(own.does)];
                    const double in_stream_us = stream_us(bench, own, many) - stream_us(bench, own, few);
                    ROW("each_launch", in_stream_us / (many - few), "us", "in=stream does=%s blocks=%d cycles=%lld preamble=%lld", does, own.blocks, cycles, preamble);
                    const double in_graph_us = graph_us(bench, own, many) - graph_us(bench, own, few);
                    ROW("each_launch", in_graph_us / (many - few), "us", "in=graph does=%s blocks=%d cycles=%lld preamble=%lld", does, own.blocks, cycles, preamble);
                }
            }
        }
    }
}
