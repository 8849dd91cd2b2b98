// What instructions take that were not executed before on their multiprocessor: straight pieces of a kernel, again and again, in cycles of the first warp
// of the first block, by how long the piece is. The first pass of a launch comes to it for the first time; the others find it, as far as the caches of instructions reach.

#include <string>

#include "probe.cuh"

static const unsigned PASSES = 4;

// A chain of `STEPS` multiply-adds of integers, of 4 cycles and 16 bytes each.
template <unsigned STEPS>
__global__ void passes(unsigned *out, unsigned *cycles) {
    unsigned value = threadIdx.x;
#pragma unroll 1
    for (unsigned pass = 0; pass < PASSES; ++pass) {
        const unsigned begin = clock();
#pragma unroll
        for (unsigned step = 0; step < STEPS; ++step) asm volatile("mad.lo.u32 %0, %0, 5, 1;" : "+r"(value));
        const unsigned end = clock();
        if (blockIdx.x == 0 && threadIdx.x == 0) cycles[pass] = end - begin;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

template <unsigned STEPS>
static void rows(Bench &bench, unsigned *out, unsigned *cycles) {
    for (int blocks : {1, bench.multiprocessors}) {
        for (unsigned warps : {1u, 8u, 32u}) {
            for (const std::string before : {"another_kernel", "swept_l2", "this_kernel"}) {
                double sum[PASSES] = {};
                for (int time = 0; time < 16; ++time) {
                    if (before == "another_kernel") passes<16384><<<bench.multiprocessors, 32, 0, bench.stream>>>(out, cycles);
                    if (before == "swept_l2") bench.sweep();
                    passes<STEPS><<<blocks, warps * 32, 0, bench.stream>>>(out, cycles);
                    CHECK(cudaDeviceSynchronize());
                    for (unsigned pass = 0; pass < PASSES; ++pass) sum[pass] += time < 4 ? 0 : cycles[pass];
                }
                for (unsigned pass = 0; pass < PASSES; ++pass) {
                    ROW("passes", sum[pass] / 12, "cycles", "steps=%u blocks=%d warps=%u before=%s pass=%u", STEPS, blocks, warps, before.c_str(), pass);
                }
            }
        }
    }
}

int main() {
    Bench bench;
    unsigned *out, *cycles;
    CHECK(cudaMalloc(&out, 4 << 20));
    CHECK(cudaMallocManaged(&cycles, PASSES * sizeof *cycles));
    rows<8>(bench, out, cycles);
    rows<16>(bench, out, cycles);
    rows<32>(bench, out, cycles);
    rows<64>(bench, out, cycles);
    rows<128>(bench, out, cycles);
    rows<256>(bench, out, cycles);
    rows<512>(bench, out, cycles);
    rows<1024>(bench, out, cycles);
    rows<2048>(bench, out, cycles);
    rows<4096>(bench, out, cycles);
    rows<8192>(bench, out, cycles);
    return 0;
}
