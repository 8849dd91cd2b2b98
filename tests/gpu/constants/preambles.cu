// What launches hide of their preambles that may begin before the one in front of them has ended: in a stream and in a graph, without work behind the
// wait and with some. From it come how many are under way at once, the least time between two, and what passes from an end to the next wait.

#include "dependent.cuh"

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

enum class Does { nothing, load_and_store, load_and_store_numbered };
const char *const NAMES[] = {"nothing", "load_and_store", "load_and_store_numbered"};

int main() {
    Bench bench;
    const int threads = 128;
    unsigned *words[2];
    for (auto &own : words) CHECK(cudaMalloc(&own, 1 << 20));
    for (const Does does : {Does::nothing, Does::load_and_store, Does::load_and_store_numbered}) {
        for (const int blocks : {1, 132}) {
            for (const long long cycles : {0, 1000, 4000}) {
                for (const long long preamble : {0, 500, 2000, 8000, 32000, 128000}) {
                    const auto launch = [&](int number) {
                        if (does == Does::nothing) {
                            launch_dependent(bench, blocks, threads, prepared, preamble, cycles);
                        } else {
                            const unsigned told = does == Does::load_and_store ? 1u : unsigned(number);
                            launch_dependent(bench, blocks, threads, handing_over, words[number % 2], words[(number + 1) % 2], told, preamble, cycles);
                        }
                    };
                    const char *name = NAMES[int(does)];
                    ROW("each_launch", each_in_stream_us(bench, launch), "us", "in=stream does=%s blocks=%d cycles=%lld preamble=%lld", name, blocks, cycles, preamble);
                    ROW("each_launch", each_in_graph_us(bench, launch), "us", "in=graph does=%s blocks=%d cycles=%lld preamble=%lld", name, blocks, cycles, preamble);
                }
            }
        }
    }
}
