// What a barrier of the whole grid takes, and its parts.

#include <cooperative_groups.h>

#include "probe.cuh"

__global__ void grid_barriers(unsigned count, unsigned long long *cycles) {
    auto grid = cooperative_groups::this_grid();
    grid.sync();
    const long long begin = clock64();
    for (unsigned i = 0; i < count; ++i) grid.sync();
    const long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = end - begin;
}

// A thread of each block adds to one word, over and over: the word's new value comes back before the next.
__global__ void returning_of_all(unsigned *word, unsigned count, unsigned long long *cycles) {
    unsigned sum = 0;
    const long long begin = clock64();
    for (unsigned i = 0; i < count; ++i) {
        sum += atomicAdd(word, 1 + (sum == 0x7fffffff));
        __threadfence();
    }
    const long long end = clock64();
    if (sum == 0x12345) *word = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = end - begin;
}

// All blocks look at a word; block 0 writes it and waits until the last has answered by an atomic.
__global__ void answered(volatile unsigned *flag, unsigned *answers, unsigned count, unsigned long long *cycles) {
    const long long begin = clock64();
    for (unsigned i = 1; i <= count; ++i) {
        if (blockIdx.x == 0) {
            *flag = i;
            while (*(volatile unsigned *)answers != i * (gridDim.x - 1)) {}
        } else {
            while (*flag < i) {}
            atomicAdd(answers, 1);
        }
    }
    const long long end = clock64();
    if (blockIdx.x == 0) *cycles = end - begin;
}

// One thread: what is accessed at a word, if anything, then a fence.
__global__ void fences_behind(unsigned *words, unsigned word, unsigned count, int access, unsigned fenced, unsigned long long *cycles) {
    unsigned sum = 0;
    const long long begin = clock64();
    for (unsigned i = 0; i < count; ++i) {
        if (access == 1) sum += *(volatile unsigned *)(words + word + (sum & 0));
        if (access == 2) sum += atomicAdd(words + word + (sum >> 31), 0);
        if (fenced) __threadfence();
    }
    const long long end = clock64();
    if (sum == 0x12345) *words = sum;
    *cycles = end - begin;
}

int main() {
    Bench bench;
    unsigned long long *cycles, host;
    unsigned *words;
    CHECK(cudaMalloc(&cycles, 8));
    CHECK(cudaMalloc(&words, 1 << 20));
    const int multiprocessors = bench.multiprocessors;
    auto launch = [&](const void *kernel, int blocks, int threads, std::vector<void *> arguments) {
        CHECK(cudaMemset(words, 0, 1 << 20));
        CHECK(cudaLaunchCooperativeKernel(kernel, blocks, threads, arguments.data(), 0, bench.stream));
        CHECK(cudaStreamSynchronize(bench.stream));
        CHECK(cudaMemcpy(&host, cycles, 8, cudaMemcpyDeviceToHost));
        return double(host);
    };
    unsigned count = 500;
    for (int blocks : {1, 2, 16, 66, multiprocessors, 2 * multiprocessors, 4 * multiprocessors, 8 * multiprocessors}) {
        for (int threads : {32, 128, 256, 1024}) {
            if (blocks * threads > multiprocessors * 2048) continue;
            launch((const void *)grid_barriers, blocks, threads, {&count, &cycles});
            ROW("grid_barrier", launch((const void *)grid_barriers, blocks, threads, {&count, &cycles}) / count, "cycles", "blocks=%d threads=%d", blocks, threads);
        }
        unsigned *flag = words, *answers = words + 1024;
        ROW("returning", launch((const void *)returning_of_all, blocks, 1, {&words, &count, &cycles}) / count, "cycles", "blocks=%d", blocks);
        if (blocks > 1) ROW("answered", launch((const void *)answered, blocks, 1, {&flag, &answers, &count, &cycles}) / count, "cycles", "blocks=%d", blocks);
    }
    // Words far apart are in either half of L2, as seen from where the block runs.
    for (unsigned word = 0; word < 1 << 18; word += 1 << 14) {
        for (int access : {0, 1, 2}) {
            for (unsigned fenced : {0u, 1u}) {
                if (access == 0 && (fenced == 0 || word != 0)) continue;
                void *arguments[] = {&words, &word, &count, &access, &fenced, &cycles};
                const double own = launch((const void *)fences_behind, 1, 1, std::vector<void *>(arguments, arguments + 6)) / count;
                ROW("fence_behind", own, "cycles", "access=%s fenced=%u word=%u", access == 0 ? "none" : access == 1 ? "load" : "atomic", fenced, word);
            }
        }
    }
}
