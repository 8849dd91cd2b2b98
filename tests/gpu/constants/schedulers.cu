// Which scheduler gets which warp of a block? Where one warp of each block computes and the others wait, the time tells on how many
// schedulers those that compute are.

#include "probe.cuh"

// Warp `working` of each block goes through `rounds` rounds of 128 multiply-adds in four chains; the others wait at the barrier. Block b says
// in which place for warps, of which multiprocessor, its first warp is.
__global__ void one_of_each(float *result, uint2 *places, unsigned working, unsigned rounds, float factor) {
    const unsigned warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        uint2 place;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(place.x));
        asm volatile("mov.u32 %0, %%warpid;" : "=r"(place.y));
        places[blockIdx.x] = place;
    }
    if (warp == working) {
        float one = threadIdx.x, two = 1, three = 2, four = 3;
#pragma unroll 1
        for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
            for (int i = 0; i < 32; ++i) {
                asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(one) : "f"(factor));
                asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(two) : "f"(factor));
                asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(three) : "f"(factor));
                asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(four) : "f"(factor));
            }
        }
        if (one + two + three + four == 0.12345f) *result = one;
    }
    __syncthreads();
}

int main() {
    Bench bench;
    uint2 *places;
    const int most = bench.multiprocessors * 32 * 4;
    CHECK(cudaMallocManaged(&places, most * sizeof(uint2)));
    const unsigned rounds = 400;
    for (int warps : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32}) {
        int resident;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, one_of_each, warps * 32, 0));
        for (int waves : {1, 4}) {
            const int blocks = bench.multiprocessors * resident * waves;
            for (int working : {0, warps - 1}) {
                auto work = [&](unsigned own) { one_of_each<<<blocks, warps * 32, 0, bench.stream>>>(reinterpret_cast<float *>(bench.sink), places, working, own, 0.5f); };
                const double time = bench.warm_us([&] { work(rounds); }, 3) - bench.warm_us([&] { work(rounds / 2); }, 3);
                const double instructions = 128.0 * (rounds - rounds / 2) * resident * waves;
                ROW("schedulers", instructions / (time * bench.clock_mhz), "instructions/cycle", "warps=%d resident=%d waves=%d working=%d", warps, resident, waves, working);
                CHECK(cudaDeviceSynchronize());
                if (working > 0 || waves > 1) continue;
                for (int block = 0, shown = 0; block < blocks && shown < 16; ++block) {
                    if (places[block].x == places[0].x) ROW("first_warp", places[block].y, "place", "warps=%d order=%d", warps, shown++);
                }
            }
        }
    }
}
