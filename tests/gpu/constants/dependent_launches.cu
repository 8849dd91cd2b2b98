// What a launch takes that may begin before the one in front of it has ended, in a stream and in a graph: the least time between two of them, and what
// passes between the end of one and the instructions behind the wait of the next.

#include "dependent.cuh"

// Lets the next launch begin at once, waits for the end of the one before, and then for some cycles.
__global__ void waiting(long long cycles) {
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
    spin(cycles);
}

// The same between a load and a store of each thread, as kernels do that hand something over.
__global__ void handing_over(const unsigned *from, unsigned *to, unsigned summand, long long cycles) {
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned word = __ldcg(from + thread);
    spin(cycles);
    __stcg(to + thread, word + summand);
}

int main() {
    Bench bench;
    unsigned *words[2];
    for (auto &own : words) CHECK(cudaMalloc(&own, 1 << 20));
    for (int blocks = 1; blocks <= 132; blocks += 131) {
        for (int threads = 32; threads <= 128; threads += 96) {
            for (const bool hands_over : {false, true}) {
                for (long long cycles : {0, 250, 500, 750, 1000, 1500, 2000, 4000}) {
                    const auto launch = [&](int number) {
                        if (hands_over) {
                            launch_dependent(bench, blocks, threads, handing_over, words[number % 2], words[(number + 1) % 2], 1u, cycles);
                        } else {
                            launch_dependent(bench, blocks, threads, waiting, cycles);
                        }
                    };
                    const char *does = hands_over ? "load_and_store" : "nothing";
                    ROW("each_launch", each_in_stream_us(bench, launch), "us", "in=stream does=%s blocks=%d threads=%d cycles=%lld", does, blocks, threads, cycles);
                    ROW("each_launch", each_in_graph_us(bench, launch), "us", "in=graph does=%s blocks=%d threads=%d cycles=%lld", does, blocks, threads, cycles);
                }
            }
        }
    }
}
