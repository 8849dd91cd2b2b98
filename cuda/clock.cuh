// The clock of a multiprocessor around a loop, beside the time that events give for the whole launch.

#pragma once

// Cycles of the multiprocessor, which come round to 0 after 2^32. Volatile: it stays where it is among the loads and waits, which are volatile too.
__device__ __forceinline__ static unsigned clock_now() {
    unsigned cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}

// Stores the cycles since `begin`, as the first thread of the first block counts them.
__device__ __forceinline__ static void store_cycles(unsigned *cycles, unsigned begin) {
    const unsigned end = clock_now();
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = end - begin;
}
