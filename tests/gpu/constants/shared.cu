// Accesses of shared memory whose lanes conflict: how long until a load's value is there, and how long the memory is in use.

#include "probe.cuh"

static const unsigned WORDS = 8192;

// The word of lane l, of `lanes` lanes of which `ways` at a time meet in a bank. Each lane has a word of its own.
__device__ __forceinline__ unsigned word_of(unsigned lane, unsigned ways) { return lane % ways * 32 + lane / ways; }

// `lanes` lanes of each warp load, over and over, from the address that the load before gave.
template <int CHAINS>
__global__ void load_chains(unsigned *result, unsigned long long *cycles, unsigned lanes, unsigned ways) {
    __shared__ unsigned words[WORDS];
    for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = unsigned(__cvta_generic_to_shared(words + i));
    __syncthreads();
    const unsigned lane = threadIdx.x % 32;
    unsigned at[CHAINS];
    for (int chain = 0; chain < CHAINS; ++chain) at[chain] = unsigned(__cvta_generic_to_shared(words + word_of(lane, ways)));
    const bool active = lane < lanes;
    const long long taken = cycles_of_256([&] {
        if (active) {
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(at[chain]));
        }
    });
    unsigned sum = 0;
    for (int chain = 0; chain < CHAINS; ++chain) sum += at[chain];
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = taken;
}

// Each step adds one word to another in shared memory, as a tree of sums does: two loads, of which the lanes of the first one conflict as
// those of the second one, an addition, and a store to the first word. Warps race for the words: what these hold does not matter.
__global__ void add_words(unsigned *result, unsigned long long *cycles, unsigned lanes, unsigned ways, unsigned barrier) {
    __shared__ unsigned words[WORDS];
    for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = i;
    __syncthreads();
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    volatile unsigned *own = words + word_of(lane, ways), *other = own + 2048;
    const bool active = lane < lanes && (barrier == 0 || warp == 0);
    const long long taken = cycles_of_256([&] {
        if (active) *own = *own + *other;
        if (barrier) __syncthreads();
    });
    result[blockIdx.x * blockDim.x + threadIdx.x] = *own;
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = taken;
}

int main() {
    Bench bench;
    unsigned *result;
    unsigned long long *cycles;
    CHECK(cudaMalloc(&result, 1 << 22));
    CHECK(cudaMallocManaged(&cycles, 8));
    auto per_step = [&](auto launch) {
        launch();
        CHECK(cudaDeviceSynchronize());
        launch();
        CHECK(cudaDeviceSynchronize());
        return double(*cycles) / 256;
    };
    for (unsigned lanes : {32u, 16u, 8u, 2u}) {
        for (unsigned ways = 1; ways <= lanes; ways *= 2) {
            ROW("load_latency", per_step([&] { load_chains<1><<<1, 32>>>(result, cycles, lanes, ways); }), "cycles", "lanes=%u ways=%u", lanes, ways);
        }
    }
    for (unsigned ways = 1; ways <= 32; ways *= 2) {
        for (int warps : {1, 2, 4, 8, 16, 32}) {
            ROW("load_interval", per_step([&] { load_chains<4><<<1, warps * 32>>>(result, cycles, 32, ways); }) / 4 / warps, "cycles/load", "ways=%u warps=%d", ways, warps);
            ROW("add", per_step([&] { add_words<<<1, warps * 32>>>(result, cycles, 32, ways, 0); }), "cycles/step", "ways=%u warps=%d", ways, warps);
            // One warp of each block adds, the others meet it at the barrier.
            ROW("add_barrier", per_step([&] { add_words<<<1, warps * 32>>>(result, cycles, 32, ways, 1); }), "cycles/step", "ways=%u warps=%d blocks=1", ways, warps);
            ROW("add_barrier", per_step([&] { add_words<<<bench.multiprocessors * 6, warps * 32>>>(result, cycles, 32, ways, 1); }), "cycles/step", "ways=%u warps=%d blocks=6", ways, warps);
        }
    }
}
