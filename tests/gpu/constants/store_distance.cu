// What a fence of the device takes behind a store to each of many lines: L2 has two halves, and a store to the other half is acknowledged later.

#include "probe.cuh"

const int ROUNDS = 64;

// Mean cycles of a round of a store and a fence, at each line, in the block with this number.
__global__ void rounds(unsigned *words, int lines, int active_block, unsigned *cycles, unsigned *multiprocessor) {
    if (blockIdx.x != active_block) return;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(*multiprocessor));
    for (int line = 0; line < lines; ++line) {
        volatile unsigned *place = words + line * 32;
        long long begun = 0;
        for (int round = -4; round < ROUNDS; ++round) {
            if (round == 0) begun = clock64();
            *place = round;
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
        }
        cycles[line] = (clock64() - begun) / ROUNDS;
    }
}

int main() {
    Bench bench;
    const int lines = 256;
    unsigned *words, *cycles, *multiprocessor;
    CHECK(cudaMalloc(&words, lines * 128));
    CHECK(cudaMallocManaged(&cycles, lines * sizeof(unsigned)));
    CHECK(cudaMallocManaged(&multiprocessor, sizeof(unsigned)));
    for (int block : {0, 1, 2, 3, 64, 131}) {
        rounds<<<132, 1>>>(words, lines, block, cycles, multiprocessor);
        CHECK(cudaDeviceSynchronize());
        for (int line = 0; line < lines; ++line) {
            ROW("store_and_fence", double(cycles[line]), "cycles", "multiprocessor=%u line=%d", *multiprocessor, line);
        }
    }
}
